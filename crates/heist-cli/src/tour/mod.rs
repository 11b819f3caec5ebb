//! `heist` alone: a few programs and what they show, in under a minute.

mod waiting;

use std::time::Duration;

use heist_suite::{Contender, Size};

use crate::bench::{self, Outcome};
use crate::contender;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::plan::{Plan, Rounds, cpus_for, default_threads};
use crate::say;
use crate::select::select;
use crate::stats::geometric_mean;
use crate::table::{self, LEGEND};

/// The stops but the last: fine forks, an unbalanced search, arrays, and three real inputs.
const STOPS: [&str; 7] = [
    "fib", "uts-bin", "cilksort", "jacobi", "words", "stars", "graph",
];

/// Measured time for all programs together; preparing and checking comes on top.
const BUDGET: Duration = Duration::from_secs(30);

/// Runs the tour.
pub(crate) fn run() -> Result<(), Failure> {
    let colours = say::colours_on_stdout();
    let plan = plan()?;
    say::out(&introduction(&plan, colours))?;
    let outcomes = bench::measure(&plan)?;
    let threads = plan.threads.last().copied().unwrap_or(1);
    let waiting = waiting::sentences(threads)?;
    say::out(&format!(
        "{}{waiting}\n{LEGEND}\n{}",
        findings(&outcomes, &plan),
        table::render(&outcomes, colours)
    ))
}

fn plan() -> Result<Plan, Failure> {
    let programs = select(&STOPS.map(str::to_owned))?;
    let threads = default_threads()?;
    let most = threads.last().copied().unwrap_or(1);
    let share = BUDGET / u32::try_from(programs.len()).unwrap_or(1);
    Ok(Plan {
        programs,
        size: Size::Quick,
        threads,
        contenders: vec![
            Contender::Serial,
            Contender::Heist,
            Contender::Rayon,
            Contender::Chili,
        ],
        rounds: Rounds::Within {
            least: 3,
            most: 25,
            budget: share,
        },
        // Steadier where it can be had: a system may leave two threads on one CPU for as long as a quick run takes.
        pin: cpus_for(most).ok(),
        seed: rand::random(),
    })
}

fn introduction(plan: &Plan, colours: bool) -> String {
    let title = say::bold(
        "Heist runs programs in parallel by work stealing: idle threads take work from busy ones.",
        colours,
    );
    let threads = match plan.threads.as_slice() {
        [.., most] if *most > 1 => format!("on 1 thread and on {most}"),
        _ => "on 1 thread, all this machine grants".to_owned(),
    };
    let place = match plan.pin {
        Some(_) => ", each worker on a CPU of its own",
        None => "",
    };
    let mut text = format!(
        "{title}\nThis tour runs each program below as plain serial code, on Heist, and on its rivals rayon and chili,\n\
         {threads}{place}. Every result is checked. It takes less than a minute.\n\n"
    );
    let width = plan
        .programs
        .iter()
        .map(|program| program.name.len())
        .max()
        .unwrap_or(0);
    for program in &plan.programs {
        text.push_str(&format!("  {:width$}  {}\n", program.name, program.about));
    }
    text.push('\n');
    text
}

/// The table in sentences.
fn findings(outcomes: &[Outcome], plan: &Plan) -> String {
    let rivals: Vec<Contender> = plan
        .contenders
        .iter()
        .copied()
        .filter(|&who| who != Contender::Serial)
        .collect();
    let cost = sentence(&rivals, |who| {
        mean(outcomes, who, 1, |figures| figures.t1_over_ts)
    });
    let mut text = format!(
        "What parallel code costs when nobody helps, on 1 thread, as a multiple of the serial time: {cost}.\n"
    );
    if let Some(&most) = plan.threads.last().filter(|&&most| most > 1) {
        let gain = sentence(&rivals, |who| {
            mean(outcomes, who, most, |figures| figures.ts_over_tp)
        });
        text.push_str(&format!(
            "How many times faster than serial code it gets with {most} threads: {gain}.\n"
        ));
    }
    text.push_str("These are means over the programs below; the table has each of them.\n");
    text
}

fn sentence(rivals: &[Contender], value: impl Fn(Contender) -> Option<f64>) -> String {
    let parts: Vec<String> = rivals
        .iter()
        .filter_map(|&who| Some(format!("{} {:.2}", contender::name(who), value(who)?)))
        .collect();
    parts.join(", ")
}

/// The mean of one figure over the programs that all contenders of the tour run, so that nobody is judged by easier work.
fn mean(
    outcomes: &[Outcome],
    who: Contender,
    threads: usize,
    figure: impl Fn(&Figures) -> Option<f64>,
) -> Option<f64> {
    let values: Vec<f64> = outcomes
        .iter()
        .filter(|outcome| {
            [Contender::Heist, Contender::Rayon, Contender::Chili]
                .iter()
                .all(|who| outcome.program.contenders.contains(who))
        })
        .filter_map(|outcome| {
            let row = outcome
                .rows
                .iter()
                .find(|row| row.contender == who && row.threads == threads)?;
            figure(&Figures::of(outcome, row)?)
        })
        .collect();
    geometric_mean(&values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_exists_and_has_all_rivals() {
        for program in plan().unwrap().programs {
            for who in [
                Contender::Serial,
                Contender::Heist,
                Contender::Rayon,
                Contender::Chili,
            ] {
                assert!(
                    program.contenders.contains(&who),
                    "{} lacks {who:?}",
                    program.name
                );
            }
        }
    }
}
