//! Checks sorts of inputs that several workers share. `src/par/sort/tests.rs` has the tests of small inputs.
//!
//! In a build without optimisation, some tests use only a part of the inputs, of the pool sizes, and of the points at which a comparison
//! panics. `cargo test --release -p heist --test sort` runs all cases.

#![cfg(not(any(miri, heist_model)))]

use heist::Pool;
use heist::par::ParSort;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn noise(i: usize) -> u64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// An element with its own allocation, so that tools detect a lost or doubled element.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Owned(Box<u64>);

fn inputs() -> Vec<Vec<u64>> {
    // Without optimisation, the inputs are only as long as necessary for sharing.
    let n = if cfg!(debug_assertions) {
        120_000
    } else {
        300_000
    };
    let input = |f: &dyn Fn(usize) -> u64| (0..n).map(f).collect();
    vec![
        input(&noise),
        input(&|i| i as u64),
        input(&|i| (n - i) as u64),
        input(&|i| if i == n - 1 { 0 } else { i as u64 }),
        input(&|i| noise(i) % 2),
        input(&|i| noise(i) % 16),
        input(&|i| {
            if noise(i) % 3 == 0 {
                noise(i + 1)
            } else {
                1 << 63
            }
        }),
        input(&|_| 7),
        input(&|i| i.min(n - i) as u64),
        input(&|i| (i % 30_001) as u64),
    ]
}

#[test]
fn large_inputs() {
    for threads in [2, 8] {
        let pool = Pool::new(threads).unwrap();
        let all = threads == 8 || !cfg!(debug_assertions);
        for input in inputs().into_iter().step_by(if all { 1 } else { 4 }) {
            let mut expected = input.clone();
            expected.sort_unstable();
            let mut v = input.clone();
            pool.install(|| v.par_sort_unstable());
            assert_eq!(v, expected);
            let mut v = input.clone();
            pool.install(|| v.par_sort());
            assert_eq!(v, expected);
            let mut places: Vec<(u64, usize)> =
                input.iter().enumerate().map(|(i, &x)| (x, i)).collect();
            let mut cached = places.clone();
            pool.install(|| places.par_sort_by_key(|pair| pair.0));
            assert!(places.is_sorted());
            pool.install(|| cached.par_sort_by_cached_key(|pair| pair.0));
            assert_eq!(cached, places);
            let mut texts: Vec<String> = input.iter().step_by(10).map(u64::to_string).collect();
            let mut expected = texts.clone();
            expected.sort();
            pool.install(|| texts.par_sort_unstable());
            assert_eq!(texts, expected);
        }
    }
}

#[test]
fn panics_in_large_inputs() {
    let pool = Pool::new(3).unwrap();
    let panics = [0, 100, 2000, 20_000, 100_000, 280_000, 2_000_000, 5_000_000];
    for (i, input) in inputs().into_iter().enumerate() {
        let mut expected = input.clone();
        expected.sort_unstable();
        for stable in [false, true] {
            for (j, k) in panics.into_iter().enumerate() {
                if cfg!(debug_assertions) && (i + j) % 2 != usize::from(stable) {
                    continue;
                }
                let mut v: Vec<Owned> = input.iter().map(|&x| Owned(Box::new(x))).collect();
                let left = AtomicUsize::new(0);
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    let compare = |a: &Owned, b: &Owned| {
                        if left.fetch_add(1, Relaxed) == k {
                            resume_unwind(Box::new(k));
                        }
                        a.cmp(b)
                    };
                    pool.install(|| {
                        if stable {
                            v.par_sort_by(compare);
                        } else {
                            v.par_sort_unstable_by(compare);
                        }
                    });
                }));
                v.sort_unstable();
                assert!(v.iter().map(|x| *x.0).eq(expected.iter().copied()));
            }
        }
    }
}
