//! `heist figure interrupts`, run as users run it.

use std::fs;

mod common;

use common::{good, refused};

/// Returns true if two workers can each have a CPU on this machine.
fn has_two_cpus() -> bool {
    heist_suite::affinity::allowed().is_ok_and(|cpus| cpus.len() >= 2)
}

#[test]
fn round_trips_fill_a_table_csv_and_a_chart() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let words = [
        "figure",
        "interrupts",
        "--size",
        "200",
        "--runs",
        "3",
        "--out",
        out,
    ];
    if !has_two_cpus() {
        let line = refused(&words);
        let linux = cfg!(target_os = "linux");
        assert!(
            line.contains(if linux {
                "a CPU each"
            } else {
                "another system"
            }),
            "{line}"
        );
        return;
    }
    let table = good(&words);
    for part in [
        "poll",
        "membarrier",
        "tgkill",
        "[10 µs]",
        "[90 µs]",
        "Medians of 3 rounds of 200 round trips",
        "Software polling averages at 10 microseconds",
        "section 5.3",
    ] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }

    let csv = fs::read_to_string(folder.path().join("interrupts.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name| header.iter().position(|title| title == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let means: Vec<&str> = rows.iter().map(|row| &row[column("means")]).collect();
    assert_eq!(means, ["poll", "membarrier", "tgkill"]);
    for (row, published) in rows.iter().zip(["10.0", "", "90.0"]) {
        assert_eq!(&row[column("published_mean_us")], published);
        if !row[column("refused")].is_empty() {
            assert_eq!(&row[column("means")], "membarrier", "{row:?}");
            continue;
        }
        assert_eq!([&row[column("laps")], &row[column("rounds")]], ["200", "3"]);
        let number = |name| row[column(name)].parse::<f64>().unwrap();
        // An answer comes after the request was seen.
        assert!(
            0.0 < number("seen_us") && number("seen_us") <= number("answered_us"),
            "{row:?}"
        );
        assert!(number("answered_us") <= number("late_us"), "{row:?}");
        assert_eq!(row[column("samples_us")].split_whitespace().count(), 3);
    }

    let json = fs::read_to_string(folder.path().join("interrupts.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["kind"], "interrupts");
    assert_eq!(
        json["data"]["tables"][0]["rows"].as_array().unwrap().len(),
        3
    );
    let svg = fs::read_to_string(folder.path().join("interrupts.svg")).unwrap();
    roxmltree::Document::parse(&svg).unwrap();
    for part in ["tgkill", "answered, mean", "published mean", "logarithmic"] {
        assert!(svg.contains(part), "no {part:?}");
    }
    assert!(!svg.contains("NaN"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn one_cpu_is_too_few() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new");
    // A program inherits the CPUs of the thread that starts it.
    let line = std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let cpus = heist_suite::affinity::allowed().unwrap();
            heist_suite::affinity::confine_this_thread(&cpus[..1]).unwrap();
            refused(&["figure", "interrupts", "--out", out.to_str().unwrap()])
        });
        asked.join().unwrap()
    });
    assert!(line.contains("two workers need a CPU each"), "{line}");
    assert!(!out.exists());
}

#[test]
fn bad_requests_for_interrupts() {
    for (option, value, part) in [
        ("--size", "10000001", "1 to 10000000"),
        ("--threads", "2", "about two workers"),
        ("--pin=never", "", "take turns"),
        ("--nodes", "8", "--nodes is for cooperative-3"),
    ] {
        let words = ["figure", "interrupts", option, value];
        let count = if value.is_empty() { 3 } else { 4 };
        let line = refused(&words[..count]);
        assert!(line.contains(option) && line.contains(part), "{line}");
    }
    let line = refused(&["figure", "interrupts", "--instructions"]);
    assert!(line.contains("--instructions"), "{line}");
}
