//! Sequences of the producers of other crates.

use super::sequence_of_source;
use crate::par::source::{Chunk, Reversible, Solid};
use crate::par::{Indexed, Producer};
use std::iter::Rev;
use std::mem::replace;

/// The sequence that [`from_producer`](crate::par::from_producer) returns: the items of a [`Producer`].
#[derive(Clone, Debug)]
pub struct ParProducer<P> {
    /// This field is `None` after the sequence has run.
    producer: Option<P>,
}

impl<P> ParProducer<P> {
    #[inline]
    pub(crate) fn new(producer: P) -> Self {
        ParProducer {
            producer: Some(producer),
        }
    }
}

/// The remaining items of a producer. The source calls the producer's `len` once, when the source is made, and keeps this length.
#[derive(Debug)]
pub struct ProducerSource<P> {
    /// The producer. This field is `None` while the producer's code runs, and after this code has panicked.
    producer: Option<P>,
    len: usize,
}

impl<P: Producer> ProducerSource<P> {
    #[inline]
    fn of(producer: Option<P>) -> Self {
        ProducerSource {
            len: producer.as_ref().map_or(0, Producer::len),
            producer,
        }
    }
}

#[cold]
fn cut_elsewhere(at: usize, len: usize, left: usize, right: usize) -> ! {
    panic!(
        "heist: a producer of {len} items that was to be split at {at} gave {left} and {right} items"
    );
}

#[cold]
fn of_another_length(what: &str, len: usize) -> ! {
    panic!("heist: a producer yields {what} than the {len} items that it has by its length");
}

impl<P: Producer> Solid for ProducerSource<P> {}

impl<P: Producer> Chunk for ProducerSource<P> {
    type Item = P::Item;
    type Iter = Exactly<P::IntoIter>;

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        if count == 0 {
            return ProducerSource::of(None);
        }
        // The source is empty until the cut has succeeded, because another thread may access it after the producer panics.
        let all = replace(self, ProducerSource::of(None));
        if count == all.len {
            return all;
        }
        let Some(producer) = all.producer else {
            unreachable!("it is there while anything is left");
        };
        let (left, right) = producer.split_at(count);
        let left = ProducerSource::of(Some(left));
        let right = ProducerSource::of(Some(right));
        if left.len != count || right.len != all.len - count {
            cut_elsewhere(count, all.len, left.len, right.len);
        }
        *self = right;
        left
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        Exactly {
            items: self.producer.map(Producer::into_iter),
            left: self.len,
            len: self.len,
        }
    }
}

impl<P: Producer> Reversible for ProducerSource<P> {
    type Back = Exactly<Rev<P::IntoIter>>;

    #[inline]
    fn into_back(self) -> Self::Back {
        Exactly {
            items: self
                .producer
                .map(|producer| Producer::into_iter(producer).rev()),
            left: self.len,
            len: self.len,
        }
    }
}

sequence_of_source!([P: Producer] ParProducer<P>, P::Item);

impl<P: Producer> Indexed for ParProducer<P> {
    type Source<'a>
        = ProducerSource<P>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.producer.as_ref().map_or(0, Producer::len)
    }

    #[inline]
    fn source(&mut self) -> ProducerSource<P> {
        ProducerSource::of(self.producer.take())
    }
}

/// An iterator of exactly the expected number of items. A fixed number is necessary, because jobs may write the items to a fixed number of
/// places. Panics if the wrapped iterator has fewer items, and ignores further items.
#[derive(Debug)]
pub struct Exactly<I> {
    /// The iterator. This field is `None` if no items are expected.
    items: Option<I>,
    left: usize,
    len: usize,
}

impl<I: Iterator> Iterator for Exactly<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.left = self.left.checked_sub(1)?;
        let item = self.items.as_mut().and_then(Iterator::next);
        if item.is_none() {
            of_another_length("fewer", self.len);
        }
        item
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    #[inline]
    fn fold<B, F>(self, first: B, mut f: F) -> B
    where
        F: FnMut(B, I::Item) -> B,
    {
        let Exactly {
            items,
            mut left,
            len,
        } = self;
        let mut all = first;
        if let Some(items) = items {
            all = items.fold(all, |all, item| {
                if left == 0 {
                    of_another_length("more", len);
                }
                left -= 1;
                f(all, item)
            });
        }
        if left > 0 {
            of_another_length("fewer", len);
        }
        all
    }
}
