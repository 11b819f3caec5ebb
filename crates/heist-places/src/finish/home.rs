//! The home's sums of a finish, and its decision whether the finish has ended.

use std::collections::{BTreeMap, BTreeSet};

use super::{Failure, Report, leftmost};
use crate::PlaceError;

/// The sums of all reports of one finish.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Home {
    /// The numbers of sent and received tasks, by pairs of sender and receiver.
    pairs: BTreeMap<(usize, usize), Pair>,
    failure: Option<Failure>,
    /// The places that the home knew to be dead when it opened the finish. These places have no task of the finish, and have sent no task
    /// of the finish.
    before: BTreeSet<usize>,
    /// The deaths of which the home has learnt since it opened the finish. The finish may end only
    /// after each living place knows of these deaths.
    asked: BTreeSet<usize>,
    /// The deaths that each other place knew at a moment when it had no live task.
    known: BTreeMap<usize, BTreeSet<usize>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Pair {
    sent: u64,
    received: u64,
}

impl Home {
    pub(super) fn new(before: &BTreeSet<usize>) -> Self {
        let mut home = Home::default();
        if !cfg!(heist_mutant = "forget_before") {
            home.before.clone_from(before);
        }
        home
    }

    pub(super) fn ask(&mut self, dead: &[usize]) {
        let later = dead.iter().filter(|place| !self.before.contains(place));
        self.asked.extend(later);
    }

    pub(super) fn add(&mut self, from: usize, report: Report) {
        for (to, tasks) in report.sent.iter() {
            let pair = self.pairs.entry((from, to)).or_default();
            pair.sent = pair.sent.saturating_add(tasks);
        }
        for (sender, tasks) in report.received.iter() {
            let pair = self.pairs.entry((sender, from)).or_default();
            pair.received = pair.received.saturating_add(tasks);
        }
        leftmost(&mut self.failure, report.failure);
        if !cfg!(heist_mutant = "deaf_home") {
            self.ask(&report.dead);
        }
        if report.idle && !report.dead.is_empty() {
            self.known.entry(from).or_default().extend(report.dead);
        }
    }

    /// Returns the outcome of the finish, or `None` if some tasks may not have ended. The caller must have checked that the home has no
    /// live task of the finish.
    pub(super) fn outcome(
        &self,
        here: usize,
        places: usize,
        dead: &BTreeSet<usize>,
    ) -> Option<Result<(), PlaceError>> {
        let mut lost: Option<(usize, u64)> = None;
        for (&(from, to), pair) in &self.pairs {
            let gone = [from, to].into_iter().find(|place| dead.contains(place));
            match gone {
                None if cfg!(heist_mutant = "sent_only") => {}
                None if pair.sent != pair.received => return None,
                None => {}
                Some(place) => {
                    let missing = pair.sent.saturating_sub(pair.received);
                    if missing > 0 {
                        let entry = lost.get_or_insert((place, 0));
                        entry.1 += missing;
                    }
                }
            }
        }
        let knows = |place: usize| {
            let known = self.known.get(&place);
            self.asked
                .iter()
                .all(|dead| known.is_some_and(|known| known.contains(dead)))
        };
        let mut others = (0..places).filter(|place| *place != here && !dead.contains(place));
        let all_know = self.asked.is_subset(dead) && others.all(knows);
        if !all_know && !cfg!(heist_mutant = "no_probe") {
            return None;
        }
        Some(match (lost, &self.failure) {
            // Report the loss instead of the program's own failure, which may not be the leftmost failure.
            (Some((place, tasks)), _) => Err(PlaceError::Lost { place, tasks }),
            (None, Some(failure)) => Err(failure.error.clone()),
            (None, None) => Ok(()),
        })
    }
}
