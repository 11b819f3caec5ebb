//! Measures the reaction time of a pool, and its cost while it has nothing to do.
//!
//! `cargo run --profile measure -p heist-suite --example latency`
//!
//! - *wake-up*, for comparison: from `unpark` on one CPU to the first instruction of a thread that slept on another CPU. The kernel takes
//!   this time, and no pool can wake a thread sooner. If the second CPU is a halted virtual CPU, the time includes the time in which the
//!   hypervisor resumes it;
//! - *ramp-up*: the time from a fork to the first instruction of the fork's right side on the second worker. The left side of this fork
//!   never forks again. The fork is the first operation of the closure that `install` runs, and `install` may already wake the second
//!   worker. So the program also measures *install to both*: the time from the call of `install` until both workers run;
//! - *submit*: the time from `install` on a thread outside of the pool to the first instruction of the closure, and the time of the
//!   whole round trip;
//! - *idle*: the processor time that a pool takes while nothing runs, and while one tiny join runs every 50 us. For comparison, the program
//!   also measures the processor time of a single thread that runs these joins.

use heist_suite::affinity::{allowed, confine_this_thread};
use std::hint::black_box;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const ROUNDS: usize = 2_001;

/// Returns the processor time of the whole process.
fn cpu_time() -> Duration {
    // The file `schedstat` of a process has only the time of its main thread, so add up the threads.
    let mut total = 0;
    if let Ok(tasks) = std::fs::read_dir("/proc/self/task") {
        for task in tasks.flatten() {
            let stat = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            total += stat
                .split_whitespace()
                .next()
                .and_then(|ns| ns.parse::<u64>().ok())
                .unwrap_or(0);
        }
    }
    Duration::from_nanos(total)
}

fn quantiles(name: &str, mut samples: Vec<f64>) {
    samples.sort_by(f64::total_cmp);
    let at = |q: f64| samples[((samples.len() - 1) as f64 * q) as usize];
    println!(
        "{name:<44} median {:7.2} us   10% {:7.2}   90% {:7.2}",
        at(0.5),
        at(0.1),
        at(0.9)
    );
}

/// Runs one join whose left side waits until the right side has begun. Returns two times, both until the right side begins: the time from
/// the fork, and the time from `called`.
fn ramp(called: Instant, join: impl Fn(&(dyn Fn() + Sync), &(dyn Fn() + Sync))) -> (f64, f64) {
    let before = called.elapsed().as_nanos() as f64 / 1e3;
    let start = Instant::now();
    let begun = AtomicU64::new(0);
    join(
        &|| {
            while begun.load(Ordering::Acquire) == 0 {
                std::hint::spin_loop();
            }
        },
        &|| begun.store(start.elapsed().as_nanos() as u64 + 1, Ordering::Release),
    );
    let after = begun.into_inner() as f64 / 1e3;
    (after, before + after)
}

fn submit(install: impl Fn(&(dyn Fn() + Sync))) -> (f64, f64) {
    let start = Instant::now();
    let begun = AtomicU64::new(0);
    install(&|| begun.store(start.elapsed().as_nanos() as u64, Ordering::Relaxed));
    let whole = start.elapsed().as_nanos() as f64 / 1e3;
    (begun.into_inner() as f64 / 1e3, whole)
}

/// Measures the time from `unpark` on the first CPU until the thread on the second CPU runs. The thread sleeps for `gap` us
/// before each `unpark`.
fn wake_up(cpus: [usize; 2], gap: u64) -> Vec<f64> {
    let pin = |at: usize| confine_this_thread(&[cpus[at]]).expect("an allowed CPU");
    let (rounds, start) = (301, Instant::now());
    let now = || start.elapsed().as_nanos() as u64;
    // The number of the round for which the waker has called; and the time at which the sleeper woke in this round, or 0 if it has not
    // woken yet.
    let (round, woken) = (&AtomicU64::new(0), &AtomicU64::new(0));
    std::thread::scope(|scope| {
        let sleeper = scope.spawn(move || {
            pin(1);
            for turn in 1..=rounds {
                while round.load(Ordering::Acquire) < turn {
                    std::thread::park();
                }
                woken.store(now(), Ordering::Release);
            }
        });
        let waker = scope.spawn(move || {
            pin(0);
            let wake = |turn| {
                std::thread::sleep(Duration::from_micros(gap));
                let called = now();
                round.store(turn, Ordering::Release);
                sleeper.thread().unpark();
                while woken.load(Ordering::Acquire) == 0 {
                    std::hint::spin_loop();
                }
                (woken.swap(0, Ordering::AcqRel) - called) as f64 / 1e3
            };
            (1..=rounds).map(wake).collect()
        });
        waker.join().expect("no panic")
    })
}

type Side<'a> = &'a (dyn Fn() + Sync);

fn measure(name: &str, install: &dyn Fn(Side<'_>), join: &(dyn Fn(Side<'_>, Side<'_>) + Sync)) {
    for gap in [0, 20, 200, 2_000] {
        let rounds = if gap > 1_000 { 301 } else { ROUNDS };
        let (fork, whole): (Vec<_>, Vec<_>) = (0..rounds)
            .map(|_| {
                let called = Instant::now();
                let sample = OnceLock::new();
                install(&|| sample.set(ramp(called, join)).expect("one sample"));
                std::thread::sleep(Duration::from_micros(gap));
                sample.into_inner().expect("a sample")
            })
            .unzip();
        quantiles(&format!("{name}: ramp-up, {gap} us between"), fork);
        quantiles(&format!("{name}: install to both, {gap} us between"), whole);
    }
    for gap in [0, 20, 200, 2_000] {
        let rounds = if gap > 1_000 { 301 } else { ROUNDS };
        let (begun, whole): (Vec<_>, Vec<_>) = (0..rounds)
            .map(|_| {
                let sample = submit(install);
                std::thread::sleep(Duration::from_micros(gap));
                sample
            })
            .unzip();
        quantiles(&format!("{name}: submit to start, {gap} us between"), begun);
        quantiles(&format!("{name}: submit and back, {gap} us between"), whole);
    }
}

fn idle(name: &str, install: &dyn Fn(&(dyn Fn() + Sync)), join: &(dyn Fn() + Sync)) {
    let share = |what: &str, run: &dyn Fn()| {
        std::thread::sleep(Duration::from_millis(50));
        let (cpu, wall) = (cpu_time(), Instant::now());
        run();
        let share = (cpu_time() - cpu).as_secs_f64() / wall.elapsed().as_secs_f64();
        println!("{name}: {what:<58} {:6.2}% of a core", share * 100.0);
    };
    let second = Duration::from_secs(2);
    share("idle", &|| std::thread::sleep(second));
    share("sleep 50 us, nothing else, on a worker", &|| {
        install(&|| every_50_us(second, &|| {}));
    });
    share("sleep 50 us and a tiny join, on a worker", &|| {
        install(&|| every_50_us(second, join));
    });
    share("spin 50 us, nothing else, on a worker", &|| {
        install(&|| spin_50_us(second, &|| {}));
    });
    share("spin 50 us and a tiny join, on a worker", &|| {
        install(&|| spin_50_us(second, join));
    });
    share("sleep 50 us, install nothing, from outside", &|| {
        every_50_us(second, &|| install(&|| {}));
    });
    share("sleep 50 us, install a tiny join, from outside", &|| {
        every_50_us(second, &|| install(&|| join()));
    });
}

fn every_50_us(time: Duration, run: &dyn Fn()) {
    let start = Instant::now();
    while start.elapsed() < time {
        run();
        std::thread::sleep(Duration::from_micros(50));
    }
}

fn spin_50_us(time: Duration, run: &dyn Fn()) {
    let start = Instant::now();
    let mut next = Duration::ZERO;
    while start.elapsed() < time {
        run();
        next += Duration::from_micros(50);
        while start.elapsed() < next {
            std::hint::spin_loop();
        }
    }
}

fn main() {
    // Measure this before there are pools, so that the CPUs are otherwise idle.
    let cpus = allowed().expect("the CPUs that are allowed");
    if let [first, second, ..] = cpus[..] {
        for gap in [20, 200, 2_000] {
            let name = format!("kernel: wake-up, {gap} us between");
            quantiles(&name, wake_up([first, second], gap));
        }
    }
    let heist = heist::Pool::builder()
        .threads(2)
        .pin(true)
        .build()
        .expect("a pool");
    let rayon = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .start_handler(move |index| {
            // Pin each worker to a CPU, as Heist's `pin` does.
            confine_this_thread(&[cpus[index % cpus.len()]]).expect("an allowed CPU");
        })
        .build()
        .expect("a pool");
    let on_heist: &dyn Fn(&(dyn Fn() + Sync)) = &|f| heist.install(f);
    let on_rayon: &dyn Fn(&(dyn Fn() + Sync)) = &|f| rayon.install(f);
    let before = heist.counters();
    measure("heist", on_heist, &|a, b| {
        heist::join(a, b);
    });
    println!("{:?}", heist.counters() - before);
    measure("rayon", on_rayon, &|a, b| {
        rayon::join(a, b);
    });
    idle("heist", on_heist, &|| {
        black_box(heist::join(|| 1, || 2));
    });
    idle("rayon", on_rayon, &|| {
        black_box(rayon::join(|| 1, || 2));
    });
}
