//! The charts of the figures: a page has six small panels, one for each program.

use super::published::{At, PUBLISHED};
use super::values::{Metric, Source, Values};
use super::{BARRIER_NAME, CHILI, PAPER_WORKERS, Plan, RAYON, STOP_NAME, Subject};
use crate::chart::{Chart, Line, LinePanel, Lines, Look, Series};

/// A figure of the paper, and the measured values that correspond to it.
pub(super) struct Figure {
    pub(super) number: usize,
    pub(super) title: &'static str,
    axis: &'static str,
    metric: Metric,
    who: &'static [&'static str],
    /// The position and the meaning of the grey line.
    reference: Option<(f64, &'static str)>,
}

/// The note that measurement and simulation count free steals in different ways.
const FREE: &str = "Measured: by thieves that had asked nobody since their last theft; simulated: by those that saw no private frames \
                    meanwhile, which are more";

const BOTH: &[&str] = &[STOP_NAME, BARRIER_NAME];
const OLD: &[&str] = &[STOP_NAME];
const NEW: &[&str] = &[BARRIER_NAME];

/// The paper's figures that have numbers. Figure 6 has no numbers: it is a drawing of a stack.
pub(super) const FIGURES: [Figure; 9] = [
    figure(
        3,
        "Steals by forks",
        "steals a fork",
        Metric::StealRatio,
        BOTH,
        None,
    ),
    figure(
        4,
        "Steals in a millisecond",
        "steals a ms",
        Metric::StealRate,
        BOTH,
        None,
    ),
    figure(
        5,
        "Dynamic overhead of stopped victims: time they lose, of all workers' time",
        "percent",
        Metric::Overhead,
        OLD,
        None,
    ),
    figure(
        7,
        "Dynamic overhead, stopped victims and return barriers: time that victims lose, of all workers' time",
        "percent",
        Metric::Overhead,
        BOTH,
        None,
    ),
    figure(
        8,
        "Steals with return barriers, by those with stopped victims",
        "ratio",
        Metric::RelativeSteals,
        NEW,
        Some((1.0, "stopped victims")),
    ),
    figure(
        9,
        "Time in the slow path of return barriers, of all workers' time",
        "percent",
        Metric::BarrierShare,
        NEW,
        None,
    ),
    figure(
        10,
        "Free steals: those that asked nobody, of all steals",
        "percent",
        Metric::FreeShare,
        NEW,
        None,
    ),
    figure(
        11,
        "Speed-up of return barriers over stopped victims",
        "speed-up",
        Metric::RelativeSpeed,
        NEW,
        Some((1.0, "stopped victims")),
    ),
    figure(
        12,
        "Speed-up over the serial program",
        "speed-up",
        Metric::SpeedUp,
        &[STOP_NAME, BARRIER_NAME, RAYON, CHILI],
        Some((1.0, "the serial program")),
    ),
];

const fn figure(
    number: usize,
    title: &'static str,
    axis: &'static str,
    metric: Metric,
    who: &'static [&'static str],
    reference: Option<(f64, &'static str)>,
) -> Figure {
    Figure {
        number,
        title,
        axis,
        metric,
        who,
        reference,
    }
}

/// The origin of the values of a line in a chart.
enum From {
    Source(Source),
    /// Values that the paper's text states. The number is an index into `At::KINDS`.
    Text(usize),
}

/// Returns the colour of a contender and of its mark.
fn colour(who: &str) -> usize {
    match who {
        STOP_NAME => 2,
        BARRIER_NAME => 1,
        RAYON => 3,
        _ => 4,
    }
}

/// Returns the contender's name for legends, without the prefix `heist-`.
fn short(who: &str) -> &str {
    who.strip_prefix("heist-").unwrap_or(who)
}

pub(super) fn render(figure: &Figure, plan: &Plan, subjects: &[Subject], values: &Values) -> Chart {
    let of = |who: &str, from: &From, program: &str| -> Line {
        match from {
            From::Source(source) => {
                let workers = values.0.iter().filter(|value| {
                    value.program == program
                        && value.source == *source
                        && value.who == who
                        && value.metric == figure.metric
                });
                let mut line: Line = workers
                    .map(|value| (value.workers, Some(value.value)))
                    .collect();
                line.sort_by_key(|&(workers, _)| workers);
                line
            }
            From::Text(kind) => PUBLISHED
                .iter()
                .filter(|value| {
                    value.program == program
                        && value.who == who
                        && value.metric == figure.metric
                        && value.at.kind() == *kind
                })
                .map(|value| (value.at.workers(), Some(value.value)))
                .collect(),
        }
    };
    let mut all: Vec<(String, &str, From, Look)> = Vec::new();
    for &who in figure.who {
        let colour = colour(who);
        for (source, look) in [
            (Source::Measured, Look::Marked(colour)),
            (Source::Simulated, Look::Dashed(colour)),
        ] {
            let name = format!("{}, {}", short(who), source.name());
            all.push((name, who, From::Source(source), look));
        }
        for (kind, name) in At::KINDS.iter().enumerate() {
            let name = format!("{}, {name}", short(who));
            all.push((name, who, From::Text(kind), Look::Hollow(colour, kind)));
        }
    }
    // The legend omits a line that no panel has.
    all.retain(|(_, who, from, _)| {
        let programs = subjects.iter().map(|subject| subject.outcome.program.name);
        programs
            .into_iter()
            .any(|program| !of(who, from, program).is_empty())
    });
    let panel = |subject: &Subject| LinePanel {
        title: subject.label.to_owned(),
        x_axis: "workers".to_owned(),
        y_axis: figure.axis.to_owned(),
        logarithmic: false,
        doubling: false,
        reference: figure.reference.map(|(value, _)| value),
        lines: all
            .iter()
            .map(|(_, who, from, _)| of(who, from, subject.outcome.program.name))
            .collect(),
    };
    let sizes: Vec<String> = subjects
        .iter()
        .map(|subject| format!("{}: {}", subject.label, subject.outcome.params))
        .collect();
    let mut notes = vec![
        format!(
            "Medians of {} paired rounds on this machine, solid; a recording replayed on up to {PAPER_WORKERS} simulated workers, dashed",
            plan.bench.rounds.most()
        ),
        format!(
            "After figure {} of {}: there X10 on Jikes RVM and 16 cores",
            figure.number,
            super::SOURCE
        ),
    ];
    if figure.metric == Metric::FreeShare {
        notes.push(FREE.to_owned());
    }
    notes.extend(sizes.chunks(3).map(|three| three.join("; ")));
    Chart::Lines(Lines {
        title: format!("barriers-{}: {}", figure.number, figure.title),
        notes,
        series: all
            .iter()
            .map(|(name, _, _, look)| Series {
                name: name.clone(),
                look: *look,
            })
            .collect(),
        reference: figure.reference.map_or("", |(_, words)| words).to_owned(),
        columns: 3,
        panels: subjects.iter().map(panel).collect(),
    })
}
