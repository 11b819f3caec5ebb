//! The report of a deadlock: its parts and its text.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Number of groups of waiters that a printed report names.
const GROUPS: usize = 10;

/// The report of a deadlock. No thread of the process can run any more. The report contains all waiters of the process,
/// and the subjects of their waits. See [`Builder::deadlock_handler`](crate::Builder::deadlock_handler).
///
/// The report's `Display` form has several lines. The first line begins with `heist: deadlock:`. The other lines name the ten largest
/// groups of waiters.
#[derive(Clone, Debug, Default)]
pub struct DeadlockReport {
    stuck: Vec<Stuck>,
}

/// A subject of waits in a [deadlock](DeadlockReport): the constructs of one kind that were created at one place. If a kind of wait needs
/// no construct, all waits of this kind have one subject.
#[derive(Clone, Debug)]
pub struct Stuck {
    what: &'static str,
    is_construct: bool,
    made: Option<&'static Location<'static>>,
    waiters: Vec<Waiters>,
}

/// A group of waiters of one kind that wait at one place for one [subject](Stuck).
#[derive(Clone, Debug)]
pub struct Waiters {
    pub(crate) kind: WaiterKind,
    pub(crate) count: usize,
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) spawned: Option<&'static Location<'static>>,
    pub(crate) waits: Option<&'static Location<'static>>,
}

/// The kind of a waiting strand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum WaiterKind {
    /// A task of [`spawn_async`](crate::spawn_async) or of a similar function.
    AsyncTask,
    /// A task of [`spawn_when`](crate::sync::spawn_when) that has not started.
    DataDrivenTask,
    /// A fiber.
    Fiber,
    /// A closure that occupies a thread of a pool.
    Worker,
    /// A thread that is not a worker.
    Thread,
}

impl DeadlockReport {
    /// Returns the subjects of waits. Constructs of [`sync`](crate::sync) come first, ordered by their number of
    /// waiters.
    pub fn stuck(&self) -> &[Stuck] {
        &self.stuck
    }

    /// Returns the number of all waiters.
    pub fn waiting(&self) -> usize {
        self.stuck.iter().map(Stuck::waiting).sum()
    }

    pub(crate) fn add(
        &mut self,
        (what, is_construct, made): (&'static str, bool, Option<&'static Location<'static>>),
        waiters: Waiters,
    ) {
        let same = |stuck: &&mut Stuck| stuck.what == what && stuck.made == made;
        if let Some(stuck) = self.stuck.iter_mut().find(same) {
            stuck.waiters.push(waiters);
            return;
        }
        self.stuck.push(Stuck {
            what,
            is_construct,
            made,
            waiters: vec![waiters],
        });
    }

    /// Sorts the report, so that its order does not depend on the order of the waiters.
    pub(crate) fn sort(&mut self) {
        for stuck in &mut self.stuck {
            stuck.waiters.sort_by_key(|waiters| {
                (
                    std::cmp::Reverse(waiters.count),
                    waiters.spawned,
                    waiters.waits,
                )
            });
        }
        self.stuck.sort_by_key(|stuck| {
            (
                !stuck.is_construct,
                std::cmp::Reverse(stuck.waiting()),
                stuck.made,
                stuck.what,
            )
        });
    }
}

impl Stuck {
    /// Returns the subject's name. For a construct, the name is the name of its type, such as `Barrier`. Otherwise the name is a short
    /// description.
    pub fn what(&self) -> &str {
        self.what
    }

    /// Returns the place where the subject was made, if it is a construct of [`sync`](crate::sync).
    pub fn made(&self) -> Option<&'static Location<'static>> {
        self.made
    }

    /// Returns the subject's waiters, the largest group first.
    pub fn waiters(&self) -> &[Waiters] {
        &self.waiters
    }

    /// Returns the number of the subject's waiters.
    pub fn waiting(&self) -> usize {
        self.waiters.iter().map(Waiters::count).sum()
    }
}

impl Waiters {
    /// Returns the kind of the waiters.
    pub fn kind(&self) -> WaiterKind {
        self.kind
    }

    /// Returns the number of the waiters.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the names of some of the waiters. Fibers and threads have their own names, whereas workers have the name of the pool.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// Returns the place where the waiters were spawned, if they are tasks.
    pub fn spawned(&self) -> Option<&'static Location<'static>> {
        self.spawned
    }

    /// Returns the place where the waiters wait, if they wait for a construct of [`sync`](crate::sync).
    pub fn waits(&self) -> Option<&'static Location<'static>> {
        self.waits
    }
}

impl fmt::Display for DeadlockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting = self.waiting();
        let verb = if waiting == 1 { "waits" } else { "wait" };
        write!(
            f,
            "heist: deadlock: nothing can run any more, but {waiting} {verb}:"
        )?;
        let mut left = GROUPS;
        for stuck in &self.stuck {
            let shown = stuck.waiters.len().min(left);
            if shown == 0 {
                break;
            }
            left -= shown;
            write!(f, "\n  for {}", stuck.what)?;
            if let Some(made) = stuck.made {
                write!(f, " made at {made}")?;
            }
            f.write_str(":")?;
            for waiters in &stuck.waiters[..shown] {
                write!(f, "\n    {waiters}")?;
            }
        }
        let groups = || self.stuck.iter().flat_map(|stuck| &stuck.waiters);
        let more = groups().count() - (GROUPS - left);
        if more > 0 {
            let waiting: usize = waiting - self.shown();
            write!(f, "\n  and {more} more groups of {waiting} in all")?;
        }
        Ok(())
    }
}

impl DeadlockReport {
    /// Returns the number of waiters in the printed groups.
    fn shown(&self) -> usize {
        let groups = self.stuck.iter().flat_map(|stuck| &stuck.waiters);
        groups.take(GROUPS).map(Waiters::count).sum()
    }
}

impl fmt::Display for Waiters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, many) = match self.kind {
            WaiterKind::AsyncTask => ("async task", "async tasks"),
            WaiterKind::DataDrivenTask => ("data-driven task", "data-driven tasks"),
            WaiterKind::Fiber => ("fiber", "fibers"),
            WaiterKind::Worker => ("closure on a worker", "closures on workers"),
            WaiterKind::Thread => ("thread outside", "threads outside"),
        };
        write!(
            f,
            "{} {}",
            self.count,
            if self.count == 1 { one } else { many }
        )?;
        for (nth, name) in self.names().enumerate() {
            write!(f, "{}{name:?}", if nth == 0 { " " } else { ", " })?;
        }
        if self.names.len() > 1 && self.count > self.names.len() {
            f.write_str(", ...")?;
        }
        if let Some(spawned) = self.spawned {
            write!(f, " spawned at {spawned}")?;
        }
        if let Some(waits) = self.waits {
            write!(f, ", waiting at {waits}")?;
        }
        Ok(())
    }
}
