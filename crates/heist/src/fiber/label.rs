//! Names of fibers, for messages.

use std::panic::Location;
use std::sync::Arc;

/// A fiber's name, if it has one, and the place where it was spawned.
#[derive(Clone, Debug)]
pub(crate) struct FiberLabel {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) spawned: &'static Location<'static>,
}

impl FiberLabel {
    /// Returns the label of a fiber that the caller spawns.
    #[track_caller]
    pub(crate) fn here(name: Option<&str>) -> Self {
        FiberLabel {
            name: name.map(Arc::from),
            spawned: Location::caller(),
        }
    }

    /// Returns the pieces of the text `fiber "NAME" (spawned at FILE:` or
    /// `fiber (spawned at FILE:`, after which the caller writes the line and a parenthesis. The
    /// text is in pieces, because a signal handler cannot format.
    pub(super) fn pieces(&self) -> [&str; 5] {
        let (open, name, close) = match self.name.as_deref() {
            Some(name) => ("fiber \"", name, "\""),
            None => ("fiber", "", ""),
        };
        [open, name, close, " (spawned at ", self.spawned.file()]
    }
}

impl std::fmt::Display for FiberLabel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{})", self.pieces().concat(), self.spawned.line())
    }
}
