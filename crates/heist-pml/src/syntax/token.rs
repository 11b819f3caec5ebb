//! Tokens, and the output of the lexer for a file.

use super::ast::{Literal, LongName};
use crate::symbol::Symbol;

macro_rules! kinds {
    ($($name:ident $text:literal)* ; $($word:ident $spelling:literal)*) => {
        /// Kinds of tokens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            $($name,)*
            $($word,)*
        }

        /// The reserved words.
        pub(super) const RESERVED: &[&str] = &[$($spelling),*];

        impl Kind {
            /// Returns the name by which messages call the token.
            pub(super) fn describe(self) -> &'static str {
                match self {
                    $(Kind::$name => $text,)*
                    $(Kind::$word => concat!("`", $spelling, "`"),)*
                }
            }

            /// Returns the reserved word with this spelling, if there is one.
            pub(super) fn word(text: &str) -> Option<Kind> {
                Some(match text {
                    $($spelling => Kind::$word,)*
                    _ => return None,
                })
            }
        }
    };
}

kinds! {
    Id "a name"
    LongId "a qualified name"
    TyVar "a type variable"
    Int "an integer"
    Word "a word literal"
    Real "a real number"
    Char "a character"
    String "a string"
    LParen "`(`"
    RParen "`)`"
    LBracket "`[`"
    RBracket "`]`"
    LBrace "`{`"
    RBrace "`}`"
    LParenBar "`(|`"
    BarRParen "`|)`"
    LBracketBar "`[|`"
    BarRBracket "`|]`"
    Comma "`,`"
    Semicolon "`;`"
    Ellipsis "`...`"
    Underscore "`_`"
    Colon "`:`"
    Seal "`:>`"
    Bar "`|`"
    Equal "`=`"
    DoubleArrow "`=>`"
    Arrow "`->`"
    Hash "`#`"
    Prim "`_prim`"
    ExnWord "`_exn`"
    Overload "`_overload`"
    Eof "the end of the file"
    ;
    Abstype "abstype"
    And "and"
    Andalso "andalso"
    As "as"
    Case "case"
    Datatype "datatype"
    Do "do"
    Else "else"
    End "end"
    Eqtype "eqtype"
    Exception "exception"
    Fn "fn"
    Fun "fun"
    Functor "functor"
    Handle "handle"
    If "if"
    In "in"
    Include "include"
    Infix "infix"
    Infixr "infixr"
    Let "let"
    Local "local"
    Nonfix "nonfix"
    Of "of"
    Op "op"
    Open "open"
    Orelse "orelse"
    Raise "raise"
    Rec "rec"
    Sharing "sharing"
    Sig "sig"
    Signature "signature"
    Struct "struct"
    Structure "structure"
    Then "then"
    Type "type"
    Val "val"
    Where "where"
    While "while"
    With "with"
    Withtype "withtype"
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// The kind of the token.
    pub(super) kind: Kind,
    /// The index of the first byte of the token.
    pub(super) start: u32,
    /// The index after the last byte of the token.
    pub(super) end: u32,
    /// The name of an `Id` or `TyVar`, or the digits of an `Int` that may be a label or a precedence.
    pub(super) symbol: Symbol,
    /// For a literal or a `LongId`, its index in `literals` or `longs`.
    pub(super) index: u32,
}

/// The tokens of a file.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    /// The tokens. The last token is `Eof`.
    pub(super) tokens: Vec<Token>,
    /// Values of literals.
    pub(super) literals: Vec<Literal>,
    /// Parts of qualified names.
    pub(super) longs: Vec<LongName>,
    /// The places of comments, in order, without comments inside of other comments.
    pub(super) comments: Vec<(u32, u32)>,
    /// Whether the file is part of the Basis.
    pub(super) builtin: bool,
}

impl Lexed {
    /// Makes `do` an ordinary name if the file has no `while`.
    pub(super) fn free_do(&mut self) {
        if self.tokens.iter().any(|token| token.kind == Kind::While) {
            return;
        }
        let name = Symbol::new("do");
        for token in &mut self.tokens {
            if token.kind == Kind::Do {
                token.kind = Kind::Id;
                token.symbol = name;
            }
        }
    }
}
