//! A thief's request to one victim, and the victim's answer: see the README of this folder, "Asking one victim".

use crate::platform::shim::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use crate::task::Header;

/// The state, in the low bits of the word, in which there is no request.
const FREE: u64 = 0;
const ASKED: u64 = 1;
const ACCEPTED: u64 = 2;
const ANSWERED: u64 = 3;
const STATE: u64 = 3;
const FLOOR_SHIFT: u32 = 32;

/// The value of the word: a state and, if the state is [`ASKED`], a number that says which work the thief can use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Word(u64);

impl Word {
    fn asked(floor: u32) -> Self {
        Word(ASKED | u64::from(floor) << FLOOR_SHIFT)
    }

    fn state(self) -> u64 {
        self.0 & STATE
    }

    fn floor(self) -> u32 {
        (self.0 >> FLOOR_SHIFT) as u32
    }
}

/// The index in an answer that contains a task, or no work.
const NO_INDEX: u32 = u32::MAX;

/// A victim's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::worker) enum Answer {
    Nothing,
    /// A frame, and the index of the deque cell from which the victim claimed it.
    Frame(*mut Header, u32),
    Task(*mut Header),
}

/// The word for requests to one worker, the victim, and the place for the victim's answer. The word can hold one request at a time.
#[derive(Debug)]
pub(in crate::worker) struct DirectRequest {
    word: AtomicU64,
    item: AtomicPtr<Header>,
    index: AtomicU32,
}

/// The order of the exchange that accepts a request. Pairs with the thief's [`ASK`], and through `ASK` with the previous
/// thief's [`RELEASE`].
const ACCEPT: Ordering = if cfg!(heist_mutant = "direct_request_accept") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The order of the store with which the victim publishes its answer, or announces that it stands still. Pairs with [`SEE`].
const ANSWER: Ordering = if cfg!(heist_mutant = "direct_request_answer") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The order of the load after which the thief reads the answer, or uses the deque of a victim that stands still. Pairs with
/// [`ANSWER`].
const SEE: Ordering = if cfg!(heist_mutant = "direct_request_see") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The order of the store that ends a request. Pairs with [`GO`], and with [`ACCEPT`], because the next request is a read-modify-write of
/// the value that this store wrote.
const RELEASE: Ordering = if cfg!(heist_mutant = "direct_request_release") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The order of the load after which the victim continues. Pairs with [`RELEASE`].
const GO: Ordering = if cfg!(heist_mutant = "direct_request_go") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The order of the exchange that makes a request. This order is relaxed, because a request carries no data. The exchange is a
/// read-modify-write, so it continues the release sequence of [`RELEASE`].
const ASK: Ordering = Ordering::Relaxed;

impl DirectRequest {
    pub(in crate::worker) fn new() -> Self {
        DirectRequest {
            word: AtomicU64::new(FREE),
            item: AtomicPtr::new(std::ptr::null_mut()),
            index: AtomicU32::new(NO_INDEX),
        }
    }

    /// Reads the word. In models, the read is a read-modify-write that does not change the word, because loom omits some interleavings of
    /// loads. If a thread stores to a word and then loads another word, loom does not move the store before an earlier load of another
    /// thread.
    fn look(&self, order: Ordering) -> u64 {
        if cfg!(heist_model) {
            self.word.fetch_add(0, order)
        } else {
            self.word.load(order)
        }
    }

    /// Writes the word. In models, the write is an exchange, because loom does not order a word's plain stores with its exchanges.
    fn set(&self, word: u64, order: Ordering) {
        if cfg!(heist_model) {
            self.word.swap(word, order);
        } else {
            self.word.store(word, order);
        }
    }

    fn change(&self, from: u64, to: u64, order: Ordering) -> bool {
        self.word
            .compare_exchange(from, to, order, Ordering::Relaxed)
            .is_ok()
    }

    // --- The thief.

    /// Requests an entry at `floor` or above. Returns false if the word contains another thief's request.
    pub(in crate::worker) fn ask(&self, floor: u32) -> bool {
        // The thief loads the word first, because a load leaves the cache line in its owner's cache, and an exchange does not.
        self.look(Ordering::Relaxed) == FREE && self.change(FREE, Word::asked(floor).0, ASK)
    }

    /// Withdraws the request. Returns false if the victim has accepted the request, and so will answer.
    pub(in crate::worker) fn withdraw(&self, floor: u32) -> bool {
        // Relaxed: the exchange passes no data.
        self.change(Word::asked(floor).0, FREE, Ordering::Relaxed)
    }

    /// Returns true if the victim has answered, or stands still. In both cases the thief must later call
    /// [`release`](Self::release).
    pub(in crate::worker) fn is_answered(&self) -> bool {
        self.word.load(SEE) == ANSWERED
    }

    /// Returns the victim's answer. The victim must have answered.
    pub(in crate::worker) fn answer(&self) -> Answer {
        // Relaxed: the Acquire load of the word orders these loads.
        let item = self.item.load(Ordering::Relaxed);
        match self.index.load(Ordering::Relaxed) {
            _ if item.is_null() => Answer::Nothing,
            NO_INDEX => Answer::Task(item),
            index => Answer::Frame(item, index),
        }
    }

    /// Ends the request, after the thief has used the answer. If the victim stands still, this call lets it continue.
    pub(in crate::worker) fn release(&self) {
        self.set(FREE, RELEASE);
    }

    // --- The victim.

    /// Returns true if a thief has made a request. The result may be outdated.
    pub(in crate::worker) fn is_asked(&self) -> bool {
        Word(self.look(Ordering::Relaxed)).state() == ASKED
    }

    /// Accepts a request, if there is one, and returns the request's floor. From then on, the thief waits until the victim answers.
    pub(in crate::worker) fn accept(&self) -> Option<u32> {
        let word = Word(self.look(Ordering::Relaxed));
        (word.state() == ASKED && self.change(word.0, ACCEPTED, ACCEPT)).then(|| word.floor())
    }

    /// Puts an accepted request back into the state [`ASKED`].
    pub(in crate::worker) fn put_back(&self, floor: u32) {
        // Relaxed: this same thread executes the next ACCEPT, so that ACCEPT need not acquire again what the previous
        // ACCEPT has acquired.
        self.set(Word::asked(floor).0, Ordering::Relaxed);
    }

    /// Answers a request that was accepted. The victim does not wait for the thief.
    pub(in crate::worker) fn reply(&self, answer: Answer) {
        let (item, index) = match answer {
            Answer::Nothing => (std::ptr::null_mut(), NO_INDEX),
            Answer::Frame(item, index) => (item, index),
            Answer::Task(item) => (item, NO_INDEX),
        };
        // Relaxed: the Release store of the word orders these stores.
        self.item.store(item, Ordering::Relaxed);
        self.index.store(index, Ordering::Relaxed);
        self.set(ANSWERED, ANSWER);
    }

    /// Makes the victim stand still until the thief releases it. The victim must have accepted the request. During this time, calls `pause`
    /// repeatedly.
    pub(in crate::worker) fn stand_still(&self, mut pause: impl FnMut()) {
        self.set(ANSWERED, ANSWER);
        while self.word.load(GO) == ANSWERED {
            pause();
        }
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{ANSWERED, Answer, DirectRequest, Word};
    use std::ptr::without_provenance_mut;

    #[test]
    fn a_word_has_a_state_and_a_floor() {
        for floor in [0, 1, u32::MAX] {
            let word = Word::asked(floor);
            assert_eq!((word.state(), word.floor()), (super::ASKED, floor));
        }
        assert_eq!(Word(ANSWERED).state(), ANSWERED);
    }

    #[test]
    fn one_asks_at_a_time_and_gets_the_answer() {
        let direct_request = DirectRequest::new();
        assert_eq!(direct_request.accept(), None);
        assert!(direct_request.ask(7) && !direct_request.ask(8) && direct_request.is_asked());
        assert!(direct_request.withdraw(7));
        assert!(direct_request.ask(9));
        assert_eq!(direct_request.accept(), Some(9));
        assert!(!direct_request.withdraw(9) && !direct_request.is_answered());
        direct_request.put_back(9);
        assert_eq!(direct_request.accept(), Some(9));
        for answer in [
            Answer::Nothing,
            Answer::Frame(without_provenance_mut(16), 3),
            Answer::Task(without_provenance_mut(32)),
        ] {
            direct_request.reply(answer);
            assert!(direct_request.is_answered());
            assert_eq!(direct_request.answer(), answer);
            direct_request.release();
            assert!(direct_request.ask(0));
            assert_eq!(direct_request.accept(), Some(0));
        }
    }
}

#[cfg(all(test, heist_model))]
mod models {
    use super::{Answer, DirectRequest};
    use crate::task::Header;
    use loom::cell::UnsafeCell;
    use loom::thread;
    use std::ptr::without_provenance_mut;
    use std::sync::Arc;

    struct World {
        direct_request: DirectRequest,
        /// The victim's deque. A thief may use the deque only while the victim stands still.
        deque: UnsafeCell<usize>,
        /// The contents of an answer.
        contents: UnsafeCell<usize>,
    }

    // SAFETY: only the thread that the direct request admits accesses the deque. The model checks this rule.
    unsafe impl Sync for World {}
    // SAFETY: only the thread that the direct request admits accesses the deque. The model checks this rule.
    unsafe impl Send for World {}

    impl World {
        fn take(&self) -> usize {
            // SAFETY: only the caller may use the deque now, because the caller is the owner, or a thief whose victim stands still. The
            // model checks this rule.
            self.deque.with_mut(|left| unsafe {
                let taken = *left;
                *left = taken.saturating_sub(1);
                taken
            })
        }
    }

    fn run(thief: fn(&World) -> usize, victim: fn(&World) -> usize) {
        loom::model(move || {
            let world = Arc::new(World {
                direct_request: DirectRequest::new(),
                deque: UnsafeCell::new(2),
                contents: UnsafeCell::new(0),
            });
            let thief = {
                let world = Arc::clone(&world);
                // This thread makes two requests: for the direct request, each call is a different thief.
                thread::spawn(move || thief(&world) + thief(&world))
            };
            let taken = victim(&world) + thief.join().unwrap();
            // The items are 2 and 1, and each is taken once or left. SAFETY: both threads have
            // ended, so no other thread uses the deque.
            let left = world.deque.with(|left| unsafe { *left });
            let sums = [3, 1, 0];
            assert_eq!(taken, 3 - sums[2 - left], "left: {left}");
        });
    }

    fn looks(world: &World, answer: impl Fn()) -> usize {
        for _ in 0..2 {
            if world.direct_request.accept().is_some() {
                answer();
            }
        }
        world.take()
    }

    /// Checks that only the thief uses the deque while its victim stands still.
    #[test]
    fn a_victim_that_stands_still_shares_with_nobody_else() {
        fn thief(world: &World) -> usize {
            if !world.direct_request.ask(0) {
                return 0;
            }
            if world.direct_request.withdraw(0) {
                return 0;
            }
            while !world.direct_request.is_answered() {
                thread::yield_now();
            }
            let taken = world.take();
            world.direct_request.release();
            taken
        }
        run(thief, |world| {
            looks(world, || {
                world.direct_request.stand_still(thread::yield_now)
            })
        });
    }

    /// Checks that a thief that receives an entry from the victim also sees the victim's earlier writes.
    #[test]
    fn an_answer_is_complete_and_goes_to_the_thief_that_asked() {
        fn thief(world: &World) -> usize {
            if !world.direct_request.ask(0) {
                return 0;
            }
            if world.direct_request.withdraw(0) {
                return 0;
            }
            while !world.direct_request.is_answered() {
                thread::yield_now();
            }
            let taken = match world.direct_request.answer() {
                Answer::Task(item) => {
                    // SAFETY: the victim wrote the contents before its answer, and writes them again only
                    // after the release.
                    let contents = world.contents.with(|contents| unsafe { *contents });
                    assert_eq!(contents, <*mut Header>::addr(item));
                    contents
                }
                Answer::Nothing => 0,
                Answer::Frame(..) => unreachable!("none was given"),
            };
            world.direct_request.release();
            taken
        }
        run(thief, |world| {
            looks(world, || {
                let item = world.take();
                // SAFETY: no thief reads the contents before the reply, nor after its release.
                world
                    .contents
                    .with_mut(|contents| unsafe { *contents = item });
                world.direct_request.reply(match item {
                    0 => Answer::Nothing,
                    item => Answer::Task(without_provenance_mut(item)),
                });
            })
        });
    }
}
