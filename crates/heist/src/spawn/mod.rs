//! Tasks for which no scope waits.

mod priority;

pub use priority::{Priority, WithPriority, with_priority};

use crate::pool::{Pool, global};
use crate::spans::carried;
use crate::suspend::{
    InPlace, Start, Unjoined, block_on, is_listened_to, note_wait, offer, run_inline, still_waits,
};
use crate::task::{Header, discard};
use crate::waiting::Reason;
use crate::worker::{Class, PoolInner, Ticket, WorkerThread, local_now};
use std::cell::UnsafeCell;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::thread;

const QUEUED: u8 = 0;
const STARTED: u8 = 1;
const DONE: u8 = 2;

/// The shared state of a spawned task.
#[repr(C)]
struct Packet<F, T> {
    header: Header,
    shared: Shared<T>,
    work: UnsafeCell<Option<F>>,
}

struct Shared<T> {
    /// The state: QUEUED, then STARTED by the thread that claims the task, then DONE.
    state: AtomicU8,
    outcome: UnsafeCell<Option<thread::Result<T>>>,
    waiter: Mutex<Option<Waker>>,
}

// SAFETY: `work` belongs to the thread that changes the state from QUEUED to STARTED. `outcome` belongs to that thread
// until DONE, and then to the holder of the handle. Both values may be sent between threads, so their types must be
// `Send`.
unsafe impl<F: Send, T: Send> Sync for Packet<F, T> {}

trait Task<T>: Start {
    fn shared(&self) -> &Shared<T>;
    fn as_start(self: Arc<Self>) -> Arc<dyn Start>;
}

impl<F, T> Task<T> for Packet<F, T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    fn shared(&self) -> &Shared<T> {
        &self.shared
    }

    fn as_start(self: Arc<Self>) -> Arc<dyn Start> {
        self
    }
}

impl<F, T> Start for Packet<F, T>
where
    F: FnOnce() -> T + Send,
    T: Send,
{
    fn is_queued(&self) -> bool {
        // Relaxed: `run` decides which thread runs the task.
        self.shared.state.load(Ordering::Relaxed) == QUEUED
    }

    fn run(&self) -> bool {
        // The Acquire of this exchange pairs with no store. The thread needs to see only the closure, and acquired the closure together
        // with the pointer. After a failure, the thread does not access the task, so the failure order is Relaxed.
        let state = &self.shared.state;
        if state
            .compare_exchange(QUEUED, STARTED, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            return false;
        }
        // SAFETY: this thread changed the state to STARTED, so both cells belong to it until DONE.
        unsafe {
            if let Some(work) = (*self.work.get()).take() {
                *self.shared.outcome.get() = Some(catch_unwind(AssertUnwindSafe(work)));
            }
        }
        // Release pairs with the Acquire in `is_done`.
        state.store(DONE, Ordering::Release);
        let waiter = self.shared.waiter().take();
        if let Some(waiter) = waiter {
            // The waker is code of some executor, which must not unwind into the scheduler.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waiter.wake())) {
                discard(payload);
            }
        }
        true
    }
}

impl<F, T> Packet<F, T>
where
    F: FnOnce() -> T + Send,
    T: Send,
{
    unsafe fn execute(this: *mut Header) {
        // SAFETY: `spawn_on` leaked this reference for the queue. A queued header is executed once, so the reference is taken back once.
        let packet = unsafe { Arc::from_raw(this.cast_const().cast::<Self>()) };
        packet.run();
        // This may be the last reference, and the drop of the task's values must not unwind into the scheduler.
        discard(packet);
    }
}

/// A wait for the end of a task.
struct End<'a, T> {
    of: &'a Shared<T>,
    polled: bool,
}

impl<T> Future for End<'_, T> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let End { of, polled } = &mut *self;
        of.poll_done(polled, context)
    }
}

impl<T> Shared<T> {
    fn is_done(&self) -> bool {
        self.state.load(Ordering::Acquire) == DONE
    }

    fn waiter(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waiter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the task call `waker` at its end, in place of the previous waker.
    fn call(&self, waker: &Waker) {
        let mut slot = self.waiter();
        if slot.as_ref().is_some_and(|old| old.will_wake(waker)) {
            return;
        }
        drop(slot);
        // No waker is cloned or dropped under the lock, because both run foreign code.
        let waker = waker.clone();
        slot = self.waiter();
        let before = slot.replace(waker);
        drop(slot);
        drop(before);
    }

    /// Returns `Ready` if the task is done. If the task is not done, it will call the context's waker at its end. `polled` is false only at
    /// the first poll of this wait.
    fn poll_done(&self, polled: &mut bool, context: &mut Context<'_>) -> Poll<()> {
        if self.is_done() {
            return Poll::Ready(());
        }
        if *polled {
            still_waits(|| Some(Reason::Handle));
        }
        *polled = true;
        self.call(context.waker());
        // The check is repeated, because the thread that ends the task first marks it as done and then takes the waker.
        if self.is_done() {
            return Poll::Ready(());
        }
        note_wait(Reason::Handle);
        Poll::Pending
    }

    /// Takes the outcome of a task that is done.
    ///
    /// # Safety
    /// The caller must hold the only handle, and must have seen the task done.
    unsafe fn take(&self) -> thread::Result<T> {
        // SAFETY: the caller has seen DONE (Acquire), so the outcome is written, and no other thread accesses it.
        let outcome = unsafe { (*self.outcome.get()).take() };
        outcome.expect("heist: a JoinHandle was asked again after it had given its task's outcome")
    }
}

/// A handle to a task of [`spawn`], with which code can wait for the task. Dropping the handle detaches the task.
///
/// [`join`](Self::join) waits in a closure, a fiber or a thread. In async code the handle itself is a [`Future`]; its
/// output is the task's value or its panic. The handle works in every executor, and is cancel safe. If a `select!` or a
/// timeout gives up the wait, the task continues, and `&mut handle` can be awaited again.
///
/// ```
/// async fn digest(data: Vec<u8>) -> Result<u32, String> {
///     // On the pool's threads; the executor's stay free.
///     let sum = heist::spawn(move || data.iter().map(|byte| u32::from(*byte)).sum());
///     sum.await.map_err(|_| "it panicked".to_owned())
/// }
/// assert_eq!(heist::block_on(digest(vec![1, 2, 3])), Ok(6));
/// ```
///
/// # Panics
/// A poll or join panics if the handle has returned the outcome before. A poll panics in a child of `fork()` if
/// the task belongs to the parent's pool. A poll also panics if its wait is part of a [deadlock](crate#deadlocks) that
/// has been reported.
pub struct JoinHandle<T> {
    task: Arc<dyn Task<T>>,
    pool: Weak<PoolInner>,
    /// True if the handle has been polled. After a poll, the task may hold a waker for the handle.
    polled: bool,
    /// The ticket that identifies the task in the pool's queue.
    ticket: Ticket,
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle")
            .field("finished", &self.is_finished())
            .finish()
    }
}

impl<T> JoinHandle<T> {
    /// Returns true if the task is done.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.task.shared().is_done()
    }

    /// Waits for the task and returns its value. A [fiber](crate::spawn_fiber) is suspended while it waits. Any other code on a worker runs
    /// the task itself, if no worker has started the task and half of the thread's stack is left. If the worker cannot run the task itself,
    /// it gives its slot away while it waits.
    ///
    /// # Errors
    /// Returns the task's panic.
    ///
    /// # Panics
    /// Panics if the handle has returned the outcome to a poll before. Panics in a child of `fork()` if the task
    /// belongs to the parent's pool. Panics if this wait is part of a [deadlock](crate#deadlocks) that has been
    /// reported. Panics in an [isolated](crate::sync::isolated) section if the call has to wait.
    pub fn join(self) -> thread::Result<T> {
        let shared = self.task.shared();
        if !shared.is_done() {
            run_inline(&self.pool, self.ticket, || self.task.run());
            // The task may still be unfinished, because another thread has begun it.
            if !shared.is_done() {
                if let Some(pool) = self.pool.upgrade() {
                    pool.assert_not_forked();
                }
                block_on(End {
                    of: shared,
                    polled: false,
                });
            }
        }
        // SAFETY: this is the only handle, and this thread has seen the task done.
        unsafe { shared.take() }
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<thread::Result<T>> {
        let JoinHandle {
            task,
            pool,
            polled,
            ticket,
        } = &mut *self;
        let shared = task.shared();
        if !shared.is_done() {
            if let Some(pool) = pool.upgrade() {
                pool.assert_not_forked();
            }
        }
        let done = shared.poll_done(polled, context);
        let waker = context.waker();
        if done.is_pending() && is_listened_to(waker) && task.is_queued() {
            let unjoined = Unjoined::new(Arc::clone(task).as_start(), Weak::clone(pool), *ticket);
            offer(waker, InPlace::Spawned(unjoined));
        }
        // SAFETY: this is the only handle, and this thread has seen the task done.
        done.map(|()| unsafe { shared.take() })
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        if self.polled {
            // No thread waits any more, so a task that may run for hours must not keep the waker.
            let waiter = self.task.shared().waiter().take();
            drop(waiter);
        }
    }
}

/// Starts a task on the current pool, or on the global pool if the caller is not a worker. Tasks start in the order of
/// their spawns, on workers with empty stacks.
///
/// ```
/// let task = heist::spawn(|| 6 * 7);
/// assert_eq!(task.join().unwrap(), 42);
/// ```
pub fn spawn<F, T>(work: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match local_now().worker().and_then(WorkerThread::pool_arc) {
        Some(pool) => spawn_on(&pool, Class::Normal, work),
        None => spawn_on(global().inner(), Class::Normal, work),
    }
}

/// Starts a task without a handle. The task's panic goes to the pool's [panic handler](crate::Builder::panic_handler).
///
/// ```
/// let (sender, receiver) = std::sync::mpsc::channel();
/// heist::spawn_detached(move || sender.send(1).unwrap());
/// assert_eq!(receiver.recv(), Ok(1));
/// ```
pub fn spawn_detached<F>(work: F)
where
    F: FnOnce() + Send + 'static,
{
    match local_now().worker().and_then(WorkerThread::pool_arc) {
        Some(pool) => detach_on(&pool, Class::Normal, work),
        None => detach_on(global().inner(), Class::Normal, work),
    }
}

fn detach_on(pool: &Arc<PoolInner>, class: Class, work: impl FnOnce() + Send + 'static) {
    let weak = Arc::downgrade(pool);
    // The handle is dropped immediately: only the queue keeps the task.
    spawn_on(pool, class, move || {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
            if let Some(pool) = weak.upgrade() {
                pool.handle_panic(payload);
            }
        }
    });
}

fn spawn_on<F, T>(pool: &Arc<PoolInner>, class: Class, work: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    pool.assert_not_forked();
    queue(pool, class, carried(work))
}

fn queue<F, T>(pool: &Arc<PoolInner>, class: Class, work: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let packet = Arc::new(Packet {
        header: Header::new(Packet::<F, T>::execute),
        shared: Shared {
            state: AtomicU8::new(QUEUED),
            outcome: UnsafeCell::new(None),
            waiter: Mutex::new(None),
        },
        work: UnsafeCell::new(Some(work)),
    });
    let task: Arc<dyn Task<T>> = Arc::clone(&packet) as _;
    let ticket = pool.inject_at(class, Arc::into_raw(packet).cast_mut().cast());
    JoinHandle {
        task,
        pool: Arc::downgrade(pool),
        polled: false,
        ticket,
    }
}

impl Pool {
    /// Starts a task on this pool, like [`spawn`].
    pub fn spawn<F, T>(&self, work: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_on(self.inner(), Class::Normal, work)
    }

    /// Starts a task without a handle on this pool, like [`spawn_detached`].
    pub fn spawn_detached<F>(&self, work: F)
    where
        F: FnOnce() + Send + 'static,
    {
        detach_on(self.inner(), Class::Normal, work);
    }
}
