//! Standard output, written so that a closed pipe ends the program quietly, and the choice of colours.

use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

use crate::failure::Failure;

/// Writes `text` to standard output. `print!` would panic when the reader has gone.
pub(crate) fn out(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Request(format!(
                "cannot write to standard output: {error}; free some space or send the output elsewhere"
            )),
        })
}

/// Says which files were written where, and how long that took.
pub(crate) fn wrote(names: &str, folder: &Path, since: Instant) -> Result<(), Failure> {
    out(&format!(
        "Wrote {names} to '{}', after {:.0} s.\n",
        folder.display(),
        since.elapsed().as_secs_f64()
    ))
}

/// Whether standard output takes colours: a terminal that is not dumb, and no `NO_COLOR`.
pub(crate) fn colours_on_stdout() -> bool {
    io::stdout().is_terminal()
        && colours_welcome(
            std::env::var_os("NO_COLOR").as_deref(),
            std::env::var_os("TERM").as_deref(),
        )
}

/// Whether the environment allows colours at all (<https://no-color.org>: set and not empty means none).
fn colours_welcome(no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|term| term != "dumb")
}

/// `text` in bold where colours are on.
pub(crate) fn bold(text: &str, colours: bool) -> String {
    if colours {
        let bold = anstyle::Style::new().bold();
        format!("{bold}{text}{bold:#}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_and_dumb_terminals_are_respected() {
        let word = |text| Some(OsStr::new(text));
        assert!(colours_welcome(None, word("xterm")));
        assert!(
            colours_welcome(word(""), None),
            "an empty NO_COLOR does not count"
        );
        assert!(!colours_welcome(word("1"), word("xterm")));
        assert!(!colours_welcome(None, word("dumb")));
    }
}
