//! Measures loops without a grain size: serial code, lazy and eager splitting, and rayon, on kernels whose items cost from 1 ns to 100 us.
//! Each round has another random order, and workers are pinned. Ratios are T_P/T_S within a round.
//!
//! ```text
//! cargo run --profile measure -p heist-suite --example loops            # all kernels
//! cargo run --profile measure -p heist-suite --example loops -- triangle
//! ```

use heist::par::{Eager, Innermost, Lazy, prelude::*};
use heist_suite::affinity::{allowed, confine_this_thread};
use heist_suite::memory;
use rayon::prelude::*;
use std::ops::RangeInclusive;
use std::time::Instant;

const ROUNDS: usize = 41;

/// Rayon with its defaults, and with the numbers of items for each task that a user would try when tuning.
const RAYON_GRAINS: [(&str, RangeInclusive<usize>); 6] = [
    ("rayon 2", 1..=usize::MAX),
    ("rayon1 2", 1..=1),
    ("rayon16 2", 16..=16),
    ("rayon256 2", 256..=256),
    ("rayon4k 2", 4096..=4096),
    ("rayon64k 2", 65_536..=65_536),
];

type Run<'a> = (&'a str, Box<dyn FnMut() -> u64 + Send + 'a>);

/// Does arithmetic of about a nanosecond that no compiler can simplify.
#[inline(always)]
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

struct Matrix {
    rows: Vec<Vec<(u32, f64)>>,
    vector: Vec<f64>,
}

/// Makes a matrix whose row lengths are inversely proportional to their ranks. The longest row has about a tenth of all items.
fn matrix(shuffled: bool) -> Matrix {
    let (rows, nonzeros) = (16_614_usize, 1_091_362_f64);
    let weights: Vec<f64> = (1..=rows).map(|rank| 1.0 / rank as f64).collect();
    let scale = nonzeros / weights.iter().sum::<f64>();
    let mut lengths: Vec<usize> = weights.iter().map(|w| (w * scale) as usize + 1).collect();
    let mut state = 42;
    if shuffled {
        for i in (1..rows).rev() {
            lengths.swap(i, (random(&mut state) % (i as u64 + 1)) as usize);
        }
    }
    let rows_of = lengths
        .iter()
        .map(|&length| {
            (0..length)
                .map(|_| ((random(&mut state) % rows as u64) as u32, 1.0))
                .collect()
        })
        .collect();
    Matrix {
        rows: rows_of,
        vector: (0..rows).map(|i| i as f64).collect(),
    }
}

fn dot(row: &[(u32, f64)], vector: &[f64]) -> f64 {
    row.iter().map(|&(i, x)| x * vector[i as usize]).sum()
}

fn main() {
    memory::keep_freed();
    let only: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| name.starts_with(o.as_str()));
    let heist1 = heist::Pool::builder().threads(1).pin(true).build().unwrap();
    let heist2 = heist::Pool::builder().threads(2).pin(true).build().unwrap();
    let cpus = allowed().unwrap();
    let rayon2 = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .start_handler(move |i| confine_this_thread(&[cpus[i]]).unwrap())
        .build()
        .unwrap();

    macro_rules! kernel {
        ($name:expr, $serial:expr, $nested:ident, $ours:expr, $grain:ident, $rayon:expr) => {
            if wanted($name) {
                let mut runs: Vec<Run<'_>> = vec![
                    ("serial", Box::new(|| heist1.install(|| $serial))),
                    (
                        "lazy 1",
                        Box::new(|| {
                            heist1.install(|| {
                                let $nested = Lazy;
                                $ours
                            })
                        }),
                    ),
                    (
                        "lazy 2",
                        Box::new(|| {
                            heist2.install(|| {
                                let $nested = Lazy;
                                $ours
                            })
                        }),
                    ),
                    (
                        "inner 1",
                        Box::new(|| {
                            heist1.install(|| {
                                let $nested = Innermost;
                                $ours
                            })
                        }),
                    ),
                    (
                        "inner 2",
                        Box::new(|| {
                            heist2.install(|| {
                                let $nested = Innermost;
                                $ours
                            })
                        }),
                    ),
                    (
                        "eager1 2",
                        Box::new(|| {
                            heist2.install(|| {
                                let $nested = Eager(1);
                                $ours
                            })
                        }),
                    ),
                    (
                        "eager128 2",
                        Box::new(|| {
                            heist2.install(|| {
                                let $nested = Eager(128);
                                $ours
                            })
                        }),
                    ),
                    (
                        "eager4k 2",
                        Box::new(|| {
                            heist2.install(|| {
                                let $nested = Eager(4096);
                                $ours
                            })
                        }),
                    ),
                ];
                for (name, grain) in &RAYON_GRAINS {
                    let ($grain, rayon2) = (grain, &rayon2);
                    runs.push((name, Box::new(|| rayon2.install(|| $rayon))));
                }
                measure($name, &mut runs);
            }
        };
    }

    let xs: Vec<u64> = (0..1_000_000).collect();
    kernel!(
        "sum1M",
        xs.iter().map(|&x| mix(x)).fold(0, u64::wrapping_add),
        p,
        ToPar::par(&xs)
            .splitting(p)
            .map(|&x| mix(x))
            .reduce(|| 0, u64::wrapping_add),
        grain,
        xs.par_iter()
            .with_min_len(*grain.start())
            .with_max_len(*grain.end())
            .map(|&x| mix(x))
            .reduce(|| 0, u64::wrapping_add)
    );
    kernel!(
        "plain1M",
        xs.iter().sum::<u64>(),
        p,
        ToPar::par(&xs).splitting(p).sum::<u64>(),
        grain,
        xs.par_iter()
            .with_min_len(*grain.start())
            .with_max_len(*grain.end())
            .sum::<u64>()
    );
    let n = 6000_u64;
    kernel!(
        "triangle",
        (0..n)
            .map(|i| (0..i).map(mix).fold(0, u64::wrapping_add))
            .fold(0, u64::wrapping_add),
        p,
        ToPar::par(&(0..n))
            .splitting(p)
            .map(|i| (0..i).map(mix).fold(0, u64::wrapping_add))
            .reduce(|| 0, u64::wrapping_add),
        grain,
        (0..n as usize)
            .into_par_iter()
            .with_min_len(*grain.start())
            .with_max_len(*grain.end())
            .map(|i| i as u64)
            .map(|i| (0..i).map(mix).fold(0, u64::wrapping_add))
            .reduce(|| 0, u64::wrapping_add)
    );
    kernel!(
        "nested-triangle",
        (0..n)
            .map(|i| (0..i).map(mix).fold(0, u64::wrapping_add))
            .fold(0, u64::wrapping_add),
        p,
        ToPar::par(&(0..n))
            .splitting(p)
            .map(|i| ToPar::par(&(0..i))
                .splitting(p)
                .map(mix)
                .reduce(|| 0, u64::wrapping_add))
            .reduce(|| 0, u64::wrapping_add),
        grain,
        (0..n as usize)
            .into_par_iter()
            .with_min_len(*grain.start())
            .with_max_len(*grain.end())
            .map(|i| i as u64)
            .map(|i| (0..i)
                .into_par_iter()
                .map(mix)
                .reduce(|| 0, u64::wrapping_add))
            .reduce(|| 0, u64::wrapping_add)
    );
    kernel!(
        "coarse",
        (0..64_u64)
            .map(|i| (0..100_000 + i).map(mix).fold(0, u64::wrapping_add))
            .fold(0, u64::wrapping_add),
        p,
        ToPar::par(&(0..64_u64))
            .splitting(p)
            .map(|i| (0..100_000 + i).map(mix).fold(0, u64::wrapping_add))
            .reduce(|| 0, u64::wrapping_add),
        grain,
        (0..64_usize)
            .into_par_iter()
            .with_min_len(*grain.start())
            .with_max_len(*grain.end())
            .map(|i| i as u64)
            .map(|i| (0..100_000 + i).map(mix).fold(0, u64::wrapping_add))
            .reduce(|| 0, u64::wrapping_add)
    );
    for (name, shuffled) in [("smvm-sorted", false), ("smvm-shuffled", true)] {
        let m = matrix(shuffled);
        // Examine only a few rows, because to examine all would be a serial part of each run.
        let bits = |v: Vec<f64>| v.iter().step_by(1000).fold(0, |h, x| mix(h ^ x.to_bits()));
        kernel!(
            name,
            bits(m.rows.iter().map(|row| dot(row, &m.vector)).collect()),
            p,
            bits(
                ToPar::par(&m.rows)
                    .splitting(p)
                    .map(|row| dot(row, &m.vector))
                    .collect()
            ),
            grain,
            bits(
                m.rows
                    .par_iter()
                    .with_min_len(*grain.start())
                    .with_max_len(*grain.end())
                    .map(|row| dot(row, &m.vector))
                    .collect()
            )
        );
        kernel!(
            &format!("nested-{name}"),
            bits(m.rows.iter().map(|row| dot(row, &m.vector)).collect()),
            p,
            bits(
                ToPar::par(&m.rows)
                    .splitting(p)
                    .map(|row| ToPar::par(row)
                        .splitting(p)
                        .map(|&(i, x)| x * m.vector[i as usize])
                        .sum::<f64>())
                    .collect()
            ),
            grain,
            bits(
                m.rows
                    .par_iter()
                    .with_min_len(*grain.start())
                    .with_max_len(*grain.end())
                    .map(|row| row
                        .par_iter()
                        .map(|&(i, x)| x * m.vector[i as usize])
                        .sum::<f64>())
                    .collect()
            )
        );
    }
}

fn measure(name: &str, runs: &mut Vec<Run<'_>>) {
    // Keep the serial code and the runs that the environment variable names.
    if let Ok(only) = std::env::var("ONLY") {
        runs.retain(|run| run.0 == "serial" || only.split(',').any(|one| one == run.0));
    }
    let mut times = vec![Vec::new(); runs.len()];
    let mut state = 7;
    let mut expected = None;
    for round in 0..ROUNDS + 3 {
        let mut order: Vec<usize> = (0..runs.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, (random(&mut state) % (i as u64 + 1)) as usize);
        }
        for which in order {
            let began = Instant::now();
            let value = (runs[which].1)();
            let took = began.elapsed().as_secs_f64();
            let expected = *expected.get_or_insert(value);
            if !name.contains("smvm") {
                assert_eq!(value, expected, "{name}: {}", runs[which].0);
            }
            if round >= 3 {
                times[which].push(took);
            }
        }
    }
    let serial = times[0].clone();
    println!("{name}: serial {:.1} us", 1e6 * median(serial.clone()));
    for (run, times) in runs.iter().zip(times) {
        let ratios: Vec<f64> = times.iter().zip(&serial).map(|(t, s)| t / s).collect();
        let best = times.iter().copied().fold(f64::MAX, f64::min)
            / serial.iter().copied().fold(f64::MAX, f64::min);
        println!(
            "    {:12} {:.3}  (best by best {best:.3})",
            run.0,
            median(ratios)
        );
    }
}

fn median(mut xs: Vec<f64>) -> f64 {
    xs.sort_by(f64::total_cmp);
    xs[xs.len() / 2]
}
