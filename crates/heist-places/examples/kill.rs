//! Loses work when a place is killed: the finish ends with an error that names the place. The tests kill a place.
//!
//! `HEIST_PLACES=3 cargo run -p heist-places --example kill` prints the process of each place. Then use `kill -9` on any of
//! these processes but the first.

use std::io::Write;
use std::time::{Duration, Instant};

use heist_places::{Task, World, register};
use serde::{Deserialize, Serialize};

/// A task that spawns a tree of tasks over all places. The tree stops growing when its time is over.
#[derive(Serialize, Deserialize)]
struct Busy {
    depth: u32,
}

impl Task for Busy {
    type Output = u64;

    async fn run(self, world: World) -> u64 {
        let mut below = 0;
        if self.depth > 0 {
            let to = (world.here() + 1) % world.places();
            world.async_at(
                to,
                Busy {
                    depth: self.depth - 1,
                },
            );
            let to = (world.here() + 2) % world.places();
            below = world
                .at(
                    to,
                    Busy {
                        depth: self.depth - 1,
                    },
                )
                .await
                .unwrap_or(0);
        }
        below + 1
    }
}

register!(Busy);

pub(crate) fn main() {
    let outcome = heist_places::run(|world| {
        println!("place {} is process {}", world.here(), std::process::id());
        let _ = std::io::stdout().flush();
        if world.here() != 0 {
            return;
        }
        let started = Instant::now();
        loop {
            let ended = world.finish(|f| {
                for place in 0..f.places() {
                    f.async_at(place, Busy { depth: 6 });
                }
            });
            if let Err(error) = ended.wait() {
                println!("error: {error}");
                return;
            }
            if started.elapsed() > Duration::from_secs(20) {
                println!("nobody was killed");
                return;
            }
        }
    });
    if let Err(error) = outcome {
        println!("error: {error}");
    }
}
