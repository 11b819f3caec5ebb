//! Probe.
use heist_deque::{Owner, lifo, chase_lev, AtLeastOnce, ExactlyOnce};
use std::time::Instant;
#[inline(never)]
fn put_take<O: Owner<Item = u64>>(q: &mut O, n: u64) -> u64 { for i in 0..n { q.push(i) } let mut s=0; for _ in 0..n-1 { s ^= q.pop().unwrap() } s^q.pop().unwrap_or(0) }
fn run<O: Owner<Item = u64>>(name: &str, mut q: O) {
    for n in [1000u64, 10_000_000] {
        let reps = 20_000_000 / n;
        std::hint::black_box(put_take(&mut q, n));
        let mut best = f64::MAX;
        for _ in 0..7 { let t = Instant::now(); for _ in 0..reps { std::hint::black_box(put_take(&mut q, n)); }
        best = best.min(t.elapsed().as_nanos() as f64 / (reps * n) as f64); }
        println!("{name} n={n} {best:.2} ns per put+take");
    }
}
fn main() {
    for _ in 0..2 {
    run("chase-lev", chase_lev::Owner::<u64>::new());
    run("lifo", lifo::Owner::<u64, AtLeastOnce>::new());
    run("lifo exact", lifo::Owner::<u64, ExactlyOnce>::new());
    }
}
