//! Services of elaboration for lists of files: parts of a program whose names others do not see.

use super::Elaborator;
use super::env::{Binding, Hidden, Moment};
use crate::symbol::Symbol;

/// The bindings of a part of a program.
#[derive(Clone, Debug)]
pub struct Bindings(Vec<Binding>);

/// A kind of modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// Structures.
    Structure,
    /// Signatures.
    Signature,
    /// Functors.
    Functor,
}

/// A point in time, in the order of bindings.
#[derive(Clone, Copy, Debug)]
pub struct Instant(Moment);

/// A list of files that is being elaborated.
#[derive(Clone, Copy, Debug)]
pub struct List(Hidden);

impl Elaborator {
    /// Returns the present point in time.
    #[must_use]
    pub fn moment(&self) -> Instant {
        Instant(self.scopes.moment())
    }

    /// Returns the visible bindings that were made since `since`.
    #[must_use]
    pub fn bound_since(&self, since: Instant) -> Bindings {
        Bindings(self.scopes.bound_since(since.0))
    }

    /// Makes these bindings again.
    pub fn bind_again(&mut self, bindings: &Bindings) {
        for binding in &bindings.0 {
            self.scopes.bind(binding.clone());
        }
    }

    /// Hides the bindings between two points in time from here on.
    pub fn hide(&mut self, from: Instant, to: Instant) {
        self.scopes.hide_range(from.0, to.0);
    }

    /// Makes the declarations up to here the Basis, for [`Elaborator::enter_list`].
    pub fn seal_basis(&mut self) {
        if !self.sealed {
            self.sealed = true;
            self.scopes.seal_builtin();
        }
    }

    /// Makes only the Basis and later bindings visible from here on.
    pub fn enter_list(&mut self) -> List {
        self.seal_basis();
        List(self.scopes.enter_list())
    }

    /// Makes the hidden bindings visible again.
    pub fn leave_list(&mut self, list: List) {
        self.scopes.leave_list(list.0);
    }

    /// Gives modules new names, or exports them under the same names. All old names are looked up before any new one is bound.
    /// Returns the first name without a module; nothing changes in that case.
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
