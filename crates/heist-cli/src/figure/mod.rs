//! `heist figure` measures figures of the papers again.

pub(crate) mod args;
mod barriers;
mod cancel;
mod cooperative_3;
mod idempotent_4;
mod idempotent_graphs;
mod instructions;
mod interrupts;
mod lazy;
mod policies_1;
mod promotion;

use std::fmt::Write;

use crate::failure::Failure;
use crate::say;
use crate::select;

pub(crate) use instructions::operate;

/// A figure that can be measured again.
struct Figure {
    name: String,
    about: String,
    /// The publication that contains the figure.
    source: &'static str,
    run: fn(&str, &args::Figure) -> Result<(), Failure>,
}

/// All figures, in the order of the list.
fn figures() -> Vec<Figure> {
    let graphs = idempotent_graphs::PANELS.iter().map(|panel| Figure {
        name: panel.name.to_owned(),
        about: panel.description(),
        source: "Michael, Vechev and Saraswat, Idempotent work stealing (PPoPP 2009), figures 5 to 10",
        run: idempotent_graphs::run,
    });
    let deques = Figure {
        name: "idempotent-4".to_owned(),
        about: "what a deque's owner pays for its puts and takes, alone and with thieves"
            .to_owned(),
        source: "Michael, Vechev and Saraswat, Idempotent work stealing (PPoPP 2009), figure 4",
        run: |_, args| idempotent_4::run(args),
    };
    let cooperative = Figure {
        name: cooperative_3::NAME.to_owned(),
        about: cooperative_3::about(),
        source: "Imam and Sarkar, A Case for Cooperative Scheduling in X10's Managed Runtime (X10 2014), figure 3",
        run: |_, args| cooperative_3::run(args),
    };
    let policies = Figure {
        name: policies_1::NAME.to_owned(),
        about: policies_1::about(),
        source: "Sarkar, COMP 322, lecture 11, table 1",
        run: |_, args| policies_1::run(args),
    };
    let barriers = barriers::names().into_iter().map(|(name, about)| Figure {
        name,
        about,
        source: barriers::SOURCE,
        run: barriers::run,
    });
    let lazy = lazy::names().map(|(name, about)| Figure {
        name: name.to_owned(),
        about: about.to_owned(),
        source: lazy::SOURCE,
        run: lazy::run,
    });
    let promotion = promotion::names().map(|(name, about)| Figure {
        name: name.to_owned(),
        about: about.to_owned(),
        source: promotion::SOURCE,
        run: promotion::run,
    });
    let cancel = cancel::names().map(|(name, about)| Figure {
        name: name.to_owned(),
        about: about.to_owned(),
        source: cancel::SOURCE,
        run: cancel::run,
    });
    let interrupts = Figure {
        name: interrupts::NAME.to_owned(),
        about: interrupts::ABOUT.to_owned(),
        source: interrupts::SOURCE,
        run: |_, args| interrupts::run(args),
    };
    std::iter::once(deques)
        .chain(graphs)
        .chain([cooperative, policies])
        .chain(barriers)
        .chain(lazy)
        .chain(promotion)
        .chain(cancel)
        .chain([interrupts])
        .collect()
}

/// Measures the requested figure, or lists all figures.
pub(crate) fn run(args: &args::Figure) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        return say::out(&list(say::colours_on_stdout()));
    };
    let figures = figures();
    match figures.iter().find(|figure| figure.name == *name) {
        Some(figure)
            if !args.programs.is_empty()
                && ![barriers::SOURCE, lazy::SOURCE].contains(&figure.source) =>
        {
            Err(Failure::Request(format!(
                "--programs is for {} and lazy-4.1 to -4.12; {name} has programs of its own",
                barriers::NAME
            )))
        }
        Some(figure) if args.slices && figure.source != lazy::SOURCE => {
            Err(Failure::Request(format!(
                "--slices is for lazy-4.3 and lazy-4.8 to -4.11; {name} has nothing to do with ropes"
            )))
        }
        Some(figure) if args.nodes.is_some() && figure.name != cooperative_3::NAME => {
            Err(Failure::Request(format!(
                "--nodes is for {}; {name} takes --size",
                cooperative_3::NAME
            )))
        }
        Some(figure)
            if !heist_suite::STUDY && [barriers::SOURCE, lazy::SOURCE].contains(&figure.source) =>
        {
            Err(Failure::Request(format!(
                "{name} needs the feature `study`, which this build leaves out; in the repository, run \
                 `cargo run --profile measure --features study -- figure {name}`"
            )))
        }
        Some(figure) => (figure.run)(name, args),
        None => {
            if let Some(line) = barriers::why_not(name) {
                return Err(Failure::Request(line));
            }
            let names = figures.iter().map(|figure| figure.name.as_str());
            let hint = match select::nearest(name, names) {
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
    let figures = figures();
    let width = figures
        .iter()
        .map(|figure| figure.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for figure in &figures {
        let name = say::bold(&format!("{:width$}", figure.name), colours);
        let _ = writeln!(text, "{name}  {}", figure.about);
        let _ = writeln!(text, "{:width$}  source: {}", "", figure.source);
    }
    text
}

/// Returns a number as text with separators: 1234567 becomes `1,234,567`.
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
