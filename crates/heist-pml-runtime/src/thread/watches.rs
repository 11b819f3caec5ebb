//! Strands that wait until a file descriptor is ready: a thread of the process asks the system about all of these descriptors at once.
//!
//! A strand *watches* a descriptor and parks, so its worker runs other strands. The thread that polls gives the strand its permit once the
//! system reports one of the events. Like the clock, it counts as running while it gives permits, so no collection happens in the
//! meantime, and a watch leaves the list after its strand is queued (`stuck.rs` relies on that). A watch ends with its first event.
//!
//! Each wait of the polling thread costs time in proportion to the number of watched descriptors.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{c_int, c_short};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::object::Value;
use super::super::worker::Worker;
use super::super::world::World;
use super::{give_permit, ready};

/// Events that the system reports whether or not a watch asks for them.
const ALWAYS: c_short = libc::POLLERR | libc::POLLHUP | libc::POLLNVAL;

/// Watches that wait for their events.
#[derive(Default)]
pub struct Watches {
    state: Mutex<State>,
    /// Watches in the list.
    count: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// The watches, by descriptor. No list is empty.
    files: BTreeMap<c_int, Vec<Watch>>,
    /// The descriptors of the watches, by number.
    numbers: HashMap<u64, c_int>,
    /// The number of the last watch.
    last: u64,
    /// One byte through it wakes the polling thread, which has the other end. None before the first watch.
    bell: Option<UnixStream>,
    /// The polling thread does not know the list as it is, or is about to look at it.
    rung: bool,
}

/// A thread that waits.
struct Watch {
    number: u64,
    thread: Value,
    events: c_short,
}

impl State {
    /// Makes the polling thread look at the list again.
    fn ring(&mut self) {
        if !std::mem::replace(&mut self.rung, true)
            && let Some(bell) = &mut self.bell
        {
            // At most one byte is under way, so there is room for it.
            let _ = bell.write_all(&[1]);
        }
    }
}

impl Watches {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of watches that had no event yet.
    pub(super) fn count(&self) -> usize {
        // Acquire: pairs with the release in `end`, so what a watch has queued is seen.
        self.count.load(Ordering::Acquire)
    }

    /// Notes that some watches have left the list.
    fn end(&self, count: usize) {
        // Release: pairs with the acquire in `count`.
        self.count.fetch_sub(count, Ordering::Release);
    }

    /// Gives the thread its permit at the first of these events. Returns the watch's number.
    fn add(&self, world: &Arc<World>, thread: Value, file: c_int, events: c_short) -> u64 {
        let mut state = self.lock();
        if state.bell.is_none() {
            state.bell = Some(start(world.clone()));
            state.rung = true;
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
        // Relaxed: the caller runs, and `stuck.rs` looks after it has ended.
        self.count.fetch_add(1, Ordering::Relaxed);
        state.ring();
        number
    }

    /// Takes a watch back, if it had no event yet.
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

    /// Returns true if the watch had no event yet.
    fn has(&self, number: u64) -> bool {
        self.lock().numbers.contains_key(&number)
    }

    /// Takes all watches back.
    pub fn clear(&self) {
        let mut state = self.lock();
        state.files.clear();
        let count = std::mem::take(&mut state.numbers).len();
        state.ring();
        self.end(count);
    }

    /// The threads that watch, for the collector, which has stopped all workers.
    pub fn each(&self, mut look: impl FnMut(&mut Value)) {
        for watch in self.lock().files.values_mut().flatten() {
            look(&mut watch.thread);
        }
    }

    /// Gives the permits of the threads that wait for some of these events of a descriptor.
    ///
    /// # Safety
    /// The caller counts as running, so nothing is collected meanwhile.
    unsafe fn report(&self, world: &World, file: c_int, events: c_short) {
        let mut state = self.lock();
        let Some(watches) = state.files.get_mut(&file) else {
            return;
        };
        let (now, later) = std::mem::take(watches)
            .into_iter()
            .partition::<Vec<_>, _>(|watch| events & (watch.events | ALWAYS) != 0);
        *watches = later;
        if watches.is_empty() {
            state.files.remove(&file);
        }
        for watch in now {
            state.numbers.remove(&watch.number);
            // SAFETY: a thread's object, which the collector has kept up to date; nothing is collected while the caller runs. The strand
            // is the caller's if it was parked.
            unsafe {
                if let Some(strand) = give_permit(world, watch.thread) {
                    ready::wake_outside(world, strand);
                }
            }
            self.end(1);
        }
        state.ring();
    }

    /// Waits for events, and reports them, for ever. `bell` becomes readable when the list changes.
    fn run(&self, world: &World, mut bell: UnixStream) {
        let wait = |fd, events| libc::pollfd {
            fd,
            events,
            revents: 0,
        };
        let mut files = Vec::new();
        loop {
            files.clear();
            files.push(wait(bell.as_raw_fd(), libc::POLLIN));
            let mut state = self.lock();
            files.extend(state.files.iter().map(|(&file, watches)| {
                let all = watches.iter().fold(0, |all, watch| all | watch.events);
                wait(file, all)
            }));
            state.rung = false;
            drop(state);
            // SAFETY: the list has so many entries, and lives until the call has returned.
            let found = unsafe { libc::poll(files.as_mut_ptr(), files.len() as libc::nfds_t, -1) };
            if found < 0 {
                // A signal, or the system has no memory at the moment.
                continue;
            }
            if files[0].revents != 0 {
                let _ = bell.read(&mut [0]);
            }
            if files[1..].iter().any(|file| file.revents != 0) {
                world.begin();
                for file in &files[1..] {
                    if file.revents != 0 {
                        // SAFETY: this thread counts as running.
                        unsafe { self.report(world, file.fd, file.revents) };
                    }
                }
                world.end();
            }
        }
    }
}

/// Starts the polling thread of a world, and returns its bell.
fn start(world: Arc<World>) -> UnixStream {
    let started = UnixStream::pair().and_then(|(bell, heard)| {
        let run = move || world.threads.watches.run(&world, heard);
        let name = std::thread::Builder::new().name("heist-pml-poll".into());
        name.stack_size(256 << 10).spawn(run)?;
        Ok(bell)
    });
    started.unwrap_or_else(|error| {
        super::super::fatal(&format!(
            "cannot start the thread that waits for files: {error}"
        ))
    })
}

/// `rt.Thread.watch`: gives a thread its permit at one of these events of a descriptor. Returns the watch's number.
///
/// # Safety
/// As for [`super::unpark`]: compiled code of the worker calls this; `thread` must be the object of a thread.
pub unsafe extern "C" fn watch(worker: *mut Worker, thread: Value, file: i64, events: i64) -> u64 {
    // The system reports a descriptor that cannot exist like one that is closed, but ignores negative ones.
    let file = c_int::try_from(file)
        .ok()
        .filter(|file| *file >= 0)
        .unwrap_or(c_int::MAX);
    // SAFETY: `worker` is this thread's own and running, so no collection moves `thread` before it is in the list, which is among the roots.
    unsafe {
        let world = (*worker).shared_world();
        world
            .threads
            .watches
            .add(&world, thread, file, events as c_short)
    }
}

/// `rt.Thread.unwatch`: takes a watch back.
///
/// # Safety
/// Compiled code of the worker calls this.
pub unsafe extern "C" fn unwatch(worker: *mut Worker, number: u64) {
    // SAFETY: `worker` is this thread's own; the list is behind its lock.
    unsafe { (*worker).world().threads.watches.remove(number) };
}

/// `rt.Thread.isWatched`: returns 1 if a watch had no event yet, otherwise 0.
///
/// # Safety
/// Compiled code of the worker calls this.
pub unsafe extern "C" fn is_watched(worker: *mut Worker, number: u64) -> i64 {
    // SAFETY: `worker` is this thread's own; the list is behind its lock.
    i64::from(unsafe { (*worker).world().threads.watches.has(number) })
}

/// `rt.Thread.closed`: wakes the threads that watch a descriptor, because the program has closed it.
///
/// # Safety
/// As for [`super::unpark`]: compiled code of the worker calls this, without a safepoint meanwhile.
pub unsafe extern "C" fn closed(worker: *mut Worker, file: i64) {
    if let Ok(file) = c_int::try_from(file) {
        // SAFETY: `worker` runs the strand that calls, so it counts as running, and nothing is collected in here.
        unsafe {
            let world: *const World = (*worker).world();
            (*world)
                .threads
                .watches
                .report(&*world, file, libc::POLLNVAL);
        }
    }
}
