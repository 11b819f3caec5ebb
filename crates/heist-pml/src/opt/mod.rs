//! The optimiser. The pass `simplify` does most of the work, and the other passes prepare functions for it. The module `passes` lists all
//! passes.

mod census;
mod contify;
mod divert;
mod fold;
mod forks;
mod invariant;
mod light;
mod loops;
mod pairs;
mod passes;
mod range;
mod refs;
mod rename;
mod simplify;
mod turns;
mod unbox;
mod uncurry;
mod unroll;

#[cfg(test)]
mod tests;

use crate::anf::Program;

pub use passes::{PASSES, Ran, optimise_with};

/// Optimises a program.
pub fn optimise(program: &mut Program) {
    optimise_with(program, |_, _| {});
}
