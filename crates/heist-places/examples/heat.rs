//! Simulates heat in a plate whose rows are divided among all places. Checks that the result has the same bits as the result of a serial
//! program: `HEIST_PLACES=4 cargo run --release -p heist-places --example heat -- 1000 1000 200`
//!
//! The arguments are the rows, the columns and the steps. In each step the places exchange the rows at the edges of their blocks, and
//! compute the blocks in parallel. The edges of the plate keep their temperatures.

use std::time::Instant;

use heist::par::{Indexed, Par, ToPar, ToParMut};
use heist_places::{PlaceArray, PlaceError, World};

/// Returns the temperature of a cell before the first step: the upper edge is hot, and the plate has a warm square inside.
fn begin(row: usize, column: usize) -> f64 {
    match (row, column) {
        (0, _) => 1.0,
        (10..30, 20..50) => 0.5,
        _ => 0.0,
    }
}

/// Returns the next temperature of a cell inside the plate.
fn next(middle: f64, above: f64, below: f64, left: f64, right: f64) -> f64 {
    middle + 0.2 * (above + below + left + right - 4.0 * middle)
}

/// Returns the rows after all steps, at place 0.
pub(crate) fn heat(
    world: &World,
    rows: usize,
    columns: usize,
    steps: usize,
) -> Result<Option<Vec<Vec<f64>>>, PlaceError> {
    let mut old = PlaceArray::new(world, rows, |row| {
        (0..columns).map(|column| begin(row, column)).collect()
    });
    let mut new = old.clone();
    let first = old.range().start;
    for _ in 0..steps {
        let (before, behind) = old.halo(world, 1)?;
        let block: &[Vec<f64>] = old.block();
        new.block_mut()
            .par_mut()
            .enumerate()
            .for_each(|(index, new)| {
                let row = first + index;
                if row == 0 || row + 1 == rows {
                    return;
                }
                let middle = &block[index];
                let above = index
                    .checked_sub(1)
                    .map_or_else(|| &before[0], |above| &block[above]);
                let below = block.get(index + 1).unwrap_or_else(|| &behind[0]);
                for at in 1..columns.saturating_sub(1) {
                    let (left, right) = (middle[at - 1], middle[at + 1]);
                    new[at] = next(middle[at], above[at], below[at], left, right);
                }
            });
        std::mem::swap(&mut old, &mut new);
    }
    old.gather(world)
}

/// Returns the result of the serial program. The serial program has one array of all cells, and neither places nor workers.
pub(crate) fn serial(rows: usize, columns: usize, steps: usize) -> Vec<f64> {
    let cells = 0..rows * columns;
    let mut old: Vec<f64> = cells.map(|at| begin(at / columns, at % columns)).collect();
    let mut new = old.clone();
    for _ in 0..steps {
        for row in 1..rows.saturating_sub(1) {
            for at in row * columns + 1..(row + 1) * columns - 1 {
                let (above, below) = (old[at - columns], old[at + columns]);
                new[at] = next(old[at], above, below, old[at - 1], old[at + 1]);
            }
        }
        std::mem::swap(&mut old, &mut new);
    }
    old
}

/// Returns true if all cells have the same bits.
pub(crate) fn equal(rows: &[Vec<f64>], cells: &[f64]) -> bool {
    let bits = |cells: &[f64]| cells.iter().map(|cell| cell.to_bits()).collect::<Vec<_>>();
    bits(&rows.concat()) == bits(cells)
}

pub(crate) fn main() -> Result<(), PlaceError> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| {
        let text = arguments.next();
        text.map_or(default, |text| text.parse().expect("a number"))
    };
    let (rows, columns, steps) = (number(1000), number(1000), number(200));
    heist_places::run(|world| {
        let begin = Instant::now();
        if let Some(plate) = heat(&world, rows, columns, steps)? {
            let elapsed = begin.elapsed();
            let begin = Instant::now();
            let cells = serial(rows, columns, steps);
            let serial = begin.elapsed();
            assert!(equal(&plate, &cells), "the serial program has other cells");
            println!(
                "{steps} steps of {rows} x {columns} cells: {elapsed:.1?} over {} places, {serial:.1?} serial, the same bits; the heat is {:.6}",
                world.places(),
                cells.par().copied().sum::<f64>()
            );
        }
        Ok(())
    })?
}
