//! Compares the sorts of Heist and rayon on two CPUs with the standard library's sort on one CPU.
//!
//! `cargo run --profile measure -p heist-suite --example sorting [-- [--check] [--rounds N] [WORD ...]]`
//!
//! Each row is for one input and one kind of sort, stable or unstable. In each round all contenders sort the input, one after the other, so
//! that a disturbance of the machine affects all contenders equally. Times are medians over the rounds, and ratios are medians of the
//! ratios within rounds. The figures in brackets are ratios of the best times. If WORDs are given, the program runs only rows whose names
//! contain every WORD.
//!
//! With `--check`, the program fails if a ratio is above its bar: see `bars`.

use std::fmt::Debug;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use heist::par::ParSort;
use heist_suite::affinity::{allowed, confine_this_thread};
use rayon::slice::ParallelSliceMut;

const LARGE: usize = 10_000_000;
const SMALL: usize = 100_000;
const TINY: usize = 1000;
const SHAPES: [&str; 8] = [
    "random",
    "sorted",
    "reversed",
    "16-values",
    "2-values",
    "equal",
    "organ-pipe",
    "sawtooth",
];

/// Returns the `i`-th number of a fixed sequence.
fn noise(i: usize) -> u64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn shaped(shape: &str, n: usize) -> Vec<u64> {
    (0..n)
        .map(|i| match shape {
            "random" => noise(i),
            "sorted" => i as u64,
            "reversed" => (n - i) as u64,
            "16-values" => noise(i) % 16,
            "2-values" => noise(i) % 2,
            "equal" => 7,
            "organ-pipe" => i.min(n - i) as u64,
            "sawtooth" => (i % (n / 10 + 1)) as u64,
            _ => unreachable!("no such shape"),
        })
        .collect()
}

/// An item of 64 bytes, whose first eight bytes decide most comparisons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Large(u64, [u64; 7]);

/// The pools, and the settings of the measurement.
struct Bench {
    one: heist::Pool,
    two: heist::Pool,
    rayon: rayon::ThreadPool,
    rounds: usize,
    words: Vec<String>,
    check: bool,
    missed: bool,
}

/// The result of a row. Each pair has two ratios: the median of the ratios within rounds, and the ratio of the best times.
struct Ratios {
    t1: (f64, f64),
    t2: (f64, f64),
    rayon: (f64, f64),
}

/// Returns the ratios that a row may not exceed: T_1 / T_S, T_2 / T_S, and T_2 / rayon's time.
fn bars(stable: bool, input: &str, n: usize) -> (f64, f64, f64) {
    let (t2, rayon) = match (n, input, stable) {
        (TINY, ..) => (1.05, 1.0),
        (SMALL, "u64 random", _) => (0.65, 1.0),
        (LARGE, "u64 random", false) => (1.0 / 1.8, 1.0),
        (LARGE, "u64 random", true) => (1.0, 1.0),
        _ => (1.0, f64::INFINITY),
    };
    (1.05, t2, rayon)
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

impl Bench {
    fn row<T: Ord + Clone + Send + Sync + Debug>(&mut self, input: &str, data: &[T]) {
        for stable in [false, true] {
            let kind = if stable { "stable" } else { "unstable" };
            let name = format!("{kind} {input} {}", data.len());
            let has = |word: &String| name.split(' ').any(|part| part == word);
            if !self.words.iter().all(has) {
                continue;
            }
            let ratios = self.measure(&name, data, stable);
            let (t1, t2, rayon) = bars(stable, input, data.len());
            for (what, is, may) in [
                ("T_1 / T_S", ratios.t1, t1),
                ("T_2 / T_S", ratios.t2, t2),
                ("T_2 / rayon", ratios.rayon, rayon),
            ] {
                // A bar is met if the median of the rounds or the ratio of the best times meets it.
                if self.check && is.0.min(is.1) > may {
                    eprintln!(
                        "sorting: {name}: {what} is {:.3}; {may:.3} is allowed",
                        is.0
                    );
                    self.missed = true;
                }
            }
        }
    }

    fn measure<T: Ord + Clone + Send + Sync + Debug>(
        &self,
        name: &str,
        data: &[T],
        stable: bool,
    ) -> Ratios {
        // Short inputs are sorted many times, so that the clock can measure the time.
        let copies = (300_000 / data.len()).max(1);
        let mut expected = data.to_vec();
        expected.sort();
        let mut work = vec![data.to_vec(); copies];
        let timed = |work: &mut Vec<Vec<T>>, sort: &(dyn Fn(&mut [T]) + Sync)| {
            // Copy the input into existing memory, because the first write of new memory would cost page faults. Copy it on the worker that
            // sorts, so that it is in the cache of that worker.
            work.iter_mut().for_each(|v| v.clone_from_slice(data));
            let start = Instant::now();
            work.iter_mut().for_each(|v| sort(v));
            let elapsed = start.elapsed().as_secs_f64();
            assert!(black_box(&*work).iter().all(|v| *v == expected));
            elapsed / copies as f64 * 1e3
        };
        let std = |v: &mut [T]| if stable { v.sort() } else { v.sort_unstable() };
        let ours = |v: &mut [T]| {
            if stable {
                ParSort::par_sort(v);
            } else {
                ParSort::par_sort_unstable(v);
            }
        };
        let rayon = |v: &mut [T]| {
            if stable {
                ParallelSliceMut::par_sort(v);
            } else {
                ParallelSliceMut::par_sort_unstable(v);
            }
        };
        let mut times = [const { Vec::new() }; 4];
        for _ in 0..=self.rounds {
            times[0].push(self.one.install(|| timed(&mut work, &std)));
            times[1].push(self.one.install(|| timed(&mut work, &ours)));
            times[2].push(self.two.install(|| timed(&mut work, &ours)));
            times[3].push(self.rayon.install(|| timed(&mut work, &rayon)));
        }
        // Drop the first round: it scatters the memory of strings, and all other rounds find it scattered.
        for times in &mut times {
            times.remove(0);
        }
        let ratio = |a: usize, b: usize| {
            let best = |i: usize| times[i].iter().copied().fold(f64::INFINITY, f64::min);
            let each = times[a].iter().zip(&times[b]).map(|(a, b)| a / b);
            (median(each.collect()), best(a) / best(b))
        };
        let ratios = Ratios {
            t1: ratio(1, 0),
            t2: ratio(2, 0),
            rayon: ratio(2, 3),
        };
        let shown = |(median, best): (f64, f64)| format!("{median:.3} ({best:.3})");
        let [t_s, t_1, t_2, t_rayon] = times.map(median);
        println!(
            "{name:<32} {t_s:>9.3} {t_1:>9.3} {t_2:>9.3} {t_rayon:>9.3} {:>15} {:>15} {:>15}",
            shown(ratios.t1),
            shown(ratios.t2),
            shown(ratios.rayon),
        );
        ratios
    }
}

fn rayon_pool(cpus: &[usize]) -> Result<rayon::ThreadPool, Box<dyn std::error::Error>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(cpus.len())
        .build()?;
    for pinned in
        pool.broadcast(|worker| confine_this_thread(&cpus[worker.index()..=worker.index()]))
    {
        pinned?;
    }
    Ok(pool)
}

fn heist_pool(threads: usize) -> Result<heist::Pool, heist::BuildError> {
    heist::Pool::builder().threads(threads).pin(true).build()
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let check = words.iter().any(|word| word == "--check");
    words.retain(|word| word != "--check");
    let mut rounds = 9;
    if let Some(at) = words.iter().position(|word| word == "--rounds") {
        words.remove(at);
        if at == words.len() {
            return Err("--rounds needs a number".into());
        }
        rounds = words.remove(at).parse::<usize>()?.max(1);
    }
    let cpus = allowed()?;
    let [first, second, ..] = cpus[..] else {
        return Err("two CPUs are needed".into());
    };
    let mut bench = Bench {
        one: heist_pool(1)?,
        two: heist_pool(2)?,
        rayon: rayon_pool(&[first, second])?,
        rounds,
        words,
        check,
        missed: false,
    };
    println!(
        "{:<32} {:>9} {:>9} {:>9} {:>9} {:>15} {:>15} {:>15}",
        "times in ms", "T_S std", "T_1", "T_2", "rayon 2", "T_1/T_S", "T_2/T_S", "T_2/rayon"
    );
    for n in [LARGE, SMALL, TINY] {
        for shape in SHAPES {
            bench.row(&format!("u64 {shape}"), &shaped(shape, n));
        }
        let strings = n / 10;
        if strings > TINY {
            let strings: Vec<String> = (0..strings)
                .map(|i| format!("{:x}", noise(i) >> (noise(i + n) % 32)))
                .collect();
            bench.row("String", &strings);
            let large: Vec<Large> = (0..n / 10)
                .map(|i| Large(noise(i), [i as u64; 7]))
                .collect();
            bench.row("64-bytes", &large);
        }
    }
    Ok(if bench.missed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
