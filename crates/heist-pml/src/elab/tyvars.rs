//! Finds the type variables that a `val` or `fun` declaration binds implicitly (section 4.6 of the Definition). A declaration binds those
//! of its type variables that occur outside of nested `val` and `fun` declarations.

use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::*;

/// Collects the type variables of a declaration's bindings, in the order of their first occurrences.
#[derive(Default)]
pub(super) struct Unguarded {
    pub(super) found: Vec<(Symbol, Span)>,
}

impl Unguarded {
    pub(super) fn ty(&mut self, ty: &Ty) {
        match &ty.kind {
            TyKind::Var(name) => {
                if !self.found.iter().any(|other| other.0 == *name) {
                    self.found.push((*name, ty.span));
                }
            }
            TyKind::Con(args, _) | TyKind::Tuple(args) => args.iter().for_each(|arg| self.ty(arg)),
            TyKind::Record(fields) => fields.iter().for_each(|field| self.ty(&field.1)),
            TyKind::Arrow(from, to) => {
                self.ty(from);
                self.ty(to);
            }
        }
    }

    pub(super) fn pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Wild | PatKind::Literal(_) | PatKind::Name { .. } | PatKind::Error => {}
            PatKind::Apply { arg, .. } => self.pat(arg),
            PatKind::Record { fields, .. } => fields.iter().for_each(|field| self.pat(&field.1)),
            PatKind::Tuple(parts)
            | PatKind::List(parts)
            | PatKind::Vector(parts)
            | PatKind::Or(parts) => {
                parts.iter().for_each(|part| self.pat(part));
            }
            PatKind::Typed(pat, ty) => {
                self.pat(pat);
                self.ty(ty);
            }
            PatKind::As { ty, pat, .. } => {
                if let Some(ty) = ty {
                    self.ty(ty);
                }
                self.pat(pat);
            }
            PatKind::Paren(pat) => self.pat(pat),
        }
    }

    fn rules(&mut self, rules: &[Rule]) {
        for rule in rules {
            self.pat(&rule.pat);
            self.exp(&rule.exp);
        }
    }

    pub(super) fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Literal(_)
            | ExpKind::Member(..)
            | ExpKind::Name { .. }
            | ExpKind::Selector(_)
            | ExpKind::Error => {}
            ExpKind::Prim(_, ty) => self.ty(ty),
            ExpKind::Record(fields) => fields.iter().for_each(|field| self.exp(&field.1)),
            ExpKind::Tuple(parts)
            | ExpKind::List(parts)
            | ExpKind::Vector(parts)
            | ExpKind::Sequence(parts)
            | ExpKind::ParTuple(parts)
            | ExpKind::ParArray(parts) => parts.iter().for_each(|part| self.exp(part)),
            ExpKind::Let(decs, body) => {
                self.decs(decs);
                body.iter().for_each(|exp| self.exp(exp));
            }
            ExpKind::Paren(exp) | ExpKind::Raise(exp) | ExpKind::Spawn(exp) => self.exp(exp),
            ExpKind::Apply(first, second)
            | ExpKind::Infix(first, _, second)
            | ExpKind::Andalso(first, second)
            | ExpKind::Orelse(first, second)
            | ExpKind::While(first, second)
            | ExpKind::ParIndex(first, second) => {
                self.exp(first);
                self.exp(second);
            }
            ExpKind::Typed(exp, ty) => {
                self.exp(exp);
                self.ty(ty);
            }
            ExpKind::Handle(exp, rules) | ExpKind::Case(exp, rules) => {
                self.exp(exp);
                self.rules(rules);
            }
            ExpKind::If(test, first, second) => {
                self.exp(test);
                self.exp(first);
                self.exp(second);
            }
            ExpKind::Fn(rules) => self.rules(rules),
            ExpKind::ParRange { from, to, by } => {
                self.exp(from);
                self.exp(to);
                if let Some(by) = by {
                    self.exp(by);
                }
            }
            ExpKind::ParComprehension {
                body,
                binders,
                filter,
            } => {
                for (pat, exp) in binders {
                    self.pat(pat);
                    self.exp(exp);
                }
                if let Some(filter) = filter {
                    self.exp(filter);
                }
                self.exp(body);
            }
            ExpKind::ParCase(exps, rules) => {
                exps.iter().for_each(|exp| self.exp(exp));
                for rule in rules {
                    if let ParPats::Pats(pats) = &rule.pats {
                        pats.iter().flatten().for_each(|pat| self.pat(pat));
                    }
                    self.exp(&rule.exp);
                }
            }
        }
    }

    fn decs(&mut self, decs: &[Dec]) {
        for dec in decs {
            match &dec.kind {
                DecKind::Pval(pat, exp) => {
                    self.pat(pat);
                    self.exp(exp);
                }
                DecKind::Exception(binds) => {
                    for bind in binds {
                        if let ExnBindKind::New(Some(ty)) = &bind.kind {
                            self.ty(ty);
                        }
                    }
                }
                DecKind::Local(first, second) => {
                    self.decs(first);
                    self.decs(second);
                }
                DecKind::Abstype { decs, .. } => self.decs(decs),
                // These declarations bind their type variables themselves, or have no free type variables.
                _ => {}
            }
        }
    }
}
