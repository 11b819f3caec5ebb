//! Model tests of a ring: one thread writes while another thread reads. Loom runs the tests under every interleaving.

use super::ring::Ring;
use loom::thread;
use std::sync::Arc;

/// Checks that the entries that a reader gets are whole and in order, and that the kept and lost
/// entries together are at least `at_least`.
fn check(ring: &Ring<2>, at_least: u64) {
    let snapshot = ring.snapshot();
    for (i, entry) in (1..).zip(&snapshot.entries) {
        let n = snapshot.lost + i;
        assert_eq!(*entry, [n, n], "an entry is torn");
    }
    assert!(snapshot.lost + snapshot.entries.len() as u64 >= at_least);
}

fn model(capacity: usize, before: u64, during: u64) {
    loom::model(move || {
        let ring = Arc::new(Ring::<2>::new(capacity));
        let shared = Arc::clone(&ring);
        (1..=before).for_each(|n| ring.write([n, n]));
        // The new thread reads and this thread writes, because loom assumes that other threads know
        // all actions of a thread before its first synchronisation.
        let reader = thread::spawn(move || check(&shared, before));
        (before + 1..=before + during).for_each(|n| ring.write([n, n]));
        reader.join().unwrap();
        let end = ring.snapshot();
        assert_eq!(
            end.entries.len() as u64,
            (before + during).min(capacity as u64)
        );
    });
}

/// Checks that a reader sees only whole entries.
#[test]
fn an_entry_that_is_seen_is_whole() {
    model(2, 0, 2);
}

/// Checks that a reader notices that the writer overwrites an entry during the read.
#[test]
fn an_entry_that_is_overwritten_is_left_out() {
    model(1, 1, 1);
    model(2, 2, 1);
}
