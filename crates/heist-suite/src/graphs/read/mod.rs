//! Readers of graphs in three formats. The content of a file determines its format.
//!
//! | format | how it is recognised | a line | directed |
//! | --- | --- | --- | --- |
//! | Matrix Market coordinates | `%%MatrixMarket` at the start | a line of sizes, then `row column [value]`, counted from 1 | if `general`
//! |
//! | neighbours, as `data/graph.txt` | a `:` in the first line that is not a comment | `v: w w w` | no |
//! | edge list, as SNAP's | anything else | `v w` or `v w weight` | if a comment begins with `Directed`, as SNAP's do |
//!
//! Comments begin with `#` or `%`. Blanks, tabs and commas separate fields. Vertices are numbers below 2^31. The numbers of a file are
//! sparse if the largest number is above 65535, and also above eight times the number of edges. If the numbers are sparse, the reader
//! renumbers the vertices in ascending order, and [`Graph::names`] has their numbers in the file. So a graph never needs much more memory
//! than its file, even if the file contains large numbers.

mod matrix;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::path::Path;

use matrix::{NO_MATRIX, is_matrix};
pub use matrix::{Sparse, sparse};

use super::csr::{Csr, Edges, MOST_VERTICES};
use crate::data::{self, Data, Source};

/// The reader never renumbers vertices if all numbers are below this limit.
const KEPT: usize = 1 << 16;

/// The reader does not renumber vertices if all numbers are at most this multiple of the number of edges.
const KEPT_PER_EDGE: usize = 8;

/// The reader's use of the third column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// The third column contains weights, which must be integers from 0 to 2^32 - 1.
    Read,
    /// The third column contains numbers of any kind, which the reader drops.
    Ignore,
}

/// A graph with the edges of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The edges, in the order of the file.
    pub edges: Edges,
    /// True if the file says that edges are directed.
    pub directed: bool,
    /// The number in the file at which vertices start: 1 in Matrix Market files, otherwise 0. The number has no meaning if the vertices
    /// have been renumbered.
    pub first: u32,
    /// The numbers of the vertices in the file, in ascending order, if the vertices have been renumbered.
    pub names: Option<Vec<u32>>,
}

impl Graph {
    /// Returns the graph without loops and parallel edges.
    pub fn csr(&self) -> Csr {
        if self.directed {
            Csr::directed(&self.edges).simple()
        } else {
            Csr::symmetric(&self.edges).simple()
        }
    }
}

/// Reads a graph from a file.
///
/// # Errors
/// If a line is malformed, returns `FILE, line N: reason`. If the file cannot be read, returns one line with the reason.
pub fn file(path: &Path, weights: Weights) -> Result<Graph, String> {
    let source = data::open(path)?;
    let extension = path.extension().is_some_and(|extension| extension == "mtx");
    if extension && !is_matrix(&source) {
        return wrong(&source, 1, NO_MATRIX);
    }
    graph(&source, weights)
}

/// Returns the graph in the file that `data` names. If `data` names no file, returns the built-in graph, which consists of
/// packages of Debian 12.
///
/// # Errors
/// Returns the same errors as [`file()`].
pub fn built_in(data: &Data) -> Result<Graph, String> {
    graph(&data.graph()?, Weights::Ignore)
}

/// Reads a graph from a text. Error messages use `name` as the name of the text.
///
/// # Errors
/// Returns the same errors as [`file()`].
pub fn text(name: &str, text: &str, weights: Weights) -> Result<Graph, String> {
    let source = Source {
        name: name.to_owned(),
        text: text.to_owned().into(),
    };
    graph(&source, weights)
}

/// Returns the text without the byte order mark that some editors put at the start of a file.
fn body(source: &Source) -> &str {
    source.text.trim_start_matches('\u{feff}')
}

fn graph(source: &Source, weights: Weights) -> Result<Graph, String> {
    let mut reader = Reader {
        source,
        weights,
        pairs: Vec::new(),
        values: Vec::new(),
        columns: None,
        lone: Vec::new(),
    };
    let first = lines(source).next();
    let (directed, vertices) = if is_matrix(source) {
        let (directed, rows) = reader.matrix()?;
        (directed, Some(rows))
    } else if first.is_some_and(|(_, line)| line.contains(':')) {
        reader.neighbours()?;
        (false, None)
    } else {
        reader.edge_list()?;
        let says = |line: &str| {
            let words = line.trim_start_matches(['#', '%', ' ', '\t']);
            line.starts_with(['#', '%']) && words.to_ascii_lowercase().starts_with("directed")
        };
        (body(source).lines().any(says), None)
    };
    reader.finish(directed, vertices)
}

/// Returns the lines that are neither empty nor comments, with their numbers.
fn lines(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    body(source)
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%']))
}

fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ','])
        .filter(|field| !field.is_empty())
}

/// The state of a reader.
struct Reader<'a> {
    source: &'a Source,
    weights: Weights,
    pairs: Vec<(u32, u32)>,
    /// The weights, if the file has weights and the reader keeps them.
    values: Vec<u32>,
    /// The number of columns of the lines, or `None` before the first line has been read.
    columns: Option<usize>,
    /// The vertices that stand alone on a line.
    lone: Vec<u32>,
}

fn wrong<T>(source: &Source, line: usize, reason: impl Display) -> Result<T, String> {
    Err(source.wrong(line, reason))
}

impl Reader<'_> {
    fn wrong<T>(&self, line: usize, reason: impl Display) -> Result<T, String> {
        wrong(self.source, line, reason)
    }

    /// Parses the number of a vertex, and returns it counted from 0. In the file, numbers start at `least` (0 or 1).
    fn vertex(&self, line: usize, field: &str, least: usize, most: usize) -> Result<u32, String> {
        match field.parse::<usize>() {
            Ok(v) if (least..=most).contains(&v) => Ok((v - least) as u32),
            _ => self.wrong(
                line,
                format_args!("'{field}' is no vertex from {least} to {most}"),
            ),
        }
    }

    fn edge(&mut self, line: usize, a: u32, b: u32) -> Result<(), String> {
        if self.pairs.len() == (1 << 31) - 1 {
            return self.wrong(line, "the edges are more than 2147483647");
        }
        self.pairs.push((a, b));
        Ok(())
    }

    fn value(&mut self, line: usize, field: &str) -> Result<(), String> {
        let number = field.parse::<f64>().ok();
        if self.weights == Weights::Ignore {
            return match number {
                Some(_) => Ok(()),
                None => self.wrong(line, format_args!("'{field}' is no number")),
            };
        }
        let whole = |x: &f64| x.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(x);
        match number.filter(whole) {
            Some(weight) => {
                self.values.push(weight as u32);
                Ok(())
            }
            None => {
                let most = u32::MAX;
                self.wrong(
                    line,
                    format_args!("the weight '{field}' is no whole number from 0 to {most}"),
                )
            }
        }
    }

    /// Reads a line `v w` or `v w weight`. All lines must have the same number of columns.
    fn entry(&mut self, line: usize, text: &str, least: usize, most: usize) -> Result<(), String> {
        let mut fields = fields(text);
        let (a, b, value, more) = (fields.next(), fields.next(), fields.next(), fields.next());
        let (Some(a), Some(b), None) = (a, b, more) else {
            let count = columns(text);
            return self.wrong(line, format_args!("{count}, where two or three must be"));
        };
        let columns = 2 + usize::from(value.is_some());
        let expected = *self.columns.get_or_insert(columns);
        if columns != expected {
            return self.wrong(line, format_args!("{columns} columns, not {expected}"));
        }
        let (a, b) = (
            self.vertex(line, a, least, most)?,
            self.vertex(line, b, least, most)?,
        );
        if let Some(value) = value {
            self.value(line, value)?;
        }
        self.edge(line, a, b)
    }

    fn edge_list(&mut self) -> Result<(), String> {
        for (line, text) in lines(self.source) {
            self.entry(line, text, 0, MOST_VERTICES - 1)?;
        }
        Ok(())
    }

    fn neighbours(&mut self) -> Result<(), String> {
        for (line, text) in lines(self.source) {
            let Some((from, to)) = text.split_once(':') else {
                return self.wrong(line, "there is no ':' after a vertex");
            };
            let from = self.vertex(line, from.trim(), 0, MOST_VERTICES - 1)?;
            let before = self.pairs.len();
            for to in fields(to) {
                let to = self.vertex(line, to, 0, MOST_VERTICES - 1)?;
                self.edge(line, from, to)?;
            }
            if self.pairs.len() == before {
                self.lone.push(from);
            }
        }
        Ok(())
    }

    fn finish(mut self, directed: bool, vertices: Option<usize>) -> Result<Graph, String> {
        if self.pairs.is_empty() {
            return Err(format!("{}: there are no edges", self.source.name));
        }
        let ends = self.pairs.iter().flat_map(|&(a, b)| [a, b]);
        let above = ends
            .chain(self.lone.iter().copied())
            .max()
            .map_or(0, |v| v as usize + 1);
        // Only Matrix Market files say how many vertices there are, and these files count vertices from 1.
        let first = u32::from(vertices.is_some());
        let kept = KEPT.max(KEPT_PER_EDGE * (self.pairs.len() + self.lone.len()));
        let (vertices, names) = match vertices {
            Some(vertices) => (vertices, None),
            None if above <= kept => (above, None),
            None => {
                let names = self.renumber();
                (names.len(), Some(names))
            }
        };
        let mut edges = Edges::new(vertices, self.pairs);
        if !self.values.is_empty() {
            edges = edges.weighted(self.values);
        }
        Ok(Graph {
            edges,
            directed,
            first,
            names,
        })
    }

    /// Renumbers the vertices in ascending order, and returns their old numbers.
    fn renumber(&mut self) -> Vec<u32> {
        let mut names = std::mem::take(&mut self.lone);
        names.extend(self.pairs.iter().flat_map(|&(a, b)| [a, b]));
        names.sort_unstable();
        names.dedup();
        let place = |v: u32| names.partition_point(|&name| name < v) as u32;
        for (a, b) in &mut self.pairs {
            (*a, *b) = (place(*a), place(*b));
        }
        names
    }
}

fn columns(text: &str) -> String {
    match fields(text).count() {
        1 => "1 column".to_owned(),
        count => format!("{count} columns"),
    }
}
