//! Finds the tokens of a text and the roles of the tokens. Tools use this module for texts that may have syntax errors.

use std::path::PathBuf;

use super::Options;
use super::lexer::lex;
use super::token::{Kind, RESERVED};
use crate::diag::Diagnostics;
use crate::source::{File, FileId};

/// The role of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A name without a path.
    Name,
    /// A name with a path, such as `A.x`.
    Qualified,
    /// A number, a character or a string.
    Literal,
    /// A word that begins a directive of infix names, such as `infix`.
    Directive,
    /// Any other reserved word, bracket or sign.
    Other,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The role of the token.
    pub role: Role,
    /// The index of the first byte of the token.
    pub start: u32,
    /// The index after the last byte of the token.
    pub end: u32,
}

/// Returns the tokens of a text. Omits comments, and parts of the text that are not tokens.
#[must_use]
pub fn pieces(text: &[u8]) -> Vec<Piece> {
    let file = File {
        path: PathBuf::new(),
        text: text.to_vec(),
        builtin: false,
    };
    let lexed = lex(
        &file,
        FileId(0),
        Options::default(),
        &mut Diagnostics::default(),
    );
    let tokens = lexed.tokens.iter();
    tokens
        .filter(|token| token.kind != Kind::Eof)
        .map(|token| Piece {
            role: match token.kind {
                Kind::Id => Role::Name,
                Kind::LongId => Role::Qualified,
                Kind::Int | Kind::Word | Kind::Real | Kind::Char | Kind::String => Role::Literal,
                Kind::Infix | Kind::Infixr | Kind::Nonfix => Role::Directive,
                _ => Role::Other,
            },
            start: token.start,
            end: token.end,
        })
        .collect()
}

/// Returns the reserved words of Standard ML.
#[must_use]
pub fn reserved() -> &'static [&'static str] {
    RESERVED
}
