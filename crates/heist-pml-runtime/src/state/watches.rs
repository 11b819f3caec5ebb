//! The watches of file descriptors: see `thread/watches.rs`.

use std::collections::HashMap;
use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::value::object::Value;

/// Events that end a watch even if the watch does not request them. The system always reports the first two of these three events. The
/// program reports the third event, [`CLOSED`].
const ALWAYS: u32 = (libc::EPOLLERR | libc::EPOLLHUP) as u32 | CLOSED;
/// The event that the program has closed the descriptor.
pub(crate) const CLOSED: u32 = libc::POLLNVAL as u32;

/// Watches that wait for their events.
#[derive(Default)]
pub struct Watches {
    state: Mutex<State>,
    /// Number of watches in the list.
    count: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// For each watched descriptor, the list of its watches, which is not empty.
    files: HashMap<c_int, Vec<Watch>>,
    /// The descriptors of the watches, by number.
    numbers: HashMap<u64, c_int>,
    /// The number of the last watch.
    last: u64,
    /// The system's list of watched descriptors; `None` before the first watch.
    list: Option<Arc<OwnedFd>>,
}

/// A watch: the thread that waits, and the events for which it waits.
struct Watch {
    number: u64,
    thread: Value,
    events: u32,
}

impl State {
    /// Makes the system report the next event of a descriptor that at least one watch of the descriptor requests.
    fn arm(&self, file: c_int) -> io::Result<()> {
        let (Some(list), Some(watches)) = (&self.list, self.files.get(&file)) else {
            return Ok(());
        };
        let all = watches.iter().fold(0, |all, watch| all | watch.events);
        let mut event = libc::epoll_event {
            events: all | libc::EPOLLONESHOT as u32,
            u64: file as u64,
        };
        let mut change = |how| {
            // SAFETY: the list is open, and the event lives until the call has returned.
            match unsafe { libc::epoll_ctl(list.as_raw_fd(), how, file, &raw mut event) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        };
        match change(libc::EPOLL_CTL_MOD) {
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => change(libc::EPOLL_CTL_ADD),
            other => other,
        }
    }

    /// Takes out of the list all watches of a descriptor that request some of these events, and returns them.
    fn take(&mut self, file: c_int, events: u32) -> Vec<Watch> {
        let Some(watches) = self.files.remove(&file) else {
            return Vec::new();
        };
        let (now, later): (Vec<_>, Vec<_>) = watches
            .into_iter()
            .partition(|watch| events & (watch.events | ALWAYS) != 0);
        if !later.is_empty() {
            self.files.insert(file, later);
        }
        for watch in &now {
            self.numbers.remove(&watch.number);
        }
        now
    }
}

impl Watches {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of watches that have had no event so far.
    pub(crate) fn count(&self) -> usize {
        // Acquire: pairs with the release in `end`, so this thread sees the strands that a watch has queued.
        self.count.load(Ordering::Acquire)
    }

    /// Notes that `count` watches have left the list.
    fn end(&self, count: usize) {
        // Release: pairs with the acquire in `count`.
        self.count.fetch_sub(count, Ordering::Release);
    }

    /// Begins a watch that gives the thread its permit at the first of these events. Returns the watch's number. The system cannot wait for
    /// a descriptor that is closed, or that refers to a file on a disk. In these two cases, the watch has ended when this function returns,
    /// and the thread has not received a permit.
    ///
    /// At the first watch, calls `start`, which returns the system's list of watched descriptors.
    pub(crate) fn add(
        &self,
        thread: Value,
        file: c_int,
        events: u32,
        start: impl FnOnce() -> Arc<OwnedFd>,
    ) -> u64 {
        let mut state = self.lock();
        if state.list.is_none() {
            state.list = Some(start());
        }
        state.last += 1;
        let number = state.last;
        let watch = Watch {
            number,
            thread,
            events,
        };
        state.files.entry(file).or_default().push(watch);
        state.numbers.insert(number, file);
        // Relaxed: the caller counts as running, and `thread/stuck.rs` reads the count after the caller has stopped running.
        self.count.fetch_add(1, Ordering::Relaxed);
        if state.arm(file).is_err() {
            drop(state);
            self.remove(number);
        }
        number
    }

    /// Removes a watch that has had no event.
    pub(crate) fn remove(&self, number: u64) {
        let mut state = self.lock();
        if let Some(file) = state.numbers.remove(&number) {
            if let Some(watches) = state.files.get_mut(&file) {
                watches.retain(|watch| watch.number != number);
                if watches.is_empty() {
                    state.files.remove(&file);
                }
            }
            self.end(1);
        }
    }

    /// Removes all watches of a thread that was cancelled or has ended during its wait.
    pub fn forget(&self, thread: Value) {
        if self.count() == 0 {
            return;
        }
        let mut state = self.lock();
        let State { files, numbers, .. } = &mut *state;
        let before = numbers.len();
        files.retain(|_, watches| {
            watches.retain(|watch| {
                let stays = watch.thread.0 != thread.0;
                if !stays {
                    numbers.remove(&watch.number);
                }
                stays
            });
            !watches.is_empty()
        });
        let gone = before - numbers.len();
        if gone > 0 {
            self.end(gone);
        }
    }

    /// Returns true if the watch is in the list because it has had no event.
    pub(crate) fn has(&self, number: u64) -> bool {
        self.lock().numbers.contains_key(&number)
    }

    /// Removes all watches.
    pub fn clear(&self) {
        let mut state = self.lock();
        state.files.clear();
        let count = std::mem::take(&mut state.numbers).len();
        self.end(count);
    }

    /// Calls `look` with each thread that watches a descriptor. The collector calls this function while all workers are stopped.
    pub fn each(&self, mut look: impl FnMut(&mut Value)) {
        for watch in self.lock().files.values_mut().flatten() {
            look(&mut watch.thread);
        }
    }

    /// Ends the watches of a descriptor that wait for some of these events, and calls `wake` with the thread of each watch. The caller must
    /// count as running, so that no collection happens during the call.
    pub(crate) fn report(&self, file: c_int, events: u32, mut wake: impl FnMut(Value)) {
        let mut state = self.lock();
        let mut woken = state.take(file, events);
        if state.arm(file).is_err() {
            woken.extend(state.take(file, CLOSED));
        }
        for watch in woken {
            wake(watch.thread);
            self.end(1);
        }
    }
}
