//! Workloads in which thieves steal during the whole run.

use std::hint::{black_box, spin_loop};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, io, thread};

use heist_deque::{Owner, Steal, Thief};

use super::{Account, Delivery, Logs, Stage, Task};

/// A run with thieves. The owner makes `items` puts, and then takes items until the deque is empty. After each take the owner runs the
/// item's task. The thieves steal from the first put to the last take, and run the tasks of the items that they get.
#[derive(Clone, Copy, Debug)]
pub struct Raid<'a> {
    /// The number of items that the owner puts.
    pub items: usize,
    /// The task of each item.
    pub task: Task,
    /// The number of threads that steal.
    pub thieves: usize,
    /// The CPUs on which the threads run.
    pub stage: &'a Stage,
}

/// A deque on which raids run.
pub trait RaidBench {
    /// Runs the raid, with the calling thread as the owner, and returns the owner's time and the account of the items. The time is
    /// measured from the first put until the owner finds the deque empty.
    ///
    /// # Errors
    /// Returns an error if a thread got an item that was never put, or if an item was lost. Returns an error if an item left the deque
    /// twice although `delivery` forbids it, or if the system does not confine a thread to its CPU.
    ///
    /// # Panics
    /// Panics if there are more than 2^32 items, or if no thread can be started.
    fn run(
        &mut self,
        raid: Raid<'_>,
        delivery: Delivery,
        logs: &mut Logs,
    ) -> Result<(Duration, Account), RunError>;
}

/// The reason why a raid failed.
#[derive(Debug)]
pub enum RunError {
    /// The items that the threads took are not the items that the owner put. The text describes the difference.
    Wrong(String),
    /// The system did not confine a thread to its CPUs.
    Stage(io::Error),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Wrong(what) => f.write_str(what),
            RunError::Stage(error) => write!(f, "a thread cannot be kept to its CPUs: {error}"),
        }
    }
}

impl std::error::Error for RunError {}

/// The bench around a deque. The deque is empty between runs.
pub(super) struct Robbed<O>(pub(super) O);

impl<O: Owner<Item = usize>> RaidBench for Robbed<O>
where
    O::Thief: Send,
{
    fn run(
        &mut self,
        raid: Raid<'_>,
        delivery: Delivery,
        logs: &mut Logs,
    ) -> Result<(Duration, Account), RunError> {
        assert!(
            u32::try_from(raid.items).is_ok(),
            "items have 32 bits in the logs"
        );
        let threads = 1 + raid.thieves;
        logs.clear(threads);
        let (own_log, thief_logs) = logs.taken.split_first_mut().expect("the owner's at least");
        raid.stage.enter(0, threads).map_err(RunError::Stage)?;
        // On a thread that is confined to one CPU, `available_parallelism` returns 1, so this code does not call it on such a thread.
        let crowded = !raid.stage.pins(threads)
            && thread::available_parallelism().is_ok_and(|cpus| cpus.get() < threads);
        let (ready, over) = (&Barrier::new(threads), &AtomicBool::new(false));
        let owner = &mut self.0;
        let time = thread::scope(|scope| {
            let mut placed = Vec::new();
            for (index, log) in thief_logs.iter_mut().enumerate() {
                let thief = owner.thief();
                placed.push(scope.spawn(move || {
                    let placed = raid.stage.enter(index + 1, threads);
                    ready.wait();
                    steal(&thief, raid.task, log, over, crowded);
                    placed
                }));
            }
            // End the raid even if a deque panics: otherwise the thieves would continue forever, and the scope would wait for them.
            let end = Over(over);
            ready.wait();
            let time = own(owner, raid, own_log);
            drop(end);
            // A thief may be in the middle of a theft that needs the owner's answer, or be about to give an item back.
            while !placed.iter().all(|thief| thief.is_finished()) {
                drain(owner, own_log);
                thread::yield_now();
            }
            drain(owner, own_log);
            for thief in placed {
                thief.join().expect("no thief panics")?;
            }
            Ok(time)
        })
        .map_err(RunError::Stage)?;
        let account = logs.account(raid.items, delivery);
        Ok((time, account.map_err(RunError::Wrong)?))
    }
}

/// Takes all remaining items out of the deque.
fn drain<O: Owner<Item = usize>>(owner: &mut O, log: &mut Vec<u32>) {
    while let Some(item) = owner.pop() {
        log.push(item as u32);
    }
}

/// A guard that ends the raid when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        // Relaxed: the flag publishes no other writes, and the owner joins the thieves before it reads their logs.
        self.0.store(true, Ordering::Relaxed);
    }
}

#[inline(never)]
fn own<O: Owner<Item = usize>>(owner: &mut O, raid: Raid<'_>, log: &mut Vec<u32>) -> Duration {
    let start = Instant::now();
    for item in 0..raid.items {
        owner.push(item);
    }
    let mut state = 1;
    while let Some(item) = owner.pop() {
        log.push(item as u32);
        state = raid.task.run(state);
    }
    let time = start.elapsed();
    black_box(state);
    time
}

#[inline(never)]
fn steal<T: Thief<Item = usize>>(
    thief: &T,
    task: Task,
    log: &mut Vec<u32>,
    over: &AtomicBool,
    crowded: bool,
) {
    let mut state = 1;
    while !over.load(Ordering::Relaxed) {
        match thief.steal() {
            Steal::Success(item) => {
                log.push(item as u32);
                state = task.run(state);
            }
            // Yield, because the owner may need this CPU.
            Steal::Empty | Steal::Retry if crowded => thread::yield_now(),
            Steal::Empty | Steal::Retry => spin_loop(),
        }
    }
    black_box(state);
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::deques::{Calibration, deques};

    fn raid(items: usize, thieves: usize, stage: &Stage) -> Raid<'_> {
        Raid {
            items,
            task: Calibration::measure().task(20),
            thieves,
            stage,
        }
    }

    #[test]
    fn every_deque_accounts_for_every_item() {
        let mut logs = Logs::default();
        let stage = Stage::default();
        for deque in deques().iter().filter(|deque| deque.has_thieves()) {
            let items = 20_000;
            let mut bench = deque.raid(items).unwrap();
            for thieves in [0, 1, 3] {
                let (_, account) = bench
                    .run(raid(items, thieves, &stage), deque.delivery, &mut logs)
                    .unwrap_or_else(|wrong| panic!("{}, {thieves} thieves: {wrong}", deque.name));
                assert_eq!(account.taken.len(), 1 + thieves);
                assert_eq!(account.multiplicity.iter().sum::<u64>(), items as u64);
                if deque.delivery == Delivery::ExactlyOnce {
                    assert_eq!(account.repeats(), 0);
                }
            }
        }
    }

    /// A faulty deque. The thieves of this deque either do not remove the items that they take, or lose these items.
    #[derive(Clone)]
    struct Crooked {
        items: Arc<Mutex<Vec<usize>>>,
        steal: fn(&mut Vec<usize>) -> Option<usize>,
    }

    impl Owner for Crooked {
        type Item = usize;
        type Thief = Crooked;
        fn thief(&self) -> Crooked {
            self.clone()
        }
        fn push(&mut self, item: usize) {
            self.items.lock().unwrap().push(item);
        }
        fn pop(&mut self) -> Option<usize> {
            // Yield, so that a thief probably runs before the owner takes the last item.
            thread::yield_now();
            self.items.lock().unwrap().pop()
        }
    }

    impl Thief for Crooked {
        type Item = usize;
        fn steal(&self) -> Steal<usize> {
            match (self.steal)(&mut self.items.lock().unwrap()) {
                Some(item) => Steal::Success(item),
                None => Steal::Empty,
            }
        }
        fn is_empty(&self) -> bool {
            self.items.lock().unwrap().is_empty()
        }
    }

    fn crooked(
        steal: fn(&mut Vec<usize>) -> Option<usize>,
        delivery: Delivery,
    ) -> Result<Account, RunError> {
        let owner = Crooked {
            items: Arc::default(),
            steal,
        };
        let (stage, mut logs) = (Stage::default(), Logs::default());
        // Repeat the run until a thief has got an item, which may take long on a busy machine.
        loop {
            let (_, account) =
                Robbed(owner.clone()).run(raid(20_000, 1, &stage), delivery, &mut logs)?;
            if account.taken[1] > 0 {
                return Ok(account);
            }
        }
    }

    #[test]
    fn repeats_are_counted_where_they_may_be_and_refused_where_not() {
        let copy: fn(&mut Vec<usize>) -> Option<usize> = |items| items.last().copied();
        let account = crooked(copy, Delivery::AtLeastOnce).unwrap();
        assert_eq!(account.repeats(), account.taken[1]);
        assert!(account.multiplicity.len() > 1);
        let refused = crooked(copy, Delivery::ExactlyOnce)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("times"), "{refused}");
    }

    #[test]
    fn lost_items_are_refused() {
        let lose: fn(&mut Vec<usize>) -> Option<usize> = |items| {
            if items.len() > 1 {
                items.pop();
            }
            items.pop()
        };
        let refused = crooked(lose, Delivery::AtLeastOnce)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("lost"), "{refused}");
    }
}
