//! Entrants: ways to run tasks that wait.

use std::fmt;
use std::str::FromStr;

/// A way to run tasks that wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entrant {
    /// No tasks: a loop runs the steps one after the other.
    Serial,
    /// A Heist async task for each task of the program. A waiting task is suspended.
    HeistAsync,
    /// A Heist fiber (a closure with a stack of its own) for each task of the program. A waiting fiber is suspended.
    HeistFiber,
    /// A closure on Heist for each task of the program. A waiting closure holds its thread, and a spare thread takes over the worker's
    /// slot.
    HeistBlocking,
    /// A system thread for each task of the program. A waiting task blocks its thread.
    Threads,
    /// A task in Tokio's multi-thread runtime for each task of the program. A waiting task is suspended.
    Tokio,
    /// Rayon, with a parallel loop for each round, or for each level of dependences. This entrant can run only programs with work that can
    /// be divided so that no task ever waits. Rayon's model differs from the models of the other entrants, but a user of rayon would write
    /// the program with parallel loops.
    Rayon,
}

impl Entrant {
    /// All entrants.
    pub const ALL: &[Entrant] = &[
        Entrant::Serial,
        Entrant::HeistAsync,
        Entrant::HeistFiber,
        Entrant::HeistBlocking,
        Entrant::Threads,
        Entrant::Tokio,
        Entrant::Rayon,
    ];

    /// All entrants except Rayon, for programs whose tasks must wait.
    pub(super) const WAITING: &[Entrant] = Entrant::ALL.split_at(Entrant::ALL.len() - 1).0;

    /// Returns the entrant's name on a command line.
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
