//! Leaves: views of shared arrays.

use std::sync::Arc;

/// A function that clones the items of a slice to the end of a vector. An operation without such a function merges only leaves with arrays
/// that no other rope shares.
pub(super) type Copier<T> = fn(&mut Vec<T>, &[T]);

/// A view of a part of an array. The part has at least one item. Cutting a leaf copies no items, because both parts share the array.
pub(super) struct Leaf<T> {
    array: Arc<Vec<T>>,
    // The indices have half the size of a `usize`, which keeps nodes small, although leaves are stored inside of nodes.
    start: u32,
    end: u32,
}

/// The items of a leaf of a consumed rope.
pub(super) enum Shown<'l, T> {
    /// The first field is an array that no other rope has. The second field is the number of items at the array's end that belong
    /// to the leaf.
    Owned(&'l mut Vec<T>, usize),
    Shared(&'l [T]),
}

impl<T> Clone for Leaf<T> {
    fn clone(&self) -> Self {
        Leaf {
            array: Arc::clone(&self.array),
            ..*self
        }
    }
}

impl<T> Leaf<T> {
    /// Returns a leaf that shows a whole array. The array must have at least one and at most [`MAX_LEAF`](super::MAX_LEAF) items.
    pub(super) fn new(items: Vec<T>) -> Self {
        debug_assert!(!items.is_empty());
        let end = u32::try_from(items.len()).expect("leaves are not longer than MAX_LEAF");
        Leaf {
            array: Arc::new(items),
            start: 0,
            end,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    #[inline]
    pub(super) fn items(&self) -> &[T] {
        &self.array[self.start as usize..self.end as usize]
    }

    /// Returns the items of an array that no other rope has.
    ///
    /// # Panics
    /// Panics if another rope has the array.
    pub(super) fn items_mut(&mut self) -> &mut [T] {
        let array = Arc::get_mut(&mut self.array).expect("nobody else holds it");
        &mut array[self.start as usize..self.end as usize]
    }

    /// Returns the first `at` items and the rest as two leaves. Neither part may be empty.
    pub(super) fn split_at(&self, at: usize) -> (Self, Self) {
        debug_assert!(0 < at && at < self.len());
        let mut first = self.clone();
        let mut rest = self.clone();
        // The cast keeps the value: `at` is less than the length, which is a `u32`.
        first.end = self.start + at as u32;
        rest.start = first.end;
        (first, rest)
    }

    /// Returns true if no other rope has the array.
    pub(super) fn is_owned(&mut self) -> bool {
        Arc::get_mut(&mut self.array).is_some()
    }

    /// Returns true if both leaves are views of one array and `next` begins where this leaf ends.
    pub(super) fn touches(&self, next: &Self) -> bool {
        Arc::ptr_eq(&self.array, &next.array) && self.end == next.start
    }

    /// Returns the items as a vector, or the leaf itself if another rope has the array.
    pub(super) fn take(self) -> Result<Vec<T>, Self> {
        let (start, end) = (self.start, self.end);
        match Arc::try_unwrap(self.array) {
            Ok(mut items) => {
                items.truncate(end as usize);
                items.drain(..start as usize);
                Ok(items)
            }
            Err(array) => Err(Leaf { array, start, end }),
        }
    }

    /// Returns a reference to the items in the array. If no other rope has the array, the caller may move the items out of it. In this
    /// case, the function first moves the items outside of the view to the front of the array.
    pub(super) fn show(&mut self) -> Shown<'_, T> {
        if !self.is_owned() {
            return Shown::Shared(self.items());
        }
        let array = Arc::get_mut(&mut self.array).expect("nobody else holds it");
        let len = (self.end - self.start) as usize;
        if (self.end as usize) < array.len() {
            array[self.start as usize..].rotate_left(len);
            // The cast keeps the value: the array is not longer than `MAX_LEAF`.
            self.end = array.len() as u32;
            self.start = self.end - len as u32;
        }
        Shown::Owned(array, len)
    }

    /// Appends the items to `to`. Moves the items if no other rope has the array, and copies them otherwise.
    ///
    /// # Panics
    /// Panics if the items must be copied and `copy` is `None`.
    pub(super) fn move_to(self, to: &mut Vec<T>, copy: Option<Copier<T>>) {
        match self.take() {
            Ok(mut items) => to.append(&mut items),
            Err(shared) => copy.expect("only what is not shared is moved")(to, shared.items()),
        }
    }

    /// Merges two neighbours into one leaf. If both leaves are adjacent views of one array, the merge accesses no item.
    pub(super) fn merge(mut self, next: Self, max: usize, copy: Option<Copier<T>>) -> Self {
        if self.touches(&next) {
            self.end = next.end;
            return self;
        }
        let len = self.len() + next.len();
        let mut items = match self.take() {
            Ok(items) => items,
            Err(shared) => {
                let mut items = Vec::with_capacity(len);
                shared.move_to(&mut items, copy);
                items
            }
        };
        make_room(&mut items, next.len(), max);
        next.move_to(&mut items, copy);
        Leaf::new(items)
    }

    /// Appends an item if no other rope has the array and if the leaf then has at most `max` items. Otherwise returns the item.
    pub(super) fn push(&mut self, item: T, max: usize) -> Result<(), T> {
        if self.len() >= max {
            return Err(item);
        }
        let Some(items) = Arc::get_mut(&mut self.array) else {
            return Err(item);
        };
        // The items behind the view are dropped, because no view shows them any more.
        items.truncate(self.end as usize);
        if self.end as usize >= max {
            let unseen: Vec<T> = items.drain(..self.start as usize).collect();
            self.end -= self.start;
            self.start = 0;
            // The drop may panic, so it comes after all changes to the leaf, when the leaf is consistent.
            drop(unseen);
        }
        make_room(items, 1, max);
        items.push(item);
        self.end += 1;
        Ok(())
    }
}

impl<T: Clone> Leaf<T> {
    /// Returns a copy of the leaf in which `item` replaces the item at `index`.
    pub(super) fn with(&self, index: usize, item: T) -> Self {
        let old = self.items();
        let mut items = Vec::with_capacity(old.len());
        items.extend_from_slice(&old[..index]);
        items.push(item);
        items.extend_from_slice(&old[index + 1..]);
        Leaf::new(items)
    }
}

/// Makes room for `more` items in the array of a leaf. Doubles the capacity, but not beyond the leaf size.
pub(super) fn make_room<T>(items: &mut Vec<T>, more: usize, max: usize) {
    let needed = items.len() + more;
    if needed > items.capacity() {
        let wanted = needed.max(2 * items.len()).min(max).max(needed);
        items.reserve_exact(wanted - items.len());
    }
}
