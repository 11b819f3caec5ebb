//! Tests that deadlocks are reported, and that other waits are not reported.
#![cfg(all(target_os = "linux", not(miri)))]

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// The maximum time from the program's line `stuck` to the report. Other programs may use the processors. So the test passes if the
/// report is in time in one of several runs.
const DUE: Duration = Duration::from_secs(1);
const RUNS: usize = 5;
const FIRST_LINE: &str = "heist: deadlock: nothing can run any more, but ";

/// A lock that makes the programs run one at a time. Without the lock, the programs would compete for the processors.
static TURN: Mutex<()> = Mutex::new(());

/// The result of a program of `examples/deadlocks.rs`.
struct Run {
    /// The time from `stuck` to the first line on stderr that begins with [`FIRST_LINE`].
    until_report: Option<Duration>,
    stdout: String,
    stderr: String,
    code: Option<i32>,
}

/// Returns the path of an example. Cargo builds the examples together with all tests, but not for `--test deadlock` alone.
fn example(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    let path = path.join("examples").join(name);
    let source = format!("{}/examples/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    assert!(
        modified(&path) > modified(Path::new(&source)),
        "the example {name} is not up to date: cargo build -p heist --examples, with the options of this test"
    );
    path
}

fn run(name: &str) -> Run {
    let _turn = TURN.lock().unwrap_or_else(|poison| poison.into_inner());
    let mut child = Command::new(example("deadlocks"))
        .arg(name)
        .env("RUST_BACKTRACE", "0")
        .env("HEIST_NUM_THREADS", "2")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = child.stdout.take().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let listener = thread::spawn(move || {
        let (mut said, mut since) = (String::new(), None);
        for line in BufReader::new(stdout).lines() {
            let line = line.unwrap();
            if line == "stuck" {
                since.get_or_insert_with(Instant::now);
            }
            said.push_str(&line);
            said.push('\n');
        }
        (said, since)
    });
    let watchdog = thread::spawn(move || {
        let began = Instant::now();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return Some(status);
            }
            if began.elapsed() > Duration::from_secs(60) {
                child.kill().unwrap();
                child.wait().unwrap();
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
    });
    let (mut said, mut reported) = (String::new(), None);
    loop {
        let from = said.len();
        if stderr.read_line(&mut said).unwrap() == 0 {
            break;
        }
        if said[from..].starts_with(FIRST_LINE) {
            reported.get_or_insert_with(Instant::now);
        }
    }
    let status = watchdog.join().unwrap();
    let (stdout, since) = listener.join().unwrap();
    let status = status.unwrap_or_else(|| panic!("{name} did not end: {stdout}{said}"));
    Run {
        until_report: reported
            .zip(since)
            .map(|(reported, since)| reported.saturating_duration_since(since)),
        stdout,
        stderr: said,
        code: status.code(),
    }
}

impl Run {
    fn expect_texts(&self) {
        let texts: Vec<_> = self
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("expect "))
            .collect();
        assert!(!texts.is_empty());
        for text in texts {
            assert!(
                self.stderr.contains(text),
                "{text:?} is missing in {}",
                self.stderr
            );
        }
    }

    fn reports(&self) -> usize {
        self.stderr.matches(FIRST_LINE).count()
    }
}

/// Checks that the program's deadlock is reported once, in time, with the right places, and that the program ends.
fn planted(name: &str, code: Option<i32>) -> Run {
    in_time(name, code, DUE)
}

fn in_time(name: &str, code: Option<i32>, due: Duration) -> Run {
    let mut times = Vec::new();
    loop {
        let run = run(name);
        run.expect_texts();
        assert_eq!(run.reports(), 1, "{}", run.stderr);
        assert_eq!(run.code, code, "{}", run.stderr);
        let time = run.until_report.unwrap();
        if time < due {
            return run;
        }
        times.push(time);
        assert!(times.len() < RUNS, "{name} took {times:?}");
    }
}

macro_rules! planted {
    ($($name:ident $text:literal $code:expr;)*) => {$(
        #[test]
        fn $name() {
            planted($text, $code);
        }
    )*};
}

planted! {
    futures "futures" Some(101);
    barrier "barrier" Some(101);
    phaser "phaser" Some(101);
    semaphore "semaphore" Some(101);
    mutex "mutex" Some(101);
    send "send" Some(101);
    receive "receive" Some(101);
    choice "choice" Some(101);
    data_driven "data-driven" Some(101);
    fibers "fibers" Some(101);
    fiber_scope "fiber-scope" Some(101);
    pinned "pinned" Some(101);
    closures "closures" Some(101);
    capped "capped" Some(101);
    handles "handles" Some(0);
    foreign "foreign" Some(101);
    closing "closing" Some(101);
}

#[test]
fn a_deadlocked_wait_that_cannot_be_ended_aborts() {
    // A signal ends these programs, so they have no exit code.
    planted("installs", None);
    planted("fiber-installs", None);
}

#[test]
fn a_fiber_stops_waiting_for_a_handle() {
    let run = planted("fiber-handle", Some(0));
    let line =
        "told heist: deadlock: this waits for the task of a JoinHandle, for which nobody is left";
    assert!(
        run.stdout.lines().any(|said| said == line),
        "{}",
        run.stdout
    );
}

#[test]
fn a_waiter_panics_with_one_line_that_names_the_construct() {
    // This program has only one wait. If several waits ended together, the end of one wait might serve another wait, and this second thread
    // would continue: a getter would get the panic of its task, and Heist would print no line for the getter.
    let run = planted("thread", Some(101));
    let said = |line: &&str| line.starts_with("heist: deadlock: this waits for Barrier made at ");
    let lines: Vec<_> = run.stderr.lines().filter(said).collect();
    assert!(
        matches!(lines[..], [line] if line.ends_with(", for which nobody is left")),
        "{}",
        run.stderr
    );
}

#[test]
fn a_million_waiters_make_a_short_report() {
    // The checks for deadlocks are up to half a second apart, and the last tasks may not be suspended yet.
    let run = in_time("crowd", Some(101), 5 * DUE);
    assert!(run.stderr.lines().count() < 20, "{}", run.stderr);
}

#[test]
fn a_handler_gets_the_report_in_place_of_stderr() {
    let run = run("handler");
    assert_eq!(run.reports(), 0, "{}", run.stderr);
    assert!(run.stdout.contains("handled 2 [\"Barrier\", \"Future\"]"));
    assert!(run.stdout.contains("went on true"));
    assert_eq!(run.code, Some(0));
}

#[test]
fn each_deadlock_is_reported() {
    let run = run("twice");
    run.expect_texts();
    assert!(run.stdout.contains("went on true"));
    assert_eq!(run.reports(), 2, "{}", run.stderr);
    assert_eq!(run.code, Some(101));
}

#[test]
fn exhausted_spares_name_the_constructs_they_wait_for() {
    let run = run("exhausted");
    run.expect_texts();
    assert_eq!(run.reports(), 0, "{}", run.stderr);
    assert_eq!(run.code, Some(0));
}

#[test]
fn a_thread_that_cannot_be_started_is_no_deadlock() {
    let run = run("refused");
    run.expect_texts();
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stdout.contains("got 3"), "{}", run.stdout);
    assert_eq!(run.code, Some(0));
}

#[test]
fn workers_that_end_late_are_no_deadlock() {
    let run = run("late");
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("dropped"), "{}", run.stdout);
    assert_eq!(run.code, Some(0));
}

#[test]
fn a_worker_whose_thread_does_something_else_is_no_deadlock() {
    let run = run("adopted");
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("got 5"), "{}", run.stdout);
    assert_eq!(run.code, Some(0));
}

#[test]
fn a_thousand_innocents_are_left_alone() {
    let _turn = TURN.lock().unwrap_or_else(|poison| poison.into_inner());
    let mut child = Command::new(example("innocents"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut said, mut errors) = (String::new(), String::new());
    let mut stdout = child.stdout.take().unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    stdout.read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success(), "{errors}");
    assert_eq!(errors, "");
    assert!(said.starts_with("1000 programs have ended"), "{said}");
}

/// The process aborts if the report cannot be written. No wait may end by a panic instead, because the work for which the threads wait uses
/// their stacks.
#[test]
fn a_report_that_cannot_be_written_unwinds_nothing() {
    let run = |name| {
        let _turn = TURN.lock().unwrap_or_else(|poison| poison.into_inner());
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let status = Command::new(example("deadlocks"))
            .arg(name)
            .stdout(Stdio::null())
            .stderr(full)
            .status();
        status.unwrap().signal()
    };
    assert_eq!(run("installs"), Some(libc::SIGABRT));
}
