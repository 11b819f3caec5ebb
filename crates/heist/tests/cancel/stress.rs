//! Checks random scopes that are cancelled at random.

use crate::{Census, Counted};
use heist::par::prelude::*;
use heist::{CancelToken, Pool, cancellable};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Returns a pseudo-random number (splitmix64).
fn random(seed: &AtomicU64) -> u64 {
    let mut x = seed.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

struct World {
    census: Census,
    seed: AtomicU64,
    /// Tokens that any thread may cancel at any time.
    tokens: Mutex<Vec<CancelToken>>,
    scopes: AtomicU64,
}

impl World {
    /// Does some random work, partly in a new scope.
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

/// Runs 1,000 threads for `HEIST_SECONDS` seconds (60 if that variable is not set). Each thread always runs a cancel scope:
/// `HEIST_SECONDS=1800 cargo test --release -p heist --test cancel a_thousand_scopes -- --ignored --nocapture`
#[test]
#[ignore = "takes as long as it is told to"]
fn a_thousand_scopes_at_a_time() {
    const THREADS: u64 = 1000;
    let seconds = std::env::var("HEIST_SECONDS").map_or(60, |it| it.parse().unwrap());
    let pool = Pool::new(2).unwrap();
    let world = World {
        census: Census::default(),
        seed: AtomicU64::new(1),
        tokens: Mutex::new(Vec::new()),
        scopes: AtomicU64::new(0),
    };
    let cancelled = AtomicU64::new(0);
    let begin = Instant::now();
    let over = || begin.elapsed() >= Duration::from_secs(seconds);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let body = || {
                while !over() {
                    world.scopes.fetch_add(1, Ordering::Relaxed);
                    let outcome = pool.cancellable(|token| {
                        world.tokens.lock().unwrap().push(token.clone());
                        world.work(4, world.census.counted());
                    });
                    cancelled.fetch_add(u64::from(outcome.is_err()), Ordering::Relaxed);
                }
            };
            let thread = std::thread::Builder::new().stack_size(256 << 10);
            thread.spawn_scoped(scope, body).unwrap();
        }
        let mut before = 0;
        let mut told = Instant::now();
        while !over() {
            world.cancel_one();
            std::thread::sleep(Duration::from_micros(20));
            if told.elapsed() > Duration::from_secs(20) {
                told = Instant::now();
                let now = world.scopes.load(Ordering::Relaxed);
                assert!(now > before, "no scope begins any more");
                before = now;
            }
            // Tokens of scopes that have ended have no effect, so the oldest tokens are dropped.
            let mut tokens = world.tokens.lock().unwrap();
            if tokens.len() > 4000 {
                tokens.drain(..2000);
            }
        }
    });
    assert_eq!(world.census.alive(), 0);
    println!(
        "{} scopes in {seconds} s, {} of {THREADS} threads' own cancelled, nothing left",
        world.scopes.into_inner(),
        cancelled.into_inner()
    );
}
