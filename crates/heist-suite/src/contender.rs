//! Who competes.

/// A way to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contender {
    /// The serial elision: every fork is two calls.
    Serial,
    /// Heist's `join`.
    Heist,
    /// Heist's `join_hint`.
    HeistHint,
    /// Rayon.
    Rayon,
    /// Chili with its default heartbeat.
    Chili,
}

impl Contender {
    /// Every contender; all but the finish-style programs run under each.
    pub const ALL: &'static [Contender] = &[
        Contender::Serial,
        Contender::Heist,
        Contender::HeistHint,
        Contender::Rayon,
        Contender::Chili,
    ];
}
