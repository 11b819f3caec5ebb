//! Counts the words of files, divided among all places:
//! `HEIST_PLACES=4 cargo run -p heist-places --example wordcount -- docs/*.md`
//!
//! Each place reads its own part of the files, so all places must see the same files. All places see the same files on one machine, and on
//! a cluster with a common file system.

use std::collections::BTreeMap;
use std::fs;

use heist::par::{Par, ToPar};
use heist_places::{PlaceArray, PlaceError};

type Counts = BTreeMap<String, u64>;

fn merge(mut left: Counts, right: Counts) -> Counts {
    for (word, count) in right {
        *left.entry(word).or_default() += count;
    }
    left
}

fn count(text: &str) -> Counts {
    let mut counts = Counts::new();
    for word in text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        *counts.entry(word.to_lowercase()).or_default() += 1;
    }
    counts
}

fn main() -> Result<(), PlaceError> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    heist_places::run(|world| {
        let own = PlaceArray::new(&world, files.len(), |index| files[index].clone());
        let counts = own
            .block()
            .par()
            .map(|file| {
                let text = fs::read_to_string(file);
                count(&text.unwrap_or_else(|error| panic!("{file}: {error}")))
            })
            .reduce(Counts::new, merge);
        let all = world.reduce(counts, merge).wait()?;
        if world.here() == 0 {
            let mut sorted: Vec<_> = all.into_iter().collect();
            sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            for (word, count) in sorted.into_iter().take(10) {
                println!("{count:>7} {word}");
            }
        }
        Ok(())
    })?
}
