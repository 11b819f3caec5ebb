//! Declarations of the core language.

use std::rc::Rc;

use super::Elaborator;
use super::env::{Status, Val, What};
use super::name::{node, of, plain_val, raw};
use super::pat::Bind;
use super::report::About;
use super::types::T;
use super::tyvars::Unguarded;
use crate::diag::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Dec, Exp, ExpKind, FunBind, Pat, PatKind, TyVar};

/// A binding of `val`, its names not in scope yet.
struct ValBind {
    pat: Pat,
    binds: Vec<Bind>,
    exp: Exp,
    value: bool,
    /// A name for a primitive, without a variable.
    alias: bool,
}

impl Elaborator {
    /// A declaration. Its bindings are in scope afterwards.
    pub(super) fn dec(&mut self, dec: &ast::Dec, out: &mut Vec<Dec>) {
        match &dec.kind {
            ast::DecKind::Val { tyvars, binds } => self.val(tyvars, binds, out),
            ast::DecKind::Pval(pat, exp) => self.pval(pat, exp, out),
            ast::DecKind::Fun { tyvars, binds } => self.fun(tyvars, binds, out),
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
                        // Names that cannot be found may have been in it.
                        self.lenient = true;
                    }
                    self.scopes.open(&structure.env);
                }
            }
            ast::DecKind::Fixity { .. } => {}
            ast::DecKind::Structure(_) | ast::DecKind::Signature(_) | ast::DecKind::Functor(_) => {
                // Those before are a declaration of their own.
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
            ast::DecKind::Overload { name, ty, by } => self.overload(*name, ty, by),
            ast::DecKind::Error => self.lenient = true,
        }
    }

    /// Declarations, one after the other.
    pub(super) fn decs(&mut self, decs: &[ast::Dec], out: &mut Vec<Dec>) {
        let outer = self.announced.len();
        self.announce(decs);
        for dec in decs {
            self.dec(dec, out);
        }
        self.announced.truncate(outer);
    }

    /// Records the names that declarations bind, for errors about earlier uses.
    pub(super) fn announce(&mut self, decs: &[ast::Dec]) {
        if self.builtin {
            return;
        }
        for dec in decs {
            match &dec.kind {
                ast::DecKind::Fun { binds, .. } => {
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

    /// `do e`
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
            // An expression that is no value is not polymorphic: what it says of type variables is of its own ones.
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
            // The annotations of the pattern; what it binds is bound already.
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

    /// The names that a pattern of `val rec` gives to a function.
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

    /// The type that a pattern of `val rec` gives, if any.
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

    /// Brings a function into scope, by its names, for its own body and its group's.
    fn bind_function(&mut self, names: &[ast::Name], span: Span) -> (crate::typed::Var, T) {
        let first = names.first().copied().unwrap_or(ast::Name {
            symbol: Symbol::new("_"),
            span,
        });
        let var = self.var(first.symbol, first.span);
        let ty = self.store.fresh();
        for &name in names {
            self.check_bindable(name);
            self.fact(name.span, Status::Value, ty, name.span);
            let val = plain_val(What::Recursive(var), ty, name.span);
            self.scopes.bind_val(name.symbol, val);
        }
        (var, ty)
    }

    fn close_functions(
        &mut self,
        bodies: Vec<(Vec<ast::Name>, crate::typed::Var, T, Exp)>,
        explicit: &[TyVar],
        out: &mut Vec<Dec>,
    ) {
        let types: Vec<T> = bodies.iter().map(|body| body.2).collect();
        let tyvars = self.generalise(explicit, &types);
        let mut binds = Vec::with_capacity(bodies.len());
        for (names, var, ty, exp) in bodies {
            if !tyvars.is_empty() {
                self.groups.insert(var, tyvars.clone());
            }
            for name in names {
                let val = Val {
                    tyvars: tyvars.clone(),
                    ty,
                    what: What::Var(var),
                    inst: None,
                    status: Status::Value,
                    span: name.span,
                };
                self.scopes.bind_val(name.symbol, val);
            }
            if matches!(exp.kind, ExpKind::Fn(_)) {
                binds.push(FunBind { var, exp });
            }
        }
        out.push(Dec::Fun {
            tyvars: tyvars.to_vec(),
            binds,
        });
    }

    fn fun(&mut self, tyvars: &[ast::Name], binds: &[ast::FunBind], out: &mut Vec<Dec>) {
        let mut found = Unguarded::default();
        for clause in binds.iter().flat_map(|bind| &bind.clauses) {
            clause.pats.iter().for_each(|pat| found.pat(pat));
            if let Some(ty) = &clause.ty {
                found.ty(ty);
            }
            found.exp(&clause.exp);
        }
        let outer = self.tyvars.len();
        self.store.level += 1;
        let explicit = self.open_tyvars(tyvars, &found.found);
        let names: Vec<ast::Name> = binds.iter().map(|bind| bind.clauses[0].name).collect();
        self.no_duplicates(&names, Code::DuplicateBinding, "the function");
        let mark = self.scopes.mark();
        let functions: Vec<(crate::typed::Var, T)> = names
            .iter()
            .map(|name| self.bind_function(std::slice::from_ref(name), name.span))
            .collect();
        let mut bodies = Vec::with_capacity(binds.len());
        for ((bind, name), (var, ty)) in binds.iter().zip(names).zip(functions) {
            let exp = self.clauses(&bind.clauses, ty);
            bodies.push((vec![name], var, ty, exp));
        }
        self.scopes.undo(mark);
        self.store.level -= 1;
        self.tyvars.truncate(outer);
        self.close_functions(bodies, &explicit, out);
    }

    /// The function that clauses define; `ty` becomes its type.
    fn clauses(&mut self, clauses: &[ast::Clause], ty: T) -> Exp {
        let arity = clauses[0].pats.len();
        let args: Vec<T> = (0..arity).map(|_| self.store.fresh()).collect();
        let result = self.store.fresh();
        let mut types = vec![result];
        for &arg in args.iter().rev() {
            let last = types[types.len() - 1];
            types.push(self.store.arrow(arg, last));
        }
        types.reverse();
        let name = clauses[0].name;
        self.note_clauses(clauses, ty);
        self.agree(types[0], ty, |_| {
            About::new(
                Code::TypeMismatch,
                name.span,
                "this function is used otherwise",
            )
        });
        let mut rows: Vec<(Vec<Pat>, Exp)> = Vec::with_capacity(clauses.len());
        let mut first: Option<Span> = None;
        for clause in clauses {
            let mut binds = Vec::new();
            let mut pats = Vec::with_capacity(arity);
            for (at, pat) in clause.pats.iter().enumerate() {
                let pat = self.pat(pat, &mut binds);
                let Some(&expected) = args.get(at) else {
                    continue;
                };
                let (found, place) = (of(pat.ty), pat.span);
                self.agree(found, expected, |_| {
                    About::new(
                        Code::PatternMismatch,
                        place,
                        "the clauses of this function take arguments of different types",
                    )
                    .label(place, "this matches `{found}`")
                    .label(name.span, "elsewhere the function takes `{expected}`")
                });
                pats.push(pat);
            }
            let mark = self.scopes.mark();
            self.bind_pat(&binds);
            let annotated = clause.ty.as_ref().map(|ty| (self.ty(ty), ty.span));
            if let Some((annotated, _)) = annotated {
                let place = clause.ty.as_ref().map_or(clause.span, |ty| ty.span);
                self.agree(annotated, result, |_| {
                    About::new(
                        Code::AnnotationMismatch,
                        place,
                        "the result has not the type that is written",
                    )
                    .label(place, "this says `{found}`")
                    .label(name.span, "elsewhere the function gives `{expected}`")
                });
            }
            let exp = self.exp(&clause.exp);
            self.scopes.undo(mark);
            let (found, place) = (of(exp.ty), exp.span);
            self.agree(found, result, |_| match (annotated, first) {
                (Some((_, written)), _) => About::new(
                    Code::AnnotationMismatch,
                    place,
                    "the result has not the type that is written",
                )
                .label(place, "this has the type `{found}`")
                .label(written, "this says `{expected}`"),
                (None, Some(first)) => About::new(
                    Code::BranchMismatch,
                    place,
                    "the clauses of this function have results of different types",
                )
                .label(place, "this has the type `{found}`")
                .label(first, "this has the type `{expected}`"),
                (None, None) => About::new(
                    Code::TypeMismatch,
                    place,
                    "the result has another type than uses of the function ask for",
                )
                .label(place, "this has the type `{found}`")
                .label(name.span, "the result is used as `{expected}`"),
            });
            first = first.or(Some(place));
            while pats.len() < arity {
                pats.push(Pat {
                    kind: PatKind::Wild,
                    ty: raw(T::ERROR),
                    span: clause.span,
                });
            }
            rows.push((pats, exp));
        }
        let span = clauses[0].span.to(clauses[clauses.len() - 1].span);
        self.curried(rows, &args, result, &types, span)
    }

    /// A function of rows of patterns, one for each argument.
    fn curried(
        &mut self,
        mut rows: Vec<(Vec<Pat>, Exp)>,
        args: &[T],
        result: T,
        types: &[T],
        span: Span,
    ) -> Exp {
        let arity = args.len();
        if arity == 1 {
            let rules = rows
                .into_iter()
                .map(|(mut pats, exp)| crate::typed::Rule {
                    pat: pats.remove(0),
                    exp,
                })
                .collect();
            return node(ExpKind::Fn(rules), types[0], span);
        }
        // A pattern may be tried at its argument only if it cannot fail, or comes last: the Definition has them tried when all
        // arguments are there.
        let direct = rows.len() == 1
            && rows[0].0[..arity - 1]
                .iter()
                .all(|pat| self.is_irrefutable(pat));
        if direct {
            let (pats, exp) = rows.remove(0);
            let mut whole = exp;
            for (at, pat) in pats.into_iter().enumerate().rev() {
                let rule = crate::typed::Rule { pat, exp: whole };
                whole = node(ExpKind::Fn(vec![rule]), types[at], span);
            }
            return whole;
        }
        let name = Symbol::new("_arg");
        let vars: Vec<_> = args.iter().map(|_| self.var(name, span)).collect();
        let parts = vars
            .iter()
            .zip(args)
            .map(|(&var, &ty)| {
                let kind = ExpKind::Var {
                    var,
                    inst: Vec::new(),
                };
                node(kind, ty, span)
            })
            .collect();
        let scrutinee = Box::new(self.tuple(parts, span));
        let tuple_ty = scrutinee.ty;
        let rules = rows
            .into_iter()
            .map(|(pats, exp)| {
                let at = pats[0].span.to(pats[arity - 1].span);
                let mut pat = self.tuple_pat(pats, at);
                pat.ty = tuple_ty;
                crate::typed::Rule { pat, exp }
            })
            .collect();
        let kind = ExpKind::Case {
            scrutinee,
            rules,
            otherwise: crate::typed::Otherwise::Match,
        };
        let mut whole = node(kind, result, span);
        for (at, (&var, &ty)) in vars.iter().zip(args).enumerate().rev() {
            let pat = Pat {
                kind: PatKind::Var(var),
                ty: raw(ty),
                span,
            };
            let rule = crate::typed::Rule { pat, exp: whole };
            whole = node(ExpKind::Fn(vec![rule]), types[at], span);
        }
        whole
    }
}

/// The name that a pattern binds, if it is a variable.
fn bound_name(pat: &ast::Pat) -> Option<ast::Name> {
    match &pat.kind {
        ast::PatKind::Name { name, .. } if name.path.is_empty() => Some(name.name),
        ast::PatKind::Paren(inner) | ast::PatKind::Typed(inner, _) => bound_name(inner),
        _ => None,
    }
}
