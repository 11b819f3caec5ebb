//! Parallel sequences of the items of any iterator.
//!
//! Workers take items from the iterator one after another, under a lock. The workers process the items in parallel. The items that one
//! worker takes in succession form a run. Each run has a state, like a part of any other loop. Neighbouring runs are merged. So the result
//! has the iterator's order.

use super::owned::OwnedSource;
use crate::cancel::is_cancellation;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::splitting::{Drive, Site};
use crate::par::{Lazy, Par, Splitting};
use crate::sync::{Mutex, MutexGuard};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// The least time for which the items that a worker takes in one step keep it busy, if the iterator promises enough items.
const LONG: Duration = Duration::from_micros(5);
/// Maximum number of items that a worker takes at a time.
const MANY: usize = 1024;
/// The number of times that a worker checks whether the lock of the iterator is free. After these checks, the worker gives its slot away
/// and waits.
const LOOKS: usize = 200;

/// The sequence that [`iter.par_bridge()`](crate::par::ParBridge::par_bridge) returns: the items of an iterator.
#[derive(Clone, Debug)]
pub struct ParIter<I> {
    // This field is `None` after the sequence has run.
    items: Option<I>,
}

impl<I> ParIter<I> {
    pub(crate) fn new(items: I) -> Self {
        ParIter { items: Some(items) }
    }
}

impl<I> ParIter<I> {
    /// Takes the iterator out of the sequence.
    fn taken(&mut self) -> Self {
        ParIter {
            items: self.items.take(),
        }
    }
}

impl<I> Par for ParIter<I>
where
    I: Iterator<Item: Send> + Send,
{
    type Item = I::Item;
    type Policy = Lazy;

    fn policy(&self) -> Lazy {
        Lazy
    }

    // The number of items is unknown, so the loop never counts as short.
    fn bound(&self) -> usize {
        usize::MAX
    }

    fn exact_len(&self) -> Option<usize> {
        None
    }

    fn drive<X, J>(self, _policy: X, job: &J, origin: Origin<'_>) -> J::State
    where
        X: Splitting,
        J: Job<I::Item>,
    {
        Bridge {
            feed: Mutex::new(Feed {
                items: self.items,
                at: 0,
            }),
            drive: Drive::new(job, origin),
            done: std::sync::Mutex::new(Done {
                runs: BTreeMap::new(),
                panic: None,
            }),
        }
        .run()
    }

    fn flat<J>(&mut self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<I::Item>,
    {
        let origin = Origin {
            site: Site::of(Self::flat::<J> as *const ()),
            outer: Some(scope),
        };
        let all = self.taken().drive(Lazy, job, origin);
        job.merge(state, all);
    }

    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<I::Item>,
    {
        let origin = Origin {
            site: Site::of(Self::whole::<J> as *const ()),
            outer: None,
        };
        job.finish(self.taken().drive(Lazy, job, origin))
    }
}

/// The state of a running operation on the items of an iterator.
struct Bridge<'d, I, J, S> {
    // A mutex whose waiters give up their slots, because the iterator may itself wait, or run a loop. A worker that runs a part of such a
    // loop does not wait for this mutex at the same time: a waiter of a join runs only tasks of that join.
    feed: Mutex<Feed<I>>,
    drive: Drive<'d, J>,
    // No user code runs while this lock is held.
    done: std::sync::Mutex<Done<S>>,
}

/// The state of the iterator.
struct Feed<I> {
    /// The iterator. This field is `None` after the iterator has ended or panicked.
    items: Option<I>,
    /// Number of items that have been taken.
    at: usize,
}

/// The results of the items that have been processed.
struct Done<S> {
    /// The runs of processed items, by their first position. No two of these runs are neighbours.
    runs: BTreeMap<usize, Run<S>>,
    /// The leftmost panic and its position, if an item or the iterator has panicked.
    panic: Option<(usize, Box<dyn Any + Send>)>,
}

/// A run: consecutive items that one worker has taken, or several such runs after a merge.
struct Run<S> {
    start: usize,
    end: usize,
    state: S,
}

impl<I, J> Bridge<'_, I, J, J::State>
where
    I: Iterator<Item: Send> + Send,
    J: Job<I::Item>,
{
    fn run(self) -> J::State {
        self.spread(crate::current_threads());
        let Bridge { feed, done, .. } = self;
        // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
        drop(feed);
        let done = done.into_inner();
        let done = done.unwrap_or_else(PoisonError::into_inner);
        if let Some((_, panic)) = done.panic {
            resume_unwind(panic);
        }
        // All items that were taken have been processed, so they form a single run, or there is no item.
        debug_assert!(done.runs.len() <= 1);
        match done.runs.into_values().next() {
            Some(run) => run.state,
            None => self.drive.job.begin(0),
        }
    }

    /// Lets up to `workers` workers take items from the iterator, in parallel.
    fn spread(&self, workers: usize) {
        if workers <= 1 {
            return self.pull();
        }
        let half = workers / 2;
        crate::join(|| self.spread(half), || self.spread(workers - half));
    }

    /// Takes items and processes them, until no items are left.
    fn pull(&self) {
        let mut run: Option<Run<J::State>> = None;
        let mut items = Vec::new();
        let mut at_most = 1;
        loop {
            let at = self.take(&mut items, at_most);
            let count = items.len();
            // If the iterator promises fewer items than `at_most`, the time does not affect the next count.
            let begin = (count == at_most).then(Instant::now);
            if count == 0 {
                break;
            }
            if let Some(run) = run.take_if(|run| run.end != at) {
                self.put(run);
            }
            let done = catch_unwind(AssertUnwindSafe(|| {
                let mut run = run.take().unwrap_or_else(|| Run {
                    start: at,
                    end: at,
                    state: self.drive.job.begin(at),
                });
                let chunk = OwnedSource::emptying(&mut items);
                self.drive.chunk(&mut run.state, at, chunk);
                run.end = at + count;
                run
            }));
            match done {
                Ok(done) => run = Some(done),
                Err(panic) => return self.note(at, panic),
            }
            match begin.map(|begin| begin.elapsed()) {
                Some(took) if took < LONG => at_most = (2 * at_most).min(MANY),
                Some(took) if took > 4 * LONG => at_most = (at_most / 2).max(1),
                _ => {}
            }
        }
        if let Some(run) = run {
            self.put(run);
        }
    }

    /// Takes the next items, and returns the position of the first of these items. Takes no items if the iterator has no items left
    /// or if no more items are needed.
    ///
    /// Takes a single item, unless the iterator promises more. For example, the receiver of a channel may get its second item only
    /// after the first item has been processed.
    fn take(&self, items: &mut Vec<I::Item>, at_most: usize) -> usize {
        let mut feed = self.lock();
        let at = feed.at;
        if self.drive.limit.is_reached(at) {
            return at;
        }
        // The iterator is taken out of its field, so that after a panic the field is empty.
        let Some(mut left) = feed.items.take() else {
            return at;
        };
        let taken = catch_unwind(AssertUnwindSafe(|| {
            let count = at_most.min(left.size_hint().0).max(1);
            items.extend(left.by_ref().take(count));
            (items.len() == count).then_some(left)
        }));
        feed.at = at + items.len();
        match taken {
            Ok(left) => feed.items = left,
            // The items that were taken before the panic are still processed.
            Err(panic) => {
                let end = feed.at;
                drop(feed);
                self.note(end, panic);
            }
        }
        at
    }

    /// Locks the iterator.
    fn lock(&self) -> MutexGuard<'_, Feed<I>> {
        for _ in 0..LOOKS {
            if let Some(feed) = self.feed.try_lock() {
                return feed;
            }
            std::hint::spin_loop();
        }
        self.feed.lock()
    }

    /// Merges a run with its neighbours, and stores the result.
    fn put(&self, mut run: Run<J::State>) {
        loop {
            let (left, right) = match self.done().keep(run) {
                None => return,
                Some(neighbours) => neighbours,
            };
            let at = left.start;
            let merged = catch_unwind(AssertUnwindSafe(|| {
                let mut merged = left;
                self.drive.merge(&mut merged.state, at, right.state);
                merged.end = right.end;
                merged
            }));
            match merged {
                Ok(merged) => run = merged,
                Err(panic) => return self.note(at, panic),
            }
        }
    }

    /// Ends the loop after a panic at position `at`. Stores the panic if it is the leftmost panic so far. A panic takes precedence over the
    /// cancellation of a part.
    fn note(&self, at: usize, panic: Box<dyn Any + Send>) {
        Scope::new(&self.drive.limit, at).stop_after();
        let mut done = self.done();
        let goes_first =
            |(before, kept): &(usize, _)| match (is_cancellation(kept), is_cancellation(&panic)) {
                (true, false) => true,
                (false, true) => false,
                _ => at < *before,
            };
        if done.panic.as_ref().is_none_or(goes_first) {
            let later = done.panic.replace((at, panic));
            drop(done);
            drop(later);
        }
    }

    fn done(&self) -> std::sync::MutexGuard<'_, Done<J::State>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Done<S> {
    /// Stores a run if it has no neighbour. If the run has a neighbour, removes the neighbour and returns both runs, the left run
    /// first. The caller must then merge the two runs.
    fn keep(&mut self, run: Run<S>) -> Option<(Run<S>, Run<S>)> {
        let before = self.runs.range(..run.start).next_back();
        if let Some(&start) = before
            .filter(|(_, left)| left.end == run.start)
            .map(|(start, _)| start)
        {
            return Some((self.runs.remove(&start)?, run));
        }
        if let Some(right) = self.runs.remove(&run.end) {
            return Some((run, right));
        }
        self.runs.insert(run.start, run);
        None
    }
}
