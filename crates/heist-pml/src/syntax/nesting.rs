//! Finds how deeply each token of a text is nested. Callers that do not parse the text use the depth of nesting to find the places where
//! declarations may end.

use super::Options;
use super::lexer::lex;
use super::token::Kind;
use crate::diag::Diagnostics;
use crate::source::{File, FileId};

/// The effect of a token on the depth of nesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// The token opens a bracket, or a construct that `end` closes.
    Open,
    /// The token closes a bracket or a construct.
    Close,
    /// The token is a semicolon. The field is the index of the byte after the semicolon.
    Semicolon(usize),
    /// The token has no effect.
    Other,
}

/// Returns the effect of each token of a file on the depth of nesting, in order.
pub fn nesting(file: &File, id: FileId, diagnostics: &mut Diagnostics) -> Vec<Nesting> {
    let lexed = lex(file, id, Options::default(), diagnostics);
    let tokens = lexed.tokens.iter();
    tokens
        .filter(|token| token.kind != Kind::Eof)
        .map(|token| match token.kind {
            Kind::LParen
            | Kind::LBracket
            | Kind::LBrace
            | Kind::LParenBar
            | Kind::LBracketBar
            | Kind::Let
            | Kind::Local
            | Kind::Struct
            | Kind::Sig
            // The `with` of an `abstype`.
            | Kind::With => Nesting::Open,
            Kind::RParen
            | Kind::RBracket
            | Kind::RBrace
            | Kind::BarRParen
            | Kind::BarRBracket
            | Kind::End => Nesting::Close,
            Kind::Semicolon => Nesting::Semicolon(token.end as usize),
            _ => Nesting::Other,
        })
        .collect()
}
