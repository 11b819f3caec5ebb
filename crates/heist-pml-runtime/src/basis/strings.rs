//! Functions for strings, bytes and arrays.

use std::cmp::Ordering;

use crate::state::worker::Worker;
use crate::value::object::Value;

/// `rt.String.eq`: returns 1 if two strings are equal, otherwise 0.
///
/// # Safety
/// `a` and `b` must be strings.
pub unsafe extern "C" fn equal(_: *mut Worker, a: Value, b: Value) -> i64 {
    // SAFETY: both are strings. Nothing allocates, so the strings do not move.
    i64::from(a == b || unsafe { a.bytes() == b.bytes() })
}

/// Returns the number that stands for an order in the Basis.
pub(super) fn order(order: Ordering) -> i64 {
    order as i64
}

/// `rt.String.compare`: compares two strings byte by byte. Returns a negative number, 0 or a positive number.
///
/// # Safety
/// `a` and `b` must be strings.
pub unsafe extern "C" fn compare(_: *mut Worker, a: Value, b: Value) -> i64 {
    // SAFETY: both are strings. Nothing allocates, so the strings do not move.
    order(unsafe { a.bytes().cmp(b.bytes()) })
}

/// `rt.Bytes.copy`: copies `n` bytes; the two ranges may overlap.
///
/// # Safety
/// The two objects must be bytes or strings, and must contain these ranges.
pub unsafe extern "C" fn copy(
    _: *mut Worker,
    source: Value,
    from: i64,
    target: Value,
    to: i64,
    n: i64,
) {
    // SAFETY: the Basis has checked that `n` bytes from `from` and from `to` on are within the objects. Nothing is collected meanwhile, and
    // `copy` allows overlapping ranges.
    unsafe {
        std::ptr::copy(
            source.slot(0).cast::<u8>().add(from as usize),
            target.slot(0).cast::<u8>().add(to as usize),
            n as usize,
        );
    }
}

/// `rt.Cells.all`: returns the array of values that earlier programs on this worker have left.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn cells(worker: *mut Worker) -> Value {
    // SAFETY: `worker` is the running worker. Only a collection moves the array of cells, and this function starts no collection.
    unsafe { (*worker).cells() }
}

/// `rt.Array.empty`: makes an array without elements.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn empty_array(worker: *mut Worker) -> Value {
    // SAFETY: `worker` is the running worker, and a thunk has noted the newest frame, so making the array may collect.
    unsafe { (*worker).array(false, 0, 0) }
}
