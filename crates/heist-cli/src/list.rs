//! `heist list` describes the programs.

use heist_suite::{Contender, Program, programs};
use serde_json::{Value, json};

use crate::contender;
use crate::failure::Failure;
use crate::listing::Listing;
use crate::outfile::Outfile;
use crate::say;

/// Lists all programs, and the contenders that run them.
pub(crate) fn run(args: &Listing) -> Result<(), Failure> {
    if let Some(path) = &args.json {
        return Outfile::open("--json", path)?.fill(&format!("{:#}\n", as_json()));
    }
    let colours = say::colours_on_stdout();
    let mut text = String::new();
    let kinds = [
        "Programs that fork and join",
        "Programs of scopes",
        "Programs of loops",
    ];
    for title in kinds {
        text.push_str(&say::bold(title, colours));
        text.push('\n');
        let of_kind: Vec<_> = programs()
            .iter()
            .filter(|program| kind(program) == title)
            .collect();
        let rows: Vec<_> = of_kind
            .iter()
            .map(|program| {
                let source = format!("{} ({})", program.about, program.source);
                let about = if say::width().is_none() {
                    source
                } else {
                    program.about.into()
                };
                (program.name, about)
            })
            .collect();
        text.push_str(&columns(&rows));
        text.push_str(&format!(
            "--vs takes: {}\n\n",
            names(of_kind[0].contenders).join(", ")
        ));
    }
    text.push_str(&say::bold("Contenders", colours));
    text.push('\n');
    let rows: Vec<_> = Contender::all()
        .map(|who| (contender::name(who), contender::about(who).into()))
        .collect();
    text.push_str(&columns(&rows));
    if say::width().is_some() {
        text.push_str("--wide adds the sources of the programs.\n");
    }
    say::out(&text)
}

/// Returns the title under which a program is listed. Programs with the same title run as the same contenders.
fn kind(program: &Program) -> &'static str {
    if program.contenders == Contender::JOINS {
        "Programs that fork and join"
    } else if program.contenders == Contender::LOOPS {
        "Programs of loops"
    } else {
        "Programs of scopes"
    }
}

/// Returns a line for each row: a name, and a description in a column of its own.
fn columns(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, about)| format!("{name:width$}  {about}\n"))
        .collect()
}

fn names(contenders: &[Contender]) -> Vec<&'static str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_with_one_title_run_as_the_same_contenders() {
        for one in programs() {
            for other in programs() {
                assert_eq!(
                    kind(one) == kind(other),
                    one.contenders == other.contenders,
                    "{} and {}",
                    one.name,
                    other.name
                );
            }
        }
    }
}
