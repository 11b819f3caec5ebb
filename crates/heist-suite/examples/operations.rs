//! Measures many operations with the standard library, Heist and rayon. Each operation has a million small items. Each round runs the
//! contenders in a new random order, and workers are pinned. A ratio compares a time with the standard library's time in the same round. So
//! the best possible ratio for two workers that do the same work as the standard library is 0.5. Rayon runs with its defaults, without
//! `with_min_len`; the example `loops` runs rayon with several grain sizes.
//!
//! ```text
//! cargo run --profile measure -p heist-suite --example operations              # all of them
//! cargo run --profile measure -p heist-suite --example operations -- lines zip
//! ```

use heist_suite::affinity::{allowed, confine_this_thread};
use heist_suite::memory;
use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 15;
const N: usize = 1_000_000;

struct Data {
    /// Random numbers.
    numbers: Vec<u64>,
    floats: Vec<f64>,
    /// Numbers in runs of several thousand equal numbers.
    runs: Vec<u64>,
    words: Vec<String>,
    /// Lines of words. Some letters of the words take two bytes.
    text: String,
    /// Vectors of any length from 0 to 200.
    nested: Vec<Vec<u32>>,
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn data() -> Data {
    let state = &mut 42;
    let numbers: Vec<u64> = (0..N).map(|_| random(state)).collect();
    let letters: Vec<char> = "abcdefghijklmnopqrstuvwxyzäöüé".chars().collect();
    let mut word = || -> String {
        let len = 1 + random(state) % 10;
        (0..len)
            .map(|_| letters[(random(state) % letters.len() as u64) as usize])
            .collect()
    };
    let words: Vec<String> = (0..N / 4).map(|_| word()).collect();
    let mut text = String::new();
    for (i, word) in words.iter().enumerate() {
        text.push_str(word);
        text.push(if i % 11 == 10 { '\n' } else { ' ' });
    }
    let runs = numbers.iter().scan(0, |run, x| {
        *run += u64::from(x % 50 == 0);
        Some(*run)
    });
    Data {
        floats: numbers.iter().map(|x| (x >> 11) as f64).collect(),
        runs: runs.collect(),
        nested: numbers
            .iter()
            .take(N / 100)
            .map(|x| (0..(x % 201) as u32).collect())
            .collect(),
        words,
        text,
        numbers,
    }
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Does about 400 ns of work.
fn long(x: u64) -> u64 {
    (0..200).fold(x, |x, _| mix(x))
}

/// Returns a hash of a sample of the items.
fn look(all: &[u64]) -> u64 {
    all.iter()
        .step_by(1000)
        .fold(all.len() as u64, |h, x| mix(h ^ x))
}

/// Changes some items of a piece, as one would change a pixel.
fn blend(i: usize, piece: &mut [u64]) {
    piece[0] = piece[0].wrapping_add(i as u64);
    piece[1] ^= i as u64;
    piece[2] = piece[2].wrapping_mul(3) ^ i as u64;
}

/// Defines each operation as three functions of the data: with iterators, with Heist and with rayon.
macro_rules! operations {
    ($($name:ident: |$d:ident| $serial:expr, $ours:expr, $theirs:expr;)*) => {
        mod serial {
            use super::*;
            $(pub(super) fn $name($d: &Data) -> u64 { $serial })*
        }
        mod ours {
            use super::*;
            use heist::par::prelude::*;
            $(pub(super) fn $name($d: &Data) -> u64 { $ours })*
        }
        mod theirs {
            use super::*;
            use rayon::prelude::*;
            $(pub(super) fn $name($d: &Data) -> u64 { $theirs })*
        }
        const OPERATIONS: &[(&str, [fn(&Data) -> u64; 3])] = &[
            $((stringify!($name), [serial::$name, ours::$name, theirs::$name]),)*
        ];
    };
}

operations! {
    map_collect: |d|
        look(&d.numbers.iter().map(|x| mix(*x)).collect::<Vec<_>>()),
        look(&d.numbers.par().map(|x| mix(*x)).collect::<Vec<_>>()),
        look(&d.numbers.par_iter().map(|x| mix(*x)).collect::<Vec<_>>());
    filter_collect: |d|
        look(&d.numbers.iter().copied().filter(|x| x % 3 == 0).collect::<Vec<_>>()),
        look(&d.numbers.par().copied().filter(|x| x % 3 == 0).collect::<Vec<_>>()),
        look(&d.numbers.par_iter().copied().filter(|x| x % 3 == 0).collect::<Vec<_>>());
    filter_count: |d|
        d.numbers.iter().filter(|x| **x % 3 == 0).count() as u64,
        d.numbers.par().filter(|x| **x % 3 == 0).count() as u64,
        d.numbers.par_iter().filter(|x| **x % 3 == 0).count() as u64;
    sum: |d|
        d.numbers.iter().map(|x| x >> 20).sum::<u64>(),
        d.numbers.par().map(|x| x >> 20).sum::<u64>(),
        d.numbers.par_iter().map(|x| x >> 20).sum::<u64>();
    sum_floats: |d|
        (d.floats.iter().sum::<f64>() / 1e16) as u64,
        (d.floats.par().sum::<f64>() / 1e16) as u64,
        (d.floats.par_iter().sum::<f64>() / 1e16) as u64;
    max_by: |d|
        d.floats.iter().max_by(|a, b| a.total_cmp(b)).unwrap().to_bits(),
        d.floats.par().max_by(|a, b| a.total_cmp(b)).unwrap().to_bits(),
        d.floats.par_iter().max_by(|a, b| a.total_cmp(b)).unwrap().to_bits();
    min_by_key: |d|
        *d.numbers.iter().min_by_key(|x| mix(**x)).unwrap(),
        *d.numbers.par().min_by_key(|x| mix(**x)).unwrap(),
        *d.numbers.par_iter().min_by_key(|x| mix(**x)).unwrap();
    find_none: |d|
        d.numbers.iter().position(|x| mix(*x) == 1).map_or(0, |i| i as u64),
        d.numbers.par().position_first(|x| mix(*x) == 1).map_or(0, |i| i as u64),
        d.numbers.par_iter().position_first(|x| mix(*x) == 1).map_or(0, |i| i as u64);
    find_early: |d|
        d.numbers.iter().position(|x| mix(*x) % 500 == 1).map_or(0, |i| i as u64),
        d.numbers.par().position_first(|x| mix(*x) % 500 == 1).map_or(0, |i| i as u64),
        d.numbers.par_iter().position_first(|x| mix(*x) % 500 == 1).map_or(0, |i| i as u64);
    try_for_each: |d|
        d.numbers.iter().try_for_each(|x| if mix(*x) == 1 { Err(*x) } else { Ok(()) }).map_or_else(|x| x, |()| 0),
        d.numbers.par().try_for_each(|x| if mix(*x) == 1 { Err(*x) } else { Ok(()) }).map_or_else(|x| x, |()| 0),
        d.numbers.par_iter().try_for_each(|x| if mix(*x) == 1 { Err(*x) } else { Ok(()) }).map_or_else(|x| x, |()| 0);
    collect_results: |d|
        d.numbers.iter().map(|x| if mix(*x) == 1 { Err(*x) } else { Ok(*x) }).collect::<Result<Vec<_>, _>>().map_or_else(|x| x, |v| look(&v)),
        d.numbers.par().map(|x| if mix(*x) == 1 { Err(*x) } else { Ok(*x) }).collect::<Result<Vec<_>, _>>().map_or_else(|x| x, |v| look(&v)),
        d.numbers.par_iter().map(|x| if mix(*x) == 1 { Err(*x) } else { Ok(*x) }).collect::<Result<Vec<_>, _>>().map_or_else(|x| x, |v| look(&v));
    zip: |d|
        d.numbers.iter().zip(&d.runs).map(|(a, b)| a ^ b).fold(0, |a, b| a ^ b),
        d.numbers.par().zip(&d.runs).map(|(a, b)| a ^ b).reduce(|| 0, |a, b| a ^ b),
        d.numbers.par_iter().zip(&d.runs).map(|(a, b)| a ^ b).reduce(|| 0, |a, b| a ^ b);
    enumerate_mut: |d|
        { let mut all = d.numbers.clone(); all.iter_mut().enumerate().for_each(|(i, x)| *x ^= mix(i as u64)); look(&all) },
        { let mut all = d.numbers.clone(); all.par_mut().enumerate().for_each(|(i, x)| *x ^= mix(i as u64)); look(&all) },
        { let mut all = d.numbers.clone(); all.par_iter_mut().enumerate().for_each(|(i, x)| *x ^= mix(i as u64)); look(&all) };
    pieces_mut: |d|
        { let mut all = d.numbers.clone(); all.chunks_mut(4).enumerate().for_each(|(i, piece)| blend(i, piece)); look(&all) },
        { let mut all = d.numbers.clone(); all.par_chunks_mut(4).enumerate().for_each(|(i, piece)| blend(i, piece)); look(&all) },
        { let mut all = d.numbers.clone(); all.par_chunks_mut(4).enumerate().for_each(|(i, piece)| blend(i, piece)); look(&all) };
    whole_pieces_mut: |d|
        { let mut all = d.numbers.clone(); all.chunks_exact_mut(4).enumerate().for_each(|(i, piece)| blend(i, piece)); look(&all) },
        { let mut all = d.numbers.clone(); all.par_chunks_exact_mut(4).enumerate().for_each(|(i, piece)| blend(i, piece)); look(&all) },
        { let mut all = d.numbers.clone(); all.par_chunks_exact_mut(4).enumerate().for_each(|(i, piece)| blend(i, piece)); look(&all) };
    chain: |d|
        d.numbers.iter().chain(&d.runs).map(|x| mix(*x)).fold(0, |a, b| a ^ b),
        d.numbers.par().chain(&d.runs).map(|x| mix(*x)).reduce(|| 0, |a, b| a ^ b),
        d.numbers.par_iter().chain(&d.runs).map(|x| mix(*x)).reduce(|| 0, |a, b| a ^ b);
    chain_filtered: |d|
        d.numbers.iter().filter(|x| **x % 2 == 0).chain(&d.runs).map(|x| mix(*x)).fold(0, |a, b| a ^ b),
        d.numbers.par().filter(|x| **x % 2 == 0).chain(&d.runs).map(|x| mix(*x)).reduce(|| 0, |a, b| a ^ b),
        d.numbers.par_iter().filter(|x| **x % 2 == 0).chain(&d.runs).map(|x| mix(*x)).reduce(|| 0, |a, b| a ^ b);
    rev_step_by: |d|
        d.numbers.iter().rev().step_by(3).map(|x| mix(*x)).fold(0, |a, b| a ^ b),
        d.numbers.par().rev().step_by(3).map(|x| mix(*x)).reduce(|| 0, |a, b| a ^ b),
        d.numbers.par_iter().rev().step_by(3).map(|x| mix(*x)).reduce(|| 0, |a, b| a ^ b);
    interleave: |d|
        d.numbers.iter().zip(&d.runs).flat_map(|(a, b)| [a, b]).enumerate().map(|(i, x)| mix(*x ^ i as u64)).fold(0, |a, b| a ^ b),
        d.numbers.par().interleave(&d.runs).enumerate().map(|(i, x)| mix(*x ^ i as u64)).reduce(|| 0, |a, b| a ^ b),
        d.numbers.par_iter().interleave(&d.runs).enumerate().map(|(i, x)| mix(*x ^ i as u64)).reduce(|| 0, |a, b| a ^ b);
    chunks_of_slices: |d|
        d.numbers.chunks(7).map(|c| c.iter().fold(0, |a, b| a ^ b)).map(mix).fold(0, |a, b| a ^ b),
        d.numbers.par_chunks(7).map(|c| c.iter().fold(0, |a, b| a ^ b)).map(mix).reduce(|| 0, |a, b| a ^ b),
        d.numbers.par_chunks(7).map(|c| c.iter().fold(0, |a, b| a ^ b)).map(mix).reduce(|| 0, |a, b| a ^ b);
    windows: |d|
        d.numbers.windows(3).map(|w| mix(w[0] ^ w[2])).fold(0, |a, b| a ^ b),
        d.numbers.par_windows(3).map(|w| mix(w[0] ^ w[2])).reduce(|| 0, |a, b| a ^ b),
        d.numbers.par_windows(3).map(|w| mix(w[0] ^ w[2])).reduce(|| 0, |a, b| a ^ b);
    chunk_by: |d|
        d.runs.chunk_by(|a, b| a == b).map(|run| mix(run.len() as u64)).fold(0, |a, b| a ^ b),
        d.runs.par_chunk_by(|a, b| a == b).map(|run| mix(run.len() as u64)).reduce(|| 0, |a, b| a ^ b),
        d.runs.par_chunk_by(|a, b| a == b).map(|run| mix(run.len() as u64)).reduce(|| 0, |a, b| a ^ b);
    chunks_collected: |d|
        { let mut all = d.numbers.iter().copied(); let mut sum = 0;
          loop { let chunk: Vec<u64> = all.by_ref().take(100).collect(); if chunk.is_empty() { break sum; } sum ^= mix(look(&chunk)); } },
        d.numbers.par().copied().chunks(100).map(|c| mix(look(&c))).reduce(|| 0, |a, b| a ^ b),
        d.numbers.par_iter().copied().chunks(100).map(|c| mix(look(&c))).reduce(|| 0, |a, b| a ^ b);
    flat_map_iter: |d|
        look(&d.nested.iter().flat_map(|all| all.iter().map(|x| u64::from(*x))).collect::<Vec<_>>()),
        look(&d.nested.par().flat_map_iter(|all| all.iter().map(|x| u64::from(*x))).collect::<Vec<_>>()),
        look(&d.nested.par_iter().flat_map_iter(|all| all.iter().map(|x| u64::from(*x))).collect::<Vec<_>>());
    flat_map: |d|
        look(&d.nested.iter().flat_map(|all| all.iter().map(|x| u64::from(*x))).collect::<Vec<_>>()),
        look(&d.nested.par().flat_map(|all| all.par().map(|x| u64::from(*x))).collect::<Vec<_>>()),
        look(&d.nested.par_iter().flat_map(|all| all.par_iter().map(|x| u64::from(*x))).collect::<Vec<_>>());
    flat_map_sum: |d|
        d.nested.iter().flatten().map(|x| mix(u64::from(*x)) >> 20).sum(),
        d.nested.par().flatten().map(|x| mix(u64::from(*x)) >> 20).sum(),
        d.nested.par_iter().flatten().map(|x| mix(u64::from(*x)) >> 20).sum();
    nested_sums: |d|
        d.nested.iter().map(|all| all.iter().map(|x| mix(u64::from(*x)) >> 20).sum::<u64>()).sum(),
        d.nested.par().map(|all| all.par().map(|x| mix(u64::from(*x)) >> 20).sum::<u64>()).sum(),
        d.nested.par_iter().map(|all| all.par_iter().map(|x| mix(u64::from(*x)) >> 20).sum::<u64>()).sum();
    partition: |d|
        { let (a, b): (Vec<_>, Vec<_>) = d.numbers.iter().copied().partition(|x| x % 3 == 0); look(&a) ^ look(&b) },
        { let (a, b): (Vec<_>, Vec<_>) = d.numbers.par().copied().partition(|x| x % 3 == 0); look(&a) ^ look(&b) },
        { let (a, b): (Vec<_>, Vec<_>) = d.numbers.par_iter().copied().partition(|x| x % 3 == 0); look(&a) ^ look(&b) };
    unzip: |d|
        { let (a, b): (Vec<_>, Vec<_>) = d.numbers.iter().map(|x| (*x, mix(*x))).unzip(); look(&a) ^ look(&b) },
        { let (a, b): (Vec<_>, Vec<_>) = d.numbers.par().map(|x| (*x, mix(*x))).unzip(); look(&a) ^ look(&b) },
        { let (a, b): (Vec<_>, Vec<_>) = d.numbers.par_iter().map(|x| (*x, mix(*x))).unzip(); look(&a) ^ look(&b) };
    collect_map: |d|
        d.numbers.iter().take(N / 4).map(|x| (*x, x >> 3)).collect::<HashMap<_, _>>().len() as u64,
        d.numbers[..N / 4].par().map(|x| (*x, x >> 3)).collect::<HashMap<_, _>>().len() as u64,
        d.numbers[..N / 4].par_iter().map(|x| (*x, x >> 3)).collect::<HashMap<_, _>>().len() as u64;
    collect_string: |d|
        d.words.iter().map(String::as_str).collect::<String>().len() as u64,
        d.words.par().map(String::as_str).collect::<String>().len() as u64,
        d.words.par_iter().map(String::as_str).collect::<String>().len() as u64;
    vectors_by_value: |d|
        d.words.clone().into_iter().map(|w| w.len() as u64).sum(),
        d.words.clone().into_par().map(|w| w.len() as u64).sum(),
        d.words.clone().into_par_iter().map(|w| w.len() as u64).sum();
    drain: |d|
        { let mut all = d.numbers.clone(); let x = all.drain(1000..N - 1000).map(|x| mix(x) >> 20).sum::<u64>(); x ^ look(&all) },
        { let mut all = d.numbers.clone(); let x = all.par_drain(1000..N - 1000).map(|x| mix(x) >> 20).sum::<u64>(); x ^ look(&all) },
        { let mut all = d.numbers.clone(); let x = all.par_drain(1000..N - 1000).map(|x| mix(x) >> 20).sum::<u64>(); x ^ look(&all) };
    map_init: |d|
        d.words.iter().scan(String::new(), |s, w| { s.clear(); s.push_str(w); s.make_ascii_uppercase(); Some(s.len() as u64) }).sum(),
        d.words.par().map_init(String::new, |s, w| { s.clear(); s.push_str(w); s.make_ascii_uppercase(); s.len() as u64 }).sum(),
        d.words.par_iter().map_init(String::new, |s, w| { s.clear(); s.push_str(w); s.make_ascii_uppercase(); s.len() as u64 }).sum();
    characters: |d|
        d.text.chars().filter(|c| c.is_alphabetic()).count() as u64,
        d.text.par_chars().filter(|c| c.is_alphabetic()).count() as u64,
        d.text.par_chars().filter(|c| c.is_alphabetic()).count() as u64;
    lines: |d|
        d.text.lines().map(|l| mix(l.len() as u64)).fold(0, |a, b| a ^ b),
        d.text.par_lines().map(|l| mix(l.len() as u64)).reduce(|| 0, |a, b| a ^ b),
        d.text.par_lines().map(|l| mix(l.len() as u64)).reduce(|| 0, |a, b| a ^ b);
    words: |d|
        d.text.split_whitespace().map(|l| mix(l.len() as u64)).fold(0, |a, b| a ^ b),
        d.text.par_split_whitespace().map(|l| mix(l.len() as u64)).reduce(|| 0, |a, b| a ^ b),
        d.text.par_split_whitespace().map(|l| mix(l.len() as u64)).reduce(|| 0, |a, b| a ^ b);
    split_by_char: |d|
        d.text.split('ä').map(|l| mix(l.len() as u64)).fold(0, |a, b| a ^ b),
        d.text.par_split('ä').map(|l| mix(l.len() as u64)).reduce(|| 0, |a, b| a ^ b),
        d.text.par_split('ä').map(|l| mix(l.len() as u64)).reduce(|| 0, |a, b| a ^ b);
    matches: |d|
        d.text.match_indices('é').map(|(i, _)| i as u64).fold(0, |a, b| a ^ b),
        d.text.par_match_indices('é').map(|(i, _)| i as u64).reduce(|| 0, |a, b| a ^ b),
        d.text.par_match_indices('é').map(|(i, _)| i as u64).reduce(|| 0, |a, b| a ^ b);
    bridge: |d|
        d.runs.iter().filter(|x| **x % 32 == 0).map(|x| long(*x)).fold(0, |a, b| a ^ b),
        d.runs.iter().filter(|x| **x % 32 == 0).par_bridge().map(|x| long(*x)).reduce(|| 0, |a, b| a ^ b),
        d.runs.iter().filter(|x| **x % 32 == 0).par_bridge().map(|x| long(*x)).reduce(|| 0, |a, b| a ^ b);
    map_values: |d|
        d.words.iter().map(|w| (w, w.len())).collect::<HashMap<_, _>>().into_iter().map(|(w, n)| mix(w.len() as u64 * n as u64) >> 20).sum(),
        d.words.iter().map(|w| (w, w.len())).collect::<HashMap<_, _>>().into_par().map(|(w, n)| mix(w.len() as u64 * n as u64) >> 20).sum(),
        d.words.iter().map(|w| (w, w.len())).collect::<HashMap<_, _>>().into_par_iter().map(|(w, n)| mix(w.len() as u64 * n as u64) >> 20).sum();
    sort: |d|
        { let mut all = d.numbers.clone(); all.sort(); look(&all) },
        { let mut all = d.numbers.clone(); all.par_sort(); look(&all) },
        { let mut all = d.numbers.clone(); all.par_sort(); look(&all) };
    sort_unstable: |d|
        { let mut all = d.numbers.clone(); all.sort_unstable(); look(&all) },
        { let mut all = d.numbers.clone(); all.par_sort_unstable(); look(&all) },
        { let mut all = d.numbers.clone(); all.par_sort_unstable(); look(&all) };
    sort_strings: |d|
        { let mut all: Vec<&str> = d.words.iter().map(String::as_str).collect(); all.sort(); all[N / 8].len() as u64 },
        { let mut all: Vec<&str> = d.words.iter().map(String::as_str).collect(); all.par_sort(); all[N / 8].len() as u64 },
        { let mut all: Vec<&str> = d.words.iter().map(String::as_str).collect(); all.par_sort(); all[N / 8].len() as u64 };
}

/// A contender of an operation: its name, the index of its function, and where it runs.
type Runner<'a> = (
    &'static str,
    usize,
    Box<dyn Fn(&(dyn Fn() -> u64 + Sync)) -> u64 + 'a>,
);

fn main() {
    memory::keep_freed();
    let only: Vec<String> = std::env::args().skip(1).collect();
    let cpus = allowed().unwrap();
    let heist = |threads| {
        heist::Pool::builder()
            .threads(threads)
            .pin(true)
            .build()
            .unwrap()
    };
    let (heist1, heist2) = (heist(1), heist(2));
    let rayon = |threads| {
        let cpus = cpus.clone();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.start_handler(move |i| confine_this_thread(&[cpus[i]]).unwrap());
        pool.build().unwrap()
    };
    let (rayon1, rayon2) = (rayon(1), rayon(2));
    let runners: [Runner<'_>; 5] = [
        ("serial", 0, Box::new(|run| heist1.install(run))),
        ("ours 1", 1, Box::new(|run| heist1.install(run))),
        ("rayon 1", 2, Box::new(|run| rayon1.install(run))),
        ("ours 2", 1, Box::new(|run| heist2.install(run))),
        ("rayon 2", 2, Box::new(|run| rayon2.install(run))),
    ];
    let data = data();
    println!(
        "{:<18} {:>10} {:>8} {:>8} {:>8} {:>8}",
        "", "serial us", "ours 1", "rayon 1", "ours 2", "rayon 2"
    );
    let mut ratios = Vec::new();
    for (name, functions) in OPERATIONS {
        if only.is_empty() || only.iter().any(|o| name.starts_with(o.as_str())) {
            let medians = measure(name, functions, &runners, &data);
            ratios.push(medians[3] / medians[4]);
        }
    }
    let mean =
        (ratios.iter().map(|ratio: &f64| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    println!("ours to rayon's on 2 workers: geometric mean {mean:.2}");
}

/// Measures an operation, and prints the median ratio of each runner's time to the first runner's time.
fn measure(
    name: &str,
    functions: &[fn(&Data) -> u64; 3],
    runners: &[Runner<'_>; 5],
    data: &Data,
) -> [f64; 5] {
    let mut times = [const { Vec::new() }; 5];
    let expected = functions[0](data);
    let state = &mut 7;
    for round in 0..ROUNDS + 2 {
        let mut order = [0, 1, 2, 3, 4];
        for i in (1..order.len()).rev() {
            order.swap(i, (random(state) % (i as u64 + 1)) as usize);
        }
        for which in order {
            let (who, function, install) = &runners[which];
            let function = functions[*function];
            let began = Instant::now();
            let value = install(&|| function(black_box(data)));
            let took = began.elapsed().as_secs_f64();
            assert_eq!(value, expected, "{name}, {who}");
            if round >= 2 {
                times[which].push(took);
            }
        }
    }
    let mut serial = times[0].clone();
    serial.sort_by(f64::total_cmp);
    let medians = std::array::from_fn(|which| {
        let mut ratios: Vec<f64> = times[which]
            .iter()
            .zip(&times[0])
            .map(|(t, s)| t / s)
            .collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    });
    println!(
        "{name:<18} {:>10.1} {:>8.3} {:>8.3} {:>8.3} {:>8.3}",
        serial[serial.len() / 2] * 1e6,
        medians[1],
        medians[2],
        medians[3],
        medians[4]
    );
    medians
}
