//! A table with the use of each granule of the heap. Collectors read this table without a lock.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::value::object::Value;

/// Number of bytes of a granule.
pub const GRANULE: usize = 1 << 16;

/// Use of a granule. The field is the number of the use. The number 0 means that the granule is free. So a new table consists of zeros,
/// which cost nothing to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use(u8);

#[allow(non_upper_case_globals)]
impl Use {
    /// The granule is free.
    pub const Free: Use = Use(0);
    /// The granule belongs to a young generation.
    pub const Young: Use = Use(1);
    /// The granule belongs to the old generation.
    pub const Old: Use = Use(2);
    /// The granule belongs to the part of the old generation that the current collection evacuates.
    pub const From: Use = Use(3);
    /// The granule is the first granule of a large object.
    pub const Large: Use = Use(4);
    /// The granule is the first granule of a large object that the current collection has found.
    pub const LargeFound: Use = Use(5);
    /// The granule belongs to a large object, and is not the object's first granule.
    pub const LargeRest: Use = Use(6);
}

/// The uses of consecutive granules, the first of which begins at a given address.
///
/// All atomic accesses to the table are relaxed. Only the owner of the heap's lock changes entries. The owner of the lock passes granules
/// to another thread only by an operation that also makes the new entries visible to that thread: by the lock, or by the address of an
/// object in the granules. The entry of a granule that a collection has evacuated changes while all workers are stopped, and the lock of
/// the stop orders this change. If several members of one collection find the same large object, the swap in `find_large` decides which
/// member was first.
#[derive(Debug)]
pub struct Uses {
    base: usize,
    table: Box<[AtomicU8]>,
}

impl Uses {
    /// Makes a table of this number of free granules.
    #[must_use]
    pub fn new(base: usize, granules: usize) -> Uses {
        let free = vec![0_u8; granules].into_boxed_slice();
        // SAFETY: a byte that is 0 is an atomic byte that is 0, of the same size and alignment, and the box is the only owner.
        let table = unsafe { Box::from_raw(Box::into_raw(free) as *mut [AtomicU8]) };
        Uses { base, table }
    }

    /// Returns the address of the first granule.
    #[must_use]
    pub fn base(&self) -> usize {
        self.base
    }

    /// Returns the number of granules.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns true if there are no granules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Returns the position of the granule that contains this address of the heap.
    #[must_use]
    pub fn index(&self, address: usize) -> usize {
        (address - self.base) / GRANULE
    }

    /// Returns the use of the granule at a position.
    #[inline]
    #[must_use]
    pub fn get(&self, at: usize) -> Use {
        Use(self.table[at].load(Ordering::Relaxed))
    }

    /// Returns the use of the memory at an address, or `None` outside of the heap (static objects).
    #[inline]
    #[must_use]
    pub fn at(&self, address: usize) -> Option<Use> {
        self.table
            .get(address.wrapping_sub(self.base) / GRANULE)
            .map(|number| Use(number.load(Ordering::Relaxed)))
    }

    /// Sets the use of `count` granules, from position `at` on.
    pub(crate) fn fill(&self, at: usize, count: usize, what: Use) {
        for entry in &self.table[at..at + count] {
            entry.store(what.0, Ordering::Relaxed);
        }
    }

    /// Notes that the collection has found a large object. Returns true if the calling member was the first to find the object.
    pub(crate) fn find_large(&self, object: Value) -> bool {
        let found = Use::LargeFound.0;
        self.table[self.index(object.0)].swap(found, Ordering::Relaxed) == Use::Large.0
    }
}
