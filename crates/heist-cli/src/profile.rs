//! `heist bench --profile` reports work, span, and the resulting parallelism.

use std::fmt::Write;

use comfy_table::Cell;
use heist_sim::Costs;
use heist_suite::record::{Keep, Profile};
use heist_suite::{Contender, Program};
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::busy;
use crate::failure::Failure;
use crate::measure;
use crate::outfile;
use crate::plan::{Plan, Rounds};
use crate::say;
use crate::select::select;
use crate::simulate::tape;
use crate::stats::median;
use crate::table::{blank, debug_note, lines, optional, ratio, time};

/// The numbers of workers for which a speed-up is predicted.
const WORKERS: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/// The number of fork sites that are shown.
const SITES: usize = 10;

/// The profile report of one program.
struct Report {
    program: &'static Program,
    params: String,
    profile: Profile,
    /// The median times in seconds of the serial program and of Heist on one thread.
    serial: Option<f64>,
    single: Option<f64>,
    /// The mean number of runnable threads of other programs: see [`busy::others`].
    others: Option<f64>,
}

/// Profiles the requested programs.
pub(crate) fn run(args: &Bench) -> Result<(), Failure> {
    let programs = select(&args.names)?;
    let (mut json, _) = outfile::pair(args.json.as_deref(), None)?;
    let mut reports = Vec::new();
    for program in programs {
        let report = profile(args, program)?;
        if !outfile::is_standard_output(args.json.as_deref()) {
            say::out(&render(&report, say::colours_on_stdout()))?;
        }
        reports.push(as_json(&report));
    }
    if let Some(file) = &mut json {
        let report = json!({
            "format": 1,
            "heist": env!("CARGO_PKG_VERSION"),
            "optimised": !cfg!(debug_assertions),
            "profiles": reports,
        });
        file.fill(&format!("{report:#}\n"))?;
    }
    Ok(())
}

/// Returns the burden: the total cost of a steal for the thief and the victim, in nanoseconds.
fn burden(costs: &Costs) -> f64 {
    costs.expose + costs.probe + costs.claim + costs.complete + costs.retire
}

fn profile(args: &Bench, program: &'static Program) -> Result<Report, Failure> {
    let others = busy::others();
    let outcomes = measure::measure(&Plan {
        programs: vec![program],
        size: args.size,
        threads: vec![1],
        contenders: vec![Contender::Serial, Contender::Heist],
        rounds: Rounds::Exactly(args.runs),
        pin: None,
        seed: 1,
    })?;
    let of = |who| {
        let rows = outcomes.iter().flat_map(|outcome| &outcome.rows);
        let mut rows = rows.filter(|row| row.contender == who);
        rows.next().and_then(|row| median(&row.seconds()))
    };
    let (serial, single) = (of(Contender::Serial), of(Contender::Heist));
    let keep = Keep {
        // The profile keeps only sums, so a program of any length can be profiled.
        dag: false,
        profile: Some(burden(&Costs::default())),
        repeats: true,
    };
    // The serial time includes the cost of entering a pool.
    let enter = Costs::default().enter * 1e-9;
    let work = serial.map(|serial| (serial - enter).max(1e-9));
    let (params, recording) = tape(program, args.size, keep, work)?;
    let profile = recording
        .profile
        .ok_or_else(|| Failure::Request(format!("{} left no profile", program.name)))?;
    Ok(Report {
        program,
        params,
        profile,
        serial,
        single,
        others,
    })
}

fn render(report: &Report, colours: bool) -> String {
    let profile = &report.profile;
    let mut text = String::new();
    let title = format!("{}: {}", report.program.name, report.params);
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let rows = [
        ("serial time", optional(report.serial, time)),
        ("T1", optional(report.single, time)),
        ("work", time(profile.work)),
        ("span", time(profile.span)),
        ("burdened span", time(profile.burdened_span)),
        ("forks", profile.forks.to_string()),
        ("parallelism", format!("{:.1}", profile.parallelism())),
        (
            "burdened parallelism",
            format!("{:.1}", profile.burdened_parallelism()),
        ),
        ("burden of a fork", time(profile.burden)),
    ];
    for (name, value) in rows {
        let _ = writeln!(text, "{name:<21} {value}");
    }
    text.push('\n');
    let mut table = blank(&["workers", "at least", "at most"], colours);
    for workers in WORKERS {
        let speedup = profile.speedup(workers);
        table.add_row(vec![
            Cell::new(workers),
            Cell::new(ratio(speedup.at_least)),
            Cell::new(ratio(speedup.at_most)),
        ]);
    }
    text.push_str(&lines(table, 0..=2));
    text.push('\n');
    let mut table = blank(&["fork site", "forks", "work", "on the span", ""], colours);
    for share in profile.sites.iter().take(SITES) {
        table.add_row(vec![
            Cell::new(format!("{}:{}", share.site.file, share.site.line)),
            Cell::new(share.forks),
            Cell::new(time(share.work)),
            Cell::new(time(share.on_span)),
            Cell::new(format!(
                "{:.1}%",
                100.0 * share.on_span / profile.span.max(1e-12)
            )),
        ]);
    }
    text.push_str(&lines(table, 1..=4));
    text.push_str(debug_note());
    text.push_str(&busy::note(report.others, false));
    text.push('\n');
    text
}

fn as_json(report: &Report) -> Value {
    let profile = &report.profile;
    let sites: Vec<Value> = profile
        .sites
        .iter()
        .take(SITES)
        .map(|share| {
            json!({
                "file": share.site.file,
                "line": share.site.line,
                "forks": share.forks,
                "work": share.work,
                "on_span": share.on_span,
            })
        })
        .collect();
    let curve: Vec<Value> = WORKERS
        .iter()
        .map(|&workers| {
            let speedup = profile.speedup(workers);
            json!({
                "workers": workers,
                "at_least": speedup.at_least,
                "at_most": speedup.at_most,
            })
        })
        .collect();
    json!({
        "program": report.program.name,
        "params": report.params,
        "serial": report.serial,
        "t_1": report.single,
        "work": profile.work,
        "span": profile.span,
        "burdened_span": profile.burdened_span,
        "burden": profile.burden,
        "others": report.others,
        "forks": profile.forks,
        "parallelism": profile.parallelism(),
        "burdened_parallelism": profile.burdened_parallelism(),
        "speedup": curve,
        "sites": sites,
    })
}
