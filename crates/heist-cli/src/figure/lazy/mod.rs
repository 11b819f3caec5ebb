//! `heist figure lazy-4.1`, `lazy-4.3` and `lazy-4.8` to `-4.12` compare lazy splitting of loops with eager splitting, as in
//! chapter 4 of Rainey's thesis.

mod cells;
mod chart;
mod csv;
mod measure;
mod published;
mod table;
mod values;

use std::time::{Duration, Instant};

use heist_suite::Size;
use heist_suite::loops::{LoopProgram, loop_programs};

use crate::failure::Failure;
use crate::figure::args::{self, Pin};
use crate::graph::cpus;
use crate::machine::Machine;
use crate::outfile;
use crate::plan::{self, Rounds};
use crate::say;
use crate::select::unknown;
use crate::sheet;
use cells::{Kind, On};

/// The publication that contains the figure.
pub(super) const SOURCE: &str = "Rainey, Effective Scheduling Techniques for High-Level Parallel Programming Languages (Chicago 2010), chapter 4";

/// The time for the rounds of one program, including the warm-up.
const BUDGET: Duration = Duration::from_secs(30);
/// The minimum number of rounds.
const LEAST_RUNS: usize = 3;
/// The maximum number of rounds. Runs of a millisecond need many rounds, because any disturbance on the machine takes longer than a run.
const MOST_RUNS: usize = 501;
/// The maximum number of threads in a measurement without `--threads`: the number of processors of the thesis'
/// machine.
const MOST_THREADS: usize = published::WORKERS;

/// A figure that this module measures.
struct Shape {
    name: &'static str,
    kind: Kind,
    about: &'static str,
    /// The table or figure of the thesis.
    origin: &'static str,
    /// The figure of the thesis whose programs this figure shows, or `None` if it shows all programs.
    shows: Option<&'static str>,
}

/// The figures, in the order of the thesis. The table of the thesis is first.
const SHAPES: [Shape; 7] = [
    shape(
        "lazy-4.1",
        Kind::Times,
        "loops in serial, on slices and on ropes, and split lazily: overhead and speed-up",
        "table 4.1",
    ),
    shape(
        "lazy-4.3",
        Kind::Thresholds,
        "parallel efficiency of eager splitting by its threshold, beside lazy splitting",
        "figure 4.3",
    ),
    shape(
        "lazy-4.8",
        Kind::SpeedUp,
        "speed-up of eager, lazy and other splitting by workers, and lazy by the best threshold",
        "figures 4.8 to 4.11",
    ),
    part(
        "lazy-4.9",
        "4.9",
        "lazy-4.8 of Raytracer and SMVM",
        "figure 4.9",
    ),
    part(
        "lazy-4.10",
        "4.10",
        "lazy-4.8 of DMM and Tree Rootfix",
        "figure 4.10",
    ),
    part(
        "lazy-4.11",
        "4.11",
        "lazy-4.8 of Nested Sums",
        "figure 4.11",
    ),
    shape(
        "lazy-4.12",
        Kind::Leaves,
        "parallel efficiency of lazy splitting by the size of the ropes' leaves",
        "figure 4.12",
    ),
];

const fn shape(name: &'static str, kind: Kind, about: &'static str, origin: &'static str) -> Shape {
    Shape {
        name,
        kind,
        about,
        origin,
        shows: None,
    }
}

const fn part(
    name: &'static str,
    figure: &'static str,
    about: &'static str,
    origin: &'static str,
) -> Shape {
    Shape {
        name,
        kind: Kind::SpeedUp,
        about,
        origin,
        shows: Some(figure),
    }
}

/// All parameters of a measurement.
struct Plan {
    shape: &'static Shape,
    kind: Kind,
    programs: Vec<&'static LoopProgram>,
    size: Size,
    on: On,
    /// The numbers of workers, in ascending order.
    workers: Vec<usize>,
    rounds: Rounds,
    /// The CPUs to which threads are pinned, if each thread can have a CPU of its own.
    pin: Option<Vec<usize>>,
    /// The seed of the generator that shuffles the rounds.
    seed: u64,
}

impl Plan {
    /// Returns the greatest number of workers.
    fn most(&self) -> usize {
        self.workers.last().copied().unwrap_or(1)
    }

    fn origin(&self) -> String {
        format!(
            "After {} of {SOURCE}: there PML, with leaves of 256, on 16 cores",
            self.shape.origin
        )
    }
}

/// Returns the names of the figures, each with its subject.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHAPES.iter().map(|shape| (shape.name, shape.about))
}

/// Measures and writes the figure.
pub(crate) fn run(name: &str, args: &args::Figure) -> Result<(), Failure> {
    let shape = SHAPES.iter().find(|shape| shape.name == name);
    let plan = plan(shape.expect("a name of ours"), args)?;
    let names = ["csv", "json", "svg"].map(|ending| format!("{name}.{ending}"));
    let [mut csv_file, mut json_file, mut svg_file] =
        outfile::in_folder(&args.out, names.each_ref().map(String::as_str))?;
    // The machine is described before the threads are pinned, because this thread sees fewer CPUs afterwards.
    let machine = Machine::detect()?;
    let start = Instant::now();
    let outcomes = measure::measure(&plan)?;
    // The files are filled even if the reader closes the output before the table ends.
    let told = say::out(&table::render(&plan, &outcomes, say::colours_on_stdout()));
    let csv = csv::render(&plan, &outcomes)?;
    let chart = chart::render(&plan, &outcomes);
    csv_file.fill(&csv)?;
    json_file.fill(&sheet::of_figure(
        name,
        &plan.origin(),
        &machine,
        &[(name, &chart)],
        &csv,
    )?)?;
    svg_file.fill(&chart.svg()?)?;
    told?;
    say::wrote(&names.join(", "), &args.out, start)
}

fn plan(shape: &'static Shape, args: &args::Figure) -> Result<Plan, Failure> {
    let name = shape.name;
    let refused = |line: String| Err(Failure::Request(line));
    if args.instructions {
        return refused(format!(
            "--instructions is for idempotent-4; {name} has none"
        ));
    }
    match shape.kind {
        Kind::Leaves if args.slices => {
            return refused(format!("--slices: {name} is about the leaves of ropes"));
        }
        Kind::Times if args.slices => {
            return refused(format!(
                "--slices: {name} has slices and ropes side by side"
            ));
        }
        _ => {}
    }
    let on = if args.slices { On::Slices } else { On::Ropes };
    let mut workers = match &args.threads {
        Some(list) => list.0.clone(),
        None => (1..=cpus().min(MOST_THREADS)).collect(),
    };
    workers.sort_unstable();
    let most = workers.last().copied().unwrap_or(1);
    Ok(Plan {
        shape,
        kind: shape.kind,
        programs: programs(shape, on, &args.programs)?,
        size: args.size(),
        on,
        workers,
        rounds: match args.runs {
            Some(runs) => Rounds::Exactly(runs),
            None => Rounds::Within {
                least: LEAST_RUNS,
                most: MOST_RUNS,
                budget: BUDGET,
            },
        },
        pin: match args.pin {
            // If there are too few CPUs, or the system does not report them, the system places the threads.
            Pin::Auto => plan::cpus_for(most).ok(),
            Pin::Never => None,
        },
        seed: rand::random(),
    })
}

/// Returns the programs with the given names, in the order of the suite. If no names are given, returns the figure's own programs, which
/// run on ropes. For the name `all`, returns every program that the figure can run.
fn programs(shape: &Shape, on: On, names: &[String]) -> Result<Vec<&'static LoopProgram>, Failure> {
    let known = || loop_programs().iter().map(|program| program.program.name);
    let all = names.iter().any(|name| name == "all");
    if let Some(other) = names
        .iter()
        .find(|word| *word != "all" && !known().any(|name| name == *word))
    {
        return Err(unknown("--programs", "program of loops", other, known()));
    }
    let named = |program: &LoopProgram| names.iter().any(|name| name == program.program.name);
    let can =
        |program: &LoopProgram| program.has_ropes || on == On::Slices || shape.kind == Kind::Times;
    let own = |program: &LoopProgram| {
        let shown =
            |figure| published::of(program.program.name).is_some_and(|of| of.figure == figure);
        program.has_ropes && shape.shows.is_none_or(shown)
    };
    if let Some(flat) = loop_programs()
        .iter()
        .find(|program| named(program) && !can(program))
    {
        let hint = match shape.kind {
            Kind::Leaves => "leave it out",
            _ => "leave it out, or add --slices",
        };
        return Err(Failure::Request(format!(
            "--programs: {} does not run on ropes; {hint}",
            flat.program.name
        )));
    }
    let chosen: Vec<&'static LoopProgram> = loop_programs()
        .iter()
        .filter(|program| match names {
            [] => own(program),
            _ => named(program) || all && can(program),
        })
        .collect();
    if chosen.is_empty() {
        return Err(Failure::Request(format!(
            "{}: none of its programs is in this build; choose with --programs from {}",
            shape.name,
            known().collect::<Vec<_>>().join(", ")
        )));
    }
    Ok(chosen)
}

/// Returns a description of the measurement, as one line.
fn how(plan: &Plan, outcomes: &[measure::Outcome]) -> String {
    let rounds = || outcomes.iter().map(measure::Outcome::rounds);
    let (least, most) = (rounds().min().unwrap_or(0), rounds().max().unwrap_or(0));
    let rounds = if least == most {
        most.to_string()
    } else {
        format!("{least} to {most}")
    };
    let pinned = match plan.pin {
        Some(_) => "each thread pinned to a CPU of its own",
        None => "no thread is pinned",
    };
    let mut line = format!("Medians of {rounds} paired rounds; {pinned}");
    let is_in_few = |outcome: &measure::Outcome| {
        let all = outcome.rounds();
        outcome.rows.iter().any(|row| row.seconds.len() < all)
    };
    if outcomes.iter().any(is_in_few) {
        line.push_str(&format!(
            "; who takes more than {} times as long as serial code is in {} of them",
            measure::FAR_SLOWER,
            plan.rounds.least()
        ));
    }
    if plan.kind == Kind::Times && plan.size != Size::Paper {
        line.push_str("; the thesis' inputs are those of --size paper");
    }
    if plan.most() > cpus() {
        line.push_str(&format!(
            "; only {} threads can run at once here, more take turns",
            cpus()
        ));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> &'static Shape {
        SHAPES.iter().find(|shape| shape.name == name).unwrap()
    }

    #[test]
    fn figures_have_the_programs_of_the_thesis() {
        let names = |shape: &str, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            let chosen = programs(of(shape), On::Ropes, &words).ok()?;
            Some(
                chosen
                    .iter()
                    .map(|program| program.program.name)
                    .collect::<Vec<_>>(),
            )
        };
        let ropes = loop_programs().iter().filter(|program| program.has_ropes);
        let ropes: Vec<&str> = ropes.map(|program| program.program.name).collect();
        for shape in ["lazy-4.1", "lazy-4.3", "lazy-4.8", "lazy-4.12"] {
            assert_eq!(names(shape, &[]), Some(ropes.clone()));
            assert_eq!(names(shape, &["smvm", "smvm"]), Some(vec!["smvm"]));
        }
        assert!(names("lazy-4.9", &[]).unwrap().contains(&"smvm"));
        // If the programs of a figure do not exist yet, the command does not measure other programs in their place.
        assert!(names("lazy-4.10", &[]).is_none_or(|names| !names.contains(&"smvm")));
        assert_eq!(names("lazy-4.10", &["smvm"]), Some(vec!["smvm"]));
        assert_eq!(names("lazy-4.3", &["smmv"]), None);
        assert_eq!(names("lazy-4.3", &["all", "smmv"]), None);
        assert_eq!(names("lazy-4.3", &["all"]), Some(ropes));
        assert_eq!(
            names("lazy-4.1", &["all"]).unwrap().len(),
            loop_programs().len()
        );
    }
}
