//! Makes the files on demand for the structures `Int1` to `Int63` and `Word1` to `Word63`, one file for each structure.
//!
//! Each file applies a functor to the primitives of its size, and overloads the operators. The other files of the Basis declare
//! the structures of 8, 16 and 32 bits.

use std::sync::OnceLock;

use super::BasisFile;

/// The maximum number of bits of a sized number.
pub const MOST: u8 = 63;

/// A kind of sized number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers, which raise Overflow.
    Int,
    /// Words, which wrap round.
    Word,
}

type Files = [OnceLock<BasisFile>; MOST as usize];

static INTS: Files = [const { OnceLock::new() }; MOST as usize];
static WORDS: Files = [const { OnceLock::new() }; MOST as usize];

/// Returns the number of bits in a name that consists of `word` and a number, or `None` for other names. For the name `int5` and the word
/// `int`, the result is 5.
#[must_use]
pub fn bits(name: &str, word: &str) -> Option<u8> {
    let digits = name.strip_prefix(word)?;
    let bits = digits.parse().ok()?;
    let is_plain = !digits.starts_with(['0', '+']);
    (is_plain && (1..=MOST).contains(&bits)).then_some(bits)
}

/// Returns the file that declares a structure such as `Int5` or `Word31`.
pub(super) fn declaring(name: &str) -> Option<BasisFile> {
    let (kind, bits) = match bits(name, "Int") {
        Some(bits) => (Kind::Int, bits),
        None => (Kind::Word, bits(name, "Word")?),
    };
    if matches!(bits, 8 | 16 | 32) {
        return None;
    }
    let files = match kind {
        Kind::Int => &INTS,
        Kind::Word => &WORDS,
    };
    Some(*files[usize::from(bits) - 1].get_or_init(|| file(kind, bits)))
}

fn file(kind: Kind, bits: u8) -> BasisFile {
    let mut text = match kind {
        Kind::Int => format!(
            "structure Int{bits} = SizedInt\n  \
             (type int = Prim.int{bits}\n   \
             val toInt = _prim \"cast\" : int -> Core.int\n   \
             val fromInt = _prim \"Int.check{bits}\" : Core.int -> int\n   \
             val precision = {bits})\n"
        ),
        Kind::Word => format!(
            "structure Word{bits} = SizedWord\n  \
             (type word = Prim.word{bits}\n   \
             val toWord = _prim \"cast\" : word -> Core.word\n   \
             val fromWord = _prim \"Word.low{bits}\" : Core.word -> word\n   \
             val signed = _prim \"Word.sign{bits}\" : word -> Core.word\n   \
             val wordSize = {bits})\n"
        ),
    };
    let (structure, abs) = match kind {
        Kind::Int => ("Int", Some("abs")),
        Kind::Word => ("Word", None),
    };
    let operators = ["+", "-", "*", "div", "mod", "~", "<", "<=", ">", ">="];
    for operator in operators.into_iter().chain(abs) {
        text.push_str(&format!(
            "_overload {operator} as {structure}{bits}.{operator}\n"
        ));
    }
    BasisFile {
        name: format!("basis/demand/{structure}{bits}.sml").leak(),
        text: text.leak(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_size() {
        for (name, size) in [("Int1", 1), ("Int31", 31), ("Int63", 63)] {
            assert_eq!(bits(name, "Int"), Some(size));
        }
        for name in [
            "Int", "Int0", "Int05", "Int+5", "Int64", "Int256", "Word5", "Int5x",
        ] {
            assert_eq!(bits(name, "Int"), None, "{name}");
        }
    }

    #[test]
    fn each_size_has_one_file() {
        let name = |name| declaring(name).map(|file| file.name);
        assert_eq!(name("Word7"), Some("basis/demand/Word7.sml"));
        assert_eq!(name("Int7"), Some("basis/demand/Int7.sml"));
        assert_eq!(name("Int16"), None);
    }
}
