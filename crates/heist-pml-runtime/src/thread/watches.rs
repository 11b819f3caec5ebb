//! Strands that wait until a file descriptor is ready. One thread of the process waits for all watched descriptors.
//!
//! A strand *watches* a descriptor and parks, so its worker runs other strands. Strands add watches to the system's list of watched
//! descriptors (epoll) while the thread waits. When epoll reports an event, the waiting thread gives the strand its permit. Like the thread
//! of the clock, this thread counts as running while it gives permits, so no collection happens at that time. A watch ends with its first
//! event. The watch leaves the list only after its strand is queued (`stuck.rs` relies on this order).
//!
//! The system reports each descriptor once (`EPOLLONESHOT`) after a watch was added. If the watches of a descriptor were removed, the
//! system may still report the descriptor. A report of a descriptor without watches wakes no strand.

use std::collections::HashMap;
use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::process::ends::fatal;
use crate::state::thread_object::give_permit;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::Value;
use crate::wait::wake;

/// Events that end a watch even if the watch does not request them. The system always reports the first two of these three events. The
/// program reports the third event, [`CLOSED`].
const ALWAYS: u32 = (libc::EPOLLERR | libc::EPOLLHUP) as u32 | CLOSED;
/// The event that the program has closed the descriptor.
const CLOSED: u32 = libc::POLLNVAL as u32;
/// Maximum number of descriptors that the system reports in one call.
const REPORTS: usize = 64;

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
    fn add(&self, world: &Arc<World>, thread: Value, file: c_int, events: u32) -> u64 {
        let mut state = self.lock();
        if state.list.is_none() {
            state.list = Some(start(world.clone()));
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
        // Relaxed: the caller counts as running, and `stuck.rs` reads the count after the caller has stopped running.
        self.count.fetch_add(1, Ordering::Relaxed);
        if state.arm(file).is_err() {
            drop(state);
            self.remove(number);
        }
        number
    }

    /// Removes a watch that has had no event.
    fn remove(&self, number: u64) {
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
    fn has(&self, number: u64) -> bool {
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

    /// Gives permits to the threads that wait for some of these events of a descriptor.
    ///
    /// # Safety
    /// The caller must count as running, so that no collection happens during the call.
    unsafe fn report(&self, world: &World, file: c_int, events: u32) {
        let mut state = self.lock();
        let mut woken = state.take(file, events);
        if state.arm(file).is_err() {
            woken.extend(state.take(file, CLOSED));
        }
        for watch in woken {
            // SAFETY: the collector has kept the address of the thread's object up to date, and nothing is collected while the caller
            // counts as running. If the strand was parked, only the caller has it.
            unsafe {
                if let Some(strand) = give_permit(world, watch.thread) {
                    wake::wake_outside(world, strand);
                }
            }
            self.end(1);
        }
    }

    /// Waits for events of a list of descriptors and reports these events, in an endless loop.
    fn run(&self, world: &World, list: &OwnedFd) {
        let none = libc::epoll_event { events: 0, u64: 0 };
        let mut events = [none; REPORTS];
        loop {
            // SAFETY: `events` has room for `REPORTS` events.
            let found = unsafe {
                libc::epoll_wait(list.as_raw_fd(), events.as_mut_ptr(), REPORTS as c_int, -1)
            };
            // The result is negative after a signal.
            let Ok(found) = usize::try_from(found) else {
                continue;
            };
            world.begin();
            for event in &events[..found] {
                // SAFETY: this thread counts as running.
                unsafe { self.report(world, event.u64 as c_int, event.events) };
            }
            world.end();
        }
    }
}

/// Starts the thread that waits for the descriptors of a world, and returns the system's list of these descriptors.
fn start(world: Arc<World>) -> Arc<OwnedFd> {
    // SAFETY: the call makes a descriptor, which nothing else has.
    let made = match unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) } {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: the call has made the descriptor, and nothing else knows its number.
        list => Ok(Arc::new(unsafe { OwnedFd::from_raw_fd(list) })),
    };
    let started = made.and_then(|list| {
        let own = list.clone();
        let run = move || world.threads.watches.run(&world, &own);
        let name = std::thread::Builder::new().name("heist-pml-poll".into());
        name.stack_size(256 << 10).spawn(run)?;
        Ok(list)
    });
    started.unwrap_or_else(|error| {
        fatal(&format!(
            "cannot start the thread that waits for files: {error}"
        ))
    })
}

/// `rt.Thread.watch`: begins a watch that gives a thread its permit at one of these events of a descriptor. Returns the watch's number.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function. `thread` must be the object of a thread.
pub unsafe extern "C" fn watch(worker: *mut Worker, thread: Value, file: i64, events: i64) -> u64 {
    // The watch of a descriptor that cannot exist ends immediately, like the watch of a closed descriptor.
    let file = c_int::try_from(file).unwrap_or(-1);
    // SAFETY: `worker` is this thread's own and running, so no collection moves `thread` before it is in the list, which is among the
    // roots.
    unsafe {
        let world = (*worker).shared_world();
        world
            .threads
            .watches
            .add(&world, thread, file, events as u32)
    }
}

/// `rt.Thread.unwatch`: removes a watch.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn unwatch(worker: *mut Worker, number: u64) {
    // SAFETY: `worker` is this thread's own; the list is behind its lock.
    unsafe { (*worker).world().threads.watches.remove(number) };
}

/// `rt.Thread.isWatched`: returns 1 if a watch had no event yet, otherwise 0.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn is_watched(worker: *mut Worker, number: u64) -> i64 {
    // SAFETY: `worker` is this thread's own; the list is behind its lock.
    i64::from(unsafe { (*worker).world().threads.watches.has(number) })
}

/// `rt.Thread.closed`: wakes the threads that watch a descriptor, because the program has closed it.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, and no safepoint may happen during the call.
pub unsafe extern "C" fn closed(worker: *mut Worker, file: i64) {
    if let Ok(file) = c_int::try_from(file) {
        // SAFETY: `worker` runs the strand that calls, so it counts as running, and nothing is collected during this call.
        unsafe {
            let world: *const World = (*worker).world();
            (*world).threads.watches.report(&*world, file, CLOSED);
        }
    }
}
