//! Reading of a run from its file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{bench, html};
use crate::failure::Failure;
use crate::heap_profile::HeapProfile;
use crate::sheet::Sheet;

/// The largest size of a file, in bytes. Files of results have a few megabytes.
const MOST_BYTES: u64 = 256 << 20;
/// The maximum number of characters of a text; longer texts are cut. Heist's own names, notes and
/// cells are shorter.
const MOST_CHARACTERS: usize = 2000;

/// A run with its description.
#[derive(Debug)]
pub(super) struct Run {
    /// The name of the file, as the user gave it.
    pub(super) file: String,
    pub(super) version: String,
    /// Whether the build was optimised.
    pub(super) optimised: bool,
    pub(super) date: String,
    pub(super) command: Vec<String>,
    pub(super) machine: Value,
    pub(super) sheet: Sheet,
}

/// The fields that the files of all figures have.
#[derive(Deserialize)]
struct Envelope {
    kind: String,
    version: String,
    optimised: bool,
    date: String,
    machine: serde_json::Map<String, Value>,
    command: Vec<String>,
    data: Sheet,
}

pub(super) fn run(path: &Path) -> Result<Run, Failure> {
    let wrong = |what: String| {
        Failure::Request(format!(
            "'{}': {what}; leave it out, or write it anew with `heist bench --json` or `heist figure`",
            path.display()
        ))
    };
    let mut text = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut text))
        .map_err(|error| {
            Failure::Request(format!(
                "cannot read '{}': {error}; name a file that you may read",
                path.display()
            ))
        })?;
    if text.len() as u64 > MOST_BYTES {
        return Err(wrong(format!(
            "longer than {} MiB, which no results are",
            MOST_BYTES >> 20
        )));
    }
    let mut value: Value =
        serde_json::from_slice(&text).map_err(|error| wrong(format!("not JSON: {error}")))?;
    drop(text);
    tame(&mut value);
    parse(path.display().to_string(), value).map_err(wrong)
}

/// Reads a run. Returns a message that describes the problem if the value is not a run.
fn parse(file: String, value: Value) -> Result<Run, String> {
    let field = |name| value.get(name).is_some();
    if field("programs") && field("settings") {
        return bench::parse(file, value);
    }
    if value.get("kind").is_some_and(|kind| kind == "heap-profile") {
        return heap_profile(file, value);
    }
    if !field("kind") {
        return Err("no results: there is no field 'kind'".to_owned());
    }
    let envelope: Envelope = serde_json::from_value(value)
        .map_err(|error| format!("no results as we write them: {error}"))?;
    let sheet = envelope.data;
    for named in &sheet.charts {
        named.chart.check()?;
    }
    for table in &sheet.tables {
        let width = table.columns.len();
        if let Some(row) = table.rows.iter().position(|row| row.len() != width) {
            return Err(format!(
                "row {} of the table '{}' has not as many cells as there are columns",
                row + 1,
                table.title
            ));
        }
    }
    if sheet.title.is_empty() {
        return Err(format!("the results '{}' have no title", envelope.kind));
    }
    Ok(Run {
        file,
        version: envelope.version,
        optimised: envelope.optimised,
        date: envelope.date,
        command: envelope.command,
        machine: Value::Object(envelope.machine),
        sheet,
    })
}

/// Reads a heap profile. A heap profile does not contain the machine, the date and the command, because the profiled program, not `heist`,
/// writes the profile.
fn heap_profile(file: String, value: Value) -> Result<Run, String> {
    let profile = HeapProfile::parse(value)?;
    let sheet = profile.sheet();
    for named in &sheet.charts {
        named.chart.check()?;
    }
    Ok(Run {
        file,
        version: profile.version,
        optimised: true,
        date: String::new(),
        command: Vec::new(),
        machine: Value::Null,
        sheet,
    })
}

/// Removes from all texts the characters that are forbidden on a page.
fn tame(value: &mut Value) {
    match value {
        Value::String(text) => {
            let long = text.chars().nth(MOST_CHARACTERS).is_some();
            if long || text.chars().any(html::forbidden) {
                let safe = |c| if html::forbidden(c) { '\u{FFFD}' } else { c };
                let mut short: String = text.chars().take(MOST_CHARACTERS).map(safe).collect();
                if long {
                    short.push('…');
                }
                *text = short;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tame),
        Value::Object(fields) => fields.values_mut().for_each(tame),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn envelope() -> Value {
        json!({
            "kind": "a-figure", "version": "0.1.0", "optimised": true, "date": "today",
            "machine": {}, "command": ["heist"],
            "data": {
                "title": "t", "source": "s", "notes": [], "more": 7,
                "charts": [{"name": "c", "chart": {
                    "type": "lines", "title": "c", "notes": [], "series": [], "reference": "",
                    "columns": 2, "panels": [],
                }}],
                "tables": [{"title": "t", "columns": ["a", "b"], "rows": [[1, null]]}],
            },
        })
    }

    #[test]
    fn missing_or_wrong_fields_are_named() {
        let run = parse("f".to_owned(), envelope()).unwrap();
        assert_eq!(run.sheet.tables[0].rows.len(), 1);
        for name in ["version", "optimised", "date", "machine", "command", "data"] {
            let mut value = envelope();
            value.as_object_mut().unwrap().remove(name);
            let error = parse("f".to_owned(), value).unwrap_err();
            assert!(error.contains(&format!("`{name}`")), "{error}");
        }
        for (pointer, bad, part) in [
            ("/data/title", json!(""), "no title"),
            ("/data/title", json!(7), "a string"),
            ("/data/charts/0/chart/columns", json!(0), "panels abreast"),
            ("/data/charts/0/chart/type", json!("pie"), "pie"),
            (
                "/data/tables/0/rows/0",
                json!([1]),
                "row 1 of the table 't'",
            ),
            ("/machine", json!("fast"), "a map"),
        ] {
            let mut value = envelope();
            *value.pointer_mut(pointer).unwrap() = bad;
            let error = parse("f".to_owned(), value).unwrap_err();
            assert!(error.contains(part) && !error.contains('\n'), "{error}");
        }
        assert!(
            parse("f".to_owned(), json!([]))
                .unwrap_err()
                .contains("'kind'")
        );
    }

    #[test]
    fn texts_are_tamed() {
        let mut value = json!({"a": ["x\0y\u{202E}", "é".repeat(MOST_CHARACTERS + 5)], "b": 7});
        tame(&mut value);
        assert_eq!(value["a"][0], "x\u{FFFD}y\u{FFFD}");
        let long = value["a"][1].as_str().unwrap();
        assert_eq!(long.chars().count(), MOST_CHARACTERS + 1);
        assert!(long.ends_with("é…"));
    }
}
