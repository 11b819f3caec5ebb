//! Compares string operations with the standard library's iterators.

use super::{pool, under_all};
use crate::par::prelude::*;
use proptest::prelude::*;

/// Compares the result of a method of this crate on a text with the result of the corresponding method of the standard library.
macro_rules! same_text {
    ($text:expr, $policy:expr, $($ours:ident $theirs:ident ($($pattern:expr)?);)*) => {$(
        let ours: Vec<_> = $text.$ours($($pattern)?).splitting($policy).collect();
        assert_eq!(ours, $text.$theirs($($pattern)?).collect::<Vec<_>>(), "{:?}", $text);
    )*};
}

const SEVERAL: [char; 3] = ['é', '\n', '🦀'];

fn is_high(c: char) -> bool {
    c > 'a'
}

/// Tests all methods on a text.
macro_rules! check {
    ($text:expr, $policy:expr) => {
        let text: &str = $text;
        same_text! { text, $policy,
            par_chars chars();
            par_char_indices char_indices();
            par_bytes bytes();
            par_encode_utf16 encode_utf16();
            par_lines lines();
            par_split_whitespace split_whitespace();
            par_split_ascii_whitespace split_ascii_whitespace();
            par_split split('\n');
            par_split split('é');
            par_split split(SEVERAL);
            par_split split(&SEVERAL);
            par_split split(&SEVERAL[..]);
            par_split split(is_high);
            par_split_terminator split_terminator('\n');
            par_split_terminator split_terminator(is_high);
            par_split_inclusive split_inclusive('\n');
            par_split_inclusive split_inclusive(SEVERAL);
            par_matches matches('é');
            par_matches matches(is_high);
            par_match_indices match_indices(SEVERAL);
            par_match_indices match_indices(is_high);
        }
    };
}

/// The strings from which texts are built: characters of all lengths, line ends, and both kinds of white space.
const PARTS: [&str; 12] = [
    "a",
    "b",
    " ",
    "\n",
    "\r\n",
    "\r",
    "é",
    "☃",
    "🦀",
    "\u{a0}",
    "\t",
    "long word",
];

fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "", "\n", "\n\n", "a", "\r\n", "é", "🦀🦀", "a\n", "\na", " a ",
    ]
    .map(String::from)
    .to_vec();
    texts.push("no end ".repeat(30).replace(' ', "☃"));
    let long = if cfg!(miri) { 10 } else { 150 };
    texts.push((0..long).map(|i| PARTS[i * i % 12]).collect());
    texts
}

#[test]
fn are_sequences() {
    for text in texts() {
        under_all!(|policy| {
            check!(&text, policy);
        });
    }
}

/// Tests a text only under forced splits, because these cover more cases than the other policies.
fn is_same_under_force(text: &str) {
    for way in 0..super::WAYS {
        let policy = super::forced(way);
        check!(text, policy);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 3 } else { 200 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn of_any_parts_are_sequences(
        parts in proptest::collection::vec(0..PARTS.len(), 0..40)
    ) {
        let text: String = parts.into_iter().map(|at| PARTS[at]).collect();
        pool(1).install(|| is_same_under_force(&text));
    }

    #[test]
    fn of_any_characters_are_sequences(text in ".{0,30}") {
        pool(1).install(|| is_same_under_force(&text));
    }
}

#[test]
fn in_strings_are_sequences() {
    let text = "the lazy\n\ntree  splits \r\nitself";
    let must: Vec<Vec<usize>> = text
        .lines()
        .map(|line| line.split_whitespace().map(str::len).collect())
        .collect();
    under_all!(|policy| {
        let lines = text.par_lines().splitting(policy);
        let words = |line: &'static str| line.par_split_whitespace().splitting(policy);
        let lengths = lines.map(|line| words(line).map(str::len).collect::<Vec<_>>());
        assert_eq!(lengths.collect::<Vec<_>>(), must);
        let all = text.par_lines().splitting(policy).flat_map(words);
        assert!(
            all.collect::<Vec<_>>()
                .iter()
                .eq(&text.split_whitespace().collect::<Vec<_>>())
        );
    });
}

#[test]
fn long_ones_under_thieves() {
    let text: String = (0..if cfg!(miri) { 50 } else { 60_000 })
        .map(|i| PARTS[i * 7 % 12])
        .collect();
    for threads in [1, 2, 8] {
        pool(threads).install(|| {
            assert_eq!(text.par_chars().collect::<String>(), text);
            let lines: Vec<_> = text.par_lines().collect();
            assert_eq!(lines, text.lines().collect::<Vec<_>>());
            assert_eq!(text.par_split('🦀').count(), text.split('🦀').count());
        });
    }
}
