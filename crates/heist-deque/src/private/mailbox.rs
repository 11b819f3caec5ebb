//! The mailbox, through which a thief requests an item and the owner answers. The mailbox has one word and room for one item.

use std::mem::MaybeUninit;

use super::{orders, steps};
use crate::shim::every_order::AtomicU32;
use crate::shim::{Ordering, UnsafeCell};

/// The state of the mailbox. README.md shows the transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum State {
    /// There is no request and no item.
    Idle = 0,
    /// A thief has asked. As long as the owner exists, only the owner changes this state.
    Asked = 1,
    /// The cell holds an item of the deque, and any thread may take it.
    Answered = 2,
    /// A thief has claimed the item in the cell, or has locked the items of a dropped owner.
    Taking = 3,
}

/// The mailbox, through which an item passes from the owner to a thief.
#[repr(C)]
pub(super) struct Mailbox<T> {
    state: AtomicU32,
    /// The item. The owner writes the item in state `Asked`. The thread that has changed the state `Answered` to another state reads the
    /// item.
    cell: UnsafeCell<MaybeUninit<T>>,
}

impl<T> Mailbox<T> {
    pub(super) fn new() -> Self {
        Mailbox {
            state: AtomicU32::new(State::Idle as u32),
            cell: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Returns the state. The load is Relaxed, because the caller uses the state only to decide what to try: a later CAS or, in `Asked`,
    /// [`answer`](Self::answer) decides the outcome with its own memory order.
    #[inline(always)]
    pub(super) fn state(&self) -> State {
        match self.state.load(Ordering::Relaxed) {
            0 => State::Idle,
            1 => State::Asked,
            2 => State::Answered,
            _ => State::Taking,
        }
    }

    /// Changes the state from `from` to `to` by a CAS. Returns false if the state was not `from`.
    fn change(&self, from: State, to: State, order: Ordering) -> bool {
        self.state
            .compare_exchange(from as u32, to as u32, order, Ordering::Relaxed)
            .is_ok()
    }

    /// Reads the item out of the cell.
    ///
    /// # Safety
    /// The caller must have changed the state from `Answered` by a CAS of its own. The owner must not have written the cell since
    /// then.
    unsafe fn read(&self) -> T {
        // SAFETY: in `Answered` the cell holds an item (`answer` wrote it before), and only one CAS can succeed in changing this state, so
        // no other thread reads the item. The owner writes the cell again only after it has seen `Asked`, and by this function's contract
        // the owner has not written the cell yet.
        self.cell
            .with_mut(|cell| unsafe { (*cell).assume_init_read() })
    }

    /// Asks the owner for an item. Has no effect if another thread has asked in the meantime.
    pub(super) fn ask(&self) {
        // Relaxed: a request publishes no writes. This CAS is a read-modify-write, so it continues the release sequence of `TAKEN`, and
        // through this CAS the owner acquires `TAKEN`.
        self.change(State::Idle, State::Asked, Ordering::Relaxed);
    }

    /// Takes the answer for a thief. Returns `None` if another thread has taken the answer.
    pub(super) fn take(&self) -> Option<T> {
        let claimed = if steps::TAKING {
            State::Taking
        } else {
            State::Idle
        };
        if !self.change(State::Answered, claimed, orders::TAKE) {
            return None;
        }
        // SAFETY: this thread has just changed the state from `Answered`, and no thief makes a request in the state `Taking`.
        let item = unsafe { self.read() };
        if steps::TAKING {
            self.state.store(State::Idle as u32, orders::TAKEN);
        }
        Some(item)
    }

    /// Replies to a request with an item, or declines it.
    ///
    /// # Safety
    /// Only the owner may call this function, after it has read the state `Asked`, and only once for each request.
    pub(super) unsafe fn answer(&self, item: Option<T>) {
        // Only the owner changes the state `Asked`, so this load returns the value that the caller knows already. The load is necessary
        // because of its memory order. The order matters even if there is no item, because the store below ends the release sequence.
        let order = if item.is_some() || steps::DECLINE_ACQUIRES {
            orders::ANSWER_LOAD
        } else {
            Ordering::Relaxed
        };
        let asked = self.state.load(order);
        debug_assert_eq!(asked, State::Asked as u32);
        let Some(item) = item else {
            // Relaxed: a thread that reads this state does not access the cell.
            self.state.store(State::Idle as u32, Ordering::Relaxed);
            return;
        };
        self.cell.with_mut(|cell| {
            // SAFETY: no thief reads the cell in the state `Asked`, and only the owner changes this state. The thief that took the last
            // item stored `Idle` after its read of the cell, so this read happens before the load above.
            unsafe { (*cell).write(item) };
        });
        self.state
            .store(State::Answered as u32, orders::ANSWER_STORE);
    }

    /// Takes the owner's own answer back. Returns `None` if a thief has taken the answer.
    ///
    /// # Safety
    /// Only the owner may call this function.
    pub(super) unsafe fn take_back(&self) -> Option<T> {
        // Relaxed: only the owner has written the cell, and the next thread to write it is the owner.
        let won = if steps::TAKE_BACK_CAS {
            self.change(State::Answered, State::Idle, Ordering::Relaxed)
        } else {
            self.state.store(State::Idle as u32, Ordering::Relaxed);
            true
        };
        // SAFETY: this thread has just changed the state from `Answered`, and it is the owner, the only writer of the cell.
        won.then(|| unsafe { self.read() })
    }

    /// Locks the items of a dropped owner for a thief, by a CAS of the mailbox's state. `seen` is the state that the thief has read:
    /// `Idle` or `Asked`. Returns false if another thread has changed the state.
    pub(super) fn lock(&self, seen: State) -> bool {
        debug_assert!(matches!(seen, State::Idle | State::Asked));
        !steps::REST_LOCK || self.change(seen, State::Taking, orders::REST_LOCK)
    }

    /// Releases the lock that [`lock`](Self::lock) took.
    pub(super) fn unlock(&self) {
        self.state.store(State::Idle as u32, orders::REST_UNLOCK);
    }
}

impl<T> Drop for Mailbox<T> {
    /// Drops an answer that no thread took.
    fn drop(&mut self) {
        // Relaxed: `&mut self` means that all actions of other threads happened before.
        if steps::DROP_ANSWER && self.state() == State::Answered {
            self.cell.with_mut(|cell| {
                // SAFETY: in `Answered` the cell holds an item, and no other thread is left.
                unsafe { (*cell).assume_init_drop() };
            });
        }
    }
}
