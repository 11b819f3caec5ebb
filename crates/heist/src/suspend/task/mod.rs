//! A suspending task: a future on the heap, with the scheduler's data about it.

mod handle;
mod in_place;
mod info;

pub(crate) use handle::Handle;
pub(crate) use in_place::Helped;
use info::TaskInfo;
pub(crate) use info::{Labelled, TaskKind};

use super::broken::{self, Breaking};
use super::state::{self, Delays, Holders, State, Wake};
use super::waker;
use crate::task::{Header, Listed, Payload, Roll};
use crate::trace::{EventKind, PollEnd};
use crate::waiting::{Reason, Site};
use crate::worker::{self, PoolInner, WorkerThread, local};
use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

/// The part of a task that does not depend on its types.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Core {
    /// The entry in queues once the task has been begun; of tasks that cannot be claimed, always.
    listed: Listed,
    /// The entry in a queue before the task is begun. It may still be in that queue after a getter has claimed the
    /// task, which may be in another queue by then.
    first: Header,
    state: State,
    nature: &'static Nature,
    /// The pool that runs it. Valid until the task is done.
    pool: *const PoolInner,
    /// Owner only: references that were made less those that were given up during this poll, on the
    /// polling thread.
    pending: Cell<i64>,
    /// Owner only: woken during this poll on the polling thread.
    woken: Cell<bool>,
    /// Set if the event for which it waits will not come: the wait is to panic. Set by the thread that has found
    /// a deadlock, while no thread owns the task; taken by the owner.
    broken: AtomicBool,
    /// Owner only: on whose roll it stands, once it has been suspended.
    roll: Cell<RollOf>,
    /// Delays for which a delayed task has yet to wait.
    delays: Delays,
    /// Place where it was spawned.
    origin: &'static Location<'static>,
    /// Owner only: the subject of its wait.
    waits: Cell<Reason>,
}

/// Functions that depend on a task's types.
#[derive(Debug)]
struct Nature {
    free: unsafe fn(*const Core),
    info: unsafe fn(*const Core) -> TaskInfo,
    context: unsafe fn(*const Core) -> worker::Context,
    /// Whether it is a fiber: that may not be dropped while it waits, and may be bound to a thread.
    fiber: bool,
    /// Runs what delays it, if it is delayed.
    help: Option<unsafe fn(*const Core)>,
}

/// The roll on which a task stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RollOf {
    Nobody,
    PoolInner,
    Worker(u16),
    /// The roll of the worker to whose thread the fiber is bound: it continues nowhere else.
    Pinned(u16),
}

/// A task's core and what its handles are about.
#[derive(Debug)]
#[repr(C)]
struct Shared<D> {
    core: Core,
    /// Keeps the data. All of its holders together have one of the core's references.
    holders: Holders,
    /// There until the last holder is gone: wakers, which may outlive that, keep the memory only.
    data: ManuallyDrop<D>,
}

/// Gives up a holder of the data, and drops the data after the last one. True if it was the last: the
/// reference that the holders have together is the caller's then.
///
/// # Safety
/// `this` is live, and the holder was the caller's.
unsafe fn release<D>(this: *mut Shared<D>) -> bool {
    // SAFETY: live by contract.
    if !unsafe { (*this).holders.release() } {
        return false;
    }
    // SAFETY: the last holder is gone, so no code looks at the data any more. Dropped once: no holder can be
    // made from here on.
    unsafe { discard_in_place(&mut (*this).data) };
    true
}

#[repr(C)]
struct Task<F, D> {
    shared: Shared<D>,
    /// Owner only, until the task is done: then it is gone.
    future: UnsafeCell<ManuallyDrop<F>>,
}

/// Receiver of the result of a task.
pub(crate) trait Receiver<T> {
    /// Takes it. Called once, on the worker that ran the task to its end, after the future was dropped.
    fn receive(&self, result: Result<T, Payload>);
}

/// A part that may belong to a scope.
pub(crate) trait Scoped {
    /// The context of a worker that waits for the scope, and so may run the task during the wait.
    fn context(&self) -> worker::Context {
        worker::Context::NONE
    }
}

/// # Safety
/// `core` begins a `Shared<D>`.
unsafe fn context_of<D: Scoped>(core: *const Core) -> worker::Context {
    // SAFETY: by contract.
    unsafe { (*core.cast::<Shared<D>>()).data.context() }
}

impl Core {
    fn new(
        execute: unsafe fn(*mut Header),
        nature: &'static Nature,
        pool: *const PoolInner,
        state: State,
        delays: Delays,
        origin: &'static Location<'static>,
    ) -> Self {
        Core {
            listed: Listed::new(Header::new(execute)),
            first: Header::new(in_place::begin),
            state,
            nature,
            pool,
            pending: Cell::new(0),
            woken: Cell::new(false),
            broken: AtomicBool::new(false),
            roll: Cell::new(RollOf::Nobody),
            delays,
            origin,
            waits: Cell::new(Reason::Foreign),
        }
    }

    /// Whether the current thread polls this task. Not inlined, as the caller may be a fiber's code.
    #[inline(never)]
    fn is_polled_here(&self) -> bool {
        std::ptr::eq(local().polled.get(), self)
    }

    /// Acts as if this number of references had been made in this poll, and none dropped.
    #[cfg(all(test, not(heist_model)))]
    pub(super) fn set_pending(&self, pending: i64) {
        self.pending.set(pending);
    }

    /// Makes a reference more. The caller has a reference.
    pub(super) fn add_ref(&self) {
        if self.is_polled_here() {
            self.pending.set(state::sum_of_refs(self.pending.get(), 1));
        } else {
            self.state.add_ref();
        }
    }

    /// Gives a reference up.
    ///
    /// # Safety
    /// `this` is live, and the reference was the caller's.
    pub(super) unsafe fn drop_ref(this: *const Core) {
        // SAFETY: live by contract; the thread that gives up the last reference frees it.
        unsafe {
            if (*this).is_polled_here() {
                (*this).pending.set((*this).pending.get() - 1);
            } else if (*this).state.drop_ref() {
                ((*this).nature.free)(this);
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
                Wake::Queue => {
                    let (pool, task) = ((*this).pool, this.cast_mut().cast());
                    match (*this).roll.get() {
                        RollOf::Pinned(worker) => PoolInner::resume_at(pool, worker, task),
                        _ => PoolInner::resume(pool, task, || ((*this).nature.context)(this)),
                    }
                }
                Wake::Free => ((*this).nature.free)(this),
                Wake::Nothing => {}
            }
        }
    }
}

impl Core {
    /// Notes what the task that is polled here waits for. False if none is. Not inlined into its only caller,
    /// which may be a fiber's code.
    pub(super) fn note(reason: Reason) -> bool {
        let polled = local().polled.get();
        // SAFETY: it is live and this thread owns it for as long as it is polled here.
        let Some(core) = (unsafe { polled.as_ref() }) else {
            return false;
        };
        core.waits.set(reason);
        true
    }

    /// Reason noted by the task that is polled here, if one is.
    pub(super) fn noted() -> Option<Reason> {
        // SAFETY: as above.
        unsafe { local().polled.get().as_ref() }.map(|core| core.waits.get())
    }

    /// Puts the task on the roll of the current thread's worker, or else of the pool, as it is going to
    /// be suspended for the first time. Binds a fiber that is to be pinned to the thread: it has begun
    /// there.
    ///
    /// # Safety
    /// `this` is live, and the caller owns the task. It is [struck off](Self::strike) before its end.
    #[cold]
    unsafe fn enroll(this: *const Core, worker: Option<&WorkerThread>) {
        // SAFETY: by contract. The pool is there until the task is done.
        unsafe {
            let (of, roll) = match worker {
                Some(worker) if (*this).nature.fiber && worker.pool().settings.pinned => {
                    (RollOf::Pinned(worker.id), &worker.suspended)
                }
                Some(worker) => (RollOf::Worker(worker.id), &worker.suspended),
                None => (RollOf::PoolInner, &(*(*this).pool).suspended),
            };
            (*this).roll.set(of);
            roll.enter(this.cast());
        }
    }

    /// Takes the task off its roll.
    ///
    /// # Safety
    /// `this` is live, and the caller owns the task.
    #[cold]
    unsafe fn strike(this: *const Core) {
        // SAFETY: by contract. The pool is there until the task is done, and so are its workers.
        unsafe {
            let pool = &*(*this).pool;
            let roll = match (*this).roll.replace(RollOf::Nobody) {
                RollOf::Nobody => None,
                RollOf::PoolInner => Some(&pool.suspended),
                RollOf::Worker(id) | RollOf::Pinned(id) => {
                    pool.worker(id.into()).map(|of| &of.suspended)
                }
            };
            if let Some(roll) = roll {
                roll.strike(this.cast());
            }
        }
    }

    /// Shows each task that stands on a roll and is suspended to `visit`.
    ///
    /// # Safety
    /// No thread that polls, wakes or ends tasks of the roll may act during the call.
    pub(crate) unsafe fn for_each_suspended(roll: &Roll, mut visit: impl FnMut(Suspended)) {
        roll.for_each(|listed| {
            let core = listed.cast::<Core>();
            // SAFETY: what stands on a roll is live, and a core: only those are entered.
            if unsafe { &*core }.state.is_suspended() {
                visit(Suspended(core));
            }
        });
    }
}

/// A suspended task, found on a roll. See [`Core::for_each_suspended`] for how long it is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspended(*const Core);

impl Suspended {
    /// # Safety
    /// The task must still be suspended, and no thread may wake it during the call.
    pub(crate) unsafe fn info(self) -> TaskInfo {
        // SAFETY: no worker owns the task, so that its cells and its future are at rest.
        unsafe { ((*self.0).nature.info)(self.0) }
    }

    /// Marks its wait as one that will not end, if it can be left before its end. Then it must be
    /// [woken](Broken::wake).
    ///
    /// # Safety
    /// The task must still be suspended, and no thread may wake it during the call.
    pub(crate) unsafe fn give_up(self) -> Option<Broken> {
        // SAFETY: a task that is not done refers to itself, so it is live.
        let core = unsafe { &*self.0 };
        if !core.waits.get().can_be_left() {
            return None;
        }
        // Relaxed: the wake-up tells of it, as it is the first one from here on.
        core.broken.store(true, Ordering::Relaxed);
        core.state.add_ref();
        Some(Broken(self.0))
    }
}

/// A suspended task whose wait will not end, with a reference to it.
#[derive(Debug)]
#[must_use = "it must be woken"]
pub(crate) struct Broken(*const Core);

impl Broken {
    /// Has it polled, whereupon its wait panics.
    pub(crate) fn wake(self) {
        // SAFETY: the reference is this one's, and given up.
        unsafe { Core::wake(self.0, true) };
    }
}

/// A future that should be polled after some events have happened, and is pending before.
pub(crate) trait Delayed: Future {
    /// Number of inputs.
    fn count(&self) -> u32;

    /// Begins to wait for each, with the context's waker. Returns how many there are already; for each of the
    /// others the waker is cloned and called once.
    fn begin(self: Pin<&mut Self>, context: &mut Context<'_>) -> u32;

    /// The first of them that has not come about.
    fn lacks(&self) -> Option<Site>;

    /// Runs here what brings them about, if it may be run here.
    fn help(&self);
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
    let local = local();
    let Some(worker) = local.worker() else {
        unreachable!("tasks run on workers");
    };
    // What this thread has finished of a scope must not wait for whatever this task does.
    worker.flush();
    // SAFETY: the worker that takes it from a queue owns it. Until `suspend` or `complete` no other thread touches the
    // cells and the future, and none frees the memory: the task refers to itself.
    let core = unsafe { &(*task).shared.core };
    core.state.begin();
    // Not from the reference: it leads to the whole task.
    let whole: *const Core = task.cast_const().cast();
    let outer = local.polled.replace(whole);
    worker.trace(EventKind::PollBegins {
        task: this.addr() as u64,
        spawned: core.origin,
        fiber: core.nature.fiber,
    });
    // Relaxed, and not taken in one step: set by the thread that found a deadlock, before it woke the task.
    let broken = core.broken.load(Ordering::Relaxed);
    let mut foreign = false;
    if broken {
        core.broken.store(false, Ordering::Relaxed);
        foreign = !core.nature.fiber && core.waits.get() == Reason::Foreign;
        Breaking::set(true);
    }
    core.waits.set(Reason::Foreign);
    // It may outlive every scope that this thread is in. Before a fiber of it notes its place.
    let entered = worker.enter_none();
    // SAFETY: the waker is not dropped, so it takes none of the task's references; the future stays
    // in place, and has not ended.
    let polled = unsafe {
        let waker = ManuallyDrop::new(waker::of(whole));
        let future = Pin::new_unchecked(&mut **(*task).future.get());
        catch_unwind(AssertUnwindSafe(|| {
            future.poll(&mut Context::from_waker(&waker))
        }))
    };
    worker::leave(entered);
    local.polled.set(outer);
    if broken {
        Breaking::set(false);
    }
    let result = match polled {
        Ok(Poll::Pending) => 'pending: {
            if foreign && core.waits.get() == Reason::Foreign && !core.woken.get() {
                // What it waits for knows nothing of deadlocks.
                break 'pending Err(broken::payload(Reason::Foreign));
            }
            if core.roll.get() == RollOf::Nobody {
                // SAFETY: the caller owns the task, and strikes it off below.
                unsafe { Core::enroll(whole, Some(worker)) };
            }
            let pending = core.pending.take();
            let how = if core.woken.get() {
                PollEnd::Yielded
            } else {
                PollEnd::Suspended
            };
            // While the task is this thread's still.
            worker.trace(EventKind::PollEnds { how });
            if !core.woken.replace(false) && core.state.suspend(pending) {
                worker.counters.suspensions.add(1);
                return;
            }
            core.pending.set(pending);
            match core.roll.get() {
                RollOf::Pinned(_) => worker.push_bound(this),
                _ => worker.push_ready(local, this),
            }
            return;
        }
        Ok(Poll::Ready(value)) => Ok(value),
        Err(payload) => Err(payload),
    };
    // SAFETY: as above; dropped once, as the future has ended and is never polled again.
    unsafe {
        if core.roll.get() != RollOf::Nobody {
            Core::strike(core);
        }
        discard_in_place(&mut *(*task).future.get());
        worker.trace(EventKind::PollEnds { how: PollEnd::Done });
        (*task).shared.data.receive(result);
        worker.counters.async_ends.add(1);
        // The task's own hold on the data; the holders' reference with it if it was the last.
        let given = i64::from(release(task.cast::<Shared<D>>()));
        if core.state.complete(core.pending.take() - given) {
            free::<F, D>(whole);
        }
    }
}

/// Drops a future, or a task's data, where nothing may unwind.
///
/// # Safety
/// The task is not used any more.
unsafe fn discard_in_place<T>(value: &mut ManuallyDrop<T>) {
    // SAFETY: by contract.
    let dropped = catch_unwind(AssertUnwindSafe(|| unsafe { ManuallyDrop::drop(value) }));
    if let Err(payload) = dropped {
        // Its drop may panic in turn.
        std::mem::forget(payload);
    }
}

/// # Safety
/// `core` begins a `Task<F, D>` on the heap, to which nothing else refers.
unsafe fn free<F, D>(core: *const Core) {
    // SAFETY: by contract. The future and the data are gone, and wrapped so that they are not dropped again.
    drop(unsafe { Box::from_raw(core.cast_mut().cast::<Task<F, D>>()) });
}
