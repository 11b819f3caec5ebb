//! Strands that wait until a file descriptor is ready. One thread of the process waits for all watched descriptors.
//!
//! A strand *watches* a descriptor and parks, so its worker runs other strands. Strands add watches to the system's list of watched
//! descriptors (epoll) while the thread waits. When epoll reports an event, the waiting thread gives the strand its permit. Like the thread
//! of the clock, this thread counts as running while it gives permits, so no collection happens at that time. A watch ends with its first
//! event. The watch leaves the list only after its strand is queued (`stuck.rs` relies on this order).
//!
//! The system reports each descriptor once (`EPOLLONESHOT`) after a watch was added. If the watches of a descriptor were removed, the
//! system may still report the descriptor. A report of a descriptor without watches wakes no strand.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use crate::process::ends::fatal;
use crate::state::thread_object::give_permit;
use crate::state::watches::CLOSED;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::Value;
use crate::wait::wake;

/// Maximum number of descriptors that the system reports in one call.
const REPORTS: usize = 64;

/// Gives permits to the threads that wait for some of these events of a descriptor.
///
/// # Safety
/// The caller must count as running, so that no collection happens during the call.
unsafe fn report(world: &World, file: c_int, events: u32) {
    world.threads.watches.report(file, events, |thread| {
        // SAFETY: the collector has kept the address of the thread's object up to date, and nothing is collected while the caller counts
        // as running. If the strand was parked, only the caller has it.
        unsafe {
            if let Some(strand) = give_permit(world, thread) {
                wake::wake_outside(world, strand);
            }
        }
    });
}

/// Waits for events of a list of descriptors and reports these events, in an endless loop.
fn run(world: &World, list: &OwnedFd) {
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
            unsafe { report(world, event.u64 as c_int, event.events) };
        }
        world.end();
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
        let run = move || run(&world, &own);
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
        let watches = &world.threads.watches;
        watches.add(thread, file, events as u32, || start(world.clone()))
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
            report(&*world, file, CLOSED);
        }
    }
}
