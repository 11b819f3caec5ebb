//! Makes broken programs from correct programs, by random changes.

use std::fs;
use std::path::{Path, PathBuf};

/// A generator of pseudorandom numbers, which are the same in each run.
pub(crate) struct Random(u64);

impl Random {
    /// Makes the generator for one run.
    pub(crate) fn new(seed: u64, run: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ run.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number that is less than the bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

const WORDS: &[&str] = &[
    "val",
    "fun",
    "fn",
    "=>",
    "=",
    "|",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "(|",
    "|)",
    "[|",
    "|]",
    "let",
    "in",
    "end",
    "if",
    "then",
    "else",
    "case",
    "of",
    "handle",
    "raise",
    "and",
    "rec",
    "op",
    "infix",
    "infixr 5",
    "nonfix",
    "datatype",
    "type",
    "withtype",
    "abstype",
    "with",
    "exception",
    "local",
    "open",
    "structure",
    "signature",
    "functor",
    "struct",
    "sig",
    "include",
    "sharing",
    "where",
    "where type",
    "eqtype",
    ":>",
    ":",
    "::",
    ",",
    ";",
    "...",
    "_",
    "->",
    "*",
    "+",
    "-",
    "!",
    ":=",
    "ref",
    "!x",
    "#1",
    "#a",
    "'a",
    "''b",
    "as",
    "andalso",
    "orelse",
    "while",
    "do",
    "pval",
    "pcase",
    "&",
    "?",
    "otherwise",
    "spawn",
    "to",
    "by",
    "0",
    "1",
    "~1",
    "0x7FFFFFFFFFFFFFFF",
    "4611686018427387904",
    "99999999999999999999999999",
    "0w0",
    "0wxFFFFFFFFFFFFFFFF",
    "1.5",
    "1e400",
    "~0.0",
    "#\"a\"",
    "\"\\n\"",
    "\"",
    "(*",
    "*)",
    "SOME",
    "NONE",
    "nil",
    "true",
    "x",
    "f",
    "int",
    "'a list",
    "unit",
    "exn",
    "string",
    "List.map",
    "Int.+",
    "{a = 1, b}",
    "{a, ...}",
    "x as",
    "(x, y)",
    "fn x => x",
    "val it = ",
    "_prim",
    "_overload",
    "_exn",
    "_",
    "\\",
    "\u{e9}",
    "Vector",
    "IntInf",
    "Word8.word",
    "real",
    "array",
    "=",
    "<>",
    "(fn x => x) ",
    "raise Fail \"x\"",
    "handle _ =>",
];

/// Opening delimiters, each with its closing delimiter.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{a = ", "}"),
    ("(| 1, ", "|)"),
    ("[| ", "|]"),
    ("let val x = ", " in x end"),
    ("if true then ", " else 1"),
    ("case 1 of _ => ", ""),
    ("fn x => ", ""),
    ("(* ", " *)"),
    ("~ ", ""),
    ("1 + ", ""),
    ("1 :: ", ""),
    ("struct structure A = ", " end"),
    ("sig structure A : ", " end"),
    ("raise ", ""),
    ("SOME ", ""),
    ("x as ", ""),
    ("f (", ")"),
    ("local val x = 1 in val y = ", " end"),
    ("spawn ", ""),
    ("while true do ", ""),
    ("int -> ", ""),
    ("(op +) ", ""),
];

/// A program, cut into words.
struct Text {
    bytes: Vec<u8>,
    /// The ranges of the words, without white space.
    words: Vec<(usize, usize)>,
}

/// The correct programs, of which the generator changes copies.
pub(crate) struct Corpus(Vec<Text>);

#[derive(PartialEq, Clone, Copy)]
enum Class {
    Space,
    Word,
    Symbol,
    Single,
}

fn class(byte: u8) -> Class {
    match byte {
        b' ' | b'\n' | b'\t' | b'\r' => Class::Space,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'\'' | b'.' | b'"' => Class::Word,
        b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' => Class::Single,
        _ => Class::Symbol,
    }
}

fn words(text: &[u8]) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let kind = class(text[at]);
        let start = at;
        at += 1;
        while at < text.len() && kind != Class::Single && class(text[at]) == kind {
            at += 1;
        }
        if kind != Class::Space {
            words.push((start, at));
        }
    }
    words
}

fn programs(path: &Path, found: &mut Vec<PathBuf>) {
    if let Ok(entries) = fs::read_dir(path) {
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            programs(&path, found);
        }
    } else if path
        .extension()
        .is_some_and(|end| end == "sml" || end == "pml" || end == "sig")
    {
        found.push(path.to_path_buf());
    }
}

impl Corpus {
    /// Reads all programs in files and folders, except programs of 12,000 bytes or more.
    pub(crate) fn read(paths: &[PathBuf]) -> Corpus {
        let mut files = Vec::new();
        for path in paths {
            programs(path, &mut files);
        }
        let texts = files.iter().filter_map(|file| fs::read(file).ok());
        Corpus(
            texts
                .filter(|text| !text.is_empty() && text.len() < 12_000)
                .map(|bytes| Text {
                    words: words(&bytes),
                    bytes,
                })
                .collect(),
        )
    }

    /// Returns true if the corpus has no programs.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn pick(&self, random: &mut Random) -> &Text {
        &self.0[random.below(self.0.len())]
    }

    /// Returns a program of the corpus with one to four changes. If `gently` is true, makes at most two changes, and the result is probably
    /// grammatical.
    pub(crate) fn mutant(&self, random: &mut Random, gently: bool) -> Vec<u8> {
        let mut text = self.pick(random).bytes.clone();
        let times = 1 + random.below(if gently { 2 } else { 4 });
        for _ in 0..times {
            let words = words(&text);
            if words.is_empty() {
                text.extend(b"val x = 1");
                continue;
            }
            self.change(&mut text, &words, random, gently);
        }
        text
    }

    fn change(
        &self,
        text: &mut Vec<u8>,
        words: &[(usize, usize)],
        random: &mut Random,
        gently: bool,
    ) {
        let any = |random: &mut Random| words[random.below(words.len())];
        let (start, end) = any(random);
        let kinds = if gently { 7 } else { 12 };
        match random.below(kinds) {
            // Replaces a word by another word of its kind.
            0..=2 => {
                let kind = class(text[start]);
                for _ in 0..20 {
                    let (from, to) = any(random);
                    if class(text[from]) == kind {
                        let word = text[from..to].to_vec();
                        text.splice(start..end, word);
                        break;
                    }
                }
            }
            // Moves or repeats a few words.
            3 => {
                let first = random.below(words.len());
                let last = (first + random.below(if gently { 4 } else { 12 })).min(words.len() - 1);
                let part = text[words[first].0..words[last].1].to_vec();
                text.splice(start..start, [&part[..], b" "].concat());
            }
            4 => {
                text.drain(start..end);
            }
            // Inserts a word with a special meaning, such as a reserved word, or replaces another word by such a word.
            5 => {
                let word = WORDS[random.below(WORDS.len())];
                let range = if random.below(2) == 0 {
                    start..start
                } else {
                    start..end
                };
                text.splice(range, format!(" {word} ").into_bytes());
            }
            // Inserts a piece of another program.
            6 => {
                let other = self.pick(random);
                if !other.words.is_empty() {
                    let first = random.below(other.words.len());
                    let last = (first + random.below(if gently { 6 } else { 30 }))
                        .min(other.words.len() - 1);
                    let piece = &other.bytes[other.words[first].0..other.words[last].1];
                    text.splice(start..end, [piece, b" "].concat());
                }
            }
            7 => {
                let at = random.below(text.len());
                text[at] = random.next() as u8;
            }
            8 => {
                let at = random.below(text.len());
                let to = (at + 1 + random.below(40)).min(text.len());
                text.drain(at..to);
            }
            9 => {
                let bytes: Vec<u8> = (0..random.below(6)).map(|_| random.next() as u8).collect();
                let at = random.below(text.len());
                text.splice(at..at, bytes);
            }
            10 => text.truncate(start),
            // Nests delimiters, sometimes very deeply.
            _ => {
                let (open, close) = NESTS[random.below(NESTS.len())];
                let depth = match random.below(4000) {
                    0 => 100_000,
                    1..=40 => 1 + random.below(3000),
                    _ => 1 + random.below(20),
                };
                let closed = random.below(3) > 0;
                let mut nest = open.repeat(depth).into_bytes();
                nest.extend(&text[start..end]);
                if closed {
                    nest.extend(close.repeat(depth).into_bytes());
                }
                text.splice(start..end, nest);
            }
        }
    }
}
