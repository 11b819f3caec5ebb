//! `heist trace program.pml` draws a picture of a program of Parallel ML.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use heist::trace::{EventKind, Trace};
use heist_pml::driver::{self, Settings, Tracing};
use serde_json::json;

use super::{add_table, args, is_source, longest_waits, threads, time};
use crate::failure::Failure;
use crate::outfile::{self, Outfile};
use crate::version::VERSION;

/// Runs the program, and writes the trace when the program ends. `heist trace` prints the summary on standard error, because the program
/// may print on standard output.
pub(crate) fn run_source(args: &args::Trace) -> Result<(), Failure> {
    if args.overhead {
        return Err(Failure::Request(
            "--overhead measures the programs that `heist list` names".to_owned(),
        ));
    }
    let sources = args.rest.iter().take_while(|word| is_source(word)).count();
    let files: Vec<PathBuf> = std::iter::once(&args.name)
        .chain(&args.rest[..sources])
        .map(PathBuf::from)
        .collect();
    let workers = match args.threads {
        Some(threads) => threads,
        None => crate::plan::own_threads()?,
    };
    // Read the program before the files are opened, so that an unreadable program leaves no empty file.
    for file in &files {
        if !file.exists() {
            return Err(Failure::Request(format!(
                "there is no file '{}'",
                file.display()
            )));
        }
    }
    let report = Report {
        name: args.name.clone(),
        workers,
        out: args.out.clone(),
        file: outfile::in_its_folder(&args.out)?,
        json: args
            .json
            .as_deref()
            .map(|path| Outfile::open("--json", path))
            .transpose()?,
    };
    let report = Mutex::new(Some(report));
    let done = move |trace: Trace| {
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut report) = report.take() else {
            return;
        };
        if let Err(failure) = report.write(&trace) {
            failure.report();
            if !matches!(failure, Failure::ReaderGone) {
                // Dropping the report deletes empty files. The program has ended, and its output has been written.
                drop(report);
                std::process::exit(driver::IMPOSSIBLE);
            }
        }
    };
    let settings = Settings {
        workers: Some(workers),
        arguments: args.rest[sources..].iter().map(Into::into).collect(),
        trace: Some(Tracing {
            events: args.events,
            done: Arc::new(done),
        }),
        ..Settings::default()
    };
    match driver::run(&files, &settings) {
        driver::ACCEPTED => Ok(()),
        code => std::process::exit(code),
    }
}

/// The files and streams to which a trace and its summary are written.
struct Report {
    name: String,
    workers: usize,
    out: PathBuf,
    file: Outfile,
    json: Option<Outfile>,
}

impl Report {
    fn write(&mut self, trace: &Trace) -> Result<(), Failure> {
        let mut chrome = Vec::new();
        trace
            .write_chrome(&mut chrome)
            .map_err(|error| Failure::Request(format!("cannot write the trace: {error}")))?;
        self.file.fill(&String::from_utf8_lossy(&chrome))?;
        let thefts: u64 = trace.usage().iter().map(|used| used.thefts).sum();
        let counts = Counts::of(trace);
        if let Some(file) = &mut self.json {
            let all = json!({
                "format": 1,
                "heist": VERSION,
                "optimised": !cfg!(debug_assertions),
                "program": self.name,
                "workers": self.workers,
                "seconds": trace.duration().as_secs_f64(),
                "events": trace.events().count(),
                "lost_events": trace.dropped(),
                "strands": counts.strands,
                "published": counts.published,
                "minor_collections": counts.minor,
                "major_collections": counts.major,
                "promotions": counts.promotions,
                "file": self.out.display().to_string(),
                "threads": threads(trace, self.workers),
                "longest_waits": longest_waits(trace),
            });
            return file.fill(&format!("{all:#}\n"));
        }
        let mut text = format!(
            "{} on {} workers: {}, {} events, {} lost, {thefts} thefts\n\n",
            self.name,
            self.workers,
            time(trace.duration()),
            trace.events().count(),
            trace.dropped(),
        );
        add_table(&mut text, trace, self.workers);
        let _ = writeln!(
            text,
            "\n{} times a strand ran; {} forks published; {} minor and {} major collections, {} promotions",
            counts.strands, counts.published, counts.minor, counts.major, counts.promotions,
        );
        let _ = writeln!(
            text,
            "\nWrote '{}': open it at https://ui.perfetto.dev",
            self.out.display()
        );
        eprint!("{text}");
        Ok(())
    }
}

/// The counts that only programs of Parallel ML have.
#[derive(Default)]
struct Counts {
    strands: u64,
    published: u64,
    minor: u64,
    major: u64,
    promotions: u64,
}

impl Counts {
    fn of(trace: &Trace) -> Counts {
        let mut counts = Counts::default();
        for event in trace.events() {
            match event.kind {
                EventKind::PartBegins { what, .. } => match &*what {
                    "strand" => counts.strands += 1,
                    "minor collection" => counts.minor += 1,
                    "major collection" => counts.major += 1,
                    "promotion" => counts.promotions += 1,
                    _ => {}
                },
                EventKind::Noted { what, amount } if &*what == "published" => {
                    counts.published += amount;
                }
                _ => {}
            }
        }
        // Each promotion is recorded with a minor collection inside of it.
        counts.minor = counts.minor.saturating_sub(counts.promotions);
        counts
    }
}
