//! Items that fit one atomic word.

use std::ptr::{NonNull, without_provenance_mut};
use std::sync::Arc;

/// An item that a deque can hold in one atomic word.
///
/// A thief reads a slot before it knows whether the item is its own, while the owner may write the
/// same slot. In Rust such a read must be atomic even if its value is then thrown away, so a slot
/// is an atomic word and an item is whatever goes into one: a pointer, or an integer. The word is
/// a pointer type and not `usize`, so that a pointer keeps its provenance on the way through.
///
/// The trait is open: a scheduler implements it for its own handle of a task.
pub trait Word: Sized {
    /// Gives the item up to a word. The word then owns whatever the item owned.
    fn into_word(self) -> *mut ();

    /// Takes the item back out of its word.
    ///
    /// # Safety
    /// `word` must come from [`into_word`](Self::into_word) of the same type, no earlier call may
    /// have turned it back, and if that happened on another thread, the type must be [`Send`] and
    /// that call must happen before this one.
    unsafe fn from_word(word: *mut ()) -> Self;
}

impl<U> Word for Box<U> {
    #[inline]
    fn into_word(self) -> *mut () {
        Box::into_raw(self).cast()
    }

    #[inline]
    unsafe fn from_word(word: *mut ()) -> Self {
        // SAFETY: the pointer is one that `Box::into_raw` gave, and nobody else takes it back.
        unsafe { Box::from_raw(word.cast()) }
    }
}

impl<U> Word for Arc<U> {
    #[inline]
    fn into_word(self) -> *mut () {
        Arc::into_raw(self).cast_mut().cast()
    }

    #[inline]
    unsafe fn from_word(word: *mut ()) -> Self {
        // SAFETY: the pointer is one that `Arc::into_raw` gave, and it carries that one count.
        unsafe { Arc::from_raw(word.cast()) }
    }
}

impl<U> Word for &U {
    #[inline]
    fn into_word(self) -> *mut () {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    #[inline]
    unsafe fn from_word(word: *mut ()) -> Self {
        // SAFETY: it was a shared reference of this very lifetime, which is part of the type.
        unsafe { &*word.cast() }
    }
}

impl<U> Word for NonNull<U> {
    #[inline]
    fn into_word(self) -> *mut () {
        self.as_ptr().cast()
    }

    #[inline]
    unsafe fn from_word(word: *mut ()) -> Self {
        // SAFETY: it was a `NonNull`.
        unsafe { NonNull::new_unchecked(word.cast()) }
    }
}

impl<U> Word for *mut U {
    #[inline]
    fn into_word(self) -> *mut () {
        self.cast()
    }

    #[inline]
    unsafe fn from_word(word: *mut ()) -> Self {
        word.cast()
    }
}

impl Word for usize {
    #[inline]
    fn into_word(self) -> *mut () {
        without_provenance_mut(self)
    }

    #[inline]
    unsafe fn from_word(word: *mut ()) -> Self {
        word.addr()
    }
}

#[cfg(target_pointer_width = "64")]
impl Word for u64 {
    #[inline]
    fn into_word(self) -> *mut () {
        without_provenance_mut(self as usize)
    }

    #[inline]
    unsafe fn from_word(word: *mut ()) -> Self {
        word.addr() as u64
    }
}
