//! Elaborates the rules of a match.

use super::super::Elaborator;
use super::super::env::What;
use super::super::name::{of, plain_val};
use super::super::pat::Bind;
use super::super::report::About;
use super::super::types::T;
use crate::diag::Code;
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::Rule;

/// The kind of expression that contains the rules of a match.
#[derive(Clone, Copy)]
pub(in crate::elab) enum MatchOf {
    /// The rules of a `fn`.
    Fn,
    /// The rules of a `case`. The fields are the type and the place of the matched expression.
    Case(T, Span),
    /// The rules of a `handle`. The fields are the type and the place of the handled expression.
    Handle(T, Span),
}

impl Elaborator {
    /// Elaborates rules. Returns the elaborated rules, the type of their patterns, and the type of their results.
    pub(in crate::elab) fn rules(
        &mut self,
        rules: &[ast::Rule],
        of_what: MatchOf,
    ) -> (Vec<Rule>, T, T) {
        let (arg, mut result) = match of_what {
            MatchOf::Fn => (self.store.fresh(), None),
            MatchOf::Case(ty, _) => (ty, None),
            MatchOf::Handle(ty, at) => (self.prim_ty("exn"), Some((ty, at))),
        };
        let mut first_pat = None;
        let mut typed = Vec::with_capacity(rules.len());
        for rule in rules {
            let mut binds = Vec::new();
            let pat = self.pat(&rule.pat, &mut binds);
            let (found, at) = (of(pat.ty), pat.span);
            self.agree(found, arg, |_| match of_what {
                MatchOf::Fn => About::new(
                    Code::PatternMismatch,
                    at,
                    "the patterns of this function match different types",
                )
                .label(at, "this matches `{found}`")
                .label(first_pat.unwrap_or(at), "this one matches `{expected}`"),
                MatchOf::Case(_, scrutinee) => About::new(
                    Code::PatternMismatch,
                    at,
                    "this pattern cannot match what the `case` looks at",
                )
                .label(at, "this matches `{found}`")
                .label(scrutinee, "this has the type `{expected}`"),
                MatchOf::Handle(..) => About::new(
                    Code::HandleNeedsExn,
                    at,
                    "the patterns of `handle` match exceptions",
                )
                .label(at, "this matches `{found}`"),
            });
            first_pat = first_pat.or(Some(at));
            let mark = self.scopes.mark();
            self.bind_pat(&binds);
            let exp = self.exp(&rule.exp);
            self.scopes.undo(mark);
            let (found, at) = (of(exp.ty), exp.span);
            match result {
                None => result = Some((found, at)),
                Some((ty, other)) => {
                    self.agree(found, ty, |_| {
                        let message = match of_what {
                            MatchOf::Handle(..) => {
                                "this rule of `handle` has another type than what it stands in for"
                            }
                            _ => "the rules of this match have results of different types",
                        };
                        About::new(Code::BranchMismatch, at, message)
                            .label(at, "this has the type `{found}`")
                            .label(other, "this has the type `{expected}`")
                    });
                    if self.store.resolve(ty) == T::ERROR {
                        result = Some((found, at));
                    }
                }
            }
            typed.push(Rule { pat, exp });
        }
        let result = result.map_or(T::ERROR, |result| result.0);
        (typed, arg, result)
    }

    /// Brings the variables of a pattern into scope. These variables are not polymorphic.
    pub(in crate::elab) fn bind_pat(&mut self, binds: &[Bind]) {
        for bind in binds {
            let val = plain_val(What::Var(bind.var), bind.ty, bind.span);
            self.scopes.bind_val(bind.name, val);
        }
    }
}
