//! The Rust twins of programs in Parallel ML. A twin runs the same algorithm on the same input, and has the same checksum.
//!
//! `crates/heist-pml/bench/twins` has the programs in Parallel ML. `tools/pml-twins.py` compares the times of the two versions. These
//! programs have no grain size.
//!
//! ```
//! use heist_suite::Runner;
//! use heist_suite::twins::{On, twins};
//!
//! let twin = twins().iter().find(|twin| twin.name == "bignum_add").unwrap();
//! let mut running = (twin.prepare)(10_000);
//! let runner = Runner::new(2).unwrap();
//! running.run(On::Serial, &runner);
//! let checksum = running.checksum();
//! running.run(On::Heist, &runner);
//! assert_eq!(running.checksum(), checksum);
//! ```

mod bfs;
mod bignum_add;
mod bodies;
mod csr;
mod dense;
mod grep;
mod hull;
mod independent_set;
mod nearest;
mod prose;
mod sort_strings;
mod sparse;
mod suffix_array;
mod triangles;
mod way;
mod word_count;

use crate::ctx::{Heist, Serial};
use crate::noise::word;
use crate::rivals::Rayon;
use crate::runner::Runner;
use way::Way;

/// A program that exists in Rust and in Parallel ML.
#[derive(Debug)]
pub struct Twin {
    /// The program's name, which is the same in both languages.
    pub name: &'static str,
    /// One line that describes the computation.
    pub about: &'static str,
    /// The default size of the input.
    pub size: usize,
    /// Makes the program with an input of the given size.
    pub prepare: fn(usize) -> Box<dyn Running>,
}

/// The contender that runs a twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Serial iterators.
    Serial,
    /// Heist's sequences.
    Heist,
    /// Rayon's parallel iterators.
    Rayon,
}

/// A twin with its input.
pub trait Running: Send {
    /// Runs the kernel once. The caller times this call.
    fn run(&mut self, on: On, runner: &Runner);

    /// Returns the checksum of the last result.
    ///
    /// # Panics
    /// Panics if there was no run.
    fn checksum(&self) -> u64;
}

static TWINS: &[Twin] = &[
    sort_strings::TWIN,
    word_count::TWIN,
    grep::TWIN,
    suffix_array::TWIN,
    bfs::TWIN,
    independent_set::TWIN,
    triangles::TWIN,
    hull::TWIN,
    nearest::TWIN,
    bodies::TWIN,
    bignum_add::TWIN,
    dense::TWIN,
    sparse::TWIN,
];

/// Returns all twins, in the order in which lists show them.
pub fn twins() -> &'static [Twin] {
    TWINS
}

/// A kernel: the part of a program that every contender runs.
trait Kernel: Send + Sync {
    type Out: Send;

    fn run<W: Way>(&self, way: W) -> Self::Out;

    fn checksum(&self, out: &Self::Out) -> u64;
}

/// A kernel and the result of its last run.
struct Ready<K: Kernel> {
    kernel: K,
    last: Option<K::Out>,
}

/// Boxes a kernel for its first run.
fn ready<K: Kernel + 'static>(kernel: K) -> Box<dyn Running> {
    Box::new(Ready { kernel, last: None })
}

impl<K: Kernel> Running for Ready<K> {
    fn run(&mut self, on: On, runner: &Runner) {
        drop(self.last.take());
        let kernel = &self.kernel;
        self.last = Some(match on {
            On::Serial => runner.on_stage(|| kernel.run(Serial)),
            On::Heist => runner.heist().install(|| kernel.run(Heist)),
            On::Rayon => runner.on_rayon(|| kernel.run(Rayon)),
        });
    }

    fn checksum(&self) -> u64 {
        let out = self.last.as_ref().expect("a run before its checksum");
        self.kernel.checksum(out)
    }
}

/// Increases each word by 1 and multiplies it by an odd number, which differs from word to word. Returns the sum of these
/// products.
fn checksum(words: impl IntoIterator<Item = u64>) -> u64 {
    let numbered = (0u64..).zip(words);
    numbered.fold(0, |sum, (i, word)| {
        let times = i.wrapping_mul(2).wrapping_add(1);
        sum.wrapping_add(word.wrapping_add(1).wrapping_mul(times))
    })
}

/// Returns the `i`-th random number below a bound.
fn below(seed: u64, i: usize, bound: usize) -> usize {
    (word(seed, i as u64) % bound as u64) as usize
}

/// Returns a hash of a text.
fn of_text(text: &str) -> u64 {
    let step = |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte));
    text.bytes().fold(0, step)
}
