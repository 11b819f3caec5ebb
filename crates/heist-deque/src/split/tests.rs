use std::ptr::without_provenance_mut;

use proptest::prelude::*;

use super::bench::Bench;
use super::{Batch, Claim, Popped, Sharing, Slot, SplitDeque, Words};

/// Benches whose items are numbers, stored as addresses that no thread dereferences.
impl Bench<()> {
    pub(super) fn filled(items: usize, sharing: Sharing) -> Self {
        let bench = Bench::new(32, sharing);
        for item in 0..items {
            bench.push(without_provenance_mut(item));
        }
        bench
    }

    pub(super) fn pop_number(&self) -> Option<usize> {
        self.pop().map(<*mut ()>::addr)
    }

    pub(super) fn claim(&self, floor: u32) -> Option<(usize, u32)> {
        match self.deque.claim(floor) {
            Claim::Taken(item, index) => Some((item.addr(), index)),
            Claim::Empty => None,
            Claim::Lost => unreachable!("nobody else is here"),
        }
    }

    pub(super) fn read(&self, batch: Batch<'_, ()>) -> Vec<usize> {
        let mut items = Vec::new();
        self.deque
            .read_batch(batch, |item| items.push(<*mut ()>::addr(item)));
        items
    }
}

/// Runs a test on a deque with the fence and on a deque without it. On one thread, both deques must behave equally.
pub(super) fn both(test: fn(Sharing)) {
    test(Sharing::Split);
    test(Sharing::SplitLocked);
}

#[test]
fn owner_pops_newest_first() {
    both(|sharing| {
        let bench = Bench::filled(4, sharing);
        assert_eq!(bench.counts(), (0, false, true, 4));
        assert_eq!(bench.pop_number(), Some(3));
        bench.push(without_provenance_mut(9));
        for item in [9, 2, 1, 0] {
            assert_eq!(bench.pop_number(), Some(item));
        }
        assert_eq!(bench.counts(), (0, false, false, 0));
        assert_eq!(bench.deque.capacity(), 32);
    });
}

#[test]
fn fills_to_the_last_slot() {
    both(|sharing| {
        let bench = Bench::filled(32, sharing);
        assert_eq!(bench.expose_all(), 32);
        assert_eq!(bench.pop_number(), Some(31));
        assert_eq!(bench.claim(0), Some((0, 0)));
    });
}

#[test]
fn exposes_the_older_half() {
    both(|sharing| {
        let bench = Bench::filled(5, sharing);
        for (public, private) in [(3, true), (1, true), (1, false), (0, false)] {
            assert_eq!(bench.expose_half(), public);
            assert_eq!(bench.deque.has_private(), private);
        }
        bench.push(without_provenance_mut(5));
        bench.push(without_provenance_mut(6));
        assert_eq!(bench.expose_all(), 2);
        assert_eq!(bench.expose_all(), 0);
        for item in 0..7 {
            assert_eq!(bench.claim(0), Some((item, item as u32)));
        }
        assert_eq!(bench.claim(0), None);
    });
}

#[test]
fn thieves_get_nothing_private() {
    both(|sharing| {
        let bench = Bench::filled(3, sharing);
        assert_eq!(bench.claim(0), None);
        assert_eq!(bench.deque.claim_batch(9).err(), Some(false));
        bench.expose_half();
        assert_eq!(bench.claim(0), Some((0, 0)));
        assert_eq!(bench.claim(0), Some((1, 1)));
        assert_eq!(bench.claim(0), None);
        assert_eq!(bench.pop_number(), Some(2));
        assert_eq!(bench.pop_number(), None);
    });
}

#[test]
fn claims_nothing_below_the_floor() {
    both(|sharing| {
        let bench = Bench::filled(3, sharing);
        bench.expose_all();
        assert_eq!(bench.claim(1), None);
        assert_eq!(bench.claim(0), Some((0, 0)));
        assert_eq!(bench.claim(1), Some((1, 1)));
        assert_eq!(bench.claim(3), None);
    });
}

#[test]
fn batches_take_half() {
    both(|sharing| {
        let bench = Bench::filled(9, sharing);
        bench.expose_all();
        let batch = bench.deque.claim_batch(100).unwrap();
        assert_eq!(batch.len(), 5);
        assert_eq!(bench.read(batch), [0, 1, 2, 3, 4]);
        // A batch has at most the requested number of slots, and at least one slot.
        let batch = bench.deque.claim_batch(1).unwrap();
        assert_eq!(bench.read(batch), [5]);
        let batch = bench.deque.claim_batch(0).unwrap();
        assert_eq!(bench.read(batch), [6]);
        let batch = bench.deque.claim_batch(2).unwrap();
        assert_eq!(bench.read(batch), [7]);
        let batch = bench.deque.claim_batch(2).unwrap();
        assert_eq!(bench.read(batch), [8]);
        assert_eq!(bench.deque.claim_batch(2).err(), Some(false));
        assert_eq!(bench.pop_number(), None);
    });
}

#[test]
#[should_panic(expected = "a batch is read from the deque that it was claimed from")]
fn a_batch_is_read_from_its_own_deque() {
    let bench = Bench::filled(1, Sharing::SplitLocked);
    let other = Bench::filled(1, Sharing::SplitLocked);
    bench.expose_all();
    let batch = bench.deque.claim_batch(1).unwrap();
    other.deque.read_batch(batch, |_| {});
}

#[test]
fn a_reclaim_takes_half_back() {
    both(|sharing| {
        let bench = Bench::filled(8, sharing);
        bench.expose_all();
        assert_eq!(bench.claim(0), Some((0, 0)));
        // Slots 1..8 are public. After the pop of 7, slots 1..4 are still public.
        assert_eq!(bench.pop_number(), Some(7));
        assert!(bench.deque.has_private());
        for item in [6, 5, 4] {
            // SAFETY: this is the owner, and the deque still contains an item.
            let fast = unsafe { bench.words().pop() };
            assert_eq!(fast, sharing == Sharing::Split);
            // SAFETY: this is the owner, whose last pop returned false.
            assert!(fast || unsafe { bench.deque.pop_slow() } == Popped::Mine);
            // SAFETY: this is the owner, whose pop has just succeeded.
            assert_eq!(unsafe { bench.deque.popped() }.addr(), item);
        }
        assert!(!bench.deque.has_private());
        assert_eq!(bench.claim(0), Some((1, 1)));
        assert_eq!(bench.pop_number(), Some(3));
        assert_eq!(bench.claim(0), None);
        assert_eq!(bench.pop_number(), Some(2));
        assert_eq!(bench.pop_number(), None);
    });
}

#[test]
fn a_stolen_frame_keeps_its_slot_until_it_is_retired() {
    both(|sharing| {
        let bench = Bench::filled(2, sharing);
        bench.expose_all();
        assert_eq!(bench.claim(0), Some((0, 0)));
        assert_eq!(bench.claim(0), Some((1, 1)));
        assert_eq!(bench.pop_number(), None);
        assert_eq!(bench.deque.height(), 2);
        // Meanwhile the owner runs other work that forks above that frame, and thieves may steal these forks, too.
        for item in [2, 3, 4] {
            bench.push(without_provenance_mut(item));
        }
        assert_eq!(bench.expose_half(), 2);
        assert_eq!(bench.claim(0), Some((2, 2)));
        assert_eq!(bench.pop_number(), Some(4));
        assert_eq!(bench.pop_number(), Some(3));
        assert_eq!(bench.pop_number(), None);
        for height in [2, 1, 0] {
            // SAFETY: this is the owner, and no thread uses the frame.
            unsafe { bench.deque.retire_stolen() };
            assert_eq!(bench.counts(), (height, false, false, height));
        }
        bench.push(without_provenance_mut(5));
        bench.expose_all();
        assert_eq!(bench.claim(0), Some((5, 0)));
    });
}

#[test]
fn rewinds_to_a_floor() {
    both(|sharing| {
        let bench = Bench::filled(4, sharing);
        bench.expose_all();
        for _ in 0..2 {
            let batch = bench.deque.claim_batch(2).unwrap();
            bench.read(batch);
        }
        let batch = bench.deque.claim_batch(2).unwrap();
        assert_eq!(bench.read(batch), [3]);
        // SAFETY: this is the owner, and all slots were claimed and read.
        unsafe { bench.deque.rewind_read(1) };
        assert_eq!(bench.counts(), (1, false, false, 1));
        bench.push(without_provenance_mut(7));
        assert_eq!(bench.pop_number(), Some(7));
        assert_eq!(bench.pop_number(), None);
        // SAFETY: this is the owner, and all claims were batches.
        assert!(unsafe { bench.deque.rewind_empty(0) });
        assert_eq!(bench.counts(), (0, false, false, 0));
    });
}

#[test]
fn an_empty_deque_rewinds_once_its_slots_are_read() {
    both(|sharing| {
        // SAFETY: in the calls below, this is the owner, all claims are batches, and each slot was
        // popped or claimed.
        let rewind = |bench: &Bench<()>| unsafe { bench.deque.rewind_empty(0) };
        let bench = Bench::filled(3, sharing);
        bench.expose_all();
        let older = bench.deque.claim_batch(2).unwrap();
        let newer = bench.deque.claim_batch(2).unwrap();
        assert_eq!(bench.pop_number(), None);
        assert!(!rewind(&bench));
        assert_eq!(bench.read(newer), [2]);
        assert!(!rewind(&bench));
        // The owner continues above the slots that have not been read.
        bench.push(without_provenance_mut(3));
        assert_eq!(bench.pop_number(), Some(3));
        assert_eq!(bench.read(older), [0, 1]);
        assert!(rewind(&bench));
        assert_eq!(bench.counts(), (0, false, false, 0));
        assert!(rewind(&bench));
    });
}

#[test]
fn detached_words_always_take_the_slow_path() {
    let slots = [const { Slot::<()>::new(std::ptr::null_mut()) }; 2];
    let scratch = slots.as_ptr().cast_mut();
    let words = Words::detached(scratch);
    for _ in 0..3 {
        // SAFETY: the scratch slot has room for one push.
        unsafe {
            words.push(without_provenance_mut(1));
            assert!(!words.pop());
        }
        assert_eq!(words.tail(), scratch);
    }
    let words = Words::at(scratch);
    // SAFETY: there is room for one item, the pop finds this item, and no deque uses the words.
    unsafe {
        words.push(without_provenance_mut(1));
        assert!(words.pop());
        words.detach(scratch);
        words.push(without_provenance_mut(1));
        assert!(!words.pop());
    }
}

#[test]
fn a_deque_is_for_several_threads() {
    fn shared<V: Send + Sync>() {}
    // The deque holds only addresses: its users are responsible for the frames.
    shared::<SplitDeque<std::rc::Rc<()>>>();
    shared::<Words<std::rc::Rc<()>>>();
}

#[derive(Clone, Debug)]
enum Step {
    Push,
    Pop,
    Claim(u32),
    Batch(u32),
    Read,
    ExposeHalf,
    ExposeAll,
    Force,
    Rewind(u32),
    RewindEmpty,
    GainFence,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => Just(Step::Push),
        4 => Just(Step::Pop),
        2 => (0_u32..6).prop_map(Step::Claim),
        2 => (0_u32..6).prop_map(Step::Batch),
        3 => Just(Step::Read),
        2 => Just(Step::ExposeHalf),
        1 => Just(Step::ExposeAll),
        2 => Just(Step::Force),
        2 => (0_u32..6).prop_map(Step::Rewind),
        2 => Just(Step::RewindEmpty),
        1 => Just(Step::GainFence),
    ];
    prop::collection::vec(step, 0..if cfg!(miri) { 80 } else { 600 })
}

fn sharings() -> impl Strategy<Value = Sharing> {
    prop_oneof![
        Just(Sharing::Split),
        Just(Sharing::SplitLocked),
        Just(Sharing::ChaseLev),
        Just(Sharing::The),
    ]
}

/// The expected contents of the deque: every slot up to the height, the head, and the split.
#[derive(Default)]
struct Model {
    slots: Vec<usize>,
    head: usize,
    split: usize,
    /// The slots that thieves have claimed in batches and not read yet.
    unread: usize,
    /// True if a thief has ever claimed a single frame. The deque does not count claims of single frames.
    single: bool,
    /// True if all slots are public.
    open: bool,
}

impl Model {
    fn pop(&mut self) -> Option<usize> {
        if self.head == self.slots.len() {
            return None;
        }
        let item = self.slots.pop();
        let mine = self.slots.len();
        if self.open {
            self.split = mine;
        } else if mine < self.split {
            self.split = self.head + (mine - self.head) / 2;
        }
        item
    }

    fn expose(&mut self, all: bool) -> usize {
        let private = self.slots.len() - self.split;
        let count = if all { private } else { private.div_ceil(2) };
        self.split += count;
        count
    }
}

proptest! {
    // Keep no file of past failures: Miri has no file system.
    #![proptest_config(ProptestConfig {
        cases: if cfg!(any(miri, heist_brief)) { 4 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn behaves_like_a_vector_with_two_limits(
        steps in steps(),
        sharing in sharings(),
        singles in any::<bool>(),
    ) {
        let bench = Bench::filled(0, sharing);
        let mut model = Model {
            open: sharing.is_open(),
            ..Model::default()
        };
        let alone = sharing == Sharing::ChaseLev;
        let mut batches = std::collections::VecDeque::new();
        for (item, step) in steps.into_iter().enumerate() {
            match step {
                Step::Push if model.slots.len() < 32 => {
                    bench.push(without_provenance_mut(item));
                    model.slots.push(item);
                    model.split += usize::from(model.open);
                }
                Step::Pop if !model.slots.is_empty() => {
                    prop_assert_eq!(bench.pop_number(), model.pop());
                }
                Step::Claim(floor) if singles => {
                    let head = model.head;
                    let there = head < model.split && head >= floor as usize;
                    let expected = there.then(|| (model.slots[head], head as u32));
                    prop_assert_eq!(bench.claim(floor), expected);
                    model.head += usize::from(there);
                    model.single |= there;
                }
                Step::Batch(most) => {
                    let public = model.split - model.head;
                    let first = model.head;
                    match bench.deque.claim_batch(most) {
                        Ok(batch) => {
                            let most = if alone { 1 } else { most as usize };
                            let len = public.div_ceil(2).min(most.max(1));
                            prop_assert_eq!(batch.len() as usize, len);
                            model.head += len;
                            model.unread += len;
                            batches.push_back((batch, first, model.slots[first..][..len].to_vec()));
                        }
                        Err(lost) => prop_assert!(!lost && public == 0),
                    }
                }
                Step::Read => {
                    if let Some((batch, _, items)) = batches.pop_front() {
                        model.unread -= items.len();
                        prop_assert_eq!(bench.read(batch), items);
                    }
                }
                Step::ExposeHalf => {
                    prop_assert_eq!(bench.expose_half() as usize, model.expose(false));
                }
                Step::ExposeAll => {
                    prop_assert_eq!(bench.expose_all() as usize, model.expose(true));
                }
                Step::GainFence => bench.gain_fence(),
                Step::Force => {
                    prop_assert_eq!(bench.force_quietly(), model.expose(false) > 0);
                }
                Step::Rewind(down) => {
                    let height = model.slots.len();
                    let floor = height.saturating_sub(down as usize);
                    let read = batches.iter().all(|(_, first, items)| first + items.len() <= floor);
                    if model.head == height && read {
                        // SAFETY: this is the owner, and all slots from the floor on are claimed
                        // and read.
                        unsafe { bench.deque.rewind_read(floor as u32) };
                        model.slots.truncate(floor);
                        model.head = floor;
                        model.split = floor;
                    }
                }
                Step::RewindEmpty => {
                    let height = model.slots.len();
                    let all_read = model.unread == 0 && !model.single;
                    let expected = height == 0 || model.head == height && all_read;
                    // SAFETY: this is the owner. The only effect of a claim of a single frame is that it prevents the rewind.
                    prop_assert_eq!(unsafe { bench.deque.rewind_empty(0) }, expected);
                    if expected {
                        model.slots.clear();
                        model.head = 0;
                        model.split = 0;
                    }
                }
                Step::Push | Step::Pop | Step::Claim(_) => {}
            }
            let height = model.slots.len();
            let counts = (
                model.head as u32,
                model.head < model.split,
                height > model.split,
                height as u32,
            );
            prop_assert_eq!(bench.counts(), counts);
        }
    }
}
