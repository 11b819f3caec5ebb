//! The results of programs of loops, as vectors or as ropes.

use std::fmt::Debug;

use heist::par::{Rope, RopeBuilder};

/// The sequence that a run has made. The conversion to a vector comes after the run, so it does not count in the time of the run.
pub(super) enum Seq<T> {
    Vec(Vec<T>),
    Rope(Rope<T>),
}

impl<T> From<Vec<T>> for Seq<T> {
    fn from(items: Vec<T>) -> Self {
        Seq::Vec(items)
    }
}

impl<T> From<Rope<T>> for Seq<T> {
    fn from(items: Rope<T>) -> Self {
        Seq::Rope(items)
    }
}

impl<T: Clone> Seq<T> {
    pub(super) fn to_vec(&self) -> Vec<T> {
        match self {
            Seq::Vec(items) => items.clone(),
            Seq::Rope(items) => items.iter().cloned().collect(),
        }
    }
}

/// Rows of items, as vectors or as ropes.
pub(super) enum Grid<T> {
    Vec(Vec<Vec<T>>),
    Rope(Rope<Rope<T>>),
}

impl<T> From<Vec<Vec<T>>> for Grid<T> {
    fn from(rows: Vec<Vec<T>>) -> Self {
        Grid::Vec(rows)
    }
}

impl<T> From<Rope<Rope<T>>> for Grid<T> {
    fn from(rows: Rope<Rope<T>>) -> Self {
        Grid::Rope(rows)
    }
}

impl<T: Clone> Grid<T> {
    pub(super) fn to_rows(&self) -> Vec<Vec<T>> {
        match self {
            Grid::Vec(rows) => rows.clone(),
            Grid::Rope(rows) => rows
                .iter()
                .map(|row| row.iter().cloned().collect())
                .collect(),
        }
    }
}

/// Makes a rope with leaves of the given size, from left to right.
pub(super) fn rope<T>(leaf: usize, items: impl IntoIterator<Item = T>) -> Rope<T> {
    let mut builder = RopeBuilder::with_leaf(leaf);
    builder.extend(items);
    builder.finish()
}

/// Compares two sequences. Returns a one-line error about the first difference.
pub(super) fn same<T: PartialEq + Debug>(is: &[T], must: &[T]) -> Result<(), String> {
    if is.len() != must.len() {
        return Err(format!("{} items instead of {}", is.len(), must.len()));
    }
    match is.iter().zip(must).position(|(is, must)| is != must) {
        Some(at) => Err(format!(
            "item {at} is {:?} instead of {:?}",
            is[at], must[at]
        )),
        None => Ok(()),
    }
}

/// Compares two sequences of rows. Returns a one-line error about the first difference.
pub(super) fn same_rows<T: PartialEq + Debug>(
    is: &[Vec<T>],
    must: &[Vec<T>],
) -> Result<(), String> {
    if is.len() != must.len() {
        return Err(format!("{} rows instead of {}", is.len(), must.len()));
    }
    for (at, (is, must)) in is.iter().zip(must).enumerate() {
        same(is, must).map_err(|wrong| format!("row {at}: {wrong}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named() {
        let both = [Seq::from(vec![1, 2]), Seq::from(rope(1, [1, 2]))];
        for seq in both {
            assert_eq!(same(&seq.to_vec(), &[1, 2]), Ok(()));
            let wrong = same(&seq.to_vec(), &[1, 3]).unwrap_err();
            assert_eq!(wrong, "item 1 is 2 instead of 3");
            assert!(same(&seq.to_vec(), &[1]).is_err());
        }
        let rows = Grid::from(rope(1, [rope(1, [1, 2]), rope(1, [])])).to_rows();
        assert_eq!(same_rows(&rows, &[vec![1, 2], vec![]]), Ok(()));
        let wrong = same_rows(&rows, &[vec![1, 2], vec![3]]).unwrap_err();
        assert_eq!(wrong, "row 1: 0 items instead of 1");
        assert!(same_rows(&rows, &[vec![1, 2]]).is_err());
    }
}
