//! The built program, run as users run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn heist(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heist"))
        .args(words)
        .output()
        .unwrap()
}

/// The standard output of a run that must go well and have nothing to complain about.
fn good(words: &[&str]) -> String {
    let output = heist(words);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {stderr}");
    // Not a terminal, so no progress either.
    assert_eq!(stderr, "", "{words:?}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        !stdout.contains('\x1b'),
        "{words:?}: colours outside a terminal"
    );
    stdout
}

/// The one line on standard error of a run that must be refused, before it prints any result.
fn refused(words: &[&str]) -> String {
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

#[test]
fn list_names_programs_sources_and_contenders() {
    let list = good(&["list"]);
    assert!(list.lines().any(|line| line.starts_with("fib ")), "{list}");
    assert!(
        list.contains("source: ") && list.contains("runs as: serial, heist"),
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
    // The reported ratio can be found again from the samples: the median of the ratios of each round.
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
    // The machine is described as it was found, not as it looks to a pinned thread.
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
            // Had anything been measured, there would be a table, and `refused` takes none.
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

/// A run of the figure that takes no time, into that folder.
fn small_figure(folder: &Path) -> Vec<String> {
    let out = folder.to_str().unwrap();
    [
        "figure",
        "idempotent-4",
        "--size",
        "300",
        "--runs",
        "2",
        "--out",
        out,
    ]
    .map(str::to_owned)
    .into()
}

fn words(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[test]
fn figures_are_listed() {
    let list = good(&["figure"]);
    assert!(
        list.starts_with("idempotent-4 ") && list.contains("source: Michael"),
        "{list}"
    );
    let help = good(&["figure", "--help"]);
    assert!(help.contains("heist figure idempotent-4") && help.contains("--instructions"));
    assert!(!good(&["--help"]).contains("deque-operations"));
}

#[test]
fn a_small_figure_fills_tables_csv_and_charts() {
    let folder = tempfile::tempdir().unwrap();
    let table = good(&words(&small_figure(folder.path())));
    for part in [
        "puts+takes",
        "alternating",
        "chase-lev",
        "split-checked",
        "crossbeam-fifo",
        "st3-lifo",
        "1 thief",
        "1000 ns",
        "idempotent-lifo 1.55x-4.92x",
        "fixed capacity",
        "Medians of 2 rounds",
        "--instructions",
    ] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }

    let csv = fs::read_to_string(folder.path().join("idempotent-4.csv")).unwrap();
    let mut lines = csv.lines();
    let header: Vec<_> = lines.next().unwrap().split(',').collect();
    let column = |name| header.iter().position(|title| *title == name).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == header.len()));
    let base: Vec<_> = rows
        .iter()
        .filter(|row| row[column("deque")] == "chase-lev")
        .collect();
    // Four workloads alone, and four costs with none to three thieves.
    assert_eq!(base.len(), 4 + 4 * 4);
    for row in base {
        assert_eq!(row[column("over_chase_lev")], "1.0");
        assert_eq!(row[column("rounds")], "2");
        let thieves: usize = row[column("thieves")].parse().unwrap();
        let taken = row[column("taken")].split_whitespace();
        assert_eq!(
            taken.clone().count(),
            if thieves > 0 { 1 + thieves } else { 0 }
        );
        if thieves > 0 {
            let items: u64 = row[column("items")].parse().unwrap();
            assert_eq!(
                taken.map(|word| word.parse::<u64>().unwrap()).sum::<u64>(),
                2 * items
            );
            assert_eq!(row[column("multiplicity")], (2 * items).to_string());
        }
    }

    for (name, title) in [
        ("idempotent-4.svg", "normalised to Chase-Lev"),
        ("idempotent-4-thieves.svg", "thefts"),
    ] {
        let svg = fs::read_to_string(folder.path().join(name)).unwrap();
        roxmltree::Document::parse(&svg).unwrap();
        assert!(svg.contains(title) && svg.contains("crossbeam-lifo") && !svg.contains("NaN"));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn without_valgrind_a_line_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_heist"))
        .args(small_figure(folder.path()))
        .args(["--instructions", "--pin=never"])
        .env("PATH", folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("missing: valgrind") && !table.contains("instr/op\n─"),
        "{table}"
    );
    assert!(table.contains("No thread is pinned"), "{table}");
}

#[test]
fn operations_to_be_counted() {
    assert_eq!(
        good(&["deque-operations", "split", "takes", "10", "20"]),
        ""
    );
    for bad in [
        ["nobody", "takes", "10", "20"],
        ["split", "nothing", "10", "20"],
        ["split", "takes", "30", "20"],
    ] {
        refused(&[&["deque-operations"], &bad[..]].concat());
    }
}

#[test]
fn bad_figures() {
    let line = refused(&["figure", "idempotent4"]);
    assert!(
        line.contains("'idempotent4'")
            && line.contains("did you mean idempotent-4?")
            && line.contains("heist figure"),
        "{line}"
    );
    let line = refused(&["figure", "two\nlines"]);
    assert!(
        line.contains("two\\nlines") && !line.contains("did you mean"),
        "{line}"
    );
    for (option, value, part) in [
        ("--size", "0", "quick, paper"),
        ("--size", "many", "quick, paper"),
        ("--size", "100000001", "at most 100000000"),
        ("--size", "18446744073709551615", "at most 100000000"),
        ("--runs", "0", "from 1"),
        ("--out", "no such folder", "make it"),
        ("--out", "", "--out"),
    ] {
        let line = refused(&["figure", "idempotent-4", option, value]);
        assert!(line.contains(option) && line.contains(part), "{line}");
    }
    let line = refused(&["figure", "idempotent-4", "--pin=sometimes"]);
    assert!(
        line.contains("--pin") && line.contains("auto, never"),
        "{line}"
    );
}

#[test]
fn folders_that_cannot_be_written_are_refused_before_measuring() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let out = |path: &Path| refused(&["figure", "idempotent-4", "--out", path.to_str().unwrap()]);
    let line = out(&file);
    assert!(
        line.contains("--out") && line.contains("no folder"),
        "{line}"
    );
    // A folder that stands where a file would go; the file that was opened before goes away again.
    fs::create_dir(folder.path().join("idempotent-4.svg")).unwrap();
    let line = out(folder.path());
    assert!(
        line.contains("--out") && line.contains("idempotent-4.svg"),
        "{line}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    if cfg!(target_os = "linux") {
        let line = out(Path::new("/proc"));
        assert!(line.contains("--out") && line.contains("/proc"), "{line}");
    }
}

#[test]
fn a_reader_that_leaves_costs_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_heist"))
        .args(small_figure(folder.path()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
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
