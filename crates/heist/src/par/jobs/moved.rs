//! Moves the items of several vectors, the pieces, into one vector, on all free workers.

use crate::worker::outside_scopes;
use std::mem::MaybeUninit;
use std::ptr::copy_nonoverlapping;

/// Number of bytes that one worker moves without a fork. Moving this number of bytes takes much longer than a fork. (Tests use a small
/// number.)
const BLOCK: usize = if cfg!(test) { 64 } else { 1 << 16 };

/// Appends the items of all pieces to a vector.
pub(crate) fn append<T: Send>(all: &mut Vec<T>, mut pieces: Vec<Vec<T>>) {
    let count = pieces.iter().map(Vec::len).sum();
    all.reserve(count);
    let (len, places) = (all.len(), &mut all.spare_capacity_mut()[..count]);
    // The move runs outside of cancel scopes, because a cancelled move would leak items: neither the pieces nor the vector would own these
    // items.
    outside_scopes(|| move_pieces(&mut pieces, places));
    // SAFETY: `move_pieces` has moved `count` items to the places behind the old ones, from pieces that no longer own them.
    unsafe { all.set_len(len + count) };
}

/// Moves all items of the pieces to `places`, which has one place for each item. Afterwards, the pieces are empty.
fn move_pieces<T: Send>(pieces: &mut [Vec<T>], places: &mut [MaybeUninit<T>]) {
    match pieces {
        [] => (),
        [piece] => {
            let len = piece.len();
            // SAFETY: a length of 0 needs no initialised items. From this line on the places own the items. If a panic interrupted
            // the move, the items would not be dropped, which is safe.
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

/// Moves `items[i]` to `places[i]`, for each `i`. The caller must ensure that no code uses the items at their old places afterwards.
fn move_items<T: Send>(items: &mut [MaybeUninit<T>], places: &mut [MaybeUninit<T>]) {
    assert_eq!(items.len(), places.len());
    if is_short::<T>(items.len()) {
        // SAFETY: there are as many places as items, and the two slices do not overlap, because both are mutable borrows.
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

/// Returns true if moving these items takes too little time to be worth a fork.
fn is_short<T>(count: usize) -> bool {
    count <= 1 || count.saturating_mul(size_of::<T>()) <= BLOCK
}
