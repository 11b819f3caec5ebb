//! `heist trace` draws one run of a program as a picture of the workers' actions.

use std::fmt::Write as _;
use std::path::Path;
use std::slice;
use std::time::{Duration, Instant};

use heist::trace::Trace;
use heist_suite::{Contender, Data, Instance, Program, Runner};
use serde_json::{Value, json};

use crate::contender;
use crate::failure::Failure;
use crate::measure;
use crate::outfile::{self, Outfile};
use crate::plan;
use crate::progress::Progress;
use crate::say;
use crate::select::select;
use crate::stats::Spread;
use crate::version::VERSION;

pub(crate) mod args;
mod places;

#[cfg(feature = "pml")]
mod source;
#[cfg(feature = "pml")]
use source::run_source;

/// The maximum number of waits in the summary, which has the longest waits.
const WAITS: usize = 5;

/// Runs the program once to warm up, and once with a trace. Writes the file with the trace, and the summary.
pub(crate) fn run(args: &args::Trace) -> Result<(), Failure> {
    if let Some(places) = args.places {
        return places::run(args, places);
    }
    if is_source(&args.name) {
        return run_source(args);
    }
    if let Some(word) = args.rest.first() {
        return Err(Failure::Request(format!(
            "{} takes no arguments, but got '{word}': see --size",
            args.name
        )));
    }
    let program = select(slice::from_ref(&args.name))?[0];
    let threads = match args.threads {
        Some(threads) => threads,
        None => plan::own_threads()?,
    };
    if args.overhead {
        let mut subject = Subject::prepare(args, program, threads)?;
        return overhead(&mut subject, args);
    }
    // The command opens the file before the run, so that it reports a missing folder immediately.
    let mut file = outfile::in_its_folder(&args.out)?;
    let summary_file = args.json.as_deref();
    let mut json_file = summary_file
        .map(|path| Outfile::open("--json", path))
        .transpose()?;
    let mut subject = Subject::prepare(args, program, threads)?;
    subject.run(None)?;
    let (_, trace) = subject.run(Some(args.events))?;
    let Some(trace) = trace else {
        unreachable!("it was started");
    };
    let mut json = Vec::new();
    trace
        .write_chrome(&mut json)
        .map_err(|error| Failure::Request(format!("cannot write the trace: {error}")))?;
    file.fill(&String::from_utf8_lossy(&json))?;
    if let Some(json_file) = &mut json_file {
        let all = as_json(&subject, &trace, &args.out);
        return json_file.fill(&format!("{all:#}\n"));
    }
    say::out(&summary(&subject, &trace))?;
    say::out(&format!(
        "\nWrote '{}': open it at https://ui.perfetto.dev\n",
        args.out.display()
    ))
}

/// Returns the summary as JSON. Times are in seconds.
fn as_json(subject: &Subject, trace: &Trace, file: &Path) -> Value {
    json!({
        "format": 1,
        "heist": VERSION,
        "optimised": !cfg!(debug_assertions),
        "program": subject.program.name,
        "params": subject.instance.params(),
        "contender": contender::name(subject.who),
        "workers": subject.runner.threads(),
        "seconds": trace.duration().as_secs_f64(),
        "events": trace.events().count(),
        "lost_events": trace.dropped(),
        "file": file.display().to_string(),
        "threads": threads(trace, subject.runner.threads()),
        "longest_waits": longest_waits(trace),
    })
}

/// Returns true if a word names a file of Parallel ML.
fn is_source(word: &str) -> bool {
    let extension = Path::new(word)
        .extension()
        .and_then(|extension| extension.to_str());
    matches!(extension, Some("sml" | "pml" | "sig" | "fun" | "mlb"))
}

#[cfg(not(feature = "pml"))]
fn run_source(args: &args::Trace) -> Result<(), Failure> {
    Err(Failure::Request(format!(
        "this build leaves out the compiler of Parallel ML; in the repository, run \
         `cargo run --release --features pml -- trace {}`",
        args.name
    )))
}

/// Returns the use of each thread's time as JSON.
fn threads(trace: &Trace, workers: usize) -> Vec<Value> {
    trace
        .usage()
        .iter()
        .map(|used| {
            json!({
                "thread": used.thread,
                "spare": used.thread >= workers,
                "running": used.running.as_secs_f64(),
                "waiting": used.waiting.as_secs_f64(),
                "asleep": used.parked.as_secs_f64(),
                "thefts": used.thefts,
                "lost_events": used.dropped,
            })
        })
        .collect()
}

/// Returns the longest waits as JSON.
fn longest_waits(trace: &Trace) -> Vec<Value> {
    trace
        .waits()
        .iter()
        .take(WAITS)
        .map(|wait| {
            json!({
                "thread": wait.thread,
                "for": wait.what.map(|what| what.to_string()),
                "at": wait.at.as_secs_f64(),
                "lasted": wait.lasted.as_secs_f64(),
            })
        })
        .collect()
}

/// A program that is traced.
struct Subject {
    program: &'static Program,
    who: Contender,
    instance: Box<dyn Instance>,
    runner: Runner,
}

impl Subject {
    fn prepare(
        args: &args::Trace,
        program: &'static Program,
        threads: usize,
    ) -> Result<Subject, Failure> {
        let who = args.contender;
        if !program.contenders.contains(&who) {
            return Err(Failure::Request(format!(
                "{} does not run as {} (see `heist list`)",
                program.name,
                contender::name(who)
            )));
        }
        let runner = measure::start(threads, None)?;
        let instance = (program.prepare)(args.size, &Data::locate()).map_err(|error| {
            Failure::Request(format!(
                "{}: cannot prepare the input: {error}",
                program.name
            ))
        })?;
        Ok(Subject {
            program,
            who,
            instance,
            runner,
        })
    }

    /// Runs the program once. If `events` is given, records a trace with this number of events for
    /// each thread.
    fn run(&mut self, events: Option<usize>) -> Result<(Duration, Option<Trace>), Failure> {
        self.instance.reset();
        std::thread::sleep(measure::SETTLE);
        let under;
        let pool = match self.who {
            Contender::Under(protocol) => {
                under = self
                    .runner
                    .under(protocol)
                    .map_err(|error| Failure::Request(error.to_string()))?;
                &*under
            }
            who => self
                .runner
                .heist_of(who)
                .expect("the command line takes Heist's own only"),
        };
        if let Some(events) = events {
            pool.start_trace(events);
        }
        let start = Instant::now();
        self.instance.run(self.who, &self.runner);
        let time = start.elapsed();
        let trace = pool.stop_trace();
        self.instance.check().map_err(|wrong| {
            Failure::WrongResult(format!(
                "{} ({}) computed a wrong result: {wrong}",
                self.program.name,
                self.instance.params()
            ))
        })?;
        Ok((time, trace))
    }
}

fn summary(subject: &Subject, trace: &Trace) -> String {
    let mut text = String::new();
    let whole = trace.duration();
    let threads = subject.runner.threads();
    let usage = trace.usage();
    let _ = writeln!(
        text,
        "{} ({}) as {} on {threads} threads: {}, {} events, {} lost, {} thefts\n",
        subject.program.name,
        subject.instance.params(),
        contender::name(subject.who),
        time(whole),
        trace.events().count(),
        trace.dropped(),
        usage.iter().map(|used| used.thefts).sum::<u64>(),
    );
    add_table(&mut text, trace, threads);
    text
}

/// Adds a table of the threads, and the longest waits, to `text`.
fn add_table(text: &mut String, trace: &Trace, threads: usize) {
    let (whole, usage) = (trace.duration(), trace.usage());
    let _ = writeln!(
        text,
        "{:<12} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}",
        "thread", "running", "waiting", "asleep", "other", "thefts", "lost"
    );
    for used in &usage {
        let kind = if used.thread < threads {
            "worker"
        } else {
            "spare"
        };
        let other = whole.saturating_sub(used.running + used.waiting + used.parked);
        let _ = writeln!(
            text,
            "{:<12} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}",
            format!("{kind} {}", used.thread),
            share(used.running, whole),
            share(used.waiting, whole),
            share(used.parked, whole),
            share(other, whole),
            used.thefts,
            used.dropped,
        );
    }
    let waits = trace.waits();
    if !waits.is_empty() {
        let _ = writeln!(text, "\nThe longest of {} waits:", waits.len());
    }
    for wait in waits.iter().take(WAITS) {
        let what = wait.what.map_or_else(
            || "something that began before the events that are left".to_owned(),
            |what| what.to_string(),
        );
        let _ = writeln!(
            text,
            "  {} on thread {}, at {}, for {what}",
            time(wait.lasted),
            wait.thread,
            time(wait.at)
        );
    }
}

fn time(time: Duration) -> String {
    let nanos = time.as_nanos();
    let (value, unit) = match nanos {
        0..1_000 => return format!("{nanos} ns"),
        1_000..1_000_000 => (nanos as f64 / 1e3, "us"),
        1_000_000..1_000_000_000 => (nanos as f64 / 1e6, "ms"),
        _ => (nanos as f64 / 1e9, "s"),
    };
    format!("{value:.2} {unit}")
}

fn share(part: Duration, whole: Duration) -> String {
    format!(
        "{:.1} %",
        100.0 * part.as_secs_f64() / whole.as_secs_f64().max(1e-9)
    )
}

/// Runs the program with and without a trace in paired rounds, and reports the cost of the trace.
fn overhead(subject: &mut Subject, args: &args::Trace) -> Result<(), Failure> {
    subject.run(None)?;
    subject.run(Some(args.events))?;
    let mut ratios = Vec::with_capacity(args.runs);
    let mut events = 0;
    let progress = Progress::new(args.runs);
    for round in 0..args.runs {
        progress.running(
            subject.program.name,
            contender::name(subject.who),
            subject.runner.threads(),
        );
        let (plain, traced) = if round % 2 == 0 {
            let plain = subject.run(None)?;
            (plain, subject.run(Some(args.events))?)
        } else {
            let traced = subject.run(Some(args.events))?;
            (subject.run(None)?, traced)
        };
        ratios.push(traced.0.as_secs_f64() / plain.0.as_secs_f64().max(1e-9));
        events = traced
            .1
            .map_or(0, |trace| trace.events().count() as u64 + trace.dropped());
    }
    drop(progress);
    let Some(spread) = Spread::of(&ratios) else {
        unreachable!("there is one round at least");
    };
    say::out(&format!(
        "{} ({}) on {} threads, {events} events: with a trace it takes {:.3} times as long as without \
         (median of {} paired rounds, {:.3} to {:.3})\n",
        subject.program.name,
        subject.instance.params(),
        subject.runner.threads(),
        spread.median,
        args.runs,
        spread.min,
        spread.max,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_that_fit() {
        for (nanos, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_500, "1.50 us"),
            (2_000_000, "2.00 ms"),
            (3_200_000_000, "3.20 s"),
        ] {
            assert_eq!(time(Duration::from_nanos(nanos)), text);
        }
        assert_eq!(
            share(Duration::from_millis(5), Duration::from_millis(20)),
            "25.0 %"
        );
    }
}
