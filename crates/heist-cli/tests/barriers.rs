//! `heist figure barriers`, run as users run it.

use std::fs;
use std::path::Path;

mod common;

use common::{good, refused};

/// Runs a figure of return barriers, as small as possible, and returns its output.
fn small_barriers(name: &str, folder: &Path) -> String {
    let out = folder.to_str().unwrap();
    let mut words = vec!["figure", name, "--programs", "lud,jacobi", "--size", "64"];
    words.extend(["--runs", "2", "--threads", "2,1", "--out", out]);
    good(&words)
}

#[test]
fn barriers_fill_a_table_csv_json_and_charts() {
    let folder = tempfile::tempdir().unwrap();
    let table = small_barriers("barriers", folder.path());
    for part in [
        "Medians of 2 rounds",
        "VEE 2014",
        "Jacobi: jacobi n=64 steps=10",
        "LUD: lud n=64",
        "new/old",
        "[bar 0.50]",
        "[bar 1.01]",
        "simulated: dynamic overhead at most half in",
        " of 2 programs",
    ] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }
    assert!(!table.contains("CilkSort"), "{table}");
    // A line of the table has the published values next to the simulated values for the same number
    // of workers.
    let line = |source: &str| {
        let mut lines = table.lines();
        lines
            .find(|line| line.starts_with("Jacobi ") && line.contains(source))
            .unwrap_or_else(|| panic!("no {source}"))
            .to_owned()
    };
    let simulated = line("simulated");
    for part in [" 16 ", "0.71", "0.95", "0.88"] {
        assert!(simulated.contains(part), "no {part:?} in {simulated}");
    }
    assert!(line("measured").split_whitespace().any(|word| word == "2"));

    let csv = fs::read_to_string(folder.path().join("barriers.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        header,
        [
            "program",
            "workers",
            "source",
            "contender",
            "metric",
            "value"
        ]
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let value = |program: &str, workers: usize, source: &str, who: &str, metric: &str| {
        let workers = workers.to_string();
        let key = [program, &workers, source, who, metric];
        let row = rows
            .iter()
            .find(|row| row.iter().take(5).eq(key.iter().copied()));
        row.map(|row| row[5].parse::<f64>().unwrap())
    };
    let (stop, barrier) = ("heist-stop-victim", "heist-return-barrier");
    for program in ["jacobi", "lud"] {
        for who in [stop, barrier] {
            for workers in 1..=16 {
                let time = value(program, workers, "simulated", who, "time_ms");
                assert!(time > Some(0.0), "{program} {who} {workers}");
                let time = value(program, workers, "measured", who, "time_ms");
                assert_eq!(time.is_some(), workers <= 2);
            }
            for source in ["measured", "simulated"] {
                let number = |metric| value(program, 2, source, who, metric);
                for metric in [
                    "steals",
                    "steals_per_fork",
                    "steals_per_ms",
                    "exposes",
                    "failed_steals",
                    "barrier_hits",
                    "dynamic_overhead_percent",
                    "barrier_percent",
                    "speed_up",
                ] {
                    let share = number(metric).unwrap_or_else(|| panic!("no {source} {metric}"));
                    assert!(share >= 0.0 && (!metric.ends_with("percent") || share <= 100.0));
                }
                assert_eq!(number("requests").is_some(), source == "measured");
            }
            // A worker cannot steal from itself.
            assert_eq!(value(program, 1, "simulated", who, "steals"), Some(0.0));
            assert_eq!(value(program, 1, "measured", who, "steals"), Some(0.0));
        }
        // In the model, stopped victims make no frames public. (In the runtime, a pop that meets a
        // stolen frame counts as one that meets a barrier.)
        for metric in ["exposes", "barrier_hits", "free_steals_percent"] {
            let none = value(program, 2, "simulated", stop, metric);
            assert!(none.is_none_or(|none| none == 0.0), "{metric}");
        }
        assert!(value(program, 8, "simulated", barrier, "exposes") > Some(0.0));
        assert_eq!(value(program, 2, "measured", stop, "exposes"), Some(0.0));
        // The values are ratios to stopped victims.
        let ratio = |who| value(program, 16, "simulated", who, "speed_up_over_stop_victim");
        assert!(ratio(barrier) > Some(0.0) && ratio(stop).is_none());
        for rival in ["serial", "rayon", "chili"] {
            assert!(value(program, 1, "measured", rival, "time_ms") > Some(0.0));
            assert_eq!(value(program, 1, "measured", rival, "steals"), None);
            assert_eq!(value(program, 1, "simulated", rival, "time_ms"), None);
        }
        assert_eq!(
            value(program, 1, "measured", "serial", "speed_up"),
            Some(1.0)
        );
    }
    let published = value("jacobi", 16, "published", stop, "dynamic_overhead_percent");
    assert_eq!(published, Some(11.2));
    assert!(!csv.contains("NaN") && !csv.contains("inf"));

    let json = fs::read_to_string(folder.path().join("barriers.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["kind"], "barriers");
    assert!(json["machine"]["parallelism"].is_u64() && json["command"][1] == "figure");
    let data = &json["data"];
    assert_eq!(data["charts"].as_array().unwrap().len(), 9);
    assert_eq!(data["settings"]["threads"], serde_json::json!([1, 2]));
    let measured = &data["measured"][0];
    assert_eq!(measured["program"], "jacobi");
    for result in measured["results"].as_array().unwrap() {
        assert_eq!(result["samples_ns"].as_array().unwrap().len(), 2);
        let ours = result["contender"].as_str().unwrap().starts_with("heist");
        let counters = result["counters"].as_array().unwrap();
        assert_eq!(counters.len(), if ours { 2 } else { 0 });
        assert_eq!(result["steal_latency_ns"].is_object(), ours);
        assert!(!ours || counters[0]["lost_ns"].is_u64());
    }

    for (number, word) in [
        (3, "steals a fork"),
        (4, "steals a ms"),
        (5, "percent"),
        (7, "return-barrier, simulated"),
        (8, "stopped victims"),
        (9, "return-barrier, published, with so many threads"),
        (10, "published, with many threads or all counts"),
        (11, "speed-up"),
        (12, "chili, measured"),
    ] {
        let svg = fs::read_to_string(folder.path().join(format!("barriers-{number}.svg"))).unwrap();
        roxmltree::Document::parse(&svg).unwrap();
        for part in [word, "Jacobi", "LUD", "workers", "After figure"] {
            assert!(svg.contains(part), "no {part:?} in figure {number}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2 + 9);
}

#[test]
fn one_figure_of_barriers_has_its_own_files() {
    let folder = tempfile::tempdir().unwrap();
    small_barriers("barriers-5", folder.path());
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["barriers-5.csv", "barriers-5.json", "barriers-5.svg"]
    );
    let svg = fs::read_to_string(folder.path().join("barriers-5.svg")).unwrap();
    assert!(svg.contains("stop-victim, simulated") && !svg.contains("return-barrier"));
}

#[test]
fn bad_requests_for_barriers() {
    let line = refused(&["figure", "barriers-6"]);
    assert!(
        line.contains("a drawing of a stack") && line.contains("heist figure barriers"),
        "{line}"
    );
    let line = refused(&["figure", "barriers-13"]);
    assert!(line.contains("there is no figure 'barriers-13'"), "{line}");
    for (name, option, value, part) in [
        (
            "barriers-7",
            "--programs",
            "jacobbi",
            "did you mean jacobi?",
        ),
        ("barriers", "--programs", "fib", "choose from"),
        (
            "barriers",
            "--out",
            "/dev/null/folder",
            "cannot make the folder",
        ),
        (
            "policies-1",
            "--programs",
            "jacobi",
            "--programs is for barriers",
        ),
        ("barriers-7", "--nodes", "8", "--nodes is for cooperative-3"),
    ] {
        let line = refused(&["figure", name, option, value]);
        assert!(line.contains(option) && line.contains(part), "{line}");
    }
    let line = refused(&["figure", "barriers", "--instructions"]);
    assert!(line.contains("--instructions"), "{line}");
}
