#![doc = include_str!("README.md")]

mod open;
mod orders;
mod owner;
mod range;
mod thief;

#[cfg(all(test, not(loom)))]
mod bench;
#[cfg(all(test, loom))]
mod force_models;
#[cfg(all(test, not(loom)))]
mod force_tests;
#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, loom))]
mod open_models;
#[cfg(all(test, not(loom)))]
mod stress;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::lock::Lock;
use crate::shim::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
pub use open::Top;
pub use owner::Popped;
use range::Range;
pub use thief::{Batch, Claim, Forced};

/// An element of the slot array: the address of a frame or task.
#[cfg(not(loom))]
pub type Slot<T> = AtomicPtr<T>;
/// An element of the slot array. No two accesses to an element race (README.md). The models check this property.
#[cfg(loom)]
pub type Slot<T> = crate::shim::Unraced<T>;

/// The two words that the owner touches at every push and pop. The runtime puts these words into thread-local storage, where the owner
/// reaches them with the fewest instructions.
#[derive(Debug)]
#[repr(C)]
pub struct Words<T> {
    /// The next free slot. Only the owner writes this field.
    tail: AtomicPtr<Slot<T>>,
    /// The return barrier. A pop of a slot below the barrier takes the slow path. Threads write the barrier only under the deque's lock,
    /// and it is never below the split.
    barrier: AtomicPtr<Slot<T>>,
}

impl<T> Words<T> {
    /// Returns words for threads without a deque: pushes go to `scratch`, and pops always take the slow path.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn detached(scratch: *mut Slot<T>) -> Self {
        Words {
            tail: AtomicPtr::new(scratch),
            barrier: AtomicPtr::new(std::ptr::without_provenance_mut(usize::MAX)),
        }
    }

    /// Makes the words [`detached`](Self::detached) again: pushes go to `scratch`, and pops take the slow path.
    ///
    /// # Safety
    /// Only the owner may call this function. After the call, no thread may use a deque over these words.
    #[cfg(not(loom))]
    pub unsafe fn detach(&self, scratch: *mut Slot<T>) {
        self.tail.store(scratch, Ordering::Relaxed);
        self.barrier.store(
            std::ptr::without_provenance_mut(usize::MAX),
            Ordering::Relaxed,
        );
    }

    /// Returns words for a deque over the slots that start at `base`. The words are in the same state as after [`SplitDeque::new`].
    #[must_use]
    pub fn at(base: *mut Slot<T>) -> Self {
        Words {
            tail: AtomicPtr::new(base),
            barrier: AtomicPtr::new(base),
        }
    }
}

/// The protocol by which owner and thieves share the slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// The split protocol with an asymmetric fence, as the [module](self) describes it.
    /// [`force`](SplitDeque::force) then needs a heavy fence that orders every thread of the process (Linux
    /// `membarrier`).
    Split,
    /// The split protocol without an asymmetric fence. The owner takes a lock at each pop, until it calls
    /// [`gain_fence`](SplitDeque::gain_fence).
    SplitLocked,
    /// All frames are public, and an owner's pop has a full fence: Chase and Lev's protocol.
    ChaseLev,
    /// All frames are public, an owner's pop has a full fence, and thieves hold a lock: Cilk-5's protocol
    /// THE.
    The,
}

impl Sharing {
    /// Returns true if a deque with this protocol has no private part.
    pub const fn is_open(self) -> bool {
        matches!(self, Sharing::ChaseLev | Sharing::The)
    }
}

/// A split deque: all its state except the owner's [`Words`]. See the [module](self) for the protocol.
#[derive(Debug)]
pub struct SplitDeque<T> {
    /// The head and the split of the deque, in one word. Threads change this word by a CAS, or by a store under the lock while the range is
    /// empty. In an [open](Sharing::is_open) deque, the word has the form that [`open`] describes.
    range: AtomicU64,
    /// The number of slots that thieves have claimed in batches and read since the deque was made (wrapping).
    reads: AtomicU32,
    /// The number of slots that thieves claimed before the last rewind (wrapping). Only the owner uses this field.
    claims: AtomicU32,
    lock: Lock<orders::OfLock>,
    /// A lock that a thief holds while it forces. The thief takes this lock before it takes `lock`, and no thread waits for this lock.
    forcing: Lock<orders::OfLock>,
    /// True if a force has moved the barrier, and no thread has moved it since then. Threads use this flag only under `lock`.
    raised: AtomicBool,
    /// True if the barrier must stay above every slot until the owner's next slow pop. Threads use this flag only under `lock`.
    interrupted: AtomicBool,
    /// True if a force uses the heavy fence, and pops above the barrier do not take the lock. The flag changes to true at most once. The
    /// owner writes the flag, and thieves read the flag, under `lock`.
    fenced: AtomicBool,
    words: *const Words<T>,
    base: *mut Slot<T>,
    capacity: u32,
    sharing: Sharing,
}

// SAFETY: the raw pointers lead to `Words` and slots made of atomics. The contract of `new` keeps both alive and in place until no thread
// uses the deque any more, and each method's contract says which thread may call the method. The deque returns a `T` only as an address.
unsafe impl<T> Send for SplitDeque<T> {}
// SAFETY: a shared reference gives access only to atomics, and each method's contract says which thread may call it.
unsafe impl<T> Sync for SplitDeque<T> {}

impl<T> SplitDeque<T> {
    /// Creates a deque over `capacity` slots at `base` whose owner uses `words`, and sets `words`
    /// to empty.
    ///
    /// # Safety
    /// The caller must keep `words` and the `capacity` slots at `base` valid and in place until the last call
    /// of a method of this deque, including safe methods. During this time no other deque may use these words or slots.
    pub unsafe fn new(
        words: *const Words<T>,
        base: *mut Slot<T>,
        capacity: u32,
        sharing: Sharing,
    ) -> Self {
        let deque = SplitDeque {
            range: AtomicU64::new(Range::empty_at(0).pack()),
            reads: AtomicU32::new(0),
            claims: AtomicU32::new(0),
            lock: Lock::new(),
            forcing: Lock::new(),
            raised: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
            fenced: AtomicBool::new(sharing == Sharing::Split),
            words,
            base,
            capacity,
            sharing,
        };
        deque.words().tail.store(base, Ordering::Relaxed);
        deque.set_barrier(0);
        deque
    }

    fn words(&self) -> &Words<T> {
        // SAFETY: by `new`'s contract the words are valid while the deque is used.
        unsafe { &*self.words }
    }

    fn slot(&self, index: u32) -> &Slot<T> {
        debug_assert!(index < self.capacity);
        // SAFETY: every index comes from the range or the tail, which stay below the capacity by
        // the contract of `push`; the slots live as long as the deque (`new`).
        unsafe { &*self.base.add(index as usize) }
    }

    fn index_of(&self, slot: *mut Slot<T>) -> u32 {
        let bytes = slot.addr() - self.base.addr();
        (bytes / size_of::<Slot<T>>()) as u32
    }

    /// Puts the barrier at `index`. `index` must not be below the split: with a barrier below the split, the owner's fast pop could take a
    /// public frame (I4 of the README). The caller must hold the lock, except in `new`, where no other thread has the deque.
    fn set_barrier(&self, index: u32) {
        // Without the fence the barrier is above every slot, so that each pop takes the slow path.
        // Relaxed: all uses are under the lock.
        let barrier = if self.is_fenced() && !self.interrupted.load(Ordering::Relaxed) {
            self.base.wrapping_add(index as usize)
        } else {
            std::ptr::without_provenance_mut(usize::MAX)
        };
        // Relaxed: the heavy and light fences order this store against the owner's pops, and the lock orders it against other writers.
        self.words().barrier.store(barrier, Ordering::Relaxed);
        // Relaxed: all uses are under the lock. The mutant permits a force to publish frames that the owner has popped.
        if cfg!(not(heist_mutant = "split_raised")) {
            self.raised.store(false, Ordering::Relaxed);
        }
    }

    /// Returns true if forces use the heavy fence. The caller must hold the lock or be the owner.
    fn is_fenced(&self) -> bool {
        // Relaxed: the owner wrote this flag under the lock.
        self.fenced.load(Ordering::Relaxed)
    }

    fn load_range(&self) -> Range {
        Range::unpack(self.range.load(orders::RANGE_LOAD))
    }

    /// Returns the tail as an index. Any thread may call this function.
    fn tail_index(&self) -> u32 {
        self.index_of(self.words().tail.load(orders::TAIL_LOAD))
    }

    /// Returns the number of slots.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Returns the address of slot `index`, for comparing with [`Words::tail`].
    pub fn place(&self, index: u32) -> *mut Slot<T> {
        self.base.wrapping_add(index as usize)
    }

    /// Returns the index of the oldest frame that no thread has claimed. The value may be out of date.
    pub fn head(&self) -> u32 {
        self.load_range().head
    }

    /// Returns true if a thief can claim a frame. The answer may be out of date.
    pub fn has_public(&self) -> bool {
        if self.sharing.is_open() {
            return self.tail_index() > self.head();
        }
        self.load_range().len() > 0
    }

    /// Returns true if the owner holds private frames. The answer may be out of date.
    pub fn has_private(&self) -> bool {
        !self.sharing.is_open() && self.tail_index() > self.load_range().split
    }
}
