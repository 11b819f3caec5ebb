//! The object of a thread: its words, and their meaning. `thread/` has the operations of threads.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::protocol::choice::Choice;
use crate::protocol::permit::Permit;
use crate::state::strand::Strand;
use crate::state::world::World;
use crate::value::object::{THREAD_VALUES, Value, WORD};

/// The value that another thread has given the thread.
pub(crate) const GIVEN: usize = 0;
/// The value that the program keeps in the object.
pub(crate) const KEPT: usize = 1;
/// The permit of the thread.
pub(crate) const PERMIT: usize = THREAD_VALUES;
/// The address of the strand; 0 if the thread has ended.
pub(crate) const STRAND: usize = THREAD_VALUES + 1;
/// The thread's number, and the flags of a fiber.
pub(crate) const NUMBER: usize = THREAD_VALUES + 2;
/// The choice in which the thread waits.
pub(crate) const CHOICE: usize = THREAD_VALUES + 3;
/// The number of the thread's program.
pub(crate) const PROGRAM: usize = THREAD_VALUES + 4;

/// A poll may preempt the fiber, at the end of the fiber's time slice or on request.
pub(crate) const PREEMPTIBLE: u32 = 1;

/// The fiber should be preempted at its next poll that allows preemption.
pub(crate) const ASKED: u32 = 2;

/// The fiber was preempted, and waits.
pub(crate) const PREEMPTED: u32 = 4;

/// The fiber has ended while it was preempted.
pub(crate) const GONE: u32 = 8;

/// Returns the permit of a thread.
///
/// # Safety
/// `thread` must be the object of a thread, and no collection may happen while the reference is used.
pub(crate) unsafe fn permit<'a>(thread: Value) -> &'a Permit {
    // SAFETY: `thread` is the object of a thread, whose word `PERMIT` is only ever used as a permit. No collection moves the object while
    // the result is in use.
    unsafe { &*thread.slot(PERMIT).cast::<Permit>() }
}

/// Returns the strand of a thread, or null if the thread has ended.
///
/// # Safety
/// `thread` must be the object of a thread, and no collection may happen during the call.
pub(crate) unsafe fn strand_of(thread: Value) -> *mut Strand {
    // SAFETY: the object of a thread has a word `STRAND`. Only `forget` writes it after its creation, on the thread that has the strand.
    unsafe { thread.word(STRAND) as *mut Strand }
}

/// Returns true if a strand is parked. The caller must ensure that all workers are stopped.
///
/// # Safety
/// The strand must exist.
pub(crate) unsafe fn is_parked(strand: *mut Strand) -> bool {
    // SAFETY: the strand exists and all workers are stopped, so neither it nor its object changes meanwhile.
    unsafe {
        let object = (*strand).object;
        object.0 != 0 && permit(object).is_parked()
    }
}

/// Returns true if a strand is a parked thread. The collector drops such a strand if nothing refers to its object. The caller must ensure
/// that all workers are stopped.
///
/// # Safety
/// The strand must exist.
pub(crate) unsafe fn is_dispensable(strand: *mut Strand) -> bool {
    // SAFETY: the strand exists and all workers are stopped, so no thread writes to it while `it` is in use.
    unsafe {
        let it = &*strand;
        let is_alone = it.entries.is_empty() && it.computes.is_empty() && it.scopes.is_empty();
        it.thread && is_alone && it.listed.is_null() && is_parked(strand)
    }
}

/// Gives a thread its permit. Returns the thread's strand if it was parked. The caller must make the returned strand run again.
///
/// # Safety
/// `thread` must be the object of a thread, and no collection may happen during the call.
pub(crate) unsafe fn give_permit(world: &World, thread: Value) -> Option<*mut Strand> {
    // SAFETY: `thread` is the object of a thread and is not moved meanwhile. Only one call of `give` finds the strand parked. After this
    // call, its caller alone has the strand.
    unsafe {
        if !permit(thread).give() {
            return None;
        }
        // Relaxed: `thread/stuck.rs` reads the count while no strand runs.
        world.threads.unparked.fetch_add(1, Ordering::Relaxed);
        Some(strand_of(thread))
    }
}

/// Forgets a parked strand whose object was not reached by the collector.
///
/// # Safety
/// All workers must be stopped, and the collector must not have reached the object.
pub(crate) unsafe fn drop_parked(world: &World, strand: *mut Strand) {
    // SAFETY: all workers are stopped, and no object leads to the strand, so this thread alone writes to it.
    unsafe {
        // Relaxed: `thread/stuck.rs` reads the count while no strand runs.
        world.threads.unparked.fetch_add(1, Ordering::Relaxed);
        (*strand).object = Value(0);
    }
}

/// Returns the choice of a thread.
///
/// # Safety
/// `thread` must be the object of a thread, and no collection may happen while the reference is used.
pub(crate) unsafe fn choice<'a>(thread: Value) -> &'a Choice {
    // SAFETY: `thread` is the object of a thread, whose word `CHOICE` is only ever used as a choice. No collection moves the object while
    // the result is in use.
    unsafe { &*thread.slot(CHOICE).cast::<Choice>() }
}

/// The flags of a thread.
///
/// # Safety
/// `thread` must be the object of a thread, and no collection may happen while the reference is used.
pub(crate) unsafe fn flags<'a>(thread: Value) -> &'a AtomicU32 {
    // SAFETY: `thread` is the object of a thread, and no collection moves it while the result is in use. The upper half of the word is used
    // only as flags, and `number` uses only the lower half.
    unsafe { &*thread.slot(NUMBER).cast::<AtomicU32>().add(1) }
}

/// Returns true if a strand was preempted and must not continue yet.
///
/// # Safety
/// The calling thread's worker must run the strand, and no collection may happen during the call.
pub(crate) unsafe fn is_preempted(strand: *mut Strand) -> bool {
    // SAFETY: the caller's worker runs the strand, so no other thread writes these fields. A fiber has an object, which is not moved before
    // the flags were read. Acquire: pairs with the release in `go_on`.
    unsafe {
        (*strand).is_fiber && flags((*strand).object).load(Ordering::Acquire) & PREEMPTED != 0
    }
}

const _: () = assert!(size_of::<Permit>() == WORD && size_of::<Choice>() == WORD);
