//! `heist figure cancel-5.6` to `-5.8`, run as users run them.

use std::fs;
use std::path::Path;

mod common;

use common::{good, refused};

/// The number of languages in this build.
const LANGUAGES: usize = if cfg!(feature = "pml") { 2 } else { 1 };

/// Returns the command line of a run of the figure that takes little time and writes into `folder`.
fn small<'a>(name: &'a str, size: &'a str, folder: &'a Path) -> Vec<&'a str> {
    let out = folder.to_str().unwrap();
    let mut words = vec!["figure", name, "--size", size, "--runs", "3"];
    words.extend(["--threads", "1,2", "--out", out]);
    words
}

/// Returns the lines of a CSV file, and a function that finds the index of a column by its name.
fn read(path: &Path) -> (Vec<csv::StringRecord>, impl Fn(&str) -> usize + use<>) {
    let text = fs::read_to_string(path).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows = reader.records().map(Result::unwrap).collect();
    let column = move |name: &str| {
        let at = header.iter().position(|title| title == name);
        at.unwrap_or_else(|| panic!("no {name} in {header:?}"))
    };
    (rows, column)
}

fn samples(cell: &str) -> Vec<f64> {
    let words = cell.split_whitespace();
    words.map(|word| word.parse().unwrap()).collect()
}

/// Checks that the three files of a figure exist, and checks the contents of the JSON file and the
/// chart.
fn check_files(name: &str, folder: &Path, rows: usize, parts: &[&str]) {
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(file("json")).unwrap()).unwrap();
    assert_eq!(json["kind"], name);
    let source = json["data"]["source"].as_str().unwrap();
    assert!(
        source.contains("Rainey") && source.contains("section 5.1"),
        "{source}"
    );
    let table = &json["data"]["tables"][0];
    assert_eq!(table["rows"].as_array().unwrap().len(), rows);
    let columns = table["columns"].as_array().unwrap();
    let at = columns
        .iter()
        .position(|column| column.as_str().unwrap().starts_with("samples"));
    assert_eq!(table["rows"][0][at.unwrap()].as_array().unwrap().len(), 3);
    assert_eq!(json["data"]["charts"][0]["name"], name);

    let svg = fs::read_to_string(file("svg")).unwrap();
    roxmltree::Document::parse(&svg).unwrap();
    for part in parts {
        assert!(svg.contains(part), "no {part:?}");
    }
    assert!(!svg.contains("NaN"));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 3);
}

#[test]
fn overhead_of_cancellation() {
    let folder = tempfile::tempdir().unwrap();
    let table = good(&small("cancel-5.6", "16", folder.path()));
    for part in [
        "T_c/T_ws",
        "O_c/O_ws",
        "[2.5]",
        "Rust",
        "fib(16), medians of 3 rounds",
        "Rainey",
    ] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }
    let without = table.contains("Parallel ML: this build leaves its compiler out");
    assert_eq!(without, LANGUAGES == 1, "{table}");

    let (rows, column) = read(&folder.path().join("cancel-5.6.csv"));
    assert_eq!(rows.len(), 2 * LANGUAGES);
    for row in &rows {
        let one = &row[column("workers")] == "1";
        assert!(one || &row[column("workers")] == "2");
        let published = if one { "2.5" } else { "" };
        assert_eq!(&row[column("published_overhead_ratio")], published);
        let ratio: f64 = row[column("with_over_without")].parse().unwrap();
        assert!(ratio > 0.0);
        for name in ["serial", "without", "with"] {
            let times = samples(&row[column(&format!("samples_{name}_ms"))]);
            assert!(
                times.len() == 3 && times.iter().all(|&time| time > 0.0),
                "{name} {row:?}"
            );
            let median: f64 = row[column(&format!("{name}_ms"))].parse().unwrap();
            assert!((median - middle(&times)).abs() < 1e-3, "{name} {row:?}");
        }
    }
    let parts = [
        "What forks add",
        "The whole time",
        "nearly constant up to eight",
    ];
    check_files("cancel-5.6", folder.path(), rows.len(), &parts);
}

/// Returns the median of three times.
fn middle(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[1]
}

#[test]
fn time_of_cancellation() {
    for (name, parts) in [
        (
            "cancel-5.7",
            ["deviation", "independent of the number of processors"],
        ),
        ("cancel-5.8", ["a task", "benefiting from parallelism"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let table = good(&small(name, "8", folder.path()));
        let all = [
            "race",
            "race_hint",
            "join",
            "try_race",
            "try_race_hint",
            "try_join",
            "cancel",
            "win",
            "8 queens, 3 rounds",
        ];
        for part in all.iter().chain(&parts) {
            assert!(table.contains(part), "no {part:?} in\n{table}");
        }

        let (rows, column) = read(&folder.path().join(format!("{name}.csv")));
        // Rust has six forms with two ends, and Parallel ML has one form with one end. Each runs on
        // two numbers of workers.
        assert_eq!(rows.len(), 6 * 2 * 2 + 2 * (LANGUAGES - 1));
        let mut cancelled = 0.0;
        for row in &rows {
            let times = samples(&row[column("samples_us")]);
            let tasks = samples(&row[column("samples_tasks")]);
            assert_eq!([times.len(), tasks.len()], [3, 3]);
            let median: f64 = row[column("median_us")].parse().unwrap();
            assert!((median - middle(&times)).abs() < 1e-3, "{row:?}");
            // On its way down, each worker passes eight rows of at most eight places, with two
            // branches for each place.
            assert!(
                tasks.iter().all(|&tasks| tasks <= 2.0 * 2.0 * 64.0),
                "{row:?}"
            );
            // If no branch was open at the cancellation, the row has no time for each task.
            let each = &row[column("us_per_task")];
            assert_eq!(each.is_empty(), tasks.iter().all(|&tasks| tasks == 0.0));
            cancelled += tasks.iter().sum::<f64>();
        }
        assert!(cancelled > 0.0);
        let parts = ["Cancelled from outside", "A branch wins", "Rust, race_hint"];
        check_files(name, folder.path(), rows.len(), &parts);
    }
}

#[test]
fn bad_requests_for_cancellation() {
    for (name, option, value, part) in [
        ("cancel-5.6", "--size", "46", "from 5 to 45"),
        ("cancel-5.7", "--size", "21", "from 5 to 20"),
        ("cancel-5.8", "--size", "4", "from 5 to 20"),
        ("cancel-5.7", "--nodes", "8", "--nodes is for cooperative-3"),
        ("cancel-5.6", "--programs", "fib", "--programs is for"),
    ] {
        let line = refused(&["figure", name, option, value]);
        assert!(line.contains(option) && line.contains(part), "{line}");
    }
    let line = refused(&["figure", "cancel-5.8", "--instructions"]);
    assert!(line.contains("--instructions"), "{line}");
    let line = refused(&["figure", "cancel-5.5"]);
    assert!(line.contains("did you mean cancel-5."), "{line}");
}
