//! Ways in which tasks are spawned and wait.

use std::fmt;
use std::str::FromStr;

/// A way to spawn tasks that wait for one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entrant {
    /// No tasks: the steps one after another in a loop.
    Serial,
    /// An async task of Heist for each; a waiting task is suspended.
    HeistAsync,
    /// A fiber of Heist for each: a closure with a stack of its own; a waiting fiber is suspended.
    HeistFiber,
    /// A closure on Heist for each; a waiting closure holds its thread, and a spare thread takes over the worker's slot.
    HeistBlocking,
    /// A thread of the system for each task; a waiting task blocks its thread.
    Threads,
    /// A task of Tokio's multi-thread runtime for each; a waiting task is suspended.
    Tokio,
    /// Rayon, where work can be cut so that no task ever waits: a parallel loop for each round, or for each
    /// level of dependences. This is not the same model, but it is what a user of rayon would write.
    Rayon,
}

impl Entrant {
    /// All of them.
    pub const ALL: &[Entrant] = &[
        Entrant::Serial,
        Entrant::HeistAsync,
        Entrant::HeistFiber,
        Entrant::HeistBlocking,
        Entrant::Threads,
        Entrant::Tokio,
        Entrant::Rayon,
    ];

    /// All but Rayon: where tasks must wait.
    pub(super) const WAITING: &[Entrant] = Entrant::ALL.split_at(Entrant::ALL.len() - 1).0;

    /// The word for it on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Entrant::Serial => "serial",
            Entrant::HeistAsync => "async",
            Entrant::HeistFiber => "fiber",
            Entrant::HeistBlocking => "blocking",
            Entrant::Threads => "threads",
            Entrant::Tokio => "tokio",
            Entrant::Rayon => "rayon",
        }
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Entrant {
    type Err = String;

    fn from_str(word: &str) -> Result<Entrant, String> {
        let known = Entrant::ALL.iter().find(|entrant| entrant.name() == word);
        known.copied().ok_or_else(|| {
            let names: Vec<&str> = Entrant::ALL.iter().map(|entrant| entrant.name()).collect();
            format!("'{word}' is no entrant; there are {}", names.join(", "))
        })
    }
}
