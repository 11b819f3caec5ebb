//! The reasons of waits, for reports.

use crate::trace::{EventKind, Name};
use std::fmt;
use std::panic::Location;

/// A wait for a construct: the kind of the construct, the place where it was made, and the place
/// where the wait began.
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

/// The reason why a thread or a task waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A wait for a construct of `sync`.
    Construct(Site),
    /// A wait for any other future.
    Foreign,
    /// A wait for the result of a `JoinHandle`.
    Handle,
    /// A wait for a frame that was stolen.
    Join,
    /// A wait for the tasks of a scope.
    Scope,
    /// A wait for jobs that were given to a pool.
    Job,
    /// A wait for the end of a pool.
    Close,
    /// A wait for the operating system, inside of `blocking`.
    Blocking,
}

impl Reason {
    /// Returns the name of the subject of a wait.
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

    /// Returns the event that a trace records when a thread begins to wait.
    pub(crate) fn begins(self) -> EventKind {
        EventKind::WaitBegins {
            what: Name::new(self.name()),
            at: self.site().map(|site| site.waits),
        }
    }

    /// Returns true if the waiter can leave the wait before its end, because no other thread uses
    /// the waiter's stack.
    pub(crate) fn can_be_left(self) -> bool {
        matches!(
            self,
            Reason::Construct(_) | Reason::Foreign | Reason::Handle
        )
    }

    /// Returns the construct's data, if the subject is a construct.
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
