//! One place's part in a call of `balance`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::Bag;
use super::lifelines::lifelines;
use super::table::Key;
use super::tasks::{Fail, Gift, Steal};
use crate::caught::Caught;
use crate::place::{Place, lock};
use crate::slot::{Setter, Slot, slot};
use crate::wire::append;
use crate::world::read;
use crate::{PlaceError, World};

/// The time for which a worker should process items between two of its checks for requests.
const TURN: Duration = Duration::from_micros(50);

/// One place's part in a call of `balance`.
pub(super) struct Instance<B> {
    state: Mutex<State<B>>,
    /// True if places or idle workers have requested work. The flag is a hint: threads set it under the lock, and workers read it without
    /// the lock. Relaxed is enough, because a worker reads the flag again soon.
    asked: AtomicBool,
}

struct State<B> {
    over: bool,
    jobs: HashMap<u64, Job<B>>,
    next_job: u64,
    /// The job whose items the workers have, if any worker has items.
    current: Option<u64>,
    /// The number of workers that have items of the current job.
    active: usize,
    /// Bags that no worker has taken, with their jobs.
    queue: VecDeque<(u64, B)>,
    /// The workers without work.
    idle: Vec<Setter<Option<B>>>,
    /// True while a worker of this place looks for work at other places.
    seeking: bool,
    /// Places that have made a random request to this place and wait for the answer.
    thieves: VecDeque<(usize, Setter<bool>)>,
    /// Places that have asked this place along a lifeline. These requests wait until this place has work.
    waiting: Vec<usize>,
    /// The lifelines of this place that have not brought work yet.
    registered: HashSet<usize>,
    /// Waiters for the end of the balance.
    watchers: Vec<Setter<()>>,
    /// The setter of the outcome. This field is `None` at places other than the home, and after the outcome has been set.
    failed: Option<Setter<Result<B, PlaceError>>>,
}

/// The work on a bag that another place has given, or on the first bag.
struct Job<B> {
    /// The merged results of the finished parts.
    results: Option<B>,
    /// The number of parts that are not done: bags given to other places, bags in the queue, and the
    /// workers' current bag.
    parts: usize,
    /// Receives the job's results, or `None` if the balancing ends before the job.
    done: Setter<Option<B>>,
}

impl<B: Bag> State<B> {
    fn add_job(&mut self, bag: B) -> Slot<Option<B>> {
        let (setter, done) = slot();
        let number = self.next_job;
        self.next_job += 1;
        self.jobs.insert(
            number,
            Job {
                results: None,
                parts: 0,
                done: setter,
            },
        );
        self.add_part(number, bag);
        done
    }

    fn add_part(&mut self, job: u64, bag: B) {
        if let Some(job) = self.jobs.get_mut(&job) {
            job.parts += 1;
        }
        self.queue.push_back((job, bag));
        if self.current.is_none()
            && let Some(worker) = self.idle.pop()
        {
            worker.set(self.take());
        }
    }

    /// Takes a bag out of the queue. Returns `None` if the queue is empty, if a worker has items, or if the balancing is over.
    fn take(&mut self) -> Option<B> {
        if self.current.is_some() || self.over {
            return None;
        }
        let (job, bag) = self.queue.pop_front()?;
        self.current = Some(job);
        self.active = 1;
        Some(bag)
    }

    fn add_results(&mut self, job: u64, bag: B) {
        if let Some(job) = self.jobs.get_mut(&job) {
            match &mut job.results {
                Some(results) => results.merge(bag),
                None => job.results = Some(bag),
            }
        }
    }

    fn end_part(&mut self, number: u64) {
        let Some(job) = self.jobs.get_mut(&number) else {
            return;
        };
        job.parts -= 1;
        if job.parts == 0
            && let Some(job) = self.jobs.remove(&number)
        {
            job.done.set(job.results);
        }
    }
}

impl<B: Bag> Instance<B> {
    pub(super) fn new(over: bool) -> Self {
        Instance {
            state: Mutex::new(State {
                over,
                jobs: HashMap::new(),
                next_job: 0,
                current: None,
                active: 0,
                queue: VecDeque::new(),
                idle: Vec::new(),
                seeking: false,
                thieves: VecDeque::new(),
                waiting: Vec::new(),
                registered: HashSet::new(),
                watchers: Vec::new(),
                failed: None,
            }),
            asked: AtomicBool::new(false),
        }
    }

    /// Adds the first bag, and returns a future for the outcome. Only the home may call this
    /// function.
    pub(super) fn begin(self: &Arc<Self>, place: &Place, bag: B) -> Slot<Result<B, PlaceError>> {
        let (setter, outcome) = slot();
        let mut state = lock(&self.state);
        state.failed = Some(setter);
        let done = state.add_job(bag);
        drop(state);
        let instance = Arc::clone(self);
        place.spawn(async move {
            let bag = done.await;
            let setter = lock(&instance.state).failed.take();
            if let (Some(bag), Some(setter)) = (bag, setter) {
                setter.set(Ok(bag));
            }
        });
        outcome
    }

    /// Sets the outcome to an error. Only the home's part has an outcome.
    pub(super) fn fail(&self, error: PlaceError) {
        let setter = lock(&self.state).failed.take();
        if let Some(setter) = setter {
            setter.set(Err(error));
        }
    }

    /// Ends this place's part: tells workers to stop, and ends all waits.
    pub(super) fn end(&self) {
        let mut state = lock(&self.state);
        state.over = true;
        let idle = std::mem::take(&mut state.idle);
        let thieves = std::mem::take(&mut state.thieves);
        let watchers = std::mem::take(&mut state.watchers);
        let jobs = std::mem::take(&mut state.jobs);
        state.queue.clear();
        drop(state);
        jobs.into_values().for_each(|job| job.done.set(None));
        idle.into_iter().for_each(|worker| worker.set(None));
        thieves
            .into_iter()
            .for_each(|(_, answer)| answer.set(false));
        watchers.into_iter().for_each(|watcher| watcher.set(()));
    }

    /// Waits until this place's part ends.
    pub(super) fn watch(&self) -> Slot<()> {
        let (setter, end) = slot();
        let mut state = lock(&self.state);
        if state.over {
            drop(state);
            setter.set(());
        } else {
            state.watchers.push(setter);
        }
        end
    }

    /// Takes a bag that the place `from` has given, and returns a future for its results. Returns `None`
    /// if the balancing is over.
    pub(super) fn accept(&self, from: usize, bag: B) -> Option<Slot<Option<B>>> {
        let mut state = lock(&self.state);
        state.registered.remove(&from);
        if state.over {
            return None;
        }
        Some(state.add_job(bag))
    }

    /// Handles the request of another place for a bag. The answer is true if this place has sent a bag.
    pub(super) fn ask(&self, thief: usize, lifeline: bool) -> Slot<bool> {
        let (setter, answer) = slot();
        let mut state = lock(&self.state);
        if lifeline && !state.waiting.contains(&thief) {
            state.waiting.push(thief);
            self.asked.store(true, Ordering::Relaxed);
        }
        if lifeline || state.current.is_none() {
            drop(state);
            setter.set(false);
        } else {
            state.thieves.push_back((thief, setter));
            self.asked.store(true, Ordering::Relaxed);
        }
        answer
    }

    /// Gives parts of a worker's bag to idle workers of this place, and then to places that have requested work.
    fn share(self: &Arc<Self>, world: &World, key: Key, bag: &mut B) {
        let mut state = lock(&self.state);
        let Some(job) = state.current.filter(|_| !state.over) else {
            return;
        };
        while !state.idle.is_empty() {
            let Some(half) = bag.split() else {
                return;
            };
            state.active += 1;
            if let Some(worker) = state.idle.pop() {
                worker.set(Some(half));
            }
        }
        while let Some((thief, answer)) = state.thieves.pop_front() {
            match bag.split() {
                Some(half) => {
                    self.give(&mut state, world, key, job, thief, &half);
                    answer.set(true);
                }
                None => {
                    state.thieves.push_front((thief, answer));
                    return;
                }
            }
        }
        while let Some(thief) = state.waiting.pop() {
            let Some(half) = bag.split() else {
                state.waiting.push(thief);
                return;
            };
            self.give(&mut state, world, key, job, thief, &half);
        }
        self.asked.store(false, Ordering::Relaxed);
    }

    /// Sends a bag to another place, and keeps a copy until the results have arrived.
    fn give(
        self: &Arc<Self>,
        state: &mut State<B>,
        world: &World,
        key: Key,
        job: u64,
        thief: usize,
        half: &B,
    ) {
        if let Some(job) = state.jobs.get_mut(&job) {
            job.parts += 1;
        }
        let copy = append(half, Vec::new());
        let results = world.at(thief, Gift::<B>::new(key, world.here(), copy.clone()));
        let instance = Arc::clone(self);
        let teller = world.clone();
        let here = world.here();
        // Functions of the bag may panic in this future.
        let taken = Caught::new(async move {
            let results = results.await;
            let mut state = lock(&instance.state);
            match results {
                Ok(Some(bytes)) if !state.over => {
                    state.add_results(job, read(here, &bytes)?);
                    state.end_part(job);
                }
                // The balancing is over, or the place has died or left. If the place has died or left, this place repeats the work.
                Ok(_) | Err(PlaceError::Lost { .. } | PlaceError::Left { .. }) => {
                    state.redo(job, here, &copy)?;
                }
                // The work would fail at this place, too.
                Err(error) => return Err(error),
            }
            Ok(())
        });
        world.place().spawn(async move {
            let taken = taken.await;
            let taken = taken.unwrap_or_else(|payload| Err(PlaceError::of_panic(here, &*payload)));
            if let Err(error) = taken {
                // This call panics if this place's part has ended in the meantime, because of a failure at
                // another place.
                let told = Caught::new(async move {
                    drop(teller.at(key.home, Fail::<B>::new(key, error)).await);
                });
                drop(told.await);
            }
        });
    }

    /// Runs a worker, which processes items until the balancing is over.
    pub(super) async fn work(self: Arc<Self>, world: World, key: Key) {
        let mut most = 16;
        let mut next = lock(&self.state).take();
        loop {
            let Some(mut bag) = next else {
                next = self.idle(&world, key).await;
                if next.is_none() {
                    return;
                }
                continue;
            };
            loop {
                let started = Instant::now();
                let more = bag.process(most);
                let taken = started.elapsed();
                // If the bag has no items left, `taken` is not the time of a whole chunk.
                if more && taken < TURN / 2 {
                    most = (most * 2).min(1 << 20);
                } else if taken > TURN * 2 {
                    most = (most / 2).max(1);
                }
                if !more {
                    break;
                }
                if self.asked.load(Ordering::Relaxed) {
                    self.share(&world, key, &mut bag);
                }
                // Give way to replies and other tasks of this place.
                Turn(false).await;
                if lock(&self.state).over {
                    return;
                }
            }
            next = self.exhausted(bag);
        }
    }

    /// Takes back a worker's bag that has no items left. Returns another bag of this place if the queue has a bag for the worker, and
    /// otherwise `None`.
    fn exhausted(&self, bag: B) -> Option<B> {
        let mut state = lock(&self.state);
        let job = state.current?;
        state.add_results(job, bag);
        state.active -= 1;
        if state.active > 0 {
            return None;
        }
        state.current = None;
        state.end_part(job);
        let next = state.take();
        if next.is_none() {
            let thieves = std::mem::take(&mut state.thieves);
            drop(state);
            thieves
                .into_iter()
                .for_each(|(_, answer)| answer.set(false));
        }
        next
    }

    /// Waits for work at this place or asks other places for work, and returns a bag for a worker without work. Returns `None` when the
    /// balancing is over.
    async fn idle(self: &Arc<Self>, world: &World, key: Key) -> Option<B> {
        let seeks = {
            let mut state = lock(&self.state);
            let next = state.take();
            if next.is_some() || state.over {
                return next;
            }
            let seeks = state.current.is_none() && !state.seeking;
            state.seeking |= seeks;
            seeks
        };
        if seeks {
            let found = self.seek(world, key).await;
            lock(&self.state).seeking = false;
            if found.is_some() {
                return found;
            }
        }
        let (setter, work) = slot();
        {
            let mut state = lock(&self.state);
            let next = state.take();
            if next.is_some() || state.over {
                return next;
            }
            state.idle.push(setter);
            // With this store, this worker asks the other workers of this place to share their work, if they have any.
            self.asked.store(true, Ordering::Relaxed);
        }
        work.await
    }

    /// Asks other places for work: first random places, as many as this place has lifelines, then the places on the lifelines.
    async fn seek(&self, world: &World, key: Key) -> Option<B> {
        let (here, places) = (world.here(), world.places());
        let lines = lifelines(here, places);
        let mut random =
            (here as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ lock(&self.state).next_job;
        for _ in 0..lines.len() {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let victim = (here + 1 + random as usize % (places - 1)) % places;
            let _ = world.at(victim, Steal::<B>::new(key, here, false)).await;
            if let Some(found) = self.found() {
                return found;
            }
        }
        for line in lines {
            let new = lock(&self.state).registered.insert(line);
            if new
                && world
                    .at(line, Steal::<B>::new(key, here, true))
                    .await
                    .is_err()
            {
                lock(&self.state).registered.remove(&line);
            }
            if let Some(found) = self.found() {
                return found;
            }
        }
        None
    }

    /// Returns `Some(Some(bag))` if a bag has arrived, `Some(None)` if the search is no longer necessary, and `None` if the search must
    /// continue.
    fn found(&self) -> Option<Option<B>> {
        let mut state = lock(&self.state);
        let next = state.take();
        let stop = next.is_some() || state.over || state.current.is_some();
        stop.then_some(next)
    }
}

impl<B: Bag> State<B> {
    /// Adds the copy of a lost bag to the queue.
    fn redo(&mut self, job: u64, here: usize, copy: &[u8]) -> Result<(), PlaceError> {
        if !self.over {
            self.add_part(job, read(here, copy)?);
            self.end_part(job);
        }
        Ok(())
    }
}

/// A future that yields once to other tasks of the pool.
struct Turn(bool);

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
