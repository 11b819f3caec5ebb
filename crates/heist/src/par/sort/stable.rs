//! The stable sort: merge sort.

use super::merge::merge;
use super::{Order, is_serial, run};
use crate::{current_threads, join};
use std::mem::MaybeUninit;
use std::{ptr, slice};

/// The maximum length of a slice that the standard library sorts as a whole.
pub(super) const LEAF: usize = if cfg!(test) { 24 } else { 4096 };
/// The minimum length of a piece that the standard library sorts.
const LEAST: usize = if cfg!(test) { 3 } else { 1024 };
/// The minimum number of pieces for each worker.
const PIECES: usize = 2;

/// Sorts a slice. Equal elements keep their order.
pub(super) fn sort<T: Send>(v: &mut [T], order: &impl Order<T>) {
    if is_serial(v, LEAF) {
        return v.sort_by(order);
    }
    if run::finish(v, order) {
        return;
    }
    let mut spare = Vec::with_capacity(v.len());
    let piece = v.len().div_ceil(PIECES * current_threads()).max(LEAST);
    by_quarters(v, &mut spare.spare_capacity_mut()[..v.len()], piece, order);
}

/// Sorts quarters, merges them into two halves in `spare`, and merges the halves back. The algorithm is the cilksort of Frigo, Leiserson
/// and Randall (*The implementation of the Cilk-5 multithreaded language*, 1998).
fn by_quarters<T: Send>(
    v: &mut [T],
    spare: &mut [MaybeUninit<T>],
    piece: usize,
    order: &impl Order<T>,
) {
    if v.len() <= piece {
        return v.sort_by(order);
    }
    let half = v.len() / 2;
    {
        let (front, back) = v.split_at_mut(half);
        let (front_spare, back_spare) = spare.split_at_mut(half);
        join(
            || to_spare(front, front_spare, piece, order),
            || to_spare(back, back_spare, piece, order),
        );
    }
    let way_back = WayBack {
        home: v.as_mut_ptr(),
        spare: spare.as_mut_ptr().cast(),
        len: v.len(),
    };
    // SAFETY: `to_spare` has returned for both halves, so `spare` has each element once, and no other code accesses `v` or `spare`.
    // From this line on the values in `v` are copies, which may be overwritten. If the merge panics, these slices have ended before
    // `way_back` copies the elements back.
    let (runs, home) = unsafe {
        (
            slice::from_raw_parts_mut(way_back.spare, way_back.len),
            slice::from_raw_parts_mut(way_back.home.cast(), way_back.len),
        )
    };
    let (front, back) = runs.split_at_mut(half);
    merge(front, back, home, order);
    // `v` has the elements now, and the values in `spare` are copies.
    std::mem::forget(way_back);
}

/// Sorts the elements of `v` into `spare`. When the function returns, both slices have a copy of each element. If the function panics, `v`
/// has each element once, and the contents of `spare` must not be used.
fn to_spare<T: Send>(
    v: &mut [T],
    spare: &mut [MaybeUninit<T>],
    piece: usize,
    order: &impl Order<T>,
) {
    let half = v.len() / 2;
    let (front, back) = v.split_at_mut(half);
    let (front_spare, back_spare) = spare.split_at_mut(half);
    join(
        || by_quarters(front, front_spare, piece, order),
        || by_quarters(back, back_spare, piece, order),
    );
    merge(front, back, spare, order);
}

/// A guard for a merge back. If a comparison panics, the guard copies the elements from the spare slice back to the original slice.
pub(super) struct WayBack<T> {
    pub(super) home: *mut T,
    pub(super) spare: *mut T,
    pub(super) len: usize,
}

impl<T> Drop for WayBack<T> {
    fn drop(&mut self) {
        // SAFETY: this guard lives inside of a function that owns or borrows both slices. The merge or copy that panicked has ended
        // on all workers, and has not changed its source, so `spare` has each element once.
        unsafe { ptr::copy_nonoverlapping(self.spare, self.home, self.len) };
    }
}
