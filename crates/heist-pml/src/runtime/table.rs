//! Functions of the runtime that the Basis may call: `_prim "rt.name" : type`.
//!
//! Compiled code calls them in the C calling convention with the worker first: `extern "C" fn(*mut Worker, args...) -> result`.
//! A function that allocates may collect: it keeps what it needs in handles of the worker. One that raises sets the worker's
//! pending exception and returns anything; compiled code looks at it after the call if `raises` says so.

use crate::anf::Rep;
use crate::prim::Effect;

/// A function of the runtime.
pub struct Function {
    /// As the Basis names it.
    pub name: &'static str,
    /// How its arguments are held, a tuple of them flattened.
    pub args: &'static [Rep],
    /// How its result is held; none for `unit`.
    pub result: Option<Rep>,
    /// What it does besides; `Pure` ones may allocate too.
    pub effect: Effect,
    /// It may set the pending exception.
    pub raises: bool,
    /// Where it is.
    pub address: usize_fn,
}

/// The address of a function, as a function, so that the table can be a constant.
#[allow(non_camel_case_types)]
pub type usize_fn = fn() -> *const u8;

/// All of them.
pub static FUNCTIONS: &[Function] = &[];

/// The number of a function.
#[must_use]
pub fn by_name(name: &str) -> Option<u16> {
    FUNCTIONS
        .iter()
        .position(|function| function.name == name)
        .map(|at| at as u16)
}
