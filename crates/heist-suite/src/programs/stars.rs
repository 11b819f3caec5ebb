//! Nearest neighbours in a real star catalogue.

use std::sync::OnceLock;

use crate::bounds::within;
use crate::contender::Contender;
use crate::count::forks_of;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Instance, Program, Size};
use crate::runner::{Kernel, Runner};

pub(super) const PROGRAM: Program = Program {
    name: "stars",
    about: "finds every star's nearest neighbour on the sky: builds a k-d tree, then asks it, a fork down to each star",
    source: "real input: Hipparcos stars from d3-celestial",
    contenders: Contender::JOINS,
    prepare,
};

/// A star, as a point on the unit sphere.
#[derive(Clone, Copy, Debug)]
struct Star {
    at: [f64; 3],
    /// The star's index in the catalogue.
    index: u32,
}

/// Returns the squared length of the straight line between two stars. The length of this line grows with the angle between the stars.
#[inline(always)]
fn apart(a: &Star, b: &Star) -> f64 {
    let [x, y, z] = [a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]];
    x * x + y * y + z * z
}

/// A star's nearest neighbour.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    of: u32,
    is: u32,
    apart: f64,
}

const NONE: Nearest = Nearest {
    of: u32::MAX,
    is: u32::MAX,
    apart: f64::INFINITY,
};

/// Orders stars as a k-d tree. The middle star is the root. Along the axis, the coordinates of stars before the root are at most the root's
/// coordinate. The coordinates of stars after the root are at least the root's coordinate.
fn build<C: Ctx>(ctx: C, stars: &mut [Star], axis: usize) {
    if stars.len() < 2 {
        return;
    }
    let middle = stars.len() / 2;
    let (before, _, after) =
        stars.select_nth_unstable_by(middle, |a, b| a.at[axis].total_cmp(&b.at[axis]));
    let next = (axis + 1) % 3;
    ctx.join(|c| build(c, before, next), |c| build(c, after, next));
}

/// Replaces `best` by the tree's nearest star, if that star is nearer than `best`.
fn ask(tree: &[Star], axis: usize, star: &Star, best: &mut Nearest) {
    if tree.is_empty() {
        return;
    }
    let middle = tree.len() / 2;
    let (before, root, after) = (&tree[..middle], &tree[middle], &tree[middle + 1..]);
    let far = apart(star, root);
    if far < best.apart && root.index != star.index {
        *best = Nearest {
            of: star.index,
            is: root.index,
            apart: far,
        };
    }
    let beyond = star.at[axis] - root.at[axis];
    let (near, other) = if beyond < 0.0 {
        (before, after)
    } else {
        (after, before)
    };
    let next = (axis + 1) % 3;
    ask(near, next, star, best);
    if beyond * beyond < best.apart {
        ask(other, next, star, best);
    }
}

/// Fills `out` with the nearest neighbours of the tree's stars, beginning with star `first`.
fn ask_all<C: Ctx>(ctx: C, tree: &[Star], first: usize, out: &mut [Nearest]) {
    if let [out] = out {
        *out = NONE;
        return ask(tree, 0, &tree[first], out);
    }
    let middle = out.len() / 2;
    let (left, right) = out.split_at_mut(middle);
    ctx.join(
        |c| ask_all(c, tree, first, left),
        |c| ask_all(c, tree, first + middle, right),
    );
}

struct Run<'a> {
    stars: &'a mut [Star],
    out: &'a mut [Nearest],
}

impl Kernel for Run<'_> {
    type Out = ();

    fn call<C: Ctx>(self, ctx: C) {
        build(ctx, self.stars, 0);
        ask_all(ctx, self.stars, 0, self.out);
    }
}

/// A star of the catalogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The star's direction, as a point on the unit sphere.
    pub(crate) at: [f64; 3],
    /// The star's magnitude. Brighter stars have smaller magnitudes.
    pub(crate) magnitude: f64,
}

/// Returns all stars of the catalogue, in the catalogue's order. The function returns at least two stars.
fn catalogue(data: &Data) -> Result<Vec<Entry>, String> {
    let source = data.stars()?;
    let mut stars = Vec::new();
    for (line, text) in source.lines() {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let [_, ra, dec, magnitude] = fields[..] else {
            return Err(source.wrong(line, format_args!("{} fields instead of 4", fields.len())));
        };
        let number = |name, text: &str, least: f64, most: f64| match text.parse::<f64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(source.wrong(
                line,
                format_args!("the {name} '{text}' is no number from {least} to {most}"),
            )),
        };
        let ra = number("right ascension", ra, 0.0, 360.0)?.to_radians();
        let dec = number("declination", dec, -90.0, 90.0)?.to_radians();
        stars.push(Entry {
            at: [dec.cos() * ra.cos(), dec.cos() * ra.sin(), dec.sin()],
            magnitude: number("magnitude", magnitude, -30.0, 40.0)?,
        });
    }
    if stars.len() < 2 {
        return Err(format!("{}: fewer than two stars", source.name));
    }
    Ok(stars)
}

/// Returns as many stars from the start of the catalogue as `size` requests.
pub(crate) fn load(size: Size, data: &Data) -> Result<Vec<Entry>, String> {
    let mut stars = catalogue(data)?;
    let all = stars.len() as u64;
    let n = within("the number of stars", size.pick(all, all), 2..=all)?;
    stars.truncate(n);
    Ok(stars)
}

/// Returns the stars of the program's input.
fn points(size: Size, data: &Data) -> Result<Vec<Star>, String> {
    let star = |(index, entry): (usize, &Entry)| Star {
        at: entry.at,
        index: index as u32,
    };
    Ok(load(size, data)?.iter().enumerate().map(star).collect())
}

struct Stars {
    input: Vec<Star>,
    stars: Vec<Star>,
    out: Vec<Nearest>,
    /// The expected result, in the order of the catalogue.
    expected: Vec<f64>,
    forks: OnceLock<u64>,
}

impl Stars {
    fn new(input: Vec<Star>) -> Stars {
        // Compute the expected result without a tree. Sort the stars by their third coordinate, and compare each star with the stars around
        // it, until the third coordinate alone shows that the next star is too far away.
        let mut sorted = input.clone();
        sorted.sort_by(|a, b| a.at[2].total_cmp(&b.at[2]));
        let mut expected = vec![f64::INFINITY; input.len()];
        for (i, star) in sorted.iter().enumerate() {
            let best = &mut expected[star.index as usize];
            let mut look = |others: &mut dyn Iterator<Item = &Star>| {
                for other in others {
                    if (other.at[2] - star.at[2]).powi(2) > *best {
                        break;
                    }
                    *best = best.min(apart(star, other));
                }
            };
            look(&mut sorted[i + 1..].iter());
            look(&mut sorted[..i].iter().rev());
        }
        Stars {
            stars: input.clone(),
            out: vec![NONE; input.len()],
            input,
            expected,
            forks: OnceLock::new(),
        }
    }
}

fn prepare(size: Size, data: &Data) -> Result<Box<dyn Instance>, String> {
    Ok(Box::new(Stars::new(points(size, data)?)))
}

impl Instance for Stars {
    fn params(&self) -> String {
        format!("stars={}", self.input.len())
    }

    fn reset(&mut self) {
        self.stars.copy_from_slice(&self.input);
        self.out.fill(NONE);
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        on.run(
            who,
            Run {
                stars: &mut self.stars,
                out: &mut self.out,
            },
        );
    }

    /// Checks the result. If two neighbours are equally near, the result may name either neighbour. The distance in the result must equal
    /// the expected distance, and also the distance to the named neighbour.
    fn check(&mut self) -> Result<(), String> {
        let mut seen = vec![false; self.input.len()];
        for nearest in &self.out {
            let (of, is) = (nearest.of as usize, nearest.is as usize);
            if of >= seen.len()
                || is >= seen.len()
                || of == is
                || std::mem::replace(&mut seen[of], true)
            {
                return Err(format!("{nearest:?} is none, or no answer to a question"));
            }
            let (far, must) = (apart(&self.input[of], &self.input[is]), self.expected[of]);
            if far != must || nearest.apart != must {
                return Err(format!(
                    "star {of}: star {is}, {far} away, instead of one {must} away"
                ));
            }
        }
        Ok(())
    }

    fn forks(&self) -> Option<u64> {
        Some(*self.forks.get_or_init(|| {
            let (mut stars, mut out) = (self.input.clone(), self.out.clone());
            forks_of(Run {
                stars: &mut stars,
                out: &mut out,
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_are_those_of_all_pairs() {
        let stars = points(Size::N(300), &Data::default()).unwrap();
        let expected = Stars::new(stars.clone()).expected;
        for (a, must) in stars.iter().zip(expected) {
            let others = stars.iter().filter(|b| b.index != a.index);
            assert_eq!(
                others.map(|b| apart(a, b)).fold(f64::INFINITY, f64::min),
                must
            );
        }
    }

    #[test]
    fn a_wrong_neighbour_fails() {
        let mut program = Stars::new(points(Size::N(300), &Data::default()).unwrap());
        assert!(program.check().is_err());
        program.run(Contender::Serial, &Runner::new(1).unwrap());
        program.check().unwrap();
        let right = program.out[77];
        program.out[77].is = (right.is + 1) % 300;
        assert!(program.check().is_err());
        program.out[77] = program.out[78];
        assert!(program.check().is_err());
        program.out[77] = right;
        program.check().unwrap();
    }

    #[test]
    fn faults_of_a_file_are_named() {
        let path = std::env::temp_dir().join(format!("heist-suite-stars-{}", std::process::id()));
        let data = Data {
            stars: Some(path.clone()),
            ..Data::default()
        };
        let fault = |text: &str| {
            std::fs::write(&path, text).unwrap();
            load(Size::Paper, &data).unwrap_err()
        };
        let faults = [
            fault("# header\n1,2,3\n"),
            fault("1,361,0,0\n"),
            fault("1,0,NaN,0\n"),
            fault("1,2,3,4\n"),
            fault("1,2,3,bright\n"),
        ];
        std::fs::remove_file(&path).unwrap();
        assert!(
            faults[0].ends_with(", line 2: 3 fields instead of 4"),
            "{}",
            faults[0]
        );
        assert!(
            faults[1].contains(", line 1: the right ascension '361'"),
            "{}",
            faults[1]
        );
        assert!(
            faults[2].contains(", line 1: the declination 'NaN'"),
            "{}",
            faults[2]
        );
        assert!(faults[3].ends_with("fewer than two stars"), "{}", faults[3]);
        assert!(
            faults[4].contains(", line 1: the magnitude 'bright'"),
            "{}",
            faults[4]
        );
    }
}
