//! Patterns in strings.

use std::str;

/// A pattern of one character of a string: a `char`, a set of characters (`&[char]`, `[char; N]`, `&[char; N]`), or a
/// function that returns true for a character.
///
/// This trait is sealed.
pub trait ParPattern: sealed::Pattern + Send + Sync {}

pub(crate) mod sealed {
    /// The string operations with a pattern. Stable Rust code cannot use the standard library's pattern trait, so each kind of pattern
    /// implements this trait instead.
    pub trait Pattern {
        type Split<'s, 'p>: Iterator<Item = &'s str>
        where
            Self: 'p;
        type SplitInclusive<'s, 'p>: Iterator<Item = &'s str>
        where
            Self: 'p;
        type Matches<'s, 'p>: Iterator<Item = &'s str>
        where
            Self: 'p;
        type MatchIndices<'s, 'p>: Iterator<Item = (usize, &'s str)>
        where
            Self: 'p;

        fn split<'s, 'p>(&'p self, text: &'s str) -> Self::Split<'s, 'p>;
        fn split_inclusive<'s, 'p>(&'p self, text: &'s str) -> Self::SplitInclusive<'s, 'p>;
        fn matches<'s, 'p>(&'p self, text: &'s str) -> Self::Matches<'s, 'p>;
        fn match_indices<'s, 'p>(&'p self, text: &'s str) -> Self::MatchIndices<'s, 'p>;
        /// Returns the start and end of the first match as byte positions.
        fn find(&self, text: &str) -> Option<(usize, usize)>;
    }
}

/// Implements the trait for the pattern type `$pattern`. `$get` converts a pattern to the standard library's pattern type `$std`.
macro_rules! pattern {
    ([$($generics:tt)*] $pattern:ty, $std:ty, |$this:ident| $get:expr) => {
        impl<$($generics)*> sealed::Pattern for $pattern {
            type Split<'s, 'p> = str::Split<'s, $std> where Self: 'p;
            type SplitInclusive<'s, 'p> = str::SplitInclusive<'s, $std> where Self: 'p;
            type Matches<'s, 'p> = str::Matches<'s, $std> where Self: 'p;
            type MatchIndices<'s, 'p> = str::MatchIndices<'s, $std> where Self: 'p;

            #[inline]
            fn split<'s, 'p>(&'p self, text: &'s str) -> Self::Split<'s, 'p> {
                let $this = self;
                text.split($get)
            }

            #[inline]
            fn split_inclusive<'s, 'p>(&'p self, text: &'s str) -> Self::SplitInclusive<'s, 'p> {
                let $this = self;
                text.split_inclusive($get)
            }

            #[inline]
            fn matches<'s, 'p>(&'p self, text: &'s str) -> Self::Matches<'s, 'p> {
                let $this = self;
                text.matches($get)
            }

            #[inline]
            fn match_indices<'s, 'p>(&'p self, text: &'s str) -> Self::MatchIndices<'s, 'p> {
                let $this = self;
                text.match_indices($get)
            }

            #[inline]
            fn find(&self, text: &str) -> Option<(usize, usize)> {
                let $this = self;
                let (at, found) = text.match_indices($get).next()?;
                Some((at, at + found.len()))
            }
        }

        impl<$($generics)*> ParPattern for $pattern {}
    };
}
pattern!([] char, char, |this| *this);
pattern!(['c] &'c [char], &'c [char], |this| *this);
pattern!([const N: usize] [char; N], [char; N], |this| *this);
pattern!(['c, const N: usize] &'c [char; N], &'c [char; N], |this| *this);
pattern!([F: Fn(char) -> bool + Send + Sync] F, &'p F, |this| this);
