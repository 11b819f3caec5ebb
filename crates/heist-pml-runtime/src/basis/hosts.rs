//! Names of hosts, protocols and services: the primitives of `NetHostDB`, `NetProtDB` and `NetServDB`.
//!
//! An entry is a string of fields, each followed by a zero byte. The first field has a number or addresses, the next field has the name,
//! and all further fields have aliases. If there is no such entry, the string is empty.

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::net::Ipv6Addr;

use libc::{hostent, protoent, servent};

use super::posix::name;
use super::text;
use crate::state::worker::Worker;
use crate::value::object::Value;

unsafe extern "C" {
    /// The crate `libc` does not declare the functions of this block. Each function writes an entry to the argument `entry`, and the
    /// entry's texts to a buffer. Each function also writes to `result`: a pointer to the entry, or null if there is no such entry. Each
    /// function returns 0 or an error, which is `ERANGE` if the buffer is too small.
    fn gethostbyname2_r(
        name: *const c_char,
        family: c_int,
        entry: *mut hostent,
        buffer: *mut c_char,
        size: usize,
        result: *mut *mut hostent,
        error: *mut c_int,
    ) -> c_int;
    fn gethostbyaddr_r(
        address: *const c_char,
        length: libc::socklen_t,
        family: c_int,
        entry: *mut hostent,
        buffer: *mut c_char,
        size: usize,
        result: *mut *mut hostent,
        error: *mut c_int,
    ) -> c_int;
    fn getprotobyname_r(
        name: *const c_char,
        entry: *mut protoent,
        buffer: *mut c_char,
        size: usize,
        result: *mut *mut protoent,
    ) -> c_int;
    fn getprotobynumber_r(
        number: c_int,
        entry: *mut protoent,
        buffer: *mut c_char,
        size: usize,
        result: *mut *mut protoent,
    ) -> c_int;
    fn getservbyname_r(
        name: *const c_char,
        protocol: *const c_char,
        entry: *mut servent,
        buffer: *mut c_char,
        size: usize,
        result: *mut *mut servent,
    ) -> c_int;
    fn getservbyport_r(
        port: c_int,
        protocol: *const c_char,
        entry: *mut servent,
        buffer: *mut c_char,
        size: usize,
        result: *mut *mut servent,
    ) -> c_int;
}

/// Looks up an entry, and repeats the call with a larger buffer while the buffer is too small. Returns the result of `describe` for the
/// entry, or an empty string if there is no entry.
///
/// # Safety
/// `call` must call one of the functions above. The arguments of `call` are room for the entry, the buffer, the size of the buffer, and
/// room for the result.
unsafe fn look_up<T>(
    mut call: impl FnMut(*mut T, *mut c_char, usize, *mut *mut T) -> c_int,
    describe: impl FnOnce(&T) -> Vec<u8>,
) -> io::Result<Vec<u8>> {
    let mut buffer: Vec<c_char> = vec![0; 1024];
    loop {
        let mut entry = MaybeUninit::<T>::uninit();
        let mut result = std::ptr::null_mut();
        let error = call(
            entry.as_mut_ptr(),
            buffer.as_mut_ptr(),
            buffer.len(),
            &raw mut result,
        );
        match error {
            libc::ERANGE if buffer.len() < 1 << 24 => buffer.resize(buffer.len() * 4, 0),
            // SAFETY: the function has written the entry, whose texts are in the buffer.
            0 if !result.is_null() => return Ok(describe(unsafe { &*result })),
            // There is no such entry, or the system has no such database.
            _ => return Ok(Vec::new()),
        }
    }
}

/// Adds a text and a zero byte.
///
/// # Safety
/// `text` must be the address of a text that ends in a zero.
unsafe fn add(fields: &mut Vec<u8>, text: *const c_char) {
    // SAFETY: `text` is the address of a text that ends in a zero.
    fields.extend_from_slice(unsafe { CStr::from_ptr(text) }.to_bytes_with_nul());
}

/// Adds all texts of a list that ends in a null pointer.
///
/// # Safety
/// `list` must be null, or a list of texts that ends in a null pointer. Each text must end in a zero.
unsafe fn add_all(fields: &mut Vec<u8>, mut list: *mut *mut c_char) {
    // SAFETY: the list has an entry at each place up to its null pointer.
    unsafe {
        while !list.is_null() && !(*list).is_null() {
            add(fields, *list);
            list = list.add(1);
        }
    }
}

/// Returns the fields of a host: its addresses (each byte as two hexadecimal digits), its name and its aliases.
fn of_host(entry: &hostent) -> Vec<u8> {
    let mut fields = Vec::new();
    // SAFETY: the lists of an entry end in null pointers; each address has `h_length` bytes.
    unsafe {
        let mut list = entry.h_addr_list;
        while !(*list).is_null() {
            let address = std::slice::from_raw_parts((*list).cast::<u8>(), entry.h_length as usize);
            for byte in address {
                fields.extend_from_slice(format!("{byte:02x}").as_bytes());
            }
            list = list.add(1);
        }
        fields.push(0);
        add(&mut fields, entry.h_name);
        add_all(&mut fields, entry.h_aliases);
    }
    fields
}

/// Returns the fields of a protocol: its number, its name and its aliases.
fn of_protocol(entry: &protoent) -> Vec<u8> {
    let mut fields = format!("{}\0", entry.p_proto).into_bytes();
    // SAFETY: an entry has a name, and a list of aliases that ends in a null pointer.
    unsafe {
        add(&mut fields, entry.p_name);
        add_all(&mut fields, entry.p_aliases);
    }
    fields
}

/// Returns the fields of a service: its port, its protocol, its name and its aliases.
fn of_service(entry: &servent) -> Vec<u8> {
    let port = u16::from_be(entry.s_port as u16);
    let mut fields = format!("{port}\0").into_bytes();
    // SAFETY: an entry has a name, a protocol, and a list of aliases that ends in a null pointer.
    unsafe {
        add(&mut fields, entry.s_proto);
        add(&mut fields, entry.s_name);
        add_all(&mut fields, entry.s_aliases);
    }
    fields
}

/// Returns the result of `call` as a string of the program. The closure `call` looks up an entry, and may wait for the network.
///
/// # Safety
/// `worker` must be the running worker. `call` must use no object of the program.
unsafe fn answer(worker: *mut Worker, call: impl FnOnce() -> io::Result<Vec<u8>>) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call and the string may collect. No address of an
    // object is in use.
    unsafe {
        let result = (*worker).world().outside(call);
        text(worker, result)
    }
}

/// `rt.Net.host`: returns the entry of the host with this name. The entry has the host's addresses of one family.
///
/// # Safety
/// `host` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn host(worker: *mut Worker, host: Value, family: i64) -> Value {
    // SAFETY: `host` is a string, and nothing is collected before `name` has copied it.
    let name = unsafe { name(host) };
    let call = || {
        let name = name?;
        let look = |entry, buffer, size, result| {
            let mut error = 0;
            // SAFETY: the name ends in a zero, and there is room for all results of the function.
            unsafe {
                let (name, family) = (name.as_ptr(), family as c_int);
                gethostbyname2_r(name, family, entry, buffer, size, result, &raw mut error)
            }
        };
        // SAFETY: `look` calls one of these functions.
        unsafe { look_up(look, of_host) }
    };
    // SAFETY: `worker` is the running worker, and the name was copied.
    unsafe { answer(worker, call) }
}

/// `rt.Net.hostOf`: returns the entry of the host with this address of 4 or 16 bytes.
///
/// # Safety
/// `address` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn host_of(worker: *mut Worker, address: Value) -> Value {
    // SAFETY: `address` is a string, whose bytes are copied immediately.
    let address = unsafe { address.bytes().to_vec() };
    let call = || {
        let family = match address.len() {
            4 => libc::AF_INET,
            16 => libc::AF_INET6,
            _ => return Err(io::Error::from_raw_os_error(libc::EINVAL)),
        };
        let look = |entry, buffer, size, result| {
            let mut error = 0;
            let (at, length) = (address.as_ptr().cast(), address.len() as libc::socklen_t);
            // SAFETY: the address has this length, and there is room for all results of the function.
            unsafe {
                gethostbyaddr_r(
                    at,
                    length,
                    family,
                    entry,
                    buffer,
                    size,
                    result,
                    &raw mut error,
                )
            }
        };
        // SAFETY: `look` calls one of these functions.
        unsafe { look_up(look, of_host) }
    };
    // SAFETY: `worker` is the running worker, and the address was copied.
    unsafe { answer(worker, call) }
}

/// `rt.Net.hostName`: returns the name of this host.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn host_name(worker: *mut Worker) -> Value {
    let mut buffer = [0_u8; 256];
    // SAFETY: the buffer has the given number of bytes.
    let result = match unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len()) } {
        0 => Ok(buffer
            .split(|&byte| byte == 0)
            .next()
            .unwrap_or(&[])
            .to_vec()),
        _ => Err(io::Error::last_os_error()),
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. Its bytes are a copy
    // that Rust owns.
    unsafe { text(worker, result) }
}

/// `rt.Net.protocol`: returns the entry of the protocol with this name.
///
/// # Safety
/// `protocol` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn protocol(worker: *mut Worker, protocol: Value) -> Value {
    // SAFETY: `protocol` is a string, and nothing is collected before `name` has copied it.
    let name = unsafe { name(protocol) };
    let call = || {
        let name = name?;
        // SAFETY: the name ends in a zero, and there is room for all results of the function. The closure calls one of the functions that
        // `look_up` requires.
        unsafe {
            look_up(
                |entry, buffer, size, result| {
                    getprotobyname_r(name.as_ptr(), entry, buffer, size, result)
                },
                of_protocol,
            )
        }
    };
    // SAFETY: `worker` is the running worker, and the name was copied.
    unsafe { answer(worker, call) }
}

/// `rt.Net.protocolOf`: returns the entry of the protocol with this number.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn protocol_of(worker: *mut Worker, number: i64) -> Value {
    let call = || {
        let Ok(number) = c_int::try_from(number) else {
            return Ok(Vec::new());
        };
        // SAFETY: the key is a number, and there is room for all results of the function. The closure calls one of the functions that
        // `look_up` requires.
        unsafe {
            look_up(
                |entry, buffer, size, result| {
                    getprotobynumber_r(number, entry, buffer, size, result)
                },
                of_protocol,
            )
        }
    };
    // SAFETY: `worker` is the running worker; the closure uses a number only.
    unsafe { answer(worker, call) }
}

/// Returns the address of a protocol's name. If the name is empty, returns null, which stands for any protocol.
fn wanted(protocol: &CString) -> *const c_char {
    if protocol.is_empty() {
        std::ptr::null()
    } else {
        protocol.as_ptr()
    }
}

/// `rt.Net.service`: returns the entry of the service with this name and this protocol. An empty `protocol` stands for any protocol.
///
/// # Safety
/// `service` and `protocol` must be strings, and `worker` must be the running worker.
pub unsafe extern "C" fn service(worker: *mut Worker, service: Value, protocol: Value) -> Value {
    // SAFETY: both are strings, and nothing is collected before `name` has copied them.
    let (service, protocol) = unsafe { (name(service), name(protocol)) };
    let call = || {
        let (service, protocol) = (service?, protocol?);
        let look = |entry, buffer, size, result| {
            let (service, protocol) = (service.as_ptr(), wanted(&protocol));
            // SAFETY: the names end in a zero, and there is room for all results of the function.
            unsafe { getservbyname_r(service, protocol, entry, buffer, size, result) }
        };
        // SAFETY: `look` calls one of these functions.
        unsafe { look_up(look, of_service) }
    };
    // SAFETY: `worker` is the running worker, and the names were copied.
    unsafe { answer(worker, call) }
}

/// `rt.Net.serviceOf`: returns the entry of the service with this port and this protocol. An empty `protocol` stands for any protocol.
///
/// # Safety
/// `protocol` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn service_of(worker: *mut Worker, port: i64, protocol: Value) -> Value {
    // SAFETY: `protocol` is a string, and nothing is collected before `name` has copied it.
    let protocol = unsafe { name(protocol) };
    let call = || {
        let protocol = protocol?;
        let Ok(port) = u16::try_from(port) else {
            return Ok(Vec::new());
        };
        let port = c_int::from(port.to_be());
        let look = |entry, buffer, size, result| {
            // SAFETY: the name ends in a zero, and there is room for all results of the function.
            unsafe { getservbyport_r(port, wanted(&protocol), entry, buffer, size, result) }
        };
        // SAFETY: `look` calls one of these functions.
        unsafe { look_up(look, of_service) }
    };
    // SAFETY: `worker` is the running worker, and the name was copied.
    unsafe { answer(worker, call) }
}

/// `rt.Net.parse6`: returns the 16 bytes of an IPv6 address, or an empty string if the text is not an IPv6 address.
///
/// # Safety
/// `written` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn parse6(worker: *mut Worker, written: Value) -> Value {
    // SAFETY: `written` is a string, and nothing is collected before it is read.
    let address = str::from_utf8(unsafe { written.bytes() })
        .ok()
        .and_then(|text| text.parse::<Ipv6Addr>().ok());
    let bytes = address.map_or_else(Vec::new, |address| address.octets().to_vec());
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. Its bytes are Rust's
    // own.
    unsafe { (*worker).string(&bytes) }
}

/// `rt.Net.text6`: returns the text of an IPv6 address, or an empty string for other bytes.
///
/// # Safety
/// `address` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn text6(worker: *mut Worker, address: Value) -> Value {
    // SAFETY: `address` is a string, and nothing is collected before it is read.
    let bytes: Result<[u8; 16], _> = unsafe { address.bytes() }.try_into();
    let text = bytes.map_or_else(|_| String::new(), |bytes| Ipv6Addr::from(bytes).to_string());
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The text is Rust's own.
    unsafe { (*worker).string(text.as_bytes()) }
}
