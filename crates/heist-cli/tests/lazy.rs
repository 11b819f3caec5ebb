//! Tests that run `heist figure lazy-4.1` to `-4.12` as users do.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

mod common;

use common::{good, refused};

/// Runs a figure of lazy splitting for one program at the smallest possible size. Returns the output of the run, and the rows of its CSV
/// file.
fn small_lazy(name: &str, more: &[&str], folder: &Path) -> (String, Vec<HashMap<String, String>>) {
    let out = folder.to_str().unwrap();
    let mut words = vec!["figure", name, "--programs", "smvm", "--size", "2000"];
    words.extend(["--runs", "2", "--threads", "2,1", "--out", out]);
    words.extend(more);
    let table = good(&words);
    let rows = csv::Reader::from_path(folder.join(format!("{name}.csv")));
    let rows: Vec<HashMap<String, String>> =
        rows.unwrap().deserialize().map(Result::unwrap).collect();
    for row in &rows {
        let number = |name: &str| row[name].parse::<f64>().unwrap();
        assert_eq!(&row["figure"], name);
        assert_eq!(&row["params"], "elements=2000 rows=64 columns=64");
        let samples = row["samples_ms"].split_whitespace();
        let samples: Vec<f64> = samples.map(|word| word.parse().unwrap()).collect();
        assert_eq!((samples.len(), &*row["rounds"]), (2, "2"));
        let mean = (samples[0] + samples[1]) / 2.0;
        assert!(samples[0] > 0.0 && (mean - number("median_ms")).abs() < 1e-4);
        let efficiency = 100.0 * number("speed_up") / number("workers");
        assert!((efficiency - number("efficiency_percent")).abs() < 1e-6 * efficiency);
        assert!(
            &row["contender"] != "serial"
                || (&row["workers"], &row["speed_up"]) == (&"1".into(), &"1.0".into())
        );
    }
    let svg = fs::read_to_string(folder.join(format!("{name}.svg"))).unwrap();
    roxmltree::Document::parse(&svg).unwrap();
    for part in ["SMVM", "Rainey", "elements=2000", "perfect"] {
        assert!(svg.contains(part), "no {part:?} in {name}");
    }
    assert!(!svg.contains("NaN"));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 3);
    // `heist report` can read the written file, however long the axes are.
    let json = folder.join(format!("{name}.json"));
    let page = folder.join("page.html");
    let report = [
        "report",
        json.to_str().unwrap(),
        "--out",
        page.to_str().unwrap(),
    ];
    good(&report);
    (table, rows)
}

#[test]
fn sweeps_of_splitting_have_a_row_for_each_setting() {
    for (name, more, words, count) in [
        (
            "lazy-4.3",
            &[][..],
            &["SST", "16384", "best SST", "lazy/best"][..],
            17,
        ),
        (
            "lazy-4.3",
            &["--slices"][..],
            &["serial code runs on slices"][..],
            17,
        ),
        (
            "lazy-4.9",
            &[][..],
            &["eager 128", "innermost", "t-ary", "within 3 %"][..],
            1 + 2 * 20,
        ),
        (
            "lazy-4.12",
            &[][..],
            &["512", "1024", "2048", "leaves"][..],
            11,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (table, rows) = small_lazy(name, more, folder.path());
        for word in words
            .iter()
            .chain(&["Medians of 2 paired rounds", "figure"])
        {
            assert!(table.contains(word), "no {word:?} in\n{table}");
        }
        assert_eq!(rows.len(), count, "{name}");
        let on = if more.is_empty() { "ropes" } else { "slices" };
        for row in &rows {
            let rayon = &row["contender"] == "rayon";
            assert_eq!(
                (&*row["on"], &*row["baseline_on"]),
                (if rayon { "slices" } else { on }, on)
            );
            // If the figure has a sweep of thresholds, lazy splitting is compared with it.
            let beside = &row["contender"] == "lazy" && name != "lazy-4.12";
            assert_eq!(row["over_best_eager"].is_empty(), !beside);
            assert!(
                !beside
                    || row["best_threshold"]
                        .parse::<usize>()
                        .unwrap()
                        .is_power_of_two()
            );
            let one = &row["workers"] == "1" && &row["contender"] != "serial";
            assert!(!one || name == "lazy-4.9", "the greatest number of workers");
        }
        let mut leaves: Vec<&str> = rows.iter().map(|row| row["leaf"].as_str()).collect();
        leaves.sort_unstable();
        leaves.dedup();
        assert_eq!(leaves.len() > 3, name == "lazy-4.12");
    }
}

#[test]
fn times_of_lazy_splitting_stand_beside_the_published_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (table, rows) = small_lazy("lazy-4.1", &[], folder.path());
    for part in [
        "[0.15s]", "[0.19s]", "[+26.7%]", "[0.02s]", "[8.94]", "overhead", "lazy 2",
    ] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }
    let row = |on, contender, workers| {
        let mut found = rows.iter().filter(|row| {
            (&*row["on"], &*row["contender"], &*row["workers"]) == (on, contender, workers)
        });
        found.next().unwrap()
    };
    assert_eq!(rows.len(), 6);
    for (contender, workers, seconds, speed_up) in [
        ("serial", "1", "0.15", ""),
        ("lazy", "1", "0.19", ""),
        ("lazy", "2", "0.02", "8.94"),
    ] {
        let ropes = row("ropes", contender, workers);
        assert_eq!(
            (&*ropes["published_s"], &*ropes["published_speed_up"]),
            (seconds, speed_up)
        );
        assert_eq!(ropes["overhead_percent"].is_empty(), workers == "2");
        assert_eq!(row("slices", contender, workers)["published_s"], "");
    }
    assert!(row("slices", "serial", "1")["overhead_percent"].is_empty());
}

#[test]
fn bad_requests_for_lazy_splitting() {
    for (words, part) in [
        (
            &["lazy-4.3", "--programs", "smmv"][..],
            "did you mean smvm?",
        ),
        (&["lazy-4.12", "--slices"], "leaves of ropes"),
        (&["lazy-4.1", "--slices"], "side by side"),
        (&["policies-1", "--slices"], "lazy-4.3"),
        (&["policies-1", "--programs", "smvm"], "lazy-4.1"),
        (&["lazy-4.8", "--instructions"], "idempotent-4"),
        (&["lazy-4.8", "--nodes", "8"], "cooperative-3"),
        (&["lazy-4.8", "--size", "7"], "elements"),
        (&["lazy-4.4"], "there is no figure 'lazy-4.4'"),
    ] {
        let line = refused(&[&["figure"], words].concat());
        assert!(line.contains(part), "{line}");
    }
    let list = good(&["figure"]);
    for name in [
        "lazy-4.1 ",
        "lazy-4.3 ",
        "lazy-4.8 ",
        "lazy-4.9 ",
        "lazy-4.10 ",
        "lazy-4.11 ",
        "lazy-4.12 ",
    ] {
        assert!(list.contains(&format!("\n{name}")), "no {name}");
    }
}
