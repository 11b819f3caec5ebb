//! The choices of threads, and the values that threads pass to each other. `state/thread_object.rs` has the layout of the object of a
//! thread.

use std::sync::atomic::{Ordering, fence};

use super::unpark;
use crate::collect::promote;
use crate::protocol::choice::{Choice, Claim};
use crate::state::thread_object::{GIVEN, KEPT, PROGRAM, choice};
use crate::state::worker::Worker;
use crate::value::object::Value;
use crate::wait::parts::list;

/// Begins a choice of the running thread, whose object is `thread`. Returns the choice's number.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function. `thread` must be the object of the running thread.
pub unsafe extern "C" fn begin_choice(worker: *mut Worker, thread: Value) -> usize {
    // SAFETY: `worker` is this thread's own and runs the strand that `thread` stands for. Nothing is collected during this call, as there
    // is no safepoint.
    unsafe {
        let strand = (*worker).strand;
        let around = list((*worker).world(), strand);
        let number = choice(thread).begin();
        if let Some(around) = around {
            // SeqCst: pairs with the fence in `wake_cancelled`.
            fence(Ordering::SeqCst);
            if around.is_cancelled() {
                choice(thread).revoke();
            }
        }
        number
    }
}

/// Claims a choice of a thread. Returns 0 if the caller may decide the choice, 1 if another thread has claimed the choice, and 2 if the
/// choice is over.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, and no safepoint may happen during the call. `thread` must be the object
/// of a thread.
pub unsafe extern "C" fn claim(worker: *mut Worker, thread: Value, number: usize) -> usize {
    // SAFETY: `thread` is the object of a thread, which no collection moves while this worker runs. Its program word never changes. A
    // thread of a program that has ended does not choose any more.
    let claim = unsafe {
        let program = thread.word(PROGRAM);
        if program != 0 && program != (*worker).world().threads.program() as usize {
            Claim::Over
        } else {
            choice(thread).claim(number)
        }
    };
    match claim {
        Claim::Mine => 0,
        Claim::Busy => 1,
        Claim::Over => 2,
    }
}

/// Gives a claimed choice back, so that other threads may claim it.
///
/// # Safety
/// Only compiled code of a running worker may call this function. `thread` must be the object of a thread whose choice the caller has
/// claimed.
pub unsafe extern "C" fn unclaim(_: *mut Worker, thread: Value) {
    // SAFETY: `thread` is the object of a thread whose choice the caller has claimed. Nothing is collected before the choice is given back.
    unsafe { choice(thread).unclaim() };
}

/// Decides a claimed choice for one of its parts, and gives the thread its permit.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function. `thread` must be the object of a thread whose choice the caller has
/// claimed.
pub unsafe extern "C" fn decide(worker: *mut Worker, thread: Value, part: usize) {
    // SAFETY: `worker` is this thread's own and has no safepoint in this function, so no collection moves the object `thread`. The caller
    // has claimed the choice, so it alone decides it.
    unsafe {
        choice(thread).decide(part);
        unpark(worker, thread);
    }
}

/// Returns the part for which a choice of a thread was decided; -1 if the choice is undecided, and -2 if it was revoked.
///
/// # Safety
/// Only compiled code of a running worker may call this function. `thread` must be the object of a thread.
pub unsafe extern "C" fn decision(_: *mut Worker, thread: Value) -> i64 {
    // SAFETY: `thread` is the object of a thread, and nothing is collected before its choice is read. The choice is an atomic.
    match unsafe { choice(thread).decision() } {
        None => -1,
        Some(Choice::VOID) => -2,
        Some(part) => part as i64,
    }
}

/// Gives a value to a thread whose choice the caller has claimed.
///
/// # Safety
/// Only a thunk may call this function, on the strand that the worker runs. The caller must have claimed the choice of `thread`.
pub unsafe extern "C" fn hand(worker: *mut Worker, thread: Value, value: Value) {
    // SAFETY: the worker runs the strand that calls, and the thunk has noted its frame, so that `store` may collect. The caller has claimed
    // the choice of `thread`, so no other strand uses its field `GIVEN`.
    unsafe { store(worker, thread, GIVEN, value) };
}

/// Takes the value that another thread has given the running thread.
///
/// # Safety
/// Only compiled code that a worker runs may call this function, through a thunk. `thread` must be the object of the running thread.
pub unsafe extern "C" fn given(worker: *mut Worker, thread: Value) -> Value {
    // SAFETY: `thread` is the object of the thread that runs. The strand that gave the value stored it before it decided the choice, so no
    // other strand uses the field `GIVEN`. Nothing is collected during this call. The stored word is an immediate, which needs no barrier.
    unsafe {
        let _ = worker;
        let value = thread.field(GIVEN);
        thread.init(GIVEN, Value::immediate(0).0);
        value
    }
}

/// Stores the value that the program keeps with a thread.
///
/// # Safety
/// Only a thunk may call this function, on the strand that the worker runs. `thread` must be the object of a thread, and no other strand
/// may write the thread's kept value during the call.
pub unsafe extern "C" fn keep(worker: *mut Worker, thread: Value, value: Value) {
    // SAFETY: the worker runs the strand that calls, and the thunk has noted its frame, so that `store` may collect. In the Basis, only the
    // thread itself uses its field `KEPT`, or the handler of its preemption while the thread waits.
    unsafe { store(worker, thread, KEPT, value) };
}

/// Returns the value that the program keeps with a thread.
///
/// # Safety
/// Only compiled code that a worker runs may call this function, through a thunk. `thread` must be the object of a thread.
pub unsafe extern "C" fn kept(_: *mut Worker, thread: Value) -> Value {
    // SAFETY: the field `KEPT` of a thread's object holds a value from the creation of the object on. Nothing is collected before the field
    // is read.
    unsafe { thread.field(KEPT) }
}

/// Writes a value into the object of a thread. The object of a thread is always old.
///
/// # Safety
/// A thunk must have called this function, on the strand that the worker runs. `thread` must be the object of a thread that has this field,
/// and no other strand may use the field during the call.
pub(crate) unsafe fn store(worker: *mut Worker, thread: Value, field: usize, value: Value) {
    // SAFETY: the worker runs the strand that calls, and its newest frame is noted, so `promote` may collect. The object `thread` is old:
    // it moves only in major collections, which do not happen during this call. No other strand uses the field.
    unsafe {
        let mut value = value;
        if (*worker).is_own(value) {
            if (*worker).world().is_shared() {
                value = promote::promote(worker, value);
            } else {
                (*worker).remember(thread.slot(field));
            }
        }
        thread.init(field, value.0);
    }
}
