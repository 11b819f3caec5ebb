//! Raising: a walk up the frames to the first call with a handler. Code that does not raise pays nothing for it.

use super::frames::Walk;
use super::object::Value;
use super::stack::{leave, resume};
use super::worker::Worker;
use crate::exn::Payload;

/// Raises an exception from the frame that the worker has noted.
///
/// # Safety
/// Called by a thunk of the program that the worker runs.
pub unsafe extern "C" fn raise(worker: *mut Worker, exn: Value) -> ! {
    // SAFETY: frames between here and the handler are compiled ones, which own nothing.
    unsafe {
        (*worker).pending = Value(0);
        (*worker).handles.clear();
        let mut walk = Walk::new((*worker).frame, (*worker).marks());
        while let Some(frame) = walk.next() {
            if let Some(site) = (*worker).frames().handling(frame.address) {
                let left = walk.marks_left();
                let sp = frame.pointer - site.frame as usize;
                let (fp, pc) = (frame.pointer, site.handler);
                (*worker).keep_marks(left);
                resume(sp, fp, pc, exn.0, worker);
            }
        }
        (*worker).keep_marks(0);
        (*worker).pending = exn;
        leave(worker)
    }
}

/// The name of an exception and its payload, as they are printed if nobody handles it.
///
/// # Safety
/// It is an exception.
#[must_use]
pub unsafe fn describe(exn: Value) -> Vec<u8> {
    // SAFETY: exceptions have their identity first, and that its name; the identity says what the payload is.
    unsafe {
        let identity = exn.field(0);
        let mut text = identity.field(0).bytes().to_vec();
        let shape = exn.header().shape();
        if shape.words < 2 {
            return text;
        }
        let word = exn.word(1);
        let payload = match identity.word(1) {
            PAYLOAD_INT => minus((word as i64).to_string()),
            PAYLOAD_WORD => format!("0wx{word:X}"),
            PAYLOAD_REAL => minus(format!("{:?}", f64::from_bits(word as u64))),
            PAYLOAD_CHAR => format!("#\"{}\"", escape(&[word as u8])),
            PAYLOAD_STRING => format!("\"{}\"", escape(Value(word).bytes())),
            _ => return text,
        };
        text.extend_from_slice(b": ");
        text.extend_from_slice(payload.as_bytes());
        text
    }
}

fn minus(text: String) -> String {
    text.replace('-', "~").replace('e', "E")
}

/// As SML writes characters in strings.
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            7..=13 => {
                text.push('\\');
                text.push(char::from(b"abtnvfr"[usize::from(byte - 7)]));
            }
            0..32 => {
                text.push_str("\\^");
                text.push(char::from(byte + 64));
            }
            32..127 => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\{byte:03}")),
        }
    }
    text
}

const PAYLOAD_INT: usize = 1;
const PAYLOAD_WORD: usize = 2;
const PAYLOAD_REAL: usize = 3;
const PAYLOAD_CHAR: usize = 4;
const PAYLOAD_STRING: usize = 5;

/// The word of an identity that says how a payload is printed.
#[must_use]
pub fn payload_word(payload: Payload) -> usize {
    match payload {
        Payload::None | Payload::Other => 0,
        Payload::Int => PAYLOAD_INT,
        Payload::Word => PAYLOAD_WORD,
        Payload::Real => PAYLOAD_REAL,
        Payload::Char => PAYLOAD_CHAR,
        Payload::String => PAYLOAD_STRING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_sml_writes_them() {
        assert_eq!(escape(b"a\"\\\n\x01\xff\x7f"), "a\\\"\\\\\\n\\^A\\255\\127");
        assert_eq!(minus((-3).to_string()), "~3");
    }
}
