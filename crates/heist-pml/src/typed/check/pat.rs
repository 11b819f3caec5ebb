//! Checks patterns.

use super::super::{ExnTag, Pat, PatKind, PrimTy, Ty, TyConKind, TyKind, TyVar, Var};
use super::Checker;

impl Checker<'_> {
    pub(super) fn pat(&mut self, pat: &Pat, tyvars: &[TyVar]) {
        let span = pat.span;
        self.scope(pat.ty, span);
        match &pat.kind {
            PatKind::Wild => {}
            PatKind::Var(var) => self.bind(*var, tyvars, pat.ty, span),
            PatKind::Const(constant) => self.constant(constant, pat.ty, span),
            PatKind::Con { con, inst, arg } => {
                let (wanted, ty) = self.con(*con, inst, span);
                self.same(ty, pat.ty, span, "a constructor's pattern");
                match (wanted, arg) {
                    (None, None) => {}
                    (Some(wanted), Some(arg)) => {
                        self.pat(arg, tyvars);
                        self.same(arg.ty, wanted, span, "a constructor's argument");
                    }
                    _ => self.error(span, "a constructor with or without argument".into()),
                }
            }
            PatKind::Exn { tag, arg } => {
                self.exn(pat.ty, span);
                if let Some(arg) = arg {
                    self.pat(arg, tyvars);
                }
                if let ExnTag::Var(var) = tag {
                    match (self.exns.get(var).copied(), arg) {
                        (Some(None), None) => {}
                        (Some(Some(wanted)), Some(arg)) => {
                            self.same(arg.ty, wanted, span, "an exception's argument");
                        }
                        (None, _) => self.error(span, "an unknown exception".into()),
                        _ => self.error(span, "an exception with or without argument".into()),
                    }
                }
            }
            PatKind::Record(fields) => {
                let ty = self.plain(pat.ty);
                let known = match self.program.types.kind(ty) {
                    TyKind::Record(known) => known.clone(),
                    _ => Vec::new(),
                };
                for (label, inner) in fields {
                    self.pat(inner, tyvars);
                    match known.iter().find(|field| field.0 == *label) {
                        Some(field) => self.same(inner.ty, field.1, span, "a field's pattern"),
                        None => self.error(span, format!("a pattern of no field: {label}")),
                    }
                }
            }
            PatKind::As(var, inner) => {
                self.bind(*var, tyvars, pat.ty, span);
                self.pat(inner, tyvars);
                self.same(inner.ty, pat.ty, span, "a layered pattern");
            }
            PatKind::Ref(inner) => {
                self.pat(inner, tyvars);
                let ty = self.plain(pat.ty);
                match self.program.types.kind(ty).clone() {
                    TyKind::Con(con, args)
                        if matches!(
                            self.program.tycons[con.index()].kind,
                            TyConKind::Prim(PrimTy::Ref)
                        ) =>
                    {
                        self.same(inner.ty, args[0], span, "what a reference refers to");
                    }
                    _ => self.error(span, "a pattern of a reference has another type".into()),
                }
            }
            PatKind::Or(pats) => self.alternatives(pats, tyvars, pat),
            PatKind::Vector(parts) => {
                let ty = self.plain(pat.ty);
                let element = match self.program.types.kind(ty).clone() {
                    TyKind::Con(con, args)
                        if matches!(
                            self.program.tycons[con.index()].kind,
                            TyConKind::Prim(PrimTy::Vector)
                        ) =>
                    {
                        Some(args[0])
                    }
                    _ => None,
                };
                for part in parts {
                    self.pat(part, tyvars);
                    match element {
                        Some(ty) => self.same(part.ty, ty, span, "an element of a vector"),
                        None => self.error(span, "a pattern of a vector has another type".into()),
                    }
                }
            }
        }
    }

    /// Checks that all alternatives of a pattern bind the same variables with the same types.
    fn alternatives(&mut self, pats: &[Pat], tyvars: &[TyVar], whole: &Pat) {
        let before = self.seen.clone();
        let mut bound: Option<Vec<(Var, Ty)>> = None;
        for pat in pats {
            self.seen.clone_from(&before);
            self.pat(pat, tyvars);
            self.same(pat.ty, whole.ty, pat.span, "an alternative of a pattern");
            let mut binds: Vec<(Var, Ty)> = self
                .seen
                .difference(&before)
                .map(|var| (*var, self.vars[var].1))
                .collect();
            binds.sort_by_key(|bind| bind.0.0);
            match &bound {
                None => bound = Some(binds),
                Some(first) => {
                    if !first
                        .iter()
                        .map(|bind| bind.0)
                        .eq(binds.iter().map(|bind| bind.0))
                    {
                        self.error(pat.span, "an alternative binds other variables".into());
                        continue;
                    }
                    for (one, other) in first.clone().into_iter().zip(binds) {
                        self.same(one.1, other.1, pat.span, "a variable of alternatives");
                    }
                }
            }
        }
    }
}
