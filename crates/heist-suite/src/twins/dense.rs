//! Products of dense matrices.

use super::{Kernel, Twin, Way, checksum, ready};
use crate::noise::unit;

pub(super) const TWIN: Twin = Twin {
    name: "dense",
    about: "multiplies two square matrices, the second of which is there by columns",
    size: 400,
    prepare: |n| {
        let matrix = |seed| (0..(n * n) as u64).map(|i| unit(seed, i)).collect();
        ready(Dense {
            n,
            rows: matrix(16),
            columns: matrix(17),
        })
    },
};

struct Dense {
    n: usize,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Kernel for Dense {
    type Out = Vec<f64>;

    fn run<W: Way>(&self, way: W) -> Vec<f64> {
        let n = self.n;
        way.tabulate(n * n, |i| {
            let row = &self.rows[i / n * n..][..n];
            let column = &self.columns[i % n * n..][..n];
            row.iter().zip(column).fold(0.0, |sum, (a, b)| sum + a * b)
        })
    }

    fn checksum(&self, out: &Vec<f64>) -> u64 {
        checksum(out.iter().map(|x| x.to_bits()))
    }
}
