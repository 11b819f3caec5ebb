//! Texts of invented words, of which the first words of the vocabulary are the most frequent.

use super::below;
use crate::noise::word;

/// The number of different words.
const VOCABULARY: usize = 5_000;

/// Returns a text of this number of words, with ten words on a line.
pub(super) fn text(words: usize) -> String {
    let vocabulary: Vec<String> = (0..VOCABULARY).map(letters).collect();
    let mut text = String::new();
    for i in 0..words {
        let rank = below(6, i, below(7, i, VOCABULARY) + 1);
        text.push_str(&vocabulary[rank]);
        text.push(if i % 10 == 9 { '\n' } else { ' ' });
    }
    text
}

fn letters(rank: usize) -> String {
    let bits = word(4, rank as u64);
    let letter = |k: usize| char::from(b'a' + ((bits >> (5 * k)) & 31) as u8 % 26);
    (0..2 + below(5, rank, 8)).map(letter).collect()
}
