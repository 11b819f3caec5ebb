//! Partitions by one worker.

use std::mem::ManuallyDrop;
use std::ptr;

/// Elements of more bytes are moved only if they are on the wrong side.
const MOST_MOVED: usize = 96;

/// Moves the elements for which `goes_left` holds before the others, and returns their number.
///
/// If it panics, the slice has each element once. If it contradicts itself, the result is some number up to the length.
#[inline(never)]
pub(super) fn partition<T>(v: &mut [T], pivot: &T, goes_left: impl Fn(&T, &T) -> bool) -> usize {
    if const { size_of::<T>() > MOST_MOVED } {
        by_exchange(v, pivot, goes_left)
    } else {
        without_branches(v, pivot, goes_left)
    }
}

/// Hoare's partition.
fn by_exchange<T>(v: &mut [T], pivot: &T, goes_left: impl Fn(&T, &T) -> bool) -> usize {
    let (mut left, mut right) = (0, v.len());
    loop {
        while left < right && goes_left(&v[left], pivot) {
            left += 1;
        }
        while left < right && !goes_left(&v[right - 1], pivot) {
            right -= 1;
        }
        if left == right {
            return left;
        }
        v.swap(left, right - 1);
        left += 1;
        right -= 1;
    }
}

/// An element that is out of its slice, and the place for it.
struct Gap<T> {
    place: *mut T,
    element: ManuallyDrop<T>,
}

impl<T> Drop for Gap<T> {
    fn drop(&mut self) {
        // SAFETY: `place` is in the slice that is borrowed as long as this gap, and what it holds has a copy in another
        // place or is this element's old value.
        unsafe { ptr::copy_nonoverlapping(&raw const *self.element, self.place, 1) };
    }
}

/// Lomuto's partition as a cycle of moves without branches (Bergdoll and Peters, *Branchless Lomuto partitioning*, 2023,
/// as in the standard library's unstable sort). All elements before `left` go left, and those from there to the gap do
/// not. The element at `left` moves to the gap, the current element takes its place, and leaves the gap.
#[inline(always)]
fn without_branches<T>(v: &mut [T], pivot: &T, goes_left: impl Fn(&T, &T) -> bool) -> usize {
    let len = v.len();
    if len == 0 {
        return 0;
    }
    let base = v.as_mut_ptr();
    let mut left = 0;
    // SAFETY: the slice is not empty. From here to the end its first element is in the gap, its place in the slice is void.
    let element = ManuallyDrop::new(unsafe { base.read() });
    let mut gap = Gap {
        place: base,
        element,
    };
    let mut step = |place: &mut *mut T, next: *mut T| {
        // SAFETY: `next` is an element of the slice after the gap or, at the end, the gap's own. If this panics, nothing has been
        // moved, and the gap is closed by its drop.
        let goes = goes_left(unsafe { &*next }, pivot);
        // SAFETY: `left` counts steps that went left, of which there were fewer than elements. It is at or before the gap.
        // Both moves keep each element once, the one void place apart: that is `next` now, or nothing if it was
        // the gap's own.
        unsafe {
            ptr::copy(base.add(left), *place, 1);
            ptr::copy_nonoverlapping(next, base.add(left), 1);
        }
        *place = next;
        left += usize::from(goes);
    };
    let mut next = 1;
    // Two at a time: half the branches, and what the compiler can order better.
    while next + 1 < len {
        // SAFETY: in the slice.
        step(&mut gap.place, unsafe { base.add(next) });
        // SAFETY: in the slice.
        step(&mut gap.place, unsafe { base.add(next + 1) });
        next += 2;
    }
    if next < len {
        // SAFETY: in the slice.
        step(&mut gap.place, unsafe { base.add(next) });
    }
    let last = &raw mut *gap.element;
    step(&mut gap.place, last);
    // It is in the slice again.
    std::mem::forget(gap);
    left
}
