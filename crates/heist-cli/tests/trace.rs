//! Tests that run `heist trace` and `heist places` as users do.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

mod common;

use common::{good, heist, refused};

fn read(file: &Path) -> Vec<Value> {
    let whole: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    whole["traceEvents"].as_array().unwrap().clone()
}

#[test]
fn a_run_becomes_a_picture_and_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cilksort.json");
    let path = file.to_str().unwrap();
    let words = [
        "trace",
        "cilksort",
        "--size",
        "50000",
        "--threads",
        "2",
        "--out",
        path,
    ];
    let told = good(&words);
    assert!(
        told.starts_with("cilksort (") && told.contains(" as heist on 2 threads: "),
        "{told}"
    );
    for part in [
        "worker 0 ",
        "worker 1 ",
        "running",
        "thefts",
        "lost",
        "ui.perfetto.dev",
    ] {
        assert!(told.contains(part), "no {part:?} in\n{told}");
    }
    let events = read(&file);
    let count = |ph: &str| events.iter().filter(|event| event["ph"] == ph).count();
    assert_eq!(count("s"), count("f"));
    let mut ends: HashMap<u64, u32> = HashMap::new();
    for event in events
        .iter()
        .filter(|event| event["ph"] == "s" || event["ph"] == "f")
    {
        *ends.entry(event["id"].as_u64().unwrap()).or_default() += 1;
    }
    assert!(ends.values().all(|&ends| ends == 2));
    let jobs = events
        .iter()
        .filter(|event| event["name"] == "job from outside");
    assert_eq!(jobs.count(), 1);
    let last = events.iter().rfind(|event| event["ph"] == "C").unwrap();
    assert_eq!(last["args"]["threads"], 0);
}

#[test]
#[cfg(feature = "pml")]
fn a_program_of_parallel_ml_shows_strands_and_collections() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("tree.pml");
    fs::write(
        &program,
        "datatype tree = Leaf of int | Node of tree * tree
         fun build (0, n) = Leaf n
           | build (d, n) = Node (| build (d - 1, 2 * n), build (d - 1, 2 * n + 1) |)
         fun sum (Leaf n) = n | sum (Node (a, b)) = op + (| sum a, sum b |)
         fun loop (0, s) = s | loop (n, s) = loop (n - 1, s + sum (build (14, n)))
         val [count] = CommandLine.arguments ()
         val () = print (Int.toString (loop (valOf (Int.fromString count), 0)) ^ \"\\n\")
         val () = if count = \"30\" then OS.Process.exit OS.Process.success else ()",
    )
    .unwrap();
    // One of the two programs runs to its end, and the other calls `exit`.
    for (count, result) in [("20", "59055636480"), ("30", "128848773120")] {
        let file = folder.path().join(format!("{count}.json"));
        let run = || {
            let output = heist(&[
                "trace",
                program.to_str().unwrap(),
                count,
                "--workers",
                "2",
                "--out",
                file.to_str().unwrap(),
            ]);
            let told = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{told}");
            assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), result);
            (told, read(&file))
        };
        // On a busy machine, a worker may start too late to take part, so the test is repeated.
        let (told, events) = (0..5)
            .map(|_| run())
            .find(|(_, events)| events.iter().any(|event| event["name"] == "stolen tasks"))
            .expect("one of five in which something is stolen");
        for part in [
            "tree.pml on 2 workers: ",
            "worker 1 ",
            "forks published",
            "perfetto",
        ] {
            assert!(told.contains(part), "no {part:?} in\n{told}");
        }
        let named = |name: &str| events.iter().filter(|event| event["name"] == name).count();
        assert!(named("strand") > 1, "{told}");
        assert!(
            named("minor collection") > 1 && named("published") > 0,
            "{told}"
        );
        let balance = |ph: &str| events.iter().filter(|event| event["ph"] == ph).count();
        assert_eq!(balance("B"), balance("E"));
        // Each strand of a fork has a number of its own, and runs on one of the workers.
        let strands = events.iter().filter(|event| event["name"] == "strand");
        assert!(strands.clone().any(|event| event["args"]["number"] == 0));
        assert!(strands.clone().any(|event| event["args"]["number"] != 0));
    }
    // The folder exists, but the file cannot grow.
    for count in ["20", "30"] {
        let output = heist(&[
            "trace",
            program.to_str().unwrap(),
            count,
            "--json",
            "/dev/full",
            "--out",
            folder.path().join("full.json").to_str().unwrap(),
        ]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
    let line = refused(&["trace", "no-such-file.pml"]);
    assert!(line.contains("no-such-file.pml"), "{line}");
}

#[test]
fn events_that_do_not_fit_are_lost_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("few.json");
    let path = file.to_str().unwrap();
    let words = [
        "trace",
        "uts-geo",
        "--threads",
        "3",
        "--events",
        "8",
        "--out",
        path,
    ];
    let told = good(&words);
    assert!(!told.lines().next().unwrap().contains(" 0 lost"), "{told}");
    assert!(
        read(&file)
            .iter()
            .any(|event| event["args"]["beginning"] == "lost")
    );
}

#[test]
fn the_overhead_is_measured_without_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_heist"))
        .args([
            "--wide",
            "trace",
            "fib",
            "--size",
            "15",
            "--threads",
            "2",
            "--overhead",
            "--runs",
            "3",
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(
        told.contains("times as long as without (median of 3 paired rounds"),
        "{told}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn requests_that_cannot_be_carried_out_are_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.json");
    let out = ["--out", path.to_str().unwrap()];
    for (words, part) in [
        (&["trace", "fob"][..], "did you mean fib?"),
        (
            &["trace", "fib", "--threads", "1,2"],
            "one number of threads",
        ),
        (
            &["trace", "fib", "--threads", "0"],
            "'0' is not a thread count",
        ),
        (&["trace", "fib", "--events", "0"], "whole number of events"),
        (&["trace", "fib", "--size", "huge"], "quick, paper or"),
        (&["trace"], "not provided"),
        (
            &["trace", "fib", "--as", "rayon"],
            "no contender of Heist's 'rayon'",
        ),
        (
            &["trace", "fib", "--as", "heist-work-first"],
            "fib does not run as heist-work-first",
        ),
    ] {
        let line = refused(&[words, &out].concat());
        assert!(line.contains(part), "{words:?}: {line}");
        assert!(!path.exists());
    }
    let line = refused(&["trace", "fib", "--out", "/dev/null/folder/t.json"]);
    assert!(
        line.contains("/dev/null/folder") && line.contains("--out"),
        "{line}"
    );
    // The command has a help text.
    assert!(heist(&["trace", "--help"]).status.success());
    assert!(good(&["trace", "--help"]).contains("heist trace cilksort --overhead"));
}

/// The body of the program that the next test traces. Without the environment variable `HEIST_PLACES_TRACE`, this function does nothing.
#[test]
fn two_places_meet() {
    if std::env::var_os("HEIST_PLACES_TRACE").is_some() {
        heist_places::run(|world| world.barrier().wait())
            .unwrap()
            .unwrap();
    }
}

#[test]
fn places_share_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("places.json");
    let path = file.to_str().unwrap();
    let program = std::env::current_exe().unwrap();
    let program = program.to_str().unwrap();
    let words = ["trace", "--places", "2", "--threads", "1", "--out", path];
    let command = [program, "two_places_meet", "--", "--exact"];
    let output = heist(&[&words[..], &command[..]].concat());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    let lines: Vec<&str> = told.lines().collect();
    assert!(
        lines[0].starts_with("place     workers  frames sent"),
        "{told}"
    );
    for (place, line) in lines[1..3].iter().enumerate() {
        assert!(
            line.starts_with(&format!("{place}               1 ")),
            "{told}"
        );
    }
    assert!(told.contains("ui.perfetto.dev"), "{told}");
    let mut names: Vec<String> = read(&file)
        .iter()
        .filter(|event| event["name"] == "process_name")
        .map(|event| event["args"]["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["place 0", "place 1"]);
    // A program that does not use heist-places does not change the earlier file.
    let wrong = refused(&["trace", "--places", "2", "--out", path, "true"]);
    assert!(
        wrong.contains("true left no trace: is it a program of heist-places?"),
        "{wrong}"
    );
    assert_eq!(
        read(&file).len(),
        fs::read_to_string(&file)
            .unwrap()
            .matches("\"ph\":")
            .count()
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_program_over_places_receives_the_requested_settings() {
    let variables = "echo $HEIST_PLACES,$HEIST_PLACES_WORKERS,$HEIST_PLACES_BIND";
    let program = ["sh", "-c", variables];
    for (words, told) in [
        (
            &["--places", "3", "--workers", "2", "--bind", "none"][..],
            "3,2,none\n",
        ),
        (&["--bind", "0-3/4-7"], "2,,0-3/4-7\n"),
        (&[], "2,,\n"),
    ] {
        assert_eq!(good(&[&["places"], words, &program].concat()), told);
    }
    let help = good(&["places", "--help"]);
    assert!(help.contains("--bind <nodes|none|0-3/4-7>"), "{help}");
}
