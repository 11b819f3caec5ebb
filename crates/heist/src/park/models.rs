//! Model tests: the real transitions on a small world, under every interleaving (loom).
//!
//! Each test ends with work that somebody must take. A lost wake-up leaves its taker parked for
//! ever, which loom reports as a deadlock.

mod called;
mod refused;

use super::{Ground, Idle, Letters, Reason};
use crate::platform::shim::{AtomicBool, AtomicU32, Ordering, fence};
use loom::sync::Mutex;
use loom::thread::{self, JoinHandle, Thread};
use std::sync::Arc;

const NONE: u32 = 0;
const PRIVATE: u32 = 1;
const PUBLIC: u32 = 2;
const TAKEN: u32 = 3;

const SATED: u32 = 0;
const ANNOUNCED: u32 = 2;
const OWED: u32 = 3;

/// One owner with one frame, a queue with one job, a few carriers.
struct World {
    idle: Idle,
    /// Whether there is an asymmetric fence by now.
    fenced: AtomicBool,
    /// Stand-in for the asymmetric fence: both halves exchange it. So of a light and a heavy half one is first, and
    /// happens before the other, and nothing else is ordered: a full fence of another purpose does not do in place of either.
    asymmetric: AtomicU32,
    hungry: AtomicU32,
    frame: AtomicU32,
    job: AtomicBool,
    /// A job that only the holder of slot 1 may take.
    inbox: AtomicBool,
    /// Everything has been done: sleepers that are woken now may end.
    over: AtomicBool,
    /// Of carrier 0.
    letters: Letters<u32>,
    /// Number of attempts to start a thread that fail before one succeeds.
    refusals: AtomicU32,
    woken: Vec<AtomicBool>,
    threads: Vec<Mutex<Option<Thread>>>,
}

impl Ground for World {
    fn work_waits(&self, slot: Option<u32>) -> bool {
        // The end keeps sleepers up as a job does.
        self.job.load(Ordering::SeqCst)
            || self.over.load(Ordering::SeqCst)
            || slot == Some(1) && self.inbox.load(Ordering::SeqCst)
    }

    fn has_frames(&self) -> bool {
        matches!(self.frame.load(Ordering::Relaxed), PRIVATE | PUBLIC)
    }

    fn announce_hunger(&self) -> bool {
        if self.hungry.load(Ordering::Relaxed) == ANNOUNCED {
            return false;
        }
        self.hungry.store(ANNOUNCED, Ordering::Relaxed);
        true
    }

    fn hint_hunger(&self) {
        self.hungry.store(OWED, Ordering::Relaxed);
    }

    fn has_heavy_fence(&self) -> bool {
        self.fenced.load(Ordering::Acquire)
    }

    fn heavy_fence(&self) {
        assert!(self.has_heavy_fence(), "used before it was there");
        self.asymmetric.fetch_add(1, Ordering::AcqRel);
        // As the real one: for what has a full fence on the other side, too.
        fence(Ordering::SeqCst);
    }

    fn before_sleep(&self, carrier: u16) {
        self.woken[usize::from(carrier)].store(false, Ordering::Relaxed);
    }

    fn is_bound_here(&self, _: u16) -> bool {
        false
    }

    fn wake(&self, carrier: u16, _: Option<u32>) {
        self.woken[usize::from(carrier)].store(true, Ordering::Release);
        self.unpark(carrier);
    }

    /// Spares are threads that stand by: the last carrier of the world is one.
    fn start_spare(&self, _: Option<u16>, slot: u32) -> bool {
        let spare = self.woken.len() as u16 - 1;
        if self.refusals.load(Ordering::Relaxed) > 0 {
            self.refusals.fetch_sub(1, Ordering::Relaxed);
            self.idle.lose(self, spare, slot);
            self.unpark(0);
        } else {
            self.wake(spare, Some(slot));
        }
        true
    }

    /// Carrier 0 is the one that tries again.
    fn hasten(&self) {
        self.unpark(0);
    }
}

impl World {
    fn new(slots: usize, carriers: usize) -> Arc<World> {
        Self::on_platform(true, slots, carriers)
    }

    fn on_platform(fenced: bool, slots: usize, carriers: usize) -> Arc<World> {
        Arc::new(World {
            idle: Idle::new(slots),
            fenced: AtomicBool::new(fenced),
            asymmetric: AtomicU32::new(0),
            hungry: AtomicU32::new(SATED),
            frame: AtomicU32::new(NONE),
            job: AtomicBool::new(false),
            inbox: AtomicBool::new(false),
            over: AtomicBool::new(false),
            letters: Letters::new(),
            refusals: AtomicU32::new(0),
            woken: (0..carriers).map(|_| AtomicBool::new(false)).collect(),
            threads: (0..carriers).map(|_| Mutex::new(None)).collect(),
        })
    }

    fn spawn(self: &Arc<Self>, body: impl FnOnce(&World) + 'static) -> JoinHandle<()> {
        let world = Arc::clone(self);
        thread::spawn(move || body(&world))
    }

    fn unpark(&self, carrier: u16) {
        if let Some(thread) = &*self.threads[usize::from(carrier)].lock().unwrap() {
            thread.unpark();
        }
    }

    fn enrol(&self, carrier: u16) {
        *self.threads[usize::from(carrier)].lock().unwrap() = Some(thread::current());
    }

    /// The owner's fork, and nothing after it: a thief must find the frame alone.
    fn push(&self) {
        self.frame.store(PRIVATE, Ordering::Relaxed);
        // In place of the light half of the asymmetric fence. That is always there, and orders nothing without the other.
        self.asymmetric.fetch_add(1, Ordering::AcqRel);
        if self.hungry.load(Ordering::Relaxed) != SATED {
            self.hungry.store(SATED, Ordering::Relaxed);
            if self.turn(PRIVATE, PUBLIC) {
                self.idle.notify(self, Reason::Exposed);
            }
        }
    }

    fn inject(&self) {
        self.job.store(true, Ordering::SeqCst);
        self.idle.notify(self, Reason::Injected);
    }

    /// Sends a broadcast to slot 1.
    fn send_to_slot_1(&self) {
        self.inbox.store(true, Ordering::SeqCst);
        self.idle.wake_all(self);
    }

    fn turn(&self, from: u32, to: u32) -> bool {
        self.frame
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// One look around, with the force that a searcher has.
    fn look(&self) -> bool {
        self.job
            .compare_exchange(true, false, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
            || self.turn(PUBLIC, TAKEN)
            || self.turn(PRIVATE, TAKEN)
    }

    fn look_into_inbox(&self) -> bool {
        self.inbox
            .compare_exchange(true, false, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    fn park_until_woken(&self, carrier: u16) {
        while !self.woken[usize::from(carrier)].load(Ordering::Acquire) {
            thread::park();
        }
    }

    /// All is done: nobody need sleep any longer.
    fn finish(&self) {
        self.over.store(true, Ordering::SeqCst);
        self.idle.wake_all(self);
    }

    /// A searcher's life until it has found something or all is over.
    fn search(&self, carrier: u16, slot: u32) {
        loop {
            if self.look() || slot == 1 && self.look_into_inbox() {
                self.idle.stop_searching(self);
                self.finish();
                return;
            }
            if self.over.load(Ordering::SeqCst) {
                self.idle.stop_searching(self);
                return;
            }
            if self.idle.lie_down(self, carrier, slot, false) {
                self.park_until_woken(carrier);
            }
        }
    }

    /// Searches for one thing to do, on a platform without the fence. The sentinel's naps are
    /// yields.
    fn search_unfenced(&self, carrier: u16) {
        self.enrol(carrier);
        while !self.look() {
            let watches = self.idle.claim_sentinel();
            if self.idle.lie_down(self, carrier, carrier.into(), watches) {
                if watches {
                    self.watch(carrier);
                } else {
                    self.park_until_woken(carrier);
                }
            }
            if watches {
                self.idle.drop_sentinel();
            }
        }
        self.idle.stop_searching(self);
    }

    fn watch(&self, carrier: u16) {
        while !self.woken[usize::from(carrier)].load(Ordering::Acquire) {
            if (self.work_waits(None) || self.has_frames()) && self.idle.rise(carrier) {
                return;
            }
            thread::yield_now();
        }
    }

    /// The same where the fence may come at any time: then nobody becomes a sentinel any more, and the one there is
    /// retires.
    fn search_gaining(&self, carrier: u16) {
        self.enrol(carrier);
        while !self.look() {
            let watches = !self.has_heavy_fence() && self.idle.claim_sentinel();
            let asleep = self.idle.lie_down(self, carrier, carrier.into(), watches);
            if !watches {
                if asleep {
                    self.park_until_woken(carrier);
                }
            } else if !asleep || !self.watch_until_fenced(carrier) {
                self.idle.drop_sentinel();
            }
        }
        self.idle.stop_searching(self);
    }

    /// True if the fence has come, and the carrier has slept on, as no sentinel, until it was woken.
    fn watch_until_fenced(&self, carrier: u16) -> bool {
        while !self.woken[usize::from(carrier)].load(Ordering::Acquire) {
            if (self.work_waits(None) || self.has_frames()) && self.idle.rise(carrier) {
                return false;
            }
            if self.has_heavy_fence() {
                self.idle.drop_sentinel();
                let wanted = self.idle.must_wake(self, carrier.into());
                if !(wanted && self.idle.rise(carrier)) {
                    self.park_until_woken(carrier);
                }
                return true;
            }
            thread::yield_now();
        }
        false
    }

    fn carrier(&self, id: u16) {
        self.enrol(id);
        self.search(id, id.into());
    }
}

fn model(preemptions: Option<usize>, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(test);
}

#[test]
fn a_push_finds_the_last_searcher() {
    model(None, || {
        let world = World::new(2, 2);
        let thief = world.spawn(|world| world.carrier(1));
        world.idle.stop_searching(&*world);
        world.push();
        thief.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

#[test]
fn a_push_finds_one_of_two_searchers() {
    model(Some(3), || {
        let world = World::new(3, 3);
        let thieves = [1, 2].map(|id| world.spawn(move |world| world.carrier(id)));
        world.idle.stop_searching(&*world);
        world.push();
        for thief in thieves {
            thief.join().unwrap();
        }
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

#[test]
fn a_push_finds_the_sleeper_when_a_searcher_leaves() {
    model(Some(3), || {
        let world = World::new(3, 3);
        let stays = world.spawn(|world| world.carrier(1));
        // Leaves after one look, as a surplus carrier does.
        let leaves = world.spawn(|world| {
            let found = world.look();
            world.idle.stop_searching(world);
            if found {
                world.finish();
            }
        });
        world.idle.stop_searching(&*world);
        world.push();
        stays.join().unwrap();
        leaves.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

#[test]
fn an_injected_job_finds_a_sleeper() {
    model(None, || {
        let world = World::new(1, 1);
        let worker = world.spawn(|world| world.carrier(0));
        world.inject();
        worker.join().unwrap();
    });
}

#[test]
fn an_injected_job_finds_one_of_two() {
    model(Some(3), || {
        let world = World::new(2, 2);
        // Both may be woken for it.
        world.idle.expect_forks(true);
        let workers = [0, 1].map(|id| world.spawn(move |world| world.carrier(id)));
        world.inject();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

#[test]
fn a_broadcast_finds_the_holder_of_the_slot() {
    model(Some(3), || {
        let world = World::new(2, 2);
        let workers = [0, 1].map(|id| world.spawn(move |world| world.carrier(id)));
        world.send_to_slot_1();
        for worker in workers {
            worker.join().unwrap();
        }
        assert!(!world.inbox.load(Ordering::SeqCst));
    });
}

/// A waiter leaves its frame public and gives its slot away; a spare must come for the frame, and
/// for a job that is injected meanwhile.
fn waiter_and_spare(inject: bool) {
    let world = World::new(1, 2);
    let spare = world.spawn(|world| {
        world.enrol(1);
        // May have been woken before it was there to be unparked.
        world.park_until_woken(1);
        assert!(world.look());
        world.idle.stop_searching(world);
        world.over.store(true, Ordering::SeqCst);
        if let Some(waiter) = &*world.threads[0].lock().unwrap() {
            waiter.unpark();
        }
    });
    let outsider = inject.then(|| world.spawn(World::inject));
    world.enrol(0);
    world.idle.stop_searching(&*world);
    if !inject {
        world.frame.store(PUBLIC, Ordering::Release);
    }
    world.idle.vacate(&*world, 0);
    while !world.over.load(Ordering::SeqCst) {
        thread::park();
    }
    world.idle.resume(0);
    // The spare took the slot over, so now one of the two is too many.
    assert!(world.idle.has_surplus());
    assert!(world.idle.step_aside(&*world, 0, 0));
    assert!(!world.idle.has_surplus());
    spare.join().unwrap();
    if let Some(outsider) = outsider {
        outsider.join().unwrap();
    }
}

#[test]
fn a_frame_left_by_a_waiter_finds_a_spare() {
    model(None, || waiter_and_spare(false));
}

#[test]
fn a_job_injected_while_a_slot_is_vacated_finds_a_spare() {
    model(None, || waiter_and_spare(true));
}

/// A worker whose thread could not be started is not counted on: when the other one waits, a spare
/// must come for the job.
#[test]
fn a_lost_worker_is_not_counted_on() {
    model(None, || {
        let world = World::new(2, 3);
        let spare = world.spawn(|world| {
            world.enrol(2);
            world.park_until_woken(2);
            assert!(world.look());
        });
        let builder = world.spawn(|world| world.idle.lose(world, 1, 1));
        world.idle.stop_searching(&*world);
        world.inject();
        world.idle.vacate(&*world, 0);
        builder.join().unwrap();
        spare.join().unwrap();
    });
}

/// A waiter that comes back while its slot is being taken over: either it has its slot again, or
/// there is a surplus, never both or neither.
#[test]
fn resume_against_wake() {
    model(None, || {
        let world = World::new(1, 2);
        let outsider = world.spawn(World::inject);
        world.idle.stop_searching(&*world);
        world.idle.vacate(&*world, 0);
        world.idle.resume(0);
        outsider.join().unwrap();
        let woken = world.woken[1].load(Ordering::Acquire);
        assert_eq!(world.idle.has_surplus(), woken);
        let counts = world.idle.counts();
        assert_eq!((counts.searching, counts.idle), (u32::from(woken), 0));
    });
}

/// One slot; A and B both run, since A came back when B had its slot. Now B waits while A comes to
/// a task boundary. Either A left first, and is woken by the next job, or A must stay and look.
#[test]
fn a_surplus_carrier_is_not_let_go_when_another_waits() {
    model(None, || {
        let world = World::new(1, 2);
        world.idle.stop_searching(&*world);
        world.idle.resume(0);
        assert!(world.idle.has_surplus());
        let b = world.spawn(|world| {
            world.idle.vacate(world, 0);
            world.inject();
        });
        let left = world.idle.step_aside(&*world, 0, 0);
        b.join().unwrap();
        assert!(!world.idle.has_surplus());
        assert_eq!(world.woken[0].load(Ordering::Acquire), left);
        let counts = world.idle.counts();
        assert_eq!((counts.searching, counts.idle), (u32::from(left), 0));
    });
}

/// The sentinel lies down for good while a frame appears: a worker that relied on it must not be let
/// down.
#[test]
fn a_push_while_the_sentinel_retires() {
    model(Some(3), || {
        let world = World::new(2, 2);
        let watcher = world.spawn(|world| {
            world.enrol(1);
            assert!(world.idle.claim_sentinel());
            let mut asleep = world.idle.lie_down(world, 1, 1, true);
            // Its timer has run out often enough.
            world.idle.drop_sentinel();
            if asleep && world.idle.must_wake(world, 1) && world.idle.rise(1) {
                asleep = false;
            }
            if asleep {
                world.park_until_woken(1);
            }
            world.search(1, 1);
        });
        world.idle.stop_searching(&*world);
        world.push();
        watcher.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

/// Without the asymmetric fence a push can miss that somebody is hungry, so there is always a
/// sentinel: when it goes off with the job, the other sleeper must find the frame.
#[test]
fn a_sentinel_that_leaves_has_a_successor() {
    model(Some(2), || {
        let world = World::on_platform(false, 3, 3);
        let carriers = [1, 2].map(|id| world.spawn(move |world| world.search_unfenced(id)));
        world.idle.stop_searching(&*world);
        world.inject();
        world.push();
        for carrier in carriers {
            carrier.join().unwrap();
        }
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

/// The fence comes while one carrier sleeps as the sentinel, or is about to: it need not watch any more, and the frame
/// finds it all the same.
#[test]
fn a_push_while_the_fence_comes() {
    model(Some(3), || {
        let world = World::on_platform(false, 2, 2);
        let thief = world.spawn(|world| world.search_gaining(1));
        world.idle.stop_searching(&*world);
        world.fenced.store(true, Ordering::Release);
        world.push();
        thief.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

/// The last searcher leaves without the fence, and wakes a sleeper, which finds the fence when it lies down again: it must
/// not take the hint for an announcement, after which a fence was due.
#[test]
fn a_hint_is_no_announcement() {
    model(Some(3), || {
        let world = World::on_platform(false, 2, 2);
        let thief = world.spawn(|world| {
            world.enrol(1);
            // It does not watch: the owner still searches, or wakes it when it ceases to.
            if world.idle.lie_down(world, 1, 1, false) {
                world.park_until_woken(1);
            }
            world.search_gaining(1);
        });
        world.idle.stop_searching(&*world);
        world.fenced.store(true, Ordering::Release);
        world.push();
        thief.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

/// The fence is there for one carrier before the other learns of it.
#[test]
fn the_fence_comes_to_two_sleepers() {
    model(Some(2), || {
        let world = World::on_platform(false, 3, 3);
        let carriers = [1, 2].map(|id| world.spawn(move |world| world.search_gaining(id)));
        world.idle.stop_searching(&*world);
        world.fenced.store(true, Ordering::Release);
        world.inject();
        world.push();
        for carrier in carriers {
            carrier.join().unwrap();
        }
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}
