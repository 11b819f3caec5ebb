//! Output to standard output, and the choice of colours. If standard output is a closed pipe, the program ends silently.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::failure::Failure;

/// `EBADF`, the system's error for a closed stream.
const BAD_DESCRIPTOR: i32 = 9;
/// The number of columns of a line if the terminal's width is unknown.
const WIDTH: usize = 80;
/// The width of help texts, which is the same everywhere.
pub(crate) const HELP_WIDTH: usize = WIDTH;
/// The minimum width of lines. On narrower terminals, lines also have this minimum width.
const LEAST_WIDTH: usize = 40;

/// Whether lines may have any length: `--wide`.
static WIDE: AtomicBool = AtomicBool::new(false);

/// Allows lines of any length from now on.
pub(crate) fn be_wide() {
    // Relaxed is enough, because the flag is set before other threads exist.
    WIDE.store(true, Ordering::Relaxed);
}

/// Returns the maximum number of columns of a line: the width of the terminal, or 80 if the width is unknown. Returns `None` if lines
/// may have any length.
pub(crate) fn width() -> Option<usize> {
    if WIDE.load(Ordering::Relaxed) {
        return None;
    }
    let terminal = comfy_table::Table::new().width().map(usize::from);
    Some(terminal.unwrap_or(WIDTH).max(LEAST_WIDTH))
}

/// Writes `text` to standard output, and breaks lines that are too long. Lines of tables are already narrow enough.
pub(crate) fn out(text: &str) -> Result<(), Failure> {
    match width() {
        Some(width) => raw(&wrapped(text, width)),
        None => raw(text),
    }
}

/// Returns `text` with its long lines broken at spaces. If the broken line has columns, continuation lines are indented to its last column;
/// otherwise they are indented like the broken line. If the line after a long line looks like a part of the same paragraph, the two lines
/// are wrapped together.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let mut all = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if columns(line) <= width {
            all.push_str(line);
        } else {
            let mut paragraph = line.to_owned();
            let goes_on =
                |next: &&str| next.starts_with(char::is_alphanumeric) && !next.contains("  ");
            if !line.starts_with(' ') && !line.contains("  ") {
                while let Some(next) = lines.next_if(goes_on) {
                    paragraph.push(' ');
                    paragraph.push_str(next);
                    if columns(next) <= width {
                        break;
                    }
                }
            }
            wrap_line(&paragraph, width, &mut all);
        }
        if lines.peek().is_some() {
            all.push('\n');
        }
    }
    all
}

fn wrap_line(line: &str, width: usize, all: &mut String) {
    let lead = line.len() - line.trim_start_matches(' ').len();
    let (first, indent, rest) = match text_column(line) {
        // The line has two columns, and the first column leaves enough space for the second.
        Some(at) if 5 * columns(&line[..at]) <= 3 * width => {
            (&line[..at], columns(&line[..at]), &line[at..])
        }
        // The first column gets a line of its own, and the second column follows on the next line.
        Some(at) => {
            all.push_str(line[..at].trim_end());
            all.push('\n');
            all.extend(std::iter::repeat_n(' ', lead + 4));
            ("", lead + 4, &line[at..])
        }
        None => (&line[..lead], lead, &line[lead..]),
    };
    all.push_str(first);
    let mut used = indent;
    for (nth, (gap, word)) in words(rest).enumerate() {
        let long = columns(word);
        if nth > 0 && used + gap + long > width {
            all.push('\n');
            all.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else {
            all.extend(std::iter::repeat_n(' ', gap));
            used += gap;
        }
        all.push_str(word);
        used += long;
    }
}

/// Returns the words of a line, each with the number of spaces before it.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let word = rest.trim_start_matches(' ');
        let gap = rest.len() - word.len();
        let end = word.find(' ').unwrap_or(word.len());
        rest = &word[end..];
        (end > 0).then(|| (gap, &word[..end]))
    })
}

/// Returns the byte position of the last column of a line. The last column begins after the first gap of two spaces.
fn text_column(line: &str) -> Option<usize> {
    let lead = line.len() - line.trim_start_matches(' ').len();
    let gap = lead + line[lead..].find("  ")?;
    Some(line.len() - line[gap..].trim_start_matches(' ').len())
}

/// Breaks the text that follows the help of a command into lines of at most 80 columns.
pub(crate) fn help(text: &str) -> String {
    wrapped(text, WIDTH)
}

/// Returns the number of columns of a text. Escape codes take no columns.
pub(crate) fn columns(text: &str) -> usize {
    let mut count = 0;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            // The escape codes of this program end with a letter.
            chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            count += 1;
        }
    }
    count
}

/// Writes `text` to standard output without changes. This function does not use `print!`, which panics if standard output is a pipe without
/// a reader. The standard library's stream would also ignore a closed standard output.
pub(crate) fn raw(text: &str) -> Result<(), Failure> {
    let stdout = io::stdout().lock();
    stdout
        .as_fd()
        .try_clone_to_owned()
        .and_then(|output| File::from(output).write_all(text.as_bytes()))
        .map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ if error.raw_os_error() == Some(BAD_DESCRIPTOR) => Failure::Request(
                "cannot write to standard output: it is closed; send it to a file, or to /dev/null"
                    .into(),
            ),
            _ => Failure::Request(format!(
                "cannot write to standard output: {error}; free some space or send the output elsewhere"
            )),
        })
}

/// Prints a line with the names of the written files, their folder and the duration.
pub(crate) fn wrote(names: &str, folder: &Path, since: Instant) -> Result<(), Failure> {
    out(&format!(
        "Wrote {names} to '{}', after {:.0} s.\n",
        folder.display(),
        since.elapsed().as_secs_f64()
    ))
}

/// Returns true if standard output supports colours: it is a terminal that is not dumb, and `NO_COLOR` is not set.
pub(crate) fn colours_on_stdout() -> bool {
    io::stdout().is_terminal()
        && colours_welcome(
            std::env::var_os("NO_COLOR").as_deref(),
            std::env::var_os("TERM").as_deref(),
        )
}

/// Returns true if the environment allows colours. According to <https://no-color.org>, a `NO_COLOR` that is not empty forbids colours.
fn colours_welcome(no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|term| term != "dumb")
}

/// Returns `text` in bold if colours are on.
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
    fn long_lines_are_broken_and_columns_stay() {
        assert_eq!(wrapped("short\n\nlines\n", 10), "short\n\nlines\n");
        assert_eq!(
            wrapped("one two three four\n  five six seven", 10),
            "one two\nthree four\n  five six\n  seven"
        );
        assert_eq!(
            wrapped("T_S  time of the serial program\n", 18),
            "T_S  time of the\n     serial\n     program\n"
        );
        // A long first column gets a line of its own.
        assert_eq!(
            wrapped("  heist bench fib  one program\n", 24),
            "  heist bench fib\n      one program\n"
        );
        // The lines of a paragraph are wrapped together.
        assert_eq!(
            wrapped("one two three\nfour five\nsix", 9),
            "one two\nthree\nfour five\nsix"
        );
        // A word that is longer than a line stays whole.
        assert_eq!(wrapped("a-very-long-word b", 10), "a-very-long-word\nb");
        // Colour codes take no columns.
        let bold = bold("0123456789", true);
        assert_eq!(wrapped(&bold, 10), bold);
    }

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
