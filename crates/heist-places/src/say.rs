//! Lines on the standard error.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Writes a line. Unlike `eprintln`, it does not panic if the reader has gone, because its callers have
/// more to do.
pub(crate) fn say(text: Arguments<'_>) {
    let _ = writeln!(io::stderr(), "heist-places: {text}");
}
