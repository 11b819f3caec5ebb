//! Parallel loops in fibers. The loops' closures wait, and may continue on another thread.

use super::pools;
use heist::block_on;
use heist::par::prelude::*;
use heist::sync::{Semaphore, channel};
use std::sync::Arc;

/// Waits for a task. If another thread is free, the fiber continues on that thread.
fn wait_a_little(i: usize) -> usize {
    *block_on(async { heist::spawn_async(async move { i }) }).get()
}

#[test]
fn closures_of_short_loops_wait() {
    let inner = |i: usize| (0..i % 50).map(|x| x ^ i).sum::<usize>();
    let expected: usize = (0..300).map(inner).sum();
    for pool in pools(&[1, 2, 8]) {
        let all: Vec<_> = (0..8)
            .map(|_| {
                pool.spawn_fiber(move || {
                    let nested = |i: usize| {
                        let before = (0..i % 50).par().map(|x| x ^ i).sum::<usize>();
                        let i = wait_a_little(i);
                        let after = (0..i % 50).par().map(|x| x ^ i).sum::<usize>();
                        assert_eq!(before, after);
                        after
                    };
                    // From the second round on, the loops' profiles show which loops are short.
                    (0..3)
                        .map(|_| (0..300).par().map(nested).sum::<usize>())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        for fiber in all {
            assert_eq!(*fiber.get(), [expected; 3]);
        }
    }
}

#[test]
fn maps_to_sequences_wait() {
    for pool in pools(&[1, 2, 8]) {
        let (sender, receiver) = channel(2);
        let gate = Arc::new(Semaphore::new(0));
        let fiber = pool.spawn_fiber({
            let gate = Arc::clone(&gate);
            move || {
                let parts = (0..400_usize).par().flat_map(|i| {
                    gate.acquire(1).keep();
                    let i = wait_a_little(i);
                    (0..i % 9).par().map(move |x| i * 10 + x)
                });
                let all: Vec<usize> = parts.collect();
                sender.send(all).unwrap();
            }
        });
        for _ in 0..400 {
            gate.release(1);
        }
        let expected: Vec<usize> = (0..400)
            .flat_map(|i| (0..i % 9).map(move |x| i * 10 + x))
            .collect();
        assert_eq!(receiver.recv(), Ok(expected));
        fiber.get();
    }
}
