//! Runs billions of operations on every deque, and accounts for every item.
//!
//! `cargo run --profile measure -p heist-deque --example deque_stress -- [OPERATIONS] [DEQUE] [THREADS]`
//!
//! The program executes the given number of operations (default 10^9) on each deque, or only on the named deque. The program divides the
//! operations among runs with 1, 2, 3 and 8 threads, or does one run with the given number of threads. One thread is the owner, and all
//! other threads are thieves. An operation is a push, or a pop or steal that got an item. An item has six words, each of which contains the
//! item's number. The owner pushes items in bursts of random lengths. The program ends with one line and exit code 1 if an item is lost,
//! torn, or from an earlier epoch. It also does so if a deque with exactly-once delivery returns an item twice. A table shows the speed,
//! and how many items left the deque once, twice or more often. The work is divided into epochs of up to a million items, so that memory
//! stays bounded: each thread needs one byte for each item of an epoch. Every eighth epoch has a new deque, which has to grow. All
//! remaining epochs share one deque, so that tags and indices become large. A watchdog aborts when there is no progress for a minute, so
//! that a core dump or a debugger shows where the program hangs.

use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use heist_deque::{
    AtLeastOnce, ExactlyOnce, Owner, Steal, Thief, chase_lev, cilk5, double_ended, fifo, lifo,
    private,
};

/// The number of items of an epoch.
const EPOCH: u64 = 1 << 20;

/// Returns the next number of a splitmix64 generator, so that all runs have the same bursts.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// An item of six words, with padding. The first two fields determine all other fields.
#[derive(Clone, Copy, PartialEq)]
struct Parcel {
    epoch: u32,
    number: u32,
    words: [u64; 4],
    check: u8,
}

heist_deque::item!(Parcel {
    epoch,
    number,
    words,
    check
});

impl Parcel {
    fn of(epoch: u32, number: u32) -> Self {
        let mut seed = u64::from(epoch) << 32 | u64::from(number);
        let first = next(&mut seed);
        Parcel {
            epoch,
            number,
            words: std::array::from_fn(|nth| first.rotate_left(16 * nth as u32)),
            check: first as u8,
        }
    }
}

/// The deque and the number of threads of a run.
#[derive(Clone, Copy)]
struct Run {
    deque: &'static str,
    once: bool,
    threads: usize,
}

impl Run {
    /// Ends the program with one line about the fault.
    fn fail(self, epoch: u32, what: &str) -> ! {
        static FAILED: AtomicBool = AtomicBool::new(false);
        if FAILED.swap(true, Ordering::Relaxed) {
            // Another thread is about to end the program.
            loop {
                thread::park();
            }
        }
        let Run { deque, threads, .. } = self;
        eprintln!("deque_stress: {deque}, {threads} threads, epoch {epoch}: {what}");
        exit(1);
    }
}

/// A counter that threads increment when they make progress.
static PROGRESS: AtomicU64 = AtomicU64::new(0);

/// The counts of one thread: how often it got each item of the epoch, and how many of its attempts failed.
struct Tally {
    /// Only this thread writes these counts, so a count needs no read-modify-write. All threads read the counts after the epoch.
    counts: Vec<AtomicU8>,
    taken: AtomicU64,
    failed: AtomicU64,
}

impl Tally {
    fn new(items: u64) -> Self {
        Tally {
            counts: (0..items).map(|_| AtomicU8::new(0)).collect(),
            taken: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        }
    }

    fn bump(word: &AtomicU64) {
        word.store(word.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    fn take(&self, run: Run, epoch: u32, parcel: Parcel) {
        if parcel != Parcel::of(parcel.epoch, parcel.number) {
            run.fail(epoch, "an item is torn");
        }
        let count = match self.counts.get(parcel.number as usize) {
            Some(count) if parcel.epoch == epoch => count,
            _ => run.fail(
                epoch,
                &format!("item {} of epoch {}", parcel.number, parcel.epoch),
            ),
        };
        count.store(
            count.load(Ordering::Relaxed).saturating_add(1),
            Ordering::Relaxed,
        );
        Self::bump(&self.taken);
    }
}

/// The counts of operations and items of one run, and the run's time.
#[derive(Default)]
struct Totals {
    operations: u64,
    stolen: u64,
    failed: u64,
    /// The numbers of items that the threads got once, twice, three times, or more often.
    times: [u64; 4],
    /// The number of times that the threads got the most frequent item.
    most: u32,
    elapsed: Duration,
}

/// Runs one epoch: the owner pushes `items` items, and the threads take all of them.
fn epoch<O>(run: Run, owner: &mut O, epoch: u32, items: u64, seed: &mut u64, totals: &mut Totals)
where
    O: Owner<Item = Parcel>,
    O::Thief: Send,
{
    let tallies: Vec<Tally> = (0..run.threads).map(|_| Tally::new(items)).collect();
    let (mine, thieves) = tallies.split_first().expect("at least one thread");
    let (pushed_all, ended) = (AtomicBool::new(false), AtomicUsize::new(0));
    let start = Instant::now();
    thread::scope(|scope| {
        for tally in thieves {
            let (thief, pushed_all, ended) = (owner.thief(), &pushed_all, &ended);
            scope.spawn(move || {
                loop {
                    // Read `pushed_all` before the attempt: only an attempt after the last push can show that no item is left.
                    let last = pushed_all.load(Ordering::Acquire);
                    match thief.steal() {
                        Steal::Success(parcel) => tally.take(run, epoch, parcel),
                        Steal::Empty if last => break,
                        Steal::Empty => {
                            Tally::bump(&tally.failed);
                            thread::yield_now();
                        }
                        Steal::Retry => Tally::bump(&tally.failed),
                    }
                }
                ended.fetch_add(1, Ordering::Release);
            });
        }
        push_and_pop(run, owner, epoch, items, seed, mine);
        pushed_all.store(true, Ordering::Release);
        while ended.load(Ordering::Acquire) < thieves.len() {
            // At this point the owner answers thieves, if its protocol requires answers.
            if let Some(parcel) = owner.pop() {
                mine.take(run, epoch, parcel);
            }
        }
    });
    totals.elapsed += start.elapsed();
    totals.operations += items;
    for tally in &tallies {
        totals.operations += tally.taken.load(Ordering::Relaxed);
        totals.failed += tally.failed.load(Ordering::Relaxed);
    }
    for tally in thieves {
        totals.stolen += tally.taken.load(Ordering::Relaxed);
    }
    for number in 0..items as usize {
        let times: u32 = tallies
            .iter()
            .map(|tally| u32::from(tally.counts[number].load(Ordering::Relaxed)))
            .sum();
        if times == 0 {
            run.fail(epoch, &format!("item {number} of {items} is lost"));
        }
        if run.once && times > 1 {
            run.fail(epoch, &format!("item {number} came {times} times"));
        }
        totals.times[(times as usize - 1).min(3)] += 1;
        totals.most = totals.most.max(times);
    }
}

/// Runs the owner's part: bursts of pushes, of all lengths. A burst of pops follows each burst of pushes.
fn push_and_pop<O: Owner<Item = Parcel>>(
    run: Run,
    owner: &mut O,
    epoch: u32,
    items: u64,
    seed: &mut u64,
    tally: &Tally,
) {
    let mut number = 0;
    while number < items {
        PROGRESS.fetch_add(1, Ordering::Relaxed);
        let random = next(seed);
        let burst = match random % 4096 {
            // About once in one or two epochs, push more items than the thieves of `double_ended`
            // can reach.
            0 => 400_000,
            1..16 => 5_000,
            16..1024 => 64,
            _ => 4,
        };
        for _ in 0..(random >> 12) % (burst + 1) {
            if number < items {
                owner.push(Parcel::of(epoch, number as u32));
                number += 1;
            }
        }
        for _ in 0..(random >> 38) % (burst + 1) {
            if let Some(parcel) = owner.pop() {
                tally.take(run, epoch, parcel);
            }
        }
    }
    while let Some(parcel) = owner.pop() {
        tally.take(run, epoch, parcel);
    }
}

fn stress<O>(run: Run, operations: u64)
where
    O: Owner<Item = Parcel> + Default,
    O::Thief: Send,
{
    let mut totals = Totals::default();
    let mut seed = 0;
    let mut lasting = O::default();
    let mut number = 0;
    while totals.operations < operations {
        number += 1;
        // Count a push and at least one operation that gets the item.
        let items = EPOCH.min((operations - totals.operations).div_ceil(2));
        let mut own = (number % 8 == 1).then(O::default);
        let owner = own.as_mut().unwrap_or(&mut lasting);
        epoch(run, owner, number, items, &mut seed, &mut totals);
    }
    let Totals {
        operations,
        stolen,
        failed,
        times: [one, two, three, more],
        most,
        elapsed,
    } = totals;
    let rate = operations as f64 / elapsed.as_secs_f64() / 1e6;
    let Run { deque, threads, .. } = run;
    println!(
        "{deque:<26}{threads:>8}{operations:>13}{rate:>9.2}{stolen:>12}{failed:>13}\
         {one:>12}{two:>10}{three:>9}{more:>8}{most:>7}"
    );
}

type Stress = fn(Run, u64);

/// The name of a deque, a flag that is true if each item leaves once, and the function that runs an epoch.
#[rustfmt::skip] // One line each.
const DEQUES: [(&str, bool, Stress); 9] = [
    ("lifo", false, stress::<lifo::Owner<Parcel, AtLeastOnce>>),
    ("lifo-exactly-once", true, stress::<lifo::Owner<Parcel, ExactlyOnce>>),
    ("fifo", false, stress::<fifo::Owner<Parcel, AtLeastOnce>>),
    ("fifo-exactly-once", true, stress::<fifo::Owner<Parcel, ExactlyOnce>>),
    ("double-ended", false, stress::<double_ended::Owner<Parcel, AtLeastOnce>>),
    ("double-ended-exactly-once", true, stress::<double_ended::Owner<Parcel, ExactlyOnce>>),
    ("chase-lev", true, stress::<chase_lev::Owner<Parcel>>),
    ("the", true, stress::<cilk5::Owner<Parcel>>),
    ("private", true, stress::<private::Owner<Parcel>>),
];

/// Prints the usage, and ends the program.
fn usage(wrong: &str) -> ! {
    let names = DEQUES.map(|(name, ..)| name).join(", ");
    eprintln!(
        "deque_stress: {wrong}. Use: deque_stress [OPERATIONS] [DEQUE] [THREADS], with DEQUE one of {names}"
    );
    exit(2);
}

/// Aborts when there is no progress for a minute.
fn watch() {
    let mut last = (PROGRESS.load(Ordering::Relaxed), Instant::now());
    loop {
        thread::sleep(Duration::from_secs(1));
        let now = PROGRESS.load(Ordering::Relaxed);
        if now != last.0 {
            last = (now, Instant::now());
        } else if last.1.elapsed() > Duration::from_secs(60) {
            eprintln!("deque_stress: nothing has moved for a minute");
            std::process::abort();
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.len() > 3 {
        usage("too many arguments");
    }
    let operations: u64 = match arguments.first().map(|text| text.parse()) {
        None => 1_000_000_000,
        Some(Ok(operations)) if operations > 0 => operations,
        Some(_) => usage(&format!("`{}` is not a number of operations", arguments[0])),
    };
    let named = arguments.get(1);
    if let Some(wrong) = named.filter(|name| DEQUES.iter().all(|(known, ..)| known != name)) {
        usage(&format!("there is no deque `{wrong}`"));
    }
    let threads = match arguments.get(2).map(|text| text.parse()) {
        None => vec![1, 2, 3, 8],
        Some(Ok(threads)) if (1..=64).contains(&threads) => vec![threads],
        Some(_) => usage(&format!(
            "`{}` is not a number of threads from 1 to 64",
            arguments[2]
        )),
    };
    thread::spawn(watch);
    println!(
        "{:<26}{:>8}{:>13}{:>9}{:>12}{:>13}{:>12}{:>10}{:>9}{:>8}{:>7}",
        "deque",
        "threads",
        "operations",
        "10^6/s",
        "stolen",
        "failed",
        "once",
        "twice",
        "3 times",
        "more",
        "most"
    );
    for (deque, once, stress) in DEQUES {
        if named.is_some_and(|name| name != deque) {
            continue;
        }
        for &count in &threads {
            let run = Run {
                deque,
                once,
                threads: count,
            };
            stress(run, operations.div_ceil(threads.len() as u64));
        }
    }
}
