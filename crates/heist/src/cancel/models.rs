//! Model tests of the real extents and of the README's steps, for a few forks and flags. Loom runs them
//! under every interleaving.

use super::extents::Extents;
use super::orders;
use super::{ANSWER, Node, REQUEST};
use crate::platform::shim::{AtomicBool, AtomicU32, Ordering};
use loom::sync::Mutex;
use loom::thread;
use std::ptr::{null, without_provenance};
use std::sync::Arc;

/// A worker's extents, and a deque of forks. Thieves can claim the first `claimable` forks.
struct Forks {
    extents: Extents,
    claimable: AtomicU32,
}

// SAFETY: only the owner adds and removes extents; all fields that thieves read are atomic.
unsafe impl Sync for Forks {}
// SAFETY: only the owner adds and removes extents; all fields that thieves read are atomic.
unsafe impl Send for Forks {}

fn scope(n: usize) -> *const Node {
    without_provenance(16 * n)
}

/// Checks that a thief that claims a fork finds the scope in which the fork was pushed. While thieves look up scopes, the owner opens and
/// closes scopes around forks, several times at the same height.
#[test]
fn a_thief_finds_the_scope_of_its_fork() {
    loom::model(|| {
        let forks = Arc::new(Forks {
            extents: Extents::new(),
            claimable: AtomicU32::new(0),
        });
        let thief = {
            let forks = Arc::clone(&forks);
            thread::spawn(move || {
                // This load is the claim. Acquire obtains all that the owner did before it pushed the fork.
                if forks.claimable.load(Ordering::Acquire) == 0 {
                    return;
                }
                assert_eq!(forks.extents.find(1), scope(1));
            })
        };
        // The owner opens scope 1. Then it opens and ends two scopes at the height of the fork at 1.
        forks.extents.push(0, scope(1));
        forks.extents.push(1, scope(2));
        forks.extents.push(1, null());
        forks.extents.pop();
        forks.extents.pop();
        // The fork at 1 is in scope 1, and does not end before the end of the model.
        forks.claimable.store(1, Ordering::Release);
        forks.extents.push(2, scope(3));
        forks.extents.push(4, scope(4));
        forks.extents.pop();
        forks.extents.pop();
        forks.extents.push(3, scope(5));
        thief.join().unwrap();
    });
}

const SATED: u32 = 0;
const ASKED: u32 = 2;

/// A model of a worker's request word, and the flag of a scope.
struct Asked {
    flag: AtomicBool,
    request: AtomicU32,
}

impl Asked {
    /// Sets the flag (C1) and the request (C2), like the canceller.
    fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
        self.request.fetch_max(ASKED, REQUEST);
    }

    /// Makes a fork (F1 to F3). Returns true if the fork stops.
    fn fork(&self) -> bool {
        if self.request.load(Ordering::Relaxed) == SATED {
            return false;
        }
        self.request.swap(SATED, ANSWER);
        self.flag.load(Ordering::Relaxed)
    }
}

/// Checks that the owner stops when it answers the canceller's request. A thief requests work at the same time, and the owner answers at
/// each of its forks.
#[test]
fn a_request_is_not_answered_without_a_look_at_the_flag() {
    loom::model(|| {
        let asked = Arc::new(Asked {
            flag: AtomicBool::new(false),
            request: AtomicU32::new(ASKED),
        });
        let canceller = {
            let asked = Arc::clone(&asked);
            thread::spawn(move || asked.cancel())
        };
        let thief = {
            let asked = Arc::clone(&asked);
            // This thread is a thief. Its announcement replaces the canceller's request, or comes before it.
            thread::spawn(move || {
                asked.request.swap(ASKED + 1, Ordering::Relaxed);
            })
        };
        let stopped = (0..2).any(|_| asked.fork());
        canceller.join().unwrap();
        thief.join().unwrap();
        // The canceller's request is still in the word, or the fork that took it has stopped.
        assert!(stopped || asked.fork());
    });
}

/// Checks that the owner sees the flag after its read-modify-write has taken the canceller's
/// request.
#[test]
fn an_answered_request_shows_the_flag() {
    loom::model(|| {
        let asked = Arc::new(Asked {
            flag: AtomicBool::new(false),
            request: AtomicU32::new(SATED),
        });
        let canceller = {
            let asked = Arc::clone(&asked);
            thread::spawn(move || asked.cancel())
        };
        if asked.request.swap(SATED, ANSWER) == ASKED {
            assert!(asked.flag.load(Ordering::Relaxed));
        }
        canceller.join().unwrap();
    });
}

/// A scope's flag and the waker of one waiter, under the lock of the node.
struct Waiting {
    flag: AtomicBool,
    waiter: Mutex<Option<thread::Thread>>,
}

/// Checks that a waiter is listed or sees the flag. A waiter that does neither would sleep forever, and loom would report a deadlock.
#[test]
fn a_waiter_is_woken_or_sees_the_flag() {
    loom::model(|| {
        let waiting = Arc::new(Waiting {
            flag: AtomicBool::new(false),
            waiter: Mutex::new(None),
        });
        let canceller = {
            let waiting = Arc::clone(&waiting);
            thread::spawn(move || {
                // The canceller does C1 under the lock, and then C3 without the lock.
                let mut waiter = waiting.waiter.lock().unwrap();
                waiting.flag.store(true, Ordering::Relaxed);
                let waiter = waiter.take();
                if let Some(waiter) = waiter {
                    waiter.unpark();
                }
            })
        };
        let list = || {
            let mut waiter = waiting.waiter.lock().unwrap();
            if !waiting.flag.load(Ordering::Relaxed) {
                *waiter = Some(thread::current());
            }
        };
        // The waiter does W1 and W2. The mutant checks the flag before it lists the waker.
        if orders::LISTED_FIRST {
            list();
        }
        let seen = waiting.flag.load(Ordering::Relaxed);
        if !orders::LISTED_FIRST {
            list();
        }
        if !seen {
            thread::park();
        }
        canceller.join().unwrap();
        assert!(waiting.flag.load(Ordering::Relaxed));
    });
}
