//! Writes a measurement of `heist bench` as JSON.

use heist_suite::Size;
use serde::Serialize;

use crate::contender;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::machine::Machine;
use crate::measure::{Outcome, Tally};
use crate::plan::Plan;
use crate::sheet;

/// The contents of the JSON file. Times are in seconds, and samples are in nanoseconds.
#[derive(Serialize)]
struct Report<'a> {
    /// The number of the format. A change of the format increases this number if a reader of the old format would misread the new format.
    format: u32,
    heist: &'static str,
    /// Whether the build is optimised. Times of a debug build are meaningless.
    optimised: bool,
    /// Whether the measurement is complete; false if Ctrl-C has ended the measurement.
    complete: bool,
    /// The mean number of runnable threads of other programs when the measurement begins.
    others_running: Option<f64>,
    date: String,
    command: Vec<String>,
    machine: &'a Machine,
    settings: Settings<'a>,
    programs: Vec<Programme<'a>>,
}

#[derive(Serialize)]
struct Settings<'a> {
    size: String,
    threads: &'a [usize],
    contenders: Vec<&'static str>,
    warm_up_rounds: usize,
    pinned_to: Option<&'a [usize]>,
    shuffle_seed: u64,
}

#[derive(Serialize)]
struct Programme<'a> {
    name: &'static str,
    about: &'static str,
    source: &'static str,
    params: &'a str,
    forks: Option<u64>,
    results: Vec<Contestant>,
}

#[derive(Serialize)]
struct Contestant {
    contender: &'static str,
    threads: usize,
    figures: Figures,
    /// The times, one sample for each round. Samples at the same index in all rows of a program are from the same round.
    samples_ns: Vec<u64>,
    /// The counters, with one entry for each round. The list is empty for contenders without counters.
    counters: Vec<Tally>,
    /// The number of rounds in which other programs took a share of the CPUs.
    preempted_rounds: usize,
}

/// Returns the report as indented JSON.
pub(crate) fn render(
    machine: &Machine,
    plan: &Plan,
    outcomes: &[Outcome],
    others: Option<f64>,
    complete: bool,
) -> Result<String, Failure> {
    let report = Report {
        format: 1,
        heist: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        complete,
        others_running: others,
        date: sheet::date(),
        command: sheet::command(),
        machine,
        settings: Settings {
            size: match plan.size {
                Size::Quick => "quick".to_owned(),
                Size::Paper => "paper".to_owned(),
                Size::N(n) => n.to_string(),
            },
            threads: &plan.threads,
            contenders: plan
                .contenders
                .iter()
                .map(|&who| contender::name(who))
                .collect(),
            warm_up_rounds: 1,
            pinned_to: plan.pin.as_deref(),
            shuffle_seed: plan.seed,
        },
        programs: outcomes.iter().map(programme).collect(),
    };
    serde_json::to_string_pretty(&report)
        .map(|text| text + "\n")
        .map_err(|error| Failure::Request(format!("cannot write the results as JSON: {error}")))
}

fn programme(outcome: &Outcome) -> Programme<'_> {
    Programme {
        name: outcome.program.name,
        about: outcome.program.about,
        source: outcome.program.source,
        params: &outcome.params,
        forks: outcome.forks,
        results: outcome
            .rows
            .iter()
            .filter_map(|row| {
                Some(Contestant {
                    contender: contender::name(row.contender),
                    threads: row.threads,
                    figures: Figures::of(outcome, row)?,
                    samples_ns: row
                        .samples
                        .iter()
                        .map(|sample| u64::try_from(sample.time.as_nanos()).unwrap_or(u64::MAX))
                        .collect(),
                    counters: row
                        .samples
                        .iter()
                        .filter_map(|sample| sample.tally)
                        .collect(),
                    preempted_rounds: row.preempted(),
                })
            })
            .collect(),
    }
}
