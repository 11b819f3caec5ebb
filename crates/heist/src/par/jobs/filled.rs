//! Memory to which several threads write, each to its own part.

use std::mem::{MaybeUninit, forget};
use std::ptr::{drop_in_place, slice_from_raw_parts_mut};

/// The uninitialised places of a vector, while several threads fill them with items.
#[derive(Debug)]
pub(crate) struct Room<T> {
    start: *mut T,
    len: usize,
}

// SAFETY: each thread writes only its own part, and the items, which are `Send`, then move to the thread that gets the result.
unsafe impl<T: Send> Sync for Room<T> {}

impl<T> Room<T> {
    /// Returns the uninitialised places for `len` more items behind the items of a vector.
    ///
    /// # Safety
    /// The room, and each [`Filled`] made from it, refers to the vector's memory. As long as the room or such a `Filled` exists, the caller
    /// must leave the vector unchanged and must not borrow any part of it mutably.
    pub(crate) unsafe fn of(vec: &mut Vec<T>, len: usize) -> Self {
        assert!(vec.capacity() - vec.len() >= len);
        Room {
            // SAFETY: the vector's length is at most its capacity, so the address is within the allocation or at its end.
            start: unsafe { vec.as_mut_ptr().add(vec.len()) },
            len,
        }
    }

    /// Returns the item before place `at`, or `None` at the first place.
    ///
    /// # Safety
    /// The caller must ensure that this thread, or a thread that it has joined, has written the item. No thread may write the item
    /// while the reference exists.
    pub(crate) unsafe fn before(&self, at: usize) -> Option<&T> {
        // SAFETY: the index is within the room, and by this function's contract the item has been written and does not change.
        (at > 0 && at <= self.len).then(|| unsafe { &*self.start.add(at - 1) })
    }

    /// Returns an empty part that begins at place `at`.
    pub(crate) fn part(&self, at: usize) -> Filled<T> {
        assert!(at <= self.len, "heist: a part beyond the end");
        Filled {
            // SAFETY: the assertion keeps `at` within the room or at its end, and the room is in one allocation.
            first: unsafe { self.start.add(at) },
            at,
            written: 0,
        }
    }

    /// Prepares to write the next `count` places of a part.
    ///
    /// # Safety
    /// The caller must ensure that these places belong to no other part, now or later.
    #[inline]
    pub(crate) unsafe fn write<'s>(
        &self,
        state: &'s mut Filled<T>,
        at: usize,
        count: usize,
    ) -> Writing<'s, T> {
        assert!(
            state.end() == at && count <= self.len - at,
            "heist: a part that is not whole"
        );
        Writing {
            // SAFETY: the assertion above keeps the place within the room or at its end.
            place: unsafe { self.start.add(at) },
            state,
            written: 0,
            count,
        }
    }
}

impl<T> Room<T> {
    /// Writes items to the next `count` places of a part.
    ///
    /// # Safety
    /// The caller must keep the contract of [`write`](Self::write), and `items` must yield at most `count` items.
    #[inline]
    pub(crate) unsafe fn fill(
        &self,
        state: &mut Filled<T>,
        at: usize,
        count: usize,
        items: impl Iterator<Item = T>,
    ) {
        // SAFETY: by this function's contract, the caller keeps the contract of `write`.
        let writing = unsafe { self.write(state, at, count) };
        // SAFETY: these places are within the room. By the contract of `write` no other part has them, and the borrow of `state`
        // keeps other code from them while the slice exists.
        let places = unsafe { std::slice::from_raw_parts_mut(writing.place.cast(), writing.count) };
        // SAFETY: by this function's contract there are no more items than places.
        unsafe { write_each(places, &mut writing.state.written, items) }
    }
}

/// Writes items to places, and adds the number of written items to `written`, even if the iterator panics.
///
/// The places are a parameter, so compilers know that the places do not overlap the memory from which the items come. Otherwise the loop
/// would read this memory again after each item.
///
/// # Safety
/// `items` must yield no more items than there are places.
#[inline]
unsafe fn write_each<T>(
    places: &mut [MaybeUninit<T>],
    written: &mut usize,
    items: impl Iterator<Item = T>,
) {
    /// A guard that counts the written items in a register. The drop of the guard adds the count to `written`.
    struct Count<'w> {
        count: usize,
        written: &'w mut usize,
    }
    impl Drop for Count<'_> {
        #[inline]
        fn drop(&mut self) {
            *self.written += self.count;
        }
    }
    let mut done = Count { count: 0, written };
    items.for_each(|item| {
        debug_assert!(done.count < places.len());
        // SAFETY: by this function's contract there are no more items than places, so this item has a place.
        unsafe { places.get_unchecked_mut(done.count) }.write(item);
        done.count += 1;
    });
}

/// The items that a part has written. The part owns these items until all parts are done.
#[derive(Debug)]
pub(crate) struct Filled<T> {
    /// The address of the part's first item.
    first: *mut T,
    /// The index of the first item's place in the room.
    at: usize,
    written: usize,
}

// SAFETY: the part owns its items, as a vector does, so it may move to another thread if the items may.
unsafe impl<T: Send> Send for Filled<T> {}

impl<T> Drop for Filled<T> {
    fn drop(&mut self) {
        // SAFETY: the part has written these items, and no other value owns them, because `append` and `into_len` forget the states
        // whose items they pass on. The vector's room exists until the operation has ended, and states do not live longer.
        unsafe { drop_in_place(slice_from_raw_parts_mut(self.first, self.written)) }
    }
}

impl<T> Filled<T> {
    /// Returns the place after the part's last item.
    pub(crate) fn end(&self) -> usize {
        self.at + self.written
    }

    /// Returns true if the part's first item is at place `at`.
    pub(crate) fn starts_at(&self, at: usize) -> bool {
        self.at == at
    }

    /// Appends the items of the neighbouring part on the right. If the right part does not begin where this part ends, the
    /// operation has ended early. In this case, the items of the right part are dropped.
    pub(crate) fn append(&mut self, right: Filled<T>) {
        if self.end() == right.at {
            self.written += right.written;
            forget(right);
        }
    }

    /// Returns the items written so far.
    pub(crate) fn items(&mut self) -> &mut [T] {
        // SAFETY: the part has written these items and owns them, and the returned reference borrows the part.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.written) }
    }

    /// Passes the items to the vector that owns the room. Returns the number of these items if they begin at the first place, and 0
    /// otherwise.
    pub(crate) fn into_len(self) -> usize {
        let len = if self.at == 0 { self.written } else { 0 };
        forget(self);
        len
    }
}

/// A guard for places that a job writes. While the job writes, the guard counts the items in a field of its own, so compilers keep the
/// count in a register. When the guard is dropped, even during a panic, it adds this count to the part's state.
#[derive(Debug)]
pub(crate) struct Writing<'s, T> {
    place: *mut T,
    state: &'s mut Filled<T>,
    written: usize,
    count: usize,
}

impl<T> Writing<'_, T> {
    /// Writes the next item, and returns a reference to it.
    ///
    /// # Safety
    /// The caller must push at most `count` items, where `count` is the argument of [`write`](Room::write).
    #[inline]
    pub(crate) unsafe fn push(&mut self, item: T) -> &T {
        debug_assert!(self.written < self.count);
        // SAFETY: by this function's contract the place is among the `count` places, which are within the room and belong to no
        // other part.
        let place = unsafe { &mut *self.place.add(self.written).cast::<MaybeUninit<T>>() };
        self.written += 1;
        place.write(item)
    }

    /// Returns the item that was written last.
    #[inline]
    pub(crate) fn last(&self) -> Option<&T> {
        // SAFETY: the item has been written, and the returned reference borrows this value, which alone can write the part's
        // places.
        (self.written > 0).then(|| unsafe { &*self.place.add(self.written - 1) })
    }
}

impl<T> Drop for Writing<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.state.written += self.written;
    }
}
