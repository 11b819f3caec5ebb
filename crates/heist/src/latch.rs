//! Frames that are not in a deque, and for which a thread waits: jobs from threads outside of the pool, and broadcasts.

use crate::cancel::{self, Member};
use crate::task::{Header, Payload};
use crate::trace::EventKind;
use crate::waiting::{Reason, Until, wait_outside};
use crate::worker::{PoolInner, leave, local};
use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The time for which a thread outside of the pool spins before it sleeps. A worker takes about this
/// time to wake up and run a short job. So after a short job the worker need not wake the thread.
/// Between its looks at the latch, the thread yields its processor, because the system often places
/// the woken worker on the same processor.
const OUTSIDE_PATIENCE: Duration = Duration::from_micros(20);
/// The minimum duration of a *long* yield. In a long yield, the thread has lost its processor to another thread.
const AWAY: Duration = Duration::from_micros(100);
/// The minimum and maximum number of waits, after a long yield, in which the thread sleeps without yielding first.
const SLEEPS: (u32, u32) = (8, 1024);

/// The state by which a thread outside of the pool decides whether it yields before it sleeps.
///
/// A sleeping thread gets a processor soon after it is woken. A thread that has called `sched_yield` waits for its next turn. On a machine
/// that is busy with other programs, the next turn comes after several milliseconds, even after a short job. (A loop of 36 items of 20 us,
/// while two other programs use the two CPUs, takes 3.5 ms with the yield, and 1.6 ms without.) So after a long yield the thread sleeps
/// immediately in its next eight waits. Each further long yield makes the number of such waits four times as large. In a wait without a
/// yield, even a short job costs two wake-ups: that of the worker, and that of the waiting thread.
#[derive(Clone, Copy, Debug)]
struct Turns {
    /// Number of further waits in which the thread sleeps immediately.
    sleeps: u32,
    /// The value to which `sleeps` was set after the last long yield.
    last: u32,
}

impl Turns {
    const NEW: Self = Turns { sleeps: 0, last: 0 };

    /// Begins a wait. Returns true if the thread may yield during this wait.
    fn begin(&mut self) -> bool {
        let lets = self.sleeps == 0;
        self.sleeps = self.sleeps.saturating_sub(1);
        lets
    }

    /// Records the yields of a wait. `away` is the longest time for which the thread lost its processor.
    fn note(&mut self, away: Duration) {
        if away > AWAY {
            self.last = (self.last * 4).clamp(SLEEPS.0, SLEEPS.1);
            self.sleeps = self.last;
        } else {
            self.last /= 2;
        }
    }
}

thread_local! {
    static TURNS: Cell<Turns> = const { Cell::new(Turns::NEW) };
}

/// A counter. The thread that created the latch waits until the counter is 0.
#[derive(Debug)]
pub(crate) struct Latch {
    left: AtomicUsize,
    waiter: Thread,
}

impl Latch {
    /// Creates a latch that opens after `count` calls of `count_down`.
    pub(crate) fn new(count: usize) -> Self {
        Latch {
            left: AtomicUsize::new(count),
            waiter: thread::current(),
        }
    }

    /// Subtracts 1 from the counter. A call of `count_down` is the caller's last access to the latch.
    ///
    /// # Safety
    /// The latch must be live until it is open.
    unsafe fn count_down(this: *const Self) {
        // The function accesses single fields through the raw pointer: the waiter may free the latch before this function returns, so this
        // function must not have a reference to the whole latch. SAFETY: by contract the latch is live until the subtraction; the clone
        // comes first because the latch may be gone afterwards.
        let (waiter, left) = unsafe {
            let waiter = (*this).waiter.clone();
            // Release pairs with the Acquire in `is_open`, also through later counts.
            (waiter, (*this).left.fetch_sub(1, Ordering::Release))
        };
        if left == 1 {
            waiter.unpark();
        }
    }

    fn is_open(&self) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }

    /// Waits until the latch is open. Only the thread that created the latch may call this function. A worker gives its slot away while it
    /// waits.
    pub(crate) fn wait(&self) {
        if let Some(worker) = local().worker() {
            worker.wait_until(&Until(Reason::Job, || self.is_open()));
            return;
        }
        if !self.is_open() && !self.watch() {
            wait_outside(&Until(Reason::Job, || self.is_open()));
        }
    }

    /// Yields until the latch is open, but at most for the time [`OUTSIDE_PATIENCE`]. Returns true if the latch is open.
    fn watch(&self) -> bool {
        let mut turns = TURNS.get();
        if turns.begin() {
            let (mut waited, mut away) = (Duration::ZERO, Duration::ZERO);
            let since = Instant::now();
            while !self.is_open() && waited < OUTSIDE_PATIENCE {
                thread::yield_now();
                let now = since.elapsed();
                away = away.max(now - waited);
                waited = now;
            }
            turns.note(away);
        }
        TURNS.set(turns);
        self.is_open()
    }
}

/// A frame with a closure, the closure's result, and a latch. When the closure is done, the frame counts the latch down.
#[repr(C)]
pub(crate) struct LatchedFrame<F, R> {
    header: Header,
    work: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<R, Payload>>>,
    latch: *const Latch,
    /// The cancel scope of the thread that waits for the frame.
    scope: Option<Member>,
}

impl<F, R> LatchedFrame<F, R>
where
    F: FnOnce() -> R,
{
    /// Creates a frame for `work`. A worker runs `work` through the frame's [`header`](Self::header).
    /// The frame and the latch must stay in place until the latch is open.
    pub(crate) fn new(pool: &PoolInner, work: F, latch: &Latch) -> Self {
        LatchedFrame {
            scope: Member::of_enclosing(|| pool.as_workers()),
            header: Header::new(Self::execute),
            work: UnsafeCell::new(Some(work)),
            result: UnsafeCell::new(None),
            latch,
        }
    }

    pub(crate) fn header(&self) -> *mut Header {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    unsafe fn execute(this: *mut Header) {
        let this = this.cast::<Self>();
        if let Some(worker) = local().worker() {
            worker.trace(EventKind::JobBegins);
        }
        // SAFETY: by the contract of `Header::execute`, only this thread uses the frame until the
        // latch opens, and the waiter keeps frame and latch in place until then.
        unsafe {
            if let Some(work) = (*(*this).work.get()).take() {
                let scope = &(*this).scope;
                *(*this).result.get() = Some(inside(scope.as_ref(), work));
            }
            // This function looks up the worker again: if the closure has returned in a child of fork(), this thread is not a worker any
            // more.
            if let Some(worker) = local().worker() {
                // The worker records the event before it counts the latch down, because the waiter may stop the trace afterwards.
                worker.trace(EventKind::JobEnds);
            }
            Latch::count_down((*this).latch);
        }
    }

    /// Returns the result, once the latch is open.
    pub(crate) fn into_result(self) -> Option<Result<R, Payload>> {
        self.result.into_inner()
    }
}

/// Runs a closure in the cancel scope of `scope`, unless the scope was cancelled before.
fn inside<R>(scope: Option<&Member>, work: impl FnOnce() -> R) -> Result<R, Payload> {
    let node = scope.map_or(null(), |scope| Arc::as_ptr(scope.node()));
    // SAFETY: the member keeps the node alive, and the thread leaves the scope before this function
    // ends.
    let entered = local().worker().map(|worker| unsafe { worker.enter(node) });
    let result = catch_unwind(AssertUnwindSafe(|| {
        cancel::check();
        work()
    }));
    if let Some(entered) = entered {
        leave(entered);
    }
    result
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{AWAY, SLEEPS, Turns};
    use std::time::Duration;

    /// Returns the number of waits until the thread yields again.
    fn sleeps(turns: &mut Turns) -> u32 {
        (0..).find(|_| turns.begin()).unwrap()
    }

    #[test]
    fn a_time_away_has_a_thread_sleep_at_once_for_a_while() {
        let mut turns = Turns::NEW;
        let mut after = |away| {
            turns.note(away);
            sleeps(&mut turns)
        };
        let (long, short) = (AWAY * 2, AWAY / 2);
        assert_eq!([short, long, long, long].map(&mut after), [0, 8, 32, 128]);
        // After a short yield the thread assumes that the machine is less busy.
        assert_eq!([short, short, long].map(&mut after), [0, 0, 128]);
        assert_eq!([short; 8].map(&mut after), [0; 8]);
        assert_eq!(after(long), SLEEPS.0);
        let most = (0..40).map(|_| after(long)).max();
        assert_eq!(most, Some(SLEEPS.1));
        assert_eq!(after(Duration::ZERO), 0);
    }
}
