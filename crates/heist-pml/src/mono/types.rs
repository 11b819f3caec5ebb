//! Maps types to types without type variables and without abstract types.

use std::collections::HashMap;

use crate::typed::{Ty, TyConInfo, TyConKind, TyKind, TyVar, Types};

/// The new types of old types that contain type variables, for the types that currently replace these variables.
#[derive(Default)]
pub struct Local(HashMap<Ty, Ty>);

/// A map from old types to new types.
pub struct Mapper<'a> {
    /// All types, both old and new.
    pub types: Types,
    tycons: &'a [TyConInfo],
    by: Vec<Option<Ty>>,
    /// The new types of old types without variables.
    ground: HashMap<Ty, Ty>,
    local: Local,
    /// Whether a type variable without a replacement remains in the new type. A type variable that does not remain becomes `unit`, because
    /// no value depends on it.
    open: bool,
}

impl<'a> Mapper<'a> {
    /// Makes a mapper that replaces no variable yet.
    pub fn new(types: Types, tycons: &'a [TyConInfo], tyvars: usize) -> Self {
        Mapper {
            types,
            tycons,
            by: vec![None; tyvars],
            ground: HashMap::new(),
            local: Local::default(),
            open: true,
        }
    }

    /// Maps a type in the declaration of a datatype. The parameters of the datatype remain in the new type.
    pub fn open(&mut self, ty: Ty) -> Ty {
        debug_assert!(self.open);
        self.map(ty)
    }

    /// Makes type variables without a replacement become `unit` from now on.
    pub fn close(&mut self) {
        self.open = false;
        self.ground.clear();
        self.local.0.clear();
    }

    /// Replaces type variables by types until the call of [`Mapper::leave`]. The caller must pass the result to that call.
    pub fn enter(&mut self, tyvars: &[TyVar], inst: &[Ty]) -> Option<Local> {
        if tyvars.is_empty() {
            return None;
        }
        debug_assert_eq!(tyvars.len(), inst.len());
        for (tyvar, &ty) in tyvars.iter().zip(inst) {
            self.by[tyvar.index()] = Some(ty);
        }
        Some(std::mem::take(&mut self.local))
    }

    /// Ends the replacement of type variables that [`Mapper::enter`] has begun.
    pub fn leave(&mut self, tyvars: &[TyVar], outer: Option<Local>) {
        if let Some(outer) = outer {
            for tyvar in tyvars {
                self.by[tyvar.index()] = None;
            }
            self.local = outer;
        }
    }

    /// Maps a type.
    pub fn map(&mut self, ty: Ty) -> Ty {
        self.go(ty).0
    }

    /// Maps a type. The second component of the result is true if the old type has no variables.
    fn go(&mut self, ty: Ty) -> (Ty, bool) {
        if let Some(&new) = self.ground.get(&ty) {
            return (new, true);
        }
        if let Some(&new) = self.local.0.get(&ty) {
            return (new, false);
        }
        let (new, ground) = match self.types.kind(ty).clone() {
            TyKind::Var(var) => {
                let new = match self.by.get(var.index()).copied().flatten() {
                    Some(new) => new,
                    None if self.open => ty,
                    None => self.types.unit(),
                };
                (new, false)
            }
            TyKind::Con(tycon, args) => {
                let mut ground = true;
                let args: Vec<Ty> = args
                    .into_iter()
                    .map(|arg| {
                        let (arg, closed) = self.go(arg);
                        ground &= closed;
                        arg
                    })
                    .collect();
                let tycons = self.tycons;
                let info = &tycons[tycon.index()];
                let new = match info.kind {
                    TyConKind::Abstract(inside) => self.reveal(inside, &info.params, &args),
                    _ => self.types.make(TyKind::Con(tycon, args)),
                };
                (new, ground)
            }
            TyKind::Record(fields) => {
                let mut ground = true;
                let fields = fields
                    .into_iter()
                    .map(|(label, field)| {
                        let (field, closed) = self.go(field);
                        ground &= closed;
                        (label, field)
                    })
                    .collect();
                (self.types.make(TyKind::Record(fields)), ground)
            }
            TyKind::Arrow(from, to) => {
                let (from, a) = self.go(from);
                let (to, b) = self.go(to);
                (self.types.make(TyKind::Arrow(from, to)), a && b)
            }
        };
        if ground {
            self.ground.insert(ty, new);
        } else {
            self.local.0.insert(ty, new);
        }
        (new, ground)
    }

    /// Returns the type that implements an abstract type. The caller must already have mapped the arguments of the abstract type.
    fn reveal(&mut self, inside: Ty, params: &[TyVar], args: &[Ty]) -> Ty {
        // An enclosing type may have the same type constructor with other arguments, so this call saves the earlier replacements.
        let outer: Vec<Option<Ty>> = params.iter().map(|param| self.by[param.index()]).collect();
        let local = self.enter(params, args);
        let new = self.map(inside);
        self.leave(params, local);
        for (param, ty) in params.iter().zip(outer) {
            self.by[param.index()] = ty;
        }
        new
    }
}
