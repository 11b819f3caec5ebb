//! Folds that combine items in an order that depends only on the length of the sequence.

use super::monoid::{ByFunctions, Folding};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::{Chunk, LOOK_EVERY};
use std::ops::ControlFlow::{Break, Continue};
use std::ops::RangeInclusive;

/// The minimum and maximum length of leaves if folding is cheap. The leaves are so long that the cost of beginning and ending a leaf is
/// negligible.
const FLAT_LEAF: RangeInclusive<usize> = 4096..=16384;
/// The minimum and maximum length of leaves if folding may be expensive.
const LEAF: RangeInclusive<usize> = 1..=1024;
/// Maximum size in bytes of an item that counts as cheap to combine.
const LIGHT: usize = 16;
/// The minimum number of leaves into which a cheap fold cuts a sequence, unless the leaves would be shorter than the minimum length. Parts
/// may begin within leaves, so this number does not limit the number of parts. Instead, this number limits the length of leaves, and so the
/// number of items that a merge of two parts folds.
const FLAT_LEAVES: usize = 256;
const LEAVES: usize = 32;

/// Returns the length of the leaves of a sequence of `len` positions, if folding may be expensive. The length is a power of two.
#[inline]
pub(crate) fn leaf_of(len: usize) -> usize {
    leaf(len / LEAVES, LEAF)
}

/// Returns the length of the leaves for items of type `T` that an operator combines. Small items that own no memory are probably
/// cheap to combine.
#[inline]
pub(crate) fn leaf_of_items<T>(len: usize) -> usize {
    if std::mem::needs_drop::<T>() || size_of::<T>() > LIGHT {
        leaf_of(len)
    } else {
        flat_leaf_of(len)
    }
}

/// Returns the length of leaves if folding is cheap.
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

/// A fold. Positions are cut into leaves of equal length. The items of a leaf are folded from left to right, beginning with the identity.
/// Leaves are combined in the shape of a binary tree. In this tree, the `2^k` leaves from leaf `i * 2^k` on form one subtree, for all `i`
/// and `k`. If the number of leaves is not a power of two, some subtrees remain at the end. These subtrees are combined from right to left.
///
/// A part may begin in the middle of a leaf. Such a part cannot fold the items of that leaf, because the items at the start of the leaf
/// must be folded first. So the part keeps its items of the leaf until it is merged with the part to its left. A part keeps the items of at
/// most one leaf, and only after a split.
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

/// A part's state, for items of type `T`. `O` is the accumulator of an unfinished leaf, and `A` the accumulator of complete leaves and
/// subtrees.
#[derive(Debug)]
pub(crate) struct Folded<T, O, A> {
    /// The kept items of the leaf at the part's start, if the part begins in the middle of this leaf.
    head: Vec<Kept<T, A>>,
    /// Whether the part begins and ends within the same leaf.
    in_head: bool,
    /// Subtrees from left to right.
    trees: Vec<Tree<A>>,
    /// Accumulator of the unfinished leaf at the part's end.
    open: Option<O>,
    /// Position at which the part ends.
    end: usize,
    /// Whether a value of the part is final, so items to its right cannot change the result. The job sets this flag when it adds a final
    /// value, because a search for a final value at each test would take linear time.
    is_final: bool,
}

/// Items that are not folded yet.
#[derive(Debug)]
enum Kept<T, A> {
    Item(T),
    /// The folded value of a nested sequence.
    Whole(A),
}

impl<T, O, A> Folded<T, O, A> {
    /// Returns true if values to the right of this part cannot change the result.
    #[inline]
    pub(crate) fn is_final(&self) -> bool {
        self.is_final
    }
}

/// A subtree. The field `index` is the number of the subtree among all subtrees of the same height, from the left.
#[derive(Debug)]
struct Tree<A> {
    height: u32,
    index: usize,
    value: A,
}

impl<G> Fold<G> {
    /// Appends a tree on the right. Combines the last two trees as long as they are siblings in the tree of all leaves.
    fn plant<T>(&self, state: &mut Folded<T, G::Open, G::Acc>, mut tree: Tree<G::Acc>)
    where
        G: Folding<T>,
    {
        let trees = &mut state.trees;
        while tree.index % 2 == 1 && trees.last().is_some_and(|last| last.height == tree.height) {
            let left = trees.pop().expect("there is a last one");
            tree = Tree {
                height: tree.height + 1,
                index: tree.index / 2,
                value: self.folding.combine(left.value, tree.value),
            };
        }
        state.is_final |= self.folding.is_final(&tree.value);
        trees.push(tree);
    }

    /// Turns the unfinished leaf at the part's end into a complete leaf.
    fn close<T>(&self, state: &mut Folded<T, G::Open, G::Acc>)
    where
        G: Folding<T>,
    {
        if let Some(open) = state.open.take() {
            let tree = Tree {
                height: 0,
                index: (state.end - 1) / self.leaf,
                value: self.folding.close(open),
            };
            self.plant(state, tree);
        }
    }

    /// Moves the part's end to the right by `count` positions of one leaf. The items of these positions have been added already.
    #[inline]
    fn advance<T>(&self, state: &mut Folded<T, G::Open, G::Acc>, count: usize)
    where
        G: Folding<T>,
    {
        state.end += count;
        if state.end % self.leaf == 0 {
            self.close(state);
            state.in_head = false;
        }
    }

    /// Adds the next items, which all belong to one leaf. The caller moves the part's end afterwards.
    fn take_kept<T>(&self, state: &mut Folded<T, G::Open, G::Acc>, kept: Vec<Kept<T, G::Acc>>)
    where
        G: Folding<T>,
    {
        if state.in_head {
            self.keep(state, kept.into_iter());
            return;
        }
        for one in kept {
            let open = state.open.take().unwrap_or_else(|| self.folding.open());
            let open = match one {
                Kept::Item(item) => self.folding.fold(open, std::iter::once(item)),
                Kept::Whole(value) => self.folding.take_in(open, value),
            };
            self.leave_open(state, open);
        }
    }

    /// Keeps the next items in the head, up to the first final item. Does not compute later items.
    #[inline]
    fn keep<T>(
        &self,
        state: &mut Folded<T, G::Open, G::Acc>,
        mut kept: impl Iterator<Item = Kept<T, G::Acc>>,
    ) where
        G: Folding<T>,
    {
        if !self.folding.may_end() {
            // `extend` takes all items in one call, which compilers turn into a copy.
            state.head.extend(kept);
            return;
        }
        state.head.reserve(kept.size_hint().0);
        let ended = kept.try_for_each(|new| {
            let is_final = match &new {
                Kept::Item(item) => self.folding.is_final_item(item),
                Kept::Whole(value) => self.folding.is_final(value),
            };
            state.head.push(new);
            if is_final { Break(()) } else { Continue(()) }
        });
        state.is_final |= ended.is_break();
    }

    /// Stores the value of the unfinished leaf at the part's end.
    #[inline]
    fn leave_open<T>(&self, state: &mut Folded<T, G::Open, G::Acc>, open: G::Open)
    where
        G: Folding<T>,
    {
        state.is_final |= self.folding.is_final_open(&open);
        state.open = Some(open);
    }
}

impl<G> Fold<G> {
    /// Folds all items of a chunk into a leaf.
    #[inline(always)]
    fn fold<T, C>(&self, open: Option<G::Open>, mut chunk: C) -> G::Open
    where
        G: Folding<T>,
        C: Chunk<Item = T>,
    {
        if !self.folding.has_time() {
            let items = chunk.into_iter();
            return match open {
                Some(open) => self.folding.fold(open, items),
                None => self.folding.first(items),
            };
        }
        let mut open = open.unwrap_or_else(|| self.folding.open());
        loop {
            let more = chunk.look_ahead();
            let count = if more { LOOK_EVERY } else { chunk.len() };
            open = self.folding.fold(open, chunk.cut(count).into_iter());
            if !more {
                return open;
            }
        }
    }

    /// Folds the next `count` positions and returns their accumulator. The positions are whole leaves. Only the last leaf may be
    /// shorter.
    ///
    /// The function is recursive, so the values of subtrees stay in registers. Each leaf costs one call of this function.
    fn tree<T, C>(&self, chunk: &mut C, count: usize) -> G::Acc
    where
        T: Send,
        G: Folding<T>,
        C: Chunk<Item = T>,
    {
        if count <= self.leaf {
            return self.folding.close(self.fold(None, chunk.cut(count)));
        }
        let leaves = count.div_ceil(self.leaf);
        let on_the_left = self.leaf << (leaves - 1).ilog2();
        let left = self.tree(chunk, on_the_left);
        if self.folding.is_final(&left) {
            return left;
        }
        let right = self.tree(chunk, count - on_the_left);
        self.folding.combine(left, right)
    }

    /// Folds a chunk that contains the whole sequence and has more than one leaf. The function is not inlined, because otherwise
    /// shorter operations would also set up its stack frame.
    #[inline(never)]
    fn leaves<T, C>(&self, mut chunk: C) -> G::Acc
    where
        T: Send,
        G: Folding<T>,
        C: Chunk<Item = T>,
    {
        let count = chunk.len();
        let all = self.tree(&mut chunk, count);
        // The chunk is dropped explicitly, as are unused values below: if a destructor panics at the end of the function, compilers
        // leak the value to be returned.
        drop(chunk);
        all
    }

    /// Returns the height of the largest subtree that begins at position `at` and has at most `count` positions. A leaf must start
    /// at `at`. Returns `None` if `count` is less than the length of a leaf.
    fn height(&self, at: usize, count: usize) -> Option<u32> {
        let most = (count / self.leaf).checked_ilog2()?;
        Some(most.min((at / self.leaf).trailing_zeros()))
    }
}

impl<T: Send, G: Folding<T>> Job<T> for Fold<G> {
    type State = Folded<T, G::Open, G::Acc>;
    type Output = G::Acc;

    fn grain(&self) -> usize {
        self.leaf
    }

    fn begin(&self, at: usize) -> Self::State {
        Folded {
            head: Vec::new(),
            in_head: at % self.leaf != 0,
            trees: Vec::new(),
            open: None,
            end: at,
            is_final: false,
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
        while chunk.len() > 0 && !state.is_final {
            let over = state.end % self.leaf;
            if let (0, Some(height)) = (over, self.height(state.end, chunk.len())) {
                let count = self.leaf << height;
                let tree = Tree {
                    height,
                    index: (state.end / self.leaf) >> height,
                    value: self.tree(&mut chunk, count),
                };
                self.plant(state, tree);
                state.end += count;
                continue;
            }
            let count = chunk.len().min(self.leaf - over);
            let items = chunk.cut(count);
            if state.in_head {
                self.keep(state, items.into_iter().map(Kept::Item));
            } else {
                let open = state.open.take();
                let open = self.fold(open, items);
                self.leave_open(state, open);
            }
            self.advance(state, count);
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        // If the left part has ended early, for example in a `while_some`, it may end in any leaf.
        if left.end % self.leaf != 0 || right.in_head || !right.head.is_empty() {
            // The parts meet in the middle of a leaf. The items that the right part has kept are next, up to the end of the leaf or
            // of the right part.
            self.take_kept(left, right.head);
            let leaf_end = (left.end / self.leaf + 1).saturating_mul(self.leaf);
            let count = right.end.min(leaf_end) - left.end;
            self.advance(left, count);
        }
        if right.end > left.end {
            left.end = right.end;
        }
        for tree in right.trees {
            self.plant(left, tree);
        }
        if right.open.is_some() {
            left.open = right.open;
        }
        left.is_final |= right.is_final;
    }

    fn absorb(&self, state: &mut Self::State, _at: usize, inner: Self::State, _scope: Scope<'_>) {
        let value = self.finish(inner);
        self.take_kept(state, vec![Kept::Whole(value)]);
        self.advance(state, 1);
    }

    fn finish(&self, mut state: Self::State) -> G::Acc {
        self.close(&mut state);
        drop(state.head);
        let mut trees = state.trees.into_iter().rev().map(|tree| tree.value);
        match trees.next() {
            Some(last) => trees.fold(last, |right, left| self.folding.combine(left, right)),
            None => self.folding.identity(),
        }
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, _scope: Scope<'_>) -> G::Acc {
        if chunk.len() <= self.leaf {
            return self.folding.close(self.fold(None, chunk));
        }
        self.leaves(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::Fold;
    use crate::par::job::Job;
    use crate::par::limit::{Limit, Scope};
    use crate::par::source::Source;
    use crate::par::{Indexed, Par, ToPar};
    use std::ops::Range;

    /// The test merges two parts that are not neighbours. The result must be as if the part between the two parts had no items.
    #[test]
    fn parts_that_are_no_neighbours_are_put_together() {
        let join = |a: String, b: String| a + &b;
        let job = Fold::new(4, String::new, join, join);
        let limit = Limit::new(None);
        let part = |range: Range<usize>| {
            let mut items = (0..30).par().map(|x| format!("{x},"));
            let mut state = job.begin(range.start);
            let mut rest = items.source().split_off(range.start);
            let chunk = rest.take_front(range.len());
            let scope = Scope::new(&limit, range.start);
            job.chunk(&mut state, range.start, chunk, scope);
            state
        };
        let text = |range: Range<usize>| range.map(|x| format!("{x},")).collect::<String>();
        for left in [0..0, 0..3, 0..4, 0..8, 2..2, 2..3, 2..4, 2..6] {
            for begin in left.end..13 {
                for end in begin..20 {
                    let mut all = part(left.clone());
                    let mut right = part(begin..end);
                    job.merge(&mut right, part(22..27));
                    job.merge(&mut all, right);
                    let mut first = part(0..0);
                    job.merge(&mut first, all);
                    let theirs = text(left.clone()) + &text(begin..end) + &text(22..27);
                    assert_eq!(job.finish(first), theirs, "{left:?} and {begin}..{end}");
                }
            }
        }
    }
}
