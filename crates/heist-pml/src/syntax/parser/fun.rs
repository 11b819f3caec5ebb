//! Parses declarations of functions.

use super::super::ast::{Clause, DecKind, FunBind, Name, Pat, PatKind};
use super::{Abort, Kind, Parse, Parser};
use crate::diag::{Code, Diagnostic};

/// The head of a clause: the part before the result type and the `=`.
struct Head {
    name: Name,
    infix: bool,
    op: bool,
    pats: Vec<Pat>,
}

impl Parser<'_> {
    pub(super) fn fun_dec(&mut self) -> Parse<DecKind> {
        let open = self.here();
        self.bump();
        let tyvars = self.tyvars()?;
        let mut binds = Vec::new();
        loop {
            let bind = self.inside("the `fun`", open, |p| Ok(p.fun_bind()))?;
            if !bind.clauses.is_empty() {
                binds.push(bind);
            }
            if !self.next_binding() {
                break;
            }
        }
        if binds.is_empty() {
            return Err(Abort);
        }
        Ok(DecKind::Fun { tyvars, binds })
    }

    /// Returns true if a declaration `cont k p` begins at the current token. In other places, `cont` is an ordinary
    /// name.
    pub(super) fn at_cont(&self) -> bool {
        if !self.at_word(self.words.cont) || self.kind_ahead(1) != Kind::Id {
            return false;
        }
        match self.kind_ahead(2) {
            Kind::Id => {
                let next = &self.lexed.tokens[self.at + 2];
                self.fixity.get(next.symbol).is_none()
            }
            kind => matches!(
                kind,
                Kind::Underscore | Kind::LongId | Kind::LParen | Kind::LBracket | Kind::LBrace
            ),
        }
    }

    /// Returns true if the current token is `pval` or `cont` and begins a declaration. In other places, these words are ordinary names.
    pub(super) fn at_named_dec(&self) -> bool {
        self.at_word(self.words.pval) || self.at_cont()
    }

    /// Parses the declaration `cont k p = e | ...`, and all `cont` declarations that directly follow it.
    pub(super) fn cont_dec(&mut self) -> Parse<DecKind> {
        let open = self.here();
        let mut binds = Vec::new();
        while self.at_cont() && !self.skipping {
            self.bump();
            let bind = self.inside("the `cont`", open, |p| Ok(p.fun_bind()))?;
            let Some(first) = bind.clauses.first() else {
                continue;
            };
            if let Some(second) = first.pats.get(1) {
                let (at, symbol) = (second.span, first.name.symbol);
                let message = format!("the continuation `{symbol}` has more than one argument");
                let note = "several values are thrown as a tuple";
                self.report(Diagnostic::new(Code::ClauseArity, at, message).note(note));
                return Err(Abort);
            }
            binds.push(bind);
        }
        if binds.is_empty() {
            return Err(Abort);
        }
        Ok(DecKind::Cont(binds))
    }

    /// Parses the clauses of one function, up to the first broken clause.
    fn fun_bind(&mut self) -> FunBind {
        let mut clauses: Vec<Clause> = Vec::new();
        self.eat(Kind::Bar);
        loop {
            match self.clause() {
                Ok(clause) => {
                    if let Some(first) = clauses.first() {
                        let agrees = self.check_clause(first, &clause);
                        if agrees {
                            clauses.push(clause);
                        }
                    } else {
                        clauses.push(clause);
                    }
                }
                Err(Abort) => self.skipping = true,
            }
            if self.skipping || !self.eat(Kind::Bar) {
                return FunBind { clauses };
            }
        }
    }

    fn check_clause(&mut self, first: &Clause, clause: &Clause) -> bool {
        let (expected, found) = (first.name, clause.name);
        if expected.symbol != found.symbol {
            let message = format!(
                "this clause is of `{}`, but the first one is of `{}`",
                found.symbol, expected.symbol
            );
            self.diagnostics.push(
                Diagnostic::new(Code::ClauseNames, found.span, message)
                    .label(expected.span, "the first clause"),
            );
            return false;
        }
        if first.pats.len() != clause.pats.len() {
            let message = format!(
                "the clauses of `{}` have different numbers of arguments: {} and {}",
                found.symbol,
                first.pats.len(),
                clause.pats.len()
            );
            self.diagnostics.push(
                Diagnostic::new(Code::ClauseArity, found.span, message)
                    .label(expected.span, "the first clause"),
            );
            return false;
        }
        true
    }

    fn clause(&mut self) -> Parse<Clause> {
        let first = self.here();
        let head = self.head()?;
        self.bind(head.name.symbol);
        let ty = if self.eat(Kind::Colon) {
            Some(self.ty()?)
        } else {
            None
        };
        let exp = if self.at(Kind::DoubleArrow) {
            let note = "the clauses of a `fun` are written with `=`, those of a `fn` with `=>`";
            Err(self.unexpected_with("`=`", Some(note)))
        } else {
            self.expect(Kind::Equal).and_then(|_| self.exp())
        };
        let exp = self.keep_exp(exp);
        Ok(Clause {
            name: head.name,
            infix: head.infix,
            op: head.op,
            pats: head.pats,
            ty,
            exp,
            span: self.since(first),
        })
    }

    fn head(&mut self) -> Parse<Head> {
        if self.at(Kind::Op) {
            let name = self.op_name()?.name;
            return self.prefix_head(name, true);
        }
        if self.at(Kind::Id) && !self.operator_follows() {
            let infix = self.infix_here().is_some();
            let name = self.bump_name();
            if infix {
                self.at -= 1;
                self.infix_alone(name);
                self.bump();
            }
            return self.prefix_head(name, infix);
        }
        let first = self.here();
        let left = self.atomic_pat()?;
        if let Some(operator) = self.infix_con() {
            self.bump();
            if !self.begins_atomic_pat() {
                self.no_right_operand(operator, "a pattern");
                return Err(Abort);
            }
            let right = self.atomic_pat()?;
            let pair = Pat {
                kind: PatKind::Tuple(vec![left, right]),
                span: self.since(first),
            };
            return Ok(Head {
                name: operator.name,
                infix: true,
                op: false,
                pats: vec![pair],
            });
        }
        // `(x ++ y) z`
        if let PatKind::Paren(inner) = left.kind
            && let PatKind::Apply {
                con,
                op: false,
                arg,
            } = inner.kind
            && con.path.is_empty()
            && self.fixity.get(con.name.symbol).is_some()
        {
            let mut pats = vec![*arg];
            while self.begins_atomic_pat() {
                pats.push(self.atomic_pat()?);
            }
            return Ok(Head {
                name: con.name,
                infix: true,
                op: false,
                pats,
            });
        }
        let message = "a clause of `fun` must begin with the name of the function";
        self.diagnostics
            .push(Diagnostic::new(Code::UnexpectedToken, left.span, message));
        Err(Abort)
    }

    /// Returns true if the token after this one is an infix name.
    fn operator_follows(&self) -> bool {
        let Some(next) = self.lexed.tokens.get(self.at + 1) else {
            return false;
        };
        next.kind == Kind::Id && self.fixity.get(next.symbol).is_some()
    }

    fn prefix_head(&mut self, name: Name, op: bool) -> Parse<Head> {
        let mut pats = Vec::new();
        while self.begins_atomic_pat() {
            pats.push(self.atomic_pat()?);
        }
        if pats.is_empty() {
            if self.at(Kind::Equal) || self.at(Kind::Colon) {
                let symbol = name.symbol;
                let message = format!("the function `{symbol}` has no argument");
                self.report(
                    Diagnostic::new(Code::FunNeedsArgument, name.span, message).note(format!(
                        "a value is declared by `val {symbol} = ...`, a function without a proper argument by `fun {symbol} () = ...`"
                    )),
                );
                return Err(Abort);
            }
            return Err(self.unexpected("an argument of the function"));
        }
        Ok(Head {
            name,
            infix: false,
            op,
            pats,
        })
    }
}
