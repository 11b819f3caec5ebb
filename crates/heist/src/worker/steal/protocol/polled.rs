//! Private deques: the victim hands its oldest frame or task over to the thief that has asked.

use super::direct::{self, Direct, gives_tasks_first};
use super::{Rules, Search};
use crate::park::IdleHooks;
use crate::policy::Delivery;
use crate::task::Header;
use crate::worker::queue::job::Job;
use crate::worker::steal::direct_request::Answer;
use crate::worker::thread::WorkerThread;
use heist_deque::split::{Claim, SplitDeque};

#[derive(Clone, Copy)]
pub(super) struct Polled(pub Delivery);

impl Rules for Polled {
    fn acquire(self, thief: &WorkerThread, victim: &WorkerThread, floor: u32) -> Option<Job> {
        direct::acquire(self, thief, victim, floor)
    }

    fn request(self, thief: &WorkerThread, _: &mut Search) -> bool {
        direct::answer_waiting(thief);
        false
    }

    fn expects_answers(self, thief: &WorkerThread, _: &Search) -> bool {
        thief.pool().has_frames()
    }

    fn answer(self, victim: &WorkerThread) -> bool {
        direct::answer(self, victim)
    }

    fn answer_interrupting(self, victim: &WorkerThread) {
        if let Some(floor) = victim.direct_request.accept() {
            // SAFETY: the handler runs on the owner's thread: it gets the worker from that thread's words.
            match oldest(victim, floor, |deque| unsafe {
                deque.expose_interrupting(|_| 1)
            }) {
                Some(answer) => victim.direct_request.reply(answer),
                // The interrupted code holds a deque's lock, so the victim answers at its
                // next check.
                None => victim.direct_request.put_back(floor),
            }
        }
    }

    fn answer_waiting(self, victim: &WorkerThread) {
        direct::answer_waiting(victim);
    }
}

impl Direct for Polled {
    const REFUSES_IN_TURN: bool = false;

    fn delivery(self) -> Delivery {
        self.0
    }

    fn take(self, _: &WorkerThread, victim: &WorkerThread, _: u32) -> Answer {
        victim.direct_request.answer()
    }

    fn reply(self, victim: &WorkerThread, floor: u32) {
        // SAFETY: this is the owner's thread, because a victim replies on its own thread.
        let answer = oldest(victim, floor, |deque| unsafe { deque.expose(|_| 1) });
        victim
            .direct_request
            .reply(answer.unwrap_or(Answer::Nothing));
    }
}

/// Takes the oldest frame, if it is at `floor` or above, or, if `floor` is 0, the oldest task;
/// [`gives_tasks_first`] decides which comes first. `expose` makes one entry public, on the
/// owner's thread. Returns `None` if `expose` could not make an entry public.
fn oldest(
    victim: &WorkerThread,
    floor: u32,
    expose: impl Fn(&SplitDeque<Header>) -> u32,
) -> Option<Answer> {
    let frame = || {
        if !victim.forks.has_private() || victim.forks.head() < floor {
            return Some(Answer::Nothing);
        }
        if expose(&victim.forks) == 0 {
            return None;
        }
        Some(match victim.forks.claim(floor) {
            Claim::Taken(frame, index) => Answer::Frame(frame, index),
            _ => Answer::Nothing,
        })
    };
    let task = || {
        for deque in [&victim.tasks, &victim.ready] {
            if !deque.has_private() {
                continue;
            }
            if expose(deque) == 0 {
                return None;
            }
            if let Ok(batch) = deque.claim_batch(1) {
                let mut answer = Answer::Nothing;
                deque.read_batch(batch, |task| answer = Answer::Task(task));
                return Some(answer);
            }
        }
        Some(Answer::Nothing)
    };
    if floor > 0 {
        return frame();
    }
    let (first, second): (&dyn Fn() -> _, &dyn Fn() -> _) = if gives_tasks_first(victim, floor) {
        (&task, &frame)
    } else {
        (&frame, &task)
    };
    match first()? {
        Answer::Nothing => second(),
        answer => Some(answer),
    }
}
