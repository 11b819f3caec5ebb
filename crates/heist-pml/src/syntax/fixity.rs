//! The infix names in scope.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::Fixity;
use crate::symbol::Symbol;

/// The infix names in scope, and the words of parallel forms that the program has bound as names.
#[derive(Clone, Debug, Default)]
pub struct FixityEnv {
    infixes: FxHashMap<Symbol, Fixity>,
    // For each directive, the state that the directive has replaced. The end of the directive's scope restores this state.
    trail: Vec<(Symbol, Option<Fixity>)>,
    taken: FxHashSet<Symbol>,
}

/// A point in the trail of directives: the length of the trail at that point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// A point in the order of directives, for lists of files.
#[derive(Clone, Copy, Debug)]
pub struct Moment(Mark);

/// The directives of a file or a list of files.
#[derive(Clone, Debug, Default)]
pub struct Directives(Vec<(Symbol, Fixity)>);

impl FixityEnv {
    /// Makes an environment without infix names. The parser reads the first file of the Basis in this environment.
    #[must_use]
    pub fn new() -> FixityEnv {
        FixityEnv::default()
    }

    /// Returns the associativity and precedence of an infix name, or `None` for other names.
    #[must_use]
    pub fn get(&self, name: Symbol) -> Option<Fixity> {
        self.infixes
            .get(&name)
            .copied()
            .filter(|fixity| *fixity != Fixity::Nonfix)
    }

    /// Obeys a directive for one name: makes the name infix or not infix.
    pub fn set(&mut self, name: Symbol, fixity: Fixity) {
        let old = self.infixes.insert(name, fixity);
        self.trail.push((name, old));
    }

    /// Returns true if the program has bound a name, such as `!` or `spawn`, that would otherwise begin a parallel form.
    pub(super) fn is_taken(&self, name: Symbol) -> bool {
        self.taken.contains(&name) || self.infixes.contains_key(&name)
    }

    pub(super) fn take(&mut self, name: Symbol) {
        self.taken.insert(name);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Ends the scope of all directives since a mark.
    pub(super) fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            let (name, old) = self.trail.pop().expect("longer than the mark");
            match old {
                Some(fixity) => self.infixes.insert(name, fixity),
                None => self.infixes.remove(&name),
            };
        }
    }

    /// Ends the scope of the directives between two marks. Later directives stay in force.
    pub(super) fn undo_between(&mut self, outer: Mark, inner: Mark) {
        let names: Vec<Symbol> = self.trail[inner.0..].iter().map(|entry| entry.0).collect();
        let kept: Vec<_> = names
            .into_iter()
            .filter_map(|name| Some((name, *self.infixes.get(&name)?)))
            .collect();
        self.undo(outer);
        for (name, fixity) in kept {
            self.set(name, fixity);
        }
    }

    /// Returns the current point in the order of directives.
    #[must_use]
    pub fn moment(&self) -> Moment {
        Moment(self.mark())
    }

    /// Returns the directives after a point that are still in force.
    #[must_use]
    pub fn since(&self, from: Moment) -> Directives {
        let names = self.trail[from.0.0..].iter().map(|entry| entry.0);
        Directives(
            names
                .filter_map(|name| Some((name, *self.infixes.get(&name)?)))
                .collect(),
        )
    }

    /// Obeys directives again, so their infix names are in scope.
    pub fn obey(&mut self, directives: &Directives) {
        for &(name, fixity) in &directives.0 {
            self.set(name, fixity);
        }
    }

    /// Ends the scope of all directives after a point.
    pub fn end(&mut self, from: Moment) {
        self.undo(from.0);
    }

    /// Ends the scope of the directives between two points.
    pub fn hide(&mut self, from: Moment, to: Moment) {
        self.undo_between(from.0, to.0);
    }
}
