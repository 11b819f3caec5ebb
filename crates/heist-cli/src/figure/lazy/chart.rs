//! The chart of the figure: lines for the figures of the thesis, and bars for its table.

use heist_suite::loops::{Entrant, How};

use super::cells::{Cell, Kind, LEAVES, On, PIECES, SHOWN, THRESHOLDS, rivals};
use super::measure::{Outcome, Row};
use super::published::{self, WORKERS};
use super::table::word;
use super::{Plan, how};
use crate::chart::{Bar, BarPanel, Bars, Chart, Line, LinePanel, Lines, Look, Scale, Series};

/// The greatest length of a bar, in percent.
const LONGEST: f64 = 250.0;

pub(super) fn render(plan: &Plan, outcomes: &[Outcome]) -> Chart {
    match plan.kind {
        Kind::Thresholds => thresholds(plan, outcomes),
        Kind::SpeedUp => speed_ups(plan, outcomes),
        Kind::Leaves => leaves(plan, outcomes),
        Kind::Times => times(plan, outcomes),
    }
}

fn title(plan: &Plan) -> String {
    format!("{}: {}", plan.shape.name, plan.shape.about)
}

fn notes(plan: &Plan, outcomes: &[Outcome], own: String) -> Vec<String> {
    let inputs = outcomes.iter();
    let inputs: Vec<String> = inputs
        .map(|outcome| format!("{}: {}", outcome.label(), outcome.params))
        .collect();
    let mut notes = vec![own, how(plan, outcomes), plan.origin()];
    notes.extend(inputs.chunks(3).map(|three| three.join("; ")));
    notes
}

/// Returns a panel of efficiencies, with one line for each program. The x axis has the powers of 2.
fn efficiency_panel(x_axis: &str, workers: usize, lines: Vec<Line>) -> LinePanel {
    LinePanel {
        title: format!("{workers} workers"),
        x_axis: x_axis.to_owned(),
        y_axis: "parallel efficiency, percent".to_owned(),
        logarithmic: false,
        doubling: true,
        reference: Some(100.0),
        lines,
    }
}

fn efficiency(plan: &Plan, outcome: &Outcome, cell: Cell) -> Option<f64> {
    outcome.find(cell)?.efficiency(outcome.serial(plan.on)?)
}

fn thresholds(plan: &Plan, outcomes: &[Outcome]) -> Chart {
    let most = plan.most();
    let (mut series, mut lines) = (Vec::new(), Vec::new());
    for (index, outcome) in outcomes.iter().enumerate() {
        let of = |how| efficiency(plan, outcome, Cell::new(plan.on.by(how), most));
        let mut add = |name: &str, look, how: &dyn Fn(usize) -> How| {
            series.push(Series {
                name: format!("{}, {name}", outcome.label()),
                look,
            });
            lines.push(THRESHOLDS.iter().map(|&sst| (sst, of(how(sst)))).collect());
        };
        add("eager", Look::Marked(index), &How::Eager);
        add("lazy", Look::Dashed(index), &|_| How::Lazy);
    }
    Chart::Lines(Lines {
        title: title(plan),
        notes: notes(
            plan,
            outcomes,
            format!(
                "Efficiency is T_serial / (P T_P), serial code on {} too; lazy splitting has no threshold",
                plan.on.name()
            ),
        ),
        series,
        reference: "perfect".to_owned(),
        columns: 1,
        panels: vec![efficiency_panel("threshold (SST)", most, lines)],
    })
}

fn leaves(plan: &Plan, outcomes: &[Outcome]) -> Chart {
    let most = plan.most();
    let line = |outcome: &Outcome| -> Line {
        let of = |leaf| Cell {
            leaf,
            ..Cell::new(Entrant::Ropes(How::Lazy), most)
        };
        LEAVES
            .iter()
            .map(|&leaf| (leaf, efficiency(plan, outcome, of(leaf))))
            .collect()
    };
    Chart::Lines(Lines {
        title: title(plan),
        notes: notes(
            plan,
            outcomes,
            format!(
                "Efficiency is T_serial / (P T_P), with serial code on ropes with leaves of {}",
                heist::par::DEFAULT_LEAF
            ),
        ),
        series: Lines::series(outcomes.iter().map(Outcome::label)),
        reference: "perfect".to_owned(),
        columns: 1,
        panels: vec![efficiency_panel(
            "items in a leaf (M)",
            most,
            outcomes.iter().map(line).collect(),
        )],
    })
}

fn speed_ups(plan: &Plan, outcomes: &[Outcome]) -> Chart {
    let eager = SHOWN.map(|sst| plan.on.by(How::Eager(sst)));
    let all: Vec<Entrant> = eager.into_iter().chain(rivals(plan.on)).collect();
    let names: Vec<String> = all.iter().map(|&who| word(who)).collect();
    let mut series = Lines::series(names.iter().map(String::as_str));
    series.push(Series {
        name: "eager, the best threshold on so many workers".to_owned(),
        look: Look::Hollow(0, 0),
    });
    series.push(Series {
        name: "perfect".to_owned(),
        look: Look::Dashed(8),
    });
    let panel = |outcome: &Outcome| {
        let speed_up = |row: &Row| row.speed_up(outcome.base(row, plan.on)?);
        let line = |value: &dyn Fn(usize) -> Option<f64>| -> Line {
            plan.workers
                .iter()
                .map(|&workers| (workers, value(workers)))
                .collect()
        };
        let of = |&who: &Entrant| line(&|workers| speed_up(outcome.find(Cell::new(who, workers))?));
        let mut lines: Vec<Line> = all.iter().map(of).collect();
        lines.push(line(&|workers| {
            speed_up(outcome.best_eager(plan.on, workers)?.1)
        }));
        lines.push(line(&|workers| Some(workers as f64)));
        LinePanel {
            title: outcome.label().to_owned(),
            x_axis: "workers".to_owned(),
            y_axis: "speed-up".to_owned(),
            logarithmic: false,
            doubling: false,
            reference: None,
            lines,
        }
    };
    Chart::Lines(Lines {
        title: title(plan),
        notes: notes(
            plan,
            outcomes,
            format!(
                "Over serial code on {}; eager N: with the threshold (SST) N; t-ary: {PIECES} pieces a worker; rayon runs over slices",
                plan.on.name()
            ),
        ),
        series,
        reference: String::new(),
        columns: 3,
        panels: outcomes.iter().map(panel).collect(),
    })
}

fn times(plan: &Plan, outcomes: &[Outcome]) -> Chart {
    let most = plan.most();
    let bar = |outcome: &Outcome, group, value: Option<f64>| Bar {
        name: outcome.label().to_owned(),
        group,
        value,
        number: value.map_or("not measured".to_owned(), |value| format!("{value:.1} %")),
        band: None,
        spread: None,
    };
    let of = |outcome: &Outcome, on: On, value: &dyn Fn(&Row, &Row) -> Option<f64>, workers| {
        value(outcome.lazy(on, workers)?, outcome.serial(on)?)
    };
    let panel = |title: String,
                 value: &dyn Fn(&Row, &Row) -> Option<f64>,
                 workers,
                 thesis: &dyn Fn(published::Times) -> f64| {
        let mut bars = Vec::new();
        for outcome in outcomes {
            bars.push(bar(outcome, 0, of(outcome, On::Slices, value, workers)));
            if outcome.program.has_ropes {
                bars.push(bar(outcome, 1, of(outcome, On::Ropes, value, workers)));
            }
            if let Some(entry) = published::of(outcome.program.program.name) {
                bars.push(bar(outcome, 2, Some(thesis(entry.times))));
            }
        }
        BarPanel {
            title,
            note: String::new(),
            reference: Some(100.0),
            bars,
        }
    };
    Chart::Bars(Bars {
        title: title(plan),
        notes: notes(
            plan,
            outcomes,
            format!(
                "By serial code on the same, slices or ropes; the thesis' efficiency is of {WORKERS} processors"
            ),
        ),
        axis: "percent".to_owned(),
        scale: Scale::Linear { limit: LONGEST },
        groups: ["lazy on slices", "lazy on ropes", "the thesis, on ropes"]
            .map(str::to_owned)
            .into(),
        reference: "serial; perfect".to_owned(),
        band: String::new(),
        panels: vec![
            panel(
                "Time on one worker, of the serial one".to_owned(),
                &|row, base| Some(100.0 + row.overhead(base)?),
                1,
                &|times| 100.0 + times.overhead(),
            ),
            panel(
                format!("Parallel efficiency on {most} workers"),
                &|row, base| row.efficiency(base),
                most,
                &|times| 100.0 * times.speed_up / WORKERS as f64,
            ),
        ],
    })
}
