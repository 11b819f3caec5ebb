//! Checks a typed program. The type of each node of the program must agree with the types of the node's parts. Every variable and type
//! variable must be in scope where it is used. Every use of a polymorphic value must have its type arguments. For these checks, an abstract
//! type is equal to its implementation.

mod pat;

use std::collections::HashMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Const, Dec, ExnTag, Exp, ExpKind, PrimTy, Program, Rule, Ty, TyConKind, TyKind, TyVar, Var,
    show,
};
use crate::source::Span;

/// The maximum number of errors that the check reports.
const MOST: usize = 20;

/// Returns the type errors of a program. If the compiler is correct, the program has no type errors.
pub fn check(program: &mut Program) -> Vec<String> {
    let decs = std::mem::take(&mut program.decs);
    let unit = program.types.unit();
    let mut checker = Checker {
        program,
        vars: FxHashMap::default(),
        exns: FxHashMap::default(),
        seen: FxHashSet::default(),
        tyvars: FxHashSet::default(),
        plain: FxHashMap::default(),
        scoped: FxHashSet::default(),
        errors: Vec::new(),
        unit,
    };
    checker.decs(&decs);
    let errors = checker.errors;
    program.decs = decs;
    errors
}

/// Checks that a program is well typed.
///
/// # Panics
///
/// Panics if the program is not well typed.
pub fn assert_well_typed(program: &mut Program) {
    let errors = check(program);
    assert!(
        errors.is_empty(),
        "the typed program is not well typed:\n{}",
        errors.join("\n")
    );
}

struct Checker<'a> {
    program: &'a mut Program,
    vars: FxHashMap<Var, (Vec<TyVar>, Ty)>,
    exns: FxHashMap<Var, Option<Ty>>,
    /// The variables that the visited code binds. With this set, the check finds variables that are bound twice.
    seen: FxHashSet<Var>,
    /// Type variables in scope.
    tyvars: FxHashSet<TyVar>,
    /// For each type, the same type with the implementation in place of each abstract type.
    plain: FxHashMap<Ty, Ty>,
    /// Types that contain only type variables in scope. The check empties this set at the end of a scope.
    scoped: FxHashSet<Ty>,
    errors: Vec<String>,
    unit: Ty,
}

impl Checker<'_> {
    fn error(&mut self, span: Span, message: String) {
        if self.errors.len() < MOST {
            self.errors.push(format!("{span:?}: {message}"));
        }
    }

    fn plain(&mut self, ty: Ty) -> Ty {
        if let Some(&plain) = self.plain.get(&ty) {
            return plain;
        }
        let plain = match self.program.types.kind(ty).clone() {
            TyKind::Var(_) => ty,
            TyKind::Con(con, args) => {
                let args: Vec<Ty> = args.into_iter().map(|arg| self.plain(arg)).collect();
                let info = &self.program.tycons[con.index()];
                if let TyConKind::Abstract(repr) = info.kind {
                    let by: HashMap<TyVar, Ty> = info.params.iter().copied().zip(args).collect();
                    let repr = self.program.types.substitute(repr, &by);
                    self.plain(repr)
                } else {
                    self.program.types.make(TyKind::Con(con, args))
                }
            }
            TyKind::Record(fields) => {
                let fields = fields
                    .into_iter()
                    .map(|(label, ty)| (label, self.plain(ty)))
                    .collect();
                self.program.types.make(TyKind::Record(fields))
            }
            TyKind::Arrow(from, to) => {
                let (from, to) = (self.plain(from), self.plain(to));
                self.program.types.make(TyKind::Arrow(from, to))
            }
        };
        self.plain.insert(ty, plain);
        plain
    }

    fn same(&mut self, found: Ty, expected: Ty, span: Span, what: &str) {
        if found == expected {
            return;
        }
        let (a, b) = (self.plain(found), self.plain(expected));
        if a != b {
            let (a, b) = (show(self.program, a), show(self.program, b));
            self.error(span, format!("{what}: `{a}`, not `{b}`"));
        }
    }

    /// Checks that all type variables in a type are in scope.
    fn scope(&mut self, ty: Ty, span: Span) {
        if self.scoped.contains(&ty) {
            return;
        }
        match self.program.types.kind(ty).clone() {
            TyKind::Var(var) => {
                if !self.tyvars.contains(&var) {
                    let name = self.program.tyvars[var.index()];
                    self.error(span, format!("{name}_{} is not in scope", var.0));
                }
            }
            TyKind::Con(con, args) => {
                let wanted = self.program.tycons[con.index()].params.len();
                if wanted != args.len() {
                    let text = show(self.program, ty);
                    self.error(span, format!("wrong number of arguments: {text}"));
                }
                args.into_iter().for_each(|arg| self.scope(arg, span));
            }
            TyKind::Record(fields) => {
                fields
                    .into_iter()
                    .for_each(|field| self.scope(field.1, span));
            }
            TyKind::Arrow(from, to) => {
                self.scope(from, span);
                self.scope(to, span);
            }
        }
        self.scoped.insert(ty);
    }

    fn instance(&mut self, tyvars: &[TyVar], ty: Ty, inst: &[Ty], span: Span) -> Ty {
        if tyvars.len() != inst.len() {
            self.error(
                span,
                format!("{} type arguments, not {}", inst.len(), tyvars.len()),
            );
            return ty;
        }
        inst.iter().for_each(|&ty| self.scope(ty, span));
        let by: HashMap<TyVar, Ty> = tyvars.iter().copied().zip(inst.iter().copied()).collect();
        self.program.types.substitute(ty, &by)
    }

    fn bind(&mut self, var: Var, tyvars: &[TyVar], ty: Ty, span: Span) {
        if !self.seen.insert(var) {
            let name = self.program.vars[var.index()].name;
            self.error(span, format!("{name}_{} is bound twice", var.0));
        }
        self.vars.insert(var, (tyvars.to_vec(), ty));
    }

    /// Returns the primitive type of a constant whose type is `ty`.
    fn prim(&mut self, ty: Ty) -> Option<PrimTy> {
        let ty = self.plain(ty);
        let TyKind::Con(con, _) = self.program.types.kind(ty) else {
            return None;
        };
        match self.program.tycons[con.index()].kind {
            TyConKind::Prim(prim) => Some(prim),
            _ => None,
        }
    }

    fn constant(&mut self, constant: &Const, ty: Ty, span: Span) {
        let prim = self.prim(ty);
        let fits = matches!(
            (constant, prim),
            (
                Const::Int(_),
                Some(PrimTy::Int | PrimTy::IntN(_) | PrimTy::Wrap32 | PrimTy::Wrap64)
            ) | (Const::Word(_), Some(PrimTy::Word | PrimTy::WordN(_)))
                | (Const::IntInf(_), Some(PrimTy::IntInf))
                | (Const::Real(_), Some(PrimTy::Real | PrimTy::Float))
                | (Const::Char(_), Some(PrimTy::Char))
                | (Const::String(_), Some(PrimTy::String))
        );
        if !fits {
            let text = show(self.program, ty);
            self.error(
                span,
                format!("the constant {constant:?} has the type {text}"),
            );
        }
    }

    fn exn(&mut self, ty: Ty, span: Span) {
        if self.prim(ty) != Some(PrimTy::Exn) {
            let text = show(self.program, ty);
            self.error(span, format!("an exception has the type {text}"));
        }
    }

    fn bool(&mut self, ty: Ty, span: Span) {
        let ty = self.plain(ty);
        let is_bool = matches!(self.program.types.kind(ty), TyKind::Con(con, _) if Some(*con) == self.program.bool_tycon);
        if !is_bool {
            let text = show(self.program, ty);
            self.error(span, format!("a condition has the type {text}"));
        }
    }

    /// Returns the type of a constructor's argument, and the type of the values that the constructor makes.
    fn con(&mut self, con: super::Con, inst: &[Ty], span: Span) -> (Option<Ty>, Ty) {
        let info = self.program.cons[con.index()].clone();
        let params = self.program.tycons[info.tycon.index()].params.clone();
        let arg = info.arg.map(|arg| self.instance(&params, arg, inst, span));
        let ty = self
            .program
            .types
            .make(TyKind::Con(info.tycon, inst.to_vec()));
        (arg, ty)
    }

    /// Checks rules: the patterns must have the type `from`, and the results must have the type `to`.
    fn rules(&mut self, rules: &[Rule], from: Ty, to: Ty) {
        for rule in rules {
            self.pat(&rule.pat, &[]);
            self.same(rule.pat.ty, from, rule.pat.span, "a rule's pattern");
            self.exp(&rule.exp);
            self.same(rule.exp.ty, to, rule.exp.span, "a rule's result");
        }
    }

    fn arrow(&mut self, ty: Ty) -> Option<(Ty, Ty)> {
        let ty = self.plain(ty);
        match self.program.types.kind(ty) {
            TyKind::Arrow(from, to) => Some((*from, *to)),
            _ => None,
        }
    }

    fn exp(&mut self, exp: &Exp) {
        let span = exp.span;
        self.scope(exp.ty, span);
        match &exp.kind {
            ExpKind::Const(constant) => self.constant(constant, exp.ty, span),
            ExpKind::Var { var, inst } => match self.vars.get(var).cloned() {
                Some((tyvars, ty)) => {
                    let ty = self.instance(&tyvars, ty, inst, span);
                    let name = self.program.vars[var.index()].name;
                    self.same(ty, exp.ty, span, &format!("the variable {name}_{}", var.0));
                }
                None => self.error(span, format!("unknown variable {var:?}")),
            },
            ExpKind::Con { con, inst } => {
                let (arg, ty) = self.con(*con, inst, span);
                let ty = match arg {
                    Some(arg) => self.program.types.make(TyKind::Arrow(arg, ty)),
                    None => ty,
                };
                self.same(ty, exp.ty, span, "a constructor");
            }
            ExpKind::Exn(tag) => {
                let arrow = self.arrow(exp.ty);
                self.exn(arrow.map_or(exp.ty, |arrow| arrow.1), span);
                if let ExnTag::Var(var) = tag {
                    match (self.exns.get(var).copied(), arrow) {
                        (Some(None), None) => {}
                        (Some(Some(wanted)), Some((from, _))) => {
                            self.same(from, wanted, span, "an exception's argument");
                        }
                        _ => self.error(span, "an exception of another kind".into()),
                    }
                }
            }
            ExpKind::Prim { ty, .. } => self.same(*ty, exp.ty, span, "a primitive"),
            ExpKind::Record(fields) => {
                let mut types = Vec::with_capacity(fields.len());
                for (label, field) in fields {
                    self.exp(field);
                    types.push((*label, field.ty));
                }
                let ty = self.program.types.make(TyKind::Record(types));
                self.same(ty, exp.ty, span, "a record");
            }
            ExpKind::Select(label, record) => {
                self.exp(record);
                let ty = self.plain(record.ty);
                let field = match self.program.types.kind(ty) {
                    TyKind::Record(fields) => {
                        fields.iter().find(|field| field.0 == *label).copied()
                    }
                    _ => None,
                };
                match field {
                    Some((_, ty)) => self.same(ty, exp.ty, span, "a field"),
                    None => self.error(span, format!("there is no field {label}")),
                }
            }
            ExpKind::Apply(function, arg) => {
                self.exp(function);
                self.exp(arg);
                match self.arrow(function.ty) {
                    Some((from, to)) => {
                        self.same(arg.ty, from, span, "an argument");
                        self.same(to, exp.ty, span, "a call's result");
                    }
                    None => self.error(span, "what is applied is no function".into()),
                }
            }
            ExpKind::Fn(rules) => match self.arrow(exp.ty) {
                Some((from, to)) => self.rules(rules, from, to),
                None => self.error(span, "the type of a `fn` is no function".into()),
            },
            ExpKind::Case {
                scrutinee, rules, ..
            } => {
                self.exp(scrutinee);
                self.rules(rules, scrutinee.ty, exp.ty);
            }
            ExpKind::If(test, first, second) => {
                self.exp(test);
                self.bool(test.ty, test.span);
                self.exp(first);
                self.exp(second);
                self.same(first.ty, exp.ty, span, "a branch");
                self.same(second.ty, exp.ty, span, "a branch");
            }
            ExpKind::While(test, body) => {
                self.exp(test);
                self.bool(test.ty, test.span);
                self.exp(body);
                self.same(exp.ty, self.unit, span, "a `while`");
            }
            ExpKind::Sequence(parts) => {
                parts.iter().for_each(|part| self.exp(part));
                match parts.last() {
                    Some(last) => self.same(last.ty, exp.ty, span, "a sequence"),
                    None => self.error(span, "an empty sequence".into()),
                }
            }
            ExpKind::Let(decs, body) => {
                self.decs(decs);
                self.exp(body);
                self.same(body.ty, exp.ty, span, "the body of a `let`");
            }
            ExpKind::Handle(body, rules) => {
                self.exp(body);
                self.same(body.ty, exp.ty, span, "what is handled");
                for rule in rules {
                    self.pat(&rule.pat, &[]);
                    self.exn(rule.pat.ty, rule.pat.span);
                    self.exp(&rule.exp);
                    self.same(rule.exp.ty, exp.ty, rule.exp.span, "a handler's result");
                }
            }
            ExpKind::Raise(inner) => {
                self.exp(inner);
                self.exn(inner.ty, inner.span);
            }
            ExpKind::ParTuple(parts) => {
                parts.iter().for_each(|part| self.exp(part));
                let types: Vec<Ty> = parts.iter().map(|part| part.ty).collect();
                let ty = self.program.types.tuple(&types);
                self.same(ty, exp.ty, span, "a parallel tuple");
            }
        }
    }

    fn enter(&mut self, tyvars: &[TyVar]) -> Vec<TyVar> {
        tyvars
            .iter()
            .copied()
            .filter(|&var| self.tyvars.insert(var))
            .collect()
    }

    fn leave(&mut self, tyvars: &[TyVar]) {
        for var in tyvars {
            self.tyvars.remove(var);
        }
        if !tyvars.is_empty() {
            self.scoped.clear();
        }
    }

    fn decs(&mut self, decs: &[Dec]) {
        for dec in decs {
            match dec {
                Dec::Val { tyvars, pat, exp } => {
                    let entered = self.enter(tyvars);
                    self.exp(exp);
                    self.pat(pat, tyvars);
                    self.same(exp.ty, pat.ty, pat.span, "what a `val` binds");
                    self.leave(&entered);
                }
                Dec::Fun { tyvars, binds } => {
                    let entered = self.enter(tyvars);
                    for bind in binds {
                        self.bind(bind.var, tyvars, bind.exp.ty, bind.exp.span);
                    }
                    for bind in binds {
                        if !matches!(bind.exp.kind, ExpKind::Fn(_)) {
                            self.error(bind.exp.span, "a function that is no `fn`".into());
                        }
                        self.exp(&bind.exp);
                    }
                    self.leave(&entered);
                }
                Dec::Exception { var, arg, .. } => {
                    if let Some(arg) = arg {
                        let span = self.program.vars[var.index()].span;
                        self.scope(*arg, span);
                    }
                    self.exns.insert(*var, *arg);
                }
            }
        }
    }
}
