//! Closure conversion: afterwards no function is defined inside another.
//!
//! - Every function gets the variables of functions around it that it needs as parameters more (lambda lifting), so that a known
//!   call never touches a closure. Its captures are the least solution of: its own uses, and the captures of the functions that it calls.
//! - Variables of `main` are cells that every function reads, not parameters; but for those bound in a loop, which are bound more
//!   than once.
//! - A function that is used as a value gets an *entry*, which takes the closure and the arguments. The closure is a static object
//!   if the function needs nothing. Otherwise it is made once, where the function is defined; except for uses in the
//!   function's own group, where it is made anew from what the user was itself given: a closure never refers to itself, so none
//!   must be written after it was made.
//!
//! Rejected: one environment shared by a group (it keeps alive what only one of them needs, and costs a load for each use).

mod captures;
mod rewrite;
mod survey;

use crate::anf::Program;

/// Takes nested functions out.
pub fn close(program: &mut Program) {
    let survey = survey::survey(program);
    let captures = captures::solve(program, &survey);
    rewrite::rewrite(program, &survey, &captures);
}
