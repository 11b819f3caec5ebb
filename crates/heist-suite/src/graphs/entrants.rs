//! The deques on which the algorithms run.

use std::fmt;

use heist::Pool;
use heist::worklist::{AtLeastOnce, DoubleEnded, ExactlyOnce, Fifo, Item, Lifo, Queue, Worklist};
use heist_deque::{cilk5, private};

use super::{Algo, Input, Outcome, solve};
use crate::deques::Crossbeam;

/// A deque on which a worklist runs.
pub struct Entrant {
    /// The deque's name on the command line and in tables.
    pub name: &'static str,
    /// A description in a few words.
    pub about: &'static str,
    /// True if each item leaves the deque exactly once.
    pub exactly_once: bool,
    /// True if the deque is from another project.
    pub rival: bool,
    solve: fn(Algo, &Input, &[u32]) -> Result<Outcome, String>,
}

impl Entrant {
    /// Runs an algorithm in a pool, with a member of the worklist on each worker.
    ///
    /// # Errors
    /// Returns the same errors as [`solve`].
    pub fn solve(
        &self,
        pool: &Pool,
        algo: Algo,
        input: &Input,
        roots: &[u32],
    ) -> Result<Outcome, String> {
        pool.install(|| (self.solve)(algo, input, roots))
    }

    /// Returns the entrant with this name.
    pub fn find(name: &str) -> Option<&'static Entrant> {
        ENTRANTS.iter().find(|entrant| entrant.name == name)
    }
}

impl fmt::Debug for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entrant")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

fn on<Q>(algo: Algo, input: &Input, roots: &[u32]) -> Result<Outcome, String>
where
    Q: Queue<u32> + Queue<(u32, u32)>,
{
    solve(algo, &Worklist::<Q>::on(), input, roots)
}

/// The deque of [`cilk5`], for a worklist.
struct The;

impl<T: Send> Queue<T> for The {
    type Owner = cilk5::Owner<T>;
    fn make() -> Self::Owner {
        cilk5::Owner::new()
    }
}

/// The deque of [`private`], for a worklist.
struct Private;

impl<T: Send> Queue<T> for Private {
    type Owner = private::Owner<T>;
    fn make() -> Self::Owner {
        private::Owner::new()
    }
}

/// A LIFO worker of crossbeam-deque for a worklist.
struct CrossbeamLifo;

impl<T: Item + Send> Queue<T> for CrossbeamLifo {
    type Owner = Crossbeam<T>;
    fn make() -> Self::Owner {
        Crossbeam::lifo()
    }
}

/// A FIFO worker of crossbeam-deque for a worklist.
struct CrossbeamFifo;

impl<T: Item + Send> Queue<T> for CrossbeamFifo {
    type Owner = Crossbeam<T>;
    fn make() -> Self::Owner {
        Crossbeam::fifo()
    }
}

const fn ours(
    name: &'static str,
    exactly_once: bool,
    solve: fn(Algo, &Input, &[u32]) -> Result<Outcome, String>,
    about: &'static str,
) -> Entrant {
    Entrant {
        name,
        about,
        exactly_once,
        rival: false,
        solve,
    }
}

/// All entrants: first the deques of `heist_deque`, then the rivals. Measurements compare every entrant with the first entrant.
// This is a static and not a constant, because each crate that names a constant would compile all algorithms on all deques again.
#[rustfmt::skip] // One line each.
pub static ENTRANTS: &[Entrant] = &[
    ours("chase-lev", true, on::<(ExactlyOnce, DoubleEnded)>, "Chase and Lev: a fence in each take"),
    ours("the", true, on::<The>, "THE of Cilk-5: a fence in each take, a lock for thieves"),
    ours("idempotent-lifo", false, on::<(AtLeastOnce, Lifo)>, "Michael, Vechev, Saraswat: everybody takes the newest"),
    ours("idempotent-fifo", false, on::<(AtLeastOnce, Fifo)>, "the same: everybody takes the oldest"),
    ours("idempotent-double-ended", false, on::<(AtLeastOnce, DoubleEnded)>, "the same: thieves take the oldest"),
    ours("exact-lifo", true, on::<(ExactlyOnce, Lifo)>, "the idempotent LIFO with a compare-and-swap for each store"),
    ours("exact-fifo", true, on::<(ExactlyOnce, Fifo)>, "the idempotent FIFO with a compare-and-swap in each take"),
    ours("private", true, on::<Private>, "private access: the owner answers thieves when it polls"),
    Entrant { rival: true, ..ours("crossbeam-lifo", true, on::<CrossbeamLifo>, "crossbeam-deque, newest first") },
    Entrant { rival: true, ..ours("crossbeam-fifo", true, on::<CrossbeamFifo>, "crossbeam-deque, oldest first") },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::generate;

    #[test]
    fn each_finds_the_same() {
        let input = Input::Graph(generate::random(500, 900, 1));
        let pool = Pool::new(3).unwrap();
        for entrant in ENTRANTS {
            let outcome = entrant.solve(&pool, Algo::Closure, &input, &[0]).unwrap();
            outcome.check(&input).unwrap();
            assert!(
                !entrant.exactly_once || outcome.report.repeated == 0,
                "{entrant:?}"
            );
        }
    }
}
