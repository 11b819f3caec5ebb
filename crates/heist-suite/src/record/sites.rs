//! Fork sites: places in the source where a program forks.

use std::panic::Location;

/// A place in the source where a program forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The path of the file, as it was given to the compiler.
    pub file: &'static str,
    /// The number of the line.
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

/// The share of one fork site in a profile. A strand belongs to the site of the innermost fork whose branches contain it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The fork site.
    pub site: Site,
    /// The number of forks at the site.
    pub forks: u64,
    /// The time of the site's strands, in seconds.
    pub work: f64,
    /// The time of the site's strands on the longest chain, in seconds.
    pub on_span: f64,
}

/// The fork sites that the run has met, by number.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// The known places. One place can have several addresses, so searches compare the places and not their addresses.
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
