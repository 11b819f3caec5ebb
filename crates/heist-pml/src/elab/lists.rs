//! Methods of the elaborator for lists of files, which hide the names of one list from other lists.

use super::Elaborator;
use super::env::{Binding, Hidden, Moment};
use crate::symbol::Symbol;

/// The bindings that a part of a program, such as a list of files, has made.
#[derive(Clone, Debug)]
pub struct Bindings(Vec<Binding>);

/// A kind of module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// Structures.
    Structure,
    /// Signatures.
    Signature,
    /// Functors.
    Functor,
}

/// A point in the elaboration, between two bindings.
#[derive(Clone, Copy, Debug)]
pub struct Instant(Moment);

/// The handle that [`Elaborator::enter_list`] returns for a list of files, and that [`Elaborator::leave_list`] takes.
#[derive(Clone, Copy, Debug)]
pub struct List(Hidden);

impl Elaborator {
    /// Returns the current point in the elaboration.
    #[must_use]
    pub fn moment(&self) -> Instant {
        Instant(self.scopes.moment())
    }

    /// Returns the visible bindings that were made since `since`.
    #[must_use]
    pub fn bound_since(&self, since: Instant) -> Bindings {
        Bindings(self.scopes.bound_since(since.0))
    }

    /// Makes the same bindings again, so the names are in scope.
    pub fn bind_again(&mut self, bindings: &Bindings) {
        for binding in &bindings.0 {
            self.scopes.bind(binding.clone());
        }
    }

    /// Hides the bindings between two points from code that is elaborated later.
    pub fn hide(&mut self, from: Instant, to: Instant) {
        self.scopes.hide_range(from.0, to.0);
    }

    /// Marks all current bindings as bindings of the Basis. [`Elaborator::enter_list`] does not hide bindings of the Basis. A second call
    /// changes nothing.
    pub fn seal_basis(&mut self) {
        if !self.sealed {
            self.sealed = true;
            self.scopes.seal_builtin();
        }
    }

    /// Begins a list: hides all current bindings except bindings of the Basis, until [`Elaborator::leave_list`].
    pub fn enter_list(&mut self) -> List {
        self.seal_basis();
        List(self.scopes.enter_list())
    }

    /// Ends a list: makes the bindings that [`Elaborator::enter_list`] has hidden visible again.
    pub fn leave_list(&mut self, list: List) {
        self.scopes.leave_list(list.0);
    }

    /// Binds modules to new names. A new name may be equal to the old name. This function looks up all old names before it binds the first
    /// new name. If an old name has no module, returns that name and binds nothing.
    pub fn rename<'a>(&mut self, module: Module, names: &'a [(String, String)]) -> Option<&'a str> {
        let mut bindings = Vec::new();
        for (name, to) in names {
            let (from, to) = (Symbol::new(name), Symbol::new(to));
            let found = match module {
                Module::Structure => {
                    let found = self.scopes.structure(from).cloned();
                    found.map(|it| Binding::Str(to, it))
                }
                Module::Signature => {
                    let found = self.scopes.sig(from).cloned();
                    found.map(|it| Binding::Sig(to, it))
                }
                Module::Functor => {
                    let found = self.scopes.functor(from).cloned();
                    found.map(|it| Binding::Fct(to, it))
                }
            };
            match found {
                Some(binding) => bindings.push(binding),
                None => return Some(name),
            }
        }
        for binding in bindings {
            self.scopes.bind(binding);
        }
        None
    }
}
