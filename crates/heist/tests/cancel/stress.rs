//! Random scopes, cancelled at random.

use crate::{Census, Counted};
use heist::par::prelude::*;
use heist::{CancelToken, Pool, cancellable};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A pseudo-random number (splitmix64).
fn random(seed: &AtomicU64) -> u64 {
    let mut x = seed.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

struct World {
    census: Census,
    seed: AtomicU64,
    /// Tokens that may be cancelled by anyone, at any time.
    tokens: Mutex<Vec<CancelToken>>,
    scopes: AtomicU64,
}

impl World {
    /// Some work; in a scope, perhaps.
    fn work(&self, depth: u32, value: Counted<'_>) {
        let _value = value;
        if depth == 0 {
            return;
        }
        let counted = || self.census.counted();
        match random(&self.seed) % 8 {
            0 | 1 => {
                heist::join(
                    || self.work(depth - 1, counted()),
                    || self.work(depth - 1, counted()),
                );
            }
            2 => heist::finish(|f| {
                for _ in 0..4 {
                    let value = counted();
                    f.spawn(move |_| self.work(depth - 1, value));
                }
            }),
            3 => (0..50)
                .par()
                .for_each(|_| self.work(depth.min(2) - 1, counted())),
            4 => {
                let found: Vec<_> = (0..100).par().map(|_| counted()).collect();
                assert_eq!(found.len(), 100);
            }
            5 => self.cancel_one(),
            _ => {
                self.scopes.fetch_add(1, Ordering::Relaxed);
                let value = counted();
                let _ = cancellable(|token| {
                    self.tokens.lock().unwrap().push(token.clone());
                    self.work(depth - 1, value);
                    self.work(depth - 1, counted());
                });
            }
        }
    }

    fn cancel_one(&self) {
        let mut tokens = self.tokens.lock().unwrap();
        if tokens.is_empty() {
            return;
        }
        let nth = random(&self.seed) as usize % tokens.len();
        let token = tokens.swap_remove(nth);
        drop(tokens);
        token.cancel();
    }
}

#[test]
fn ten_thousand_scopes() {
    let scopes = if cfg!(miri) { 20 } else { 10_000 };
    for threads in [1, 2, 4] {
        let pool = Pool::new(threads).unwrap();
        let world = World {
            census: Census::default(),
            seed: AtomicU64::new(threads as u64),
            tokens: Mutex::new(Vec::new()),
            scopes: AtomicU64::new(0),
        };
        std::thread::scope(|scope| {
            let world = &world;
            let done = move || world.scopes.load(Ordering::Relaxed) >= scopes;
            scope.spawn(move || {
                while !done() {
                    world.cancel_one();
                    std::thread::yield_now();
                }
            });
            while !done() {
                world.scopes.fetch_add(1, Ordering::Relaxed);
                let _ = pool.cancellable(|token| {
                    world.tokens.lock().unwrap().push(token.clone());
                    world.work(7, world.census.counted());
                });
                assert_eq!(world.census.alive(), 0);
            }
        });
        assert_eq!(world.census.alive(), 0);
    }
}
