//! Measures the cost of a loop that no thief splits, as the ratio of the loop's time to the time of an iterator. The loops have many
//! lengths and run over slices and ropes. The figures are medians of paired rounds on one worker.
//!
//! `cargo run --profile measure -p heist-suite --example loop_cost`
//!
//! This program does not count instructions, because a loop behaves differently under valgrind. There, a loop of 13 items takes longer than
//! a chunk should take, so the loop divides its items in another way.

use heist::par::{Rope, prelude::*};
use std::hint::black_box;
use std::time::Instant;

/// The length of a short loop, such as a loop over a short row of a sparse matrix.
const SHORT: usize = 13;

#[inline(never)]
fn serial(xs: &[f64]) -> f64 {
    xs.iter().map(|x| x * 1.5).sum()
}

#[inline(never)]
fn lazy(xs: &[f64]) -> f64 {
    xs.par().map(|x| x * 1.5).sum()
}

#[inline(never)]
fn serial_rope(xs: &Rope<f64>) -> f64 {
    xs.iter().map(|x| x * 1.5).sum()
}

#[inline(never)]
fn lazy_rope(xs: &Rope<f64>) -> f64 {
    xs.par().map(|x| x * 1.5).sum()
}

/// Returns the ratio of the time of `ours` to the time of `theirs`: the median of paired rounds. A round calls each function so often that
/// the calls take a few milliseconds.
fn ratio(
    pool: &heist::Pool,
    len: usize,
    ours: &(dyn Fn() -> f64 + Sync),
    theirs: &(dyn Fn() -> f64 + Sync),
) -> f64 {
    let times = (2_000_000 / len).max(1);
    let time = |function: &dyn Fn() -> f64| {
        let start = Instant::now();
        for _ in 0..times {
            black_box(function());
        }
        start.elapsed().as_secs_f64()
    };
    let mut ratios: Vec<f64> = (0..61)
        .map(|round| {
            pool.install(|| {
                if round % 2 == 0 {
                    let theirs = time(theirs);
                    time(ours) / theirs
                } else {
                    time(ours) / time(theirs)
                }
            })
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[30]
}

fn main() {
    let pool = heist::Pool::builder()
        .threads(1)
        .pin(true)
        .build()
        .expect("a pool");
    println!("{:>10} {:>9} {:>9}", "items", "slices", "ropes");
    for len in [SHORT, 65, 1000, 3000, 10_000, 100_000, 1_000_000] {
        let xs: Vec<f64> = (0..len).map(|i| i as f64).collect();
        let rope: Rope<f64> = xs.par().copied().collect();
        let slices = ratio(&pool, len, &|| lazy(black_box(&xs)), &|| {
            serial(black_box(&xs))
        });
        let ropes = ratio(&pool, len, &|| lazy_rope(black_box(&rope)), &|| {
            serial_rope(black_box(&rope))
        });
        println!("{len:>10} {slices:>9.3} {ropes:>9.3}");
    }
}
