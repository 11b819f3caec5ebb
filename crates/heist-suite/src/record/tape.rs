//! The fork-join context that records the events of a run, and the state of the recording.

use super::fit::Lengths;
use super::least::{FINE, Least};
use super::profile::Sums;
use super::{Recording, clock};
use crate::ctx::{Ctx, Finish};
use crate::preemptions::thread_time;
use heist_sim::{Builder, Dag};
use std::cell::RefCell;
use std::panic::Location;

/// The minimum number of ticks of a strand that the recording stores in the format for long times. No tick is longer than 2 ns, so strands
/// with fewer ticks take less than about half a millisecond.
const LONG_TICKS: u64 = 1 << 18;
/// The minimum length of strands that the recording checks for preemptions. The length is a tenth of a time slice of the system's
/// scheduler.
const LONG_PICOSECONDS: f64 = 300e6;
/// The difference between lengths that [`fit`] distinguishes, in picoseconds.
const STEP: u64 = 125;

/// The parts of a run that a recording keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keep {
    /// True to keep the program itself. The program takes 12 bytes for each fork.
    pub dag: bool,
    /// The burden (the cost of a steal) in nanoseconds, for a profile with work and span. If the burden is `None`, the recording keeps no
    /// profile.
    pub profile: Option<f64>,
    /// True if the runner always runs the same program with the same input. If this field is true, each strand counts with its shortest
    /// time in all runs so far, and the caller may call [`Runner::fit`](crate::Runner::fit).
    pub repeats: bool,
}

/// The state of a recording.
#[derive(Debug)]
pub(crate) struct Tape {
    builder: Option<Builder>,
    sums: Option<Sums>,
    /// The number of ticks that a reading of the clock takes.
    reading: u64,
    /// The time at which the book-keeping of the last event ended.
    last: u64,
    away: Away,
    least: Option<Least>,
}

/// Measures the time during which other programs had the CPU, because a strand does not include this time.
///
/// A preemption takes milliseconds. Reading a thread's CPU time is a system call, so the recording checks only long strands.
#[derive(Debug)]
struct Away {
    /// The minimum length of strands that are checked.
    long: u64,
    /// The duration of a tick in picoseconds.
    tick: f64,
    /// The time of the last reading of the thread's CPU time, in ticks, and the CPU time that was read, in nanoseconds.
    asked: (u64, u64),
}

impl Away {
    fn new(tick: f64) -> Self {
        Away {
            long: (LONG_PICOSECONDS / tick) as u64,
            tick,
            asked: Away::ask().unwrap_or_default(),
        }
    }

    /// Reads the thread's CPU time, and then the time in ticks. Returns both values, the ticks first. The ticks are read last, because a
    /// preemption may come at the end of the system call.
    fn ask() -> Option<(u64, u64)> {
        let time = thread_time()?;
        Some((clock::now(), time))
    }

    /// Returns the number of ticks in which this thread did not run, from the last call of [`ask`](Self::ask) to `now`.
    #[cold]
    fn ticks(&mut self, now: u64) -> u64 {
        let Some(asked) = Away::ask() else {
            return 0;
        };
        let time = asked.1;
        let (then, time_then) = std::mem::replace(&mut self.asked, asked);
        let passed = now.wrapping_sub(then) as f64;
        let ran = time.saturating_sub(time_then) as f64 * 1e3 / self.tick;
        (passed - ran).max(0.0) as u64
    }
}

/// The fork-join context that records. The runner that [`crate::Runner::recording`] makes uses this context, on one thread.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    tape: &'a RefCell<Tape>,
    /// The source location to which the recording attributes forks, if a helper function forks for its caller.
    place: Option<&'static Location<'static>>,
}

impl Tape {
    /// Runs `kernel` with a context that records. `least` has the times of earlier runs.
    pub(crate) fn record<R>(
        keep: Keep,
        least: &mut Least,
        kernel: impl FnOnce(Record<'_>) -> R,
    ) -> (R, Recording) {
        let rate = clock::Rate::start();
        let reading = clock::reading();
        while rate.elapsed_ms() < 5 {
            std::hint::spin_loop();
        }
        let tick = rate.picoseconds();
        let tape = RefCell::new(Tape {
            builder: keep.dag.then(|| Builder::with_room_from(LONG_TICKS)),
            sums: keep
                .profile
                .map(|burden| Sums::new((burden * 1e3 / tick) as u64 * FINE)),
            reading,
            last: 0,
            away: Away::new(tick),
            least: keep.repeats.then(|| std::mem::take(least).begin()),
        });
        let began = std::time::Instant::now();
        tape.borrow_mut().last = clock::now();
        let result = kernel(Record {
            tape: &tape,
            place: None,
        });
        let elapsed = began.elapsed().as_secs_f64();
        let mut tape = tape.into_inner();
        tape.strand(clock::now());
        if let Some(known) = tape.least {
            *least = known;
        }
        let tick = rate.picoseconds();
        let profile = tape
            .sums
            .as_mut()
            .map(|sums| sums.profile(tick * 1e-12 / FINE as f64));
        let dag = tape.builder.map(|builder| {
            builder
                .build()
                .and_then(|dag| dag.retime(|ticks| (ticks as f64 * tick) as u64))
        });
        let recording = Recording {
            dag: match dag {
                Some(Ok(dag)) => Some(dag),
                // The context closes each fork, task and scope that it opens, so the only possible error is a program of more than 4
                // billion words.
                Some(Err(_)) | None => None,
            },
            profile,
            elapsed,
            reading: reading as f64 * tick / 1e3,
            tick: tick * 1e-12,
        };
        (result, recording)
    }

    /// Ends the current strand.
    #[inline]
    fn strand(&mut self, now: u64) {
        let mut ticks = now.wrapping_sub(self.last);
        if ticks >= self.away.long {
            ticks -= self.away.ticks(now).min(ticks);
        }
        let mut fitted = None;
        if let Some(least) = &mut self.least {
            ticks = least.note(ticks);
            fitted = least.fitted(ticks);
        }
        if let Some(builder) = &mut self.builder {
            // Store the time without a correction, because `fit` corrects the time when the total is known.
            builder.strand(ticks);
        }
        if let Some(sums) = &mut self.sums {
            sums.strand(fitted.unwrap_or_else(|| ticks.saturating_sub(self.reading) * FINE));
        }
    }
}

impl Record<'_> {
    /// Records an event. The current strand ends at this call, and the next strand begins when this function returns.
    #[inline(always)]
    fn event(self, build: impl FnOnce(&mut Builder), sum: impl FnOnce(&mut Sums)) {
        let now = clock::now();
        let mut tape = self.tape.borrow_mut();
        tape.strand(now);
        if let Some(builder) = &mut tape.builder {
            build(builder);
        }
        if let Some(sums) = &mut tape.sums {
            sum(sums);
        }
        tape.last = clock::now();
    }
}

impl Ctx for Record<'_> {
    #[inline]
    #[track_caller]
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let place = self.place.unwrap_or(Location::caller());
        self.event(Builder::fork, |sums| sums.fork(place));
        let ra = a(self);
        self.event(Builder::next, Sums::next);
        let rb = b(self);
        self.event(Builder::join, Sums::join);
        (ra, rb)
    }

    #[inline]
    fn on_behalf_of(self, place: &'static Location<'static>) -> Self {
        Record {
            place: Some(place),
            ..self
        }
    }

    #[inline]
    fn on_its_own(self) -> Self {
        Record {
            place: None,
            ..self
        }
    }
}

impl Finish for Record<'_> {
    #[inline]
    #[track_caller]
    fn finish<F>(self, tasks: usize, task: &F)
    where
        F: Fn(usize) + Sync,
    {
        let place = Location::caller();
        self.event(Builder::open, |sums| sums.open(place));
        for i in 1..tasks {
            self.event(Builder::spawn, Sums::spawn);
            task(i);
            self.event(Builder::done, Sums::done);
        }
        task(0);
        self.event(Builder::close, Sums::close);
    }
}

/// Returns the program with its strands adjusted so that they add up to `work`.
pub(super) fn fit(dag: Dag, work: u64) -> Option<Dag> {
    let mut lengths = Lengths::new(STEP);
    dag.times(|time| lengths.add(time));
    let excess = lengths.excess(work);
    let dag = dag.retime(|time| time.saturating_sub(excess)).ok()?;
    let factor = work as f64 / dag.summary().work.max(1) as f64;
    dag.retime(|time| (time as f64 * factor).round() as u64)
        .ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{Keep, Least, Tape};
    use crate::ctx::Ctx;
    use std::hint::spin_loop;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    fn work(time: Duration) {
        let began = Instant::now();
        while began.elapsed() < time {
            spin_loop();
        }
    }

    /// The test sleeps in place of a preemption: the thread does not run during a sleep or a preemption.
    #[test]
    fn time_without_a_cpu_is_no_part_of_a_strand() {
        let keep = Keep {
            dag: true,
            profile: Some(0.0),
            repeats: false,
        };
        let ((), recording) = Tape::record(keep, &mut Least::default(), |record| {
            record.join(
                |_| {
                    work(Duration::from_millis(1));
                    sleep(Duration::from_millis(200));
                },
                |_| work(Duration::from_millis(1)),
            );
        });
        let profile = recording.profile.unwrap();
        assert!(profile.span < 0.1, "a span of {} s", profile.span);
        let span = recording.dag.unwrap().summary().span as f64 * 1e-12;
        assert!(span < 0.1, "a span of {span} s");
        // The strands in which the thread worked still count.
        assert!(profile.work > 0.0005, "work of {} s", profile.work);
    }
}
