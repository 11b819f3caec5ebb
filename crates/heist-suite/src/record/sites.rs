//! Places in the source where a program forks.

use std::panic::Location;

/// A place in the source where a program forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The file, as the compiler was given it.
    pub file: &'static str,
    /// The line.
    pub line: u32,
}

impl From<&'static Location<'static>> for Site {
    fn from(at: &'static Location<'static>) -> Site {
        Site {
            file: at.file(),
            line: at.line(),
        }
    }
}

/// Share of one fork site. A strand belongs to the innermost fork in whose branches it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The fork site.
    pub site: Site,
    /// Number of forks.
    pub forks: u64,
    /// The time of its strands, in seconds.
    pub work: f64,
    /// The time of those of its strands that are on the longest chain, in seconds.
    pub on_span: f64,
}

/// The fork sites met so far, by number.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// The known places. One place can have several addresses, so the places themselves are
    /// compared.
    known: Vec<&'static Location<'static>>,
    last: usize,
}

impl Sites {
    pub(super) fn number(&mut self, at: &'static Location<'static>) -> usize {
        let same = |known: &&'static Location<'static>| std::ptr::eq(*known, at) || *known == at;
        if self.known.get(self.last).is_some_and(same) {
            return self.last;
        }
        self.last = match self.known.iter().position(same) {
            Some(found) => found,
            None => {
                self.known.push(at);
                self.known.len() - 1
            }
        };
        self.last
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Site> {
        self.known.iter().map(|&at| at.into())
    }
}
