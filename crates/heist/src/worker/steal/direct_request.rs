//! A thief's request to one victim, and its outcome: see the README of this folder, "Asking one victim".

use crate::platform::shim::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use crate::task::Header;

/// The states, in the low bits of the word.
const FREE: u64 = 0;
const ASKED: u64 = 1;
const ACCEPTED: u64 = 2;
const ANSWERED: u64 = 3;
const STATE: u64 = 3;
const FLOOR_SHIFT: u32 = 32;

/// The word: a state, and while it is [`ASKED`], the minimum height of the frame that the thief can use.
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

/// The index of an answer that is a task.
const NO_INDEX: u32 = u32::MAX;

/// Answer of a victim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::worker) enum Answer {
    Nothing,
    /// A frame, claimed at this index.
    Frame(*mut Header, u32),
    Task(*mut Header),
}

/// The place for requests to one worker, one request at a time. The request belongs to that worker, the victim.
#[derive(Debug)]
pub(in crate::worker) struct DirectRequest {
    word: AtomicU64,
    item: AtomicPtr<Header>,
    index: AtomicU32,
}

/// The request has been accepted: pairs with the thief's own [`ASK`], and through it with the last thief's [`RELEASE`].
const ACCEPT: Ordering = if cfg!(heist_mutant = "direct_request_accept") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The answer is ready, or the victim stands still. Pairs with [`SEE`].
const ANSWER: Ordering = if cfg!(heist_mutant = "direct_request_answer") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The thief reads the answer, or takes from the deque of a victim that stands still. Pairs with [`ANSWER`].
const SEE: Ordering = if cfg!(heist_mutant = "direct_request_see") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The thief is done. Pairs with [`GO`], and with [`ACCEPT`]: the next request is a read-modify-write of this store.
const RELEASE: Ordering = if cfg!(heist_mutant = "direct_request_release") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The victim continues. Pairs with [`RELEASE`].
const GO: Ordering = if cfg!(heist_mutant = "direct_request_go") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// A request carries no data; as a read-modify-write it continues the release sequence of [`RELEASE`].
const ASK: Ordering = Ordering::Relaxed;

impl DirectRequest {
    pub(in crate::worker) fn new() -> Self {
        DirectRequest {
            word: AtomicU64::new(FREE),
            item: AtomicPtr::new(std::ptr::null_mut()),
            index: AtomicU32::new(NO_INDEX),
        }
    }

    /// Reads the word. In models this is a read-modify-write that changes nothing: loom tries no store of one thread
    /// before a load of another if the first has loaded since.
    fn look(&self, order: Ordering) -> u64 {
        if cfg!(heist_model) {
            self.word.fetch_add(0, order)
        } else {
            self.word.load(order)
        }
    }

    /// Writes the word. In models this is an exchange: loom does not put plain stores and exchanges of one word in one order.
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

    /// Asks for an entry at `floor` or above. Returns false if another thief asks now.
    pub(in crate::worker) fn ask(&self, floor: u32) -> bool {
        // A look first: a line that is not written stays where it is.
        self.look(Ordering::Relaxed) == FREE && self.change(FREE, Word::asked(floor).0, ASK)
    }

    /// Takes the request back. Returns false if the victim has accepted it: then the answer will come.
    pub(in crate::worker) fn withdraw(&self, floor: u32) -> bool {
        // Relaxed: nothing has passed.
        self.change(Word::asked(floor).0, FREE, Ordering::Relaxed)
    }

    /// Whether the victim has answered, or stands still. Then the thief must call [`release`](Self::release).
    pub(in crate::worker) fn is_answered(&self) -> bool {
        self.word.load(SEE) == ANSWERED
    }

    /// The victim's answer, after it has answered.
    pub(in crate::worker) fn answer(&self) -> Answer {
        // Relaxed: ordered by the word.
        let item = self.item.load(Ordering::Relaxed);
        match self.index.load(Ordering::Relaxed) {
            _ if item.is_null() => Answer::Nothing,
            NO_INDEX => Answer::Task(item),
            index => Answer::Frame(item, index),
        }
    }

    /// The thief is done with the answer, or with a victim that stands still: the victim continues.
    pub(in crate::worker) fn release(&self) {
        self.set(FREE, RELEASE);
    }

    // --- The victim.

    /// Returns true if a thief has asked. A hint.
    pub(in crate::worker) fn is_asked(&self) -> bool {
        Word(self.look(Ordering::Relaxed)).state() == ASKED
    }

    /// Accepts a request, if there is one: from here on the thief waits for the answer. Returns the floor that the request gave.
    pub(in crate::worker) fn accept(&self) -> Option<u32> {
        let word = Word(self.look(Ordering::Relaxed));
        (word.state() == ASKED && self.change(word.0, ACCEPTED, ACCEPT)).then(|| word.floor())
    }

    /// Restores the state before the request was accepted.
    pub(in crate::worker) fn put_back(&self, floor: u32) {
        // Relaxed would lose what ACCEPT has seen to the next ACCEPT, which is on this same thread: nothing is lost.
        self.set(Word::asked(floor).0, Ordering::Relaxed);
    }

    /// Answers a request that was accepted. The victim continues.
    pub(in crate::worker) fn reply(&self, answer: Answer) {
        let (item, index) = match answer {
            Answer::Nothing => (std::ptr::null_mut(), NO_INDEX),
            Answer::Frame(item, index) => (item, index),
            Answer::Task(item) => (item, NO_INDEX),
        };
        // Relaxed: ordered by the word.
        self.item.store(item, Ordering::Relaxed);
        self.index.store(index, Ordering::Relaxed);
        self.set(ANSWERED, ANSWER);
    }

    /// Stands still, after a request that was accepted, until the thief is done. `pause` is called again and again.
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
        /// Belongs to the victim, except while the victim waits for a thief or after a thief has got an item.
        deque: UnsafeCell<usize>,
        /// Contents of an answer.
        contents: UnsafeCell<usize>,
    }

    // SAFETY: the direct request decides which thread may touch the deque; the model checks that.
    unsafe impl Sync for World {}
    // SAFETY: as above.
    unsafe impl Send for World {}

    impl World {
        fn take(&self) -> usize {
            // SAFETY: the caller has the deque to itself; the model checks that.
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
                // Twice: each is another one as far as the direct request goes.
                thread::spawn(move || thief(&world) + thief(&world))
            };
            let taken = victim(&world) + thief.join().unwrap();
            // Items 2 and 1, each once, or what is left of them.
            // SAFETY: no other thread is left.
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

    /// A thief asks, takes while its victim stands still, and releases it.
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

    /// The victim hands over an entry that it has taken itself, and its earlier effects are visible with it.
    #[test]
    fn an_answer_is_whole_and_goes_to_who_asked() {
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
                    // SAFETY: the victim has written it, and does so again only after the release.
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
                // SAFETY: no thief reads it before the reply, nor after it is done.
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
