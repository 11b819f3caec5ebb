//! Checks parallel sequences of collections that this crate does not know, and of producers that violate their contract.

#[path = "../examples/producer.rs"]
#[allow(dead_code, unreachable_pub, reason = "a program")]
mod example;

use example::Particles;
use heist::Pool;
use heist::par::{Eager, Innermost, Producer, Rope, Structural, Tary, from_producer, prelude::*};
use std::collections::LinkedList;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const THREADS: &[usize] = if cfg!(miri) { &[2] } else { &[1, 2, 8] };
const LENGTHS: &[usize] = if cfg!(miri) {
    &[0, 1, 2, 33]
} else {
    &[0, 1, 2, 3, 33, 1000, 20_000]
};

/// Runs a test in pools of several sizes, for several lengths.
fn everywhere(test: impl Fn(usize) + Sync) {
    for &threads in THREADS {
        let pool = Pool::new(threads).unwrap();
        for &len in LENGTHS {
            pool.install(|| test(len));
        }
    }
}

#[test]
fn the_example_runs() {
    if !cfg!(miri) {
        example::main();
    }
}

#[test]
fn a_foreign_collection_has_the_operations_of_iterators() {
    everywhere(|len| {
        let particles = Particles::new(len);
        let pair = |i: usize| (i as f64, i as f64 / 2.0);
        let copied = || particles.par().map(|(x, v)| (*x, *v));
        let all: Vec<_> = copied().collect();
        assert!(all.iter().copied().eq((0..len).map(pair)));
        assert_eq!(copied().collect::<Rope<_>>().len(), len);
        assert_eq!(particles.par().len(), len);
        assert_eq!(particles.par().count(), len);
        let back: Vec<_> = copied().rev().collect();
        assert!(back.iter().copied().eq((0..len).map(pair).rev()));
        let some: Vec<_> = copied().skip(3).step_by(7).take(100).collect();
        let theirs = (0..len).map(pair).skip(3).step_by(7).take(100);
        assert!(some.iter().copied().eq(theirs));
        let zipped: Vec<_> = particles.par().zip(0..len).map(|(_, i)| i).collect();
        assert!(zipped.into_iter().eq(0..len));
        let even: Vec<_> = copied().filter(|(x, _)| x % 2.0 == 0.0).collect();
        assert_eq!(even.len(), len.div_ceil(2));
        let third = len / 3;
        let found = particles.par().position_first(|(x, _)| *x == third as f64);
        assert_eq!(found, (len > 0).then_some(third));
        let chunks: Vec<_> = copied().chunks(10).map(|chunk| chunk.len()).collect();
        assert_eq!(chunks.iter().sum::<usize>(), len);
        let twice: Vec<_> = copied().chain(copied()).collect();
        assert!(twice.iter().eq(all.iter().chain(&all)));
        let prefixes = copied().map(|(x, _)| x as u64).inclusive_scan(|a, b| a + b);
        assert_eq!(
            prefixes.last().copied(),
            (1..len as u64)
                .reduce(|a, b| a + b)
                .or((len == 1).then_some(0))
        );
        let (low, high): (Vec<_>, Vec<_>) = copied().partition(|(x, _)| *x < 10.0);
        assert_eq!(
            (low.len(), high.len()),
            (len.min(10), len.saturating_sub(10))
        );
    });
}

#[test]
fn it_is_split_by_every_policy() {
    everywhere(|len| {
        let particles = Particles::new(len);
        let right = (0..len as u64).sum::<u64>();
        let items = || particles.par().map(|(x, _)| *x as u64);
        assert_eq!(items().splitting(Eager(16)).sum::<u64>(), right);
        assert_eq!(items().splitting(Innermost).sum::<u64>(), right);
        assert_eq!(items().splitting(Structural).sum::<u64>(), right);
        assert_eq!(items().splitting(Tary(4)).sum::<u64>(), right);
        let nested = (0..3).par().flat_map(|_| items());
        assert_eq!(nested.sum::<u64>(), 3 * right);
    });
}

#[test]
fn a_foreign_collection_is_changed_in_place() {
    everywhere(|len| {
        let mut particles = Particles::new(len);
        particles.par_mut().for_each(|(x, v)| {
            *v += 1.0;
            *x -= *v;
        });
        let right = |i: usize| (i as f64 - (i as f64 / 2.0 + 1.0), i as f64 / 2.0 + 1.0);
        let all: Vec<_> = particles.par().map(|(x, v)| (*x, *v)).collect();
        assert!(all.into_iter().eq((0..len).map(right)));
    });
}

/// An item that is counted while it exists.
struct Counted(usize, Arc<AtomicUsize>);

impl Counted {
    fn list(len: usize, live: &Arc<AtomicUsize>) -> ByValue {
        live.fetch_add(len, Ordering::Relaxed);
        ByValue((0..len).map(|i| Counted(i, Arc::clone(live))).collect())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A collection that yields its items by value.
struct ByValue(LinkedList<Counted>);

impl Producer for ByValue {
    type Item = Counted;
    type IntoIter = std::collections::linked_list::IntoIter<Counted>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }

    fn split_at(mut self, index: usize) -> (Self, Self) {
        let right = self.0.split_off(index);
        (self, ByValue(right))
    }
}

#[test]
fn each_item_is_dropped_once() {
    everywhere(|len| {
        let live = Arc::new(AtomicUsize::new(0));
        let list = || from_producer(Counted::list(len, &live));
        let is_over = || live.load(Ordering::Relaxed) == 0;
        let all: Vec<Counted> = list().collect();
        assert!(all.iter().map(|item| item.0).eq(0..len));
        drop(all);
        assert!(is_over());
        list().for_each(drop);
        assert!(is_over());
        drop(list());
        assert!(is_over());
        drop(list().skip(len / 2).take(5).collect::<Vec<_>>());
        assert!(is_over());
        let found = list().find_first(|item| item.0 == len / 2);
        assert_eq!(found.map(|item| item.0), (len > 0).then_some(len / 2));
        assert!(is_over());
        drop(list().rev().step_by(3).collect::<Vec<_>>());
        assert!(is_over());
        if len > 1 {
            let bomb = |item: Counted| assert!(item.0 != len / 2, "item {}", item.0);
            let caught = catch_unwind(AssertUnwindSafe(|| list().for_each(bomb)));
            let text = caught.unwrap_err().downcast::<String>().unwrap();
            assert_eq!(*text, format!("item {}", len / 2));
            assert!(is_over());
        }
    });
}

/// The ways in which a producer violates its contract.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Lie {
    /// The number of items that the producer yields differs from its length by this number.
    Yields(isize),
    /// The producer cuts this number of items further to the right than requested, but reports the requested position.
    SplitsAt(isize),
    /// After a split, the two parts together report this number of items more than the whole.
    Grows(usize),
    /// The producer panics when it is split.
    SplitPanics,
    /// The producer panics when it is iterated.
    IterPanics,
    /// The producer reports a different length at each call.
    Changes,
}

struct Liar {
    from: usize,
    to: usize,
    lie: Lie,
    live: Arc<AtomicUsize>,
    asked: AtomicUsize,
}

impl Liar {
    fn new(len: usize, lie: Lie, live: &Arc<AtomicUsize>) -> Self {
        Liar::part(0, len, lie, live)
    }

    fn part(from: usize, to: usize, lie: Lie, live: &Arc<AtomicUsize>) -> Self {
        Liar {
            from,
            to,
            lie,
            live: Arc::clone(live),
            asked: AtomicUsize::new(0),
        }
    }
}

impl Producer for Liar {
    type Item = Counted;
    type IntoIter = std::vec::IntoIter<Counted>;

    fn len(&self) -> usize {
        let len = self.to.saturating_sub(self.from);
        match self.lie {
            Lie::Changes => len + self.asked.fetch_add(1, Ordering::Relaxed) % 3,
            _ => len,
        }
    }

    fn into_iter(self) -> Self::IntoIter {
        assert!(self.lie != Lie::IterPanics, "into_iter");
        let end = match self.lie {
            Lie::Yields(more) => self.to.saturating_add_signed(more),
            _ => self.to,
        };
        let items = self.from..end.max(self.from);
        self.live.fetch_add(items.len(), Ordering::Relaxed);
        let counted = items.map(|i| Counted(i, Arc::clone(&self.live)));
        counted.collect::<Vec<_>>().into_iter()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        assert!(self.lie != Lie::SplitPanics, "split_at");
        let (middle, end) = match self.lie {
            Lie::SplitsAt(by) => (index.saturating_add_signed(by), self.to),
            Lie::Grows(by) => (index, self.to + by),
            _ => (index, self.to),
        };
        let middle = (self.from + middle).min(end);
        let left = Liar::part(self.from, middle, self.lie, &self.live);
        (left, Liar::part(middle, end, self.lie, &self.live))
    }
}

/// Suppresses the messages of panics that have one of these texts, because the tests panic thousands of times.
fn silence(texts: &'static [&'static str]) {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        if !text.is_some_and(|text| texts.iter().any(|wanted| text.contains(wanted))) {
            print(panic);
        }
    }));
}

/// An operation on a producer that violates its contract either gives the right result or panics. The operation reads no
/// uninitialised item, drops no item twice, and leaks no item.
#[test]
fn a_producer_that_lies_makes_the_operation_panic() {
    let lies = [
        Lie::Yields(-1),
        Lie::Yields(1),
        Lie::Yields(-1000),
        Lie::SplitsAt(1),
        Lie::SplitsAt(-1),
        Lie::Grows(1),
        Lie::SplitPanics,
        Lie::IterPanics,
        Lie::Changes,
    ];
    silence(&[
        "producer",
        "split_at",
        "into_iter",
        "heist: a part",
        "of another length",
    ]);
    let mut panics = [0; 9];
    for &threads in THREADS {
        let pool = Pool::new(threads).unwrap();
        for &len in LENGTHS {
            for (lie, panics) in lies.into_iter().zip(&mut panics) {
                let live = Arc::new(AtomicUsize::new(0));
                let liar = || from_producer(Liar::new(len, lie, &live));
                let right = |items: &[Counted]| items.iter().map(|item| item.0).eq(0..len);
                let operations: [&(dyn Fn() -> bool + Sync); 9] = [
                    &|| right(&liar().collect::<Vec<_>>()),
                    &|| right(&liar().splitting(Eager(2)).collect::<Vec<_>>()),
                    &|| {
                        let mut back: Vec<_> = liar().rev().collect();
                        back.reverse();
                        right(&back)
                    },
                    &|| {
                        let mut all = Vec::new();
                        liar().collect_into_vec(&mut all);
                        right(&all)
                    },
                    &|| {
                        let (left, both): (Vec<_>, Vec<_>) =
                            liar().map(|item| (item.0, item)).unzip();
                        left.into_iter().eq(0..len) && right(&both)
                    },
                    &|| {
                        let (mut left, mut both) = (Vec::new(), Vec::new());
                        let pairs = liar().map(|item| (item.0, item));
                        pairs.unzip_into_vecs(&mut left, &mut both);
                        left.into_iter().eq(0..len) && right(&both)
                    },
                    &|| liar().collect_rope(8).iter().map(|item| item.0).eq(0..len),
                    &|| liar().map(|item| item.0).inclusive_scan(|a, b| a + b).len() == len,
                    &|| liar().zip(0..len).all(|(item, i)| item.0 == i),
                ];
                for (which, operation) in operations.into_iter().enumerate() {
                    let result = catch_unwind(AssertUnwindSafe(|| pool.install(operation)));
                    match result {
                        Err(_) => *panics += 1,
                        // The operation may leave out surplus items. If no split happens, a wrong split has no effect.
                        Ok(is_right) => assert!(
                            is_right || lie == Lie::Changes,
                            "{lie:?}, {len} items, operation {which}"
                        ),
                    }
                    let left = live.load(Ordering::Relaxed);
                    assert_eq!(left, 0, "{lie:?}, {len} items, operation {which}");
                }
            }
        }
    }
    for (lie, panics) in lies.into_iter().zip(panics) {
        assert!(panics > 0, "{lie:?} was never noticed");
    }
}
