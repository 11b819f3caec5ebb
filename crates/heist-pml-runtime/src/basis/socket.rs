//! Sockets: the primitives of `Socket`.
//!
//! These functions do not wait: where a socket function of C would wait, they return `EAGAIN` (`EINPROGRESS` for a connection). The Basis
//! then makes the calling strand wait for the descriptor (`thread/watches.rs`), and calls the function again. No collection happens during
//! a call, so the call uses the bytes of the program's objects in place.
//!
//! An address is a string with the bytes of the system's structure for addresses.

use std::ffi::c_int;
use std::io;

use super::number::{descriptor, plain};
use super::posix::outcome;
use super::{status, text};
use crate::state::worker::Worker;
use crate::value::object::Value;

/// Maximum number of bytes that one call receives.
const LONGEST: i64 = 1 << 24;

/// Returns the result of a system call. Repeats the call if a signal interrupts it.
fn restarted(mut call: impl FnMut() -> i64) -> io::Result<i64> {
    loop {
        match outcome(call()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// An address in the format of the system.
struct Address {
    storage: libc::sockaddr_storage,
    length: libc::socklen_t,
}

impl Address {
    /// Returns an empty structure into which the system can write an address.
    fn room() -> Address {
        Address {
            // SAFETY: all zeros are a value of this type.
            storage: unsafe { std::mem::zeroed() },
            length: size_of::<libc::sockaddr_storage>() as libc::socklen_t,
        }
    }

    /// Returns the address whose bytes are given.
    fn of(bytes: &[u8]) -> io::Result<Address> {
        let mut address = Address::room();
        if bytes.len() > size_of::<libc::sockaddr_storage>() {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        // SAFETY: the bytes fit, and any bytes are a value of this type.
        unsafe {
            let target = (&raw mut address.storage).cast::<u8>();
            target.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        address.length = bytes.len() as libc::socklen_t;
        Ok(address)
    }

    fn place(&mut self) -> *mut libc::sockaddr {
        (&raw mut self.storage).cast()
    }

    /// Returns the bytes that the system has written.
    fn bytes(&self) -> &[u8] {
        // The system returns the whole length of an address, even if it has written only the part for which there is room.
        let length = (self.length as usize).min(size_of::<libc::sockaddr_storage>());
        // SAFETY: the structure has at least `length` bytes. All of them are initialised, because the structure was all zeros at first.
        unsafe { std::slice::from_raw_parts((&raw const self.storage).cast(), length) }
    }
}

/// `rt.Socket.socket`: makes a socket of a family, a type and a protocol.
pub extern "C" fn socket(_: *mut Worker, family: i64, kind: i64, protocol: i64) -> i64 {
    let call = || {
        let kind = plain::<c_int>(kind)? | libc::SOCK_CLOEXEC;
        // SAFETY: the call takes only numbers, and returns an error for invalid numbers.
        outcome(unsafe { libc::socket(plain(family)?, kind, plain(protocol)?) })
    };
    status(call())
}

/// `rt.Socket.pair`: makes two connected sockets. Returns the first descriptor plus 2^32 times the second descriptor.
pub extern "C" fn pair(_: *mut Worker, family: i64, kind: i64, protocol: i64) -> i64 {
    let call = || {
        let kind = plain::<c_int>(kind)? | libc::SOCK_CLOEXEC;
        let mut ends = [0; 2];
        // SAFETY: the call takes numbers, and writes two numbers, for which `ends` has room.
        outcome(unsafe {
            libc::socketpair(plain(family)?, kind, plain(protocol)?, ends.as_mut_ptr())
        })?;
        Ok(i64::from(ends[0]) | i64::from(ends[1]) << 32)
    };
    status(call())
}

/// `rt.Socket.bind`: gives a socket its address.
///
/// # Safety
/// `address` must be a string.
pub unsafe extern "C" fn bind(_: *mut Worker, file: i64, address: Value) -> i64 {
    // SAFETY: `address` is a string, whose bytes are copied immediately.
    let address = Address::of(unsafe { address.bytes() });
    let call = || {
        let mut address = address?;
        // SAFETY: `address` has the given length, and lives until the call has returned.
        outcome(unsafe { libc::bind(descriptor(file)?, address.place(), address.length) })
    };
    status(call())
}

/// Chooses whether system calls on a descriptor wait, or return `EAGAIN` instead. Returns the former flags.
fn set_waits(file: c_int, waits: bool) -> io::Result<c_int> {
    // SAFETY: both calls take only numbers, and return errors for invalid numbers.
    unsafe {
        let flags = outcome(libc::fcntl(file, libc::F_GETFL))? as c_int;
        let wanted = if waits {
            flags & !libc::O_NONBLOCK
        } else {
            flags | libc::O_NONBLOCK
        };
        if wanted != flags {
            outcome(libc::fcntl(file, libc::F_SETFL, wanted))?;
        }
        Ok(flags)
    }
}

/// `rt.Socket.listen`: makes a socket accept connections. The argument is the maximum number of connections that wait to be accepted.
pub extern "C" fn listen(_: *mut Worker, file: i64, room: i64) -> i64 {
    let call = || {
        let file = descriptor(file)?;
        // `accept` has no flag for a call that does not wait.
        set_waits(file, false)?;
        // SAFETY: the call takes only numbers, and returns an error for invalid numbers.
        outcome(unsafe { libc::listen(file, plain(room)?) })
    };
    status(call())
}

/// `rt.Socket.connect`: begins to connect a socket. Returns 0 if the socket is connected.
///
/// # Safety
/// `address` must be a string.
pub unsafe extern "C" fn connect(_: *mut Worker, file: i64, address: Value) -> i64 {
    // SAFETY: `address` is a string, whose bytes are copied immediately.
    let address = Address::of(unsafe { address.bytes() });
    let call = || {
        let mut address = address?;
        let file = descriptor(file)?;
        let flags = set_waits(file, false)?;
        // SAFETY: `address` has the given length, and lives until the call has returned.
        let result =
            restarted(|| unsafe { libc::connect(file, address.place(), address.length) }.into());
        set_waits(file, flags & libc::O_NONBLOCK == 0)?;
        result
    };
    status(call())
}

/// `rt.Socket.accept`: returns a string with the descriptor of the next connection, in 8 bytes (the lowest first), and the address of the
/// connection's other end.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn accept(worker: *mut Worker, file: i64) -> Value {
    let call = || {
        let file = descriptor(file)?;
        let mut address = Address::room();
        let accepted = restarted(|| {
            address = Address::room();
            let (place, length) = (address.place(), &raw mut address.length);
            // SAFETY: there is room for an address and for its length, which tells the system how much room there is.
            unsafe { libc::accept4(file, place, length, libc::SOCK_CLOEXEC) }.into()
        })?;
        let mut result = accepted.to_le_bytes().to_vec();
        result.extend_from_slice(address.bytes());
        Ok(result)
    };
    let result = call();
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. Its bytes are a copy
    // that Rust owns.
    unsafe { text(worker, result) }
}

/// Adds the flags that prevent a call from waiting and from raising SIGPIPE.
fn flags(flags: i64) -> io::Result<c_int> {
    Ok(plain::<c_int>(flags)? | libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL)
}

/// `rt.Socket.receive`: returns the bytes that have arrived, at most `most`, or an empty string at the end.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn receive(worker: *mut Worker, file: i64, most: i64, flags: i64) -> Value {
    let call = || {
        let (file, flags) = (descriptor(file)?, self::flags(flags)?);
        let mut buffer = vec![0_u8; most.clamp(0, LONGEST) as usize];
        // SAFETY: the buffer has the given number of bytes.
        let count = restarted(|| unsafe {
            libc::recv(file, buffer.as_mut_ptr().cast(), buffer.len(), flags) as i64
        })?;
        buffer.truncate(count as usize);
        Ok(buffer)
    };
    let result = call();
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The buffer is Rust's
    // own.
    unsafe { text(worker, result) }
}

/// `rt.Socket.receiveInto`: receives at most `n` bytes into an array, from index `from` on. Returns the number of bytes that have arrived.
///
/// # Safety
/// `bytes` must be an array of bytes that contains this range.
pub unsafe extern "C" fn receive_into(
    _: *mut Worker,
    file: i64,
    bytes: Value,
    from: i64,
    n: i64,
    flags: i64,
) -> i64 {
    // SAFETY: the Basis has checked the range. Only the system writes to this address, and nothing is collected during the call.
    let target = unsafe { bytes.slot(0).cast::<u8>().add(from as usize) };
    let call = || {
        let (file, flags) = (descriptor(file)?, self::flags(flags)?);
        // SAFETY: there are `n` bytes from `target` on.
        restarted(|| unsafe { libc::recv(file, target.cast(), n as usize, flags) as i64 })
    };
    status(call())
}

/// `rt.Socket.receiveFrom`: returns a string with the next datagram: a byte with the length of the sender's address, then the address, then
/// at most `most` bytes of the datagram.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn receive_from(
    worker: *mut Worker,
    file: i64,
    most: i64,
    flags: i64,
) -> Value {
    let call = || {
        let (file, flags) = (descriptor(file)?, self::flags(flags)?);
        let mut buffer = vec![0_u8; most.clamp(0, LONGEST) as usize];
        let mut address = Address::room();
        let count = restarted(|| {
            address = Address::room();
            let (place, length) = (address.place(), &raw mut address.length);
            let target = buffer.as_mut_ptr().cast();
            // SAFETY: the buffer has the given number of bytes, and there is room for an address and for its length.
            unsafe { libc::recvfrom(file, target, buffer.len(), flags, place, length) as i64 }
        })?;
        let from = address.bytes();
        // An address has at most 128 bytes.
        let mut result = vec![from.len() as u8];
        result.extend_from_slice(from);
        result.extend_from_slice(&buffer[..count as usize]);
        Ok(result)
    };
    let result = call();
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. Its bytes are Rust's
    // own.
    unsafe { text(worker, result) }
}

/// `rt.Socket.send`: sends a range of a string or of bytes, and returns the number of bytes that were sent.
///
/// # Safety
/// `bytes` must be a string or bytes that have this range.
pub unsafe extern "C" fn send(
    _: *mut Worker,
    file: i64,
    bytes: Value,
    from: i64,
    n: i64,
    flags: i64,
) -> i64 {
    // SAFETY: the Basis has checked the range. Only the system reads from this address, and nothing is collected during the call.
    let source = unsafe { bytes.slot(0).cast::<u8>().add(from as usize) };
    let call = || {
        let (file, flags) = (descriptor(file)?, self::flags(flags)?);
        // SAFETY: there are `n` bytes from `source` on.
        restarted(|| unsafe { libc::send(file, source.cast(), n as usize, flags) as i64 })
    };
    status(call())
}

/// `rt.Socket.sendTo`: sends a range as a datagram to an address.
///
/// # Safety
/// `address` must be a string, and `bytes` must be a string or bytes that have this range.
pub unsafe extern "C" fn send_to(
    _: *mut Worker,
    file: i64,
    address: Value,
    bytes: Value,
    from: i64,
    n: i64,
    flags: i64,
) -> i64 {
    // SAFETY: `address` is a string, whose bytes are copied immediately.
    let address = Address::of(unsafe { address.bytes() });
    // SAFETY: the Basis has checked the range. Only the system reads from this address, and nothing is collected during the call.
    let source = unsafe { bytes.slot(0).cast::<u8>().add(from as usize) };
    let call = || {
        let mut address = address?;
        let (file, flags) = (descriptor(file)?, self::flags(flags)?);
        let (place, length) = (address.place(), address.length);
        // SAFETY: there are `n` bytes from `source` on, and the address has the given length.
        restarted(|| unsafe {
            libc::sendto(file, source.cast(), n as usize, flags, place, length) as i64
        })
    };
    status(call())
}

/// `rt.Socket.address`: returns the address of the socket if `other` is 0, or the address of the other end of its connection if `other` is
/// 1.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn address(worker: *mut Worker, file: i64, other: i64) -> Value {
    let call = || {
        let file = descriptor(file)?;
        let mut address = Address::room();
        let (place, length) = (address.place(), &raw mut address.length);
        // SAFETY: there is room for an address and for its length, which tells the system how much room there is.
        outcome(unsafe {
            match other {
                0 => libc::getsockname(file, place, length),
                _ => libc::getpeername(file, place, length),
            }
        })?;
        Ok(address.bytes().to_vec())
    };
    let result = call();
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. Its bytes are a copy
    // that Rust owns.
    unsafe { text(worker, result) }
}

/// Returns the value of an option, as a `T`. Every bit pattern must be a valid `T`.
fn get<T>(file: i64, level: i64, name: i64, mut value: T) -> io::Result<T> {
    let mut length = size_of::<T>() as libc::socklen_t;
    let place = (&raw mut value).cast();
    // SAFETY: `place` has room for `length` bytes, and any bytes are a value of `T`.
    outcome(unsafe {
        libc::getsockopt(
            descriptor(file)?,
            plain(level)?,
            plain(name)?,
            place,
            &raw mut length,
        )
    })?;
    Ok(value)
}

/// Sets an option.
fn set<T>(file: i64, level: i64, name: i64, value: T) -> io::Result<i64> {
    let length = size_of::<T>() as libc::socklen_t;
    let place = (&raw const value).cast();
    // SAFETY: `place` leads to a value of `length` bytes, which lives until the call has returned.
    outcome(unsafe {
        libc::setsockopt(
            descriptor(file)?,
            plain(level)?,
            plain(name)?,
            place,
            length,
        )
    })
}

/// `rt.Socket.option`: returns the value of an option that is a number. A negative value becomes 0.
pub extern "C" fn option(_: *mut Worker, file: i64, level: i64, name: i64) -> i64 {
    status(get::<c_int>(file, level, name, 0).map(|value| value.max(0).into()))
}

/// `rt.Socket.setOption`: sets an option that is a number.
pub extern "C" fn set_option(_: *mut Worker, file: i64, level: i64, name: i64, value: i64) -> i64 {
    status(plain::<c_int>(value).and_then(|value| set(file, level, name, value)))
}

/// `rt.Socket.linger`: returns 0 if closing the socket does not wait until all data is sent. If closing the socket waits for the data,
/// returns 1 plus the maximum number of seconds of this wait.
pub extern "C" fn linger(_: *mut Worker, file: i64) -> i64 {
    let off = libc::linger {
        l_onoff: 0,
        l_linger: 0,
    };
    let value = get(file, libc::SOL_SOCKET.into(), libc::SO_LINGER.into(), off);
    status(value.map(|value| match value.l_onoff {
        0 => 0,
        _ => 1 + i64::from(value.l_linger.max(0)),
    }))
}

/// `rt.Socket.setLinger`: sets whether and for how long closing the socket waits, in the format that `rt.Socket.linger` returns.
pub extern "C" fn set_linger(_: *mut Worker, file: i64, linger: i64) -> i64 {
    let call = || {
        let value = libc::linger {
            l_onoff: (linger > 0).into(),
            l_linger: plain((linger - 1).max(0))?,
        };
        set(file, libc::SOL_SOCKET.into(), libc::SO_LINGER.into(), value)
    };
    status(call())
}

/// Returns the number that is the result of a request of `ioctl`.
fn request(file: i64, request: libc::Ioctl) -> i64 {
    let call = || {
        let mut value: c_int = 0;
        // SAFETY: these requests write a number.
        outcome(unsafe { libc::ioctl(descriptor(file)?, request, &raw mut value) })?;
        Ok(value.into())
    };
    status(call())
}

/// `rt.Socket.unread`: returns the number of bytes that have arrived and were not received yet.
pub extern "C" fn unread(_: *mut Worker, file: i64) -> i64 {
    request(file, libc::FIONREAD)
}

/// `rt.Socket.atMark`: returns 1 if the next byte comes after urgent data, otherwise 0.
pub extern "C" fn at_mark(_: *mut Worker, file: i64) -> i64 {
    /// The crate `libc` does not declare the request `SIOCATMARK`.
    const SIOCATMARK: libc::Ioctl = 0x8905;
    request(file, SIOCATMARK)
}

/// `rt.Socket.shutdown`: ends one direction of a connection, or both directions.
pub extern "C" fn shutdown(_: *mut Worker, file: i64, how: i64) -> i64 {
    let call = || {
        // SAFETY: the call takes only numbers, and returns an error for invalid numbers.
        outcome(unsafe { libc::shutdown(descriptor(file)?, plain(how)?) })
    };
    status(call())
}

/// `rt.Io.ready`: returns the events that a descriptor has now. The result contains only the given events, and the events that the system
/// always reports.
pub extern "C" fn ready(_: *mut Worker, file: i64, events: i64) -> i64 {
    let call = || {
        let mut file = libc::pollfd {
            fd: descriptor(file)?,
            events: plain(events)?,
            revents: 0,
        };
        // SAFETY: the call gets one entry, which lives until the call has returned.
        restarted(|| unsafe { libc::poll(&raw mut file, 1, 0) }.into())?;
        Ok(file.revents.into())
    };
    status(call())
}
