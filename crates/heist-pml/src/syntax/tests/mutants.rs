//! Tests the parser with broken programs, which the test makes from correct programs. The parser must neither panic nor hang. The parser
//! must report all code that it does not parse.

use std::path::{Path, PathBuf};

use super::{Parsed, with_stack};

/// A generator of pseudorandom numbers, which are the same in each run.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

const PIECES: &[&str] = &[
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
    "x",
    "f",
    "C",
    "A.b",
    "1",
    "~2",
    "0w3",
    "1.5",
    "\"s\"",
    "#\"c\"",
    "#",
    "'a",
    "_",
    "...",
    ",",
    ";",
    ":",
    ":>",
    "->",
    "*",
    "+",
    "::",
    "!",
    "&",
    "?",
    "op",
    "rec",
    "and",
    "andalso",
    "orelse",
    "handle",
    "raise",
    "while",
    "do",
    "datatype",
    "withtype",
    "type",
    "abstype",
    "with",
    "exception",
    "local",
    "open",
    "infix",
    "infixr",
    "nonfix",
    "structure",
    "signature",
    "functor",
    "struct",
    "sig",
    "where",
    "sharing",
    "include",
    "eqtype",
    "as",
    "pval",
    "pcase",
    "spawn",
    "otherwise",
    "to",
    "by",
    "(*",
    "*)",
    "\"",
    "\\",
    "\n",
    "_prim",
    "_exn",
    "_overload",
    "\u{E9}",
    "5",
];

pub(super) const PROGRAM: &str = r#"
structure Queue :> sig type 'a t val empty : 'a t  exception Empty of string end = struct
  datatype 'a t = Q of 'a list * 'a list  val empty = Q ([], [])  exception Empty of string
end
functor F (X : sig eqtype t  val eq : t * t -> bool end where type t = int) = struct open X val y = eq (1, 2) end
infix 5 ++
fun (Q (a, b)) ++ c = let val d = a @ rev b in c :: d end handle Queue.Empty s => (print s; raise Fail "x")
and sort [] = [] | sort (xs as p :: _) = let
    pval (l, e) = (| filter (fn x => x < p) xs, [| x | x in a, y in b where x = y |] |)
  in if null l then e else sort l @ [| 1 to n by 2 |] ! 3 end
val rec go = fn {a, b = ref c, ...} => while !i < 10 do (i := !i + 1; go {a = 1, b = c}) | _ => pcase a & b of
    SOME x & ? => x : int | otherwise => spawn f
abstype t = A of {l : int, r : (int * real) list} with local val x = 0wxFF in val y = #"\n" end end
"#;

fn parse_all(text: &[u8]) {
    for (parallel, builtin) in [(true, false), (false, true)] {
        let parsed = Parsed::of(text, parallel, builtin);
        let broken = parsed.dump.contains("<error>");
        assert!(
            !broken || parsed.diagnostics.has_errors(),
            "an error without a message in {}",
            String::from_utf8_lossy(text)
        );
        let _ = parsed.messages();
    }
}

#[test]
fn the_program_is_well_formed() {
    let parsed = Parsed::of(PROGRAM.as_bytes(), true, false);
    assert!(parsed.diagnostics.is_empty(), "{}", parsed.messages());
}

#[test]
fn pieces_in_any_order() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    with_stack(|| {
        for _ in 0..3_000 {
            let count = 1 + random.below(40);
            let mut text = String::new();
            for _ in 0..count {
                text += PIECES[random.below(PIECES.len())];
                if random.below(4) > 0 {
                    text.push(' ');
                }
            }
            parse_all(text.as_bytes());
        }
    });
}

/// Returns a copy of the text with changes to some bytes or words.
fn mutate(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len());
        match random.below(4) {
            0 => {
                let end = (at + 1 + random.below(20)).min(text.len());
                text.drain(at..end);
            }
            1 => text[at] = random.next() as u8,
            2 => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..at, format!(" {piece} ").into_bytes());
            }
            _ => {
                let end = (at + random.below(60)).min(text.len());
                let part = text[at..end].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, part);
            }
        }
        if text.is_empty() {
            text.push(b' ');
        }
    }
    text
}

#[test]
fn broken_programs() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    with_stack(|| {
        for _ in 0..2_000 {
            parse_all(&mutate(PROGRAM.as_bytes(), &mut random));
        }
    });
}

/// Adds all programs in a folder and its subfolders to `found`, in order.
pub(super) fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            programs(&path, found);
        } else if path
            .extension()
            .is_some_and(|end| end == "sml" || end == "pml" || end == "sig")
        {
            found.push(path);
        }
    }
}

#[test]
fn broken_programs_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["basis", "../../examples", "bench", "tests"] {
        programs(&root.join(folder), &mut files);
    }
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    with_stack(|| {
        for path in files {
            let text = std::fs::read(&path).expect("it was listed");
            parse_all(&text);
            if text.len() < 20_000 && !text.is_empty() {
                for _ in 0..5 {
                    parse_all(&mutate(&text, &mut random));
                }
            }
        }
    });
}
/// Checks that the parser accepts all correct programs of the repository.
#[test]
fn programs_of_the_repository_are_well_formed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["../../examples", "bench", "tests/conformance/accept"] {
        programs(&root.join(folder), &mut files);
    }
    with_stack(|| {
        for path in files {
            let text = std::fs::read(&path).expect("it was listed");
            let pml = path.extension().is_some_and(|end| end == "pml");
            let parsed = Parsed::of(&text, pml, false);
            let messages = parsed.messages();
            assert!(
                parsed.diagnostics.is_empty(),
                "{} {messages}",
                path.display()
            );
        }
    });
}
