//! `heist figure barriers` and `barriers-3` to `-12` measure the time that victims lose to thieves, with stopped victims
//! and with return barriers.
//!
//! One measurement and one simulation produce the numbers of all figures, and each figure shows some of these numbers.

mod chart;
mod files;
mod published;
mod simulate;
mod table;
mod values;

use std::time::Instant;

use heist::policy::{Delivery, Protocol};
use heist_sim::Costs;
use heist_suite::{Contender, Program, Size};

use crate::failure::Failure;
use crate::figure::args::{self, Pin};
use crate::graph::cpus;
use crate::machine::Machine;
use crate::measure::{self, Outcome};
use crate::outfile;
use crate::plan::{self, Rounds};
use crate::progress::Progress;
use crate::say;
use crate::select::{select, unknown};
use crate::stats::median;
use chart::FIGURES;
use values::Values;

/// The name of all figures together.
pub(super) const NAME: &str = "barriers";

/// The publication that contains the figure.
pub(super) const SOURCE: &str = "Kumar, Blackburn and Grove, Friendly Barriers: Efficient Work-Stealing With Return Barriers (VEE 2014)";

/// The contender that corresponds to DefaultWS of the paper.
const STOP: Contender = Contender::Under(Protocol::StopVictim);
/// The contender that corresponds to ReturnBarrierWS of the paper.
const BARRIER: Contender = Contender::Under(Protocol::ReturnBarrier(Delivery::Fence));
const STOP_NAME: &str = "heist-stop-victim";
const BARRIER_NAME: &str = "heist-return-barrier";
const RAYON: &str = "rayon";
const CHILI: &str = "chili";

/// The number of cores of the paper's machine.
const PAPER_WORKERS: usize = 16;
/// The maximum number of threads in a measurement without `--threads`.
const MOST_THREADS: usize = 8;

/// The programs of section 3.1, with their names in the suite and in the paper.
const PROGRAMS: [(&str, &str); 6] = [
    ("jacobi", "Jacobi"),
    ("fft", "FFT"),
    ("cilksort", "CilkSort"),
    ("barnes-hut", "Barnes-Hut"),
    ("uts-cyclic", "UTS"),
    ("lud", "LUD"),
];

/// All parameters of a measurement.
struct Plan {
    bench: plan::Plan,
    /// The numbers of simulated workers, in ascending order.
    workers: Vec<usize>,
}

/// A program and its results.
struct Subject {
    /// The name in the paper.
    label: &'static str,
    outcome: Outcome,
}

/// Returns the names of the figures, each with its subject.
pub(super) fn names() -> Vec<(String, String)> {
    let all = "all of the figures below, from one measurement".to_owned();
    let each = FIGURES.iter().map(|figure| {
        let name = format!("{NAME}-{}", figure.number);
        (name, figure.title.to_owned())
    });
    std::iter::once((NAME.to_owned(), all))
        .chain(each)
        .collect()
}

/// Returns the reason why a figure of the paper cannot be measured, or `None` if `name` is not a figure of the paper.
pub(super) fn why_not(name: &str) -> Option<String> {
    let number: usize = name.strip_prefix(NAME)?.strip_prefix('-')?.parse().ok()?;
    let what = match number {
        1 => "a program text",
        2 | 6 => "a drawing of a stack",
        _ => return None,
    };
    Some(format!(
        "figure {number} of that paper is {what}, with nothing to measure; `heist figure barriers` has all that have numbers"
    ))
}

/// Measures, simulates, and writes the results.
pub(crate) fn run(name: &str, args: &args::Figure) -> Result<(), Failure> {
    let plan = plan(name, args)?;
    let figures: Vec<_> = FIGURES
        .iter()
        .filter(|figure| name == NAME || name == format!("{NAME}-{}", figure.number))
        .collect();
    let mut names = vec![format!("{name}.csv"), format!("{name}.json")];
    names.extend(
        figures
            .iter()
            .map(|figure| format!("{NAME}-{}.svg", figure.number)),
    );
    let files = outfile::all_in_folder(&args.out, names.iter().map(String::as_str))?;
    // The machine is described before the threads are pinned, because this thread sees fewer CPUs afterwards.
    let machine = Machine::detect()?;
    let start = Instant::now();
    let subjects: Vec<Subject> = measure::measure(&plan.bench)?
        .into_iter()
        .map(|outcome| Subject {
            label: label(outcome.program),
            outcome,
        })
        .collect();
    let values = gather(&plan, &subjects)?;
    let charts: Vec<_> = figures
        .into_iter()
        .map(|figure| (figure, chart::render(figure, &plan, &subjects, &values)))
        .collect();
    // The files are filled even if the reader closes the output before the table ends.
    let told = say::out(&table::render(
        &plan,
        &subjects,
        &values,
        say::colours_on_stdout(),
    ));
    let mut contents = vec![
        files::csv(&values)?,
        files::json(name, &machine, &plan, &subjects, &values, &charts)?,
    ];
    for (_, chart) in &charts {
        contents.push(chart.svg()?);
    }
    for (mut file, content) in files.into_iter().zip(contents) {
        file.fill(&content)?;
    }
    told?;
    say::wrote(&names.join(", "), &args.out, start)
}

/// Returns the program's name in the paper.
fn label(program: &Program) -> &'static str {
    let found = PROGRAMS.iter().find(|(name, _)| *name == program.name);
    found.map_or(program.name, |(_, label)| label)
}

/// Collects the measured, simulated and published values.
fn gather(plan: &Plan, subjects: &[Subject]) -> Result<Values, Failure> {
    let costs = Costs::default();
    let progress = Progress::new(subjects.len() * plan.workers.len() * 2);
    let mut all = Vec::new();
    for Subject { outcome, .. } in subjects {
        let name = outcome.program.name;
        progress.preparing(name);
        let serial = outcome
            .rows
            .iter()
            .find(|row| row.contender == Contender::Serial);
        let serial = serial.and_then(|row| median(&row.seconds())).unwrap_or(0.0);
        let dag = simulate::record(outcome.program, plan.bench.size, serial, &costs)?;
        let replays = simulate::replay(name, &dag, &plan.workers, &costs, &progress)?;
        all.extend(values::measured(outcome));
        all.extend(values::simulated(&replays, outcome));
        all.extend(values::published(name));
    }
    Ok(Values(all))
}

fn plan(name: &str, args: &args::Figure) -> Result<Plan, Failure> {
    if args.instructions {
        let line = format!("--instructions is for idempotent-4; {name} has none");
        return Err(Failure::Request(line));
    }
    let known = || PROGRAMS.iter().map(|&(name, _)| name);
    if let Some(other) = args
        .programs
        .iter()
        .find(|word| !known().any(|name| name == *word))
    {
        return Err(unknown(
            "--programs",
            "program of that paper",
            other,
            known(),
        ));
    }
    let chosen: Vec<String> = known()
        .filter(|name| args.programs.is_empty() || args.programs.iter().any(|word| word == name))
        .map(str::to_owned)
        .collect();
    let mut threads = match &args.threads {
        Some(list) => list.0.clone(),
        None => (1..=cpus().min(MOST_THREADS)).collect(),
    };
    threads.sort_unstable();
    let most = threads.last().copied().unwrap_or(1);
    let mut workers: Vec<usize> = (1..=PAPER_WORKERS).chain(threads.iter().copied()).collect();
    workers.sort_unstable();
    workers.dedup();
    Ok(Plan {
        bench: plan::Plan {
            programs: select(&chosen)?,
            size: args.size.unwrap_or(Size::Paper),
            threads,
            contenders: vec![
                Contender::Serial,
                STOP,
                BARRIER,
                Contender::Rayon,
                Contender::Chili,
            ],
            rounds: Rounds::Exactly(args.runs()),
            pin: match args.pin {
                // If there are too few CPUs, or the system does not report them, the system places the threads.
                Pin::Auto => plan::cpus_for(most).ok(),
                Pin::Never => None,
            },
            seed: rand::random(),
        },
        workers,
    })
}

#[cfg(test)]
mod tests {
    use heist_suite::programs;

    use super::*;
    use crate::contender;

    #[test]
    fn names_are_those_of_the_suite() {
        for (name, _) in PROGRAMS {
            let program = programs().iter().find(|program| program.name == name);
            let contenders = program.unwrap_or_else(|| panic!("no {name}")).contenders;
            for who in [STOP, BARRIER] {
                // Without the Cargo feature `study`, the command refuses to measure this figure.
                assert_eq!(contenders.contains(&who), heist_suite::STUDY, "{who:?}");
            }
        }
        assert_eq!(contender::name(STOP), STOP_NAME);
        assert_eq!(contender::name(BARRIER), BARRIER_NAME);
        assert_eq!(contender::name(Contender::Rayon), RAYON);
        assert_eq!(contender::name(Contender::Chili), CHILI);
        assert_eq!(BARRIER, Contender::Under(Protocol::default()));
    }

    #[test]
    fn figures_without_numbers_are_explained() {
        assert!(why_not("barriers-6").unwrap().contains("drawing"));
        for other in ["barriers-7", "barriers-13", "barriers", "idempotent-6"] {
            assert_eq!(why_not(other), None);
        }
    }
}
