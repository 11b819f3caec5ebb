//! The sort that computes the key of each element once.

use super::merge::copy;
use super::quick;
use super::stable::WayBack;
use crate::join;
use std::mem::MaybeUninit;
use std::{ptr, slice};

/// Maximum number of keys that one worker computes, or of elements that it moves, without a fork.
const BLOCK: usize = if cfg!(test) { 4 } else { 1024 };

/// Sorts by `key`. Elements with equal keys keep their order.
pub(super) fn sort<T, K, F>(v: &mut [T], key: &F)
where
    T: Send,
    K: Ord + Send,
    F: Fn(&T) -> K + Sync,
{
    if v.len() < 2 || size_of::<T>() == 0 {
        return;
    }
    let mut keys = Vec::with_capacity(v.len());
    let len = find(v, &mut keys.spare_capacity_mut()[..v.len()], 0, key).keep();
    // SAFETY: `find` has written `len` keys from the first place on, and no longer drops them.
    unsafe { keys.set_len(len) };
    // The sort of the pairs is stable, because each pair has its element's place, so no two pairs are equal.
    quick::sort(&mut keys, &<(K, usize)>::cmp);
    let mut moved = Vec::with_capacity(v.len());
    let moved = &mut moved.spare_capacity_mut()[..v.len()];
    gather(&Source(v.as_ptr()), &mut keys, moved);
    let way_back = WayBack {
        home: v.as_mut_ptr(),
        spare: moved.as_mut_ptr().cast(),
        len: v.len(),
    };
    // SAFETY: `keys` has each place of `v` once. So each element is copied once to `moved`, and no other code accesses `moved` or `v`. From
    // this line on the values in `v` are copies, which may be overwritten. If `copy` panics, these slices have ended before `way_back`
    // copies the elements back.
    let (moved, home) = unsafe {
        (
            slice::from_raw_parts_mut(way_back.spare, way_back.len),
            slice::from_raw_parts_mut(way_back.home.cast(), way_back.len),
        )
    };
    copy(moved, home);
    // The elements are in `v` again, and the values in `moved` are copies.
    std::mem::forget(way_back);
}

/// Computes the key of each element of `v`, and stores it together with the element's place in the slice. The first element is at
/// place `start`.
fn find<'k, T, K, F>(
    v: &mut [T],
    out: &'k mut [MaybeUninit<(K, usize)>],
    start: usize,
    key: &F,
) -> Found<'k, (K, usize)>
where
    T: Send,
    K: Send,
    F: Fn(&T) -> K + Sync,
{
    if v.len() <= BLOCK {
        let mut found = Found {
            places: out,
            len: 0,
        };
        for (i, x) in v.iter().enumerate() {
            found.push((key(x), start + i));
        }
        return found;
    }
    let half = v.len() / 2;
    let (front, back) = v.split_at_mut(half);
    let (front_out, back_out) = out.split_at_mut(half);
    let (a, b) = join(
        || find(front, front_out, start, key),
        || find(back, back_out, start + half, key),
    );
    let len = a.keep() + b.keep();
    // Both parts have filled all their places, so the keys are in the first places of `out`.
    Found { places: out, len }
}

/// The computed keys, in the first `len` places. The drop of this value drops the keys, unless [`keep`](Self::keep) was called.
struct Found<'k, E> {
    places: &'k mut [MaybeUninit<E>],
    len: usize,
}

impl<E> Found<'_, E> {
    fn push(&mut self, key: E) {
        self.places[self.len].write(key);
        self.len += 1;
    }

    /// Gives up the ownership of the keys, so that the drop does not drop them. Returns the number of keys.
    fn keep(self) -> usize {
        let len = self.len;
        std::mem::forget(self);
        len
    }
}

impl<E> Drop for Found<'_, E> {
    fn drop(&mut self) {
        let keys: *mut E = self.places.as_mut_ptr().cast();
        // SAFETY: the first `len` keys have been written, and only this code drops them, because `keep` forgets the value.
        unsafe { ptr::slice_from_raw_parts_mut(keys, self.len).drop_in_place() };
    }
}

/// The address of a slice from which several workers copy elements.
struct Source<T>(*const T);

// SAFETY: workers only copy bytes through the pointer, and never form a reference to an element. Each element then moves to one
// worker, which `T: Send` allows.
unsafe impl<T: Send> Sync for Source<T> {}

/// Copies the elements whose places are in `keys`, in the order of `keys`.
fn gather<T: Send, K: Send>(from: &Source<T>, keys: &mut [(K, usize)], out: &mut [MaybeUninit<T>]) {
    if keys.len() <= BLOCK {
        for ((_, place), out) in keys.iter().zip(out) {
            // SAFETY: `place` is the place of an element in the slice, which is borrowed until this function returns.
            unsafe { ptr::copy_nonoverlapping(from.0.add(*place), out.as_mut_ptr(), 1) };
        }
        return;
    }
    let half = keys.len() / 2;
    let (front, back) = keys.split_at_mut(half);
    let (front_out, back_out) = out.split_at_mut(half);
    join(
        || gather(from, front, front_out),
        || gather(from, back, back_out),
    );
}
