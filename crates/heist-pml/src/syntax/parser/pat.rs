//! Parses patterns.

use super::super::ast::{LongName, Name, Pat, PatKind};
use super::infix::{Chain, Operator};
use super::{Kind, Parse, Parser, Stops};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// Returns the pattern `p1 con p2`.
fn join(left: Pat, operator: Operator, right: Pat) -> Pat {
    let span = left.span.to(right.span);
    let arg = Pat {
        kind: PatKind::Tuple(vec![left, right]),
        span,
    };
    let kind = PatKind::Apply {
        con: LongName {
            path: Vec::new(),
            name: operator.name,
        },
        op: false,
        arg: Box::new(arg),
    };
    Pat { kind, span }
}

impl Parser<'_> {
    /// Parses a pattern (`pat` in the grammar).
    pub(super) fn pat(&mut self) -> Parse<Pat> {
        self.nest(|p| {
            let first = p.here();
            let mut pat = p.infix_pat()?;
            while p.eat(Kind::Colon) {
                p.link()?;
                let ty = p.ty()?;
                pat = p.pat_since(first, PatKind::Typed(Box::new(pat), ty));
            }
            if p.at(Kind::As) {
                p.as_pat(pat)
            } else {
                Ok(pat)
            }
        })
    }

    fn pat_since(&self, first: Span, kind: PatKind) -> Pat {
        let span = self.since(first);
        Pat { kind, span }
    }

    /// Parses the rest of an `as` pattern. The current token is `as`, and `left` is the pattern before it.
    fn as_pat(&mut self, left: Pat) -> Parse<Pat> {
        let first = left.span;
        let word = self.bump();
        let (left, ty) = match left.kind {
            PatKind::Typed(pat, ty) => (*pat, Some(ty)),
            _ => (left, None),
        };
        let name = match left.kind {
            PatKind::Name { name, op } if name.path.is_empty() => Some((name.name, op)),
            _ => {
                let span = left.span;
                let message = "only a variable can stand before `as`";
                self.report(
                    Diagnostic::new(Code::AsNeedsVariable, span, message)
                        .label(self.span_of(word), "the variable goes left of this `as`"),
                );
                None
            }
        };
        let pat = self.pat()?;
        let Some((name, op)) = name else {
            return Ok(self.pat_since(first, PatKind::Error));
        };
        let pat = Box::new(pat);
        Ok(self.pat_since(first, PatKind::As { name, op, ty, pat }))
    }

    fn infix_pat(&mut self) -> Parse<Pat> {
        let first = self.applied_pat()?;
        let Some(mut operator) = self.infix_con() else {
            return Ok(first);
        };
        let mut chain = Chain::new(first, join);
        loop {
            self.operator(&mut chain, operator)?;
            self.bump();
            if !self.begins_atomic_pat() && !self.at(Kind::Id) {
                self.no_right_operand(operator, "a pattern");
                return Err(super::Abort);
            }
            let right = self.applied_pat()?;
            chain.operand(right);
            match self.infix_con() {
                Some(next) => operator = next,
                None => return Ok(chain.finish()),
            }
        }
    }

    /// Returns the current token as an operator, if it is an infix name. In patterns, `=` is not infix.
    pub(super) fn infix_con(&self) -> Option<Operator> {
        if self.at(Kind::Equal) || self.at_stop() {
            return None;
        }
        self.infix_here()
    }

    /// Returns true if the current token begins an atomic pattern and is not an infix name.
    pub(super) fn begins_atomic_pat(&self) -> bool {
        match self.kind() {
            Kind::Underscore
            | Kind::LongId
            | Kind::Op
            | Kind::Int
            | Kind::Word
            | Kind::Real
            | Kind::Char
            | Kind::String
            | Kind::LParen
            | Kind::LBracket
            | Kind::LBrace => true,
            Kind::Hash => self.kind_ahead(1) == Kind::LBracket,
            Kind::Id => self.infix_here().is_none() && !self.at_stop(),
            _ => false,
        }
    }

    fn applied_pat(&mut self) -> Parse<Pat> {
        let first = self.here();
        let pat = self.atomic_pat()?;
        if !self.begins_atomic_pat() {
            return Ok(pat);
        }
        let PatKind::Name { name: con, op } = pat.kind else {
            let message = format!("expected the end of the pattern, found {}", self.found());
            self.report(
                Diagnostic::new(Code::PatternApplication, self.here(), message)
                    .label(pat.span, "this is not a constructor, and cannot be applied"),
            );
            return Err(super::Abort);
        };
        self.link()?;
        let arg = Box::new(self.atomic_pat()?);
        if self.begins_atomic_pat() {
            let message = format!(
                "the constructor `{}` takes one argument in a pattern",
                con.name.symbol
            );
            self.report(
                Diagnostic::new(Code::PatternApplication, self.here(), message)
                    .note("several values are one tuple, `C (x, y)`; a pattern as an argument of a function may need parentheses, `f (C x)`"),
            );
            return Err(super::Abort);
        }
        Ok(self.pat_since(first, PatKind::Apply { con, op, arg }))
    }

    /// Parses an atomic pattern (`atpat` in the grammar).
    pub(super) fn atomic_pat(&mut self) -> Parse<Pat> {
        let first = self.here();
        let kind = match self.kind() {
            Kind::Underscore => {
                self.bump();
                PatKind::Wild
            }
            Kind::Int | Kind::Word | Kind::Real | Kind::Char | Kind::String => {
                PatKind::Literal(self.literal())
            }
            Kind::Id => {
                let infix = self.infix_here().is_some();
                let name = self.bump_name();
                if infix {
                    self.at -= 1;
                    self.infix_alone(name);
                    self.bump();
                }
                self.bind(name.symbol);
                PatKind::Name {
                    name: LongName {
                        path: Vec::new(),
                        name,
                    },
                    op: infix,
                }
            }
            Kind::LongId => PatKind::Name {
                name: self.bump_long(),
                op: false,
            },
            Kind::Op => {
                let name = self.op_name()?;
                self.bind(name.name.symbol);
                PatKind::Name { name, op: true }
            }
            Kind::LParen => return self.nest(Parser::paren_pat),
            Kind::LBracket => PatKind::List(self.bracket_pats(first)?),
            Kind::Hash if self.kind_ahead(1) == Kind::LBracket => {
                self.bump();
                PatKind::Vector(self.bracket_pats(first)?)
            }
            Kind::LBrace => return self.nest(Parser::record_pat),
            _ => return Err(self.unexpected("a pattern")),
        };
        Ok(self.pat_since(first, kind))
    }

    /// Parses alternatives of a pattern, `pat | ... | pat`.
    fn alternatives(&mut self) -> Parse<Pat> {
        let first = self.here();
        let pat = self.pat()?;
        if !self.eat(Kind::Bar) {
            return Ok(pat);
        }
        let mut pats = vec![pat];
        pats.extend(self.separated(Kind::Bar, Parser::pat)?);
        Ok(self.pat_since(first, PatKind::Or(pats)))
    }

    /// Parses the patterns between the bracket that is the current token and `]`.
    fn bracket_pats(&mut self, open: Span) -> Parse<Vec<Pat>> {
        self.bump();
        let mut items = Vec::new();
        if !self.at(Kind::RBracket) {
            items = self.bracketed(Stops::default(), |p| {
                p.separated(Kind::Comma, Parser::alternatives)
            })?;
        }
        self.close(Kind::RBracket, open, "`,` or ")?;
        Ok(items)
    }

    fn paren_pat(&mut self) -> Parse<Pat> {
        let open = self.here();
        self.bump();
        let mut items = Vec::new();
        if !self.at(Kind::RParen) {
            items = self.bracketed(Stops::default(), |p| {
                p.separated(Kind::Comma, Parser::alternatives)
            })?;
        }
        self.close(Kind::RParen, open, "`,` or ")?;
        // These parentheses are part of the pattern `(p1 | p2)`, so the tree has no `Paren` for them.
        if let [
            Pat {
                kind: PatKind::Or(_),
                span,
            },
        ] = items.as_mut_slice()
        {
            *span = self.since(open);
            return Ok(items.remove(0));
        }
        let kind = if items.len() == 1 {
            PatKind::Paren(Box::new(items.remove(0)))
        } else {
            PatKind::Tuple(items)
        };
        Ok(self.pat_since(open, kind))
    }

    fn record_pat(&mut self) -> Parse<Pat> {
        let open = self.here();
        self.bump();
        let mut fields = Vec::new();
        let mut flexible = false;
        if !self.at(Kind::RBrace) {
            self.bracketed(Stops::default(), |p| {
                loop {
                    if p.eat(Kind::Ellipsis) {
                        flexible = true;
                        return Ok(());
                    }
                    fields.push(p.field_pat()?);
                    if !p.eat(Kind::Comma) {
                        return Ok(());
                    }
                }
            })?;
        }
        if flexible && self.at(Kind::Comma) {
            let note = "`...` is the last thing of a record pattern";
            return Err(self.unexpected_with("`}`", Some(note)));
        }
        self.close(Kind::RBrace, open, "`,` or ")?;
        Ok(self.pat_since(open, PatKind::Record { fields, flexible }))
    }

    /// Parses a field of a record pattern: `label = pat`, `x`, `x : ty` or `x as pat`.
    fn field_pat(&mut self) -> Parse<(Name, Pat)> {
        let label = self.label()?;
        if self.eat(Kind::Equal) {
            return Ok((label, self.alternatives()?));
        }
        if label
            .symbol
            .as_str()
            .starts_with(|first: char| first.is_ascii_digit())
        {
            return Err(self.unexpected("`=`"));
        }
        self.bind(label.symbol);
        let kind = PatKind::Name {
            name: LongName {
                path: Vec::new(),
                name: label,
            },
            op: false,
        };
        let mut pat = Pat {
            kind,
            span: label.span,
        };
        if self.eat(Kind::Colon) {
            let ty = self.ty()?;
            pat = self.pat_since(label.span, PatKind::Typed(Box::new(pat), ty));
        }
        if self.at(Kind::As) {
            pat = self.as_pat(pat)?;
        }
        Ok((label, pat))
    }
}
