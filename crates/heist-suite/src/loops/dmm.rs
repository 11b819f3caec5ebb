//! A product of dense matrices. A map over rows contains a map over columns, which computes dot products.

use std::sync::OnceLock;

use heist::par::{DEFAULT_LEAF, Rope, Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::joins;
use super::kernel::{Loop, Looped, Looping};
use super::seq::{Grid, rope, same_rows};
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::noise::word;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "dmm-loops",
        about: "the product of two dense n x n matrices: rows by columns, a dot product each, loops in loops in loops",
        source: "Rainey's thesis, DMM: 100 x 100 (quick); and 1024 x 1024",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, DEFAULT_LEAF)?),
    },
    has_ropes: true,
    prepare,
};

/// The number of rows that one of chili's tasks computes.
const GRAIN: usize = 1;

type Matrix = Vec<Vec<f64>>;

struct Dmm {
    rows: Matrix,
    columns: Matrix,
    rope_rows: Rope<Rope<f64>>,
    rope_columns: Rope<Rope<f64>>,
    leaf: usize,
    expected: OnceLock<Matrix>,
}

fn prepare(size: Size, _: &Data, leaf: usize) -> Result<Box<dyn Looping>, String> {
    let n = within("n", size.pick(100, 1024), 1..=8192)?;
    Ok(Box::new(Looped::new(Dmm::new(n, leaf))))
}

impl Dmm {
    /// Makes matrices of small integers. Sums of small integers are exact in any order, so the check can require equal results.
    fn new(n: usize, leaf: usize) -> Dmm {
        let small = |seed, i, j| (word(seed, (i * n + j) as u64) % 17) as f64 - 8.0;
        let matrix = |seed| -> Matrix {
            let line = |i| (0..n).map(|j| small(seed, i, j)).collect();
            (0..n).map(line).collect()
        };
        let ropes = |lines: &Matrix| {
            let line = |line: &Vec<f64>| rope(leaf, line.iter().copied());
            rope(leaf, lines.iter().map(line))
        };
        let (rows, columns) = (matrix(3), matrix(4));
        Dmm {
            rope_rows: ropes(&rows),
            rope_columns: ropes(&columns),
            rows,
            columns,
            leaf,
            expected: OnceLock::new(),
        }
    }

    /// Returns the product as a sum of outer products. Each outer product multiplies a column of the first factor by the row of the second
    /// factor that has the same index.
    fn expected(&self) -> &Matrix {
        self.expected.get_or_init(|| {
            let n = self.rows.len();
            let mut product = vec![vec![0.0; n]; n];
            for (row, out) in self.rows.iter().zip(&mut product) {
                for (k, &factor) in row.iter().enumerate() {
                    for (out, column) in out.iter_mut().zip(&self.columns) {
                        *out += factor * column[k];
                    }
                }
            }
            product
        })
    }
}

/// Returns the dot product.
fn dot<'a>(row: impl Iterator<Item = &'a f64>, column: impl Iterator<Item = &'a f64>) -> f64 {
    row.zip(column).map(|(x, y)| x * y).sum()
}

impl Loop for Dmm {
    type Out = Grid<f64>;

    fn params(&self) -> String {
        format!("n={}", self.rows.len())
    }

    fn serial(&self) -> Grid<f64> {
        let columns = || self.columns.iter();
        let rows = self.rows.iter();
        rows.map(|row| {
            columns()
                .map(|column| dot(row.iter(), column.iter()))
                .collect()
        })
        .collect::<Matrix>()
        .into()
    }

    fn slices<X: Splitting>(&self, policy: X) -> Grid<f64> {
        let dot = |row: &Vec<f64>, column: &Vec<f64>| -> f64 {
            let both = row.par().zip(column).splitting(policy);
            both.map(|(x, y)| x * y).sum()
        };
        let columns = || self.columns.par().splitting(policy);
        let rows = self.rows.par().splitting(policy);
        rows.map(|row| columns().map(|column| dot(row, column)).collect())
            .collect::<Matrix>()
            .into()
    }

    fn serial_ropes(&self) -> Option<Grid<f64>> {
        let columns = || self.rope_columns.iter();
        let product = self.rope_rows.iter().map(|row| {
            rope(
                self.leaf,
                columns().map(|column| dot(row.iter(), column.iter())),
            )
        });
        Some(rope(self.leaf, product).into())
    }

    fn ropes<X: Splitting>(&self, policy: X) -> Option<Grid<f64>> {
        let dot = |row: &Rope<f64>, column: &Rope<f64>| -> f64 {
            let both = row.par().zip(column).splitting(policy);
            both.map(|(x, y)| x * y).sum()
        };
        let columns = || self.rope_columns.par().splitting(policy);
        let rows = self.rope_rows.par().splitting(policy);
        let product = rows
            .map(|row| {
                columns()
                    .map(|column| dot(row, column))
                    .collect_rope(self.leaf)
            })
            .collect_rope(self.leaf);
        Some(product.into())
    }

    fn rayon(&self) -> Grid<f64> {
        let dot = |row: &Vec<f64>, column: &Vec<f64>| -> f64 {
            row.par_iter().zip(column).map(|(x, y)| x * y).sum()
        };
        let columns = || self.columns.par_iter();
        let rows = self.rows.par_iter();
        rows.map(|row| columns().map(|column| dot(row, column)).collect())
            .collect::<Matrix>()
            .into()
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Grid<f64> {
        joins::map(ctx, self.rows.len(), GRAIN, &|i| {
            let columns = self.columns.iter();
            columns
                .map(|column| dot(self.rows[i].iter(), column.iter()))
                .collect()
        })
        .into()
    }

    fn check(&self, out: &Grid<f64>) -> Result<(), String> {
        same_rows(&out.to_rows(), self.expected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_entry_fails() {
        let program = Dmm::new(20, 7);
        let product = program.serial().to_rows();
        program.check(&product.clone().into()).unwrap();
        let mut wrong = product.clone();
        wrong[19][3] += 1.0;
        assert!(program.check(&wrong.into()).is_err());
        let mut lost = product;
        lost[4].pop();
        assert!(program.check(&lost.into()).is_err());
    }
}
