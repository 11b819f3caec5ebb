#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

use std::collections::VecDeque;
use std::process;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use heist_places::transport::{Event, Transport};
use heist_places::{PlaceError, World, run_on};
use mpi::Threading;
use mpi::request::scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Source};

/// The time for which the progress thread polls for messages before it sleeps.
const POLLS: Duration = Duration::from_millis(2);
/// The maximum time that the progress thread sleeps between two polls. The thread must poll, because MPI cannot wake it.
const SLEEP: Duration = Duration::from_micros(100);

/// Runs `body` in this process, which `mpirun` has started as a place, and serves the other places until all places have ended.
///
/// `HEIST_PLACES_WORKERS` is the number of workers of each place. The default is the number of
/// processors that this process may use.
///
/// If the processes have different builds, each ends with a line that reports this.
///
/// # Errors
/// Returns an error if the body has started a task outside of any finish, and this task panics.
///
/// # Panics
/// Rethrows a panic of the body. Panics if MPI has been initialized before, or has no support for threads.
///
/// # Examples
/// See the example `hello` of this crate.
pub fn run<R: Send>(body: impl FnOnce(World) -> R + Send) -> Result<R, PlaceError> {
    let (universe, threading) = mpi::initialize_with_threading(Threading::Serialized)
        .expect("heist-places: MPI has been initialized before");
    assert!(
        threading >= Threading::Serialized,
        "heist-places: this MPI has no support for threads"
    );
    let world = universe.world();
    let (here, places) = (world.rank() as usize, world.size() as usize);
    let own = heist_places::fingerprint().unwrap_or_else(|error| {
        eprintln!("heist-places: place {here} cannot read its program file: {error}");
        process::exit(1)
    });
    let mut all = vec![0_u64; places];
    world.all_gather_into(&own, &mut all[..]);
    if let Some(other) = all.iter().position(|other| *other != own) {
        eprintln!(
            "heist-places: places {here} and {other} run different builds: start all places from the same program file"
        );
        process::exit(1);
    }
    let workers = std::env::var("HEIST_PLACES_WORKERS").ok();
    let workers = workers.filter(|text| !text.is_empty()).map(|text| {
        let number = text.parse::<usize>().ok().filter(|number| *number > 0);
        number.unwrap_or_else(|| {
            eprintln!("heist-places: HEIST_PLACES_WORKERS={text} is not a number of at least 1");
            process::exit(1)
        })
    });
    let workers: usize = workers.unwrap_or_else(|| heist::default_threads().unwrap_or(1));
    let outcome = run_on(Arc::new(Mpi::new(here, places)), workers, body);
    // Finalise MPI after the last call of it.
    drop(universe);
    outcome
}

/// A transport over MPI. Only the progress thread calls MPI; other threads put their frames into a
/// queue.
struct Mpi {
    here: usize,
    places: usize,
    out: Mutex<Out>,
    queued: Condvar,
    arrived: Mutex<VecDeque<Event>>,
}

#[derive(Default)]
struct Out {
    frames: VecDeque<(usize, Vec<u8>)>,
    closed: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mpi {
    fn new(here: usize, places: usize) -> Self {
        Mpi {
            here,
            places,
            out: Mutex::default(),
            queued: Condvar::new(),
            arrived: Mutex::default(),
        }
    }

    /// Sends frames, and also receives frames that arrive during the call. This function receives while it sends, because another place may
    /// be unable to receive until this place has received its frames.
    fn send_all(&self, frames: &VecDeque<(usize, Vec<u8>)>, arrived: &mut VecDeque<Event>) {
        let world = SimpleCommunicator::world();
        scope(|scope| {
            let mut open: Vec<_> = frames
                .iter()
                .map(|(to, frame)| {
                    let to = world.process_at_rank(*to as i32);
                    to.immediate_send(scope, &frame[..])
                })
                .collect();
            loop {
                open = open
                    .into_iter()
                    .filter_map(|request| request.test().err())
                    .collect();
                if open.is_empty() {
                    return;
                }
                receive(&world, arrived);
            }
        });
    }
}

/// Receives the messages that have arrived, and adds them to `arrived`.
fn receive(world: &SimpleCommunicator, arrived: &mut VecDeque<Event>) {
    while let Some((message, status)) = world.any_process().immediate_matched_probe() {
        let mut bytes = vec![0; status.count(u8::equivalent_datatype()) as usize];
        message.matched_receive_into(&mut bytes[..]);
        let from = status.source_rank() as usize;
        arrived.push_back(Event::Frame { from, bytes });
    }
}

impl Transport for Mpi {
    fn here(&self) -> usize {
        self.here
    }

    fn places(&self) -> usize {
        self.places
    }

    fn longest(&self) -> usize {
        // MPI counts bytes with a C `int`.
        i32::MAX as usize
    }

    fn send(&self, to: usize, frame: Vec<u8>) {
        lock(&self.out).frames.push_back((to, frame));
        self.queued.notify_one();
    }

    fn next(&self, wait: bool) -> Option<Event> {
        let mut arrived = lock(&self.arrived);
        let world = SimpleCommunicator::world();
        let mut since = Instant::now();
        let mut polled = false;
        loop {
            if let Some(event) = arrived.pop_front() {
                return Some(event);
            }
            if !wait && polled {
                return None;
            }
            let (frames, closed) = {
                let mut out = lock(&self.out);
                if wait && since.elapsed() > POLLS && out.frames.is_empty() && !out.closed {
                    let slept = self.queued.wait_timeout(out, SLEEP);
                    out = slept.unwrap_or_else(PoisonError::into_inner).0;
                }
                (std::mem::take(&mut out.frames), out.closed)
            };
            if !frames.is_empty() {
                self.send_all(&frames, &mut arrived);
                since = Instant::now();
            } else if closed {
                return Some(Event::Closed);
            }
            receive(&world, &mut arrived);
            polled = true;
            if wait && arrived.is_empty() {
                thread::yield_now();
            }
        }
    }

    fn close(&self) {
        lock(&self.out).closed = true;
        self.queued.notify_one();
    }
}
