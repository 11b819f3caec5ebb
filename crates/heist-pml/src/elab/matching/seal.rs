//! Opaque ascription: the types of a signature become abstract.

use std::rc::Rc;

use super::super::Elaborator;
use super::super::env::{Env, Structure, TyEntry, Val};
use super::super::sig::Renaming;
use super::super::types::T;
use crate::typed::{TyCon, TyConKind, TyVar};

impl Elaborator {
    /// Makes the open type constructors of a signature abstract.
    pub(super) fn seal(&mut self, flexible: &[TyCon], renaming: &Renaming) {
        for con in flexible {
            let Some(&sealed) = renaming.get(con) else {
                continue;
            };
            self.store.tycons[sealed.index()].flexible = false;
            let name = self.program.tycons[sealed.index()].name;
            self.program.tycons[sealed.index()].name = self.full_name(name);
            let Some(real) = self.store.tycons[con.index()].real.clone() else {
                continue;
            };
            let params: Vec<TyVar> = self.program.tycons[sealed.index()].params.clone();
            let args: Vec<T> = params
                .iter()
                .map(|&param| self.store.rigid(param))
                .collect();
            let ty = self.store.apply(&real, &args);
            let ty = self.final_ty(ty);
            self.program.tycons[sealed.index()].kind = TyConKind::Abstract(ty);
            if self.builtin
                && let Some(prim) = self.program.prim_of(ty)
            {
                self.note_literal_type(sealed, prim);
            }
        }
    }
}

/// Returns the environment of a sealed structure: the types come from the sealed signature, and the values come from the structure.
pub(super) fn hide(sealed: &Env, matched: &Env) -> Env {
    let one = |spec: &Val, val: &Val| Val {
        tyvars: spec.tyvars.clone(),
        ty: spec.ty,
        ..val.clone()
    };
    let mut env = Env::default();
    for (name, spec) in sealed.vals.iter() {
        if let Some(val) = matched.vals.get(*name) {
            env.vals.insert(*name, one(spec, val));
        }
    }
    for (name, spec) in sealed.tys.iter() {
        let Some(found) = matched.tys.get(*name) else {
            continue;
        };
        let cons = spec
            .cons
            .iter()
            .filter_map(|(name, spec)| {
                let (_, val) = found.cons.iter().find(|other| other.0 == *name)?;
                Some((*name, one(spec, val)))
            })
            .collect();
        let entry = TyEntry {
            function: spec.function.clone(),
            cons,
            span: found.span,
        };
        env.tys.insert(*name, entry);
    }
    for (name, spec) in sealed.strs.iter() {
        if let Some(found) = matched.strs.get(*name) {
            let structure = Structure {
                env: Rc::new(hide(&spec.env, &found.env)),
                span: found.span,
            };
            env.strs.insert(*name, structure);
        }
    }
    env
}
