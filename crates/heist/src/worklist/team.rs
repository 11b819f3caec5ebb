//! Those who work on one worklist: their deques, their loop, and how they come and go.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use heist_deque::{Owner, Steal, Thief};

use super::census::Census;
use super::report::Counts;
use super::seeds::{Draw, Seeds};
use super::{Context, Queue};
use crate::finish::Finish;

/// How long a member without items looks for some before it gives its worker back to the pool. As
/// long as workers search before they sleep.
const PATIENCE: Duration = Duration::from_micros(50);

/// How often a thief tries one victim in vain before it goes on to the next.
const TRIES: usize = 32;

/// In [`Team::signal`]: somebody stopped the worklist, or panicked. The rest counts vacant stations.
const STOP: u32 = 1 << 31;

type ThiefOf<Q, T> = <<Q as Queue<T>>::Owner as Owner>::Thief;

/// A member's place: a deque, whoever owns it at the moment.
struct Station<Q: Queue<T>, T> {
    owner: Q::Owner,
    counts: Counts,
}

/// A worklist while it runs.
pub(super) struct Team<Q: Queue<T>, T, I, F> {
    /// A thief's end of each station's deque.
    thieves: Vec<ThiefOf<Q, T>>,
    /// The stations that nobody is at.
    vacant: Mutex<Vec<(usize, Station<Q, T>)>>,
    /// How many stations are vacant, less the members invited but not there yet; and [`STOP`]. Members read this
    /// word for each item, and it rarely changes.
    signal: AtomicU32,
    census: Census,
    seeds: Seeds<I>,
    work: F,
}

/// What a context can ask of its team, whose type it does not know.
pub(super) trait Host {
    fn invite(&self);
    fn stop(&self);
}

/// A member of the team for the time of one task of the scope.
struct Member<'a, 'scope, Q: Queue<T>, T, I, F> {
    team: &'scope Team<Q, T, I, F>,
    scope: &'a Finish<'scope>,
}

impl<Q, T, I, F> Team<Q, T, I, F>
where
    Q: Queue<T>,
    T: Send,
    I: Iterator<Item = T> + Send,
    F: Fn(T, &mut Context<'_, Q, T>) + Sync,
{
    pub(super) fn new(members: usize, seeds: I, work: F) -> Self {
        let stations: Vec<(usize, Station<Q, T>)> = (0..members)
            .map(|nth| {
                (
                    nth,
                    Station {
                        owner: Q::make(),
                        counts: Counts::default(),
                    },
                )
            })
            .collect();
        Team {
            thieves: stations
                .iter()
                .map(|(_, station)| station.owner.thief())
                .collect(),
            vacant: Mutex::new(stations),
            // All but the one that the first member takes.
            signal: AtomicU32::new(members as u32 - 1),
            // The first member, and the seeds that are not yet drawn.
            census: Census::new(2),
            seeds: Seeds::new(seeds),
            work,
        }
    }

    fn vacant(&self) -> MutexGuard<'_, Vec<(usize, Station<Q, T>)>> {
        // Nothing panics under the lock.
        self.vacant.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a vacant station and works until the worklist is over, or until there has been nothing
    /// to do for a while. `busy`: the census knows of the caller already.
    pub(super) fn attend<'scope>(&'scope self, scope: &Finish<'scope>, busy: bool) {
        let Some((place, mut station)) = self.vacant().pop() else {
            unreachable!("who comes has been counted off the vacant stations");
        };
        let member = Member { team: self, scope };
        let mut context = Context::new(&mut station.owner, place, &self.signal, &member);
        let on_panic = StopOnPanic(self);
        self.run(&mut context, busy);
        std::mem::forget(on_panic);
        let counts = context.into_counts();
        station.counts.add(counts);
        self.vacant().push((place, station));
        // Relaxed: a hint to invite somebody, who then takes the lock.
        self.signal.fetch_add(1, Ordering::Relaxed);
    }

    fn run(&self, context: &mut Context<'_, Q, T>, mut busy: bool) {
        loop {
            if !busy {
                match self.search(context) {
                    Found::Item(item) => {
                        (self.work)(item, context);
                        context.counts.processed += 1;
                    }
                    Found::Drawn => {}
                    Found::Nothing => return,
                }
            }
            loop {
                if self.is_stopped() {
                    return;
                }
                let Some(item) = context.owner.pop() else {
                    break;
                };
                (self.work)(item, context);
                context.counts.processed += 1;
            }
            self.census.leave();
            busy = false;
        }
    }

    /// Looks for items until there are some, the worklist is over, or patience ends. If it finds
    /// any, the census knows of the caller.
    fn search(&self, context: &mut Context<'_, Q, T>) -> Found<T> {
        let mut began = None;
        let mut spins = 1;
        loop {
            if self.is_stopped() || self.census.is_over() {
                return Found::Nothing;
            }
            if !self.seeds.are_dry() {
                if !self.census.enter() {
                    return Found::Nothing;
                }
                let draw = self.seeds.draw(|item| context.owner.push(item));
                match draw {
                    Draw::Some(count) => {
                        context.counts.pushed += count;
                        return Found::Drawn;
                    }
                    Draw::Nothing => {}
                    // For the seeds.
                    Draw::Dry => self.census.leave(),
                }
                self.census.leave();
            }
            if let Some(item) = self.steal(context) {
                return Found::Item(item);
            }
            if *began.get_or_insert_with(Instant::now) + PATIENCE < Instant::now() {
                return Found::Nothing;
            }
            for _ in 0..spins {
                std::hint::spin_loop();
            }
            spins = (spins * 2).min(64);
        }
    }

    /// Tries each of the others once.
    fn steal(&self, context: &mut Context<'_, Q, T>) -> Option<T> {
        let members = self.thieves.len();
        let first = context.random_below(members);
        for nth in 0..members {
            let place = (first + nth) % members;
            if place == context.place {
                continue;
            }
            let thief = &self.thieves[place];
            if thief.is_empty() {
                continue;
            }
            // Before the steal: whoever loses an item may count himself out at once.
            if !self.census.enter() {
                return None;
            }
            for _ in 0..TRIES {
                match thief.steal() {
                    Steal::Success(item) => {
                        context.counts.stolen += 1;
                        return Some(item);
                    }
                    Steal::Empty => break,
                    Steal::Retry => std::hint::spin_loop(),
                }
            }
            self.census.leave();
        }
        None
    }

    fn is_stopped(&self) -> bool {
        // Relaxed: a request; what was done before it, the end of the scope shows.
        self.signal.load(Ordering::Relaxed) & STOP != 0
    }

    /// What all did, when all are gone.
    pub(super) fn into_counts(self) -> (Vec<Counts>, bool) {
        let stopped = self.is_stopped();
        let mut stations = self
            .vacant
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        stations.sort_by_key(|&(place, _)| place);
        (
            stations
                .into_iter()
                .map(|(_, station)| station.counts)
                .collect(),
            stopped,
        )
    }
}

/// What a search came to.
enum Found<T> {
    Item(T),
    /// Seeds, which are in the own deque now.
    Drawn,
    Nothing,
}

/// Ends the worklist for the others when a closure of the user panics.
struct StopOnPanic<'a, Q: Queue<T>, T, I, F>(&'a Team<Q, T, I, F>);

impl<Q: Queue<T>, T, I, F> Drop for StopOnPanic<'_, Q, T, I, F> {
    fn drop(&mut self) {
        self.0.signal.fetch_or(STOP, Ordering::Relaxed);
    }
}

impl<'scope, Q, T, I, F> Host for Member<'_, 'scope, Q, T, I, F>
where
    Q: Queue<T>,
    T: Send,
    I: Iterator<Item = T> + Send,
    F: Fn(T, &mut Context<'_, Q, T>) + Sync,
{
    #[cold]
    fn invite(&self) {
        let team = self.team;
        // Relaxed: the lock of the stations orders what matters.
        let seen = team.signal.load(Ordering::Relaxed);
        if seen & STOP == 0
            && seen > 0
            && team
                .signal
                .compare_exchange(seen, seen - 1, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        {
            self.scope.spawn(move |scope| team.attend(scope, false));
        }
    }

    fn stop(&self) {
        self.team.signal.fetch_or(STOP, Ordering::Relaxed);
    }
}
