//! Closure conversion: afterwards no function is defined inside another.
//!
//! - Every function gets the variables of enclosing functions that it needs as additional parameters (lambda lifting), so a known call
//!   never touches a closure. The captures are the least sets such that each function captures the variables that it uses, and those
//!   that the functions it calls capture.
//! - Variables of `main` are cells that every function reads, not parameters, except those bound in a loop, which are bound more
//!   than once.
//! - A function that is used as a value gets an *entry*, which takes the closure and the arguments. The closure is a static object if
//!   the function captures nothing. Otherwise it is made once, where the function is defined. For uses in the function's own group it
//!   is made again from the values that the user itself received: a closure never refers to itself, so no closure is written after it
//!   was made.
//!
//! We rejected one environment shared by a group, because it keeps values alive that only one function needs, and costs a load for
//! each use.

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
