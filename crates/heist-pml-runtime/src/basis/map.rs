//! Files mapped into memory, for `MPL.File`. Many strands may read and write a file at the same time.
//!
//! A program keeps the address of a `Map` in a reference, which contains 0 after the map was closed. A strand may close a map while other
//! strands access the map. An access reads the reference and copies bytes, without a safepoint between these two steps. The strand that
//! closes the map writes 0 to the reference in place of the address, and stops all workers once. After the stop, no access to the map is in
//! progress, and later accesses find the 0. So the strand can unmap the file.
//!
//! Other processes may truncate a file while it is mapped. An access to the part that was cut off fails: see `process/mapped.rs`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use crate::basis::{path, status};
use crate::process::mapped;
use crate::state::worker::Worker;
use crate::value::object::Value;

/// The map was closed.
const CLOSED: i64 = -1;
/// The access is outside of the map.
const NO_SUCH: i64 = -2;
/// The map is read-only.
const READ_ONLY: i64 = -3;
/// The file has been truncated and no longer has the requested bytes.
const GONE: i64 = -4;

/// Converts the result of an access to a number for the Basis.
fn done(result: Result<(), mapped::Gone>) -> i64 {
    match result {
        Ok(()) => 0,
        Err(mapped::Gone) => GONE,
    }
}

/// A mapped file.
struct Map {
    /// The first byte. Other strands and other processes may write to the bytes at any time, so every access is atomic. The bytes order no
    /// other memory, so accesses are relaxed.
    address: NonNull<AtomicU8>,
    length: usize,
    writable: bool,
}

impl Map {
    /// Maps the first `length` bytes of a file, or new memory that is filled with zeros.
    fn new(file: Option<RawFd>, length: usize, writable: bool) -> io::Result<Map> {
        let mut address = NonNull::dangling();
        if length > 0 {
            let how = libc::PROT_READ | if writable { libc::PROT_WRITE } else { 0 };
            let flags = match file {
                Some(_) => libc::MAP_SHARED,
                None => libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            };
            let file = file.unwrap_or(-1);
            // SAFETY: the system chooses a place where nothing is.
            let map = unsafe { libc::mmap(ptr::null_mut(), length, how, flags, file, 0) };
            if map == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            address = NonNull::new(map.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        }
        Ok(Map {
            address,
            length,
            writable,
        })
    }

    /// Makes a map with a copy of these bytes, for reading.
    fn of_bytes(bytes: &[u8]) -> io::Result<Map> {
        let mut map = Map::new(None, bytes.len(), true)?;
        map.writable = false;
        for (to, &from) in map.bytes().iter().zip(bytes) {
            to.store(from, Ordering::Relaxed);
        }
        if map.length > 0 {
            // SAFETY: the range is this map, to which nothing is written any more.
            let result = unsafe { libc::mprotect(map.start(), map.length, libc::PROT_READ) };
            if result < 0 {
                let error = io::Error::last_os_error();
                map.unmap()?;
                return Err(error);
            }
        }
        Ok(map)
    }

    /// Maps a file for reading. The system cannot map pipes, or files with contents that it generates. If the file is of such a kind and
    /// has at most `most` bytes, this function reads it to its end.
    fn to_read(file: &File, most: usize) -> io::Result<Map> {
        let facts = file.metadata()?;
        if facts.is_file() && facts.len() > 0 {
            match Map::new(Some(file.as_raw_fd()), facts.len() as usize, false) {
                Err(error) if error.raw_os_error() == Some(libc::ENODEV) => {}
                result => return result,
            }
        }
        let mut bytes = Vec::new();
        file.take(most as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > most {
            return Err(io::Error::from_raw_os_error(libc::ENOMEM));
        }
        Map::of_bytes(&bytes)
    }

    /// Maps a file for writing, with `more` bytes after its end. If the map cannot be made, the file is not changed.
    fn to_write(file: &File, more: u64) -> io::Result<Map> {
        let facts = file.metadata()?;
        if !facts.is_file() {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        let before = facts.len();
        let length = before
            .checked_add(more)
            .filter(|&length| i64::try_from(length).is_ok())
            .ok_or_else(|| io::Error::from_raw_os_error(libc::EFBIG))?;
        let map = provide(file, before, length)
            .and_then(|()| Map::new(Some(file.as_raw_fd()), length as usize, true));
        if map.is_err() {
            // The function reports the first error, not this later error.
            let _ = file.set_len(before);
        }
        map
    }

    fn start(&self) -> *mut libc::c_void {
        self.address.as_ptr().cast()
    }

    fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: the map has `length` bytes until `unmap`, which takes the map by value. All accesses are atomic.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr(), self.length) }
    }

    /// Unmaps the file.
    fn unmap(self) -> io::Result<i64> {
        if self.length > 0 {
            // SAFETY: the range is this map, which nothing uses any more, because `self` was taken by value.
            if unsafe { libc::munmap(self.start(), self.length) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(0)
    }
}

/// Extends a file from `before` to `length` bytes, and makes sure that the disk has room for all these bytes. If the disk had no room, a
/// write to the map could end the process.
///
/// `posix_fallocate` is not suitable. If the file system lacks the operation, `posix_fallocate` writes to bytes that other processes may be
/// writing.
fn provide(file: &File, before: u64, length: u64) -> io::Result<()> {
    if length == 0 {
        return Ok(());
    }
    loop {
        // SAFETY: the call takes an open file and numbers.
        if unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, length as libc::off_t) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL) => break,
            _ => return Err(error),
        }
    }
    // If zeros are written to the file, the disk also provides room for the bytes.
    let zeros = [0; 1 << 16];
    let mut at = before;
    while at < length {
        let count = zeros.len().min((length - at) as usize);
        file.write_all_at(&zeros[..count], at)?;
        at += count as u64;
    }
    Ok(())
}

/// `rt.Map.open`: maps a file, and returns the address of the map. If `more` is negative, the map is for reading. If `more` is 0 or
/// positive, the map is for writing, with `more` bytes after the file's present content.
///
/// # Safety
/// `name` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn open(worker: *mut Worker, name: Value, more: i64) -> i64 {
    // SAFETY: `name` is a string, and nothing is collected before `path` has copied it.
    let path = unsafe { path(name) };
    // SAFETY: `worker` is the running worker.
    let most = unsafe { (*worker).world() }.heap().limit();
    let call = || {
        // The file is closed at the end of each arm, because a map does not need it.
        match u64::try_from(more) {
            Err(_) => Map::to_read(&File::open(path)?, most),
            Ok(more) => {
                let mut options = OpenOptions::new();
                options.read(true).write(true).create(true).mode(0o644);
                Map::to_write(&options.open(path)?, more)
            }
        }
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The path was copied.
    let map = unsafe { (*worker).world() }.outside(call);
    status(map.map(|map| Box::into_raw(Box::new(map)) as i64))
}

/// Returns the only field of a reference. The field contains the address of a map, or 0.
///
/// # Safety
/// `file` must be a reference to a number. The reference must not move while the result is used.
unsafe fn place<'a>(file: Value) -> &'a AtomicUsize {
    // SAFETY: a reference has a whole word after its header, which all users read and write as this atomic.
    unsafe { AtomicUsize::from_ptr(file.slot(0)) }
}

/// `rt.Map.close`: closes a map. Returns 0, an error of the system, or 1 if the map was closed before.
///
/// # Safety
/// `file` must be a reference that has the address of a map or 0, and `worker` must be the running worker.
pub unsafe extern "C" fn close(worker: *mut Worker, file: Value) -> i64 {
    // SAFETY: `file` is a reference to a number, and this worker has no safepoint before the swap, so it stays where it is. Relaxed: only
    // one of several strands gets the address. The stop below orders all other accesses.
    let map = unsafe { place(file) }.swap(0, Ordering::Relaxed) as *mut Map;
    if map.is_null() {
        return 1;
    }
    // SAFETY: `worker` is the running worker. The result is an `Arc` of the world, so no reference to the worker is in use while other
    // threads may write to it.
    let world = unsafe { (*worker).shared_world() };
    // If `stop` returns false, another worker has stopped this worker. That stop may have begun before the swap above, so this loop repeats
    // until this worker itself has stopped all other workers.
    while !world.stop() {}
    world.resume();
    // SAFETY: `open` has made the map, and no other strand has taken the address to close the map. An access that found the address had no
    // safepoint, so it ended before its worker stopped. The lock of the stop makes the 0 visible to all later accesses.
    let map = unsafe { Box::from_raw(map) };
    // Freeing many pages takes long.
    status(world.outside(|| map.unmap()))
}

/// Returns the map of a reference, unless the map was closed.
///
/// # Safety
/// `file` must be a reference that has the address of a map or 0. The caller must not reach a safepoint while it uses the result.
unsafe fn map<'a>(file: Value) -> Result<&'a Map, i64> {
    // SAFETY: `file` is a reference to a number, and this worker has no safepoint before the load, so it stays where it is. Relaxed: the
    // strand that opened the map wrote the whole map before it gave the reference to others.
    let map = unsafe { place(file) }.load(Ordering::Relaxed) as *const Map;
    // SAFETY: `close` frees a map only after it has stopped all workers. This worker stops only at a safepoint.
    unsafe { map.as_ref() }.ok_or(CLOSED)
}

/// Returns `n` bytes of a map, from index `from` on.
///
/// # Safety
/// `file` must be a reference that has the address of a map or 0. The caller must not reach a safepoint while it uses the result.
unsafe fn bytes<'a>(file: Value, from: i64, n: i64, write: bool) -> Result<&'a [AtomicU8], i64> {
    // SAFETY: `file` is a reference that has the address of a map or 0, and the caller has no safepoint while it uses the bytes.
    let map = unsafe { map(file) }?;
    let end = from.checked_add(n).ok_or(NO_SUCH)?;
    let range = usize::try_from(from).ok().zip(usize::try_from(end).ok());
    let bytes = range
        .and_then(|(from, end)| map.bytes().get(from..end))
        .ok_or(NO_SUCH)?;
    if write && !map.writable {
        return Err(READ_ONLY);
    }
    Ok(bytes)
}

/// `rt.Map.size`: returns the number of bytes, or an error.
///
/// # Safety
/// `file` must be a reference that has the address of a map or 0.
pub unsafe extern "C" fn size(_: *mut Worker, file: Value) -> i64 {
    // SAFETY: `file` is a reference that has the address of a map or 0, and this function has no safepoint, so `close` waits until the map
    // is not used any more.
    match unsafe { map(file) } {
        Ok(map) => map.length as i64,
        Err(why) => why,
    }
}

/// `rt.Map.get`: returns a byte, or an error.
///
/// # Safety
/// `file` must be a reference that has the address of a map or 0.
pub unsafe extern "C" fn get(_: *mut Worker, file: Value, at: i64) -> i64 {
    // SAFETY: `file` is a reference that has the address of a map or 0, and this function has no safepoint, so `close` waits until the
    // bytes are not used any more.
    match unsafe { bytes(file, at, 1, false) } {
        Ok(bytes) => {
            let mut found = 0;
            match done(mapped::load(bytes, |_, byte| found = i64::from(byte))) {
                0 => found,
                why => why,
            }
        }
        Err(why) => why,
    }
}

/// `rt.Map.set`: writes a byte. Returns 0 or an error.
///
/// # Safety
/// `file` must be a reference that has the address of a map or 0.
pub unsafe extern "C" fn set(_: *mut Worker, file: Value, at: i64, byte: i64) -> i64 {
    // SAFETY: `file` is a reference that has the address of a map or 0, and this function has no safepoint, so `close` waits until the
    // bytes are not used any more.
    match unsafe { bytes(file, at, 1, true) } {
        Ok(bytes) => done(mapped::store(bytes, |_| byte as u8)),
        Err(why) => why,
    }
}

/// `rt.Map.load`: copies `n` bytes into the elements of an array from index `first` on. Returns 0 or an error. Programs copy only a few
/// bytes in one call, because a stop of all workers waits for the call.
///
/// # Safety
/// `file` must be a reference with the address of a map or 0. The array must have the `n` elements from `first` on, and they must not be
/// pointers.
pub unsafe extern "C" fn load(
    _: *mut Worker,
    file: Value,
    at: i64,
    array: Value,
    first: i64,
    n: i64,
) -> i64 {
    // SAFETY: `file` is a reference that has the address of a map or 0, and this function has no safepoint, so `close` waits until the
    // bytes are not used any more.
    let bytes = match unsafe { bytes(file, at, n, false) } {
        Ok(bytes) => bytes,
        Err(why) => return why,
    };
    done(mapped::load(bytes, |index, byte| {
        // SAFETY: the array has `n` elements from `first` on, and `index` is less than `n`; nothing is collected meanwhile. An element is a
        // word, and no pointer, so no barrier is needed.
        unsafe { array.slot(first as usize + index).write(usize::from(byte)) };
    }))
}

/// `rt.Map.store`: copies the `n` elements of an array from index `first` on into a map. Returns 0 or an error.
///
/// # Safety
/// `file` must be a reference with the address of a map or 0. The array must have the `n` elements from `first` on, and they must not be
/// pointers.
pub unsafe extern "C" fn store(
    _: *mut Worker,
    file: Value,
    at: i64,
    array: Value,
    first: i64,
    n: i64,
) -> i64 {
    // SAFETY: `file` is a reference that has the address of a map or 0, and this function has no safepoint, so `close` waits until the
    // bytes are not used any more.
    let bytes = match unsafe { bytes(file, at, n, true) } {
        Ok(bytes) => bytes,
        Err(why) => return why,
    };
    done(mapped::store(bytes, |index| {
        // SAFETY: the array has `n` elements from `first` on, and `index` is less than `n`; nothing is collected meanwhile.
        unsafe { array.slot(first as usize + index).read() as u8 }
    }))
}
