//! The limit of an operation. The limit ends the operation early after a match or a panic.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The range of positions whose results an operation still needs. No part begins the work on a position outside of the range. Each
/// operation has one limit, which all its parts check between chunks.
///
/// All accesses are relaxed, because the limit only saves work. The match or the panic itself reaches the caller through the joins.
#[derive(Debug)]
pub(crate) struct Limit<'a> {
    /// End of the range. Results at this and later positions are not used, even if their parts have finished.
    end: AtomicUsize,
    /// Start of the range. Parts need not begin items before this position, but the results of items that have begun still count.
    begin: AtomicUsize,
    outer: Option<Scope<'a>>,
}

impl<'a> Limit<'a> {
    /// Creates a limit that excludes no position. The operation runs in the chunk `outer` of another operation.
    pub(crate) fn new(outer: Option<Scope<'a>>) -> Self {
        Limit {
            end: AtomicUsize::new(usize::MAX),
            begin: AtomicUsize::new(0),
            outer,
        }
    }

    /// Returns true if a part that has reached `at` may end. If `at` is before the range, all remaining positions of the part are
    /// before the range, too. The reason is that a part that raises the start of the range is to the right of all parts that it
    /// stops.
    #[inline]
    pub(crate) fn is_reached(&self, at: usize) -> bool {
        self.end.load(Ordering::Relaxed) <= at
            || at < self.begin.load(Ordering::Relaxed)
            || self
                .outer
                .is_some_and(|outer| outer.limit.is_reached(outer.at))
    }

    /// Returns true if no result at position `at` or later is used. Such results need not even be combined.
    pub(crate) fn is_past(&self, at: usize) -> bool {
        self.end.load(Ordering::Relaxed) <= at
            || self
                .outer
                .is_some_and(|outer| outer.limit.is_past(outer.at))
    }

    /// Returns true if all positions are still used, so that no part has been omitted.
    pub(crate) fn wants_all(&self) -> bool {
        self.end.load(Ordering::Relaxed) == usize::MAX
            && self.begin.load(Ordering::Relaxed) == 0
            && self.outer.is_none_or(|outer| outer.limit.wants_all())
    }

    fn lower(&self, end: usize) {
        self.end.fetch_min(end, Ordering::Relaxed);
    }
}

/// Position of a chunk in an operation, with the limit of the operation.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    limit: &'a Limit<'a>,
    at: usize,
    /// Whether a match in this chunk is provisional: it only counts if no unprocessed item to its left ends the sequence earlier.
    is_provisional: bool,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(limit: &'a Limit<'a>, at: usize) -> Self {
        Scope {
            limit,
            at,
            is_provisional: false,
        }
    }

    /// Returns the same position for a sequence that may turn out to end further left. With this scope, a match in the chunk stops
    /// only items to its right in the same operation. If the match does not count, the operation has already ended further left.
    /// When the enclosing operation [absorbs](super::job::Job::absorb) the result of this operation, it learns of the match. The
    /// enclosing operation then knows whether the result [is final](super::job::Job::is_final).
    pub(crate) fn provisional(self) -> Self {
        Scope {
            is_provisional: true,
            ..self
        }
    }

    /// Returns true if this chunk may stop.
    pub(crate) fn is_over(self) -> bool {
        self.limit.is_reached(self.at)
    }

    /// Returns the scope of the position that is `by` further right. The position is in the chunk or just behind it.
    pub(crate) fn ahead(self, by: usize) -> Self {
        Scope {
            at: self.at + by,
            ..self
        }
    }

    /// Returns the enclosing scope, if a match in this chunk already counts for the enclosing operation.
    fn outer(self) -> Option<Scope<'a>> {
        self.limit.outer.filter(|_| !self.is_provisional)
    }

    /// Stops all items to the right of this chunk, both in this operation and in the enclosing operations.
    pub(crate) fn stop_after(self) {
        self.limit.lower(self.at + 1);
        if let Some(outer) = self.outer() {
            outer.stop_after();
        }
    }

    /// Works like [`stop_after`](Self::stop_after), but stops neither the enclosing operation that has the chunk `outer` nor the
    /// operations around that operation.
    pub(crate) fn stop_after_within(self, outer: Option<Scope<'_>>) {
        self.limit.lower(self.at + 1);
        let is_outer =
            |next: &Scope<'_>| outer.is_some_and(|outer| ptr::eq(next.limit, outer.limit));
        if let Some(next) = self.outer().filter(|next| !is_outer(next)) {
            next.stop_after_within(outer);
        }
    }

    /// Stops the items that are to the left of this chunk and have not begun, both in this operation and in the enclosing operations.
    pub(crate) fn stop_before(self) {
        if self.is_provisional {
            return;
        }
        self.limit.begin.fetch_max(self.at, Ordering::Relaxed);
        if let Some(outer) = self.outer() {
            outer.stop_before();
        }
    }

    /// Cancels all parts that have not begun.
    pub(crate) fn stop_all(self) {
        if self.is_provisional {
            return self.stop_after();
        }
        self.limit.begin.store(usize::MAX, Ordering::Relaxed);
        if let Some(outer) = self.outer() {
            outer.stop_all();
        }
    }
}

/// A guard whose drop lowers the limit. The guard is only dropped if its chunk panics. A panic further left would win, so parts to
/// the left of the chunk continue.
#[derive(Debug)]
pub(crate) struct OnPanic<'a>(pub(crate) Scope<'a>);

impl Drop for OnPanic<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.stop_after();
    }
}

#[cfg(test)]
mod tests {
    use super::{Limit, Scope};

    #[test]
    fn positions_left_of_a_stop_go_on() {
        let limit = Limit::new(None);
        assert!(!limit.is_reached(7));
        Scope::new(&limit, 7).stop_after();
        assert!(!limit.is_reached(7) && limit.is_reached(8));
        Scope::new(&limit, 9).stop_after();
        assert!(!limit.is_reached(7) && limit.is_reached(8));
    }

    #[test]
    fn a_nested_stop_also_stops_the_loops_around_it() {
        let outer = Limit::new(None);
        let inner = Limit::new(Some(Scope::new(&outer, 3)));
        assert!(inner.wants_all());
        Scope::new(&outer, 3).stop_after();
        assert!(!inner.is_reached(0) && !inner.wants_all());
        Scope::new(&outer, 2).stop_after();
        assert!(inner.is_reached(0));

        let outer = Limit::new(None);
        let inner = Limit::new(Some(Scope::new(&outer, 3)));
        Scope::new(&inner, 5).stop_after();
        assert!(inner.is_reached(6) && !inner.is_reached(5));
        assert!(outer.is_reached(4) && !outer.is_reached(3));

        let outer = Limit::new(None);
        let inner = Limit::new(Some(Scope::new(&outer, 3)));
        Scope::new(&inner, 5).stop_all();
        assert!(inner.is_reached(0) && outer.is_reached(0));
        assert!(!inner.is_past(5) && !outer.is_past(3));
    }

    #[test]
    fn a_stop_within_a_scope_leaves_the_outer_loop_running() {
        let outer = Limit::new(None);
        let around = Scope::new(&outer, 3);
        let middle = Limit::new(Some(around));
        let inner = Limit::new(Some(Scope::new(&middle, 4)));
        Scope::new(&inner, 5).stop_after_within(Some(around));
        assert!(inner.is_reached(6) && !inner.is_reached(5));
        assert!(middle.is_reached(5) && !middle.is_reached(4));
        assert!(!outer.is_reached(4));
        Scope::new(&inner, 5).stop_after_within(None);
        assert!(outer.is_reached(4) && !outer.is_reached(3));
    }

    #[test]
    fn positions_left_of_stop_before_need_not_begin() {
        let outer = Limit::new(None);
        let inner = Limit::new(Some(Scope::new(&outer, 3)));
        Scope::new(&inner, 5).stop_before();
        assert!(inner.is_reached(4) && !inner.is_reached(5) && !inner.is_past(4));
        assert!(outer.is_reached(2) && !outer.is_reached(3) && !outer.is_past(2));
        Scope::new(&outer, 2).stop_after();
        assert!(inner.is_past(0) && outer.is_past(3) && !outer.is_past(2));
    }

    #[test]
    fn a_provisional_stop_stops_the_outer_loop_only_on_its_right() {
        let outer = Limit::new(None);
        let inner = Limit::new(Some(Scope::new(&outer, 3).provisional()));
        let scope = Scope::new(&inner, 5);
        scope.stop_before();
        assert!(inner.is_reached(4) && !outer.is_reached(0) && !outer.is_reached(9));
        scope.stop_all();
        assert!(inner.is_reached(5) && outer.is_reached(4) && !outer.is_reached(3));
        let alone = Limit::new(Some(Scope::new(&outer, 2)));
        Scope::new(&alone, 7).provisional().stop_all();
        assert!(alone.is_reached(8) && !alone.is_reached(7) && !outer.is_reached(3));
    }
}
