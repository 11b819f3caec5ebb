//! Strings: their characters, and their pieces.

use super::pattern::ParPattern;
use super::spans::{SpanIter, Spans, sequence_of_spans, span};
use std::fmt;
use std::ops::Range;
use std::str;

/// Returns the beginning of the character that contains the byte at `at`.
#[inline]
fn floor(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Returns the text of the characters that begin in a range of bytes.
#[inline]
fn characters(text: &str, range: Range<usize>) -> &str {
    &text[ceil(text, range.start)..ceil(text, range.end)]
}

/// Returns the first position, at or after `at`, at which a character begins.
#[inline]
fn ceil(text: &str, at: usize) -> usize {
    (at..)
        .find(|at| text.is_char_boundary(*at))
        .expect("the end is one")
}

/// Returns the text of the pieces that begin in a range of bytes. A piece ends where a separator begins, or at the end of the text.
#[inline]
fn between(
    text: &str,
    range: Range<usize>,
    find: impl Fn(&str) -> Option<(usize, usize)>,
) -> Option<&str> {
    let find = |range: Range<usize>| {
        let (start, end) = find(&text[range.clone()])?;
        Some((range.start + start, range.start + end))
    };
    let span = span(range, text.len(), |at| floor(text, at), find)?;
    Some(&text[span])
}

/// Returns the text of the pieces that begin in a range of bytes. A piece ends where a separator ends, or at the end of the text.
#[inline]
fn up_to(
    text: &str,
    range: Range<usize>,
    find: impl Fn(&str) -> Option<(usize, usize)>,
) -> Option<&str> {
    between(text, range, |text| find(text).map(|(_, end)| (end, end)))
}

/// An iterator over pairs of a position and an item, which adds `by` to each position.
#[derive(Clone, Debug)]
pub(crate) struct Shifted<I> {
    items: I,
    by: usize,
}

impl<T, I: Iterator<Item = (usize, T)>> Iterator for Shifted<I> {
    type Item = (usize, T);

    #[inline]
    fn next(&mut self) -> Option<(usize, T)> {
        self.items.next().map(|(at, item)| (self.by + at, item))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }

    #[inline]
    fn fold<B, F>(self, first: B, mut f: F) -> B
    where
        F: FnMut(B, (usize, T)) -> B,
    {
        let by = self.by;
        self.items
            .fold(first, |all, (at, item)| f(all, (by + at, item)))
    }
}

/// Defines sequences of items of a string. `$within` returns an iterator over the items that begin in a range of bytes.
macro_rules! texts {
    (
        $(#[$doc:meta])* $sequence:ident, $item:ty, $iter:ty,
        |$text:ident, $range:ident| $within:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $sequence<'s> {
            text: &'s str,
        }

        impl<'s> $sequence<'s> {
            pub(crate) fn new(text: &'s str) -> Self {
                $sequence { text }
            }
        }

        impl<'s> Spans for $sequence<'s> {
            type Item = $item;
            type Iter<'a> = $iter where Self: 'a;

            #[inline]
            fn positions(&self) -> usize {
                self.text.len()
            }

            #[inline]
            fn within(&self, $range: Range<usize>) -> Self::Iter<'_> {
                let $text = self.text;
                $within
            }
        }

        sequence_of_spans!(['s] $sequence<'s>, $item);
    };
}
texts!(
    /// The sequence that [`text.par_chars()`](crate::par::ParStr::par_chars) returns: the characters of a string.
    ParChars, char, str::Chars<'s>,
    |text, range| characters(text, range).chars()
);
texts!(
    /// The sequence that [`text.par_char_indices()`](crate::par::ParStr::par_char_indices) returns: the characters of a string, each with
    /// the index of its first byte.
    ParCharIndices, (usize, char), Shifted<str::CharIndices<'s>>,
    |text, range| {
        let by = ceil(text, range.start);
        Shifted {
            items: characters(text, range).char_indices(),
            by,
        }
    }
);
texts!(
    /// The sequence that [`text.par_encode_utf16()`](crate::par::ParStr::par_encode_utf16) returns: the UTF-16 code units of a string.
    ParEncodeUtf16, u16, str::EncodeUtf16<'s>,
    |text, range| characters(text, range).encode_utf16()
);
texts!(
    /// The sequence that [`text.par_lines()`](crate::par::ParStr::par_lines) returns: the lines of a string.
    ParLines, &'s str, SpanIter<str::Lines<'s>>,
    |text, range| SpanIter(up_to(text, range, |text| find_by(text, '\n')).map(str::lines))
);
texts!(
    /// The sequence that [`text.par_split_whitespace()`](crate::par::ParStr::par_split_whitespace) returns: the words of a string.
    ParSplitWhitespace, &'s str, SpanIter<str::SplitWhitespace<'s>>,
    |text, range| {
        let some = between(text, range, |text| find_by(text, char::is_whitespace));
        SpanIter(some.map(str::split_whitespace))
    }
);
texts!(
    /// The sequence that [`text.par_split_ascii_whitespace()`](crate::par::ParStr::par_split_ascii_whitespace) returns: the words of a
    /// string between ASCII white space.
    ParSplitAsciiWhitespace, &'s str, SpanIter<str::SplitAsciiWhitespace<'s>>,
    |text, range| {
        let is_space = |c: char| c.is_ascii_whitespace();
        let some = between(text, range, |text| find_by(text, is_space));
        SpanIter(some.map(str::split_ascii_whitespace))
    }
);

/// Returns the start and end of the pattern's first match in the text.
#[inline]
fn find_by(text: &str, pattern: impl ParPattern) -> Option<(usize, usize)> {
    pattern.find(text)
}

/// Defines sequences of a string's items that a pattern determines. The sequence has `$more` more positions than the text has
/// bytes.
macro_rules! by_pattern {
    (
        $(#[$doc:meta])* $sequence:ident, $item:ty, $iter:ty, $more:expr,
        |$text:ident, $pattern:ident, $range:ident| $within:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $sequence<'s, P> {
            text: &'s str,
            pattern: P,
        }

        impl<'s, P> $sequence<'s, P> {
            pub(crate) fn new(text: &'s str, pattern: P) -> Self {
                $sequence { text, pattern }
            }
        }

        impl<P> fmt::Debug for $sequence<'_, P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($sequence))
                    .field("text", &self.text)
                    .finish_non_exhaustive()
            }
        }

        impl<'s, P: ParPattern> Spans for $sequence<'s, P> {
            type Item = $item;
            type Iter<'a> = $iter where Self: 'a;

            #[inline]
            fn positions(&self) -> usize {
                // The sum cannot overflow: strings are shorter than `isize::MAX`.
                self.text.len() + $more
            }

            #[inline]
            fn within(&self, $range: Range<usize>) -> Self::Iter<'_> {
                let ($text, $pattern) = (self.text, &self.pattern);
                $within
            }
        }

        sequence_of_spans!(['s, P: ParPattern] $sequence<'s, P>, $item);
    };
}
by_pattern!(
    /// The sequence that [`text.par_split(pattern)`](crate::par::ParStr::par_split) returns: the pieces of a string between separators.
    ParStrSplit, &'s str, SpanIter<P::Split<'s, 'a>>,
    // If a separator is at the end of the text, an empty last piece begins behind it, so there is one more position.
    1,
    |text, pattern, range| {
        let some = between(text, range, |text| pattern.find(text));
        SpanIter(some.map(|some| pattern.split(some)))
    }
);
by_pattern!(
    /// The sequence that [`text.par_split_terminator(pattern)`](crate::par::ParStr::par_split_terminator) returns: the pieces of a string
    /// between separators, without an empty piece at the end.
    ParStrSplitTerminator, &'s str, SpanIter<P::Split<'s, 'a>>, 0,
    |text, pattern, range| {
        let some = between(text, range, |text| pattern.find(text));
        SpanIter(some.map(|some| pattern.split(some)))
    }
);
by_pattern!(
    /// The sequence that [`text.par_split_inclusive(pattern)`](crate::par::ParStr::par_split_inclusive) returns: the pieces of a string
    /// with the separators at their ends.
    ParStrSplitInclusive, &'s str, SpanIter<P::SplitInclusive<'s, 'a>>, 0,
    |text, pattern, range| {
        let some = up_to(text, range, |text| pattern.find(text));
        SpanIter(some.map(|some| pattern.split_inclusive(some)))
    }
);
by_pattern!(
    /// The sequence that [`text.par_matches(pattern)`](crate::par::ParStr::par_matches) returns: the matches in a string.
    ParMatches, &'s str, P::Matches<'s, 'a>, 0,
    |text, pattern, range| pattern.matches(characters(text, range))
);
by_pattern!(
    /// The sequence that [`text.par_match_indices(pattern)`](crate::par::ParStr::par_match_indices) returns: the matches in a string, each
    /// with its position.
    ParMatchIndices, (usize, &'s str), Shifted<P::MatchIndices<'s, 'a>>, 0,
    |text, pattern, range| {
        let by = ceil(text, range.start);
        Shifted {
            items: pattern.match_indices(characters(text, range)),
            by,
        }
    }
);
