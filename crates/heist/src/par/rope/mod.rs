//! Ropes: persistent sequences as balanced trees of arrays.
//!
//! The file `README.md` in the same folder states the invariants, and explains why they hold.

mod builder;
mod concat;
mod into_iter;
mod iter;
mod leaf;
mod pending;
#[cfg(feature = "serde")]
mod serde;
mod sorted;
pub(crate) mod taking;
mod traits;
mod tree;
pub(crate) mod zipper;

#[cfg(all(test, not(heist_model), not(heist_brief)))]
pub(crate) mod tests;

pub use builder::RopeBuilder;
pub use into_iter::RopeIntoIter;
pub use iter::{RopeIter, RopeLeaves};

use crate::par::bounds::resolve;
use concat::{concat, depth_bound, limit};
use leaf::Leaf;
use std::ops::{Range, RangeBounds};
use tree::{End, Tree, total};

/// Default maximum number of items in a leaf of a [`Rope`].
///
/// If items are integers, all loops are faster with leaves of 1,024 items than with leaves of 512 items, and a change of an item takes
/// about the same time with both sizes. With leaves of more than 1,024 items, changes cost more. If a program has large items and changes
/// them more often than it reads them, select smaller leaves with [`Rope::with_leaf`] or [`collect_rope`](super::Par::collect_rope).
pub const DEFAULT_LEAF: usize = crate::par::source::LEAF;

/// The largest leaf size that a program may choose.
pub const MAX_LEAF: usize = u32::MAX as usize;

/// A persistent sequence: a balanced tree whose leaves are arrays.
///
/// `Rope` is the *rope* of Boehm, Atkinson and Plass (Software: Practice and Experience 25(12), 1995) as Rainey uses it for parallel arrays
/// (thesis, University of Chicago 2010, section 2.4.3). Splits and concatenations take O(log n), so workers can divide a rope and build
/// parts of a result independently. A clone takes O(1). No operation writes to leaves that several ropes share, so old versions do not
/// change.
///
/// | operation | time | requires `T: Clone` |
/// | --- | --- | --- |
/// | [`len`](Self::len), [`depth`](Self::depth), `clone` | O(1) | |
/// | [`get`](Self::get), [`first`](Self::first), [`last`](Self::last) | O(log n) | |
/// | [`split_at`](Self::split_at), [`slice`](Self::slice) | O(log n), copies no item | |
/// | [`concat`](Self::concat) | O(log n), and the time to merge small leaves at the seam | yes |
/// | [`link`](Self::link) | as `concat`, but merges only leaves that no other rope shares | |
/// | [`push_back`](Self::push_back) | O(log n), plus O(leaf) for a shared leaf | yes |
/// | [`update`](Self::update) | O(log n + leaf) | yes |
/// | [`iter`](Self::iter), [`leaves`](Self::leaves) | amortised O(1) for each step | |
/// | [`par_sorted`](Self::par_sorted) and its variants | O(n log n) comparisons, in parallel | yes |
///
/// A leaf of a rope has at most [`leaf_size`](Self::leaf_size) items. The result of each operation in the table is
/// [balanced](Self::is_balanced), even if the operands are not. The only exceptions are the giant ropes that
/// [`is_balanced`](Self::is_balanced) describes.
///
/// In parallel, [`par`](super::ToPar::par) and [`into_par`](super::IntoPar::into_par) traverse a rope,
/// and [`collect`](super::Par::collect) builds one.
///
/// After a split, several ropes may each show a part of one array. The array, with all its items, lives until all these ropes are
/// dropped.
///
/// ```
/// use heist::par::Rope;
///
/// let words: Rope<char> = "persistent".chars().collect();
/// let (head, tail) = words.split_at(6);
/// let swapped = tail.concat(head);
/// assert_eq!(swapped.iter().collect::<String>(), "tentpersis");
/// assert_eq!(words.iter().collect::<String>(), "persistent");
/// assert_eq!(swapped[0], 't');
/// ```
pub struct Rope<T> {
    root: Option<Tree<T>>,
    max: usize,
}

#[track_caller]
fn checked_leaf(leaf: usize) -> usize {
    assert!(
        (1..=MAX_LEAF).contains(&leaf),
        "heist: leaves of {leaf} items: from 1 to {MAX_LEAF} can be asked for"
    );
    leaf
}

impl<T> Rope<T> {
    /// Creates an empty rope with leaves of [`DEFAULT_LEAF`] items.
    #[must_use]
    pub const fn new() -> Self {
        Rope {
            root: None,
            max: DEFAULT_LEAF,
        }
    }

    /// Creates an empty rope with leaves of `leaf` items. Ropes that are made from this rope have the same leaf size. The
    /// concatenation of two ropes has the larger of their leaf sizes.
    ///
    /// # Panics
    /// Panics if `leaf` is 0 or more than [`MAX_LEAF`].
    #[must_use]
    #[track_caller]
    pub fn with_leaf(leaf: usize) -> Self {
        Rope {
            root: None,
            max: checked_leaf(leaf),
        }
    }

    /// Limits the depth of the tree `root` to its bound, and returns a rope of the result. The leaf size is that of this rope.
    fn with_root(&self, root: Option<Tree<T>>) -> Self {
        Rope {
            root: root.map(limit),
            max: self.max,
        }
    }

    /// Returns the maximum number of items in a leaf.
    #[inline]
    #[must_use]
    pub fn leaf_size(&self) -> usize {
        self.max
    }

    /// Returns the number of items. Takes O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.root.as_ref().map_or(0, Tree::len)
    }

    /// Returns true if the rope has no items.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Returns the number of nodes above the deepest leaf. Takes O(1).
    #[must_use]
    pub fn depth(&self) -> usize {
        self.root.as_ref().map_or(0, Tree::depth)
    }

    /// Returns true if the depth is at most ⌈log₂ n⌉ + 2. This limit is the balancing goal of Boehm, Atkinson and Plass as Rainey's thesis
    /// states it.
    ///
    /// All ropes of up to 2²⁰ items are balanced. With larger leaves, longer ropes are balanced, too: ropes of up to 2³⁰ items in leaves of
    /// 16, and of up to 2⁴⁵ items in leaves of 512, unless [`link`](Self::link) has left small leaves. Among longer ropes, only ropes that
    /// are built like Fibonacci words are not balanced. The depth of such a rope is less than 1.45 times the binary logarithm of its number
    /// of leaves.
    #[must_use]
    pub fn is_balanced(&self) -> bool {
        self.depth() <= depth_bound(self.len())
    }

    /// Returns all items if they are in one leaf, and otherwise `None`.
    pub(crate) fn single_leaf(&self) -> Option<&[T]> {
        match &self.root {
            None => Some(&[]),
            Some(Tree::Leaf(leaf)) => Some(leaf.items()),
            Some(Tree::Cat(_)) => None,
        }
    }

    /// Returns the item at `index`. Takes O(log n).
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        match &self.root {
            Some(root) if index < root.len() => {
                let (leaf, at) = root.find(index);
                Some(&leaf.items()[at])
            }
            _ => None,
        }
    }

    /// Returns the first item. Takes O(log n).
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.root.as_ref()?.end_leaf(End::First).items().first()
    }

    /// Returns the last item. Takes O(log n).
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.root.as_ref()?.end_leaf(End::Last).items().last()
    }

    /// Returns an iterator over references to the items, in order.
    ///
    /// A loop over the iterator tests at each item for the end of a leaf, as a loop over a slice tests for the end of the slice. `fold`,
    /// and methods built on it (`sum`, `for_each`), run over each leaf as fast as over a slice.
    #[must_use]
    pub fn iter(&self) -> RopeIter<'_, T> {
        RopeIter::new(self)
    }

    /// Returns an iterator over the leaves, in order, as nonempty slices.
    ///
    /// ```
    /// let rope: heist::par::Rope<u64> = (0..2000).collect();
    /// let sums: Vec<u64> = rope.leaves().map(|leaf| leaf.iter().sum()).collect();
    /// assert_eq!(sums.len(), 2);
    /// assert_eq!(sums.iter().sum::<u64>(), 1999 * 1000);
    /// ```
    #[must_use]
    pub fn leaves(&self) -> RopeLeaves<'_, T> {
        RopeLeaves::new(self)
    }

    /// Splits the rope into the first `at` items and the rest. Takes O(log n). Copies no item: a leaf that is cut becomes two views
    /// of its array.
    ///
    /// # Panics
    /// Panics if the rope has fewer than `at` items.
    #[must_use]
    #[track_caller]
    pub fn split_at(&self, at: usize) -> (Self, Self) {
        let len = self.len();
        assert!(at <= len, "heist: a split at {at} of a rope of {len} items");
        let (first, rest) = match &self.root {
            Some(root) => root.split_at(at),
            None => (None, None),
        };
        (self.with_root(first), self.with_root(rest))
    }

    /// Splits the rope into two halves. If the number of items is odd, the first half has one item more. The function is the `split2` of
    /// Rainey's thesis. Takes O(log n).
    #[must_use]
    pub fn split2(&self) -> (Self, Self) {
        self.split_at(self.len().div_ceil(2))
    }

    /// Splits the rope into `parts` parts. The lengths of the parts differ by at most one, and longer parts come first. Takes
    /// O(parts · log n).
    ///
    /// In contrast, the `splitN` of Rainey's thesis makes a single part shorter than all other parts.
    ///
    /// ```
    /// let rope: heist::par::Rope<u8> = (0..10).collect();
    /// let lens: Vec<usize> = rope.split_n(4).iter().map(|part| part.len()).collect();
    /// assert_eq!(lens, [3, 3, 2, 2]);
    /// ```
    ///
    /// # Panics
    /// Panics if `parts` is 0.
    #[must_use]
    #[track_caller]
    pub fn split_n(&self, parts: usize) -> Vec<Self> {
        assert!(parts > 0, "heist: a rope cannot be split into no parts");
        let (least, longer) = (self.len() / parts, self.len() % parts);
        let mut rest = self.clone();
        let mut split = Vec::with_capacity(parts);
        for part in 1..parts {
            let (next, behind) = rest.split_at(least + usize::from(part <= longer));
            split.push(next);
            rest = behind;
        }
        split.push(rest);
        split
    }

    /// Returns a rope of the items whose indices are in `range`. Takes O(log n). Copies no item.
    ///
    /// # Panics
    /// Panics if the range ends behind the end of the rope or before its own start.
    #[must_use]
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Self {
        let Range { start, end } = resolve(&range, self.len(), "a rope");
        let upto = self.root.as_ref().and_then(|root| root.split_at(end).0);
        self.with_root(upto.and_then(|upto| upto.split_at(start).1))
    }

    /// Concatenates both ropes like [`concat`](Self::concat), but clones no items. This function merges a leaf at the seam only if no other
    /// rope shares the leaf, because the function can then move the leaf's items.
    ///
    /// Ropes that builders have just built in parallel share no leaves. If a leaf at the seam is shared, small leaves may remain at
    /// the seam.
    ///
    /// # Panics
    /// Panics if both ropes together have more than `usize::MAX` items.
    #[must_use]
    pub fn link(self, other: Self) -> Self {
        self.put_together(other, None)
    }

    fn put_together(self, other: Self, copy: Option<leaf::Copier<T>>) -> Self {
        let max = self.max.max(other.max);
        let root = match (self.root, other.root) {
            (Some(left), Some(right)) => Some(concat(left, right, max, copy)),
            (left, right) => left.or(right),
        };
        Rope { root, max }
    }
}

impl<T: Clone> Rope<T> {
    /// Concatenates both ropes. Takes O(log n). The function checks the two leaves on each side of the seam. The number of new
    /// nodes is the difference of the depths. The function is the `cat2` of Rainey's thesis.
    ///
    /// If neighbouring leaves at the seam fit into one leaf, the function merges them. The merge moves items out of arrays that no other
    /// rope shares, and clones items of shared arrays.
    ///
    /// ```
    /// use heist::par::Rope;
    ///
    /// // A Fibonacci word of 2^62 letters and more: almost all of it is shared.
    /// let (mut a, mut b) = (Rope::from(vec!['b']), Rope::from(vec!['a']));
    /// while b.len() < 1 << 62 {
    ///     (a, b) = (b.clone(), b.concat(a));
    /// }
    /// assert_eq!(b.slice(..8).iter().collect::<String>(), "abaababa");
    /// assert!(b.is_balanced());
    /// ```
    ///
    /// # Panics
    /// Panics if both ropes together have more than `usize::MAX` items, or if `T::clone` panics.
    #[must_use]
    pub fn concat(self, other: Self) -> Self {
        self.put_together(other, Some(Vec::extend_from_slice))
    }

    /// Concatenates all ropes. Takes O(log n) for each rope. The function is the `catN` of Rainey's thesis. The result has the
    /// largest leaf size of these ropes, or [`DEFAULT_LEAF`] if there are no ropes.
    ///
    /// # Panics
    /// Panics like [`concat`](Self::concat).
    #[must_use]
    pub fn cat_n(ropes: impl IntoIterator<Item = Self>) -> Self {
        let joined = ropes.into_iter().reduce(Rope::concat);
        joined.unwrap_or_default()
    }

    /// Appends an item. Takes O(log n). If the last leaf has room, and the leaf or a node above it is shared, the function clones the
    /// leaf's items. Otherwise the function clones no items. [`RopeBuilder::push`] takes amortised O(1).
    ///
    /// # Panics
    /// Panics if there are `usize::MAX` items, or if `T::clone` panics. In both cases the rope is unchanged.
    pub fn push_back(&mut self, item: T) {
        let Some(root) = &mut self.root else {
            self.root = Some(Tree::Leaf(Leaf::new(vec![item])));
            return;
        };
        total(root.len(), 1);
        let Err(item) = root.push(item, self.max) else {
            return;
        };
        let item = Tree::Leaf(Leaf::new(vec![item]));
        if root.end_leaf(End::Last).len() < self.max {
            // The leaf is shared. A clone may panic, so the old rope is kept until all clones exist.
            let root = root.clone();
            self.root = Some(concat(root, item, self.max, Some(Vec::extend_from_slice)));
        } else {
            let root = self.root.take().expect("it was there above");
            self.root = Some(limit(Tree::join(root, item)));
        }
    }

    /// Returns a rope in which `item` replaces the item at `index`. Takes O(log n), and copies the leaf.
    ///
    /// ```
    /// let old: heist::par::Rope<i32> = (0..5).collect();
    /// let new = old.update(3, 30);
    /// assert_eq!((old[3], new[3]), (3, 30));
    /// ```
    ///
    /// # Panics
    /// Panics if the rope has no item at `index`, or if `T::clone` panics.
    #[must_use]
    #[track_caller]
    pub fn update(&self, index: usize, item: T) -> Self {
        let len = self.len();
        let mut new = self.clone();
        let Some(root) = new.root.as_mut().filter(|_| index < len) else {
            panic!("heist: no item {index}: the rope has {len}");
        };
        let (leaf, at) = root.find(index);
        let leaf = leaf.with(at, item);
        root.replace(index, leaf);
        new
    }
}
