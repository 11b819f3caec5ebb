//! Matrix Market's coordinate format: Boisvert, Pozo, Remington, "The Matrix Market exchange formats", NISTIR
//! 5935.

use super::{Reader, body, fields, lines};
use crate::data::Source;
use crate::graphs::csr::MOST_VERTICES;

/// The most rows of a matrix, or so many an entry.
const MOST_ROWS: usize = 1 << 26;
const MOST_ROWS_PER_ENTRY: usize = 64;

/// Whether the text says that it has that format.
pub(super) fn is_matrix(source: &Source) -> bool {
    let start = body(source).get(..14);
    start.is_some_and(|start| start.eq_ignore_ascii_case("%%MatrixMarket"))
}

impl Reader<'_> {
    /// Whether the graph is directed, and how many vertices it has.
    pub(super) fn matrix(&mut self) -> Result<(bool, usize), String> {
        let banner = body(self.source).lines().next().unwrap_or_default();
        let banner = banner.to_ascii_lowercase();
        let words: Vec<&str> = banner.split_whitespace().skip(1).collect();
        let [object, format, field, symmetry] = words[..] else {
            return self.wrong(1, "'%%MatrixMarket' must have four words behind it");
        };
        let among = |word: &str, known: &[&str]| match known.contains(&word) {
            true => Ok(()),
            false => self.wrong(
                1,
                format_args!("'{word}' is not supported; {} is", known.join(" or ")),
            ),
        };
        among(object, &["matrix"])?;
        among(format, &["coordinate"])?;
        among(field, &["real", "integer", "pattern"])?;
        among(symmetry, &["general", "symmetric"])?;
        let mut lines = lines(self.source);
        let Some((sizes_line, sizes)) = lines.next() else {
            return self.wrong(1, "there is no line of sizes below");
        };
        let numbers: Option<Vec<u64>> = fields(sizes).map(|field| field.parse().ok()).collect();
        let Some(&[rows, columns, entries]) = numbers.as_deref() else {
            return self.wrong(
                sizes_line,
                "three numbers must be here: rows, columns, entries",
            );
        };
        if rows != columns {
            return self.wrong(
                sizes_line,
                format_args!("{rows} rows and {columns} columns: the matrix of a graph is square"),
            );
        }
        // The entries are counted below, so that both numbers are bounded by the file.
        let most = entries
            .saturating_mul(MOST_ROWS_PER_ENTRY as u64)
            .max(MOST_ROWS as u64);
        if rows > most.min(MOST_VERTICES as u64) {
            return self.wrong(
                sizes_line,
                format_args!("{rows} rows are too many for {entries} entries"),
            );
        }
        self.columns = Some(if field == "pattern" { 2 } else { 3 });
        for (line, text) in lines {
            if self.pairs.len() as u64 == entries {
                return self.wrong(
                    line,
                    format_args!("more than the {entries} entries announced"),
                );
            }
            self.entry(line, text, 1, rows as usize)?;
        }
        if self.pairs.len() as u64 != entries {
            let found = self.pairs.len();
            return self.wrong(
                sizes_line,
                format_args!("{entries} entries are announced, but {found} are there"),
            );
        }
        Ok((symmetry == "general", rows as usize))
    }
}
