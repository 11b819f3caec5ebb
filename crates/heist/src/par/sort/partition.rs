//! Partitions a slice on a single worker.

use std::mem::ManuallyDrop;
use std::ptr;

/// Maximum size in bytes of elements that a partition moves in every step. If the elements are larger than this, a partition moves only
/// those that are on the wrong side.
const MOST_MOVED: usize = 96;

/// Moves the elements for which `goes_left` returns true to the front of the slice. Returns the number of these elements.
///
/// If `goes_left` panics, the slice still has each element once. If `goes_left` returns inconsistent answers, the result may be any
/// number up to the length.
#[inline(never)]
pub(super) fn partition<T>(v: &mut [T], pivot: &T, goes_left: impl Fn(&T, &T) -> bool) -> usize {
    if const { size_of::<T>() > MOST_MOVED } {
        by_exchange(v, pivot, goes_left)
    } else {
        without_branches(v, pivot, goes_left)
    }
}

/// Partitions by exchanges, like Hoare's algorithm.
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

/// A guard that holds an element taken out of its slice. The drop of the guard writes the element to `place`.
struct Gap<T> {
    place: *mut T,
    element: ManuallyDrop<T>,
}

impl<T> Drop for Gap<T> {
    fn drop(&mut self) {
        // SAFETY: `place` is in the slice, which is borrowed while this gap exists. The value at `place` has been copied to another
        // place, or is the old value of this element, so overwriting it loses nothing.
        unsafe { ptr::copy_nonoverlapping(&raw const *self.element, self.place, 1) };
    }
}

/// Partitions by a cycle of moves without branches. The method is a variant of Lomuto's algorithm, which the standard library's unstable
/// sort also uses (Bergdoll and Peters, *Branchless Lomuto partitioning*, 2023). All elements before `left` belong to the left side, and
/// the elements from `left` to the gap belong to the right side. Each step takes the next element behind the gap: the element at `left`
/// moves to the gap, and the next element moves to `left`. The old place of the next element is the new gap.
#[inline(always)]
fn without_branches<T>(v: &mut [T], pivot: &T, goes_left: impl Fn(&T, &T) -> bool) -> usize {
    let len = v.len();
    if len == 0 {
        return 0;
    }
    let base = v.as_mut_ptr();
    let mut left = 0;
    // SAFETY: the slice is not empty, so it has a first element. Until the end of the function, `gap` owns this element, and its
    // place in the slice is void.
    let element = ManuallyDrop::new(unsafe { base.read() });
    let mut gap = Gap {
        place: base,
        element,
    };
    let mut step = |place: &mut *mut T, next: *mut T| {
        // SAFETY: `next` is an element of the slice behind the gap or, at the end, the element that `gap` owns. If `goes_left`
        // panics, nothing has been moved, and the drop of `gap` writes the element back.
        let goes = goes_left(unsafe { &*next }, pivot);
        // SAFETY: `left` counts the elements that went left, so it is less than the length, and at or before the gap. Both moves
        // keep each element once, except that the void place is now the old place of `next`. If `next` was the element that `gap`
        // owns, no place is void.
        unsafe {
            ptr::copy(base.add(left), *place, 1);
            ptr::copy_nonoverlapping(next, base.add(left), 1);
        }
        *place = next;
        left += usize::from(goes);
    };
    let mut next = 1;
    // Two steps in each round halve the number of branches, and give the compiler more instructions to reorder.
    while next + 1 < len {
        // SAFETY: `next` is less than `len`, so the element is in the slice.
        step(&mut gap.place, unsafe { base.add(next) });
        // SAFETY: `next + 1` is less than `len`, so the element is in the slice.
        step(&mut gap.place, unsafe { base.add(next + 1) });
        next += 2;
    }
    if next < len {
        // SAFETY: `next` is less than `len`, so the element is in the slice.
        step(&mut gap.place, unsafe { base.add(next) });
    }
    let last = &raw mut *gap.element;
    step(&mut gap.place, last);
    // The last step has moved the element back into the slice.
    std::mem::forget(gap);
    left
}
