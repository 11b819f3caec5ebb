//! `heist list` describes the programs.

use heist_suite::programs;
use serde_json::{Value, json};

use crate::contender;
use crate::failure::Failure;
use crate::listing::Listing;
use crate::outfile::Outfile;
use crate::say;

/// Lists all programs with their purposes, sources and contenders.
pub(crate) fn run(args: &Listing) -> Result<(), Failure> {
    if let Some(path) = &args.json {
        return Outfile::open("--json", path)?.fill(&format!("{:#}\n", as_json()));
    }
    let colours = say::colours_on_stdout();
    let width = programs()
        .iter()
        .map(|program| program.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for program in programs() {
        let name = say::bold(&format!("{:width$}", program.name), colours);
        text.push_str(&format!("{name}  {}\n", program.about));
        text.push_str(&format!("{:width$}  source: {}\n", "", program.source));
        text.push_str(&format!(
            "{:width$}  runs as: {}\n",
            "",
            names(program.contenders).join(", ")
        ));
    }
    say::out(&text)
}

fn names(contenders: &[heist_suite::Contender]) -> Vec<&'static str> {
    contenders.iter().map(|&who| contender::name(who)).collect()
}

fn as_json() -> Value {
    programs()
        .iter()
        .map(|program| {
            json!({
                "name": program.name,
                "about": program.about,
                "source": program.source,
                "contenders": names(program.contenders),
            })
        })
        .collect()
}
