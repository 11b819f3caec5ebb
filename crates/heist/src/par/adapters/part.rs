//! Adapters that yield a part of a sequence.

use crate::par::Indexed;
use crate::par::source::Source;
use crate::par::sources::sequence_of_source;

/// The sequence that [`Indexed::skip`] returns.
#[derive(Clone, Debug)]
pub struct Skip<P> {
    base: P,
    count: usize,
}

impl<P: Indexed> Skip<P> {
    pub(crate) fn new(base: P, count: usize) -> Self {
        let count = count.min(base.len());
        Skip { base, count }
    }
}

sequence_of_source!([P: Indexed] Skip<P>, P::Item, P::Policy, |this| this.base.policy());

impl<P: Indexed> Indexed for Skip<P> {
    type Source<'a>
        = P::Source<'a>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.base.len().saturating_sub(self.count)
    }

    fn source(&mut self) -> Self::Source<'_> {
        let mut source = self.base.source();
        let rest = source.split_off(self.count);
        // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
        drop(source);
        rest
    }
}

/// The sequence that [`Indexed::take`] returns.
#[derive(Clone, Debug)]
pub struct Take<P> {
    base: P,
    count: usize,
}

impl<P: Indexed> Take<P> {
    pub(crate) fn new(base: P, count: usize) -> Self {
        let count = count.min(base.len());
        Take { base, count }
    }
}

sequence_of_source!([P: Indexed] Take<P>, P::Item, P::Policy, |this| this.base.policy());

impl<P: Indexed> Indexed for Take<P> {
    type Source<'a>
        = P::Source<'a>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.count
    }

    fn source(&mut self) -> Self::Source<'_> {
        let mut source = self.base.source();
        drop(source.split_off(self.count));
        source
    }
}
