//! Source files, and places in them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The index of a file in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A part of a file: the bytes `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file of the span.
    pub file: FileId,
    /// The index of the first byte.
    pub start: u32,
    /// The index after the last byte.
    pub end: u32,
}

impl Span {
    /// The span of code that does not come from a source text.
    pub const NONE: Span = Span {
        file: FileId(u32::MAX),
        start: 0,
        end: 0,
    };

    /// Returns the span from the start of `self` to the end of `last`, which must be in the same file.
    #[must_use]
    pub fn to(self, last: Span) -> Span {
        Span {
            end: last.end.max(self.end),
            ..self
        }
    }

    /// Returns the empty span before the first byte of `self`.
    #[must_use]
    pub fn before(self) -> Span {
        Span {
            end: self.start,
            ..self
        }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// One source text.
#[derive(Debug)]
pub struct File {
    /// The path of the file that messages print.
    pub path: PathBuf,
    /// The text. The text need not be UTF-8, because SML sources may be in Latin-1.
    pub text: Vec<u8>,
    /// Whether the text is part of the Basis. A text of the Basis may name primitives, and the compiler gives no warnings about the text.
    pub builtin: bool,
}

/// All files of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Arc<File>>,
}

impl Sources {
    /// Adds a file.
    pub fn add(
        &mut self,
        path: impl Into<PathBuf>,
        text: impl Into<Vec<u8>>,
        builtin: bool,
    ) -> FileId {
        let text = text.into();
        self.files.push(Arc::new(File {
            path: path.into(),
            text,
            builtin,
        }));
        FileId(self.files.len() as u32 - 1)
    }

    /// Returns the file with this index, or `None` for the file of [`Span::NONE`].
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&Arc<File>> {
        self.files.get(id.0 as usize)
    }
}
