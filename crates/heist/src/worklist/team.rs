//! The members of one worklist: their deques, their loop, and how they join and leave.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use heist_deque::{Owner, Steal, Thief};

use super::busy_count::BusyCount;
use super::member::{Draw, Victims, World, work};
use super::progress::{Gauge, Hook};
use super::report::Counts;
use super::seeds::{Drawn, Seeds};
use super::{Context, Queue};
use crate::cancel;
use crate::finish::Finish;

/// The time for which a member without items looks for items before it returns its worker to the pool. A worker of a pool also searches for
/// up to 50 us before it sleeps.
const PATIENCE: Duration = Duration::from_micros(50);

/// Number of failed attempts at one victim after which a thief moves on to the next victim.
const TRIES: usize = 32;

/// The longest pause between two searches for work, in turns of a spin loop.
const MOST_SPINS: u32 = 64;

/// The bit of [`Team::signal`] that is set once a thread has stopped the worklist, or panicked. The other bits count
/// vacant stations.
const STOP: u32 = 1 << 31;

type ThiefOf<Q, T> = <<Q as Queue<T>>::Owner as Owner>::Thief;

/// A place for a member, with a deque. Different members may use the same station one after the
/// other.
struct Station<Q: Queue<T>, T> {
    owner: Q::Owner,
    counts: Counts,
}

/// A worklist while it runs.
pub(super) struct Team<'p, Q: Queue<T>, T, I, F> {
    /// The thief's end of each station's deque.
    thieves: Vec<ThiefOf<Q, T>>,
    /// The stations without a member.
    vacant: Mutex<Vec<(usize, Station<Q, T>)>>,
    /// Number of vacant stations, minus the number of members that are invited but have not arrived. The word also contains the bit
    /// [`STOP`]. Members read the field for each item, and the field rarely changes.
    signal: CachePadded<AtomicU32>,
    /// The busy count, which a thief writes at each attempt to steal.
    busy_count: CachePadded<BusyCount>,
    seeds: Seeds<I>,
    gauge: Option<Gauge<'p>>,
    /// The flag of the cancel scope in which the worklist runs.
    cancelled: &'p cancel::Flag,
    work: F,
}

/// A value that is alone on its two cache lines, because processors fetch cache lines in pairs.
#[repr(align(128))]
struct CachePadded<V>(V);

/// The functions of a team that a context calls. Because of this trait, the context's type does not
/// depend on the team's type.
pub(super) trait Host {
    fn invite(&self);
    fn stop(&self);
}

/// A member of the team, for the duration of one task of the scope.
struct Member<'a, 'scope, Q: Queue<T>, T, I, F> {
    team: &'scope Team<'scope, Q, T, I, F>,
    scope: &'a Finish<'scope>,
}

impl<'p, Q, T, I, F> Team<'p, Q, T, I, F>
where
    Q: Queue<T>,
    T: Send,
    I: Iterator<Item = T> + Send,
    F: Fn(T, &mut Context<'_, Q, T>) + Sync,
{
    pub(super) fn new(members: usize, hook: Option<Hook<'p>>, seeds: I, work: F) -> Self {
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
            // The first member takes one of the stations.
            signal: CachePadded(AtomicU32::new(members as u32 - 1)),
            busy_count: CachePadded(BusyCount::new()),
            seeds: Seeds::new(seeds),
            // SAFETY: all members end before the worklist does, and the caller leaves the cancel
            // scope only after the worklist has ended.
            cancelled: unsafe { cancel::flag() },
            gauge: hook.map(|hook| Gauge::new(hook, members)),
            work,
        }
    }

    fn vacant(&self) -> MutexGuard<'_, Vec<(usize, Station<Q, T>)>> {
        // No code panics under the lock.
        self.vacant.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a vacant station, and works at this station until the worklist is over, or until it has found no work for the time
    /// [`PATIENCE`]. If `busy` is true, the busy count includes the caller already.
    pub(super) fn attend<'scope>(&'scope self, scope: &Finish<'scope>, busy: bool) {
        let Some((place, mut station)) = self.vacant().pop() else {
            unreachable!("who comes has been counted off the vacant stations");
        };
        let member = Member { team: self, scope };
        let mut context = Context::new(&mut station.owner, place, &self.signal.0, &member);
        let on_panic = StopOnPanic(&self.signal.0);
        let mut world = AtWork {
            team: self,
            before: station.counts,
            context: &mut context,
            idle_since: None,
            spins: 1,
        };
        work(&mut world, &self.busy_count.0, busy);
        std::mem::forget(on_panic);
        let counts = context.into_counts();
        station.counts += counts;
        self.vacant().push((place, station));
        // Relaxed: the count is a hint to invite a worker, which then takes the lock.
        self.signal.0.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        // Relaxed: the flag is only a request. The end of the scope publishes all earlier writes.
        self.signal.0.load(Ordering::Relaxed) & STOP != 0 || self.cancelled.load(Ordering::Relaxed)
    }

    /// Returns the counts of all members, and whether the worklist was stopped. All members must
    /// have left.
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

/// A member at its station.
struct AtWork<'a, 'c, Q: Queue<T>, T, I, F> {
    team: &'a Team<'a, Q, T, I, F>,
    /// The counts of earlier members at this station.
    before: Counts,
    context: &'a mut Context<'c, Q, T>,
    /// The time at which the member ran out of work.
    idle_since: Option<Instant>,
    spins: u32,
}

impl<Q, T, I, F> World for AtWork<'_, '_, Q, T, I, F>
where
    Q: Queue<T>,
    T: Send,
    I: Iterator<Item = T> + Send,
    F: Fn(T, &mut Context<'_, Q, T>) + Sync,
{
    type Item = T;

    #[inline]
    fn is_stopped(&self) -> bool {
        self.team.is_stopped()
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.context.owner.pop()
    }

    #[inline]
    fn run(&mut self, item: T) {
        (self.team.work)(item, self.context);
        self.context.counts.processed += 1;
        self.idle_since = None;
        if let Some(gauge) = &self.team.gauge {
            gauge.say(self.context.place, self.before, self.context.counts);
        }
    }

    fn has_seeds(&self) -> bool {
        !self.team.seeds.are_dry()
    }

    fn draw(&mut self, busy_count: &BusyCount) -> Draw {
        let team = self.team;
        let drawn = team.seeds.draw(
            || busy_count.enter(),
            |item| {
                self.context.owner.push(item);
                self.context.counts.pushed += 1;
                !team.is_stopped()
            },
        );
        match drawn {
            Drawn::Some { more } => {
                if more {
                    self.context.invite();
                }
                Draw::Some
            }
            Drawn::Nothing => Draw::Nothing,
            Drawn::Dry => Draw::Dry,
        }
    }

    fn victims(&mut self) -> Victims {
        let members = self.team.thieves.len();
        let first = self.context.random_below(members);
        Victims::of(self.context.place, members, first)
    }

    fn looks_empty(&self, victim: usize) -> bool {
        self.team.thieves[victim].is_empty()
    }

    fn steal(&mut self, victim: usize) -> Option<T> {
        for _ in 0..TRIES {
            match self.team.thieves[victim].steal() {
                Steal::Success(item) => {
                    self.context.counts.stolen += 1;
                    // The victim's deque has more items. So each member that joins invites the next.
                    if !self.looks_empty(victim) {
                        self.context.invite();
                    }
                    return Some(item);
                }
                Steal::Empty => return None,
                Steal::Retry => std::hint::spin_loop(),
            }
        }
        None
    }

    fn wait(&mut self) -> bool {
        let now = Instant::now();
        let since = *self.idle_since.get_or_insert_with(|| {
            self.spins = 1;
            now
        });
        for _ in 0..self.spins {
            std::hint::spin_loop();
        }
        self.spins = (self.spins * 2).min(MOST_SPINS);
        now < since + PATIENCE
    }
}

/// A guard that stops the worklist when a closure of the user panics.
struct StopOnPanic<'a>(&'a AtomicU32);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        self.0.fetch_or(STOP, Ordering::Relaxed);
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
        // Relaxed: the lock of the stations orders the accesses to them.
        let signal = &team.signal.0;
        let mut seen = signal.load(Ordering::Relaxed);
        while seen & STOP == 0 && seen > 0 {
            match signal.compare_exchange_weak(seen, seen - 1, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => {
                    self.scope.spawn(move |scope| team.attend(scope, false));
                    return;
                }
                Err(now) => seen = now,
            }
        }
    }

    fn stop(&self) {
        self.team.signal.0.fetch_or(STOP, Ordering::Relaxed);
    }
}
