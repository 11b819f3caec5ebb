//! Tests of a new user's first steps with the built program: 80 columns, pipes, help, Ctrl-C.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

mod common;

#[cfg(feature = "pml")]
use common::heist;
use common::{good, narrow, refused};

/// The arguments of a small measurement by `heist bench`.
const BENCH: [&str; 8] = [
    "bench",
    "fib",
    "--size",
    "5",
    "--runs",
    "1",
    "--threads",
    "1",
];

#[test]
fn everything_fits_80_columns() {
    for words in [
        &["list"][..],
        &["info"],
        &["figure"],
        &BENCH,
        &[
            "bench",
            "cilksort",
            "--size",
            "500",
            "--runs",
            "1",
            "--threads",
            "1,2",
        ],
        &["bench", "fib", "--size", "9", "--runs", "1", "--profile"],
        &["graph", "kgraph:200", "--runs", "1", "--threads", "1,2"],
        &["simulate", "fib", "--size", "12", "--runs", "1"],
        &[
            "simulate",
            "fib",
            "--size",
            "12",
            "--runs",
            "1",
            "--workers",
            "2",
            "--protocol",
            "all",
            "--validate",
        ],
    ] {
        let text = narrow(words);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{words:?}: {line}");
        }
    }
    let narrow = narrow(&BENCH);
    assert!(narrow.starts_with("program"), "{narrow}");
    assert!(narrow.contains("--wide shows more: params, "), "{narrow}");
    let wide = good(&BENCH);
    assert!(
        wide.contains("min/median/max") && !wide.contains("--wide"),
        "{wide}"
    );
}

/// Runs a command, and returns its standard output as JSON. The command must print no other output.
fn json(words: &[&str]) -> Value {
    let text = narrow(&[words, &["--json", "-"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?}: {error}\n{text}"))
}

#[test]
fn json_goes_to_standard_output_alone() {
    let list = json(&["list"]);
    let fib = list
        .as_array()
        .unwrap()
        .iter()
        .find(|program| program["name"] == "fib");
    assert_eq!(fib.unwrap()["contenders"][0], "serial");
    assert!(
        json(&["info"])["machine"]["default_threads"]
            .as_u64()
            .unwrap()
            >= 1
    );
    let bench = json(&BENCH);
    assert_eq!(
        (&bench["complete"], &bench["programs"][0]["name"]),
        (&true.into(), &"fib".into())
    );
    let graph = json(&[
        "graph",
        "kgraph:200",
        "--algo",
        "bfs",
        "--runs",
        "2",
        "--threads",
        "1",
    ]);
    let rows = graph["algorithms"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0]["deque"], "chase-lev");
    assert_eq!(rows[0]["seconds"].as_array().unwrap().len(), 2);
    let simulate = json(&[
        "simulate",
        "fib",
        "--size",
        "12",
        "--runs",
        "1",
        "--workers",
        "1,2",
    ]);
    assert_eq!(simulate["data"]["runs"].as_array().unwrap().len(), 2);
    let profile = json(&["bench", "fib", "--size", "9", "--runs", "1", "--profile"]);
    assert_eq!(profile["profiles"][0]["program"], "fib");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/folder/trace.json");
    let trace = json(&[
        "trace",
        "fib",
        "--size",
        "12",
        "--threads",
        "2",
        "--out",
        file.to_str().unwrap(),
    ]);
    assert_eq!(
        (&trace["program"], &trace["workers"]),
        (&"fib".into(), &2.into())
    );
    // `--out` has made the missing folder.
    assert!(file.is_file());

    let line = refused(&[&BENCH[..], &["--json", "-", "--csv", "-"]].concat());
    assert!(line.contains("--json and --csv"), "{line}");
}

#[test]
fn folders_for_out_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a/b");
    good(&[
        "figure",
        "policies-1",
        "--size",
        "2",
        "--runs",
        "1",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert!(out.join("policies-1.csv").is_file());
}

#[test]
fn help_is_a_command_too() {
    let page = narrow(&["help", "simulate"]);
    assert!(
        page.contains("Usage: heist simulate") && page.contains("Examples:"),
        "{page}"
    );
    assert!(narrow(&["help"]).contains("heist bench fib"));
    let line = refused(&["fib"]);
    assert!(line.contains("did you mean `heist bench fib`?"), "{line}");
}

#[test]
fn the_version_names_compiler_and_profile() {
    let line = narrow(&["--version"]);
    let parts = ["heist ", env!("CARGO_PKG_VERSION"), "rustc 1.", "profile "];
    for part in parts {
        assert!(line.contains(part), "{line}");
    }
    assert!(narrow(&["info"]).contains(line.trim_end().strip_prefix("heist ").unwrap()));
}

#[test]
fn shells_and_man_have_what_they_need() {
    for (shell, part) in [
        ("bash", "complete -F _heist"),
        ("zsh", "#compdef heist"),
        ("fish", "complete -c heist"),
    ] {
        let script = narrow(&["completions", shell]);
        assert!(
            script.contains(part) && script.contains("simulate"),
            "{shell}"
        );
    }
    assert!(narrow(&["man"]).contains(".TH heist 1"));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    good(&["man", "--out", out.to_str().unwrap()]);
    let page = fs::read_to_string(out.join("heist-bench.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("runs"), "{page}");
    assert!(out.join("heist-simulate-places.1").is_file());
    assert!(!out.join("heist-simulate-help.1").exists());
    assert!(out.join("heist.1").is_file() && !out.join("heist-deque-operations.1").exists());
}

/// Starts a command, waits until `ready` returns true, and ends the command by Ctrl-C. Returns its
/// exit code and standard output.
fn interrupted(words: &[&str], ready: impl Fn() -> bool) -> (Option<i32>, String) {
    let child = Command::new(env!("CARGO_BIN_EXE_heist"))
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !ready() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{words:?} has not begun"
        );
        thread::sleep(Duration::from_millis(10));
    }
    // Wait for some rounds.
    thread::sleep(Duration::from_secs(2));
    signal(&child);
    let asked = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(
        asked.elapsed() < Duration::from_secs(20),
        "{words:?} went on for {:?}",
        asked.elapsed()
    );
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("heist: interrupted"), "{words:?}: {stderr}");
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

fn signal(child: &Child) {
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
}

fn has_files(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().count() > 0
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_what_was_measured_and_no_empty_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.json");
    let name = file.to_str().unwrap();
    let words = [
        "bench",
        "fib",
        "--size",
        "12",
        "--runs",
        "100000",
        "--threads",
        "1",
        "--json",
        name,
    ];
    let (code, table) = interrupted(&words, || file.exists());
    assert_eq!(code, Some(130));
    assert!(
        table.contains("fib") && table.contains("T_S/T_P"),
        "{table}"
    );
    let report: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(report["complete"], false);
    let rounds = |row: usize| {
        let samples = &report["programs"][0]["results"][row]["samples_ns"];
        samples.as_array().unwrap().len()
    };
    // The report has only complete rounds.
    assert!(rounds(0) > 0 && rounds(0) == rounds(1), "{report}");

    // A figure ends after the present round, and has the complete rounds.
    let figures = tempfile::tempdir().unwrap();
    let out = figures.path().to_str().unwrap();
    let words = [
        "figure",
        "idempotent-4",
        "--size",
        "1000",
        "--runs",
        "100000",
        "--out",
        out,
    ];
    let (code, table) = interrupted(&words, || has_files(figures.path()));
    assert_eq!(code, Some(130));
    assert!(table.contains("Wrote idempotent-4.csv"), "{table}");
    let csv = fs::read_to_string(figures.path().join("idempotent-4.csv")).unwrap();
    assert!(csv.lines().count() > 1, "{csv}");

    // Before the first round has ended there is nothing to show.
    let figures = tempfile::tempdir().unwrap();
    let inner = figures.path().join("a").join("b");
    let out = inner.to_str().unwrap();
    let words = ["figure", "interrupts", "--size", "10000000", "--out", out];
    let (code, _) = interrupted(&words, || inner.exists());
    assert_eq!(code, Some(130));
    assert!(!has_files(figures.path()), "an empty folder was left");
}

#[cfg(not(feature = "pml"))]
#[test]
fn without_the_compiler_a_line_says_how_to_get_it() {
    let line = refused(&["run", "examples/fib.pml", "20", "--no such option"]);
    let command =
        "`cargo run --release --features pml -- run examples/fib.pml 20 '--no such option'`";
    assert!(line.contains(command), "{line}");
    assert!(refused(&["lsp", "--stdio"]).contains("-- lsp --stdio"));
    assert!(narrow(&["--help"]).contains("--features pml"));
}

#[cfg(feature = "pml")]
#[test]
fn checks_are_told_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.sml");
    fs::write(&file, "val x = 1\nval y = x + true\n").unwrap();
    let name = file.to_str().unwrap();
    let output = heist(&["check", "--json", "-", name]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["accepted"], false);
    let message = &report["messages"][0];
    assert_eq!(
        (&message["severity"], &message["line"]),
        (&"error".into(), &2.into())
    );
    assert_eq!(message["file"], name);
    fs::write(&file, "val x = 1\n").unwrap();
    let report = json(&["check", name]);
    assert_eq!(
        (&report["accepted"], &report["messages"]),
        (&true.into(), &Value::Array(Vec::new()))
    );
}
