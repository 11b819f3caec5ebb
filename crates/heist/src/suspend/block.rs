//! Blocking waits, on any stack.

use super::broken::{Breaking, give_up, is_broken_foreign};
use super::fiber::{self, current_waker};
use super::in_place::{Listening, take_offer};
use super::isolation::Isolation;
use super::site::{for_no_task, take_wait};
use crate::cancel::{self, Watch};
use crate::waiting::{Awaited, Reason, wait_outside};
use crate::worker::{TrackPointer, local};
use std::cell::Cell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// The waker of a thread that waits in `block_on`.
struct Alarm {
    rung: AtomicBool,
    /// True if Heist rang the alarm to end a deadlock, because no thread is left to ring it.
    given_up: AtomicBool,
    thread: Thread,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Release pairs with the Acquire in `is_rung`, and publishes the writes before this wake-up.
        self.rung.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Alarm {
    fn new() -> Arc<Self> {
        Arc::new(Alarm {
            rung: AtomicBool::new(false),
            given_up: AtomicBool::new(false),
            thread: thread::current(),
        })
    }

    fn is_rung(&self) -> bool {
        self.rung.load(Ordering::Acquire)
    }
}

/// A wait for an alarm to ring.
struct Ring<'a> {
    alarm: &'a Alarm,
    reason: Reason,
}

impl Awaited for Ring<'_> {
    fn is_done(&self) -> bool {
        self.alarm.is_rung()
    }

    fn reason(&self) -> Reason {
        self.reason
    }

    fn give_up(&self) -> bool {
        // Relaxed: the Release below publishes this store.
        self.alarm.given_up.store(true, Ordering::Relaxed);
        // Release pairs with the Acquire in `is_rung`.
        self.alarm.rung.store(true, Ordering::Release);
        true
    }
}

/// Number of references to an alarm that belong to the waiting thread itself: the local `Arc` and
/// the waker.
const OWN_REFERENCES: usize = 2;

thread_local! {
    /// An alarm of this thread, kept for its next wait.
    static SPARE: Cell<Option<Arc<Alarm>>> = const { Cell::new(None) };
}

/// Runs a future to its end on the calling thread.
///
/// A fiber is suspended while the future waits. Any other code on a worker may run the awaited task itself, if `future` is a
/// [`Future`](crate::sync::Future) or a [`JoinHandle`](crate::JoinHandle) and no worker has begun its task (see
/// [`Future::get`](crate::sync::Future::get)). A worker that does not run the task gives its slot to another thread, so no core idles. A
/// thread that is not a worker parks.
///
/// ```
/// let answer = heist::block_on(async { 6 * 7 });
/// assert_eq!(answer, 42);
/// ```
///
/// # Panics
/// Rethrows the panic of the future. Panics in a [deadlock](crate#deadlocks) that has been reported, and in an
/// [isolated](crate::sync::isolated) section if the future has to wait. If the caller's [scope](crate::cancellable()) is cancelled
/// while the future waits, this function drops the future and stops.
#[inline]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut suspended = false;
    while let Some(strand) = fiber::current() {
        // SAFETY: since `current` returned this strand, the fiber has only polled a future, so the strand is still the
        // current one.
        unsafe {
            if let Poll::Ready(output) = strand.poll(future.as_mut()) {
                return output;
            }
            if suspended && is_broken_foreign() {
                give_up(Reason::Foreign);
            }
            suspended = true;
            let watch = watch_here();
            cancel::check();
            strand.suspend();
            drop(watch);
        }
    }
    block_thread(future)
}

/// Runs a future to its end and blocks the thread. The function is not inlined, because the caller may be a fiber's code, before or after a
/// switch.
#[inline(never)]
fn block_thread<F: Future>(mut future: Pin<&mut F>) -> F::Output {
    // The waker wakes this thread, so no polled code may continue on another thread.
    let _stay = Stay::here();
    // The thread-local value may be gone already if the destructor of another thread-local value calls this function.
    let spare = SPARE.try_with(Cell::take).ok().flatten();
    let alarm = spare.unwrap_or_else(Alarm::new);
    let waker = Waker::from(Arc::clone(&alarm));
    let mut context = Context::from_waker(&waker);
    let mut broken = None;
    let output = loop {
        // This access is a read-modify-write: if it discards a wake-up, the poll sees the writes before that wake-up (Acquire pairs with
        // the Release in `wake_by_ref`). With a mere store, this thread could miss the wake-up and those writes.
        alarm.rung.swap(false, Ordering::Acquire);
        let listening = Listening::with_waker(waker.data());
        let polled = for_no_task(|| future.as_mut().poll(&mut context));
        drop(listening);
        if let Poll::Ready(output) = polled {
            break output;
        }
        if broken.is_some() && is_broken_foreign() {
            give_up(Reason::Foreign);
        }
        // The mark of a broken wait, of this call or of the task around it, does not apply to waits that begin
        // later.
        Breaking::set(false);
        let reason = take_wait();
        if Isolation::current() != Isolation::None {
            panic!(
                "heist: nothing may wait in an isolated section, but this waits for {}",
                match reason {
                    Reason::Construct(site) => site.to_string(),
                    Reason::Foreign => "a future".to_owned(),
                    other => other.to_string(),
                }
            );
        }
        // If only one clone of the waker exists, only the clone's holder can end the wait. If there are more clones, another event may end
        // the wait first.
        let sole = Arc::strong_count(&alarm) == OWN_REFERENCES + 1;
        if let Some(task) = take_offer(waker.data()).filter(|_| sole) {
            if task.run() {
                continue;
            }
        }
        // This call does the steps W1 to W3 of cancellation, unless this thread unwinds already, or is in no scope.
        let watch = Watch::begin(&waker);
        cancel::check();
        wait(&alarm, reason);
        drop(watch);
        // Relaxed: `wait` has seen the alarm rung, by an Acquire that pairs with the Release after
        // the store of this flag.
        let given_up = alarm.given_up.swap(false, Ordering::Relaxed);
        // The previous mark is removed before the next mark is set.
        drop(broken.take());
        broken = given_up.then(Breaking::begin);
    };
    // A waker may still ring the alarm. Then the next wait that uses the alarm polls once too often, which is harmless.
    let _ = SPARE.try_with(|spare| spare.set(Some(alarm)));
    output
}

/// Makes the current cancel scope wake the current fiber when the scope is cancelled.
fn watch_here() -> Option<Watch> {
    if cancel::current().is_null() {
        return None;
    }
    current_waker().map(|waker| Watch::begin(&waker))
}

/// A guard. If a track runs on this thread, the guard keeps it from being suspended.
pub(super) struct Stay(TrackPointer);

impl Stay {
    pub(super) fn here() -> Self {
        Stay(local().track.replace(std::ptr::null()))
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        local().track.set(self.0);
    }
}

fn wait(alarm: &Alarm, reason: Reason) {
    let ring = Ring { alarm, reason };
    match local().worker() {
        Some(worker) => worker.wait_until(&ring),
        None => wait_outside(&ring),
    }
}
