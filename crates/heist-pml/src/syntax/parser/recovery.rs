//! Finds the places where parsing continues after an error.

use super::{Kind, Parser};

impl Kind {
    /// Returns true if the token closes a bracket or a block.
    pub(super) fn is_closer(self) -> bool {
        matches!(
            self,
            Kind::RParen
                | Kind::RBracket
                | Kind::RBrace
                | Kind::BarRParen
                | Kind::BarRBracket
                | Kind::End
        )
    }

    /// Returns true if the token cannot occur directly inside of a bracket. If a bracket is open before such a token, the closing bracket
    /// is missing.
    pub(super) fn ends_bracket(self) -> bool {
        matches!(
            self,
            Kind::Equal
                | Kind::DoubleArrow
                | Kind::Bar
                | Kind::And
                | Kind::In
                | Kind::Of
                | Kind::Then
                | Kind::Else
                | Kind::Do
                | Kind::With
        )
    }

    pub(super) fn opens_bracket(self) -> bool {
        matches!(
            self,
            Kind::LParen | Kind::LBracket | Kind::LBrace | Kind::LParenBar | Kind::LBracketBar
        )
    }

    fn opens_block(self) -> bool {
        matches!(
            self,
            Kind::Let | Kind::Struct | Kind::Sig | Kind::Local | Kind::Abstype
        )
    }

    /// Returns true if a declaration or specification can begin with the token.
    pub(in crate::syntax) fn begins_declaration(self) -> bool {
        matches!(
            self,
            Kind::Val
                | Kind::Fun
                | Kind::Type
                | Kind::Datatype
                | Kind::Abstype
                | Kind::Exception
                | Kind::Local
                | Kind::Open
                | Kind::Infix
                | Kind::Infixr
                | Kind::Nonfix
                | Kind::Structure
                | Kind::Signature
                | Kind::Functor
                | Kind::Overload
                | Kind::Include
                | Kind::Eqtype
                | Kind::Sharing
        )
    }
}

impl Parser<'_> {
    /// Returns true if the current token begins a declaration. Returns false if the token is a part of another construct, as `type` is in
    /// `where type`.
    pub(super) fn at_declaration(&self) -> bool {
        if !self.kind().begins_declaration() {
            return self.at_named_dec();
        }
        let before = match self.at.checked_sub(1) {
            Some(at) => self.lexed.tokens[at].kind,
            None => Kind::Eof,
        };
        match self.kind() {
            Kind::Type => !matches!(before, Kind::Where | Kind::Sharing | Kind::And),
            Kind::Datatype => before != Kind::Equal,
            _ => true,
        }
    }

    /// Skips tokens up to one of `stops`, a declaration, or the end of the file. A bracket or block is skipped as a whole. If `closers` is
    /// true, also stops at a closing token whose opening token was not skipped.
    pub(super) fn skip(&mut self, stops: &[Kind], closers: bool) {
        // For each bracket or block that is open, whether it is a block, in which declarations may occur.
        let mut open = Vec::new();
        loop {
            let kind = self.kind();
            if kind == Kind::Eof {
                return;
            }
            match open.last() {
                None if stops.contains(&kind) || closers && kind.is_closer() => return,
                None | Some(false) if self.at_declaration() => return,
                _ => {}
            }
            if kind.opens_bracket() {
                open.push(false);
            } else if kind.opens_block() {
                open.push(true);
            } else if kind.is_closer() {
                open.pop();
            }
            self.bump();
        }
    }

    /// Returns the message about a word such as `_import`, which no program may use.
    pub(super) fn underscored_word(&self) -> Option<String> {
        let next = self.lexed.tokens[(self.at + 1).min(self.lexed.tokens.len() - 1)];
        if !self.at(Kind::Underscore) || next.start != self.token().end {
            return None;
        }
        let word = next.symbol.as_str();
        Some(match word {
            "primcode" => {
                "`_primcode` holds code of Manticore's compiler, which is no part of Parallel ML"
                    .to_owned()
            }
            "prim" | "exn" | "overload" => format!("`_{word}` can only be used in the Basis"),
            "import" | "export" | "symbol" | "address" => {
                format!("`_{word}` is for code in C, which cannot be called here")
            }
            _ => return None,
        })
    }
}
