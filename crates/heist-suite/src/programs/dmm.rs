//! Dense matrix multiplication.

use std::sync::OnceLock;

use crate::bounds::power_of_two;
use crate::contender::Contender;
use crate::count::forks_of;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::noise::word;
use crate::program::{Instance, Program, Size};
use crate::quad::{Quad, SIDE, Tile, multiply};
use crate::runner::{Kernel, Runner};

pub(super) const PROGRAM: Program = Program {
    name: "dmm",
    about: "the product of two dense n x n matrices by quadrants, down to tiles of 16 x 16",
    source: "Rainey's thesis, DMM; Cilk's matmul; n = 1024",
    contenders: Contender::JOINS,
    prepare,
};

struct Run<'a> {
    c: &'a mut [Tile],
    a: &'a [Tile],
    b: &'a [Tile],
}

impl Kernel for Run<'_> {
    type Out = ();

    fn call<C: Ctx>(self, ctx: C) {
        multiply::<false, C>(ctx, self.c, self.a, self.b);
    }
}

struct Dmm {
    a: Quad,
    b: Quad,
    c: Quad,
    forks: OnceLock<u64>,
}

impl Dmm {
    fn new(n: usize) -> Dmm {
        // Use small integers: every sum is exact in any order, so the check can require equal results.
        let small = |seed, i, j| (word(seed, (i * n + j) as u64) % 17) as f64 - 8.0;
        Dmm {
            a: Quad::new(n, |i, j| small(3, i, j)),
            b: Quad::new(n, |i, j| small(4, i, j)),
            c: Quad::new(n, |_, _| 0.0),
            forks: OnceLock::new(),
        }
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    Ok(Box::new(Dmm::new(power_of_two(
        "n",
        size.pick(512, 1024),
        SIDE as u64..=4096,
    )?)))
}

impl Instance for Dmm {
    fn params(&self) -> String {
        format!("n={}", self.c.n)
    }

    fn reset(&mut self) {
        self.c.tiles.fill([[0.0; SIDE]; SIDE]);
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        on.run(
            who,
            Run {
                c: &mut self.c.tiles,
                a: &self.a.tiles,
                b: &self.b.tiles,
            },
        );
    }

    /// Checks the product by Freivalds' algorithm: `C x = A (B x)` for a random `x`. The weights differ from column to column, so a single
    /// wrong entry is always detected.
    fn check(&mut self) -> Result<(), String> {
        for seed in 0..2 {
            let x: Vec<f64> = (0..self.c.n as u64)
                .map(|i| (word(seed, i) % 64) as f64 + 1.0)
                .collect();
            let all = |_, _| true;
            let must = self.a.times(&self.b.times(&x, all), all);
            let is = self.c.times(&x, all);
            if let Some(row) = is.iter().zip(&must).position(|(is, must)| is != must) {
                return Err(format!(
                    "row {row} of the product times a vector is {} instead of {}",
                    is[row], must[row]
                ));
            }
        }
        Ok(())
    }

    fn forks(&self) -> Option<u64> {
        Some(*self.forks.get_or_init(|| {
            let mut c = self.c.clone();
            forks_of(Run {
                c: &mut c.tiles,
                a: &self.a.tiles,
                b: &self.b.tiles,
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_entry_fails() {
        let mut dmm = Dmm::new(64);
        dmm.run(Contender::Serial, &Runner::new(1).unwrap());
        dmm.check().unwrap();
        *dmm.c.entry(63, 17) += 1.0;
        assert!(dmm.check().unwrap_err().starts_with("row 63 "));
    }

    #[test]
    fn sizes_are_powers_of_two() {
        assert!(prepare(Size::N(48), &Data::default()).is_err());
        assert!(prepare(Size::N(8), &Data::default()).is_err());
    }
}
