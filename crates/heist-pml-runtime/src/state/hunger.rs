//! Requests for work by idle workers: how often the workers make requests, and how they wait between requests.
//!
//! A request rings the doorbell of a running worker (`protocol/doorbell.rs`). If this worker finds no fork to publish, it takes the ring
//! back, because a rung doorbell makes each of its polls slow. So an idle worker must repeat its request until some worker publishes a
//! fork. The idle worker repeats the request after a fraction of the time for which it has found no work. So workers start soon after a
//! short sequential phase, and a long phase costs few requests. Only one of several idle workers, the *scout*, makes requests at these
//! short intervals. The other idle workers nap for longer, because requests by all idle workers would slow the running worker.
//!
//! If stolen forks are short, each steal costs the victim more time than the thief saves. So a worker that is idle again soon after an
//! answer to its request pauses before its next request. (An answer is a fork that some worker publishes, so the answer also counts as
//! short if another worker has taken the fork.) The pause doubles after each short answer, and ends early if a worker publishes a fork.
//! After a longer time without a request, the worker asks without a pause.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::state::worker::Worker;
use crate::state::world::World;

/// Time for which an idle worker looks for an answer to its request before it naps.
const LOOK: Duration = Duration::from_micros(20);
/// The shortest and the longest nap.
const NAP: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(1));
/// The scout's nap is the time for which the scout has found no work, divided by this number, within the bounds of [`NAP`].
const PART: u32 = 32;

/// In programs of clones (Rainey, section 3.3.3), the first and the longest time for which an idle worker looks for an answer to a request.
/// The time doubles after each request without an answer. When the time has reached the longest time, the worker sleeps between requests.
const SPIN: (Duration, Duration) = (Duration::from_micros(4), Duration::from_micros(256));
/// The time from an answer to the worker's next request up to which the work that the worker got was too short to be worth its costs. A
/// steal takes one to two microseconds of the thief and of the victim.
const SHORT: Duration = Duration::from_micros(5);
/// The first pause after a short answer, and the longest pause of a worker while no other worker pauses. If several workers pause, their
/// longest pauses grow in proportion, so the victims get requests at the same rate.
const PAUSE: (Duration, Duration) = (Duration::from_micros(4), Duration::from_micros(64));
/// The longest pause, for any number of workers.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Length of a sleep between two requests.
const SLEEP: Duration = Duration::from_millis(2);

thread_local! {
    static WAIT: Cell<Wait> = const { Cell::new(Wait::NEWS) };
}

/// The state from which an idle worker computes how long it waits after its next request.
#[derive(Clone, Copy)]
struct Wait {
    /// In programs of clones, the time for which the worker looks for an answer.
    spin: Duration,
    /// In programs without clones, the time of the first request after the latest answer.
    since: Option<Instant>,
    /// The time of the latest answer, until the next request.
    answered: Option<Instant>,
    /// The latest pause before a request; zero after an answer that was not short.
    pause: Duration,
}

impl Wait {
    /// The state after an answer: a fork was published, or a strand can run again.
    const NEWS: Wait = Wait {
        spin: SPIN.0,
        since: None,
        answered: None,
        pause: Duration::ZERO,
    };

    /// Returns the state after an answer to a request with this state.
    fn after_answer(self) -> Wait {
        Wait {
            answered: Some(Instant::now()),
            pause: self.pause,
            ..Wait::NEWS
        }
    }
}

/// The place at which idle workers nap until a fork is published.
#[derive(Default)]
pub(crate) struct Hunger {
    naps: Mutex<()>,
    told: Condvar,
    napping: AtomicUsize,
    /// The number of workers that pause after short answers.
    pausing: AtomicUsize,
    /// Whether a worker naps as the scout.
    scouted: AtomicBool,
    /// Whether a program runs.
    busy: AtomicBool,
    /// Whether the forks of the program make tasks.
    clones: AtomicBool,
}

impl Hunger {
    /// Notes that a program begins, and whether its forks make tasks.
    pub(crate) fn begin(&self, clones: bool) {
        // Relaxed: see `ask`.
        self.clones.store(clones, Ordering::Relaxed);
        self.busy.store(true, Ordering::Relaxed);
    }

    /// Notes that the program has ended.
    pub(crate) fn end(&self) {
        // Relaxed: see `ask`.
        self.busy.store(false, Ordering::Relaxed);
    }

    /// Asks all running workers to publish forks, and waits for an answer for a limited time. Returns false if no program runs. If the
    /// program has threads, first calls `look`, which checks whether any strand can continue.
    pub(crate) fn ask(&self, world: &World, look: fn(&World)) -> bool {
        // Relaxed: a worker that sees this too late sleeps, and is woken by the broadcast in `Pool::run`.
        if !self.busy.load(Ordering::Relaxed) {
            // The next request belongs to another program, so the waits begin anew.
            WAIT.set(Wait::NEWS);
            return false;
        }
        world.assist();
        if world.threads.are_used() {
            look(world);
        }
        let count =
            || world.published.load(Ordering::Relaxed) + world.woken.load(Ordering::Relaxed);
        let before = count();
        let news = || count() != before;
        let mut wait = WAIT.get();
        let clones = self.clones.load(Ordering::Relaxed);
        if !clones && self.pause(&mut wait, &news) {
            WAIT.set(wait.after_answer());
            return true;
        }
        world.each_worker(|worker| {
            // SAFETY: workers stay until they are removed, and the fields are atomics.
            unsafe {
                (*worker).bell.wanted.store(1, Ordering::Relaxed);
                Worker::ring(worker);
            }
        });
        let time = if clones { wait.spin } else { LOOK };
        let began = Instant::now();
        while began.elapsed() < time {
            if news() {
                WAIT.set(wait.after_answer());
                return true;
            }
            std::hint::spin_loop();
        }
        if clones && wait.spin < SPIN.1 {
            wait.spin *= 2;
            WAIT.set(wait);
            return true;
        }
        let since = *wait.since.get_or_insert(began);
        // Relaxed: no data depends on the choice of the scout.
        let is_scout = !clones && !self.scouted.swap(true, Ordering::Relaxed);
        let rest = if clones {
            SLEEP
        } else if is_scout {
            (since.elapsed() / PART).clamp(NAP.0, NAP.1)
        } else {
            NAP.1
        };
        let guard = self.naps.lock().unwrap_or_else(PoisonError::into_inner);
        self.napping.fetch_add(1, Ordering::SeqCst);
        if !news() {
            let _ = self.told.wait_timeout(guard, rest);
        }
        self.napping.fetch_sub(1, Ordering::SeqCst);
        if is_scout {
            self.scouted.store(false, Ordering::Relaxed);
        }
        WAIT.set(if news() { wait.after_answer() } else { wait });
        true
    }

    /// Pauses if the latest answer was short. Returns true if a worker has published a fork meanwhile.
    fn pause(&self, wait: &mut Wait, news: &impl Fn() -> bool) -> bool {
        let Some(answered) = wait.answered.take() else {
            return false;
        };
        if answered.elapsed() > SHORT {
            wait.pause = Duration::ZERO;
            return false;
        }
        // Relaxed, here and below: the number is a hint.
        let others = self.pausing.fetch_add(1, Ordering::Relaxed);
        let most = PAUSE.1 * (others as u32 + 1);
        wait.pause = (wait.pause * 2).clamp(PAUSE.0, most.min(LONGEST_PAUSE));
        let began = Instant::now();
        let is_over = loop {
            if news() {
                break true;
            }
            let elapsed = began.elapsed();
            if elapsed >= wait.pause {
                break false;
            }
            if elapsed < LOOK {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        };
        self.pausing.fetch_sub(1, Ordering::Relaxed);
        is_over
    }

    /// Wakes napping workers after a fork was published.
    pub(crate) fn tell(&self) {
        if self.napping.load(Ordering::SeqCst) > 0 {
            drop(self.naps.lock().unwrap_or_else(PoisonError::into_inner));
            self.told.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_after_short_answers() {
        let hunger = Hunger::default();
        let short = || Wait::NEWS.after_answer().answered;
        let mut wait = Wait::NEWS;
        // Without an answer there is no pause.
        assert!(!hunger.pause(&mut wait, &|| true));
        assert_eq!(wait.pause, Duration::ZERO);
        for expected in [4, 8, 16, 32, 64, 64].map(Duration::from_micros) {
            let (before, began) = (wait.pause, Instant::now());
            // If this thread loses its processor after the answer, the answer seems long.
            loop {
                (wait.pause, wait.answered) = (before, short());
                assert!(!hunger.pause(&mut wait, &|| false));
                if !wait.pause.is_zero() {
                    break;
                }
            }
            assert_eq!(wait.pause, expected);
            assert!(began.elapsed() >= expected);
        }
        wait.answered = short();
        assert!(hunger.pause(&mut wait, &|| true) || wait.pause.is_zero());
        wait.answered = Instant::now().checked_sub(2 * SHORT);
        assert!(!hunger.pause(&mut wait, &|| true));
        assert_eq!(wait.pause, Duration::ZERO);
        assert_eq!(hunger.pausing.load(Ordering::Relaxed), 0);
    }
}
