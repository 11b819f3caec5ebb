//! Measurement in paired rounds: in each round every contender runs a program once, in a freshly
//! shuffled order.

use std::thread;
use std::time::{Duration, Instant};

use heist_suite::Data;
use heist_suite::cooperative::{Entrant, Entry, Instance, Pools, programs};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::{BASE, CONTENDERS, PANELS, Panel};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::stats::{Spread, paired_ratio};

/// The pause before a run, during which the threads of the previous run go to sleep.
const SETTLE: Duration = Duration::from_millis(1);

/// The maximum number of nodes of a graph for which Heist's spare threads stay alive while the contender with a thread for each node runs.
/// With a larger graph, the spare threads end before this contender runs.
const MOST_NODES_FOR_BOTH: u64 = 4096;

/// All parameters of a measurement.
pub(super) struct Plan {
    pub(super) runs: usize,
    pub(super) workers: usize,
    pub(super) nodes: u64,
    /// The seed of the generator that shuffles the rounds.
    pub(super) seed: u64,
}

/// The runs of one program.
pub(super) struct Group {
    pub(super) panel: &'static Panel,
    /// The input, as the program describes it.
    pub(super) params: String,
    pub(super) rows: Vec<Row>,
}

/// The runs of one contender.
pub(super) struct Row {
    pub(super) entrant: Entrant,
    /// The seconds of each round. The list is empty if the contender is refused.
    pub(super) seconds: Vec<f64>,
    /// The reason why the contender cannot run the program, as one line.
    pub(super) refused: Option<String>,
}

impl Row {
    pub(super) fn spread(&self) -> Option<Spread> {
        Spread::of(&self.seconds)
    }
}

impl Group {
    /// For each round, divides the row's time by the time of [`BASE`]. Returns the median of these ratios.
    pub(super) fn over_base(&self, row: &Row) -> Option<f64> {
        let base = self.rows.iter().find(|row| row.entrant == BASE)?;
        if base.seconds.len() == row.seconds.len() {
            paired_ratio(&row.seconds, &base.seconds)
        } else {
            None
        }
    }
}

/// Runs all rounds, after one uncounted warm-up round. Every result is checked outside of the measured time.
pub(super) fn measure(plan: &Plan, mut pools: Pools) -> Result<Vec<Group>, Failure> {
    // This function makes all inputs before it measures anything. So if an input cannot be made, the function reports this immediately.
    let mut instances = Vec::new();
    for panel in &PANELS {
        let Some(program) = programs()
            .iter()
            .find(|program| program.name == panel.program)
        else {
            unreachable!("a test looks for each of them");
        };
        let size = panel.size(plan.nodes);
        let instance = (program.prepare)(panel.input, size, &Data::locate())
            .map_err(|error| Failure::Request(format!("{}: {error}", panel.program)))?;
        instances.push((panel, program, instance));
    }
    let mut rng = StdRng::seed_from_u64(plan.seed);
    let rounds = plan.runs + 1;
    let progress = Progress::new(PANELS.len() * CONTENDERS.len() * rounds);
    let mut groups = Vec::new();
    for (panel, program, mut instance) in instances {
        if interrupt::is_stopping() {
            break;
        }
        let mut group = Group {
            panel,
            params: instance.params(),
            rows: CONTENDERS.map(|entrant| row(program, entrant)).into(),
        };
        let mut order: Vec<usize> = (0..group.rows.len()).collect();
        for round in interrupt::rounds(rounds) {
            order.shuffle(&mut rng);
            for &index in &order {
                let row = &mut group.rows[index];
                if row.refused.is_some() {
                    continue;
                }
                progress.running(panel.label, row.entrant.name(), plan.workers);
                if row.entrant == Entrant::Threads && plan.nodes > MOST_NODES_FOR_BOTH {
                    pools.end_spare_threads().map_err(Failure::Request)?;
                }
                let sample = run_once(panel, &mut *instance, row.entrant, &pools)?;
                match sample {
                    Ok(seconds) if round > 0 => row.seconds.push(seconds),
                    Ok(_) => {}
                    Err(reason) => {
                        row.seconds.clear();
                        row.refused = Some(reason);
                    }
                }
            }
        }
        progress.skip_to_program_end(CONTENDERS.len() * rounds);
        // Ctrl-C may have ended the measurement before the first round of this group.
        if !interrupt::is_stopping() || group.rows.iter().any(|row| !row.seconds.is_empty()) {
            groups.push(group);
        }
    }
    Ok(groups)
}

fn row(program: &Entry, entrant: Entrant) -> Row {
    let takes_part = program.entrants.contains(&entrant);
    Row {
        entrant,
        seconds: Vec::new(),
        refused: (!takes_part).then(|| format!("{entrant}: no version of this program")),
    }
}

/// Returns the seconds of a run, or the reason why the contender cannot run this program.
fn run_once(
    panel: &Panel,
    instance: &mut dyn Instance,
    who: Entrant,
    pools: &Pools,
) -> Result<Result<f64, String>, Failure> {
    instance.reset();
    thread::sleep(SETTLE);
    let start = Instant::now();
    let ran = instance.run(who, pools);
    // The clock may show 0 for a short run, but a time of 0 would make ratios infinite.
    let seconds = start.elapsed().as_secs_f64().max(1e-9);
    if let Err(reason) = ran {
        return Ok(Err(reason));
    }
    match instance.check() {
        Ok(()) => Ok(Ok(seconds)),
        Err(wrong) => Err(Failure::WrongResult(format!(
            "{} ({}) on {who} computed a wrong result: {wrong}",
            panel.program,
            instance.params()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_sample_a_round_or_a_reason() {
        let plan = Plan {
            runs: 2,
            workers: 2,
            nodes: 20,
            seed: 7,
        };
        let groups = measure(&plan, Pools::new(2).unwrap()).unwrap();
        assert_eq!(groups.len(), PANELS.len());
        for group in &groups {
            for row in &group.rows {
                let (count, entrant) = (row.seconds.len(), row.entrant);
                match &row.refused {
                    None => assert_eq!(count, 2, "{entrant}"),
                    Some(reason) => {
                        assert_eq!(count, 0);
                        assert!(reason.starts_with("threads: "), "{reason}");
                        assert_eq!(group.over_base(row), None);
                    }
                }
            }
            assert_eq!(group.over_base(&group.rows[0]), Some(1.0));
        }
        let refused = |group: &Group| group.rows.iter().any(|row| row.refused.is_some());
        let refused = groups.iter().filter(|group| refused(group));
        let refused: Vec<&str> = refused.map(|group| group.panel.label).collect();
        // The contender *threads* would need a thread for each of 134,000 nodes, or for each of
        // 12,733 cells.
        assert_eq!(refused, ["BinTree", "SmithWat in tasks"]);
    }

    #[test]
    fn an_input_that_cannot_be_made_is_a_request_that_cannot_be_carried_out() {
        let plan = Plan {
            runs: 1,
            workers: 1,
            nodes: 8193,
            seed: 7,
        };
        let Err(Failure::Request(line)) = measure(&plan, Pools::new(1).unwrap()) else {
            panic!("a graph of 8193 nodes")
        };
        assert!(line.contains("8192") && line.contains("bfs-bf"), "{line}");
    }
}
