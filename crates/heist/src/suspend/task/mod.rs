//! A suspending task: a future on the heap, together with the data that the scheduler needs for this task.

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
    /// The entry by which the task is queued once a worker has begun it. Tasks that cannot be claimed always use
    /// this entry.
    listed: Listed,
    /// The entry by which a claimable task is queued before a worker has begun it. After a getter has claimed the
    /// task, this entry may still be in the first queue, although the task itself may be in another queue.
    first: Header,
    state: State,
    nature: &'static Nature,
    /// The pool that runs the task. The pointer is valid until the task is done.
    pool: *const PoolInner,
    /// Owner only: the number of references that the polling thread has made during this poll, minus the number of
    /// references that it has given up.
    pending: Cell<i64>,
    /// Owner only: true if the polling thread has woken the task during this poll.
    woken: Cell<bool>,
    /// True if the wait must panic, because the event for which the task waits will not come. The thread that has found
    /// a deadlock sets this flag while no thread owns the task; the owner clears it.
    broken: AtomicBool,
    /// Owner only: the roll that lists the task, once it has been suspended.
    roll: Cell<RollOf>,
    /// The delays for which a delayed task must still wait.
    delays: Delays,
    /// The place where the task was spawned.
    origin: &'static Location<'static>,
    /// Owner only: the reason of the task's wait.
    waits: Cell<Reason>,
}

/// Functions that depend on a task's types.
#[derive(Debug)]
struct Nature {
    free: unsafe fn(*const Core),
    info: unsafe fn(*const Core) -> TaskInfo,
    context: unsafe fn(*const Core) -> worker::Context,
    /// True for a fiber. A fiber may not be dropped while it waits, and may be bound to a thread.
    fiber: bool,
    /// The function that runs the tasks that delay the task; `None` if the task is not delayed.
    help: Option<unsafe fn(*const Core)>,
}

/// The roll that lists a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RollOf {
    Nobody,
    PoolInner,
    Worker(u16),
    /// The roll of the worker to whose thread the fiber is bound. The fiber continues only on that
    /// thread.
    Pinned(u16),
}

/// A task's core, and the data to which its handles refer.
#[derive(Debug)]
#[repr(C)]
struct Shared<D> {
    core: Core,
    /// The number of holders of the data. All holders together have one of the core's references.
    holders: Holders,
    /// The data of the task. The data exists until the last holder is gone. A waker may exist longer, but keeps only the memory alive.
    data: ManuallyDrop<D>,
}

/// Gives up a holder of the data, and drops the data after the last holder. Returns true if the caller was the last holder; then the caller
/// gets the one reference that all holders share.
///
/// # Safety
/// `this` must be live, and the caller must own the holder.
unsafe fn release<D>(this: *mut Shared<D>) -> bool {
    // SAFETY: `this` is live by contract.
    if !unsafe { (*this).holders.release() } {
        return false;
    }
    // SAFETY: the last holder is gone, so no code accesses the data any more. The data is dropped once, because no
    // holder can be added any more.
    unsafe { discard_in_place(&mut (*this).data) };
    true
}

#[repr(C)]
struct Task<F, D> {
    shared: Shared<D>,
    /// The future, which only the owner accesses. The future exists until the task is done.
    future: UnsafeCell<ManuallyDrop<F>>,
}

/// The receiver of a task's result.
pub(crate) trait Receiver<T> {
    /// Takes the result. The worker that ran the task to its end calls this function once, after it has dropped the future.
    fn receive(&self, result: Result<T, Payload>);
}

/// The data of a task that may belong to a scope.
pub(crate) trait Scoped {
    /// Returns the context of the workers that wait for the scope. A worker that waits for the scope may run the task
    /// during its wait.
    fn context(&self) -> worker::Context {
        worker::Context::NONE
    }
}

/// # Safety
/// `core` must point to the start of a `Shared<D>`.
unsafe fn context_of<D: Scoped>(core: *const Core) -> worker::Context {
    // SAFETY: by contract, `core` begins a live `Shared<D>`.
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

    /// Returns true if the current thread polls this task. The function is not inlined, because the caller may be a fiber's code.
    #[inline(never)]
    fn is_polled_here(&self) -> bool {
        std::ptr::eq(local().polled.get(), self)
    }

    /// Sets the count of this poll's references to `pending`, as if the poll had made `pending`
    /// references and dropped none.
    #[cfg(all(test, not(heist_model)))]
    pub(super) fn set_pending(&self, pending: i64) {
        self.pending.set(pending);
    }

    /// Adds a reference. The caller must have a reference.
    pub(super) fn add_ref(&self) {
        if self.is_polled_here() {
            self.pending.set(state::sum_of_refs(self.pending.get(), 1));
        } else {
            self.state.add_ref();
        }
    }

    /// Gives up a reference.
    ///
    /// # Safety
    /// `this` must be live, and the caller must own the reference.
    pub(super) unsafe fn drop_ref(this: *const Core) {
        // SAFETY: the task is live by contract; the thread that gives up the last reference frees it.
        unsafe {
            if (*this).is_polled_here() {
                (*this).pending.set((*this).pending.get() - 1);
            } else if (*this).state.drop_ref() {
                ((*this).nature.free)(this);
            }
        }
    }

    /// Makes sure that the task is polled again. Gives up a reference if `last` is set.
    ///
    /// # Safety
    /// `this` must be live, and the caller must own the reference.
    pub(super) unsafe fn wake(this: *const Core, last: bool) {
        // SAFETY: the task is live by contract. A task that the caller must queue is not done, and stays in place until it is done.
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
    /// Records why the task that this thread polls has to wait. Returns false if the thread polls no task. The function is not inlined into
    /// its only caller, which may be a fiber's code.
    pub(super) fn note(reason: Reason) -> bool {
        let polled = local().polled.get();
        // SAFETY: the task is live, because this thread polls the task and so owns it.
        let Some(core) = (unsafe { polled.as_ref() }) else {
            return false;
        };
        core.waits.set(reason);
        true
    }

    /// Returns the recorded reason of the task that this thread polls, or `None` if the thread
    /// polls no task.
    pub(super) fn noted() -> Option<Reason> {
        // SAFETY: the task is live, because this thread polls the task and so owns it.
        unsafe { local().polled.get().as_ref() }.map(|core| core.waits.get())
    }

    /// Puts the task on a roll, before it is suspended for the first time. If the current thread is a worker, the roll belongs to this
    /// worker. Otherwise the roll belongs to the pool. If the pool pins fibers, the call binds a fiber to the current thread, where the
    /// fiber has begun.
    ///
    /// # Safety
    /// `this` must be live. The caller must own the task. The task's owner must remove the task from the roll ([`strike`](Self::strike))
    /// before the task ends.
    #[cold]
    unsafe fn enroll(this: *const Core, worker: Option<&WorkerThread>) {
        // SAFETY: by contract. The pool exists until the task is done.
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
    /// `this` must be live, and the caller must own the task.
    #[cold]
    unsafe fn strike(this: *const Core) {
        // SAFETY: by contract. The pool and its workers exist until the task is done.
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

    /// Passes each suspended task of a roll to `visit`.
    ///
    /// # Safety
    /// During the call, no thread may poll, wake or end a task of the roll.
    pub(crate) unsafe fn for_each_suspended(roll: &Roll, mut visit: impl FnMut(Suspended)) {
        roll.for_each(|listed| {
            let core = listed.cast::<Core>();
            // SAFETY: each entry of a roll is live, and is a core.
            if unsafe { &*core }.state.is_suspended() {
                visit(Suspended(core));
            }
        });
    }
}

/// A suspended task from a roll. The task stays suspended during the call of [`Core::for_each_suspended`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspended(*const Core);

impl Suspended {
    /// # Safety
    /// The task must still be suspended, and no thread may wake it during this call.
    pub(crate) unsafe fn info(self) -> TaskInfo {
        // SAFETY: no worker owns the task, so no thread accesses its cells and its future.
        unsafe { ((*self.0).nature.info)(self.0) }
    }

    /// Marks the wait of the task as broken: the event will not come. The caller must then [wake](Broken::wake) the returned task. Returns
    /// `None` if the task cannot leave its wait before the event occurs.
    ///
    /// # Safety
    /// The task must still be suspended, and no thread may wake it during the call.
    pub(crate) unsafe fn give_up(self) -> Option<Broken> {
        // SAFETY: a task that is not done refers to itself, so it is live.
        let core = unsafe { &*self.0 };
        if !core.waits.get().can_be_left() {
            return None;
        }
        // Relaxed: the task's next wake-up comes after this store, and publishes it.
        core.broken.store(true, Ordering::Relaxed);
        core.state.add_ref();
        Some(Broken(self.0))
    }
}

/// A reference to a suspended task whose wait will not end.
#[derive(Debug)]
#[must_use = "it must be woken"]
pub(crate) struct Broken(*const Core);

impl Broken {
    /// Makes sure that the task is polled. In this poll, the task's wait panics.
    pub(crate) fn wake(self) {
        // SAFETY: the reference belongs to this value, which gives it up.
        unsafe { Core::wake(self.0, true) };
    }
}

/// A future with inputs. A delayed future should be polled when all its inputs are ready; an earlier poll returns `Pending`.
pub(crate) trait Delayed: Future {
    /// Returns the number of inputs.
    fn count(&self) -> u32;

    /// Begins to wait for each input, with the context's waker. Returns the number of inputs that are ready already.
    /// For each input that is not ready, clones the waker; the clone is called once.
    fn begin(self: Pin<&mut Self>, context: &mut Context<'_>) -> u32;

    /// Returns the first input that is not ready.
    fn lacks(&self) -> Option<Site>;

    /// Runs the tasks that make the inputs ready, if they may run on this thread.
    fn help(&self);
}

impl Core {
    /// Counts an event for which a delayed task waits.
    ///
    /// # Safety
    /// `this` must be live, and the caller must own a reference. The call gives up the caller's reference.
    pub(super) unsafe fn count_down(this: *const Core) {
        // SAFETY: the task is live by contract.
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
/// The caller must keep the contract of [`Header::execute`]. `this` must be the header of a
/// `Task<F, D>`.
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
    // This thread first reports the tasks that it has finished to their scope, so that the scope need not wait
    // until this poll ends.
    worker.flush();
    // SAFETY: the worker that takes a task from a queue owns the task. Until `suspend` or `complete` no other thread
    // accesses the cells and the future, and no thread frees the memory, because the task refers to itself.
    let core = unsafe { &(*task).shared.core };
    core.state.begin();
    // This pointer is not made from the reference, because it must be valid for the whole task.
    let whole: *const Core = task.cast_const().cast();
    let outer = local.polled.replace(whole);
    worker.trace(EventKind::PollBegins {
        task: this.addr() as u64,
        spawned: core.origin,
        fiber: core.nature.fiber,
    });
    // Relaxed: the thread that found a deadlock set the flag before it woke the task. A separate store may clear the flag, because only the
    // owner accesses the flag now.
    let broken = core.broken.load(Ordering::Relaxed);
    let mut foreign = false;
    if broken {
        core.broken.store(false, Ordering::Relaxed);
        foreign = !core.nature.fiber && core.waits.get() == Reason::Foreign;
        Breaking::set(true);
    }
    core.waits.set(Reason::Foreign);
    // The task may outlive all cancel scopes in which this thread runs. The thread leaves these scopes before a fiber records its place.
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
                // The future for which the task waits is not part of Heist, and does not check for
                // deadlocks.
                break 'pending Err(broken::payload(Reason::Foreign));
            }
            if core.roll.get() == RollOf::Nobody {
                // SAFETY: this worker owns the task, and strikes it off below, before the task's
                // end.
                unsafe { Core::enroll(whole, Some(worker)) };
            }
            let pending = core.pending.take();
            let how = if core.woken.get() {
                PollEnd::Yielded
            } else {
                PollEnd::Suspended
            };
            // The event is recorded while the task still belongs to this thread.
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
    // SAFETY: this worker still owns the task. The future is dropped once, because this is the task's
    // last poll.
    unsafe {
        if core.roll.get() != RollOf::Nobody {
            Core::strike(core);
        }
        discard_in_place(&mut *(*task).future.get());
        worker.trace(EventKind::PollEnds { how: PollEnd::Done });
        (*task).shared.data.receive(result);
        worker.counters.async_ends.add(1);
        // The task ceases to be a holder of the data. If it was the last holder, it also gives up the
        // reference that the holders have together.
        let given = i64::from(release(task.cast::<Shared<D>>()));
        if core.state.complete(core.pending.take() - given) {
            free::<F, D>(whole);
        }
    }
}

/// Drops a future, or a task's data. Never unwinds.
///
/// # Safety
/// The caller must not use the value any more.
unsafe fn discard_in_place<T>(value: &mut ManuallyDrop<T>) {
    // SAFETY: by contract, the caller does not use the value any more, so it is dropped once.
    let dropped = catch_unwind(AssertUnwindSafe(|| unsafe { ManuallyDrop::drop(value) }));
    if let Err(payload) = dropped {
        // The drop of the payload may panic, too.
        std::mem::forget(payload);
    }
}

/// # Safety
/// `core` must point to the start of a `Task<F, D>` on the heap. No other code may refer to the task.
unsafe fn free<F, D>(core: *const Core) {
    // SAFETY: by contract. The future and the data are dropped already, and `ManuallyDrop` keeps them from being
    // dropped again.
    drop(unsafe { Box::from_raw(core.cast_mut().cast::<Task<F, D>>()) });
}
