//! The mailbox: one word and room for one item, through which a thief asks and the owner answers.

use std::mem::MaybeUninit;

use super::{orders, steps};
use crate::shim::every_order::AtomicU32;
use crate::shim::{Ordering, UnsafeCell};

/// State of the mailbox. README.md has the transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum State {
    /// No request, no item.
    Idle = 0,
    /// A thief has asked. Only the owner leaves this state, until it drops.
    Asked = 1,
    /// The cell holds an item, which belongs to the deque, and any thread may take it.
    Answered = 2,
    /// A thief has claimed the item that the mailbox guards and is about to read it.
    Taking = 3,
}

/// The place where an item passes from the owner to a thief.
#[repr(C)]
pub(super) struct Mailbox<T> {
    state: AtomicU32,
    /// Written by the owner in `Asked`; read by the thief that left `Answered`.
    cell: UnsafeCell<MaybeUninit<T>>,
}

impl<T> Mailbox<T> {
    pub(super) fn new() -> Self {
        Mailbox {
            state: AtomicU32::new(State::Idle as u32),
            cell: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// The state, to decide what to try. Relaxed: a CAS, or, in `Asked`, [`answer`](Self::answer),
    /// decides the outcome, with orders of their own.
    #[inline(always)]
    pub(super) fn state(&self) -> State {
        match self.state.load(Ordering::Relaxed) {
            0 => State::Idle,
            1 => State::Asked,
            2 => State::Answered,
            _ => State::Taking,
        }
    }

    /// Whether it was in `from` and is in `to` now.
    fn change(&self, from: State, to: State, order: Ordering) -> bool {
        self.state
            .compare_exchange(from as u32, to as u32, order, Ordering::Relaxed)
            .is_ok()
    }

    /// Reads the item out of the cell.
    ///
    /// # Safety
    /// The caller must have taken the mailbox out of `Answered` itself, by a CAS, and must not have
    /// let the owner write the cell since.
    unsafe fn read(&self) -> T {
        // SAFETY: in `Answered` the cell holds an item (`answer` wrote it before), and one CAS only
        // leads out of that state, so no other thread reads it. The owner writes the cell again
        // after it has seen the mailbox asked, which by contract is not before this read.
        self.cell
            .with_mut(|cell| unsafe { (*cell).assume_init_read() })
    }

    /// Asks the owner for an item. It does not matter if another thread has asked in the meantime.
    pub(super) fn ask(&self) {
        // Relaxed: a request carries nothing. As a read-modify-write it continues the release
        // sequence of `TAKEN`, which the owner acquires through it.
        self.change(State::Idle, State::Asked, Ordering::Relaxed);
    }

    /// A thief takes the answer. `None`: a thread was faster.
    pub(super) fn take(&self) -> Option<T> {
        let claimed = if steps::TAKING {
            State::Taking
        } else {
            State::Idle
        };
        if !self.change(State::Answered, claimed, orders::TAKE) {
            return None;
        }
        // SAFETY: just left `Answered`, and no thief asks in `Taking`.
        let item = unsafe { self.read() };
        if steps::TAKING {
            self.state.store(State::Idle as u32, orders::TAKEN);
        }
        Some(item)
    }

    /// The owner's reply to a request: the item, or nothing.
    ///
    /// # Safety
    /// Only the owner may call this, after it has seen the mailbox `Asked` and not replied since.
    pub(super) unsafe fn answer(&self, item: Option<T>) {
        // Only the owner leaves `Asked`, so this is the value it has seen. For its order, and even
        // if there is no item: the store below ends the release sequence.
        let order = if item.is_some() || steps::DECLINE_ACQUIRES {
            orders::ANSWER_LOAD
        } else {
            Ordering::Relaxed
        };
        let asked = self.state.load(order);
        debug_assert_eq!(asked, State::Asked as u32);
        let Some(item) = item else {
            // Relaxed: says nothing about the cell.
            self.state.store(State::Idle as u32, Ordering::Relaxed);
            return;
        };
        self.cell.with_mut(|cell| {
            // SAFETY: no thief reads the cell in `Asked`, which only the owner leaves: the thief that
            // took the last item stored `Idle` after its read, which happens before the load above.
            unsafe { (*cell).write(item) };
        });
        self.state
            .store(State::Answered as u32, orders::ANSWER_STORE);
    }

    /// The owner takes its own answer back. `None`: a thief was faster.
    ///
    /// # Safety
    /// Only the owner may call this.
    pub(super) unsafe fn take_back(&self) -> Option<T> {
        // Relaxed: the owner wrote the cell, and will write it again.
        let won = if steps::TAKE_BACK_CAS {
            self.change(State::Answered, State::Idle, Ordering::Relaxed)
        } else {
            self.state.store(State::Idle as u32, Ordering::Relaxed);
            true
        };
        // SAFETY: just left `Answered`; the owner writes the cell, and it is here.
        won.then(|| unsafe { self.read() })
    }

    /// A thief locks the items of a dropped owner; the mailbox is their lock then. `seen` is the
    /// state to lock it from, `Idle` or `Asked`. False: a thread was faster.
    pub(super) fn lock(&self, seen: State) -> bool {
        debug_assert!(matches!(seen, State::Idle | State::Asked));
        !steps::REST_LOCK || self.change(seen, State::Taking, orders::REST_LOCK)
    }

    /// Ends what [`lock`](Self::lock) began.
    pub(super) fn unlock(&self) {
        self.state.store(State::Idle as u32, orders::REST_UNLOCK);
    }
}

impl<T> Drop for Mailbox<T> {
    /// Drops an answer that no thread took.
    fn drop(&mut self) {
        // Relaxed: `&mut self` means that whatever others did happened before.
        if steps::DROP_ANSWER && self.state() == State::Answered {
            self.cell.with_mut(|cell| {
                // SAFETY: in `Answered` the cell holds an item, and no other thread is left.
                unsafe { (*cell).assume_init_drop() };
            });
        }
    }
}
