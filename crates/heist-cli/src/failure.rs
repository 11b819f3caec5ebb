//! Failures of the program, with their exit codes.

use std::io::{self, Write};
use std::process::ExitCode;

/// The reason why the program stops, which determines its exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request cannot be carried out as given: exit code 2.
    Request(String),
    /// A program computed a wrong result: exit code 1.
    WrongResult(String),
    /// The reader has closed the pipe of standard output, so the program ends without a message: exit code 0.
    ReaderGone,
}

impl Failure {
    /// Prints this failure's one-line message and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let (line, code) = match self {
            Failure::Request(line) => (line, 2),
            Failure::WrongResult(line) => (line, 1),
            Failure::ReaderGone => return ExitCode::SUCCESS,
        };
        // If standard error is closed, too, only the exit code reports the failure.
        let _ = writeln!(io::stderr(), "heist: {}", one_line(line));
        ExitCode::from(code)
    }
}

/// Returns `text` on one line: each sequence of white space becomes one space, and other control
/// characters are escaped.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if c.is_control() {
                line.extend(c.escape_default());
            } else {
                line.push(c);
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_line_stays_a_line() {
        assert_eq!(one_line("a\n\n  b\tc\x1b[1m"), "a b c\\u{1b}[1m");
    }
}
