//! Runs programs that fork, in many modes. For example, one mode publishes forks at every poll. Another mode collects at every allocation,
//! and then verifies the whole heap.
//!
//! These tests do not use the usual harness, because they run the programs in separate processes. For a small program, compilation takes
//! more time than the run. So the test compiles the program only once for each way to compile forks. The process that has compiled the
//! program then creates a child process (`fork`) for each mode.

use std::os::fd::AsRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use heist_pml::driver::{self, Dialect, Forms, Memory, Profiling, SHARE, Settings};

/// The argument that makes this program run one file instead of the tests. The arguments after `--run-file` are the file's name, the way to
/// compile forks (an index into `FORMS`), and indices into `MODES`. For each index, a child process runs the compiled program in this mode.
const RUN: &str = "--run-file";

/// The first line of programs in the dialect of Manticore.
const MANTICORE: &str = "(* The dialect of Manticore. *)";

/// The line that marks programs whose results depend on the progress of their strands. Such a program runs only in modes that publish and
/// collect as usual. With clones, a strand that only forks does not poll, so the runtime cannot preempt the strand. Therefore such a
/// program does not run with clones.
const AS_USUAL: &str = "(* As usual. *)";

/// The line that marks programs whose races must end as soon as one branch has a result. With clones, races do not end so early.
const WITHOUT_CLONES: &str = "(* Without clones. *)";

/// The line that marks programs that run in all modes. Each of these programs has revealed a fault in a mode that only measurements use.
const IN_ALL: &str = "(* All modes. *)";

/// The maximum time for a program. This time is long enough for a build without optimisation, even while other programs run on the machine.
const LIMIT: Duration = Duration::from_secs(300);

/// A mode: the number of workers, whether every poll publishes, whether every allocation collects, the value of `SIZE`,
/// and an index into `HEAPS`.
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

/// The number of default modes, which are at the beginning of `MODES`. These modes have the default code and the default heap, and every
/// program runs in them.
const DEFAULT: usize = 6;

/// The minimum number of other modes (which only measurements use) in which each program runs.
const OTHERS: usize = 3;

/// The environment variable that makes programs run in all modes. With this variable, the tests take twice as long. Programs that an
/// argument of the test names also run in all modes.
const ALL: &str = "HEIST_ALL_MODES";

/// Pairs of a way to compile forks (an index into `FORMS`) and a way to share the heap between workers.
const HEAPS: &[(usize, Memory)] = &[
    (0, Memory::Split),
    (0, Memory::Copying),
    (1, Memory::Split),
    (1, Memory::Copying),
    (0, Memory::Flat),
    (2, Memory::Split),
    (2, Memory::Flat),
];

const FORMS: &[Forms] = &[Forms::Parallel, Forms::Eager, Forms::Clones];

/// The declarations that the test puts before each program.
const ARGUMENTS: &str = "val (SIZE, WORKERS) = case List.map (fn a => Option.valOf (Int.fromString a)) (CommandLine.arguments ()) of \
    [s, w] => (s, w) | _ => raise Fail \"arguments\"";

/// A program for one way to compile forks, and the modes in which the test runs the program.
struct Case<'a> {
    name: &'a str,
    text: &'a str,
    forms: usize,
    modes: Vec<usize>,
}

/// Runs programs, each in its modes. A pair has the name and the text of a program. Each program must print `done`. In a program, `SIZE` is
/// a multiple of ten, and `WORKERS` is the number of workers. `stack` is the size of a stack in bytes, or `None` for the default size.
pub(crate) fn main(programs: &[(&str, String)], stack: Option<u64>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, file, forms, modes @ ..] = &arguments[..]
        && first == RUN
    {
        let modes: Vec<usize> = modes.iter().map(|mode| mode.parse().unwrap()).collect();
        return run_file(
            Path::new(file),
            FORMS[forms.parse::<usize>().unwrap()],
            &modes,
            stack,
        );
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let all = std::env::var_os(ALL).is_some() || !arguments.is_empty();
    let mut cases = Vec::new();
    for (turn, (name, text)) in programs.iter().enumerate() {
        let its_modes = modes_of(text, turn, programs.len(), all);
        for forms in 0..FORMS.len() {
            let modes: Vec<usize> = its_modes
                .iter()
                .copied()
                .filter(|mode| HEAPS[MODES[*mode].4].0 == forms)
                // As in the usual harness, an argument chooses the lines that contain it.
                .filter(|mode| {
                    let part = arguments.first();
                    part.is_none_or(|part| line(name, *mode).contains(part))
                })
                .collect();
            if !modes.is_empty() {
                cases.push(Case {
                    name,
                    text,
                    forms,
                    modes,
                });
            }
        }
    }
    match run_all(&cases) {
        0 => ExitCode::SUCCESS,
        failed => {
            println!("{failed} failed");
            ExitCode::FAILURE
        }
    }
}

/// Returns the modes in which a program runs. If `all` is true, returns all modes that suit the program. Otherwise, returns the suitable
/// default modes and some of the other suitable modes. Different programs of a list get different choices of other modes.
fn modes_of(text: &str, turn: usize, programs: usize, all: bool) -> Vec<usize> {
    let suits = |mode: &usize| {
        let (_, publish, stress, _, heap) = MODES[*mode];
        let clones = FORMS[HEAPS[heap].0] == Forms::Clones;
        let usual = !publish && !stress && !clones;
        (!text.contains(AS_USUAL) || usual) && !(text.contains(WITHOUT_CLONES) && clones)
    };
    let mut modes: Vec<usize> = (0..DEFAULT).filter(suits).collect();
    let others: Vec<usize> = (DEFAULT..MODES.len()).filter(suits).collect();
    let count = if all || text.contains(IN_ALL) {
        others.len()
    } else {
        // With this number, each of these modes runs a program, even if the list of programs is short.
        OTHERS
            .max(others.len().div_ceil(programs))
            .min(others.len())
    };
    modes.extend((0..count).map(|at| others[(turn * count + at) % others.len()]));
    modes
}

/// Returns the text that names a program and a mode in the output.
fn line(name: &str, mode: usize) -> String {
    format!("{name}, {:?}", MODES[mode])
}

/// Runs all cases. The compiler uses only one thread, so this function runs several cases at the same time, one for each processor. Returns
/// the number of failures.
fn run_all(cases: &[Case<'_>]) -> usize {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let one_after_another = || {
        while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
            failed.fetch_add(run(case), Relaxed);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(one_after_another);
        }
    });
    failed.into_inner()
}

/// Runs a program in all of its modes, in a separate process. Returns the number of failures.
fn run(case: &Case<'_>) -> usize {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Relaxed);
    let name = format!("modes-{}-{number}.pml", std::process::id());
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The first line of a program in the dialect of Manticore must stay the first line.
    std::fs::write(
        &file,
        format!(
            "{}{ARGUMENTS}\n{}",
            if is_manticore(case.text) {
                MANTICORE
            } else {
                ""
            },
            case.text
        ),
    )
    .unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(RUN).arg(&file).arg(case.forms.to_string());
    command.args(case.modes.iter().map(ToString::to_string));
    let output = command.output().unwrap();
    std::fs::remove_file(&file).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    // The output has a line for each mode, except for modes that the process has not reached.
    let mut failed = case.modes.len();
    for (mode, said) in case.modes.iter().zip(said.lines()) {
        println!("{} ... {said}", line(case.name, *mode));
        failed -= usize::from(said.starts_with("ok, "));
    }
    if failed > 0 {
        let errors = String::from_utf8_lossy(&output.stderr);
        println!(
            "{}: {failed} failed, {}, {errors}",
            case.name, output.status
        );
    }
    failed
}

fn is_manticore(text: &str) -> bool {
    text.trim_start().starts_with(MANTICORE)
}

/// Compiles a program, and runs it in children of this process. Prints a line for each mode.
fn run_file(file: &Path, forms: Forms, modes: &[usize], stack: Option<u64>) -> ExitCode {
    let dialect = if is_manticore(&std::fs::read_to_string(file).unwrap()) {
        Dialect::Manticore
    } else {
        Dialect::default()
    };
    let settings = Settings {
        dialect,
        forms,
        stack,
        ..Settings::default()
    };
    let code = driver::compile_then(&[file.to_path_buf()], &settings, |run| {
        for mode in modes {
            let began = Instant::now();
            let [out, err] = ["out", "err"].map(|what| file.with_extension(what));
            // SAFETY: the process has two threads, because `compile_then` has started no pool. The main thread only
            // waits in `join` and holds no lock, and the current thread holds no lock at this call. So no lock is held
            // in the child, which has only a copy of the current thread, runs the program, and exits.
            match unsafe { libc::fork() } {
                0 => {
                    // A panic that ends the only thread of the child would give the exit code of success.
                    let end = catch_unwind(AssertUnwindSafe(|| {
                        run(&become_mode(&settings, MODES[*mode], &out, &err))
                    }));
                    std::process::exit(end.unwrap_or(101));
                }
                child => {
                    let status = wait_for(child);
                    let said = std::fs::read(&out).unwrap_or_default();
                    match status {
                        Some(0) if said == b"done\n" => println!("ok, {:.1?}", began.elapsed()),
                        _ => {
                            let [said, errors] = [said, std::fs::read(&err).unwrap_or_default()]
                                .map(|text| String::from_utf8_lossy(&text).into_owned());
                            let status = status.map_or("it does not end".into(), |status| {
                                format!("status {status:#x}")
                            });
                            println!("FAILED: {status}, output {said:?}, {errors:?}");
                        }
                    }
                    let _ = (std::fs::remove_file(&out), std::fs::remove_file(&err));
                }
            }
        }
        0
    });
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Sends the output of this process to files, and returns the settings of a mode.
fn become_mode(
    settings: &Settings,
    (workers, publish, stress, size, heap): Mode,
    out: &Path,
    err: &Path,
) -> Settings {
    // SAFETY: this is a forked child, whose only thread is the current one until the program starts, so no other thread
    // reads the environment.
    unsafe { std::env::set_var("HEIST_PUBLISH", if publish { "1" } else { "0" }) };
    for (file, to) in [(out, libc::STDOUT_FILENO), (err, libc::STDERR_FILENO)] {
        let file = std::fs::File::create(file).unwrap();
        // SAFETY: both descriptors are open.
        assert_eq!(unsafe { libc::dup2(file.as_raw_fd(), to) }, to);
    }
    Settings {
        memory: HEAPS[heap].1,
        workers: Some(usize::from(workers)),
        stress,
        // With a heap profile, the verifier also checks the samples.
        heap_profile: stress.then(|| Profiling {
            interval: 64,
            share: SHARE,
            done: Arc::new(|_| {}),
        }),
        arguments: vec![size.to_string().into(), workers.to_string().into()],
        ..settings.clone()
    }
}

/// Waits for a child process, and kills it at the time limit. Returns the status that `waitpid` gives, or `None` if the
/// child was killed.
fn wait_for(child: libc::pid_t) -> Option<i32> {
    let began = Instant::now();
    let mut pause = Duration::from_micros(200);
    let mut status = 0;
    loop {
        // SAFETY: `status` is a valid `c_int` that `waitpid` may write to during the call.
        match unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } {
            0 if began.elapsed() < LIMIT => thread::sleep(pause),
            0 => {
                // SAFETY: `waitpid` has not returned the child, so its number cannot belong to another process, and
                // `kill` accesses no memory of this process.
                unsafe { libc::kill(child, libc::SIGKILL) };
                // SAFETY: `status` is a valid `c_int` that `waitpid` may write to during the call.
                unsafe { libc::waitpid(child, &raw mut status, 0) };
                return None;
            }
            ended if ended == child => return Some(status),
            _ => panic!("{}", std::io::Error::last_os_error()),
        }
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}
