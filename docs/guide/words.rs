mod plot;

use heist::par::prelude::*;
use plot::{COLOURS, Chart, linear};

fn serial(words: &[&str]) -> Vec<u64> {
    let length = |word: &&str| word.chars().count();
    let longest = words.iter().map(length).max().unwrap_or(0);
    let mut counts = vec![0; longest + 1];
    words.iter().map(length).for_each(|length| counts[length] += 1);
    counts
}

fn parallel(words: &[&str]) -> Vec<u64> {
    let length = |word: &&str| word.chars().count();
    let longest = words.par().map(length).max().unwrap_or(0);
    words.par().histogram(longest + 1, length)
}

fn main() -> std::io::Result<()> {
    let text = std::fs::read_to_string("words.txt")?;
    let words: Vec<&str> = text.lines().collect();
    let counts = parallel(&words);
    assert_eq!(counts, serial(&words));
    assert_eq!(counts.iter().sum::<u64>(), 104_334);
    assert!(counts[8] > counts[3] && counts[8] > counts[16]);

    Chart::new(
        "Lengths of 104 334 English words",
        linear("letters", 0.5..24.5),
        linear("words", 0.0..18_000.0),
    )
    .bars(COLOURS[0], counts.iter().map(|&count| count as f64))
    .save("words.svg")?;
    Ok(())
}
