//! Measurement in paired rounds: in each round every contender of a program runs once, in a freshly shuffled order. Contenders that are far
//! slower than serial code run only in the first few rounds. For example, a run with a threshold of 1 may take a hundred times as long as
//! serial code, so many such runs would leave no time for the rounds of other contenders.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use heist_suite::loops::{Entrant, How, LoopProgram, Looping};
use heist_suite::{Data, Runner, memory};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::Plan;
use super::cells::{self, Cell, On};
use super::published;
use crate::failure::Failure;
use crate::measure::{SETTLE, start};
use crate::progress::Progress;

/// A run that takes less than this time is repeated, and only the second run is timed. Before the first run, the caches contain data of
/// another contender and of the check. So the time of a short first run would mostly depend on the state of the caches.
const BRIEF: Duration = Duration::from_millis(10);

/// The maximum ratio of a contender's time to serial code's time in all rounds. A contender with a greater ratio runs only in the minimum
/// number of rounds, unless its runs are [brief](BRIEF).
pub(super) const FAR_SLOWER: f64 = 8.0;

/// The result of one program.
pub(super) struct Outcome {
    pub(super) program: &'static LoopProgram,
    /// The input, as the program describes it.
    pub(super) params: String,
    pub(super) rows: Vec<Row>,
}

impl Outcome {
    /// Returns the program's name in the thesis, if the thesis has the program, and otherwise its name in the suite.
    pub(super) fn label(&self) -> &'static str {
        published::label(self.program.program.name)
    }

    /// Returns the number of rounds. Contenders that are far slower than serial code run only in the first rounds.
    pub(super) fn rounds(&self) -> usize {
        let rounds = self.rows.iter().map(|row| row.seconds.len());
        rounds.max().unwrap_or(0)
    }
}

/// The runs of one contender.
pub(super) struct Row {
    pub(super) cell: Cell,
    /// One value for each round in which the contender ran, beginning with the first round. Values at the same index in all rows of
    /// a program are from the same round.
    pub(super) seconds: Vec<f64>,
}

/// The inputs of a program, by the size of their leaves.
type Inputs = BTreeMap<usize, Box<dyn Looping>>;

/// Measures all programs of the plan.
pub(super) fn measure(plan: &Plan) -> Result<Vec<Outcome>, Failure> {
    memory::keep_freed();
    let of = |program| cells::cells(plan.kind, program, plan.on, &plan.workers);
    let all: Vec<(&'static LoopProgram, Vec<Cell>)> = plan
        .programs
        .iter()
        .map(|&program| (program, of(program)))
        .collect();
    let counts: BTreeSet<usize> = all
        .iter()
        .flat_map(|(_, cells)| cells.iter().map(|cell| cell.workers))
        .collect();
    let runners = counts
        .into_iter()
        .map(|workers| Ok((workers, start(workers, plan.pin.as_deref())?)))
        .collect::<Result<BTreeMap<_, _>, Failure>>()?;
    // This loop prepares an input of each program except the first. So if an input cannot be prepared, the command reports this now, and
    // not after the earlier programs, which take minutes.
    if let [_, others @ ..] = &all[..] {
        for (program, cells) in others {
            inputs(plan, program, &cells[..1])?;
        }
    }
    let rounds = plan.rounds.most() + 1;
    let progress = Progress::new(all.iter().map(|(_, cells)| cells.len()).sum::<usize>() * rounds);
    let mut rng = StdRng::seed_from_u64(plan.seed);
    let mut outcomes = Vec::with_capacity(all.len());
    for (program, cells) in all {
        let runs = cells.len() * rounds;
        progress.preparing(program.program.name);
        outcomes.push(measure_one(
            plan, program, cells, &runners, &mut rng, &progress,
        )?);
        // The rounds may have ended early, because the time budget was used up.
        progress.skip_to_program_end(runs);
    }
    Ok(outcomes)
}

fn measure_one(
    plan: &Plan,
    program: &'static LoopProgram,
    cells: Vec<Cell>,
    runners: &BTreeMap<usize, Runner>,
    rng: &mut StdRng,
    progress: &Progress,
) -> Result<Outcome, Failure> {
    let mut inputs = inputs(plan, program, &cells)?;
    let mut order: Vec<usize> = (0..cells.len()).collect();
    let mut rows: Vec<Row> = cells
        .into_iter()
        .map(|cell| Row {
            cell,
            seconds: Vec::with_capacity(plan.rounds.most()),
        })
        .collect();
    let mut round = |rows: &mut [Row], is_in: &dyn Fn(usize) -> bool| -> Result<(), Failure> {
        order.shuffle(rng);
        for &at in order.iter().filter(|&&at| is_in(at)) {
            let row = &mut rows[at];
            let cell = row.cell;
            progress.running(program.program.name, cells::name(cell.who).0, cell.workers);
            let input = inputs.get_mut(&cell.leaf).expect("made above");
            let seconds = run_once(program, &mut **input, cell, &runners[&cell.workers])?;
            row.seconds.push(seconds);
        }
        Ok(())
    };
    // The warm-up: page faults and cold caches happen here. Its time counts against the program's budget.
    let begin = Instant::now();
    round(&mut rows, &|_| true)?;
    rows.iter_mut().for_each(|row| row.seconds.clear());
    let mut done = 0;
    while done < plan.rounds.least() {
        round(&mut rows, &|_| true)?;
        done += 1;
    }
    let is_slow = far_slower(&rows);
    let sum = |counts: &dyn Fn(usize) -> bool| -> f64 {
        let counted = rows.iter().enumerate().filter(|(at, _)| counts(*at));
        counted.filter_map(|(_, row)| row.seconds.last()).sum()
    };
    // Estimate the time of a round without the slow contenders by the share of the other contenders in the last round. The warm-up
    // counts as a round.
    let share = sum(&|at| !is_slow[at]) / sum(&|_| true);
    let mut next = begin.elapsed().mul_f64(share / (done + 1) as f64);
    while plan.rounds.more_of(done, begin.elapsed(), next) {
        let last = Instant::now();
        round(&mut rows, &|at| !is_slow[at])?;
        next = last.elapsed();
        done += 1;
    }
    let params = inputs
        .values()
        .next()
        .map_or(String::new(), |input| input.params());
    Ok(Outcome {
        program,
        params,
        rows,
    })
}

/// For each row, returns whether the row's least time is far longer than the least time of serial code. Lazy splitting never counts as far
/// slower, because all other contenders are compared with it.
fn far_slower(rows: &[Row]) -> Vec<bool> {
    let least = |row: &Row| row.seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let is_serial = |row: &&Row| matches!(row.cell.who, Entrant::Serial | Entrant::SerialRopes);
    let serial = rows.iter().filter(is_serial).map(least);
    let many = serial.fold(BRIEF.as_secs_f64() / FAR_SLOWER, f64::max) * FAR_SLOWER;
    let is_lazy = |who| matches!(who, Entrant::Slices(How::Lazy) | Entrant::Ropes(How::Lazy));
    let is_slow = |row: &Row| !is_lazy(row.cell.who) && least(row) > many;
    rows.iter().map(is_slow).collect()
}

fn inputs(plan: &Plan, program: &LoopProgram, cells: &[Cell]) -> Result<Inputs, Failure> {
    let data = Data::locate();
    let mut inputs = Inputs::new();
    for cell in cells {
        if inputs.contains_key(&cell.leaf) {
            continue;
        }
        let input = (program.prepare)(plan.size, &data, cell.leaf).map_err(|error| {
            let name = program.program.name;
            Failure::Request(format!("{name}: cannot prepare the input: {error}"))
        })?;
        inputs.insert(cell.leaf, input);
    }
    Ok(inputs)
}

fn run_once(
    program: &LoopProgram,
    input: &mut dyn Looping,
    cell: Cell,
    runner: &Runner,
) -> Result<f64, Failure> {
    let mut run = || {
        input.reset();
        thread::sleep(SETTLE);
        let start = Instant::now();
        input.run_as(cell.who, runner);
        start.elapsed()
    };
    let mut took = run();
    if took < BRIEF {
        took = run();
    }
    // The clock may show 0 for a short run, but a time of 0 would make ratios infinite.
    let seconds = took.as_secs_f64().max(1e-9);
    input.check().map_err(|wrong| {
        let (who, threshold) = cells::name(cell.who);
        let threshold = threshold.map_or(String::new(), |sst| format!(" with the threshold {sst}"));
        Failure::WrongResult(format!(
            "{} ({}) by {who}{threshold} on {} (workers: {}) computed a wrong result: {wrong}",
            program.program.name,
            input.params(),
            On::of(cell.who).name(),
            cell.workers,
        ))
    })?;
    Ok(seconds)
}

#[cfg(test)]
mod tests;
