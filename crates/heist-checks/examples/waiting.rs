//! Measures the cost of waiting, for Heist and its rivals: the time of a suspension, the memory of a waiting task, and the time of a
//! barrier's rounds.
//!
//! ```text
//! cargo run --profile measure -p heist-checks --example waiting [-- PART ...] [--check]
//! ```
//!
//! The parts are `switch`, `memory`, `million`, `forms` and `rounds`. Without an argument, all parts run. The bar of a figure is the value
//! that we expect for it. With `--check` the program fails if a figure of memory is more than twice its bar. The program also fails if a
//! ratio to a rival in the same run is below a given fraction of the ratio's bar. The bars of a suspension are times on an idle machine. A
//! machine that is shared with other users may be half as fast an hour later. The check of a suspension therefore uses repeatable figures:
//! the instructions that valgrind counts, and the ratio to tokio's `yield_now`.

use heist::sync::{Barrier, Mode, Phaser, Semaphore};
use heist::{Fibers, Pool};
use heist_checks::instructions;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

/// The number of rounds of each measurement. The result of a measurement is the median of its rounds.
const ROUNDS: usize = 7;
/// The maximum number of measurements of a part. The check passes as soon as one measurement misses no bar.
const ATTEMPTS: u32 = 3;

/// The maximum number of instructions for a suspension and resumption by a yield, including the instructions of the task's loop.
const INSTRUCTIONS: [(&str, f64); 2] = [("async", 274.0), ("fiber", 398.0)];

fn main() {
    let mut parts: Vec<String> = std::env::args().skip(1).collect();
    if let [run, name, count] = &parts[..]
        && run == "run"
    {
        let yields = if name == "fiber" {
            yields_of_a_fiber
        } else {
            yields_of_a_task
        };
        yields(&pool(1), count.parse().unwrap_or(0));
        return;
    }
    let check = parts.iter().any(|part| part == "--check");
    parts.retain(|part| part != "--check");
    let all = parts.is_empty();
    let mut bars = Bars {
        check,
        missed: Vec::new(),
    };
    for (name, part) in [
        ("switch", switch as fn(&mut Bars)),
        ("memory", memory),
        ("million", million),
        ("forms", forms),
        ("rounds", rounds),
    ] {
        if all || parts.iter().any(|wanted| wanted == name) {
            // Repeat a part that has missed a bar, because other programs may have disturbed it.
            for attempt in 1..=ATTEMPTS {
                let before = bars.missed.len();
                part(&mut bars);
                if bars.missed.len() == before || attempt == ATTEMPTS {
                    break;
                }
                println!("once more: {}", bars.missed.split_off(before).join(", "));
            }
        }
    }
    if !bars.missed.is_empty() {
        eprintln!("far from the bar: {}", bars.missed.join(", "));
        std::process::exit(1);
    }
}

struct Bars {
    check: bool,
    missed: Vec<String>,
}

impl Bars {
    /// Prints a figure that should be at most `bar`. A figure above twice `bar` counts as a miss.
    fn at_most(&mut self, what: &str, value: f64, unit: &str, bar: f64) {
        println!("{what:<64} {value:>9.1} {unit} [{bar}]");
        if self.check && value > 2.0 * bar {
            self.missed.push(what.to_owned());
        }
    }

    /// Prints a number of instructions. A number above `limit` counts as a miss. `limit` does not depend on the machine.
    fn counted(&mut self, what: &str, value: f64, limit: f64) {
        println!("{what:<64} {value:>9.1} instructions (limit {limit})");
        if self.check && value > limit {
            self.missed.push(what.to_owned());
        }
    }

    /// Prints a ratio that should be at least `bar`. Only a ratio below `floor` counts as a miss, because the ratio is lower on machines
    /// where the transfer of a cache line between cores takes longer.
    fn at_least(&mut self, what: &str, value: f64, bar: f64, floor: f64) {
        println!("{what:<64} {value:>9.1} times [{bar}]");
        if self.check && value < floor {
            self.missed.push(what.to_owned());
        }
    }
}

fn pool(threads: usize) -> Pool {
    let builder = Pool::builder().threads(threads).pin(true);
    // SAFETY: the fibers of this program keep no value that belongs to a thread while they wait.
    match unsafe { builder.fibers(Fibers::new()) }.build() {
        Ok(pool) => pool,
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(1);
}

/// Suspends the task once, so that the scheduler queues it behind the tasks that are ready.
fn yield_now() -> impl Future<Output = ()> {
    let mut yielded = false;
    poll_fn(move |context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

/// Runs one async task that yields `count` times.
fn yields_of_a_task(pool: &Pool, count: u32) {
    let task = async move {
        for _ in 0..count {
            yield_now().await;
        }
    };
    pool.spawn_async(task).get();
}

/// Runs one fiber that yields `count` times.
fn yields_of_a_fiber(pool: &Pool, count: u32) {
    let task = move || {
        for _ in 0..count {
            heist::block_on(yield_now());
        }
    };
    pool.spawn_fiber(task).get();
}

/// Returns the median time of a run, divided by `count`, in nanoseconds.
fn nanoseconds(count: u32, mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed().as_nanos() as f64 / f64::from(count)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// Measures suspension and resumption on one worker: first by a yield, then between two tasks that wake each other alternately.
fn switch(bars: &mut Bars) {
    const COUNT: u32 = 1_000_000;
    let pool = pool(1);
    let several = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build();
    let single = tokio::runtime::Builder::new_current_thread().build();
    let (Ok(several), Ok(single)) = (several, single) else {
        fail("tokio's runtime does not start")
    };
    let yields_of_tokio = |runtime: &tokio::runtime::Runtime| {
        let task = runtime.spawn(async {
            for _ in 0..COUNT {
                tokio::task::yield_now().await;
            }
        });
        if runtime.block_on(task).is_err() {
            fail("a task of tokio's panicked");
        }
    };
    let names = [
        ("async task", " [20]"),
        ("fiber", " [25]"),
        ("tokio's task, runtime of several threads", ""),
        ("tokio's task, runtime of one thread", ""),
    ];
    let times = in_turn(&[
        &|| yields_of_a_task(&pool, COUNT),
        &|| yields_of_a_fiber(&pool, COUNT),
        &|| yields_of_tokio(&several),
        &|| yields_of_tokio(&single),
    ]);
    for ((name, bar), times) in names.iter().zip(&times) {
        let mut sorted = times.clone();
        sorted.sort_by(f64::total_cmp);
        println!(
            "{:<64} {:>9.1} ns{bar}",
            format!("{name}: suspend and resume (yield)"),
            sorted[ROUNDS / 2] * 1e9 / f64::from(COUNT)
        );
    }
    // The shorter of the rival's two times in each round.
    let best: Vec<f64> = times[2]
        .iter()
        .zip(&times[3])
        .map(|(a, b)| a.min(*b))
        .collect();
    for (which, name, bar) in [(0, "async", 4.0), (1, "fiber", 3.0)] {
        let what = format!("yield ({name}) faster than tokio's");
        bars.at_least(&what, median_ratio(&best, &times[which]), bar, bar / 2.0);
    }
    for (name, limit) in INSTRUCTIONS {
        match (instructions(name, 20_000), instructions(name, 10_000)) {
            (Ok(large), Ok(small)) => {
                let what = format!("yield ({name})");
                bars.counted(&what, (large - small) / 10_000.0, limit);
            }
            (Err(error), _) | (_, Err(error)) => fail(&error),
        }
    }

    let gates = || (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let time = nanoseconds(COUNT, || {
        let ((a, b), (c, d)) = both(gates());
        let ping = pool.spawn_async(async move {
            for _ in 0..COUNT / 2 {
                a.release(1);
                b.acquire_async(1).await.keep();
            }
        });
        let pong = pool.spawn_async(async move {
            for _ in 0..COUNT / 2 {
                c.acquire_async(1).await.keep();
                d.release(1);
            }
        });
        ping.get();
        pong.get();
    });
    println!(
        "{:<64} {time:>9.1} ns",
        "async task: a wait and a signal by semaphore"
    );
    let time = nanoseconds(COUNT, || {
        let ((a, b), (c, d)) = both(gates());
        let ping = pool.spawn_fiber(move || {
            for _ in 0..COUNT / 2 {
                a.release(1);
                b.acquire(1).keep();
            }
        });
        let pong = pool.spawn_fiber(move || {
            for _ in 0..COUNT / 2 {
                c.acquire(1).keep();
                d.release(1);
            }
        });
        ping.get();
        pong.get();
    });
    println!(
        "{:<64} {time:>9.1} ns",
        "fiber: a wait and a signal by semaphore"
    );
}

/// Returns the times of each contender, in seconds. Each round begins with a different contender.
fn in_turn(contenders: &[&dyn Fn()]) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); contenders.len()];
    for round in 0..ROUNDS {
        for which in 0..contenders.len() {
            let which = (which + round) % contenders.len();
            let began = Instant::now();
            contenders[which]();
            times[which].push(began.elapsed().as_secs_f64());
        }
    }
    times
}

/// Returns the median, over the rounds, of the ratio of one contender's time to another's.
fn median_ratio(of: &[f64], to: &[f64]) -> f64 {
    let mut ratios: Vec<f64> = of.iter().zip(to).map(|(of, to)| of / to).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn both<T: Clone>(pair: T) -> (T, T) {
    (pair.clone(), pair)
}

/// Returns the size of the resident memory in bytes, or 0 if the system does not report it.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0) * 4096
}

/// Waits until the given number of tasks are suspended.
fn until_suspended(pool: &Pool, before: u64, count: usize) {
    while pool.counters().suspensions - before < count as u64 {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Measures the resident memory of tasks that wait at one barrier. The memory of their handles is not counted.
fn memory_of<H>(
    pool: &Pool,
    count: usize,
    spawn: impl Fn(Arc<Barrier>) -> H,
) -> (f64, usize, Duration) {
    let barrier = Arc::new(Barrier::new(count + 1));
    let mut handles = Vec::with_capacity(count);
    // Write this memory before the measurement, so that it is resident.
    handles.resize_with(count, || None);
    let began = Instant::now();
    let (suspended, before) = (pool.counters().suspensions, resident());
    for handle in &mut handles {
        *handle = Some(spawn(Arc::clone(&barrier)));
    }
    until_suspended(pool, suspended, count);
    let after = resident();
    barrier.wait();
    drop(handles);
    let each = after.saturating_sub(before) as f64 / count as f64;
    (each, after, began.elapsed())
}

fn memory(bars: &mut Bars) {
    let pool = pool(2);
    let wait = |barrier: Arc<Barrier>| {
        pool.spawn_async(async move {
            barrier.wait_async().await;
        })
    };
    let (each, ..) = memory_of(&pool, 10_000, wait);
    bars.at_most("async task that waits, of 10,000", each, "B", 256.0);
    let wait = |barrier: Arc<Barrier>| {
        pool.spawn_fiber(move || {
            barrier.wait();
        })
    };
    let (each, ..) = memory_of(&pool, 10_000, wait);
    bars.at_most("fiber that waits, of 10,000", each, "B", 4608.0);
}

fn million(bars: &mut Bars) {
    const GIB: f64 = (1_u64 << 30) as f64;
    let tasks = pool(2);
    let wait = |barrier: Arc<Barrier>| {
        tasks.spawn_async(async move {
            barrier.wait_async().await;
        })
    };
    let (each, all, time) = memory_of(&tasks, 1_000_000, wait);
    println!(
        "{:<64} {each:>9.1} B, all in {:.2} s",
        "async task that waits, of 1,000,000",
        time.as_secs_f64()
    );
    bars.at_most("resident then", all as f64 / GIB, "GiB", 4.0);
    drop(tasks);
    let fibers = pool(2);
    let wait = |barrier: Arc<Barrier>| {
        fibers.spawn_fiber(move || {
            barrier.wait();
        })
    };
    let (each, all, time) = memory_of(&fibers, 200_000, wait);
    println!(
        "{:<64} {each:>9.1} B, all in {:.2} s",
        "fiber that waits, of 200,000",
        time.as_secs_f64()
    );
    bars.at_most("resident then", all as f64 / GIB, "GiB", 4.0);
}

/// Measures 10,000 tasks that wait at one barrier, on two workers, for every form of task.
fn forms(_: &mut Bars) {
    const COUNT: usize = 10_000;
    let suspending = pool(2);
    let say = |form: &str, began: Instant| {
        let time = began.elapsed().as_secs_f64() * 1e3;
        println!(
            "{:<64} {time:>9.1} ms",
            format!("{COUNT} tasks meet once: {form}")
        );
    };
    let barrier = Barrier::new(COUNT);
    let began = Instant::now();
    suspending.finish(|f| {
        for _ in 0..COUNT {
            f.spawn_async(async {
                barrier.wait_async().await;
            });
        }
    });
    say("async tasks", began);
    let began = Instant::now();
    suspending.finish(|f| {
        for _ in 0..COUNT {
            f.spawn_fiber(|| {
                barrier.wait();
            });
        }
    });
    say("fibers", began);
    let builder = Pool::builder().threads(2).spare_threads(COUNT + 10);
    let blocking = match builder.stack_size(128 << 10).build() {
        Ok(pool) => pool,
        Err(error) => fail(&error.to_string()),
    };
    let began = Instant::now();
    blocking.finish(|f| {
        for _ in 0..COUNT {
            f.spawn(|_| {
                barrier.wait();
            });
        }
    });
    say("closures on spare threads", began);
}

/// Measures rounds of 512 tasks on two workers. The contenders are a phaser, tokio's barrier, and threads.
fn rounds(bars: &mut Bars) {
    const TASKS: usize = 512;
    const PHASES: u32 = 100;
    let pool = pool(2);
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build();
    let Ok(tokio) = tokio else {
        fail("tokio's runtime does not start")
    };
    let phaser_async = || {
        let first = Phaser::new().register(Mode::SignalWait);
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let mut party = first.register(Mode::SignalWait);
                pool.spawn_async(async move {
                    for _ in 0..PHASES {
                        party.next_async().await;
                    }
                })
            })
            .collect();
        drop(first);
        for task in tasks {
            task.get();
        }
    };
    let phaser_fiber = || {
        let first = Phaser::new().register(Mode::SignalWait);
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let mut party = first.register(Mode::SignalWait);
                pool.spawn_fiber(move || {
                    for _ in 0..PHASES {
                        party.next();
                    }
                })
            })
            .collect();
        drop(first);
        for task in tasks {
            task.get();
        }
    };
    let tokio_barrier = || {
        let barrier = Arc::new(tokio::sync::Barrier::new(TASKS));
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let barrier = Arc::clone(&barrier);
                tokio.spawn(async move {
                    for _ in 0..PHASES {
                        barrier.wait().await;
                    }
                })
            })
            .collect();
        tokio.block_on(async {
            for task in tasks {
                if task.await.is_err() {
                    fail("a task of tokio's panicked");
                }
            }
        });
    };
    let threads = || {
        let barrier = std::sync::Barrier::new(TASKS);
        std::thread::scope(|scope| {
            for _ in 0..TASKS {
                scope.spawn(|| {
                    for _ in 0..PHASES {
                        barrier.wait();
                    }
                });
            }
        });
    };
    let contenders: [(&str, &dyn Fn()); 4] = [
        ("phaser, async tasks", &phaser_async),
        ("phaser, fibers", &phaser_fiber),
        ("tokio's barrier", &tokio_barrier),
        ("threads, std's barrier", &threads),
    ];
    let times = in_turn(&contenders.map(|(_, run)| run));
    let ratio = |of: usize, to: usize| median_ratio(&times[of], &times[to]);
    for (which, (name, _)) in contenders.iter().enumerate() {
        let mut sorted = times[which].clone();
        sorted.sort_by(f64::total_cmp);
        println!(
            "{:<64} {:>9.1} us",
            format!("a round of {TASKS}: {name}"),
            sorted[ROUNDS / 2] * 1e6 / f64::from(PHASES)
        );
    }
    bars.at_least(
        "phaser (async) faster than tokio's barrier",
        ratio(2, 0),
        3.0,
        0.75,
    );
    bars.at_least(
        "phaser (async) faster than threads",
        ratio(3, 0),
        20.0,
        10.0,
    );
    bars.at_least(
        "phaser (fibers) faster than tokio's barrier",
        ratio(2, 1),
        3.0,
        0.75,
    );
    bars.at_least(
        "phaser (fibers) faster than threads",
        ratio(3, 1),
        20.0,
        10.0,
    );
}
