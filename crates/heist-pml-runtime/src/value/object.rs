//! Layout of values and objects in memory.
//!
//! A value is a word. A value that the compiler calls a "pointer" is one of two things: the address of an object, which is a multiple of 8,
//! or an *immediate*, the odd number `2 n + 1`.
//!
//! An object is a header and the words after it. The address of an object is the address of its header.
//!
//! ```text
//!            63          48 47          32 31          16 15       4 3    1  0
//! record    |    raws      |    ptrs      |     tag      |    i     | kind | 1 |   ptrs pointers, then raws other words
//! closure   |    raws      |    ptrs      |      0       |    0     | kind | 1 |   the address of its code, then as a record
//! pointers  |            length           |      0       |    0     | kind | 1 |   length pointers
//! words     |            length           |      0       |    0     | kind | 1 |   length words that are not pointers
//! bytes     |            length           |     tag      |    0     | kind | 1 |   length bytes, then zeros up to a word
//! moved     |                         the new address                      | 0 |   the collector was here
//! ```
//!
//! `i` is 1 in a record that has an identity (a reference, or the identity of an exception), and 3 in the object of a thread. The runtime
//! may move an object with an identity, but never keeps two copies of it.
//!
//! With this layout, one load of 32 bits reads a length, and one load of 16 bits reads a tag.

use crate::value::exn::BuiltinExn;

/// A word that a variable of a compiled program holds as a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Value(pub usize);

impl Value {
    /// Returns the immediate for a number: `2 n + 1`.
    #[must_use]
    pub const fn immediate(n: i64) -> Value {
        Value(((n << 1) | 1) as usize)
    }

    /// Returns true if the value is an immediate.
    #[must_use]
    pub const fn is_immediate(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the number of an immediate.
    #[must_use]
    pub const fn number(self) -> i64 {
        (self.0 as i64) >> 1
    }

    /// Returns the header of an object.
    ///
    /// # Safety
    /// The value must be the address of an object.
    #[must_use]
    pub unsafe fn header(self) -> Header {
        // SAFETY: the value is the address of an object, which begins with its header.
        Header(unsafe { *(self.0 as *const u64) })
    }

    /// Returns the address of the `index`th word after the header.
    #[must_use]
    pub fn slot(self, index: usize) -> *mut usize {
        (self.0 + WORD + index * WORD) as *mut usize
    }

    /// Returns the `index`th word after the header.
    ///
    /// # Safety
    /// The value must be the address of an object with more than `index` words.
    #[must_use]
    pub unsafe fn word(self, index: usize) -> usize {
        // SAFETY: the object has more than `index` words after its header, so the slot is within it.
        unsafe { *self.slot(index) }
    }

    /// Returns the `index`th word, as a pointer.
    ///
    /// # Safety
    /// The value must be the address of an object with more than `index` words, as for [`Value::word`].
    #[must_use]
    pub unsafe fn field(self, index: usize) -> Value {
        // SAFETY: the object has more than `index` words after its header.
        Value(unsafe { self.word(index) })
    }

    /// Writes the `index`th word without the work that a store of a young object into an old object requires. So the object must be new, or
    /// the word must not be a pointer.
    ///
    /// # Safety
    /// The value must be the address of an object with more than `index` words, and no other thread may read or write this word during the
    /// call.
    pub unsafe fn init(self, index: usize, word: usize) {
        // SAFETY: the object has more than `index` words after its header, so the slot is within it, and no other thread uses it.
        unsafe { *self.slot(index) = word }
    }

    /// Returns the length of an array, a vector, a string or bytes.
    ///
    /// # Safety
    /// The value must be an array, a vector, a string or bytes.
    #[must_use]
    pub unsafe fn length(self) -> usize {
        // SAFETY: the value is an array, a vector, a string or bytes, so it is an object with a header.
        unsafe { self.header() }.length()
    }

    /// Returns the contents of a string, of a bytes object, or of a large IntInf. A collection may move the contents, so the caller must
    /// copy them before any allocation.
    ///
    /// # Safety
    /// The value must be a string, bytes or a large IntInf. Nothing may allocate or write while the slice is used.
    #[must_use]
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: the value is a string, bytes, or a large IntInf, so the header is followed by as many bytes as its length says. Nothing
        // moves or changes them while the slice is in use.
        unsafe { std::slice::from_raw_parts((self.0 + WORD) as *const u8, self.length()) }
    }

    /// Returns the same bytes as [`Value::bytes`], for writing. The object must be new, or mutable `bytes`.
    ///
    /// # Safety
    /// The value must be a new object, or mutable `bytes`. Nothing may allocate while the slice is used. No other reference to these bytes
    /// may be in use, on any thread.
    #[must_use]
    pub unsafe fn bytes_mut<'a>(self) -> &'a mut [u8] {
        // SAFETY: the header is followed by as many bytes as its length says. Nothing moves them, and no other reference to them is in use.
        unsafe { std::slice::from_raw_parts_mut((self.0 + WORD) as *mut u8, self.length()) }
    }
}

/// Number of bytes of a word.
pub const WORD: usize = 8;

/// Maximum number of elements of an array, and of bytes of a string.
pub const MAX_LENGTH: usize = u32::MAX as usize - WORD;

/// The maximum number of pointers in a record or closure, and also the maximum number of other words.
pub const MAX_FIELDS: usize = u16::MAX as usize;

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A record, constructor, reference, or exception.
    Record = 0,
    /// A function.
    Closure = 1,
    /// An array or vector of pointers.
    Pointers = 2,
    /// An array or vector of other words.
    Words = 3,
    /// A string, bytes, or a large IntInf.
    Bytes = 4,
}

/// The bit of a header that marks a record with an identity.
const IDENTITY_BIT: u64 = 1 << 4;
/// The bit of a header that marks the object of a thread: see `thread`.
const THREAD_BIT: u64 = 1 << 5;

/// Number of words of a thread's object that are values: the value that another thread has given the thread, and a value that the program
/// keeps in the object.
pub const THREAD_VALUES: usize = 2;
/// Number of words of a thread's object that are not values: the thread's permit, its strand (0 if the thread has ended), its number, the
/// choice in which it waits, and the number of its program (see `Strand::program`). The upper half of the word with the thread's number has
/// the flags of a fiber (`state/thread_object.rs`).
pub const THREAD_WORDS: usize = 5;

// Compiled code tests the bits of `COPYABLE_MASK`, where the runtime calls `may_be_copied`.
const _: () = {
    let record = Header::record(7, 1, 1);
    assert!(record.may_be_copied() && record.is_copyable_record());
    assert!(!Header::reference(true).is_copyable_record());
    assert!(!Header::thread().is_copyable_record());
    assert!(!Header::closure(1, 0).is_copyable_record());
    assert!(!Header::array(true, 1).is_copyable_record());
    assert!(!Header::bytes(0, 1).is_copyable_record());
};

/// The first word of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Header(pub u64);

impl Header {
    const fn head(kind: Kind, tag: u16) -> u64 {
        1 | (kind as u64) << 1 | (tag as u64) << 16
    }

    /// Returns the header of a record.
    #[must_use]
    pub const fn record(tag: u16, ptrs: usize, raws: usize) -> Header {
        debug_assert!(ptrs <= MAX_FIELDS && raws <= MAX_FIELDS);
        Header(Header::head(Kind::Record, tag) | (ptrs as u64) << 32 | (raws as u64) << 48)
    }

    /// Returns the header of a reference.
    #[must_use]
    pub const fn reference(pointer: bool) -> Header {
        Header::record(0, pointer as usize, !pointer as usize).with_identity()
    }

    /// Returns the header of the object that stands for a thread.
    #[must_use]
    pub const fn thread() -> Header {
        let header = Header::record(0, THREAD_VALUES, THREAD_WORDS).with_identity();
        Header(header.0 | THREAD_BIT)
    }

    /// Returns true if an object that has not moved stands for a thread.
    #[inline]
    #[must_use]
    pub const fn is_thread(self) -> bool {
        self.0 & THREAD_BIT != 0
    }

    const fn with_identity(self) -> Header {
        Header(self.0 | IDENTITY_BIT)
    }

    /// The bits of a header that show whether the object is a record that has not moved, and for which [`Header::may_be_copied`] is true.
    pub const COPYABLE_MASK: u64 = 0b1111 | IDENTITY_BIT;
    /// The values of the bits `COPYABLE_MASK` in the header of such a record.
    pub const COPYABLE_RECORD: u64 = Header::head(Kind::Record, 0);

    const fn is_copyable_record(self) -> bool {
        self.0 & Header::COPYABLE_MASK == Header::COPYABLE_RECORD
    }

    /// Returns true if an object that has not moved is immutable and cannot be distinguished from its copies. The header of an array, a
    /// vector or bytes does not show whether the object is immutable, so the result is false for these objects.
    #[must_use]
    pub const fn may_be_copied(self) -> bool {
        matches!(self.kind(), Some(Kind::Record | Kind::Closure)) && self.0 & IDENTITY_BIT == 0
    }

    /// Returns the header of a closure that captures `ptrs` pointers and `raws` other words.
    #[must_use]
    pub const fn closure(ptrs: usize, raws: usize) -> Header {
        debug_assert!(ptrs <= MAX_FIELDS && raws <= MAX_FIELDS);
        Header(Header::head(Kind::Closure, 0) | (ptrs as u64) << 32 | (raws as u64) << 48)
    }

    /// Returns the header of an array or vector.
    #[must_use]
    pub const fn array(pointers: bool, length: usize) -> Header {
        let kind = if pointers {
            Kind::Pointers
        } else {
            Kind::Words
        };
        Header(Header::head(kind, 0) | (length as u64) << 32)
    }

    /// Returns the header of bytes.
    #[must_use]
    pub const fn bytes(tag: u16, length: usize) -> Header {
        Header(Header::head(Kind::Bytes, tag) | (length as u64) << 32)
    }

    /// Returns true if the object has moved. The header of an object that has moved is the new address.
    #[must_use]
    pub const fn is_moved(self) -> bool {
        self.0 & 1 == 0
    }

    /// Returns the kind of an object that has not moved, or `None` if this word is not a header.
    #[must_use]
    pub const fn kind(self) -> Option<Kind> {
        match self.0 >> 1 & 7 {
            0 => Some(Kind::Record),
            1 => Some(Kind::Closure),
            2 => Some(Kind::Pointers),
            3 => Some(Kind::Words),
            4 => Some(Kind::Bytes),
            _ => None,
        }
    }

    /// Returns the object's tag.
    #[must_use]
    pub const fn tag(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Returns the object's length, if its kind has one.
    #[must_use]
    pub const fn length(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// Returns the indices of the pointers among the words after the header, and the number of words.
    #[must_use]
    pub const fn shape(self) -> Shape {
        let (low, high) = ((self.0 >> 32 & 0xffff) as usize, (self.0 >> 48) as usize);
        match self.kind() {
            Some(Kind::Record) => Shape {
                first: 0,
                end: low,
                words: low + high,
            },
            Some(Kind::Closure) => Shape {
                first: 1,
                end: 1 + low,
                words: 1 + low + high,
            },
            Some(Kind::Pointers) => Shape {
                first: 0,
                end: self.length(),
                words: self.length(),
            },
            Some(Kind::Words) => Shape {
                first: 0,
                end: 0,
                words: self.length(),
            },
            _ => Shape {
                first: 0,
                end: 0,
                words: self.length().div_ceil(WORD),
            },
        }
    }
}

/// The indices of the pointers among the words after the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Index of the first pointer.
    pub first: usize,
    /// Index after the last pointer.
    pub end: usize,
    /// Number of all words.
    pub words: usize,
}

impl Shape {
    /// Returns the size of the object in bytes, including its header.
    #[must_use]
    pub const fn bytes(self) -> usize {
        (self.words + 1) * WORD
    }
}

/// Offset in bytes of the length from an object's address.
pub const LENGTH_OFFSET: i32 = 4;
/// Offset in bytes of the tag from an object's address.
pub const TAG_OFFSET: i32 = 2;

/// The identity of an exception is a record of one pointer and one word. The pointer is the exception's name. The word is the address of
/// the [shape](crate::value::shape) of the exception's payload, a string that does not move. If the exception has no payload, the word is
/// 0.
pub const IDENTITY: Header = Header::record(0, 1, 1).with_identity();

/// Number of exceptions that the runtime raises.
pub const BUILTINS: usize = BuiltinExn::ALL.len();

/// Returns an IntInf as an immediate, or as the tag and bytes of an object. The tag is 1 for a negative number. The bytes are the
/// magnitude, lowest byte first, without zeros at the end. Numbers from -2^62 to 2^62 - 1 are immediates, and all other numbers are
/// objects.
pub fn intinf(number: &num_bigint::BigInt) -> Result<i64, (u16, Vec<u8>)> {
    match i64::try_from(number) {
        Ok(small) if (-1 << 62..1 << 62).contains(&small) => Ok(small),
        // `to_bytes_le` of the library handles each byte by itself, so the conversion would take longer than an addition.
        _ => {
            let digits = number.iter_u64_digits();
            let mut bytes = Vec::with_capacity(digits.len() * 8);
            for digit in digits {
                bytes.extend_from_slice(&digit.to_le_bytes());
            }
            bytes.truncate(number.bits().div_ceil(8) as usize);
            Err((u16::from(number.sign() == num_bigint::Sign::Minus), bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_return_the_values_they_were_made_from() {
        let record = Header::record(7, 3, 2);
        assert_eq!((record.kind(), record.tag()), (Some(Kind::Record), 7));
        assert_eq!(
            record.shape(),
            Shape {
                first: 0,
                end: 3,
                words: 5
            }
        );
        let closure = Header::closure(2, 1);
        assert_eq!(
            closure.shape(),
            Shape {
                first: 1,
                end: 3,
                words: 4
            }
        );
        assert_eq!(
            Header::array(true, 9).shape(),
            Shape {
                first: 0,
                end: 9,
                words: 9
            }
        );
        assert_eq!(
            Header::array(false, 9).shape(),
            Shape {
                first: 0,
                end: 0,
                words: 9
            }
        );
        let bytes = Header::bytes(1, 17);
        assert_eq!(
            (bytes.length(), bytes.tag(), bytes.shape().words),
            (17, 1, 3)
        );
        assert_eq!(Header::bytes(0, MAX_LENGTH).length(), MAX_LENGTH);
        for header in [record, closure, bytes] {
            assert!(!header.is_moved());
        }
        assert!(Header(0x7f00_1000).is_moved());
    }

    #[test]
    fn loads_of_length_and_tag_find_them() {
        let header = Header::bytes(0xabcd, 0x1234_5678).0.to_le_bytes();
        assert_eq!(header[TAG_OFFSET as usize..][..2], 0xabcd_u16.to_le_bytes());
        assert_eq!(
            header[LENGTH_OFFSET as usize..],
            0x1234_5678_u32.to_le_bytes()
        );
    }

    #[test]
    fn large_integers_have_one_form() {
        use num_bigint::BigInt;
        assert_eq!(intinf(&BigInt::from(-1_i64 << 62)), Ok(-1 << 62));
        assert_eq!(
            intinf(&BigInt::from(1_i64 << 62)),
            Err((0, vec![0, 0, 0, 0, 0, 0, 0, 0x40]))
        );
        assert_eq!(
            intinf(&(-BigInt::from(1_u128 << 64))),
            Err((1, vec![0, 0, 0, 0, 0, 0, 0, 0, 1]))
        );
        assert_eq!(Value::immediate(-5).number(), -5);
    }
}
