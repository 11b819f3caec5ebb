//! Programs on rayon's iterators, joins and scopes, each timed separately. `rayon-bench [rounds] [name ...]` prints a
//! line for each program: its name, and the least and the median time in nanoseconds. The program `oversubscribed`
//! runs next to two busy processes. For this program the second time is the mean, because on such a machine the slow
//! rounds matter.

use rayon::prelude::*;
use std::hint::black_box;
use std::process::{Child, Command};
use std::time::Instant;

fn spin(x: u64) -> u64 {
    // This takes about a nanosecond, and the compiler cannot vectorise it.
    x.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23) ^ x
}

fn noise(n: usize) -> Vec<u64> {
    let mut x = 0x2545_F491_4F6C_DD1D_u64;
    (0..n)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        })
        .collect()
}

fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn quicksort(v: &mut [u64]) {
    if v.len() <= 32 {
        v.sort_unstable();
        return;
    }
    let pivot = v[v.len() / 2];
    let (mut i, mut j) = (0, v.len() - 1);
    loop {
        while v[i] < pivot {
            i += 1;
        }
        while v[j] > pivot {
            j -= 1;
        }
        if i >= j {
            break;
        }
        v.swap(i, j);
        i += 1;
        j -= 1;
    }
    let (lo, hi) = v.split_at_mut(i);
    rayon::join(|| quicksort(lo), || quicksort(hi));
}

fn tree<'s>(scope: &rayon::Scope<'s>, depth: u32, count: &'s std::sync::atomic::AtomicU64) {
    if depth == 0 {
        count.fetch_add(
            spin(u64::from(depth)) & 1,
            std::sync::atomic::Ordering::Relaxed,
        );
        return;
    }
    for _ in 0..2 {
        scope.spawn(move |scope| tree(scope, depth - 1, count));
    }
}

fn mandelbrot(side: usize) -> u64 {
    (0..side)
        .into_par_iter()
        .map(|row| {
            let y = row as f64 / side as f64 * 2.0 - 1.0;
            (0..side)
                .map(|column| {
                    let x = column as f64 / side as f64 * 3.0 - 2.0;
                    let (mut a, mut b, mut n) = (0.0_f64, 0.0_f64, 0);
                    while n < 100 && a * a + b * b < 4.0 {
                        (a, b) = (a * a - b * b + x, 2.0 * a * b + y);
                        n += 1;
                    }
                    n
                })
                .sum::<u64>()
        })
        .sum()
}

type Kernel = Box<dyn Fn() -> u64 + Send + Sync>;

fn kernels() -> Vec<(&'static str, Kernel)> {
    let mut all: Vec<(&'static str, Kernel)> = Vec::new();
    let mut add = |name, kernel: Kernel| all.push((name, kernel));
    add(
        "sum-1ns",
        Box::new(|| {
            (0..1_000_000_u64)
                .into_par_iter()
                .map(spin)
                .reduce(|| 0, |a, b| a ^ b)
        }),
    );
    let data = noise(1_000_000);
    let xs = data.clone();
    add(
        "map-collect",
        Box::new(move || xs.par_iter().map(|&x| spin(x)).collect::<Vec<_>>().len() as u64),
    );
    let xs = data.clone();
    add(
        "filter-collect",
        Box::new(move || {
            xs.par_iter()
                .filter(|&&x| x % 3 == 0)
                .copied()
                .collect::<Vec<_>>()
                .len() as u64
        }),
    );
    let xs = data.clone();
    add(
        "zip-dot",
        Box::new(move || {
            xs.par_iter()
                .zip(&xs[..])
                .map(|(a, b)| a.wrapping_mul(*b))
                .reduce(|| 0, u64::wrapping_add)
        }),
    );
    let xs = data.clone();
    add(
        "chunks",
        Box::new(move || {
            xs.par_chunks(100)
                .map(|c| c.iter().fold(0, |a, &x| a ^ spin(x)))
                .reduce(|| 0, |a, b| a ^ b)
        }),
    );
    let xs = data.clone();
    add(
        "fold-reduce",
        Box::new(move || {
            xs.par_iter()
                .fold(|| 0, |a, &x| a ^ spin(x))
                .reduce(|| 0, |a, b| a ^ b)
        }),
    );
    add(
        "triangle",
        Box::new(|| {
            (0..3000_u64)
                .into_par_iter()
                .map(|n| (0..n).fold(0, |a, x| a ^ spin(x)))
                .reduce(|| 0, |a, b| a ^ b)
        }),
    );
    add(
        "triangle-nested",
        Box::new(|| {
            (0..3000_u64)
                .into_par_iter()
                .map(|n| (0..n).into_par_iter().map(spin).reduce(|| 0, |a, b| a ^ b))
                .reduce(|| 0, |a, b| a ^ b)
        }),
    );
    add(
        "nested-tiny",
        Box::new(|| {
            (0..20_000_u64)
                .into_par_iter()
                .map(|n| {
                    (0..16_u64)
                        .into_par_iter()
                        .map(|x| spin(x ^ n))
                        .reduce(|| 0, |a, b| a ^ b)
                })
                .reduce(|| 0, |a, b| a ^ b)
        }),
    );
    add(
        "flat-map",
        Box::new(|| {
            (0..1000_u64)
                .into_par_iter()
                .flat_map(|n| (0..n).into_par_iter().map(spin))
                .reduce(|| 0, |a, b| a ^ b)
        }),
    );
    add(
        "min-len-1",
        Box::new(|| {
            (0..20_000_u32)
                .into_par_iter()
                .with_max_len(1)
                .map(|x| (0..100).fold(u64::from(x), |a, x| a ^ spin(x)))
                .reduce(|| 0, |a, b| a ^ b)
        }),
    );
    add(
        "many-small-loops",
        Box::new(|| {
            (0..1000_u64)
                .map(|n| {
                    (0..2000_u64)
                        .into_par_iter()
                        .map(|x| spin(x ^ n))
                        .reduce(|| 0, |a, b| a ^ b)
                })
                .fold(0, |a, b| a ^ b)
        }),
    );
    let xs = data.clone();
    add(
        "sort-unstable",
        Box::new(move || {
            let mut xs = xs.clone();
            xs.par_sort_unstable();
            xs[0]
        }),
    );
    let xs = data.clone();
    add(
        "sort-stable",
        Box::new(move || {
            let mut xs = xs.clone();
            xs.par_sort();
            xs[0]
        }),
    );
    let xs = data.clone();
    add(
        "quicksort-join",
        Box::new(move || {
            let mut xs = xs.clone();
            quicksort(&mut xs);
            xs[0]
        }),
    );
    let xs = data.clone();
    add(
        "find-any",
        Box::new(move || {
            (0..100)
                .map(|i| u64::from(xs.par_iter().any(|&x| x == i)))
                .sum()
        }),
    );
    add(
        "bridge",
        Box::new(|| {
            (0..20_000_u64)
                .par_bridge()
                .map(|x| (0..200).fold(x, |a, x| a ^ spin(x)))
                .reduce(|| 0, |a, b| a ^ b)
        }),
    );
    add("mandelbrot", Box::new(|| mandelbrot(300)));
    add("fib-join", Box::new(|| fib(27)));
    add(
        "scope-flat",
        Box::new(|| {
            let count = std::sync::atomic::AtomicU64::new(0);
            rayon::scope(|scope| {
                for i in 0..100_000 {
                    let count = &count;
                    scope.spawn(move |_| {
                        if spin(i) == 1 {
                            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        }
                    });
                }
            });
            count.into_inner()
        }),
    );
    add(
        "scope-tree",
        Box::new(|| {
            let count = std::sync::atomic::AtomicU64::new(0);
            rayon::scope(|scope| tree(scope, 15, &count));
            count.into_inner()
        }),
    );
    add(
        "scope-loops",
        Box::new(|| {
            let all = std::sync::atomic::AtomicU64::new(0);
            rayon::scope(|scope| {
                for n in [100_000_u64, 1_000_000, 300_000] {
                    let all = &all;
                    scope.spawn(move |_| {
                        let x = (0..n).into_par_iter().map(spin).reduce(|| 0, |a, b| a ^ b);
                        all.fetch_xor(x, std::sync::atomic::Ordering::Relaxed);
                    });
                }
            });
            all.into_inner()
        }),
    );
    // A thread that is not a worker calls these loops.
    add(
        BUSY,
        Box::new(|| {
            for _ in 0..10 {
                (0..36_u64).into_par_iter().for_each(|x| {
                    black_box((0..20_000).fold(x, |a, x| a ^ spin(x)));
                });
            }
            0
        }),
    );
    all
}

/// The program that runs while other processes compute. The program calls its loops on a thread that is not a worker.
const BUSY: &str = "oversubscribed";
/// The argument that makes this process compute without measuring.
const COMPUTE: &str = "--compute";
/// The number of busy processes.
const OTHERS: usize = 2;

/// The busy processes. They end when this value is dropped.
struct Others(Vec<Child>);

impl Others {
    fn start() -> Self {
        let program = std::env::current_exe().expect("this program");
        let other = || Command::new(&program).arg(COMPUTE).spawn();
        Others((0..OTHERS).map(|_| other().expect("a process")).collect())
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        for other in &mut self.0 {
            other.kill().and_then(|()| other.wait()).expect("its end");
        }
    }
}

/// Computes as long as the parent process exists.
fn compute() -> ! {
    // SAFETY: `getppid` has no preconditions.
    let parent = || unsafe { libc::getppid() };
    let starter = parent();
    let mut x = 1;
    while parent() == starter {
        x = black_box((0..10_000_000).fold(x, |a, x| a ^ spin(x)));
    }
    std::process::exit(0)
}

/// Pins each worker to its own CPU.
fn pin(index: usize) {
    // SAFETY: an all-zero set is valid, and the call only reads the local variable.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(index, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}

fn main() {
    let mut args = std::env::args().skip(1).peekable();
    if args.peek().is_some_and(|arg| arg == COMPUTE) {
        compute();
    }
    let rounds: usize = args
        .next()
        .map_or(5, |rounds| rounds.parse().expect("rounds"));
    let names: Vec<String> = args.collect();
    rayon::ThreadPoolBuilder::new()
        .start_handler(pin)
        .build_global()
        .expect("a pool");
    for (name, kernel) in kernels() {
        if !names.is_empty() && !names.iter().any(|asked| name.contains(asked.as_str())) {
            continue;
        }
        let busy = name == BUSY;
        let others = busy.then(Others::start);
        let mut times: Vec<u128> = (0..=rounds)
            .map(|_| {
                let time = || {
                    let since = Instant::now();
                    black_box(kernel());
                    since.elapsed().as_nanos()
                };
                if busy {
                    time()
                } else {
                    rayon::scope(|_| time())
                }
            })
            .skip(1)
            .collect();
        drop(others);
        times.sort_unstable();
        let typical = match busy {
            true => times.iter().sum::<u128>() / times.len() as u128,
            false => times[times.len() / 2],
        };
        println!("{name} {} {typical}", times[0]);
    }
}
