//! The Mandelbrot set. For each point of the plane, the program counts the steps until the point's iteration leaves a circle.

use std::sync::OnceLock;

use heist::par::{Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::joins;
use super::kernel::{Loop, Looped, Looping};
use super::seq::same_rows;
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "mandelbrot",
        about: "a picture of Mandelbrot's set, a map over rows and columns: points take from 1 to 1000 steps",
        source: "folklore: rows whose costs nobody knows before",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, 1)?),
    },
    has_ropes: false,
    prepare,
};

/// The maximum number of steps.
const MOST: u32 = 1000;
/// The number of rows that one of chili's tasks computes.
const GRAIN: usize = 1;

type Rows = Vec<Vec<u32>>;

struct Mandelbrot {
    side: usize,
    expected: OnceLock<Rows>,
}

fn prepare(size: Size, _: &Data, _: usize) -> Result<Box<dyn Looping>, String> {
    let side = within("the side", size.pick(256, 2048), 1..=32_768)?;
    Ok(Box::new(Looped::new(Mandelbrot {
        side,
        expected: OnceLock::new(),
    })))
}

/// Returns the number of steps of `z = z z + c` until the absolute value exceeds 2, but at most `MOST`.
fn steps([re, im]: [f64; 2]) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    for step in 0..MOST {
        let (xx, yy) = (x * x, y * y);
        if xx + yy > 4.0 {
            return step;
        }
        (x, y) = (xx - yy + re, 2.0 * x * y + im);
    }
    MOST
}

impl Mandelbrot {
    fn point(&self, row: usize, column: usize) -> [f64; 2] {
        let at = |place: usize| 3.0 * (place as f64 + 0.5) / self.side as f64 - 1.5;
        [at(column) - 0.6, at(row)]
    }

    fn steps(&self, row: usize, column: usize) -> u32 {
        steps(self.point(row, column))
    }

    /// Returns true if a point is inside one of the two largest parts of the set, and not on its border. A formula defines each of the two
    /// parts.
    fn is_within([re, im]: [f64; 2]) -> bool {
        let square = im * im;
        let q = (re - 0.25).powi(2) + square;
        q * (q + re - 0.25) < 0.2499 * square - 1e-6 || (re + 1.0).powi(2) + square < 0.0624
    }
}

impl Loop for Mandelbrot {
    type Out = Rows;

    fn params(&self) -> String {
        format!("side={}", self.side)
    }

    fn serial(&self) -> Rows {
        let all = || 0..self.side;
        let line = |row| all().map(|column| self.steps(row, column)).collect();
        all().map(line).collect()
    }

    fn slices<X: Splitting>(&self, policy: X) -> Rows {
        let all = || (0..self.side).into_par().splitting(policy);
        let line = |row| all().map(|column| self.steps(row, column)).collect();
        all().map(line).collect()
    }

    fn rayon(&self) -> Rows {
        let all = || (0..self.side).into_par_iter();
        let line = |row| all().map(|column| self.steps(row, column)).collect();
        all().map(line).collect()
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Rows {
        joins::map(ctx, self.side, GRAIN, &|row| {
            (0..self.side)
                .map(|column| self.steps(row, column))
                .collect()
        })
    }

    /// Compares the picture with a picture that is computed column by column. Also checks points that are known to be in the set.
    fn check(&self, out: &Rows) -> Result<(), String> {
        let expected = self.expected.get_or_init(|| {
            let mut rows = vec![vec![0; self.side]; self.side];
            for column in 0..self.side {
                for (row, line) in rows.iter_mut().enumerate() {
                    line[column] = match Mandelbrot::is_within(self.point(row, column)) {
                        true => MOST,
                        false => self.steps(row, column),
                    };
                }
            }
            rows
        });
        same_rows(out, expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_points() {
        assert_eq!(steps([0.0, 0.0]), MOST);
        assert_eq!(steps([-1.0, 0.0]), MOST);
        // The sequence is 0, 1, 2, 5.
        assert_eq!(steps([1.0, 0.0]), 3);
        assert_eq!(steps([3.0, 0.0]), 1);
        for inside in [[0.0, 0.0], [-1.0, 0.1], [0.2, 0.3]] {
            assert!(Mandelbrot::is_within(inside));
        }
        for outside in [[0.5, 0.0], [-1.3, 0.0], [0.0, 1.0]] {
            assert!(!Mandelbrot::is_within(outside));
        }
    }

    #[test]
    fn a_wrong_point_fails() {
        let program = Mandelbrot {
            side: 20,
            expected: OnceLock::new(),
        };
        let mut rows = program.serial();
        program.check(&rows).unwrap();
        rows[10][9] -= 1;
        assert!(program.check(&rows).is_err());
        rows[10][9] += 1;
        rows.swap(0, 9);
        assert!(program.check(&rows).is_err());
    }
}
