//! Private deques: the victim hands its oldest frame or task over to the thief that has asked.

use super::direct::{Direct, Wanted, gives_tasks_first};
use crate::policy::Delivery;
use crate::task::Header;
use crate::worker::steal::direct_request::Answer;
use crate::worker::thread::WorkerThread;
use heist_deque::split::{Claim, SplitDeque};

#[derive(Clone, Copy)]
pub(super) struct Polled(pub Delivery);

impl Direct for Polled {
    const REFUSES_IN_TURN: bool = false;

    fn delivery(self) -> Delivery {
        self.0
    }

    fn take(self, _: &WorkerThread, victim: &WorkerThread, _: Wanted) -> Answer {
        victim.direct_request.answer()
    }

    fn reply(self, victim: &WorkerThread, wanted: Wanted) {
        // SAFETY: this is the owner's thread, because a victim replies on its own thread.
        let answer = oldest(victim, wanted, |deque| unsafe { deque.expose(|_| 1) });
        victim
            .direct_request
            .reply(answer.unwrap_or(Answer::Nothing));
    }

    fn reply_interrupting(self, victim: &WorkerThread) {
        if let Some(wanted) = victim.direct_request.accept() {
            // SAFETY: the handler runs on the owner's thread: it gets the worker from that thread's words.
            match oldest(victim, Wanted(wanted), |deque| unsafe {
                deque.expose_interrupting(|_| 1)
            }) {
                Some(answer) => victim.direct_request.reply(answer),
                // The interrupted code holds a deque's lock, so the victim answers at its
                // next check.
                None => victim.direct_request.put_back(wanted),
            }
        }
    }

    fn naps(self) -> bool {
        true
    }
}

/// Takes the oldest frame or the oldest task that the thief can use. [`gives_tasks_first`] decides whether a frame or a task comes first.
/// The argument `expose` makes one entry public, on the owner's thread. Returns `None` if `expose` could not make an entry public.
fn oldest(
    victim: &WorkerThread,
    wanted: Wanted,
    expose: impl Fn(&SplitDeque<Header>) -> u32,
) -> Option<Answer> {
    let frame = || {
        if !victim.forks.has_private() || victim.forks.head() < wanted.floor() {
            return Some(Answer::Nothing);
        }
        if expose(&victim.forks) == 0 {
            return None;
        }
        Some(match victim.forks.claim(wanted.floor()) {
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
    if !wanted.is_any() {
        return frame();
    }
    let (first, second): (&dyn Fn() -> _, &dyn Fn() -> _) = if gives_tasks_first(victim, wanted) {
        (&task, &frame)
    } else {
        (&frame, &task)
    };
    match first()? {
        Answer::Nothing => second(),
        answer => Some(answer),
    }
}
