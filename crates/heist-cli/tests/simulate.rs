//! `heist simulate` and `heist bench --profile`, run as users run them.

use std::fs;

use serde_json::Value;

mod common;

use common::{good, refused};

#[test]
fn a_program_is_replayed_on_machines_that_are_not_here() {
    let folder = tempfile::tempdir().unwrap();
    let (json, dag) = (folder.path().join("a.json"), folder.path().join("a.dag"));
    let table = good(&[
        "simulate",
        "cilksort",
        "--size",
        "3000",
        "--runs",
        "1",
        "--workers",
        "1,2,64",
        "--protocol",
        "all",
        "--victims",
        "random,hierarchical",
        "--seed",
        "5",
        "--json",
        json.to_str().unwrap(),
        "--save",
        dag.to_str().unwrap(),
    ]);
    for title in ["protocol", "speedup", "chase-lev", "hierarchical", "span"] {
        assert!(table.contains(title), "{title} in\n{table}");
    }
    assert!(!table.contains("measured"), "{table}");
    let report: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let report = &report["data"];
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 5 * 2 * 3);
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    for run in runs {
        let workers = number(run, "workers");
        let (seconds, work) = (number(run, "seconds"), number(report, "work"));
        assert!(seconds >= work / workers && seconds >= number(report, "span"));
        assert!(run["measured"].is_null());
        let whole: f64 = ["busy", "lost", "waking", "search", "asleep"]
            .iter()
            .map(|name| number(run, name))
            .sum();
        assert!((whole / (workers * seconds) - 1.0).abs() < 1e-6, "{run}");
    }
    assert_eq!(report["costs_ns"]["force"], 12000.0);
    // The recording has the known number of forks of the program.
    let saved = fs::File::open(&dag).unwrap();
    let saved = heist_sim::Dag::read(&mut std::io::BufReader::new(saved)).unwrap();
    assert_eq!(report["forks"].as_u64(), Some(saved.summary().forks));
}

#[test]
fn costs_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("costs.json");
    let simulate = |costs: &str| {
        fs::write(&path, costs).unwrap();
        let json = folder.path().join("out.json");
        good(&[
            "simulate",
            "fib",
            "--size",
            "16",
            "--runs",
            "1",
            "--workers",
            "1",
            "--costs",
            path.to_str().unwrap(),
            "--json",
            json.to_str().unwrap(),
        ]);
        let report: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
        let report = &report["data"];
        let seconds = report["runs"][0]["seconds"].as_f64().unwrap();
        seconds - report["work"].as_f64().unwrap()
    };
    // fib(16) forks 1596 times.
    assert!((simulate(r#"{"fork": 1000, "enter": 0}"#) - 1596e-6).abs() < 1e-8);
    assert!((simulate(r#"{"fork": 0, "enter": 5000}"#) - 5e-6).abs() < 1e-8);
}

#[test]
fn the_simulator_is_held_against_the_machine() {
    let table = good(&[
        "simulate",
        "forkjoin",
        "--size",
        "64",
        "--runs",
        "1",
        "--workers",
        "4",
        "--validate",
    ]);
    let first = table
        .lines()
        .find(|line| line.starts_with("return-barrier"))
        .unwrap();
    assert!(
        table.contains("measured") && first.ends_with('%'),
        "{table}"
    );
}

#[test]
fn a_profile_has_work_span_and_the_fork_sites() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("profile.json");
    let text = good(&[
        "bench",
        "cilksort",
        "uts-geo",
        "--profile",
        "--size",
        "4",
        "--runs",
        "1",
        "--json",
        json.to_str().unwrap(),
    ]);
    for part in ["burdened span", "parallelism", "at least", "T1"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    // The report names the caller of the helper function that forks for the tree search, not the
    // helper.
    assert!(
        text.contains("uts.rs:") && !text.contains("ctx.rs:"),
        "{text}"
    );
    let report: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let profile = &report["profiles"][1];
    assert!(profile["work"].as_f64() >= profile["span"].as_f64());
    assert_eq!(profile["speedup"].as_array().unwrap().len(), 9);
    assert!(profile["sites"][0]["forks"].as_u64().unwrap() > 0);
}

#[test]
fn places_balance_a_tree() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("places.json");
    let words = [
        "simulate",
        "places",
        "--places",
        "1,4,1024",
        "--workers",
        "2",
        "--latency",
        "2us",
        "--bandwidth",
        "10GB/s",
        "--size",
        "quick",
        "--growth",
        "all",
        "--json",
    ];
    let table = good(&[&words[..], &[json.to_str().unwrap()]].concat());
    for part in [
        "257042 nodes, places of 2 workers",
        "speedup",
        "given",
        "2.00µs at 10.000 GB/s",
    ] {
        assert!(table.contains(part), "{part} in\n{table}");
    }
    let report: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(report["kind"], "simulate");
    let report = &report["data"];
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 6);
    for run in runs {
        let places = run["places"].as_u64().unwrap();
        let nodes = run["nodes"].as_array().unwrap();
        assert_eq!(nodes.len() as u64, places);
        let sum: u64 = nodes.iter().map(|nodes| nodes.as_u64().unwrap()).sum();
        assert_eq!(sum, 257_042);
        let speedup = run["speedup"].as_f64().unwrap();
        assert!(speedup > 0.9 && speedup < 2.0 * places as f64, "{run}");
        assert_eq!(run["messages"]["serve"], places - 1);
    }
    // The table has the column for growth only if rows differ in it.
    assert!(
        table.contains("growth") && table.contains("full"),
        "{table}"
    );
    // JSON is the only output on standard output.
    let alone = good(&[
        "simulate", "places", "--places", "2", "--size", "6", "--json", "-",
    ]);
    let alone: Value = serde_json::from_str(&alone).unwrap();
    assert_eq!(alone["data"]["runs"][0]["places"], 2);
}

#[test]
fn places_take_the_costs_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let costs = folder.path().join("costs.json");
    fs::write(&costs, r#"{"node": 1000, "turn": 0}"#).unwrap();
    let costs = costs.to_str().unwrap();
    let seconds = |words: &[&str]| {
        let first = [
            "simulate", "places", "--places", "1", "--size", "6", "--json", "-",
        ];
        let report = good(&[&first[..], &["--costs", costs], words].concat());
        let report: Value = serde_json::from_str(&report).unwrap();
        report["data"]["runs"][0]["seconds"].as_f64().unwrap()
    };
    // The time is that of 16,000 nodes of a microsecond each, plus the end of the only part.
    let one = seconds(&[]);
    assert!((0.016..0.0161).contains(&one), "{one}");
    let two = seconds(&["--node", "2us"]);
    assert!((0.032..0.0321).contains(&two), "{two}");
}

#[test]
fn bad_requests_are_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let costs = folder.path().join("costs.json");
    fs::write(&costs, r#"{"froce": 1}"#).unwrap();
    let costs = costs.to_str().unwrap();
    for (words, part) in [
        (&["simulate"][..], "required"),
        (&["simulate", "cilksrt"], "did you mean cilksort?"),
        (&["simulate", "fib", "--workers", "1025"], "1024"),
        (&["simulate", "fib", "--workers", "0"], "'0'"),
        (
            &["simulate", "fib", "--protocol", "stpo"],
            "did you mean stop?",
        ),
        (&["simulate", "fib", "--policy", "lazy"], "help-first"),
        (&["simulate", "fib", "--victims", "me"], "hierarchical"),
        (&["simulate", "fib", "--amount", "most"], "half"),
        (&["simulate", "fib", "--inflation", "0.5"], "inflation"),
        (&["simulate", "fib", "--costs", "no such file"], "--costs"),
        (
            &["simulate", "fib", "--costs", costs],
            "did you mean force?",
        ),
        (&["simulate", "fib", "--json", "/"], "--json"),
        (&["simulate", "fib", "--save", "/"], "--save"),
        (&["bench", "fib", "--profile", "--vs", "rayon"], "--profile"),
        (&["simulate", "places", "--places", "1025"], "1024"),
        (&["simulate", "places", "--workers", "1,2"], "one number"),
        (&["simulate", "places", "--latency", "2"], "2us"),
        (&["simulate", "places", "--bandwidth", "10"], "10GB/s"),
        (&["simulate", "places", "--node", "0ns"], "node"),
        (
            &["simulate", "places", "--tree", "uts-goe"],
            "did you mean uts-geo?",
        ),
        (&["simulate", "places", "--size", "99"], "depth"),
        (&["simulate", "places", "--growth", "some"], "full"),
        (&["simulate", "places", "--costs", costs], "no cost 'froce'"),
        (&["simulate", "fib", "places"], "places"),
    ] {
        let line = refused(words);
        assert!(line.contains(part), "{words:?}: {line}");
    }
}
