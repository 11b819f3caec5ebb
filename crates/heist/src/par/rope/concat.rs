//! Concatenates ropes (the `cat2` of Rainey's thesis), and limits the depth of the result.

use super::leaf::Copier;
use super::tree::{End, Tree, join_some, total};

/// Returns the maximum depth of a balanced rope of `len` items.
pub(super) fn depth_bound(len: usize) -> usize {
    ceil_log2(len) + 2
}

fn ceil_log2(len: usize) -> usize {
    len.max(1)
        .checked_next_power_of_two()
        .map_or(usize::BITS, usize::trailing_zeros) as usize
}

/// Concatenates both trees, and merges small leaves at the seam. If `copy` is `None`, merges only leaves that no other rope shares.
pub(super) fn concat<T>(
    mut left: Tree<T>,
    mut right: Tree<T>,
    max: usize,
    copy: Option<Copier<T>>,
) -> Tree<T> {
    // The length is checked before anything is changed.
    total(left.len(), right.len());
    if left.end_leaf(End::Last).touches(right.end_leaf(End::First)) {
        match mend(left, right) {
            (whole, None) => return limit(whole),
            (whole, Some(rest)) => (left, right) = (whole, rest),
        }
    }
    if copy.is_some() {
        left = fill_end(left, End::Last, max, copy);
        right = fill_end(right, End::First, max, copy);
    }
    let (last, first) = (left.end_leaf(End::Last), right.end_leaf(End::First));
    let merges = last.len() + first.len() <= max
        && (copy.is_some() || (left.owns_end(End::Last) && right.owns_end(End::First)));
    if merges {
        let (rest, first) = right.pop(End::First);
        // The tree keeps its shape, so only the join below can deepen it.
        left = left.alter(End::Last, |last| last.merge(first, max, copy));
        match rest {
            Some(rest) => right = rest,
            None => return limit(left),
        }
    }
    limit(Tree::join(left, right))
}

/// Merges the two leaves at one end if they fit into one leaf. The caller calls this function before it joins another tree to this end.
/// Only a leaf that a split has cut can be small enough for a merge.
fn fill_end<T>(tree: Tree<T>, end: End, max: usize, copy: Option<Copier<T>>) -> Tree<T> {
    match tree.last_two(end) {
        (leaf, Some(neighbour)) if leaf.len() + neighbour.len() <= max => {}
        _ => return tree,
    }
    let (rest, leaf) = tree.pop(end);
    let rest = rest.expect("it has two leaves");
    rest.alter(end, |neighbour| match end {
        End::First => leaf.merge(neighbour, max, copy),
        End::Last => neighbour.merge(leaf, max, copy),
    })
}

/// Number of cuts after which [`limit`] gives up. These cuts take about 80 ms.
const CUTS: u32 = 1 << 14;

/// Returns a tree that has the same leaves, and a depth within the [bound](depth_bound). Local balance alone does not guarantee this bound.
/// If the tree is too deep, cuts it in the middle, limits both halves, and joins them. The bound on the depth of a half is one less than
/// the bound of the whole tree. So if two halves are within their bounds, their join is within its bound.
///
/// A tree that would take more than [`CUTS`] cuts stays as it is.
#[inline]
pub(super) fn limit<T>(tree: Tree<T>) -> Tree<T> {
    if tree.depth() <= depth_bound(tree.len()) {
        return tree;
    }
    limit_within(tree.clone(), &mut { CUTS }).unwrap_or(tree)
}

fn limit_within<T>(tree: Tree<T>, cuts: &mut u32) -> Option<Tree<T>> {
    if tree.depth() <= depth_bound(tree.len()) {
        return Some(tree);
    }
    *cuts = cuts.checked_sub(1)?;
    // A tree with a depth of at least 1 has at least two items, so neither half is empty.
    let (left, right) = tree.split_at(tree.len().div_ceil(2));
    let left = limit_within(left?, cuts)?;
    let right = limit_within(right?, cuts)?;
    if left.end_leaf(End::Last).touches(right.end_leaf(End::First)) {
        let (left, right) = mend(left, right);
        return join_some(Some(left), right);
    }
    Some(Tree::join(left, right))
}

/// Restores a leaf that was cut: merges the first leaf of `right` with the last leaf of `left`. Both leaves must be adjacent views
/// of one array, so no item is copied.
fn mend<T>(left: Tree<T>, right: Tree<T>) -> (Tree<T>, Option<Tree<T>>) {
    let (rest, first) = right.pop(End::First);
    let whole = left.alter(End::Last, |last| last.merge(first, usize::MAX, None));
    (whole, rest)
}
