//! Rolls: lists of task headers in which a thread can look for a task.

use super::Header;
use crate::platform::Locked;
use std::cell::Cell;
use std::ptr::{NonNull, null};

/// A header that can be on a roll.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Listed {
    header: Header,
    /// The next header of the roll that contains this header. The roll's lock protects this field
    /// and `previous`.
    next: Cell<*const Listed>,
    previous: Cell<*const Listed>,
}

impl Listed {
    pub(crate) const fn new(header: Header) -> Self {
        Listed {
            header,
            next: Cell::new(null()),
            previous: Cell::new(null()),
        }
    }
}

/// The head of a list.
#[derive(Debug)]
struct First(*const Listed);

// SAFETY: code accesses the headers of the list only under the lock that contains this value.
unsafe impl Send for First {}

/// A list of headers in no particular order. A thread that adds or removes a header holds the roll's
/// lock for about ten instructions.
#[derive(Debug)]
pub(crate) struct Roll(Locked<First>);

impl Roll {
    pub(crate) fn new() -> Self {
        Roll(Locked::new(First(null())))
    }

    /// # Safety
    /// `listed` must be on no roll. `listed` must not move until [`strike`](Self::strike) has removed it from this roll.
    pub(crate) unsafe fn enter(&self, listed: *const Listed) {
        let mut first = self.0.lock();
        // SAFETY: `listed` is live by contract. Its neighbour is live because it is on the roll, whose lock is held.
        unsafe {
            (*listed).previous.set(null());
            (*listed).next.set(first.0);
            if let Some(next) = NonNull::new(first.0.cast_mut()) {
                next.as_ref().previous.set(listed);
            }
        }
        first.0 = listed;
    }

    /// # Safety
    /// `listed` must be on this roll.
    pub(crate) unsafe fn strike(&self, listed: *const Listed) {
        let mut first = self.0.lock();
        // SAFETY: `listed` and its neighbours are live because they are on the roll, whose lock is held.
        unsafe {
            let (previous, next) = ((*listed).previous.get(), (*listed).next.get());
            match previous.as_ref() {
                Some(previous) => previous.next.set(next),
                None => first.0 = next,
            }
            if let Some(next) = next.as_ref() {
                next.previous.set(previous);
            }
        }
    }

    /// Passes each header of the roll to `visit`, under the lock.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(*const Listed)) {
        let first = self.0.lock();
        let mut next = first.0;
        // SAFETY: headers on the roll are live by the contract of `enter`, and the lock is held, so
        // none is removed meanwhile.
        while let Some(listed) = unsafe { next.as_ref() } {
            let this = next;
            next = listed.next.get();
            visit(this);
        }
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{Header, Listed, Roll};

    #[test]
    fn lists_entries_that_have_not_been_struck() {
        let roll = Roll::new();
        let all: Vec<Listed> = (0..5).map(|_| Listed::new(Header::new(|_| {}))).collect();
        let listed = || {
            let mut seen = Vec::new();
            roll.for_each(|listed| {
                seen.push(all.iter().position(|one| std::ptr::eq(one, listed)));
            });
            seen.reverse();
            seen.into_iter().flatten().collect::<Vec<_>>()
        };
        // SAFETY: each header is entered once, stays in place in `all`, and is struck once.
        unsafe {
            all.iter().for_each(|one| roll.enter(one));
            assert_eq!(listed(), [0, 1, 2, 3, 4]);
            roll.strike(&raw const all[2]);
            roll.strike(&raw const all[4]);
            roll.strike(&raw const all[0]);
            assert_eq!(listed(), [1, 3]);
            roll.enter(&raw const all[0]);
            assert_eq!(listed(), [1, 3, 0]);
            for nth in [1, 3, 0] {
                roll.strike(&raw const all[nth]);
            }
        }
        assert!(listed().is_empty());
    }
}
