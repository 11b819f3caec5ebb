//! Items that a deque can hold in atomic words.

use std::ptr::NonNull;
use std::sync::Arc;

/// An item that fits into at most eight atomic words.
///
/// A thief reads a slot before it knows whether it gets the item, and the owner may write to the slot at the same time. In Rust this read
/// must be atomic, even if the thief then discards the value. So a slot is a row of atomic words, and the thief builds an item from the
/// words only when it knows that the item is whole. Atomic words cannot hold padding, so a type of items must say which of its bytes are
/// initialised.
///
/// This trait is implemented for numbers, `bool`, `char`, references, pointers, `Box`, `Arc`, and for tuples and arrays of items.
/// [`item!`](crate::item) implements the trait for a struct of items. To store a value of more than [`LARGEST`] bytes, use `Box`, `Arc` or
/// a reference.
///
/// # Safety
/// [`write`](Self::write) must copy to `place` each byte of `self` that is not padding. `write` may skip a byte that is padding in every
/// value of `Self`: the caller has initialised all bytes of `place`. `write` must not drop `self`, because `place` owns the value after the
/// call. No pointer in a value of the type may extend over two machine words.
pub unsafe trait Item: Sized {
    /// Writes `self` to `place`, without its padding.
    ///
    /// # Safety
    /// `place` must be aligned for `Self` and valid for writes.
    unsafe fn write(self, place: *mut Self);
}

/// The size of the largest item, in bytes.
pub const LARGEST: usize = 64;

macro_rules! leaves {
    ($([$($generic:tt)*] $type:ty),* $(,)?) => {$(
        // SAFETY: the type has no padding, and a pointer is one aligned word.
        unsafe impl<$($generic)*> Item for $type {
            #[inline(always)]
            unsafe fn write(self, place: *mut Self) {
                // SAFETY: by contract the place is aligned and valid for writes.
                unsafe { place.write(self) }
            }
        }
    )*};
}

leaves! {
    [] u8, [] u16, [] u32, [] u64, [] u128, [] usize,
    [] i8, [] i16, [] i32, [] i64, [] i128, [] isize,
    [] f32, [] f64, [] bool, [] char, [] (),
    ['a, U] &'a U, [U] *const U, [U] *mut U, [U] NonNull<U>, [U] Box<U>, [U] Arc<U>,
    ['a, U] Option<&'a U>, [U] Option<NonNull<U>>, [U] Option<Box<U>>, [U] Option<Arc<U>>,
    ['a, U] &'a [U], ['a] &'a str,
}

macro_rules! tuples {
    ($($name:ident $place:tt),*) => {
        // SAFETY: each field writes its own bytes, and the bytes between fields are padding. A field is aligned, so no pointer extends over
        // two words.
        unsafe impl<$($name: Item),*> Item for ($($name,)*) {
            #[inline(always)]
            unsafe fn write(self, place: *mut Self) {
                // SAFETY: by contract the place is valid, so each field of the place is valid, too.
                unsafe { $(self.$place.write(&raw mut (*place).$place);)* }
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

// SAFETY: arrays have no padding except the padding inside their elements.
unsafe impl<U: Item, const N: usize> Item for [U; N] {
    #[inline(always)]
    unsafe fn write(self, place: *mut Self) {
        for (nth, element) in self.into_iter().enumerate() {
            // SAFETY: by contract this is an element of a valid place.
            unsafe { element.write(place.cast::<U>().add(nth)) }
        }
    }
}

/// Implements [`Item`](crate::Item) for a struct whose fields are items. All fields must be named.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Edge { from: u32, to: u32, weight: f64 }
/// heist_deque::item!(Edge { from, to, weight });
///
/// use heist_deque::{Owner as _, lifo};
/// let mut deque: lifo::Owner<Edge> = lifo::Owner::new();
/// deque.push(Edge { from: 1, to: 2, weight: 0.5 });
/// assert_eq!(deque.pop(), Some(Edge { from: 1, to: 2, weight: 0.5 }));
/// ```
///
/// The macro does not compile for a struct that is `repr(packed)`.
#[macro_export]
macro_rules! item {
    ($type:ident { $($field:ident),+ $(,)? }) => {
        // SAFETY: each field writes its own bytes, and the pattern names all fields, so the bytes
        // between them are padding. References to fields do not compile if fields may be unaligned.
        unsafe impl $crate::Item for $type {
            #[inline(always)]
            unsafe fn write(self, place: *mut Self) {
                const _: fn(&$type) = |all| {
                    let $type { $($field: _),+ } = all;
                    $(let _ = &all.$field;)+
                };
                // Do not drop the item: from now on the words own its resources.
                let this = ::core::mem::ManuallyDrop::new(self);
                // SAFETY: by contract the place is valid, so each field of the place is valid, too. This code reads each field once, and
                // does not use `this` again.
                unsafe {
                    $($crate::Item::write((&raw const this.$field).read(), &raw mut (*place).$field);)+
                }
            }
        }
    };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::slots::{Image, Slots};
    use std::sync::atomic::Ordering::Relaxed;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Odd {
        a: u8,
        b: u64,
        c: Option<&'static u8>,
        d: (u16, [u8; 3]),
    }

    item!(Odd { a, b, c, d });

    fn through<T: Item>(item: T) -> T {
        let slots = Slots::new(4);
        // SAFETY: there are four slots, and this thread stores the item once and takes it out once.
        unsafe {
            slots.store(3, Image::of(item), Relaxed);
            slots.load(3, Relaxed).assume_whole()
        }
    }

    #[test]
    fn items_come_back_as_they_went_in() {
        assert_eq!(through(7_u8), 7);
        assert_eq!(through(u128::MAX - 5), u128::MAX - 5);
        assert_eq!(through((1_u32, 2_u64, 3_u8)), (1, 2, 3));
        assert_eq!(
            through([1_u64, 2, 3, 4, 5, 6, 7, 8]),
            [1, 2, 3, 4, 5, 6, 7, 8]
        );
        assert_eq!(through("a string"), "a string");
        assert_eq!(through(Box::new(9)), Box::new(9));
        assert_eq!(through(()), ());
        for c in [None, Some(&6)] {
            let odd = Odd {
                a: 1,
                b: 2,
                c,
                d: (3, [4, 5, 6]),
            };
            assert_eq!(through(odd), odd);
        }
    }

    /// A struct that implements `Drop`, with `Copy` fields. Because the fields are `Copy`, `write` can copy them out of `self`.
    struct Owning {
        drops: *const std::sync::atomic::AtomicU32,
        more: u32,
    }

    item!(Owning { drops, more });

    impl Drop for Owning {
        fn drop(&mut self) {
            // SAFETY: the test's counter outlives its items.
            unsafe { &*self.drops }.fetch_add(self.more, Relaxed);
        }
    }

    #[test]
    fn going_into_a_slot_drops_nothing() {
        let drops = std::sync::atomic::AtomicU32::new(0);
        let back = through(Owning {
            drops: &raw const drops,
            more: 1,
        });
        assert_eq!(drops.load(Relaxed), 0);
        drop(back);
        assert_eq!(drops.load(Relaxed), 1);
    }
}
