//! Programs of loops: the benchmarks of Rainey's thesis (section 2.2) and some more. The versions of a program use serial code,
//! Heist's sequences over slices and over ropes, rayon's iterators, and joins for chili.

mod bodies;
mod dmm;
mod entrant;
mod hull;
mod inverted_index;
mod joins;
mod k_means;
mod kernel;
mod mandelbrot;
mod nested_sums;
mod primes;
mod quicksort;
mod raytracer;
mod rootfix;
mod seq;
mod smvm;
mod text;
mod word_count;

pub use entrant::{Entrant, How};
pub use kernel::Looping;
pub use raytracer::image;

use crate::data::Data;
use crate::program::{Program, Size};

/// A function that makes an instance with an input of the given size. If the program has ropes, their leaves have the given number of
/// items. The error is one line for the user.
pub type PrepareLoops = fn(Size, &Data, usize) -> Result<Box<dyn Looping>, String>;

/// A program of loops.
#[derive(Debug)]
pub struct LoopProgram {
    /// The program, for callers that use no ropes.
    pub program: Program,
    /// True if the program also runs on ropes, as the programs of the thesis do.
    pub has_ropes: bool,
    /// Makes an instance with an input.
    pub prepare: PrepareLoops,
}

static PROGRAMS: &[LoopProgram] = &[
    quicksort::PROGRAM,
    bodies::CLUSTER,
    raytracer::PROGRAM,
    smvm::PROGRAM,
    dmm::PROGRAM,
    rootfix::PROGRAM,
    nested_sums::PROGRAM,
    bodies::STARS,
    word_count::PROGRAM,
    inverted_index::PROGRAM,
    primes::PROGRAM,
    mandelbrot::PROGRAM,
    k_means::PROGRAM,
    hull::PROGRAM,
];

/// Returns all programs, in the order in which tables show them.
pub fn loop_programs() -> &'static [LoopProgram] {
    PROGRAMS
}
