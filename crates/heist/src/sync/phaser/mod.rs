//! Phasers: barriers for a changing number of tasks.

mod accumulator;
mod clock;
mod next;
mod state;

pub use accumulator::Accumulator;
pub use clock::{Advancing, Clock};
pub use next::{Next, NextSingle};

use super::monitor::Wait;
use next::{Step, run_single};
use state::Shared;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// The rights and duties of a [`Registration`] in each phase of its phaser.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// The party signals and never waits, like a producer. The party may be any number of phases ahead.
    Signal,
    /// The party waits, but no party waits for it. The party is like a consumer.
    Wait,
    /// The party signals and then waits, like a party of a barrier.
    SignalWait,
    /// The party works as in `SignalWait`, and may also offer a statement. One of the offered statements runs between two phases.
    Single,
}

impl Mode {
    /// Returns true if a party in this mode signals, so that phases wait for it.
    #[must_use]
    pub const fn signals(self) -> bool {
        !matches!(self, Mode::Wait)
    }

    /// Returns true if a party in this mode waits for the phase.
    #[must_use]
    pub const fn waits(self) -> bool {
        !matches!(self, Mode::Signal)
    }

    /// Returns true if a party in this mode may register another party in mode `child`. A party cannot give a right that it does
    /// not have.
    #[must_use]
    pub const fn may_register(self, child: Mode) -> bool {
        match self {
            Mode::Single => true,
            Mode::SignalWait => !matches!(child, Mode::Single),
            Mode::Signal => matches!(child, Mode::Signal),
            Mode::Wait => matches!(child, Mode::Wait),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Signal => "signal",
            Mode::Wait => "wait",
            Mode::SignalWait => "signal-wait",
            Mode::Single => "single",
        })
    }
}

/// A barrier for a changing set of tasks (Imam and Sarkar, X10 2014). Each task may signal, wait, or do both. Phasers include X10's
/// clocks as a special case.
///
/// Work proceeds in *phases*. A phase ends when every registered signaller has signalled it or has left. Tasks take part through
/// [`Registration`]s. Dropping a registration removes the party, so the other parties need not wait for it. A panic that drops a
/// registration also removes the party.
///
/// ```
/// use heist::sync::{Mode, Phaser};
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
///
/// let phaser = Phaser::new();
/// let first = phaser.register(Mode::SignalWait);
/// let steps = AtomicU32::new(0);
/// heist::finish(|f| {
///     for _ in 0..4 {
///         // Registered here, before the spawn: no phase can end without this task.
///         let mut party = first.register(Mode::SignalWait);
///         let steps = &steps;
///         f.spawn(move |_| {
///             for phase in 1..=3 {
///                 steps.fetch_add(1, Relaxed);
///                 party.next();
///                 assert!(steps.load(Relaxed) >= 4 * phase);
///             }
///         });
///     }
///     drop(first); // this task does not take part itself
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Phaser(Arc<Shared>);

impl Default for Phaser {
    #[track_caller]
    fn default() -> Self {
        Phaser::new()
    }
}

impl Phaser {
    /// Creates a phaser in phase 0, without parties.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Phaser(Arc::new(Shared::new(Location::caller())))
    }

    /// Registers a party, which takes part from the current phase on. If the single statement of the current phase is running, the
    /// party takes part from the next phase on.
    ///
    /// From this call on, if the mode includes signals, the party's first phase cannot end before the party has signalled it. To be sure
    /// that a phase waits for a new task, register the task before all parties of that phase have signalled. [`Registration::register`]
    /// makes sure of this: the next phase that its caller signals also waits for the new party.
    pub fn register(&self, mode: Mode) -> Registration {
        self.register_from(mode, 0)
    }

    fn register_from(&self, mode: Mode, phase: u64) -> Registration {
        let first = self.0.register(mode, phase);
        Registration {
            phaser: self.clone(),
            mode,
            signalled: first,
            waited: first,
        }
    }

    /// Returns the current phase: the number of phases that have ended.
    #[must_use]
    pub fn phase(&self) -> u64 {
        self.0.phase()
    }

    /// Returns the number of parties for which the phaser waits.
    #[must_use]
    pub fn signallers(&self) -> usize {
        self.0.signallers()
    }

    /// Creates an accumulator, to which parties contribute values in each phase. `combine` must be associative and commutative.
    #[must_use]
    pub fn accumulator<T, F>(&self, combine: F) -> Accumulator<T>
    where
        F: Fn(T, T) -> T + Send + Sync + 'static,
    {
        Accumulator::new(self.clone(), Box::new(combine))
    }
}

/// A party of a [`Phaser`]. Dropping a registration removes the party.
#[derive(Debug)]
#[must_use = "a registration that is dropped takes its party out"]
pub struct Registration {
    phaser: Phaser,
    mode: Mode,
    /// The first phase that the party has not signalled.
    signalled: u64,
    /// The first phase whose end the party has not awaited.
    waited: u64,
}

impl Registration {
    /// Registers a new party with the same phaser, for example for a task that is about to be spawned. The first phase of the new
    /// party is the first phase that this party has not signalled. So the next signal of this party does not end the phase without
    /// the new party.
    ///
    /// # Panics
    /// Panics if `mode` includes a right that this party does not have ([`Mode::may_register`]).
    pub fn register(&self, mode: Mode) -> Registration {
        assert!(
            self.mode.may_register(mode),
            "heist: a party in mode {} cannot register another in mode {mode}",
            self.mode
        );
        let first = if self.mode.signals() {
            self.signalled
        } else {
            self.waited
        };
        self.phaser.register_from(mode, first)
    }

    /// Returns the mode of the party.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the phaser to which the party belongs.
    #[must_use]
    pub fn phaser(&self) -> &Phaser {
        &self.phaser
    }

    /// Signals the current phase, unless this party has already signalled it. Then waits for the phase's end. If the party's mode has only
    /// one of these two rights, the call does only that step. Returns the number of phases that this party has completed.
    #[allow(clippy::should_implement_trait, reason = "it is what phasers call it")]
    #[track_caller]
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.step(true).block()
    }

    /// Returns a future that works like [`next`](Self::next), for async code. The signal happens at the first poll, even if the
    /// future is dropped afterwards.
    #[track_caller]
    pub fn next_async(&mut self) -> Next<'_> {
        Next::new(self.step(true))
    }

    /// Signals that this party has done its part of the phase. After the signal, a party that also waits may do unrelated work before
    /// [`next`](Self::next) or [`wait`](Self::wait) (a *split-phase* barrier). Until such a party has waited, further signals have no
    /// effect. A party in signal mode advances by one phase with each signal.
    ///
    /// # Panics
    /// Panics in wait mode.
    pub fn signal(&mut self) {
        assert!(
            self.mode.signals(),
            "heist: a party in mode wait cannot signal"
        );
        if self.mode.waits() && self.signalled > self.waited {
            return;
        }
        self.signal_now();
    }

    fn signal_now(&mut self) {
        let phase = self.signalled;
        self.signalled += 1;
        self.phaser.0.signal(phase);
    }

    /// Waits for the end of the phase that this party signalled last. In wait mode, waits for the end of the next phase.
    ///
    /// # Panics
    /// Panics in signal mode. Also panics if the party has not signalled, because the party would wait for itself.
    #[track_caller]
    pub fn wait(&mut self) -> u64 {
        self.assert_may_wait();
        self.step(false).block()
    }

    /// Returns a future that works like [`wait`](Self::wait), for async code.
    ///
    /// # Panics
    /// Panics like [`wait`](Self::wait).
    #[track_caller]
    pub fn wait_async(&mut self) -> Next<'_> {
        self.assert_may_wait();
        Next::new(self.step(false))
    }

    fn assert_may_wait(&self) {
        assert!(
            self.mode.waits(),
            "heist: a party in mode signal cannot wait"
        );
        assert!(
            !self.mode.signals() || self.signalled > self.waited,
            "heist: a party that waits for a phase it has not signalled waits for itself"
        );
    }

    /// Signals and waits like [`next`](Self::next), and also offers a statement. When all parties have signalled, one of the offered
    /// statements runs in the party that offered it, before any party continues. If the statement panics, the panic continues in the party
    /// that ran it, whereas the other parties continue normally.
    ///
    /// # Panics
    /// Panics in any mode except [`Mode::Single`].
    #[track_caller]
    pub fn next_single(&mut self, statement: impl FnOnce()) -> u64 {
        self.assert_single();
        let phaser = self.phaser.clone();
        let turn = self.step_single().block();
        run_single(&phaser, turn, statement)
    }

    /// Returns a future that works like [`next_single`](Self::next_single), for async code.
    ///
    /// # Panics
    /// Panics like [`next_single`](Self::next_single).
    #[track_caller]
    pub fn next_single_async<F: FnOnce()>(&mut self, statement: F) -> NextSingle<'_, F> {
        self.assert_single();
        NextSingle::new(self, statement)
    }

    fn assert_single(&self) {
        assert!(
            self.mode == Mode::Single,
            "heist: a single statement asks for a party in mode single, not {}",
            self.mode
        );
    }

    #[track_caller]
    fn step(&mut self, signals: bool) -> Wait<Step<'_>> {
        Wait::new(Step::new(self, signals))
    }

    #[track_caller]
    fn step_single(&mut self) -> Wait<next::Single<'_>> {
        Wait::new(next::Single::new(self))
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.phaser.0.deregister(self.mode, self.signalled);
    }
}
