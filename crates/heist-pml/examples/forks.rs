//! Runs random programs that fork, on one, two and eight workers. In some modes, every poll publishes forks. In some modes, every
//! allocation collects. Compares the output of each program with the output of the same program compiled as sequential code.
//!
//! `cargo run --release -p heist-pml --example forks -- --hours 24 --seed 1 --out FOLDER` (or `--minutes 1`). `--forks free` or
//! `--forks clones` tests only one way of compiling forks. The folder keeps programs whose outputs differ, and programs that crash or do
//! not terminate. If there is such a program, the exit code is 1.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use heist_pml::driver::{self, Forms, Settings};

#[path = "generate/expression.rs"]
mod expression;
#[path = "generate/fork.rs"]
mod fork;
#[path = "generate/program.rs"]
mod program;
#[path = "generate/random.rs"]
mod random;

/// The argument `--run-file`, which makes this program run one file. The arguments after `--run-file` are the file, `sequential` or the
/// number of workers, whether to collect at every allocation, and `clones` if each fork should make a task.
const RUN: &str = "--run-file";

/// The maximum time for a batch of programs.
const LIMIT: Duration = Duration::from_secs(120);

/// The number of programs that are compiled and run together.
const BATCH: u64 = 5;

/// The modes: the number of workers, whether every poll publishes, and whether every allocation collects.
const MODES: &[(u32, bool, bool)] = &[
    (1, false, false),
    (2, false, false),
    (8, false, false),
    (2, true, false),
    (8, true, false),
    (1, false, true),
    (2, false, true),
    (2, true, true),
    (8, true, true),
];

/// The ways to compile forks, which `--forks` selects.
const FORKS: [&str; 2] = ["free", "clones"];

struct Arguments {
    time: Duration,
    seed: u64,
    out: PathBuf,
    /// The ways to compile forks to try, from [`FORKS`].
    forks: Vec<&'static str>,
}

fn arguments() -> Result<Arguments, String> {
    let mut found = Arguments {
        time: Duration::from_secs(60),
        seed: 1,
        out: std::env::temp_dir().join("pml-forks"),
        forks: FORKS.to_vec(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("{word} needs a value"))?;
        let number = || {
            value
                .parse::<f64>()
                .map_err(|why| format!("{value}: {why}"))
        };
        match word.as_str() {
            "--hours" => found.time = Duration::from_secs_f64(number()? * 3600.0),
            "--minutes" => found.time = Duration::from_secs_f64(number()? * 60.0),
            "--seed" => found.seed = number()? as u64,
            "--out" => found.out = value.into(),
            "--forks" => found.forks.retain(|way| *way == value),
            _ => return Err(format!("{word} is not known")),
        }
    }
    Ok(found)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, file, workers, stress, forks] = &words[..]
        && first == RUN
    {
        let sequential = workers == "sequential";
        let settings = Settings {
            workers: Some(workers.parse().unwrap_or(1)),
            stress: stress == "true",
            forms: if sequential {
                Forms::Sequential
            } else if forks == "clones" {
                Forms::Clones
            } else {
                Forms::Parallel
            },
            heap: Some(1 << 30),
            stack: Some(64 << 20),
            ..Settings::default()
        };
        std::process::exit(driver::run(&[PathBuf::from(file)], &settings));
    }
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    std::fs::create_dir_all(&arguments.out).expect("a folder for what fails");
    let (began, next) = (Instant::now(), AtomicU64::new(arguments.seed));
    let (ran, failed) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    // Each batch uses several CPUs, because its programs have several workers.
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().div_ceil(2));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while began.elapsed() < arguments.time {
                    // Relaxed: the counter orders no other memory accesses.
                    let seed = next.fetch_add(BATCH, Ordering::Relaxed);
                    if let Err(why) = batch(seed, BATCH, &arguments) {
                        println!("{why}");
                        // Finds out which programs of the batch failed.
                        for seed in seed..seed + BATCH {
                            if let Err(why) = batch(seed, 1, &arguments) {
                                println!("{why}");
                            }
                        }
                        failed.lock().expect("nobody panics").push(why);
                    }
                    ran.fetch_add(BATCH, Ordering::Relaxed);
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panics").len();
    println!(
        "{} programs in {} modes in {:.0?}, {failed} batches failed",
        ran.into_inner(),
        MODES.len() * arguments.forks.len(),
        began.elapsed()
    );
    ExitCode::from(u8::from(failed > 0))
}

/// Runs the programs of consecutive seeds in all modes. Keeps the file of the programs if one of them fails.
fn batch(seed: u64, count: u64, arguments: &Arguments) -> Result<(), String> {
    let mut text = program::prelude(true);
    for seed in seed..seed + count {
        text.push_str(&program::program(seed, true));
    }
    let file = arguments.out.join(format!("{seed}-{count}.pml"));
    std::fs::write(&file, &text).map_err(|why| format!("{}: {why}", file.display()))?;
    let failed = |mode: &str, why: String| Err(format!("{}, {mode}: {why}", file.display()));
    let expected = match run(&file, "sequential", "free", false, false) {
        Ok(expected) => expected,
        Err(why) => return failed("sequential", why),
    };
    let ways = MODES
        .iter()
        .flat_map(|mode| arguments.forks.iter().map(move |forks| (mode, forks)));
    for (&(workers, publish, stress), forks) in ways {
        let mode = format!("{workers} workers, {forks} forks, publish {publish}, stress {stress}");
        match run(&file, &workers.to_string(), forks, publish, stress) {
            Ok(found) if found == expected => {}
            Ok(found) => {
                let lines = expected.lines().zip(found.lines());
                let differs = lines.clone().find(|(wanted, found)| wanted != found);
                return failed(&mode, format!("{differs:?}, or another number of lines"));
            }
            Err(why) => return failed(&mode, why),
        }
    }
    let _ = std::fs::remove_file(&file);
    Ok(())
}

/// Runs a file in a separate process.
fn run(
    file: &Path,
    workers: &str,
    forks: &str,
    publish: bool,
    stress: bool,
) -> Result<String, String> {
    let output_file = file.with_extension(format!("{workers}.out"));
    let output = std::fs::File::create(&output_file).map_err(|why| why.to_string())?;
    let messages = output.try_clone().map_err(|why| why.to_string())?;
    let mut child = Command::new(std::env::current_exe().map_err(|why| why.to_string())?)
        .arg(RUN)
        .arg(file)
        .args([workers, if stress { "true" } else { "false" }, forks])
        .env("HEIST_PUBLISH", if publish { "1" } else { "0" })
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(if workers == "sequential" {
            // The compiler prints warnings about the program, which are not compared.
            Stdio::null()
        } else {
            messages.into()
        })
        .spawn()
        .map_err(|why| why.to_string())?;
    let began = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|why| why.to_string())? {
            Some(status) => break status,
            None if began.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it does not end".into());
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let said = std::fs::read(&output_file).map_err(|why| why.to_string())?;
    let said = String::from_utf8_lossy(&said).into_owned();
    if !status.success() {
        let last = said.lines().last().unwrap_or_default();
        return Err(format!("{status}: {last}"));
    }
    let _ = std::fs::remove_file(&output_file);
    let results = said.lines().filter(|line| line.starts_with('@'));
    Ok(results.collect::<Vec<_>>().join("\n"))
}
