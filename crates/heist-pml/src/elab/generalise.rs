//! Makes bindings polymorphic, and finds their type variables.

use std::rc::Rc;

use super::Elaborator;
use super::env::Status;
use super::types::{Bound, Node, T};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Pat, PatKind, TyConKind, TyVar};

impl Elaborator {
    /// Returns true if an expression is a value in the sense of the value restriction (section 4.7 of the
    /// Definition).
    pub(super) fn is_value(&mut self, exp: &ast::Exp) -> bool {
        match &exp.kind {
            ast::ExpKind::Literal(_)
            | ast::ExpKind::Name { .. }
            | ast::ExpKind::Selector(_)
            | ast::ExpKind::Fn(_)
            | ast::ExpKind::Prim(..)
            | ast::ExpKind::Error => true,
            ast::ExpKind::Record(fields) => fields.iter().all(|field| self.is_value(&field.1)),
            ast::ExpKind::Tuple(parts) | ast::ExpKind::List(parts) => {
                parts.iter().all(|part| self.is_value(part))
            }
            ast::ExpKind::Paren(inner) | ast::ExpKind::Typed(inner, _) => self.is_value(inner),
            ast::ExpKind::Apply(function, arg) => {
                let mut bare = &**function;
                while let ast::ExpKind::Paren(inner) | ast::ExpKind::Typed(inner, _) = &bare.kind {
                    bare = inner;
                }
                match &bare.kind {
                    ast::ExpKind::Name { name, .. } => {
                        self.is_constructor(name) && self.is_value(arg)
                    }
                    _ => false,
                }
            }
            ast::ExpKind::Infix(left, operator, right) => {
                self.is_constructor(operator) && self.is_value(left) && self.is_value(right)
            }
            _ => false,
        }
    }

    /// Returns true if the application of a name to a value is a value: the name must be a constructor other than
    /// `ref`.
    fn is_constructor(&mut self, name: &ast::LongName) -> bool {
        let mut path = name.path.iter();
        let val = match path.next() {
            None => self.scopes.val(name.name.symbol),
            Some(first) => {
                let Some(structure) = self.scopes.structure(first.symbol) else {
                    return false;
                };
                let mut env = &structure.env;
                for part in path {
                    let Some(inner) = env.strs.get(part.symbol) else {
                        return false;
                    };
                    env = &inner.env;
                }
                env.vals.get(name.name.symbol)
            }
        };
        val.is_some_and(|val| {
            val.status != Status::Value && !matches!(val.what, super::env::What::Ref)
        })
    }

    /// Returns true if a pattern matches all values of its type.
    pub(super) fn is_irrefutable(&self, pat: &Pat) -> bool {
        match &pat.kind {
            PatKind::Wild | PatKind::Var(_) => true,
            PatKind::Const(_) | PatKind::Exn { .. } => false,
            PatKind::Con { con, arg, .. } => {
                let tycon = self.program.cons[con.index()].tycon;
                let alone = matches!(
                    &self.program.tycons[tycon.index()].kind,
                    TyConKind::Data(cons) if cons.len() == 1
                );
                alone && arg.as_ref().is_none_or(|arg| self.is_irrefutable(arg))
            }
            PatKind::Record(fields) => fields.iter().all(|field| self.is_irrefutable(&field.1)),
            PatKind::As(_, pat) | PatKind::Ref(pat) => self.is_irrefutable(pat),
            PatKind::Or(pats) => pats.iter().any(|pat| self.is_irrefutable(pat)),
            PatKind::Vector(_) => false,
        }
    }

    /// Brings the type variables of a declaration into scope: the type variables that the declaration lists, and those that occur in it
    /// outside of nested `val` and `fun` declarations.
    pub(super) fn open_tyvars(
        &mut self,
        declared: &[ast::Name],
        unguarded: &[(Symbol, Span)],
    ) -> Vec<TyVar> {
        self.no_duplicates(declared, Code::DuplicateTypeVariable, "the type variable");
        let mut vars = Vec::new();
        let known = self.tyvars.len();
        for name in declared {
            if self.tyvars[..known]
                .iter()
                .any(|other| other.0 == name.symbol)
            {
                self.report(
                    Diagnostic::new(
                        Code::NestedTypeVariable,
                        name.span,
                        format!(
                            "the type variable `{}` is bound already around",
                            name.symbol
                        ),
                    )
                    .note("take another name for it"),
                );
            }
            vars.push(self.scoped_tyvar(name.symbol));
        }
        for &(name, _) in unguarded {
            if !self.tyvars.iter().any(|other| other.0 == name) {
                vars.push(self.scoped_tyvar(name));
            }
        }
        vars
    }

    fn scoped_tyvar(&mut self, name: Symbol) -> TyVar {
        let var = self.tyvar(name, name.as_str().starts_with("''"));
        self.store.tyvars[var.index()].level = self.store.level;
        self.tyvars.push((name, var));
        var
    }

    /// Returns the type variables of a binding: the type variables of its annotations, and new type variables. A new type variable replaces
    /// an unknown type if nothing outside of the binding depends on this type.
    pub(super) fn generalise(&mut self, explicit: &[TyVar], types: &[T]) -> Rc<[TyVar]> {
        let mut vars = explicit.to_vec();
        for &ty in types {
            self.generalise_in(ty, &mut vars);
        }
        vars.into()
    }

    fn generalise_in(&mut self, ty: T, vars: &mut Vec<TyVar>) {
        if !self.store.is_open(ty) {
            return;
        }
        let (ty, node) = self.store.look(ty);
        match node {
            Node::Var { level, eq, bound } if level > self.store.level => match bound {
                Bound::None => {
                    let name = letter(vars.len(), eq);
                    let var = self.tyvar(name, eq);
                    let rigid = self.store.rigid(var);
                    self.store.link(ty, rigid);
                    vars.push(var);
                }
                Bound::Class(_) => {
                    let level = self.store.level;
                    self.store.set(ty, level, eq, bound);
                }
                Bound::Row(_) => {
                    // The code that follows may determine the labels. In that case, the file is elaborated again.
                    self.rows.wanted.push(ty);
                    let lowered = self.store.lower(ty);
                    debug_assert!(lowered.is_ok());
                }
            },
            Node::Con(_, slice) => {
                for arg in self.store.args(slice).to_vec() {
                    self.generalise_in(arg, vars);
                }
            }
            Node::Record(slice) => {
                for (_, field) in self.store.fields(slice).to_vec() {
                    self.generalise_in(field, vars);
                }
            }
            Node::Arrow(from, to) => {
                self.generalise_in(from, vars);
                self.generalise_in(to, vars);
            }
            Node::Var { .. } | Node::Rigid(_) | Node::Error | Node::Link(_) => {}
        }
    }

    /// Prevents the generalisation of a type. A type variable of an annotation must be generalised, so this function reports an error if
    /// such a type variable occurs in the type.
    pub(super) fn keep(&mut self, ty: T, span: Span) {
        if self.store.is_plain(ty) {
            return;
        }
        if let Err(clash) = self.store.lower(ty) {
            let super::unify::Clash::EscapingVar(var) = clash else {
                return;
            };
            let name = self.program.tyvars[var.index()];
            self.report(
                Diagnostic::new(
                    Code::RigidTypeVariable,
                    span,
                    format!("the type variable `{name}` cannot be generalised here"),
                )
                .note("only values (functions, constants, constructors applied to values) become polymorphic"),
            );
        }
    }
}

/// Returns the name of the n-th type variable.
fn letter(number: usize, eq: bool) -> Symbol {
    let quotes = if eq { "''" } else { "'" };
    let letter = char::from(b'a' + (number % 26) as u8);
    let name = match number / 26 {
        0 => format!("{quotes}{letter}"),
        round => format!("{quotes}{letter}{round}"),
    };
    Symbol::new(&name)
}
