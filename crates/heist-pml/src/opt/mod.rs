//! The optimiser. See `simplify` for the walk that does most of the work; the other passes prepare functions for it. `passes` lists them.

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
