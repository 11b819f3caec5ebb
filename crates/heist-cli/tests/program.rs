//! Tests of the built program, which run it as users do.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

mod common;

#[cfg(feature = "pml")]
use common::piped;
use common::{good, heist, refused};

#[test]
fn list_names_programs_sources_and_contenders() {
    let list = good(&["list"]);
    assert!(list.lines().any(|line| line.starts_with("fib ")), "{list}");
    assert!(
        list.contains("--vs takes: serial, heist") && list.contains("Contenders"),
        "{list}"
    );
}

#[test]
fn info_describes_the_machine() {
    let info = good(&["info"]);
    for part in [
        "CPU ",
        "allowed by affinity",
        "allowed by cgroup",
        "default threads",
        "asymmetric fence",
        "kernel",
    ] {
        assert!(
            info.lines().any(|line| line.starts_with(part)),
            "no {part:?} in\n{info}"
        );
    }
}

#[test]
fn help_has_examples() {
    assert!(good(&["--help"]).contains("Examples:"));
    let help = good(&["bench", "--help"]);
    assert!(help.contains("heist bench fib --size 32") && help.contains("\nns/fork "));
    assert!(good(&["--version"]).starts_with("heist "));
}

#[test]
fn a_small_bench_fills_table_json_and_csv() {
    let folder = tempfile::tempdir().unwrap();
    let (json, csv) = (
        folder.path().join("runs.json"),
        folder.path().join("runs.csv"),
    );
    let words = [
        "bench",
        "fib",
        "--size",
        "12",
        "--runs",
        "2",
        "--threads",
        "2,1",
        "--vs",
        "serial,rayon",
    ];
    let mut words: Vec<&str> = words.to_vec();
    words.extend([
        "--json",
        json.to_str().unwrap(),
        "--csv",
        csv.to_str().unwrap(),
    ]);
    let table = good(&words);
    for title in ["program", "T1/T_S", "T_S/T_P", "steals", "min/median/max"] {
        assert!(table.lines().next().unwrap().contains(title), "{table}");
    }
    assert!(
        table.contains("fib") && table.contains("rayon") && !table.contains("chili"),
        "{table}"
    );

    let report: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(report["format"], 1);
    assert_eq!(report["settings"]["threads"], serde_json::json!([1, 2]));
    assert_eq!(report["command"][1], "bench");
    let date = report["date"].as_str().unwrap();
    assert!(
        date.len() == "2000-01-01T00:00:00Z".len() && date.ends_with('Z'),
        "{date}"
    );
    assert!(report["machine"]["parallelism"].as_u64().unwrap() >= 1);
    let results = report["programs"][0]["results"].as_array().unwrap();
    let rows: Vec<_> = results
        .iter()
        .map(|row| {
            (
                row["contender"].as_str().unwrap(),
                row["threads"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("serial", 1),
            ("heist", 1),
            ("heist", 2),
            ("rayon", 1),
            ("rayon", 2)
        ]
    );
    for row in results {
        assert_eq!(row["samples_ns"].as_array().unwrap().len(), 2);
        assert_eq!(
            row["counters"].as_array().unwrap().len(),
            if row["contender"] == "heist" { 2 } else { 0 }
        );
        assert_eq!(
            row["figures"]["t1_over_ts"].is_number(),
            row["contender"] != "serial",
            "{row}"
        );
    }
    // The reported ratio can be computed from the samples: it is the median of the ratios of the
    // rounds.
    let times = |row: usize| -> Vec<f64> {
        results[row]["samples_ns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|ns| ns.as_f64().unwrap())
            .collect()
    };
    let (serial, one) = (times(0), times(1));
    let expected = (one[0] / serial[0] + one[1] / serial[1]) / 2.0;
    let reported = results[1]["figures"]["t1_over_ts"].as_f64().unwrap();
    assert!(
        (reported / expected - 1.0).abs() < 1e-9,
        "{reported} {expected}"
    );

    let csv = fs::read_to_string(&csv).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(reader.headers().unwrap().iter().next(), Some("program"));
    let lines: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(lines.len(), rows.len());
    for (line, (contender, threads)) in lines.iter().zip(&rows) {
        assert_eq!(
            (&line[0], &line[2], line[3].to_owned()),
            ("fib", *contender, threads.to_string())
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pinning_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("runs.json");
    good(&[
        "bench",
        "fib",
        "--size",
        "5",
        "--runs",
        "1",
        "--threads",
        "1",
        "--pin",
        "--json",
        json.to_str().unwrap(),
    ]);
    let report: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(report["settings"]["pinned_to"].as_array().unwrap().len(), 1);
    // The description of the machine is that of an unpinned thread.
    let allowed = report["machine"]["cpus_allowed"].as_array().unwrap().len();
    let info = good(&["info"]);
    assert!(info.contains(&format!("{allowed} of them")), "{info}");
}

#[test]
fn bad_thread_lists() {
    for list in [
        "0",
        "-1",
        "999999",
        "1,,2",
        "",
        ",",
        "1;2",
        "two",
        "1.5",
        "1\n2",
        "99999999999999999999999",
    ] {
        let line = refused(&["bench", "fib", "--threads", list]);
        assert!(
            line.contains("--threads") && line.contains("from 1 to"),
            "{line}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pinning_more_threads_than_cpus() {
    let line = refused(&["bench", "fib", "--threads", "1024", "--pin"]);
    assert!(line.contains("--pin") && line.contains("1024"), "{line}");
}

#[test]
fn bad_sizes_and_round_counts() {
    for size in ["0", "-5", "huge", ""] {
        let line = refused(&["bench", "fib", "--size", size]);
        assert!(
            line.contains("--size") && line.contains("quick, paper"),
            "{line}"
        );
    }
    for runs in ["0", "-1", "lots", ""] {
        let line = refused(&["bench", "fib", "--runs", runs]);
        assert!(line.contains("--runs") && line.contains("from 1"), "{line}");
    }
}

#[test]
fn unknown_names_get_suggestions() {
    let line = refused(&["bench", "fibb"]);
    assert!(
        line.contains("'fibb'")
            && line.contains("did you mean fib?")
            && line.contains("heist list"),
        "{line}"
    );
    let line = refused(&["bench", "fib", "zzzzzz"]);
    assert!(
        line.contains("'zzzzzz'") && !line.contains("did you mean"),
        "{line}"
    );
    let line = refused(&["bench", "two\nlines"]);
    assert!(line.contains("two\\nlines"), "{line}");
    let line = refused(&["bench", "--vs", "serial,rayonn"]);
    assert!(
        line.contains("'rayonn'") && line.contains("did you mean rayon?"),
        "{line}"
    );
    let line = refused(&["bench", "--vs", ""]);
    assert!(line.contains("--vs"), "{line}");
    let line = refused(&["bnech"]);
    assert!(
        line.contains("'bnech'") && line.contains("'bench'"),
        "{line}"
    );
    let line = refused(&["bench", "--runz", "1"]);
    assert!(line.contains("--runz") && line.contains("--runs"), "{line}");
}

#[test]
fn files_that_cannot_be_written_are_refused_before_measuring() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no such folder").join("runs");
    for option in ["--json", "--csv"] {
        for path in [
            missing.as_path(),
            folder.path(),
            Path::new(""),
            Path::new("no such folder/two\nlines"),
        ] {
            // If the command had measured a program, it would have printed a table, which `refused`
            // does not accept.
            let line = refused(&[
                "bench",
                "fib",
                "--size",
                "5",
                option,
                path.to_str().unwrap(),
            ]);
            assert!(line.contains(option), "{line}");
        }
    }
    let both = folder.path().join("both");
    let both = both.to_str().unwrap();
    let line = refused(&["bench", "fib", "--size", "5", "--json", both, "--csv", both]);
    assert!(line.contains("--json") && line.contains("--csv"), "{line}");
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        0,
        "a refused run leaves no file behind"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_line() {
    let line = {
        let output = heist(&[
            "bench",
            "fib",
            "--size",
            "5",
            "--runs",
            "1",
            "--threads",
            "1",
            "--json",
            "/dev/full",
        ]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(
        line.lines().count() == 1 && line.contains("/dev/full"),
        "{line}"
    );
}

#[test]
fn a_reader_that_leaves_causes_no_panic() {
    for words in [
        &["list"][..],
        &["info"],
        &["--help"],
        &["bench", "fib", "--size", "5", "--runs", "1"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_heist"))
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{words:?}");
        assert_eq!(output.status.code(), Some(0), "{words:?}");
    }
}

#[cfg(feature = "pml")]
#[test]
fn a_program_may_come_from_the_standard_input() {
    for (words, text, code, out, err) in [
        (&["run", "-"][..], "val () = print \"hi\\n\"", 0, "hi\n", ""),
        (
            &["run", "-", "a", "b"],
            "val () = print (String.concatWith \",\" (CommandLine.arguments ()))",
            0,
            "a,b",
            "",
        ),
        (&["check", "-"], "val x = 1 + true", 1, "", "E0302"),
    ] {
        let mut child = piped(words);
        let mut input = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut input, text.as_bytes()).expect("written");
        drop(input);
        let output = child.wait_with_output().expect("ended");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), out, "{words:?}");
        assert!(said.contains(err), "{words:?}: {said}");
    }
}
