//! Reads Matrix Market's coordinate format: Boisvert, Pozo, Remington, "The Matrix Market exchange formats", NISTIR 5935.

use super::{Reader, body, fields, lines, wrong};
use crate::data::{self, Source};
use crate::graphs::csr::MOST_VERTICES;
use std::path::Path;

/// A matrix may have this number of rows or columns, even if it has few entries.
const MOST_ROWS: usize = 1 << 26;
/// A matrix with more than [`MOST_ROWS`] rows or columns may have at most this number of rows, and of columns, for each entry.
const MOST_ROWS_PER_ENTRY: usize = 64;

/// The message about a file that should be a Matrix Market file, but does not begin with the banner.
pub(super) const NO_MATRIX: &str =
    "a Matrix Market file begins with '%%MatrixMarket matrix coordinate'";

/// Returns true if the text begins with the banner of this format.
pub(super) fn is_matrix(source: &Source) -> bool {
    let start = body(source).get(..14);
    start.is_some_and(|start| start.eq_ignore_ascii_case("%%MatrixMarket"))
}

/// A sparse matrix, whose elements are in the order of its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    /// The elements of each row, in the order of the file. An element is a column and a value.
    pub rows: Vec<Vec<(u32, f64)>>,
    /// The number of columns.
    pub columns: usize,
}

/// Reads a sparse matrix from a Matrix Market file. The type of the values may be `real`, `integer` or `pattern`; all values of a `pattern`
/// are 1. The symmetry may be `general`, `symmetric` or `skew-symmetric`.
///
/// # Errors
/// If a line is malformed, returns `FILE, line N: reason`. If the file cannot be read, returns one line with the reason.
pub fn sparse(path: &Path) -> Result<Sparse, String> {
    let source = data::open(path)?;
    if !is_matrix(&source) {
        return wrong(&source, 1, NO_MATRIX);
    }
    let head = Head::of(&source, &["general", "symmetric", "skew-symmetric"])?;
    let mut elements = Vec::new();
    for entry in head.entries(&source) {
        let entry = entry?;
        let (line, row, column) = (entry.line, entry.row, entry.column);
        let value = match entry.value.map(|value| (value, value.parse())) {
            None => 1.0,
            Some((_, Ok(value))) => value,
            Some((value, Err(_))) => {
                return wrong(&source, line, format_args!("'{value}' is no number"));
            }
        };
        elements.push((row, column, value));
        match head.symmetry {
            Symmetry::Symmetric if row != column => elements.push((column, row, value)),
            Symmetry::Skew if row != column => elements.push((column, row, -value)),
            Symmetry::Skew if value != 0.0 => {
                let reason = "a skew-symmetric matrix has nothing but zeros on its diagonal";
                return wrong(&source, line, reason);
            }
            _ => {}
        }
    }
    // Allocate the rows only now, because the number of entries bounds the number of rows.
    let mut rows = vec![Vec::new(); head.rows];
    for (row, column, value) in elements {
        rows[row as usize].push((column, value));
    }
    Ok(Sparse {
        rows,
        columns: head.columns,
    })
}

/// The symmetry of a matrix: whether an entry stands for two elements, and with which values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// The content of the lines above the entries.
struct Head {
    symmetry: Symmetry,
    has_values: bool,
    /// The number of the line with the sizes.
    line: usize,
    rows: usize,
    columns: usize,
    entries: u64,
}

/// An entry of the matrix. The row and the column of an entry are counted from 0.
struct Entry<'a> {
    line: usize,
    row: u32,
    column: u32,
    value: Option<&'a str>,
}

impl Head {
    /// Parses the head of a matrix, whose symmetry must be one of the given symmetries.
    fn of(source: &Source, symmetries: &[&str]) -> Result<Head, String> {
        let banner = body(source).lines().next().unwrap_or_default();
        let banner = banner.to_ascii_lowercase();
        let words: Vec<&str> = banner.split_whitespace().collect();
        let ["%%matrixmarket", object, format, field, symmetry] = words[..] else {
            let reason = "'%%MatrixMarket' must have four words behind it";
            return wrong(source, 1, reason);
        };
        let among = |word: &str, known: &[&str]| match known.contains(&word) {
            true => Ok(()),
            false => wrong(
                source,
                1,
                format_args!("'{word}' is not supported; {} is", known.join(" or ")),
            ),
        };
        among(object, &["matrix"])?;
        among(format, &["coordinate"])?;
        among(field, &["real", "integer", "pattern"])?;
        among(symmetry, symmetries)?;
        let Some((line, sizes)) = lines(source).next() else {
            return wrong(source, 1, "there is no line of sizes below");
        };
        let numbers: Option<Vec<u64>> = fields(sizes).map(|field| field.parse().ok()).collect();
        let Some(&[rows, columns, entries]) = numbers.as_deref() else {
            let reason = "three numbers must be here: rows, columns, entries";
            return wrong(source, line, reason);
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            _ => Symmetry::Skew,
        };
        if symmetry != Symmetry::General && rows != columns {
            let reason = format_args!("{rows} rows and {columns} columns are not symmetric");
            return wrong(source, line, reason);
        }
        // The reader checks the number of entries later, so the size of the file bounds all these numbers.
        let most = entries
            .saturating_mul(MOST_ROWS_PER_ENTRY as u64)
            .max(MOST_ROWS as u64)
            .min(MOST_VERTICES as u64);
        for (count, what) in [(rows, "rows"), (columns, "columns")] {
            if count > most {
                let reason = format_args!("{count} {what} are too many for {entries} entries");
                return wrong(source, line, reason);
            }
        }
        Ok(Head {
            symmetry,
            has_values: field != "pattern",
            line,
            rows: rows as usize,
            columns: columns as usize,
            entries,
        })
    }

    /// Returns all entries, and an error if the number of entries differs from the number in the head.
    fn entries<'a>(
        &'a self,
        source: &'a Source,
    ) -> impl Iterator<Item = Result<Entry<'a>, String>> + 'a {
        let mut lines = lines(source).skip(1);
        let mut found = 0;
        std::iter::from_fn(move || match lines.next() {
            Some((line, _)) if found == self.entries => {
                let reason = format_args!("more than the {found} entries announced");
                Some(wrong(source, line, reason))
            }
            Some((line, text)) => {
                found += 1;
                Some(self.entry(source, line, text))
            }
            None if found < self.entries => {
                let announced = self.entries;
                let there = std::mem::replace(&mut found, announced);
                let reason =
                    format_args!("{announced} entries are announced, but {there} are there");
                Some(wrong(source, self.line, reason))
            }
            None => None,
        })
    }

    fn entry<'a>(&self, source: &Source, line: usize, text: &'a str) -> Result<Entry<'a>, String> {
        let columns = 2 + usize::from(self.has_values);
        let parts: Vec<&str> = fields(text).take(columns + 1).collect();
        if parts.len() != columns {
            let found = super::columns(text);
            return wrong(source, line, format_args!("{found}, not {columns}"));
        }
        let place = |part: &str, what: &str, most: usize| match part.parse::<usize>() {
            Ok(place) if (1..=most).contains(&place) => Ok(place as u32 - 1),
            _ => wrong(
                source,
                line,
                format_args!("'{part}' is no {what} from 1 to {most}"),
            ),
        };
        Ok(Entry {
            line,
            row: place(parts[0], "row", self.rows)?,
            column: place(parts[1], "column", self.columns)?,
            value: parts.get(2).copied(),
        })
    }
}

impl Reader<'_> {
    /// Reads the edges. Returns a flag that is true if the graph is directed, and the number of vertices.
    pub(super) fn matrix(&mut self) -> Result<(bool, usize), String> {
        let head = Head::of(self.source, &["general", "symmetric"])?;
        if head.rows != head.columns {
            let (rows, columns) = (head.rows, head.columns);
            return self.wrong(
                head.line,
                format_args!("{rows} rows and {columns} columns: the matrix of a graph is square"),
            );
        }
        for entry in head.entries(self.source) {
            let entry = entry?;
            if let Some(value) = entry.value {
                self.value(entry.line, value)?;
            }
            self.edge(entry.line, entry.row, entry.column)?;
        }
        Ok((head.symmetry == Symmetry::General, head.rows))
    }
}
