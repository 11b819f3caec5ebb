//! References to a task from outside, and the start of tasks.

use super::info::{Describe, Labelled, NatureOf, OfAsync, OfDelayed, OfFiber};
use super::{Core, Delayed, Helped, Receiver, Scoped, Shared, Task, release, run};
use crate::spans::carried_future;
use crate::suspend::site::{for_no_task, take_wait};
use crate::suspend::state::{Delays, Holders, State};
use crate::suspend::waker;
use crate::task::Header;
use crate::worker::{self, PoolInner};
use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::Location;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::Context;

unsafe fn never(_: *mut Header) {
    unreachable!("there is no task to run");
}

/// Allocates a task. The task's data has `holders` holders. The thread that gives up the last reference frees the task.
fn leak<F, D>(core: Core, data: D, holders: u32, future: F) -> NonNull<Task<F, D>> {
    NonNull::from(Box::leak(Box::new(Task {
        shared: Shared {
            core,
            holders: Holders::new(holders),
            data: ManuallyDrop::new(data),
        },
        future: UnsafeCell::new(ManuallyDrop::new(future)),
    })))
}

/// The number of holders of a new task: the handle, and the task itself until it has given its result.
const WITH_TASK: u32 = 2;

/// A counted reference, like an `Arc`. The handle refers to a task's data, or to data without a task. Wakers of the task do not keep the
/// data alive.
#[derive(Debug)]
pub(crate) struct Handle<D>(NonNull<Shared<D>>);

// SAFETY: like an `Arc`, a handle gives shared references to the data, and the last handle drops the data.
unsafe impl<D: Send + Sync> Send for Handle<D> {}
// SAFETY: like an `Arc`, a handle gives shared references to the data, and the last handle drops the data.
unsafe impl<D: Send + Sync> Sync for Handle<D> {}

impl<D> Handle<D> {
    /// Returns a handle for data without a task.
    pub(crate) fn without_task(data: D, origin: &'static Location<'static>) -> Self
    where
        D: Scoped,
    {
        let core = Core::new(
            never,
            NatureOf::<(), D, OfAsync>::VALUE,
            std::ptr::null(),
            State::done(1),
            Delays::new(0),
            origin,
        );
        Handle(leak(core, data, 1, ()).cast())
    }

    /// Starts a task on a pool. The pool's workers poll `future`.
    ///
    /// # Safety
    /// The values that the future borrows must live until the data has received the result.
    pub(crate) unsafe fn spawn<F>(
        pool: &PoolInner,
        future: F,
        data: D,
        origin: &'static Location<'static>,
    ) -> Self
    where
        F: Future + Send,
        D: Receiver<F::Output> + Scoped + Send + Sync,
    {
        // SAFETY: by the caller's contract, the future's borrows live until the data has received
        // the result.
        unsafe { Self::spawn_as::<_, OfAsync>(pool, carried_future(future), data, origin) }
    }

    /// Starts a fiber on a pool, as [`spawn`](Self::spawn) starts a future.
    ///
    /// # Safety
    /// The values that the future borrows must live until the data has received the result.
    pub(crate) unsafe fn spawn_fiber<F>(pool: &PoolInner, fiber: F, data: D) -> Self
    where
        F: Future + Labelled + Send,
        D: Receiver<F::Output> + Scoped + Send + Sync,
    {
        let origin = fiber.label().spawned;
        // SAFETY: by the caller's contract, the future's borrows live until the data has received
        // the result.
        unsafe { Self::spawn_as::<_, OfFiber>(pool, carried_future(fiber), data, origin) }
    }

    /// # Safety
    /// The values that the future borrows must live until the data has received the result.
    unsafe fn spawn_as<F, P>(
        pool: &PoolInner,
        future: F,
        data: D,
        origin: &'static Location<'static>,
    ) -> Self
    where
        F: Future + Send,
        D: Receiver<F::Output> + Scoped + Send + Sync,
        P: Describe<F>,
    {
        pool.assert_not_forked();
        let nature = NatureOf::<F, D, P>::VALUE;
        let context = data.context();
        // A task of a scope has no getters, and a getter may not run a fiber.
        let claimable = context == worker::Context::NONE && !nature.fiber;
        let state = match claimable {
            true => State::unbegun(1),
            false => State::queued(1),
        };
        let core = Core::new(run::<F, D>, nature, pool, state, Delays::new(0), origin);
        let task = leak(core, data, WITH_TASK, future);
        let header: *mut Header = task.as_ptr().cast();
        let entry = match claimable {
            // SAFETY: the new task is not done before it has been queued, so its memory is live.
            true => unsafe { &raw mut (*task.as_ptr()).shared.core.first },
            false => header,
        };
        pool.begin_task(entry, header, context);
        Handle(task.cast())
    }

    /// Creates a task that is queued when all events that delay its future have occurred.
    ///
    /// # Safety
    /// The values that the future borrows must live until the data has received the result.
    pub(crate) unsafe fn spawn_delayed<F>(
        pool: &PoolInner,
        future: F,
        data: D,
        origin: &'static Location<'static>,
    ) -> Self
    where
        F: Delayed + Send,
        D: Receiver<F::Output> + Scoped + Send + Sync,
    {
        // SAFETY: by the caller's contract, the future's borrows live until the data has received
        // the result.
        unsafe { Self::delay(pool, carried_future(future), data, origin) }
    }

    /// # Safety
    /// The values that the future borrows must live until the data has received the result.
    unsafe fn delay<F>(
        pool: &PoolInner,
        future: F,
        data: D,
        origin: &'static Location<'static>,
    ) -> Self
    where
        F: Delayed + Send,
        D: Receiver<F::Output> + Scoped + Send + Sync,
    {
        pool.assert_not_forked();
        let nature = NatureOf::<F, D, OfDelayed>::VALUE;
        // The count is one more than the number of inputs, until a waiter is queued at each input.
        let count = future.count();
        let delays = Delays::new(count + 1);
        let core = Core::new(
            run::<F, D>,
            nature,
            pool,
            State::suspended(1),
            delays,
            origin,
        );
        let task = leak(core, data, WITH_TASK, future);
        let worker = pool.count_begin();
        // SAFETY: the task is not queued, and so not polled, before the last count below, so the future belongs to this
        // thread until then. The future stays in place, and the waker is not dropped, so it gives up no reference.
        unsafe {
            let core = &(*task.as_ptr()).shared.core;
            let waker = ManuallyDrop::new(waker::counting(task.as_ptr().cast()));
            let future = Pin::new_unchecked(&mut **(*task.as_ptr()).future.get());
            let there = for_no_task(|| future.begin(&mut Context::from_waker(&waker)));
            take_wait();
            if there < count {
                Core::enroll(task.as_ptr().cast(), worker);
            }
            if core.delays.count_down(there + 1) {
                Core::wake(task.as_ptr().cast(), false);
            }
        }
        Handle(task.cast())
    }

    fn core(&self) -> &Core {
        // SAFETY: the memory is live while a handle exists.
        unsafe { &(*self.0.as_ptr()).core }
    }

    fn holders(&self) -> &Holders {
        // SAFETY: the memory is live while a handle exists.
        unsafe { &(*self.0.as_ptr()).holders }
    }

    /// Runs the task on this thread, if no worker has begun it. If the task then waits for another task that no worker
    /// has begun, runs that task, too. See [`Core::run_in_place`]. Returns true if a task ran.
    pub(crate) fn run_in_place(&self) -> bool {
        // SAFETY: the memory is live while a handle exists, and the pointer is to the whole task.
        unsafe { Core::run_in_place(self.0.as_ptr().cast(), 0) }
    }

    /// Returns a reference to the task, if it is not done.
    pub(crate) fn helped(&self) -> Option<Helped> {
        // SAFETY: the memory is live while a handle exists, and the pointer is to the whole task.
        unsafe { Core::helped(self.0.as_ptr().cast()) }
    }

    /// Returns true if an unfinished task belongs to the data.
    pub(crate) fn has_task(&self) -> bool {
        !self.core().state.is_done()
    }

    /// Returns true if there are no other references to the data, and no task belongs to it any more.
    pub(crate) fn is_last(&self) -> bool {
        // The task is a holder of the data until the task is done.
        self.holders().is_last() && self.core().state.is_done()
    }

    /// Returns the place where the task was spawned.
    pub(crate) fn origin(&self) -> &'static Location<'static> {
        self.core().origin
    }
}

impl<D> Deref for Handle<D> {
    type Target = D;

    fn deref(&self) -> &D {
        // SAFETY: the data is live while a handle exists, and all handles give only shared
        // references.
        unsafe { &(*self.0.as_ptr()).data }
    }
}

impl<D> Clone for Handle<D> {
    fn clone(&self) -> Self {
        self.holders().add();
        Handle(self.0)
    }
}

impl<D> Drop for Handle<D> {
    fn drop(&mut self) {
        // SAFETY: the memory is live, and this handle was a holder. The last holder gives up the reference that the
        // holders have together.
        unsafe {
            if release(self.0.as_ptr()) {
                Core::drop_ref(self.0.as_ptr().cast());
            }
        }
    }
}
