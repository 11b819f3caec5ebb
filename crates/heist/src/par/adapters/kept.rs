//! Collects the items that a filter keeps.

use crate::par::source::{Chunk, push_all};
use std::mem::{MaybeUninit, needs_drop};

/// Number of positions in a block.
const BLOCK: usize = 256;
/// Maximum size in bytes of items that [`append_kept`] may gather. A block of items of this size takes at most one page.
const LIGHT: usize = 16;
/// Maximum number of positions in a chunk for which [`append_kept`] does not pay off. The first block of a longer chunk also has this
/// length.
const FEW: usize = 16;

/// Returns true if [`append_kept`] should gather the kept items of a chunk with `len` positions.
#[inline]
pub(super) fn is_worth_blocks<T>(len: usize) -> bool {
    !needs_drop::<T>() && size_of::<T>() <= LIGHT && len > FEW
}

/// Appends the items for which `keep` returns true to a vector, block by block. The items must have no destructor.
///
/// If processors cannot predict which items are kept, a branch costs more than the rest of the loop. In this case, the function runs a loop
/// without a branch. This loop writes each item to the place for the next kept item, and advances this place only if `keep` returns true.
/// If nearly all or nearly no items are kept, a branch costs nothing, so the function runs a loop with a branch. The share of kept items in
/// the previous block determines which loop runs.
///
/// Both loops first write the items to a block on the stack. No other thread uses this block, so captured variables of `keep` stay in
/// registers. If a loop wrote to the vector's memory instead, a compiler would have to assume that this memory overlaps the captured
/// variables. The loop would then read the variables again for each item.
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
            // A flattened chunk may yield any number of items for a position, so its items may not fit into the block.
            push_all(items.filter(keep), all);
            continue;
        }
        let mut kept = 0;
        if is_mixed {
            items.for_each(|item| {
                // `keep` runs before the write. After the write, `keep` would read the item back from the block, which takes longer
                // than the rest of the loop.
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
        // SAFETY: `kept` moves past a place only after this round has written the place, and this round reads each place once.
        let read = |item: &MaybeUninit<C::Item>| unsafe { item.assume_init_read() };
        all.extend(block[..kept].iter().map(read));
        is_mixed = kept.min(count.saturating_sub(kept)) > count / 16;
    }
}
