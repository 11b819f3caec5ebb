//! Copies signatures. The copies of signatures have new flexible type constructors.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::Elaborator;
use super::super::env::{Env, Sig, Structure, TyEntry, Val};
use super::super::types::{Node, T, TyFn};
use super::Renaming;
use crate::symbol::Symbol;

impl Elaborator {
    /// Returns a copy of a signature, in which new type constructors replace the flexible type constructors. Also
    /// returns the replacements.
    pub(in crate::elab) fn copy_sig(&mut self, sig: &Sig) -> (Sig, Renaming) {
        let mut renaming = Renaming::default();
        if sig.flexible.is_empty() {
            return (sig.clone(), renaming);
        }
        let mut flexible = Vec::with_capacity(sig.flexible.len());
        for &con in &sig.flexible {
            let info = self.program.tycons[con.index()].clone();
            let (eq, name) = (self.store.tycons[con.index()].eq, info.name);
            let new = self.tycon(name, info.params, info.kind, eq);
            self.store.tycons[new.index()].flexible = true;
            renaming.insert(con, new);
            flexible.push(new);
        }
        let mut copier = Copier {
            elaborator: self,
            renaming: &renaming,
            done: FxHashMap::default(),
        };
        let env = Rc::new(copier.env(&sig.env));
        let span = sig.span;
        (
            Sig {
                flexible,
                env,
                span,
            },
            renaming,
        )
    }
}

struct Copier<'a> {
    elaborator: &'a mut Elaborator,
    renaming: &'a Renaming,
    done: FxHashMap<T, T>,
}

impl Copier<'_> {
    fn env(&mut self, env: &Env) -> Env {
        let mut copy = Env {
            error: env.error,
            ..Env::default()
        };
        for (name, val) in env.vals.iter() {
            let val = self.val(val);
            copy.vals.insert(*name, val);
        }
        for (name, entry) in env.tys.iter() {
            let cons = entry
                .cons
                .iter()
                .map(|(name, val)| (*name, self.val(val)))
                .collect();
            let function = self.function(&entry.function);
            let span = entry.span;
            copy.tys.insert(
                *name,
                TyEntry {
                    function,
                    cons,
                    span,
                },
            );
        }
        for (name, structure) in env.strs.iter() {
            let env = Rc::new(self.env(&structure.env));
            let span = structure.span;
            copy.strs.insert(*name, Structure { env, span });
        }
        copy
    }

    fn val(&mut self, val: &Val) -> Val {
        Val {
            ty: self.ty(val.ty),
            ..val.clone()
        }
    }

    fn function(&mut self, function: &TyFn) -> TyFn {
        match function {
            TyFn::Con(con) => match self.elaborator.store.tycons[con.index()].real.clone() {
                Some(real) => self.function(&real),
                None => TyFn::Con(self.renaming.get(con).copied().unwrap_or(*con)),
            },
            TyFn::Lambda(params, body) => TyFn::Lambda(params.clone(), self.ty(*body)),
        }
    }

    fn ty(&mut self, ty: T) -> T {
        let (ty, node) = self.elaborator.store.look(ty);
        if let Some(&done) = self.done.get(&ty) {
            return done;
        }
        let store = &self.elaborator.store;
        let copy = match node {
            Node::Con(con, slice) => {
                let args = store.args(slice).to_vec();
                let new: Vec<T> = args.iter().map(|&arg| self.ty(arg)).collect();
                match self.renaming.get(&con) {
                    Some(&con) => self.elaborator.store.con(con, &new),
                    None if new == args => ty,
                    None => self.elaborator.store.con(con, &new),
                }
            }
            Node::Record(slice) => {
                let fields = store.fields(slice).to_vec();
                let new: Vec<(Symbol, T)> = fields
                    .iter()
                    .map(|&(label, field)| (label, self.ty(field)))
                    .collect();
                if new == fields {
                    ty
                } else {
                    self.elaborator.store.record(&new)
                }
            }
            Node::Arrow(from, to) => {
                let (new_from, new_to) = (self.ty(from), self.ty(to));
                if (new_from, new_to) == (from, to) {
                    ty
                } else {
                    self.elaborator.store.arrow(new_from, new_to)
                }
            }
            Node::Rigid(_) | Node::Var { .. } | Node::Link(_) | Node::Error => ty,
        };
        self.done.insert(ty, copy);
        copy
    }
}
