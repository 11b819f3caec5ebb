//! Collects the waiters and the subjects of their waits, when no thread runs any more.

use super::look::Deadlock;
use crate::suspend::{Core, Suspended, TaskKind};
use crate::waiting::{DeadlockReport, Reason, WaiterKind, Waiters};
use crate::worker::PoolInner;
use std::collections::HashMap;
use std::panic::Location;
use std::ptr::from_ref;
use std::sync::Arc;

/// Maximum number of waiters' names that the report keeps for a group.
const NAMES: usize = 3;

type Place = Option<&'static Location<'static>>;

/// Properties that the waiters of a group have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Group {
    what: &'static str,
    is_construct: bool,
    made: Place,
    kind: WaiterKind,
    spawned: Place,
    waits: Place,
}

/// The key of a group of waiters, made of addresses, because addresses compare faster than texts. A place in the program may have several
/// addresses.
type Addresses = (WaiterKind, &'static str, [usize; 3]);

#[derive(Default)]
struct Gathering {
    by_address: HashMap<Addresses, (Group, usize, Vec<Arc<str>>)>,
}

impl Gathering {
    fn add(&mut self, kind: WaiterKind, name: Option<Arc<str>>, spawned: Place, reason: Reason) {
        let site = reason.site();
        let made = site.map(|site| site.made);
        let waits = site.map(|site| site.waits);
        let address = |place: Place| place.map_or(0, |place| from_ref(place).addr());
        let what = reason.what();
        let key = (kind, what, [made, spawned, waits].map(address));
        let (_, count, names) = self.by_address.entry(key).or_insert_with(|| {
            let group = Group {
                what,
                is_construct: site.is_some(),
                made,
                kind,
                spawned,
                waits,
            };
            (group, 0, Vec::new())
        });
        *count += 1;
        if names.len() < NAMES {
            names.extend(name);
        }
    }

    fn into_report(self) -> DeadlockReport {
        let mut groups: HashMap<Group, (usize, Vec<Arc<str>>)> = HashMap::new();
        for (group, count, names) in self.by_address.into_values() {
            let of = groups.entry(group).or_default();
            of.0 += count;
            of.1.extend(names);
            of.1.truncate(NAMES);
        }
        let mut report = DeadlockReport::default();
        for (group, (count, mut names)) in groups {
            names.sort();
            let waiters = Waiters {
                kind: group.kind,
                count,
                names,
                spawned: group.spawned,
                waits: group.waits,
            };
            report.add((group.what, group.is_construct, group.made), waiters);
        }
        report.sort();
        report
    }
}

/// Returns the report of a deadlock.
pub(super) fn gather(deadlock: &Deadlock) -> DeadlockReport {
    let mut gathering = Gathering::default();
    for pool in &deadlock.pools {
        for_each_suspended(pool, |task| {
            // SAFETY: the task is suspended, and no thread runs in a deadlock, so no thread polls,
            // wakes or ends a task.
            let task = unsafe { task.info() };
            let kind = match task.kind {
                TaskKind::Async => WaiterKind::AsyncTask,
                TaskKind::DataDriven => WaiterKind::DataDrivenTask,
                TaskKind::Fiber => WaiterKind::Fiber,
            };
            gathering.add(kind, task.name, Some(task.spawned), task.reason);
        });
        for worker in pool.workers() {
            if let Some(reason) = worker.seat.reason() {
                let name = Arc::from(&*pool.settings.name);
                gathering.add(WaiterKind::Worker, Some(name), None, reason);
            }
        }
    }
    for (seat, _) in &deadlock.outside {
        if let Some(reason) = seat.seat.reason() {
            let name = seat.thread.name().map(Arc::from);
            gathering.add(WaiterKind::Thread, name, None, reason);
        }
    }
    gathering.into_report()
}

/// Calls `visit` with each suspended task of a pool. The process must be in a deadlock, so that no
/// thread runs.
pub(super) fn for_each_suspended(pool: &PoolInner, mut visit: impl FnMut(Suspended)) {
    let rolls = pool.workers().map(|worker| &worker.suspended);
    for roll in rolls.chain([&pool.suspended]) {
        // SAFETY: no thread runs in a deadlock.
        unsafe { Core::for_each_suspended(roll, &mut visit) };
    }
}
