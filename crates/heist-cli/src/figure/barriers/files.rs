//! The CSV file with the numbers, and the JSON file with all data.

use heist_sim::Costs;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::chart::Figure;
use super::simulate::SEEDS;
use super::values::Values;
use super::{NAME, PAPER_WORKERS, Plan, SOURCE, Subject, table};
use crate::chart::Chart;
use crate::contender;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::measure::Row;
use crate::sheet::{self, Named, Sheet, Table};

/// A line of the CSV file: the value of one metric.
#[derive(Serialize)]
struct Line {
    program: &'static str,
    workers: usize,
    source: &'static str,
    contender: &'static str,
    metric: &'static str,
    value: f64,
}

pub(super) fn csv(values: &Values) -> Result<String, Failure> {
    let failed = |error: &dyn std::error::Error| {
        Failure::Request(format!("cannot write the results as CSV: {error}"))
    };
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for value in &values.0 {
        let line = Line {
            program: value.program,
            workers: value.workers,
            source: value.source.name(),
            contender: value.who,
            metric: value.metric.name(),
            value: value.value,
        };
        writer.serialize(line).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.error()))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

/// Returns the published values, with their sections.
fn published(subjects: &[Subject]) -> Table {
    let rows = super::published::PUBLISHED.iter().filter_map(|value| {
        let program = value.program;
        let subject = subjects
            .iter()
            .find(|subject| subject.outcome.program.name == program)?;
        let threads = match value.at {
            super::published::At::Threads(threads) => json!(threads),
            super::published::At::Greatest => json!("the greatest"),
            super::published::At::Many => json!("many"),
        };
        let (who, metric) = (value.who, value.metric.name());
        let (label, section) = (subject.label, value.section);
        Some(vec![
            json!(label),
            threads,
            json!(who),
            json!(metric),
            json!(value.value),
            json!(section),
        ])
    });
    Table {
        title: "What the paper's text states".to_owned(),
        columns: ["program", "threads", "system", "metric", "value", "section"]
            .map(str::to_owned)
            .into(),
        rows: rows.collect(),
    }
}

fn samples(row: &Row) -> Json {
    let nanos = |share| {
        let time = row.latency.as_ref()?.quantile(share)?;
        u64::try_from(time.as_nanos()).ok()
    };
    let times = row
        .samples
        .iter()
        .map(|sample| sample.time.as_nanos() as u64);
    let counters: Vec<_> = row
        .samples
        .iter()
        .filter_map(|sample| sample.tally)
        .collect();
    json!({
        "contender": contender::name(row.contender),
        "threads": row.threads,
        "samples_ns": times.collect::<Vec<_>>(),
        "counters": counters,
        "steal_latency_ns": row.latency.as_ref().map(|latency| json!({
            "count": latency.count(),
            "10%": nanos(0.1),
            "50%": nanos(0.5),
            "90%": nanos(0.9),
            "99%": nanos(0.99),
        })),
    })
}

pub(super) fn json(
    name: &str,
    machine: &Machine,
    plan: &Plan,
    subjects: &[Subject],
    values: &Values,
    charts: &[(&Figure, Chart)],
) -> Result<String, Failure> {
    let (bars, notes) = table::as_table(subjects, values);
    let text = csv(values)?;
    let sheet = Sheet {
        title: format!("{name}: stopped victims and return barriers"),
        source: SOURCE.to_owned(),
        notes,
        charts: charts
            .iter()
            .map(|(figure, chart)| Named {
                name: format!("{NAME}-{}", figure.number),
                chart: chart.clone(),
            })
            .collect(),
        tables: vec![
            bars,
            published(subjects),
            Table::from_csv("All numbers", &text)?,
        ],
    };
    let costs: Map<String, Json> = Costs::default()
        .fields()
        .into_iter()
        .map(|field| (field.name.to_owned(), Json::from(*field.value)))
        .collect();
    let measured = subjects.iter().map(|subject| {
        let outcome = &subject.outcome;
        json!({
            "program": outcome.program.name,
            "params": outcome.params,
            "forks": outcome.forks,
            "results": outcome.rows.iter().map(samples).collect::<Vec<_>>(),
        })
    });
    let more = json!({
        "settings": {
            "threads": plan.bench.threads,
            "rounds": plan.bench.rounds.most(),
            "warm_up_rounds": 1,
            "pinned_to": plan.bench.pin,
            "shuffle_seed": plan.bench.seed,
        },
        "simulation": { "costs_ns": costs, "seeds": SEEDS, "most_workers": PAPER_WORKERS },
        "measured": measured.collect::<Vec<_>>(),
    });
    let Json::Object(more) = more else {
        unreachable!("an object stands in the lines above");
    };
    sheet::render(name, machine, &sheet, more)
}
