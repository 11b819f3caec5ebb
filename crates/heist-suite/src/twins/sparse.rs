//! Products of sparse matrices and vectors.

use super::{Kernel, Twin, Way, below, checksum, ready};
use crate::noise::unit;

pub(super) const TWIN: Twin = Twin {
    name: "sparse",
    about: "multiplies a matrix in compressed rows by a vector, five times",
    size: 40_000,
    prepare: |n| {
        let mut starts = vec![0];
        for row in 0..n {
            starts.push(starts[row] + 1 + below(18, row, 100));
        }
        let entries = starts[n];
        ready(Sparse {
            starts,
            columns: (0..entries).map(|k| below(19, k, n)).collect(),
            values: (0..entries as u64).map(|k| unit(20, k)).collect(),
            vector: (0..n as u64).map(|i| unit(21, i)).collect(),
        })
    },
};

struct Sparse {
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    vector: Vec<f64>,
}

impl Sparse {
    fn times<W: Way>(&self, way: W, vector: &[f64]) -> Vec<f64> {
        way.tabulate(vector.len(), |row| {
            let entries = self.starts[row]..self.starts[row + 1];
            let columns = self.columns[entries.clone()].iter();
            let entries = columns.zip(&self.values[entries]);
            entries.fold(0.0, |sum, (column, value)| sum + value * vector[*column])
        })
    }
}

impl Kernel for Sparse {
    type Out = Vec<f64>;

    fn run<W: Way>(&self, way: W) -> Vec<f64> {
        let first = self.times(way, &self.vector);
        (1..5).fold(first, |vector, _| self.times(way, &vector))
    }

    fn checksum(&self, out: &Vec<f64>) -> u64 {
        checksum(out.iter().map(|x| x.to_bits()))
    }
}
