//! Return barriers: thieves request frames of all victims, and each victim makes the older half of its private frames public (one frame, if
//! the pool has `StealAmount::One`). If no victim answers within the thief's backoff time, the protocol's [`Delivery`] decides: the thief
//! makes one victim's frames public by force, sends one victim a signal, or continues to wait.

use super::{Repeat, Rules, Search};
use crate::policy::Delivery;
use crate::task::Header;
use crate::trace::EventKind;
use crate::worker::local::WorkerLocal;
use crate::worker::queue::class::Class;
use crate::worker::steal::signal;
use crate::worker::steal::victim::share;
use crate::worker::thread::WorkerThread;
use heist_deque::split::SplitDeque;
use std::time::Instant;

#[derive(Clone, Copy)]
pub(super) struct ReturnBarrier(pub Delivery);

impl Rules for ReturnBarrier {
    fn after_vain_round(self, thief: &WorkerThread, search: &mut Search) -> bool {
        if search.asked.is_some_and(|since| is_late(thief, since)) {
            search.asked = None;
            let forcing = Instant::now();
            let fruitful = self.force_one_victim(thief);
            search.began += forcing.elapsed();
            if fruitful {
                search.asked = Some(Instant::now());
                return true;
            }
        }
        search.asked_any = true;
        if !thief.ask_around() {
            (search.asked, search.requested_at) = (None, None);
        } else if search.asked.is_none() {
            search.asked = Some(Instant::now());
            search.requested_at = search.requested_at.or_else(|| thief.time());
            thief.counters.requests.add(1);
        }
        false
    }

    fn insist(self, thief: &WorkerThread, asked: &mut Option<Instant>) {
        if is_late(thief, *asked.get_or_insert_with(Instant::now)) {
            *asked = None;
            self.force_one_victim(thief);
        }
    }

    fn request_of(
        self,
        thief: &WorkerThread,
        victim: &WorkerThread,
        deques: &[&SplitDeque<Header>],
        repeat: Repeat,
        asked: &mut Option<Instant>,
    ) {
        match *asked {
            // If no request is set, the victim has answered. (If a request is set, another thief may have made it since.)
            Some(since) if repeat == Repeat::Once || victim.shared().is_requested() => {
                if is_late(thief, since) {
                    *asked = None;
                    self.force_or_signal(thief, victim, deques);
                }
            }
            _ => {
                victim.shared().ask();
                *asked = Some(Instant::now());
            }
        }
    }

    fn request_of_class(self, thief: &WorkerThread, class: Class) -> bool {
        if !thief.pool().injector.has_below(class) {
            return false;
        }
        let late = thief
            .as_thief
            .pressed
            .get()
            .is_some_and(|since| is_late(thief, since));
        let forced = thief.first_of_others(|victim| {
            if victim.class() != class || !victim.has_private() {
                return None;
            }
            if !victim.shared().is_requested() {
                victim.shared().ask();
                thief.as_thief.pressed.set(Some(Instant::now()));
                return None;
            }
            // This thread forces only one victim, because the frames of one victim are enough for this thief.
            late.then(|| self.force_or_signal(thief, victim, &victim.deques()))
        });
        if forced.is_some() {
            thief.as_thief.pressed.set(None);
        } else if thief.as_thief.pressed.get().is_none() {
            // Another thief has already made the request.
            thief.as_thief.pressed.set(Some(Instant::now()));
        }
        forced == Some(true)
    }

    fn expects_answers(self, _: &WorkerThread, search: &Search) -> bool {
        search.asked.is_some()
    }

    /// Returns true with delivery by polling, because only then must a thief wait until a victim checks for requests.
    fn naps(self) -> bool {
        self.0 == Delivery::Polling
    }

    fn answer(self, victim: &WorkerThread) -> bool {
        let share = share(victim.amount);
        let exposed: u32 = victim
            .deques()
            .into_iter()
            // SAFETY: this is the owner's thread, because a victim answers on its own thread.
            .map(|deque| unsafe { deque.expose(share) })
            .sum();
        if exposed > 0 {
            victim.counters.exposes.add(1);
            victim.trace(EventKind::Exposed { count: exposed });
        }
        exposed > 0
    }

    fn answer_interrupting(self, victim: &WorkerThread) {
        for deque in victim.deques() {
            // SAFETY: the handler runs on the owner's thread: it gets the worker from that thread's words.
            unsafe { deque.expose_interrupting(share(victim.amount)) };
        }
    }

    fn may_answer_late(self) -> bool {
        self.0 == Delivery::Fence
    }

    /// Makes the next fork public. If a thief arrives while the victim runs without a fork, the thief finds this public frame, and need not
    /// use force.
    ///
    /// In pools with a fixed number of threads a worker always offers, because the programs of such pools run loops of several hundred
    /// microseconds, so the time of each force matters. In other pools a worker offers a few times after it has used force itself, because
    /// its own forks are then probably as far apart as its victim's forks. In these other pools a worker does not always offer. If its
    /// forks were milliseconds apart and it always offered, it would fetch its own words from memory at each fork, which costs more time
    /// than a few forces.
    fn offer(self, victim: &WorkerThread, local: &WorkerLocal) {
        if self.0 != Delivery::Fence || victim.pool().settings.threads == 1 {
            return;
        }
        if !victim.wait_policy.expects_short_loops() {
            let left = victim.as_victim.offers.get();
            if left == 0 {
                return;
            }
            victim.as_victim.offers.set(left - 1);
        }
        local.shared.offer();
    }
}

impl ReturnBarrier {
    /// Makes the frames of a single victim public, or sends it a signal. One victim's frames are enough for this thief, and each force may
    /// cost a fence. Call this function when no victim has answered a request within the backoff time. The thief chooses the victim at
    /// random, even if the pool's thieves prefer near victims. Otherwise a thief might always choose a near victim that answers soon, and
    /// never a victim that does not check for requests. Returns true if frames were made public for this thief.
    fn force_one_victim(self, thief: &WorkerThread) -> bool {
        let pool = thief.pool();
        let _looking = pool.lookers.look();
        let count = pool.worker_count();
        let first = (thief.next_random() >> 33) as usize % count.max(1);
        (first..count)
            .chain(0..first)
            .filter_map(|id| pool.victim(id))
            .find(|victim| victim.id != thief.id && victim.has_private())
            .is_some_and(|victim| self.force_or_signal(thief, victim, &victim.deques()))
    }

    /// Reacts to a victim that did not answer: makes entries of `deques` public by force, or sends the victim a signal. Returns true if
    /// entries are public now. (A signal takes effect later, and its handler makes the entries public.)
    fn force_or_signal(
        self,
        thief: &WorkerThread,
        victim: &WorkerThread,
        deques: &[&SplitDeque<Header>],
    ) -> bool {
        match self.0 {
            Delivery::Polling => false,
            Delivery::Signal => {
                if victim.has_private() && signal::send(victim) {
                    thief.counters.signals.add(1);
                }
                false
            }
            Delivery::Fence => thief.force(victim, deques),
        }
    }
}

/// Returns true if the thief's backoff time has passed since `since`.
fn is_late(thief: &WorkerThread, since: Instant) -> bool {
    since.elapsed() > thief.as_thief.backoff.period()
}
