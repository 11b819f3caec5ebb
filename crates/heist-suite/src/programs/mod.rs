//! The programs, one in each file.

pub(crate) mod barnes_hut;
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
pub(crate) mod stars;
mod tree;
mod uts;
mod words;

pub use forkjoin::fork_join;
pub use uts::UtsNode;

use crate::loops::loop_programs;
use crate::program::Program;
use std::sync::LazyLock;

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

/// Returns all programs, in the order in which tables show them.
pub fn programs() -> &'static [&'static Program] {
    static ALL: LazyLock<Vec<&'static Program>> = LazyLock::new(|| {
        let loops = loop_programs().iter().map(|of_loops| &of_loops.program);
        PROGRAMS.iter().chain(loops).collect()
    });
    &ALL
}
