//! Sorts that compute each key once.

use super::merge::copy;
use super::quick;
use super::stable::WayBack;
use crate::join;
use std::mem::MaybeUninit;
use std::{ptr, slice};

/// Number of keys that are found, or elements moved, without a fork.
const BLOCK: usize = if cfg!(test) { 4 } else { 1024 };

/// Sorts by `key`, equal keys in the order of their elements.
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
    // SAFETY: `find` has written as many, from the first place on, and no longer drops them.
    unsafe { keys.set_len(len) };
    // Stable, since each key has its element's place.
    quick::sort(&mut keys, &<(K, usize)>::cmp);
    let mut moved = Vec::with_capacity(v.len());
    let moved = &mut moved.spare_capacity_mut()[..v.len()];
    gather(&Source(v.as_ptr()), &mut keys, moved);
    let way_back = WayBack {
        home: v.as_mut_ptr(),
        spare: moved.as_mut_ptr().cast(),
        len: v.len(),
    };
    // SAFETY: a permutation of `keys` names each element once, so each is once in `moved`, and no other code has that or `v`. What
    // is in `v` are copies from now on, which may be overwritten. Should the pool panic, these slices have ended when `way_back`
    // does the rest.
    let (moved, home) = unsafe {
        (
            slice::from_raw_parts_mut(way_back.spare, way_back.len),
            slice::from_raw_parts_mut(way_back.home.cast(), way_back.len),
        )
    };
    copy(moved, home);
    // What is in `moved` are copies.
    std::mem::forget(way_back);
}

/// Computes the key of each element of `v`, and stores it with the element's place; the first place is `start`.
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
    // All places of both, so that these are the first places of `out`.
    Found { places: out, len }
}

/// Keys that have been found, in the first of these places. Drops the keys unless [`keep`](Self::keep) was called.
struct Found<'k, E> {
    places: &'k mut [MaybeUninit<E>],
    len: usize,
}

impl<E> Found<'_, E> {
    fn push(&mut self, key: E) {
        self.places[self.len].write(key);
        self.len += 1;
    }

    /// Leaves them in their places, and returns their number.
    fn keep(self) -> usize {
        let len = self.len;
        std::mem::forget(self);
        len
    }
}

impl<E> Drop for Found<'_, E> {
    fn drop(&mut self) {
        let keys: *mut E = self.places.as_mut_ptr().cast();
        // SAFETY: so many have been written from the first place on, and each is dropped here only.
        unsafe { ptr::slice_from_raw_parts_mut(keys, self.len).drop_in_place() };
    }
}

/// Slice from which several workers copy elements.
struct Source<T>(*const T);

// SAFETY: elements are moved out through it, from anywhere to any worker, and none is looked at.
unsafe impl<T: Send> Sync for Source<T> {}

/// Copies the elements that `keys` name.
fn gather<T: Send, K: Send>(from: &Source<T>, keys: &mut [(K, usize)], out: &mut [MaybeUninit<T>]) {
    if keys.len() <= BLOCK {
        for ((_, place), out) in keys.iter().zip(out) {
            // SAFETY: the number was an element's place in the slice, whose owner waits for this.
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
