//! The types of items that the trials use.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A type of items for a trial.
pub(crate) trait Numbered: Send {
    /// Returns the item of a number.
    fn of(number: usize) -> Self;
    /// Returns the item's number. Panics if the parts are not those of one item.
    fn number(self) -> usize;
}

impl Numbered for usize {
    fn of(number: usize) -> Self {
        number
    }

    fn number(self) -> usize {
        self
    }
}

/// An item of seven words, with padding in the last word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wide {
    kind: u8,
    words: [u64; 6],
    number: u32,
}

crate::item!(Wide {
    kind,
    words,
    number
});

impl Numbered for Wide {
    fn of(number: usize) -> Self {
        let seed = number as u64 + 1;
        Wide {
            kind: number as u8,
            words: std::array::from_fn(|nth| seed.wrapping_mul(0x9E37_79B9_7F4A_7C15 << nth)),
            number: number as u32,
        }
    }

    fn number(self) -> usize {
        let number = self.number as usize;
        assert_eq!(self, Wide::of(number), "torn");
        number
    }
}

/// An item of several words, one of which owns memory.
#[derive(Debug)]
pub(crate) struct Owning {
    boxed: Box<usize>,
    words: [usize; 3],
}

crate::item!(Owning { boxed, words });

impl Numbered for Owning {
    fn of(number: usize) -> Self {
        Owning {
            boxed: Box::new(number),
            words: [number; 3],
        }
    }

    fn number(self) -> usize {
        assert_eq!(self.words, [*self.boxed; 3], "torn");
        *self.boxed
    }
}

/// An item that adds one to a counter when it is dropped.
pub(crate) struct Counted(pub(super) Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// An item that panics when it is dropped, if requested.
pub(crate) struct Bomb {
    pub(super) drops: Arc<AtomicUsize>,
    pub(super) live: bool,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
        assert!(!self.live, "as planned");
    }
}
