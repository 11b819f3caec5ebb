//! Checks sequences nested in sequences.

use super::under_all;
use crate::par::prelude::*;

#[test]
fn arrays_of_arrays_of_arrays() {
    under_all!(|policy| {
        let cube: Vec<Vec<Vec<usize>>> = (0..12)
            .par()
            .splitting(policy)
            .map(|i| {
                let rows = (0..i).par().splitting(policy);
                rows.map(|j| (0..j).par().splitting(policy).map(|k| i * j * k).collect())
                    .collect()
            })
            .collect();
        let sum = |row: &Vec<usize>| row.par().splitting(policy).sum::<usize>();
        let sums: usize = cube
            .par()
            .splitting(policy)
            .map(|plane| plane.par().splitting(policy).map(sum).sum::<usize>())
            .sum();
        let must: usize = (0..12)
            .flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| i * j * k)))
            .sum();
        assert_eq!(sums, must);
        let flat: usize = cube.into_par().splitting(policy).flatten().flatten().sum();
        assert_eq!(flat, must);
    });
}
