//! Compare-and-swap on references and arrays of pointers, for compiled code. For elements that are not pointers, code
//! generation emits the instruction itself.
//!
//! A swap must not store a young object where other workers can see it: it promotes the object first, as a plain store does. The
//! swap itself orders: a worker that reads the new value sees the object whole.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::object::Value;
use super::promote;
use super::worker::Worker;

/// Number of pairs of objects that a comparison of two values looks at. A promotion that copies copies fewer by default.
const PAIRS: usize = 64;

/// Stores `new` in field `index` of `object` if `expected` is there, and returns what was there before.
///
/// An immutable object may have promoted copies, which stand for it: `expected` may be any of them (see `is_like`).
///
/// # Safety
/// A thunk calls this, on the strand that the worker runs: live values are in slots of frames. The object has such a field, which
/// holds a pointer.
pub unsafe extern "C" fn swap(
    worker: *mut Worker,
    object: Value,
    index: usize,
    expected: Value,
    new: Value,
) -> Value {
    let (mut object, mut expected, mut new) = (object, expected, new);
    // SAFETY: `worker` is this thread's own, and the thunk has noted its frame. The field is a whole word that compiled code reads and
    // writes as one. The words that a promotion may move are given to it as roots, and nothing is collected after it.
    unsafe {
        let shared = (*worker).world().is_shared();
        let outside = shared && !(*worker).is_young(object);
        let mut copy = None;
        if outside {
            // A store has put the copy there, if anything. Before `new` is promoted: its copy may take the other one's place in the table.
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
            // AcqRel: Release pairs with each load of the field by a worker that looks into the object; Acquire pairs with the store
            // or the swap that wrote what is returned, whose object the caller looks into. Acquire of the failure: the latter.
            match slot.compare_exchange(there.0, new.0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    if !(*worker).is_young(object) && (*worker).is_young(new) {
                        debug_assert!(!shared, "promoted above");
                        (*worker).remember(object.slot(index));
                    }
                    // The caller compares it with what it expected.
                    return expected;
                }
                Err(before) if is_like(worker, Value(before), expected) => there = Value(before),
                Err(before) => return Value(before),
            }
        }
    }
}

/// Returns true if two values differ at most in copies of immutable records and closures: each word of one is the same in the other, or
/// both words are objects that are alike. Compiled code passes records as fields and boxes them again, and a promotion copies them with all
/// objects to which they refer. So the value that a program has read from a cell may come back as other objects.
///
/// An object that may be mutable is like itself only. That is true of each reference and each array; of strings, large `IntInf`s and
/// vectors, too, which no header tells from arrays. They are never copied but for being moved, so a value that was read from the cell has the
/// same ones as the cell.
///
/// It gives up after [`PAIRS`] pairs of objects that differ and says that the values differ, as in a comparison of two long lists of equal
/// elements: the program then has what is in the cell, and its next attempt compares that with itself. It does not poll meanwhile.
///
/// # Safety
/// Both are values, and no collection happens in the meantime.
unsafe fn is_like(worker: *mut Worker, one: Value, other: Value) -> bool {
    let (mut pairs, mut seen) = (vec![(one, other)], HashSet::new());
    while let Some((one, other)) = pairs.pop() {
        if one == other {
            continue;
        }
        if one.is_immediate() || other.is_immediate() {
            return false;
        }
        // SAFETY: no immediates, so both are objects with headers and as many words as these say. One that is read from a shared cell, and
        // what it refers to, is the worker's own or global: neither moves before the next collection. Of objects that may be copied no word
        // is written any more.
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
            // Objects have several references to them, and closures refer to each other.
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

/// The number of workers that run the program.
///
/// # Safety
/// Compiled code of the worker calls this.
pub unsafe extern "C" fn workers(worker: *mut Worker) -> i64 {
    // SAFETY: `worker` is this thread's own, and keeps the options, which do not change.
    unsafe { (*worker).options().workers as i64 }
}

/// The number of the worker that runs the strand, from 0 and less than [`workers`]. No other thread has it in the meantime.
///
/// # Safety
/// Compiled code of a worker calls this.
pub unsafe extern "C" fn number(_: *mut Worker) -> i64 {
    // Not its place in the world, of which the thread that has started the program has one, too. That thread forks nothing once
    // there is a pool.
    heist::current_worker_index().unwrap_or(0) as i64
}
