//! Prefix sums, as a rope.

use super::scan::{block_size, finalise, prefix};
use crate::par::adapters::Blocks;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::prelude::*;
use crate::par::rope::RopeBuilder;
use crate::par::source::{Chunk, Source};
use crate::par::splitting::{Site, complete};

/// Returns the prefix of each item: the combination of `first`, if it is given, with all items up to and including this item.
pub(crate) fn scan_rope<P, F>(
    mut sequence: P,
    leaf: usize,
    first: Option<&P::Item>,
    op: &F,
) -> RopeBuilder<P::Item>
where
    P: Indexed,
    P::Item: Sync,
    F: Fn(&P::Item, &P::Item) -> P::Item + Sync,
{
    let (len, policy) = (sequence.len(), sequence.policy());
    let size = block_size(len);
    let scan = ScanRope {
        first,
        leaf,
        len,
        size,
        op,
    };
    let function = self::scan_rope::<P, F> as fn(_, _, _, &F) -> _;
    let origin = Origin {
        site: Site::of(function as *const ()),
        outer: None,
    };
    let blocks = Blocks::new(sequence.source(), size);
    let prefixes = complete(policy, blocks, &scan, origin);
    assert_eq!(prefixes.len(), len, "heist: a sequence of another length");
    // The sequence is dropped explicitly: if a destructor panics at the end of the function, compilers leak the value to be
    // returned.
    drop(sequence);
    prefixes
}

/// Computes the prefixes in the same blocks as [`scan`](super::scan()), and combines them in the same order. Each part fills its own
/// leaves. The ends of these leaves do not depend on where parts begin.
struct ScanRope<'f, T, F> {
    first: Option<&'f T>,
    leaf: usize,
    /// Number of items in the whole sequence.
    len: usize,
    size: usize,
    op: &'f F,
}

/// A part's state.
struct Scanned<T> {
    /// The position of the part's first item.
    at: usize,
    prefixes: RopeBuilder<T>,
    /// True if `prefixes` are prefixes of the whole sequence, and false if they are prefixes of single blocks.
    is_final: bool,
    /// Room for the prefixes of one block.
    block: Vec<T>,
}

impl<T, F> ScanRope<'_, T, F>
where
    F: Fn(&T, &T) -> T,
{
    /// Computes the prefixes of the part's next block.
    fn block<S: Source<Item = T>>(&self, state: &mut Scanned<T>, mut items: S) {
        let Scanned {
            prefixes, block, ..
        } = state;
        let left = match state.is_final {
            true => prefixes.last().or(self.first),
            false => None,
        };
        block.reserve(items.len());
        let mut local = None;
        while items.len() > 0 {
            let count = items.reach(usize::MAX);
            items.take_front(count).into_iter().for_each(|item| {
                block.push(prefix(self.op, left, &mut local, || block.last(), item));
            });
        }
        // The prefixes are moved block by block, while they are still in the cache.
        prefixes.extend(block.drain(..));
    }
}

impl<S, F> Job<S> for ScanRope<'_, S::Item, F>
where
    S: Source,
    S::Item: Send + Sync,
    F: Fn(&S::Item, &S::Item) -> S::Item + Sync,
{
    type State = Scanned<S::Item>;
    type Output = RopeBuilder<S::Item>;

    fn begin(&self, at: usize) -> Self::State {
        // The initial value, if there is one, comes before the items.
        let before = usize::from(self.first.is_some());
        let at_item = at * self.size;
        Scanned {
            at: at_item,
            prefixes: RopeBuilder::of_part(
                self.leaf,
                at_item + before,
                self.len.saturating_add(before),
            ),
            is_final: at == 0,
            block: Vec::new(),
        }
    }

    fn chunk<C: Chunk<Item = S>>(
        &self,
        state: &mut Self::State,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        chunk.into_iter().for_each(|items| self.block(state, items));
    }

    fn merge(&self, left: &mut Self::State, mut right: Self::State) {
        // If the parts do not touch, the operation has ended early.
        if left.at + left.prefixes.len() != right.at {
            return;
        }
        // If the left part is empty, the right part also begins with the first place, so its prefixes are final already.
        if left.is_final && !right.is_final {
            if let Some(left) = left.prefixes.last() {
                finalise(self.op, self.size, left, right.prefixes.pieces());
            }
        }
        left.prefixes.append(right.prefixes);
    }

    fn finish(&self, state: Self::State) -> RopeBuilder<S::Item> {
        state.prefixes
    }
}
