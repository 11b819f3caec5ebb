//! `heist figure`, run as users run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

mod common;

use common::{good, refused};

/// Returns the command line of a short run of the figure, which writes into `folder`.
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
    // The rows are four workloads without thieves, and four costs of tasks with zero to three
    // thieves.
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
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

/// Returns the command line of a run of the figure of waiting tasks, as small as possible.
fn small_cooperation(folder: &Path) -> Vec<String> {
    let out = folder.to_str().unwrap();
    let mut words = vec!["figure", "cooperative-3", "--nodes", "30", "--runs", "2"];
    words.extend(["--threads", "2", "--out", out]);
    words.into_iter().map(str::to_owned).collect()
}

#[test]
fn waiting_tasks_fill_a_table_csv_and_a_chart() {
    let folder = tempfile::tempdir().unwrap();
    let table = good(&words(&small_cooperation(folder.path())));
    for part in [
        "BinTree",
        "SmithWat",
        "BFS-Dijk",
        "blocking",
        "2 workers, 2 rounds; no thread is pinned",
        "binary-trees: depth=10",
        "smith-waterman-cells: letters=119x107",
        "bfs-bf: nodes=30",
        "76.39 ms",
        "240.79 ms",
        "TOO MANY THREADS",
        "cannot be read from its text",
        "threads: 12733 tasks may need a thread each",
    ] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }

    let csv = fs::read_to_string(folder.path().join("cooperative-3.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name| header.iter().position(|title| title == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    // Nine programs and seven contenders.
    assert_eq!(rows.len(), 9 * 7);
    for row in &rows {
        let ran = row[column("refused")].is_empty();
        let samples: Vec<f64> = row[column("samples_ms")]
            .split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect();
        assert_eq!(samples.len(), if ran { 2 } else { 0 });
        assert_eq!(row[column("median_ms")].is_empty(), !ran);
        assert_eq!(row[column("workers")], *"2");
        if &row[column("contender")] == "async" {
            assert_eq!(row[column("over_async")], *"1.0");
        }
        let published = match &row[column("label")] {
            "BFS-BF" => "76.39",
            "BFS-Dijk" => "240.79",
            _ => "",
        };
        assert_eq!(&row[column("published_ms")], published);
    }

    let svg = fs::read_to_string(folder.path().join("cooperative-3.svg")).unwrap();
    roxmltree::Document::parse(&svg).unwrap();
    for part in ["logarithmic", "fiber", "not run", "SPMBarrier", "TOO MANY"] {
        assert!(svg.contains(part), "no {part:?}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("rayon"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn bad_requests_for_waiting_tasks() {
    for (option, value, part) in [
        ("--nodes", "8193", "2 to 8192"),
        ("--nodes", "1", "2 to 8192"),
        ("--nodes", "-1", "invalid"),
        ("--size", "100", "--nodes"),
        ("--threads", "1,2", "one number of workers"),
    ] {
        let line = refused(&["figure", "cooperative-3", option, value]);
        assert!(line.contains(option) && line.contains(part), "{line}");
    }
    let line = refused(&["figure", "cooperative-3", "--instructions"]);
    assert!(line.contains("--instructions"), "{line}");
    for other in ["idempotent-4", "idempotent-5"] {
        let line = refused(&["figure", other, "--nodes", "100"]);
        assert!(
            line.contains("--nodes is for cooperative-3") && line.contains(other),
            "{line}"
        );
    }
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
        ("--out", "/dev/null/folder", "cannot make the folder"),
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
        line.contains("--out") && line.contains("cannot make the folder"),
        "{line}"
    );
    // If a folder has the name of a file, the run fails, and removes the file that it has opened
    // before.
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
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

/// Returns the command line of a run of the figure of policies, as small as possible.
fn small_policies(folder: &Path) -> Vec<String> {
    let out = folder.to_str().unwrap();
    [
        "figure",
        "policies-1",
        "--size",
        "8",
        "--runs",
        "2",
        "--out",
        out,
    ]
    .map(str::to_owned)
    .into()
}

#[test]
fn policies_fill_a_table_csv_and_a_chart() {
    let folder = tempfile::tempdir().unwrap();
    let table = good(&words(&small_policies(folder.path())));
    for part in [
        "sequential",
        "work-first",
        "help-first",
        "adaptive",
        "work-sharing",
        "threads",
        "1 worker, medians of 2 rounds",
        "[0.11]",
        "[3.92]",
        "[3,600]",
        "(1.00)",
        "COMP 322",
    ] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }
    assert!(!table.contains("[63,700]"));

    let csv = fs::read_to_string(folder.path().join("policies-1.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name| header.iter().position(|title| title == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    // The rows are 1, 2, 4 and 8 tasks for each of six contenders.
    assert_eq!(rows.len(), 4 * 6);
    for row in &rows {
        let median: f64 = row[column("median_us")].parse().unwrap();
        assert!(median > 0.0);
        assert_eq!(row[column("samples_us")].split_whitespace().count(), 2);
        let published = match (&row[column("k")], &row[column("contender")]) {
            ("8", "work-first") => "1.96",
            ("8", "threads") => "3600.0",
            ("2", "help-first") => "2.8",
            ("4", "work-sharing" | "threads" | "adaptive") => "",
            _ => continue,
        };
        assert_eq!(&row[column("published_us")], published, "{row:?}");
    }

    let svg = fs::read_to_string(folder.path().join("policies-1.svg")).unwrap();
    roxmltree::Document::parse(&svg).unwrap();
    for part in [
        "Here",
        "Published",
        "logarithmic",
        "work-sharing",
        "COMP 322",
    ] {
        assert!(svg.contains(part), "no {part:?}");
    }
    assert!(!svg.contains("NaN"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn bad_requests_for_policies() {
    for (option, value, part) in [
        ("--size", "1025", "1 to 1024"),
        ("--threads", "2", "one worker"),
        ("--nodes", "8", "--nodes is for cooperative-3"),
    ] {
        let line = refused(&["figure", "policies-1", option, value]);
        assert!(line.contains(option) && line.contains(part), "{line}");
    }
    let line = refused(&["figure", "policies-1", "--instructions"]);
    assert!(line.contains("--instructions"), "{line}");
}
