//! Folds whose shape depends on the length alone.

use super::monoid::{ByFunctions, Folding};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
use std::ops::RangeInclusive;

/// The least and the greatest length of leaves where folding is known to be cheap: so long that what is shorter is
/// folded as serially, and that a leaf costs nothing.
const FLAT_LEAF: RangeInclusive<usize> = 1024..=16384;
/// The same where folding may be expensive.
const LEAF: RangeInclusive<usize> = 1..=1024;
/// Into how many leaves a sequence is cut at least, if they are not too short then. Parts need not be leaves, so it bounds
/// only how much is folded by those who merge parts.
const FLAT_LEAVES: usize = 256;
const LEAVES: usize = 32;

/// The length of leaves of a sequence of `len` positions, where folding may be expensive: a power of two.
#[inline]
pub(crate) fn leaf_of(len: usize) -> usize {
    leaf(len / LEAVES, LEAF)
}

/// The same where folding is cheap.
#[inline]
pub(crate) fn flat_leaf_of(len: usize) -> usize {
    leaf(len / FLAT_LEAVES, FLAT_LEAF)
}

#[inline]
fn leaf(length: usize, bounds: RangeInclusive<usize>) -> usize {
    if length <= *bounds.start() {
        return *bounds.start();
    }
    1 << length.clamp(*bounds.start(), *bounds.end()).ilog2()
}

/// A fold. Positions are cut into leaves of one length; the items of a leaf are folded from left to right, beginning
/// with the identity, and leaves are combined as the binary tree in which leaves `i * 2^k` to `(i + 1) * 2^k` are one
/// subtree. What is over at the end, being no power of two, is combined from right to left.
///
/// A part may begin in the middle of a leaf. It cannot fold those items, as what is left of them comes first, and keeps
/// them until it is merged: at most a leaf, and only for a split.
#[derive(Debug)]
pub(crate) struct Fold<G> {
    leaf: usize,
    folding: G,
}

impl<G> Fold<G> {
    pub(crate) fn of(leaf: usize, folding: G) -> Self {
        Fold { leaf, folding }
    }
}

impl<I, F, C> Fold<ByFunctions<I, F, C>> {
    pub(crate) fn new(leaf: usize, identity: I, fold: F, combine: C) -> Self {
        Fold::of(
            leaf,
            ByFunctions {
                identity,
                fold,
                combine,
            },
        )
    }
}

/// A part's state.
#[derive(Debug)]
pub(crate) struct Folded<T, A> {
    /// The items of the leaf in the middle of which the part begins.
    head: Vec<Kept<T, A>>,
    /// Whether the part is still within that leaf.
    in_head: bool,
    /// Subtrees from left to right.
    trees: Vec<Tree<A>>,
    /// What the leaf has come to that the part is in the middle of.
    open: Option<A>,
    /// Where the part ends.
    end: usize,
}

/// What is not folded yet.
#[derive(Debug)]
enum Kept<T, A> {
    Item(T),
    /// A nested sequence, folded.
    Whole(A),
}

/// A subtree: the `index`th of its height.
#[derive(Debug)]
struct Tree<A> {
    height: u32,
    index: usize,
    value: A,
}

impl<G> Fold<G> {
    /// Puts a tree to the right of others, and makes one of two neighbours as long as the tree of all leaves has them as
    /// one.
    fn plant<T>(&self, trees: &mut Vec<Tree<G::Acc>>, mut tree: Tree<G::Acc>)
    where
        G: Folding<T>,
    {
        while tree.index % 2 == 1 && trees.last().is_some_and(|last| last.height == tree.height) {
            let left = trees.pop().expect("there is a last one");
            tree = Tree {
                height: tree.height + 1,
                index: tree.index / 2,
                value: self.folding.combine(left.value, tree.value),
            };
        }
        trees.push(tree);
    }

    /// Ends the leaf in the middle of which the part is.
    fn close<T>(&self, state: &mut Folded<T, G::Acc>)
    where
        G: Folding<T>,
    {
        if let Some(value) = state.open.take() {
            let tree = Tree {
                height: 0,
                index: (state.end - 1) / self.leaf,
                value,
            };
            self.plant(&mut state.trees, tree);
        }
    }

    /// Moves the part's end to the right by `count` positions of one leaf, whose items have been taken in.
    #[inline]
    fn advance<T>(&self, state: &mut Folded<T, G::Acc>, count: usize)
    where
        G: Folding<T>,
    {
        state.end += count;
        if state.end.is_multiple_of(self.leaf) {
            self.close(state);
            state.in_head = false;
        }
    }

    /// Takes in what comes next within one leaf, without moving the end.
    fn take_kept<T>(&self, state: &mut Folded<T, G::Acc>, kept: Vec<Kept<T, G::Acc>>)
    where
        G: Folding<T>,
    {
        if state.in_head {
            state.head.extend(kept);
            return;
        }
        for one in kept {
            let acc = state.open.take().unwrap_or_else(|| self.folding.identity());
            state.open = Some(match one {
                Kept::Item(item) => self.folding.fold(acc, std::iter::once(item)),
                Kept::Whole(value) => self.folding.combine(acc, value),
            });
        }
    }
}

impl<G> Fold<G> {
    /// A chunk that is everything, and has more than a leaf. Not inlined: those with less would pay for its frame.
    #[inline(never)]
    fn leaves<T, C>(&self, chunk: C, scope: Scope<'_>) -> G::Acc
    where
        T: Send,
        G: Folding<T>,
        C: Chunk<Item = T>,
    {
        let mut state = self.begin(0);
        self.chunk(&mut state, 0, chunk, scope);
        self.finish(state)
    }
}

impl<T: Send, G: Folding<T>> Job<T> for Fold<G> {
    type State = Folded<T, G::Acc>;
    type Output = G::Acc;

    fn grain(&self) -> usize {
        self.leaf
    }

    fn begin(&self, at: usize) -> Self::State {
        Folded {
            head: Vec::new(),
            in_head: !at.is_multiple_of(self.leaf),
            trees: Vec::new(),
            open: None,
            end: at,
        }
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut Self::State,
        _at: usize,
        mut chunk: C,
        _scope: Scope<'_>,
    ) {
        while chunk.len() > 0 {
            let count = chunk.len().min(self.leaf - state.end % self.leaf);
            let items = chunk.cut(count).into_iter();
            if state.in_head {
                state.head.extend(items.map(Kept::Item));
            } else {
                state.open = Some(match state.open.take() {
                    Some(acc) => self.folding.fold(acc, items),
                    None => self.folding.first(items),
                });
            }
            self.advance(state, count);
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        if left.end % self.leaf != 0 || right.in_head {
            // They meet in the middle of a leaf: what the right part has kept of it comes next, up to the leaf's end, or to
            // that of the part.
            self.take_kept(left, right.head);
            let leaf_end = (left.end / self.leaf + 1).saturating_mul(self.leaf);
            let count = right.end.min(leaf_end) - left.end;
            self.advance(left, count);
        }
        if right.end > left.end {
            left.end = right.end;
        }
        for tree in right.trees {
            self.plant(&mut left.trees, tree);
        }
        if right.open.is_some() {
            left.open = right.open;
        }
    }

    fn absorb(&self, state: &mut Self::State, _at: usize, inner: Self::State) {
        let value = self.finish(inner);
        self.take_kept(state, vec![Kept::Whole(value)]);
        self.advance(state, 1);
    }

    fn finish(&self, mut state: Self::State) -> G::Acc {
        self.close(&mut state);
        let mut trees = state.trees.into_iter().rev().map(|tree| tree.value);
        match trees.next() {
            Some(last) => trees.fold(last, |right, left| self.folding.combine(left, right)),
            None => self.folding.identity(),
        }
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> G::Acc {
        if chunk.len() <= self.leaf {
            return self.folding.first(chunk.into_iter());
        }
        self.leaves(chunk, scope)
    }
}
