//! Quicksort without side effects: three filters, two calls, and a concatenation.

use heist::par::{DEFAULT_LEAF, Rope, Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::kernel::{Loop, Looped, Looping};
use super::seq::{Seq, rope, same};
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::noise::word;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "quicksort",
        about: "sorts integers by filters: those below, equal to and above a pivot, each in parallel, down to one",
        source: "Rainey's thesis, Quicksort (figure 2.3): 1,000,000 integers; after NESL's",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, DEFAULT_LEAF)?),
    },
    has_ropes: true,
    prepare,
};

/// The number of integers up to which one of chili's tasks sorts them without forks.
const GRAIN: usize = 1024;

struct Quicksort {
    input: Vec<i64>,
    rope: Rope<i64>,
    leaf: usize,
    expected: Vec<i64>,
}

fn prepare(size: Size, _: &Data, leaf: usize) -> Result<Box<dyn Looping>, String> {
    let n = within(
        "the number of integers",
        size.pick(200_000, 1_000_000),
        1..=100_000_000,
    )?;
    Ok(Box::new(Looped::new(Quicksort::new(n, leaf))))
}

impl Quicksort {
    /// Makes `n` random integers below `n`, so that some occur more than once.
    fn new(n: usize, leaf: usize) -> Quicksort {
        let input: Vec<i64> = (0..n as u64)
            .map(|i| (word(5, i) % n as u64) as i64)
            .collect();
        let mut expected = input.clone();
        expected.sort_unstable();
        Quicksort {
            rope: rope(leaf, input.iter().copied()),
            input,
            leaf,
            expected,
        }
    }
}

fn serial(xs: &[i64]) -> Vec<i64> {
    if xs.len() <= 1 {
        return xs.to_vec();
    }
    let pivot = xs[xs.len() / 2];
    let all = || xs.iter().copied();
    let equal: Vec<i64> = all().filter(|&x| x == pivot).collect();
    let below = serial(&all().filter(|&x| x < pivot).collect::<Vec<_>>());
    let above = serial(&all().filter(|&x| x > pivot).collect::<Vec<_>>());
    [below, equal, above].concat()
}

fn slices<X: Splitting>(xs: &[i64], policy: X) -> Vec<i64> {
    if xs.len() <= 1 {
        return xs.to_vec();
    }
    let pivot = xs[xs.len() / 2];
    let all = || xs.par().splitting(policy).copied();
    let (equal, (below, above)) = heist::join(
        || -> Vec<i64> { all().filter(|&x| x == pivot).collect() },
        || {
            heist::join(
                || slices(&all().filter(|&x| x < pivot).collect::<Vec<_>>(), policy),
                || slices(&all().filter(|&x| x > pivot).collect::<Vec<_>>(), policy),
            )
        },
    );
    let sorted = below.par().chain(&equal).chain(&above);
    sorted.splitting(policy).copied().collect()
}

fn serial_ropes(xs: &Rope<i64>, leaf: usize) -> Rope<i64> {
    if xs.len() <= 1 {
        return xs.clone();
    }
    let pivot = xs[xs.len() / 2];
    let all = || xs.iter().copied();
    let equal = rope(leaf, all().filter(|&x| x == pivot));
    let below = serial_ropes(&rope(leaf, all().filter(|&x| x < pivot)), leaf);
    let above = serial_ropes(&rope(leaf, all().filter(|&x| x > pivot)), leaf);
    below.concat(equal).concat(above)
}

fn ropes<X: Splitting>(xs: &Rope<i64>, leaf: usize, policy: X) -> Rope<i64> {
    if xs.len() <= 1 {
        return xs.clone();
    }
    let pivot = xs[xs.len() / 2];
    let all = || xs.par().splitting(policy).copied();
    let again = |part: Rope<i64>| ropes(&part, leaf, policy);
    let (equal, (below, above)) = heist::join(
        || all().filter(|&x| x == pivot).collect_rope(leaf),
        || {
            heist::join(
                || again(all().filter(|&x| x < pivot).collect_rope(leaf)),
                || again(all().filter(|&x| x > pivot).collect_rope(leaf)),
            )
        },
    );
    below.concat(equal).concat(above)
}

fn rayon(xs: &[i64]) -> Vec<i64> {
    if xs.len() <= 1 {
        return xs.to_vec();
    }
    let pivot = xs[xs.len() / 2];
    let all = || xs.par_iter().copied();
    let (equal, (below, above)) = rayon::join(
        || -> Vec<i64> { all().filter(|&x| x == pivot).collect() },
        || {
            rayon::join(
                || rayon(&all().filter(|&x| x < pivot).collect::<Vec<_>>()),
                || rayon(&all().filter(|&x| x > pivot).collect::<Vec<_>>()),
            )
        },
    );
    let sorted = below.par_iter().chain(&equal).chain(&above);
    sorted.copied().collect()
}

fn joins<C: Ctx>(ctx: C, xs: &[i64]) -> Vec<i64> {
    if xs.len() <= GRAIN {
        return serial(xs);
    }
    let pivot = xs[xs.len() / 2];
    let all = || xs.iter().copied();
    let (equal, (below, above)) = ctx.join(
        |_| -> Vec<i64> { all().filter(|&x| x == pivot).collect() },
        |c| {
            c.join(
                |c| joins(c, &all().filter(|&x| x < pivot).collect::<Vec<_>>()),
                |c| joins(c, &all().filter(|&x| x > pivot).collect::<Vec<_>>()),
            )
        },
    );
    [below, equal, above].concat()
}

impl Loop for Quicksort {
    type Out = Seq<i64>;

    fn params(&self) -> String {
        format!("n={}", self.input.len())
    }

    fn serial(&self) -> Seq<i64> {
        serial(&self.input).into()
    }

    fn slices<X: Splitting>(&self, policy: X) -> Seq<i64> {
        slices(&self.input, policy).into()
    }

    fn serial_ropes(&self) -> Option<Seq<i64>> {
        Some(serial_ropes(&self.rope, self.leaf).into())
    }

    fn ropes<X: Splitting>(&self, policy: X) -> Option<Seq<i64>> {
        Some(ropes(&self.rope, self.leaf, policy).into())
    }

    fn rayon(&self) -> Seq<i64> {
        rayon(&self.input).into()
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Seq<i64> {
        joins(ctx, &self.input).into()
    }

    fn check(&self, out: &Seq<i64>) -> Result<(), String> {
        same(&out.to_vec(), &self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_or_misplaced_integer_fails() {
        let program = Quicksort::new(300, 7);
        let sorted = serial(&program.input);
        program.check(&sorted.clone().into()).unwrap();
        let mut misplaced = sorted.clone();
        misplaced.swap(17, 280);
        assert!(program.check(&misplaced.into()).is_err());
        program.check(&sorted[..299].to_vec().into()).unwrap_err();
        let rope = serial_ropes(&program.rope, 7).update(8, -1);
        assert!(program.check(&rope.into()).is_err());
    }
}
