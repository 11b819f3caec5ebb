//! Simulation of the programs on machines with up to 16 workers.

use std::thread;

use heist_sim::{Costs, Dag, Machine, Outcome, Protocol, simulate};
use heist_suite::record::Keep;
use heist_suite::{Contender, Program, Size};

use super::{BARRIER, STOP};
use crate::contender;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::simulate::tape;

/// The seeds of the replays of each program. The result is the median over the seeds, because chance determines
/// the first steals.
pub(super) const SEEDS: [u64; 3] = [1, 2, 3];

/// The replays of a program under one protocol, on one number of workers.
pub(super) struct Replay {
    pub(super) who: Contender,
    pub(super) workers: usize,
    /// The outcomes of the simulated runs, one for each seed.
    pub(super) seeds: Vec<Outcome>,
}

/// Records the program, and scales the times of its strands so that they add up to `serial` seconds.
pub(super) fn record(
    program: &'static Program,
    size: Size,
    serial: f64,
    costs: &Costs,
) -> Result<Dag, Failure> {
    let keep = Keep {
        dag: true,
        profile: None,
        repeats: true,
    };
    let (_, recording) = tape(program, size, keep, None)?;
    // The serial time includes the cost of entering a pool.
    let serial = (serial - costs.enter * 1e-9).max(1e-9);
    recording.fit(serial).ok_or_else(|| {
        Failure::Request(format!(
            "{} is too long to be recorded; choose a smaller --size",
            program.name
        ))
    })
}

/// Replays the recording under both protocols.
pub(super) fn replay(
    name: &str,
    dag: &Dag,
    workers: &[usize],
    costs: &Costs,
    progress: &Progress,
) -> Result<Vec<Replay>, Failure> {
    let mut replays = Vec::new();
    for (who, protocol) in [
        (STOP, Protocol::StopVictim),
        (BARRIER, Protocol::ReturnBarrier),
    ] {
        for &workers in workers {
            let simulated = format!("{}, simulated", contender::name(who));
            progress.running(name, &simulated, workers);
            let machine = Machine {
                costs: costs.clone(),
                ..Machine::new(workers, protocol)
            };
            // A simulation does not measure time, so simulations may run in parallel.
            let seeds = thread::scope(|scope| {
                let machine = &machine;
                let start = |&seed: &u64| scope.spawn(move || simulate(dag, machine, seed));
                let started: Vec<_> = SEEDS.iter().map(start).collect();
                let ended = started.into_iter().map(|one| {
                    one.join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                });
                ended.collect::<Result<Vec<_>, _>>()
            });
            let seeds =
                seeds.map_err(|error| Failure::Request(format!("no such machine: {error}")))?;
            replays.push(Replay {
                who,
                workers,
                seeds,
            });
        }
    }
    Ok(replays)
}
