//! Tests programs that neither allocate nor end. Requests of other workers and Ctrl-C must reach these programs
//! at polls.

use std::process::Stdio;
use std::time::Instant;

use super::prompt::{Prompt, STOLEN};
use super::{WORK, on_two_workers, text};

/// Programs that loop without an allocation until `stop` is set. A pair has the declarations and the main code of a program.
const CYCLES: &[(&str, &str)] = &[
    // A function calls itself through a reference, in tail position or not.
    (
        "val knot = ref (fn n : int => n) fun turn n = if ! stop then n else ! knot (n + 1) val () = knot := turn",
        "turn 0",
    ),
    (
        "val knot = ref (fn n : int => n)
         fun fib n = if ! stop orelse n < 2 then n else ! knot (n - 1) + ! knot (n - 2) val () = knot := fib",
        "fib 90",
    ),
    // Two functions of different types call each other through references.
    (
        "val ping = ref (fn n : int => n) val pong = ref (fn (x : real, n : int) => n)
         fun one n = if ! stop then n else ! pong (1.0, n) fun two (_, n) = ! ping (n + 1)
         val () = (ping := one; pong := two)",
        "one 0",
    ),
    // A function is its own argument.
    (
        "datatype own = Own of own -> int fun call (Own f) = if ! stop then 0 else f (Own f)",
        "call (Own call)",
    ),
    // Loops call unknown functions, known functions, and the runtime.
    (
        "val functions = Array.tabulate (2, fn 0 => (fn n => n + 1) | _ => fn n => n - 1)
         fun loop (f : int -> int) n : int = if ! stop then n else loop f (f n)",
        "loop (Array.sub (functions, 0)) 0",
    ),
    (
        "val functions = Array.tabulate (2, fn 0 => (fn n => n + 1) | _ => fn n => n - 1)
         val numbers = Array.array (100, 1)",
        "while not (! stop) do Array.modify (Array.sub (functions, 0)) numbers",
    ),
    (
        "fun leaf (a, b) =
           case (a mod 7, b mod 5) of
             (0, 1) => a * 3 + b | (1, 2) => a - b * 7 | (2, 3) => a div 3 + b | (3, 4) => b - a
           | (4, 0) => a * b mod 11 | (5, 1) => b div 3 - a | (6, 2) => a * 5 - b | _ => a + b",
        "let val n = ref 0 in while not (! stop) do n := leaf (leaf (! n, 1) mod 100, leaf (3, ! n)) mod 100 end",
    ),
    (
        "",
        "let val x = ref 0.5 in while not (! stop) do x := Math.sin (! x) end",
    ),
    // Exceptions.
    (
        "exception Again fun again () = (raise Again) handle Again => if ! stop then () else again ()",
        "again ()",
    ),
    (
        "exception Again fun fail n = if n < 0 then n else raise Again",
        "while not (! stop) do ignore (fail 1 handle Again => 0)",
    ),
];

pub(crate) fn requests() {
    for (declarations, cycle) in CYCLES {
        // The left side of the fork loops until the right side sets `stop`. Another worker gets the right side only if the loop polls.
        let source = format!(
            "{WORK}
            val stop = ref false
            {declarations}
            val _ = (| ignore ({cycle}), (ignore (work 100 0); stop := true) |)
            val () = print \"done\""
        );
        let (_program, mut command) = on_two_workers(&source);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let began = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() {
            if began.elapsed().as_secs() > 60 {
                child.kill().unwrap();
                panic!("nothing is heard in {cycle}");
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stdout), "done", "{cycle}");
    }
}

pub(crate) fn interrupts() {
    for (declarations, cycle) in CYCLES {
        for (workers, body) in [
            (1, format!("{MARK}; ignore ({cycle})")),
            // In the first program, the cycle runs on all three workers. In the second program, the cycle runs on one worker, and the other
            // worker waits for its result.
            (
                3,
                format!("ignore (| {cycle}, ({MARK}; {cycle}), {cycle} |)"),
            ),
            (
                2,
                format!("ignore (stolen (fn () => stolen (fn () => ({MARK}; {cycle}))))"),
            ),
        ] {
            interrupted(declarations, workers, &body);
        }
    }
}

/// Code that prints `on` when the program reaches a point.
const MARK: &str = "(print \"on\\n\"; TextIO.flushOut TextIO.stdOut)";

fn interrupted(declarations: &str, workers: usize, body: &str) {
    let mut prompt = Prompt::new(workers, false, false);
    prompt.type_in(&format!(
        "{STOLEN} val stop = ref false;\n{declarations};\nval () = ({body});\n\
         val () = print \"next\\n\";\nval n = #2 (| {WORK_FOR_ALL} |);\n"
    ));
    prompt.until("on");
    prompt.interrupt();
    let began = Instant::now();
    prompt.until("next");
    prompt.until("val n = 610 : int");
    let took = began.elapsed();
    assert!(took.as_secs() < 30, "{took:?} on {workers} workers: {body}");
    assert_eq!(prompt.end(), "interrupted\n", "{workers} workers: {body}");
}

/// The text of two parts of a parallel tuple. Each part forks.
const WORK_FOR_ALL: &str = "let fun fib n = if n < 2 then n else op + (| fib (n - 1), fib (n - 2) |) in fib 20 end, \
    let fun fib n = if n < 2 then n else op + (| fib (n - 1), fib (n - 2) |) in fib 15 end";
