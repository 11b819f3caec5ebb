//! Diffusion of heat in a plate.

use std::f64::consts::FRAC_PI_2;
use std::sync::OnceLock;

use crate::bounds::{near, within};
use crate::contender::Contender;
use crate::count::forks_of;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Instance, Program, Size};
use crate::runner::{Kernel, Runner};

pub(super) const PROGRAM: Program = Program {
    name: "heat",
    about: "100 explicit steps of heat diffusion on an n x n grid, a fork down to every 10 rows",
    source: "Cilk's heat (its solution, its leaf of 10)",
    contenders: Contender::JOINS,
    prepare,
};

const STEPS: usize = 100;
/// The number of rows of a leaf: `leafmaxcol` of Cilk's program.
const LEAF: usize = 10;

/// The properties of the plate that are the same in all steps.
struct Plate {
    n: usize,
    /// The time step divided by the square of the mesh width. The scheme is stable if the ratio is at most a quarter.
    ratio: f64,
    dx: f64,
    sines: Vec<f64>,
}

impl Plate {
    fn new(n: usize) -> Plate {
        let dx = FRAC_PI_2 / (n - 1) as f64;
        Plate {
            n,
            ratio: 0.2,
            dx,
            sines: (0..n).map(|i| (i as f64 * dx).sin()).collect(),
        }
    }

    fn time(&self, step: usize) -> f64 {
        step as f64 * self.ratio * self.dx * self.dx
    }

    /// Returns the exact solution, `exp(-2 t) sin x sin y`.
    fn exact(&self, step: usize, row: usize, column: usize) -> f64 {
        (-2.0 * self.time(step)).exp() * self.sines[row] * self.sines[column]
    }

    fn initial(&self) -> Vec<f64> {
        (0..self.n * self.n)
            .map(|at| self.exact(0, at / self.n, at % self.n))
            .collect()
    }
}

/// Computes one step for the rows of `to`. The first row of `to` is row `first` of the plate. `decay` scales the values on the
/// border.
fn rows<C: Ctx>(ctx: C, plate: &Plate, decay: f64, from: &[f64], to: &mut [f64], first: usize) {
    let count = to.len() / plate.n;
    if count <= LEAF {
        for (i, row) in to.chunks_exact_mut(plate.n).enumerate() {
            advance(plate, decay, from, row, first + i);
        }
        return;
    }
    let (upper, lower) = to.split_at_mut(count / 2 * plate.n);
    ctx.join(
        |c| rows(c, plate, decay, from, upper, first),
        |c| rows(c, plate, decay, from, lower, first + count / 2),
    );
}

#[inline(never)]
fn advance(plate: &Plate, decay: f64, from: &[f64], to: &mut [f64], row: usize) {
    let n = plate.n;
    let border = |column: usize| decay * plate.sines[row] * plate.sines[column];
    if row == 0 || row == n - 1 {
        for (column, cell) in to.iter_mut().enumerate() {
            *cell = border(column);
        }
        return;
    }
    to[0] = border(0);
    to[n - 1] = border(n - 1);
    let above = &from[(row - 1) * n..row * n];
    let here = &from[row * n..(row + 1) * n];
    let below = &from[(row + 1) * n..(row + 2) * n];
    for j in 1..n - 1 {
        to[j] = here[j]
            + plate.ratio * (here[j - 1] - 2.0 * here[j] + here[j + 1])
            + plate.ratio * (above[j] - 2.0 * here[j] + below[j]);
    }
}

struct Run<'a> {
    plate: &'a Plate,
    cells: &'a mut Vec<f64>,
    other: &'a mut Vec<f64>,
}

impl Kernel for Run<'_> {
    type Out = ();

    fn call<C: Ctx>(self, ctx: C) {
        for step in 1..=STEPS {
            let decay = (-2.0 * self.plate.time(step)).exp();
            rows(ctx, self.plate, decay, self.cells, self.other, 0);
            std::mem::swap(self.cells, self.other);
        }
    }
}

struct Heat {
    plate: Plate,
    cells: Vec<f64>,
    other: Vec<f64>,
    forks: OnceLock<u64>,
}

impl Heat {
    fn new(n: usize) -> Heat {
        let plate = Plate::new(n);
        let cells = plate.initial();
        Heat {
            other: cells.clone(),
            cells,
            plate,
            forks: OnceLock::new(),
        }
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    Ok(Box::new(Heat::new(within(
        "n",
        size.pick(512, 1024),
        LEAF as u64 + 1..=8192,
    )?)))
}

impl Instance for Heat {
    fn params(&self) -> String {
        format!("n={} steps={STEPS}", self.plate.n)
    }

    fn reset(&mut self) {
        self.cells = self.plate.initial();
        self.other.fill(0.0);
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        on.run(
            who,
            Run {
                plate: &self.plate,
                cells: &mut self.cells,
                other: &mut self.other,
            },
        );
    }

    /// Compares the result with the exact solution. In a unit of time, the error of the scheme grows by at most `(2 ratio - 1/6) dx^2`,
    /// which is less than half of `dx^2`. The change in one step is thousands of times larger than the error of the scheme.
    fn check(&mut self) -> Result<(), String> {
        let n = self.plate.n;
        let tolerance = 0.5 * self.plate.dx * self.plate.dx * self.plate.time(STEPS) + 1e-13;
        for (at, is) in self.cells.iter().enumerate() {
            let must = self.plate.exact(STEPS, at / n, at % n);
            if !near(*is, must, tolerance) {
                return Err(format!(
                    "row {}, column {} is {is} instead of {must}",
                    at / n,
                    at % n
                ));
            }
        }
        Ok(())
    }

    fn forks(&self) -> Option<u64> {
        Some(*self.forks.get_or_init(|| {
            let (mut cells, mut other) = (self.plate.initial(), self.plate.initial());
            forks_of(Run {
                plate: &self.plate,
                cells: &mut cells,
                other: &mut other,
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_cell_fails() {
        let mut heat = Heat::new(50);
        assert!(heat.check().is_err());
        heat.run(Contender::Serial, &Runner::new(1).unwrap());
        heat.check().unwrap();
        heat.cells[7 * 50 + 9] += 1e-3;
        assert!(heat.check().unwrap_err().starts_with("row 7, column 9 "));
    }
}
