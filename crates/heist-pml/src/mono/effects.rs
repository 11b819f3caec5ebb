//! Decides whether the compiler may omit an expression whose value the program does not use.

use super::Mono;
use crate::prim::Effect;
use crate::typed::{Dec, Exp, ExpKind, Pat, PatKind, TyConKind};

impl Mono<'_> {
    /// Returns true if the evaluation of an expression always ends, without effects that the program can observe.
    pub fn effect_free(&self, exp: &Exp) -> bool {
        match &exp.kind {
            ExpKind::Const(_)
            | ExpKind::Var { .. }
            | ExpKind::Con { .. }
            | ExpKind::Exn(_)
            | ExpKind::Prim { .. }
            | ExpKind::Fn(_) => true,
            ExpKind::Record(fields) => fields.iter().all(|field| self.effect_free(&field.1)),
            ExpKind::Select(_, exp) => self.effect_free(exp),
            ExpKind::Apply(f, arg) => {
                let quiet = match &f.kind {
                    ExpKind::Con { .. } | ExpKind::Exn(_) => true,
                    ExpKind::Prim { prim, .. } => {
                        matches!(prim.effect(), Effect::Pure | Effect::Alloc | Effect::Read)
                    }
                    ExpKind::Fn(rules) => match rules.as_slice() {
                        [rule] => self.irrefutable(&rule.pat) && self.effect_free(&rule.exp),
                        _ => false,
                    },
                    _ => false,
                };
                quiet && self.effect_free(arg)
            }
            ExpKind::Case {
                scrutinee, rules, ..
            } => {
                self.effect_free(scrutinee)
                    && rules.iter().any(|rule| self.irrefutable(&rule.pat))
                    && rules.iter().all(|rule| self.effect_free(&rule.exp))
            }
            ExpKind::If(cond, yes, no) => {
                self.effect_free(cond) && self.effect_free(yes) && self.effect_free(no)
            }
            ExpKind::Sequence(exps) | ExpKind::ParTuple(exps) => {
                exps.iter().all(|exp| self.effect_free(exp))
            }
            ExpKind::Let(decs, body) => {
                self.effect_free(body)
                    && decs.iter().all(|dec| match dec {
                        Dec::Val { pat, exp, .. } => self.irrefutable(pat) && self.effect_free(exp),
                        Dec::Fun { .. } | Dec::Exception { .. } => true,
                    })
            }
            // A body without effects raises no exception, so the handler never runs.
            ExpKind::Handle(body, _) => self.effect_free(body),
            ExpKind::While(..) | ExpKind::Raise(_) => false,
        }
    }

    /// Returns true if a pattern matches all values of its type.
    pub fn irrefutable(&self, pat: &Pat) -> bool {
        match &pat.kind {
            PatKind::Wild | PatKind::Var(_) => true,
            PatKind::As(_, pat) | PatKind::Ref(pat) => self.irrefutable(pat),
            PatKind::Record(fields) => fields.iter().all(|field| self.irrefutable(&field.1)),
            PatKind::Con { con, arg, .. } => {
                let tycon = self.cons[con.index()].tycon;
                matches!(&self.tycons[tycon.index()].kind, TyConKind::Data(cons) if cons.len() == 1)
                    && arg.as_ref().is_none_or(|arg| self.irrefutable(arg))
            }
            PatKind::Or(pats) => pats.iter().any(|pat| self.irrefutable(pat)),
            PatKind::Const(_) | PatKind::Exn { .. } | PatKind::Vector(_) => false,
        }
    }
}
