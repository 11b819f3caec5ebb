//! Files in memory, for `MPL.File`: programs read and write them from many strands at once.
//!
//! The address of a map is a number that the Basis keeps. It checks offsets against the length, and that the map was not closed. A strand
//! may close a map while another reads from it, so a closed map keeps its addresses, with zeros in place of the file.

use std::ffi::c_int;
use std::io;

use super::status;
use crate::object::Value;
use crate::worker::Worker;

/// `rt.Map.open`: the address of the first `length` bytes of a file, to be written too unless `writable` is 0. There is at least one byte.
pub extern "C" fn open(_: *mut Worker, file: i64, length: i64, writable: i64) -> i64 {
    let how = libc::PROT_READ | if writable == 0 { 0 } else { libc::PROT_WRITE };
    place(std::ptr::null_mut(), length, how, libc::MAP_SHARED, file)
}

/// `rt.Map.close`
pub extern "C" fn close(_: *mut Worker, map: i64, length: i64) -> i64 {
    let how = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    match place(map as *mut libc::c_void, length, how, flags, -1) {
        error if error < 0 => error,
        _ => 0,
    }
}

fn place(at: *mut libc::c_void, length: i64, how: c_int, flags: c_int, file: i64) -> i64 {
    // SAFETY: a place of the system's choice, or that of a map of this length that `open` has made, which nothing else uses.
    let map = unsafe { libc::mmap(at, length as usize, how, flags, file as c_int, 0) };
    if map == libc::MAP_FAILED {
        return status(Err(io::Error::last_os_error()));
    }
    map as i64
}

/// `rt.Map.get`: a byte.
///
/// # Safety
/// It is an address in a map.
pub unsafe extern "C" fn get(_: *mut Worker, at: i64) -> i64 {
    // SAFETY: the caller's promise. Volatile: another process may write to the file.
    i64::from(unsafe { (at as *const u8).read_volatile() })
}

/// `rt.Map.set`: writes a byte.
///
/// # Safety
/// It is an address in a map that was opened to be written.
pub unsafe extern "C" fn set(_: *mut Worker, at: i64, byte: i64) {
    // SAFETY: the caller's promise.
    unsafe { (at as *mut u8).write_volatile(byte as u8) }
}

/// `rt.Map.load`: copies `n` bytes into elements of an array, from `first` on.
///
/// # Safety
/// So many addresses from this one on are in a map, and the array has so many elements, which are no pointers.
pub unsafe extern "C" fn load(_: *mut Worker, at: i64, array: Value, first: i64, n: i64) {
    for index in 0..n as usize {
        // SAFETY: the caller's promise. An element is a word, and no pointer, so no barrier is needed.
        unsafe {
            let byte = (at as *const u8).add(index).read();
            array.slot(first as usize + index).write(usize::from(byte));
        }
    }
}

/// `rt.Map.store`: copies `n` elements of an array, from `first` on, into a map.
///
/// # Safety
/// As for [`load`], and the map was opened to be written.
pub unsafe extern "C" fn store(_: *mut Worker, at: i64, array: Value, first: i64, n: i64) {
    for index in 0..n as usize {
        // SAFETY: the caller's promise.
        unsafe {
            let word = array.slot(first as usize + index).read();
            (at as *mut u8).add(index).write(word as u8);
        }
    }
}
