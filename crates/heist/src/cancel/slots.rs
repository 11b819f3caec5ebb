//! A list of values whose keys stay valid while other values are inserted and removed.

/// A list that reuses the places of removed values. Inserting and removing take constant time.
#[derive(Debug)]
pub(super) struct Slots<T> {
    places: Vec<Option<T>>,
    free: Vec<usize>,
    len: usize,
}

impl<T> Slots<T> {
    pub(super) const fn new() -> Self {
        Slots {
            places: Vec::new(),
            free: Vec::new(),
            len: 0,
        }
    }

    /// Inserts a value, and returns its key.
    pub(super) fn insert(&mut self, value: T) -> usize {
        self.len += 1;
        if let Some(key) = self.free.pop() {
            self.places[key] = Some(value);
            return key;
        }
        self.places.push(Some(value));
        self.places.len() - 1
    }

    /// Removes and returns the value of `key`; returns `None` if the value has been
    /// [drained](Self::drain).
    pub(super) fn remove(&mut self, key: usize) -> Option<T> {
        let value = self.places.get_mut(key)?.take();
        if value.is_some() {
            self.free.push(key);
            self.len -= 1;
        }
        value
    }

    /// Removes and returns all values. The list never uses the keys of these values again.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> + '_ {
        self.len = 0;
        self.places.iter_mut().filter_map(Option::take)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.places.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;

    #[test]
    fn keys_of_removed_values_are_used_again() {
        let mut slots = Slots::new();
        let keys = [10, 11, 12].map(|value| slots.insert(value));
        assert_eq!(slots.remove(keys[1]), Some(11));
        assert_eq!(slots.remove(keys[1]), None);
        assert_eq!(slots.insert(13), keys[1]);
        assert_eq!(slots.iter().copied().collect::<Vec<_>>(), [10, 13, 12]);
        assert!(!slots.is_empty());
        assert_eq!(slots.drain().count(), 3);
        assert!(slots.is_empty());
        // The key of a drained value does not name another value later.
        let key = slots.insert(14);
        assert!(!keys.contains(&key));
        assert_eq!(slots.remove(keys[0]), None);
    }
}
