//! Isolated sections: mutual exclusion in an order that cannot deadlock.

mod objects;

pub use objects::Objects;

use super::semaphore::{Permits, Semaphore};
use crate::suspend::Isolation;
use std::cell::UnsafeCell;
use std::fmt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of permits of the world. The number of permits is greater than the number of sections that can run at a time, because each
/// section occupies a thread.
const EVERYBODY: usize = 1 << 30;

/// The permits of the world. A section on objects takes one permit, and a section without objects takes all permits.
static WORLD: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::named(EVERYBODY, &"isolated"));

/// Runs `work` while no other isolated section runs. This function is Habanero Java's `isolated` and X10's `atomic` (Imam and
/// Sarkar, X10 2014, section 4.1).
///
/// Use this function for short sections on shared data. If the objects are known, use [`isolated_on`], which excludes only sections
/// on the same objects. A section inside a section is part of the outer section.
///
/// ```
/// use std::cell::Cell;
/// struct Shared(Cell<u32>);
/// // SAFETY: the cell is used in isolated sections only.
/// unsafe impl Sync for Shared {}
/// static SHARED: Shared = Shared(Cell::new(0));
///
/// heist::finish(|f| {
///     for _ in 0..100 {
///         f.spawn(|_| heist::sync::isolated(|| SHARED.0.set(SHARED.0.get() + 1)));
///     }
/// });
/// assert_eq!(SHARED.0.get(), 100);
/// ```
///
/// A section must not fork work that begins a section on another thread, because the inner section would wait for the outer
/// section.
///
/// # Panics
/// Panics if `work` waits, because such a wait could deadlock. A call inside a section on objects also panics, because it could deadlock.
#[track_caller]
pub fn isolated<R>(work: impl FnOnce() -> R) -> R {
    match Isolation::current() {
        Isolation::World => return work(),
        Isolation::Objects => {
            panic!("heist: an isolated section without objects cannot begin inside one on objects")
        }
        Isolation::None => {}
    }
    let _permits = WORLD.acquire(EVERYBODY);
    Isolation::World.during(work)
}

/// Runs an isolated section like [`isolated`], for async code. The caller awaits its turn, but `work` itself runs without awaits.
///
/// # Panics
/// Panics like [`isolated`].
pub async fn isolated_async<R>(work: impl FnOnce() -> R) -> R {
    let permits = WORLD.acquire_async(EVERYBODY).await;
    let result = Isolation::World.during(work);
    drop(permits);
    result
}

/// An object for sections that name their objects.
pub struct Isolated<T: ?Sized> {
    /// The object's place in the order in which sections take objects.
    id: u64,
    free: Semaphore,
    value: UnsafeCell<T>,
}

// SAFETY: `free` has only one permit, so only one section at a time accesses the value.
unsafe impl<T: ?Sized + Send> Sync for Isolated<T> {}

impl<T: ?Sized> fmt::Debug for Isolated<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Isolated")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl<T> Isolated<T> {
    /// Creates an object.
    #[track_caller]
    pub fn new(value: T) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Isolated {
            // Relaxed, because the number orders no other accesses.
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            free: Semaphore::named(1, &"Isolated"),
            value: UnsafeCell::new(value),
        }
    }

    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> Isolated<T> {
    /// Returns the value without a section, because the object is not shared.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

/// Runs `work` with exclusive access to the given objects. While `work` runs, no other section uses any of these objects, and no section
/// without objects runs.
///
/// The order of the arguments does not matter: all sections take their objects in the same order, so sections never wait for each
/// other in a circle.
///
/// ```
/// use heist::sync::{Isolated, isolated_on};
///
/// let (a, b) = (Isolated::new(10), Isolated::new(0));
/// heist::join(
///     || isolated_on((&a, &b), |(a, b)| { *a -= 1; *b += 1; }),
///     || isolated_on((&b, &a), |(b, a)| { *a -= 2; *b += 2; }),
/// );
/// assert_eq!((a.into_inner(), b.into_inner()), (7, 3));
/// ```
///
/// # Panics
/// Panics if an object is named twice, if `work` waits, or if the caller is inside another section.
#[track_caller]
pub fn isolated_on<O: Objects, R>(objects: O, work: impl for<'v> FnOnce(O::Values<'v>) -> R) -> R {
    assert_outside();
    let locks = sorted(&objects);
    let _world = WORLD.acquire(1);
    let _permits: Vec<Permits<'_>> = locks.iter().map(|lock| lock.free.acquire(1)).collect();
    // SAFETY: this function has the permits of all objects until `work` has ended, and the references do not live longer, because
    // `work` accepts any lifetime. No object is named twice.
    Isolation::Objects.during(|| work(unsafe { objects.values() }))
}

/// Runs an isolated section like [`isolated_on`], for async code. The caller awaits its turn, but `work` itself runs without awaits.
///
/// # Panics
/// Panics like [`isolated_on`].
pub async fn isolated_on_async<O: Objects, R>(
    objects: O,
    work: impl for<'v> FnOnce(O::Values<'v>) -> R,
) -> R {
    assert_outside();
    let locks = sorted(&objects);
    let _world = WORLD.acquire_async(1).await;
    let mut permits = Vec::with_capacity(locks.len());
    for lock in &locks {
        permits.push(lock.free.acquire_async(1).await);
    }
    // SAFETY: this function has the permits of all objects until `work` has ended, and the references do not live longer, because
    // `work` accepts any lifetime. No object is named twice.
    Isolation::Objects.during(|| work(unsafe { objects.values() }))
}

fn assert_outside() {
    assert!(
        Isolation::current() == Isolation::None,
        "heist: an isolated section on objects cannot begin inside another: name all objects at once"
    );
}

/// The lock of an object that a section takes.
#[derive(Clone, Copy)]
pub struct Lock<'o> {
    id: u64,
    free: &'o Semaphore,
}

impl fmt::Debug for Lock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lock").field("id", &self.id).finish()
    }
}

fn sorted<O: Objects>(objects: &O) -> Vec<Lock<'_>> {
    let mut locks = objects.locks();
    locks.sort_by_key(|lock| lock.id);
    let twice = locks.windows(2).any(|pair| pair[0].id == pair[1].id);
    assert!(
        !twice,
        "heist: an isolated section names the same object twice"
    );
    locks
}
