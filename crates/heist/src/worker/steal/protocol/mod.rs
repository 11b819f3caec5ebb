//! The rules of the steal protocols: each protocol is a file of this folder.
//!
//! Under every protocol, a thief takes public frames and tasks without the victim's help ([`thief`](super::thief)). The protocols differ
//! in what thieves and victims do about private work: these steps are the functions of [`Rules`]. The owner's path of a fork
//! is [`ForkPath`](crate::policy::ForkPath), and the way in which owner and thieves share a deque is
//! [`Sharing`](heist_deque::split::Sharing).
//!
//! | file | protocols |
//! | --- | --- |
//! | `return_barrier.rs` | [`Protocol::ReturnBarrier`] |
//! | `stop_victim.rs` | [`Protocol::StopVictim`] |
//! | `polled.rs` | [`Protocol::Polled`] |
//! | `public.rs` | [`Protocol::ChaseLev`] and [`Protocol::The`] |
//! | `direct.rs` | the request to one victim, a part of `StopVictim` and `Polled` |

#[cfg(feature = "policies")]
mod direct;
#[cfg(feature = "policies")]
mod polled;
#[cfg(feature = "policies")]
mod public;
mod return_barrier;
#[cfg(feature = "policies")]
mod stop_victim;

use crate::policy::Protocol;
use crate::task::Header;
use crate::worker::local::WorkerLocal;
use crate::worker::queue::class::Class;
use crate::worker::queue::job::Job;
use crate::worker::thread::WorkerThread;
#[cfg(feature = "policies")]
use direct::Asking;
use heist_deque::split::SplitDeque;
#[cfg(feature = "policies")]
use polled::Polled;
#[cfg(feature = "policies")]
use public::Public;
use return_barrier::ReturnBarrier;
use std::time::Instant;
#[cfg(feature = "policies")]
use stop_victim::StopVictim;

/// A search for work: the requests that it has made.
pub(in crate::worker) struct Search {
    /// The begin of the search, later by the time that forces took: a force can take longer than a whole search.
    pub began: Instant,
    /// The time since which the thief has waited for answers of victims with private work; a force begins a new wait. `None` if no victim
    /// has private work. Only return barriers use this.
    pub asked: Option<Instant>,
    /// True once this search has requested frames: a later steal is not a free steal.
    pub asked_any: bool,
    /// The time of the first request to victims with private work, for the latency of the steal.
    pub requested_at: Option<u64>,
}

impl Search {
    pub(in crate::worker) fn new() -> Self {
        Search {
            began: Instant::now(),
            asked: None,
            asked_any: false,
            requested_at: None,
        }
    }
}

/// Whether a waiting thief asks a victim again that has answered, because the victim may have new work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::worker) enum Repeat {
    /// The thief asks once, and then waits for the time after which it insists.
    Once,
    /// The thief asks again whenever the victim has answered.
    WhenAnswered,
}

/// The rules of a protocol. The rules that a trait implementation leaves out are those of a protocol whose frames and tasks are always
/// public.
///
/// `thief`, and in the functions of the victim's side `victim`, is the worker of the current thread: the wrappers below pass `self`, and the
/// scheduler calls them only for the worker of its own thread.
trait Rules: Copy {
    /// Takes a private frame or task, with the victim's help or by force. The thief's stack is empty.
    fn acquire(self, _thief: &WorkerThread, _victim: &WorkerThread) -> Option<Job> {
        None
    }

    /// Takes a private frame at `floor` or above, and never a task. The thief waits, and these frames descend from the frame for which it
    /// waits.
    fn acquire_frame(
        self,
        _thief: &WorkerThread,
        _victim: &WorkerThread,
        _floor: u32,
    ) -> Option<Job> {
        None
    }

    /// Does a thief's step after a round of a search that has found nothing. Under return barriers, requests work of all victims. Under
    /// protocols that ask one victim, the round has made its requests by [`acquire`](Self::acquire) already, and this step only answers
    /// other thieves. Returns true if entries have become public for this thief.
    fn after_vain_round(self, _thief: &WorkerThread, _search: &mut Search) -> bool {
        false
    }

    /// Forces one victim, or sends it a signal, if all victims were asked, at `asked`, and did not answer in time. If `asked` is `None`,
    /// sets it to the current time. The caller has just asked all victims.
    fn insist(self, _thief: &WorkerThread, _asked: &mut Option<Instant>) {}

    /// Requests work of one victim for a thief that waits for a frame or a scope. If the victim does not answer in time, forces the
    /// exposure of entries of `deques`, or sends a signal. `repeat` says whether the thief asks again once the victim has
    /// answered.
    fn request_of(
        self,
        _thief: &WorkerThread,
        _victim: &WorkerThread,
        _deques: &[&SplitDeque<Header>],
        _repeat: Repeat,
        _asked: &mut Option<Instant>,
    ) {
    }

    /// Requests frames of the victims whose jobs have class `class`. The worker calls this before it begins a queued job of a lower class.
    /// Returns true if frames have become public for this thief.
    fn request_of_class(self, _thief: &WorkerThread, _class: Class) -> bool {
        false
    }

    /// Returns true if a search goes on because victims may still answer.
    fn expects_answers(self, _thief: &WorkerThread, _search: &Search) -> bool {
        false
    }

    /// Returns true if a thief sleeps for a moment between two rounds of a search, because victims keep their private work until they check
    /// for requests (Rainey, section 3.3.3). Called only if the thief [expects answers](Self::expects_answers).
    fn naps(self) -> bool {
        false
    }

    /// Answers requests on the victim's own thread. Returns true if the caller must wake a worker: the victim has made an entry public, or,
    /// under protocols other than return barriers, has an entry that other workers can steal.
    fn answer(self, victim: &WorkerThread) -> bool {
        victim.has_work()
    }

    /// Does the work of [`answer`](Self::answer) in a signal handler. The signal may have interrupted this thread at any point. So this
    /// function waits for no lock, changes no counters, and wakes no worker (the thief that has sent the signal is awake).
    fn answer_interrupting(self, _victim: &WorkerThread) {}

    /// Answers a thief while the victim waits or searches, because the victim then reaches no fork.
    fn answer_waiting(self, _victim: &WorkerThread) {}

    /// Returns true if the victim may answer late, because thieves that are awake finally take frames by force.
    fn may_answer_late(self) -> bool {
        false
    }

    /// Makes the victim's next fork public, although no thief has requested frames, if the protocol expects a gain from this.
    fn offer(self, _victim: &WorkerThread, _local: &WorkerLocal) {}
}

/// Evaluates an expression with the rules of a worker's protocol.
macro_rules! by_protocol {
    ($worker:expr, $rules:ident => $result:expr) => {
        match $worker.protocol {
            Protocol::ReturnBarrier(delivery) => {
                let $rules = ReturnBarrier(delivery);
                $result
            }
            #[cfg(feature = "policies")]
            Protocol::StopVictim => {
                let $rules = Asking(StopVictim);
                $result
            }
            #[cfg(feature = "policies")]
            Protocol::Polled(delivery) => {
                let $rules = Asking(Polled(delivery));
                $result
            }
            #[cfg(feature = "policies")]
            Protocol::ChaseLev | Protocol::The => {
                let $rules = Public;
                $result
            }
        }
    };
}

/// The rules of the pool's protocol. The functions are those of [`Rules`]. Only the worker's own thread may call them.
impl WorkerThread {
    pub(in crate::worker) fn acquire(&self, victim: &WorkerThread) -> Option<Job> {
        by_protocol!(self, rules => rules.acquire(self, victim))
    }

    pub(in crate::worker) fn acquire_frame(
        &self,
        victim: &WorkerThread,
        floor: u32,
    ) -> Option<Job> {
        by_protocol!(self, rules => rules.acquire_frame(self, victim, floor))
    }

    pub(in crate::worker) fn after_vain_round(&self, search: &mut Search) -> bool {
        by_protocol!(self, rules => rules.after_vain_round(self, search))
    }

    pub(in crate::worker) fn insist(&self, asked: &mut Option<Instant>) {
        by_protocol!(self, rules => rules.insist(self, asked));
    }

    pub(in crate::worker) fn request_of(
        &self,
        victim: &WorkerThread,
        deques: &[&SplitDeque<Header>],
        repeat: Repeat,
        asked: &mut Option<Instant>,
    ) {
        by_protocol!(self, rules => rules.request_of(self, victim, deques, repeat, asked));
    }

    pub(in crate::worker) fn request_of_class(&self, class: Class) -> bool {
        by_protocol!(self, rules => rules.request_of_class(self, class))
    }

    pub(in crate::worker) fn expects_answers(&self, search: &Search) -> bool {
        by_protocol!(self, rules => rules.expects_answers(self, search))
    }

    pub(in crate::worker) fn naps(&self) -> bool {
        by_protocol!(self, rules => rules.naps())
    }

    pub(in crate::worker::steal) fn answer_thieves(&self) -> bool {
        by_protocol!(self, rules => rules.answer(self))
    }

    #[cfg_attr(
        not(target_os = "linux"),
        allow(unused, reason = "there are no signals")
    )]
    pub(in crate::worker::steal) fn answer_interrupting(&self) {
        by_protocol!(self, rules => rules.answer_interrupting(self));
    }

    pub(in crate::worker) fn answer_waiting(&self) {
        by_protocol!(self, rules => rules.answer_waiting(self));
    }

    pub(in crate::worker) fn may_answer_late(&self) -> bool {
        by_protocol!(self, rules => rules.may_answer_late())
    }

    pub(in crate::worker) fn offer(&self, local: &WorkerLocal) {
        by_protocol!(self, rules => rules.offer(self, local));
    }
}
