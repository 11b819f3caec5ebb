//! The stop, by which one worker stops all other workers.

use std::ptr::NonNull;
use std::sync::PoisonError;

use super::shim::{Condvar, Mutex, MutexGuard};
use super::steps;

/// Work that a stopper shares with the threads that it has stopped.
pub trait Shared {
    /// Returns true if no part of the work remains.
    fn is_over(&self) -> bool;

    /// Makes the calling thread take part in the work until the work is over.
    ///
    /// # Safety
    /// The stopper must have begun the work, and the calling thread must be stopped or idle.
    unsafe fn take_part(&self);
}

/// The state of a stop: how many threads run, and whether a thread stops the others.
#[derive(Debug)]
pub struct Stop<W: ?Sized> {
    state: Mutex<State<W>>,
    /// Notified when a thread no longer runs, or has left the shared work.
    fewer: Condvar,
    /// Notified when a stop is over, or when there is work to share.
    resumed: Condvar,
}

#[derive(Debug)]
struct State<W: ?Sized> {
    /// Number of running threads.
    running: usize,
    /// The work that the stopper shares with other threads.
    shared: Option<NonNull<W>>,
    /// Number of threads that take part in the shared work.
    members: usize,
    /// Number of threads that wait at a safepoint for the end of a stop.
    stopped: usize,
    wanted: bool,
    /// Whether the world is held: no thread runs, and no thread will run before [`Stop::release`].
    held: bool,
}

// SAFETY: threads read the pointer under the lock. The pointer stays valid until the stopper has taken it back under the lock and the last
// member has left.
unsafe impl<W: Sync + ?Sized> Send for Stop<W> {}
// SAFETY: every access to the state, with the pointer to the work, is under the lock; the work itself is `Sync`.
unsafe impl<W: Sync + ?Sized> Sync for Stop<W> {}

impl<W: Shared + ?Sized> Stop<W> {
    /// Makes a `Stop` whose state is that no thread runs and no thread stops other threads.
    #[must_use]
    pub fn new() -> Stop<W> {
        Stop {
            state: Mutex::new(State {
                running: 0,
                shared: None,
                members: 0,
                stopped: 0,
                wanted: false,
                held: false,
            }),
            fewer: Condvar::new(),
            resumed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for_fewer<'a>(&self, state: MutexGuard<'a, State<W>>) -> MutexGuard<'a, State<W>> {
        self.fewer
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the calling thread is about to run. Waits while a stop is wanted.
    pub fn begin(&self) {
        let mut state = self.lock();
        while state.wanted && steps::BEGIN_WAITS {
            state = self.wait(state);
        }
        state.running += 1;
    }

    /// Notes that the calling thread does not run any more.
    pub fn end(&self) {
        self.lock().running -= 1;
        // A stopper or the end of a program may wait until this thread has stopped running.
        if steps::END_TELLS {
            self.fewer.notify_all();
        }
    }

    /// Stops the calling thread until the stop is over, if a stop is wanted. The thread must count as running. Calls `stopped` once the
    /// thread counts as stopped. Returns false if no stop is wanted.
    pub fn safepoint(&self, stopped: impl FnOnce()) -> bool {
        let mut state = self.lock();
        if !state.wanted {
            return false;
        }
        state.running -= 1;
        state.stopped += 1;
        if steps::STOPPED_TELLS {
            self.fewer.notify_all();
        }
        stopped();
        while state.wanted {
            state = self.wait(state);
            if !steps::STOPPED_WAITS {
                break;
            }
        }
        state.stopped -= 1;
        state.running += 1;
        true
    }

    /// Waits for a notification of the stopper, or takes part in its work.
    fn wait<'a>(&'a self, state: MutexGuard<'a, State<W>>) -> MutexGuard<'a, State<W>> {
        match self.take_part(state) {
            Ok(state) => state,
            Err(state) => self
                .resumed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Takes part in the work that the stopper shares. If the stopper shares no work, returns the guard of the lock as an error.
    fn take_part<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<W>>,
    ) -> Result<MutexGuard<'a, State<W>>, MutexGuard<'a, State<W>>> {
        // SAFETY: the stopper takes the address away under the lock before it frees the work.
        let shared = state
            .shared
            .filter(|shared| !unsafe { shared.as_ref() }.is_over());
        let Some(shared) = shared else {
            return Err(state);
        };
        state.members += usize::from(steps::MEMBERS_COUNT);
        drop(state);
        // SAFETY: the work exists while it has members, and this thread is counted as one. This thread is stopped or runs nothing.
        unsafe { shared.as_ref().take_part() };
        let mut state = self.lock();
        state.members -= usize::from(steps::MEMBERS_COUNT);
        if steps::MEMBER_TELLS {
            self.fewer.notify_all();
        }
        Ok(state)
    }

    /// Makes the calling thread take part if the stopper shares work. The thread must be idle.
    pub fn assist(&self) {
        drop(self.take_part(self.lock()));
    }

    /// Shares `work` with all stopped and idle threads, and returns when the work is over; `told` wakes the idle threads.
    ///
    /// # Safety
    /// The caller must have stopped all other threads, and must have begun the work.
    pub unsafe fn share(&self, work: &W, told: impl FnOnce()) {
        self.lock().shared = Some(NonNull::from(work));
        self.resumed.notify_all();
        told();
        // SAFETY: the caller has stopped all other threads and has begun the work. The work exists until this function returns, after the
        // last member has left.
        unsafe { work.take_part() };
        let mut state = self.lock();
        if steps::WITHDRAWN {
            state.shared = None;
        }
        while state.members > 0 {
            state = self.wait_for_fewer(state);
        }
    }

    /// Waits until no thread runs, and no thread waits at a safepoint. The calling thread must not count as running.
    pub fn settle(&self) {
        let mut state = self.lock();
        while state.running > 0 || state.stopped > 0 && steps::SETTLE_COUNTS_STOPPED {
            state = self.wait_for_fewer(state);
        }
    }

    /// Stops all threads until [`Stop::release`]; `ring` makes them reach a safepoint. The calling thread must not count as running.
    /// Returns false if some threads are stopped in the middle of their work.
    pub fn hold(&self, ring: impl FnOnce()) -> bool {
        let mut state = self.lock();
        while state.wanted {
            state = self
                .resumed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.wanted = true;
        if steps::HOLD_RINGS {
            ring();
        }
        while state.running > 0 && steps::HOLD_WAITS {
            state = self.wait_for_fewer(state);
        }
        // The flag is set only after all threads have stopped running. If it were set earlier, a thread that still runs and calls `stop`
        // would mistake the hold for its own stop.
        state.held = true;
        state.stopped == 0
    }

    /// Lets threads run again after [`Stop::hold`]. Does nothing if there is no hold.
    pub fn release(&self) {
        let mut state = self.lock();
        if state.held {
            (state.held, state.wanted) = (false, false);
            if steps::RELEASE_TELLS {
                self.resumed.notify_all();
            }
        }
    }

    /// Stops all other threads. If another thread runs, calls `ring`, which makes the running threads reach a safepoint. Returns false if
    /// another thread has stopped this thread first. Before it returns false, this function calls `stopped` and waits for the end of that
    /// stop. The thread that has stopped this thread may have done the work for which the caller wanted the stop.
    pub fn stop(&self, ring: impl FnOnce(), stopped: impl FnOnce()) -> bool {
        let mut state = self.lock();
        if state.held {
            return true;
        }
        if state.wanted && steps::SECOND_STOPS {
            drop(state);
            self.safepoint(stopped);
            return false;
        }
        // As soon as the lock is released, other threads may call `begin`, which waits while this flag is set.
        state.wanted = state.running > 1 || steps::ALONE_WANTS;
        if state.running > 1 {
            if steps::STOP_RINGS {
                ring();
            }
            while state.running > 1 {
                state = self.wait_for_fewer(state);
            }
        }
        true
    }

    /// Lets all threads continue.
    pub fn resume(&self) {
        let mut state = self.lock();
        if state.held && steps::HOLD_STAYS {
            return;
        }
        state.wanted = false;
        if steps::RESUME_TELLS {
            self.resumed.notify_all();
        }
    }

    /// Returns true if no thread runs, and no thread waits at a safepoint. The result may be out of date.
    #[must_use]
    pub fn rests(&self) -> bool {
        let state = self.lock();
        state.running == 0 && (state.stopped == 0 || !steps::SETTLE_COUNTS_STOPPED)
    }
}

impl<W: Shared + ?Sized> Default for Stop<W> {
    fn default() -> Self {
        Stop::new()
    }
}
