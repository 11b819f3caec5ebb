//! Access to the bytes of a map, although another process may truncate the file at any time.
//!
//! The system sends `SIGBUS` for an access beyond the end of the file, or to a block that the disk cannot read. Each access is the first
//! instruction of a function of its own, which uses no stack. So the signal handler recognises the access by the address of the
//! instruction. The handler continues at `gone`, which returns to the function's caller.

use std::sync::atomic::AtomicU8;

/// The error of an access to bytes beyond the present end of the file.
#[derive(Debug)]
pub(crate) struct Gone;

/// The result of an access, in two registers.
#[repr(C)]
struct Answer {
    value: u64,
    /// 1 if the access failed, otherwise 0.
    gone: u64,
}

impl Answer {
    fn value(self) -> Result<u64, Gone> {
        if self.gone == 0 {
            Ok(self.value)
        } else {
            Err(Gone)
        }
    }
}

/// Number of bytes that one access reads or writes.
const WORD: usize = 8;

macro_rules! accesses {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*): $instruction:literal;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// The accessed bytes must belong to a map until this function has returned.
            #[cfg(target_arch = "x86_64")]
            #[unsafe(naked)]
            unsafe extern "C" fn $name($($arg: $type),*) -> Answer {
                std::arch::naked_asm!($instruction, "xor edx, edx", "ret")
            }
        )*

        /// Returns true if the instruction at this address is an access. May be called in a handler.
        fn is_access(address: usize) -> bool {
            [$($name as *const () as usize),*].contains(&address)
        }
    };
}

accesses! {
    /// Reads a byte.
    get_byte(from: *const AtomicU8): "movzx eax, byte ptr [rdi]";
    /// Reads a word.
    get_word(from: *const AtomicU8): "mov rax, qword ptr [rdi]";
    /// Writes a byte.
    put_byte(to: *const AtomicU8, byte: u64): "mov byte ptr [rdi], sil";
    /// Writes a word.
    put_word(to: *const AtomicU8, word: u64): "mov qword ptr [rdi], rsi";
}

/// Returns from an access that has failed.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn gone() -> Answer {
    std::arch::naked_asm!("xor eax, eax", "mov edx, 1", "ret")
}

/// Returns true if `SIGBUS` came from an access, and makes that access fail.
///
/// # Safety
/// Only the handler of `SIGBUS` may call this function, with the context that the handler got.
pub(crate) unsafe fn go_on(context: *mut libc::c_void) -> bool {
    // SAFETY: the system has called the handler with this context, which is the handler's alone until it returns.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    let next = &mut context.uc_mcontext.gregs[libc::REG_RIP as usize];
    let access = is_access(*next as usize);
    if access {
        *next = gone as *const () as i64;
    }
    access
}

/// Passes each byte and its index to `take`.
pub(crate) fn load(bytes: &[AtomicU8], mut take: impl FnMut(usize, u8)) -> Result<(), Gone> {
    let words = bytes.chunks_exact(WORD);
    let rest = words.remainder();
    for (index, word) in words.enumerate() {
        // SAFETY: the bytes stay borrowed for the whole call. Meanwhile only these functions and other processes write to them.
        let word = unsafe { get_word(word.as_ptr()) }.value()?;
        for (within, byte) in word.to_le_bytes().into_iter().enumerate() {
            take(index * WORD + within, byte);
        }
    }
    for (index, byte) in rest.iter().enumerate() {
        // SAFETY: the byte is one of those that are borrowed for the whole call.
        let byte = unsafe { get_byte(byte) }.value()?;
        take(bytes.len() - rest.len() + index, byte as u8);
    }
    Ok(())
}

/// Calls `give` with the index of each byte, and writes the result to the byte.
pub(crate) fn store(bytes: &[AtomicU8], give: impl Fn(usize) -> u8) -> Result<(), Gone> {
    let words = bytes.chunks_exact(WORD);
    let rest = words.remainder();
    for (index, word) in words.enumerate() {
        let given = std::array::from_fn(|within| give(index * WORD + within));
        // SAFETY: the bytes stay borrowed for the whole call. The bytes are atomics, so they may be written.
        unsafe { put_word(word.as_ptr(), u64::from_le_bytes(given)) }.value()?;
    }
    for (index, byte) in rest.iter().enumerate() {
        let given = give(bytes.len() - rest.len() + index);
        // SAFETY: the byte is one of those that are borrowed for the whole call, and is an atomic, so it may be written.
        unsafe { put_byte(byte, u64::from(given)) }.value()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    /// Checks accesses to whole words and to the bytes after the last whole word, at each offset within a word.
    #[test]
    fn bytes_go_where_they_belong() {
        for length in 0..20 {
            for from in 0..WORD {
                let all: Vec<AtomicU8> = (0..40).map(AtomicU8::new).collect();
                let part = &all[from..from + length];
                let mut seen = Vec::new();
                load(part, |index, byte| seen.push((index, byte))).unwrap();
                let expected = (0..length).map(|index| (index, (from + index) as u8));
                assert_eq!(seen, expected.collect::<Vec<_>>());
                store(part, |index| 100 + index as u8).unwrap();
                for (at, byte) in all.iter().enumerate() {
                    let inside = (from..from + length).contains(&at);
                    let expected = if inside { 100 + at - from } else { at };
                    assert_eq!(byte.load(Ordering::Relaxed), expected as u8);
                }
            }
        }
    }
}
