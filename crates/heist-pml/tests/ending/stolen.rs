//! Tests right sides of forks that end the program while a thief runs them.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::prompt::{STOLEN, end_within, interrupt};
use super::{Program, WORK, text, without_places};

/// Makes a program with declarations of `stolen`, `work` and `deep`, and with the code `body`.
fn program(body: &str) -> Program {
    let source = format!("{STOLEN}{WORK}\nfun deep 0 = 0 | deep n = 1 + deep (n - 1)\n{body}");
    Program::named(&source, "pml")
}

/// Runs a program on several workers. The sizes of the heap and of the stack are in MiB. Returns the output, the messages and the exit
/// code.
fn run(
    program: &Program,
    workers: usize,
    heap: usize,
    stack: usize,
) -> (String, String, Option<i32>) {
    let mut command = program.command();
    command.args([workers, heap, stack].map(|number| number.to_string()));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ended = end_within(&mut child, 120);
    let output = child.wait_with_output().unwrap();
    assert!(ended, "it does not end: {}", text(&output.stderr));
    (
        text(&output.stdout),
        without_places(&text(&output.stderr)),
        output.status.code(),
    )
}

pub(crate) fn failures() {
    let overflow =
        ": calls are nested too deeply; is a recursion without an end? (--stack gives more)\n";
    let memory = "out of memory: the heap has reached its limit of 64 MiB (see --heap)\n";
    for (failure, said, code) in [
        (
            "raise Fail \"stolen\"",
            "uncaught exception Fail: \"stolen\"\n",
            1,
        ),
        (
            "ignore (Vector.sub (Vector.fromList [1], 2))",
            "uncaught exception Subscript\n",
            1,
        ),
        ("OS.Process.exit OS.Process.success : unit", "", 0),
        (
            "let fun grow xs = grow (1 :: xs) in grow [] end : unit",
            memory,
            2,
        ),
        (
            "print (Real.toString (Array.sub (Array.array (20000000, 0.0), 7)))",
            memory,
            2,
        ),
        ("print (Int.toString (deep 100000000))", overflow, 2),
    ] {
        // All text that the workers have printed before the failure must be in the output. `first` is the left side of a fork, and `second`
        // fails on the right side. If the failure ends the process, the program must not wait for the left side, which loops forever.
        for (first, second) in [
            ("while true do ()", failure.to_owned()),
            ("while true do ()", format!("stolen (fn () => {failure})")),
        ] {
            let body = format!(
                "val () = print \"one \"
                 val _ = stolen (fn () => (print \"two \"; ignore (| {first}, (print \"three\"; {second}; ()) |)))
                 val () = print \"never\""
            );
            // An exception on the right side leaves the fork only after the left side has ended. So for a failure that raises, the left
            // side must end.
            let ends = said.starts_with("uncaught");
            let body = if ends {
                body.replace("while true do ()", "ignore (work 3000 0)")
            } else {
                body
            };
            let program = program(&body);
            for workers in [3, 8] {
                let (out, err, status) = run(&program, workers, 64, 8);
                assert_eq!(out, "one two three", "{failure}: {err}");
                if said == overflow {
                    let number = err.strip_prefix("stack overflow in strand ");
                    let number = number.and_then(|rest| rest.strip_suffix(overflow));
                    let number = number.and_then(|number| number.parse::<u32>().ok());
                    assert!(number.is_some_and(|number| number > 0), "{err}");
                } else {
                    assert_eq!(err, said, "{failure}");
                }
                assert_eq!(status, Some(code), "{failure}");
            }
        }
    }
}

pub(crate) fn deep_recursion() {
    let program = program(
        "val ((), n) = stolen (fn () => deep 10000000)
         val () = print (Int.toString n)",
    );
    let (out, err, code) = run(&program, 2, 1024, 4096);
    assert_eq!((&out[..], &err[..], code), ("10000000", "", Some(0)));
    // Each of the two strands publishes forks of `tree` at the end of a recursion of a million frames.
    let program = self::program(
        "fun tree n = if n < 2 then n else op + (| tree (n - 1), tree (n - 2) |)
         fun deep' 0 = tree 25 | deep' n = 1 + deep' (n - 1)
         val (a, b) = (| deep' 1000000, stolen (fn () => deep' 1000000) |)
         val () = print (Int.toString (a + #2 b))",
    );
    let (out, err, code) = run(&program, 3, 1024, 4096);
    assert_eq!((&out[..], &err[..], code), ("2150050", "", Some(0)));
}

pub(crate) fn failures_at_the_same_time() {
    let memory = "out of memory: the heap has reached its limit of 64 MiB (see --heap)\n";
    for (part, said, code) in [
        ("let fun grow xs = grow (1 :: xs) in grow [] end", memory, 2),
        ("print (Int.toString (deep 100000000))", "stack overflow", 2),
        ("OS.Process.exit OS.Process.failure", "", 1),
    ] {
        // Each part continues when all parts have begun.
        let program = program(&format!(
            "val come = Array.array (3, false)
             fun all i = (Array.update (come, i, true); while not (Array.all (fn b => b) come) do ())
             val () = print \"before\"
             val _ = (| (all 0; {part}) : unit, (all 1; {part}) : unit, (all 2; {part}) : unit |)"
        ));
        for _ in 0..5 {
            let (out, err, status) = run(&program, 3, 64, 8);
            assert_eq!((&out[..], status), ("before", Some(code)), "{part}: {err}");
            assert!(err.starts_with(said), "{err}");
            assert_eq!(err.lines().count(), usize::from(!said.is_empty()), "{err}");
        }
    }
}

pub(crate) fn interrupted() {
    let program = program(
        "fun prints () = (print \"a line\\n\"; prints ()) : unit
         val () = print \"first\\n\"
         val _ = (| stolen (fn () => (while true do ())), (OS.FileSys.mkDir \"MARKER\"; prints ()), prints () |)",
    );
    let marker = program.0.with_extension("marker");
    let source = std::fs::read_to_string(&program.0).unwrap();
    std::fs::write(
        &program.0,
        source.replace("MARKER", marker.to_str().unwrap()),
    )
    .unwrap();
    for workers in ["2", "4"] {
        let mut child = program
            .command()
            .arg(workers)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            out.read_to_end(&mut bytes).unwrap();
            bytes
        });
        while !marker.exists() {
            assert_eq!(child.try_wait().unwrap(), None, "ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::fs::remove_dir(&marker).unwrap();
        interrupt(&child);
        assert!(end_within(&mut child, 60), "Ctrl-C does not end it");
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGINT));
        let bytes = reader.join().unwrap();
        assert!(bytes.starts_with(b"first\n"), "output is lost");
    }
}

/// Tests that a recursion without an end, whose forks are published on the way down, fills its stack before the published forks fill the
/// memory.
pub(crate) fn endless_recursion_that_forks() {
    let program = Program::named(
        "val knot : (int -> int) ref = ref (fn n => n)
         fun down n = let val (a, b) = (| ! knot (n + 1), 1 |) in a + b end
         val () = knot := down
         val () = print (Int.toString (down 1))",
        "pml",
    );
    // The number of published forks depends on the requests of the other worker, so the test runs the program several times.
    for _ in 0..4 {
        let mut command = program.command();
        let child = command.args(["2", "64", "512"]).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let (began, mut most) = (Instant::now(), 0);
        while child.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(&status).unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = peak.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            most = most.max(kib.unwrap_or(0) >> 10);
            assert!(
                began.elapsed().as_secs() < 120,
                "it does not end: {most} MiB"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert!(said.contains("calls are nested too deeply"), "{said}");
        assert!((256..1200).contains(&most), "{most} MiB");
    }
}
