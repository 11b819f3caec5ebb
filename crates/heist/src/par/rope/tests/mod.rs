//! Functions shared by the tests of ropes.

mod drops;
mod model;
mod sequence;
mod shapes;
mod taking;
mod zipper;

use super::tree::Tree;
use super::{Rope, RopeBuilder};

/// Returns a rope of the given items with leaves of at most `leaf` items.
fn rope_of<T>(leaf: usize, items: impl IntoIterator<Item = T>) -> Rope<T> {
    let mut builder = RopeBuilder::with_leaf(leaf);
    builder.extend(items);
    builder.finish()
}

/// Checks the invariants that hold for every rope. Returns the lengths of the rope's leaves.
fn check<T>(rope: &Rope<T>) -> Vec<usize> {
    fn walk<T>(tree: &Tree<T>, max: usize, leaves: &mut Vec<usize>) -> (usize, usize) {
        let found = match tree {
            Tree::Leaf(leaf) => {
                assert!(leaf.len() > 0, "an empty leaf");
                assert!(leaf.len() <= max, "{} items in a leaf of {max}", leaf.len());
                assert_eq!(leaf.len(), leaf.items().len());
                leaves.push(leaf.len());
                (leaf.len(), 0)
            }
            Tree::Cat(cat) => {
                let [left, right] = cat.sides();
                let (l, r) = (walk(left, max, leaves), walk(right, max, leaves));
                assert!(l.1.abs_diff(r.1) <= 1, "depths of {} and {}", l.1, r.1);
                (l.0 + r.0, 1 + l.1.max(r.1))
            }
        };
        assert_eq!(found, (tree.len(), tree.depth()));
        found
    }
    let mut leaves = Vec::new();
    let (len, depth) = match &rope.root {
        Some(root) => walk(root, rope.leaf_size(), &mut leaves),
        None => (0, 0),
    };
    assert_eq!((len, depth), (rope.len(), rope.depth()));
    // This function and `is_balanced` compute the bound in different ways.
    let mut bound = 2;
    while 1usize << (bound - 2) < len {
        bound += 1;
    }
    assert!(depth <= bound, "depth {depth} with {len} items");
    assert!(rope.is_balanced());
    assert!(rope.leaves().map(<[T]>::len).eq(leaves.iter().copied()));
    leaves
}

/// Works like [`check`]. Also checks that no two neighbouring leaves would fit into one leaf, except at the ends of the rope.
pub(crate) fn check_filled<T>(rope: &Rope<T>) {
    let leaves = check(rope);
    let inner = leaves.get(1..leaves.len().saturating_sub(1));
    for pair in inner.unwrap_or(&[]).windows(2) {
        let together = pair[0] + pair[1];
        assert!(together > rope.leaf_size(), "small leaves in {leaves:?}");
    }
}
