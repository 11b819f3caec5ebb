//! Frames outside the deques for which a thread waits: jobs from outside, broadcasts.

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

/// The time for which a thread outside spins before it sleeps. It is about as long as a worker
/// takes to wake up and run a short job, so short jobs save the second wake-up. It lets others have
/// its processor at each look: the worker that it woke is often put there.
const OUTSIDE_PATIENCE: Duration = Duration::from_micros(20);
/// If a yield takes this long, the thread has lost its processor to a thread that does not return it at once.
const AWAY: Duration = Duration::from_micros(100);
/// Minimum and maximum number of waits in a row in which it then sleeps at once.
const SLEEPS: (u32, u32) = (8, 1024);

/// Whether a thread outside yields before it sleeps.
///
/// A thread that sleeps gets its processor when it is woken. A thread that let others run, by `sched_yield`, waits for its next
/// turn: on a machine that is busy with other programs that is some milliseconds, however short the job was. (36 items of 20 us in
/// a loop, beside two programs on two CPUs: 3.5 ms, and 1.6 ms without.) So after such a long yield it sleeps at once in the
/// following waits: in eight, and in four times as many each time it happens again. A short job costs the second wake-up there.
#[derive(Clone, Copy, Debug)]
struct Turns {
    /// Number of further waits in which it sleeps at once.
    sleeps: u32,
    /// The value to which `sleeps` was set last.
    last: u32,
}

impl Turns {
    const NEW: Self = Turns { sleeps: 0, last: 0 };

    /// A wait begins. True if the thread may let others run in it.
    fn begin(&mut self) -> bool {
        let lets = self.sleeps == 0;
        self.sleeps = self.sleeps.saturating_sub(1);
        lets
    }

    /// Notes that the thread has let others run in a wait, and was away for at most `away`.
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

/// Counts down to 0, for the thread that made it.
#[derive(Debug)]
pub(crate) struct Latch {
    left: AtomicUsize,
    waiter: Thread,
}

impl Latch {
    /// A latch that opens at the `count`-th count.
    pub(crate) fn new(count: usize) -> Self {
        Latch {
            left: AtomicUsize::new(count),
            waiter: thread::current(),
        }
    }

    /// Counts one down; this is the last access to the latch.
    ///
    /// # Safety
    /// The latch is live until the count that opens it.
    unsafe fn count_down(this: *const Self) {
        // Through the raw pointer, field by field: the waiter may free the latch while this
        // function has not returned yet, so it must not hold a reference to the whole.
        // SAFETY: live by contract; the clone comes first because the latch may be gone later.
        let (waiter, left) = unsafe {
            let waiter = (*this).waiter.clone();
            // Release pairs with `is_open`, through later counts too.
            (waiter, (*this).left.fetch_sub(1, Ordering::Release))
        };
        if left == 1 {
            waiter.unpark();
        }
    }

    fn is_open(&self) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }

    /// Waits, on the thread that made it. While it waits, a worker gives its slot away.
    pub(crate) fn wait(&self) {
        if let Some(worker) = local().worker() {
            worker.wait_until(&Until(Reason::Job, || self.is_open()));
            return;
        }
        if !self.is_open() && !self.watch() {
            wait_outside(&Until(Reason::Job, || self.is_open()));
        }
    }

    /// Spins for a while until it is open, yielding in between. True if it is.
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

/// A closure, its result, and the latch that is counted down when it is done.
#[repr(C)]
pub(crate) struct LatchedFrame<F, R> {
    header: Header,
    work: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<R, Payload>>>,
    latch: *const Latch,
    /// The scope of the thread that waits for it.
    scope: Option<Member>,
}

impl<F, R> LatchedFrame<F, R>
where
    F: FnOnce() -> R,
{
    /// A frame for [`header`](Self::header) to be run. Both it and the latch must stay in place
    /// until the latch is open.
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
        // SAFETY: the executor has the frame to itself until the latch opens, and the waiter keeps
        // both in place until then (contract of `Header::execute`).
        unsafe {
            if let Some(work) = (*(*this).work.get()).take() {
                let scope = &(*this).scope;
                *(*this).result.get() = Some(inside(scope.as_ref(), work));
            }
            // Not the one from before the closure: after fork() this thread is not a worker.
            if let Some(worker) = local().worker() {
                // First: the waiter may stop the trace.
                worker.trace(EventKind::JobEnds);
            }
            Latch::count_down((*this).latch);
        }
    }

    /// The result, once the latch is open.
    pub(crate) fn into_result(self) -> Option<Result<R, Payload>> {
        self.result.into_inner()
    }
}

/// Runs a closure in that scope, unless that was cancelled before.
fn inside<R>(scope: Option<&Member>, work: impl FnOnce() -> R) -> Result<R, Payload> {
    let node = scope.map_or(null(), |scope| Arc::as_ptr(scope.node()));
    // SAFETY: the member keeps the node, and the thread leaves it before this function ends.
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

    /// Number of waits until it lets others run again.
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
        // One that is short again says that the machine is less busy.
        assert_eq!([short, short, long].map(&mut after), [0, 0, 128]);
        assert_eq!([short; 8].map(&mut after), [0; 8]);
        assert_eq!(after(long), SLEEPS.0);
        let most = (0..40).map(|_| after(long)).max();
        assert_eq!(most, Some(SLEEPS.1));
        assert_eq!(after(Duration::ZERO), 0);
    }
}
