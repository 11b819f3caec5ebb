//! `heist report`, run as users run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

mod common;

use common::{good, refused};

/// Makes the results of a short figure, and returns the file.
fn policies(folder: &Path) -> PathBuf {
    let out = folder.to_str().unwrap();
    good(&[
        "figure",
        "policies-1",
        "--size",
        "2",
        "--runs",
        "1",
        "--out",
        out,
    ]);
    folder.join("policies-1.json")
}

/// Returns the page of `heist report` for these files, and checks that it is well-formed.
fn page(folder: &Path, files: &[&Path]) -> String {
    let out = folder.join("page.html");
    let mut words = vec!["report", "--out", out.to_str().unwrap()];
    words.extend(files.iter().map(|file| file.to_str().unwrap()));
    let told = good(&words);
    assert!(told.starts_with("Wrote '"), "{told}");
    let page = fs::read_to_string(out).unwrap();
    check(&page);
    page
}

/// Checks a page for faults that it must never have and that a validator would report, as far as a
/// test can find them without a validator.
fn check(page: &str) {
    let body = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    let document = roxmltree::Document::parse(body).unwrap();
    let nodes = || document.descendants().filter(|node| node.is_element());
    let named = |name: &'static str| nodes().filter(move |node| node.tag_name().name() == name);
    assert_eq!(document.root_element().attribute("lang"), Some("en"));
    for once in ["title", "h1", "main", "nav", "style"] {
        assert_eq!(named(once).count(), 1, "{once}");
    }
    for never in ["script", "img", "iframe", "object", "link", "foreignObject"] {
        assert_eq!(named(never).count(), 0, "{never}");
    }
    let mut ids: Vec<&str> = nodes().filter_map(|node| node.attribute("id")).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id stands twice");
    for node in nodes() {
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && name != "src", "{name}");
            if name == "href" {
                let target = value.strip_prefix('#');
                assert!(target.is_some_and(|id| ids.contains(&id)), "{value}");
            }
            if name == "aria-labelledby" {
                assert!(ids.contains(&value), "{value}");
            }
        }
    }
    for svg in named("svg") {
        let words = svg.attribute("aria-label").unwrap();
        assert_eq!(svg.attribute("role"), Some("img"));
        assert!(words.contains("Panels: "), "{words}");
    }
    for table in named("table") {
        let has = |name| {
            table
                .descendants()
                .any(|node| node.tag_name().name() == name)
        };
        assert!(has("caption") && has("thead") && has("th"));
    }
    // Each heading is at most one level below the heading before it.
    let levels = nodes().filter_map(|node| node.tag_name().name().strip_prefix('h')?.parse().ok());
    let levels: Vec<u32> = levels.collect();
    assert!(levels[0] == 1 && levels.windows(2).all(|pair| pair[1] <= pair[0] + 1));
    assert!(
        !page.contains("http://")
            || page.matches("http://").count()
                == page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(!page.contains("https://") && !page.contains("@import") && !page.contains("url("));
}

#[test]
fn simulations_stand_on_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("simulated.json");
    let name = file.to_str().unwrap();
    good(&[
        "simulate",
        "fib",
        "--size",
        "12",
        "--runs",
        "1",
        "--workers",
        "1,8",
        "--json",
        name,
    ]);
    let page = page(folder.path(), &[&file]);
    assert!(page.contains("simulate: fib") && page.contains("speedup"));
}

#[test]
fn bench_and_figures_stand_on_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let figure = policies(folder.path());
    let bench = folder.path().join("runs.json");
    good(&[
        "bench",
        "fib",
        "nqueens",
        "--size",
        "8",
        "--runs",
        "2",
        "--threads",
        "1,2",
        "--json",
        bench.to_str().unwrap(),
    ]);
    let page = page(folder.path(), &[&bench, &figure]);
    for part in [
        "<a href=\"#run-1\">bench: fib, nqueens</a>",
        "<a href=\"#run-2\">policies-1: Iterative fork-join on one worker",
        "<section id=\"run-2\"",
        "fib (n=8)",
        "heist on 2",
        "heist bench fib nqueens --size 8",
        "Medians of 2 paired rounds, no thread pinned, size 8",
        "Processor",
        "published us",
        ">0.11<",
        "prefers-color-scheme: dark",
        "From a debug build",
    ] {
        assert_eq!(
            page.contains(part),
            part != "From a debug build" || cfg!(debug_assertions),
            "{part:?}"
        );
    }
    // The runs appear in the order of the command, with one chart each. The page does not show
    // samples.
    assert_eq!(page.matches("<svg ").count(), 2);
    assert!(!page.contains("samples"));
    assert!(page.find("id=\"run-1\"") < page.find("id=\"run-2\""));
}

#[test]
fn every_figure_is_drawn_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    for (figure, more, charts) in [
        ("policies-1", ["--size", "2"], 1),
        ("cooperative-3", ["--nodes", "20"], 1),
        ("idempotent-4", ["--size", "200"], 2),
        ("idempotent-7", ["--size", "200"], 1),
        ("barriers", ["--programs", "jacobi"], 9),
    ] {
        let mut words = vec!["figure", figure, "--runs", "1", "--out", out];
        words.extend(more);
        if figure == "barriers" {
            if !cfg!(feature = "study") {
                continue;
            }
            words.extend(["--size", "32", "--threads", "1"]);
        }
        good(&words);
        let file = folder.path().join(format!("{figure}.json"));
        let page = page(folder.path(), &[&file]);
        assert_eq!(page.matches("<svg ").count(), charts, "{figure}");
        // The charts are the same drawings as in the files.
        let mut drawn = 0;
        for entry in fs::read_dir(out).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.starts_with(figure) && name.ends_with(".svg") {
                let svg = fs::read_to_string(&path).unwrap();
                let (_, inside) = svg.trim_end().split_once('>').unwrap();
                assert!(page.contains(inside), "{name} is not on the page");
                drawn += 1;
            }
        }
        assert_eq!(drawn, charts, "{figure}");
    }
}

#[test]
fn without_files_all_results_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let report = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heist"));
        command
            .arg("report")
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let line = |output: std::process::Output| {
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let none = line(report());
    assert!(
        none.contains("'results'") && none.contains("name the files"),
        "{none}"
    );
    let deep = folder.path().join("results").join("deep");
    fs::create_dir_all(&deep).unwrap();
    let none = line(report());
    assert!(none.contains("no JSON files below 'results'"), "{none}");
    let file = policies(&deep);
    fs::copy(&file, folder.path().join("results").join("again.json")).unwrap();
    let output = report();
    assert_eq!(output.status.code(), Some(0));
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    check(&page);
    let (first, second) = (page.find("again.json"), page.find("policies-1.json"));
    assert!(first.is_some() && first < second);
}

/// Replaces every text in `value` by `text`.
fn spoil(value: &mut Value, text: &str) {
    match value {
        Value::String(old) => *old = text.to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, text)),
        Value::Object(fields) => {
            for (name, field) in fields {
                // Keep the fields that determine the kind of a chart.
                if !["type", "scale", "look"].contains(&name.as_str()) {
                    spoil(field, text);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn hostile_texts_stay_texts() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let bench = folder.path().join("runs.json");
    let words = ["--size", "8", "--runs", "1", "--threads", "1", "--json"];
    let mut command = vec!["bench", "fib"];
    command.extend(words);
    command.push(bench.to_str().unwrap());
    good(&command);
    good(&[
        "figure",
        "cooperative-3",
        "--nodes",
        "20",
        "--runs",
        "1",
        "--out",
        out,
    ]);
    let files = [
        policies(folder.path()),
        folder.path().join("cooperative-3.json"),
        bench,
    ];
    let text =
        "</svg></style><script>alert(\"1\")</script>' onload='x & \u{0}\u{1b}\u{202e}]]>&amp;<!--";
    for file in files {
        let mut value: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        spoil(&mut value, text);
        let spoilt = folder.path().join("<b>'\"&.json");
        fs::write(&spoilt, value.to_string()).unwrap();
        let page = page(folder.path(), &[&spoilt]);
        assert!(page.contains("&lt;script&gt;alert("), "{file:?}");
        assert!(!page.contains("<script") && !page.contains("<b>") && !page.contains('\u{0}'));
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
        // The page shows all written texts unchanged.
        let body = page.split_once('\n').unwrap().1;
        let document = roxmltree::Document::parse(body).unwrap();
        let tame = text.replace(['\u{0}', '\u{1b}', '\u{202e}'], "\u{FFFD}");
        let heading = document
            .descendants()
            .filter(|node| node.has_tag_name("h2"))
            .nth(1);
        assert!(heading.unwrap().text().unwrap().contains(&tame));
    }
}

#[test]
fn what_is_wrong_with_a_file_takes_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let good_file = policies(folder.path());
    let text = fs::read_to_string(&good_file).unwrap();
    let path = folder.path().join("bad.json");
    let out = folder.path().join("page.html");
    let try_report = |content: &str| {
        fs::write(&path, content).unwrap();
        let words = [
            "report",
            path.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ];
        let line = refused(&words);
        assert!(line.contains("bad.json"), "{line}");
        assert!(!out.exists());
        line
    };
    for (content, part) in [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "no field 'kind'"),
        ("{\"a\": 1}", "no field 'kind'"),
        ("{\"programs\": [], \"settings\": {}}", "missing field"),
    ] {
        assert!(try_report(content).contains(part), "{content}");
    }
    for name in [
        "version",
        "machine",
        "command",
        "date",
        "optimised",
        "data",
        "kind",
    ] {
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value.as_object_mut().unwrap().remove(name);
        let line = try_report(&value.to_string());
        assert!(
            line.contains(name) && line.contains("write it anew"),
            "{line}"
        );
    }
    for (pointer, bad, part) in [
        (
            "/data/charts/0/chart/panels/0/lines/0/0/0",
            json!(1e18 as u64),
            "x axis",
        ),
        (
            "/data/charts/0/chart/panels/0/lines/0/0/1",
            json!(1e300),
            "the value",
        ),
        (
            "/data/charts/0/chart/columns",
            json!(1000),
            "panels abreast",
        ),
        ("/data/tables/0/rows/0", json!([]), "cells"),
    ] {
        let mut value: Value = serde_json::from_str(&text).unwrap();
        *value.pointer_mut(pointer).unwrap() = bad;
        let line = try_report(&value.to_string());
        assert!(line.contains(part), "{line}");
    }
    let line = refused(&["report", "no such file.json"]);
    assert!(line.contains("cannot read 'no such file.json'"), "{line}");
    let file = good_file.to_str().unwrap();
    let line = refused(&["report", file, "--out", file]);
    assert!(
        line.contains("--out") && line.contains("one of the files"),
        "{line}"
    );
    assert_eq!(fs::read_to_string(&good_file).unwrap(), text);
    let line = refused(&["report", file, "--out", "/dev/null/folder/page.html"]);
    assert!(line.contains("--out cannot make the folder"), "{line}");
}
