//! The trait and the types of `rayon::str`. The types are aliases of the types of [`par`](mod@crate::par).
//!
//! ```
//! use heist::rayon::prelude::*;
//! use heist::rayon::str::Lines;
//!
//! fn lines(text: &str) -> Lines<'_> {
//!     text.par_lines()
//! }
//! assert_eq!(lines("to be\nor not").map(str::len).collect::<Vec<_>>(), [5, 6]);
//! ```

pub use super::prelude::ParallelString;
use crate::par::{Copied, ParRef};
pub use crate::par::{
    ParCharIndices as CharIndices, ParChars as Chars, ParEncodeUtf16 as EncodeUtf16,
    ParLines as Lines, ParMatchIndices as MatchIndices, ParMatches as Matches,
    ParSplitAsciiWhitespace as SplitAsciiWhitespace, ParSplitWhitespace as SplitWhitespace,
    ParStrSplit as Split, ParStrSplitInclusive as SplitInclusive,
    ParStrSplitTerminator as SplitTerminator,
};

/// The sequence that [`par_bytes`](crate::par::ParStr::par_bytes) returns.
pub type Bytes<'s> = Copied<ParRef<'s, u8>>;
