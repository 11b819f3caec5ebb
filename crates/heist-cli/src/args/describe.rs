//! The command lines of commands that describe: the machine, the programs, this program.

use std::path::PathBuf;

use clap::Args;

/// Options of the commands that only describe.
#[derive(Debug, Args)]
pub(crate) struct Listing {
    /// Write everything to FILE as JSON, in place of the text; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  source <(heist completions bash)    in ~/.bashrc
  heist completions zsh >~/.zfunc/_heist
  heist completions fish >~/.config/fish/completions/heist.fish";

/// Print a script that completes commands and options in a shell.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page of the program, or write those of all commands.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  heist man | man -l -\n  heist man --out ~/.local/share/man/man1"
)]
pub(crate) struct Man {
    /// Write a page for each command into the folder DIR, which is made where it is missing
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
