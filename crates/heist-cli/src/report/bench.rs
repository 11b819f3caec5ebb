//! Conversion of the output of `heist bench --json` to a sheet.

use serde::Deserialize;
use serde_json::{Value, json};

use super::read::Run;
use crate::chart::{Bar, BarPanel, Bars, Chart, Scale};
use crate::sheet::{Named, Sheet, Table};

#[derive(Deserialize)]
struct File {
    format: u32,
    heist: String,
    optimised: bool,
    date: String,
    command: Vec<String>,
    machine: serde_json::Map<String, Value>,
    settings: Settings,
    programs: Vec<Program>,
}

#[derive(Deserialize)]
struct Settings {
    size: String,
    pinned_to: Option<Vec<usize>>,
}

#[derive(Deserialize)]
struct Program {
    name: String,
    source: String,
    params: String,
    results: Vec<Contestant>,
}

#[derive(Deserialize)]
struct Contestant {
    contender: String,
    threads: usize,
    figures: Figures,
    samples_ns: Vec<u64>,
}

/// The values of `crate::figures::Figures` that the report shows, in the same units.
#[derive(Deserialize)]
struct Figures {
    t_p: f64,
    min: f64,
    max: f64,
    t1_over_ts: Option<f64>,
    ts_over_tp: Option<f64>,
    ns_per_fork: Option<f64>,
    steals: Option<f64>,
}

/// The version of the format that this module reads.
const FORMAT: u32 = 1;
/// The largest value that the axis shows. Bars for larger values are cut off at this value.
const LIMIT: f64 = 1024.0;

pub(super) fn parse(file: String, value: Value) -> Result<Run, String> {
    let bench: File = serde_json::from_value(value)
        .map_err(|error| format!("not as `heist bench` writes it: {error}"))?;
    if bench.format != FORMAT {
        return Err(format!(
            "of format {}, and this program reads format {FORMAT}",
            bench.format
        ));
    }
    let chart = Chart::Bars(chart(&bench));
    chart.check()?;
    let names: Vec<&str> = bench.programs.iter().map(|one| one.name.as_str()).collect();
    let sheet = Sheet {
        title: format!("bench: {}", names.join(", ")),
        source: sources(&bench.programs),
        notes: notes(&bench),
        charts: vec![Named {
            name: "speed-up".to_owned(),
            chart,
        }],
        tables: vec![table(&bench.programs)],
    };
    Ok(Run {
        file,
        version: bench.heist,
        optimised: bench.optimised,
        date: bench.date,
        command: bench.command,
        machine: Value::Object(bench.machine),
        sheet,
    })
}

fn sources(programs: &[Program]) -> String {
    let sources = programs
        .iter()
        .map(|program| format!("{}: {}", program.name, program.source));
    sources.collect::<Vec<_>>().join(". ")
}

fn notes(bench: &File) -> Vec<String> {
    let rounds = bench.programs.iter().flat_map(|program| &program.results);
    let rounds = rounds
        .map(|result| result.samples_ns.len())
        .max()
        .unwrap_or(0);
    let pinned = if bench.settings.pinned_to.is_some() {
        "each worker pinned to a CPU"
    } else {
        "no thread pinned"
    };
    vec![format!(
        "Medians of {rounds} paired rounds, {pinned}, size {}. T_S is the serial program, T1 a contender on one thread, T_P on \
         this row's threads",
        bench.settings.size
    )]
}

fn chart(bench: &File) -> Bars {
    let mut contenders: Vec<&str> = Vec::new();
    for result in bench.programs.iter().flat_map(|program| &program.results) {
        if result.figures.ts_over_tp.is_some() && !contenders.contains(&result.contender.as_str()) {
            contenders.push(&result.contender);
        }
    }
    let bar = |result: &Contestant| {
        let value = result.figures.ts_over_tp?;
        let threads = result.threads;
        Some(Bar {
            name: format!("{} on {threads}", result.contender),
            group: contenders
                .iter()
                .position(|name| *name == result.contender)?,
            value: Some(value),
            number: format!("{value:.2}x"),
            band: None,
            spread: None,
        })
    };
    let panel = |program: &Program| BarPanel {
        title: format!("{} ({})", program.name, program.params),
        note: String::new(),
        reference: Some(1.0),
        bars: program.results.iter().filter_map(bar).collect(),
    };
    Bars {
        title: "Speed-up over the serial program".to_owned(),
        notes: vec!["T_S/T_P, median within rounds; longer is faster".to_owned()],
        axis: "speed-up".to_owned(),
        scale: Scale::Linear { limit: LIMIT },
        groups: contenders.iter().map(|name| (*name).to_owned()).collect(),
        reference: "the serial program".to_owned(),
        band: String::new(),
        panels: bench.programs.iter().map(panel).collect(),
    }
}

fn table(programs: &[Program]) -> Table {
    let columns = [
        "program",
        "input",
        "contender",
        "threads",
        "T1/T_S",
        "T_S/T_P",
        "ns/fork",
        "steals",
        "least ms",
        "median ms",
        "greatest ms",
    ];
    let mut rows = Vec::new();
    for program in programs {
        for Contestant {
            contender,
            threads,
            figures,
            ..
        } in &program.results
        {
            rows.push(vec![
                json!(program.name),
                json!(program.params),
                json!(contender),
                json!(threads),
                json!(figures.t1_over_ts),
                json!(figures.ts_over_tp),
                json!(figures.ns_per_fork),
                json!(figures.steals),
                json!(1e3 * figures.min),
                json!(1e3 * figures.t_p),
                json!(1e3 * figures.max),
            ]);
        }
    }
    Table {
        title: "Results".to_owned(),
        columns: columns.map(str::to_owned).into(),
        rows,
    }
}
