//! Partitions a slice on several workers together.

use super::partition::partition as partition_part;
use super::quick::Plan;
use super::{Order, run, sample};
use crate::join;

/// Number of parts for each worker. With several parts, other workers can run parts of a worker that begins late.
const PARTS: usize = if cfg!(test) { 1 } else { 4 };
/// Number of sample elements for each part. The pivots are the middle elements of the sample, about a hundredth of all sample
/// elements.
const SAMPLE: usize = if cfg!(test) { 3 } else { 128 };
/// Minimum ratio of the length of a shared slice to the length of its sample.
const OF_SAMPLE: usize = if cfg!(test) { 8 } else { 32 };
/// Number of elements that one worker exchanges without a fork.
const BLOCK: usize = if cfg!(test) { 4 } else { 16_384 };

/// Returns the number of parts into which a slice is partitioned.
pub(super) fn parts(workers: usize) -> usize {
    PARTS * workers
}

/// Returns the minimum length of a slice for which this number of parts pays off. In a shorter slice the sample would cost too much,
/// because one worker sorts the sample while all other workers wait.
pub(super) fn least(parts: usize) -> usize {
    OF_SAMPLE * SAMPLE * parts
}

/// Result of a partition.
pub(super) struct Pass {
    /// Number of elements on the left.
    pub(super) left: usize,
    /// Whether the elements on the left are sorted and not greater than any element on the right. If `is_done` is false, the first element
    /// on the right is not greater than any other element on the right.
    pub(super) is_done: bool,
}

/// Moves small elements to the left and great elements to the right.
///
/// Each part has a pivot of its own, because no two workers may access one element. The pivots are neighbours in a sorted sample,
/// so few elements are between the least and the greatest pivot. These elements may end up on either side.
pub(super) fn partition<T: Send, O: Order<T>>(
    v: &mut [T],
    bound: Option<&T>,
    plan: &Plan<O>,
) -> Pass {
    let (order, parts) = (plan.order, plan.parts);
    let drawn = sample::draw(v, SAMPLE * parts, order);
    if sample::is_flat(drawn, order) && run::finish(v, order) {
        return Pass {
            left: v.len(),
            is_done: true,
        };
    }
    let (drawn, body) = v.split_at_mut(SAMPLE * parts);
    let first = (drawn.len() - parts) / 2;
    let is_done = bound.is_some_and(|bound| !order.less(bound, &drawn[first + parts - 1]));
    // For each part, the number of elements that belong to the left and to the right. The sample is sorted, so it counts as a part.
    let mut sides = vec![[0; 2]; parts + 1];
    let (of_sample, of_parts) = sides.split_at_mut(1);
    if is_done {
        let pivots = &mut drawn[first..first + parts];
        each(body, pivots, of_parts, &|x, pivot| !order.less(pivot, x));
        let pivot = &drawn[first];
        let small = drawn.partition_point(|x| !order.less(pivot, x));
        of_sample[0] = [small, drawn.len() - small];
    } else {
        let pivots = &mut drawn[first..first + parts];
        each(body, pivots, of_parts, &|x, pivot| order.less(x, pivot));
        of_sample[0] = [first, drawn.len() - first];
    }
    let left = sides.iter().map(|side| side[0]).sum();
    let moved = gather(v, left, &sides);
    // The least pivot was the first element of the right side.
    if let (false, Some(place)) = (is_done, moved) {
        v.swap(left, place);
    }
    Pass { left, is_done }
}

/// Partitions the parts of the slice in parallel, each by its own pivot.
fn each<T: Send>(
    v: &mut [T],
    pivots: &mut [T],
    sides: &mut [[usize; 2]],
    goes_left: &(impl Fn(&T, &T) -> bool + Sync),
) {
    if let [pivot] = pivots {
        let left = partition_part(v, pivot, goes_left);
        sides[0] = [left, v.len() - left];
        return;
    }
    let half = pivots.len() / 2;
    let (front, back) = v.split_at_mut(v.len() / pivots.len() * half);
    let (front_pivots, back_pivots) = pivots.split_at_mut(half);
    let (front_sides, back_sides) = sides.split_at_mut(half);
    join(
        || each(front, front_pivots, front_sides, goes_left),
        || each(back, back_pivots, back_sides, goes_left),
    );
}

/// Exchanges the elements on the wrong side of the cut, which is at index `left`. The left sides of all parts, with `left` elements in all,
/// then lie together at the front. If the first element of the first right side has moved, returns the new place of this element.
fn gather<T: Send>(v: &mut [T], left: usize, sides: &[[usize; 2]]) -> Option<usize> {
    let mut rest = v;
    let mut position = 0;
    let (mut great, mut small) = (Vec::new(), Vec::new());
    let mut first_small = None;
    for (i, &len) in sides.as_flattened().iter().enumerate() {
        let (side, after) = std::mem::take(&mut rest).split_at_mut(len);
        rest = after;
        let before = left.saturating_sub(position).min(len);
        let (in_front, behind) = side.split_at_mut(before);
        if i % 2 == 1 {
            great.extend(in_front.chunks_mut(BLOCK));
        } else if !behind.is_empty() {
            first_small.get_or_insert(position + before);
            small.extend(behind.chunks_mut(BLOCK));
        }
        position += len;
    }
    let mut pairs = Vec::with_capacity(great.len() + small.len());
    let (mut great, mut small) = (great.into_iter(), small.into_iter());
    let (mut a, mut b): (&mut [T], &mut [T]) = (&mut [], &mut []);
    loop {
        if a.is_empty() {
            a = great.next().unwrap_or_default();
        }
        if b.is_empty() {
            b = small.next().unwrap_or_default();
        }
        let len = a.len().min(b.len());
        if len == 0 {
            break;
        }
        let (now, later) = a.split_at_mut(len);
        let (now_too, later_too) = b.split_at_mut(len);
        pairs.push((now, now_too));
        (a, b) = (later, later_too);
    }
    exchange(&mut pairs);
    first_small
}

/// Exchanges the two slices of each pair.
fn exchange<T: Send>(pairs: &mut [(&mut [T], &mut [T])]) {
    match pairs {
        [] => {}
        [(a, b)] => a.swap_with_slice(b),
        _ => {
            let (front, back) = pairs.split_at_mut(pairs.len() / 2);
            join(|| exchange(front), || exchange(back));
        }
    }
}
