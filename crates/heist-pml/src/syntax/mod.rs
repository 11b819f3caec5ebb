//! From text to syntax tree.

pub mod ast;
mod dump;
mod fixity;
mod format;
mod lexer;
mod nesting;
mod number;
mod parser;
mod string;
mod token;

#[cfg(test)]
pub use dump::dump;
pub use fixity::{Directives, FixityEnv};
pub use format::format;
pub use nesting::{Nesting, nesting};
pub use parser::{Options, parse};

#[cfg(test)]
mod tests;
