//! The unstable sort: quicksort.

use super::partition::partition;
use super::{Order, is_serial, run, sample, seam, shared};
use crate::{current_threads, join};

/// The maximum length of a slice for which quicksort calls the standard library's sort. A parallel sort of shorter slices would pay off,
/// too, but this quicksort exploits patterns less well than the standard library's sort does.
pub(super) const LEAF: usize = if cfg!(test) { 24 } else { 4096 };
/// Number of elements in a sample. The pivot is the median of the sample.
const SAMPLE: usize = if cfg!(test) { 5 } else { 31 };

/// Values that stay the same throughout a sort.
pub(super) struct Plan<'o, O> {
    pub(super) order: &'o O,
    /// Several workers partition each slice that is longer than this number.
    pub(super) shared: usize,
    pub(super) parts: usize,
}

/// Sorts a slice. Equal elements may change their order.
pub(super) fn sort<T: Send>(v: &mut [T], order: &impl Order<T>) {
    if is_serial(v, LEAF) {
        return v.sort_unstable_by(order);
    }
    if run::finish(v, order) {
        return;
    }
    let workers = current_threads();
    let parts = shared::parts(workers);
    let plan = Plan {
        order,
        // Fewer slices than workers can be longer than this length, so several workers are free for each longer slice.
        shared: (v.len() / workers * 3 / 2).max(shared::least(parts)),
        parts,
    };
    let most = 2 * v.len().ilog2();
    quicksort(v, false, &plan, most);
}

/// Sorts a slice. If `bounded` is true, the first element is a former pivot, and is not greater than any other element.
///
/// The former pivot is in the slice instead of behind a reference, because `T` need not be `Sync`: only one worker at a time may access the
/// pivot.
pub(super) fn quicksort<T: Send, O: Order<T>>(
    mut v: &mut [T],
    mut bounded: bool,
    plan: &Plan<O>,
    mut most: u32,
) {
    let order = plan.order;
    loop {
        if v.len() <= LEAF || most == 0 {
            return v.sort_unstable_by(order);
        }
        most -= 1;
        let (bound, body) = v.split_at_mut(usize::from(bounded));
        if body.len() > plan.shared {
            let pass = shared::partition(body, bound.first(), plan);
            let cut = bound.len() + pass.left;
            if pass.is_done {
                (v, bounded) = (&mut v[cut..], false);
                continue;
            }
            fork(v, cut, bounded, plan, most);
            return seam::mend(v, cut, plan, most);
        }
        let drawn = sample::draw(body, SAMPLE, order);
        // One pass over the slice is cheaper than two partitions.
        if sample::is_flat(drawn, order) && run::finish(body, order) {
            return;
        }
        body.swap(0, SAMPLE / 2);
        let [pivot, rest @ ..] = &mut *body else {
            return;
        };
        if bound.iter().any(|bound| !order.less(bound, pivot)) {
            // All elements that are not greater than the pivot are equal to it, so this partition puts them into their final
            // places.
            let equal = partition(rest, pivot, |x, pivot| !order.less(pivot, x));
            let done = bound.len() + 1 + equal;
            (v, bounded) = (&mut v[done..], false);
            continue;
        }
        let left = partition(rest, pivot, |x, pivot| order.less(x, pivot));
        body.swap(0, left);
        let cut = bound.len() + left;
        return fork(v, cut, bounded, plan, most);
    }
}

/// Sorts both sides of `cut`, in parallel if a thief takes one side. The element at `cut` must not be greater than any element
/// behind it.
fn fork<T: Send, O: Order<T>>(v: &mut [T], cut: usize, bounded: bool, plan: &Plan<O>, most: u32) {
    let (left, right) = v.split_at_mut(cut);
    join(
        || quicksort(left, bounded, plan, most),
        || quicksort(right, true, plan, most),
    );
}
