//! Runs programs that fork in all modes: with forks published at every poll, and with collections at every allocation, after each of
//! which the verifier checks the whole heap.
//!
//! It does not use the usual harness, because the tests run the programs under test in separate processes.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use heist_pml::driver::{self, Dialect, Forms, Memory, Settings};

/// The argument with which this program runs one file instead of testing. The file's name follows, the number of workers, whether to
/// collect at every allocation, and an index into `HEAPS`.
const RUN: &str = "--run-file";

/// The beginning of programs in the dialect of Manticore.
const MANTICORE: &str = "(* The dialect of Manticore. *)";

/// A line of programs that count what runs; only modes that publish and collect as usual make sense for them. In programs of clones a
/// poll of a strand that only forks is missing: there it is not preempted.
const AS_USUAL: &str = "(* As usual. *)";

/// A line of programs that races end early, which they do not in programs of clones.
const WITHOUT_CLONES: &str = "(* Without clones. *)";

/// The longest that a program may take in a build without optimisation and beside others.
const LIMIT: Duration = Duration::from_secs(120);

/// Workers, whether every poll publishes, whether every allocation collects, the size of the program, and ways in which workers share
/// the heap: an index into `HEAPS`.
type Mode = (u16, bool, bool, u32, usize);

const MODES: &[Mode] = &[
    (1, false, false, 100_000, 0),
    (2, false, false, 400_000, 0),
    (8, false, false, 100_000, 0),
    (3, true, false, 5000, 0),
    (2, false, true, 1000, 0),
    (3, true, true, 300, 0),
    (8, false, false, 100_000, 1),
    (3, true, true, 300, 1),
    (1, false, false, 100_000, 2),
    (3, true, true, 300, 2),
    (3, true, true, 300, 3),
    (3, true, false, 5000, 3),
    (2, false, false, 100_000, 4),
    (3, true, true, 100, 4),
    (1, false, false, 100_000, 5),
    (2, false, false, 100_000, 5),
    (8, false, false, 100_000, 5),
    (3, true, false, 5000, 5),
    (2, false, true, 1000, 5),
    (3, true, true, 300, 5),
    (3, true, true, 100, 6),
];

/// The code that forks become, and ways in which workers share the heap.
const HEAPS: &[(Forms, Memory)] = &[
    (Forms::Parallel, Memory::Split),
    (Forms::Parallel, Memory::Copying),
    (Forms::Eager, Memory::Split),
    (Forms::Eager, Memory::Copying),
    (Forms::Parallel, Memory::Flat),
    (Forms::Clones, Memory::Split),
    (Forms::Clones, Memory::Flat),
];

/// Tests all of these programs, by names, in all modes: each prints `done`. `SIZE` stands for a multiple of ten, and `WORKERS` for
/// the number of workers. With this number of bytes of stack, if it differs from the default.
pub(crate) fn main(programs: &[(&str, String)], stack: Option<u64>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, file, workers, stress, heap] = &arguments[..]
        && first == RUN
    {
        let (forms, memory) = HEAPS[heap.parse::<usize>().unwrap()];
        let text = std::fs::read_to_string(file).unwrap();
        let dialect = if text.trim_start().starts_with(MANTICORE) {
            Dialect::Manticore
        } else {
            Dialect::default()
        };
        let settings = Settings {
            dialect,
            forms,
            memory,
            workers: workers.parse().ok(),
            stress: stress == "true",
            stack,
            ..Settings::default()
        };
        std::process::exit(driver::run(&[PathBuf::from(file)], &settings));
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let cases: Vec<(String, &str, Mode)> = programs
        .iter()
        .flat_map(|(name, text)| {
            MODES
                .iter()
                .filter(move |mode| {
                    let clones = mode.4 >= 5;
                    let usual = !mode.1 && !mode.2 && !clones;
                    (!text.contains(AS_USUAL) || usual)
                        && !(text.contains(WITHOUT_CLONES) && clones)
                })
                .map(move |mode| (format!("{name}, {mode:?}"), text.as_str(), *mode))
        })
        // As in the usual harness: an argument chooses by a part of the line.
        .filter(|(line, ..)| arguments.first().is_none_or(|part| line.contains(part)))
        .collect();
    match run_all(&cases) {
        0 => ExitCode::SUCCESS,
        failed => {
            println!("{failed} failed");
            ExitCode::FAILURE
        }
    }
}

/// Runs as many at a time as there are processors, because most of the time of each is spent in the compiler, which has one thread.
/// Returns the number of failures.
fn run_all(cases: &[(String, &str, Mode)]) -> usize {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let one_after_another = || {
        while let Some((line, text, mode)) = cases.get(next.fetch_add(1, Relaxed)) {
            let began = Instant::now();
            match run(text, *mode) {
                Ok(()) => println!("{line} ... ok, {:.1?}", began.elapsed()),
                Err(why) => {
                    println!("{line} ... FAILED: {why}");
                    failed.fetch_add(1, Relaxed);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(one_after_another);
        }
    });
    failed.into_inner()
}

/// Runs a program in a process of its own.
fn run(text: &str, (workers, publish, stress, size, heap): Mode) -> Result<(), String> {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Relaxed);
    let name = format!("modes-{}-{number}.pml", std::process::id());
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let text = text
        .replace("SIZE", &size.to_string())
        .replace("WORKERS", &workers.to_string());
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(RUN).arg(&file);
    command.arg(workers.to_string()).arg(stress.to_string());
    command.arg(heap.to_string());
    command.env("HEIST_PUBLISH", if publish { "1" } else { "0" });
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > LIMIT {
            child.kill().unwrap();
            return Err("it does not end".into());
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    std::fs::remove_file(&file).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && said == "done\n" {
        return Ok(());
    }
    Err(format!(
        "{}, output {said:?}, {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}
