//! The choice of a thread between several events for which it waits: exactly one event is chosen.
//!
//! The word of a thread's choice holds the number of the choice and a state. The thread leaves offers in queues. Each offer has the number
//! of its choice, so offers of an earlier choice differ from offers of the current choice. The README of this folder explains the states.

use super::shim::{AtomicUsize, Ordering};
use super::steps;

/// No part is chosen.
const OPEN: usize = 0;
/// A thread has claimed the choice, and may decide it.
const CLAIMED: usize = 1;
/// A thread has claimed the choice, and the choice was then revoked: the choice is void unless that thread decides it.
const REVOKED: usize = 2;
/// The smallest state of a decided choice. The state of a decided choice is this number plus the number of the chosen part.
const CHOSEN: usize = 3;
/// Number of bits of the state.
const BITS: u32 = 20;
const STATE: usize = (1 << BITS) - 1;

/// The choice of a thread.
#[repr(transparent)]
#[derive(Debug)]
pub struct Choice(AtomicUsize);

/// The result of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The caller has claimed the choice, and may decide it.
    Mine,
    /// Another thread has claimed the choice, and will decide it or give it back.
    Busy,
    /// The choice is decided, or another choice has begun.
    Over,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice(AtomicUsize::new(Choice::WORD))
    }
}

impl Choice {
    /// The content of a thread's word before the thread's first choice.
    pub const WORD: usize = CHOSEN;
    /// The number that stands for a revoked choice, in place of the number of a chosen part.
    pub const VOID: usize = STATE - CHOSEN;

    /// Begins another choice of the thread, and returns the number of this choice. The previous choice, if there is one, must have been
    /// decided or revoked.
    #[must_use]
    pub fn begin(&self) -> usize {
        // Relaxed: only the thread itself changes a choice that is over.
        let number = (self.0.load(Ordering::Relaxed) >> BITS) + 1;
        self.0.store(number << BITS | OPEN, Ordering::Relaxed);
        number
    }

    /// Claims the thread's choice, if its number is `number`.
    #[must_use]
    pub fn claim(&self, number: usize) -> Claim {
        let open = number << BITS | OPEN;
        // Acquire: pairs with the release in `unclaim`, so this claimer sees which offers the former claimer has taken out of queues.
        match self.0.compare_exchange(
            open,
            number << BITS | CLAIMED,
            steps::CHOICE_CLAIM,
            Ordering::Relaxed,
        ) {
            Ok(_) => Claim::Mine,
            Err(other) if other == number << BITS | CLAIMED => Claim::Busy,
            Err(other) if other == number << BITS | REVOKED => Claim::Busy,
            Err(_) => Claim::Over,
        }
    }

    /// Gives a claimed choice back, so that other threads may claim it.
    pub fn unclaim(&self) {
        // Relaxed: other threads can only revoke the choice, and the exchange detects that.
        let number = self.0.load(Ordering::Relaxed) & !STATE;
        // Release: pairs with the acquire in `claim`.
        let open = self.0.compare_exchange(
            number | CLAIMED,
            number | OPEN,
            steps::CHOICE_UNCLAIM,
            Ordering::Relaxed,
        );
        if open.is_err() {
            self.decide(Choice::VOID);
        }
    }

    /// Revokes the choice, unless it is decided. May be called on any thread. If the thread begins another choice during the call, this
    /// function may revoke that choice instead.
    pub fn revoke(&self) {
        // Relaxed: the exchange decides.
        let mut now = self.0.load(Ordering::Relaxed);
        loop {
            let after = match now & STATE {
                OPEN => CHOSEN + Choice::VOID,
                CLAIMED => REVOKED,
                _ => return,
            };
            // Release: pairs with the acquire in `decision`.
            match self.0.compare_exchange(
                now,
                now & !STATE | after,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }

    /// Decides a claimed choice for the given part.
    pub fn decide(&self, part: usize) {
        // Relaxed: the number does not change. Release: pairs with the acquire in `decision`, so the thread sees the value that the claimer
        // has given. This is a swap, because another thread may revoke the choice at the same time, and the decision then replaces the
        // revocation.
        let number = self.0.load(Ordering::Relaxed) & !STATE;
        self.0.swap(number | (part + CHOSEN), steps::CHOICE_DECIDE);
    }

    /// Returns the part for which the thread's choice was decided, or `None` if the choice is not decided.
    #[must_use]
    pub fn decision(&self) -> Option<usize> {
        // Acquire: pairs with the release in `decide`.
        let state = self.0.load(steps::CHOICE_DECISION) & STATE;
        state.checked_sub(CHOSEN)
    }
}
