//! Elaborates functions: `fun` declarations, and the bindings of a recursive group.

use super::super::Elaborator;
use super::super::env::{Status, Val, What};
use super::super::name::{node, of, plain_val, raw};
use super::super::report::About;
use super::super::types::T;
use super::super::tyvars::Unguarded;
use crate::diag::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Dec, Exp, ExpKind, FunBind, Otherwise, Pat, PatKind, Rule, TyVar, Var};

impl Elaborator {
    pub(super) fn fun(&mut self, tyvars: &[ast::Name], binds: &[ast::FunBind], out: &mut Vec<Dec>) {
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
        let functions: Vec<(Var, T)> = names
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

    /// Returns the function that clauses define, and unifies its type with `ty`.
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

    /// Returns a curried function that matches its arguments against the rows. Each row has a pattern for each argument.
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
                .map(|(mut pats, exp)| Rule {
                    pat: pats.remove(0),
                    exp,
                })
                .collect();
            return node(ExpKind::Fn(rules), types[0], span);
        }
        // By the Definition, a function matches its patterns when it has all arguments. The function may match a pattern earlier only if
        // the pattern cannot fail.
        let direct = rows.len() == 1
            && rows[0].0[..arity - 1]
                .iter()
                .all(|pat| self.is_irrefutable(pat));
        if direct {
            let (pats, exp) = rows.remove(0);
            let mut whole = exp;
            for (at, pat) in pats.into_iter().enumerate().rev() {
                let rule = Rule { pat, exp: whole };
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
                Rule { pat, exp }
            })
            .collect();
        let kind = ExpKind::Case {
            scrutinee,
            rules,
            otherwise: Otherwise::Match,
        };
        let mut whole = node(kind, result, span);
        for (at, (&var, &ty)) in vars.iter().zip(args).enumerate().rev() {
            let pat = Pat {
                kind: PatKind::Var(var),
                ty: raw(ty),
                span,
            };
            let rule = Rule { pat, exp: whole };
            whole = node(ExpKind::Fn(vec![rule]), types[at], span);
        }
        whole
    }

    /// Brings a function into scope under these names, before the functions of its recursive group are elaborated.
    pub(super) fn bind_function(&mut self, names: &[ast::Name], span: Span) -> (Var, T) {
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

    pub(super) fn close_functions(
        &mut self,
        bodies: Vec<(Vec<ast::Name>, Var, T, Exp)>,
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
}
