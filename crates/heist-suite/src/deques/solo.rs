//! Workloads with an owner and no thieves.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use heist_deque::Owner;

/// The number of items that stay in the deque during a measurement, so that every take finds at least two items. THE and Chase-Lev are slow
/// if a deque has one item or no item. The paper also does not measure deques with fewer than two items.
const BENEATH: usize = 2;
/// The number of items that stay in the deque during [`Solo::Alternating`].
const FEW: usize = 8;
/// The number of consecutive puts in [`Solo::Bursts`]. The items of one burst take 8 KB, so they stay in the first-level cache.
const BURST: usize = 1_000;

const EMPTY: &str = "it was empty before every item had come out";

/// A workload with an owner and no thieves. The tasks of the workload do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solo {
    /// `n` puts, then `n` takes: the paper's microbenchmark.
    PutsThenTakes,
    /// `n` takes, the paper's second microbenchmark. The time excludes the puts before the takes.
    Takes,
    /// 1,000 puts and 1,000 takes, repeatedly: `n` puts and `n` takes in total.
    Bursts,
    /// A put and a take alternately, on a deque of 8 items: `n` puts and `n` takes in total.
    Alternating,
}

impl Solo {
    /// All workloads, in the order of the tables.
    pub const ALL: [Solo; 4] = [
        Solo::PutsThenTakes,
        Solo::Takes,
        Solo::Bursts,
        Solo::Alternating,
    ];

    /// Returns the workload's name in every output.
    pub fn name(self) -> &'static str {
        match self {
            Solo::PutsThenTakes => "puts+takes",
            Solo::Takes => "takes",
            Solo::Bursts => "bursts",
            Solo::Alternating => "alternating",
        }
    }

    /// Returns the maximum number of items in the deque at any time of a run of `items` items.
    pub fn depth(self, items: usize) -> usize {
        match self {
            Solo::PutsThenTakes | Solo::Takes => items + BENEATH,
            Solo::Bursts => items.min(BURST) + BENEATH,
            Solo::Alternating => 1 + FEW,
        }
    }
}

/// A deque on which solo workloads run. Between runs, the bench keeps its deque. The bench also keeps the memory of the deque, unless the
/// deque itself frees memory.
pub trait SoloBench {
    /// Runs `workload` with `items` items on the calling thread, and returns the time of its measured part.
    ///
    /// # Errors
    /// Returns a description of the fault if the takes did not return the items that were put.
    ///
    /// # Panics
    /// Panics if the bench was made for fewer items.
    fn run(&mut self, workload: Solo, items: usize) -> Result<Duration, String>;

    /// Runs the workload once, for counting instructions. In each call, buffers first grow to `most` items, and [`Solo::Takes`] puts
    /// `most` items. So two calls with the same `most` differ only in the number of operations, which depends on `items`.
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run).
    ///
    /// # Panics
    /// Panics if the bench was made for fewer than `most` items, or if `items` is more than `most`.
    fn operate(self: Box<Self>, workload: Solo, items: usize, most: usize) -> Result<(), String>;
}

/// The interface of an owner's end that the workloads of this file use. The workloads count the items in the deque themselves, so they can
/// also run on a deque without checks.
pub(super) trait Ends {
    /// Returns the number of items for which the deque has room, or `None` if the deque grows.
    fn room(&self) -> Option<usize>;

    /// Puts an item.
    ///
    /// # Safety
    /// The deque must hold fewer items than `room` returns.
    unsafe fn put(&mut self, item: usize);

    /// Takes the newest item.
    ///
    /// # Safety
    /// An item must be in the deque.
    unsafe fn take(&mut self) -> Option<usize>;
}

impl<O: Owner<Item = usize>> Ends for O {
    fn room(&self) -> Option<usize> {
        None
    }

    #[inline(always)]
    unsafe fn put(&mut self, item: usize) {
        self.push(item);
    }

    #[inline(always)]
    unsafe fn take(&mut self) -> Option<usize> {
        self.pop()
    }
}

/// The bench around an owner's end. The deque is empty between runs.
pub(super) struct Alone<E>(pub(super) E);

impl<E: Ends> SoloBench for Alone<E> {
    fn run(&mut self, workload: Solo, items: usize) -> Result<Duration, String> {
        let ends = &mut self.0;
        let depth = workload.depth(items);
        assert!(
            ends.room().is_none_or(|room| depth <= room),
            "the bench was made for fewer items"
        );
        let beneath = match workload {
            Solo::Alternating => FEW,
            _ => BENEATH,
        };
        // Between runs the deque is empty. A run holds at most `depth` items at a time, for which the deque has room, and takes as many
        // items as it has put. If a take returns `None`, the run ends early and leaves items behind. Without thieves, only a faulty deque
        // can return `None`, and only if it checks for emptiness itself. A deque without this check returns an item from every take.
        // SAFETY: the deque is empty, and this call puts at most `depth` items.
        unsafe { puts(ends, items..items + beneath) };
        let (time, sum) = match workload {
            Solo::PutsThenTakes => clocked(|| {
                // SAFETY: together with the items beneath, the deque then has `depth` items.
                unsafe { puts(ends, 0..items) };
                // SAFETY: this call takes as many items as the previous call has put.
                unsafe { takes(ends, items) }
            }),
            Solo::Takes => {
                // SAFETY: together with the items beneath, the deque then has `depth` items.
                unsafe { puts(ends, 0..items) };
                // SAFETY: this call takes as many items as the previous call has put.
                clocked(|| unsafe { takes(ends, items) })
            }
            Solo::Bursts => clocked(|| {
                let mut sum = 0_usize;
                for start in (0..items).step_by(BURST) {
                    let burst = start..items.min(start + BURST);
                    // SAFETY: together with the items beneath, the deque then has at most `depth` items.
                    unsafe { puts(ends, burst.clone()) };
                    // SAFETY: this call takes as many items as the previous call has put.
                    sum = sum.wrapping_add(unsafe { takes(ends, burst.len()) }?);
                }
                Some(sum)
            }),
            // SAFETY: with one item more than the items beneath, the deque has at most `depth` items.
            Solo::Alternating => clocked(|| unsafe { alternate(ends, 0..items) }),
        };
        // SAFETY: the workload has taken as many items as it has put, so `beneath` items are left.
        let rest = unsafe { takes(ends, beneath) };
        let sum = sum.zip(rest).map(|(sum, rest)| sum.wrapping_add(rest));
        let wanted = (0..items + beneath).fold(0_usize, usize::wrapping_add);
        match sum {
            Some(sum) if sum == wanted => Ok(time),
            Some(_) => Err("other items came out than went in".to_owned()),
            None => Err(EMPTY.to_owned()),
        }
    }

    fn operate(
        mut self: Box<Self>,
        workload: Solo,
        items: usize,
        most: usize,
    ) -> Result<(), String> {
        assert!(items <= most, "more than the most");
        self.run(workload, most)?;
        if workload != Solo::Takes {
            return self.run(workload, items).map(drop);
        }
        // SAFETY: the deque is empty after a run, which had room for at least as many items.
        unsafe { puts(&mut self.0, 0..most) };
        // SAFETY: the loop takes at most as many items as it has just put.
        match black_box(unsafe { takes(&mut self.0, items) }) {
            Some(_) => Ok(()),
            None => Err(EMPTY.to_owned()),
        }
    }
}

fn clocked<R>(f: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = f();
    (start.elapsed(), result)
}

/// Puts the items of a range.
///
/// # Safety
/// The deque must have room for the items.
#[inline(never)]
unsafe fn puts<E: Ends>(ends: &mut E, items: Range<usize>) {
    for item in items {
        // SAFETY: by contract there is room for the item.
        unsafe { ends.put(item) };
    }
}

/// Takes `count` items and returns their sum, or `None` as soon as a take returns `None`.
///
/// # Safety
/// The deque must hold at least `count` items.
#[inline(never)]
unsafe fn takes<E: Ends>(ends: &mut E, count: usize) -> Option<usize> {
    let mut sum = 0_usize;
    for _ in 0..count {
        // SAFETY: by contract an item is in the deque.
        sum = sum.wrapping_add(unsafe { ends.take() }?);
    }
    Some(sum)
}

/// Puts items, and takes one item after each put. Returns the sum of the taken items, or `None` as soon as a take returns `None`.
///
/// # Safety
/// The deque must have room for one item.
#[inline(never)]
unsafe fn alternate<E: Ends>(ends: &mut E, items: Range<usize>) -> Option<usize> {
    let mut sum = 0_usize;
    for item in items {
        // SAFETY: by contract there is room for one item, and each earlier turn took as many items as it put.
        unsafe { ends.put(item) };
        // SAFETY: an item was just put.
        sum = sum.wrapping_add(unsafe { ends.take() }?);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deques::deques;

    #[test]
    fn every_deque_returns_its_items_in_repeated_runs() {
        for deque in deques() {
            for workload in Solo::ALL {
                for items in [1, 2, 999, 1_000, 2_345] {
                    let mut bench = deque.solo(workload.depth(items));
                    for _ in 0..3 {
                        bench.run(workload, items).unwrap_or_else(|wrong| {
                            panic!("{}, {} of {items}: {wrong}", deque.name, workload.name())
                        });
                    }
                }
            }
        }
    }

    /// A faulty deque. The deque loses an item, or returns an item twice.
    struct Faulty {
        items: Vec<usize>,
        fault: fn(&mut Vec<usize>),
    }

    impl Ends for Faulty {
        fn room(&self) -> Option<usize> {
            None
        }
        unsafe fn put(&mut self, item: usize) {
            self.items.push(item);
            if item == 7 {
                (self.fault)(&mut self.items);
            }
        }
        unsafe fn take(&mut self) -> Option<usize> {
            self.items.pop()
        }
    }

    #[test]
    fn a_lost_item_and_one_that_comes_twice_are_seen() {
        let run = |fault, workload| {
            let items = Vec::new();
            Alone(Faulty { items, fault }).run(workload, 20)
        };
        for workload in Solo::ALL {
            assert!(run(|_| {}, workload).is_ok());
            let lost: fn(&mut Vec<usize>) = |items| {
                items.pop();
            };
            assert!(run(lost, workload).unwrap_err().contains("empty"));
            let twice: fn(&mut Vec<usize>) = |items| items.push(7);
            assert!(run(twice, workload).unwrap_err().contains("other items"));
        }
    }

    #[test]
    fn operations_can_be_counted_on_every_deque() {
        for deque in deques() {
            for workload in Solo::ALL {
                for items in [10, 2_000] {
                    let bench = deque.solo(workload.depth(2_000));
                    bench.operate(workload, items, 2_000).unwrap();
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "made for fewer")]
    fn a_deque_without_checks_is_not_overfilled() {
        let split = deques().iter().find(|deque| deque.name == "split").unwrap();
        let _ = split
            .solo(Solo::PutsThenTakes.depth(10))
            .run(Solo::PutsThenTakes, 11);
    }
}
