//! Stress tests with many threads at full speed. The tests check that each item runs once, on a thread that sees the owner's writes.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::bench::{Bench, heavy};
use super::{Claim, Sharing};
use crate::trials::STRESS;

/// A limit on the time between the claim of a frame and the run of the frame. The system never preempts a thief for such a long time.
const LONG: Duration = Duration::from_secs(20);

/// A generator of random numbers of low quality, by linear congruences.
struct Random(u32);

impl Random {
    /// Returns true in one of `count` calls, on average.
    fn once_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    fn below(&mut self, count: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % count
    }
}

/// A unit of work. The owner writes the input before the push, and the thread that runs the unit writes the output. Both writes are plain
/// and not atomic.
struct Frame {
    input: UnsafeCell<u64>,
    output: UnsafeCell<u64>,
    runs: AtomicU8,
    done: AtomicBool,
}

// SAFETY: the deque promises that only one thread runs a frame. ThreadSanitizer and Miri check this promise.
unsafe impl Sync for Frame {}

impl Frame {
    fn new(input: u64) -> Self {
        Frame {
            input: UnsafeCell::new(input),
            output: UnsafeCell::new(0),
            runs: AtomicU8::new(0),
            done: AtomicBool::new(false),
        }
    }

    fn address(&self) -> *mut Frame {
        std::ptr::from_ref(self).cast_mut()
    }

    fn run(&self) {
        // SAFETY: only one thread takes the frame from the deque, and the owner wrote the input before the push.
        unsafe { *self.output.get() = *self.input.get() + 1 };
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.done.store(true, Ordering::Release);
    }

    fn wait(&self) {
        let since = Instant::now();
        while !self.done.load(Ordering::Acquire) {
            assert!(since.elapsed() < LONG, "claimed, and not run");
            thread::yield_now();
        }
    }

    fn check(&self) {
        assert_eq!(self.runs.load(Ordering::Relaxed), 1);
        // SAFETY: the frame's run happened before this call, so no thread writes the frame now.
        unsafe { assert_eq!(*self.output.get(), *self.input.get() + 1) };
    }
}

/// A guard that tells the thieves to end when it is dropped, even if the owner panics.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs an owner against thieves. Each thief calls `thief` until the owner is done and a call has reported that no item is left.
fn against<T>(
    thieves: u32,
    bench: &Bench<T>,
    thief: impl Fn(&Bench<T>, &mut Random) -> bool + Sync,
    owner: impl FnOnce(&Bench<T>),
) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for seed in 1..=thieves {
            let (thief, done) = (&thief, &done);
            scope.spawn(move || {
                let mut random = Random(seed);
                loop {
                    let last = done.load(Ordering::Acquire);
                    if !thief(bench, &mut random) {
                        if last {
                            return;
                        }
                        thread::yield_now();
                    }
                }
            });
        }
        let _end = End(&done);
        owner(bench);
    });
}

/// Tests forks and joins: frames come and go in the order of a stack, and the owner waits for each stolen frame before it reuses the slot.
fn fork_join(thieves: u32, sharing: Sharing) {
    fn tree(bench: &Bench<Frame>, depth: u32, asked: &AtomicU32, random: &mut Random) {
        if depth == 0 {
            return;
        }
        let frame = Frame::new(u64::from(depth));
        bench.push(frame.address());
        if asked.swap(0, Ordering::Relaxed) != 0 || random.once_in(64) {
            bench.expose_half();
        }
        tree(bench, depth - 1, asked, random);
        match bench.pop() {
            Some(own) => {
                assert!(std::ptr::eq(own, &frame));
                frame.run();
            }
            None => {
                // While the owner waits, it runs other frames above the stolen frame.
                if random.once_in(2) {
                    tree(bench, depth.min(3) - 1, asked, random);
                }
                frame.wait();
                // SAFETY: this is the owner, the thief is done, and the owner has popped all frames that it pushed since.
                unsafe { bench.deque.retire_stolen() };
            }
        }
        frame.check();
        tree(bench, depth - 1, asked, random);
    }

    let depth = if cfg!(miri) { 6 } else { 16 };
    let bench = Bench::new(64, sharing);
    let asked = AtomicU32::new(0);
    let thief = |bench: &Bench<Frame>, random: &mut Random| match bench.deque.claim(0) {
        Claim::Taken(frame, _) => {
            // SAFETY: the owner keeps the frame alive until it is done.
            unsafe { (*frame).run() };
            true
        }
        Claim::Lost => true,
        Claim::Empty if random.once_in(2) => {
            asked.store(1, Ordering::Relaxed);
            false
        }
        Claim::Empty => bench.deque.has_private() && bench.force(),
    };
    against(thieves, &bench, thief, |bench| {
        tree(bench, depth, &asked, &mut Random(99));
        assert_eq!(bench.deque.height(), 0);
    });
}

/// Tests tasks that thieves claim in batches: no thread waits for a single task, and the owner reuses slots that thieves have
/// read.
fn tasks(thieves: u32, sharing: Sharing) {
    let frames: Vec<_> = (0..STRESS as u64).map(Frame::new).collect();
    let bench = Bench::new(48, sharing);
    let thief = |bench: &Bench<Frame>, random: &mut Random| match bench
        .deque
        .claim_batch(random.below(9))
    {
        Ok(batch) => {
            // SAFETY: the frames outlive the threads, and only one thread gets each frame.
            bench
                .deque
                .read_batch(batch, |frame| unsafe { (*frame).run() });
            true
        }
        Err(true) => true,
        Err(false) => bench.deque.has_private() && random.once_in(8) && bench.force(),
    };
    against(thieves, &bench, thief, |bench| {
        let mut random = Random(99);
        let pop = || match bench.pop() {
            // SAFETY: the frames outlive the threads, and only one thread gets each frame.
            Some(frame) => unsafe { (*frame).run() },
            // Thieves have claimed all tasks, but may not have read all their slots.
            None => loop {
                // SAFETY: this is the owner, and all claims are batches.
                if unsafe { bench.deque.rewind_empty(0) } {
                    break;
                }
                thread::yield_now();
            },
        };
        for frame in &frames {
            if bench.deque.height() == bench.deque.capacity() {
                pop();
            }
            bench.push(frame.address());
            if random.once_in(16) {
                bench.expose_half();
            }
            if random.once_in(64) {
                for _ in 0..random.below(20).min(bench.deque.height()) {
                    if bench.deque.height() > 0 {
                        pop();
                    }
                }
            }
        }
        while bench.deque.height() > 0 {
            pop();
        }
    });
    for frame in &frames {
        frame.check();
    }
}

/// Runs an owner that pops each frame immediately after its push, against a thief that forces all the time. So both halves of the
/// asymmetric fence execute at the same time as often as possible.
fn duel(sharing: Sharing) {
    let rounds = if cfg!(miri) { 40 } else { 2 * STRESS as u64 };
    let frames: Vec<_> = (0..rounds).map(Frame::new).collect();
    let bench = Bench::new(2, sharing);
    let thief = |bench: &Bench<Frame>, _: &mut Random| {
        bench.force();
        match bench.deque.claim(0) {
            Claim::Taken(frame, _) => {
                // SAFETY: the frames outlive the threads, and only one thread gets each frame.
                unsafe { (*frame).run() };
                true
            }
            Claim::Lost => true,
            Claim::Empty => false,
        }
    };
    against(1, &bench, thief, |bench| {
        let finish = |frame: &Frame| match bench.pop() {
            Some(own) => {
                assert!(std::ptr::eq(own, frame));
                frame.run();
            }
            None => {
                frame.wait();
                // SAFETY: this is the owner, and the thief is done with the frame.
                unsafe { bench.deque.retire_stolen() };
            }
        };
        for pair in frames.chunks(2) {
            for frame in pair {
                bench.push(frame.address());
            }
            for frame in pair.iter().rev() {
                finish(frame);
            }
        }
    });
    for frame in &frames {
        frame.check();
    }
}

/// Runs many duels. In each duel the owner gains the fence between its pops while a thief forces.
fn gaining() {
    let rounds = if cfg!(miri) { 20 } else { 20_000 };
    let frames: Vec<_> = (0..3 * rounds).map(Frame::new).collect();
    let benches: Vec<_> = (0..rounds)
        .map(|_| Bench::<Frame>::new(2, Sharing::SplitLocked))
        .collect();
    let turn = AtomicU32::new(0);
    let whole = Bench::<Frame>::new(2, Sharing::SplitLocked);
    let thief = |_: &Bench<Frame>, _: &mut Random| {
        let bench = &benches[turn.load(Ordering::Acquire) as usize];
        bench.force();
        match bench.deque.claim(0) {
            Claim::Taken(frame, _) => {
                // SAFETY: the frames outlive the threads, and only one thread gets each frame.
                unsafe { (*frame).run() };
                true
            }
            Claim::Lost => true,
            Claim::Empty => false,
        }
    };
    against(1, &whole, thief, |_| {
        for (number, bench) in benches.iter().enumerate() {
            turn.store(number as u32, Ordering::Release);
            let finish = |frame: &Frame| match bench.pop() {
                Some(own) => {
                    assert!(std::ptr::eq(own, frame));
                    frame.run();
                }
                None => {
                    frame.wait();
                    // SAFETY: this is the owner, and the thief is done with the frame.
                    unsafe { bench.deque.retire_stolen() };
                }
            };
            let own = &frames[3 * number..][..3];
            bench.push(own[0].address());
            bench.push(own[1].address());
            // The owner gains the fence before, between, or after the pops of the first two frames.
            for (place, frame) in [&own[1], &own[0]].into_iter().enumerate() {
                if number % 3 == place {
                    bench.gain_fence();
                }
                finish(frame);
            }
            bench.gain_fence();
            bench.push(own[2].address());
            finish(&own[2]);
        }
    });
    for frame in &frames {
        frame.check();
    }
}

/// Runs `test` under every sharing mode.
fn modes(test: impl Fn(Sharing)) {
    if heavy::exists() {
        test(Sharing::Split);
    }
    test(Sharing::SplitLocked);
    test(Sharing::ChaseLev);
    test(Sharing::The);
}

#[test]
fn duel_of_fences() {
    modes(duel);
}

#[test]
fn duel_across_the_gain_of_the_fence() {
    if heavy::exists() {
        gaining();
    }
}

#[test]
fn fork_join_1_thief() {
    modes(|sharing| fork_join(1, sharing));
}

#[test]
fn fork_join_2_thieves() {
    modes(|sharing| fork_join(2, sharing));
}

#[test]
fn fork_join_3_thieves() {
    modes(|sharing| fork_join(3, sharing));
}

#[test]
fn tasks_1_thief() {
    modes(|sharing| tasks(1, sharing));
}

#[test]
fn tasks_2_thieves() {
    modes(|sharing| tasks(2, sharing));
}

#[test]
fn tasks_3_thieves() {
    modes(|sharing| tasks(3, sharing));
}
