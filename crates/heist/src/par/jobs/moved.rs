//! Pieces of a vector that all free workers move together.

use crate::worker::outside_scopes;
use std::mem::MaybeUninit;
use std::ptr::copy_nonoverlapping;

/// Number of bytes that one worker moves, so large that the cost of a fork is small in comparison. (In tests all is short.)
const BLOCK: usize = if cfg!(test) { 64 } else { 1 << 16 };

/// Moves all pieces behind the items of a vector.
pub(crate) fn append<T: Send>(all: &mut Vec<T>, mut pieces: Vec<Vec<T>>) {
    let count = pieces.iter().map(Vec::len).sum();
    all.reserve(count);
    let (len, places) = (all.len(), &mut all.spare_capacity_mut()[..count]);
    // Stopped half way, the items would be neither here nor there, and be dropped nowhere.
    outside_scopes(|| move_pieces(&mut pieces, places));
    // SAFETY: so many items have been moved there, from pieces that do not have them any more.
    unsafe { all.set_len(len + count) };
}

/// Moves all items of the pieces, which are empty then, to as many places.
fn move_pieces<T: Send>(pieces: &mut [Vec<T>], places: &mut [MaybeUninit<T>]) {
    match pieces {
        [] => (),
        [piece] => {
            let len = piece.len();
            // SAFETY: none of its items needs to be initialised for it, and they are the places' from here on; if something
            // panicked before all are there, they would not be dropped.
            unsafe { piece.set_len(0) };
            move_items(&mut piece.spare_capacity_mut()[..len], places);
        }
        _ => {
            let is_short = is_short::<T>(places.len());
            let (left, right) = pieces.split_at_mut(pieces.len() / 2);
            let count = left.iter().map(Vec::len).sum();
            let (left_places, right_places) = places.split_at_mut(count);
            if is_short {
                move_pieces(left, left_places);
                move_pieces(right, right_places);
            } else {
                crate::join(
                    || move_pieces(left, left_places),
                    || move_pieces(right, right_places),
                );
            }
        }
    }
}

/// Moves items to the same number of places; no code looks at their old places any more.
fn move_items<T: Send>(items: &mut [MaybeUninit<T>], places: &mut [MaybeUninit<T>]) {
    assert_eq!(items.len(), places.len());
    if is_short::<T>(items.len()) {
        // SAFETY: there are as many places as items, and neither are the other's, as both are borrowed for writing.
        unsafe { copy_nonoverlapping(items.as_ptr(), places.as_mut_ptr(), items.len()) };
        return;
    }
    let half = items.len() / 2;
    let (left, right) = items.split_at_mut(half);
    let (left_places, right_places) = places.split_at_mut(half);
    crate::join(
        || move_items(left, left_places),
        || move_items(right, right_places),
    );
}

/// Returns true if moving this number of items is not worth a fork.
fn is_short<T>(count: usize) -> bool {
    count <= 1 || count.saturating_mul(size_of::<T>()) <= BLOCK
}
