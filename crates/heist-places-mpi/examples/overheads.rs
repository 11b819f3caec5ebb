//! Compares an empty `at` with a raw ping-pong over MPI.
//!
//! `mpirun -n 2 target/release/examples/overheads raw`, and the same command without `raw`

#[path = "../../heist-places/examples/overheads.rs"]
#[allow(dead_code, reason = "this program has a main function of its own")]
mod sockets;

use std::time::{Duration, Instant};

use mpi::traits::{Communicator, Destination, Source};
use sockets::{BYTES, Empty, SAMPLES, TRIPS, Trips};

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
