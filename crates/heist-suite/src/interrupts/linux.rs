//! Starts the threads of a measurement, and measures round trips through words in memory.

#![allow(
    clippy::missing_spin_loop,
    reason = "a hint would delay the end of what is measured"
)]

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::{Lap, Means, signals};
use crate::affinity::{allowed, confine_this_thread};

/// A word that has two cache lines to itself, because some processors fetch lines in pairs.
#[repr(align(128))]
pub(super) struct Word(pub(super) AtomicU64);

impl Word {
    pub(super) const fn new() -> Word {
        Word(AtomicU64::new(0))
    }
}

/// Returns the time of the clock that all CPUs share, in nanoseconds.
pub(super) fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writes, and the clock exists on every Linux, so the call fills it.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Calls `membarrier` with a command, which registers the process or executes a barrier in all its running threads.
fn barrier(command: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes only numbers, and accesses no memory of this process.
    match unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

pub(super) fn measure(means: Means, laps: usize) -> Result<Vec<Lap>, String> {
    let cpus =
        allowed().map_err(|error| format!("cannot learn which CPUs are allowed: {error}"))?;
    let &[one, other, ..] = cpus.as_slice() else {
        return Err(
            "two workers need a CPU each, and this process may use one: they would take turns, and a round trip would be a time slice"
                .to_owned(),
        );
    };
    if means == Means::Membarrier {
        barrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
            .map_err(|error| format!("the kernel has no private expedited membarrier: {error}"))?;
    }
    match means {
        Means::Poll => words(laps, [one, other], || ()),
        Means::Membarrier => words(laps, [one, other], || {
            // The process has registered for this barrier, so the call does not fail.
            let _ = barrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED);
        }),
        Means::Signal => signals::measure(laps, [one, other]),
    }
}

/// Runs `ask` in a thread on the first CPU, and `answer` in a thread on the second CPU. `answer` runs until `ask` has ended.
pub(super) fn pair<T: Send>(
    [one, other]: [usize; 2],
    answer: impl FnOnce(&AtomicBool) + Send,
    ask: impl FnOnce() -> T + Send,
) -> Result<T, String> {
    let over = AtomicBool::new(false);
    let over = &over;
    let pinned = |cpu: usize| {
        confine_this_thread(&[cpu]).map_err(|error| format!("cannot use CPU {cpu}: {error}"))
    };
    thread::scope(|scope| {
        let answering = scope.spawn(move || {
            let pinned = pinned(other);
            // Answer even if pinning failed, because the other thread waits for the answers.
            answer(over);
            pinned
        });
        let asking = scope.spawn(move || {
            let pinned = pinned(one);
            let asked = ask();
            // Relaxed: the flag publishes no other writes.
            over.store(true, Ordering::Relaxed);
            pinned.map(|()| asked)
        });
        let asked = asking.join().map_err(|_| "a thread has ended early")?;
        answering
            .join()
            .map_err(|_| "a thread has ended early")?
            .and(asked)
    })
}

/// Measures round trips through words that both threads poll. Each thread calls `barrier` after each of its stores.
fn words(laps: usize, cpus: [usize; 2], barrier: fn()) -> Result<Vec<Lap>, String> {
    let (request, answer, seen) = (Word::new(), Word::new(), Word::new());
    let (request, answer, seen) = (&request.0, &answer.0, &seen.0);
    let answering = |over: &AtomicBool| {
        let mut last = 0;
        // Relaxed: the flag publishes no other writes.
        while !over.load(Ordering::Relaxed) {
            // Acquire: pairs with the release of a request.
            let lap = request.load(Ordering::Acquire);
            if lap != last {
                last = lap;
                // Relaxed: the release of the answer below publishes it.
                seen.store(now(), Ordering::Relaxed);
                // Release: pairs with the acquire in the thread that asks, which then reads the time.
                answer.store(lap, Ordering::Release);
                barrier();
            }
        }
    };
    let asking = || {
        let lap = |lap: u64| {
            let begun = now();
            // Release: pairs with the acquire in the thread that answers.
            request.store(lap, Ordering::Release);
            barrier();
            let sent = now();
            // Acquire: pairs with the release of the answer.
            while answer.load(Ordering::Acquire) != lap {}
            let answered = now();
            Lap {
                sent: sent - begun,
                // Relaxed: the acquire of the answer orders the store of this time before this load.
                seen: seen.load(Ordering::Relaxed).saturating_sub(begun),
                answered: answered - begun,
            }
        };
        (1..=laps as u64).map(lap).collect()
    };
    pair(cpus, answering, asking)
}
