//! The word that determines which thread may access a suspending task.

use super::orders;
use crate::platform::shim::{AtomicU32, AtomicU64, Ordering};

/// The word's parts: see the table in the README.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Word {
    /// A thread polls the task or will poll it: the task is in exactly one queue, or is being polled.
    owned: bool,
    /// The task was woken while it was owned.
    notified: bool,
    /// The task's future has been dropped, and is never polled again.
    done: bool,
    /// No worker has begun the task, and its first entry is in a queue. The thread that clears this flag executes the
    /// task's first poll.
    unbegun: bool,
    /// Number of references to the task's memory: wakers, the holders of its data together, and the task itself until
    /// it is done. During a poll, the number may be wrong, even below zero, because the owner adds its own changes
    /// only at the end of the poll. The number is right once the task is done.
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

    /// Returns true if the task is done and no thread refers to it any more.
    fn is_dead(self) -> bool {
        self.done && self.refs == 0
    }
}

/// Maximum number of references to a task: an eighth of the range of the count. Each change that adds references is checked, and adds at
/// most the maximum number. So the count does not wrap even if many threads pass the check at the same time.
const MOST_REFS: i64 = 1 << (60 - REFS_SHIFT);

/// Returns the sum of `refs` and `more`. Ends the process if there are too many references, as [`Arc`](std::sync::Arc)
/// does: leaked wakers would make the count wrap, and the task would be freed while a waker still exists.
#[inline]
pub(super) fn sum_of_refs(refs: i64, more: i64) -> i64 {
    let sum = refs + more;
    if sum > MOST_REFS {
        too_many("references to one task", "wakers of it");
    }
    sum
}

/// Ends the process, because there are too many values of the kind `of`: the program leaks them.
#[cold]
fn too_many(of: &str, forgotten: &str) -> ! {
    crate::platform::say(format_args!(
        "heist: too many {of}: {forgotten} are forgotten without being dropped; aborting"
    ));
    std::process::abort();
}

/// Action that must follow a wake-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wake {
    /// The caller must put the task into a queue.
    Queue,
    /// The caller has given up the last reference to the task, and must free the memory.
    Free,
    /// The caller has nothing to do.
    Nothing,
}

/// Number of events that must still occur before a task is queued for the first time.
#[derive(Debug)]
pub(super) struct Delays(AtomicU32);

impl Delays {
    pub(super) fn new(count: u32) -> Self {
        Delays(AtomicU32::new(count))
    }

    /// Counts down `count` delays. Returns true if no delay is left; then the caller must wake the task.
    pub(super) fn count_down(&self, count: u32) -> bool {
        self.0.fetch_sub(count, orders::DELAYS) == count
    }
}

/// Number of holders of a task's data: handles, and the task itself until it has given its result.
#[derive(Debug)]
pub(super) struct Holders(AtomicU32);

/// Maximum number of holders. If a task has more holders than the maximum, the program leaks handles, and the count might wrap around.
const MAX_HOLDERS: u32 = u32::MAX / 2;

impl Holders {
    pub(super) fn new(count: u32) -> Self {
        Holders(AtomicU32::new(count))
    }

    /// Adds a holder. The caller must be a holder.
    pub(super) fn add(&self) {
        // Relaxed: the caller is a holder, which keeps the data alive.
        if self.0.fetch_add(1, Ordering::Relaxed) > MAX_HOLDERS {
            // This check aborts as `Arc` does. Half of the range is left for threads that add holders at the same time.
            too_many("handles of one task", "they");
        }
    }

    /// Drops a holder. Returns true if the caller was the last holder; then the caller must drop the data.
    pub(super) fn release(&self) -> bool {
        if self.0.fetch_sub(1, orders::RELEASE) != 1 {
            return false;
        }
        // This load orders the other holders' accesses to the data before the caller's drop of the data. The code uses a load instead of a
        // fence, because ThreadSanitizer does not support fences.
        self.0.load(orders::LAST);
        true
    }

    /// Returns true if the caller is the only holder.
    pub(super) fn is_last(&self) -> bool {
        self.0.load(orders::LAST) == 1
    }
}

/// The state of a suspending task.
#[derive(Debug)]
pub(super) struct State(AtomicU64);

impl State {
    /// Returns the state of a new task that is about to be queued, with `handles` references in addition to the
    /// task's own.
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

    /// Returns the state of a new task that is about to be queued, and that [`claim`](Self::claim) may take out of
    /// turn.
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

    /// Returns the state of a new task that waits to be woken, with `handles` references in addition to the task's
    /// own.
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

    /// Returns the state of memory without a task, with `handles` handles.
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

    /// Makes sure that the task is polled again. The caller must have a reference. If `last` is set, this call
    /// gives up the reference.
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

    /// Returns true if no worker has begun the task (the answer may be outdated).
    pub(super) fn is_unbegun(&self) -> bool {
        // Relaxed: `claim` makes the decision.
        Word::unpack(self.0.load(Ordering::Relaxed)).unbegun
    }

    /// Decides whether the caller polls the task; the caller must have taken the first entry from a queue. Returns true if the caller must
    /// poll the task. If the function returns false, another thread has claimed the task, and the caller must give up the entry's
    /// reference.
    pub(super) fn begin_first(&self) -> bool {
        // Relaxed: the caller has acquired the task through the queue. No worker has polled it, so there are no other
        // writes to see.
        let begun = self.change(Ordering::Relaxed, Ordering::Relaxed, |old| {
            old.unbegun.then_some(Word {
                unbegun: false,
                ..old
            })
        });
        begun.is_ok()
    }

    /// Claims the task for the caller. The caller must have a reference. Returns true if the caller must poll the task;
    /// then the task's first entry is still in a queue, and has a reference of its own.
    pub(super) fn claim(&self) -> bool {
        // Relaxed: the caller has acquired the task with its reference. No worker has polled it, so there are no other
        // writes to see.
        let claimed = self.change(Ordering::Relaxed, Ordering::Relaxed, |old| {
            old.unbegun.then_some(Word {
                unbegun: false,
                refs: sum_of_refs(old.refs, 1),
                ..old
            })
        });
        claimed.is_ok()
    }

    /// Returns true if at most one waker refers to a task that is suspended or queued (the answer may be outdated). `extra` is the number
    /// of references that do not belong to the task, its wakers or its holders.
    pub(super) fn waits_for_one(&self, extra: i64) -> bool {
        // Relaxed: the caller uses the value only as a guess.
        let word = Word::unpack(self.0.load(Ordering::Relaxed));
        // The three references belong to the task itself, to its holders together, and to the
        // waker.
        !word.done && word.refs <= 3 + extra
    }

    /// Begins a poll by the owner: a wake-up after this call makes the owner poll again.
    pub(super) fn begin(&self) {
        // Relaxed: `suspend` sees a wake-up that this load misses. Through the queue, the owner has acquired the
        // writes before the wake-up that queued the task.
        if Word::unpack(self.0.load(Ordering::Relaxed)).notified {
            // Acquire pairs with WAKE: the poll sees the writes before this wake-up.
            self.0.fetch_and(!NOTIFIED, orders::BEGIN);
        }
    }

    /// Ends a poll that has returned `Pending`. The caller must be the owner. The poll has made `refs` more references than it has given
    /// up. If the task is suspended, returns true, and the task does not belong to the caller any more. If a thread has woken the task,
    /// returns false and does not add `refs`; the caller must then poll the task again.
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

    /// Ends the task, and gives up the task's own reference. The owner must have polled the future to its end and
    /// dropped it. The last poll has made `refs` more references than it has given up. Returns true if the caller must
    /// free the memory.
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

    /// Adds a reference. The caller must have a reference.
    pub(super) fn add_ref(&self) {
        // Relaxed: the caller's own reference keeps the memory.
        let old = self.0.fetch_add(1 << REFS_SHIFT, Ordering::Relaxed);
        sum_of_refs(Word::unpack(old).refs, 1);
    }

    /// Gives up a reference. Returns true if the caller must free the memory.
    pub(super) fn drop_ref(&self) -> bool {
        let old = Word::unpack(self.0.fetch_sub(1 << REFS_SHIFT, orders::DROP));
        let dead = old.done && old.refs == 1;
        if dead {
            self.join_dead();
        }
        dead
    }

    /// Returns true if the task waits to be woken (the answer may be outdated).
    pub(super) fn is_suspended(&self) -> bool {
        // Acquire pairs with SUSPEND: this thread sees the owner's writes.
        let word = Word::unpack(self.0.load(Ordering::Acquire));
        !word.owned && !word.done
    }

    /// Returns true if the task is done.
    pub(super) fn is_done(&self) -> bool {
        Word::unpack(self.0.load(Ordering::Acquire)).done
    }

    /// Orders all other threads' accesses to the memory before this thread's following accesses. The caller must have given up the last
    /// reference.
    fn join_dead(&self) {
        // This is a load instead of a fence, because ThreadSanitizer does not support fences. No other thread writes the word any more, so
        // the load reads the last value.
        self.0.load(orders::FREE);
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{MOST_REFS, State, Word};

    /// Counts more than 2^32 references. The polling thread has made nearly all these references.
    #[test]
    fn references_of_many_forgotten_wakers_are_counted() {
        const MADE: i64 = u32::MAX as i64;
        let refs = |state: &State| Word::unpack(state.0.load(super::Ordering::Relaxed)).refs;
        let state = State::queued(1);
        assert!(state.suspend(MADE));
        assert_eq!(refs(&state), 2 + MADE);
        assert_eq!(state.wake(false), super::Wake::Queue);
        state.begin();
        // The task's own reference and the handle's reference are given up; the wakers' references
        // stay.
        assert!(!state.complete(MADE));
        assert!(!state.drop_ref());
        assert_eq!(refs(&state), 2 * MADE);
    }

    /// The environment variable that this test sets for a child process that should abort. The value of the variable determines how the
    /// child makes references.
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
                    // SAFETY: this thread polls the task now, so it is live.
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
