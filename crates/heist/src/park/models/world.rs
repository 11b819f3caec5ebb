//! A small model of a pool: one owner, a queue and a few workers, with the real transitions.

use crate::park::{Idle, IdleHooks, Mailbox, Reason};
use crate::platform::shim::{AtomicBool, AtomicU32, Ordering, fence};
use loom::sync::Mutex;
use loom::thread::{self, JoinHandle, Thread};
use std::sync::Arc;

pub(super) const NONE: u32 = 0;
pub(super) const PRIVATE: u32 = 1;
pub(super) const PUBLIC: u32 = 2;
pub(super) const TAKEN: u32 = 3;

pub(super) const SATED: u32 = 0;
pub(super) const ANNOUNCED: u32 = 2;
pub(super) const OWED: u32 = 3;

/// A model of a pool. The pool has one owner with one frame, a queue with one job, and a few workers.
pub(super) struct World {
    pub(super) idle: Idle,
    /// True once the asymmetric fence is ready.
    pub(super) fenced: AtomicBool,
    /// The stand-in for the asymmetric fence. Both halves of the fence exchange the value of this field, so the earlier half happens before
    /// the later half. The word orders no other accesses, so a full fence cannot replace either half.
    pub(super) asymmetric: AtomicU32,
    pub(super) request: AtomicU32,
    pub(super) frame: AtomicU32,
    pub(super) job: AtomicBool,
    /// A job that only the holder of slot 1 may take.
    pub(super) inbox: AtomicBool,
    /// True when all work is done. Sleepers that wake after the work is done may end.
    pub(super) over: AtomicBool,
    /// Mailbox of worker 0.
    pub(super) mailbox: Mailbox<u32>,
    /// Number of failing attempts to start a thread before an attempt succeeds.
    pub(super) refusals: AtomicU32,
    pub(super) woken: Vec<AtomicBool>,
    pub(super) threads: Vec<Mutex<Option<Thread>>>,
}

impl IdleHooks for World {
    fn work_waits(&self, slot: Option<u32>) -> bool {
        // When all work is done, a sleeper stays awake as if there were a job.
        self.job.load(Ordering::SeqCst)
            || self.over.load(Ordering::SeqCst)
            || slot == Some(1) && self.inbox.load(Ordering::SeqCst)
    }

    fn has_frames(&self) -> bool {
        matches!(self.frame.load(Ordering::Relaxed), PRIVATE | PUBLIC)
    }

    fn announce_request(&self) -> bool {
        if self.request.load(Ordering::Relaxed) == ANNOUNCED {
            return false;
        }
        self.request.store(ANNOUNCED, Ordering::Relaxed);
        true
    }

    fn hint_request(&self) {
        self.request.store(OWED, Ordering::Relaxed);
    }

    fn has_heavy_fence(&self) -> bool {
        self.fenced.load(Ordering::Acquire)
    }

    fn heavy_fence(&self) {
        assert!(self.has_heavy_fence(), "used before it was there");
        self.asymmetric.fetch_add(1, Ordering::AcqRel);
        // The real heavy fence is also a full fence for this thread.
        fence(Ordering::SeqCst);
    }

    fn before_sleep(&self, worker: u16) {
        self.woken[usize::from(worker)].store(false, Ordering::Relaxed);
    }

    fn is_bound_here(&self, _: u16) -> bool {
        false
    }

    fn wake(&self, worker: u16, _: Option<u32>) {
        self.woken[usize::from(worker)].store(true, Ordering::Release);
        self.unpark(worker);
    }

    /// Wakes the last worker of the model, which is the only spare.
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

    /// Unparks worker 0, which retries.
    fn hasten(&self) {
        self.unpark(0);
    }
}

impl World {
    pub(super) fn new(slots: usize, workers: usize) -> Arc<World> {
        Self::on_platform(true, slots, workers)
    }

    pub(super) fn on_platform(fenced: bool, slots: usize, workers: usize) -> Arc<World> {
        Arc::new(World {
            idle: Idle::new(slots),
            fenced: AtomicBool::new(fenced),
            asymmetric: AtomicU32::new(0),
            request: AtomicU32::new(SATED),
            frame: AtomicU32::new(NONE),
            job: AtomicBool::new(false),
            inbox: AtomicBool::new(false),
            over: AtomicBool::new(false),
            mailbox: Mailbox::new(),
            refusals: AtomicU32::new(0),
            woken: (0..workers).map(|_| AtomicBool::new(false)).collect(),
            threads: (0..workers).map(|_| Mutex::new(None)).collect(),
        })
    }

    pub(super) fn spawn(self: &Arc<Self>, body: impl FnOnce(&World) + 'static) -> JoinHandle<()> {
        let world = Arc::clone(self);
        thread::spawn(move || body(&world))
    }

    pub(super) fn unpark(&self, worker: u16) {
        if let Some(thread) = &*self.threads[usize::from(worker)].lock().unwrap() {
            thread.unpark();
        }
    }

    pub(super) fn enrol(&self, worker: u16) {
        *self.threads[usize::from(worker)].lock().unwrap() = Some(thread::current());
    }

    /// Forks on the owner, which then does nothing else. A thief must find the frame without the owner's help.
    pub(super) fn push(&self) {
        self.frame.store(PRIVATE, Ordering::Relaxed);
        // This exchange represents the light half of the asymmetric fence. The light half always exists, and orders no accesses without the
        // heavy half.
        self.asymmetric.fetch_add(1, Ordering::AcqRel);
        if self.request.load(Ordering::Relaxed) != SATED {
            self.request.store(SATED, Ordering::Relaxed);
            if self.turn(PRIVATE, PUBLIC) {
                self.idle.notify(self, Reason::Exposed);
            }
        }
    }

    pub(super) fn inject(&self) {
        self.job.store(true, Ordering::SeqCst);
        self.idle.notify(self, Reason::Injected);
    }

    /// Sends a broadcast to slot 1.
    pub(super) fn send_to_slot_1(&self) {
        self.inbox.store(true, Ordering::SeqCst);
        self.idle.wake_all(self);
    }

    pub(super) fn turn(&self, from: u32, to: u32) -> bool {
        self.frame
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// Looks for work once, like a searcher that forces exposure.
    pub(super) fn look(&self) -> bool {
        self.job
            .compare_exchange(true, false, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
            || self.turn(PUBLIC, TAKEN)
            || self.turn(PRIVATE, TAKEN)
    }

    pub(super) fn look_into_inbox(&self) -> bool {
        self.inbox
            .compare_exchange(true, false, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    pub(super) fn park_until_woken(&self, worker: u16) {
        while !self.woken[usize::from(worker)].load(Ordering::Acquire) {
            thread::park();
        }
    }

    /// Records that all work is done, and wakes all sleepers.
    pub(super) fn finish(&self) {
        self.over.store(true, Ordering::SeqCst);
        self.idle.wake_all(self);
    }

    /// Runs a searcher until it has found work or all work is done.
    pub(super) fn search(&self, worker: u16, slot: u32) {
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
            if self.idle.lie_down(self, worker, slot, false) {
                self.park_until_woken(worker);
            }
        }
    }

    /// Searches for work, on a platform without the fence. In the model, the sentinel yields instead of taking naps.
    pub(super) fn search_unfenced(&self, worker: u16) {
        self.enrol(worker);
        while !self.look() {
            let watches = self.idle.claim_sentinel();
            if self.idle.lie_down(self, worker, worker.into(), watches) {
                if watches {
                    self.watch(worker);
                } else {
                    self.park_until_woken(worker);
                }
            }
            if watches {
                self.idle.drop_sentinel();
            }
        }
        self.idle.stop_searching(self);
    }

    pub(super) fn watch(&self, worker: u16) {
        while !self.woken[usize::from(worker)].load(Ordering::Acquire) {
            if (self.work_waits(None) || self.has_frames()) && self.idle.rise(worker) {
                return;
            }
            thread::yield_now();
        }
    }

    /// Searches for work, on a platform where the fence may become ready at any time. When the fence is ready, no worker becomes a
    /// sentinel any more, and the current sentinel retires.
    pub(super) fn search_gaining(&self, worker: u16) {
        self.enrol(worker);
        while !self.look() {
            let watches = !self.has_heavy_fence() && self.idle.claim_sentinel();
            let asleep = self.idle.lie_down(self, worker, worker.into(), watches);
            if !watches {
                if asleep {
                    self.park_until_woken(worker);
                }
            } else if !asleep || !self.watch_until_fenced(worker) {
                self.idle.drop_sentinel();
            }
        }
        self.idle.stop_searching(self);
    }

    /// Sleeps as the sentinel. Returns true if the fence became ready. If the result is true, the worker has then slept, without a timer,
    /// until another thread woke it.
    pub(super) fn watch_until_fenced(&self, worker: u16) -> bool {
        while !self.woken[usize::from(worker)].load(Ordering::Acquire) {
            if (self.work_waits(None) || self.has_frames()) && self.idle.rise(worker) {
                return false;
            }
            if self.has_heavy_fence() {
                self.idle.drop_sentinel();
                let wanted = self.idle.must_wake(self, worker.into());
                if !(wanted && self.idle.rise(worker)) {
                    self.park_until_woken(worker);
                }
                return true;
            }
            thread::yield_now();
        }
        false
    }

    pub(super) fn worker(&self, id: u16) {
        self.enrol(id);
        self.search(id, id.into());
    }
}

pub(super) fn model(preemptions: Option<usize>, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(test);
}
