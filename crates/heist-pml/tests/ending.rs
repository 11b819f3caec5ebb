//! What a program leaves behind when it ends: its output, what it says on the standard error, and its exit code.
//!
//! Without the usual harness, since this program runs the programs under test in processes of their own.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

use heist_pml::driver::{self, Settings};

/// The argument with which this program runs one file instead of testing.
const RUN: &str = "--run-file";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, file] = &arguments[..]
        && first == RUN
    {
        std::process::exit(driver::run(&[PathBuf::from(file)], &Settings::default()));
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let tests: &[(&str, fn())] = &[
        (
            "uncaught exceptions say what failed",
            uncaught_exceptions_say_what_failed,
        ),
        (
            "what was printed comes before the standard error",
            printed_before_error,
        ),
        ("lost output is an error", lost_output_is_an_error),
        ("signals do not lose output", signals_do_not_lose_output),
        ("ignored signals stay ignored", ignored_signals_stay_ignored),
        (
            "a limit of address space is reported",
            a_limit_of_address_space_is_reported,
        ),
        ("summer time is known", summer_time_is_known),
    ];
    for (name, test) in tests {
        test();
        println!("{name}: ok");
    }
    ExitCode::SUCCESS
}

/// A file that holds a program as long as this lives.
struct Program(PathBuf);

impl Program {
    fn new(text: &str) -> Program {
        use std::sync::atomic::{AtomicU32, Ordering};
        // Only tells names apart.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("ending-{}-{number}.sml", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).unwrap();
        Program(path)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(RUN).arg(&self.0).stdin(Stdio::null());
        command
    }

    /// The same, by the shell, after some shell commands.
    fn after(&self, shell: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("{shell} exec \"$0\" \"$@\""));
        command.arg(std::env::current_exe().unwrap());
        command.arg(RUN).arg(&self.0).stdin(Stdio::null());
        command
    }
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

fn uncaught_exceptions_say_what_failed() {
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
        assert_eq!(text(&output.stderr), said);
        assert_eq!(output.status.code(), Some(1));
    }
}

fn printed_before_error() {
    // Both to the same place.
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
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
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
        // The exit code of an exception stays.
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
        assert_eq!(text(&output.stderr), said, "{program}");
        assert_eq!(output.status.code(), Some(code), "{program}");
    }
    // A program that has nothing to write does not fail.
    let output = Program::new("val () = ()")
        .command()
        .stdout(full())
        .output();
    assert_eq!(output.unwrap().status.code(), Some(0));
}

fn signals_do_not_lose_output() {
    for (name, number) in [
        ("HUP", libc::SIGHUP),
        ("INT", libc::SIGINT),
        ("QUIT", libc::SIGQUIT),
        ("ABRT", libc::SIGABRT),
        ("TERM", libc::SIGTERM),
    ] {
        // Nothing has written the text out when the folder is there.
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
