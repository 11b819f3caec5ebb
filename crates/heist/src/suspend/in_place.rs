//! Tasks that a waiting thread may run itself. The thread *listens* while it polls: the polled future offers the thread
//! the task for which the future waits.

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
    /// Runs the task on this stack, if it has not begun and may run here. If the task then waits for another task that
    /// may run here, runs that task, too. Returns true if a task ran.
    pub(super) fn run(&self) -> bool {
        match self {
            InPlace::Task(task) => task.run_in_place(),
            InPlace::Spawned(task) => task.run_in_place(),
        }
    }
}

thread_local! {
    /// While this thread listens, the data address of the waker with which it polls; otherwise 0.
    static LISTENER: Cell<usize> = const { Cell::new(0) };
    /// The last offer: the data address of the poller's waker, and the offered task.
    static OFFERED: Cell<Option<(usize, InPlace)>> = const { Cell::new(None) };
}

/// A guard of a thread that listens. While the guard exists, futures that the thread polls with the given waker offer the tasks for which
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

/// Returns true if the thread that polls with `waker` would run the task for which the poll waits. The function is not inlined, because the
/// caller may be a fiber's code.
#[inline(never)]
pub(crate) fn is_listened_to(waker: &Waker) -> bool {
    LISTENER.get() == waker.data().addr()
}

/// Offers a task to the thread that polls with `waker`: the task for which this poll waits.
#[inline(never)]
pub(crate) fn offer(waker: &Waker, task: InPlace) {
    // The thread-local value may be gone already if the destructor of another thread-local value calls this function. In this case the
    // thread waits.
    let before = OFFERED.try_with(|offered| offered.replace(Some((waker.data().addr(), task))));
    drop(before);
}

/// Takes the last task that was offered since the previous call. Returns `None` if this offer was not for the poll
/// whose waker has the data pointer `data`.
pub(super) fn take_offer(data: *const ()) -> Option<InPlace> {
    let (to, task) = OFFERED.try_with(Cell::take).ok().flatten()?;
    (to == data.addr()).then_some(task)
}
