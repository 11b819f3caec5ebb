//! LU decomposition without pivoting.

use std::sync::OnceLock;

use crate::bounds::{near, power_of_two};
use crate::contender::Contender;
use crate::count::forks_of;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::noise::{unit, word};
use crate::program::{Instance, Program, Size};
use crate::quad::{Quad, SIDE, Tile, multiply, quarters, quarters_mut};
use crate::runner::{Kernel, Runner};

pub(super) const PROGRAM: Program = Program {
    name: "lud",
    about: "the LU decomposition of a dense n x n matrix by quadrants, down to tiles of 16 x 16",
    source: "Kumar et al., Friendly Barriers (VEE 2014), section 3.1: LUD of 1024 x 1024 doubles, from Cilk",
    contenders: Contender::JOINS,
    prepare,
};

/// Replaces `m` by its factors. The unit diagonal of the lower factor is not stored.
fn decompose<C: Ctx>(ctx: C, m: &mut [Tile]) {
    if let [m] = m {
        return tile_decompose(m);
    }
    let [m0, m1, m2, m3] = quarters_mut(m);
    decompose(ctx, m0);
    let m0 = &*m0;
    ctx.join(|c| solve_lower(c, m1, m0), |c| solve_upper(c, m2, m0));
    multiply::<true, C>(ctx, m3, m2, m1);
    decompose(ctx, m3);
}

/// Replaces `m` by the solution `x` of `l x = m`. The left and the right half of `m` are independent.
fn solve_lower<C: Ctx>(ctx: C, m: &mut [Tile], l: &[Tile]) {
    fn half<C: Ctx>(ctx: C, above: &mut [Tile], below: &mut [Tile], l: &[Tile]) {
        let [l0, _, l2, l3] = quarters(l);
        solve_lower(ctx, above, l0);
        multiply::<true, C>(ctx, below, l2, above);
        solve_lower(ctx, below, l3);
    }
    if let [m] = m {
        return tile_solve_lower(m, &l[0]);
    }
    let [m0, m1, m2, m3] = quarters_mut(m);
    ctx.join(|c| half(c, m0, m2, l), |c| half(c, m1, m3, l));
}

/// Replaces `m` by the solution `x` of `x u = m`. The upper and the lower half of `m` are independent.
fn solve_upper<C: Ctx>(ctx: C, m: &mut [Tile], u: &[Tile]) {
    fn half<C: Ctx>(ctx: C, left: &mut [Tile], right: &mut [Tile], u: &[Tile]) {
        let [u0, u1, _, u3] = quarters(u);
        solve_upper(ctx, left, u0);
        multiply::<true, C>(ctx, right, left, u1);
        solve_upper(ctx, right, u3);
    }
    if let [m] = m {
        return tile_solve_upper(m, &u[0]);
    }
    let [m0, m1, m2, m3] = quarters_mut(m);
    ctx.join(|c| half(c, m0, m1, u), |c| half(c, m2, m3, u));
}

#[inline(never)]
fn tile_decompose(m: &mut Tile) {
    for k in 0..SIDE {
        let pivot = m[k];
        for row in &mut m[k + 1..] {
            row[k] /= pivot[k];
            for j in k + 1..SIDE {
                row[j] -= row[k] * pivot[j];
            }
        }
    }
}

#[inline(never)]
fn tile_solve_lower(m: &mut Tile, l: &Tile) {
    for (i, factors) in l.iter().enumerate() {
        let (done, rest) = m.split_at_mut(i);
        for (row, factor) in done.iter().zip(factors) {
            for j in 0..SIDE {
                rest[0][j] -= factor * row[j];
            }
        }
    }
}

#[inline(never)]
fn tile_solve_upper(m: &mut Tile, u: &Tile) {
    for row in m {
        for k in 0..SIDE {
            row[k] /= u[k][k];
            for j in k + 1..SIDE {
                row[j] -= row[k] * u[k][j];
            }
        }
    }
}

struct Run<'a>(&'a mut [Tile]);

impl Kernel for Run<'_> {
    type Out = ();

    fn call<C: Ctx>(self, ctx: C) {
        decompose(ctx, self.0);
    }
}

struct Lud {
    input: Quad,
    m: Quad,
    forks: OnceLock<u64>,
}

impl Lud {
    fn new(n: usize) -> Lud {
        // The diagonal is dominant, so that no pivot is small.
        let entry = |i, j| unit(5, (i * n + j) as u64) + if i == j { n as f64 } else { 0.0 };
        let input = Quad::new(n, entry);
        Lud {
            m: input.clone(),
            input,
            forks: OnceLock::new(),
        }
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    Ok(Box::new(Lud::new(power_of_two(
        "n",
        size.pick(512, 1024),
        2 * SIDE as u64..=4096,
    )?)))
}

impl Instance for Lud {
    fn params(&self) -> String {
        format!("n={}", self.m.n)
    }

    fn reset(&mut self) {
        self.m.tiles.copy_from_slice(&self.input.tiles);
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        on.run(who, Run(&mut self.m.tiles));
    }

    /// Checks the factors by Freivalds' algorithm: `L (U x) = A x` for a random `x` of ones and twos.
    fn check(&mut self) -> Result<(), String> {
        let n = self.m.n;
        // The entries of the products are about n, and each term adds a rounding error of about 1e-16 times n.
        let tolerance = 1e-11 * n as f64;
        for seed in 0..2 {
            let x: Vec<f64> = (0..n as u64)
                .map(|i| (word(seed, i) % 2) as f64 + 1.0)
                .collect();
            let ux = self.m.times(&x, |i, j| i <= j);
            let mut is = self.m.times(&ux, |i, j| i > j);
            is.iter_mut().zip(&ux).for_each(|(is, u)| *is += u);
            let must = self.input.times(&x, |_, _| true);
            let wrong = |(is, must): (&f64, &f64)| !near(*is, *must, tolerance);
            if let Some(row) = is.iter().zip(&must).position(wrong) {
                return Err(format!(
                    "row {row} of L U times a vector is {} instead of {}",
                    is[row], must[row]
                ));
            }
        }
        Ok(())
    }

    fn forks(&self) -> Option<u64> {
        Some(
            *self
                .forks
                .get_or_init(|| forks_of(Run(&mut self.input.clone().tiles))),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_entry_fails() {
        let mut lud = Lud::new(64);
        assert!(lud.check().is_err());
        lud.run(Contender::Serial, &Runner::new(1).unwrap());
        lud.check().unwrap();
        for (i, j, wrong) in [
            (63, 0, 1e-6),
            (0, 63, 1e-6),
            (40, 40, 1e-6),
            (5, 9, f64::NAN),
        ] {
            let right = lud.m.get(i, j);
            *lud.m.entry(i, j) += wrong;
            assert!(lud.check().is_err(), "{i} {j}");
            *lud.m.entry(i, j) = right;
        }
        lud.check().unwrap();
    }
}
