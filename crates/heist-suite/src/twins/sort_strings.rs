//! Sorting of words.

use super::{Kernel, Twin, Way, below, checksum, of_text, ready};
use crate::noise::word;

pub(super) const TWIN: Twin = Twin {
    name: "sort_strings",
    about: "sorts words of up to twelve letters",
    size: 300_000,
    prepare: |n| {
        ready(SortStrings {
            words: (0..n).map(letters).collect(),
        })
    },
};

struct SortStrings {
    words: Vec<String>,
}

fn letters(i: usize) -> String {
    let bits = word(2, i as u64);
    let letter = |k: usize| char::from(b'a' + ((bits >> (5 * k)) & 31) as u8 % 26);
    (0..1 + below(1, i, 12)).map(letter).collect()
}

impl Kernel for SortStrings {
    /// The indices of the words, in the order of the words.
    type Out = Vec<u32>;

    fn run<W: Way>(&self, way: W) -> Vec<u32> {
        let mut sorted = way.tabulate(self.words.len(), |i| (self.words[i].as_str(), i as u32));
        way.sort_by(&mut sorted, |a, b| a.0.cmp(b.0));
        way.tabulate(sorted.len(), |i| sorted[i].1)
    }

    fn checksum(&self, out: &Vec<u32>) -> u64 {
        checksum(out.iter().map(|&i| of_text(&self.words[i as usize])))
    }
}
