//! The table of the figure, with published values in brackets.

use std::fmt::Write;

use comfy_table::Cell;

use super::measure::{Row, Way, find};
use super::published::{self, PROCESSORS};
use super::{Kind, Plan, Subject};
use crate::say;
use crate::table::{blank, debug_note, heading, lines, optional, ratio};

pub(super) fn render(plan: &Plan, rows: &[Row], colours: bool) -> String {
    let mut text = String::new();
    let title = format!("{}: {}", plan.shape.name, plan.shape.about);
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let _ = writeln!(
        text,
        "Medians of {} paired rounds, in processes of their own; no thread is pinned\n",
        plan.runs
    );
    text.push_str(&match plan.shape.kind {
        Kind::Overhead => overhead(plan, rows, colours),
        Kind::Lazy | Kind::All => speed_ups(plan, rows, colours),
        Kind::Parts => parts(plan, rows, colours),
        Kind::Collections => collections(plan, rows, colours),
        Kind::Misses => misses(plan, rows, colours),
    });
    text.push('\n');
    for subject in &plan.subjects {
        let _ = writeln!(
            text,
            "{}: heist run examples/{}.pml {}",
            subject.label,
            subject.name,
            subject.arguments(plan.size).join(" ")
        );
    }
    let _ = writeln!(
        text,
        "\n{}. eager: --memory eager-copying. Programs of Parallel ML are not recorded for `heist simulate`, so there are no \
         values for more workers than CPUs.",
        plan.origin()
    );
    text.push_str(debug_note());
    text
}

/// Returns the index of the line for the given number of workers in the published tables.
fn published_at(workers: usize) -> Option<usize> {
    PROCESSORS.iter().position(|&count| count == workers)
}

/// Returns the column of a way to run a program in the published tables.
fn column(way: Way) -> Option<usize> {
    match way {
        Way::Sequential => None,
        Way::Lazy => Some(0),
        Way::Eager => Some(1),
        Way::Flat => Some(2),
    }
}

/// Returns the published times of the mutator and of the collector.
pub(super) fn published_time(subject: &Subject, way: Way, workers: usize) -> Option<(f64, f64)> {
    Some(subject.times?[published_at(workers)?][column(way)?])
}

fn forks_of_fib(n: u64) -> f64 {
    let (mut a, mut b) = (0.0_f64, 0.0_f64);
    for _ in 2..=n {
        (a, b) = (b, a + b + 1.0);
    }
    b
}

fn overhead(plan: &Plan, rows: &[Row], colours: bool) -> String {
    let mut table = blank(&["fib", "seconds", "by sequential", "ns a fork"], colours);
    let subject = plan.subjects[0];
    let base = find(rows, subject, Way::Sequential, 1);
    let n = subject.arguments(plan.size)[0].parse().unwrap_or(0);
    for row in rows {
        let over = base.and_then(|base| base.speed_up(row));
        let time = row.median(|sample| sample.time);
        let more = base.map(|base| time - base.median(|sample| sample.time));
        table.add_row(vec![
            heading(row.way.name()),
            Cell::new(format!("{time:.3}")),
            Cell::new(optional(over, ratio)),
            Cell::new(optional(more, |more| {
                format!("{:.2}", 1e9 * more / forks_of_fib(n))
            })),
        ]);
    }
    let shares: Vec<String> = published::OVERHEADS
        .iter()
        .map(|(name, share)| format!("{name} {share:.0} %"))
        .collect();
    format!(
        "{}\nPublished: a parallel call takes {} times as long as a serial one, of which {}.\nHere a fork leaves nothing but its frame, and \
         the arguments of fib's forks are numbers, so that nothing is promoted.\n",
        lines(table, 1..=3),
        published::CALL,
        shares.join(", ")
    )
}

fn speed_ups(plan: &Plan, rows: &[Row], colours: bool) -> String {
    let names: Vec<String> = plan.workers.iter().map(ToString::to_string).collect();
    let mut header = vec!["program", "heap"];
    header.extend(names.iter().map(String::as_str));
    let mut table = blank(&header, colours);
    for subject in &plan.subjects {
        let base = find(rows, subject, Way::Sequential, 1);
        for &way in plan.ways().iter().filter(|way| **way != Way::Sequential) {
            let mut line = vec![heading(subject.label), Cell::new(way.name())];
            for &workers in &plan.workers {
                let row = find(rows, subject, way, workers);
                let ours = row.and_then(|row| row.speed_up(base?));
                // MLton's times are only in a drawing, so the base is the thesis' own lazy promotion on one
                // processor.
                let theirs = published_time(subject, Way::Lazy, 1)
                    .zip(published_time(subject, way, workers))
                    .map(|(one, time)| (one.0 + one.1) / (time.0 + time.1));
                line.push(Cell::new(format!(
                    "{} [{}]",
                    optional(ours, ratio),
                    optional(theirs, ratio)
                )));
            }
            table.add_row(line);
        }
    }
    format!(
        "{}\nSpeed-up over --sequential, by the number of workers. In brackets the published times (tables 3.1 and 3.2), by that of lazy\n\
         promotion on one processor: the figure has MLton's sequential code below, which is in no table.\n",
        lines(table, 2..=1 + plan.workers.len())
    )
}

fn parts(plan: &Plan, rows: &[Row], colours: bool) -> String {
    let names = plan.ways().iter().map(|way| way.name());
    let header: Vec<&str> = ["program", "workers"].into_iter().chain(names).collect();
    let mut table = blank(&header, colours);
    for subject in &plan.subjects {
        for &workers in &plan.workers {
            let mut ours = vec![heading(subject.label), Cell::new(workers)];
            let mut theirs = vec![Cell::new(""), Cell::new("")];
            for &way in plan.ways() {
                let row = find(rows, subject, way, workers);
                ours.push(Cell::new(row.map_or("-".to_owned(), |row| {
                    let collecting = row.median(|sample| sample.collecting());
                    let rest = row.median(|sample| sample.time - sample.collecting());
                    format!("{:.3} = {rest:.3} + {collecting:.3}", rest + collecting)
                })));
                let published = published_time(subject, way, workers);
                theirs.push(Cell::new(match published {
                    Some((rest, gc)) => format!("[{:.2} = {rest:.2} + {gc:.2}]", rest + gc),
                    None => String::new(),
                }));
            }
            table.add_row(ours);
            table.add_row(theirs);
        }
    }
    format!(
        "{}\nSeconds: all = outside of collections + in collections and promotions (mean of the workers). In brackets the published ones.\n",
        lines(table, 1..=1 + plan.ways().len())
    )
}

fn collections(plan: &Plan, rows: &[Row], colours: bool) -> String {
    let header = [
        "program",
        "workers",
        "heap",
        "local",
        "prom.",
        "global",
        "promoted",
        "of allocated",
    ];
    let mut table = blank(&header, colours);
    for subject in &plan.subjects {
        for &workers in &plan.workers {
            for &way in plan.ways() {
                let Some(row) = find(rows, subject, way, workers) else {
                    continue;
                };
                let published = published_at(workers).zip(subject.collections);
                let cell = |at: usize, ours: f64| {
                    let theirs = published
                        .zip(column(way))
                        .map(|((line, all), way)| all[line][way][at]);
                    Cell::new(match theirs {
                        Some(theirs) => format!("{ours:.4} [{theirs:.2}]"),
                        None => format!("{ours:.4}"),
                    })
                };
                let promoted = row.median(|sample| sample.promoted);
                let allocated = row.median(|sample| sample.allocated).max(1.0);
                table.add_row(vec![
                    heading(subject.label),
                    Cell::new(workers),
                    Cell::new(way.name()),
                    cell(0, row.median(|sample| sample.minor)),
                    cell(1, row.median(|sample| sample.promotion)),
                    cell(2, row.median(|sample| sample.global)),
                    Cell::new(format!("{:.2} MiB", promoted / f64::from(1 << 20))),
                    Cell::new(format!("{:.2} %", 100.0 * promoted / allocated)),
                ]);
            }
        }
    }
    format!(
        "{}\nSeconds (mean of the workers) of collections of young objects, promotions, and collections of everything. In brackets the \
         published ones.\nOn one worker nobody comes to see anything, so lazy promotion promotes nothing.\n",
        lines(table, 1..=7)
    )
}

fn misses(plan: &Plan, rows: &[Row], colours: bool) -> String {
    let names = plan.ways().iter().map(|way| way.name());
    let header: Vec<&str> = ["program", "workers", "size"]
        .into_iter()
        .chain(names)
        .collect();
    let mut table = blank(&header, colours);
    for subject in &plan.subjects {
        for &workers in &plan.workers {
            let mut line = vec![
                heading(subject.label),
                Cell::new(workers),
                Cell::new(subject.arguments(plan.size).join(" ")),
            ];
            for &way in plan.ways() {
                let row = find(rows, subject, way, workers);
                let counted = row.filter(|row| row.samples.iter().all(|it| it.misses.is_some()));
                let ours = counted.map(|row| row.median(|sample| sample.misses.unwrap_or(0.0)));
                line.push(Cell::new(optional(ours, |ours| format!("{ours:.2}"))));
            }
            table.add_row(line);
        }
        for (processors, size, values) in subject.misses.into_iter().flatten() {
            let mut line = vec![
                Cell::new(""),
                Cell::new(format!("[{processors}]")),
                Cell::new(format!("[{size}]")),
            ];
            line.extend(values.map(|(rest, gc)| Cell::new(format!("[{rest} + {gc}]"))));
            table.add_row(line);
        }
    }
    let how = if plan.counts {
        "counted by `perf stat` over the whole process, the compiler included"
    } else {
        "not available: this machine shows no counters of its caches, or has no `perf`. A simulator has them:\n\
         `heist build examples/quicksort.pml && HEIST_WORKERS=1 valgrind --tool=cachegrind --cache-sim=yes ./quicksort 200000`"
    };
    format!(
        "{}\nMillions of misses of the last cache, {how}.\nIn brackets the published ones, outside of collections + in them.\n",
        lines(table, 1..=2 + plan.ways().len())
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn fib_forks_once_a_call_that_is_no_leaf() {
        // The calls of fib 2 are fib 1 + fib 0, which is one fork; fib 3 has two forks, and fib 4 has four.
        assert_eq!([2, 3, 4, 5].map(super::forks_of_fib), [1.0, 2.0, 4.0, 7.0]);
    }
}
