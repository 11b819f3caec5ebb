//! Sources of real inputs.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

const WORDS: &str = include_str!("../data/words.txt");
const STARS: &str = include_str!("../data/stars.csv");
const GRAPH: &str = include_str!("../data/graph.txt");
const PROGRAM: &str = include_str!("../data/program.txt");
const SEQUENCES: &str = include_str!("../data/sequences.txt");
const MESH: &str = include_str!("../data/teapot.obj");
const POEM: &str = include_str!("../data/poem.txt");

/// The files of the real inputs. If no file is given for an input, the program uses the built-in input.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// A word list, with one word on each line.
    pub words: Option<PathBuf>,
    /// A star catalogue with lines `number,right ascension,declination,magnitude`. Angles are in degrees, and the brightest star
    /// is first.
    pub stars: Option<PathBuf>,
    /// An undirected graph. A line `v: w w w` lists neighbours of `v`, and each edge occurs once.
    pub graph: Option<PathBuf>,
    /// A program's control flow graph. A line `b: gen kill s s` describes block `b`. `gen` and `kill` are the sets of places (registers)
    /// that the block reads and overwrites. Each `s` is a block that may follow.
    pub program: Option<PathBuf>,
    /// DNA in FASTA format: each pair of sequences is an input for alignment.
    pub sequences: Option<PathBuf>,
    /// A mesh of triangles, in the OBJ format of Wavefront.
    pub mesh: Option<PathBuf>,
    /// A text in English.
    pub poem: Option<PathBuf>,
    /// A sparse matrix in the format of Matrix Market. The suite has no built-in matrix: without a file, the program makes a matrix.
    pub matrix: Option<PathBuf>,
}

/// The text of an input, and its name in messages.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: Cow<'static, str>,
}

impl Data {
    /// Looks for the files `words.txt`, `stars.csv`, `graph.txt`, `program.txt`, `sequences.txt`, `teapot.obj`, `poem.txt` and `matrix.mtx`
    /// in a directory, and returns the files that exist. The environment variable `HEIST_DATA` names the directory. If a file does not
    /// exist, programs use the built-in input in place of this file.
    pub fn locate() -> Data {
        match std::env::var_os("HEIST_DATA") {
            Some(dir) if !dir.is_empty() => Data::in_dir(Path::new(&dir)),
            _ => Data::default(),
        }
    }

    /// Returns the files of a directory. If an input has no file in the directory, the program uses the built-in input. If the directory
    /// cannot be read, a program that reads one of these inputs returns an error that names the directory.
    pub fn in_dir(dir: &Path) -> Data {
        let wrong = !dir.is_dir();
        let file = |name: &str| Some(dir.join(name)).filter(|path| wrong || path.exists());
        Data {
            words: file("words.txt"),
            stars: file("stars.csv"),
            graph: file("graph.txt"),
            program: file("program.txt"),
            sequences: file("sequences.txt"),
            mesh: file("teapot.obj"),
            poem: file("poem.txt"),
            matrix: file("matrix.mtx"),
        }
    }

    pub(crate) fn words(&self) -> Result<Source, String> {
        source(self.words.as_deref(), "the built-in word list", WORDS)
    }

    pub(crate) fn stars(&self) -> Result<Source, String> {
        source(self.stars.as_deref(), "the built-in star catalogue", STARS)
    }

    pub(crate) fn graph(&self) -> Result<Source, String> {
        source(self.graph.as_deref(), "the built-in graph", GRAPH)
    }

    pub(crate) fn program(&self) -> Result<Source, String> {
        source(self.program.as_deref(), "the built-in program", PROGRAM)
    }

    pub(crate) fn sequences(&self) -> Result<Source, String> {
        let name = "the built-in sequences";
        source(self.sequences.as_deref(), name, SEQUENCES)
    }

    pub(crate) fn mesh(&self) -> Result<Source, String> {
        source(self.mesh.as_deref(), "the built-in mesh", MESH)
    }

    pub(crate) fn poem(&self) -> Result<Source, String> {
        source(self.poem.as_deref(), "the built-in poem", POEM)
    }
}

fn source(path: Option<&Path>, name: &str, text: &'static str) -> Result<Source, String> {
    match path {
        Some(path) => open(path),
        None => Ok(Source {
            name: name.to_owned(),
            text: Cow::Borrowed(text),
        }),
    }
}

/// Reads a whole file as text.
pub(crate) fn open(path: &Path) -> Result<Source, String> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        format!("{name}, line {}: this is not UTF-8", line + 1)
    })?;
    Ok(Source {
        name,
        text: Cow::Owned(text),
    })
}

impl Source {
    /// Returns the lines that are neither empty nor comments, with their numbers.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.trim_end()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    }

    /// Returns a message about a line.
    pub(crate) fn wrong(&self, line: usize, reason: impl std::fmt::Display) -> String {
        format!("{}, line {line}: {reason}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_by_default() {
        let data = Data::default();
        assert_eq!(data.words().unwrap().lines().count(), 104_334);
        assert_eq!(data.stars().unwrap().lines().count(), 16_000);
        assert!(data.graph().unwrap().lines().count() > 1000);
    }

    #[test]
    fn a_missing_file_is_named() {
        let data = Data::in_dir(Path::new("no such directory"));
        assert!(data.words().err().unwrap().contains("no such directory"));
    }

    #[test]
    fn bad_utf8_names_the_line() {
        let dir = std::env::temp_dir().join(format!("heist-suite-data-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("words.txt"), b"good\nbad\xff\n").unwrap();
        let error = Data::in_dir(&dir).words().err().unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(
            error.contains("words.txt, line 2: this is not UTF-8"),
            "{error}"
        );
    }
}
