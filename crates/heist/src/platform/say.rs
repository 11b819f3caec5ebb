//! Messages to the user of a program, from code that must not unwind.

use std::fmt::Arguments;
use std::io::Write;

/// Writes a line to stderr, in one piece. Unlike `eprintln!`, this function does not panic if stderr accepts nothing (`/dev/full`, or a
/// file on a full disk). The callers of this function must not unwind, because they are in the middle of scheduling, or about to abort.
pub(crate) fn say(line: Arguments<'_>) {
    let line = format!("{line}\n");
    // A failure to write is ignored, because no other stream could report it.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
