//! The table of the figure.

use std::fmt::Write;

use comfy_table::Cell as Field;
use heist_suite::loops::{Entrant, How};

use super::cells::{Cell, Kind, LEAVES, On, PIECES, SHOWN, THRESHOLDS, rivals};
use super::measure::Outcome;
use super::published::{self, OVERHEAD, WORKERS};
use super::values::{AgainstBest, BAR, mean_overhead};
use super::{Plan, how};
use crate::say;
use crate::table::{blank, debug_note, heading, lines, optional, ratio, time};

pub(super) fn render(plan: &Plan, outcomes: &[Outcome], colours: bool) -> String {
    let mut text = String::new();
    let title = format!("{}: {}", plan.shape.name, plan.shape.about);
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let _ = writeln!(text, "{}\n", how(plan, outcomes));
    text.push_str(&match plan.kind {
        Kind::Thresholds => thresholds(plan, outcomes, colours),
        Kind::SpeedUp => speed_ups(plan, outcomes, colours),
        Kind::Leaves => leaves(plan, outcomes, colours),
        Kind::Times => times(plan, outcomes, colours),
    });
    text.push('\n');
    for outcome in outcomes {
        let _ = writeln!(text, "{}: {}", outcome.label(), outcome.params);
    }
    let _ = writeln!(text, "\n{}.", plan.origin());
    text.push_str(debug_note());
    text
}

fn percent(value: f64) -> String {
    format!("{value:.0}")
}

/// Formats a value with its sign.
fn more(value: f64) -> String {
    format!("{value:+.1}%")
}

/// Returns the efficiencies of a program's cells, compared with serial code on the plan's data.
fn efficiencies(plan: &Plan, outcome: &Outcome, cells: impl Iterator<Item = Cell>) -> Vec<Field> {
    let base = outcome.serial(plan.on);
    let of = |cell| outcome.find(cell)?.efficiency(base?);
    cells
        .map(|cell| Field::new(optional(of(cell), percent)))
        .collect()
}

fn thresholds(plan: &Plan, outcomes: &[Outcome], colours: bool) -> String {
    let most = plan.most();
    let names = THRESHOLDS.map(|sst| sst.to_string());
    let mut header = vec!["SST"];
    header.extend(names.iter().map(String::as_str));
    header.extend(["lazy", "best SST", "lazy/best"]);
    let mut table = blank(&header, colours);
    for outcome in outcomes {
        let mut row = vec![heading(outcome.label())];
        let eager = THRESHOLDS.map(|sst| plan.on.by(How::Eager(sst)));
        let all = eager.into_iter().chain([plan.on.by(How::Lazy)]);
        row.extend(efficiencies(
            plan,
            outcome,
            all.map(|who| Cell::new(who, most)),
        ));
        let best = outcome.against_best(plan.on, most);
        row.push(Field::new(
            best.map_or("-".to_owned(), |best| best.threshold.to_string()),
        ));
        row.push(Field::new(optional(best.map(|best| best.ratio), ratio)));
        table.add_row(row);
    }
    format!(
        "{}\nParallel efficiency, T_serial / (P T_P) x 100, with P = {most}, of eager splitting by its threshold (SST), and of lazy \
         splitting;\nserial code runs on {on}, as do the loops. lazy/best: time of lazy splitting by that of the best threshold, within \
         rounds.\n",
        lines(table, 1..=THRESHOLDS.len() + 3),
        on = plan.on.name(),
    )
}

fn speed_ups(plan: &Plan, outcomes: &[Outcome], colours: bool) -> String {
    let names: Vec<String> = plan.workers.iter().map(ToString::to_string).collect();
    let header: Vec<&str> = ["program", "splitting"]
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .collect();
    let mut table = blank(&header, colours);
    for outcome in outcomes {
        let mut name = outcome.label();
        let mut add = |who: String, value: &dyn Fn(usize) -> String| {
            let mut row = vec![heading(std::mem::take(&mut name)), Field::new(who)];
            row.extend(
                plan.workers
                    .iter()
                    .map(|&workers| Field::new(value(workers))),
            );
            table.add_row(row);
        };
        let eager = SHOWN.map(|sst| plan.on.by(How::Eager(sst)));
        for who in eager.into_iter().chain(rivals(plan.on)) {
            add(word(who), &|workers| {
                let row = outcome.find(Cell::new(who, workers));
                let speed_up = row.and_then(|row| row.speed_up(outcome.base(row, plan.on)?));
                optional(speed_up, ratio)
            });
        }
        let best = |workers| outcome.against_best(plan.on, workers);
        add("best SST".to_owned(), &|workers| {
            best(workers).map_or("-".to_owned(), |best| best.threshold.to_string())
        });
        add("lazy/best-eager".to_owned(), &|workers| {
            optional(best(workers).map(|best| best.ratio), |ratio| {
                format!("{ratio:.3}")
            })
        });
        add(format!("within {:.0} %", 100.0 * (BAR - 1.0)), &|workers| {
            let word = |best: AgainstBest| if best.passes() { "yes" } else { "no" };
            best(workers).map_or("-", word).to_owned()
        });
    }
    format!(
        "{}\nSpeed-up over serial code on {on}, by the number of workers. eager N: with the threshold (SST) N; t-ary: {PIECES} pieces a \
         worker; rayon\nruns over slices. best SST: of {count} from 1 to {most}; lazy/best-eager: time of lazy splitting by that of the \
         best, within rounds, for each of which the others choose the best.\n",
        lines(table, 2..=1 + plan.workers.len()),
        on = plan.on.name(),
        count = THRESHOLDS.len(),
        most = THRESHOLDS[THRESHOLDS.len() - 1],
    )
}

/// Returns the name of a way to run loops, with its threshold.
pub(super) fn word(who: Entrant) -> String {
    match super::cells::name(who) {
        (name, Some(threshold)) => format!("{name} {threshold}"),
        (name, None) => name.to_owned(),
    }
}

fn leaves(plan: &Plan, outcomes: &[Outcome], colours: bool) -> String {
    let names = LEAVES.map(|leaf| leaf.to_string());
    let header: Vec<&str> = std::iter::once("M")
        .chain(names.iter().map(String::as_str))
        .collect();
    let mut table = blank(&header, colours);
    for outcome in outcomes {
        let mut row = vec![heading(outcome.label())];
        let cells = LEAVES.iter().map(|&leaf| Cell {
            leaf,
            ..Cell::new(Entrant::Ropes(How::Lazy), plan.most())
        });
        row.extend(efficiencies(plan, outcome, cells));
        table.add_row(row);
    }
    format!(
        "{}\nParallel efficiency, T_serial / (P T_P) x 100, with P = {}, of lazy splitting over ropes by the size of their leaves (M).\n\
         T_serial: on ropes with leaves of {}, for all M.\n",
        lines(table, 1..=LEAVES.len()),
        plan.most(),
        heist::par::DEFAULT_LEAF,
    )
}

fn times(plan: &Plan, outcomes: &[Outcome], colours: bool) -> String {
    let most = plan.most();
    let parallel = format!("lazy {most}");
    let header = [
        "program", "on", "serial", "/slices", "lazy 1", "overhead", &parallel, "speed-up",
    ];
    let mut table = blank(&header, colours);
    for outcome in outcomes {
        let mut name = outcome.label();
        for on in [On::Slices, On::Ropes] {
            let Some(serial) = outcome.serial(on) else {
                continue;
            };
            let (one, all) = (outcome.lazy(on, 1), outcome.lazy(on, most));
            let median = |row: Option<&super::measure::Row>| {
                optional(row.and_then(|row| Some(row.spread()?.median)), time)
            };
            let slices = outcome.serial(On::Slices).filter(|_| on == On::Ropes);
            table.add_row([
                heading(std::mem::take(&mut name)),
                Field::new(on.name()),
                Field::new(median(Some(serial))),
                Field::new(slices.map_or(String::new(), |slices| {
                    optional(serial.overhead(slices), more)
                })),
                Field::new(median(one)),
                Field::new(optional(one.and_then(|row| row.overhead(serial)), more)),
                Field::new(median(all)),
                Field::new(optional(all.and_then(|row| row.speed_up(serial)), ratio)),
            ]);
        }
        if let Some(of) = published::of(outcome.program.program.name) {
            let times = of.times;
            let seconds = |value: f64| Field::new(format!("[{value:.2}s]"));
            table.add_row([
                Field::new(""),
                Field::new("[thesis]"),
                seconds(times.serial),
                Field::new(""),
                seconds(times.lazy),
                Field::new(format!("[{}]", more(times.overhead()))),
                seconds(times.parallel),
                Field::new(format!("[{:.2}]", times.speed_up)),
            ]);
        }
    }
    let means: Vec<String> = [On::Slices, On::Ropes]
        .into_iter()
        .filter_map(|on| {
            Some(format!(
                "{} on {}",
                more(mean_overhead(outcomes, on)?),
                on.name()
            ))
        })
        .collect();
    format!(
        "{}\noverhead: of lazy splitting on one worker over serial code on the same; its geometric mean: {} (thesis: about {OVERHEAD:.0}% \
         on ropes).\n/slices: what ropes cost serial code. speed-up: over serial code on the same; the thesis' on {WORKERS} processors.\n",
        lines(table, 2..=7),
        means.join(", "),
    )
}
