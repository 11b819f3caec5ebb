//! Counts the forks of a kernel by running it.

use std::cell::Cell;

use crate::ctx::Ctx;
use crate::runner::Kernel;

/// The serial elision with a counter. Timed runs never use the counter.
#[derive(Clone, Copy)]
struct Count<'a>(&'a Cell<u64>);

impl Ctx for Count<'_> {
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.0.set(self.0.get() + 1);
        let ra = a(self);
        (ra, b(self))
    }
}

/// Returns the number of forks in one run of the kernel.
pub(crate) fn forks_of<K: Kernel>(kernel: K) -> u64 {
    let count = Cell::new(0);
    kernel.call(Count(&count));
    count.get()
}
