//! Compares an empty `at` with a raw ping-pong over a socket, and measures a finish with 10,000 remote tasks.
//!
//! `HEIST_PLACES=4 HEIST_PLACES_WORKERS=1 cargo run --release -p heist-places --example overheads`

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use heist_places::{Arrival, Task, World, register};
use serde::{Deserialize, Serialize};

/// Number of round trips in a sample.
pub(crate) const TRIPS: u32 = 2_000;
pub(crate) const SAMPLES: usize = 9;
const TASKS: usize = 10_000;
/// The size in bytes of the call of an empty `at`; the reply has the same size.
pub(crate) const BYTES: usize = 12;

#[derive(Serialize, Deserialize)]
pub(crate) struct Empty;
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
pub(crate) struct Trips {
    pub(crate) now: bool,
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

/// One end of a raw ping-pong over a Unix socket, for all samples.
struct Raw(UnixStream);

impl Raw {
    fn ping(&mut self) -> Duration {
        let mut bytes = [0; BYTES];
        let started = Instant::now();
        for _ in 0..TRIPS {
            self.0.write_all(&bytes).unwrap();
            self.0.read_exact(&mut bytes).unwrap();
        }
        started.elapsed() / TRIPS
    }

    fn pong(&mut self) {
        let mut bytes = [0; BYTES];
        while self.0.read_exact(&mut bytes).is_ok() {
            self.0.write_all(&bytes).unwrap();
        }
    }
}

fn median(mut samples: Vec<Duration>) -> Duration {
    samples.sort();
    samples[samples.len() / 2]
}

fn main() {
    heist_places::run(|world| {
        assert!(world.places() >= 2, "set HEIST_PLACES=4");
        let path = std::env::temp_dir().join(format!("heist-overheads-{}", std::process::id()));
        let path = world.broadcast(0, Some(path)).wait().unwrap();
        let listener = (world.here() == 0).then(|| UnixListener::bind(&path).unwrap());
        world.barrier().wait().unwrap();
        let other = (world.here() == 1).then(|| UnixStream::connect(&path).unwrap());
        if let Some(other) = other {
            std::thread::spawn(move || Raw(other).pong());
        }
        let Some(listener) = listener else {
            return;
        };
        let mut raw = Raw(listener.accept().unwrap().0);
        std::fs::remove_file(&path).unwrap();

        let (mut pings, mut pooled, mut immediate, mut blocking, mut tasks, mut sent) =
            (vec![], vec![], vec![], vec![], vec![], vec![]);
        for _ in 0..SAMPLES {
            pings.push(raw.ping());
            pooled.push(world.at(0, Trips { now: false }).wait().unwrap());
            immediate.push(world.at(0, Trips { now: true }).wait().unwrap());
            let started = Instant::now();
            for _ in 0..TRIPS {
                world.at(1, Empty).wait().unwrap();
            }
            blocking.push(started.elapsed() / TRIPS);

            let started = Instant::now();
            let mut spawned = Duration::ZERO;
            let places = world.places();
            let ended = world.finish(|f| {
                for task in 0..TASKS {
                    f.async_at(1 + task % (places - 1), Empty);
                }
                spawned = started.elapsed();
            });
            ended.wait().unwrap();
            tasks.push(started.elapsed() / TASKS as u32);
            sent.push(spawned / TASKS as u32);
        }
        let raw = median(pings);
        println!("raw ping-pong of {BYTES} bytes     {raw:>10.2?}");
        for (what, samples) in [
            ("at, from a task", pooled),
            ("at, immediate", immediate),
            ("at, from a closure", blocking),
        ] {
            let time = median(samples);
            println!(
                "{what:<28} {time:>10.2?}   {:.2} times the ping-pong",
                time.as_secs_f64() / raw.as_secs_f64()
            );
        }
        println!(
            "{TASKS} tasks in a finish       {:>10.2?}   a task, of which {:.2?} to send it",
            median(tasks),
            median(sent)
        );
    })
    .unwrap();
}
