//! Tests the end of programs: the output, the message on standard error, and the exit code.
//!
//! This test does not use the usual harness, because it starts itself again as a separate process for each program.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use heist_pml::driver::{self, Settings};

#[path = "ending/backtrace.rs"]
mod backtrace;
#[path = "ending/cycles.rs"]
mod cycles;
#[path = "ending/locks.rs"]
mod locks;
#[path = "ending/prompt.rs"]
mod prompt;
#[path = "ending/stolen.rs"]
mod stolen;

/// The argument that makes this program run one file instead of the tests. The following arguments are the file's name, the number of
/// workers, and the sizes of the heap and the stack in MiB.
const RUN: &str = "--run-file";

/// The argument that makes this program a prompt that reads standard input. The following arguments are the number of workers and the
/// dialect.
const PROMPT: &str = "--prompt";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, file, numbers @ ..] = &arguments[..]
        && first == RUN
    {
        let number = |at: usize| {
            numbers
                .get(at)
                .map(|number| number.parse::<usize>().unwrap())
        };
        let bytes = |at: usize| number(at).map(|mib| (mib as u64) << 20);
        let settings = Settings {
            workers: number(0),
            heap: bytes(1),
            stack: bytes(2),
            ..Settings::default()
        };
        std::process::exit(driver::run(&[PathBuf::from(file)], &settings));
    }
    if let [first, workers, dialect] = &arguments[..]
        && first == PROMPT
    {
        let reader = || -> Box<driver::Reader<'_>> {
            let mut lines = std::io::stdin().lines();
            Box::new(move |_| match lines.next() {
                Some(line) => driver::Line::Text(line.unwrap().into()),
                None => driver::Line::End,
            })
        };
        let settings = Settings {
            dialect: if dialect == "manticore" {
                driver::Dialect::Manticore
            } else {
                driver::Dialect::Pml
            },
            heap: Some(64 << 20),
            stack: Some(8 << 20),
            workers: Some(workers.parse().unwrap()),
            stress: std::env::var_os("HEIST_STRESS").is_some_and(|value| value == "1"),
            ..Settings::default()
        };
        std::process::exit(driver::repl(reader, &[], false, &settings));
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let tests: &[(&str, fn())] = &[
        (
            "uncaught exceptions show their payload",
            uncaught_exceptions_show_their_payload,
        ),
        ("exceptions say where they were raised", backtrace::places),
        (
            "exceptions that end threads say where they were raised",
            backtrace::threads,
        ),
        (
            "exceptions say at which calls loops are inlined",
            backtrace::inlined_loops,
        ),
        (
            "a deadlock says where the other threads wait",
            backtrace::deadlock,
        ),
        (
            "a deadlock names parts of forks",
            backtrace::deadlock_of_forks,
        ),
        (
            "a deadlock names what threads wait for",
            backtrace::deadlock_of_each_kind,
        ),
        (
            "exceptions that leave a stolen fork say where they were raised",
            backtrace::stolen,
        ),
        (
            "what was printed comes before the standard error",
            printed_before_error,
        ),
        ("lost output is an error", lost_output_is_an_error),
        (
            "actions at the exit follow an uncaught exception",
            actions_at_the_exit_follow_an_uncaught_exception,
        ),
        ("requests reach every cycle", cycles::requests),
        ("Ctrl-C reaches every cycle", cycles::interrupts),
        (
            "a prompt survives what uses up the stack or the heap",
            prompt::survives_exhaustion,
        ),
        (
            "an input that is ended gives back the locks of the Basis",
            locks::are_given_back,
        ),
        (
            "a prompt goes on after a transaction without an end",
            locks::transactions_end,
        ),
        (
            "inputs at a prompt see what forks of others have made",
            prompt::inputs_follow_one_another,
        ),
        ("a prompt that waits does nothing", prompt::waits),
        (
            "a prompt cancels loops that poll only while they are masked",
            prompt::masked_loops_are_cancelled,
        ),
        ("signals do not lose output", signals_do_not_lose_output),
        ("ignored signals stay ignored", ignored_signals_stay_ignored),
        (
            "a limit of address space is reported",
            a_limit_of_address_space_is_reported,
        ),
        ("summer time is known", summer_time_is_known),
        (
            "an uncaught exception ends the forks beside it",
            an_uncaught_exception_ends_the_forks_beside_it,
        ),
        (
            "a stolen fork that fails ends the program as any other",
            stolen::failures,
        ),
        (
            "a stolen fork that calls itself ten million times",
            stolen::deep_recursion,
        ),
        (
            "an endless recursion that forks fills its stack, not the memory",
            stolen::endless_recursion_that_forks,
        ),
        (
            "workers that fail at the same time say so once",
            stolen::failures_at_the_same_time,
        ),
        (
            "Ctrl-C ends a program of several workers",
            stolen::interrupted,
        ),
        (
            "forks, joins and collections of eight workers end",
            forks_of_eight_workers_end,
        ),
        (
            "a worker that sleeps holds up no other",
            a_worker_that_sleeps_holds_up_no_other,
        ),
        (
            "a worker that reads holds up no other",
            a_worker_that_reads_holds_up_no_other,
        ),
    ];
    let filters: Vec<&String> = arguments
        .iter()
        .filter(|word| !word.starts_with('-'))
        .collect();
    let chosen: Vec<_> = tests
        .iter()
        .filter(|(name, _)| {
            filters.is_empty() || filters.iter().any(|part| name.contains(part.as_str()))
        })
        .collect();
    // Most tests run one program at a time, so several tests run in parallel.
    let next = AtomicUsize::new(0);
    let lane = || {
        // Relaxed: the counter orders no other memory accesses.
        while let Some((name, test)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            test();
            println!("{name}: ok");
        }
    };
    let lanes = thread::available_parallelism().map_or(1, NonZero::get);
    // A test that panics makes the scope panic.
    thread::scope(|scope| (0..lanes).for_each(|_| drop(scope.spawn(lane))));
    ExitCode::SUCCESS
}

/// A file with the text of a program. Dropping the value deletes the file.
struct Program(PathBuf);

impl Program {
    fn new(text: &str) -> Program {
        Program::named(text, "sml")
    }

    fn named(text: &str, extension: &str) -> Program {
        use std::sync::atomic::{AtomicU32, Ordering};
        // The number makes file names different.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("ending-{}-{number}.{extension}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).unwrap();
        Program(path)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(RUN).arg(&self.0).stdin(Stdio::null());
        with_usual_signals(&mut command);
        command
    }

    /// Returns the command that runs the program through the shell, after some shell commands.
    fn after(&self, shell: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("{shell} exec \"$0\" \"$@\""));
        command.arg(std::env::current_exe().unwrap());
        command.arg(RUN).arg(&self.0).stdin(Stdio::null());
        with_usual_signals(&mut command);
        command
    }
}

/// Makes a command handle signals in the default way. Otherwise, a command that starts under `nohup` or in the background of a script would
/// ignore some signals that the tests send.
fn with_usual_signals(command: &mut Command) {
    let reset = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
            // SAFETY: `signal` with `SIG_DFL` installs no handler and accesses no memory of this process.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: between `fork` and `exec` the child has one thread, and `reset` calls only `signal`, which takes no lock
    // and does not allocate.
    unsafe { command.pre_exec(reset) };
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn run(text: &str) -> Output {
    Program::new(text).command().output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Removes from messages the places that an exception has passed. The tests in `backtrace` check these places.
fn without_places(text: &str) -> String {
    let places = [
        "  raised at ",
        "  raised again at ",
        "  called at ",
        "  ... and ",
    ];
    text.split_inclusive('\n')
        .filter(|line| !places.iter().any(|place| line.starts_with(place)))
        .collect()
}

fn uncaught_exceptions_show_their_payload() {
    for (program, said) in [
        (
            "val _ = TextIO.openIn \"/nonexistent\"",
            "uncaught exception Io: {cause = SysErr (\"No such file or directory\", SOME 2), function = \"openIn\", name = \"/nonexistent\"}\n",
        ),
        (
            "val _ = OS.FileSys.chDir \"/nonexistent\"",
            "uncaught exception SysErr: (\"No such file or directory\", SOME 2)\n",
        ),
        (
            "val _ = raise OS.SysErr (\"mine\", NONE)",
            "uncaught exception SysErr: (\"mine\", NONE)\n",
        ),
        (
            "val _ = raise IO.Io {name = \"n\", function = \"f\", cause = Fail \"x\"}",
            "uncaught exception Io: {cause = Fail \"x\", function = \"f\", name = \"n\"}\n",
        ),
    ] {
        let output = run(program);
        assert_eq!(without_places(&text(&output.stderr)), said);
        assert_eq!(output.status.code(), Some(1));
    }
}

fn printed_before_error() {
    // Output and messages go to the same file.
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ending-{}", std::process::id()));
    for (program, expected) in [
        (
            "val () = (print \"a\"; TextIO.output (TextIO.stdErr, \"b\"); print \"c\"; TextIO.output1 (TextIO.stdErr, #\"d\"); print \"e\")",
            "abcde",
        ),
        (
            "val () = (print \"a\"; TextIO.outputSubstr (TextIO.stdErr, Substring.full \"b\"); TextIO.output (TextIO.stdOut, \"c\"); ignore (1 div 0))",
            "abcuncaught exception Div\n",
        ),
    ] {
        let file = File::create(&path).unwrap();
        let program = Program::new(program);
        let mut command = program.command();
        command.stderr(file.try_clone().unwrap()).stdout(file);
        command.status().unwrap();
        let said = std::fs::read_to_string(&path).unwrap();
        assert_eq!(without_places(&said), expected);
    }
    std::fs::remove_file(&path).unwrap();
}

fn lost_output_is_an_error() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    for (program, code, error) in [
        ("val () = print \"x\\n\"", 2, ""),
        (
            "val () = (print \"x\\n\"; OS.Process.exit OS.Process.success)",
            2,
            "",
        ),
        (
            "val () = (print \"x\"; TextIO.output (TextIO.stdErr, \"e\\n\"))",
            2,
            "e\n",
        ),
        // The exit code is still the exit code for an unhandled exception.
        (
            "val () = (print \"x\"; raise Fail \"y\")",
            1,
            "uncaught exception Fail: \"y\"\n",
        ),
    ] {
        let output = Program::new(program).command().stdout(full()).output();
        let output = output.unwrap();
        let said = format!(
            "{error}cannot write all of the output: No space left on device (os error 28)\n"
        );
        assert_eq!(without_places(&text(&output.stderr)), said, "{program}");
        assert_eq!(output.status.code(), Some(code), "{program}");
    }
    // A program that writes nothing does not fail.
    let output = Program::new("val () = ()")
        .command()
        .stdout(full())
        .output();
    assert_eq!(output.unwrap().status.code(), Some(0));
}

fn actions_at_the_exit_follow_an_uncaught_exception() {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("at-exit-{}", std::process::id()));
    let source = format!(
        "{WORK}
        fun at text = OS.Process.atExit (fn () => (print text; ignore (work 100 0)))
        val () = at \"last\\n\"
        val () = OS.Process.atExit (fn () => (print \"second\\n\"; at \"too late\\n\"; raise Fail \"ignored\"))
        val () = at (\"fir\" ^ Int.toString (work 100 0) ^ \"st\\n\")
        val _ = (| work 100 0, print \"program\\n\" |)
        val _ = raise Fail \"the end\"
        val () = at \"never\\n\""
    );
    let said = "program\nuncaught exception Fail: \"the end\"\nfir30000st\nsecond\nlast\n";
    let program = Program::named(&source, "pml");
    for workers in ["1", "2"] {
        let file = File::create(&path).unwrap();
        let mut command = program.command();
        command.arg(workers);
        command.stderr(file.try_clone().unwrap()).stdout(file);
        assert_eq!(command.status().unwrap().code(), Some(1));
        let found = std::fs::read_to_string(&path).unwrap();
        assert_eq!(without_places(&found), said);
    }
    std::fs::remove_file(&path).unwrap();
    // The first exit action calls `exit`. The remaining action still runs, and the exit code is the argument of `exit`.
    let output = run("val () = OS.Process.atExit (fn () => print \"last\")
         val () = OS.Process.atExit (fn () => (print \"first \"; OS.Process.exit OS.Process.success))
         val () = raise Fail \"x\"");
    assert_eq!(text(&output.stdout), "first last");
    assert_eq!(output.status.code(), Some(0));
}

fn signals_do_not_lose_output() {
    for (name, number) in [
        ("HUP", libc::SIGHUP),
        ("INT", libc::SIGINT),
        ("QUIT", libc::SIGQUIT),
        ("ABRT", libc::SIGABRT),
        ("TERM", libc::SIGTERM),
    ] {
        // The program makes the folder `marker` after it has printed the text, but before the text is written out.
        let marker = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("ending-{name}-{}", std::process::id()));
        let program = Program::new(&format!(
            "val () = print \"printed\"
             val () = OS.FileSys.mkDir \"{}\"
             fun loop n = loop (n + 1 - 1) : unit
             val () = loop 0",
            marker.display()
        ));
        let mut command = program.after("ulimit -c 0;");
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        while !marker.exists() {
            assert_eq!(child.try_wait().unwrap(), None, "ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        std::fs::remove_dir(&marker).unwrap();
        let sent = Command::new("/bin/sh")
            .arg("-c")
            .arg(format!("kill -{name} {}", child.id()))
            .status();
        assert!(sent.unwrap().success());
        let mut printed = String::new();
        let mut output = child.stdout.take().unwrap();
        output.read_to_string(&mut printed).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{name}");
        assert_eq!(printed, "printed", "{name}");
    }
}

fn ignored_signals_stay_ignored() {
    let program = Program::new(
        "val () = print \"a\"
         val _ = OS.Process.system \"kill -HUP $PPID\"
         val () = print \"b\"",
    );
    let output = program.after("trap '' HUP;").output().unwrap();
    assert_eq!(text(&output.stdout), "ab");
    assert_eq!(output.status.code(), Some(0));
}

fn a_limit_of_address_space_is_reported() {
    for kilobytes in [400_000, 1_500_000, 2_200_000] {
        let program = Program::new("val () = print \"x\"");
        let shell = format!("ulimit -v {kilobytes};");
        let output = program.after(&shell).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.starts_with("heist: ") && said.lines().count() == 1,
            "{said}"
        );
    }
}

fn summer_time_is_known() {
    let program = Program::new(
        "fun show (month, offset) =
           let val d = Date.date {year = 2024, month = month, day = 1, hour = 12, minute = 0, second = 0, offset = offset}
           in print (Date.fmt \"%Z\" d ^ \" \" ^ (case Date.isDst d of NONE => \"NONE\" | SOME b => Bool.toString b) ^ \"\\n\")
           end
         val () = app show
           [(Date.Jan, NONE), (Date.Jul, NONE), (Date.Jul, SOME Time.zeroTime), (Date.Jul, SOME (Time.fromSeconds 3600))]",
    );
    for (zone, expected) in [
        (
            "CET-1CEST,M3.5.0,M10.5.0/3",
            "CET false\nCEST true\nUTC false\n false\n",
        ),
        ("UTC0", "UTC false\nUTC false\nUTC false\n false\n"),
    ] {
        let output = program.command().env("TZ", zone).output().unwrap();
        assert_eq!(text(&output.stdout), expected);
    }
}

/// Returns a program in Parallel ML, and the command that runs it on two workers.
fn on_two_workers(text: &str) -> (Program, Command) {
    let program = Program::named(text, "pml");
    let mut command = program.command();
    command.arg("2");
    (program, command)
}

/// The declarations of a function that collects often and polls.
const WORK: &str = "
fun build 0 = [] | build n = Int.toString n :: build (n - 1)
fun work 0 sum = sum | work k sum = work (k - 1) (sum + length (build 300))
";

fn an_uncaught_exception_ends_the_forks_beside_it() {
    // The left side of a fork raises an exception, which passes marked frames of a deep recursion. The right side, `tree 5`, runs on the
    // other worker: its forks allocate and collect until the exception cancels them.
    let source = format!(
        "{WORK}
        exception Boom of string list
        fun deep 0 = raise Boom (build 40) | deep n = 1 + deep (n - 1)
        fun tree 0 = work 2000 0
          | tree n = let val (a, b) = (| tree (n - 1), tree (n - 1) |) in a + b end
        val (a, b) = (| (ignore (work 3000 0); deep 5000), tree 5 |)
        val () = print (Int.toString (a + b))"
    );
    let (_program, mut command) = on_two_workers(&source);
    let payload: Vec<String> = (1..=40)
        .rev()
        .map(|number| format!("\"{number}\""))
        .collect();
    let said = format!("uncaught exception Boom: [{}]\n", payload.join(", "));
    for _ in 0..20 {
        let output = command.output().unwrap();
        let ended = (
            text(&output.stdout),
            without_places(&text(&output.stderr)),
            output.status.code(),
        );
        assert_eq!(ended, (String::new(), said.clone(), Some(1)));
    }
}

fn a_worker_that_sleeps_holds_up_no_other() {
    // The left side works, and the right side sleeps on the other worker. The work must end first. On a slow machine, the work may take
    // long, so the test tries longer sleeps. If the work had to wait for the sleeping worker, it would never end first.
    for seconds in [5, 20, 80] {
        let source = format!(
            "{WORK}
            fun say text = (print text; TextIO.flushOut TextIO.stdOut)
            val _ = (| (ignore (work 5000 0); say \"worked \"),
                       (OS.Process.sleep (Time.fromSeconds {seconds}); say \"slept\") |)"
        );
        let (_program, mut command) = on_two_workers(&source);
        let output = command.output().unwrap();
        match &text(&output.stdout)[..] {
            "worked slept" => return,
            "sleptworked " => {}
            _ => panic!("{output:?}"),
        }
    }
    panic!("it holds up the other");
}

fn a_worker_that_reads_holds_up_no_other() {
    let source = format!(
        "{WORK}
        fun say text = (print text; TextIO.flushOut TextIO.stdOut)
        val _ = (| (ignore (work 5000 0); say \"worked \"),
                   say (\"read \" ^ valOf (TextIO.inputLine TextIO.stdIn)) |)"
    );
    let (_program, mut command) = on_two_workers(&source);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (worked, when_worked) = std::sync::mpsc::channel::<()>();
    let writer = std::thread::spawn(move || {
        // If the program does not report its work, the test sends the line after a minute, so that the test ends.
        let _ = when_worked.recv_timeout(std::time::Duration::from_secs(60));
        input.write_all(b"a line\n").unwrap();
    });
    let mut said = vec![0; "worked ".len()];
    output.read_exact(&mut said).unwrap();
    let _ = worked.send(());
    output.read_to_end(&mut said).unwrap();
    assert_eq!(text(&said), "worked read a line\n");
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
}

/// Tests small forks that allocate, on more workers than there are CPUs. While a worker collects, the other workers take back most of the
/// forks that they have published.
fn forks_of_eight_workers_end() {
    let program = Program::named(
        "datatype tree = Leaf of int | Node of tree * tree
         fun build (0, n) = Leaf n
           | build (d, n) =
               let val (a, b) = (| build (d - 1, 2 * n), build (d - 1, 2 * n + 1) |) in Node (a, b) end
         fun sum (Leaf n) = n mod 7
           | sum (Node (a, b)) = let val (x, y) = (| sum a, sum b |) in x + y end
         fun loop (0, total) = total
           | loop (n, total) = loop (n - 1, total + sum (build (14, n)))
         val () = print (Int.toString (loop (200, 0)))",
        "pml",
    );
    for _ in 0..20 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(RUN)
            .arg(&program.0)
            .arg("8")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let began = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() {
            if began.elapsed().as_secs() > 120 {
                child.kill().unwrap();
                panic!("eight workers do not end");
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stdout), "9830403");
    }
}
