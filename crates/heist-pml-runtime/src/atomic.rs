//! Compare-and-swap on references and arrays of pointers, for compiled code. Of elements that are no pointers, code generation
//! emits the instruction itself.
//!
//! A swap must not store a young object where other workers can see it: it promotes the object first, as a plain store does. The
//! swap itself orders: a worker that reads the new value sees the object whole.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::object::Value;
use super::promote;
use super::worker::Worker;

/// Stores `new` in field `index` of `object` if `expected` is there, and returns what was there before.
///
/// An immutable object may have a promoted copy, which stands for it: `expected` may be either.
///
/// # Safety
/// A thunk calls this, on the strand that the worker runs: what is live is in slots of frames. The object has such a field, which
/// holds a pointer.
pub unsafe extern "C" fn swap(
    worker: *mut Worker,
    object: Value,
    index: usize,
    expected: Value,
    new: Value,
) -> Value {
    let (mut object, mut expected, mut new) = (object, expected, new);
    // SAFETY: the caller's promise: the worker is the caller's, and the field is a whole word that compiled code reads and writes
    // as one. The words that a promotion may move are given to it as roots, and nothing is collected after it.
    unsafe {
        let shared = (*worker).world().is_shared();
        let mut there = expected;
        if shared && !(*worker).is_young(object) {
            if (*worker).is_own(new) {
                match promote::copy(worker, new) {
                    Some(copy) => new = copy,
                    None => {
                        let roots = &mut [&mut new.0, &mut object.0, &mut expected.0];
                        promote::promote_all(worker, (*worker).strand, roots);
                    }
                }
            }
            there = if (*worker).is_own(expected) {
                // A store has put the copy there, if anything.
                (*worker).copies.get(expected).unwrap_or(expected)
            } else {
                expected
            };
        }
        let slot = AtomicUsize::from_ptr(object.slot(index));
        // AcqRel: Release pairs with each load of the field by a worker that looks into the object; Acquire pairs with the store
        // or the swap that wrote what is returned, whose object the caller looks into. Acquire of the failure: the latter.
        match slot.compare_exchange(there.0, new.0, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                if !(*worker).is_young(object) && (*worker).is_young(new) {
                    debug_assert!(!shared, "promoted above");
                    (*worker).remember(object.slot(index));
                }
                // The caller compares it with what it expected.
                expected
            }
            Err(before) => Value(before),
        }
    }
}

/// So many workers run the program.
///
/// # Safety
/// Compiled code of the worker calls this.
pub unsafe extern "C" fn workers(worker: *mut Worker) -> i64 {
    // SAFETY: the caller's promise.
    unsafe { (*worker).options().workers as i64 }
}

/// The number of the worker that runs the strand, from 0.
///
/// # Safety
/// Compiled code of the worker calls this.
pub unsafe extern "C" fn number(worker: *mut Worker) -> i64 {
    // SAFETY: the caller's promise.
    unsafe { (*worker).place() as i64 }
}
