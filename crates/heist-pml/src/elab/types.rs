//! The types that inference uses. These types are nodes of an arena. Some nodes are variables, which unification binds.

use std::rc::Rc;

use crate::symbol::Symbol;
use crate::typed::{TyCon, TyVar};

/// A type of a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct T(pub u32);

impl T {
    /// The type of code with an error. This type agrees with every type, so one error does not cause
    /// another error.
    pub(super) const ERROR: T = T(0);
    /// The type `unit`.
    pub(super) const UNIT: T = T(1);
}

/// A range of one of the arrays of a [`Store`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    start: u32,
    len: u32,
}

/// The index of a class: the set of type constructors for which an overloaded name or literal is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class(pub u32);

/// The index of a row: the list of the known fields of a record. The record may have other fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Row(pub u32);

/// The facts that inference knows about the type that a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// No further facts are known.
    None,
    /// The type is one of the types of a class, which have no arguments.
    Class(Class),
    /// The type is a record that has at least the fields of a row.
    Row(Row),
}

/// A node of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// A type that is not known yet.
    Var {
        /// The level (the number of enclosing bindings) of the binding that may generalise the type.
        level: u32,
        /// Whether the type must admit equality.
        eq: bool,
        /// Further facts about the type.
        bound: Bound,
    },
    /// A link: unification has made this type equal to another type.
    Link(T),
    /// A type variable of a polymorphic type or of an annotation.
    Rigid(TyVar),
    /// A type constructor and its arguments.
    Con(TyCon, Slice),
    /// A record, with its fields in the order of labels.
    Record(Slice),
    /// A function.
    Arrow(T, T),
    /// The type of an error: see [`T::ERROR`].
    Error,
}

/// The flag of types that contain variables.
const OPEN: u8 = 1;
/// The flag of types that contain a type constructor that is declared inside of an expression.
const LOCAL: u8 = 2;

/// A type function.
#[derive(Clone, Debug)]
pub(super) enum TyFn {
    /// A type constructor.
    Con(TyCon),
    /// An abbreviation, with its parameters and body.
    Lambda(Rc<[TyVar]>, T),
}

/// The rule that says which types of a type constructor admit equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Eq {
    /// No type admits equality.
    Never,
    /// A type admits equality if all its arguments admit equality.
    Args,
    /// All types admit equality.
    Always,
}

/// Facts about a type constructor that only the elaborator needs, and that the typed program does not contain.
#[derive(Clone, Debug)]
pub(super) struct TyConData {
    /// The number of parameters.
    pub arity: usize,
    /// The rule that says which types of this constructor admit equality.
    pub eq: Eq,
    /// The level at which an expression declares the type constructor, or 0 for a declaration outside of expressions.
    pub level: u32,
    /// For a type constructor of a signature, the type to which a structure, `sharing` or `where type` has
    /// bound it.
    pub real: Option<TyFn>,
    /// Whether the constructor is a type of a signature that another type may replace.
    pub flexible: bool,
}

/// Facts about a type variable that only the elaborator needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct TyVarData {
    /// Whether the variable admits equality.
    pub eq: bool,
    /// The level of the binding that is polymorphic in the variable.
    pub level: u32,
    /// Whether the binding of the variable has turned out not to be polymorphic. Any type may then replace the variable.
    pub unused: bool,
}

/// All types of an elaboration.
#[derive(Clone, Debug)]
pub(super) struct Store {
    nodes: Vec<Node>,
    flags: Vec<u8>,
    /// For each type, its stamp. The stamp of a variable is the number of type constructors that existed when the variable was made, and
    /// the variable cannot be bound to a type with a newer constructor. A unification with an older variable reduces the stamp to the stamp
    /// of the older variable. For any other type, the stamp is the index of the newest constructor in the type, plus one.
    stamps: Vec<u32>,
    args: Vec<T>,
    fields: Vec<(Symbol, T)>,
    /// The type constructors, indexed by [`TyCon`].
    pub tycons: Vec<TyConData>,
    /// The type variables, indexed by [`TyVar`].
    pub tyvars: Vec<TyVarData>,
    /// The overloading classes, indexed by [`Class`]. The types of a class are in the order of declaration.
    pub classes: Vec<Rc<[TyCon]>>,
    /// The rows, indexed by [`Row`].
    pub rows: Vec<Vec<(Symbol, T)>>,
    /// The current level: the number of enclosing bindings.
    pub level: u32,
    /// The number of parts of a type that the current call of `adjust` has visited.
    pub(super) adjusted: u32,
    labels: Vec<Symbol>,
}

impl Store {
    pub(super) fn new() -> Store {
        let mut store = Store {
            nodes: Vec::new(),
            flags: Vec::new(),
            stamps: Vec::new(),
            args: Vec::new(),
            fields: Vec::new(),
            tycons: Vec::new(),
            tyvars: Vec::new(),
            classes: Vec::new(),
            rows: Vec::new(),
            level: 0,
            adjusted: 0,
            labels: Vec::new(),
        };
        store.push(Node::Error, 0, u32::MAX);
        store.push(Node::Record(Slice { start: 0, len: 0 }), 0, 0);
        store
    }

    fn push(&mut self, node: Node, flags: u8, stamp: u32) -> T {
        self.nodes.push(node);
        self.flags.push(flags);
        self.stamps.push(stamp);
        T(self.nodes.len() as u32 - 1)
    }

    /// Returns the number of types.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the label of the n-th part of a tuple, from 1.
    pub(super) fn label(&mut self, number: usize) -> Symbol {
        while self.labels.len() < number {
            self.labels
                .push(Symbol::new(&(self.labels.len() + 1).to_string()));
        }
        self.labels[number - 1]
    }

    /// Makes a new variable of the current level, without further facts.
    pub(super) fn fresh(&mut self) -> T {
        self.fresh_var(false, Bound::None)
    }

    /// Makes a new variable of the current level, with these facts.
    pub(super) fn fresh_var(&mut self, eq: bool, bound: Bound) -> T {
        let level = self.level;
        let stamp = self.tycons.len() as u32;
        self.push(Node::Var { level, eq, bound }, OPEN, stamp)
    }

    pub(super) fn rigid(&mut self, var: TyVar) -> T {
        self.push(Node::Rigid(var), OPEN, 0)
    }

    pub(super) fn arrow(&mut self, from: T, to: T) -> T {
        let flags = self.flags[from.0 as usize] | self.flags[to.0 as usize];
        let stamp = self.stamp(from).max(self.stamp(to));
        self.push(Node::Arrow(from, to), flags, stamp)
    }

    pub(super) fn con(&mut self, con: TyCon, args: &[T]) -> T {
        let mut flags = if self.tycons[con.index()].level > 0 {
            LOCAL
        } else {
            0
        };
        let mut stamp = con.0 + 1;
        for &arg in args {
            flags |= self.flags[arg.0 as usize];
            stamp = stamp.max(self.stamp(arg));
        }
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        let len = args.len() as u32;
        self.push(Node::Con(con, Slice { start, len }), flags, stamp)
    }

    /// Makes the type of a record whose fields are in the order of labels.
    pub(super) fn record(&mut self, fields: &[(Symbol, T)]) -> T {
        if fields.is_empty() {
            return T::UNIT;
        }
        let (mut flags, mut stamp) = (0, 0);
        for field in fields {
            flags |= self.flags[field.1.0 as usize];
            stamp = stamp.max(self.stamp(field.1));
        }
        let start = self.fields.len() as u32;
        self.fields.extend_from_slice(fields);
        let len = fields.len() as u32;
        self.push(Node::Record(Slice { start, len }), flags, stamp)
    }

    pub(super) fn tuple(&mut self, parts: &[T]) -> T {
        let fields: Vec<(Symbol, T)> = parts
            .iter()
            .enumerate()
            .map(|(at, &part)| (self.label(at + 1), part))
            .collect();
        self.record(&fields)
    }

    pub(super) fn args(&self, slice: Slice) -> &[T] {
        &self.args[slice.start as usize..(slice.start + slice.len) as usize]
    }

    pub(super) fn fields(&self, slice: Slice) -> &[(Symbol, T)] {
        &self.fields[slice.start as usize..(slice.start + slice.len) as usize]
    }

    /// Returns true if a type may contain variables.
    pub(super) fn is_open(&self, ty: T) -> bool {
        self.flags[ty.0 as usize] & OPEN != 0
    }

    /// Returns true if a type contains neither variables nor type constructors that expressions declare. Unification can bind any variable
    /// to such a type without a check.
    pub(super) fn is_plain(&self, ty: T) -> bool {
        self.flags[ty.0 as usize] == 0
    }

    /// Returns the stamp of a type (see the field `stamps`).
    pub(super) fn stamp(&self, ty: T) -> u32 {
        self.stamps[ty.0 as usize]
    }

    /// Lowers the stamp of a variable to `stamp`, if `stamp` is smaller.
    pub(super) fn make_older(&mut self, var: T, stamp: u32) {
        let own = &mut self.stamps[var.0 as usize];
        *own = stamp.min(*own);
    }

    /// Resolves a type: follows links, and replaces a type of a signature by its definition, if the definition is known. Returns the
    /// resolved type.
    pub(super) fn resolve(&mut self, ty: T) -> T {
        let mut at = ty;
        loop {
            match self.nodes[at.0 as usize] {
                Node::Link(to) => at = to,
                Node::Con(con, args) if self.tycons[con.index()].real.is_some() => {
                    let real = self.tycons[con.index()].real.clone();
                    let args = self.args(args).to_vec();
                    let to = self.apply(real.as_ref().expect("was there"), &args);
                    self.nodes[at.0 as usize] = Node::Link(to);
                    at = to;
                }
                _ => break,
            }
        }
        // The loop redirects all links on the way to the end of the chain, because chains of links may become long.
        let mut from = ty;
        while let Node::Link(to) = self.nodes[from.0 as usize] {
            self.nodes[from.0 as usize] = Node::Link(at);
            from = to;
        }
        at
    }

    /// Resolves a type. Returns the resolved type and its node.
    pub(super) fn look(&mut self, ty: T) -> (T, Node) {
        let ty = self.resolve(ty);
        (ty, self.nodes[ty.0 as usize])
    }

    /// Returns the node of a resolved type.
    pub(super) fn node(&self, ty: T) -> Node {
        self.nodes[ty.0 as usize]
    }

    /// Binds a variable.
    pub(super) fn link(&mut self, var: T, to: T) {
        debug_assert!(var != to);
        self.nodes[var.0 as usize] = Node::Link(to);
    }

    /// Sets the level of a variable and the facts about its type.
    pub(super) fn set(&mut self, var: T, level: u32, eq: bool, bound: Bound) {
        self.nodes[var.0 as usize] = Node::Var { level, eq, bound };
    }

    /// Applies a type function to arguments.
    pub(super) fn apply(&mut self, function: &TyFn, args: &[T]) -> T {
        match function {
            TyFn::Con(con) => self.con(*con, args),
            TyFn::Lambda(params, body) => self.substitute(*body, params, args),
        }
    }

    /// Returns a copy of a type, with the types `by` in place of the type variables `vars`.
    pub(super) fn substitute(&mut self, ty: T, vars: &[TyVar], by: &[T]) -> T {
        if vars.is_empty() || !self.is_open(ty) {
            return ty;
        }
        let (ty, node) = self.look(ty);
        if !self.is_open(ty) {
            return ty;
        }
        match node {
            Node::Rigid(var) => match vars.iter().position(|&other| other == var) {
                Some(at) => by[at],
                None => ty,
            },
            Node::Con(con, slice) => {
                let mut same = true;
                let args: Vec<T> = (0..slice.len)
                    .map(|at| {
                        let arg = self.args[(slice.start + at) as usize];
                        let new = self.substitute(arg, vars, by);
                        same &= arg == new;
                        new
                    })
                    .collect();
                if same { ty } else { self.con(con, &args) }
            }
            Node::Record(slice) => {
                let mut same = true;
                let fields: Vec<(Symbol, T)> = (0..slice.len)
                    .map(|at| {
                        let (label, field) = self.fields[(slice.start + at) as usize];
                        let new = self.substitute(field, vars, by);
                        same &= field == new;
                        (label, new)
                    })
                    .collect();
                if same { ty } else { self.record(&fields) }
            }
            Node::Arrow(from, to) => {
                let new_from = self.substitute(from, vars, by);
                let new_to = self.substitute(to, vars, by);
                if new_from == from && new_to == to {
                    ty
                } else {
                    self.arrow(new_from, new_to)
                }
            }
            Node::Var {
                bound: Bound::Row(row),
                ..
            } => {
                // A row whose fields are not all known is not copied, so all its uses share the fields.
                let _ = row;
                ty
            }
            Node::Var { .. } | Node::Error | Node::Link(_) => ty,
        }
    }

    /// Returns true if a type admits equality. Assumes that unknown types admit equality.
    pub(super) fn admits_eq(&mut self, ty: T) -> bool {
        match self.look(ty).1 {
            Node::Rigid(var) => self.tyvars[var.index()].eq,
            Node::Con(con, slice) => match self.tycons[con.index()].eq {
                Eq::Never => false,
                Eq::Always => true,
                Eq::Args => {
                    (0..slice.len).all(|at| self.admits_eq(self.args[(slice.start + at) as usize]))
                }
            },
            Node::Record(slice) => {
                (0..slice.len).all(|at| self.admits_eq(self.fields[(slice.start + at) as usize].1))
            }
            Node::Arrow(..) => false,
            Node::Var { .. } | Node::Error | Node::Link(_) => true,
        }
    }

    /// Returns true if a type function, applied to types that admit equality, gives a type that admits equality.
    pub(super) fn function_admits_eq(&mut self, function: &TyFn) -> bool {
        match function {
            TyFn::Con(con) => match self.tycons[con.index()].real.clone() {
                Some(real) => self.function_admits_eq(&real),
                None => self.tycons[con.index()].eq != Eq::Never,
            },
            TyFn::Lambda(params, body) => {
                let before: Vec<bool> = params
                    .iter()
                    .map(|var| std::mem::replace(&mut self.tyvars[var.index()].eq, true))
                    .collect();
                let admits = self.admits_eq(*body);
                for (var, eq) in params.iter().zip(before) {
                    self.tyvars[var.index()].eq = eq;
                }
                admits
            }
        }
    }

    /// Returns the number of arguments that a type function takes.
    pub(super) fn function_arity(&self, function: &TyFn) -> usize {
        match function {
            TyFn::Con(con) => self.tycons[con.index()].arity,
            TyFn::Lambda(params, _) => params.len(),
        }
    }

    /// Returns the type constructor that is equal to a type function, if there is one.
    pub(super) fn function_con(&mut self, function: &TyFn) -> Option<TyCon> {
        match function {
            TyFn::Con(con) => match self.tycons[con.index()].real.clone() {
                Some(real) => self.function_con(&real),
                None => Some(*con),
            },
            TyFn::Lambda(params, body) => {
                let params = params.clone();
                let Node::Con(con, slice) = self.look(*body).1 else {
                    return None;
                };
                if slice.len as usize != params.len() {
                    return None;
                }
                for (at, param) in params.iter().enumerate() {
                    let arg = self.args[slice.start as usize + at];
                    match self.look(arg).1 {
                        Node::Rigid(var) if var == *param => {}
                        _ => return None,
                    }
                }
                Some(con)
            }
        }
    }

    /// Returns true if a type contains an unresolved variable or the type of an error.
    pub(super) fn has_unknown(&mut self, ty: T) -> bool {
        if !self.is_open(ty) {
            return false;
        }
        match self.look(ty).1 {
            Node::Var { .. } => true,
            Node::Con(_, slice) => {
                (0..slice.len).any(|at| self.has_unknown(self.args[(slice.start + at) as usize]))
            }
            Node::Record(slice) => (0..slice.len)
                .any(|at| self.has_unknown(self.fields[(slice.start + at) as usize].1)),
            Node::Arrow(from, to) => self.has_unknown(from) || self.has_unknown(to),
            Node::Rigid(_) | Node::Error | Node::Link(_) => false,
        }
    }
}
