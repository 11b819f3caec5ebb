#![doc = include_str!("README.md")]

mod counts;
#[cfg(test)]
mod explore;
mod home;
#[cfg(test)]
mod programs;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::PlaceError;
pub(crate) use counts::Counts;
use home::Home;

/// The name of a finish at all places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct FinishId {
    pub(crate) home: usize,
    pub(crate) number: u64,
}

/// The position of a task or a failure in the serial elision of the finish. The smallest position comes first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Position(pub(crate) Vec<u64>);

/// A failure of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) at: Position,
    pub(crate) error: PlaceError,
}

/// A report to the home of a finish.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Report {
    /// The numbers of tasks received since the last report, by sender.
    pub(crate) received: Counts,
    /// The numbers of tasks sent since the last report, by receiver.
    pub(crate) sent: Counts,
    /// The leftmost failure since the last report.
    pub(crate) failure: Option<Failure>,
    /// The places that the reporter knows to be dead.
    pub(crate) dead: Vec<usize>,
    /// True if the reporter had no live task of the finish.
    pub(crate) idle: bool,
}

/// An action that the caller of a step must take. If a step returns several actions, the caller
/// must take them in that order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Send this report to the home of this finish.
    Report(FinishId, Report),
    /// Ask this place for a report on this finish that names these deaths.
    Probe(usize, FinishId, Vec<usize>),
    /// End a finish of this place: the first field is the number of the finish, and the second field is its outcome.
    Done(u64, Result<(), PlaceError>),
}

/// The tasks of one finish at one place, as counted since the last report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Local {
    /// The number of tasks that are at this place and have not ended, including visits.
    live: u32,
    received: Counts,
    sent: Counts,
    failure: Option<Failure>,
}

impl Local {
    fn fail(&mut self, failure: Option<Failure>) {
        leftmost(&mut self.failure, failure);
    }

    fn has_news(&self) -> bool {
        !self.received.is_empty() || !self.sent.is_empty() || self.failure.is_some()
    }
}

/// Keeps the failure that comes first in the serial elision.
fn leftmost(kept: &mut Option<Failure>, other: Option<Failure>) {
    if let Some(other) = other
        && kept.as_ref().is_none_or(|kept| other.at < kept.at)
    {
        *kept = Some(other);
    }
}

/// One place's part in all finishes. This type has no locks and sends no messages, so that a model can run the same steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Finishes {
    here: usize,
    places: usize,
    next: u64,
    locals: BTreeMap<FinishId, Local>,
    homes: BTreeMap<u64, Home>,
    dead: BTreeSet<usize>,
    /// Probes that homes have sent. The answers to these probes wait until this place notices a death, or until its tasks end.
    probes: Vec<(FinishId, Vec<usize>)>,
    /// True if messages have arrived that the place has not received yet. Reports wait for these messages, because they may belong to the
    /// same finish.
    held: bool,
    /// Finishes that have had no live task at this place, and whose reports wait.
    waiting: Vec<FinishId>,
}

impl Finishes {
    pub(crate) fn new(here: usize, places: usize) -> Self {
        Finishes {
            here,
            places,
            next: 0,
            locals: BTreeMap::new(),
            homes: BTreeMap::new(),
            dead: BTreeSet::new(),
            probes: Vec::new(),
            held: false,
            waiting: Vec::new(),
        }
    }

    /// Step 1: opens a finish whose home is this place. The body of the finish counts as a live
    /// task.
    pub(crate) fn open(&mut self) -> FinishId {
        let id = FinishId {
            home: self.here,
            number: self.next,
        };
        self.next += 1;
        self.homes.insert(id.number, Home::new(&self.dead));
        self.locals.entry(id).or_default().live = 1;
        id
    }

    /// Step 2: a live task of this place spawns a task at this place.
    pub(crate) fn spawn(&mut self, id: FinishId) {
        self.locals.entry(id).or_default().live += 1;
    }

    /// Step 3: a live task of this place is about to send a task to another place.
    pub(crate) fn send(&mut self, id: FinishId, to: usize) {
        self.locals.entry(id).or_default().sent.add(to, 1);
    }

    /// Step 4: a task has arrived.
    pub(crate) fn receive(&mut self, id: FinishId, from: usize) {
        let local = self.locals.entry(id).or_default();
        local.live += 1;
        local.received.add(from, 1);
    }

    /// Step 5: a visit has arrived. A visit is a task whose caller stays live until it has the answer, so reports do not count visits.
    pub(crate) fn visit(&mut self, id: FinishId) {
        self.locals.entry(id).or_default().live += 1;
    }

    /// Step 6: counts the end of a task, or of a visit that has started no task.
    pub(crate) fn end(&mut self, id: FinishId, failure: Option<Failure>) -> Vec<Action> {
        let mut actions = Vec::new();
        let Some(local) = self.locals.get_mut(&id) else {
            return actions;
        };
        local.fail(failure);
        local.live -= 1;
        if local.live == 0 && self.held {
            self.waiting.push(id);
        } else if local.live == 0 {
            self.report(id, &mut actions);
            self.answer(&mut actions);
        }
        actions
    }

    /// Holds reports back until the call of [`release`](Finishes::release), because more messages have arrived.
    pub(crate) fn hold(&mut self) {
        self.held = true;
    }

    /// Step 6, later: the place has received all messages that have arrived, so it sends the reports that wait.
    pub(crate) fn release(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.held = false;
        for id in std::mem::take(&mut self.waiting) {
            let idle = self.locals.get(&id).is_some_and(|local| local.live == 0);
            if idle || cfg!(heist_mutant = "release_busy") {
                self.report(id, &mut actions);
            }
        }
        self.answer(&mut actions);
        actions
    }

    /// Step 6 for a visit that has spawned tasks, or has lost calls: this place first sends a separate report of the visit's tasks. The
    /// caller of the visit gets its answer when the home has this report. Returns the report, unless this place is the home and has added
    /// the report itself.
    pub(crate) fn end_visit(
        &mut self,
        id: FinishId,
        sent: Counts,
    ) -> (Option<Report>, Vec<Action>) {
        let report = Report {
            sent,
            dead: self.dead.iter().copied().collect(),
            ..Report::default()
        };
        let mut actions = Vec::new();
        if cfg!(heist_mutant = "visit_unreported") {
            let local = self.locals.entry(id).or_default();
            report
                .sent
                .iter()
                .for_each(|(to, tasks)| local.sent.add(to, tasks));
            return (None, self.end(id, None));
        }
        let report = if id.home == self.here {
            self.take(self.here, id, report, &mut actions);
            None
        } else {
            Some(report)
        };
        actions.extend(self.end(id, None));
        (report, actions)
    }

    /// Step 7: the home receives a report.
    pub(crate) fn receive_report(
        &mut self,
        from: usize,
        id: FinishId,
        report: Report,
    ) -> Vec<Action> {
        let mut actions = Vec::new();
        self.take(from, id, report, &mut actions);
        actions
    }

    /// Step 8: the place `place` has died. No message from this place follows.
    pub(crate) fn down(&mut self, place: usize) -> Vec<Action> {
        let mut actions = Vec::new();
        self.dead.insert(place);
        let dead: Vec<usize> = self.dead.iter().copied().collect();
        let open: Vec<u64> = self.homes.keys().copied().collect();
        for number in open {
            let id = FinishId {
                home: self.here,
                number,
            };
            for other in
                (0..self.places).filter(|other| *other != self.here && !self.dead.contains(other))
            {
                actions.push(Action::Probe(other, id, dead.clone()));
            }
            if let Some(home) = self.homes.get_mut(&number) {
                home.ask(&dead);
            }
            if !self.locals.contains_key(&id) {
                self.decide(id, &mut actions);
            }
        }
        self.answer(&mut actions);
        actions
    }

    /// Step 9: a home asks for a report that names these deaths.
    pub(crate) fn probe(&mut self, id: FinishId, dead: Vec<usize>) -> Vec<Action> {
        let mut actions = Vec::new();
        self.probes.push((id, dead));
        self.answer(&mut actions);
        actions
    }

    fn report(&mut self, id: FinishId, actions: &mut Vec<Action>) {
        let Some(local) = self.locals.remove(&id) else {
            return;
        };
        let news = local.has_news();
        let report = Report {
            received: local.received,
            sent: local.sent,
            failure: local.failure,
            dead: self.dead.iter().copied().collect(),
            idle: true,
        };
        if id.home == self.here {
            self.take(self.here, id, report, actions);
        } else if news && !self.dead.contains(&id.home) {
            actions.push(Action::Report(id, report));
        }
    }

    /// Answers the probes whose conditions are met.
    fn answer(&mut self, actions: &mut Vec<Action>) {
        let (here, locals) = (&self.dead, &self.locals);
        self.probes.retain(|(id, dead)| {
            if here.contains(&id.home) {
                return false;
            }
            let idle = !locals.contains_key(id) || cfg!(heist_mutant = "probe_busy");
            if !idle || !dead.iter().all(|place| here.contains(place)) {
                return true;
            }
            let report = Report {
                dead: here.iter().copied().collect(),
                idle: true,
                ..Report::default()
            };
            actions.push(Action::Report(*id, report));
            false
        });
    }

    fn take(&mut self, from: usize, id: FinishId, report: Report, actions: &mut Vec<Action>) {
        let home = self.homes.get_mut(&id.number);
        let Some(home) = home.filter(|_| id.home == self.here) else {
            return;
        };
        home.add(from, report);
        // While this place has live tasks, the finish has not ended.
        if !self.locals.contains_key(&id) {
            self.decide(id, actions);
        }
    }

    fn decide(&mut self, id: FinishId, actions: &mut Vec<Action>) {
        let Some(home) = self.homes.get(&id.number) else {
            return;
        };
        if let Some(outcome) = home.outcome(self.here, self.places, &self.dead) {
            self.homes.remove(&id.number);
            actions.push(Action::Done(id.number, outcome));
        }
    }
}
