//! Tests of `Posix` and `MPL.File`: with system calls that fail or wait, with numbers that are too large for the system's types, and with
//! files without a size.

use std::path::Path;
use std::process::Command;

use super::path;

/// Runs a program with a number of workers in a new folder, and returns its output and messages. The program's arguments are the
/// folder and `more`.
fn run(name: &str, workers: &str, more: &[&str], variables: &[(&str, &str)]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_heist"))
        .args(["run", "--workers", workers, &path(name)])
        .arg(folder.path())
        .args(more)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{name}, {workers} workers: {said}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    (printed, said)
}

#[test]
fn numbers_flags_and_programs_that_do_not_begin() {
    let expected = "numbers: inval inval srch srch inval srch inval inval inval inval\n\
        descriptors: badf badf badf badf badf badf badf badf badf\n\
        as they are: fine\n\
        processes: srch srch srch srch\n\
        groups: srch srch srch srch srch\n\
        flags: true,true,false,true true,true,true,true true,true,true,true true,true,true,true\n\
        ends: 6 15 10 text, more fine fine ClosedStream\n\
        programs: noent pipe noent pipe acces pipe\n\
        zeros: inval inval inval inval\n\
        environ: true\n\
        141 b .\n";
    for workers in ["1", "2"] {
        let (printed, said) = run("descriptors.sml", workers, &[], &[]);
        assert_eq!(printed, expected, "{workers} workers: {said}");
    }
}

#[test]
fn maps_of_streams_and_ends_of_maps() {
    let expected = "streams: through true <> Subscript WrongFilePermission fine Closed isdir\n\
        pieces: true true true 1 Subscript fine Closed\n\
        written: 200000 400000 .bc true\n\
        addresses: fine\n\
        race: fine\n";
    for workers in ["1", "2"] {
        let (printed, said) = run("maps.sml", workers, &[], &[]);
        assert_eq!(printed, expected, "{workers} workers: {said}");
    }
}

#[test]
fn files_that_are_cut_short_while_they_are_in_memory() {
    let expected = "before: fine d\n\
        read: io io io c Subscript fine Closed\n\
        before: 100000 fine\n\
        written: io io fine io\n\
        file: axc\n";
    for workers in ["1", "2", "8"] {
        let (printed, said) = run("cut.sml", workers, &[], &[]);
        assert_eq!(printed, expected, "{workers} workers: {said}");
    }
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_heist"))
        .args(["run", &path("cut.sml")])
        .arg(folder.path())
        .arg("raise")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("uncaught exception SysErr: ("), "{said}");
    assert!(said.contains("`file` was cut short"), "{said}");
    let places = said.lines().skip(1);
    let at = ["  raised at ", "  called at "];
    for place in places {
        assert!(at.iter().any(|start| place.starts_with(start)), "{said}");
    }
}

/// Runs `calls.sml` with system calls that fail or wait.
fn with_calls(call: &str, workers: &[&str], variables: &[(&str, &str)], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("calls.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mpl/calls.c");
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status()
        .unwrap();
    assert!(made.success());
    let preloaded = ("LD_PRELOAD", library.to_str().unwrap());
    let variables: Vec<_> = variables.iter().copied().chain([preloaded]).collect();
    for workers in workers {
        let (printed, said) = run("calls.sml", workers, &[call], &variables);
        assert_eq!(printed, expected, "{call}, {workers} workers: {said}");
        assert_eq!(said, "", "{call}, {workers} workers");
    }
}

#[test]
fn a_file_is_closed_once() {
    with_calls("close", &["1", "2"], &[], "fine\n");
}

/// The program raises an exception, and the file does not change, if the disk is full (error 28).
#[test]
fn a_disk_is_full_below_a_map() {
    let full = [("FALLOCATE", "28")];
    with_calls("fallocate", &["1", "2"], &full, "nospc 4 t none none\n");
}

/// `fallocate` fails with error 95 on file systems that do not support it.
#[test]
fn a_disk_cannot_give_room_ahead() {
    let expected = "fine 100004 t \\^@ x\n";
    with_calls("fallocate", &["1", "2"], &[("FALLOCATE", "95")], expected);
    with_calls("fallocate", &["1", "2"], &[], expected);
}

#[test]
fn the_end_of_a_map_fails() {
    with_calls("munmap", &["1", "2"], &[], "nomem Closed Closed\n");
}

#[test]
fn a_stop_does_not_wait_for_the_system() {
    with_calls("fsync", &["2"], &[], "fine\n");
    with_calls("pipe", &["2"], &[], "soon\n");
}

#[test]
fn a_worker_stops_between_the_pieces_of_a_copy() {
    with_calls("store", &["2"], &[("PLAIN_CLOSE", "1")], "stopped\n");
}
