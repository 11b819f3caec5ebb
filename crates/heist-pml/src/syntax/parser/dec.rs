//! Parses sequences of declarations, and declarations that concern scopes (`local`, `open`, fixity directives).

use super::super::ast::{Dec, DecKind, Exp, ExpKind, Fixity, Name};
use super::{Abort, Kind, Parse, Parser};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;

/// The place of declarations, which determines the kinds of declarations that are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The top level.
    Top,
    /// A structure, or `local` at top level.
    Struct,
    /// A `let`, or a declaration inside of a `let`.
    Let,
}

impl Parser<'_> {
    /// Parses a whole file.
    pub(super) fn program(&mut self) -> Vec<Dec> {
        let mut decs: Vec<Dec> = Vec::new();
        while !self.at(Kind::Eof) {
            let start = self.at;
            if self.eat(Kind::Semicolon) {
                if let Some(dec) = decs.last_mut() {
                    dec.ended = true;
                }
                continue;
            }
            let first = self.here();
            let kind = if self.at_declaration() || self.at(Kind::Do) {
                self.dec(Place::Top)
            } else if self.kind().is_closer() || self.at(Kind::In) {
                let message = format!("{} closes nothing", self.found());
                self.report(Diagnostic::new(Code::StrayToken, first, message));
                Err(Abort)
            } else {
                self.top_exp()
            };
            self.finish_dec(first, kind, &mut decs);
            self.go_on(start, &[Kind::Semicolon]);
        }
        decs
    }

    fn top_exp(&mut self) -> Parse<DecKind> {
        if !self.begins_atom(self.at) && self.infix_here().is_none() && !self.at_expression_word() {
            return Err(self.unexpected("a declaration or an expression"));
        }
        let exp = self.exp()?;
        let ends = matches!(self.kind(), Kind::Semicolon | Kind::Eof | Kind::Do);
        if !ends && !self.at_declaration() {
            self.unexpected("`;` after the expression");
            self.skipping = true;
        }
        Ok(DecKind::Exp(exp))
    }

    fn at_expression_word(&self) -> bool {
        matches!(
            self.kind(),
            Kind::Raise | Kind::If | Kind::While | Kind::Case | Kind::Fn
        )
    }

    fn finish_dec(&mut self, first: Span, kind: Parse<DecKind>, decs: &mut Vec<Dec>) {
        let kind = kind.unwrap_or_else(|Abort| {
            self.skipping = true;
            DecKind::Error
        });
        decs.push(Dec {
            kind,
            span: self.since(first),
            ended: false,
        });
    }

    /// Moves past a broken declaration that began at token `start`: skips the code that the parser cannot read, but at least the token
    /// `start`.
    fn go_on(&mut self, start: usize, stops: &[Kind]) {
        if std::mem::take(&mut self.skipping) {
            self.skip(stops, false);
        }
        if self.at == start {
            self.bump();
        }
    }

    /// Parses declarations up to one of `ends`, or up to code that is not a declaration.
    pub(super) fn decs(&mut self, place: Place, ends: &[Kind]) -> Vec<Dec> {
        let mut stops = ends.to_vec();
        stops.push(Kind::Semicolon);
        let mut decs = Vec::new();
        loop {
            let start = self.at;
            if self.eat(Kind::Semicolon) {
                continue;
            }
            let first = self.here();
            if self.at_declaration() || self.at(Kind::Do) {
                let kind = self.nest(|p| p.dec(place));
                self.finish_dec(first, kind, &mut decs);
                self.go_on(start, &stops);
            } else if self.begins_atom(self.at) || self.at_expression_word() {
                self.stray_exp(place);
                self.go_on(start, &stops);
            } else {
                return decs;
            }
        }
    }

    /// Parses an expression in a place for declarations, and reports this as an error.
    fn stray_exp(&mut self, place: Place) {
        let note = match place {
            _ if self.text_of(self.token()) == "dval" => {
                "`dval` is no part of Parallel ML: `pval` declares what may run in parallel"
            }
            _ if !self.options.parallel_forms && self.text_of(self.token()) == "pval" => {
                "`pval` declares a value only in files named `.pml` or with `--dialect pml`"
            }
            Place::Let => "to evaluate it before the rest, write `val _ = ...` or `val () = ...`",
            _ => "to evaluate it, write `val _ = ...` or `val () = ...`",
        };
        let message = format!(
            "expected a declaration, found the expression at {}",
            self.found()
        );
        let code = Code::ExpressionInDeclarations;
        self.report(Diagnostic::new(code, self.here(), message).note(note));
        if self.exp().is_err() {
            self.skipping = true;
        }
    }

    /// Parses a part that ends with `end`, with the closure `parse`, which also reads the `end`. If `parse` fails, skips the rest of the
    /// part and its `end`.
    pub(super) fn block<T>(
        &mut self,
        what: &'static str,
        parse: impl FnOnce(&mut Self, Span) -> Parse<T>,
        error: T,
    ) -> Parse<T> {
        let open = self.here();
        let stops = std::mem::take(&mut self.stops);
        let result = self.nest(|p| p.inside(what, open, |p| parse(p, open)));
        self.stops = stops;
        if result.is_ok() {
            return result;
        }
        self.skip(&[Kind::End], false);
        if self.eat(Kind::End) {
            Ok(error)
        } else {
            Err(Abort)
        }
    }

    /// Skips the rest of a broken binding. Returns true if another binding follows after `and`.
    pub(super) fn next_binding(&mut self) -> bool {
        if self.skipping {
            self.skip(&[Kind::And, Kind::In, Kind::Semicolon], true);
            if self.at(Kind::And) {
                self.skipping = false;
            }
        }
        self.eat(Kind::And)
    }

    /// Returns the parsed expression. If the parser has failed, returns an error expression, and skips the rest of the declaration later.
    pub(super) fn keep_exp(&mut self, exp: Parse<Exp>) -> Exp {
        exp.unwrap_or_else(|Abort| {
            self.skipping = true;
            Exp {
                kind: ExpKind::Error,
                span: self.here().before(),
            }
        })
    }

    fn dec(&mut self, place: Place) -> Parse<DecKind> {
        match self.kind() {
            Kind::Val => self.val_dec(),
            Kind::Fun => self.fun_dec(),
            Kind::Type => {
                self.bump();
                Ok(DecKind::Type(self.type_binds()?))
            }
            Kind::Datatype => self.datatype_dec(),
            Kind::Abstype => self.abstype_dec(place),
            Kind::Exception => self.exception_dec(),
            Kind::Local => self.local_dec(place),
            Kind::Open => self.open_dec(),
            Kind::Infix | Kind::Infixr | Kind::Nonfix => self.fixity_dec(),
            Kind::Structure | Kind::Signature | Kind::Functor => self.module_dec(place),
            Kind::Overload => self.overload_dec(),
            Kind::Do => {
                self.bump();
                Ok(DecKind::Do(self.exp()?))
            }
            Kind::Include | Kind::Eqtype | Kind::Sharing => {
                let message = format!("{} can only stand in a signature", self.found());
                let code = Code::MisplacedDeclaration;
                self.report(Diagnostic::new(code, self.here(), message));
                Err(Abort)
            }
            _ if self.at_word(self.words.pval) => self.pval_dec(),
            _ => self.cont_dec(),
        }
    }

    fn module_dec(&mut self, place: Place) -> Parse<DecKind> {
        let kind = self.kind();
        let allowed = place == Place::Top || place == Place::Struct && kind == Kind::Structure;
        if !allowed {
            let message = match place {
                Place::Let => format!("{} cannot stand in an expression", self.found()),
                _ => format!("{} can only stand at top level", self.found()),
            };
            let code = Code::MisplacedDeclaration;
            self.report(Diagnostic::new(code, self.here(), message));
        }
        let dec = match kind {
            Kind::Structure => self.structure_dec()?,
            Kind::Signature => self.signature_dec()?,
            _ => self.functor_dec()?,
        };
        Ok(if allowed { dec } else { DecKind::Error })
    }

    fn local_dec(&mut self, place: Place) -> Parse<DecKind> {
        let place = if place == Place::Top {
            Place::Struct
        } else {
            place
        };
        let outer = self.fixity.mark();
        let mut inner = outer;
        let result = self.block(
            "the `local`",
            |p, open| {
                p.bump();
                let hidden = p.decs(place, &[Kind::In, Kind::End]);
                inner = p.fixity.mark();
                p.expect(Kind::In)?;
                let shown = p.decs(place, &[Kind::End]);
                p.close(Kind::End, open, "a declaration or ")?;
                Ok(DecKind::Local(hidden, shown))
            },
            DecKind::Error,
        );
        self.fixity.undo_between(outer, inner);
        result
    }

    fn open_dec(&mut self) -> Parse<DecKind> {
        self.bump();
        let mut names = vec![self.long_name("a structure")?];
        while matches!(self.kind(), Kind::Id | Kind::LongId) && !self.at_named_dec() {
            names.push(self.long_name("a structure")?);
        }
        Ok(DecKind::Open(names))
    }

    fn fixity_dec(&mut self) -> Parse<DecKind> {
        let word = self.bump().kind;
        let mut level = 0;
        if word != Kind::Nonfix && self.at(Kind::Int) {
            let digit = self.token().symbol.as_str();
            match digit.as_bytes() {
                [digit] => level = digit - b'0',
                _ => {
                    let message = "a precedence is one digit, 0 to 9";
                    let code = Code::BadPrecedence;
                    self.report(Diagnostic::new(code, self.here(), message));
                }
            }
            self.bump();
        }
        let fixity = match word {
            Kind::Infix => Fixity::Left(level),
            Kind::Infixr => Fixity::Right(level),
            _ => Fixity::Nonfix,
        };
        let mut names = Vec::new();
        while matches!(self.kind(), Kind::Id | Kind::Equal) && !self.at_named_dec() {
            let name = self.bump_name();
            self.fixity.set(name.symbol, fixity);
            names.push(name);
        }
        if names.is_empty() {
            return Err(self.unexpected("a name"));
        }
        Ok(DecKind::Fixity { fixity, names })
    }

    /// Parses `_overload + : 'a * 'a -> 'a as Int.+ and Real.+`, or the same form without the type.
    fn overload_dec(&mut self) -> Parse<DecKind> {
        self.bump();
        let name = self.bound_name("a name")?;
        let ty = if self.eat(Kind::Colon) {
            Some(self.ty()?)
        } else {
            None
        };
        self.expect(Kind::As)?;
        let by = self.separated(Kind::And, |p| p.long_name("an implementation"))?;
        Ok(DecKind::Overload { name, ty, by })
    }

    /// Parses a name that a declaration of the Basis binds. The name may be `=`.
    pub(super) fn bound_name(&mut self, expected: &str) -> Parse<Name> {
        if self.at(Kind::Equal) {
            return Ok(self.bump_name());
        }
        let name = self.name(expected)?;
        self.bind(name.symbol);
        Ok(name)
    }

    /// Parses a string, such as the name of a primitive. Returns the string as a name.
    pub(super) fn string_name(&mut self) -> Parse<Name> {
        let token = self.expect(Kind::String)?;
        let span = self.span_of(token);
        let text = &self.text[token.start as usize..token.end as usize];
        let text = String::from_utf8_lossy(text);
        Ok(Name {
            symbol: Symbol::new(text.trim_matches('"')),
            span,
        })
    }
}
