//! The meanings of names, and the scopes in which elaboration looks up names.

mod ranges;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use ranges::Range;
pub(super) use ranges::{Hidden, Moment, View};

use super::functor::Functor;
use super::types::{T, TyFn};
use crate::prim::Prim;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{Con, ExnTag, TyVar, Var};

/// The status of a name in patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// A variable. In a pattern, its name binds a new variable.
    Value,
    /// A constructor.
    Con,
    /// An exception constructor.
    Exn,
}

/// The meaning of a value name.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A variable.
    Var(Var),
    /// A variable of the group of functions that is being elaborated. The type variables of this variable's type are not known yet.
    Recursive(Var),
    /// A constructor.
    Con(Con),
    /// An exception constructor.
    Exn(ExnTag),
    /// The constructor of references.
    Ref,
    /// A primitive.
    Prim(Prim),
    /// An overloaded name.
    Overload(u32),
    /// A name that a `pval` binds. The variable contains the lazy value. The name means the field of the lazy value's contents with this
    /// label, or the whole contents if there is no label.
    Lazy(Var, Option<Symbol>),
    /// A value of a signature, without an implementation.
    Spec,
}

/// Facts about a value name.
#[derive(Clone, Debug)]
pub(super) struct Val {
    /// The type variables in which the value's type is polymorphic.
    pub tyvars: Rc<[TyVar]>,
    /// The type of the value.
    pub ty: T,
    /// The meaning of the name.
    pub what: What,
    /// The type arguments that `what` gets, if they differ from `tyvars`.
    pub inst: Option<Rc<[T]>>,
    /// The status of the name in patterns.
    pub status: Status,
    /// The place where the name is bound.
    pub span: Span,
}

/// The meaning of a type name.
#[derive(Clone, Debug)]
pub(super) struct TyEntry {
    /// The type.
    pub function: TyFn,
    /// The constructors of the type, if the type is a datatype and its constructors are visible.
    pub cons: Rc<[(Symbol, Val)]>,
    /// The place where the name is bound.
    pub span: Span,
}

/// A table from names to entries, in the order of declaration.
#[derive(Clone, Debug)]
pub(super) struct Table<E> {
    list: Vec<(Symbol, E)>,
    numbers: FxHashMap<Symbol, u32>,
}

impl<E> Default for Table<E> {
    fn default() -> Table<E> {
        Table {
            list: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }
}

impl<E> Table<E> {
    /// Adds or replaces an entry. Returns true if the name had no entry.
    pub(super) fn insert(&mut self, name: Symbol, entry: E) -> bool {
        if let Some(&at) = self.numbers.get(&name) {
            self.list[at as usize].1 = entry;
            return false;
        }
        self.numbers.insert(name, self.list.len() as u32);
        self.list.push((name, entry));
        true
    }

    pub(super) fn get(&self, name: Symbol) -> Option<&E> {
        self.numbers.get(&name).map(|&at| &self.list[at as usize].1)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, (Symbol, E)> {
        self.list.iter()
    }
}

/// The contents of a structure.
#[derive(Clone, Debug, Default)]
pub(super) struct Env {
    /// Values.
    pub vals: Table<Val>,
    /// Types.
    pub tys: Table<TyEntry>,
    /// Structures.
    pub strs: Table<Structure>,
    /// Whether the environment replaces a structure that could not be elaborated. The elaborator assumes that such a structure contains
    /// every name.
    pub error: bool,
}

/// Facts about a structure.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    /// The contents of the structure.
    pub env: Rc<Env>,
    /// The place where the structure is bound.
    pub span: Span,
}

/// A signature.
#[derive(Clone, Debug)]
pub(super) struct Sig {
    /// The type constructors that the signature leaves open. A structure that matches the signature defines them.
    pub flexible: Vec<crate::typed::TyCon>,
    /// The specifications.
    pub env: Rc<Env>,
    /// The place where the signature is bound, or [`Span::NONE`] for a signature without a name.
    pub span: Span,
}

/// The bindings of all names of one kind.
#[derive(Clone, Debug)]
pub(super) struct Space<E> {
    stacks: FxHashMap<Symbol, Vec<(u32, E)>>,
}

impl<E> Default for Space<E> {
    fn default() -> Space<E> {
        Space {
            stacks: FxHashMap::default(),
        }
    }
}

impl<E> Space<E> {
    fn get(&self, name: Symbol, view: View, hidden: &[Range]) -> Option<&E> {
        self.find(name, view, hidden).map(|entry| &entry.1)
    }

    fn find(&self, name: Symbol, view: View, hidden: &[Range]) -> Option<&(u32, E)> {
        let stack = self.stacks.get(&name)?;
        stack.iter().rev().find(|entry| {
            view.sees(entry.0)
                && (entry.0 > view.base || !hidden.iter().any(|range| range.hides(entry.0, view)))
        })
    }

    fn push(&mut self, name: Symbol, stamp: u32, entry: E) {
        self.stacks.entry(name).or_default().push((stamp, entry));
    }

    fn pop(&mut self, name: Symbol) -> E {
        let stack = self.stacks.get_mut(&name).expect("was pushed");
        stack.pop().expect("was pushed").1
    }

    fn names(&self, view: View) -> impl Iterator<Item = Symbol> {
        self.stacks
            .iter()
            .filter(move |(_, stack)| stack.iter().any(|entry| view.sees(entry.0)))
            .map(|(&name, _)| name)
    }
}

/// A name, and the meaning to which the name is bound.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A value.
    Val(Symbol, Val),
    /// A type.
    Ty(Symbol, TyEntry),
    /// A structure.
    Str(Symbol, Structure),
    /// A signature.
    Sig(Symbol, Rc<Sig>),
    /// A functor.
    Fct(Symbol, Rc<Functor>),
}

#[derive(Clone, Copy, Debug)]
enum Trail {
    Val(Symbol),
    Ty(Symbol),
    Str(Symbol),
    Sig(Symbol),
    Fct(Symbol),
}

/// A point in the trail of bindings: the length of the trail at that point. The elaborator can undo all later bindings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// All names in scope.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    vals: Space<Val>,
    tys: Space<TyEntry>,
    strs: Space<Structure>,
    sigs: Space<Rc<Sig>>,
    fcts: Space<Rc<Functor>>,
    trail: Vec<Trail>,
    stamp: u32,
    view: View,
    /// The number of the last binding of the Basis, or `u32::MAX` while the Basis is elaborated.
    builtin: u32,
    /// The ranges of bindings that lists of files hide.
    hidden: Vec<Range>,
}

impl Scopes {
    pub(super) fn new() -> Scopes {
        Scopes {
            vals: Space::default(),
            tys: Space::default(),
            strs: Space::default(),
            sigs: Space::default(),
            fcts: Space::default(),
            trail: Vec::new(),
            stamp: 0,
            view: View::ALL,
            builtin: u32::MAX,
            hidden: Vec::new(),
        }
    }

    pub(super) fn val(&self, name: Symbol) -> Option<&Val> {
        self.vals.get(name, self.view, &self.hidden)
    }

    pub(super) fn ty(&self, name: Symbol) -> Option<&TyEntry> {
        self.tys.get(name, self.view, &self.hidden)
    }

    /// Returns all values and types in scope, in no particular order.
    #[cfg(test)]
    pub(super) fn top_level(&self) -> Env {
        let mut env = Env::default();
        for name in self.vals.names(self.view) {
            env.vals
                .insert(name, self.val(name).expect("it is named").clone());
        }
        for name in self.tys.names(self.view) {
            env.tys
                .insert(name, self.ty(name).expect("it is named").clone());
        }
        env
    }

    pub(super) fn structure(&self, name: Symbol) -> Option<&Structure> {
        self.strs.get(name, self.view, &self.hidden)
    }

    pub(super) fn sig(&self, name: Symbol) -> Option<&Rc<Sig>> {
        self.sigs.get(name, self.view, &self.hidden)
    }

    pub(super) fn functor(&self, name: Symbol) -> Option<&Rc<Functor>> {
        self.fcts.get(name, self.view, &self.hidden)
    }

    fn builtin_view(&self) -> View {
        View {
            limit: self.builtin,
            base: u32::MAX,
        }
    }

    /// Returns the structure of the Basis with this name, even if the program has declared a structure of the same name.
    pub(super) fn builtin_structure(&self, name: Symbol) -> Option<&Structure> {
        self.strs.get(name, self.builtin_view(), &[])
    }

    /// Returns the type with this name in the top level of the Basis.
    pub(super) fn builtin_ty(&self, name: Symbol) -> Option<&TyEntry> {
        self.tys.get(name, self.builtin_view(), &[])
    }

    /// Marks all current bindings as bindings of the Basis.
    pub(super) fn seal_builtin(&mut self) {
        self.builtin = self.stamp;
    }

    pub(super) fn val_names(&self) -> impl Iterator<Item = Symbol> {
        self.vals.names(self.view)
    }

    pub(super) fn ty_names(&self) -> impl Iterator<Item = Symbol> {
        self.tys.names(self.view)
    }

    pub(super) fn structure_names(&self) -> impl Iterator<Item = Symbol> {
        self.strs.names(self.view)
    }

    pub(super) fn sig_names(&self) -> impl Iterator<Item = Symbol> {
        self.sigs.names(self.view)
    }

    pub(super) fn functor_names(&self) -> impl Iterator<Item = Symbol> {
        self.fcts.names(self.view)
    }

    pub(super) fn bind(&mut self, binding: Binding) {
        self.stamp += 1;
        let stamp = self.stamp;
        let trail = match binding {
            Binding::Val(name, val) => {
                self.vals.push(name, stamp, val);
                Trail::Val(name)
            }
            Binding::Ty(name, entry) => {
                self.tys.push(name, stamp, entry);
                Trail::Ty(name)
            }
            Binding::Str(name, structure) => {
                self.strs.push(name, stamp, structure);
                Trail::Str(name)
            }
            Binding::Sig(name, sig) => {
                self.sigs.push(name, stamp, sig);
                Trail::Sig(name)
            }
            Binding::Fct(name, functor) => {
                self.fcts.push(name, stamp, functor);
                Trail::Fct(name)
            }
        };
        self.trail.push(trail);
    }

    pub(super) fn bind_val(&mut self, name: Symbol, val: Val) {
        self.bind(Binding::Val(name, val));
    }

    pub(super) fn bind_ty(&mut self, name: Symbol, entry: TyEntry) {
        self.bind(Binding::Ty(name, entry));
    }

    /// Binds all names of a structure.
    pub(super) fn open(&mut self, env: &Env) {
        for (name, val) in env.vals.iter() {
            self.bind_val(*name, val.clone());
        }
        for (name, entry) in env.tys.iter() {
            self.bind_ty(*name, entry.clone());
        }
        for (name, structure) in env.strs.iter() {
            self.bind(Binding::Str(*name, structure.clone()));
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Undoes all bindings since the mark.
    pub(super) fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            match self.trail.pop().expect("longer than the mark") {
                Trail::Val(name) => drop(self.vals.pop(name)),
                Trail::Ty(name) => drop(self.tys.pop(name)),
                Trail::Str(name) => drop(self.strs.pop(name)),
                Trail::Sig(name) => drop(self.sigs.pop(name)),
                Trail::Fct(name) => drop(self.fcts.pop(name)),
            }
        }
    }

    /// Returns all bindings that were made since `mark`, in their order.
    pub(super) fn since(&self, mark: Mark) -> Vec<Binding> {
        fn nth<E: Clone>(space: &Space<E>, name: Symbol, later: usize) -> E {
            let stack = &space.stacks[&name];
            stack[stack.len() - 1 - later].1.clone()
        }
        // For each name, the number of its bindings that the loop has visited. These bindings are newer than all bindings that the loop
        // will visit.
        let mut later: FxHashMap<(u8, Symbol), usize> = FxHashMap::default();
        let mut bindings: Vec<Binding> = Vec::new();
        for trail in self.trail[mark.0..].iter().rev() {
            let mut count = |kind: u8, name: Symbol| {
                let count = later.entry((kind, name)).or_default();
                *count += 1;
                *count - 1
            };
            bindings.push(match *trail {
                Trail::Val(name) => Binding::Val(name, nth(&self.vals, name, count(0, name))),
                Trail::Ty(name) => Binding::Ty(name, nth(&self.tys, name, count(1, name))),
                Trail::Str(name) => Binding::Str(name, nth(&self.strs, name, count(2, name))),
                Trail::Sig(name) => Binding::Sig(name, nth(&self.sigs, name, count(3, name))),
                Trail::Fct(name) => Binding::Fct(name, nth(&self.fcts, name, count(4, name))),
            });
        }
        bindings.reverse();
        bindings
    }

    /// Undoes all bindings since the mark, and returns them in the order in which they were made.
    pub(super) fn take(&mut self, mark: Mark) -> Vec<Binding> {
        let mut taken = Vec::with_capacity(self.trail.len() - mark.0);
        while self.trail.len() > mark.0 {
            taken.push(match self.trail.pop().expect("longer than the mark") {
                Trail::Val(name) => Binding::Val(name, self.vals.pop(name)),
                Trail::Ty(name) => Binding::Ty(name, self.tys.pop(name)),
                Trail::Str(name) => Binding::Str(name, self.strs.pop(name)),
                Trail::Sig(name) => Binding::Sig(name, self.sigs.pop(name)),
                Trail::Fct(name) => Binding::Fct(name, self.fcts.pop(name)),
            });
        }
        taken.reverse();
        taken
    }

    /// Removes the bindings between two marks, and keeps later bindings.
    pub(super) fn hide(&mut self, from: Mark, to: Mark) {
        let kept = self.take(to);
        self.undo(from);
        for binding in kept {
            self.bind(binding);
        }
    }

    /// Undoes all bindings since the mark, and returns these bindings as an environment.
    pub(super) fn take_env(&mut self, mark: Mark) -> Env {
        let mut env = Env::default();
        for binding in self.take(mark) {
            match binding {
                Binding::Val(name, val) => drop(env.vals.insert(name, val)),
                Binding::Ty(name, entry) => drop(env.tys.insert(name, entry)),
                Binding::Str(name, structure) => drop(env.strs.insert(name, structure)),
                Binding::Sig(..) | Binding::Fct(..) => {}
            }
        }
        env
    }

    /// Returns the number of the last binding.
    pub(super) fn now(&self) -> u32 {
        self.stamp
    }

    /// Hides the bindings that were made after `stamp` and before this call, until a call of [`Scopes::leave`]. Returns the previous view.
    pub(super) fn enter(&mut self, stamp: u32) -> View {
        let view = View {
            limit: stamp,
            base: self.stamp,
        };
        std::mem::replace(&mut self.view, view)
    }

    /// Restores the view that [`Scopes::enter`] has returned.
    pub(super) fn leave(&mut self, view: View) {
        self.view = view;
    }
}
