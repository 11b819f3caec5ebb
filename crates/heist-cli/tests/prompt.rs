//! Tests of `heist repl` and `heist fmt` with a pipe as their input.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output};

use common::piped;

/// Runs the program with `input` on its standard input.
fn given(words: &[&str], input: &str) -> Output {
    let mut child = piped(words);
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn inputs_are_answered() {
    let output = given(
        &["repl"],
        "val x = 3;\nfun f y =\n  x + y;\nf 4; f 5;\n:type f\nprint \"hi\\n\"\n",
    );
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stdout),
        "val x = 3 : int\nval f = fn : int -> int\nval it = 7 : int\nval it = 8 : int\nf : int -> int\n\
         hi\nval it = () : unit\n"
    );
}

#[test]
fn errors_do_not_end_the_session() {
    let output = given(
        &["repl"],
        "1 + \"a\";\nraise Fail \"no\";\n:nothing\nval r = 2;\n:quit\nr;\n",
    );
    let said = text(&output.stderr);
    for part in [
        "error[E0302]",
        "uncaught exception Fail: \"no\"",
        "`:nothing`",
    ] {
        assert!(said.contains(part), "{said}");
    }
    // A value that never exists needs no type, so there is no warning.
    assert!(!said.contains("W0603"), "{said}");
    assert_eq!(text(&output.stdout), "val r = 2 : int\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_interrupt_stops_what_runs_and_no_more() {
    let mut child = piped(&["repl"]);
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    input
        .write_all(b"val r = ref 1;\n(r := 2; print \"on\\n\"; TextIO.flushOut TextIO.stdOut; while true do ());\n")
        .unwrap();
    let mut next = || lines.next().unwrap().unwrap();
    assert_eq!(next(), "val r = ref 1 : int ref");
    assert_eq!(next(), "on");
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    input.write_all(b"!r;\n").unwrap();
    drop(input);
    assert_eq!(next(), "val it = 2 : int");
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "interrupted\n");
}

#[test]
fn standard_input_is_formatted_to_standard_output() {
    let output = given(&["fmt", "-"], "val   x=1");
    assert_eq!(text(&output.stdout), "val x = 1\n");
    assert_eq!(output.status.code(), Some(0));
    let output = given(
        &["fmt", "--dialect", "pml", "--check", "-"],
        "val x = a ! 1\n",
    );
    assert_eq!(output.status.code(), Some(0));
}
