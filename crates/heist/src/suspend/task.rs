//! A suspending task: a future on the heap, and what the scheduler has to know of it.

use super::site::{Site, take_wait};
use super::state::{Delays, State, Wake};
use super::waker;
use crate::task::{Header, Payload, discard};
use crate::worker::{Crew, hot};
use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll};

/// The part of a task that does not depend on its types.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Core {
    header: Header,
    state: State,
    free: unsafe fn(*const Core),
    /// The crew that runs it. Valid until the task is done.
    crew: *const Crew,
    /// Owner only: references that were made less those that were given up during this poll, on the
    /// polling thread.
    pending: Cell<i32>,
    /// Owner only: woken during this poll on the polling thread.
    woken: Cell<bool>,
    /// What a delayed task has to wait for yet.
    delays: Delays,
    /// Where it was spawned.
    origin: &'static Location<'static>,
    /// Owner only: what it waits for.
    waits: Cell<Option<Site>>,
}

/// A task's core and what its handles are about.
#[derive(Debug)]
#[repr(C)]
struct Shared<D> {
    core: Core,
    data: D,
}

#[repr(C)]
struct Task<F, D> {
    shared: Shared<D>,
    /// Owner only, until the task is done: then it is gone.
    future: UnsafeCell<ManuallyDrop<F>>,
}

/// Where the result of a task goes.
pub(crate) trait Receiver<T> {
    /// Takes it. Called once, on the worker that ran the task to its end, after the future was dropped.
    fn receive(&self, result: Result<T, Payload>);
}

impl Core {
    fn new(
        execute: unsafe fn(*mut Header),
        free: unsafe fn(*const Core),
        crew: *const Crew,
        state: State,
        delays: Delays,
        origin: &'static Location<'static>,
    ) -> Self {
        Core {
            header: Header::new(execute),
            state,
            free,
            crew,
            pending: Cell::new(0),
            woken: Cell::new(false),
            delays,
            origin,
            waits: Cell::new(None),
        }
    }

    /// Whether the current thread polls this task.
    fn is_polled_here(&self) -> bool {
        std::ptr::eq(hot().polled.get(), self)
    }

    /// Makes a reference more. With a reference at hand.
    pub(super) fn add_ref(&self) {
        if self.is_polled_here() {
            self.pending.set(self.pending.get() + 1);
        } else {
            self.state.add_ref();
        }
    }

    /// Gives a reference up.
    ///
    /// # Safety
    /// `this` is live, and the reference was the caller's.
    pub(super) unsafe fn drop_ref(this: *const Core) {
        // SAFETY: live by contract; freed by whoever gives up the last reference.
        unsafe {
            if (*this).is_polled_here() {
                (*this).pending.set((*this).pending.get() - 1);
            } else if (*this).state.drop_ref() {
                ((*this).free)(this);
            }
        }
    }

    /// Has the task polled again. Gives a reference up if `last`.
    ///
    /// # Safety
    /// `this` is live, and the reference was the caller's.
    pub(super) unsafe fn wake(this: *const Core, last: bool) {
        // SAFETY: live by contract. A task that is the caller's to queue is not done, and stays in
        // place until it is.
        unsafe {
            if (*this).is_polled_here() {
                (*this).woken.set(true);
                if last {
                    (*this).pending.set((*this).pending.get() - 1);
                }
                return;
            }
            match (*this).state.wake(last) {
                Wake::Queue => Crew::resume((*this).crew, this.cast_mut().cast()),
                Wake::Free => ((*this).free)(this),
                Wake::Nothing => {}
            }
        }
    }
}

/// A future that is to be polled only when some things have come about.
pub(crate) trait Delayed: Future {
    /// How many things.
    fn count(&self) -> u32;

    /// Begins to wait for each, with the context's waker. Returns how many there are already; for each of the
    /// others the waker is cloned and called once.
    fn begin(self: Pin<&mut Self>, context: &mut Context<'_>) -> u32;
}

impl Core {
    /// One thing has come about that a delayed task waits for.
    ///
    /// # Safety
    /// `this` is live, and the reference was the caller's: it is given up.
    pub(super) unsafe fn count_down(this: *const Core) {
        // SAFETY: live by contract.
        unsafe {
            if (*this).delays.count_down(1) {
                Core::wake(this, true);
            } else {
                Core::drop_ref(this);
            }
        }
    }
}

/// Runs a task until it waits or ends.
///
/// # Safety
/// As [`Header::execute`]; `this` is the header of a `Task<F, D>`.
unsafe fn run<F, D>(this: *mut Header)
where
    F: Future,
    D: Receiver<F::Output>,
{
    let task = this.cast::<Task<F, D>>();
    let hot = hot();
    let Some(carrier) = hot.carrier() else {
        unreachable!("tasks run on workers");
    };
    // What this thread has finished of a scope must not wait for whatever this task does.
    crate::finish::flush(carrier);
    // SAFETY: who takes it from a queue owns it. Until `suspend` or `complete` nobody else touches
    // the cells and the future, and nobody frees the memory: the task refers to itself.
    let core = unsafe { &(*task).shared.core };
    core.state.begin();
    // Not from the reference: it leads to the whole task.
    let whole: *const Core = task.cast_const().cast();
    let outer = hot.polled.replace(whole);
    // SAFETY: the waker is not dropped, so it takes none of the task's references; the future stays
    // in place, and has not ended.
    let polled = unsafe {
        let waker = ManuallyDrop::new(waker::of(whole));
        let future = Pin::new_unchecked(&mut **(*task).future.get());
        catch_unwind(AssertUnwindSafe(|| {
            future.poll(&mut Context::from_waker(&waker))
        }))
    };
    hot.polled.set(outer);
    let result = match polled {
        Ok(Poll::Pending) => {
            core.waits.set(take_wait());
            let pending = core.pending.take();
            if !core.woken.replace(false) && core.state.suspend(pending.into()) {
                carrier.counters.suspensions.add(1);
                return;
            }
            core.pending.set(pending);
            carrier.push_ready(hot, this);
            return;
        }
        Ok(Poll::Ready(value)) => Ok(value),
        Err(payload) => Err(payload),
    };
    // SAFETY: as above; dropped once, as the future has ended and is never polled again.
    unsafe {
        discard_in_place(&mut *(*task).future.get());
        (*task).shared.data.receive(result);
        carrier.counters.async_ends.add(1);
        if core.state.complete(core.pending.take().into()) {
            free::<F, D>(whole);
        }
    }
}

/// Drops a future where nothing may unwind.
///
/// # Safety
/// It is not used any more.
unsafe fn discard_in_place<F>(future: &mut ManuallyDrop<F>) {
    // SAFETY: by contract.
    let dropped = catch_unwind(AssertUnwindSafe(|| unsafe { ManuallyDrop::drop(future) }));
    if let Err(payload) = dropped {
        // Its drop may panic in turn.
        std::mem::forget(payload);
    }
}

/// # Safety
/// `core` begins a `Task<F, D>` on the heap, to which nobody else refers.
unsafe fn free<F, D>(core: *const Core) {
    // SAFETY: by contract. The future is gone, and wrapped so that it is not dropped again.
    discard(unsafe { Box::from_raw(core.cast_mut().cast::<Task<F, D>>()) });
}

unsafe fn never(_: *mut Header) {
    unreachable!("there is no task to run");
}

/// Refers to a task's data, or to data without a task, as an `Arc` would.
#[derive(Debug)]
pub(crate) struct Handle<D>(NonNull<Shared<D>>);

// SAFETY: as of an `Arc`: it gives shared references to the data, and the last one drops it.
unsafe impl<D: Send + Sync> Send for Handle<D> {}
// SAFETY: as above.
unsafe impl<D: Send + Sync> Sync for Handle<D> {}

impl<D> Handle<D> {
    /// Data that no task belongs to.
    pub(crate) fn without_task(data: D, origin: &'static Location<'static>) -> Self {
        let core = Core::new(
            never,
            free::<(), D>,
            std::ptr::null(),
            State::done(1),
            Delays::new(0),
            origin,
        );
        let task = Box::new(Task {
            shared: Shared { core, data },
            future: UnsafeCell::new(ManuallyDrop::new(())),
        });
        Handle(NonNull::from(Box::leak(task)).cast())
    }

    /// Starts a task on a crew: `future` is polled on its workers.
    ///
    /// # Safety
    /// What the future borrows must live until the data has received the result.
    pub(crate) unsafe fn spawn<F>(
        crew: &Crew,
        future: F,
        data: D,
        origin: &'static Location<'static>,
    ) -> Self
    where
        F: Future + Send,
        D: Receiver<F::Output> + Send + Sync,
    {
        crew.assert_not_forked();
        let core = Core::new(
            run::<F, D>,
            free::<F, D>,
            crew,
            State::queued(1),
            Delays::new(0),
            origin,
        );
        let task = Box::new(Task {
            shared: Shared { core, data },
            future: UnsafeCell::new(ManuallyDrop::new(future)),
        });
        let task = NonNull::from(Box::leak(task));
        crew.begin_task(task.as_ptr().cast());
        Handle(task.cast())
    }

    /// Starts a task that is queued first when all that its future is delayed by has come about.
    ///
    /// # Safety
    /// As [`spawn`](Self::spawn).
    pub(crate) unsafe fn spawn_delayed<F>(
        crew: &Crew,
        future: F,
        data: D,
        origin: &'static Location<'static>,
    ) -> Self
    where
        F: Delayed + Send,
        D: Receiver<F::Output> + Send + Sync,
    {
        crew.assert_not_forked();
        // One more than there are, until all have begun.
        let delays = Delays::new(future.count() + 1);
        let core = Core::new(
            run::<F, D>,
            free::<F, D>,
            crew,
            State::suspended(1),
            delays,
            origin,
        );
        let task = Box::new(Task {
            shared: Shared { core, data },
            future: UnsafeCell::new(ManuallyDrop::new(future)),
        });
        let task = NonNull::from(Box::leak(task));
        crew.count_begin();
        // SAFETY: the task is not queued, and so not polled, before the last count below, so that the
        // future is this thread's until then. It stays in place; the waker is not dropped.
        unsafe {
            let core = &(*task.as_ptr()).shared.core;
            let waker = ManuallyDrop::new(waker::counting(task.as_ptr().cast()));
            let future = Pin::new_unchecked(&mut **(*task.as_ptr()).future.get());
            let there = future.begin(&mut Context::from_waker(&waker));
            take_wait();
            if core.delays.count_down(there + 1) {
                Core::wake(task.as_ptr().cast(), false);
            }
        }
        Handle(task.cast())
    }

    fn core(&self) -> &Core {
        // SAFETY: live while there is a handle.
        unsafe { &(*self.0.as_ptr()).core }
    }

    /// Whether nobody else refers to the data, and no task belongs to it any more.
    pub(crate) fn is_last(&self) -> bool {
        self.core().state.is_last()
    }

    /// Where it was made.
    pub(crate) fn origin(&self) -> &'static Location<'static> {
        self.core().origin
    }
}

impl<D> Deref for Handle<D> {
    type Target = D;

    fn deref(&self) -> &D {
        // SAFETY: live while there is a handle, and only shared from then on.
        unsafe { &(*self.0.as_ptr()).data }
    }
}

impl<D> Clone for Handle<D> {
    fn clone(&self) -> Self {
        self.core().add_ref();
        Handle(self.0)
    }
}

impl<D> Drop for Handle<D> {
    fn drop(&mut self) {
        // SAFETY: live, and this reference was the handle's.
        unsafe { Core::drop_ref(self.0.as_ptr().cast()) };
    }
}
