//! The table of the deques that the benchmark measures.

use std::fmt;
use std::sync::LazyLock;

use heist_deque::{Owner, chase_lev, cilk5, double_ended, fifo, lifo, private};

use super::raid::{RaidBench, Robbed};
use super::rivals::{Crossbeam, St3};
use super::solo::{Alone, Ends, SoloBench};
use super::split::{CheckedSplit, Split};

/// The guarantee about how often an item leaves a deque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Exactly once, by the owner or a thief.
    ExactlyOnce,
    /// At least once. An item leaves more than once if a thief and the owner, or two thieves, take it at the same time.
    AtLeastOnce,
}

/// A deque that the benchmark measures.
pub struct Deque {
    /// The deque's name in every output.
    pub name: &'static str,
    /// A description in a few words.
    pub about: &'static str,
    /// The guarantee about how often an item leaves the deque.
    pub delivery: Delivery,
    /// True if the deque is from another project.
    pub rival: bool,
    solo: Make<dyn SoloBench>,
    raid: Option<Make<dyn RaidBench>>,
}

/// A function that makes a bench with a deque for at most the given number of items.
type Make<B> = Box<dyn Fn(usize) -> Box<B> + Send + Sync>;

impl Deque {
    /// Makes a deque for [`Solo`](super::Solo) workloads with at most `depth` items at a time. Only the calling thread can use the deque.
    pub fn solo(&self, depth: usize) -> Box<dyn SoloBench> {
        (self.solo)(depth)
    }

    /// Makes a deque for [`Raid`](super::Raid)s with at most `depth` items at a time. Returns `None` if the deque has no separate handle
    /// for thieves.
    pub fn raid(&self, depth: usize) -> Option<Box<dyn RaidBench>> {
        Some(self.raid.as_ref()?(depth))
    }

    /// Returns true if raids run on this deque.
    pub fn has_thieves(&self) -> bool {
        self.raid.is_some()
    }

    /// Returns an entry for a deque of `heist_deque` with an owner's end and a thief's end.
    fn ours<O>(
        name: &'static str,
        delivery: Delivery,
        make: fn(usize) -> O,
        about: &'static str,
    ) -> Deque
    where
        O: Owner<Item = usize> + 'static,
        O::Thief: Send,
    {
        Deque {
            name,
            about,
            delivery,
            rival: false,
            solo: Box::new(move |depth| Box::new(Alone(make(depth)))),
            raid: Some(Box::new(move |depth| Box::new(Robbed(make(depth))))),
        }
    }

    /// Returns an entry for a deque from another project. All deques from other projects deliver exactly once.
    fn rival<O>(name: &'static str, make: fn(usize) -> O, about: &'static str) -> Deque
    where
        O: Owner<Item = usize> + 'static,
        O::Thief: Send,
    {
        Deque {
            rival: true,
            ..Deque::ours(name, Delivery::ExactlyOnce, make, about)
        }
    }

    /// Returns an entry for a deque of `heist_deque` without a thief's end.
    fn without_thieves<E: Ends + 'static>(
        name: &'static str,
        make: fn(usize) -> E,
        about: &'static str,
    ) -> Deque {
        Deque {
            name,
            about,
            delivery: Delivery::ExactlyOnce,
            rival: false,
            solo: Box::new(move |depth| Box::new(Alone(make(depth)))),
            raid: None,
        }
    }
}

impl fmt::Debug for Deque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deque")
            .field("name", &self.name)
            .field("delivery", &self.delivery)
            .finish_non_exhaustive()
    }
}

/// Returns all deques in the order of the tables: first the deques of `heist_deque`, then the rivals.
pub fn deques() -> &'static [Deque] {
    use Delivery::{AtLeastOnce, ExactlyOnce};

    #[rustfmt::skip] // One line each.
    static DEQUES: LazyLock<Vec<Deque>> = LazyLock::new(|| vec![
        Deque::ours("chase-lev", ExactlyOnce, |_| chase_lev::Owner::new(), "Chase and Lev, growing; a fence in each take"),
        Deque::ours("the", ExactlyOnce, |_| cilk5::Owner::new(), "THE of Cilk-5, growing; a fence in each take, a lock for thieves"),
        Deque::ours("idempotent-lifo", AtLeastOnce, |_| lifo::Owner::<usize, heist_deque::AtLeastOnce>::new(), "Michael, Vechev, Saraswat; everybody takes the newest"),
        Deque::ours("idempotent-fifo", AtLeastOnce, |_| fifo::Owner::<usize, heist_deque::AtLeastOnce>::new(), "the same; everybody takes the oldest"),
        Deque::ours("idempotent-double-ended", AtLeastOnce, |_| double_ended::Owner::<usize, heist_deque::AtLeastOnce>::new(), "the same; thieves take the oldest"),
        Deque::ours("private", ExactlyOnce, |_| private::Owner::new(), "private access; the owner answers thieves when it polls"),
        Deque::ours("exact-lifo", ExactlyOnce, |_| lifo::Owner::<usize, heist_deque::ExactlyOnce>::new(), "the idempotent LIFO with a compare-and-swap for each store of the owner"),
        Deque::without_thieves("split", Split::new, "the runtime's own, private part: neither room nor emptiness is checked"),
        Deque::without_thieves("split-checked", CheckedSplit::new, "the same with the checks that a deque of its own needs"),
        Deque::rival("crossbeam-lifo", |_| Crossbeam::lifo(), "crossbeam-deque 0.8, newest first"),
        Deque::rival("crossbeam-fifo", |_| Crossbeam::fifo(), "crossbeam-deque 0.8, oldest first"),
        Deque::rival("st3-lifo", St3::with_capacity, "st3 0.4, newest first; of fixed capacity, made as large as it has to be"),
    ]);
    &DEQUES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names() {
        let mut names: Vec<_> = deques().iter().map(|deque| deque.name).collect();
        assert!(names.iter().all(|name| {
            name.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        }));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), deques().len());
    }
}
