//! Fibers: suspending tasks that are closures, with a stack of their own.

use super::isolation::Isolation;
use super::site::note_wait;
use super::task::Labelled;
use crate::fiber::{Coroutine, FiberLabel, Resumed, Suspender};
use crate::task::Payload;
use crate::waiting::Reason;
use crate::worker::{Place, local};
use std::cell::Cell;
use std::future::Future;
use std::marker::PhantomPinned;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::ptr::{null, null_mut};
use std::task::{Context, Poll, Waker};
use std::thread;

/// Words by which a running fiber and the poll that runs it communicate.
#[derive(Debug)]
pub(crate) struct Strand {
    suspender: Cell<*const Suspender>,
    /// The context of the current poll.
    context: Cell<*mut ()>,
    /// Place of its worker at which the fiber was when the current poll began.
    place: Cell<Place>,
    /// Whether the code below it on its thread unwinds while it is bound to that thread.
    below_unwinds: Cell<bool>,
    /// Whether it polls a future with that context. A wait in such a poll cannot suspend the fiber:
    /// the context would be gone when the poll continues.
    polling: Cell<bool>,
}

/// Runs a closure on a stack of its own; pending while that is suspended.
pub(crate) struct Fiber<F, T> {
    label: FiberLabel,
    work: Option<F>,
    coroutine: Option<Coroutine>,
    strand: Strand,
    result: Cell<Option<Result<T, Payload>>>,
    _pinned: PhantomPinned,
}

// SAFETY: the closure and its result can be sent. The stack may go to other threads with all that
// is on it: the code that builds a pool with fibers promises that, or has them pinned: then the task goes nowhere once
// it has been suspended. The cells are used by the polling thread, and by
// the fiber while that thread runs it.
unsafe impl<F: Send, T: Send> Send for Fiber<F, T> {}

impl<F, T> Fiber<F, T>
where
    F: FnOnce() -> T,
{
    pub(crate) fn new(label: FiberLabel, work: F) -> Self {
        Fiber {
            label,
            work: Some(work),
            coroutine: None,
            strand: Strand {
                suspender: Cell::new(null()),
                context: Cell::new(null_mut()),
                place: Cell::new(Place::NOWHERE),
                below_unwinds: Cell::new(false),
                polling: Cell::new(false),
            },
            result: Cell::new(None),
            _pinned: PhantomPinned,
        }
    }

    /// Makes the coroutine, with a stack from the current worker.
    fn begin(&mut self) {
        let label = self.label.clone();
        let Some(work) = self.work.take() else {
            unreachable!("begun once");
        };
        // SAFETY: the current thread's worker.
        let stack = match local()
            .worker()
            .and_then(|worker| unsafe { worker.take_stack() })
        {
            Some(Ok(stack)) => stack,
            Some(Err(error)) => panic!("heist: the {label} could not begin: {error}"),
            None => unreachable!("fibers are polled on workers of pools that have them"),
        };
        let body = move |suspender: &Suspender, this: *mut ()| {
            let this = this.cast::<Self>();
            // SAFETY: the future is pinned, and polled for as long as the coroutine runs.
            unsafe { (*this).strand.suspender.set(suspender) };
            let result = catch_unwind(AssertUnwindSafe(work));
            // SAFETY: as above.
            unsafe { (*this).result.set(Some(result)) };
        };
        // SAFETY: the closure borrows what the spawner promised to outlive the task. That nothing on the
        // stack depends on the thread is the promise of the code that built the pool, unless fibers stay there.
        self.coroutine = Some(unsafe { Coroutine::new(stack, label, body) });
    }
}

impl<F, T> Future for Fiber<F, T>
where
    F: FnOnce() -> T,
{
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        // SAFETY: nothing is moved out but the closure, before the coroutine begins.
        let this = unsafe { self.get_unchecked_mut() };
        if this.coroutine.is_none() {
            this.begin();
        }
        let local = local();
        this.strand.context.set(std::ptr::from_mut(context).cast());
        this.strand.place.set(Place::here(local));
        let bound = || local.worker().is_some_and(|on| on.pool().settings.pinned);
        this.strand
            .below_unwinds
            .set(thread::panicking() && bound());
        let address: *mut Self = this;
        let outer = local.fiber.replace(&raw const this.strand);
        // SAFETY: pinned. While the coroutine runs this function uses nothing of it but the coroutine.
        let resumed = unsafe { &mut (*address).coroutine }
            .as_mut()
            .map(|coroutine| coroutine.resume(address.cast()));
        local.fiber.set(outer);
        if resumed != Some(Resumed::Finished) {
            return Poll::Pending;
        }
        if let (Some(coroutine), Some(worker)) = (this.coroutine.take(), local.worker()) {
            // SAFETY: the current thread's worker.
            unsafe { worker.give_stack(coroutine.into_stack()) };
        }
        match this.result.take() {
            Some(Ok(value)) => Poll::Ready(value),
            Some(Err(payload)) => resume_unwind(payload),
            None => unreachable!("a coroutine that finishes leaves a result"),
        }
    }
}

impl<F, T> Labelled for Fiber<F, T> {
    fn label(&self) -> &FiberLabel {
        &self.label
    }
}

/// Returns the fiber that runs here if it can be suspended. It must be the innermost code on this stack, so
/// that nothing that the worker has begun on top of it, such as a join or a scope, would be left behind. It
/// must neither poll a future nor unwind, because both of these are tied to the thread.
///
/// A fiber that unwinds would take one of the panics that the thread counts with it. If the code below unwinds, one
/// cannot tell whether the fiber does, too; but a fiber that is bound to the thread comes back to the count that it
/// left.
// Not inlined, like all that a fiber calls before and after it is suspended: see `README.md`.
#[inline(never)]
pub(super) fn current() -> Option<&'static Strand> {
    innermost().filter(|strand| !thread::panicking() || strand.below_unwinds.get())
}

/// The fiber that runs here, if it can be suspended, for a caller that knows that it does not unwind.
#[inline(never)]
fn innermost() -> Option<&'static Strand> {
    let local = local();
    // SAFETY: set for as long as the fiber runs, which is as long as the caller does not return from it
    // nor suspend it; the caller asks again after that.
    let strand = unsafe { local.fiber.get().as_ref() }?;
    let innermost = strand.place.get() == Place::here(local) && !strand.polling.get();
    (innermost && Isolation::current() == Isolation::None).then_some(strand)
}

/// Whether there is a [current] fiber.
pub(crate) fn in_fiber() -> bool {
    current().is_some()
}

/// A waker of the [current] fiber's task, the same for all its life.
#[inline(never)]
pub(crate) fn current_waker() -> Option<Waker> {
    let context = current()?.context.get().cast::<Context<'_>>();
    // SAFETY: that of the poll in which the fiber runs.
    Some(unsafe { &*context }.waker().clone())
}

/// Suspends the fiber until a condition holds. The condition must come to hold, and then a waker of its task must
/// be called. It was the [current] fiber when the ending code began, and has not begun to unwind since.
pub(crate) fn suspend_until(reason: Reason, is_done: impl Fn() -> bool) {
    while !is_done() {
        let Some(strand) = innermost() else {
            // The work for which this waits may use this stack, so it must not be unwound.
            crate::platform::say(format_args!(
                "heist: a fiber cannot be suspended where it could be before; please report this"
            ));
            std::process::abort();
        };
        note_wait(reason);
        // SAFETY: it is the innermost, and does not unwind.
        unsafe { strand.suspend() };
    }
}

impl Strand {
    /// Polls a future on behalf of the fiber.
    ///
    /// # Safety
    /// The strand is the [current](current) one.
    pub(super) unsafe fn poll<F: Future>(&self, future: Pin<&mut F>) -> Poll<F::Output> {
        struct Polling<'a>(&'a Cell<bool>);
        impl Drop for Polling<'_> {
            fn drop(&mut self) {
                self.0.set(false);
            }
        }
        self.polling.set(true);
        let _polling = Polling(&self.polling);
        // SAFETY: the context lives as long as the poll in which the fiber runs, and the fiber is not
        // suspended before this returns.
        future.poll(unsafe { &mut *self.context.get().cast::<Context<'_>>() })
    }

    /// Gives the worker back until the fiber's task is woken.
    ///
    /// Inlined: a processor predicts that a return goes back to the last call, which is wrong if the
    /// stacks are switched in between. Each call omitted around the switch saves two such
    /// mispredictions.
    ///
    /// # Safety
    /// The strand is the [current](current) one.
    #[inline(always)]
    pub(super) unsafe fn suspend(&self) {
        // SAFETY: on the fiber's own stack, as it is current.
        unsafe { (*self.suspender.get()).suspend() };
    }
}
