//! The commands for Parallel ML in a build without the compiler. Such a command accepts any arguments, and prints an error that explains
//! how to get the compiler.

use std::ffi::{OsStr, OsString};

use clap::Args;

use crate::failure::Failure;

/// The arguments of a command that this build does not have.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Absent {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<OsString>,
}

pub(crate) type Run = Absent;
pub(crate) type Build = Absent;
pub(crate) type Check = Absent;
pub(crate) type Explain = Absent;
pub(crate) type Fmt = Absent;
pub(crate) type Repl = Absent;
pub(crate) type Lsp = Absent;

impl Absent {
    /// Returns the error message for `heist command`. The message shows a command line that builds and runs `heist` with the compiler.
    pub(crate) fn refusal(self, command: &str) -> Failure {
        let mut line = "this build leaves out the compiler of Parallel ML; in the repository, run \
                        `cargo run --release --features pml -- "
            .to_owned();
        line.push_str(command);
        for word in self.words {
            line.push(' ');
            line.push_str(&quoted(&word));
        }
        Failure::Request(line + "`")
    }
}

/// Returns `word`, quoted for a shell if necessary.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, text) in [
            ("examples/fib.pml", "examples/fib.pml"),
            ("--heap=512M", "--heap=512M"),
            ("", "''"),
            ("two words", "'two words'"),
            ("it's", "'it'\\''s'"),
        ] {
            assert_eq!(quoted(OsStr::new(word)), text);
        }
    }
}
