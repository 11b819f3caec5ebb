//! First-class events: their meaning, choices under load, waits that are given up, and random programs that are compared with a
//! reference interpreter.
#![cfg(not(heist_model))]

#[path = "event/cancel.rs"]
mod cancel;
#[path = "event/meaning.rs"]
mod meaning;
#[path = "event/programs.rs"]
mod programs;
#[path = "event/reference.rs"]
mod reference;
#[path = "event/stress.rs"]
mod stress;

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// A waker that counts its calls.
#[derive(Default)]
pub(crate) struct Calls(AtomicUsize);

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Calls {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Polls a future once, with a waker that does nothing.
pub(crate) fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Polls a future once, with a waker that counts its calls.
pub(crate) fn poll_with<F: Future + ?Sized>(
    future: Pin<&mut F>,
    calls: &Arc<Calls>,
) -> Poll<F::Output> {
    let waker = Waker::from(Arc::clone(calls));
    future.poll(&mut Context::from_waker(&waker))
}

/// A pseudo-random generator: Marsaglia's xorshift.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((self.next() >> 33) % count as u64) as usize
    }
}
