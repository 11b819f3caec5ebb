//! Jacobi relaxation of a mesh.

use std::sync::OnceLock;

use crate::bounds::{near, within};
use crate::contender::Contender;
use crate::count::forks_of;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::noise::unit;
use crate::program::{Instance, Program, Size};
use crate::runner::{Kernel, Runner};

pub(super) const PROGRAM: Program = Program {
    name: "jacobi",
    about: "10 steps of nearest-neighbour averaging on an n x n mesh, a fork down to each row",
    source: "Kumar et al., Friendly Barriers (VEE 2014), section 3.1: Jacobi, 10 steps on 1024 x 1024 doubles",
    contenders: Contender::JOINS,
    prepare,
};

const STEPS: usize = 10;

/// Computes one step for the rows of `to`. In `from`, `first` rows come before the first row of `to`. `width` includes the
/// border.
fn rows<C: Ctx>(ctx: C, from: &[f64], to: &mut [f64], first: usize, width: usize) {
    let count = to.len() / width;
    if count == 1 {
        return row(&from[(first - 1) * width..(first + 2) * width], to, width);
    }
    let (upper, lower) = to.split_at_mut(count / 2 * width);
    ctx.join(
        |c| rows(c, from, upper, first, width),
        |c| rows(c, from, lower, first + count / 2, width),
    );
}

#[inline(never)]
fn row(from: &[f64], to: &mut [f64], width: usize) {
    let (above, rest) = from.split_at(width);
    let (here, below) = rest.split_at(width);
    for j in 1..width - 1 {
        to[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
    }
}

struct Run<'a> {
    mesh: &'a mut Vec<f64>,
    other: &'a mut Vec<f64>,
    width: usize,
}

impl Kernel for Run<'_> {
    type Out = ();

    fn call<C: Ctx>(self, ctx: C) {
        let inner = self.width..self.mesh.len() - self.width;
        for _ in 0..STEPS {
            rows(
                ctx,
                self.mesh,
                &mut self.other[inner.clone()],
                1,
                self.width,
            );
            std::mem::swap(self.mesh, self.other);
        }
    }
}

struct Jacobi {
    width: usize,
    input: Vec<f64>,
    mesh: Vec<f64>,
    other: Vec<f64>,
    expected: Vec<f64>,
    forks: OnceLock<u64>,
}

impl Jacobi {
    fn new(n: usize) -> Jacobi {
        let width = n + 2;
        let input: Vec<f64> = (0..(width * width) as u64).map(|i| unit(8, i)).collect();
        let mut expected = input.clone();
        for _ in 0..STEPS {
            // Compute in place, and add the numbers in an order that differs from the kernel's.
            let before = expected.clone();
            for i in (1..=n).rev() {
                for j in 1..=n {
                    let at = i * width + j;
                    expected[at] =
                        (before[at - 1] + before[at - width] + before[at + 1] + before[at + width])
                            / 4.0;
                }
            }
        }
        Jacobi {
            width,
            mesh: input.clone(),
            other: input.clone(),
            input,
            expected,
            forks: OnceLock::new(),
        }
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    Ok(Box::new(Jacobi::new(within(
        "n",
        size.pick(1024, 1024),
        1..=8192,
    )?)))
}

impl Instance for Jacobi {
    fn params(&self) -> String {
        format!("n={} steps={STEPS}", self.width - 2)
    }

    fn reset(&mut self) {
        self.mesh.copy_from_slice(&self.input);
        self.other.copy_from_slice(&self.input);
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        on.run(
            who,
            Run {
                mesh: &mut self.mesh,
                other: &mut self.other,
                width: self.width,
            },
        );
    }

    fn check(&mut self) -> Result<(), String> {
        let wrong = |(is, must): (&f64, &f64)| !near(*is, *must, 1e-14);
        match self.mesh.iter().zip(&self.expected).position(wrong) {
            None => Ok(()),
            Some(at) => Err(format!(
                "row {}, column {} is {} instead of {}",
                at / self.width,
                at % self.width,
                self.mesh[at],
                self.expected[at]
            )),
        }
    }

    fn forks(&self) -> Option<u64> {
        Some(*self.forks.get_or_init(|| {
            let (mut mesh, mut other) = (self.input.clone(), self.input.clone());
            forks_of(Run {
                mesh: &mut mesh,
                other: &mut other,
                width: self.width,
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_cell_fails() {
        let mut jacobi = Jacobi::new(20);
        assert!(jacobi.check().is_err());
        jacobi.run(Contender::Serial, &Runner::new(1).unwrap());
        jacobi.check().unwrap();
        assert_eq!(jacobi.forks(), Some(190));
        jacobi.mesh[3 * 22 + 5] += 1e-9;
        assert!(jacobi.check().unwrap_err().starts_with("row 3, column 5 "));
    }
}
