//! Output of lines to the standard error.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Writes a line to the standard error. Unlike `eprintln`, this function does not panic if the reader
/// has gone, because its callers have more work to do.
pub(crate) fn say(text: Arguments<'_>) {
    let _ = writeln!(io::stderr(), "heist-places: {text}");
}
