//! The names of contenders.

use heist::policy::{Delivery, Protocol};
use heist_suite::Contender;

/// Returns the name of a contender, as on the command line and in every output.
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
        Contender::Under(Protocol::ReturnBarrier(Delivery::Fence)) => "heist-return-barrier",
        Contender::Under(Protocol::ReturnBarrier(Delivery::Signal)) => {
            "heist-return-barrier-signal"
        }
        Contender::Under(Protocol::ReturnBarrier(_)) => "heist-return-barrier-polling",
        Contender::Under(Protocol::StopVictim) => "heist-stop-victim",
        Contender::Under(Protocol::Polled(Delivery::Fence)) => "heist-polled-fence",
        Contender::Under(Protocol::Polled(Delivery::Signal)) => "heist-polled-signal",
        Contender::Under(Protocol::Polled(_)) => "heist-polled",
        Contender::Under(Protocol::ChaseLev) => "heist-chase-lev",
        Contender::Under(Protocol::The) => "heist-the",
        Contender::Under(other) => unreachable!("{other:?} has no name"),
    }
}

/// Returns a short description of the contender.
pub(crate) fn about(who: Contender) -> &'static str {
    match who {
        Contender::Serial => "serial code: each fork becomes two calls",
        Contender::Heist => "Heist",
        Contender::HeistHint => "Heist's join_hint, which skips forks while thieves find enough",
        Contender::Rayon => "rayon",
        Contender::Chili => "chili, with its own heartbeat",
        Contender::HeistWorkFirst => "scopes of Heist: the spawner's frame can be stolen",
        Contender::HeistAdaptive => "scopes of Heist: work-first or help-first by the load",
        Contender::HeistWorkSharing => "scopes of Heist: one queue for all workers",
        Contender::Threads => "a thread of the system for each task",
        Contender::Under(Protocol::ReturnBarrier(Delivery::Fence)) => {
            "return barriers (Kumar), slow victims forced by a fence"
        }
        Contender::Under(Protocol::ReturnBarrier(Delivery::Signal)) => {
            "return barriers, slow victims interrupted by a signal"
        }
        Contender::Under(Protocol::ReturnBarrier(_)) => {
            "return barriers, thieves wait for the next fork"
        }
        Contender::Under(Protocol::StopVictim) => "each steal stops the victim (Kumar)",
        Contender::Under(Protocol::Polled(Delivery::Fence)) => {
            "private deques (Rainey), slow victims forced by a fence"
        }
        Contender::Under(Protocol::Polled(Delivery::Signal)) => {
            "private deques, slow victims interrupted by a signal"
        }
        Contender::Under(Protocol::Polled(_)) => "private deques, thieves wait for the next fork",
        Contender::Under(Protocol::ChaseLev) => "Chase and Lev's deque: a fence at each join",
        Contender::Under(Protocol::The) => "Cilk 5's deque (THE): a fence at each join",
        Contender::Under(other) => unreachable!("{other:?} has no description"),
    }
}

/// Returns the contender with the name `word`.
pub(crate) fn from_name(word: &str) -> Option<Contender> {
    Contender::all().find(|&who| name(who) == word)
}

/// Returns true if the contender is a variant of Heist.
pub(crate) fn is_heist(who: Contender) -> bool {
    who.spawn_policy().is_some() || matches!(who, Contender::Under(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn contenders_have_names_and_descriptions_of_their_own() {
        let contenders: Vec<Contender> = Contender::all().collect();
        let names: HashSet<&str> = contenders.iter().map(|&who| name(who)).collect();
        let about: HashSet<&str> = contenders.iter().map(|&who| about(who)).collect();
        assert_eq!(
            (names.len(), about.len()),
            (contenders.len(), contenders.len())
        );
    }
}
