//! Elaborates declarations of the core language.

mod function;

use std::rc::Rc;

use super::Elaborator;
use super::cont;
use super::env::{Status, Val, What};
use super::name::{of, raw};
use super::pat::Bind;
use super::report::About;
use super::types::T;
use super::tyvars::Unguarded;
use crate::diag::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Dec, Exp, ExpKind, Pat, PatKind, TyVar};

/// An elaborated binding of `val`, before its names come into scope.
struct ValBind {
    pat: Pat,
    binds: Vec<Bind>,
    exp: Exp,
    value: bool,
    /// Whether the binding only gives a primitive another name. Such a binding has no variable.
    alias: bool,
}

impl Elaborator {
    /// Elaborates a declaration. After this call, the declaration's bindings are in scope.
    pub(super) fn dec(&mut self, dec: &ast::Dec, out: &mut Vec<Dec>) {
        match &dec.kind {
            ast::DecKind::Val { tyvars, binds } => self.val(tyvars, binds, out),
            ast::DecKind::Pval(pat, exp) => self.pval(pat, exp, out),
            ast::DecKind::Fun { tyvars, binds } => self.fun(tyvars, binds, out),
            ast::DecKind::Cont(binds) => self.decs(&cont::expand(binds, None, dec.span), out),
            ast::DecKind::Type(binds) => self.type_dec(binds),
            ast::DecKind::Datatype { datas, types } => {
                self.datatype(datas, types);
            }
            ast::DecKind::Replication { name, of } => self.replication(*name, of),
            ast::DecKind::Abstype { datas, types, decs } => self.abstype(datas, types, decs, out),
            ast::DecKind::Exception(binds) => self.exception(binds, out),
            ast::DecKind::Local(first, second) => self.local(first, second, out),
            ast::DecKind::Open(names) => {
                let opened: Vec<_> = names.iter().map(|name| self.find_structure(name)).collect();
                for structure in opened {
                    if structure.env.error {
                        // Names that are not in scope may be names of this structure.
                        self.lenient = true;
                    }
                    self.scopes.open(&structure.env);
                }
            }
            ast::DecKind::Fixity { .. } => {}
            ast::DecKind::Structure(_) | ast::DecKind::Signature(_) | ast::DecKind::Functor(_) => {
                // A module ends the context of the declarations before it.
                self.end_context();
                match &dec.kind {
                    ast::DecKind::Structure(binds) => self.structure_dec(binds, out),
                    ast::DecKind::Signature(binds) => self.signature_dec(binds),
                    ast::DecKind::Functor(binds) => self.functor_dec(binds),
                    _ => {}
                }
                self.end_context();
            }
            ast::DecKind::Exp(exp) => self.it(exp, out),
            ast::DecKind::Do(exp) => self.effect(exp, out),
            ast::DecKind::Overload { name, ty, by } => match ty {
                Some(ty) => self.overload(*name, ty, by),
                None => self.overload_more(*name, by),
            },
            ast::DecKind::Error => self.lenient = true,
        }
    }

    /// Elaborates declarations, one after the other.
    pub(super) fn decs(&mut self, decs: &[ast::Dec], out: &mut Vec<Dec>) {
        let outer = self.announced.len();
        self.announce(decs);
        for dec in decs {
            self.dec(dec, out);
        }
        self.announced.truncate(outer);
    }

    /// Records the names that declarations bind, for messages about uses before the declaration.
    pub(super) fn announce(&mut self, decs: &[ast::Dec]) {
        if self.builtin {
            return;
        }
        for dec in decs {
            match &dec.kind {
                ast::DecKind::Fun { binds, .. } | ast::DecKind::Cont(binds) => {
                    let names = binds.iter().filter_map(|bind| bind.clauses.first());
                    self.announced.extend(names.map(|clause| clause.name));
                }
                ast::DecKind::Val { binds, .. } => {
                    self.announced
                        .extend(binds.iter().filter_map(|bind| bound_name(&bind.pat)));
                }
                _ => {}
            }
        }
    }

    fn local(&mut self, first: &[ast::Dec], second: &[ast::Dec], out: &mut Vec<Dec>) {
        let from = self.scopes.mark();
        self.decs(first, out);
        let to = self.scopes.mark();
        self.decs(second, out);
        self.scopes.hide(from, to);
    }

    fn it(&mut self, exp: &ast::Exp, out: &mut Vec<Dec>) {
        let name = Symbol::new("it");
        let pat = ast::Pat {
            kind: ast::PatKind::Name {
                name: ast::LongName {
                    path: Vec::new(),
                    name: ast::Name {
                        symbol: name,
                        span: exp.span,
                    },
                },
                op: false,
            },
            span: exp.span,
        };
        let mut found = Unguarded::default();
        found.exp(exp);
        self.val_group(&[], &found, &[(&pat, exp)], &[], out);
    }

    /// Elaborates `do e`.
    fn effect(&mut self, exp: &ast::Exp, out: &mut Vec<Dec>) {
        let pat = ast::Pat {
            kind: ast::PatKind::Tuple(Vec::new()),
            span: exp.span,
        };
        let mut found = Unguarded::default();
        found.exp(exp);
        self.val_group(&[], &found, &[(&pat, exp)], &[], out);
    }

    fn val(&mut self, tyvars: &[ast::Name], binds: &[ast::ValBind], out: &mut Vec<Dec>) {
        let mut found = Unguarded::default();
        for bind in binds {
            found.pat(&bind.pat);
            found.exp(&bind.exp);
        }
        let plain: Vec<(&ast::Pat, &ast::Exp)> = binds
            .iter()
            .filter(|bind| !bind.rec)
            .map(|bind| (&bind.pat, &bind.exp))
            .collect();
        let rec: Vec<&ast::ValBind> = binds.iter().filter(|bind| bind.rec).collect();
        self.val_group(tyvars, &found, &plain, &rec, out);
    }

    fn val_group(
        &mut self,
        tyvars: &[ast::Name],
        found: &Unguarded,
        plain: &[(&ast::Pat, &ast::Exp)],
        rec: &[&ast::ValBind],
        out: &mut Vec<Dec>,
    ) {
        let outer = self.tyvars.len();
        self.store.level += 1;
        let explicit = self.open_tyvars(tyvars, &found.found);
        let mut names: Vec<ast::Name> = Vec::new();
        let mut done: Vec<ValBind> = Vec::with_capacity(plain.len());
        for (pat, exp) in plain {
            // An expression that is not a value is not polymorphic, so its annotations get type variables of their own.
            let own = if !explicit.is_empty() && !self.is_value(exp) {
                let all = self.tyvars.split_off(outer);
                let own = self.open_tyvars(tyvars, &found.found);
                Some((own, all))
            } else {
                None
            };
            let bind = self.val_bind(pat, exp);
            if let Some((own, all)) = own {
                self.tyvars.truncate(outer);
                self.tyvars.extend(all);
                for var in own {
                    self.store.tyvars[var.index()].unused = true;
                }
            }
            names.extend(bind.binds.iter().map(|bind| ast::Name {
                symbol: bind.name,
                span: bind.span,
            }));
            done.push(bind);
        }
        let mut functions = Vec::with_capacity(rec.len());
        let mark = self.scopes.mark();
        for bind in rec {
            let mut own = Vec::new();
            self.rec_names(&bind.pat, &mut own);
            names.extend_from_slice(&own);
            if !matches!(bind.pat.kind, ast::PatKind::Error) {
                functions.push((own.clone(), self.bind_function(&own, bind.pat.span), *bind));
            }
        }
        let mut bodies = Vec::with_capacity(functions.len());
        for (names, (var, ty), bind) in functions {
            let mut exp = self.exp(&bind.exp);
            if !matches!(exp.kind, ExpKind::Fn(_)) {
                if of(exp.ty) != T::ERROR {
                    self.error(
                        Code::RecNeedsFn,
                        exp.span,
                        "what `val rec` binds must be written as `fn`",
                    );
                }
                exp.ty = raw(T::ERROR);
            }
            // The names of the pattern are bound already. Only its annotations are missing.
            let pat = self.rec_pat_ty(&bind.pat);
            let (found, at) = (of(exp.ty), exp.span);
            for expected in pat.into_iter().chain([ty]) {
                self.agree(found, expected, |_| {
                    About::new(
                        Code::AnnotationMismatch,
                        at,
                        "this function has another type than its uses and its annotation say",
                    )
                    .label(at, "this has the type `{found}`")
                });
            }
            bodies.push((names, var, ty, exp));
        }
        self.scopes.undo(mark);
        self.no_duplicates(&names, Code::DuplicateBinding, "the name");
        self.store.level -= 1;
        self.tyvars.truncate(outer);
        if done.iter().all(|bind| !bind.value) && bodies.is_empty() {
            for var in &explicit {
                self.store.tyvars[var.index()].unused = true;
            }
        }
        for bind in done {
            self.close_val(bind, &explicit, out);
        }
        if !bodies.is_empty() {
            self.close_functions(bodies, &explicit, out);
        }
    }

    fn val_bind(&mut self, ast_pat: &ast::Pat, ast_exp: &ast::Exp) -> ValBind {
        let exp = self.exp(ast_exp);
        let mut binds = Vec::new();
        let pat = self.pat(ast_pat, &mut binds);
        let (found, at) = (of(exp.ty), exp.span);
        let (expected, pat_at) = (of(pat.ty), pat.span);
        let annotated = matches!(ast_pat.kind, ast::PatKind::Typed(..));
        self.agree(found, expected, |_| {
            if annotated {
                About::new(
                    Code::AnnotationMismatch,
                    at,
                    "this has not the type that is written",
                )
                .label(at, "this has the type `{found}`")
                .label(pat_at, "this says `{expected}`")
            } else {
                About::new(
                    Code::PatternMismatch,
                    at,
                    "this cannot be matched by the pattern that it is bound to",
                )
                .label(at, "this has the type `{found}`")
                .label(pat_at, "this matches `{expected}`")
            }
        });
        let value = self.is_value(ast_exp);
        let alias = matches!(exp.kind, ExpKind::Prim { .. })
            && matches!(
                ast_exp.kind,
                ast::ExpKind::Prim(..) | ast::ExpKind::Name { .. }
            )
            && matches!(pat.kind, PatKind::Var(_));
        ValBind {
            pat,
            binds,
            exp,
            value,
            alias,
        }
    }

    fn close_val(&mut self, bind: ValBind, explicit: &[TyVar], out: &mut Vec<Dec>) {
        let types: Vec<T> = bind.binds.iter().map(|bind| bind.ty).collect();
        let tyvars: Rc<[TyVar]> = if bind.value {
            self.generalise(explicit, &types)
        } else {
            for bound in &bind.binds {
                self.keep(bound.ty, bound.span);
                if self.store.level == 0 {
                    self.restricted.push((bound.name, bound.span, bound.ty));
                }
            }
            Rc::from([])
        };
        for bound in &bind.binds {
            let what = match bind.exp.kind {
                ExpKind::Prim { prim, .. } if bind.alias => What::Prim(prim),
                _ => What::Var(bound.var),
            };
            let val = Val {
                tyvars: tyvars.clone(),
                ty: bound.ty,
                what,
                inst: None,
                status: Status::Value,
                span: bound.span,
            };
            self.scopes.bind_val(bound.name, val);
        }
        if !bind.alias {
            out.push(Dec::Val {
                tyvars: tyvars.to_vec(),
                pat: bind.pat,
                exp: bind.exp,
            });
        }
    }

    /// Adds to `names` the names that a pattern of `val rec` binds. Reports an error if the pattern binds no name.
    fn rec_names(&mut self, pat: &ast::Pat, names: &mut Vec<ast::Name>) {
        match &pat.kind {
            ast::PatKind::Paren(inner) | ast::PatKind::Typed(inner, _) => {
                self.rec_names(inner, names);
            }
            ast::PatKind::Name { name, .. } if name.path.is_empty() => names.push(name.name),
            ast::PatKind::As { name, pat, .. } => {
                names.push(*name);
                self.rec_names(pat, names);
            }
            ast::PatKind::Wild | ast::PatKind::Error => {}
            _ => self.error(
                Code::RecNeedsVariable,
                pat.span,
                "`val rec` binds functions: a name is needed here",
            ),
        }
    }

    /// Returns the type annotation in a pattern of `val rec`, if there is one.
    fn rec_pat_ty(&mut self, pat: &ast::Pat) -> Option<T> {
        match &pat.kind {
            ast::PatKind::Paren(inner) => self.rec_pat_ty(inner),
            ast::PatKind::Typed(inner, ty) => {
                let ty = self.ty(ty);
                if let Some(other) = self.rec_pat_ty(inner) {
                    self.agree_annotations(other, ty, pat.span);
                }
                Some(ty)
            }
            ast::PatKind::As { ty, pat: inner, .. } => {
                let inner = self.rec_pat_ty(inner);
                let Some(ty) = ty else {
                    return inner;
                };
                let ty = self.ty(ty);
                if let Some(other) = inner {
                    self.agree_annotations(other, ty, pat.span);
                }
                Some(ty)
            }
            _ => None,
        }
    }

    fn agree_annotations(&mut self, first: T, second: T, span: Span) {
        self.agree(first, second, |_| {
            About::new(
                Code::AnnotationMismatch,
                span,
                "these annotations say different types",
            )
        });
    }
}

/// Returns the name of the variable if a pattern is a variable, and otherwise `None`.
fn bound_name(pat: &ast::Pat) -> Option<ast::Name> {
    match &pat.kind {
        ast::PatKind::Name { name, .. } if name.path.is_empty() => Some(name.name),
        ast::PatKind::Paren(inner) | ast::PatKind::Typed(inner, _) => bound_name(inner),
        _ => None,
    }
}
