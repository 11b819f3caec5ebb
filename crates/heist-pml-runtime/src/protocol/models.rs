//! Model tests that run the protocols in small worlds under every interleaving (loom).
//!
//! The heap of a model is a cell. Running threads read the cell, and a stopper writes it, so loom reports a thread that runs during a stop.
//! A lost ring leaves a worker in a loop, and a lost wake-up leaves a thread waiting. Loom also reports these two faults.

use std::sync::Arc;

use loom::thread;

use super::doorbell::Doorbell;
use super::shim::{AtomicUsize, Cell, Ordering};
use super::stop::{Shared, Stop};

/// The limit of a worker that is not rung.
const FULL: usize = 100;

/// Runs `body` under all interleavings, or, if `preemptions` is given, under all interleavings with at most this number of preemptions.
pub(super) fn model(preemptions: Option<usize>, body: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    // This bound ends a model in which a ring is lost.
    builder.max_branches = 1000;
    builder.check(body);
}

// --- Doorbell ---

fn bell(rung: bool) -> Arc<Doorbell> {
    let bell = Doorbell::new(rung, false);
    bell.limit
        .store(if rung { 0 } else { FULL }, Ordering::Relaxed);
    Arc::new(bell)
}

/// Rings a doorbell while another thread runs `worker`. Checks that afterwards either the doorbell is not rung or the next allocation
/// detects the ring.
fn a_ring_beside(rung: bool, worker: impl Fn(&Doorbell) + Send + Sync + Copy + 'static) {
    model(None, move || {
        let bell = bell(rung);
        let other = bell.clone();
        let ringer = thread::spawn(move || other.ring());
        worker(&bell);
        ringer.join().unwrap();
        assert!(!bell.is_rung() || bell.limit.load(Ordering::Relaxed) == 0);
    });
}

#[test]
fn a_ring_beside_an_answer() {
    a_ring_beside(true, |bell| bell.answer(FULL, false));
}

#[test]
fn a_ring_beside_a_new_limit() {
    a_ring_beside(false, |bell| bell.set_limit(FULL));
}

#[test]
fn an_answer_sees_the_writes_before_the_ring() {
    model(None, || {
        let all = Arc::new((Doorbell::new(false, false), Cell::new(0)));
        let other = all.clone();
        let ringer = thread::spawn(move || {
            // SAFETY: the worker reads the cell only after the ring.
            unsafe { *other.1.write() = 1 };
            other.0.ring();
        });
        while !all.0.is_rung() {
            thread::yield_now();
        }
        all.0.answer(FULL, false);
        // SAFETY: the other thread wrote the cell before its ring, and this thread has answered the ring.
        assert_eq!(unsafe { *all.1.read() }, 1);
        ringer.join().unwrap();
    });
}

// --- Stop ---

/// Work with two parts, which members claim one by one, and memory that is freed after the work.
struct Work {
    next: AtomicUsize,
    parts: [Cell<usize>; 2],
    memory: Cell<()>,
}

impl Work {
    fn new() -> Work {
        Work {
            next: AtomicUsize::new(0),
            parts: [Cell::new(0), Cell::new(0)],
            memory: Cell::new(()),
        }
    }

    /// Frees the work, after its end.
    fn free(&self) {
        self.memory.write();
        for part in &self.parts {
            // SAFETY: all members have left, so no thread uses the memory.
            assert_eq!(unsafe { *part.read() }, 1);
        }
    }
}

impl Shared for Work {
    fn is_over(&self) -> bool {
        self.memory.read();
        self.next.load(Ordering::Relaxed) >= self.parts.len()
    }

    unsafe fn take_part(&self) {
        self.memory.read();
        while let Some(part) = self.parts.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            // SAFETY: this member has claimed the part.
            unsafe { *part.write() += 1 };
        }
        self.memory.read();
    }
}

struct World {
    stop: Stop<Work>,
    heap: Cell<()>,
    bell: Doorbell,
    work: Work,
}

// SAFETY: the models check that accesses to the cells from several threads are ordered.
unsafe impl Send for World {}
// SAFETY: the models check that accesses to the cells from several threads are ordered.
unsafe impl Sync for World {}

impl World {
    /// Returns a world in which this number of threads run.
    fn new(running: usize) -> Arc<World> {
        let world = World {
            stop: Stop::new(),
            heap: Cell::new(()),
            bell: Doorbell::new(false, false),
            work: Work::new(),
        };
        for _ in 0..running {
            world.stop.begin();
        }
        Arc::new(world)
    }

    fn spawn(self: &Arc<Self>, run: impl FnOnce(&World) + 'static) -> thread::JoinHandle<()> {
        let world = self.clone();
        thread::spawn(move || run(&world))
    }

    /// Runs until `rung` detects a ring of the worker's doorbell. After that, answers the ring and stops at a safepoint.
    fn run(&self, rung: impl Fn(&Doorbell) -> bool) {
        self.heap.read();
        while !rung(&self.bell) {
            thread::yield_now();
        }
        self.bell.answer(FULL, false);
        self.stop.safepoint(|| ());
        self.heap.read();
        self.stop.end();
    }

    /// Writes the heap if no other thread has stopped this thread.
    fn collect(&self) -> bool {
        let stopped = self.stop.stop(|| self.bell.ring(), || ());
        if stopped {
            self.heap.write();
            self.stop.resume();
        }
        stopped
    }
}

#[test]
fn a_stopper_is_alone() {
    model(None, || {
        let world = World::new(2);
        let worker = world.spawn(|world| world.run(Doorbell::is_rung));
        assert!(world.collect());
        world.heap.read();
        world.stop.end();
        worker.join().unwrap();
    });
}

#[test]
fn an_allocation_finds_the_ring() {
    model(None, || {
        let world = World::new(2);
        let worker = world.spawn(|world| {
            world.run(|bell| {
                if bell.limit.load(Ordering::Relaxed) != 0 {
                    return false;
                }
                if !bell.is_rung() {
                    bell.set_limit(FULL);
                }
                bell.is_rung()
            });
        });
        assert!(world.collect());
        world.stop.end();
        worker.join().unwrap();
    });
}

#[test]
fn of_two_stoppers_one_is_stopped() {
    model(None, || {
        let world = World::new(2);
        let other = world.spawn(|world| {
            world.collect();
            world.heap.read();
            world.stop.end();
        });
        world.collect();
        world.heap.read();
        world.stop.end();
        other.join().unwrap();
    });
}

#[test]
fn a_thread_that_begins_waits() {
    model(None, || {
        let world = World::new(1);
        let other = world.spawn(|world| {
            world.stop.begin();
            world.heap.read();
            world.stop.end();
        });
        // No other thread may run yet, and no doorbell is rung.
        assert!(world.collect());
        world.stop.end();
        other.join().unwrap();
    });
}

#[test]
fn a_thread_that_blocks_does_not_run() {
    model(None, || {
        let world = World::new(2);
        let other = world.spawn(|world| {
            world.heap.read();
            world.stop.end();
            // The call of `begin` blocks.
            thread::yield_now();
            world.stop.begin();
            world.heap.read();
            world.stop.end();
        });
        assert!(world.collect());
        world.stop.end();
        other.join().unwrap();
    });
}

#[test]
fn work_is_shared_until_its_last_member_leaves() {
    model(Some(3), || {
        let world = World::new(2);
        let stopped = world.spawn(|world| world.run(Doorbell::is_rung));
        let idle = world.spawn(|world| world.stop.assist());
        assert!(world.stop.stop(|| world.bell.ring(), || ()));
        // SAFETY: all other threads are stopped, and the work has begun.
        unsafe { world.stop.share(&world.work, || ()) };
        world.work.free();
        world.heap.write();
        world.stop.resume();
        world.stop.end();
        stopped.join().unwrap();
        idle.join().unwrap();
    });
}

#[test]
fn a_hold_outlasts_a_stop() {
    model(None, || {
        let world = World::new(0);
        let worker = world.spawn(|world| {
            world.stop.begin();
            world.heap.read();
            world.stop.end();
        });
        world.stop.hold(|| world.bell.ring());
        world.heap.write();
        assert!(world.collect());
        world.heap.write();
        world.stop.release();
        worker.join().unwrap();
    });
}

#[test]
fn a_hold_waits_for_those_that_run() {
    model(None, || {
        let world = World::new(1);
        let worker = world.spawn(|world| world.run(Doorbell::is_rung));
        world.stop.hold(|| world.bell.ring());
        world.heap.write();
        world.stop.release();
        worker.join().unwrap();
    });
}

#[test]
fn the_end_waits_for_the_stopped() {
    model(Some(3), || {
        let world = World::new(2);
        let worker = world.spawn(|world| world.run(Doorbell::is_rung));
        let stopper = world.spawn(|world| {
            world.collect();
            world.stop.end();
        });
        world.stop.settle();
        world.heap.write();
        worker.join().unwrap();
        stopper.join().unwrap();
    });
}
