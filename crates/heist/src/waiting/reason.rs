//! Waits and their reasons, for reports.

use crate::trace::{EventKind, Name};
use std::fmt;
use std::panic::Location;

/// A wait: the kind of its subject, the place where that was made, and the place where the wait began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The construct's name.
    pub(crate) construct: &'static &'static str,
    /// Place where the construct was made.
    pub(crate) made: &'static Location<'static>,
    /// Place where the wait began.
    pub(crate) waits: &'static Location<'static>,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} made at {}, awaited at {}",
            self.construct, self.made, self.waits
        )
    }
}

/// Reason why a thread or a task waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// For a construct of `sync`.
    Construct(Site),
    /// For any other future.
    Foreign,
    /// For the result of a `JoinHandle`.
    Handle,
    /// For a frame that was stolen.
    Join,
    /// For the tasks of a scope.
    Scope,
    /// For jobs that were given to a pool.
    Job,
    /// For a pool to end.
    Close,
    /// For the operating system, in a closure that has said so.
    Blocking,
}

impl Reason {
    /// Name of the subject of a wait.
    pub(crate) fn what(self) -> &'static str {
        self.name()
    }

    fn name(self) -> &'static &'static str {
        match self {
            Reason::Construct(site) => site.construct,
            Reason::Foreign => &"a future from outside of Heist",
            Reason::Handle => &"the task of a JoinHandle",
            Reason::Join => &"the other side of a join",
            Reason::Scope => &"the tasks of a finish",
            Reason::Job => &"a closure given to a pool",
            Reason::Close => &"the end of a pool",
            Reason::Blocking => &"the system, in a blocking region",
        }
    }

    /// Event of a trace when a thread begins to wait.
    pub(crate) fn begins(self) -> EventKind {
        EventKind::WaitBegins {
            what: Name::new(self.name()),
            at: self.site().map(|site| site.waits),
        }
    }

    /// Whether the wait can be left before its end: no other thread uses the waiter's stack.
    pub(crate) fn can_be_left(self) -> bool {
        matches!(
            self,
            Reason::Construct(_) | Reason::Foreign | Reason::Handle
        )
    }

    /// The construct's own data, if the subject is one.
    pub(crate) fn site(self) -> Option<Site> {
        match self {
            Reason::Construct(site) => Some(site),
            _ => None,
        }
    }
}

impl From<Site> for Reason {
    fn from(site: Site) -> Self {
        Reason::Construct(site)
    }
}

impl From<Option<Site>> for Reason {
    fn from(site: Option<Site>) -> Self {
        site.map_or(Reason::Foreign, Reason::Construct)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what())?;
        match self.site() {
            Some(site) => write!(f, " made at {}", site.made),
            None => Ok(()),
        }
    }
}
