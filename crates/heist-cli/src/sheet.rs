//! The output of a figure for other programs and for `heist report`: charts as data, tables, and all samples.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::chart::Chart;
use crate::failure::Failure;
use crate::machine::Machine;

/// Results with their presentation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sheet {
    pub(crate) title: String,
    /// The publication that contains the figure.
    pub(crate) source: String,
    pub(crate) notes: Vec<String>,
    pub(crate) charts: Vec<Named>,
    pub(crate) tables: Vec<Table>,
}

/// A chart with the name of its file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) chart: Chart,
}

/// A table. A cell is a text, a number, a truth value, a list of samples, or empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
}

impl Table {
    /// Makes a table from the text of a CSV file of a figure. Columns of samples become lists.
    pub(crate) fn from_csv(title: &str, text: &str) -> Result<Table, Failure> {
        let failed = |error: ::csv::Error| {
            Failure::Request(format!("cannot write the results as JSON: {error}"))
        };
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().map_err(failed)?;
        let columns: Vec<String> = header.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(failed)?;
            let cell = |(name, word): (&String, &str)| {
                if name.starts_with("samples") {
                    word.split_whitespace().map(value).collect()
                } else {
                    value(word)
                }
            };
            rows.push(columns.iter().zip(record.iter()).map(cell).collect());
        }
        Ok(Table {
            title: title.to_owned(),
            columns,
            rows,
        })
    }
}

/// Returns the value that a word represents: null, a number, or a text.
fn value(word: &str) -> Value {
    if word.is_empty() {
        return Value::Null;
    }
    if let Ok(whole) = word.parse::<i64>() {
        return whole.into();
    }
    match word {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match word.parse::<f64>() {
            Ok(number) if number.is_finite() => number.into(),
            _ => word.into(),
        },
    }
}

/// Returns the command line without the path of the program, because the path is private.
pub(crate) fn command() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    std::iter::once("heist".to_owned())
        .chain(words.map(|word| word.to_string_lossy().into_owned()))
        .collect()
}

/// Returns the current time, in UTC.
pub(crate) fn date() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    date_of(since.map_or(0, |since| since.as_secs()))
}

/// Returns a time, given in seconds since 1970, in UTC and in the format of RFC 3339. In the computation, years begin in March,
/// so that the leap day is the last day of a year.
fn date_of(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    // 400 years have 146,097 days.
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z",
        second % 60
    )
}

/// Returns the text of the whole file. `kind` is the figure's name. `heist report` shows only the sheet. The fields of `more` are for other
/// programs.
pub(crate) fn render(
    kind: &str,
    machine: &Machine,
    sheet: &Sheet,
    more: Map<String, Value>,
) -> Result<String, Failure> {
    let failed = |error: serde_json::Error| {
        Failure::Request(format!("cannot write the results as JSON: {error}"))
    };
    let mut data = more;
    if let Value::Object(own) = serde_json::to_value(sheet).map_err(failed)? {
        data.extend(own);
    }
    let envelope = json!({
        "kind": kind,
        "version": env!("CARGO_PKG_VERSION"),
        // The figures of a debug build mean nothing.
        "optimised": !cfg!(debug_assertions),
        "date": date(),
        "machine": serde_json::to_value(machine).map_err(failed)?,
        "command": command(),
        "data": data,
    });
    Ok(format!("{envelope:#}\n"))
}

/// Returns the file of a figure whose numbers are all in its CSV file.
pub(crate) fn of_figure(
    kind: &str,
    source: &str,
    machine: &Machine,
    charts: &[(&str, &Chart)],
    csv: &str,
) -> Result<String, Failure> {
    let title = charts.first().map_or("", |(_, chart)| chart.title());
    // Some titles begin with the name of the figure.
    let title = if title.starts_with(kind) {
        title.to_owned()
    } else {
        format!("{kind}: {title}")
    };
    let named = |&(name, chart): &(&str, &Chart)| Named {
        name: name.to_owned(),
        chart: chart.clone(),
    };
    let sheet = Sheet {
        title,
        source: source.to_owned(),
        notes: Vec::new(),
        charts: charts.iter().map(named).collect(),
        tables: vec![Table::from_csv("All numbers", csv)?],
    };
    render(kind, machine, &sheet, Map::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date_of(seconds), date);
        }
    }

    #[test]
    fn a_table_from_csv_keeps_the_types_of_cells() {
        let text =
            "deque,median_ns,pinned,why,samples_ns\n\"a, b\",1.5,true,,1 2.5\n7,NaN,false,x,\n";
        let table = Table::from_csv("t", text).unwrap();
        assert_eq!(table.columns[4], "samples_ns");
        assert_eq!(
            table.rows,
            [
                vec![
                    json!("a, b"),
                    json!(1.5),
                    json!(true),
                    json!(null),
                    json!([1, 2.5])
                ],
                vec![json!(7), json!("NaN"), json!(false), json!("x"), json!([])],
            ]
        );
    }
}
