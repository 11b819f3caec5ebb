#![doc = include_str!("README.md")]

mod breaking;
mod gather;
mod look;
mod report;
#[cfg(all(test, target_os = "linux", not(miri), not(heist_model)))]
mod tests;

pub use report::{DeadlockReport, Stuck, WaiterKind, Waiters};

use crate::platform::PerProcess;
use crate::task::discard;
use crate::waiting::set_watch;
use crate::worker::Crew;
use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The crews of this process.
static CREWS: PerProcess<Mutex<Vec<Weak<Crew>>>> = PerProcess::new();

/// From now on the crew's threads are known, and so a deadlock of them can be.
pub(crate) fn enlist(crew: &Arc<Crew>) {
    let mut crews = CREWS.get().lock().unwrap_or_else(PoisonError::into_inner);
    crews.retain(|crew| crew.strong_count() > 0);
    crews.push(Arc::downgrade(crew));
    drop(crews);
    set_watch(watch);
}

/// One look, and the actions on its result. Never unwinds: the caller waits in the middle of a join, a
/// scope or an `install`, whose other side uses its stack.
fn watch() {
    if let Err(payload) = catch_unwind(look_and_act) {
        // The panic hook has told of it.
        discard(payload);
    }
}

fn look_and_act() {
    let Some(deadlock) = look::look(crews()) else {
        return;
    };
    let report = gather::gather(&deadlock);
    report::tell(&deadlock.crews, &report);
    // The handler may have mended it.
    drop(deadlock);
    if let Some(deadlock) = look::look(crews()) {
        breaking::end_waits(&deadlock);
    }
}

fn crews() -> Vec<Arc<Crew>> {
    let crews = CREWS.get().lock().unwrap_or_else(PoisonError::into_inner);
    crews.iter().filter_map(Weak::upgrade).collect()
}
