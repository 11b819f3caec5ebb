//! Running a program from its beginning to its end, and dropping the strands that it leaves behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use heist::embed;

use crate::collect::minor;
use crate::fork::scopes;
use crate::measure::trace;
use crate::run::threads::idle_worker;
use crate::state::pool::{Pool, Running};
use crate::state::strand::{Strand, Wait};
use crate::state::switch;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::thread::{self, clock};
use crate::value::object::Value;
use crate::wait::lazy;

/// The time for which a transaction may continue at a prompt after the end of the input that has begun the transaction.
const GRACE: Duration = Duration::from_secs(1);

impl Pool {
    /// Runs the code of a program on its strand, on some thread, and waits for its end. Returns 0 if the code has returned, and 1 if it has
    /// raised an exception or was abandoned. A raised exception is then pending on `first`. When this function returns, all workers are
    /// held.
    ///
    /// # Safety
    /// `code` must be a function of the attached program. `strand` must not have begun, and no worker may have it. `first` must be an idle
    /// worker of the world, and must belong to the caller until this function returns. All other workers must be held, or must have run
    /// nothing yet.
    pub unsafe fn run(&self, first: *mut Worker, strand: *mut Strand, code: usize) -> u64 {
        // SAFETY: `first` is the caller's own and idle, and no other worker runs, so no reference to `Inner` is in use and no thread writes
        // to its cells. No other worker has young objects to which a global or a cell refers.
        unsafe {
            let cells = &raw mut self.world.inner_mut().cells.0;
            // Until the world is shared, the roots of every collection include the cells.
            let mut roots: Vec<&mut usize> = Vec::new();
            if self.world.is_shared() {
                roots.push(&mut *cells);
            }
            minor::minor(first, std::ptr::null_mut(), &mut roots);
        }
        // An alarm may make the program continue on another worker before any worker has requested work.
        if self.world.threads.are_used()
            && self.world.options.workers > 1
            && !self.world.is_shared()
        {
            self.world.share();
        }
        let running = Running {
            outcome: AtomicUsize::new(usize::MAX),
            first,
            thread: std::thread::current(),
        };
        // Release: pairs with the acquire in `end_program`.
        self.program
            .store((&raw const running).cast_mut(), Ordering::Release);
        // SAFETY: `first` is the caller's own idle worker until this function returns.
        self.hunger.begin(unsafe { (*first).has_clones() });
        if self.world.threads.are_used() {
            clock::start(&self.world);
            self.world.threads.clock.runs(true);
        }
        self.world.threads.begin_program();
        self.world.release();
        let (world, strand) = (Arc::as_ptr(&self.world) as usize, strand as usize);
        let program = embed::job(move || {
            // SAFETY: the pool owns an `Arc` of the world, and runs its jobs before it is gone.
            let world = unsafe { &*(world as *const World) };
            let (worker, strand) = (idle_worker(), strand as *mut Strand);
            world.begin();
            // SAFETY: `worker` is this thread's own and idle. Only this job has the strand. The strand has not begun, so its stack is free.
            // `code` belongs to the attached program, and `run` waits for the end of this code.
            unsafe {
                (*strand).program = world.threads.this_run();
                (*strand).mount(worker);
                trace::begins(&trace::STRAND, (*strand).number.into());
                let code = switch::enter(worker, code, (*strand).top());
                if let Some(pool) = world.started() {
                    pool.drive(worker, strand, code);
                }
            }
        });
        // SAFETY: `embed::job` puts these on the heap, where they stay until they have run; each is queued once.
        unsafe {
            self.core.inject(program);
            // All other workers wake up and request work.
            self.core.broadcast(|_| embed::job(|| {}));
        }
        // Acquire: pairs with the release in `end_program`, so this thread sees the worker's field `pending`.
        while running.outcome.load(Ordering::Acquire) == usize::MAX {
            std::thread::park();
        }
        self.program.store(std::ptr::null_mut(), Ordering::Relaxed);
        self.hunger.end();
        if self.world.threads.are_used() {
            self.world.ring_all();
        }
        // Waits until the cancelled strands have ended and their data is free, except for strands in a system call, which are held. After
        // that, the caller may describe the exception, add code, and remove code.
        loop {
            self.world.settle();
            if self.world.hold() && !self.is_any_kept() {
                break;
            }
            // Two kinds of strands must still end. If `hold` returns false, a worker was stopped at a safepoint, for example after a system
            // call, in the middle of its work. If `is_any_kept` returns true, masks keep a strand in a queue alive. After the release,
            // workers run these strands.
            self.world.release();
            std::thread::yield_now();
        }
        if self.world.threads.are_used() {
            // Until now, the clock had to ring doorbells, so that strands checked whether their masks still protect them.
            self.world.threads.clock.runs(false);
        }
        // SAFETY: `hold` has stopped all workers of the pool, and `first`, on which nothing runs, is the caller's own until this function
        // returns.
        unsafe { self.drop_threads(first) };
        running.outcome.into_inner() as u64
    }

    pub(crate) fn end_program(&self, code: u64, pending: usize, origin: usize) {
        // Acquire: pairs with the release in `run`.
        let running = self.program.load(Ordering::Acquire);
        // Later programs run only at a prompt. Such later programs can see the data that masks protect.
        let grace = if self.world.options.reserve {
            GRACE
        } else {
            Duration::ZERO
        };
        self.world.threads.end_program(self.world.began, grace);
        self.world.threads.clock.clear();
        self.world.threads.watches.clear();
        // SAFETY: `run` keeps `Running` on its stack until it sees the outcome, which this block stores after its other accesses to
        // `Running`. Until then the thread of `run` only reads the outcome, so this thread may use `first` and `thread`. The clone of the
        // handle outlives `Running`.
        unsafe {
            let thread = (*running).thread.clone();
            // The field `pending` of a worker is a root. Cancelled strands may still run, and start a collection.
            (*(*running).first).pending = Value(pending);
            (*(*running).first).raised = origin;
            // Release: pairs with the acquire in `run`.
            (*running).outcome.store(code as usize, Ordering::Release);
            thread.unpark();
        }
    }

    /// Returns true if a strand in a queue has masks, or if masks enclose its fork. Such a strand must continue until the masks are
    /// removed. The masks protect data that a later program may use: a lock of the Basis, or data that a transaction has changed only in
    /// part. All workers must be held.
    fn is_any_kept(&self) -> bool {
        let mut kept = false;
        self.world.each_strand(|strand| {
            // SAFETY: all workers are held, so no thread changes a strand.
            let it = unsafe { &*strand };
            kept |=
                it.wait == Wait::Turn && !it.is_idle() && (!it.may_end() || it.is_in_masked_job());
        });
        kept
    }

    /// Drops the strands that still wait when a program has ended, except strands in a queue. A strand in a queue ends when its turn comes.
    ///
    /// # Safety
    /// All workers must be held, and the worker must be the calling thread's own.
    unsafe fn drop_threads(&self, worker: *mut Worker) {
        if !self.world.threads.are_used() {
            return;
        }
        let mut left = Vec::new();
        self.world.each_strand(|strand| {
            // SAFETY: all workers are held, so no thread changes a strand. A strand that is mounted on no worker and is in no queue belongs
            // to the program that has ended. No strand has an idle worker as its home.
            unsafe {
                let it = &*strand;
                if it.worker.is_null() && !it.is_idle() && !it.is_program() && !it.queued {
                    left.push(strand);
                }
            }
        });
        self.world.waiting.clear();
        while self.world.threads.urgent.take().is_some() {}
        while self.world.threads.turns.take().is_some() {}
        // The first loop ensures that nothing wakes these strands; the second loop drops their forks, lazy values and jobs.
        for strand in &left {
            // SAFETY: all workers are held, and the inboxes and the list of waiting strands are empty, so only this thread has a strand of
            // `left`.
            unsafe { thread::take_waiting(&self.world, *strand) };
        }
        for strand in left {
            // SAFETY: all workers are held. No permit or list leads to a strand of `left` any more, and no strand of `left` waits for a
            // value that another strand computes. `worker` is the caller's own.
            unsafe {
                self.cancel_all(&mut *strand);
                lazy::abandon(worker, strand);
                scopes::leave_above(&self.world, &mut *strand, usize::MAX);
                if let Some(job) = (*strand).job.take() {
                    scopes::leave(&self.world, &job);
                }
                self.spare.recycle_shared(strand);
            }
        }
    }
}
