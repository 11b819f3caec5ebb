//! Merges of sorted runs.

use super::Order;
use crate::join;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

/// Number of elements that one worker merges or copies without a fork.
const BLOCK: usize = if cfg!(test) { 8 } else { 8192 };
/// The minimum number of steps for which a loop without tests for the end of a run pays off.
const STRIDE: usize = 8;

/// Copies two sorted runs to `out` in order. If elements of both runs are equal, the elements of the left run come first.
///
/// `out` is as long as both runs together. When the function returns, `out` has a copy of each element of the runs. The function never
/// changes the runs. If the function panics, the caller must not use the contents of `out`. The runs are borrowed mutably, because no two
/// workers may access the same element.
pub(super) fn merge<T: Send>(
    left: &mut [T],
    right: &mut [T],
    out: &mut [MaybeUninit<T>],
    order: &impl Order<T>,
) {
    debug_assert_eq!(left.len() + right.len(), out.len());
    let (Some(left_last), Some(right_first)) = (left.last(), right.first()) else {
        let (left_out, right_out) = out.split_at_mut(left.len());
        copy(left, left_out);
        return copy(right, right_out);
    };
    if !order.less(right_first, left_last) {
        let (left_out, right_out) = out.split_at_mut(left.len());
        join(|| copy(left, left_out), || copy(right, right_out));
        return;
    }
    if order.less(&right[right.len() - 1], &left[0]) {
        let (right_out, left_out) = out.split_at_mut(right.len());
        join(|| copy(left, left_out), || copy(right, right_out));
        return;
    }
    let half = out.len() / 2;
    let i = split(left, right, half, order);
    let (left, late_left) = left.split_at_mut(i);
    let (right, late_right) = right.split_at_mut(half - i);
    let is_leaf = out.len() <= BLOCK;
    let (out, late_out) = out.split_at_mut(half);
    if is_leaf {
        both(
            Merge::new(left, right, out),
            Merge::new(late_left, late_right, late_out),
            order,
        );
    } else {
        join(
            || merge(left, right, out, order),
            || merge(late_left, late_right, late_out, order),
        );
    }
}

/// Returns the number of elements of the left run among the first `count` elements of the merged runs (Odeh, Green et al., *Merge
/// path*, 2012).
///
/// Even if the order is inconsistent, the result is at most the length of the left run, and `count` minus the result is at most the length
/// of the right run.
fn split<T>(left: &[T], right: &[T], count: usize, order: &impl Order<T>) -> usize {
    let mut low = count.saturating_sub(right.len());
    let mut high = count.min(left.len());
    while low < high {
        let i = low + (high - low) / 2;
        if order.less(&right[count - i - 1], &left[i]) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    low
}

/// Copies a slice.
pub(super) fn copy<T: Send>(from: &mut [T], to: &mut [MaybeUninit<T>]) {
    if from.len() > BLOCK {
        let half = from.len() / 2;
        let (front, back) = from.split_at_mut(half);
        let (front_to, back_to) = to.split_at_mut(half);
        join(|| copy(front, front_to), || copy(back, back_to));
        return;
    }
    assert_eq!(from.len(), to.len());
    // SAFETY: both slices are borrowed, do not overlap, and have the same length. A copy in a `MaybeUninit` is not yet an element.
    unsafe { ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr().cast(), from.len()) };
}

/// The state of a merge.
///
/// `left` and `right` point to the next elements of the two runs. `left_end` and `right_end` point to the ends of the runs. `out` has
/// places for the remaining elements of both runs.
struct Merge<'m, T> {
    left: *const T,
    left_end: *const T,
    right: *const T,
    right_end: *const T,
    out: *mut T,
    borrows: PhantomData<(&'m [T], &'m mut [MaybeUninit<T>])>,
}

impl<'m, T> Merge<'m, T> {
    fn new(left: &'m [T], right: &'m [T], out: &'m mut [MaybeUninit<T>]) -> Self {
        assert_eq!(left.len() + right.len(), out.len());
        let (left, right) = (left.as_ptr_range(), right.as_ptr_range());
        Merge {
            left: left.start,
            left_end: left.end,
            right: right.start,
            right_end: right.end,
            out: out.as_mut_ptr().cast(),
            borrows: PhantomData,
        }
    }

    /// Returns the number of remaining elements of each run.
    #[inline(always)]
    fn rest(&self) -> (usize, usize) {
        // SAFETY: each pointer is within its run, at or before the run's end, so each difference is that of two pointers into one
        // slice. The size of `T` is not zero.
        unsafe {
            (
                self.left_end.offset_from(self.left) as usize,
                self.right_end.offset_from(self.right) as usize,
            )
        }
    }

    /// Returns the number of steps that the merge can make before a run may end.
    #[inline(always)]
    fn sure_steps(&self) -> usize {
        let (left, right) = self.rest();
        left.min(right)
    }

    /// Copies the next element of the merged runs.
    ///
    /// # Safety
    /// The caller must ensure that both runs have elements left.
    #[inline(always)]
    unsafe fn step(&mut self, order: &impl Order<T>) {
        // SAFETY: by this function's contract both runs have a next element. The elements are borrowed and intact, because a merge
        // only makes copies.
        let takes_right = order.less(unsafe { &*self.right }, unsafe { &*self.left });
        let from = if takes_right { self.right } else { self.left };
        // SAFETY: `from` is one of these two elements, and `out` has places for all remaining elements.
        unsafe {
            ptr::copy_nonoverlapping(from, self.out, 1);
            self.right = self.right.add(usize::from(takes_right));
            self.left = self.left.add(usize::from(!takes_right));
            self.out = self.out.add(1);
        }
    }

    /// Copies the remaining elements of both runs.
    fn finish(mut self, order: &impl Order<T>) {
        while self.left != self.left_end && self.right != self.right_end {
            // SAFETY: the loop's condition says that neither run has ended.
            unsafe { self.step(order) };
        }
        let (left, right) = self.rest();
        // SAFETY: `out` has places for the remaining elements of both runs, and the runs and `out` are borrowed for this merge.
        unsafe {
            ptr::copy_nonoverlapping(self.left, self.out, left);
            ptr::copy_nonoverlapping(self.right, self.out.add(left), right);
        }
    }
}

/// Carries out two merges at the same time: each step of the first merge is followed by a step of the second merge. Each step of a merge
/// waits only for the previous step of the same merge, so steps of the two merges overlap.
fn both<T>(mut a: Merge<T>, mut b: Merge<T>, order: &impl Order<T>) {
    loop {
        let steps = a.sure_steps().min(b.sure_steps());
        if steps < STRIDE {
            break;
        }
        for _ in 0..steps {
            // SAFETY: no run of either merge can end within `steps` steps.
            unsafe {
                a.step(order);
                b.step(order);
            }
        }
    }
    a.finish(order);
    b.finish(order);
}
