//! Lazy values that several workers use: one strand computes a value, and other strands that need the value wait.
//!
//! A lazy value is a reference (`LazyCell` of the Basis). The reference first contains the object `DELAYED f`. While a strand computes the
//! value, the reference contains a word that is not an object. When the strand has ended the computation, the reference contains the value
//! or the exception.
//!
//! ```text
//!              claim (CAS)               settle (swap)
//! DELAYED f ----------------> COMPUTED ----------------> VALUE a, FAILED exn
//!     ^                          |  ^ wait (CAS)
//!     |  abandon (swap)          v  |
//!     +----------------------- AWAITED
//! ```
//!
//! A strand records the lazy values that it computes. When a cancelled strand ends, it *resets* its lazy values: their state becomes
//! `DELAYED f` again. A strand that waits is suspended as at a join, and is in the list [`Waiting`](crate::state::waiting::Waiting). A
//! strand that settles or resets an `AWAITED` value makes the waiters run again, and each waiter checks the state again. *Invariant*: a
//! strand enters the list, under the list's lock, only if the state of its lazy value is `AWAITED`. A strand that changes `AWAITED` by a
//! swap reads the list after the swap. So no waiter is lost.
//!
//! While there is only one strand, and this strand ends only with the process, it does not record its lazy values: compiled code writes
//! `COMPUTED` without a call ([`Worker::recorded`](crate::state::worker::Worker)).

use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::collect::promote;
use crate::state::strand::Strand;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::Value;

/// A strand computes the value, and has recorded this value. While strands record no lazy values, compiled code writes 0 in place of this
/// number.
pub(crate) const NOTED: i64 = 1;
/// A strand computes the value, and at least one other strand waits for the value.
const AWAITED: i64 = 2;

/// The tag of `DELAYED f`: the first constructor.
const DELAYED: u16 = 0;

/// Returns the state of a lazy value.
///
/// # Safety
/// `lazy` must be a lazy value: a reference to one pointer. No collection may happen while the result is in use.
pub(crate) unsafe fn state<'a>(lazy: Value) -> &'a AtomicUsize {
    // SAFETY: a reference has one word after its header, which compiled code reads and writes as a whole. No collection moves it meanwhile.
    unsafe { AtomicUsize::from_ptr(lazy.slot(0)) }
}

/// Returns true if no strand has begun to compute a lazy value.
///
/// # Safety
/// `lazy` must be a lazy value, and no collection may happen during the call.
pub unsafe fn is_delayed(lazy: Value) -> bool {
    // SAFETY: `lazy` is a lazy value and is not moved before its state was read. Acquire: pairs with the swaps of `put`, so the object is
    // whole.
    let now = Value(unsafe { state(lazy) }.load(Ordering::Acquire));
    // SAFETY: the state of a lazy value is an immediate or an object, and nothing is collected before its header is read.
    !now.is_immediate() && unsafe { now.header() }.tag() == DELAYED
}

/// Notes that the worker's strand computes a lazy value from now on, and returns 1, if the state of the value still is `before`. Otherwise,
/// returns 0.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, without a thunk.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn claim(worker: *mut Worker, lazy: Value, before: Value) -> usize {
    std::arch::naked_asm!(
        // The frame pointer is still that of the compiled code.
        "mov rcx, rbp",
        "jmp {claim}",
        claim = sym claim_for,
    )
}

/// Does the work of [`claim`] for the code of a frame.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, by [`claim`], with the frame pointer of the calling frame. `lazy` must be
/// a lazy value.
unsafe extern "C" fn claim_for(
    worker: *mut Worker,
    lazy: Value,
    before: Value,
    frame: usize,
) -> usize {
    // SAFETY: `worker` is this thread's own and runs the strand that calls; this function has no safepoint, so no collection moves `lazy`
    // or `before`. A young `lazy` is known to this worker alone.
    unsafe {
        let noted = Value::immediate(NOTED).0;
        if (*worker).is_own(lazy) {
            // Relaxed: only this worker sees the value.
            state(lazy).store(noted, Ordering::Relaxed);
        } else {
            // Acquire: pairs with the swap with which `abandon` resets the lazy value. The word itself is the only data that passes between
            // the threads.
            let claimed =
                state(lazy).compare_exchange(before.0, noted, Ordering::Acquire, Ordering::Relaxed);
            if claimed.is_err() {
                return 0;
            }
        }
        (*(*worker).strand).computes.push((lazy, before, frame));
        1
    }
}

/// Settles a lazy value and returns 1 if no other worker can see the value. If another worker can see the lazy value, does nothing and
/// returns 0.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn settle_own(worker: *mut Worker, lazy: Value, now: Value) -> usize {
    // SAFETY: `worker` is this thread's own and runs the strand that calls; this function has no safepoint, so no collection moves the
    // values. The lazy value is young, so no other thread knows it, and the store needs no barrier.
    unsafe {
        if !(*worker).is_own(lazy) {
            return 0;
        }
        // Relaxed: only this worker sees the value.
        state(lazy).store(now.0, Ordering::Relaxed);
        forget(&mut *(*worker).strand, lazy);
        1
    }
}

/// Removes a lazy value from the list of the values that a strand computes.
fn forget(strand: &mut Strand, lazy: Value) {
    // The list lacks the values whose computation began while strands did not record their lazy values.
    if let Some(at) = strand.computes.iter().rposition(|it| it.0 == lazy) {
        strand.computes.remove(at);
    }
}

/// Settles a lazy value that the worker's strand has computed.
///
/// # Safety
/// Only a thunk may call this function.
pub unsafe extern "C" fn settle(worker: *mut Worker, lazy: Value, now: Value) {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, and the thunk has noted its frame, so `put` may collect. `put`
    // returns the lazy value's address, and nothing is collected after that.
    unsafe {
        let lazy = put(worker, lazy, now);
        forget(&mut *(*worker).strand, lazy);
    }
}

/// Writes the state of a lazy value that the worker's strand computes, and wakes its waiters. The object `now` may move. Returns the
/// current address of the lazy value.
///
/// # Safety
/// The worker must be the calling thread's own. The worker's strand, or a strand that runs nowhere, must compute the lazy value. If a
/// promotion may be needed, the newest frame of the worker's strand must be noted.
unsafe fn put(worker: *mut Worker, lazy: Value, now: Value) -> Value {
    // SAFETY: `worker` is this thread's own and nothing else uses its strand's lazy values. No other worker refers to a young `lazy`. A
    // promotion does not move an old `lazy`, because promotions evacuate young generations only.
    unsafe {
        let mut now = now;
        // A young lazy value belongs to this worker alone.
        if !(*worker).is_young(lazy) && (*worker).is_own(now) {
            if (*worker).world().is_shared() {
                // The lazy value is old, so it stays where it is: a promotion evacuates young generations only.
                now = promote::promote(worker, now);
            } else {
                (*worker).remember(lazy.slot(0));
            }
        }
        // AcqRel: Release pairs with each load of the state by a strand that looks into the object. Acquire pairs with the change to
        // `AWAITED`.
        let before = Value(state(lazy).swap(now.0, Ordering::AcqRel));
        debug_assert!(before.is_immediate(), "this strand computes it");
        if before.number() & AWAITED != 0 {
            wake((*worker).world(), lazy);
        }
        lazy
    }
}

/// Resets all lazy values that a strand computes to `DELAYED f`, because the strand ends at this point. Wakes the strands that wait for
/// these values.
///
/// # Safety
/// The strand must run nowhere, or on this worker. The worker must be the calling thread's own.
pub unsafe fn abandon(worker: *mut Worker, strand: *mut Strand) {
    // SAFETY: `worker` is this thread's own, and no other worker runs the strand. The former content of an old lazy value is old, or
    // nothing is shared. So nothing is collected.
    unsafe {
        abandon_above(worker, strand, usize::MAX);
    }
}

/// Resets the lazy values that frames above `frame` compute to `DELAYED f`, and wakes the strands that wait for them.
///
/// # Safety
/// The strand must run nowhere, or on this worker. The worker must be the calling thread's own.
pub(crate) unsafe fn abandon_above(worker: *mut Worker, strand: *mut Strand, frame: usize) {
    // SAFETY: `worker` is this thread's own, and no other worker runs the strand, so no other thread uses its list. `before` needs no
    // promotion, so `put` collects nothing.
    unsafe {
        while let Some((lazy, before, _)) = (*strand).computes.pop_if(|it| it.2 < frame) {
            put(worker, lazy, before);
        }
    }
}

/// Makes the waiters of a lazy value run again.
///
/// # Safety
/// The caller must be a running worker of the world, or have stopped all other workers.
unsafe fn wake(world: &World, lazy: Value) {
    let Some(pool) = world.started() else { return };
    let mut list = world
        .waiting
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    list.retain(|strand| {
        // SAFETY: the strand is in the list, whose lock is held, so it runs nowhere and no other thread writes to it.
        let waits = unsafe { (**strand).awaits } == lazy;
        if waits {
            // SAFETY: no thread but this one has the strand, because the strand leaves the list here, under the list's lock. So this
            // function may pass the strand to the pool.
            unsafe { pool.wake(*strand) };
        }
        !waits
    });
}

/// Wakes each strand that waits for a lazy value inside of a cancelled computation, so that the strand ends or leaves that computation.
///
/// # Safety
/// The caller must be a worker, or have stopped all workers.
pub(crate) unsafe fn wake_cancelled(world: &World) {
    let Some(pool) = world.started() else { return };
    let mut list = world
        .waiting
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    list.retain(|strand| {
        // SAFETY: the strand waits, so no other thread uses it. If the strand leaves the list, this function alone has it.
        unsafe {
            let cancelled = is_cancelled(*strand);
            if cancelled {
                pool.wake(*strand);
            }
            !cancelled
        }
    });
}

/// Returns true if a strand may leave a part of its frames, including its newest frame, because that part is not needed any more.
///
/// # Safety
/// No worker may run the strand, and no other thread may have the strand.
unsafe fn is_cancelled(strand: *mut Strand) -> bool {
    // SAFETY: the strand runs nowhere and is the caller's, so no other thread writes to it while this reference is in use.
    let strand = unsafe { &*strand };
    strand.exposed().is_some_and(|around| around.is_cancelled())
}

/// Puts a suspended strand into the list. Returns false if the strand's lazy value is settled, or if the strand is cancelled.
///
/// # Safety
/// The strand must be saved, because it may continue on another worker immediately. No collection may happen during the call.
pub unsafe fn suspend(world: &World, strand: *mut Strand) -> bool {
    let mut list = world
        .waiting
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    // This check is under the list's lock. If the check misses a cancellation, `wake_cancelled` takes the same lock later, and finds the
    // strand in the list.
    // SAFETY: the strand is saved and not in the list yet, so no other thread has it.
    if unsafe { is_cancelled(strand) } {
        return false;
    }
    // SAFETY: the strand is saved and runs nowhere, and the value that it awaits is a lazy value.
    let state = unsafe { state((*strand).awaits) };
    // Relaxed: the exchange decides.
    let mut now = state.load(Ordering::Relaxed);
    while Value(now).is_immediate() {
        let awaited = Value::immediate(Value(now).number() | AWAITED).0;
        // Release: pairs with the swap in `put`, which takes the list's lock after the swap.
        match state.compare_exchange(now, awaited, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => {
                list.push(strand);
                return true;
            }
            Err(other) => now = other,
        }
    }
    false
}
