//! The rules of the steal protocols: each protocol is a file of this folder.
//!
//! Under every protocol, a thief takes public frames and tasks without the victim's help ([`thief`](super::thief)). The protocols differ in
//! the steps of thieves and victims for private work. These steps are the functions of [`Rules`]. Two other types also depend on the
//! protocol: [`ForkPath`](crate::policy::ForkPath) selects the owner's code for a fork, and [`Sharing`](heist_deque::split::Sharing)
//! selects how owner and thieves share a deque.
//!
//! | file | protocols |
//! | --- | --- |
//! | `return_barrier.rs` | [`Protocol::ReturnBarrier`] |
//! | `stop_victim.rs` | [`Protocol::StopVictim`] |
//! | `polled.rs` | [`Protocol::Polled`] |
//! | `public.rs` | [`Protocol::ChaseLev`] and [`Protocol::The`] |
//! | `direct.rs` | the request to one victim, for `StopVictim` and `Polled` |

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

/// The state of a search for work, in particular the requests that the search has made.
pub(in crate::worker) struct Search {
    /// The time at which the search began, plus the time that its forces have taken. (A force can take longer than a whole search.)
    pub began: Instant,
    /// The time at which the thief began to wait for answers of victims with private work, or `None` if no victim has private work. After a
    /// force, the thief begins a new wait. Only return barriers use this field.
    pub asked: Option<Instant>,
    /// True after this search has requested frames. A later steal does not count as a free steal.
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

/// Whether a waiting thief asks a victim again after the victim has answered, because the victim may have new work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::worker) enum Repeat {
    /// The thief asks once, and uses force or a signal after its backoff time.
    Once,
    /// The thief asks again whenever the victim has answered.
    WhenAnswered,
}

/// The rules of a protocol. The default functions of the trait are the rules of a protocol whose frames and tasks are always public.
///
/// In the functions for thieves, `thief` is the current thread's worker. In the functions for victims, `victim` is the current thread's
/// worker. The wrappers below pass `self`, and the scheduler calls a wrapper only on the worker's own thread.
trait Rules: Copy {
    /// Takes a private frame or task, with the victim's help or by force. The thief calls this function when its stack is empty.
    fn acquire(self, _thief: &WorkerThread, _victim: &WorkerThread) -> Option<Job> {
        None
    }

    /// Takes a private frame at `floor` or above, and never a task. A waiting thief calls this function, because such frames descend from
    /// the frame for which it waits.
    fn acquire_frame(
        self,
        _thief: &WorkerThread,
        _victim: &WorkerThread,
        _floor: u32,
    ) -> Option<Job> {
        None
    }

    /// A searcher calls this function after a round in which it has found no work. Under return barriers, requests work of all victims.
    /// Under protocols that ask one victim, the round has already made its requests with [`acquire`](Self::acquire), and this function only
    /// answers other thieves. Returns true if entries have become public for this thief.
    fn after_vain_round(self, _thief: &WorkerThread, _search: &mut Search) -> bool {
        false
    }

    /// Uses force on one victim, or sends it a signal, if the backoff time has passed since `asked`, the time at which the thief asked all
    /// victims. If `asked` is `None`, sets it to the current time. The caller must have just asked all victims.
    fn insist(self, _thief: &WorkerThread, _asked: &mut Option<Instant>) {}

    /// Requests work of one victim for a thief that waits for a frame or a scope. If the victim does not answer within the backoff time,
    /// makes entries of `deques` public by force, or sends a signal. The argument `repeat` says whether the thief asks again after the
    /// victim has answered.
    fn request_of(
        self,
        _thief: &WorkerThread,
        _victim: &WorkerThread,
        _deques: &[&SplitDeque<Header>],
        _repeat: Repeat,
        _asked: &mut Option<Instant>,
    ) {
    }

    /// Requests frames of the victims whose jobs have class `class`. The worker calls this function before it begins a queued job of a
    /// lower class. Returns true if frames have become public for this thief.
    fn request_of_class(self, _thief: &WorkerThread, _class: Class) -> bool {
        false
    }

    /// Returns true if the search should continue because victims may still answer.
    fn expects_answers(self, _thief: &WorkerThread, _search: &Search) -> bool {
        false
    }

    /// Returns true if a thief takes naps between the rounds of a search, because no thief can get private work until the victim checks for
    /// requests (Rainey's thesis, section 3.3.3). A thief calls this function only if it [expects answers](Self::expects_answers).
    fn naps(self) -> bool {
        false
    }

    /// Answers requests on the victim's own thread. Returns true if the caller must wake a worker. Under return barriers, the result is
    /// true if the victim has made an entry public. Under all other protocols, the result is true if the victim's deques have any entry.
    fn answer(self, victim: &WorkerThread) -> bool {
        victim.has_work()
    }

    /// Does the work of [`answer`](Self::answer) in a signal handler. The signal may have interrupted this thread at any point, so this
    /// function waits for no lock, and changes no counters. The function wakes no worker, because the thief that has sent the signal is
    /// awake.
    fn answer_interrupting(self, _victim: &WorkerThread) {}

    /// Answers a thief's request while the victim waits or searches. The victim then reaches no fork at which it would answer.
    fn answer_waiting(self, _victim: &WorkerThread) {}

    /// Returns true if the victim may delay an answer, because thieves that are awake use force after their backoff time.
    fn may_answer_late(self) -> bool {
        false
    }

    /// Makes the victim's next fork public, although no thief has requested frames, if the protocol's thieves would otherwise often use
    /// force.
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

/// The functions of [`Rules`], for the pool's protocol. Only the worker's own thread may call these functions.
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
