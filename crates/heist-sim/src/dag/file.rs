//! Reads programs from files, and writes programs to files.
//!
//! ```text
//! bytes 0..8     the letters HEISTDAG
//!       8..12    the version of the format, 1
//!      12..16    0
//!      16..24    how many words follow
//!      24..32    their FNV-1a hash, word by word
//!      32..      the words
//! ```
//!
//! This table shows the parts of a file. All numbers are little-endian.

use super::{Dag, DagError, MOST_WORDS};
use std::io::{self, Read, Write};

const LETTERS: [u8; 8] = *b"HEISTDAG";
const VERSION: u32 = 1;
const HEADER: usize = 32;
/// The maximum number of words that one step reads or writes.
const CHUNK: usize = 1 << 14;

fn hash(seed: u64, words: &[u32]) -> u64 {
    words.iter().fold(seed, |hash, &word| {
        (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01B3)
    })
}

const SEED: u64 = 0xCBF2_9CE4_8422_2325;

fn failed(error: &io::Error) -> DagError {
    DagError(if error.kind() == io::ErrorKind::UnexpectedEof {
        "the recorded program breaks off".to_owned()
    } else {
        format!("the recorded program cannot be read: {error}")
    })
}

impl Dag {
    /// Writes the program to `to`, in pieces of at most 64 KiB.
    ///
    /// # Errors
    ///
    /// Returns the errors of `to`.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&LETTERS);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[16..24].copy_from_slice(&(self.words.len() as u64).to_le_bytes());
        header[24..].copy_from_slice(&hash(SEED, &self.words).to_le_bytes());
        to.write_all(&header)?;
        let mut bytes = Vec::with_capacity(4 * CHUNK);
        for words in self.words.chunks(CHUNK) {
            bytes.clear();
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            to.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Reads a program that [`write`](Dag::write) wrote.
    ///
    /// # Errors
    ///
    /// Returns an error if `from` fails or ends early, if the data has another format, or if the data does not match its hash.
    pub fn read(from: &mut impl Read) -> Result<Dag, DagError> {
        let mut header = [0; HEADER];
        from.read_exact(&mut header)
            .map_err(|error| failed(&error))?;
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        if header[..8] != LETTERS {
            return Err(DagError("this is no recorded program".to_owned()));
        }
        let version = number(8);
        if version != u64::from(VERSION) {
            return Err(DagError(format!(
                "the recorded program is of format {version}, and only {VERSION} is known"
            )));
        }
        let count = number(16);
        if count > MOST_WORDS as u64 {
            return Err(DagError(format!(
                "the recorded program claims {count} words, and {MOST_WORDS} are the most"
            )));
        }
        // Do not allocate memory for all words beforehand: the count may be wrong, and the file may
        // be short.
        let mut words = Vec::new();
        let mut bytes = vec![0; 4 * CHUNK];
        let mut sum = SEED;
        while (words.len() as u64) < count {
            let some = CHUNK.min((count - words.len() as u64) as usize);
            let bytes = &mut bytes[..4 * some];
            from.read_exact(bytes).map_err(|error| failed(&error))?;
            let begin = words.len();
            words.extend(
                bytes
                    .chunks_exact(4)
                    .map(|word| u32::from_le_bytes(std::array::from_fn(|i| word[i]))),
            );
            sum = hash(sum, &words[begin..]);
        }
        if sum != number(24) {
            return Err(DagError(
                "the recorded program has been changed since it was written".to_owned(),
            ));
        }
        Dag::of(words)
    }
}
