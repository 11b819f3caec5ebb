//! The last stop of the tour: tasks that wait for each other.

use std::time::Instant;

use heist_suite::cooperative::{Entrant, Input, Pools, programs};
use heist_suite::{Data, Size};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::stats::median;

/// The name of a program with 512 tasks that wait for each other in each step.
const PROGRAM: &str = "mis";
const TASKS: u64 = 512;

const ENTRANTS: [(Entrant, &str); 4] = [
    (Entrant::HeistAsync, "Heist's async tasks"),
    (Entrant::HeistFiber, "its fibers"),
    (Entrant::Tokio, "tokio's tasks"),
    (Entrant::Threads, "a thread each"),
];

const ROUNDS: usize = 15;

/// Describes the cost of waiting in two sentences.
pub(super) fn sentences(threads: usize) -> Result<String, Failure> {
    let pools = Pools::new(threads).map_err(Failure::Request)?;
    let Some(program) = programs().iter().find(|program| program.name == PROGRAM) else {
        unreachable!("a program of the suite")
    };
    let mut instance = (program.prepare)(Input::Generated, Size::N(TASKS), &Data::default())
        .map_err(Failure::Request)?;
    let mut times = ENTRANTS.map(|_| Vec::with_capacity(ROUNDS));
    let mut refused = ENTRANTS.map(|_| false);
    let progress = Progress::new(ROUNDS * ENTRANTS.len());
    for round in 0..ROUNDS {
        // Each round has a different order.
        for place in 0..ENTRANTS.len() {
            let place = (place + round) % ENTRANTS.len();
            progress.running(PROGRAM, ENTRANTS[place].1, threads);
            instance.reset();
            let began = Instant::now();
            match instance.run(ENTRANTS[place].0, &pools) {
                Ok(()) => times[place].push(began.elapsed().as_secs_f64() * 1e3),
                // This machine may not support fibers, or may allow fewer threads.
                Err(_) => {
                    refused[place] = true;
                    continue;
                }
            }
            let wrong = |line| Failure::WrongResult(format!("{PROGRAM}: {line}"));
            instance.check().map_err(wrong)?;
        }
    }
    drop(progress);
    let each = ENTRANTS.iter().zip(&times).zip(refused);
    let each = each.filter_map(|((&(_, name), times), refused)| {
        let time = median(times).filter(|_| !refused)?;
        Some(format!("{name} {time:.2} ms"))
    });
    Ok(format!(
        "Tasks may wait for one another, and hold no thread then. {TASKS} of them in step, a task for each node of a graph\n\
         ({PROGRAM}: {}):\n{}.\n",
        program.about,
        each.collect::<Vec<String>>().join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_measured() {
        let text = sentences(2).unwrap();
        for (_, name) in ENTRANTS {
            assert!(text.contains(&format!("{name} ")), "{text}");
        }
    }
}
