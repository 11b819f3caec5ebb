//! Sorts the elements around the cut between the two sides of a shared partition.

use super::Order;
use super::quick::{Plan, quicksort};

/// Sorts a slice whose two sides are sorted. The sort is fast if few elements are on the wrong side.
pub(super) fn mend<T: Send, O: Order<T>>(v: &mut [T], cut: usize, plan: &Plan<O>, most: u32) {
    let order = plan.order;
    let (left, right) = v.split_at_mut(cut);
    let (Some(last), Some(first)) = (left.last(), right.first()) else {
        return;
    };
    let start = left.partition_point(|x| !order.less(first, x));
    let end = cut + right.partition_point(|x| order.less(x, last));
    if start >= cut || end <= cut {
        return;
    }
    let len = v.len();
    let seam = &mut v[start..end];
    if seam.len() < len / 4 {
        quicksort(seam, false, plan, most);
    } else {
        // A seam as long as a quarter of the slice occurs only with an unlucky sample or an inconsistent order. A shared sort might
        // then never end.
        seam.sort_unstable_by(order);
    }
}
