//! Ranges of bindings that lists of files hide.

use rustc_hash::FxHashSet;

use super::{Binding, Scopes, Space, Trail};
use crate::symbol::Symbol;

/// The visible bindings: all bindings up to number `limit`, and all bindings after number `base`. The bindings between the two numbers are
/// hidden. While the body of a functor is elaborated, the bindings that the program has made since the functor's declaration are hidden.
#[derive(Clone, Copy, Debug)]
pub(in crate::elab) struct View {
    pub(super) limit: u32,
    pub(super) base: u32,
}

impl View {
    pub(super) const ALL: View = View {
        limit: u32::MAX,
        base: u32::MAX,
    };

    pub(super) fn sees(self, stamp: u32) -> bool {
        stamp <= self.limit || stamp > self.base
    }
}

/// A range of hidden bindings: all bindings after number `from` up to number `to`. Code does not see these bindings if the `limit` of its
/// view is from `at` to `until`. `at` is the number of the moment at which the range was hidden, and `until` is the number of the moment at
/// which the range became visible again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    from: u32,
    to: u32,
    at: u32,
    until: u32,
}

impl Range {
    pub(super) fn hides(self, stamp: u32, view: View) -> bool {
        (self.from < stamp && stamp <= self.to)
            && (self.at <= view.limit && view.limit <= self.until)
    }
}

/// The index of a range that is hidden while a list of files is elaborated.
#[derive(Clone, Copy, Debug)]
pub(in crate::elab) struct Hidden(usize);

/// A point in the elaboration: the number of the last binding, and the length of the trail.
#[derive(Clone, Copy, Debug)]
pub(in crate::elab) struct Moment {
    stamp: u32,
    trail: usize,
}

impl Scopes {
    /// Returns the current point in the elaboration.
    pub(in crate::elab) fn moment(&self) -> Moment {
        Moment {
            stamp: self.stamp,
            trail: self.trail.len(),
        }
    }

    /// Returns the newest visible binding of each name that has been bound after `since`.
    pub(in crate::elab) fn bound_since(&self, since: Moment) -> Vec<Binding> {
        fn newest<E: Clone>(
            space: &Space<E>,
            name: Symbol,
            scopes: &Scopes,
            since: u32,
        ) -> Option<E> {
            let found = space.find(name, scopes.view, &scopes.hidden);
            found
                .filter(|entry| entry.0 > since)
                .map(|entry| entry.1.clone())
        }
        let mut seen = FxHashSet::default();
        let mut bindings = Vec::new();
        for trail in &self.trail[since.trail..] {
            let (kind, name) = match *trail {
                Trail::Val(name) => (0, name),
                Trail::Ty(name) => (1, name),
                Trail::Str(name) => (2, name),
                Trail::Sig(name) => (3, name),
                Trail::Fct(name) => (4, name),
            };
            if !seen.insert((kind, name)) {
                continue;
            }
            let at = since.stamp;
            bindings.extend(match kind {
                0 => newest(&self.vals, name, self, at).map(|it| Binding::Val(name, it)),
                1 => newest(&self.tys, name, self, at).map(|it| Binding::Ty(name, it)),
                2 => newest(&self.strs, name, self, at).map(|it| Binding::Str(name, it)),
                3 => newest(&self.sigs, name, self, at).map(|it| Binding::Sig(name, it)),
                _ => newest(&self.fcts, name, self, at).map(|it| Binding::Fct(name, it)),
            });
        }
        bindings
    }

    /// Hides the bindings between two points from code that is elaborated later. Functors that are already declared still see these
    /// bindings.
    pub(in crate::elab) fn hide_range(&mut self, from: Moment, to: Moment) {
        self.hide_stamps(from.stamp, to.stamp);
    }

    fn hide_stamps(&mut self, from: u32, to: u32) {
        self.stamp += 1;
        self.hidden.push(Range {
            from,
            to,
            at: self.stamp,
            until: u32::MAX,
        });
    }

    /// Hides all bindings except bindings of the Basis, until [`Scopes::leave_list`]. Functors that are declared between the two calls
    /// never see the hidden bindings.
    pub(in crate::elab) fn enter_list(&mut self) -> Hidden {
        // The range extends to its own stamp, which no binding has.
        self.hide_stamps(self.builtin, self.stamp + 1);
        Hidden(self.hidden.len() - 1)
    }

    pub(in crate::elab) fn leave_list(&mut self, list: Hidden) {
        self.hidden[list.0].until = self.stamp;
        self.stamp += 1;
    }
}
