#![doc = include_str!("README.md")]

pub(crate) mod count;
mod drive;
mod home;
mod joint;
mod label;
mod orders;
mod queue;
mod scope;
mod suspending;
mod task;
mod track;
mod work_first;

pub(crate) use scope::count_finished;
use scope::{Order, Scope};
pub(crate) use track::{Track, Tracks};

use crate::cancel::Member;
use crate::policy::SpawnPolicy;
use crate::pool::with_worker;
use crate::worker::{PoolInner, WorkerLocal, local, local_now};
use label::{Label, Place};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

type Invariant<'scope> = PhantomData<Box<dyn FnOnce(&Finish<'scope>) + Send + Sync + 'scope>>;

/// Handle for spawning tasks into a [`finish`] scope.
///
/// The scope's body and each task receive a handle of their own.
#[doc(alias = "Scope")]
pub struct Finish<'scope> {
    scope: *const Scope,
    /// The words of the thread for which this handle was made; `next` belongs to that thread. In a scope on tracks, this field is the
    /// address of the track for which the handle was made. In such a scope `next` belongs to the track, and the track's address is never
    /// the address of a thread's words. Null in the body of a scope that is afloat, because the scope has no home.
    home: *const WorkerLocal,
    /// Number of tasks that were spawned through this handle at home (wrapping).
    next: Cell<u32>,
    /// Number of tasks that were spawned through this handle on other threads (the handle was passed to the right side of a join, or the
    /// handle's scope is afloat).
    next_elsewhere: AtomicU32,
    place: Place,
    /// The label of `place`, once a task was spawned through this handle at home.
    label: Cell<Label>,
    marker: Invariant<'scope>,
}

// This implementation is written by hand, because only the handle's home may read the cells.
impl fmt::Debug for Finish<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finish").finish_non_exhaustive()
    }
}

// SAFETY: only the thread that `home` names, or the code on the track that `home` names, accesses `next` and `label`; `spawn` checks this.
// The scope outlives its handles, and is `Sync` except for its home part, which only its home accesses.
unsafe impl Sync for Finish<'_> {}

impl<'scope> Finish<'scope> {
    fn new(scope: *const Scope, home: *const WorkerLocal, place: Place) -> Self {
        Finish {
            scope,
            home,
            next: Cell::new(0),
            next_elsewhere: AtomicU32::new(0),
            place,
            label: Cell::new(Label::ROOT),
            marker: PhantomData,
        }
    }

    fn scope(&self) -> &Scope {
        // SAFETY: the scope lives until all its tasks are done, and its handles exist only in its
        // body and its tasks.
        unsafe { &*self.scope }
    }

    /// Returns the current thread's thread-local words, if the handle was made for this thread.
    #[inline]
    fn at_home(&self) -> Option<&'static WorkerLocal> {
        // In a fiber, `local()` may return the words of a thread that the fiber has left, because the compiler
        // may have kept their address. Such words are not the handle's home: if the home is a thread, the fiber
        // has not left that thread while the handle existed.
        let local = local();
        std::ptr::eq(self.home, local).then_some(local)
    }

    /// Returns the track for which this handle was made, if the current thread runs the track or code on
    /// top of it.
    fn track(&self, local: &WorkerLocal) -> Option<&Track> {
        let track = local.track.get();
        // SAFETY: the track in this thread's words outlives the code that runs on it, which calls this function.
        (!track.is_null() && std::ptr::eq(self.home.cast(), track)).then(|| unsafe { &*track })
    }

    /// Returns the track for which this handle was made.
    ///
    /// # Safety
    /// The handle must have been made for a track.
    unsafe fn own_track(&self) -> &Track {
        // SAFETY: by contract `home` is a track, and a track outlives the handles of the code that
        // runs on it.
        unsafe { &*self.home.cast() }
    }

    /// Returns the place of the next task in the program order of this handle's strand.
    #[inline(never)]
    fn next_place(&self) -> Place {
        let local = local_now();
        if std::ptr::eq(self.home, local) || self.track(local).is_some() {
            self.next_place_at_home()
        } else {
            self.next_place_elsewhere()
        }
    }

    #[inline]
    fn next_place_at_home(&self) -> Place {
        let nth = self.next.get();
        self.next.set(nth.wrapping_add(1));
        if nth == 0 {
            self.label.set(self.place.label());
        }
        Place::of(self.label.get(), nth)
    }

    #[cold]
    #[inline(never)]
    fn next_place_elsewhere(&self) -> Place {
        // Relaxed: the counter orders no other data. If the handle has a home, these tasks come after all tasks that were spawned at home,
        // in the order of their spawns.
        let behind = if self.home.is_null() { 0 } else { 1 << 31 };
        let nth = self.next_elsewhere.fetch_add(1, Ordering::Relaxed) | behind;
        Place::of(self.place.label(), nth)
    }

    /// Spawns a task. Any worker may run the task; the scope waits for the task's end.
    ///
    /// A spawn takes 10 to 20 ns. In the steady state, a spawn of a closure of up to about 80 bytes does
    /// not allocate. Tasks that spawn tasks do not deepen the stack.
    ///
    /// If the scope's [policy](SpawnPolicy) is work-first or adaptive, the task may run before this call returns, and
    /// this call may return on another thread. See [`Builder::fibers`](crate::Builder::fibers).
    ///
    /// The scope keeps a panic of a task until all tasks are done. If several tasks panic, the scope rethrows the
    /// leftmost panic in program order. (If tasks are nested so deep that their places in this order need more than 128 bits, the scope may
    /// rethrow any of the panics.)
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// let sum = AtomicU32::new(0);
    /// heist::finish(|f| {
    ///     for i in 1..=10 {
    ///         let sum = &sum;
    ///         f.spawn(move |_| { sum.fetch_add(i, Ordering::Relaxed); });
    ///     }
    /// });
    /// assert_eq!(sum.into_inner(), 55);
    /// ```
    #[inline]
    pub fn spawn<F>(&self, work: F)
    where
        F: FnOnce(&Finish<'scope>) + Send + 'scope,
    {
        task::spawn(self, work);
    }

    /// Runs `work` in place if `cond` is true, and otherwise spawns it: X10's `async seq(cond)` (COMP 322 lecture 11). Use this method to
    /// avoid tasks that are too small.
    ///
    /// ```
    /// fn fib<'s>(f: &heist::Finish<'s>, n: u64, out: &'s std::sync::atomic::AtomicU64) {
    ///     if n < 2 {
    ///         out.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
    ///     } else {
    ///         f.spawn_seq(n < 10, move |f| fib(f, n - 1, out));
    ///         f.spawn_seq(n < 10, move |f| fib(f, n - 2, out));
    ///     }
    /// }
    /// let out = std::sync::atomic::AtomicU64::new(0);
    /// heist::finish(|f| fib(f, 15, &out));
    /// assert_eq!(out.into_inner(), 610);
    /// ```
    #[inline]
    pub fn spawn_seq<F>(&self, cond: bool, work: F)
    where
        F: FnOnce(&Finish<'scope>) + Send + 'scope,
    {
        if cond {
            work(self);
        } else {
            self.spawn(work);
        }
    }
}

/// Runs `body`, and waits until its tasks, and all tasks that these tasks spawn, are done.
///
/// On a thread that is not a worker, the function runs the body in the [global pool](crate::global). The pool's
/// [`SpawnPolicy`] decides whether the spawner or the task runs first. By default the spawner runs first: see
/// [`finish_with`]. The worker that waits at the end runs tasks of this scope only, newest first. If no task of the scope is left to run,
/// but other workers still run some of its tasks, the worker gives its slot to another thread, so that no core idles. If a
/// [fiber](crate::spawn_fiber) opens the scope, the fiber is suspended while it waits, at the end or in the body (Imam and Sarkar, *A case
/// for cooperative scheduling in X10's managed runtime*, X10 2014, section 2). The tasks of a fiber's scope run on the stacks of workers.
///
/// # Panics
/// After the body and all tasks are done, rethrows the leftmost of their panics in program order.
#[doc(alias = "scope")]
pub fn finish<'scope, F, R>(body: F) -> R
where
    F: FnOnce(&Finish<'scope>) -> R + Send,
    R: Send,
{
    with_worker(None, |pool| {
        work_first::choose(pool, pool.settings.spawn_policy, body)
    })
}

/// Runs a scope as [`finish`] does, but with the given spawn policy.
///
/// ```
/// use heist::policy::SpawnPolicy;
/// let sum = std::sync::atomic::AtomicU32::new(0);
/// heist::finish_with(SpawnPolicy::WorkSharing, |f| {
///     for i in 1..=10 {
///         let sum = &sum;
///         f.spawn(move |_| { sum.fetch_add(i, std::sync::atomic::Ordering::Relaxed); });
///     }
/// });
/// assert_eq!(sum.into_inner(), 55);
/// ```
///
/// # Panics
/// Panics like [`finish`]. Also panics if the policy needs unpinned fibers and the pool has no such fibers.
pub fn finish_with<'scope, F, R>(policy: SpawnPolicy, body: F) -> R
where
    F: FnOnce(&Finish<'scope>) -> R + Send,
    R: Send,
{
    with_worker(None, |pool| {
        work_first::choose(pool, work_first::checked(pool, policy), body)
    })
}

/// Runs a scope as [`finish`] does, but its tasks start in the order in which they were spawned.
#[doc(alias = "scope_fifo")]
pub fn finish_fifo<'scope, F, R>(body: F) -> R
where
    F: FnOnce(&Finish<'scope>) -> R + Send,
    R: Send,
{
    with_worker(None, |pool| run(pool, Order::Fifo, body))
}

/// Runs a scope as [`finish`] does, but the body runs on the calling thread, even if this thread is not
/// a worker. So the body need not be `Send`. Tasks run in the current worker's pool; on a thread that is
/// not a worker, in the global pool.
///
/// ```
/// let local = std::rc::Rc::new(5);
/// let seen = std::sync::Mutex::new(0);
/// heist::finish_in_place(|f| {
///     let value = *local; // the body may use what cannot be sent
///     let seen = &seen;
///     f.spawn(move |_| *seen.lock().unwrap() = value);
/// });
/// assert_eq!(seen.into_inner().unwrap(), 5);
/// ```
#[doc(alias = "in_place_scope")]
pub fn finish_in_place<'scope, F, R>(body: F) -> R
where
    F: FnOnce(&Finish<'scope>) -> R,
{
    run_in_place(None, Order::Lifo, body)
}

/// Runs a scope as [`finish_in_place`] does, but its tasks start in the order in which they were spawned.
#[doc(alias = "in_place_scope_fifo")]
pub fn finish_in_place_fifo<'scope, F, R>(body: F) -> R
where
    F: FnOnce(&Finish<'scope>) -> R,
{
    run_in_place(None, Order::Fifo, body)
}

impl crate::Pool {
    /// Calls [`finish`] in this pool.
    pub fn finish<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&Finish<'scope>) -> R + Send,
        R: Send,
    {
        with_worker(Some(self), |pool| {
            work_first::choose(pool, pool.settings.spawn_policy, body)
        })
    }

    /// Calls [`finish_with`] in this pool.
    pub fn finish_with<'scope, F, R>(&self, policy: SpawnPolicy, body: F) -> R
    where
        F: FnOnce(&Finish<'scope>) -> R + Send,
        R: Send,
    {
        with_worker(Some(self), |pool| {
            work_first::choose(pool, work_first::checked(pool, policy), body)
        })
    }

    /// Calls [`finish_fifo`] in this pool.
    pub fn finish_fifo<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&Finish<'scope>) -> R + Send,
        R: Send,
    {
        with_worker(Some(self), |pool| run(pool, Order::Fifo, body))
    }

    /// Calls [`finish_in_place_fifo`] with tasks that run in this pool.
    pub fn finish_in_place_fifo<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&Finish<'scope>) -> R,
    {
        run_in_place(Some(self), Order::Fifo, body)
    }

    /// Calls [`finish_in_place`] with tasks that run in this pool.
    pub fn finish_in_place<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&Finish<'scope>) -> R,
    {
        run_in_place(Some(self), Order::Lifo, body)
    }
}

fn run_in_place<'scope, R>(
    pool: Option<&crate::Pool>,
    order: Order,
    body: impl FnOnce(&Finish<'scope>) -> R,
) -> R {
    match (pool, local_now().worker()) {
        (Some(pool), _) => run(pool.inner(), order, body),
        (None, Some(worker)) => run(worker.pool(), order, body),
        (None, None) => run(crate::global().inner(), order, body),
    }
}

fn run<'scope, R>(pool: &PoolInner, order: Order, body: impl FnOnce(&Finish<'scope>) -> R) -> R {
    run_with(pool, order, SpawnPolicy::HelpFirst, body)
}

/// Runs a scope whose body and tasks run without tracks.
fn run_with<'scope, R>(
    pool: &PoolInner,
    order: Order,
    policy: SpawnPolicy,
    body: impl FnOnce(&Finish<'scope>) -> R,
) -> R {
    let scope = Scope::new(pool, order, policy);
    // The tasks run in another pool, so a cancellation of a scope around this one must interrupt that pool's
    // workers, too.
    let _member = local_now()
        .worker_of(pool)
        .is_none()
        .then(|| Member::of_enclosing(|| pool.as_workers()))
        .flatten();
    let handle = Finish::new(&raw const scope, scope.local(), Place::BODY);
    let result = scope.enclose(|| body(&handle));
    scope.end(result, Place::BODY.end())
}
