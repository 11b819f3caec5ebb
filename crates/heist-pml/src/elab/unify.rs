//! Unifies types.

use std::rc::Rc;

use super::types::{Bound, Class, Eq, Node, Row, Store, T};
use crate::symbol::Symbol;
use crate::typed::{TyCon, TyVar, Types};

/// The reason why two types cannot be unified.
#[derive(Clone, Debug)]
pub(super) enum Clash {
    /// The two fields are the parts in which the types differ.
    Types(T, T),
    /// The first type is a variable, and occurs in the second type (the occurs check).
    Circular(T, T),
    /// The type must admit equality, but does not.
    Equality(T),
    /// An overloaded name or literal is not defined for this type.
    Class(T),
    /// The record has no such field.
    Field(Symbol, T),
    /// A type variable of an annotation leaves its scope.
    EscapingVar(TyVar),
    /// A type constructor leaves its scope.
    EscapingCon(TyCon),
    /// Unification would bind a variable to a type that contains a newer type constructor.
    NewerCon(TyCon),
    /// The type has more than [`MOST_PARTS`] parts.
    TooLarge,
}

/// The maximum number of parts of an inferred type. A part that occurs several times counts several times. A few lines of code can have a
/// type that no memory can contain: in `fun f x = (x, x) fun g x = f (f x) fun h x = g (g x)`, each function squares the number of parts.
pub(super) const MOST_PARTS: u32 = 1_000_000;

/// Replaces the second type of a [`Clash::Circular`] by `ty`, the whole type that unification wanted to bind to the variable. Returns other
/// clashes unchanged.
fn whole(clash: Clash, ty: T) -> Clash {
    match clash {
        Clash::Circular(var, _) => Clash::Circular(var, ty),
        other => other,
    }
}

impl Store {
    /// Unifies two types, or returns the reason why they differ.
    pub(super) fn unify(&mut self, left: T, right: T) -> Result<(), Clash> {
        let (left, left_node) = self.look(left);
        let (right, right_node) = self.look(right);
        if left == right {
            return Ok(());
        }
        match (left_node, right_node) {
            (Node::Error, _) | (_, Node::Error) => Ok(()),
            (Node::Var { .. }, Node::Var { .. }) => self.unify_vars(left, right),
            (Node::Var { .. }, _) => self.bind(left, right).map_err(|clash| whole(clash, right)),
            (_, Node::Var { .. }) => self.bind(right, left).map_err(|clash| whole(clash, left)),
            (Node::Rigid(a), Node::Rigid(b)) if a == b => Ok(()),
            (Node::Con(a, left_args), Node::Con(b, right_args)) if a == b => {
                let count = self.args(left_args).len();
                for at in 0..count {
                    let (x, y) = (self.args(left_args)[at], self.args(right_args)[at]);
                    self.unify(x, y)?;
                }
                Ok(())
            }
            (Node::Record(left_fields), Node::Record(right_fields)) => {
                let count = self.fields(left_fields).len();
                if count != self.fields(right_fields).len() {
                    return Err(Clash::Types(left, right));
                }
                for at in 0..count {
                    if self.fields(left_fields)[at].0 != self.fields(right_fields)[at].0 {
                        return Err(Clash::Types(left, right));
                    }
                }
                for at in 0..count {
                    let (x, y) = (
                        self.fields(left_fields)[at].1,
                        self.fields(right_fields)[at].1,
                    );
                    self.unify(x, y)?;
                }
                Ok(())
            }
            (Node::Arrow(from, to), Node::Arrow(other_from, other_to)) => {
                self.unify(from, other_from)?;
                self.unify(to, other_to)
            }
            _ => Err(Clash::Types(left, right)),
        }
    }

    fn unify_vars(&mut self, left: T, right: T) -> Result<(), Clash> {
        let (
            Node::Var {
                level: left_level,
                eq: left_eq,
                bound: left_bound,
            },
            Node::Var {
                level: right_level,
                eq: right_eq,
                bound: right_bound,
            },
        ) = (self.node(left), self.node(right))
        else {
            unreachable!("both are variables");
        };
        let level = left_level.min(right_level);
        let mut eq = left_eq || right_eq;
        let mut fields = Vec::new();
        let bound = match (left_bound, right_bound) {
            (Bound::None, Bound::None) => Bound::None,
            (Bound::Class(a), Bound::Class(b)) => {
                let both = self.intersect(a, b).ok_or(Clash::Types(left, right))?;
                Bound::Class(both)
            }
            (Bound::Class(class), Bound::None) | (Bound::None, Bound::Class(class)) => {
                Bound::Class(class)
            }
            (Bound::Row(row), Bound::None) | (Bound::None, Bound::Row(row)) => {
                fields.clone_from(&self.rows[row.0 as usize]);
                Bound::Row(row)
            }
            (Bound::Row(a), Bound::Row(b)) => {
                // The first row gets the fields of both rows. The types of a field that occurs in both must agree.
                let (mut pairs, mut merged) = (Vec::new(), self.rows[a.0 as usize].clone());
                for &(label, ty) in &self.rows[b.0 as usize] {
                    match merged.iter().find(|field| field.0 == label) {
                        Some(&(_, other)) => pairs.push((other, ty)),
                        None => merged.push((label, ty)),
                    }
                }
                self.rows.push(merged.clone());
                let row = Row(self.rows.len() as u32 - 1);
                for &(_, ty) in &merged {
                    self.adjust(left, ty, level, false)?;
                    self.adjust(right, ty, level, false)?;
                }
                self.join(left, right, level, eq, Bound::Row(row));
                for (x, y) in pairs {
                    self.unify(x, y)?;
                }
                if eq {
                    for &(_, ty) in &merged {
                        self.require_eq(ty)?;
                    }
                }
                return Ok(());
            }
            (Bound::Class(_), Bound::Row(_)) | (Bound::Row(_), Bound::Class(_)) => {
                return Err(Clash::Types(left, right));
            }
        };
        let bound = match bound {
            Bound::Class(class) if eq => {
                let class = self.only_eq(class).ok_or(Clash::Equality(left))?;
                eq = false;
                Bound::Class(class)
            }
            bound => bound,
        };
        for &(_, ty) in &fields {
            self.adjust(left, ty, level, eq)?;
            self.adjust(right, ty, level, eq)?;
        }
        self.join(left, right, level, eq, bound);
        Ok(())
    }

    /// Binds the second variable to the first variable.
    fn join(&mut self, left: T, right: T, level: u32, eq: bool, bound: Bound) {
        let stamp = self.stamp(right);
        self.link(right, left);
        self.set(left, level, eq, bound);
        self.make_older(left, stamp);
    }

    fn bind(&mut self, var: T, ty: T) -> Result<(), Clash> {
        let Node::Var { level, eq, bound } = self.node(var) else {
            unreachable!("a variable");
        };
        match bound {
            Bound::None => {
                if eq || !self.is_plain(ty) || self.stamp(ty) > self.stamp(var) {
                    self.adjust(var, ty, level, eq)?;
                }
                self.link(var, ty);
                Ok(())
            }
            Bound::Class(class) => {
                let Node::Con(con, _) = self.node(ty) else {
                    return Err(Clash::Class(ty));
                };
                if !self.classes[class.0 as usize].contains(&con) {
                    return Err(Clash::Class(ty));
                }
                self.link(var, ty);
                Ok(())
            }
            Bound::Row(row) => {
                let Node::Record(slice) = self.node(ty) else {
                    return Err(Clash::Types(var, ty));
                };
                self.adjust(var, ty, level, eq)?;
                let mut pairs = Vec::new();
                for &(label, field) in &self.rows[row.0 as usize] {
                    match self.fields(slice).iter().find(|other| other.0 == label) {
                        Some(&(_, other)) => pairs.push((field, other)),
                        None => return Err(Clash::Field(label, ty)),
                    }
                }
                self.link(var, ty);
                for (field, other) in pairs {
                    self.unify(field, other)?;
                }
                Ok(())
            }
        }
    }

    /// Prepares a type to which `var`, a variable of level `level`, will be bound. If this function succeeds, the variable does not occur
    /// in the type, no variable in the type has a higher level, and no type constructor in the type is newer than the variable.
    fn adjust(&mut self, var: T, ty: T, level: u32, eq: bool) -> Result<(), Clash> {
        self.adjusted = 0;
        self.adjust_part(var, ty, level, eq)
    }

    fn adjust_part(&mut self, var: T, ty: T, level: u32, eq: bool) -> Result<(), Clash> {
        if !eq && self.is_plain(ty) && self.stamp(ty) <= self.stamp(var) {
            return Ok(());
        }
        self.adjusted += 1;
        if self.adjusted > MOST_PARTS {
            return Err(Clash::TooLarge);
        }
        let (ty, node) = self.look(ty);
        match node {
            Node::Var { .. } if ty == var => Err(Clash::Circular(var, ty)),
            Node::Var {
                level: own,
                eq: own_eq,
                bound,
            } => {
                self.make_older(ty, self.stamp(var));
                if level < own {
                    self.set(ty, level, own_eq, bound);
                    if let Bound::Row(row) = bound {
                        for (_, field) in self.rows[row.0 as usize].clone() {
                            self.adjust_part(var, field, level, false)?;
                        }
                    }
                } else if let Bound::Row(row) = bound {
                    for (_, field) in self.rows[row.0 as usize].clone() {
                        self.adjust_part(var, field, level, false)?;
                    }
                }
                if eq { self.require_eq(ty) } else { Ok(()) }
            }
            Node::Rigid(rigid) => {
                let data = self.tyvars[rigid.index()];
                if data.level > level {
                    return Err(Clash::EscapingVar(rigid));
                }
                if eq && !data.eq {
                    return Err(Clash::Equality(ty));
                }
                Ok(())
            }
            Node::Con(con, slice) => {
                let data = &self.tycons[con.index()];
                if data.level > level {
                    return Err(Clash::EscapingCon(con));
                }
                if con.0 >= self.stamp(var) {
                    return Err(Clash::NewerCon(con));
                }
                let inner = match data.eq {
                    _ if !eq => false,
                    Eq::Never => return Err(Clash::Equality(ty)),
                    Eq::Always => false,
                    Eq::Args => true,
                };
                let count = self.args(slice).len();
                for at in 0..count {
                    let arg = self.args(slice)[at];
                    self.adjust_part(var, arg, level, inner)?;
                }
                Ok(())
            }
            Node::Record(slice) => {
                let count = self.fields(slice).len();
                for at in 0..count {
                    let field = self.fields(slice)[at].1;
                    self.adjust_part(var, field, level, eq)?;
                }
                Ok(())
            }
            Node::Arrow(from, to) => {
                if eq {
                    return Err(Clash::Equality(ty));
                }
                self.adjust_part(var, from, level, false)?;
                self.adjust_part(var, to, level, false)
            }
            Node::Error | Node::Link(_) => Ok(()),
        }
    }

    /// Makes all variables in a type admit equality. Returns an error if the type cannot admit equality.
    pub(super) fn require_eq(&mut self, ty: T) -> Result<(), Clash> {
        let (ty, node) = self.look(ty);
        match node {
            Node::Var { eq: true, .. } | Node::Error | Node::Link(_) => Ok(()),
            Node::Var {
                level,
                eq: false,
                bound,
            } => match bound {
                Bound::None => {
                    self.set(ty, level, true, bound);
                    Ok(())
                }
                Bound::Class(class) => {
                    let class = self.only_eq(class).ok_or(Clash::Equality(ty))?;
                    self.set(ty, level, false, Bound::Class(class));
                    Ok(())
                }
                Bound::Row(row) => {
                    self.set(ty, level, true, bound);
                    for (_, field) in self.rows[row.0 as usize].clone() {
                        self.require_eq(field)?;
                    }
                    Ok(())
                }
            },
            Node::Rigid(var) if self.tyvars[var.index()].eq => Ok(()),
            Node::Rigid(_) | Node::Arrow(..) => Err(Clash::Equality(ty)),
            Node::Con(con, slice) => match self.tycons[con.index()].eq {
                Eq::Never => Err(Clash::Equality(ty)),
                Eq::Always => Ok(()),
                Eq::Args => {
                    for arg in self.args(slice).to_vec() {
                        self.require_eq(arg)?;
                    }
                    Ok(())
                }
            },
            Node::Record(slice) => {
                for (_, field) in self.fields(slice).to_vec() {
                    self.require_eq(field)?;
                }
                Ok(())
            }
        }
    }

    /// Lowers the level of a type's variables to the current level. Returns an error for a part of the type that cannot occur at this
    /// level.
    pub(super) fn lower(&mut self, ty: T) -> Result<(), Clash> {
        let level = self.level;
        // The call passes the type of an error as the variable. No type contains the type of an error, so the call never reports a circular
        // type.
        self.adjust(T::ERROR, ty, level, false)
    }

    /// Returns the class of the types that two classes have in common, or `None` if there are no such types.
    fn intersect(&mut self, a: Class, b: Class) -> Option<Class> {
        if a == b {
            return Some(a);
        }
        let (first, second) = (
            self.classes[a.0 as usize].clone(),
            self.classes[b.0 as usize].clone(),
        );
        let both: Vec<TyCon> = first
            .iter()
            .copied()
            .filter(|con| second.contains(con))
            .collect();
        if both.len() == first.len() {
            return Some(a);
        }
        self.class(both)
    }

    /// Restricts a class to the types that admit equality, and returns the restricted class.
    fn only_eq(&mut self, class: Class) -> Option<Class> {
        let all = self.classes[class.0 as usize].clone();
        let some: Vec<TyCon> = all
            .iter()
            .copied()
            .filter(|con| self.tycons[con.index()].eq != Eq::Never)
            .collect();
        if some.len() == all.len() {
            return Some(class);
        }
        self.class(some)
    }

    /// Returns the class with these type constructors, or `None` if the list is empty.
    pub(super) fn class(&mut self, cons: Vec<TyCon>) -> Option<Class> {
        if cons.is_empty() {
            return None;
        }
        if let Some(at) = self.classes.iter().position(|other| other[..] == cons[..]) {
            return Some(Class(at as u32));
        }
        self.classes.push(Rc::from(cons));
        Some(Class(self.classes.len() as u32 - 1))
    }

    /// Makes a new row with one or more fields.
    pub(super) fn row(&mut self, mut fields: Vec<(Symbol, T)>) -> Row {
        fields.sort_by(|a, b| Types::compare_labels(a.0, b.0));
        self.rows.push(fields);
        Row(self.rows.len() as u32 - 1)
    }
}
