//! The libraries. The compiler contains the sources of the libraries, and compiles a library only with programs that name the library.
//!
//! A list of files names a library by its path, `$(SML_LIB)/heist/seq.sml`. A program without a list names a library by
//! mentioning one of its structures or functors.

use crate::basis::BasisFile;
use crate::basis::demand::module_names;

/// A library: one source file that is part of the compiler.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// The source text.
    pub file: BasisFile,
    /// The structures and functors that the file declares for programs.
    names: &'static [&'static str],
    /// The names of the libraries that the file needs. These libraries come earlier in [`LIBRARIES`].
    needs: &'static [&'static str],
}

macro_rules! library {
    ($file:literal, $names:expr, $needs:expr) => {
        Library {
            file: BasisFile {
                name: concat!("library/", $file),
                text: include_str!(concat!("../library/", $file)),
            },
            names: &$names,
            needs: &$needs,
        }
    };
}

/// All libraries. Each library comes after the libraries that it needs.
pub const LIBRARIES: &[Library] = &[
    library!("seq.sml", ["Seq"], []),
    library!("delayed.sml", ["Delayed"], []),
    library!("text.sml", ["ParText"], []),
    library!(
        "table.sml",
        [
            "HashTable",
            "HashSet",
            "StringTable",
            "StringSet",
            "IntTable",
            "IntSet"
        ],
        ["seq.sml"]
    ),
    library!("graph.sml", ["Graph"], ["seq.sml", "text.sml"]),
    library!("geometry.sml", ["Geometry"], ["seq.sml"]),
];

impl Library {
    /// Returns the file's name in the folder of libraries.
    #[must_use]
    pub fn name(&self) -> &'static str {
        &self.file.name["library/".len()..]
    }

    /// Returns the libraries that the file needs.
    pub fn needs(&self) -> impl Iterator<Item = &'static Library> + use<> {
        self.needs.iter().filter_map(|name| find(name))
    }
}

/// Returns the library whose file has this name in the folder of libraries.
#[must_use]
pub fn find(name: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|library| library.name() == name)
}

/// Returns the libraries that declare names which these texts mention, and the libraries that these libraries need. The result has the
/// order of [`LIBRARIES`].
#[must_use]
pub fn mentioned(texts: &[&[u8]]) -> Vec<&'static Library> {
    let mut found = [false; LIBRARIES.len()];
    for text in texts {
        for word in module_names(text) {
            for (library, found) in LIBRARIES.iter().zip(&mut found) {
                *found |= library.names.iter().any(|name| name.as_bytes() == word);
            }
        }
    }
    // A library comes after the libraries that it needs, so the search goes backwards.
    for at in (0..LIBRARIES.len()).rev() {
        if !found[at] {
            continue;
        }
        for (library, found) in LIBRARIES.iter().zip(&mut found) {
            *found |= LIBRARIES[at].needs.contains(&library.name());
        }
    }
    let all = LIBRARIES.iter().zip(found);
    all.filter_map(|(library, found)| found.then_some(library))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        let found = mentioned(&[text.as_bytes()]);
        found.iter().map(|library| library.name()).collect()
    }

    #[test]
    fn only_whole_names_count() {
        assert_eq!(names("val x = Seq.map f a"), ["seq.sml"]);
        assert_eq!(names("structure S = Delayed"), ["delayed.sml"]);
        assert!(names("val Sequence = MySeq.x val Seq' = seq Seq_").is_empty());
    }

    #[test]
    fn needed_files_come_first() {
        let graph = ["seq.sml", "text.sml", "graph.sml"];
        assert_eq!(names("Graph.arcs g"), graph);
        assert_eq!(names("(IntSet.set 10)"), ["seq.sml", "table.sml"]);
        for (at, library) in LIBRARIES.iter().enumerate() {
            for needed in library.needs {
                let place = LIBRARIES.iter().position(|it| it.name() == *needed);
                assert!(place.is_some_and(|place| place < at), "{needed}");
            }
        }
    }

    /// Checks that each library declares the names that the table gives. Another test checks `needs`: it compiles each library with only
    /// the libraries in its `needs`.
    #[test]
    fn names_are_those_of_the_files() {
        for library in LIBRARIES {
            for name in library.names {
                let declared = ["structure", "functor"]
                    .iter()
                    .any(|kind| library.file.text.contains(&format!("\n{kind} {name} ")));
                assert!(declared, "{name} is not in {}", library.file.name);
            }
        }
    }
}
