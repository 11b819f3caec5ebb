//! The owner's operations as separate functions, which `tools/disassembly.sh` inspects.

use std::hint::black_box;

use heist_deque::{AtLeastOnce, ExactlyOnce, Owner, chase_lev, double_ended, fifo, lifo};

macro_rules! puts {
    ($($name:ident: $deque:ty;)*) => {$(
        // SAFETY: no other item of this program has this name.
        #[unsafe(no_mangle)]
        #[inline(never)]
        fn $name(owner: &mut $deque, item: usize) {
            owner.push(item);
        }
    )*};
}

macro_rules! takes {
    ($($name:ident: $deque:ty;)*) => {$(
        // SAFETY: no other item of this program has this name.
        #[unsafe(no_mangle)]
        #[inline(never)]
        fn $name(owner: &mut $deque) -> Option<usize> {
            owner.pop()
        }
    )*};
}

puts! {
    lifo_put: lifo::Owner<usize, AtLeastOnce>;
    fifo_put: fifo::Owner<usize, AtLeastOnce>;
    double_ended_put: double_ended::Owner<usize, AtLeastOnce>;
}

takes! {
    lifo_take: lifo::Owner<usize, AtLeastOnce>;
    fifo_take: fifo::Owner<usize, AtLeastOnce>;
    double_ended_take: double_ended::Owner<usize, AtLeastOnce>;
    // The script must find a locked instruction in this function.
    lifo_exactly_once_take: lifo::Owner<usize, ExactlyOnce>;
    fifo_exactly_once_take: fifo::Owner<usize, ExactlyOnce>;
    double_ended_exactly_once_take: double_ended::Owner<usize, ExactlyOnce>;
    chase_lev_take: chase_lev::Owner<usize>;
}

/// The calls keep the functions in the program. The optimiser does not know the argument values, so it cannot
/// remove any part of the functions.
fn main() {
    let (mut lifo, mut fifo, mut double_ended) = Default::default();
    let item = black_box(1);
    lifo_put(black_box(&mut lifo), item);
    fifo_put(black_box(&mut fifo), item);
    double_ended_put(black_box(&mut double_ended), item);
    assert_eq!(lifo_take(&mut lifo), Some(1));
    assert_eq!(fifo_take(&mut fifo), Some(1));
    assert_eq!(double_ended_take(&mut double_ended), Some(1));
    assert_eq!(
        lifo_exactly_once_take(black_box(&mut Default::default())),
        None
    );
    assert_eq!(
        fifo_exactly_once_take(black_box(&mut Default::default())),
        None
    );
    assert_eq!(
        double_ended_exactly_once_take(black_box(&mut Default::default())),
        None
    );
    assert_eq!(chase_lev_take(black_box(&mut Default::default())), None);
}
