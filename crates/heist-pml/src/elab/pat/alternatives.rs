//! Elaborates the alternatives of a pattern.

use super::super::Elaborator;
use super::super::name::of;
use super::super::report::About;
use super::{Bind, pat_node};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::{Pat, PatKind, Var};

impl Elaborator {
    /// Elaborates `(p | q)`, whose alternatives must bind the same variables with the same types.
    pub(super) fn or_pat(&mut self, pats: &[ast::Pat], span: Span, binds: &mut Vec<Bind>) -> Pat {
        let outside = binds.len();
        let mut alternatives: Vec<Pat> = Vec::with_capacity(pats.len());
        for pat in pats {
            if alternatives.is_empty() {
                alternatives.push(self.pat(pat, binds));
                continue;
            }
            let mut own = binds[..outside].to_vec();
            let mut alternative = self.pat(pat, &mut own);
            self.same_binds(&binds[outside..], &own[outside..], pat.span);
            let renamed: Vec<(Var, Var)> = own[outside..]
                .iter()
                .filter_map(|bind| {
                    let first = binds[outside..].iter().find(|it| it.name == bind.name)?;
                    Some((bind.var, first.var))
                })
                .collect();
            rename(&mut alternative, &renamed);
            let (at, found) = (pat.span, of(alternative.ty));
            let (before, expected) = (pats[0].span, of(alternatives[0].ty));
            self.agree(found, expected, |_| {
                About::new(
                    Code::PatternMismatch,
                    at,
                    "the alternatives of a pattern match values of different types",
                )
                .label(at, "this matches `{found}`")
                .label(before, "this matches `{expected}`")
            });
            alternatives.push(alternative);
        }
        let ty = of(alternatives[0].ty);
        pat_node(PatKind::Or(alternatives), ty, span)
    }

    /// Reports an error if alternatives bind different variables.
    fn same_binds(&mut self, first: &[Bind], own: &[Bind], span: Span) {
        for (some, others) in [(first, own), (own, first)] {
            for bind in some {
                if !others.iter().any(|other| other.name == bind.name) {
                    self.report(
                        Diagnostic::new(
                            Code::AlternativeVariables,
                            span,
                            format!(
                                "only some alternatives of this pattern bind `{}`",
                                bind.name
                            ),
                        )
                        .label(bind.span, "bound here")
                        .note("each alternative binds the same variables"),
                    );
                }
            }
        }
        for bind in own {
            let Some(other) = first.iter().find(|other| other.name == bind.name) else {
                continue;
            };
            let (at, before) = (bind.span, other.span);
            self.link_names(before, at);
            self.agree(bind.ty, other.ty, |_| {
                About::new(
                    Code::PatternMismatch,
                    at,
                    format!(
                        "alternatives bind `{}` to values of different types",
                        bind.name
                    ),
                )
                .label(at, "this has the type `{found}`")
                .label(before, "this has the type `{expected}`")
            });
        }
    }
}

/// Replaces each variable of an alternative by the first alternative's variable of the same name.
fn rename(pat: &mut Pat, renamed: &[(Var, Var)]) {
    let new = |var: &mut Var| {
        if let Some(found) = renamed.iter().find(|pair| pair.0 == *var) {
            *var = found.1;
        }
    };
    match &mut pat.kind {
        PatKind::Wild | PatKind::Const(_) => {}
        PatKind::Var(var) => new(var),
        PatKind::As(var, inner) => {
            new(var);
            rename(inner, renamed);
        }
        PatKind::Con { arg, .. } | PatKind::Exn { arg, .. } => {
            if let Some(arg) = arg {
                rename(arg, renamed);
            }
        }
        PatKind::Record(fields) => fields
            .iter_mut()
            .for_each(|field| rename(&mut field.1, renamed)),
        PatKind::Ref(inner) => rename(inner, renamed),
        PatKind::Or(pats) | PatKind::Vector(pats) => {
            pats.iter_mut().for_each(|pat| rename(pat, renamed));
        }
    }
}
