//! Measures how the size of a rope's leaves affects its operations, on ropes of a million integers of eight bytes. Times are medians of
//! rounds, in each of which the sizes have another random order.
//!
//! ```text
//! cargo run --profile measure -p heist-suite --example leaves
//! ```

use heist::par::{Rope, RopeBuilder, prelude::*};
use heist_suite::memory;
use std::hint::black_box;
use std::time::Instant;

const LEAVES: [usize; 7] = [64, 128, 256, 512, 1024, 2048, 4096];
const ITEMS: u64 = 1_000_000;
const ROUNDS: usize = 21;
/// The number of times that a round repeats an operation of less than a millisecond.
const TIMES: u64 = 2000;

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Returns a random position in the rope.
fn place(state: &mut u64) -> usize {
    (random(state) % ITEMS) as usize
}

fn built(leaf: usize) -> Rope<u64> {
    let mut builder = RopeBuilder::with_leaf(leaf);
    builder.extend(0..ITEMS);
    builder.finish()
}

fn mapped(rope: &Rope<u64>) -> Rope<u64> {
    rope.par().map(|x| x ^ 1).collect_rope(rope.leaf_size())
}

/// An operation: its name, the number of operations in a round, and the function that runs a round on a rope.
type Operation<'a> = (&'static str, u64, Box<dyn Fn(&Rope<u64>, &mut u64) + 'a>);

fn main() {
    memory::keep_freed();
    let one = heist::Pool::builder().threads(1).pin(true).build().unwrap();
    let two = heist::Pool::builder().threads(2).pin(true).build().unwrap();
    let (one, two) = (&one, &two);
    let operations: Vec<Operation<'_>> = vec![
        (
            "get",
            TIMES,
            Box::new(|rope, state| {
                let sum = (0..TIMES).fold(0, |sum, _| sum ^ rope[place(state)]);
                black_box(sum);
            }),
        ),
        (
            "update",
            TIMES,
            Box::new(|rope, state| {
                // Make each version from the one before, which is then dropped.
                let mut rope = rope.clone();
                for i in 0..TIMES {
                    rope = rope.update(place(state), i);
                }
                black_box(rope);
            }),
        ),
        (
            "split_at",
            TIMES,
            Box::new(|rope, state| {
                for _ in 0..TIMES {
                    black_box(rope.split_at(place(state)));
                }
            }),
        ),
        (
            "split_at and concat",
            TIMES,
            Box::new(|rope, state| {
                for _ in 0..TIMES {
                    let (left, right) = rope.split_at(place(state));
                    black_box(left.concat(right));
                }
            }),
        ),
        (
            "insert one",
            TIMES,
            Box::new(|rope, state| {
                let mut rope = rope.clone();
                for i in 0..TIMES {
                    let (mut left, right) = rope.split_at(place(state));
                    left.push_back(i);
                    rope = left.concat(right);
                }
                black_box(rope);
            }),
        ),
        (
            "concat of others' parts",
            TIMES,
            Box::new(|rope, state| {
                for _ in 0..TIMES {
                    let (left, right) = (rope.slice(..place(state)), rope.slice(place(state)..));
                    black_box(left.concat(right));
                }
            }),
        ),
        (
            "push_back",
            TIMES,
            Box::new(|rope, _| {
                let mut rope = rope.clone();
                for i in 0..TIMES {
                    rope.push_back(i);
                }
                black_box(rope);
            }),
        ),
        (
            "push_back, old ones kept",
            TIMES,
            Box::new(|rope, _| {
                let mut versions = vec![rope.clone()];
                for i in 0..TIMES {
                    let mut next = versions.last().unwrap().clone();
                    next.push_back(i);
                    versions.push(next);
                }
                black_box(versions);
            }),
        ),
        (
            "sum an item, serially",
            ITEMS,
            Box::new(|rope, _| {
                black_box(rope.iter().sum::<u64>());
            }),
        ),
        (
            "build an item, serially",
            ITEMS,
            Box::new(|rope, _| {
                drop(black_box(built(rope.leaf_size())));
            }),
        ),
        (
            "sum, 1 worker",
            ITEMS,
            Box::new(|rope, _| {
                black_box(one.install(|| rope.par().copied().sum::<u64>()));
            }),
        ),
        (
            "sum, 2 workers",
            ITEMS,
            Box::new(|rope, _| {
                black_box(two.install(|| rope.par().copied().sum::<u64>()));
            }),
        ),
        (
            "map to a rope, 1 worker",
            ITEMS,
            Box::new(|rope, _| {
                drop(black_box(one.install(|| mapped(rope))));
            }),
        ),
        (
            "map to a rope, 2 workers",
            ITEMS,
            Box::new(|rope, _| {
                drop(black_box(two.install(|| mapped(rope))));
            }),
        ),
        (
            "filter to a rope, 2 workers",
            ITEMS,
            Box::new(|rope, _| {
                let leaf = rope.leaf_size();
                let odd = || {
                    rope.par()
                        .copied()
                        .filter(|x| x % 3 == 1)
                        .collect_rope(leaf)
                };
                drop(black_box(two.install(odd)));
            }),
        ),
        (
            "sort, 2 workers",
            ITEMS,
            Box::new(|rope, _| {
                drop(black_box(two.install(|| {
                    rope.clone()
                        .par_sorted_unstable_by(|a, b| (a % 1009).cmp(&(b % 1009)))
                })));
            }),
        ),
    ];
    let ropes: Vec<Rope<u64>> = LEAVES.iter().map(|&leaf| built(leaf)).collect();
    print!("ns{:28}", "");
    for leaf in LEAVES {
        print!("{leaf:>9}");
    }
    println!();
    for (name, count, run) in &operations {
        let mut times = vec![Vec::new(); LEAVES.len()];
        let mut state = 7;
        for round in 0..=ROUNDS {
            let mut order: Vec<usize> = (0..LEAVES.len()).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, (random(&mut state) % (i as u64 + 1)) as usize);
            }
            for which in order {
                let began = Instant::now();
                run(&ropes[which], &mut state);
                let took = began.elapsed().as_secs_f64() * 1e9 / *count as f64;
                if round > 0 {
                    times[which].push(took);
                }
            }
        }
        print!("{name:30}");
        for mut times in times {
            times.sort_by(f64::total_cmp);
            print!("{:>9.2}", times[times.len() / 2]);
        }
        println!();
    }
}
