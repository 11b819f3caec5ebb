//! Conversions of integers of any size (`IntInf`) from and to words, reals and text.

use num_bigint::BigInt;
use num_traits::{FromPrimitive, Signed, ToPrimitive};

use super::intinf::{bits, number, small};
use crate::state::worker::Worker;
use crate::value::exn::BuiltinExn;
use crate::value::object::Value;

/// The value of `String.maxSize`.
const MAX_TEXT: usize = 0x3fff_ffff;

/// Converts an int to an IntInf.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn from_int(worker: *mut Worker, a: i64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. No address of an object
    // is in use.
    unsafe { small(worker, a) }
}

/// Converts a word to an IntInf.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn from_word(worker: *mut Worker, a: u64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. No address of an object
    // is in use.
    unsafe {
        match i64::try_from(a) {
            Ok(a) => small(worker, a),
            Err(_) => (*worker).intinf(&BigInt::from(a)),
        }
    }
}

/// Converts an IntInf to an int, or raises Overflow.
///
/// # Safety
/// `a` must be an IntInf, and `worker` must be the running worker.
pub unsafe extern "C" fn to_int(worker: *mut Worker, a: Value) -> i64 {
    if a.is_immediate() {
        return a.number();
    }
    // SAFETY: `a` is an IntInf and is copied before anything else. `worker` is the running worker, and `raise` only sets its pending
    // exception.
    unsafe {
        number(a).to_i64().unwrap_or_else(|| {
            (*worker).raise(BuiltinExn::Overflow);
            0
        })
    }
}

/// Returns the low 64 bits of an IntInf.
///
/// # Safety
/// `a` must be an IntInf.
pub unsafe extern "C" fn to_word(_: *mut Worker, a: Value) -> u64 {
    if a.is_immediate() {
        return a.number() as u64;
    }
    // SAFETY: `a` is an IntInf and not an immediate, so it is an object with a tag and bytes. Nothing allocates, so the object does not
    // move.
    let (negative, bytes) = unsafe { (a.header().tag() == 1, a.bytes()) };
    let low = bytes
        .iter()
        .take(8)
        .rev()
        .fold(0, |low, byte| low << 8 | u64::from(*byte));
    if negative { low.wrapping_neg() } else { low }
}

/// Returns the real that is nearest to an IntInf.
///
/// # Safety
/// `a` must be an IntInf.
pub unsafe extern "C" fn to_real(_: *mut Worker, a: Value) -> f64 {
    if a.is_immediate() {
        return a.number() as f64;
    }
    // SAFETY: `a` is an IntInf, and nothing is collected before it is copied.
    let number = unsafe { number(a) };
    let infinite = if number.is_negative() {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    };
    number.to_f64().unwrap_or(infinite)
}

/// Converts an integral, finite real to an IntInf.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn from_real(worker: *mut Worker, a: f64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. No address of an object
    // is in use.
    unsafe { (*worker).intinf(&BigInt::from_f64(a).unwrap_or_default()) }
}

/// Returns the digits of a number in SML's notation.
fn digits(number: &BigInt, radix: u32) -> Vec<u8> {
    let mut text = number.to_str_radix(radix).into_bytes();
    for byte in &mut text {
        *byte = if *byte == b'-' {
            b'~'
        } else {
            byte.to_ascii_uppercase()
        };
    }
    text
}

/// Formats a number in a radix, or raises Size.
///
/// # Safety
/// `a` must be an IntInf, and `worker` must be the running worker.
pub unsafe extern "C" fn fmt(worker: *mut Worker, a: Value, radix: i64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so both the loan and making the string may collect. `a` is
    // an IntInf, is read at its current address after the loan, and is copied before the string is made.
    unsafe {
        // The text has at least this number of digits, at most one digit more, and perhaps a sign.
        let length = (bits(a) as f64 / (radix as f64).log2()) as usize;
        let text = if length > MAX_TEXT {
            Vec::new()
        } else {
            let (loan, [a]) = (*worker).lend(length + 2, [a]);
            let text = digits(&number(a), radix as u32);
            (*worker).repay(loan);
            text
        };
        if length > MAX_TEXT || text.len() > MAX_TEXT {
            (*worker).raise(BuiltinExn::Size);
            return Value::immediate(0);
        }
        (*worker).string(&text)
    }
}

/// Parses a number that is written with the digits of a radix.
///
/// # Safety
/// `string` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn parse(worker: *mut Worker, string: Value, radix: i64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. `string` is a string,
    // whose bytes are read before the result is made.
    unsafe {
        let number = BigInt::parse_bytes(string.bytes(), radix as u32).unwrap_or_default();
        (*worker).intinf(&number)
    }
}
