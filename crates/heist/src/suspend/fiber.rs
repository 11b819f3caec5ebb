//! Fibers: suspending tasks that are closures, each with its own stack.

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

/// The words through which a running fiber and the poll that runs it communicate.
#[derive(Debug)]
pub(crate) struct Strand {
    suspender: Cell<*const Suspender>,
    /// The context of the current poll.
    context: Cell<*mut ()>,
    /// The [`Place`] of the polling worker at the beginning of the current poll.
    place: Cell<Place>,
    /// True if the fiber is bound to its thread, and code below the fiber on that thread unwinds.
    below_unwinds: Cell<bool>,
    /// True while the fiber polls a future with the context of the current poll. A wait in this poll cannot suspend the
    /// fiber: the context would be gone when the poll continues.
    polling: Cell<bool>,
}

/// A future that runs a closure on a separate stack. A poll of this future returns `Pending` when the closure is
/// suspended.
pub(crate) struct Fiber<F, T> {
    label: FiberLabel,
    work: Option<F>,
    coroutine: Option<Coroutine>,
    strand: Strand,
    result: Cell<Option<Result<T, Payload>>>,
    _pinned: PhantomPinned,
}

// SAFETY: the closure and its result can be sent. The code that builds a pool with fibers promises that the stack, with all values on it,
// may move to other threads. If the pool pins its fibers instead, the task does not move once it has been suspended. Only the polling
// thread, and the fiber while that thread runs it, use the cells.
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

    /// Creates the coroutine, with a stack from the current worker.
    fn begin(&mut self) {
        let label = self.label.clone();
        let Some(work) = self.work.take() else {
            unreachable!("begun once");
        };
        // SAFETY: `worker` is the worker of the current thread, so its own thread calls this function.
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
            // SAFETY: the future is pinned, and the coroutine runs only during a poll of it, so the
            // future exists and does not move.
            unsafe { (*this).strand.suspender.set(suspender) };
            let result = catch_unwind(AssertUnwindSafe(work));
            // SAFETY: the future is pinned, and the coroutine runs only during a poll of it, so the
            // future exists and does not move.
            unsafe { (*this).result.set(Some(result)) };
        };
        // SAFETY: the spawner promises that the values that the closure borrows outlive the task. Either fibers stay on their thread, or
        // the code that built the pool promises that no value on the stack depends on the thread.
        self.coroutine = Some(unsafe { Coroutine::new(stack, label, body) });
    }
}

impl<F, T> Future for Fiber<F, T>
where
    F: FnOnce() -> T,
{
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        // SAFETY: this function does not move the future. It moves only the closure out of the future, before the coroutine begins.
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
        // SAFETY: the future is pinned. While the coroutine runs, this function accesses no other field of the future.
        let resumed = unsafe { &mut (*address).coroutine }
            .as_mut()
            .map(|coroutine| coroutine.resume(address.cast()));
        local.fiber.set(outer);
        if resumed != Some(Resumed::Finished) {
            return Poll::Pending;
        }
        if let (Some(coroutine), Some(worker)) = (this.coroutine.take(), local.worker()) {
            // SAFETY: `worker` is the worker of the current thread, so its own thread calls this function.
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

/// Returns the fiber that runs on this thread, if it can be suspended. The fiber must be the innermost code on this stack. The worker must
/// not have begun other code on this stack, such as a join or a scope, because such code could not leave the thread. The fiber must not
/// poll a future or unwind either, because polls and unwinding depend on the thread.
///
/// Each thread counts its panics, and a fiber that unwinds would take a panic to another thread. If the code below the fiber unwinds, the
/// count does not show whether the fiber also unwinds. A fiber that is bound to the thread, however, resumes on the same thread, so the
/// thread's count stays right. The function is not inlined, like all functions that a fiber calls before and after it is suspended: see the
/// README of the folder `fiber`.
#[inline(never)]
pub(super) fn current() -> Option<&'static Strand> {
    innermost().filter(|strand| !thread::panicking() || strand.below_unwinds.get())
}

/// Returns the fiber that runs on this thread, if it can be suspended. The caller must make sure that the fiber
/// does not unwind.
#[inline(never)]
fn innermost() -> Option<&'static Strand> {
    let local = local();
    // SAFETY: the pointer is set while the fiber runs, that is, until the caller returns from the fiber or suspends it.
    // After a suspension the caller calls this function again.
    let strand = unsafe { local.fiber.get().as_ref() }?;
    let innermost = strand.place.get() == Place::here(local) && !strand.polling.get();
    (innermost && Isolation::current() == Isolation::None).then_some(strand)
}

/// Returns true if this thread has a [current] fiber.
pub(crate) fn in_fiber() -> bool {
    current().is_some()
}

/// Returns a waker of the [current] fiber's task. All wakers of one task are equal.
#[inline(never)]
pub(crate) fn current_waker() -> Option<Waker> {
    let context = current()?.context.get().cast::<Context<'_>>();
    // SAFETY: the context belongs to the poll in which the fiber runs.
    Some(unsafe { &*context }.waker().clone())
}

/// Suspends the fiber until `is_done` returns true. Another thread must make `is_done` true, and then call a waker of the fiber's task. The
/// caller must be code at the end of a construct, such as a scope. The fiber must have been the [current] fiber when this end began, and
/// must not have begun to unwind since.
pub(crate) fn suspend_until(reason: Reason, is_done: impl Fn() -> bool) {
    while !is_done() {
        let Some(strand) = innermost() else {
            // The work for which this fiber waits may use this stack, so this thread must not unwind the stack.
            crate::platform::say(format_args!(
                "heist: a fiber cannot be suspended where it could be before; please report this"
            ));
            std::process::abort();
        };
        note_wait(reason);
        // SAFETY: `innermost` has just returned this strand, and the fiber does not unwind, by the
        // caller's duty; so the strand is the current one.
        unsafe { strand.suspend() };
    }
}

impl Strand {
    /// Polls a future on behalf of the fiber.
    ///
    /// # Safety
    /// The strand must be the [current](current) strand.
    pub(super) unsafe fn poll<F: Future>(&self, future: Pin<&mut F>) -> Poll<F::Output> {
        struct Polling<'a>(&'a Cell<bool>);
        impl Drop for Polling<'_> {
            fn drop(&mut self) {
                self.0.set(false);
            }
        }
        self.polling.set(true);
        let _polling = Polling(&self.polling);
        // SAFETY: the context lives until the poll in which the fiber runs returns, and the fiber is
        // not suspended before this call returns.
        future.poll(unsafe { &mut *self.context.get().cast::<Context<'_>>() })
    }

    /// Gives the thread back to the worker until the fiber's task is woken.
    ///
    /// The function is inlined because a processor predicts that each return goes back to the last call, and this prediction fails after a
    /// switch of stacks. Each call that is inlined around the switch saves two such mispredictions.
    ///
    /// # Safety
    /// The strand must be the [current](current) strand.
    #[inline(always)]
    pub(super) unsafe fn suspend(&self) {
        // SAFETY: the strand is current, so this runs on the fiber's own stack.
        unsafe { (*self.suspender.get()).suspend() };
    }
}
