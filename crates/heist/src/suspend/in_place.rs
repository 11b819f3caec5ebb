//! Tasks that a waiting thread may run itself. The thread listens while it polls, and the polled future offers to the
//! thread the task for which the future waits.

use super::task::Helped;
use super::unjoined::Unjoined;
use std::cell::Cell;
use std::task::Waker;

/// A task for which a thread waits.
#[derive(Debug)]
pub(crate) enum InPlace {
    /// The task of a future.
    Task(Helped),
    /// The task of a `JoinHandle`.
    Spawned(Unjoined),
}

impl InPlace {
    /// Runs the task on this stack, or a task for which this task waits, if that task has not begun and may run here.
    /// Returns true if a task ran.
    pub(super) fn run(&self) -> bool {
        match self {
            InPlace::Task(task) => task.run_in_place(),
            InPlace::Spawned(task) => task.run_in_place(),
        }
    }
}

thread_local! {
    /// The address of the data of the waker with which this thread polls, if the thread listens, so that it would
    /// run the task for which the poll waits; otherwise 0.
    static LISTENER: Cell<usize> = const { Cell::new(0) };
    /// The last offer: the address of the data of the poller's waker, and the task.
    static OFFERED: Cell<Option<(usize, InPlace)>> = const { Cell::new(None) };
}

/// A guard: while it exists, futures that the thread polls with the given waker offer the tasks for which
/// they wait.
pub(super) struct Listening {
    outer: usize,
}

impl Listening {
    pub(super) fn with_waker(data: *const ()) -> Self {
        let outer = LISTENER.replace(data.addr());
        Listening { outer }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENER.set(self.outer);
    }
}

/// Returns true if the thread that polls with `waker` would run the task for which the poll waits. Not inlined, because
/// the caller may be a fiber's code.
#[inline(never)]
pub(crate) fn is_listened_to(waker: &Waker) -> bool {
    LISTENER.get() == waker.data().addr()
}

/// Offers the task for which the poll waits to the thread that polls with `waker`.
#[inline(never)]
pub(crate) fn offer(waker: &Waker, task: InPlace) {
    // The thread-local value may be gone already if this runs in a destructor of another thread-local value.
    // Then the thread waits.
    let before = OFFERED.try_with(|offered| offered.replace(Some((waker.data().addr(), task))));
    drop(before);
}

/// Takes the last task that was offered since the previous call, if it was offered to the poll whose waker has the
/// data pointer `data`.
pub(super) fn take_offer(data: *const ()) -> Option<InPlace> {
    let (to, task) = OFFERED.try_with(Cell::take).ok().flatten()?;
    (to == data.addr()).then_some(task)
}
