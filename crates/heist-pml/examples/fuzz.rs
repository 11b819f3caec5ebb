//! Tests the compiler with broken programs, which the test makes from correct programs. The compiler must not panic, hang or overflow the
//! stack.
//!
//! `cargo run --release --example fuzz -- --stage parse|check|compile --seed 1 --runs 100000 --out FOLDER CORPUS...`
//!
//! The program of a run depends only on the seed and on the run's number. `--only NUMBER` repeats one run. The folder keeps programs that
//! fail. The file `now` in this folder contains the number of the current run, even after the process has died.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use heist_pml::driver::{Checker, Dialect, on_large_stack};

#[path = "fuzz/mutate.rs"]
mod mutate;
use mutate::{Corpus, Random};

/// The maximum time for a run, which tests one program.
const LIMIT: Duration = Duration::from_secs(20);

struct Arguments {
    stage: String,
    seed: u64,
    runs: u64,
    first: u64,
    out: PathBuf,
    dialect: Dialect,
    corpus: Vec<PathBuf>,
}

fn arguments() -> Result<Arguments, String> {
    let mut found = Arguments {
        stage: "parse".into(),
        seed: 1,
        runs: 10_000,
        first: 0,
        out: std::env::temp_dir().join("pml-fuzz"),
        dialect: Dialect::Pml,
        corpus: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| {
            text.parse::<u64>()
                .map_err(|error| format!("{text}: {error}"))
        };
        match word.as_str() {
            "--stage" => found.stage = value()?,
            "--seed" => found.seed = number(value()?)?,
            "--runs" => found.runs = number(value()?)?,
            "--only" => {
                found.first = number(value()?)?;
                found.runs = 1;
            }
            "--out" => found.out = value()?.into(),
            "--manticore" => found.dialect = Dialect::Manticore,
            _ => found.corpus.push(word.into()),
        }
    }
    Ok(found)
}

/// The state that the thread with the timeout reads: the number of the current run, its start, and its text.
#[derive(Default)]
struct Now {
    run: AtomicU64,
    began: AtomicU64,
    text: Mutex<Vec<u8>>,
    over: AtomicBool,
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let corpus = Corpus::read(&arguments.corpus);
    if corpus.is_empty() {
        eprintln!("no programs to start from: name files or folders");
        return ExitCode::from(2);
    }
    fs::create_dir_all(&arguments.out).expect("a folder for what fails");
    let now = Arc::new(Now::default());
    let begin = Instant::now();
    let watchman = {
        let (now, out) = (Arc::clone(&now), arguments.out.clone());
        std::thread::spawn(move || watch(&now, &out, begin))
    };
    let failures = on_large_stack(|| fuzz(&arguments, &corpus, &now, begin));
    now.over.store(true, Ordering::Relaxed);
    watchman.join().expect("the watchman has nothing to do");
    if failures == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Ends the process if a run takes longer than [`LIMIT`], after writing the program of this run into the folder `out`.
fn watch(now: &Now, out: &Path, begin: Instant) {
    while !now.over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(200));
        let began = Duration::from_micros(now.began.load(Ordering::Relaxed));
        if began > Duration::ZERO && begin.elapsed().saturating_sub(began) > LIMIT {
            let run = now.run.load(Ordering::Relaxed);
            let file = out.join(format!("hang-{run}.pml"));
            let _ = fs::write(&file, &*now.text.lock().unwrap());
            eprintln!("run {run} takes longer than {LIMIT:?}: {}", file.display());
            std::process::exit(3);
        }
    }
}

fn fuzz(arguments: &Arguments, corpus: &Corpus, now: &Now, begin: Instant) -> usize {
    let checker = Checker::new(arguments.dialect);
    let place: Arc<Mutex<String>> = Arc::default();
    let seen = Arc::clone(&place);
    std::panic::set_hook(Box::new(move |info| {
        *seen.lock().unwrap() = info.to_string();
    }));
    // For each place and text of a panic, the number of runs that failed with this panic.
    let mut failures: BTreeMap<String, u64> = BTreeMap::new();
    let (mut accepted, mut bytes, mut slowest) = (0u64, 0u64, Duration::ZERO);
    let mut refused: BTreeMap<&'static str, u64> = BTreeMap::new();
    let progress = fs::File::create(arguments.out.join("now")).expect("a file for the progress");
    let start = Instant::now();
    for run in arguments.first..arguments.first + arguments.runs {
        let mut random = Random::new(arguments.seed, run);
        let text = corpus.mutant(&mut random, arguments.stage != "parse");
        bytes += text.len() as u64;
        now.run.store(run, Ordering::Relaxed);
        now.text.lock().unwrap().clone_from(&text);
        let at = begin.elapsed();
        now.began
            .store(at.as_micros().max(1) as u64, Ordering::Relaxed);
        // The file has the number of this run if the process dies.
        let _ = progress.write_all_at(format!("{run:<20}").as_bytes(), 0);
        if arguments.runs == 1 {
            let _ = fs::write(arguments.out.join("only.pml"), &text);
        }
        let result = catch_unwind(AssertUnwindSafe(|| match arguments.stage.as_str() {
            "parse" => Ok(checker.parse(&text)),
            "check" => Ok(checker.check(&text)),
            _ => checker.compile(&text),
        }));
        slowest = slowest.max(begin.elapsed().saturating_sub(at));
        let why = match result {
            Ok(Ok(found)) => {
                accepted += u64::from(found.accepted);
                for code in found.codes.iter().filter(|code| code.starts_with('E')) {
                    *refused.entry(code).or_default() += 1;
                }
                continue;
            }
            Ok(Err(why)) => why,
            Err(_) => place.lock().unwrap().clone(),
        };
        let count = failures.entry(why.clone()).or_default();
        *count += 1;
        if *count == 1 {
            let file = arguments
                .out
                .join(format!("fail-{}-{run}.pml", arguments.seed));
            let _ = fs::write(&file, &text);
            eprintln!("{}: {why}", file.display());
        }
    }
    now.began.store(0, Ordering::Relaxed);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} runs of stage {} from seed {}: {} failures of {} kinds, {accepted} accepted, {bytes} bytes, {seconds:.1} s, slowest {} ms",
        arguments.runs,
        arguments.stage,
        arguments.seed,
        failures.values().sum::<u64>(),
        failures.len(),
        slowest.as_millis(),
    );
    if std::env::var_os("FUZZ_CODES").is_some() {
        for (code, count) in refused {
            println!("{code} {count}");
        }
    }
    failures.len()
}
