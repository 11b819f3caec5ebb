//! Ends inference. In the nodes of the program, replaces the types of the store by types of the program. Chooses the implementations of
//! overloaded names and the types of literals.

use super::Elaborator;
use super::name::{FIRST_USE, of};
use super::types::{Bound, Node, T};
use crate::diag::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{Const, Dec, Exp, ExpKind, Pat, PatKind, PrimTy, Rule, Ty, TyKind, Var};
use num_bigint::BigInt;

impl Elaborator {
    /// Translates a type of the store to a type of the program. If a type is still unknown, the program does not depend on it, and the
    /// result is `unit`.
    pub(super) fn final_ty(&mut self, ty: T) -> Ty {
        if self.final_types.len() < self.store.len() {
            self.final_types.resize(self.store.len(), None);
        }
        if let Some(done) = self.final_types[ty.0 as usize] {
            return done;
        }
        let (at, node) = self.store.look(ty);
        // `look` may replace a type of a signature and make new types.
        if self.final_types.len() < self.store.len() {
            self.final_types.resize(self.store.len(), None);
        }
        if let Some(done) = self.final_types[at.0 as usize] {
            self.final_types[ty.0 as usize] = Some(done);
            return done;
        }
        let done = match node {
            Node::Rigid(var) => {
                if self.store.tyvars[var.index()].unused {
                    self.program.types.unit()
                } else {
                    self.program.types.make_ordered(TyKind::Var(var))
                }
            }
            Node::Con(con, slice) => {
                let args = self.store.args(slice).to_vec();
                let args = args.into_iter().map(|arg| self.final_ty(arg)).collect();
                self.program.types.make_ordered(TyKind::Con(con, args))
            }
            Node::Record(slice) => {
                let fields = self.store.fields(slice).to_vec();
                let fields: Vec<(Symbol, Ty)> = fields
                    .into_iter()
                    .map(|(label, ty)| (label, self.final_ty(ty)))
                    .collect();
                self.program.types.make_ordered(TyKind::Record(fields))
            }
            Node::Arrow(from, to) => {
                let (from, to) = (self.final_ty(from), self.final_ty(to));
                self.program.types.make_ordered(TyKind::Arrow(from, to))
            }
            Node::Var {
                bound: Bound::Class(class),
                ..
            } => {
                let con = self.default_of(class);
                let default = self.store.con(con, &[]);
                self.store.link(at, default);
                return self.final_ty(ty);
            }
            Node::Var { .. } => {
                self.store.link(at, T::UNIT);
                self.program.types.unit()
            }
            Node::Error | Node::Link(_) => self.program.types.unit(),
        };
        self.final_types[at.0 as usize] = Some(done);
        self.final_types[ty.0 as usize] = Some(done);
        done
    }

    fn zonk_ty(&mut self, ty: &mut Ty) {
        *ty = self.final_ty(of(*ty));
    }

    /// Ends inference for these declarations, which were elaborated after the last call of this method.
    pub(super) fn zonk_decs(&mut self, decs: &mut [Dec]) {
        for dec in decs {
            match dec {
                Dec::Val { pat, exp, .. } => {
                    self.zonk_pat(pat);
                    self.zonk_exp(exp);
                }
                Dec::Fun { binds, .. } => {
                    for bind in binds {
                        self.zonk_exp(&mut bind.exp);
                    }
                }
                Dec::Exception { arg, .. } => {
                    if let Some(arg) = arg {
                        self.zonk_ty(arg);
                    }
                }
            }
        }
    }

    fn zonk_rules(&mut self, rules: &mut [Rule]) {
        for rule in rules {
            self.zonk_pat(&mut rule.pat);
            self.zonk_exp(&mut rule.exp);
        }
    }

    fn zonk_pat(&mut self, pat: &mut Pat) {
        self.zonk_ty(&mut pat.ty);
        match &mut pat.kind {
            PatKind::Wild | PatKind::Var(_) => {}
            PatKind::Const(constant) => self.settle_const(constant, pat.ty, pat.span),
            PatKind::Con { inst, arg, .. } => {
                inst.iter_mut().for_each(|ty| self.zonk_ty(ty));
                if let Some(arg) = arg {
                    self.zonk_pat(arg);
                }
            }
            PatKind::Exn { arg, .. } => {
                if let Some(arg) = arg {
                    self.zonk_pat(arg);
                }
            }
            PatKind::Record(fields) => fields
                .iter_mut()
                .for_each(|field| self.zonk_pat(&mut field.1)),
            PatKind::As(_, pat) | PatKind::Ref(pat) => self.zonk_pat(pat),
            PatKind::Or(pats) | PatKind::Vector(pats) => {
                pats.iter_mut().for_each(|pat| self.zonk_pat(pat));
            }
        }
    }

    fn zonk_exp(&mut self, exp: &mut Exp) {
        let (ty, span) = (of(exp.ty), exp.span);
        self.zonk_ty(&mut exp.ty);
        match &mut exp.kind {
            ExpKind::Const(constant) => self.settle_const(constant, exp.ty, span),
            ExpKind::Var { var, .. } if var.0 >= FIRST_USE => {
                let var = *var;
                self.settle_use(var, ty, exp);
            }
            ExpKind::Var { var, inst } => {
                if inst.is_empty() {
                    if let Some(group) = self.groups.get(var).cloned() {
                        for &var in group.iter() {
                            let ty = if self.store.tyvars[var.index()].unused {
                                self.program.types.unit()
                            } else {
                                self.program.types.make_ordered(TyKind::Var(var))
                            };
                            inst.push(ty);
                        }
                    }
                } else {
                    inst.iter_mut().for_each(|ty| self.zonk_ty(ty));
                }
            }
            ExpKind::Con { inst, .. } => inst.iter_mut().for_each(|ty| self.zonk_ty(ty)),
            ExpKind::Exn(_) => {}
            ExpKind::Prim { ty, .. } => self.zonk_ty(ty),
            ExpKind::Record(fields) => fields
                .iter_mut()
                .for_each(|field| self.zonk_exp(&mut field.1)),
            ExpKind::Select(_, exp) | ExpKind::Raise(exp) => self.zonk_exp(exp),
            ExpKind::Apply(first, second) | ExpKind::While(first, second) => {
                self.zonk_exp(first);
                self.zonk_exp(second);
            }
            ExpKind::Fn(rules) => self.zonk_rules(rules),
            ExpKind::Case {
                scrutinee, rules, ..
            } => {
                self.zonk_exp(scrutinee);
                self.zonk_rules(rules);
            }
            ExpKind::If(test, first, second) => {
                self.zonk_exp(test);
                self.zonk_exp(first);
                self.zonk_exp(second);
            }
            ExpKind::Sequence(parts) | ExpKind::ParTuple(parts) => {
                parts.iter_mut().for_each(|part| self.zonk_exp(part));
            }
            ExpKind::Let(decs, body) => {
                self.zonk_decs(decs);
                self.zonk_exp(body);
            }
            ExpKind::Handle(body, rules) => {
                self.zonk_exp(body);
                self.zonk_rules(rules);
            }
        }
    }

    /// Replaces the use of an overloaded name by the implementation for its type.
    fn settle_use(&mut self, var: Var, ty: T, exp: &mut Exp) {
        let used = self.uses[(var.0 - FIRST_USE) as usize];
        let Node::Con(con, _) = self.store.look(used.at).1 else {
            return;
        };
        let overload = &self.overloads[used.overload as usize];
        let Some((_, val)) = overload.by.iter().find(|by| by.0 == con) else {
            // Only after errors can the type lack an implementation.
            return;
        };
        let val = val.clone();
        let (actual, inst) = self.instantiate(&val);
        let agrees = self.store.unify(actual, ty).is_ok();
        debug_assert!(agrees, "the implementation was checked when it was named");
        *exp = self.what_exp(&val.what, inst, ty, exp.span);
        self.zonk_exp(exp);
    }

    /// Returns true for the type `int`, and false for abstract types that `int` implements.
    fn is_default_int(&self, ty: Ty) -> bool {
        matches!(self.program.types.kind(ty), TyKind::Con(con, _) if *con == self.defaults.int)
    }

    /// Changes the constant of a literal to a constant of its type. Reports an error if a number does not fit in the type.
    fn settle_const(&mut self, constant: &mut Const, ty: Ty, span: Span) {
        let prim = self.program.prim_of(ty);
        match (&*constant, prim) {
            (Const::IntInf(number), Some(prim)) => {
                let number = number.clone();
                let prim = if self.options.int32
                    && !self.builtin
                    && prim == PrimTy::Int
                    && self.is_default_int(ty)
                {
                    PrimTy::IntN(32)
                } else {
                    prim
                };
                match in_range(&number, prim) {
                    Some(settled) => *constant = settled,
                    None => {
                        let name = match self.program.types.kind(ty) {
                            TyKind::Con(con, _) => self.show_con(*con),
                            _ => "its type",
                        };
                        // The decimal text of a number with a million digits would take minutes to compute and would help no reader.
                        let text = if number.bits() > 1000 {
                            "this literal".to_owned()
                        } else {
                            format!("the literal {number}").replace('-', "~")
                        };
                        let message = format!("{text} does not fit in `{name}`");
                        self.error(Code::LiteralRange, span, message);
                    }
                }
            }
            (Const::Real(number), Some(PrimTy::Float)) => {
                *constant = Const::Real(f64::from(*number as f32));
            }
            _ => {}
        }
    }
}

/// Returns a number as a constant of a type, or `None` if the number does not fit in the type.
fn in_range(number: &BigInt, prim: PrimTy) -> Option<Const> {
    if prim == PrimTy::IntInf {
        return Some(Const::IntInf(number.clone()));
    }
    let value = i128::try_from(number).ok()?;
    if !prim.range()?.contains(&value) {
        return None;
    }
    match prim {
        PrimTy::Word | PrimTy::WordN(_) => u64::try_from(value).ok().map(Const::Word),
        PrimTy::Char => None,
        _ => i64::try_from(value).ok().map(Const::Int),
    }
}
