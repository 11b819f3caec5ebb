//! Closure conversion. After closure conversion, no function is defined inside another function.
//!
//! - If a function needs variables of enclosing functions, these variables become additional parameters of the function (lambda lifting).
//!   So a known call never touches a closure. A function captures only the variables that it uses itself and the variables that its callees
//!   capture.
//! - The values of variables of `main` are in global memory. Every function can read this memory, so functions do not capture these
//!   variables. A variable in a loop of `main` may have several values, so functions capture it like a variable of another function.
//! - A function that is used as a value gets an *entry*, which takes the closure and the arguments. If the function captures nothing, its
//!   closure is a static object. Otherwise code makes the closure once, where the function is defined. Another function of the same group
//!   (of functions that one statement defines) may use the function as a value. This other function then makes another closure, from the
//!   captured values in its own parameters. So a closure never refers to itself, and no code writes to a closure after it is made.
//!
//! The functions of a group do not share one environment. A shared environment would keep values alive that only one
//! function needs, and each use of a value would cost a load.

mod captures;
mod rewrite;
mod survey;

use crate::anf::Program;

/// Moves all nested functions to the top level of the program.
pub fn close(program: &mut Program) {
    let survey = survey::survey(program);
    let captures = captures::solve(program, &survey);
    rewrite::rewrite(program, &survey, &captures);
}
