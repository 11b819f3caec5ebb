//! Collects the items that a filter keeps.

use crate::par::source::{Chunk, push_all};
use std::mem::{MaybeUninit, needs_drop};

/// Number of positions that are gone through at a time.
const BLOCK: usize = 256;
/// Greatest size in bytes of items that are written though they may not be kept. A block of them is no more than a page.
const LIGHT: usize = 16;
/// Chunks of so few items are not gathered by blocks. The number of items that are looked at to begin with.
const FEW: usize = 16;

/// Whether items of a chunk of so many positions are gathered by blocks.
#[inline]
pub(super) fn is_worth_blocks<T>(len: usize) -> bool {
    !needs_drop::<T>() && size_of::<T>() <= LIGHT && len > FEW
}

/// Moves the items for which `keep` holds behind those of a vector. The items have no destructor.
///
/// If processors cannot predict which items are kept, a branch costs more than all the rest. Then each item is
/// written to where the next one that is kept goes, and that place moves on or does not: no branch. Where nearly
/// all are kept, or nearly none, a branch costs nothing, and there is one. The last block decides between the two.
///
/// Either way they are written to a block on the stack first, which is no other thread's: so what the function
/// has captured stays in registers. The vector's memory might be where that lies, as far as compilers know, and
/// it would be read again for each item.
#[inline(never)]
pub(super) fn append_kept<C, F>(mut chunk: C, keep: &F, all: &mut Vec<C::Item>)
where
    C: Chunk,
    F: Fn(&C::Item) -> bool,
{
    let mut block = [const { MaybeUninit::<C::Item>::uninit() }; BLOCK];
    let (mut next, mut is_mixed) = (FEW, false);
    while chunk.len() > 0 {
        let count = next.min(chunk.len());
        let items = chunk.cut(count).into_iter();
        next = BLOCK;
        if items.size_hint().1.is_none_or(|most| most > BLOCK) {
            // Flattened, so that a position may have any number of items.
            push_all(items.filter(keep), all);
            continue;
        }
        let mut kept = 0;
        if is_mixed {
            items.for_each(|item| {
                // Asked before it is written: it would be read back from there, which takes longer than all else.
                let is_kept = keep(&item);
                block[kept].write(item);
                kept += usize::from(is_kept);
            });
        } else {
            items.filter(keep).for_each(|item| {
                block[kept].write(item);
                kept += 1;
            });
        }
        // SAFETY: `kept` has moved on from a place only after that was written to in this round, and each is read once in it.
        let read = |item: &MaybeUninit<C::Item>| unsafe { item.assume_init_read() };
        all.extend(block[..kept].iter().map(read));
        is_mixed = kept.min(count.saturating_sub(kept)) > count / 16;
    }
}
