//! The places that are printed below the message of an uncaught exception.

use super::prompt::STOLEN;
use super::{Program, text};

/// What a program says when it ends, with `P` for its file.
fn said(program: &Program, workers: usize) -> String {
    let mut command = program.command();
    let output = command.arg(workers.to_string()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    text(&output.stderr).replace(program.0.to_str().unwrap(), "P")
}

pub(crate) fn places() {
    for (source, expected) in [(
        "fun f x = if x > 2 then raise Fail \"big\" else x\n\
             fun g x = 1 + f (x + 1)\n\
             val y = g (size (CommandLine.name ()))\n",
        "uncaught exception Fail: \"big\"\n\
             \u{20} raised at P:1:25 in f\n\
             \u{20} called at P:2:15 in g\n\
             \u{20} called at P:3:9\n",
    )] {
        assert_eq!(said(&Program::new(source), 1), expected, "{source}");
    }
}

pub(crate) fn stolen() {
    let source = format!(
        "{STOLEN}fun f x = if x > 2 then raise Fail \"big\" else x\n\
         val _ = stolen (fn () => f (size (CommandLine.name ())))\n"
    );
    let program = Program::named(&source, "pml");
    assert_eq!(said(&program, 2), "");
}
