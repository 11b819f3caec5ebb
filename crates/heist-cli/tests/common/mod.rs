//! Functions that run the built program as users do.

use std::process::{Child, Command, Output, Stdio};

/// Starts the program with these arguments, with pipes for its input, output and errors.
#[allow(dead_code, reason = "not every file of tests uses it")]
pub(crate) fn piped(words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_heist"))
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs the program with these arguments, and returns its output.
#[allow(dead_code, reason = "not every file of tests uses it")]
pub(crate) fn heist(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heist"))
        .args(words)
        .output()
        .unwrap()
}

/// Runs the program, which must succeed without warnings, with lines of any length. Returns its
/// standard output.
#[allow(dead_code, reason = "not every file of tests uses it")]
pub(crate) fn good(words: &[&str]) -> String {
    // Arguments after the files of a program belong to that program.
    if words.first() == Some(&"run") {
        narrow(words)
    } else {
        narrow(&[words, &["--wide"]].concat())
    }
}

/// Runs the program, which must succeed without warnings, with lines of 80 columns. Returns its
/// standard output.
#[allow(dead_code, reason = "not every file of tests uses it")]
pub(crate) fn narrow(words: &[&str]) -> String {
    let output = heist(words);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {stderr}");
    // Standard error is not a terminal, so it shows no progress either.
    assert_eq!(stderr, "", "{words:?}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        !stdout.contains('\x1b'),
        "{words:?}: colours outside a terminal"
    );
    stdout
}

/// Runs the program, which must reject the request before it prints a result. Returns the single
/// line on standard error.
#[allow(dead_code, reason = "not every file of tests uses it")]
pub(crate) fn refused(words: &[&str]) -> String {
    let output = heist(words);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{words:?}: {stderr}");
    assert!(
        stderr.starts_with("heist: ") && stderr.ends_with('\n'),
        "{words:?}: {stderr}"
    );
    assert_eq!(output.stdout, b"", "{words:?}");
    stderr
}
