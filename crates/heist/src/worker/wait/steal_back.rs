//! Stealing back: a waiter takes descendants of the awaited frame from the workers that have these descendants.

use crate::task::Stolen;
use crate::trace::EventKind;
use crate::worker::queue::job::Job;
use crate::worker::steal::protocol::Repeat;
use crate::worker::thread::WorkerThread;
use heist_deque::split::Claim;
use std::thread;
use std::time::Instant;

/// The result of an attempt to steal back.
pub(in crate::worker) enum Lead {
    /// A descendant of the awaited frame, which the waiter must run.
    Job(Job),
    /// A thief has private frames that descend from the awaited frame, and the waiter has requested them.
    Warm,
    /// No descendant was found.
    Cold,
}

/// Maximum number of links from thief to thief that a waiter follows.
const LINKS: usize = 8;

impl WorkerThread {
    /// Tries to take a descendant of the worker's own stolen frame at `index`: from the frame's thief, or from the thieves of that thief's
    /// forks. The argument `asked` is the time of this wait's first request to the victim.
    pub(in crate::worker) fn steal_back(&self, index: u32, asked: &mut Option<Instant>) -> Lead {
        // A job on top of code that unwinds could not be cancelled, because the job's code would count as a destructor.
        if thread::panicking() {
            return Lead::Cold;
        }
        let _looking = self.pool().lookers.look();
        let mut owner = self;
        let mut place = index;
        let mut links: [Option<(&WorkerThread, u32, Stolen)>; LINKS] = [None; LINKS];
        // Follows the latest theft from thief to thief. The waiter reaches thieves deeper in the
        // chain when the nearer thieves finish.
        for link in 0..LINKS {
            let Some(stolen) = owner.record(place).stolen() else {
                return Lead::Cold;
            };
            links[link] = Some((owner, place, stolen));
            let thief = self.pool().victim(stolen.thief.into());
            let (Some(base), Some(thief)) = (stolen.base, thief) else {
                return Lead::Cold;
            };
            // The forks of a fiber on top of the thief's wait are not descendants of the stolen frame.
            if thief.id == self.id || thief.is_apart(base) {
                return Lead::Cold;
            }
            if let Some(job) = self.take_above(thief, base) {
                // The README ("What a waiter may run") explains why the waiter looks again after the claim, and looks at every link.
                let same = |&(owner, place, stolen): &(&WorkerThread, u32, Stolen)| {
                    let thief = self.pool().victim(stolen.thief.into());
                    owner.record(place).stolen() == Some(stolen)
                        && thief
                            .zip(stolen.base)
                            .is_some_and(|(thief, base)| !thief.is_apart(base))
                };
                if links.iter().flatten().all(same) {
                    self.counters.steal_backs.add(1);
                    return Lead::Job(job);
                }
                // This waiter claimed the frame too late. The frame does not descend from the awaited frame, so it must not run on this
                // stack.
                self.leave_to_others(job);
                return Lead::Cold;
            }
            if thief.forks.has_private() && thief.forks.height() > base {
                self.request_of(thief, &[&thief.forks], Repeat::WhenAnswered, asked);
                return Lead::Warm;
            }
            // Other thieves have stolen all forks of the stolen frame, if there are any. The deque cell below the thief's head belongs to
            // the latest of these thefts.
            let head = thief.forks.head();
            if head <= base {
                return Lead::Cold;
            }
            owner = thief;
            place = head - 1;
        }
        Lead::Cold
    }

    /// Puts a frame that must not run on this stack into the injector, for another worker. In a pool whose waiters keep their slots, there
    /// may never be a worker with an empty stack. So in such a pool the function gives the frame back to its forker, and the forker runs
    /// the frame at its join.
    fn leave_to_others(&self, job: Job) {
        match job {
            Job::Claimed { victim, index, .. } if self.wait_policy.keeps_slots() => {
                // SAFETY: workers live as long as the pool.
                unsafe { &*victim }.get_back(index);
            }
            job => self.pool().inject_job(job),
        }
    }

    /// Gives a frame back to this worker, its forker, because the worker that claimed the frame cannot run it.
    pub(in crate::worker) fn get_back(&self, index: u32) {
        if self.record(index).give_back() {
            self.thread.unpark();
        }
    }

    /// Takes the oldest frame of a thief's fork deque if this frame is at height `floor` or above.
    fn take_above(&self, thief: &WorkerThread, floor: u32) -> Option<Job> {
        if let Claim::Taken(frame, index) = thief.forks.claim(floor) {
            self.count_steals(1, true);
            self.trace(EventKind::StoleFrame { victim: thief.id });
            return Some(Job::Claimed {
                victim: thief,
                index,
                frame,
            });
        }
        self.acquire_frame(thief, floor)
    }
}
