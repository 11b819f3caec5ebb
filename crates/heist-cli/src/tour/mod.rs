//! `heist` without a command runs a few programs and explains the results, in less than a minute.

mod ending;
mod waiting;

use std::time::Duration;

use heist_suite::{Contender, Size};

use crate::busy;
use crate::failure::Failure;
use crate::interrupt;
use crate::measure::{self, SoFar};
use crate::plan::{Plan, Rounds, cpus_for, default_threads};
use crate::say;
use crate::select::select;
use crate::table::{self, LEGEND};

/// The programs of all stops of the tour except the last: small forks, an unbalanced search, arrays, and three real inputs.
const STOPS: [&str; 7] = [
    "fib", "uts-bin", "cilksort", "jacobi", "words", "stars", "graph",
];

/// The time for measuring all programs of the tour. Preparing inputs and checking results take additional time.
const BUDGET: Duration = Duration::from_secs(30);

/// Runs the tour.
pub(crate) fn run() -> Result<(), Failure> {
    let colours = say::colours_on_stdout();
    let plan = plan()?;
    let others = busy::others();
    say::out(&introduction(&plan, colours))?;
    let so_far = SoFar::default();
    let measured = so_far.clone();
    interrupt::before_the_end(move || {
        // The reader may have closed the output.
        let _ = say::out(&table::render(&measured.look(), others, colours));
    });
    measure::measure_into(&plan, &so_far)?;
    let threads = plan.threads.last().copied().unwrap_or(1);
    let waiting = waiting::sentences(threads)?;
    interrupt::forget();
    let outcomes = so_far.look();
    say::out(&format!(
        "{}\n{LEGEND}\n{waiting}\n{}",
        table::render(&outcomes, others, colours),
        ending::render(&outcomes, &plan, others, colours)
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
        // Threads are pinned if possible, because a system may keep two threads on one CPU during a whole quick
        // run.
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
