//! The output of a figure for other programs, and for `heist report`: charts as data, tables, every sample.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::chart::Chart;
use crate::failure::Failure;
use crate::machine::Machine;

/// Results with what they look like.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sheet {
    pub(crate) title: String,
    /// The publication.
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

/// A table. Cells are texts, numbers, truths, nothing, or lists of samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
}

impl Table {
    /// The table that is in a CSV file of ours. Columns of samples become lists.
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

/// A word as what it is.
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

/// The command line, without where the program lies: that is nobody's business.
pub(crate) fn command() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    std::iter::once("heist".to_owned())
        .chain(words.map(|word| word.to_string_lossy().into_owned()))
        .collect()
}

/// Now, in UTC.
pub(crate) fn date() -> String {
    jiff::Timestamp::now()
        .round(jiff::Unit::Second)
        .unwrap_or_default()
        .to_string()
}

/// The whole file: `kind` is the figure's name. The part `more` is for other programs; the sheet is for the report.
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
        // False for a debug build, whose figures mean nothing.
        "optimised": !cfg!(debug_assertions),
        "date": date(),
        "machine": serde_json::to_value(machine).map_err(failed)?,
        "command": command(),
        "data": data,
    });
    Ok(format!("{envelope:#}\n"))
}

/// The file of a figure whose numbers are all in its CSV file.
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
    fn a_table_from_csv_keeps_what_cells_are() {
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
