//! The page: one file without scripts, which is valid both as HTML and as XML.

use std::fmt::Write;

use serde_json::Value;

use super::facts::facts;
use super::html::escape;
use super::read::Run;
use crate::failure::Failure;
use crate::sheet::{Named, Table};

const STYLE: &str = include_str!("style.css");

/// The maximum number of rows of a table that is shown unfolded.
const FOLDED: usize = 14;
/// The maximum number of rows of a table on the page. Larger tables are for spreadsheets.
const MOST_ROWS: usize = 400;

pub(super) fn render(runs: &[Run]) -> Result<String, Failure> {
    let mut page = String::new();
    // The page must not load files or run scripts, whatever the result files contain.
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n<title>Heist: results</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#results\">To the results</a>\n\
         <header>\n<h1>Heist: results</h1>\n<p>{} of the work-stealing runtime Heist, beside serial code, rivals and \
         published values. Ratios are taken within rounds; medians are shown.</p>\n</header>\n",
        match runs.len() {
            1 => "A run".to_owned(),
            many => format!("{many} runs"),
        }
    );
    page.push_str("<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n");
    for (index, run) in runs.iter().enumerate() {
        let title = escape(&run.sheet.title);
        let _ = writeln!(page, "<li><a href=\"#run-{}\">{title}</a></li>", index + 1);
    }
    page.push_str("</ol>\n</nav>\n<main id=\"results\">\n");
    for (index, run) in runs.iter().enumerate() {
        section(&mut page, index + 1, run)?;
    }
    let _ = write!(
        page,
        "</main>\n<footer><p>Made by heist {} report.</p></footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    Ok(page)
}

fn section(page: &mut String, number: usize, run: &Run) -> Result<(), Failure> {
    let id = format!("run-{number}");
    let title = escape(&run.sheet.title);
    let _ = writeln!(
        page,
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>"
    );
    if !run.optimised {
        page.push_str(
            "<p class=\"warning\"><strong>From a debug build: the figures mean little.</strong></p>\n",
        );
    }
    for note in &run.sheet.notes {
        let _ = writeln!(page, "<p>{}</p>", escape(note));
    }
    page.push_str("<dl>\n");
    for (name, value) in facts(run) {
        let value = match name {
            "Command" | "File" => format!("<code>{}</code>", escape(&value)),
            _ => escape(&value),
        };
        let _ = writeln!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    page.push_str("</dl>\n");
    // Short tables, which have bars and published values, come before the tables from which their values are
    // computed.
    let (short, long): (Vec<&Table>, Vec<&Table>) = run
        .sheet
        .tables
        .iter()
        .partition(|table| table.rows.len() <= FOLDED);
    short.iter().for_each(|table| write_table(page, table));
    for named in &run.sheet.charts {
        write_chart(page, named)?;
    }
    long.iter().for_each(|table| write_table(page, table));
    page.push_str("<p class=\"up\"><a href=\"#contents\">Contents</a></p>\n</section>\n");
    Ok(())
}

fn write_chart(page: &mut String, named: &Named) -> Result<(), Failure> {
    let svg = named.chart.svg()?;
    let (title, words) = (
        escape(named.chart.title()),
        escape(&named.chart.description()),
    );
    let svg = svg.replacen(
        "<svg ",
        &format!("<svg role=\"img\" aria-label=\"{words}\" "),
        1,
    );
    let _ = writeln!(
        page,
        "<figure>\n<div class=\"chart\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\">\n{}\n</div>\n\
         <figcaption>{title}</figcaption>\n</figure>",
        svg.trim_end(),
    );
    Ok(())
}

fn write_table(page: &mut String, table: &Table) {
    let (title, rows) = (escape(&table.title), table.rows.len());
    let folded = rows > FOLDED;
    if rows > MOST_ROWS {
        let _ = writeln!(
            page,
            "<p>{title}: {rows} rows, too many for a page; they are in the file.</p>"
        );
        return;
    }
    if folded {
        let _ = writeln!(page, "<details>\n<summary>{title}, {rows} rows</summary>");
    }
    // Omit the columns of samples, because only programs read them. Also omit columns without content.
    let shown: Vec<usize> = (0..table.columns.len())
        .filter(|&column| {
            let cells = || table.rows.iter().map(|row| &row[column]);
            // The page shows the name of the figure above the table.
            table.columns[column] != "figure"
                && !cells().any(Value::is_array)
                && cells().any(|cell| !cell.is_null())
        })
        .collect();
    let _ = writeln!(
        page,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\">\n<table>\n<caption>{title}</caption>\n<thead>\n<tr>"
    );
    for &column in &shown {
        let name = table.columns[column].replace('_', " ");
        let _ = writeln!(page, "<th scope=\"col\">{}</th>", escape(&name));
    }
    page.push_str("</tr>\n</thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for (index, &column) in shown.iter().enumerate() {
            let (text, class) = cell(&row[column]);
            let text = escape(&text);
            let _ = match index {
                0 => write!(page, "<th scope=\"row\"{class}>{text}</th>"),
                _ => write!(page, "<td{class}>{text}</td>"),
            };
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
    if folded {
        page.push_str("</details>\n");
    }
}

/// Returns the text of a cell, and its class.
fn cell(value: &Value) -> (String, &'static str) {
    match value {
        Value::Null => ("–".to_owned(), " class=\"none\""),
        Value::Bool(true) => ("yes".to_owned(), ""),
        Value::Bool(false) => ("no".to_owned(), ""),
        Value::Number(number) => {
            let text = match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => whole.to_string(),
                (None, Some(value)) => four_digits(value),
                (None, None) => number.to_string(),
            };
            (text, " class=\"number\"")
        }
        Value::String(text) => (text.clone(), ""),
        Value::Array(_) | Value::Object(_) => ("…".to_owned(), ""),
    }
}

/// Formats a number with four significant digits, but with all digits before the point.
fn four_digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e15).contains(&size) {
        return format!("{value:.3e}");
    }
    let digits = (3 - size.log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::four_digits;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (1.23456, "1.235"),
            (-0.012_345, "-0.01235"),
            (123_456.7, "123457"),
            (9.9999, "10"),
            (100.0, "100"),
            (1e-7, "1.000e-7"),
            (1e20, "1.000e20"),
        ] {
            assert_eq!(four_digits(value), text);
        }
    }
}
