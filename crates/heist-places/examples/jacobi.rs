//! Simulates heat in a rod whose cells are divided among all places: `HEIST_PLACES=4 cargo run
//! --release -p heist-places --example jacobi`
//!
//! In each step the places exchange the edges of their blocks, and compute the blocks in parallel.

use heist::par::{Indexed, Par, ToParMut};
use heist_places::{PlaceArray, PlaceError, World};

const CELLS: usize = 100_000;
const STEPS: usize = 200;

/// Returns the cells after all steps, at place 0.
pub(crate) fn heat(
    world: &World,
    cells: usize,
    steps: usize,
) -> Result<Option<Vec<f64>>, PlaceError> {
    let mut rod = PlaceArray::new(
        world,
        cells,
        |index| if index < cells / 10 { 1.0 } else { 0.0 },
    );
    for _ in 0..steps {
        let (before, behind) = rod.halo(world, 1)?;
        let old = rod.block().to_vec();
        let cell = |index: usize, step: isize| match index.checked_add_signed(step) {
            Some(other) if other < old.len() => old[other],
            Some(_) => behind.first().copied().unwrap_or(old[index]),
            None => before.last().copied().unwrap_or(old[index]),
        };
        rod.block_mut()
            .par_mut()
            .enumerate()
            .for_each(|(index, new)| {
                *new = old[index] + 0.25 * (cell(index, -1) - 2.0 * old[index] + cell(index, 1));
            });
    }
    rod.gather(world)
}

pub(crate) fn main() -> Result<(), PlaceError> {
    heist_places::run(|world| {
        if let Some(cells) = heat(&world, CELLS, STEPS)? {
            println!(
                "{STEPS} steps of {CELLS} cells: the heat is {:.6}, the middle of the edge {:.6}",
                cells.iter().sum::<f64>(),
                cells[CELLS / 10]
            );
        }
        Ok(())
    })?
}
