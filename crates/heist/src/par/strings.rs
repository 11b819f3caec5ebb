//! Parallel operations on strings.

use super::adapters::Copied;
use super::prelude::*;
use super::sources::{
    ParCharIndices, ParChars, ParEncodeUtf16, ParLines, ParMatchIndices, ParMatches, ParPattern,
    ParRef, ParSplitAsciiWhitespace, ParSplitWhitespace, ParStrSplit, ParStrSplitInclusive,
    ParStrSplitTerminator,
};

/// Methods that return parallel sequences of the characters and pieces of a string. Each method is the parallel form of a standard
/// method, whose name lacks the prefix `par_`.
///
/// A string may be cut at any byte, but no character or piece is cut in two. So workers need not search for the ends of pieces before they
/// divide the work. But if the string is a single long piece, one worker searches all of it. If a pattern is a function, the operation
/// calls it up to three times for each character.
#[doc(alias = "ParallelString")]
pub trait ParStr {
    /// Returns the characters.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let vowels = "work-stealing".par_chars().filter(|c| "aeiou".contains(*c));
    /// assert_eq!(vowels.collect::<String>(), "oeai");
    /// ```
    fn par_chars(&self) -> ParChars<'_>;

    /// Returns the characters, each with the index of its first byte.
    fn par_char_indices(&self) -> ParCharIndices<'_>;

    /// Returns the bytes. The sequence is [indexed](super::Indexed).
    fn par_bytes(&self) -> Copied<ParRef<'_, u8>>;

    /// Returns the string in UTF-16.
    fn par_encode_utf16(&self) -> ParEncodeUtf16<'_>;

    /// Returns the lines, without `\n` or `\r\n` at their ends.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let sums = "1 2\n\n3 4\r\n".par_lines().map(|line| {
    ///     line.par_split_whitespace().map(|x| x.parse::<u32>().unwrap()).sum()
    /// });
    /// assert_eq!(sums.collect::<Vec<u32>>(), [3, 0, 7]);
    /// ```
    fn par_lines(&self) -> ParLines<'_>;

    /// Returns the words between white space. No word is empty.
    fn par_split_whitespace(&self) -> ParSplitWhitespace<'_>;

    /// Returns the words between ASCII white space. No word is empty.
    fn par_split_ascii_whitespace(&self) -> ParSplitAsciiWhitespace<'_>;

    /// Returns the pieces between the characters that match the pattern, without these characters. The number of pieces is the
    /// number of matching characters plus one.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let pieces: Vec<_> = "a,b;,c".par_split([',', ';']).collect();
    /// assert_eq!(pieces, ["a", "b", "", "c"]);
    /// ```
    fn par_split<P: ParPattern>(&self, pattern: P) -> ParStrSplit<'_, P>;

    /// Works like [`par_split`](Self::par_split), but omits the last piece if it is empty.
    fn par_split_terminator<P: ParPattern>(&self, pattern: P) -> ParStrSplitTerminator<'_, P>;

    /// Works like [`par_split_terminator`](Self::par_split_terminator), but each piece includes the matching character at its end.
    fn par_split_inclusive<P: ParPattern>(&self, pattern: P) -> ParStrSplitInclusive<'_, P>;

    /// Returns the characters that match the pattern, each as a string.
    fn par_matches<P: ParPattern>(&self, pattern: P) -> ParMatches<'_, P>;

    /// Returns the characters that match the pattern, each as a string, with the index of its first byte.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let digits = "a1b22".par_match_indices(|c: char| c.is_ascii_digit());
    /// assert_eq!(digits.collect::<Vec<_>>(), [(1, "1"), (3, "2"), (4, "2")]);
    /// ```
    fn par_match_indices<P: ParPattern>(&self, pattern: P) -> ParMatchIndices<'_, P>;
}

impl ParStr for str {
    fn par_chars(&self) -> ParChars<'_> {
        ParChars::new(self)
    }

    fn par_char_indices(&self) -> ParCharIndices<'_> {
        ParCharIndices::new(self)
    }

    fn par_bytes(&self) -> Copied<ParRef<'_, u8>> {
        self.as_bytes().par().copied()
    }

    fn par_encode_utf16(&self) -> ParEncodeUtf16<'_> {
        ParEncodeUtf16::new(self)
    }

    fn par_lines(&self) -> ParLines<'_> {
        ParLines::new(self)
    }

    fn par_split_whitespace(&self) -> ParSplitWhitespace<'_> {
        ParSplitWhitespace::new(self)
    }

    fn par_split_ascii_whitespace(&self) -> ParSplitAsciiWhitespace<'_> {
        ParSplitAsciiWhitespace::new(self)
    }

    fn par_split<P: ParPattern>(&self, pattern: P) -> ParStrSplit<'_, P> {
        ParStrSplit::new(self, pattern)
    }

    fn par_split_terminator<P: ParPattern>(&self, pattern: P) -> ParStrSplitTerminator<'_, P> {
        ParStrSplitTerminator::new(self, pattern)
    }

    fn par_split_inclusive<P: ParPattern>(&self, pattern: P) -> ParStrSplitInclusive<'_, P> {
        ParStrSplitInclusive::new(self, pattern)
    }

    fn par_matches<P: ParPattern>(&self, pattern: P) -> ParMatches<'_, P> {
        ParMatches::new(self, pattern)
    }

    fn par_match_indices<P: ParPattern>(&self, pattern: P) -> ParMatchIndices<'_, P> {
        ParMatchIndices::new(self, pattern)
    }
}
