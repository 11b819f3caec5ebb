//! The protocol in which the victim stands still while the thief takes its oldest frame.

use super::direct::{Direct, Wanted, gives_tasks_first};
use crate::policy::Delivery;
use crate::task::Header;
use crate::worker::steal::direct_request::Answer;
use crate::worker::steal::victim::share;
use crate::worker::thread::WorkerThread;
use heist_deque::split::{Claim, Forced, SplitDeque};
use std::hint::spin_loop;
use std::thread;

/// Number of rounds for which a victim that stands still spins before it yields its processor.
const STILL_SPINS: u32 = 4096;

#[derive(Clone, Copy)]
pub(super) struct StopVictim;

impl Direct for StopVictim {
    const REFUSES_IN_TURN: bool = true;

    fn delivery(self) -> Delivery {
        Delivery::Polling
    }

    /// Takes the oldest frame of a victim that stands still. If the thief can use tasks, makes the victim's tasks public instead in two
    /// cases: if there is no frame, and at every second request. (The caller takes the tasks after the release.)
    fn take(self, thief: &WorkerThread, victim: &WorkerThread, wanted: Wanted) -> Answer {
        let share = share(thief.amount);
        // SAFETY: the victim has answered that it stands still, and continues only after the release, which comes after this call. The
        // victim stands still in `answer_request`, and no method of a deque or of its words calls this function.
        let make_public = |deque: &SplitDeque<Header>| unsafe {
            deque.force_some(share, || ()) == Forced::Exposed
        };
        let tasks = || make_public(&victim.tasks) || make_public(&victim.ready);
        if gives_tasks_first(victim, wanted) && tasks() {
            return Answer::Nothing;
        }
        if make_public(&victim.forks) {
            if let Claim::Taken(frame, index) = victim.forks.claim(wanted.floor()) {
                return Answer::Frame(frame, index);
            }
        } else if wanted.is_any() {
            tasks();
        }
        Answer::Nothing
    }

    fn reply(self, victim: &WorkerThread, _: Wanted) {
        let mut rounds = 0_u32;
        victim.direct_request.stand_still(|| {
            rounds += 1;
            if rounds % STILL_SPINS == 0 {
                // The thief may have lost its processor, so the victim yields.
                thread::yield_now();
            } else {
                spin_loop();
            }
        });
    }

    /// Returns false, because the thieves of this protocol spin while they wait (Kumar and others, section 3.3).
    fn naps(self) -> bool {
        false
    }
}
