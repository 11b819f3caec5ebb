//! The protocols in which a thief asks one victim for work, and waits for the answer.

use super::{Rules, Search};
use crate::park::IdleHooks;
use crate::policy::Delivery;
use crate::trace::EventKind;
use crate::worker::local::local;
use crate::worker::queue::job::Job;
use crate::worker::steal::direct_request::Answer;
use crate::worker::steal::signal;
use crate::worker::thread::WorkerThread;
use crate::worker::wait::join::pause;
use heist_deque::split::Claim;
use std::time::{Duration, Instant};

/// The time for which a thief waits for a victim that has private work. The time is limited, because the victim may run for long without a
/// check, while other workers have work.
const PATIENCE: Duration = Duration::from_micros(100);
/// Number of rounds between two looks at the clock.
const LOOKS: u32 = 32;

/// The work that a thief can use, as a number: 0 for any work, and otherwise 1 plus the minimum height of a frame. The number is part of
/// the request word's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wanted(pub u32);

impl Wanted {
    /// The number for any work. A thief whose stack is empty can use any frame and any task.
    const ANY: Wanted = Wanted(0);

    /// Returns the number for frames at `floor` or above, without tasks. A waiting thief requests such frames, because they descend from
    /// the frame for which it waits.
    fn frame(floor: u32) -> Self {
        Wanted(floor + 1)
    }

    pub(super) fn is_any(self) -> bool {
        self == Wanted::ANY
    }

    /// Returns the minimum height of a frame that the thief can use.
    pub(super) fn floor(self) -> u32 {
        self.0.saturating_sub(1)
    }
}

/// The differences between protocols in which a thief asks one victim.
pub(super) trait Direct: Copy {
    /// True if a worker must withdraw its own request before it answers another thief. Otherwise two workers could stand still for each
    /// other forever.
    const REFUSES_IN_TURN: bool;

    /// Returns the delivery to a victim that does not answer.
    fn delivery(self) -> Delivery;

    /// Takes the answer of a victim that has answered, or an entry of a victim that stands still.
    fn take(self, thief: &WorkerThread, victim: &WorkerThread, wanted: Wanted) -> Answer;

    /// Gives the victim's answer to a thief that has asked for `wanted`, or stands still for this thief. The victim's own thread calls this
    /// function.
    fn reply(self, victim: &WorkerThread, wanted: Wanted);

    /// Answers in a signal handler: see [`Rules::answer_interrupting`].
    fn reply_interrupting(self, _victim: &WorkerThread) {}

    /// See [`Rules::naps`].
    fn naps(self) -> bool;
}

/// The rules of a protocol in which a thief asks one victim.
#[derive(Clone, Copy)]
pub(super) struct Asking<D>(pub D);

impl<D: Direct> Rules for Asking<D> {
    fn acquire(self, thief: &WorkerThread, victim: &WorkerThread) -> Option<Job> {
        acquire(self.0, thief, victim, Wanted::ANY)
    }

    fn acquire_frame(self, thief: &WorkerThread, victim: &WorkerThread, floor: u32) -> Option<Job> {
        let forks = &victim.forks;
        let has_frame = forks.has_private() && forks.height() > floor && forks.head() >= floor;
        has_frame
            .then(|| acquire(self.0, thief, victim, Wanted::frame(floor)))
            .flatten()
    }

    fn after_vain_round(self, thief: &WorkerThread, _: &mut Search) -> bool {
        self.answer_waiting(thief);
        false
    }

    fn expects_answers(self, thief: &WorkerThread, _: &Search) -> bool {
        thief.pool().has_frames()
    }

    fn naps(self) -> bool {
        self.0.naps()
    }

    #[inline(never)]
    fn answer(self, victim: &WorkerThread) -> bool {
        if let Some(wanted) = victim.direct_request.accept() {
            victim.counters.direct_requests.add(1);
            self.0.reply(victim, Wanted(wanted));
        }
        victim.has_work()
    }

    fn answer_interrupting(self, victim: &WorkerThread) {
        self.0.reply_interrupting(victim);
    }

    fn answer_waiting(self, victim: &WorkerThread) {
        if victim.direct_request.is_asked() {
            victim.answer_request(local());
        }
    }
}

/// Asks a victim for the oldest frame or task that the thief can use (`wanted`). The wait ends when the victim has answered or has no
/// private work any more, and at the latest after the time [`PATIENCE`]. If the protocol has delivery by fence, the thief uses force after
/// its backoff time.
fn acquire<D: Direct>(
    rules: D,
    thief: &WorkerThread,
    victim: &WorkerThread,
    wanted: Wanted,
) -> Option<Job> {
    // A thief does not ask idle victims (Rainey, section 3.3.3).
    if !victim.has_private() {
        return None;
    }
    let began = thief.time();
    if !victim.direct_request.ask(wanted.0) {
        thief.counters.failed_steals.add(1);
        return None;
    }
    thief.counters.requests.add(1);
    let since = Instant::now();
    let mut insisted = false;
    let mut rounds = 0_u32;
    while !victim.direct_request.is_answered() {
        // The thief sets the request word again whenever the word is clear, because the victim may have cleared the word when it answered
        // another thief.
        if !victim.shared().is_requested() {
            victim.shared().ask();
        }
        // The victim, or a worker for which the victim waits, may have sent a request to this worker.
        if thief.direct_request.is_asked() {
            if D::REFUSES_IN_TURN && !victim.direct_request.withdraw(wanted.0) {
                // The victim has accepted the request, so its answer comes immediately.
                pause(1);
                continue;
            }
            thief.answer_waiting();
            if D::REFUSES_IN_TURN {
                thief.counters.failed_steals.add(1);
                return None;
            }
        }
        rounds += 1;
        pause(rounds);
        let elapsed = if rounds % LOOKS == 0 {
            since.elapsed()
        } else {
            Duration::ZERO
        };
        if elapsed > thief.as_thief.backoff.period() && !insisted {
            insisted = true;
            match rules.delivery() {
                Delivery::Signal if signal::send(victim) => {
                    thief.counters.signals.add(1);
                }
                Delivery::Fence if victim.direct_request.withdraw(wanted.0) => {
                    return take_by_force(thief, victim, wanted, began);
                }
                _ => {}
            }
        } else if (elapsed > PATIENCE || !victim.has_private())
            && victim.direct_request.withdraw(wanted.0)
        {
            thief.counters.failed_steals.add(1);
            return None;
        }
    }
    let answer = rules.take(thief, victim, wanted);
    // This worker releases the victim before any step in which this worker itself may stand still. Otherwise the two workers might wait for
    // each other.
    victim.direct_request.release();
    let job = match answer {
        // The tasks of a victim that stood still may be public now.
        Answer::Nothing if wanted.is_any() => thief.steal_any_tasks(victim),
        Answer::Nothing => None,
        Answer::Frame(frame, index) => Some(Job::Claimed {
            victim,
            index,
            frame,
        }),
        Answer::Task(task) => {
            thief.count_steals(1, true);
            thief.trace(EventKind::StoleTasks {
                victim: victim.id,
                count: 1,
            });
            Some(Job::Run(task))
        }
    };
    account(thief, victim, job, began)
}

/// Takes the oldest frame of a victim that did not answer, by force. If there is no frame, takes tasks, unless the thief can use only
/// frames.
fn take_by_force(
    thief: &WorkerThread,
    victim: &WorkerThread,
    wanted: Wanted,
    began: Option<u64>,
) -> Option<Job> {
    let mut job = None;
    if thief.force(victim, &victim.deques()) {
        job = match victim.forks.claim(wanted.floor()) {
            Claim::Taken(frame, index) => Some(Job::Claimed {
                victim,
                index,
                frame,
            }),
            _ if wanted.is_any() => thief.steal_any_tasks(victim),
            _ => None,
        };
    }
    account(thief, victim, job, began)
}

fn account(
    thief: &WorkerThread,
    victim: &WorkerThread,
    job: Option<Job>,
    began: Option<u64>,
) -> Option<Job> {
    if let Some(job) = &job {
        // Stolen tasks are counted in `steal_tasks`.
        if matches!(job, Job::Claimed { .. }) {
            thief.count_steals(1, true);
            thief.trace(EventKind::StoleFrame { victim: victim.id });
        }
        thief.latencies.add_since(began);
    } else {
        thief.counters.failed_steals.add(1);
    }
    job
}

/// Returns true if the victim should give a task rather than a frame in its next answer, if it has a task. Every second answer gives tasks
/// first, because otherwise a worker that forks all the time would never share its tasks. A thief that waits for a frame gets only frames.
pub(super) fn gives_tasks_first(victim: &WorkerThread, wanted: Wanted) -> bool {
    wanted.is_any() && victim.counters.direct_requests.get() % 2 == 0
}
