//! Compares an empty `at` with a raw ping-pong over MPI.
//!
//! `mpirun -n 2 target/release/examples/overheads raw`, and the same command without `raw`

use std::time::{Duration, Instant};

use heist_places::{Arrival, Task, World, register};
use mpi::traits::{Communicator, Destination, Source};
use serde::{Deserialize, Serialize};

/// Number of round trips in a sample.
const TRIPS: u32 = 2_000;
const SAMPLES: usize = 9;
/// The size in bytes of each of the two messages of an empty `at`.
const BYTES: usize = 12;

#[derive(Serialize, Deserialize)]
struct Empty;
impl Task for Empty {
    type Output = ();
    async fn run(self, _: World) {}
}

#[derive(Serialize, Deserialize)]
struct EmptyNow;
impl Task for EmptyNow {
    type Output = ();
    const ARRIVAL: Arrival = Arrival::Immediate;
    async fn run(self, _: World) {}
}

/// A task that makes round trips, and holds no thread while it waits.
#[derive(Serialize, Deserialize)]
struct Trips {
    now: bool,
}
impl Task for Trips {
    type Output = Duration;
    async fn run(self, world: World) -> Duration {
        let started = Instant::now();
        for _ in 0..TRIPS {
            if self.now {
                world.at(1, EmptyNow).await.unwrap();
            } else {
                world.at(1, Empty).await.unwrap();
            }
        }
        started.elapsed() / TRIPS
    }
}

register!(Empty, EmptyNow, Trips);

/// Prints the median of the samples.
fn print(what: &str, mut sample: impl FnMut() -> Duration) {
    let mut samples: Vec<Duration> = (0..SAMPLES).map(|_| sample()).collect();
    samples.sort();
    println!("{what:<28} {:>10.2?}", samples[SAMPLES / 2]);
}

fn raw() {
    let universe = mpi::initialize().unwrap();
    let world = universe.world();
    let other = world.process_at_rank(1 - world.rank());
    let mut bytes = [0_u8; BYTES];
    let mut trips = || {
        let started = Instant::now();
        for _ in 0..TRIPS {
            if world.rank() == 0 {
                other.send(&bytes[..]);
            }
            other.receive_into(&mut bytes[..]);
            if world.rank() == 1 {
                other.send(&bytes[..]);
            }
        }
        started.elapsed() / TRIPS
    };
    if world.rank() == 0 {
        print(&format!("raw ping-pong of {BYTES} bytes"), trips);
    } else {
        for _ in 0..SAMPLES {
            trips();
        }
    }
}

fn main() {
    if std::env::args().nth(1).is_some_and(|word| word == "raw") {
        return raw();
    }
    heist_places_mpi::run(|world| {
        if world.here() != 0 {
            return;
        }
        let trips = |now| world.at(0, Trips { now }).wait().unwrap();
        print("at, from a task", || trips(false));
        print("at, immediate", || trips(true));
        print("at, from a closure", || {
            let started = Instant::now();
            for _ in 0..TRIPS {
                world.at(1, Empty).wait().unwrap();
            }
            started.elapsed() / TRIPS
        });
    })
    .unwrap();
}
