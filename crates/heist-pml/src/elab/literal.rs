//! Elaborates overloading: overloaded names, classes of types, the types of literals, and default types.

use std::rc::Rc;

use super::env::{Status, TyEntry, Val, What};
use super::types::{Bound, Class, Eq, Node, T, TyFn};
use super::tyvars::Unguarded;
use super::{Elaborator, Overload};
use crate::basis::sized;
use crate::diag::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{PrimTy, TyCon, TyConKind, TyVar};

/// The kinds of literals that several types share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LiteralKind {
    Int,
    Word,
    Real,
}

/// For each kind of literal, the types that such literals may have.
#[derive(Clone, Debug, Default)]
pub(super) struct Literals {
    members: [Vec<TyCon>; 3],
    classes: [Option<Class>; 3],
}

impl Elaborator {
    /// Adds `con` to the types that literals may have. `con` is the primitive type `prim`, or an abstract type of the Basis that this
    /// primitive type implements.
    pub(super) fn note_literal_type(&mut self, con: TyCon, prim: PrimTy) {
        let kind = match prim {
            PrimTy::Int | PrimTy::IntN(_) | PrimTy::Wrap32 | PrimTy::Wrap64 | PrimTy::IntInf => {
                LiteralKind::Int
            }
            PrimTy::Word | PrimTy::WordN(_) => LiteralKind::Word,
            PrimTy::Real | PrimTy::Float => LiteralKind::Real,
            _ => return,
        };
        self.literals.members[kind as usize].push(con);
        self.literals.classes[kind as usize] = None;
    }

    /// Returns a primitive type with a size, such as `Prim.int5` or `Prim.word31`. The first call with a name makes the type.
    pub(super) fn sized_ty(&mut self, name: &ast::LongName) -> Option<TyEntry> {
        let [structure] = &name.path[..] else {
            return None;
        };
        if structure.symbol.as_str() != "Prim" {
            return None;
        }
        let text = name.name.symbol.as_str();
        let (prim, name) = match (sized::bits(text, "int"), sized::bits(text, "word")) {
            (Some(bits), _) => (PrimTy::IntN(bits), format!("Int{bits}.int")),
            (_, Some(bits)) => (PrimTy::WordN(bits), format!("Word{bits}.word")),
            _ => return None,
        };
        let con = match self.sized.get(&prim) {
            Some(&con) => con,
            None => {
                let kind = TyConKind::Prim(prim);
                let con = self.tycon(Symbol::new(&name), Vec::new(), kind, Eq::Args);
                self.sized.insert(prim, con);
                self.note_literal_type(con, prim);
                con
            }
        };
        Some(TyEntry {
            function: TyFn::Con(con),
            cons: [].into(),
            span: Span::NONE,
        })
    }

    /// Returns a new variable for the type of a literal.
    pub(super) fn literal_ty(&mut self, kind: LiteralKind) -> T {
        let class = match self.literals.classes[kind as usize] {
            Some(class) => class,
            None => {
                let members = self.literals.members[kind as usize].clone();
                let class = self.store.class(members).expect("there are some");
                self.literals.classes[kind as usize] = Some(class);
                class
            }
        };
        self.class_var(class)
    }

    /// Returns a new variable for a type of a class. If nothing else determines the type, the type becomes the class's default type.
    pub(super) fn class_var(&mut self, class: Class) -> T {
        let ty = self.store.fresh_var(false, Bound::Class(class));
        self.classes.push(ty);
        ty
    }

    /// Returns the default type of a class: the type of a literal or overloaded name that nothing else determines.
    pub(super) fn default_of(&self, class: Class) -> TyCon {
        let members = &self.store.classes[class.0 as usize];
        [self.defaults.int, self.defaults.real, self.defaults.word]
            .into_iter()
            .find(|con| members.contains(con))
            .unwrap_or(members[0])
    }

    /// Ends the context that may determine the types of overloaded names and literals. The context of a name or literal is the smallest
    /// enclosing declaration of a module. A `;` at top level also ends the context (section 4.11 of the Definition and appendix E.1).
    pub(super) fn end_context(&mut self) {
        if !self.builtin && !self.options.manticore {
            self.settle_classes();
        }
    }

    /// Gives default types to all overloaded names and literals whose types are still unknown.
    pub(super) fn settle_classes(&mut self) {
        for ty in std::mem::take(&mut self.classes) {
            let (ty, node) = self.store.look(ty);
            if let Node::Var {
                bound: Bound::Class(class),
                ..
            } = node
            {
                let con = self.default_of(class);
                let default = self.store.con(con, &[]);
                self.store.link(ty, default);
            }
        }
    }

    /// Finds the default types of literals, which the Basis declares.
    pub(super) fn find_defaults(&mut self) {
        for (name, which) in [("int", 0), ("word", 1), ("real", 2)] {
            let Some(entry) = self.scopes.builtin_ty(Symbol::new(name)) else {
                continue;
            };
            let function = entry.function.clone();
            if let Some(con) = self.store.function_con(&function)
                && self.literals.members[which].contains(&con)
            {
                match which {
                    0 => self.defaults.int = con,
                    1 => self.defaults.word = con,
                    _ => self.defaults.real = con,
                }
            }
        }
    }

    /// Elaborates `_overload name : ty as by and ...`.
    pub(super) fn overload(&mut self, name: ast::Name, ty: &ast::Ty, by: &[ast::LongName]) {
        let mut found = Unguarded::default();
        found.ty(ty);
        let Some(&(first, _)) = found.found.first() else {
            self.error(
                Code::Overloading,
                ty.span,
                "an overloaded name needs a type with a type variable",
            );
            return;
        };
        let outer = std::mem::take(&mut self.tyvars);
        let tyvar = self.tyvar(first, false);
        self.tyvars.push((first, tyvar));
        let pattern = self.ty(ty);
        self.tyvars = outer;
        let vals = self.implementations(pattern, tyvar, by);
        let cons = vals.iter().map(|val| val.0).collect();
        let Some(class) = self.store.class(cons) else {
            return;
        };
        self.overloads.push(Overload {
            tyvar,
            class,
            by: vals,
        });
        let val = Val {
            tyvars: Rc::from([]),
            ty: pattern,
            what: What::Overload(self.overloads.len() as u32 - 1),
            inst: None,
            status: Status::Value,
            span: name.span,
        };
        self.scopes.bind_val(name.symbol, val);
    }

    /// Elaborates `_overload name as by and ...`, which adds types to an overloaded name, or replaces the
    /// implementations for some of its types.
    pub(super) fn overload_more(&mut self, name: ast::Name, by: &[ast::LongName]) {
        let found = self
            .scopes
            .val(name.symbol)
            .map(|val| (val.what.clone(), val.ty));
        let Some((What::Overload(number), pattern)) = found else {
            self.error(
                Code::Overloading,
                name.span,
                format!("`{}` is not overloaded", name.symbol),
            );
            return;
        };
        let tyvar = self.overloads[number as usize].tyvar;
        let vals = self.implementations(pattern, tyvar, by);
        let overload = &mut self.overloads[number as usize];
        overload
            .by
            .retain(|old| vals.iter().all(|new| new.0 != old.0));
        overload.by.extend(vals);
        let cons = overload.by.iter().map(|by| by.0).collect();
        if let Some(class) = self.store.class(cons) {
            overload.class = class;
        }
    }

    /// Returns the implementations of an overloaded name, with their types.
    fn implementations(
        &mut self,
        pattern: T,
        tyvar: TyVar,
        by: &[ast::LongName],
    ) -> Vec<(TyCon, Val)> {
        let mut vals = Vec::new();
        for name in by {
            let Some(val) = self.find_val(name) else {
                continue;
            };
            let (actual, _) = self.instantiate(&val);
            let at = self.store.fresh_var(false, Bound::None);
            let expected = self.store.substitute(pattern, &[tyvar], &[at]);
            let fits = self.store.unify(actual, expected).is_ok();
            match self.store.look(at).1 {
                Node::Con(con, _) if fits => vals.push((con, val)),
                _ => self.error(
                    Code::Overloading,
                    name.span(),
                    format!(
                        "`{}` is of no type that this name can have",
                        name.name.symbol
                    ),
                ),
            }
        }
        vals
    }
}
