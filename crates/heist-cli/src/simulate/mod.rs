//! `heist simulate` replays a recorded program on simulated machines.

mod args;
mod costs;
mod places;
mod table;

use std::io::BufWriter;
use std::iter::repeat_n;

use heist_sim::{Costs, Dag, Machine, Outcome, simulate};
use heist_suite::record::{Keep, Recording};
use heist_suite::{Contender, Data, Program, Runner, Size};
use serde_json::json;

use crate::failure::Failure;
use crate::measure;
use crate::outfile::{self, Outfile};
use crate::plan::{self, Plan, Rounds};
use crate::progress::Progress;
use crate::say;
use crate::select::select;
use crate::sheet;
use crate::stats::{median, paired_ratio};

use args::Model;
pub(crate) use args::{Simulate, Way};

/// One simulated run.
pub(crate) struct Run {
    pub(crate) way: Way,
    pub(crate) workers: usize,
    pub(crate) outcome: Outcome,
    /// The measured time in seconds of Heist on `workers` threads.
    pub(crate) measured: Option<f64>,
}

impl Run {
    pub(crate) fn seconds(&self) -> f64 {
        self.outcome.time as f64 * 1e-12
    }

    /// Returns the relative deviation of the simulated time from the measured time.
    pub(crate) fn error(&self) -> Option<f64> {
        self.measured
            .map(|measured| self.seconds() / measured - 1.0)
    }
}

/// Values that are the same for all simulated runs.
pub(crate) struct Subject {
    pub(crate) program: &'static Program,
    pub(crate) params: String,
    /// The serial time in seconds, without the cost of entering a pool.
    pub(crate) serial: f64,
    pub(crate) dag: Dag,
    /// The cost of reading the clock, in nanoseconds.
    pub(crate) reading: f64,
}

/// Runs the requested simulation.
pub(crate) fn run(args: &Simulate) -> Result<(), Failure> {
    match (&args.model, &args.name) {
        (Some(Model::Places(args)), _) => places::run(args),
        (None, name) => replay(args, name.as_deref().unwrap_or_default()),
    }
}

/// Records and simulates a program.
fn replay(args: &Simulate, name: &str) -> Result<(), Failure> {
    let ways = args.ways()?;
    let mut costs: Costs = costs::load(args.costs.as_deref())?;
    let mut workers = args.workers.0.clone();
    // All options are checked before any program runs.
    for &workers in &workers {
        let machine = machine(args, &costs, ways[0], workers);
        simulate(&heist_sim::generate::fib(2, 1, 1), &machine, 1)
            .map_err(|error| Failure::Request(format!("no such machine: {error}")))?;
    }
    let program = select(&[name.to_owned()])?[0];
    let mut json = open("--json", args.json.as_deref())?;
    if let Some(path) = &args.save {
        Outfile::open("--save", path)?;
    }
    let threads = if args.validate {
        (1..=plan::own_threads()?).collect()
    } else {
        vec![1]
    };
    if args.validate {
        workers.extend(&threads);
        workers.sort_unstable();
        workers.dedup();
    }
    let measured = measure(args, program, threads)?;
    let subject = record(program, args.size, measured.serial, &costs)?;
    if args.costs.is_none() {
        // A fork costs up to two nanoseconds, depending on the code that the compiler makes around it.
        let sum = subject.dag.summary();
        let single = measured.heist.first().map_or(0.0, |&(_, seconds)| seconds);
        let each = (single - measured.serial) * 1e9 / (sum.forks + sum.spawns).max(1) as f64;
        // If forks are far apart, the difference of the times is noise.
        let each = each.clamp(0.0, MOST_CALIBRATED);
        costs.fork = each;
        costs.spawn = each;
    }
    if let Some(path) = &args.save {
        save(path, &subject.dag)?;
    }
    let mut runs = Vec::new();
    let progress = Progress::new(ways.len() * workers.len());
    for way in ways {
        for &workers in &workers {
            progress.running(program.name, way.protocol.0, workers);
            let machine = machine(args, &costs, way, workers);
            let outcome = simulate(&subject.dag, &machine, args.seed)
                .map_err(|error| Failure::Request(error.to_string()))?;
            // The time on one worker is always measured, because the cost of a fork is computed from it.
            let found = measured
                .heist
                .iter()
                .find(|(threads, _)| args.validate && *threads == workers);
            runs.push(Run {
                way,
                workers,
                outcome,
                measured: found.map(|&(_, seconds)| seconds),
            });
        }
    }
    drop(progress);
    if !outfile::is_standard_output(args.json.as_deref()) {
        say::out(&table::render(&subject, &runs, say::colours_on_stdout()))?;
    }
    if let Some(file) = &mut json {
        let serde_json::Value::Object(all) = as_json(args, &subject, &costs, &runs) else {
            unreachable!("an object")
        };
        let machine = crate::machine::Machine::detect()?;
        let sheet = table::sheet(&subject, &runs);
        file.fill(&sheet::render("simulate", &machine, &sheet, all)?)?;
    }
    Ok(())
}

fn machine(args: &Simulate, costs: &Costs, way: Way, workers: usize) -> Machine {
    Machine {
        victims: way.victims.1,
        amount: way.amount.1,
        policy: way.policy.1,
        costs: costs.clone(),
        inflation: args.inflation,
        ..Machine::new(workers, way.protocol.1)
    }
}

fn open(option: &str, path: Option<&std::path::Path>) -> Result<Option<Outfile>, Failure> {
    path.map(|path| Outfile::open(option, path)).transpose()
}

/// Measured times in seconds.
struct Measured {
    /// The median time of the serial program.
    serial: f64,
    /// The times on Heist, by number of threads. Each time is the serial time multiplied by the median ratio of Heist's time to the serial
    /// time.
    heist: Vec<(usize, f64)>,
}

fn measure(
    args: &Simulate,
    program: &'static Program,
    threads: Vec<usize>,
) -> Result<Measured, Failure> {
    // Like simulated workers, each worker has its own CPU, if there are enough.
    let most = threads.iter().copied().max().unwrap_or(1);
    let pin = plan::cpus_for(most).ok();
    let outcomes = measure::measure(&Plan {
        programs: vec![program],
        size: args.size,
        threads,
        contenders: vec![Contender::Serial, Contender::Heist],
        rounds: Rounds::Exactly(args.runs),
        pin,
        seed: args.seed,
    })?;
    let (serial, heist): (Vec<_>, Vec<_>) = outcomes
        .iter()
        .flat_map(|outcome| &outcome.rows)
        .partition(|row| row.contender == Contender::Serial);
    let base = serial.first().map_or_else(Vec::new, |row| row.seconds());
    let serial = median(&base).unwrap_or(0.0);
    let heist = heist.iter().filter_map(|row| {
        let ratio = paired_ratio(&row.seconds(), &base)?;
        Some((row.threads, serial * ratio))
    });
    Ok(Measured {
        serial,
        heist: heist.collect(),
    })
}

/// The greatest cost of a fork that the calibration accepts, in nanoseconds.
const MOST_CALIBRATED: f64 = 50.0;

/// The number of recordings of a program.
const TAPES: usize = 5;

/// Records several serial runs of the program, and gives each strand its least time in these runs. If `work`, the time of the serial
/// program, is given, adjusts the profile so that its work is `work`.
pub(crate) fn tape(
    program: &'static Program,
    size: Size,
    keep: Keep,
    work: Option<f64>,
) -> Result<(String, Recording), Failure> {
    let runner = Runner::recording(keep)
        .map_err(|error| Failure::Request(format!("cannot start a recording: {error}")))?;
    let mut instance = (program.prepare)(size, &Data::locate()).map_err(|error| {
        Failure::Request(format!(
            "{}: cannot prepare the input: {error}",
            program.name
        ))
    })?;
    // The first run touches memory for the first time, and an interruption affects only one of the runs.
    let fitted = work.into_iter().map(Some);
    for work in repeat_n(None, TAPES + 1).chain(fitted) {
        if let Some(work) = work {
            runner.fit(work);
        }
        instance.reset();
        instance.run(Contender::Serial, &runner);
        instance.check().map_err(|wrong| {
            Failure::WrongResult(format!(
                "{}, recorded, computed a wrong result: {wrong}",
                program.name
            ))
        })?;
    }
    let recording = runner.take_recording().ok_or_else(|| {
        Failure::Request(format!(
            "{} runs nothing that can be recorded",
            program.name
        ))
    })?;
    Ok((instance.params(), recording))
}

fn record(
    program: &'static Program,
    size: Size,
    serial: f64,
    costs: &Costs,
) -> Result<Subject, Failure> {
    let keep = Keep {
        dag: true,
        profile: None,
        repeats: true,
    };
    let (params, recording) = tape(program, size, keep, None)?;
    let reading = recording.reading;
    // The serial time includes the cost of entering a pool.
    let serial = (serial - costs.enter * 1e-9).max(1e-9);
    let dag = recording.fit(serial).ok_or_else(|| {
        Failure::Request(format!(
            "{} is too long to be recorded; choose a smaller --size",
            program.name
        ))
    })?;
    Ok(Subject {
        program,
        params,
        serial,
        dag,
        reading,
    })
}

fn save(path: &std::path::Path, dag: &Dag) -> Result<(), Failure> {
    std::fs::File::create(path)
        .and_then(|file| {
            let mut file = BufWriter::new(file);
            dag.write(&mut file)?;
            file.into_inner()
                .map(drop)
                .map_err(|error| error.into_error())
        })
        .map_err(|error| {
            Failure::Request(format!("--save cannot write '{}': {error}", path.display()))
        })?;
    Ok(())
}

fn as_json(args: &Simulate, subject: &Subject, costs: &Costs, runs: &[Run]) -> serde_json::Value {
    let sum = subject.dag.summary();
    let seconds = |time: u64| time as f64 * 1e-12;
    let runs: Vec<_> = runs
        .iter()
        .map(|run| {
            let outcome = &run.outcome;
            let total =
                |of: fn(&heist_sim::Worker) -> u64| seconds(outcome.workers.iter().map(of).sum());
            json!({
                "protocol": run.way.protocol.0,
                "policy": run.way.policy.0,
                "victims": run.way.victims.0,
                "amount": run.way.amount.0,
                "workers": run.workers,
                "seconds": run.seconds(),
                "speedup": subject.serial / run.seconds(),
                "busy": total(|worker| worker.busy),
                "lost": total(|worker| worker.lost),
                "waking": total(|worker| worker.waking),
                "search": total(|worker| worker.search),
                "asleep": total(|worker| worker.asleep),
                "dynamic_overhead": outcome.dynamic_overhead(),
                "steals": outcome.steals,
                "free_steals": outcome.free_steals,
                "failed": outcome.failed,
                "exposes": outcome.exposes,
                "forced": outcome.forced,
                "barrier_hits": outcome.barrier_hits,
                "barrier_seconds": seconds(outcome.barrier_time),
                "wakes": outcome.wakes,
                "waits": outcome.waits,
                "latency_median": outcome.latency.quantile(0.5).map(seconds),
                "latency_99": outcome.latency.quantile(0.99).map(seconds),
                "measured": run.measured,
                "error": run.error(),
            })
        })
        .collect();
    json!({
        "format": 1,
        "heist": env!("CARGO_PKG_VERSION"),
        "optimised": !cfg!(debug_assertions),
        "program": subject.program.name,
        "params": subject.params,
        "seed": args.seed,
        "inflation": args.inflation,
        "costs_ns": costs::as_json(costs),
        "serial": subject.serial,
        "reading_ns": subject.reading,
        "work": seconds(sum.work),
        "span": seconds(sum.span),
        "parallelism": sum.parallelism(),
        "forks": sum.forks,
        "spawns": sum.spawns,
        "scopes": sum.scopes,
        "runs": runs,
    })
}
