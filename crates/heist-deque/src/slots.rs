//! A row of slots for items. Each slot has as many atomic words as an item needs.

use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ptr::null_mut;

use crate::item::{Item, LARGEST};
use crate::shim::{AtomicPtr, Ordering};

/// The type of a slot's words. A pointer that is stored as a word of this type keeps its provenance.
type Word = *mut ();

const WORD: usize = size_of::<Word>();

/// Slots that any number of threads may read while one thread writes. A reader's value is whole only if no thread wrote to the slot at
/// the same time. The deque must find out whether the value is whole.
pub(crate) struct Slots<T> {
    words: Box<[AtomicPtr<()>]>,
    items: PhantomData<T>,
}

/// Contents of a slot. The contents may be torn: the words may belong to different items.
#[repr(C, align(64))]
pub(crate) struct Image<T> {
    words: [Word; LARGEST / WORD],
    item: PhantomData<T>,
}

impl<T> Clone for Image<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Image<T> {}

impl<T: Item> Image<T> {
    /// Returns the words of an item. The image now owns the item's resources.
    #[inline(always)]
    pub(crate) fn of(item: T) -> Self {
        let mut image = Image::blank();
        // SAFETY: an image is at least as large as an item, has at least the alignment of an item, and is initialised.
        unsafe { item.write((&raw mut image.words).cast::<T>()) };
        image
    }
}

impl<T> Image<T> {
    /// Returns an image whose bytes are all initialised.
    #[inline(always)]
    fn blank() -> Self {
        Image {
            words: [null_mut(); LARGEST / WORD],
            item: PhantomData,
        }
    }

    /// Returns the item.
    ///
    /// # Safety
    /// All words must be those of one item, whose [`Slots::store`] happened before this call. If the type is
    /// not `Copy`, no other thread may build an item from these words.
    #[inline(always)]
    pub(crate) unsafe fn assume_whole(self) -> T {
        // SAFETY: `Item::write` made these words of an item of this type, and `Slots` checks sizes and alignments.
        unsafe { (&raw const self.words).cast::<T>().read() }
    }
}

impl<T: Item> Slots<T> {
    /// The number of words of a slot.
    const WIDTH: usize = {
        assert!(
            size_of::<T>() <= LARGEST,
            "items have at most 64 bytes: put it into a Box"
        );
        assert!(align_of::<T>() <= LARGEST);
        if size_of::<T>() <= WORD {
            1
        } else {
            size_of::<T>().div_ceil(WORD)
        }
    };

    /// Creates a row of `slots` slots.
    pub(crate) fn new(slots: usize) -> Self {
        let words = slots
            .checked_mul(Self::WIDTH)
            .expect("deque capacity overflow");
        Slots {
            words: (0..words).map(|_| AtomicPtr::new(null_mut())).collect(),
            items: PhantomData,
        }
    }

    /// Returns the address of the slots, for an owner that keeps the slots alive and knows their number.
    pub(crate) fn row(&self) -> Row<T> {
        Row {
            words: self.words.as_ptr(),
            items: PhantomData,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len() / Self::WIDTH
    }

    /// Puts an image into a slot, and stores each word with the given memory order.
    ///
    /// # Safety
    /// `slot` must be below [`len`](Self::len).
    #[inline(always)]
    pub(crate) unsafe fn store(&self, slot: usize, image: Image<T>, order: Ordering) {
        // SAFETY: by contract the slot exists, and `self` keeps the words alive during the call.
        unsafe { self.row().store(slot, image, order) }
    }

    /// Returns the contents of a slot, and reads each word with the given memory order. The deque's protocol decides whether the
    /// contents are an item.
    ///
    /// # Safety
    /// `slot` must be below [`len`](Self::len).
    #[inline(always)]
    pub(crate) unsafe fn load(&self, slot: usize, order: Ordering) -> Image<T> {
        // SAFETY: by contract the slot exists, and `self` keeps the words alive during the call.
        unsafe { self.row().load(slot, order) }
    }
}

/// The address of the words of a [`Slots`].
pub(crate) struct Row<T> {
    words: *const AtomicPtr<()>,
    items: PhantomData<T>,
}

impl<T> Clone for Row<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Row<T> {}

// SAFETY: the words are atomic, and the contracts of `store` and `load` require that they are alive.
unsafe impl<T: Send> Send for Row<T> {}

impl<T: Item> Row<T> {
    /// Puts an image into a slot, like [`Slots::store`].
    ///
    /// # Safety
    /// The slots must still be alive, and `slot` must be below their number.
    #[inline(always)]
    pub(crate) unsafe fn store(self, slot: usize, image: Image<T>, order: Ordering) {
        for nth in 0..Slots::<T>::WIDTH {
            // SAFETY: by contract the slot is alive, and so is each of its words.
            let word = unsafe { &*self.words.add(slot * Slots::<T>::WIDTH + nth) };
            word.store(image.words[nth], order);
        }
    }

    /// Returns the contents of a slot, like [`Slots::load`].
    ///
    /// # Safety
    /// The slots must still be alive, and `slot` must be below their number.
    #[inline(always)]
    pub(crate) unsafe fn load(self, slot: usize, order: Ordering) -> Image<T> {
        let mut image = Image::blank();
        for nth in 0..Slots::<T>::WIDTH {
            // SAFETY: by contract the slot is alive, and so is each of its words.
            let word = unsafe { &*self.words.add(slot * Slots::<T>::WIDTH + nth) };
            image.words[nth] = word.load(order);
        }
        image
    }
}
