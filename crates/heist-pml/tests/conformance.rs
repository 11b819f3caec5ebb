//! Runs the programs of `conformance/` and of the repository's `examples/` (see `conformance/README.md`).
//!
//! `HEIST_CONFORMANCE=mod_` (or an argument `mod_`) runs only the programs whose names contain `mod_`. Each program
//! runs in a separate process, so a crash or an endless loop fails only one program. Each of these processes is a copy of the test's own
//! executable.
//!
//! Programs in Parallel ML run a second time, on three workers, with forks published at every poll. Some of these programs also run with a
//! collection at every allocation.
//!
//! With `HEIST_BUILD=target/release/heist`, the test builds an executable of each program with this `heist`,
//! and runs it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use heist_pml::driver::{self, Settings};

/// The environment variable that tells a process what to do with its program: `run` or `check`.
const CHILD: &str = "HEIST_CONFORMANCE_CHILD";

/// The environment variable with the path of the `heist` that makes executables of the programs.
const BUILDER: &str = "HEIST_BUILD";

/// The environment variable that makes programs collect at every allocation. Most programs still end within the time limit.
const STRESS: &str = "HEIST_STRESS";

/// The environment variable with the number of workers for a process that runs one program.
const WORKERS: &str = "HEIST_CONFORMANCE_WORKERS";

/// Programs that print the order in which their parts run. This order is the sequential order only on one worker.
const ORDERED: &[&str] = &["pml_sequential_order.pml", "pml_spawn.pml"];

/// Programs that end within the time limit even with a collection at every allocation.
const STRESSED: &[&str] = &[
    "nested_sums.pml",
    "pml_array_of_arrays_exn.pml",
    "pml_comprehension_exception.pml",
    "pml_merge_sort.pml",
    "pml_nested_parallel.pml",
    "pml_parN.pml",
    "pml_pval_tree.pml",
    "pml_string_arrays.pml",
    "pml_tuple_exceptions.pml",
    "tree_rootfix.pml",
];

/// The maximum time for a program. This time is long enough for a build without optimisation, even while other programs run on the machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The maximum number of lines of a difference that the test prints.
const SHOWN: usize = 6;

fn main() -> ExitCode {
    if let Ok(what) = std::env::var(CHILD) {
        child(&what);
    }
    let filters: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .chain(std::env::var("HEIST_CONFORMANCE"))
        .collect();
    let mut cases = cases();
    cases
        .retain(|case| filters.is_empty() || filters.iter().any(|part| case.name().contains(part)));
    if cases.is_empty() {
        println!("no program has such a name");
        return ExitCode::FAILURE;
    }
    let failures = run_all(&cases);
    for (name, why) in &failures {
        println!("{name}:\n{why}");
    }
    for (name, why) in &failures {
        println!("failed: {name}: {}", why.lines().next().unwrap_or(""));
    }
    println!("{} programs, {} failed", cases.len(), failures.len());
    if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs or checks the program that the arguments name, and ends the process.
fn child(what: &str) -> ! {
    let mut arguments = std::env::args().skip(1);
    let file = PathBuf::from(arguments.next().expect("a file"));
    let settings = Settings {
        arguments: arguments.map(Into::into).collect(),
        stress: std::env::var_os(STRESS).is_some(),
        workers: std::env::var(WORKERS)
            .ok()
            .and_then(|workers| workers.parse().ok()),
        ..Settings::default()
    };
    let files = [file];
    std::process::exit(match what {
        "run" => driver::run(&files, &settings),
        _ => driver::check(&files, &settings),
    })
}

/// A program and its expected result.
#[derive(Clone)]
struct Case {
    file: PathBuf,
    arguments: Vec<String>,
    expected: Expected,
    mode: Mode,
}

/// The modes of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The program runs as users run it.
    Usual,
    /// The program runs on three workers, and every poll publishes.
    Published,
    /// The program runs on three workers, every poll publishes, and every allocation collects.
    Stressed,
}

#[derive(Clone)]
enum Expected {
    /// The program must run, and must print the contents of this file.
    Output(PathBuf),
    /// The compiler must refuse the program. The field is the code of the first error.
    Error(String),
}

impl Case {
    fn name(&self) -> String {
        let name = self.file.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Returns the environment variables that set the mode of the case.
    fn variables(&self) -> &'static [(&'static str, &'static str)] {
        match self.mode {
            Mode::Usual => &[],
            Mode::Published => &[(WORKERS, "3"), ("HEIST_PUBLISH", "1")],
            Mode::Stressed => &[(WORKERS, "3"), ("HEIST_PUBLISH", "1"), (STRESS, "1")],
        }
    }

    /// Returns the path of the program's file with another extension.
    fn beside(&self, extension: &str) -> PathBuf {
        self.file.with_extension(extension)
    }
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "sml" || e == "pml"))
        .collect();
    files.sort();
    files
}

fn cases() -> Vec<Case> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cases = Vec::new();
    for file in programs(&here.join("tests/conformance/accept")) {
        cases.push(Case {
            expected: Expected::Output(file.with_extension("out")),
            mode: Mode::Usual,
            arguments: Vec::new(),
            file,
        });
    }
    for file in programs(&here.join("tests/conformance/reject")) {
        let text = fs::read(&file).expect("a program to refuse");
        let first = String::from_utf8_lossy(&text);
        let code = first
            .strip_prefix("(* error: ")
            .and_then(|rest| rest.split_once(" *)"))
            .unwrap_or_else(|| panic!("{}: the first line names no error", file.display()))
            .0
            .to_owned();
        cases.push(Case {
            expected: Expected::Error(code),
            mode: Mode::Usual,
            arguments: Vec::new(),
            file,
        });
    }
    let examples = here.join("../../examples");
    let list = fs::read_to_string(examples.join("expected/arguments")).expect("arguments");
    for line in list.lines() {
        let mut words = line.split(' ').map(str::to_owned);
        let name = words.next().expect("a program");
        let output = examples.join("expected").join(&name).with_extension("out");
        cases.push(Case {
            file: examples.join(name),
            arguments: words.collect(),
            expected: Expected::Output(output),
            mode: Mode::Usual,
        });
    }
    let mut again = Vec::new();
    for case in &cases {
        let name = case.name();
        let runs = matches!(case.expected, Expected::Output(_)) && name.ends_with(".pml");
        if runs && !ORDERED.contains(&name.as_str()) {
            again.push(Case {
                mode: Mode::Published,
                ..case.clone()
            });
            if STRESSED.contains(&name.as_str()) {
                again.push(Case {
                    mode: Mode::Stressed,
                    ..case.clone()
                });
            }
        }
    }
    assert!(again.len() > 50 + STRESSED.len() / 2, "programs are gone");
    cases.extend(again);
    cases
}

/// Runs all cases. Returns the names of the failed cases, in order, each with the reason of the failure.
fn run_all(cases: &[Case]) -> Vec<(String, String)> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, case)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(index).map(|case| (index, case))
                } {
                    if let Err(why) = run(case) {
                        let name = format!("{} ({:?})", case.name(), case.mode);
                        failures.lock().unwrap().push((index, name, why));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    failures
        .into_iter()
        .map(|(_, name, why)| (name, why))
        .collect()
}

/// The outcome of a run of a program.
struct Done {
    status: ExitStatus,
    out: Vec<u8>,
    err: Vec<u8>,
}

fn start(case: &Case, what: &str) -> Result<Done, String> {
    if let Some(heist) = std::env::var_os(BUILDER).filter(|_| what == "run") {
        return start_built(case, heist);
    }
    let myself = std::env::current_exe().map_err(|error| error.to_string())?;
    watch(
        case,
        Command::new(myself)
            .arg(&case.file)
            .args(&case.arguments)
            .envs(case.variables().iter().copied())
            .env(CHILD, what),
    )
}

/// Makes an executable of a program, and runs it. The result has the messages of the compiler, followed by the
/// messages of the executable.
fn start_built(case: &Case, heist: OsString) -> Result<Done, String> {
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "built-{:?}-{}",
        case.mode,
        case.name()
    ));
    let built = Command::new(heist)
        .args(["build".as_ref(), "-o".as_ref(), made.as_os_str()])
        .arg(&case.file)
        .output()
        .map_err(|error| error.to_string())?;
    if !built.status.success() {
        let said = first_lines(&built.stderr);
        return Err(format!("not built: {}\n{said}", built.status));
    }
    let mut command = Command::new(&made);
    command.args(&case.arguments);
    // An executable gets the number of workers in another variable, and cannot collect at every allocation.
    command.envs(case.variables().iter().copied());
    if case.mode != Mode::Usual {
        command.env("HEIST_WORKERS", "3");
    }
    let done = watch(case, &mut command);
    let _ = fs::remove_file(&made);
    done.map(|done| Done {
        err: [built.stderr, done.err].concat(),
        ..done
    })
}

/// Runs a command with the input file of a case as standard input.
fn watch(case: &Case, command: &mut Command) -> Result<Done, String> {
    let input = match File::open(case.beside("in")) {
        Ok(file) => Stdio::from(file),
        Err(_) => Stdio::null(),
    };
    let mut child = command
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut pipes = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    thread::scope(|scope| {
        let out = scope.spawn(move || gather(&mut pipes.0));
        let err = scope.spawn(move || gather(&mut pipes.1));
        let status = wait(&mut child);
        let (out, err) = (out.join().unwrap(), err.join().unwrap());
        Ok(Done {
            status: status?,
            out,
            err,
        })
    })
}

fn gather(pipe: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.read_to_end(&mut bytes);
    bytes
}

/// Waits for the end of a process. Kills the process at the time limit.
fn wait(child: &mut Child) -> Result<ExitStatus, String> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        if begin.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("does not end within {} s", LIMIT.as_secs()));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn run(case: &Case) -> Result<(), String> {
    match &case.expected {
        Expected::Output(file) => {
            let done = start(case, "run")?;
            let expected = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
            let exit = match fs::read_to_string(case.beside("exit")) {
                Ok(text) => text.trim().parse().map_err(|_| "bad .exit file")?,
                Err(_) => 0,
            };
            if done.status.code() != Some(exit) {
                let said = first_lines(&done.err);
                return Err(format!("{}, not {exit}\n{said}", done.status));
            }
            if done.out != expected {
                return Err(difference(&expected, &done.out));
            }
            let err = String::from_utf8_lossy(&done.err);
            match fs::read_to_string(case.beside("err")) {
                Ok(part) if !err.contains(part.trim_end()) => {
                    Err(format!("standard error lacks {part:?}: {err}"))
                }
                _ => Ok(()),
            }
        }
        Expected::Error(code) => {
            let done = start(case, "check")?;
            let err = String::from_utf8_lossy(&done.err);
            if done.status.code() != Some(driver::REFUSED) {
                return Err(format!(
                    "not refused for {code}: {}\n{}",
                    done.status,
                    first_lines(&done.err)
                ));
            }
            match first_code(&err) {
                Some(found) if found == code => Ok(()),
                found => Err(format!(
                    "refused for {}, not for {code}\n{}",
                    found.unwrap_or("no error with a code"),
                    first_lines(&done.err)
                )),
            }
        }
    }
}

/// Returns the code of the first error in a report, such as `E0301` of `error[E0301]`.
fn first_code(report: &str) -> Option<&str> {
    let (_, rest) = report.split_once("error[")?;
    Some(rest.split_once(']')?.0)
}

fn first_lines(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<String> = text
        .lines()
        .take(3 * SHOWN)
        .map(|l| format!("    {l}"))
        .collect();
    lines.join("\n")
}

/// Returns lines of two outputs, from the first line that differs.
fn difference(expected: &[u8], found: &[u8]) -> String {
    let (expected, found) = (
        String::from_utf8_lossy(expected),
        String::from_utf8_lossy(found),
    );
    let same = expected
        .lines()
        .zip(found.lines())
        .take_while(|(a, b)| a == b)
        .count();
    let mut text = format!("prints something else from line {} on", same + 1);
    for (sign, whole) in [('-', &expected), ('+', &found)] {
        for line in whole.lines().skip(same).take(SHOWN) {
            text.push_str(&format!("\n    {sign} {line}"));
        }
    }
    if expected.lines().eq(found.lines()) {
        text.push_str("\n    (only the end of the last line)");
    }
    text
}
