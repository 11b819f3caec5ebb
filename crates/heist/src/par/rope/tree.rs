//! Trees of leaves, balanced like those of Adelson-Velsky and Landis.

use super::leaf::Leaf;
use std::num::NonZeroU8;
use std::sync::Arc;

/// A rope that is not empty. The rope is persistent: no code writes to nodes or arrays that two trees share.
pub(super) enum Tree<T> {
    Leaf(Leaf<T>),
    Cat(Cat<T>),
}

impl<T> Clone for Tree<T> {
    fn clone(&self) -> Self {
        match self {
            Tree::Leaf(leaf) => Tree::Leaf(leaf.clone()),
            Tree::Cat(cat) => Tree::Cat(cat.clone()),
        }
    }
}

// With this size, a node and its reference counts fill one cache line, so each step down reads one line. (On targets with shorter
// pointers, the whole node is smaller.)
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Tree<u8>>() == 24 && size_of::<[Tree<u8>; 2]>() == 48);

/// Two neighbouring trees whose depths differ by at most one.
///
/// `len` is the number of items in both sides, and `depth` the depth of the deeper side plus one. These two fields are next to the
/// reference to the node, not in the node. So a search reads only the nodes on its path.
pub(super) struct Cat<T> {
    len: usize,
    depth: NonZeroU8,
    sides: Arc<[Tree<T>; 2]>,
}

impl<T> Clone for Cat<T> {
    fn clone(&self) -> Self {
        Cat {
            sides: Arc::clone(&self.sides),
            ..*self
        }
    }
}

/// One of the two ends of a tree. As an index into the array of a node's two sides, an `End` selects the side nearer to this end.
#[derive(Clone, Copy)]
pub(super) enum End {
    First = 0,
    Last = 1,
}

impl End {
    pub(super) fn other(self) -> Self {
        match self {
            End::First => End::Last,
            End::Last => End::First,
        }
    }
}

impl<T> Cat<T> {
    #[inline]
    pub(super) fn sides(&self) -> &[Tree<T>; 2] {
        &self.sides
    }

    /// Returns both sides. Moves the sides out of the node if no other rope has the node, and clones them otherwise.
    pub(super) fn into_sides(self) -> [Tree<T>; 2] {
        match Arc::try_unwrap(self.sides) {
            Ok(sides) => sides,
            Err(shared) => <[Tree<T>; 2]>::clone(&shared),
        }
    }

    /// Returns true if no other rope has the node.
    pub(super) fn is_owned(&mut self) -> bool {
        Arc::get_mut(&mut self.sides).is_some()
    }

    /// Returns both sides for writing. If another rope has the node, first copies the node.
    pub(super) fn sides_mut(&mut self) -> &mut [Tree<T>; 2] {
        if Arc::get_mut(&mut self.sides).is_none() {
            self.sides = Arc::new(<[Tree<T>; 2]>::clone(&self.sides));
        }
        Arc::get_mut(&mut self.sides).expect("nobody else has seen the new node")
    }
}

impl<T> Tree<T> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Tree::Leaf(leaf) => leaf.len(),
            Tree::Cat(cat) => cat.len,
        }
    }

    #[inline]
    pub(super) fn depth(&self) -> usize {
        match self {
            Tree::Leaf(_) => 0,
            Tree::Cat(cat) => cat.depth.get().into(),
        }
    }

    /// Returns a tree whose root has the two given sides. Their depths must differ by at most one.
    fn cat(left: Tree<T>, right: Tree<T>) -> Self {
        debug_assert!(left.depth().abs_diff(right.depth()) <= 1);
        let depth = 1 + left.depth().max(right.depth());
        Tree::Cat(Cat {
            len: total(left.len(), right.len()),
            depth: u8::try_from(depth)
                .ok()
                .and_then(NonZeroU8::new)
                .expect("a balanced tree of so many items is not that deep"),
            sides: Arc::new([left, right]),
        })
    }

    /// Returns a tree of `leaves` that has the minimum depth.
    pub(super) fn of_leaves(leaves: Vec<Leaf<T>>) -> Option<Self> {
        fn build<T>(leaves: &mut std::vec::IntoIter<Leaf<T>>, count: usize) -> Tree<T> {
            if count == 1 {
                return Tree::Leaf(leaves.next().expect("as many as were counted"));
            }
            let left = build(leaves, count.div_ceil(2));
            Tree::cat(left, build(leaves, count / 2))
        }
        let count = leaves.len();
        (count > 0).then(|| build(&mut leaves.into_iter(), count))
    }

    /// Joins two neighbouring trees. Walks down the deeper tree to a subtree as deep as the shallower tree, puts a new node there,
    /// and restores the balance on the way back. The join takes O(difference of depths). The result is at most one level deeper
    /// than the deeper tree. Leaves do not change.
    pub(super) fn join(left: Tree<T>, right: Tree<T>) -> Self {
        let (l, r) = (left.depth(), right.depth());
        match (left, right) {
            (Tree::Cat(left), right) if l > r + 1 => {
                let [first, second] = left.into_sides();
                Tree::level_out(first, Tree::join(second, right))
            }
            (left, Tree::Cat(right)) if r > l + 1 => {
                let [first, second] = right.into_sides();
                Tree::level_out(Tree::join(left, first), second)
            }
            (left, right) => Tree::cat(left, right),
        }
    }

    /// Returns a balanced tree of two sides, after one or two rotations. The depths of the sides may differ by at most two.
    fn level_out(left: Tree<T>, right: Tree<T>) -> Self {
        let (l, r) = (left.depth(), right.depth());
        match (left, right) {
            (left, Tree::Cat(right)) if r > l + 1 => match right.into_sides() {
                [Tree::Cat(inner), outer] if inner.depth.get() as usize > outer.depth() => {
                    let [first, second] = inner.into_sides();
                    Tree::cat(Tree::cat(left, first), Tree::cat(second, outer))
                }
                [inner, outer] => Tree::cat(Tree::cat(left, inner), outer),
            },
            (Tree::Cat(left), right) if l > r + 1 => match left.into_sides() {
                [outer, Tree::Cat(inner)] if inner.depth.get() as usize > outer.depth() => {
                    let [first, second] = inner.into_sides();
                    Tree::cat(Tree::cat(outer, first), Tree::cat(second, right))
                }
                [outer, inner] => Tree::cat(outer, Tree::cat(inner, right)),
            },
            (left, right) => Tree::cat(left, right),
        }
    }

    /// Returns the first `at` items and the rest. Copies no item. Takes O(log n). On the way back up, each join combines deeper trees than
    /// the previous join, so all joins together take O(depth).
    pub(super) fn split_at(&self, at: usize) -> (Option<Self>, Option<Self>) {
        if at == 0 {
            return (None, Some(self.clone()));
        }
        if at >= self.len() {
            return (Some(self.clone()), None);
        }
        match self {
            Tree::Leaf(leaf) => {
                let (first, rest) = leaf.split_at(at);
                (Some(Tree::Leaf(first)), Some(Tree::Leaf(rest)))
            }
            Tree::Cat(cat) => {
                let [left, right] = cat.sides();
                if at <= left.len() {
                    let (first, rest) = left.split_at(at);
                    (first, join_some(rest, Some(right.clone())))
                } else {
                    let (first, rest) = right.split_at(at - left.len());
                    (join_some(Some(left.clone()), first), rest)
                }
            }
        }
    }

    /// Returns the leaf with the item at `index`, and the item's index in this leaf.
    #[inline]
    pub(super) fn find(&self, mut index: usize) -> (&Leaf<T>, usize) {
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf(leaf) => return (leaf, index),
                Tree::Cat(cat) => {
                    let [left, right] = cat.sides();
                    tree = if index < left.len() {
                        left
                    } else {
                        index -= left.len();
                        right
                    };
                }
            }
        }
    }

    /// Replaces the leaf that contains the item at `index` by `leaf`. The two leaves must have the same length.
    pub(super) fn replace(&mut self, mut index: usize, leaf: Leaf<T>) {
        let mut tree = self;
        while let Tree::Cat(cat) = tree {
            let [left, right] = cat.sides_mut();
            tree = if index < left.len() {
                left
            } else {
                index -= left.len();
                right
            };
        }
        debug_assert_eq!(tree.len(), leaf.len());
        *tree = Tree::Leaf(leaf);
    }

    /// Returns the leaf at one end. Also returns the leaf's neighbour, if there is one.
    pub(super) fn last_two(&self, end: End) -> (&Leaf<T>, Option<&Leaf<T>>) {
        let mut neighbours = None;
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf(leaf) => {
                    return (leaf, neighbours.map(|tree: &Tree<T>| tree.end_leaf(end)));
                }
                Tree::Cat(cat) => {
                    neighbours = Some(&cat.sides()[end.other() as usize]);
                    tree = &cat.sides()[end as usize];
                }
            }
        }
    }

    /// Returns the leaf at one end.
    pub(super) fn end_leaf(&self, end: End) -> &Leaf<T> {
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf(leaf) => return leaf,
                Tree::Cat(cat) => tree = &cat.sides()[end as usize],
            }
        }
    }

    /// Returns true if no other rope shares the leaf at one end or a node on the path to this leaf.
    pub(super) fn owns_end(&mut self, end: End) -> bool {
        match self {
            Tree::Leaf(leaf) => leaf.is_owned(),
            Tree::Cat(cat) => {
                Arc::get_mut(&mut cat.sides).is_some_and(|sides| sides[end as usize].owns_end(end))
            }
        }
    }

    /// Removes the leaf at one end, and returns the remaining tree and the leaf. The remaining tree is not deeper than before.
    pub(super) fn pop(self, end: End) -> (Option<Self>, Leaf<T>) {
        match self {
            Tree::Leaf(leaf) => (None, leaf),
            Tree::Cat(cat) => {
                let [left, right] = cat.into_sides();
                match end {
                    End::First => {
                        let (rest, leaf) = left.pop(end);
                        (join_some(rest, Some(right)), leaf)
                    }
                    End::Last => {
                        let (rest, leaf) = right.pop(end);
                        (join_some(Some(left), rest), leaf)
                    }
                }
            }
        }
    }

    /// Returns a tree of the same shape in which the result of `change` replaces the leaf at `end`.
    pub(super) fn alter(self, end: End, change: impl FnOnce(Leaf<T>) -> Leaf<T>) -> Self {
        match self {
            Tree::Leaf(leaf) => Tree::Leaf(change(leaf)),
            Tree::Cat(cat) => {
                let depth = cat.depth;
                let [left, right] = cat.into_sides();
                let [left, right] = match end {
                    End::First => [left.alter(end, change), right],
                    End::Last => [left, right.alter(end, change)],
                };
                Tree::Cat(Cat {
                    len: total(left.len(), right.len()),
                    depth,
                    sides: Arc::new([left, right]),
                })
            }
        }
    }

    /// Appends an item to the last leaf if the leaf is not full and if no other rope has the leaf or a node on the path to it.
    /// Otherwise returns the item.
    pub(super) fn push(&mut self, item: T, max: usize) -> Result<(), T> {
        match self {
            Tree::Leaf(leaf) => leaf.push(item, max),
            Tree::Cat(cat) => match Arc::get_mut(&mut cat.sides) {
                Some([_, right]) => {
                    let len = total(cat.len, 1);
                    right.push(item, max)?;
                    cat.len = len;
                    Ok(())
                }
                None => Err(item),
            },
        }
    }
}

/// Joins two trees that may be empty, like [`Tree::join`].
pub(super) fn join_some<T>(left: Option<Tree<T>>, right: Option<Tree<T>>) -> Option<Tree<T>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(Tree::join(left, right)),
        (left, right) => left.or(right),
    }
}

/// Returns the sum of two lengths. Panics if the sum overflows. A rope may be concatenated with itself repeatedly, so its length
/// may be more than the number of items that fit into memory.
pub(super) fn total(left: usize, right: usize) -> usize {
    match left.checked_add(right) {
        Some(len) => len,
        None => panic!("heist: a rope cannot have more than usize::MAX items"),
    }
}
