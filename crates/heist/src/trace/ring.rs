//! A ring with the newest entries of one writer, up to a fixed number. Readers may run at the same time. See
//! `DESIGN.md`.

use super::orders;
use super::words::Words;
use crate::platform::shim::{AtomicU64, Ordering, fence};

/// A ring of entries of `N` words. One thread writes, and any thread may read.
#[derive(Debug)]
pub(super) struct Ring<const N: usize> {
    /// Number of entries whose writing has begun. Entries with numbers below this number minus `capacity` are being
    /// overwritten, or have been.
    begun: AtomicU64,
    /// Number of complete entries.
    written: AtomicU64,
    /// Entry `n` is at `n % capacity`.
    words: Words,
    capacity: u64,
}

/// The contents of a ring at some time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Snapshot<const N: usize> {
    /// The newest entries, in the order of their writing and without gaps.
    pub(super) entries: Vec<[u64; N]>,
    /// Number of entries that were written before `entries`.
    pub(super) lost: u64,
}

impl<const N: usize> Ring<N> {
    /// Returns a ring of `capacity` entries. If there is no memory for `capacity` entries, the ring has 0 entries.
    pub(super) fn new(capacity: usize) -> Self {
        let words = capacity.checked_mul(N).and_then(Words::new);
        let (words, capacity) = match words {
            Some(words) => (words, capacity as u64),
            None => (Words::none(), 0),
        };
        Ring {
            begun: AtomicU64::new(0),
            written: AtomicU64::new(0),
            words,
            capacity,
        }
    }

    /// Writes an entry. If the ring is full, the new entry replaces the oldest entry. Only the writer may call this function.
    #[inline]
    pub(super) fn write(&self, entry: [u64; N]) {
        // Relaxed: only the writer changes the value.
        let n = self.written.load(Ordering::Relaxed);
        if self.capacity > 0 {
            // Relaxed: the fence below publishes this store.
            if !cfg!(heist_mutant = "trace_claim") {
                self.begun.store(n + 1, Ordering::Relaxed);
            }
            fence(orders::BEFORE_WORDS);
            for (place, word) in self.place(n).zip(entry) {
                // Relaxed: the store of `written` below publishes the words.
                self.words[place].store(word, Ordering::Relaxed);
            }
        }
        self.written.store(n + 1, orders::WRITTEN);
    }

    /// Returns the indices of the words of entry `n`.
    fn place(&self, n: u64) -> std::ops::Range<usize> {
        let first = (n % self.capacity) as usize * N;
        first..first + N
    }

    /// Returns the present contents. Any thread may call this function.
    pub(super) fn snapshot(&self) -> Snapshot<N> {
        let written = self.written.load(orders::SEE_WRITTEN);
        let first = written.saturating_sub(self.capacity);
        let mut entries: Vec<[u64; N]> = (first..written)
            .map(|n| {
                let mut entry = [0; N];
                for (place, word) in self.place(n).zip(&mut entry) {
                    // Relaxed: if this word belongs to a newer entry, this function discards the requested entry below.
                    *word = self.words[place].load(Ordering::Relaxed);
                }
                entry
            })
            .collect();
        fence(orders::AFTER_WORDS);
        // Relaxed: the fence makes this load see the claims of all words that were read.
        let begun = self.begun.load(Ordering::Relaxed);
        let overwritten = begun.saturating_sub(self.capacity).saturating_sub(first);
        entries.drain(..(overwritten as usize).min(entries.len()));
        Snapshot {
            lost: written - entries.len() as u64,
            entries,
        }
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::Ring;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn keeps_the_newest() {
        let ring = Ring::<2>::new(3);
        assert!(ring.snapshot().entries.is_empty());
        for n in 0..8 {
            ring.write([n, n * 10]);
            let snapshot = ring.snapshot();
            let first = (n + 1).saturating_sub(3);
            let expected: Vec<_> = (first..=n).map(|n| [n, n * 10]).collect();
            assert_eq!((snapshot.entries, snapshot.lost), (expected, first));
        }
    }

    #[test]
    fn without_room_all_are_lost() {
        for capacity in [0, usize::MAX, usize::MAX / 64] {
            let ring = Ring::<2>::new(capacity);
            ring.write([1, 2]);
            ring.write([3, 4]);
            let snapshot = ring.snapshot();
            assert!(snapshot.entries.is_empty() && snapshot.lost == 2);
        }
    }

    /// Checks snapshots that are taken while entries are written: each entry is whole, the entries are in order
    /// without gaps, and all entries are counted.
    #[test]
    fn a_snapshot_may_come_at_any_time() {
        const ENTRIES: u64 = if cfg!(miri) { 300 } else { 1_000_000 };
        let ring = Ring::<4>::new(7);
        let stop = AtomicBool::new(false);
        let (mut looks, mut seen) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 0..ENTRIES {
                    ring.write([n, n ^ 0xFF, n + 1, !n]);
                }
                stop.store(true, Ordering::Release);
            });
            let mut last = 0;
            while !stop.load(Ordering::Acquire) {
                let snapshot = ring.snapshot();
                for (i, entry) in (0_u64..).zip(&snapshot.entries) {
                    let n = snapshot.lost + i;
                    assert_eq!(*entry, [n, n ^ 0xFF, n + 1, !n]);
                }
                let total = snapshot.lost + snapshot.entries.len() as u64;
                assert!(total >= last, "a snapshot goes back");
                last = total;
                looks += 1;
                seen += snapshot.entries.len();
            }
        });
        assert_eq!(ring.snapshot().lost, ENTRIES - 7);
        assert!(looks > 0 && (seen > 0 || cfg!(miri)));
    }
}
