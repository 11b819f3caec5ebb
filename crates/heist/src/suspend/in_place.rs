//! Tasks that a waiting thread may run itself. The thread listens while it polls, and is offered the task for which the poll waits.

use super::task::Helped;
use super::unjoined::Unjoined;
use std::cell::Cell;
use std::task::Waker;

/// A task that another thread waits for.
#[derive(Debug)]
pub(crate) enum InPlace {
    /// The task of a future.
    Task(Helped),
    /// The task of a `JoinHandle`.
    Spawned(Unjoined),
}

impl InPlace {
    /// Runs the task here, or a task that it waits for, if that has not begun and may run on this stack. True if it did.
    pub(super) fn run(&self) -> bool {
        match self {
            InPlace::Task(task) => task.run_in_place(),
            InPlace::Spawned(task) => task.run_in_place(),
        }
    }
}

thread_local! {
    /// Address of the data of the waker that this thread polls with, if the poller would run the task that it waits for; 0 otherwise.
    static LISTENER: Cell<usize> = const { Cell::new(0) };
    /// The last offer: the address of the data of the poller's waker, and the task.
    static OFFERED: Cell<Option<(usize, InPlace)>> = const { Cell::new(None) };
}

/// While it exists, a poller with that waker is offered the task that it waits for.
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

/// Whether a poller with that waker would run the task that it waits for. Not inlined into code that may be a fiber's.
#[inline(never)]
pub(crate) fn is_listened_to(waker: &Waker) -> bool {
    LISTENER.get() == waker.data().addr()
}

/// Offers the task that the poll waits for to the poller with that waker.
#[inline(never)]
pub(crate) fn offer(waker: &Waker, task: InPlace) {
    // Not there any more in destructors of thread-local values: then the thread waits.
    let before = OFFERED.try_with(|offered| offered.replace(Some((waker.data().addr(), task))));
    drop(before);
}

/// The last task offered since the previous call, if it was offered to the poller with that waker.
pub(super) fn take_offer(data: *const ()) -> Option<InPlace> {
    let (to, task) = OFFERED.try_with(Cell::take).ok().flatten()?;
    (to == data.addr()).then_some(task)
}
