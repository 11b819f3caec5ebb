//! Cells. Each program of a session stores values in cells for later programs (see the parent module).

use std::collections::HashMap;

use crate::prim::Prim;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{
    Const, Dec, Exp, ExpKind, Pat, PatKind, PrimTy, Program, Ty, TyCon, TyConKind, TyKind, TyVar,
    Types, Var,
};

/// Makes expressions that use cells, and chooses free cells.
pub struct Cells {
    int: TyCon,
    array: TyCon,
    reference: TyCon,
    exn: TyCon,
    all: Prim,
    /// The number of cells.
    pub count: usize,
}

/// The declarations of an input in two parts: the declarations to run, and the declarations that
/// later programs use.
#[derive(Default)]
pub struct Plan {
    /// The declarations that the program of the input runs.
    pub run: Vec<Dec>,
    /// The declarations that later programs contain in place of the input's declarations.
    pub keep: Vec<Dec>,
    /// For each variable whose value the prompt can print, its cell and the type of the value.
    pub values: HashMap<Var, (usize, Ty)>,
}

impl Cells {
    /// Makes the `Cells` of a new session, in which all cells are free. The primitive types must already be declared.
    pub fn new(tables: &Program) -> Cells {
        let find = |wanted: PrimTy| {
            let at = tables
                .tycons
                .iter()
                .position(|tycon| matches!(tycon.kind, TyConKind::Prim(prim) if prim == wanted));
            TyCon(at.expect("a primitive type") as u32)
        };
        Cells {
            int: find(PrimTy::Int),
            array: find(PrimTy::Array),
            reference: find(PrimTy::Ref),
            exn: find(PrimTy::Exn),
            all: Prim::by_name("rt.Cells.all").expect("a function of the runtime"),
            count: 0,
        }
    }

    /// Divides declarations into declarations that run now and declarations that stay for later programs. If `builtin` is true, the
    /// declarations are part of the Basis, and the prompt does not print their values.
    pub fn plan(&mut self, tables: &mut Program, decs: Vec<Dec>, builtin: bool) -> Plan {
        let mut plan = Plan::default();
        for dec in decs {
            match &dec {
                Dec::Fun { .. } => {
                    plan.keep.push(dec.clone());
                    plan.run.push(dec);
                }
                Dec::Exception { var, name, arg, .. } => {
                    let exn = tables.types.make(TyKind::Con(self.exn, Vec::new()));
                    let (var, name, arg) = (*var, *name, *arg);
                    let cell = self.cell();
                    plan.run.push(dec);
                    plan.run
                        .push(self.save(&mut tables.types, cell, var, &[], exn));
                    plan.keep.push(Dec::Exception {
                        var,
                        name,
                        arg,
                        id: Some(self.load(&mut tables.types, cell, exn)),
                    });
                }
                Dec::Val { tyvars, pat, exp } => {
                    let mut vars = Vec::new();
                    variables(pat, &mut vars);
                    let function = matches!(pat.kind, PatKind::Var(_))
                        && (matches!(exp.kind, ExpKind::Fn(_)) || builtin && is_value(exp));
                    if function {
                        plan.keep.push(dec.clone());
                        plan.run.push(dec);
                        continue;
                    }
                    // A value does not depend on the types that replace its type variables, so `unit` can replace them.
                    let unit = tables.types.unit();
                    let inst = vec![unit; tyvars.len()];
                    let by: HashMap<TyVar, Ty> =
                        tyvars.iter().map(|tyvar| (*tyvar, unit)).collect();
                    let closed: HashMap<Var, Ty> = vars
                        .iter()
                        .map(|&(var, ty)| (var, tables.types.substitute(ty, &by)))
                        .collect();
                    if vars.iter().any(|(var, ty)| closed[var] != *ty) {
                        // The values of the polymorphic variables cannot change, so later programs evaluate the expression and match its
                        // value again.
                        let is_open = |var: Var, ty: Ty| closed[&var] != ty;
                        plan.keep.push(Dec::Val {
                            tyvars: tyvars.clone(),
                            pat: open_part(pat, &is_open),
                            exp: exp.clone(),
                        });
                    }
                    let span = pat.span;
                    plan.run.push(dec);
                    for (var, ty) in vars {
                        let cell = self.cell();
                        let closed = closed[&var];
                        plan.run
                            .push(self.save(&mut tables.types, cell, var, &inst, closed));
                        plan.values.insert(var, (cell, closed));
                        if closed != ty {
                            continue;
                        }
                        plan.keep.push(Dec::Val {
                            tyvars: Vec::new(),
                            pat: Pat {
                                kind: PatKind::Var(var),
                                ty,
                                span,
                            },
                            exp: self.load(&mut tables.types, cell, ty),
                        });
                    }
                }
            }
        }
        plan
    }

    fn cell(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }

    /// Returns an expression for the array of all cells. In the expression, the cells have type `ty`. A cell is a
    /// reference to its value, so all cells have the same representation.
    fn all(&self, types: &mut Types, ty: Ty) -> (Exp, Ty) {
        let reference = types.make(TyKind::Con(self.reference, vec![ty]));
        let array = types.make(TyKind::Con(self.array, vec![reference]));
        let unit = types.unit();
        let nothing = exp(ExpKind::Record(Vec::new()), unit);
        (apply(types, self.all, nothing, array), reference)
    }

    /// Returns an expression that loads a cell.
    fn load(&self, types: &mut Types, cell: usize, ty: Ty) -> Exp {
        let (all, reference) = self.all(types, ty);
        let index = self.index(types, cell);
        let arg = tuple(types, vec![all, index]);
        let found = apply(types, Prim::ArrayGet, arg, reference);
        apply(types, Prim::RefGet, found, ty)
    }

    /// Returns a declaration that stores the value of a variable in a cell.
    fn save(&self, types: &mut Types, cell: usize, var: Var, inst: &[Ty], ty: Ty) -> Dec {
        let (all, reference) = self.all(types, ty);
        let index = self.index(types, cell);
        let kind = ExpKind::Var {
            var,
            inst: inst.to_vec(),
        };
        let kept = apply(types, Prim::RefNew, exp(kind, ty), reference);
        let arg = tuple(types, vec![all, index, kept]);
        let unit = types.unit();
        Dec::Val {
            tyvars: Vec::new(),
            pat: Pat {
                kind: PatKind::Wild,
                ty: unit,
                span: Span::NONE,
            },
            exp: apply(types, Prim::ArraySet, arg, unit),
        }
    }

    fn index(&self, types: &mut Types, cell: usize) -> Exp {
        let int = types.make(TyKind::Con(self.int, Vec::new()));
        exp(ExpKind::Const(Const::Int(cell as i64)), int)
    }
}

fn exp(kind: ExpKind, ty: Ty) -> Exp {
    Exp {
        kind,
        ty,
        span: Span::NONE,
    }
}

fn apply(types: &mut Types, prim: Prim, arg: Exp, result: Ty) -> Exp {
    let ty = types.make(TyKind::Arrow(arg.ty, result));
    let function = exp(ExpKind::Prim { prim, ty }, ty);
    exp(ExpKind::Apply(Box::new(function), Box::new(arg)), result)
}

fn tuple(types: &mut Types, parts: Vec<Exp>) -> Exp {
    let tys: Vec<Ty> = parts.iter().map(|part| part.ty).collect();
    let ty = types.tuple(&tys);
    let fields = parts
        .into_iter()
        .enumerate()
        .map(|(at, part)| (Symbol::new(&(at + 1).to_string()), part))
        .collect();
    exp(ExpKind::Record(fields), ty)
}

/// Adds the variables of a pattern, with their types, to `out`.
fn variables(pat: &Pat, out: &mut Vec<(Var, Ty)>) {
    match &pat.kind {
        PatKind::Wild | PatKind::Const(_) => {}
        PatKind::Var(var) => out.push((*var, pat.ty)),
        PatKind::As(var, inner) => {
            out.push((*var, pat.ty));
            variables(inner, out);
        }
        PatKind::Con { arg, .. } | PatKind::Exn { arg, .. } => {
            if let Some(arg) = arg {
                variables(arg, out);
            }
        }
        PatKind::Record(fields) => {
            for (_, field) in fields {
                variables(field, out);
            }
        }
        PatKind::Ref(inner) => variables(inner, out),
        // All alternatives bind the same variables.
        PatKind::Or(pats) => variables(&pats[0], out),
        PatKind::Vector(pats) => pats.iter().for_each(|pat| variables(pat, out)),
    }
}

/// Returns the part of a pattern that binds polymorphic variables. This part of the pattern does not match contents of references, because
/// the contents may have changed.
fn open_part(pat: &Pat, is_open: &impl Fn(Var, Ty) -> bool) -> Pat {
    let part = |pat: &Pat| open_part(pat, is_open);
    let kind = match &pat.kind {
        PatKind::Var(var) if is_open(*var, pat.ty) => PatKind::Var(*var),
        PatKind::As(var, inner) if is_open(*var, pat.ty) => {
            PatKind::As(*var, Box::new(part(inner)))
        }
        PatKind::As(_, inner) => return part(inner),
        // The contents of a reference are not polymorphic.
        PatKind::Wild | PatKind::Var(_) | PatKind::Ref(_) => PatKind::Wild,
        PatKind::Const(value) => PatKind::Const(value.clone()),
        PatKind::Con { con, inst, arg } => PatKind::Con {
            con: *con,
            inst: inst.clone(),
            arg: arg.as_ref().map(|arg| Box::new(part(arg))),
        },
        PatKind::Exn { tag, arg } => PatKind::Exn {
            tag: *tag,
            arg: arg.as_ref().map(|arg| Box::new(part(arg))),
        },
        PatKind::Record(fields) => PatKind::Record(
            fields
                .iter()
                .map(|(label, field)| (*label, part(field)))
                .collect(),
        ),
        PatKind::Or(pats) => PatKind::Or(pats.iter().map(part).collect()),
        PatKind::Vector(pats) => PatKind::Vector(pats.iter().map(part).collect()),
    };
    Pat {
        kind,
        ty: pat.ty,
        span: pat.span,
    }
}

/// Returns true if each evaluation of an expression gives the same value and has no effects.
fn is_value(exp: &Exp) -> bool {
    match &exp.kind {
        ExpKind::Const(_)
        | ExpKind::Var { .. }
        | ExpKind::Con { .. }
        | ExpKind::Exn(_)
        | ExpKind::Prim { .. }
        | ExpKind::Fn(_) => true,
        ExpKind::Record(fields) => fields.iter().all(|field| is_value(&field.1)),
        ExpKind::Apply(function, arg) => {
            matches!(function.kind, ExpKind::Con { .. } | ExpKind::Exn(_)) && is_value(arg)
        }
        _ => false,
    }
}
