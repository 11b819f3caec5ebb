//! An adapter that yields items at equal distances.

use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::sources::sequence_of_source;
use std::iter;
use std::mem::replace;

/// The sequence that [`Indexed::step_by`] returns.
#[derive(Clone, Debug)]
pub struct StepBy<P> {
    base: P,
    step: usize,
}

impl<P> StepBy<P> {
    pub(crate) fn new(base: P, step: usize) -> Self {
        assert!(step > 0, "heist: steps must not be 0");
        StepBy { base, step }
    }
}

sequence_of_source!([P: Indexed] StepBy<P>, P::Item, P::Policy, |this| this.base.policy());

impl<P: Indexed> Indexed for StepBy<P> {
    type Source<'a>
        = Stepped<P::Source<'a>>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.step)
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        Stepped {
            items: self.base.source(),
            step: self.step,
        }
    }
}

/// The remaining items of the base sequence. The adapter yields every `step`th of these items, beginning with the first. Up to `step - 1`
/// skipped items may follow the last item that the adapter yields.
#[derive(Debug)]
pub struct Stepped<S> {
    items: S,
    step: usize,
}

impl<S: Source<Chunk: Reversible>> Stepped<S> {
    /// Returns the number of items of the base that the next `count` positions cover, with the skipped items.
    #[inline]
    fn items_of(&self, count: usize) -> usize {
        count.saturating_mul(self.step).min(self.items.len())
    }
}

impl<S: Source<Chunk: Reversible>> Source for Stepped<S> {
    type Item = S::Item;
    type Chunk = SteppedChunk<S>;

    #[inline]
    fn len(&self) -> usize {
        self.items.len().div_ceil(self.step)
    }

    #[inline]
    fn reach(&self, at_most: usize) -> usize {
        let items = self.items.reach(self.items_of(at_most));
        items.div_ceil(self.step)
    }

    fn reach_back(&self, at_most: usize) -> usize {
        let Some(over) = self.items.len().checked_sub(1).map(|last| last % self.step) else {
            return 0;
        };
        if at_most == 0 {
            return 0;
        }
        let wanted = (at_most - 1).saturating_mul(self.step);
        let items = self.items.reach_back(wanted.saturating_add(1 + over));
        // The items behind the last used item may reach into another contiguous piece. Then the base does not say how many items
        // before that piece are contiguous.
        items.saturating_sub(over).div_ceil(self.step).max(1)
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        let items = self.items_of(count);
        // The caller has called `reach` or `reach_back`, so it knows that the used items are contiguous. The base's own `reach` may report
        // fewer contiguous items at the front.
        let wanted = count.saturating_sub(1).saturating_mul(self.step);
        let wanted = wanted.saturating_add(1).min(items);
        let together = self.items.reach(items).max(wanted);
        let chunk = self.items.take_front(together);
        // The unused items behind the last used item go with the chunk. If they were dropped in this function, the drop might delay
        // a waiting thread.
        let over = (together < items).then(|| {
            let rest = self.items.split_off(items - together);
            replace(&mut self.items, rest)
        });
        SteppedChunk {
            items: chunk,
            over,
            step: self.step,
        }
    }

    #[inline]
    fn split_off(&mut self, at: usize) -> Self {
        let items = self.items_of(at);
        Stepped {
            items: self.items.split_off(items),
            step: self.step,
        }
    }

    fn split_point(&self) -> Option<usize> {
        let at = self.items.split_point()?.div_ceil(self.step);
        (at < self.len()).then_some(at)
    }
}

/// A chunk of items of the base sequence. The adapter yields every `step`th of these items.
#[derive(Debug)]
pub struct SteppedChunk<S: Source> {
    items: S::Chunk,
    /// The skipped items behind the last item of `items`. The field is `None` if `items` already contains them.
    over: Option<S>,
    step: usize,
}

impl<S: Source<Chunk: Reversible>> Chunk for SteppedChunk<S> {
    type Item = S::Item;
    type Iter = iter::StepBy<<S::Chunk as Chunk>::Iter>;

    #[inline]
    fn len(&self) -> usize {
        self.items.len().div_ceil(self.step)
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let items = count.saturating_mul(self.step).min(self.items.len());
        SteppedChunk {
            items: self.items.cut(items),
            over: None,
            step: self.step,
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        drop(self.over);
        self.items.into_iter().step_by(self.step)
    }
}

impl<S: Source<Chunk: Reversible>> Reversible for SteppedChunk<S> {
    type Back = iter::StepBy<iter::Skip<<S::Chunk as Reversible>::Back>>;

    #[inline]
    fn into_back(self) -> Self::Back {
        drop(self.over);
        let over = self.items.len().saturating_sub(1) % self.step;
        self.items.into_back().skip(over).step_by(self.step)
    }
}
