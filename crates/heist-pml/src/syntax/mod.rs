//! Translates text to a syntax tree.

pub mod ast;
mod closing;
mod dump;
mod fixity;
mod format;
mod lexer;
mod nesting;
mod number;
mod parser;
mod pieces;
mod string;
mod token;

pub use closing::closing;
#[cfg(test)]
pub use dump::dump;
pub use fixity::{Directives, FixityEnv};
pub use format::format;
pub use nesting::{Nesting, nesting};
pub use parser::{Options, parse};
pub use pieces::{Role, pieces, reserved};

#[cfg(test)]
mod tests;
