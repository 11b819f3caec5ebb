use serde_json::json;

use super::*;

fn profile() -> serde_json::Value {
    json!({
        "kind": "heap-profile", "format": 1, "version": "0.1.0", "seconds": 2.0, "interval": 8192,
        "sites": [
            {"type": "int list", "place": "a.sml:1:2 in f", "within": null, "allocated": 5_000_000},
            {"type": "string", "place": "a.sml:9:1", "within": "basis/string.sml:3:4 in ^", "allocated": 9_000_000},
        ],
        "snapshots": [
            {"seconds": 0.5, "heap": 3_000_000, "full": true, "live": [[0, 1_000_000], [1, 500_000]]},
            {"seconds": 1.0, "heap": 9_000_000, "full": true, "live": [[0, 2_097_152]]},
            {"seconds": 1.5, "heap": 3_000_000, "full": false, "live": [[0, 2_000_000], [1, 1]]},
        ],
    })
}

#[test]
fn a_profile_becomes_a_chart_and_a_table() {
    let profile = HeapProfile::parse(profile()).unwrap();
    let chart = profile.chart();
    assert_eq!(chart.check(), Ok(()));
    let picture = chart.picture().unwrap();
    roxmltree::Document::parse(&picture).unwrap();
    for part in [
        "a.sml:1:2 in f: int list",
        "a.sml:9:1: string (by basis/string.sml:3:4 in ^)",
        "peak: 2.00 MiB at 1.00s",
        "live, MiB",
        "prefers-color-scheme: dark",
    ] {
        assert!(picture.contains(part), "no {part:?}");
    }
    let summary = profile.summary();
    assert!(
        summary.starts_with("heap profile: 2.00 MiB live at 1.00s, "),
        "{summary}"
    );
    assert!(
        summary.contains("a.sml:1:2 in f") && !summary.contains("a.sml:9:1"),
        "{summary}"
    );
    let sheet = profile.sheet();
    assert_eq!(sheet.tables[0].rows[0][3], 2_097_152);
}

#[test]
fn many_sites_are_put_together() {
    let mut value = profile();
    let site = |at: u64| json!({"type": "t", "place": format!("a.sml:{at}:1"), "within": null, "allocated": at});
    value["sites"] = (0..40).map(site).collect();
    let live: Vec<_> = (0..40).map(|at| json!([at, 1000 + at])).collect();
    value["snapshots"] = json!([{"seconds": 1.0, "heap": 1 << 20, "full": true, "live": live}]);
    let picture = HeapProfile::parse(value)
        .unwrap()
        .chart()
        .picture()
        .unwrap();
    assert!(picture.contains("28 other sites"));
    assert!(picture.contains("a.sml:39:1") && !picture.contains("a.sml:5:1"));
}

#[test]
fn a_profile_without_snapshots_is_shown() {
    let mut value = profile();
    value["snapshots"] = json!([]);
    let profile = HeapProfile::parse(value).unwrap();
    assert_eq!(profile.chart().check(), Ok(()));
    profile.chart().picture().unwrap();
    assert!(profile.summary().contains("no sampled object"));
}

#[test]
fn damaged_profiles_are_refused() {
    for (pointer, bad, part) in [
        ("/format", json!(2), "format 2"),
        ("/snapshots/0/live/0/0", json!(7), "not in the list"),
        ("/snapshots/0/seconds", json!(1.2), "order of time"),
        ("/sites", json!(1), "no heap profile"),
    ] {
        let mut value = profile();
        *value.pointer_mut(pointer).unwrap() = bad;
        let error = HeapProfile::parse(value).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}
