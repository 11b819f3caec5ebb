//! Asks one victim for work, and waits for the answer.

use crate::policy::{Delivery, Protocol};
use crate::task::Header;
use crate::trace::EventKind;
use crate::worker::queue::job::Job;
use crate::worker::steal::direct_request::Answer;
use crate::worker::steal::signal;
use crate::worker::steal::victim::share;
use crate::worker::thread::WorkerThread;
use heist_deque::split::{Claim, Forced, SplitDeque};
use std::time::{Duration, Instant};

/// The time for which a thief waits for a victim that has private work. The limit exists because the victim may
/// be in a long leaf, while other workers have work.
const PATIENCE: Duration = Duration::from_micros(100);
/// Number of rounds between two looks at the clock.
const LOOKS: u32 = 32;

impl WorkerThread {
    /// Asks a victim for its oldest frame at `floor` or above, and waits until the victim has answered or has no such
    /// frame any more.
    pub(in crate::worker) fn request_directly(
        &self,
        victim: &WorkerThread,
        floor: u32,
    ) -> Option<Job> {
        // A thief does not ask idle victims (Rainey, section 3.3.3).
        if !victim.has_private() {
            return None;
        }
        let began = self.time();
        if !victim.direct_request.ask(floor) {
            self.counters.failed_steals.add(1);
            return None;
        }
        self.counters.requests.add(1);
        let since = Instant::now();
        let mut insisted = false;
        let mut rounds = 0_u32;
        while !victim.direct_request.is_answered() {
            // The thief sets the request word again whenever it is clear, because the victim may have cleared it
            // when it answered another thief.
            if !victim.shared().is_requested() {
                victim.shared().ask();
            }
            // The victim, or a worker for which it waits, may ask this worker in turn. A worker that stands still must
            // have no request of its own: two workers that stand still for each other would do so forever.
            if self.direct_request.is_asked() {
                if self.protocol == Protocol::StopVictim && !victim.direct_request.withdraw(floor) {
                    // The answer comes immediately.
                    crate::worker::wait::join::pause(1);
                    continue;
                }
                self.attend_waiting();
                if self.protocol == Protocol::StopVictim {
                    self.counters.failed_steals.add(1);
                    return None;
                }
            }
            rounds += 1;
            crate::worker::wait::join::pause(rounds);
            let elapsed = if rounds % LOOKS == 0 {
                since.elapsed()
            } else {
                Duration::ZERO
            };
            if elapsed > self.backoff.period() && !insisted {
                insisted = true;
                match self.protocol.delivery() {
                    Some(Delivery::Signal) if signal::send(victim) => {
                        self.counters.signals.add(1);
                    }
                    Some(Delivery::Fence) if victim.direct_request.withdraw(floor) => {
                        return self.take_by_force(victim, floor, began);
                    }
                    _ => {}
                }
            } else if (elapsed > PATIENCE || !victim.has_private())
                && victim.direct_request.withdraw(floor)
            {
                self.counters.failed_steals.add(1);
                return None;
            }
        }
        let answer = match self.protocol {
            Protocol::StopVictim => self.take_from_still(victim, floor),
            _ => victim.direct_request.answer(),
        };
        // The release comes before any step that may make this worker stand still in turn: otherwise the two workers
        // might wait for each other.
        victim.direct_request.release();
        let job = match answer {
            // The tasks of a victim that stood still may be public now.
            Answer::Nothing if floor == 0 => self.steal_any_tasks(victim),
            Answer::Nothing => None,
            Answer::Frame(frame, index) => Some(Job::Claimed {
                victim,
                index,
                frame,
            }),
            Answer::Task(task) => {
                self.count_steals(1, true);
                self.trace(EventKind::StoleTasks {
                    victim: victim.id,
                    count: 1,
                });
                Some(Job::Run(task))
            }
        };
        self.account(victim, job, began)
    }

    /// Takes the oldest frame of a victim that stands still, or makes the victim's tasks public.
    fn take_from_still(&self, victim: &WorkerThread, floor: u32) -> Answer {
        let share = share(self.amount);
        // SAFETY: the victim has answered that it stands still, and continues only after the release.
        let make_public = |deque: &SplitDeque<Header>| unsafe {
            deque.force_some(share, || ()) == Forced::Exposed
        };
        let tasks = || make_public(&victim.tasks) || make_public(&victim.ready);
        if victim.gives_tasks_first(floor) && tasks() {
            return Answer::Nothing;
        }
        if make_public(&victim.forks) {
            if let Claim::Taken(frame, index) = victim.forks.claim(floor) {
                return Answer::Frame(frame, index);
            }
        } else if floor == 0 {
            tasks();
        }
        Answer::Nothing
    }

    /// Takes the oldest frame of a victim that did not answer.
    fn take_by_force(&self, victim: &WorkerThread, floor: u32, began: Option<u64>) -> Option<Job> {
        let mut job = None;
        if self.force(victim, &victim.deques()) {
            job = match victim.forks.claim(floor) {
                Claim::Taken(frame, index) => Some(Job::Claimed {
                    victim,
                    index,
                    frame,
                }),
                _ if floor == 0 => self.steal_any_tasks(victim),
                _ => None,
            };
        }
        self.account(victim, job, began)
    }

    fn account(&self, victim: &WorkerThread, job: Option<Job>, began: Option<u64>) -> Option<Job> {
        if let Some(job) = &job {
            // Stolen tasks are counted in `steal_tasks`.
            if matches!(job, Job::Claimed { .. }) {
                self.count_steals(1, true);
                self.trace(EventKind::StoleFrame { victim: victim.id });
            }
            self.latencies.add_since(began);
        } else {
            self.counters.failed_steals.add(1);
        }
        job
    }
}
