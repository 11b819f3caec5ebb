//! Counting of words.

use std::collections::HashMap;

use super::{Kernel, Twin, Way, checksum, of_text, prose, ready};

pub(super) const TWIN: Twin = Twin {
    name: "word_count",
    about: "counts the words of a text in a table, and sorts them",
    size: 1_000_000,
    prepare: |n| {
        ready(WordCount {
            text: prose::text(n),
        })
    },
};

struct WordCount {
    text: String,
}

impl Kernel for WordCount {
    type Out = Vec<(String, u64)>;

    fn run<W: Way>(&self, way: W) -> Vec<(String, u64)> {
        let table = way.words(
            &self.text,
            HashMap::<&str, u64>::new,
            |table, word| *table.entry(word).or_default() += 1,
            |table, other| {
                for (word, count) in other {
                    *table.entry(word).or_default() += count;
                }
            },
        );
        let words = table.into_iter();
        let mut words: Vec<(String, u64)> = words.map(|(word, n)| (word.to_owned(), n)).collect();
        way.sort_by(&mut words, |a, b| a.0.cmp(&b.0));
        words
    }

    fn checksum(&self, out: &Vec<(String, u64)>) -> u64 {
        checksum(out.iter().map(|(word, n)| of_text(word).wrapping_add(*n)))
    }
}
