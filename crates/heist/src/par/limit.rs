//! The limit of an operation. The limit ends the operation early after a match or a panic.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The range of positions whose results an operation still needs. No part begins a position outside of this range. Each operation has one
/// limit, which all its parts check between chunks.
///
/// All accesses are relaxed, because the limit only saves work. The joins of the operation pass the match or the panic itself to the
/// caller.
#[derive(Debug)]
pub(crate) struct Limit<'a> {
    /// End of the range. The operation does not use results at this and later positions, even if their parts have finished.
    end: AtomicUsize,
    /// Start of the range. Parts need not begin items before this position. But if a part has begun such an item, the operation uses the
    /// item's result.
    begin: AtomicUsize,
    outer: Option<Scope<'a>>,
}

impl<'a> Limit<'a> {
    /// Creates a limit that excludes no position. If the operation is nested, it runs within a chunk of an outer operation, and `outer` is
    /// the scope of this chunk.
    pub(crate) fn new(outer: Option<Scope<'a>>) -> Self {
        Limit {
            end: AtomicUsize::new(usize::MAX),
            begin: AtomicUsize::new(0),
            outer,
        }
    }

    /// Returns true if a part that has reached position `at` may end, because `at` is behind or before the range. If `at` is before the
    /// range, all remaining positions of the part are before the range, too: a part that has raised the start of the range is to the right
    /// of all parts that stop for this reason.
    #[inline]
    pub(crate) fn is_reached(&self, at: usize) -> bool {
        self.end.load(Ordering::Relaxed) <= at
            || at < self.begin.load(Ordering::Relaxed)
            || self
                .outer
                .is_some_and(|outer| outer.limit.is_reached(outer.at))
    }

    /// Returns true if the operation uses no result at position `at` or later. Such results need not be combined.
    pub(crate) fn is_past(&self, at: usize) -> bool {
        self.end.load(Ordering::Relaxed) <= at
            || self
                .outer
                .is_some_and(|outer| outer.limit.is_past(outer.at))
    }

    /// Returns true if the operation still uses all positions. In this case, no part has been left out.
    pub(crate) fn wants_all(&self) -> bool {
        self.end.load(Ordering::Relaxed) == usize::MAX
            && self.begin.load(Ordering::Relaxed) == 0
            && self.outer.is_none_or(|outer| outer.limit.wants_all())
    }

    fn lower(&self, end: usize) {
        self.end.fetch_min(end, Ordering::Relaxed);
    }
}

/// The position of a chunk in an operation, with the limit of the operation.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    limit: &'a Limit<'a>,
    at: usize,
    /// Whether a match in this chunk is provisional: the match counts only if no unprocessed item to its left ends the sequence earlier.
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

    /// Returns a scope of the same chunk in which a match is provisional, because the sequence may end to the left of the match. With this
    /// scope, a match in the chunk stops only items to its right in the same operation. If the match does not count, the sequence has ended
    /// to the left of the match, so the stopped items do not count either. The enclosing operation sees the match when it
    /// [absorbs](super::job::Job::absorb) the result of this operation. Then the enclosing operation knows whether the result [is
    /// final](super::job::Job::is_final).
    pub(crate) fn provisional(self) -> Self {
        Scope {
            is_provisional: true,
            ..self
        }
    }

    /// Returns true if the operation does not need the results of this chunk.
    pub(crate) fn is_over(self) -> bool {
        self.limit.is_reached(self.at)
    }

    /// Returns the scope of the position that is `by` places further right. This position is in the chunk or just behind the chunk.
    pub(crate) fn ahead(self, by: usize) -> Self {
        Scope {
            at: self.at + by,
            ..self
        }
    }

    /// Returns the scope in the enclosing operation, unless a match in this chunk is provisional.
    fn outer(self) -> Option<Scope<'a>> {
        self.limit.outer.filter(|_| !self.is_provisional)
    }

    /// Stops all items to the right of this chunk, both in this operation and in the enclosing operations. But if a match in this chunk is
    /// provisional, does not stop the enclosing operations.
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

    /// Stops the items that are to the left of this chunk and have not begun, both in this operation and in the enclosing operations. Does
    /// nothing if a match in this chunk is provisional.
    pub(crate) fn stop_before(self) {
        if self.is_provisional {
            return;
        }
        self.limit.begin.fetch_max(self.at, Ordering::Relaxed);
        if let Some(outer) = self.outer() {
            outer.stop_before();
        }
    }

    /// Cancels all parts that have not begun, both in this operation and in the enclosing operations. But if a match in this chunk is
    /// provisional, only stops the items to the right of this chunk, in this operation.
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

/// A guard whose drop stops all items to the right of its chunk. The guard is only dropped if the chunk panics. Parts to the left of the
/// chunk continue, because a panic further left takes precedence.
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
