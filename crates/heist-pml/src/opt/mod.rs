//! The optimiser. The walk `simplify` does most of the work, and the other passes prepare functions for it.

mod census;
mod contify;
mod divert;
mod fold;
mod forks;
mod invariant;
mod light;
mod loops;
mod pairs;
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

/// Optimises a program.
pub fn optimise(program: &mut Program) {
    let mut budget = 1_000 + program.vars.len();
    uncurry::uncurry(program);
    for round in 0..4 {
        let census = census::Census::of(program);
        simplify::simplify(program, census, budget);
        budget /= 2;
        if round == 0 {
            pairs::pairs(program);
            invariant::invariant(program);
        }
        if round == 2 {
            range::range(program);
        }
        if round < 3 {
            uncurry::uncurry(program);
            contify::contify(program);
            refs::refs(program);
            unbox::unbox(program);
        }
        if round == 1 {
            turns::turns(program);
        }
        if round == 2 {
            unroll::unroll(program);
            forks::forks(program);
            loops::loops(program);
        }
    }
}
