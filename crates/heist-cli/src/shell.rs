//! Completion scripts for shells, and manual pages.

use std::path::PathBuf;

use clap::{Args, Command};

use crate::failure::Failure;
use crate::outfile;
use crate::say;

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

/// Print the manual page of the program, or write the pages of all commands.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  heist man | man -l -\n  heist man --out ~/.local/share/man/man1"
)]
pub(crate) struct Man {
    /// Write a page for each command into the folder DIR, which is made where it is missing
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Runs `heist completions` for the command line `whole`.
pub(crate) fn completions(args: &Completions, mut whole: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut whole, "heist", &mut script);
    say::raw(&String::from_utf8_lossy(&script))
}

/// Runs `heist man` for the command line `whole`.
pub(crate) fn man(args: &Man, mut whole: Command) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        return say::raw(&page(whole)?);
    };
    // `build` gives the subcommands their full names, such as `heist-bench`.
    whole.build();
    let mut commands = Vec::new();
    let mut left = vec![whole];
    while let Some(command) = left.pop() {
        left.extend(command.get_subcommands().cloned());
        if !command.is_hide_set() && command.get_name() != "help" {
            commands.push(command);
        }
    }
    let names: Vec<String> = commands
        .iter()
        .map(|command| {
            let name = command.get_display_name().unwrap_or(command.get_name());
            format!("{name}.1")
        })
        .collect();
    let files = outfile::all_in_folder(folder, names.iter().map(String::as_str))?;
    for (command, mut file) in commands.into_iter().zip(files) {
        file.fill(&page(command)?)?;
    }
    say::out(&format!(
        "Wrote {} pages to '{}'.\n",
        names.len(),
        folder.display()
    ))
}

fn page(command: Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut text)
        .map_err(|error| Failure::Request(format!("cannot write the manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
