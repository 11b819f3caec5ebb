//! Completion scripts for shells, and manual pages.

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{self, Cli};
use crate::failure::Failure;
use crate::outfile;
use crate::say;

/// `heist completions`
pub(crate) fn completions(args: &args::Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "heist", &mut script);
    say::raw(&String::from_utf8_lossy(&script))
}

/// `heist man`
pub(crate) fn man(args: &args::Man) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        return say::raw(&page(Cli::command())?);
    };
    let mut all = Cli::command();
    // Names the subcommands as they are called: heist-bench.
    all.build();
    let commands: Vec<clap::Command> = std::iter::once(all.clone())
        .chain(all.get_subcommands().cloned())
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
        .collect();
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

fn page(command: clap::Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    Man::new(command)
        .render(&mut text)
        .map_err(|error| Failure::Request(format!("cannot write the manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
