//! Memory that several threads write, each in its own part.

use std::mem::{MaybeUninit, forget};
use std::ptr::{drop_in_place, slice_from_raw_parts_mut};

/// The places of the items of a vector that is being filled.
#[derive(Debug)]
pub(crate) struct Room<T> {
    start: *mut T,
    len: usize,
}

// SAFETY: parts of it are written by several threads, each its own; `T` goes from there to the thread that asked.
unsafe impl<T: Send> Sync for Room<T> {}

impl<T> Room<T> {
    /// The room of a vector for `len` items more than it has.
    ///
    /// # Safety
    /// While any [`Filled`] of this exists, the vector is not changed, and no part of it is borrowed for writing.
    pub(crate) unsafe fn of(vec: &mut Vec<T>, len: usize) -> Self {
        assert!(vec.capacity() - vec.len() >= len);
        Room {
            // SAFETY: within the vector's allocation.
            start: unsafe { vec.as_mut_ptr().add(vec.len()) },
            len,
        }
    }

    /// The item before place `at`, if that is not the first.
    ///
    /// # Safety
    /// This thread, or one that it has joined, has written it, and no thread writes it while this exists.
    pub(crate) unsafe fn before(&self, at: usize) -> Option<&T> {
        // SAFETY: within the room if it is less than the length, and written by this function's contract.
        (at > 0 && at <= self.len).then(|| unsafe { &*self.start.add(at - 1) })
    }

    /// A part that begins at place `at`, and has nothing yet.
    pub(crate) fn part(&self, at: usize) -> Filled<T> {
        assert!(at <= self.len, "heist: a part beyond the end");
        Filled {
            // SAFETY: within the room.
            first: unsafe { self.start.add(at) },
            at,
            written: 0,
        }
    }

    /// Makes ready to write the next `count` places of a part.
    ///
    /// # Safety
    /// No other part has these places, or will have them.
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
            // SAFETY: within the room.
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
    /// The contract of [`write`](Self::write) applies, and there are at most `count` items.
    #[inline]
    pub(crate) unsafe fn fill(
        &self,
        state: &mut Filled<T>,
        at: usize,
        count: usize,
        items: impl Iterator<Item = T>,
    ) {
        // SAFETY: by this function's contract.
        let writing = unsafe { self.write(state, at, count) };
        // SAFETY: these places are within the room, and no other part's until the part is merged, which is after this.
        let places = unsafe { std::slice::from_raw_parts_mut(writing.place.cast(), writing.count) };
        // SAFETY: by this function's contract.
        unsafe { write_each(places, &mut writing.state.written, items) }
    }
}

/// Writes items to places, and adds their number to `written`, even after a panic.
///
/// A function with the places as a parameter, so that compilers know that they do not overlap the sources of the items, and
/// need not read those again after each item.
///
/// # Safety
/// There are no more items than places.
#[inline]
unsafe fn write_each<T>(
    places: &mut [MaybeUninit<T>],
    written: &mut usize,
    items: impl Iterator<Item = T>,
) {
    /// Counts in a register.
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
        // SAFETY: there are no more items than places.
        unsafe { places.get_unchecked_mut(done.count) }.write(item);
        done.count += 1;
    });
}

/// Items that a part has written, and owns until all are there.
#[derive(Debug)]
pub(crate) struct Filled<T> {
    /// The place of the part's first item.
    first: *mut T,
    /// The position of that.
    at: usize,
    written: usize,
}

// SAFETY: it owns items like a vector.
unsafe impl<T: Send> Send for Filled<T> {}

impl<T> Drop for Filled<T> {
    fn drop(&mut self) {
        // SAFETY: the part has written these, and no other value owns them: `append` and `into_len` forget the states whose
        // items they hand on. The vector's room is there until the operation has ended, and states live no longer.
        unsafe { drop_in_place(slice_from_raw_parts_mut(self.first, self.written)) }
    }
}

impl<T> Filled<T> {
    /// The place after its last item.
    pub(crate) fn end(&self) -> usize {
        self.at + self.written
    }

    /// Whether its first item is at this place.
    pub(crate) fn starts_at(&self, at: usize) -> bool {
        self.at == at
    }

    /// Takes over the items of the part to its right. If that is not where it ends, the operation ended early, and the
    /// items are dropped.
    pub(crate) fn append(&mut self, right: Filled<T>) {
        if self.end() == right.at {
            self.written += right.written;
            forget(right);
        }
    }

    /// The items.
    pub(crate) fn items(&mut self) -> &mut [T] {
        // SAFETY: the part has written these, and owns them.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.written) }
    }

    /// Releases the items to the vector that owns the room, and returns their number from the first place on.
    pub(crate) fn into_len(self) -> usize {
        let len = if self.at == 0 { self.written } else { 0 };
        forget(self);
        len
    }
}

/// Counts the written items in a register, and updates the state at the end, even after a panic.
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
    /// No more than the count that was asked for.
    #[inline]
    pub(crate) unsafe fn push(&mut self, item: T) -> &T {
        debug_assert!(self.written < self.count);
        // SAFETY: within the count, and so within the room; no other part writes there.
        let place = unsafe { &mut *self.place.add(self.written).cast::<MaybeUninit<T>>() };
        self.written += 1;
        place.write(item)
    }

    /// The item written last.
    #[inline]
    pub(crate) fn last(&self) -> Option<&T> {
        // SAFETY: it has been written, and this borrows the state that owns it.
        (self.written > 0).then(|| unsafe { &*self.place.add(self.written - 1) })
    }
}

impl<T> Drop for Writing<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.state.written += self.written;
    }
}
