//! What `heist explain CODE` says.

use super::Code;

/// The long text of a code.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// Why this is refused, and what to do.
    pub text: &'static str,
    /// A program that has the error.
    pub wrong: &'static str,
    /// The same put right.
    pub right: &'static str,
}

/// The long text of a code, if it was written.
#[must_use]
pub fn explain(_code: Code) -> Option<Explanation> {
    None
}
