//! An application that uses rayon. The application's code does not mention Heist, but the patch in
//! its manifest does.

use rayon::prelude::*;
use std::collections::HashMap;

fn main() {
    let text = include_str!("main.rs").repeat(20_000);
    let words = text
        .par_split_ascii_whitespace()
        .fold(HashMap::<&str, usize>::new, |mut words, word| {
            *words.entry(word).or_default() += 1;
            words
        })
        .reduce(HashMap::new, |mut all, some| {
            for (word, count) in some {
                *all.entry(word).or_default() += count;
            }
            all
        });
    let mut words: Vec<_> = words.into_iter().collect();
    words.par_sort_unstable_by_key(|&(word, count)| (std::cmp::Reverse(count), word));
    for (word, count) in words.iter().take(5) {
        println!("{count:>8} {word}");
    }
}
