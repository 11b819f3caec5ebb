//! The end of the tour: bars, a verdict in one line, and commands to try next.

use std::cmp::Ordering;

use heist_suite::Contender;

use crate::busy;
use crate::contender;
use crate::figures::Figures;
use crate::measure::Outcome;
use crate::plan::Plan;
use crate::say;
use crate::stats::geometric_mean;

/// The width of the longest bar, in columns.
const BAR: usize = 40;

/// The contenders to compare: all contenders that fork.
const RIVALS: [Contender; 3] = [Contender::Heist, Contender::Rayon, Contender::Chili];

pub(super) fn render(
    outcomes: &[Outcome],
    plan: &Plan,
    others: Option<f64>,
    colours: bool,
) -> String {
    let most = plan.threads.last().copied().unwrap_or(1);
    let cost = means(outcomes, 1, |figures| figures.t1_over_ts);
    let gain = means(outcomes, most, |figures| figures.ts_over_tp);
    let mut text = format!(
        "Time of parallel code on 1 thread, as a multiple of the serial time (less is better):\n\n{}\n",
        bars(&cost, colours)
    );
    if most > 1 {
        text.push_str(&format!(
            "How many times faster than serial code with {most} threads (more is better):\n\n{}\n",
            bars(&gain, colours)
        ));
    }
    text.push_str("Both are means over the programs of the table.\n\n");
    if let Some(line) = verdict(if most > 1 { &gain } else { &cost }, most) {
        text.push_str(&format!("{}\n", say::bold(&line, colours)));
        if busy::is_busy(others) {
            text.push_str("The machine was busy: take the tour again when it is not.\n");
        }
        text.push('\n');
    }
    text.push_str(&next());
    text
}

/// A contender with its mean.
type Mean = (Contender, f64);

/// Returns each contender's mean of one figure. The mean is over the programs that all contenders of the tour run, so that no contender
/// benefits from easier programs.
fn means(
    outcomes: &[Outcome],
    threads: usize,
    figure: impl Fn(&Figures) -> Option<f64>,
) -> Vec<Mean> {
    let mean = |who| {
        let common = outcomes.iter().filter(|outcome| {
            RIVALS
                .iter()
                .all(|who| outcome.program.contenders.contains(who))
        });
        let values: Vec<f64> = common
            .filter_map(|outcome| {
                let row = outcome
                    .rows
                    .iter()
                    .find(|row| row.contender == who && row.threads == threads)?;
                figure(&Figures::of(outcome, row)?)
            })
            .collect();
        Some((who, geometric_mean(&values)?))
    };
    RIVALS.into_iter().filter_map(mean).collect()
}

fn bars(means: &[Mean], colours: bool) -> String {
    let greatest = means.iter().map(|&(_, value)| value).fold(0.0, f64::max);
    let mut text = String::new();
    for &(who, value) in means {
        let length = (BAR as f64 * value / greatest)
            .round()
            .clamp(1.0, BAR as f64) as usize;
        let bar = "█".repeat(length);
        let name = format!("{:<7}", contender::name(who));
        let name = if who == Contender::Heist {
            say::bold(&name, colours)
        } else {
            name
        };
        text.push_str(&format!("  {name} {bar} {value:.2}\n"));
    }
    text
}

/// Returns a line that compares the best contender with the second-best contender. With several threads, a contender with a greater mean is
/// better. With one thread, a contender with a smaller mean is better.
fn verdict(means: &[Mean], threads: usize) -> Option<String> {
    let better = |a: &&Mean, b: &&Mean| match threads {
        1 => a.1.total_cmp(&b.1),
        _ => b.1.total_cmp(&a.1),
    };
    let mut order: Vec<&Mean> = means.iter().collect();
    order.sort_by(better);
    let [first, second, ..] = order.as_slice() else {
        return None;
    };
    let ratio = match threads {
        1 => second.1 / first.1,
        _ => first.1 / second.1,
    };
    let (name, other) = (contender::name(first.0), contender::name(second.0));
    let on = if threads == 1 {
        "on 1 thread".to_owned()
    } else {
        format!("on {threads} threads")
    };
    // A smaller difference is within the noise of a tour.
    Some(if ratio.partial_cmp(&1.03) == Some(Ordering::Less) {
        format!("Verdict: {name} and {other} are equally fast here {on}, within 3 %.")
    } else {
        format!(
            "Verdict: {name} is the fastest here {on}: {ratio:.2} times as fast as {other}, the second."
        )
    })
}

/// Returns three commands to try. The commands begin with the name by which this program was called.
fn next() -> String {
    let called = std::env::args_os().next().unwrap_or_default();
    // A program that Cargo has built is not in a folder of `PATH`.
    let heist = if called.to_string_lossy().contains("target") {
        "cargo run --release --"
    } else {
        "heist"
    };
    format!(
        "Next:\n\n  {heist} bench nqueens --pin\n      one program, measured closely\n  \
         {heist} trace cilksort\n      a picture of what each worker did, for https://ui.perfetto.dev\n  \
         {heist} simulate cilksort\n      how it would run on up to 1,024 workers\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_proportion() {
        let text = bars(&[(Contender::Heist, 2.0), (Contender::Rayon, 1.0)], false);
        let lengths: Vec<usize> = text.lines().map(|line| line.matches('█').count()).collect();
        assert_eq!(lengths, [BAR, BAR / 2]);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        assert!(
            text.starts_with("  heist ") && text.contains(" 2.00\n"),
            "{text}"
        );
    }

    #[test]
    fn the_verdict_names_the_best() {
        let gain = [
            (Contender::Heist, 1.2),
            (Contender::Rayon, 1.8),
            (Contender::Chili, 0.9),
        ];
        let line = verdict(&gain, 2).unwrap();
        assert!(
            line.contains("rayon is the fastest") && line.contains("1.50 times"),
            "{line}"
        );
        // On one thread, the figure is a cost.
        let line = verdict(&gain, 1).unwrap();
        assert!(
            line.contains("chili is the fastest") && line.contains("1.33 times"),
            "{line}"
        );
        let line = verdict(&[(Contender::Heist, 1.80), (Contender::Rayon, 1.79)], 2).unwrap();
        assert!(line.contains("heist and rayon are equally fast"), "{line}");
        assert_eq!(verdict(&gain[..1], 2), None);
    }
}
