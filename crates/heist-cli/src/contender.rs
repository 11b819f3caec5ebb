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
        Contender::Under(_) => "heist-the",
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
