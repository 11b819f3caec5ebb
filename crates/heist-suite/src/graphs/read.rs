//! Readers of graphs, in three formats told apart by what the file says.
//!
//! | format | how it is recognised | a line | directed |
//! | --- | --- | --- | --- |
//! | Matrix Market coordinates | `%%MatrixMarket` at the start | `row column [value]`, counted from 1, after a line of sizes | if `general`; not if `symmetric` |
//! | neighbours, as `data/graph.txt` | a `:` in the first line that is no comment | `v: w w w` | no |
//! | edge list, as SNAP's | anything else | `v w` or `v w weight` | if a comment begins with `Directed`, as SNAP's do |
//!
//! Comments begin with `#` or `%`; blanks, tabs and commas separate. Vertices are numbers below 2^31. A file whose
//! numbers are sparse (the largest is above 65535 and eight times the number of edges) has its vertices renumbered in
//! their order, and [`Graph::names`] says what they were: so what a graph takes in memory is bounded by the size of
//! its file, whatever numbers stand in it.

use std::fmt::Display;
use std::path::Path;

use super::csr::{Csr, Edges, MOST_VERTICES};
use crate::data::{self, Data, Source};

/// Numbers up to here are kept in any file.
const KEPT: usize = 1 << 16;

/// So many numbers an edge are kept in a large file.
const KEPT_PER_EDGE: usize = 8;

/// The most rows of a matrix, or so many an entry.
const MOST_ROWS: usize = 1 << 26;
const MOST_ROWS_PER_ENTRY: usize = 64;

/// What to do with the third column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Its numbers are weights: whole, from 0 to 2^32 - 1, or it is an error.
    Read,
    /// Its numbers, any, are dropped.
    Ignore,
}

/// A graph as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The edges, in the order of the file.
    pub edges: Edges,
    /// Whether an edge leads one way only, as far as the file says.
    pub directed: bool,
    /// The numbers of the vertices in the file, in ascending order, if they have been renumbered.
    pub names: Option<Vec<u32>>,
}

impl Graph {
    /// The graph without loops and parallel edges.
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
/// The file cannot be read, or a line is malformed: `FILE, line N: reason`.
pub fn file(path: &Path, weights: Weights) -> Result<Graph, String> {
    let source = data::open(path)?;
    let extension = path.extension().is_some_and(|extension| extension == "mtx");
    if extension && !is_matrix(&source) {
        let reason = "a Matrix Market file begins with '%%MatrixMarket matrix coordinate'";
        return Err(source.wrong(1, reason));
    }
    graph(&source, weights)
}

/// The graph of the data: packages of Debian 12, built in, unless another is named.
///
/// # Errors
/// As [`file`].
pub fn built_in(data: &Data) -> Result<Graph, String> {
    graph(&data.graph()?, Weights::Ignore)
}

/// Reads a graph from a text; `name` is what an error calls it.
///
/// # Errors
/// As [`file`].
pub fn text(name: &str, text: &str, weights: Weights) -> Result<Graph, String> {
    let source = Source {
        name: name.to_owned(),
        text: text.to_owned().into(),
    };
    graph(&source, weights)
}

/// The text without the byte order mark that some editors put before it.
fn body(source: &Source) -> &str {
    source.text.trim_start_matches('\u{feff}')
}

fn is_matrix(source: &Source) -> bool {
    let start = body(source).get(..14);
    start.is_some_and(|start| start.eq_ignore_ascii_case("%%MatrixMarket"))
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

/// Numbered lines that are neither empty nor comments.
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

/// What has been read so far.
struct Reader<'a> {
    source: &'a Source,
    weights: Weights,
    pairs: Vec<(u32, u32)>,
    /// The weights, if there are any and they are wanted.
    values: Vec<u32>,
    /// How many columns the lines have.
    columns: Option<usize>,
    /// Vertices that stand in a line alone.
    lone: Vec<u32>,
}

impl<'a> Reader<'a> {
    fn wrong<T>(&self, line: usize, reason: impl Display) -> Result<T, String> {
        Err(self.source.wrong(line, reason))
    }

    /// A vertex, counted from `least`, which is 0 or 1.
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

    /// `v w` or `v w weight`, as many columns in every line.
    fn entry(&mut self, line: usize, text: &str, least: usize, most: usize) -> Result<(), String> {
        let mut fields = fields(text);
        let (a, b, value, more) = (fields.next(), fields.next(), fields.next(), fields.next());
        let (Some(a), Some(b), None) = (a, b, more) else {
            let count = text_columns(text);
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

    /// Whether the graph is directed, and how many vertices it has.
    fn matrix(&mut self) -> Result<(bool, usize), String> {
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
        let numbers: Vec<u64> = fields(sizes)
            .filter_map(|field| field.parse().ok())
            .collect();
        let [rows, columns, entries] = numbers[..] else {
            return self.wrong(
                sizes_line,
                "three numbers must be here: rows, columns, entries",
            );
        };
        if text_columns(sizes) != "3 columns" {
            return self.wrong(
                sizes_line,
                "three numbers must be here: rows, columns, entries",
            );
        }
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

    fn finish(mut self, directed: bool, vertices: Option<usize>) -> Result<Graph, String> {
        if self.pairs.is_empty() {
            return Err(format!("{}: there are no edges", self.source.name));
        }
        let ends = self.pairs.iter().flat_map(|&(a, b)| [a, b]);
        let above = ends
            .chain(self.lone.iter().copied())
            .max()
            .map_or(0, |v| v as usize + 1);
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
            names,
        })
    }

    /// Numbers the vertices by their order, and gives their numbers so far.
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

fn text_columns(text: &str) -> String {
    match fields(text).count() {
        1 => "1 column".to_owned(),
        count => format!("{count} columns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Graph {
        super::text("F", text, Weights::Read).unwrap()
    }

    #[test]
    fn edge_lists() {
        let graph = read("# A comment\n% another\n0 1\n\n1\t2\r\n2,0\n  0 , 3 \n");
        assert_eq!(graph.edges.pairs(), [(0, 1), (1, 2), (2, 0), (0, 3)]);
        assert_eq!((graph.directed, &graph.names), (false, &None));
        assert_eq!(graph.edges.weights(), None);
        assert_eq!(graph.csr().neighbours(0), [1, 2, 3]);
        let graph = read(
            "\u{feff}# Directed graph (each unordered pair once)\n# x\n5 1 3\n1 5 4.0\n1 2 7e1",
        );
        assert!(graph.directed);
        assert_eq!(graph.edges.vertices(), 6);
        assert_eq!(graph.edges.weights(), Some(&[3, 4, 70][..]));
        assert_eq!(graph.csr().weights(1), [70, 4]);
        assert!(!read("# Undirected graph\n0 1\n").directed);
        let ignored = super::text("F", "0 1 -0.5\n", Weights::Ignore).unwrap();
        assert_eq!(ignored.edges.weights(), None);
    }

    #[test]
    fn sparse_numbers_are_renumbered() {
        let graph = read("2147483647 7\n7 65536\n65536 7\n");
        assert_eq!(graph.names, Some(vec![7, 65_536, 2_147_483_647]));
        assert_eq!(graph.edges.vertices(), 3);
        assert_eq!(graph.edges.pairs(), [(2, 0), (0, 1), (1, 0)]);
        let graph = read("5: 1\n2000000000:\n");
        assert_eq!(graph.names, Some(vec![1, 5, 2_000_000_000]));
        let graph = read("65535 7\n");
        assert_eq!((graph.names, graph.edges.vertices()), (None, 65_536));
        // Eight numbers an edge are not sparse.
        let many: String = (0..10_000).map(|i| format!("{} 0\n", 7 * i)).collect();
        assert_eq!(read(&many).names, None);
    }

    #[test]
    fn matrices() {
        let graph = read(
            "%%MatrixMarket matrix coordinate integer symmetric\n% a comment\n\n3 3 2\n2 1 5\n3 3 1\n",
        );
        assert_eq!(graph.edges.pairs(), [(1, 0), (2, 2)]);
        assert_eq!(graph.edges.weights(), Some(&[5, 1][..]));
        assert!(!graph.directed);
        let graph = read("%%matrixmarket MATRIX Coordinate pattern general\n9 9 1\n9 1\n");
        assert_eq!((graph.directed, graph.edges.vertices()), (true, 9));
        assert_eq!(graph.csr().neighbours(8), [0]);
        let real = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -1.5e-3\n";
        let graph = super::text("F", real, Weights::Ignore).unwrap();
        assert_eq!(graph.edges.weights(), None);
    }

    #[test]
    fn the_built_in_graph() {
        let graph = built_in(&Data::default()).unwrap();
        assert_eq!(
            (graph.edges.vertices(), graph.names.is_none()),
            (17_148, true)
        );
        assert_eq!(graph.csr().arcs(), 2 * 73_260);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        const MTX: &str = "%%MatrixMarket matrix coordinate";
        let m = |rest: &str| format!("{MTX} {rest}");
        for (text, must) in [
            (String::new(), "F: there are no edges"),
            ("# only\n\n".into(), "F: there are no edges"),
            (
                "0 1\n2\n".into(),
                "F, line 2: 1 column, where two or three must be",
            ),
            (
                "0 1 2 3\n".into(),
                "F, line 1: 4 columns, where two or three must be",
            ),
            ("0 1\n\n1 2 3\n".into(), "F, line 3: 3 columns, not 2"),
            ("0 1 1\n1 2\n".into(), "F, line 2: 2 columns, not 3"),
            (
                "source,target\n".into(),
                "F, line 1: 'source' is no vertex from 0 to 2147483647",
            ),
            (
                "0 -1\n".into(),
                "F, line 1: '-1' is no vertex from 0 to 2147483647",
            ),
            (
                "0 2147483648\n".into(),
                "F, line 1: '2147483648' is no vertex from 0 to 2147483647",
            ),
            (
                "99999999999999999999999 1\n".into(),
                "F, line 1: '99999999999999999999999' is no vertex from 0 to 2147483647",
            ),
            (
                "0 1 x\n".into(),
                "F, line 1: the weight 'x' is no whole number from 0 to 4294967295",
            ),
            (
                "0 1 0.5\n".into(),
                "F, line 1: the weight '0.5' is no whole number from 0 to 4294967295",
            ),
            (
                "0 1 -1\n".into(),
                "F, line 1: the weight '-1' is no whole number from 0 to 4294967295",
            ),
            (
                "0 1 4294967296\n".into(),
                "F, line 1: the weight '4294967296' is no whole number from 0 to 4294967295",
            ),
            (
                "0 1 NaN\n".into(),
                "F, line 1: the weight 'NaN' is no whole number from 0 to 4294967295",
            ),
            (
                "0: 1\n2 3\n".into(),
                "F, line 2: there is no ':' after a vertex",
            ),
            (
                "0: 1 x\n".into(),
                "F, line 1: 'x' is no vertex from 0 to 2147483647",
            ),
            (
                ":\n".into(),
                "F, line 1: '' is no vertex from 0 to 2147483647",
            ),
            ("7:\n".into(), "F: there are no edges"),
            (
                "%%MatrixMarket\n".into(),
                "F, line 1: '%%MatrixMarket' must have four words behind it",
            ),
            (
                "%%MatrixMarket vector coordinate real general\n".into(),
                "F, line 1: 'vector' is not supported; matrix is",
            ),
            (
                "%%MatrixMarket matrix array real general\n".into(),
                "F, line 1: 'array' is not supported; coordinate is",
            ),
            (
                m("complex general\n"),
                "F, line 1: 'complex' is not supported; real or integer or pattern is",
            ),
            (
                m("real skew-symmetric\n"),
                "F, line 1: 'skew-symmetric' is not supported; general or symmetric is",
            ),
            (
                m("real general\n% x\n"),
                "F, line 1: there is no line of sizes below",
            ),
            (
                m("real general\n3 3\n"),
                "F, line 2: three numbers must be here: rows, columns, entries",
            ),
            (
                m("real general\n3 3 1 x\n"),
                "F, line 2: three numbers must be here: rows, columns, entries",
            ),
            (
                m("real general\n3 3 -1\n"),
                "F, line 2: three numbers must be here: rows, columns, entries",
            ),
            (
                m("pattern general\n2 3 1\n1 1\n"),
                "F, line 2: 2 rows and 3 columns: the matrix of a graph is square",
            ),
            (
                m("pattern general\n1000000000000000000 1000000000000000000 1\n1 1\n"),
                "F, line 2: 1000000000000000000 rows are too many for 1 entries",
            ),
            (
                m("pattern general\n100000000 100000000 3\n1 1\n"),
                "F, line 2: 100000000 rows are too many for 3 entries",
            ),
            (
                m("pattern general\n2147483649 2147483649 18446744073709551615\n"),
                "F, line 2: 2147483649 rows are too many for 18446744073709551615 entries",
            ),
            (
                m("pattern general\n2000000000 2000000000 18446744073709551615\n1 1\n"),
                "F, line 2: 18446744073709551615 entries are announced, but 1 are there",
            ),
            (
                m("pattern general\n3 3 2\n1 1\n"),
                "F, line 2: 2 entries are announced, but 1 are there",
            ),
            (
                m("pattern general\n3 3 1\n1 2\n2 3\n"),
                "F, line 4: more than the 1 entries announced",
            ),
            (
                m("pattern general\n3 3 1\n0 2\n"),
                "F, line 3: '0' is no vertex from 1 to 3",
            ),
            (
                m("pattern general\n3 3 1\n1 4\n"),
                "F, line 3: '4' is no vertex from 1 to 3",
            ),
            (
                m("pattern general\n3 3 1\n1 2 3\n"),
                "F, line 3: 3 columns, not 2",
            ),
            (
                m("real general\n3 3 1\n1 2\n"),
                "F, line 3: 2 columns, not 3",
            ),
            (m("pattern general\n3 3 0\n"), "F: there are no edges"),
        ] {
            let said = super::text("F", &text, Weights::Read).unwrap_err();
            assert_eq!(said, must, "{text:?}");
        }
        let said = super::text("F", "0 1 x\n", Weights::Ignore).unwrap_err();
        assert_eq!(said, "F, line 1: 'x' is no number");
    }

    #[test]
    fn files() {
        let dir = std::env::temp_dir().join(format!("heist-suite-read-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = dir.join(name);
            std::fs::write(&path, bytes).unwrap();
            file(&path, Weights::Read)
        };
        let results = [
            write("a.mtx", b"1 2\n"),
            write("b.txt", b"0 1\n\xff 1\n"),
            write("c.tsv", b"0\t1\n"),
            file(&dir.join("missing"), Weights::Read),
            file(&dir, Weights::Read),
        ];
        std::fs::remove_dir_all(&dir).unwrap();
        let [matrix, utf8, good, missing, folder] = results;
        let matrix = matrix.unwrap_err();
        assert!(matrix.ends_with(
            "a.mtx, line 1: a Matrix Market file begins with '%%MatrixMarket matrix coordinate'"
        ));
        assert!(
            utf8.unwrap_err()
                .ends_with("b.txt, line 2: this is not UTF-8")
        );
        assert_eq!(good.unwrap().edges.pairs(), [(0, 1)]);
        assert!(missing.unwrap_err().contains("missing: "));
        assert!(folder.is_err());
    }
}
