//! The source of a mapped sequence. The mapping function has a scratch value, and the items keep their indices.

use super::make::Make;
use super::{MapInit, by_source};
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::{Indexed, Par};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

impl<P, I, F, W, U> Indexed for MapInit<P, I, F>
where
    P: Indexed,
    I: Make<With = W>,
    F: Fn(&mut W, P::Item) -> U + Send + Sync,
    W: Send,
    U: Send,
    Self: Par<Item = U>,
{
    type Source<'a>
        = MapInitSource<'a, P::Source<'a>, W, I, F>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        MapInitSource {
            source: self.base.source(),
            slot: Slot(None),
            init: &self.init,
            map: &self.map,
        }
    }
}

/// The place that keeps the scratch value of a part between two chunks. The field is `None` until a worker takes a chunk that leaves items
/// in the part.
///
/// In a reversed sequence, a worker may keep a chunk while the remaining items go to another worker. So a chunk removes the scratch
/// value from its place while it uses the value. A chunk that finds no value makes a new value.
#[derive(Debug)]
struct Slot<W>(Option<Arc<Mutex<Option<W>>>>);

impl<W> Slot<W> {
    /// Returns a slot for a chunk that the caller takes from its source. `more` is true if the source has items left.
    #[inline]
    fn share(&mut self, more: bool) -> Self {
        if !more {
            return Slot(self.0.take());
        }
        Slot(Some(Arc::clone(self.0.get_or_insert_default())))
    }

    /// Takes the scratch value from the slot, or makes a new value if the slot has none.
    #[inline]
    fn take(self, make: impl FnOnce() -> W) -> Held<W> {
        let found = self.0.as_ref().and_then(|slot| {
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            slot.take()
        });
        Held {
            with: Some(found.unwrap_or_else(make)),
            slot: self,
        }
    }
}

/// A scratch value that returns to its slot when it is dropped.
#[derive(Debug)]
struct Held<W> {
    with: Option<W>,
    slot: Slot<W>,
}

impl<W> Drop for Held<W> {
    fn drop(&mut self) {
        let Some(slot) = &self.slot.0 else {
            return;
        };
        // A value that a panic has left in the middle of a change is not used again.
        if !thread::panicking() {
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            if slot.is_none() {
                *slot = self.with.take();
            }
        }
    }
}

/// The remaining items of a mapped sequence.
#[derive(Debug)]
pub struct MapInitSource<'a, S, W, I, F> {
    source: S,
    slot: Slot<W>,
    init: &'a I,
    map: &'a F,
}

impl<'a, S: Source, W, I, F> MapInitSource<'a, S, W, I, F> {
    /// Makes a chunk of mapped items from a chunk of the base sequence.
    #[inline]
    fn placed(&mut self, chunk: S::Chunk) -> MapInitPlaced<'a, S::Chunk, W, I, F> {
        MapInitPlaced {
            chunk,
            slot: self.slot.share(self.source.len() > 0),
            init: self.init,
            map: self.map,
        }
    }
}

impl<'a, S, W, I, F, U> Source for MapInitSource<'a, S, W, I, F>
where
    S: Source,
    I: Make<With = W>,
    F: Fn(&mut W, S::Item) -> U + Sync,
    W: Send,
{
    type Item = U;
    type Chunk = MapInitPlaced<'a, S::Chunk, W, I, F>;

    by_source!(source);

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        let chunk = self.source.take_front(count);
        self.placed(chunk)
    }

    #[inline]
    fn take_back(&mut self, count: usize) -> Self::Chunk {
        let chunk = self.source.take_back(count);
        self.placed(chunk)
    }

    fn split_off(&mut self, at: usize) -> Self {
        MapInitSource {
            source: self.source.split_off(at),
            slot: Slot(None),
            ..*self
        }
    }
}

/// A chunk of mapped items.
#[derive(Debug)]
pub struct MapInitPlaced<'a, C, W, I, F> {
    chunk: C,
    slot: Slot<W>,
    init: &'a I,
    map: &'a F,
}

impl<'a, C, W, I, F> MapInitPlaced<'a, C, W, I, F>
where
    C: Chunk,
    I: Make<With = W>,
{
    /// Iterates over the chunk with `iterate`. If the chunk is empty, makes no scratch value.
    #[inline]
    fn run<T>(self, iterate: impl FnOnce(C) -> T) -> MapInitPlacedIter<'a, T, W, F> {
        let held = (self.chunk.len() > 0).then(|| self.slot.take(|| self.init.make()));
        MapInitPlacedIter {
            items: iterate(self.chunk),
            held,
            map: self.map,
        }
    }
}

impl<'a, C, W, I, F, U> Chunk for MapInitPlaced<'a, C, W, I, F>
where
    C: Chunk,
    I: Make<With = W>,
    F: Fn(&mut W, C::Item) -> U,
{
    type Item = U;
    type Iter = MapInitPlacedIter<'a, C::Iter, W, F>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let chunk = self.chunk.cut(count);
        MapInitPlaced {
            chunk,
            slot: self.slot.share(self.chunk.len() > 0),
            ..*self
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        self.run(C::into_iter)
    }
}

impl<'a, C, W, I, F, U> Reversible for MapInitPlaced<'a, C, W, I, F>
where
    C: Reversible,
    I: Make<With = W>,
    F: Fn(&mut W, C::Item) -> U,
{
    type Back = MapInitPlacedIter<'a, C::Back, W, F>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.run(C::into_back)
    }
}

/// An iterator over the mapped items of a chunk.
#[derive(Debug)]
pub struct MapInitPlacedIter<'a, T, W, F> {
    items: T,
    /// The scratch value. The field is `None` if the chunk has no items.
    held: Option<Held<W>>,
    map: &'a F,
}

/// Returns a reference to the scratch value, which must exist.
#[inline]
fn with<W>(held: &mut Option<Held<W>>) -> &mut W {
    let held = held.as_mut().and_then(|held| held.with.as_mut());
    held.expect("it is there if there are items")
}

impl<T, W, F, U> Iterator for MapInitPlacedIter<'_, T, W, F>
where
    T: Iterator,
    F: Fn(&mut W, T::Item) -> U,
{
    type Item = U;

    #[inline]
    fn next(&mut self) -> Option<U> {
        let item = self.items.next()?;
        Some((self.map)(with(&mut self.held), item))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }

    #[inline]
    fn fold<A, G: FnMut(A, U) -> A>(self, init: A, mut fold: G) -> A {
        let MapInitPlacedIter {
            items,
            mut held,
            map,
        } = self;
        if held.is_none() {
            return init;
        }
        let with = with(&mut held);
        let all = items.fold(init, |all, item| fold(all, map(with, item)));
        // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
        drop(held);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Slot;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_scratch_value_left_by_a_panic_is_not_reused() {
        let mut part = Slot(None);
        let mut first = part.share(true).take(|| 1);
        first.with = Some(2);
        drop(first);
        let broken = part.share(true).take(|| 3);
        assert_eq!(broken.with, Some(2));
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let _broken = broken;
            std::panic::resume_unwind(Box::new("planted"));
        }));
        assert!(outcome.is_err());
        assert_eq!(part.share(false).take(|| 4).with, Some(4));
    }

    #[test]
    fn two_at_a_time_have_one_each() {
        let mut part = Slot(None);
        let (first, second) = (part.share(true).take(|| 1), part.share(true).take(|| 2));
        assert_eq!((&first.with, &second.with), (&Some(1), &Some(2)));
        drop(first);
        drop(second);
        assert_eq!(part.share(true).take(|| 3).with, Some(1));
    }
}
