mod plot;

use heist::par::{Rope, prelude::*};
use plot::{COLOURS, Chart, linear, log};
use std::collections::HashSet;

const TEXT: usize = 100_000;
const EDITS: usize = 200;
/// Maximum number of bytes in a leaf. It is small because an edit leaves the leaves that it cuts to the old version.
const LEAF: usize = 512;

/// The `i`th edit of a text of so many bytes: where to cut, how many bytes, and where to paste them in the remaining text.
fn edit(i: usize, len: usize) -> (usize, usize, usize) {
    let random = |j: usize| (3 * i + j + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let cut = random(0) % 500;
    (random(1) % (len - cut), cut, random(2) % (len - cut))
}

fn serial(mut text: Vec<u8>, i: usize) -> Vec<u8> {
    let (from, cut, to) = edit(i, text.len());
    let piece: Vec<u8> = text.drain(from..from + cut).collect();
    text.splice(to..to, piece);
    text
}

fn rope(text: &Rope<u8>, i: usize) -> Rope<u8> {
    let (from, cut, to) = edit(i, text.len());
    let rest = text.slice(..from).concat(text.slice(from + cut..));
    Rope::cat_n([rest.slice(..to), text.slice(from..from + cut), rest.slice(to..)])
}

fn lines(history: &[Rope<u8>]) -> Vec<usize> {
    let lines = |text: &Rope<u8>| text.par().filter(|byte| **byte == b'\n').count();
    history.par().map(lines).collect()
}

fn main() -> std::io::Result<()> {
    let mut text = std::fs::read("words.txt")?;
    text.truncate(TEXT);
    let mut history = vec![text.par().copied().collect_rope(LEAF)];
    for i in 0..EDITS {
        history.push(rope(&history[i], i));
        text = serial(text, i);
    }
    assert!(history[EDITS].iter().eq(&text));
    assert!(history[EDITS].is_balanced());
    // Edits move lines but lose none, and no edit has changed the first version.
    assert!(lines(&history).iter().all(|&lines| lines == 11_627));
    assert!(history[0] != history[EDITS]);
    // An edit of all of it: a rope again, built by all workers.
    let shouted: Rope<u8> = history[EDITS].par().map(|byte| byte.to_ascii_uppercase()).collect();
    assert_eq!(shouted.len(), TEXT);

    // What all versions up to each one take: every leaf counts once, however many versions have it.
    // (A leaf that has been cut counts as another one, so this is rather too much.)
    let mut seen = HashSet::new();
    let mut bytes = 0;
    let mut shared = Vec::new();
    for version in &history {
        let new = version.leaves().filter(|leaf| seen.insert((leaf.as_ptr(), leaf.len())));
        bytes += new.map(|leaf| leaf.len()).sum::<usize>();
        shared.push(bytes as f64 / 1e3);
    }
    assert!(shared[EDITS] < 400.0);
    let copied = (1..=EDITS + 1).map(|versions| (versions * TEXT) as f64 / 1e3);
    let points = |sizes: Vec<f64>| (0..).map(f64::from).zip(sizes).collect::<Vec<_>>();
    Chart::new(
        "What it takes to remember every version of a text",
        linear("edits", 0.0..200.0),
        log("kB", 10.0..100_000.0),
    )
    .line(COLOURS[1], points(copied.collect()))
    .line(COLOURS[0], points(shared))
    .line("#000", points(history.iter().map(|text| text.len() as f64 / 1e3).collect()))
    .name("#000", "the text")
    .name(COLOURS[0], "all versions, as ropes")
    .name(COLOURS[1], "all versions, copied")
    .save("history.svg")?;
    Ok(())
}
