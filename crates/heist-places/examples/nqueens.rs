//! Counts the ways to place n queens over all places: `HEIST_PLACES=4 cargo run --release -p heist-places --example nqueens -- 12`

use std::time::Instant;

use heist_places::{Bag, PlaceError, register_bag};
use serde::{Deserialize, Serialize};

/// Boards with some rows filled: the occupied columns and diagonals, as bits of the next row.
#[derive(Serialize, Deserialize)]
pub(crate) struct Boards {
    size: u32,
    boards: Vec<(u32, u32, u32)>,
    pub(crate) solutions: u64,
}

impl Boards {
    pub(crate) fn new(size: u32) -> Self {
        Boards {
            size,
            boards: vec![(0, 0, 0)],
            solutions: 0,
        }
    }
}

impl Bag for Boards {
    fn process(&mut self, most: usize) -> bool {
        let all = (1 << self.size) - 1;
        for _ in 0..most {
            let Some((columns, left, right)) = self.boards.pop() else {
                return false;
            };
            if columns == all {
                self.solutions += 1;
                continue;
            }
            let mut free = all & !(columns | left | right);
            while free != 0 {
                let queen = free & free.wrapping_neg();
                free ^= queen;
                self.boards
                    .push((columns | queen, (left | queen) << 1, (right | queen) >> 1));
            }
        }
        !self.boards.is_empty()
    }

    fn split(&mut self) -> Option<Self> {
        // Give every second board away, so that both bags get boards with few filled rows, which
        // have the most work.
        let mut index = 0;
        let (given, kept): (Vec<_>, Vec<_>) = self.boards.drain(..).partition(|_| {
            index += 1;
            index % 2 == 0
        });
        self.boards = kept;
        (!given.is_empty()).then_some(Boards {
            size: self.size,
            boards: given,
            solutions: 0,
        })
    }

    fn merge(&mut self, mut other: Self) {
        self.boards.append(&mut other.boards);
        self.solutions += other.solutions;
    }
}

register_bag!(Boards);

fn main() -> Result<(), PlaceError> {
    let size = std::env::args().nth(1);
    let size = size.map_or(Some(12), |text| text.parse().ok());
    // A row is a set of 32 bits.
    let Some(size) = size.filter(|size| *size < 32) else {
        eprintln!("the size is a number below 32");
        std::process::exit(1);
    };
    heist_places::run(|world| {
        if world.here() == 0 {
            let started = Instant::now();
            let solutions = world.balance(Boards::new(size)).wait()?.solutions;
            let (places, workers) = (world.places(), world.workers());
            println!(
                "{solutions} solutions in {:.3?} on {places} places of {workers} workers",
                started.elapsed()
            );
        }
        Ok(())
    })?
}
