//! Compare-and-swap on references and arrays of pointers, for compiled code. For elements that are not pointers, compiled code contains the
//! compare-and-swap instruction itself.
//!
//! Before a swap stores a young object where other workers can see the object, the swap promotes the object, as a plain store does. The
//! swap also orders memory: a worker that reads the new value sees all fields of the object.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::collect::promote;
use crate::state::worker::Worker;
use crate::value::object::Value;

/// Maximum number of pairs of objects that a comparison of two values examines. This maximum is larger than the number of objects that a
/// promotion copies by default.
const PAIRS: usize = 64;

/// Stores `new` in field `index` of `object` if the field holds `expected`, and returns the field's former value.
///
/// The promoted copies of an immutable object are equivalent to the object, so `expected` may be the object or any of its copies (see
/// `is_like`).
///
/// # Safety
/// Only a thunk may call this function, on the strand that the worker runs, so that live values are in slots of frames. `object` must have
/// a field `index` that holds a pointer.
pub unsafe extern "C" fn swap(
    worker: *mut Worker,
    object: Value,
    index: usize,
    expected: Value,
    new: Value,
) -> Value {
    let (mut object, mut expected, mut new) = (object, expected, new);
    // SAFETY: `worker` is this thread's own, and the thunk has noted its frame. The field is a whole word that compiled code reads and
    // writes as one. `object`, `expected` and `new` are roots of the promotion, which may move them. Nothing is collected after the
    // promotion.
    unsafe {
        let shared = (*worker).world().is_shared();
        let outside = shared && !(*worker).is_young(object);
        let mut copy = None;
        if outside {
            // If `expected` has a copy, a store has put that copy into the field. The code looks the copy up before it promotes `new`,
            // because the copy of `new` may replace the copy of `expected` in the table.
            copy = (*worker).copy_of(expected);
            if (*worker).is_own(new) {
                match promote::copy(worker, new) {
                    Some(copy) => new = copy,
                    None => {
                        let roots = &mut [&mut new.0, &mut object.0, &mut expected.0];
                        promote::promote_all(worker, (*worker).strand, roots);
                    }
                }
            }
        }
        let slot = AtomicUsize::from_ptr(object.slot(index));
        let mut there = copy.unwrap_or(expected);
        loop {
            // AcqRel: Release pairs with each load of the field by a worker that looks into the object; Acquire pairs with the store or the
            // swap that wrote the returned value, whose object the caller looks into. A failed exchange also returns a value into which the
            // caller looks, so it also acquires.
            match slot.compare_exchange(there.0, new.0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    if !(*worker).is_young(object) && (*worker).is_young(new) {
                        debug_assert!(!shared, "promoted above");
                        (*worker).remember(object.slot(index));
                    }
                    // The caller compares the result with the value that it expected.
                    return expected;
                }
                Err(before) if is_like(worker, Value(before), expected) => there = Value(before),
                Err(before) => return Value(before),
            }
        }
    }
}

/// Returns true if two values are alike. Alike values are equal, except that one value may refer to a copy of an immutable record or
/// closure where the other value refers to the original. If a program reads a value from a cell and passes it to a swap, the swap may get a
/// different object than the program has read. There are two reasons: compiled code may pass a record as separate fields and box the fields
/// again later, and a promotion copies a record together with all objects to which the record refers.
///
/// Two objects that may be mutable are alike only if they are the same object. References and arrays may be mutable. Strings, large
/// `IntInf`s and vectors count as mutable too, because their headers look like those of arrays. The collector moves an object that may be
/// mutable, but never copies it. So if a program has read its expected value from the cell, that value and the value in the cell refer to
/// the same mutable objects.
///
/// After [`PAIRS`] pairs of different objects, for example in two long lists of equal elements, the comparison ends and returns false. The
/// swap then returns the value in the cell to the program. If the program tries the swap again with that value, the comparison finds
/// identical objects. The comparison does not poll.
///
/// # Safety
/// `one` and `other` must be values, and no collection may happen during the call.
unsafe fn is_like(worker: *mut Worker, one: Value, other: Value) -> bool {
    let (mut pairs, mut seen) = (vec![(one, other)], HashSet::new());
    while let Some((one, other)) = pairs.pop() {
        if one == other {
            continue;
        }
        if one.is_immediate() || other.is_immediate() {
            return false;
        }
        // SAFETY: neither value is an immediate, so both are objects with headers, and have as many words as their headers say. An object
        // that is read from a shared cell, and the objects to which it refers, are the worker's own or global: none moves before the next
        // collection. No thread writes to objects that may be copied.
        unsafe {
            if (*worker).copy_of(other) == Some(one) {
                continue;
            }
            let (header, like) = (one.header(), other.header());
            if !header.may_be_copied() || !like.may_be_copied() || header.tag() != like.tag() {
                return false;
            }
            let shape = header.shape();
            if shape != like.shape() {
                return false;
            }
            // The comparison skips a pair that it has seen: several references may lead to one object, and closures may refer to each
            // other.
            if !seen.insert((one.0, other.0)) {
                continue;
            }
            if seen.len() > PAIRS {
                return false;
            }
            for index in 0..shape.words {
                let (word, like) = (one.word(index), other.word(index));
                if word != like {
                    if !(shape.first..shape.end).contains(&index) {
                        return false;
                    }
                    pairs.push((Value(word), Value(like)));
                }
            }
        }
    }
    true
}

/// Returns the number of workers that run the program.
///
/// # Safety
/// Only compiled code that a worker runs may call this function.
pub unsafe extern "C" fn workers(worker: *mut Worker) -> i64 {
    // SAFETY: `worker` is this thread's own, and keeps the options, which do not change.
    unsafe { (*worker).options().workers as i64 }
}

/// Returns the number of the worker that runs the strand: 0 or more, and less than [`workers`]. No other thread has the same number at the
/// same time.
///
/// # Safety
/// Only compiled code that a worker runs may call this function.
pub unsafe extern "C" fn number(_: *mut Worker) -> i64 {
    // The result is not the worker's index in the world. The thread that has started the program also has such an index, but this thread
    // does not fork once there is a pool.
    heist::current_worker_index().unwrap_or(0) as i64
}
