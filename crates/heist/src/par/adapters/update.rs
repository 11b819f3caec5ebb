//! An iterator adapter that changes items as they pass. The standard library has no such adapter.

/// The `update` adapter for iterators, which applies a function to each item in place.
pub(super) trait ToUpdate: Iterator + Sized {
    #[inline]
    fn update<F: Fn(&mut Self::Item)>(self, update: F) -> Updated<Self, F> {
        Updated {
            items: self,
            update,
        }
    }
}

impl<I: Iterator> ToUpdate for I {}

/// An iterator that changes each item and yields it.
#[derive(Debug)]
pub struct Updated<I, F> {
    items: I,
    update: F,
}

impl<I: Iterator, F: Fn(&mut I::Item)> Iterator for Updated<I, F> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        let mut item = self.items.next()?;
        (self.update)(&mut item);
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }

    #[inline]
    fn fold<A, G: FnMut(A, I::Item) -> A>(self, init: A, mut fold: G) -> A {
        let update = self.update;
        self.items.fold(init, |all, mut item| {
            update(&mut item);
            fold(all, item)
        })
    }
}
