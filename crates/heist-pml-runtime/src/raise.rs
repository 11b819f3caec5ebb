//! Raising: a walk up the frames to the first call with a handler. Code that does not raise pays nothing for it.

use super::frames::Walk;
use super::object::Value;
use super::show;
use super::stack::{leave, resume};
use super::worker::Worker;

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
    // SAFETY: the caller's promise.
    let (mut text, payload) = unsafe { show::exception(exn) };
    if let Some(payload) = payload {
        text.extend_from_slice(b": ");
        text.extend_from_slice(payload.as_bytes());
    }
    text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_sml_writes_them() {
        assert_eq!(escape(b"a\"\\\n\x01\xff\x7f"), "a\\\"\\\\\\n\\^A\\255\\127");
    }
}
