//! The contenders by name.

use heist_suite::Contender;

/// The name on the command line and in every output.
pub(crate) fn name(who: Contender) -> &'static str {
    match who {
        Contender::Serial => "serial",
        Contender::Heist => "heist",
        Contender::HeistHint => "heist-hint",
        Contender::Rayon => "rayon",
        Contender::Chili => "chili",
        Contender::HeistWorkFirst => "heist-work-first",
        Contender::HeistAdaptive => "heist-adaptive",
        Contender::HeistWorkSharing => "heist-work-sharing",
        Contender::Threads => "threads",
    }
}

/// The contender of that name.
pub(crate) fn from_name(word: &str) -> Option<Contender> {
    Contender::ALL
        .iter()
        .copied()
        .find(|&who| name(who) == word)
}

/// All names, for messages.
pub(crate) fn names() -> String {
    Contender::ALL
        .iter()
        .map(|&who| name(who))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Whether the contender's figures are Heist's own.
pub(crate) fn is_heist(who: Contender) -> bool {
    who.spawn_policy().is_some()
}
