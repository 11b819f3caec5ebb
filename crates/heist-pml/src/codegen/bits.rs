//! Sets of small numbers.

/// A set of small numbers, with one bit for each number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Makes an empty set.
    #[must_use]
    pub const fn new() -> Bits {
        Bits(Vec::new())
    }

    /// Adds a number. Returns true if the set did not have this number before.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// Removes a number.
    pub fn remove(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Returns true if the set has this number.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.0
            .get(number as usize / 64)
            .is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds all numbers of another set.
    pub fn union(&mut self, other: &Bits) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// Removes the numbers that another set does not have.
    pub fn intersect(&mut self, other: &Bits) {
        self.0.truncate(other.0.len());
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
    }

    /// Returns all numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    at as u32 * 64 + bit
                })
            })
        })
    }

    /// Returns the smallest number that is not in the set.
    #[must_use]
    pub fn first_absent(&self) -> u32 {
        let at = self
            .0
            .iter()
            .position(|word| *word != u64::MAX)
            .unwrap_or(self.0.len());
        at as u32 * 64 + self.0.get(at).map_or(0, |word| word.trailing_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn sets_hold_the_inserted_numbers() {
        let mut set = Bits::default();
        assert!(set.insert(3) && set.insert(200) && !set.insert(3));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 200]);
        assert_eq!(set.first_absent(), 0);
        let mut other = Bits::default();
        for number in 0..70 {
            other.insert(number);
        }
        assert_eq!(other.first_absent(), 70);
        set.intersect(&other);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3]);
        set.remove(3);
        set.union(&other);
        assert!(set.contains(69) && !set.contains(200));
    }
}
