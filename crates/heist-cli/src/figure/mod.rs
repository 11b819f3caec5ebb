//! `heist figure`: figures of the papers, measured again.

mod idempotent_4;
mod instructions;

use std::fmt::Write;

use crate::args;
use crate::failure::Failure;
use crate::say;
use crate::select;

pub(crate) use instructions::operate;

/// A figure that can be measured again.
struct Figure {
    name: &'static str,
    about: &'static str,
    /// The publication it is in.
    source: &'static str,
    run: fn(&args::Figure) -> Result<(), Failure>,
}

const FIGURES: &[Figure] = &[Figure {
    name: "idempotent-4",
    about: "what a deque's owner pays for its puts and takes, alone and with thieves",
    source: "Michael, Vechev and Saraswat, Idempotent work stealing (PPoPP 2009), figure 4",
    run: idempotent_4::run,
}];

/// Measures the figure that was asked for, or lists them all.
pub(crate) fn run(args: &args::Figure) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        return say::out(&list(say::colours_on_stdout()));
    };
    match FIGURES.iter().find(|figure| figure.name == name) {
        Some(figure) => (figure.run)(args),
        None => {
            let hint = match select::nearest(name, FIGURES.iter().map(|figure| figure.name)) {
                Some(near) => format!("did you mean {near}? "),
                None => String::new(),
            };
            Err(Failure::Request(format!(
                "there is no figure '{}'; {hint}`heist figure` names them all",
                name.escape_debug()
            )))
        }
    }
}

fn list(colours: bool) -> String {
    let width = FIGURES
        .iter()
        .map(|figure| figure.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for figure in FIGURES {
        let name = say::bold(&format!("{:width$}", figure.name), colours);
        let _ = writeln!(text, "{name}  {}", figure.about);
        let _ = writeln!(text, "{:width$}  source: {}", "", figure.source);
    }
    text
}

/// `1234567` as `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }
}
