//! Detects slices that are already sorted or reversed.

use super::Order;
use crate::join;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Number of elements that one worker checks without a fork. With the cheapest comparison, this check takes some tens of microseconds.
const LOOKS: usize = if cfg!(test) { 8 } else { 131_072 };
/// Number of pairs that the check compares before it branches on the results.
const STRIDE: usize = 16;
/// Number of elements that one worker exchanges without a fork.
const BLOCK: usize = if cfg!(test) { 8 } else { 65_536 };
/// Number of neighbours at the front that one worker checks first. This check recognises most unsorted inputs.
const GLANCE: usize = if cfg!(test) { 4 } else { 64 };

/// Returns true if the slice is sorted. The slice must have at least two elements. If the slice is strictly descending, first
/// reverses it.
pub(super) fn finish<T: Send>(v: &mut [T], order: &impl Order<T>) -> bool {
    if !order.less(&v[1], &v[0]) {
        return is_run_at_all(v, &|a, b| order.less(b, a));
    }
    if !is_run_at_all(v, &|a, b| !order.less(b, a)) {
        return false;
    }
    let (front, back) = v.split_at_mut(v.len() / 2);
    let middle = back.len() - front.len();
    mirror(front, &mut back[middle..]);
    true
}

/// Returns true if `breaks` returns false for all pairs of neighbours. Checks a few neighbours at the front before all workers check the
/// slice.
fn is_run_at_all<T: Send>(v: &mut [T], breaks: &(impl Fn(&T, &T) -> bool + Sync)) -> bool {
    let mut glance = v.windows(2).take(GLANCE);
    !glance.any(|pair| breaks(&pair[0], &pair[1])) && is_run(v, breaks, &AtomicBool::new(false))
}

/// Works like [`is_run_at_all`], but uses all free workers from the beginning. Stops when `breaks` returns true for a pair, and then sets
/// `broken`.
fn is_run<T: Send>(
    v: &mut [T],
    breaks: &(impl Fn(&T, &T) -> bool + Sync),
    broken: &AtomicBool,
) -> bool {
    // The access is relaxed, because the flag only saves work.
    if broken.load(Relaxed) {
        return false;
    }
    if v.len() <= LOOKS {
        let whole = is_run_here(v, breaks);
        if !whole {
            broken.store(true, Relaxed);
        }
        return whole;
    }
    let middle = v.len() / 2;
    if breaks(&v[middle - 1], &v[middle]) {
        broken.store(true, Relaxed);
        return false;
    }
    // The halves share no element, because `T` need not be `Sync`.
    let (front, back) = v.split_at_mut(middle);
    let (a, b) = join(
        || is_run(front, breaks, broken),
        || is_run(back, breaks, broken),
    );
    a && b
}

/// Works like [`is_run_at_all`], but uses this worker alone.
fn is_run_here<T>(v: &[T], breaks: &impl Fn(&T, &T) -> bool) -> bool {
    let mut rest = v;
    while let Some(stride) = rest.first_chunk::<{ STRIDE + 1 }>() {
        // The number of pairs is a constant, so the compiler needs no branch between two pairs and can compare several pairs at a
        // time.
        let pairs = stride.windows(2);
        if pairs.fold(false, |broken, pair| broken | breaks(&pair[0], &pair[1])) {
            return false;
        }
        rest = &rest[STRIDE..];
    }
    rest.windows(2).all(|pair| !breaks(&pair[0], &pair[1]))
}

/// Exchanges the elements of two slices of the same length, and reverses both slices.
fn mirror<T: Send>(front: &mut [T], back: &mut [T]) {
    if front.len() <= BLOCK {
        for (a, b) in front.iter_mut().zip(back.iter_mut().rev()) {
            std::mem::swap(a, b);
        }
        return;
    }
    let middle = front.len() / 2;
    let (outer, inner) = front.split_at_mut(middle);
    let (far, near) = back.split_at_mut(back.len() - middle);
    join(|| mirror(outer, near), || mirror(inner, far));
}
