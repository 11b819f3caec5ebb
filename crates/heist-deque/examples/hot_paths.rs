//! The owner's operations as functions of their own, for `tools/disassembly.sh` to look at.

use std::hint::black_box;

use heist_deque::{AtLeastOnce, ExactlyOnce, Owner, chase_lev, double_ended, fifo, lifo};

macro_rules! hot_paths {
    ($($put:ident $take:ident $deque:ty;)*) => {
        $(
            // SAFETY: a name that nothing else in this program has.
            #[unsafe(no_mangle)]
            #[inline(never)]
            fn $put(owner: &mut $deque, item: usize) {
                owner.push(item);
            }

            // SAFETY: as above.
            #[unsafe(no_mangle)]
            #[inline(never)]
            fn $take(owner: &mut $deque) -> Option<usize> {
                owner.pop()
            }
        )*

        fn main() {
            $({
                let mut owner = <$deque>::new();
                let owner = black_box(&mut owner);
                $put(owner, black_box(1));
                assert_eq!($take(owner), Some(1));
            })*
        }
    };
}

hot_paths! {
    lifo_put lifo_take lifo::Owner<usize, AtLeastOnce>;
    fifo_put fifo_take fifo::Owner<usize, AtLeastOnce>;
    double_ended_put double_ended_take double_ended::Owner<usize, AtLeastOnce>;
    lifo_exactly_once_put lifo_exactly_once_take lifo::Owner<usize, ExactlyOnce>;
    fifo_exactly_once_put fifo_exactly_once_take fifo::Owner<usize, ExactlyOnce>;
    double_ended_exactly_once_put double_ended_exactly_once_take double_ended::Owner<usize, ExactlyOnce>;
    chase_lev_put chase_lev_take chase_lev::Owner<usize>;
}
