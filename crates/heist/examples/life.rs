//! A thousand tasks in step: each row of the Game of Life is an async task, and a phaser keeps the rows in the same
//! generation. No task occupies a thread while it waits.
//!
//! ```text
//! cargo run --release -p heist --example life
//! ```

use heist::sync::{Mode, Phaser};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Rows of 64 cells, with a bit for each cell. Neighbours wrap around.
pub type World = Vec<u64>;

/// Returns a row of the next generation, computed from the row above, the row itself and the row
/// below.
pub fn next_row(above: u64, row: u64, below: u64) -> u64 {
    // This counts the eight neighbours of all 64 cells in parallel, in binary.
    let (mut ones, mut twos, mut more) = (0_u64, 0_u64, 0_u64);
    let beside = |row: u64| [row.rotate_left(1), row.rotate_right(1)];
    for cells in beside(above)
        .into_iter()
        .chain(beside(row))
        .chain(beside(below))
        .chain([above, below])
    {
        let carry = ones & cells;
        ones ^= cells;
        more |= twos & carry;
        twos ^= carry;
    }
    twos & !more & (ones | row)
}

/// Returns the world after `generations` generations.
pub fn play(pool: &heist::Pool, world: &World, generations: usize) -> World {
    let rows = world.len();
    let copy = || {
        world
            .iter()
            .map(|row| AtomicU64::new(*row))
            .collect::<Vec<_>>()
    };
    let worlds = [copy(), copy()];
    let first = Phaser::new().register(Mode::SignalWait);
    pool.finish(|scope| {
        for y in 0..rows {
            let mut party = first.register(Mode::SignalWait);
            let worlds = &worlds;
            scope.spawn_async(async move {
                for generation in 0..generations {
                    let (now, next) = (&worlds[generation % 2], &worlds[(generation + 1) % 2]);
                    let row = |y: usize| now[y % rows].load(Relaxed);
                    next[y].store(next_row(row(y + rows - 1), row(y), row(y + 1)), Relaxed);
                    // The phaser orders the stores of this generation before the loads of the next
                    // generation.
                    party.next_async().await;
                }
            });
        }
        drop(first); // this thread takes no part
    });
    worlds[generations % 2]
        .iter()
        .map(|row| row.load(Relaxed))
        .collect()
}

/// Runs the example.
pub fn main() -> Result<(), heist::BuildError> {
    let row = |y: u64| y.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let world: World = (0..1000).map(row).collect();
    let end = play(&heist::Pool::new(2)?, &world, 100);
    let alive = |world: &World| world.iter().map(|row| row.count_ones()).sum::<u32>();
    println!("{} cells, then {}", alive(&world), alive(&end));
    Ok(())
}
