//! The programs, one a file.

mod barnes_hut;
mod cilksort;
mod dmm;
mod fft;
mod fib;
mod forkjoin;
mod graph;
mod heat;
mod jacobi;
mod lud;
mod nqueens;
mod stars;
mod tree;
mod uts;
mod words;

pub use forkjoin::fork_join;

use crate::program::Program;

static PROGRAMS: &[Program] = &[
    fib::PROGRAM,
    tree::PROGRAM,
    nqueens::PROGRAM,
    uts::BIN,
    uts::GEO,
    uts::CYCLIC,
    uts::LINEAR,
    cilksort::FINE,
    cilksort::CUTOFF,
    dmm::PROGRAM,
    lud::PROGRAM,
    fft::PROGRAM,
    jacobi::PROGRAM,
    heat::PROGRAM,
    forkjoin::PROGRAM,
    words::PROGRAM,
    barnes_hut::PROGRAM,
    stars::PROGRAM,
    graph::PROGRAM,
];

/// Every program, in the order to show them.
pub fn programs() -> &'static [Program] {
    PROGRAMS
}
