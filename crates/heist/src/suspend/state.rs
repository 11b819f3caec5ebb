//! The word that says which thread may touch a suspending task.

use super::orders;
use crate::platform::shim::{AtomicU32, AtomicU64, Ordering};

/// The word's parts: see the table in the README.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Word {
    /// A thread polls it or will poll it: it is in exactly one queue, or is being polled.
    owned: bool,
    /// Woken while owned.
    notified: bool,
    /// Its future has been dropped. It is never polled again.
    done: bool,
    /// No worker has begun it, and its first entry is in a queue: the thread that clears this polls it first.
    unbegun: bool,
    /// Number of references to its memory: wakers, the holders of its data together, and the task itself until it is done. It may
    /// be wrong by the changes that the owner has not yet added, even below zero, but not once the task is done.
    refs: i64,
}

const NOTIFIED: u64 = 1 << 1;
const REFS_SHIFT: u32 = 4;

impl Word {
    const fn pack(self) -> u64 {
        let flags = self.owned as u64
            | (self.notified as u64) << 1
            | (self.done as u64) << 2
            | (self.unbegun as u64) << 3;
        flags | (self.refs << REFS_SHIFT) as u64
    }

    const fn unpack(word: u64) -> Self {
        Word {
            owned: word & 1 != 0,
            notified: word & NOTIFIED != 0,
            done: word & 1 << 2 != 0,
            unbegun: word & 1 << 3 != 0,
            refs: word as i64 >> REFS_SHIFT,
        }
    }

    /// Whether no thread refers to the task, which is done.
    fn is_dead(self) -> bool {
        self.done && self.refs == 0
    }
}

/// Maximum number of references to a task: an eighth of the word's range. Each change that adds references is checked, and
/// adds at most this number, so the word does not wrap however many threads pass the check at once.
const MOST_REFS: i64 = 1 << (60 - REFS_SHIFT);

/// `more` references beside `refs`. Ends the process if there are too many, as [`Arc`](std::sync::Arc) does: forgotten
/// wakers would wrap the count, and the task would be freed while one is live.
#[inline]
pub(super) fn sum_of_refs(refs: i64, more: i64) -> i64 {
    let sum = refs + more;
    if sum > MOST_REFS {
        too_many();
    }
    sum
}

#[cold]
fn too_many() -> ! {
    crate::platform::say(format_args!(
        "heist: too many references to one task: wakers of it are forgotten without being dropped; aborting"
    ));
    std::process::abort();
}

/// Action that must follow a wake-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wake {
    /// The task is the waker's to put into a queue.
    Queue,
    /// This was the last reference to the task, and the waker must free it.
    Free,
    /// Nothing.
    Nothing,
}

/// Number of events that must still occur before a task is queued for the first time.
#[derive(Debug)]
pub(super) struct Delays(AtomicU32);

impl Delays {
    pub(super) fn new(count: u32) -> Self {
        Delays(AtomicU32::new(count))
    }

    /// Counts `count` delays down. True if they were the last: the task is the caller's to wake.
    pub(super) fn count_down(&self, count: u32) -> bool {
        self.0.fetch_sub(count, orders::DELAYS) == count
    }
}

/// Number of holders of a task's data: handles, and the task itself until it has given its result.
#[derive(Debug)]
pub(super) struct Holders(AtomicU32);

/// Beyond this number, handles have been leaked, and the count might wrap around.
const MAX_HOLDERS: u32 = u32::MAX / 2;

impl Holders {
    pub(super) fn new(count: u32) -> Self {
        Holders(AtomicU32::new(count))
    }

    /// A holder makes another one.
    pub(super) fn add(&self) {
        // Relaxed: the one at hand keeps the data.
        if self.0.fetch_add(1, Ordering::Relaxed) > MAX_HOLDERS {
            // As `Arc` does. Half the range is left for threads that come here at the same time.
            std::process::abort();
        }
    }

    /// A holder is dropped. True if it was the last: the data is the caller's to drop.
    pub(super) fn release(&self) -> bool {
        if self.0.fetch_sub(1, orders::RELEASE) != 1 {
            return false;
        }
        // A load in place of a fence, as in `join_dead`: what the others did to the data comes before what follows.
        self.0.load(orders::LAST);
        true
    }

    /// Whether the caller's holder is the only one.
    pub(super) fn is_last(&self) -> bool {
        self.0.load(orders::LAST) == 1
    }
}

/// The state of a suspending task.
#[derive(Debug)]
pub(super) struct State(AtomicU64);

impl State {
    /// State of a new task that is about to be queued, with `handles` handles beside the task's own reference.
    pub(super) fn queued(handles: i64) -> Self {
        let word = Word {
            owned: true,
            notified: false,
            done: false,
            unbegun: false,
            refs: 1 + handles,
        };
        State(AtomicU64::new(word.pack()))
    }

    /// State of a new task that is about to be queued, and that [`claim`](Self::claim) may take out of turn.
    pub(super) fn unbegun(handles: i64) -> Self {
        let word = Word {
            owned: true,
            notified: false,
            done: false,
            unbegun: true,
            refs: 1 + handles,
        };
        State(AtomicU64::new(word.pack()))
    }

    /// State of a new task that waits to be woken, with `handles` handles beside the task's own reference.
    pub(super) fn suspended(handles: i64) -> Self {
        let word = Word {
            owned: false,
            notified: false,
            done: false,
            unbegun: false,
            refs: 1 + handles,
        };
        State(AtomicU64::new(word.pack()))
    }

    /// State of memory without a task, with `handles` handles.
    pub(super) fn done(handles: i64) -> Self {
        let word = Word {
            owned: false,
            notified: false,
            done: true,
            unbegun: false,
            refs: handles,
        };
        State(AtomicU64::new(word.pack()))
    }

    fn change(
        &self,
        success: Ordering,
        failure: Ordering,
        to: impl Fn(Word) -> Option<Word>,
    ) -> Result<Word, Word> {
        let mut now = self.0.load(failure);
        loop {
            let old = Word::unpack(now);
            let Some(new) = to(old) else {
                return Err(old);
            };
            match self
                .0
                .compare_exchange_weak(now, new.pack(), success, failure)
            {
                Ok(_) => return Ok(old),
                Err(word) => now = word,
            }
        }
    }

    /// Called by any holder of a reference, which is given up if `last`: the task must be polled.
    pub(super) fn wake(&self, last: bool) -> Wake {
        let given = i64::from(last);
        let changed = self.change(orders::WAKE, Ordering::Relaxed, |old| {
            let refs = old.refs - given;
            if old.done {
                return last.then_some(Word { refs, ..old });
            }
            Some(Word {
                owned: true,
                notified: old.owned,
                refs,
                ..old
            })
        });
        match changed {
            Ok(old) if old.done => self.freed(old.refs == 1),
            Ok(old) if !old.owned => Wake::Queue,
            _ => Wake::Nothing,
        }
    }

    fn freed(&self, dead: bool) -> Wake {
        if !dead {
            return Wake::Nothing;
        }
        self.join_dead();
        Wake::Free
    }

    /// Returns true if no worker has begun the task (a racing view).
    pub(super) fn is_unbegun(&self) -> bool {
        // Relaxed: `claim` decides.
        Word::unpack(self.0.load(Ordering::Relaxed)).unbegun
    }

    /// The holder of the first entry, which it took from a queue: true if the task is the caller's to poll. If not, it has
    /// been claimed, and the entry's reference is the caller's to give up.
    pub(super) fn begin_first(&self) -> bool {
        // Relaxed: the queue has brought the task. No worker has polled it, so there is nothing else to see.
        let begun = self.change(Ordering::Relaxed, Ordering::Relaxed, |old| {
            old.unbegun.then_some(Word {
                unbegun: false,
                ..old
            })
        });
        begun.is_ok()
    }

    /// Called by any holder of a reference: returns true if the caller must poll the task, although its first entry is in
    /// a queue. From then on that entry has a reference.
    pub(super) fn claim(&self) -> bool {
        // Relaxed: the reference has brought the task. No worker has polled it, so there is nothing else to see.
        let claimed = self.change(Ordering::Relaxed, Ordering::Relaxed, |old| {
            old.unbegun.then_some(Word {
                unbegun: false,
                refs: sum_of_refs(old.refs, 1),
                ..old
            })
        });
        claimed.is_ok()
    }

    /// Whether at most one waker refers to a task that is suspended or queued, besides its holders and `extra` others (a
    /// racing view).
    pub(super) fn waits_for_one(&self, extra: i64) -> bool {
        // Relaxed: a guess.
        let word = Word::unpack(self.0.load(Ordering::Relaxed));
        // Its own reference, that of its holders, the waker's.
        !word.done && word.refs <= 3 + extra
    }

    /// The owner is about to poll: a wake-up from here on makes it poll again.
    pub(super) fn begin(&self) {
        // Relaxed: a wake-up that is not seen here is seen by `suspend`. The queue has brought what
        // the wake-up that queued the task is about.
        if Word::unpack(self.0.load(Ordering::Relaxed)).notified {
            // Acquire pairs with WAKE: what this wake-up is about is seen by the poll.
            self.0.fetch_and(!NOTIFIED, orders::BEGIN);
        }
    }

    /// The owner's poll was pending, and made `refs` more references than it gave up. True if the
    /// task is suspended; it is not the caller's any more then. Returns false if a thread has woken
    /// the task: the caller must poll it again, and nothing has been counted.
    pub(super) fn suspend(&self, refs: i64) -> bool {
        self.change(orders::SUSPEND, Ordering::Relaxed, |old| {
            (!old.notified).then_some(Word {
                owned: false,
                refs: sum_of_refs(old.refs, refs),
                ..old
            })
        })
        .is_ok()
    }

    /// The owner has polled to the end and dropped the future, and made `refs` more references than it
    /// gave up; the task's own reference is given up here. True if the memory is the caller's to free.
    pub(super) fn complete(&self, refs: i64) -> bool {
        let end = |old: Word| Word {
            owned: false,
            notified: false,
            done: true,
            unbegun: false,
            refs: sum_of_refs(old.refs, refs) - 1,
        };
        match self.change(orders::DROP, Ordering::Relaxed, |old| Some(end(old))) {
            Ok(old) if end(old).is_dead() => {
                self.join_dead();
                true
            }
            _ => false,
        }
    }

    /// Any holder of a reference: makes another.
    pub(super) fn add_ref(&self) {
        // Relaxed: the one at hand keeps the memory.
        let old = self.0.fetch_add(1 << REFS_SHIFT, Ordering::Relaxed);
        sum_of_refs(Word::unpack(old).refs, 1);
    }

    /// Gives a reference up. True if the memory is the caller's to free.
    pub(super) fn drop_ref(&self) -> bool {
        let old = Word::unpack(self.0.fetch_sub(1 << REFS_SHIFT, orders::DROP));
        let dead = old.done && old.refs == 1;
        if dead {
            self.join_dead();
        }
        dead
    }

    /// Whether it waits to be woken (a racing view).
    pub(super) fn is_suspended(&self) -> bool {
        // Acquire pairs with SUSPEND: what the owner left.
        let word = Word::unpack(self.0.load(Ordering::Acquire));
        !word.owned && !word.done
    }

    /// Whether the task is done.
    pub(super) fn is_done(&self) -> bool {
        Word::unpack(self.0.load(Ordering::Acquire)).done
    }

    /// After the last reference has been given up: the others' accesses to the memory come before the
    /// following ones.
    fn join_dead(&self) {
        // A load in place of a fence, which ThreadSanitizer would not follow. No other thread writes any more, so it reads the
        // end of the chain.
        self.0.load(orders::FREE);
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{MOST_REFS, State, Word};

    /// More than 32 bits of references, of which the polling thread has made nearly all.
    #[test]
    fn references_of_many_forgotten_wakers_are_counted() {
        const MADE: i64 = u32::MAX as i64;
        let refs = |state: &State| Word::unpack(state.0.load(super::Ordering::Relaxed)).refs;
        let state = State::queued(1);
        assert!(state.suspend(MADE));
        assert_eq!(refs(&state), 2 + MADE);
        assert_eq!(state.wake(false), super::Wake::Queue);
        state.begin();
        // The task's own reference goes, and the handle's: the wakers' stay.
        assert!(!state.complete(MADE));
        assert!(!state.drop_ref());
        assert_eq!(refs(&state), 2 * MADE);
    }

    /// Set in processes that should end: the way in which they try to make references.
    #[cfg(all(unix, not(miri)))]
    const WAY: &str = "HEIST_TEST_REFERENCES";

    #[cfg(all(unix, not(miri)))]
    #[test]
    fn a_reference_too_many_ends_the_process() {
        use std::os::unix::process::ExitStatusExt;
        for way in ["elsewhere", "in a poll", "suspended", "completed"] {
            let output = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "suspend::state::tests::makes_too_many"])
                .args(["--ignored", "--nocapture"])
                .env(WAY, way)
                .output()
                .unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            let line = "heist: too many references to one task: wakers of it are forgotten without being dropped; aborting\n";
            assert!(said.ends_with(line), "{way}: {said}");
            assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{way}");
        }
    }

    #[cfg(all(unix, not(miri)))]
    #[test]
    #[ignore = "run by the test above, in processes of its own"]
    fn makes_too_many() {
        let Ok(way) = std::env::var(WAY) else {
            return;
        };
        let state = State::queued(MOST_REFS - 1);
        match &*way {
            "elsewhere" => state.add_ref(),
            "suspended" => drop(state.suspend(1)),
            "completed" => drop(state.complete(1)),
            _ => {
                let pool = crate::Pool::new(1).unwrap();
                let many = |context: &mut std::task::Context<'_>| {
                    // SAFETY: the task that is polled now, by this thread.
                    let task = unsafe { &*crate::worker::local().polled.get() };
                    task.set_pending(MOST_REFS);
                    std::mem::forget(context.waker().clone());
                    std::task::Poll::Ready(())
                };
                pool.spawn_async(std::future::poll_fn(many)).get();
            }
        }
    }

    #[test]
    fn packs_and_unpacks() {
        for flags in 0..16 {
            for refs in [-3, 0, 1, 1 << 40] {
                let word = Word {
                    owned: flags & 1 != 0,
                    notified: flags & 2 != 0,
                    done: flags & 4 != 0,
                    unbegun: flags & 8 != 0,
                    refs,
                };
                assert_eq!(Word::unpack(word.pack()), word);
                assert_eq!(word.is_dead(), word.done && refs == 0);
            }
        }
    }
}
