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

/// The time for which [`Transport::next`], called with `wait`, polls for messages before it sleeps.
const POLLS: Duration = Duration::from_millis(2);
/// The maximum time for which [`Transport::next`], called with `wait`, sleeps between two polls. The function must poll, because MPI cannot
/// wake its thread.
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

/// The maximum size in bytes of a frame that its sender passes to MPI itself. MPI takes short messages without waiting for their receivers.
const SHORT: usize = 1024;

/// A transport over MPI. Only the thread that has locked the engine calls MPI. A thread that sends a short frame calls MPI itself if the
/// engine is free and no frame waits. Otherwise the frame waits in a queue for the thread that receives next.
struct Mpi {
    here: usize,
    places: usize,
    engine: Mutex<Engine>,
    out: Mutex<Out>,
    queued: Condvar,
}

/// The right to call MPI, and the frames that have arrived.
#[derive(Default)]
struct Engine {
    arrived: VecDeque<Event>,
}

#[derive(Default)]
struct Out {
    frames: VecDeque<(usize, Vec<u8>)>,
    closed: bool,
    /// Whether the receiving thread sleeps.
    sleeps: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mpi {
    fn new(here: usize, places: usize) -> Self {
        Mpi {
            here,
            places,
            engine: Mutex::default(),
            out: Mutex::default(),
            queued: Condvar::new(),
        }
    }

    /// Sends the queued frames. Returns false if there was no frame.
    fn send_queued(&self, engine: &mut Engine) -> bool {
        let frames = std::mem::take(&mut lock(&self.out).frames);
        if frames.is_empty() {
            return false;
        }
        engine.send_all(&frames);
        true
    }
}

impl Engine {
    /// Sends frames, and also receives frames that arrive during the call. This function receives while it sends, because another place may
    /// be unable to receive until this place has received its frames.
    fn send_all(&mut self, frames: &VecDeque<(usize, Vec<u8>)>) {
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
                self.receive(&world);
            }
        });
    }

    /// Receives the messages that have arrived.
    fn receive(&mut self, world: &SimpleCommunicator) {
        while let Some((message, status)) = world.any_process().immediate_matched_probe() {
            let mut bytes = vec![0; status.count(u8::equivalent_datatype()) as usize];
            message.matched_receive_into(&mut bytes[..]);
            let from = status.source_rank() as usize;
            self.arrived.push_back(Event::Frame { from, bytes });
        }
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
        let short = frame.len() <= SHORT;
        let engine = short.then(|| self.engine.try_lock().ok()).flatten();
        let mut out = lock(&self.out);
        if out.closed {
            return;
        }
        let direct = engine.filter(|_| out.frames.is_empty());
        if direct.is_none() {
            out.frames.push_back((to, frame));
            if out.sleeps {
                self.queued.notify_one();
            }
            return;
        }
        // Other threads do not overtake this frame, because this thread has the engine.
        let sleeps = out.sleeps;
        drop(out);
        if let Some(mut engine) = direct {
            engine.send_all(&VecDeque::from([(to, frame)]));
            if sleeps && !engine.arrived.is_empty() {
                self.queued.notify_one();
            }
        }
    }

    fn next(&self, wait: bool) -> Option<Event> {
        let world = SimpleCommunicator::world();
        let mut since = Instant::now();
        loop {
            let closed = {
                let mut engine = if wait {
                    lock(&self.engine)
                } else {
                    self.engine.try_lock().ok()?
                };
                let sent = self.send_queued(&mut engine);
                if engine.arrived.is_empty() {
                    engine.receive(&world);
                }
                if let Some(event) = engine.arrived.pop_front() {
                    return Some(event);
                }
                if sent {
                    since = Instant::now();
                }
                let out = lock(&self.out);
                out.closed && out.frames.is_empty()
            };
            if closed {
                return Some(Event::Closed);
            }
            if !wait {
                return None;
            }
            if since.elapsed() <= POLLS {
                thread::yield_now();
                continue;
            }
            let mut out = lock(&self.out);
            if out.frames.is_empty() && !out.closed {
                out.sleeps = true;
                let slept = self.queued.wait_timeout(out, SLEEP);
                out = slept.unwrap_or_else(PoisonError::into_inner).0;
                out.sleeps = false;
            }
        }
    }

    fn close(&self) {
        lock(&self.out).closed = true;
        self.queued.notify_one();
    }
}
