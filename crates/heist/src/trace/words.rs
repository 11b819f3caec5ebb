//! The memory of a ring: words that are zero, and take memory only once they are written.

#[cfg(not(heist_model))]
mod imp {
    use crate::platform::Reserved;
    use crate::platform::shim::AtomicU64;
    use std::ops::Deref;

    /// Zeroed words in pages of the system.
    #[derive(Debug)]
    pub(in crate::trace) struct Words {
        memory: Option<Reserved>,
        len: usize,
    }

    impl Words {
        /// Allocates `len` words. Returns `None` if there is no memory.
        pub(in crate::trace) fn new(len: usize) -> Option<Self> {
            // No Rust allocation is larger than `isize::MAX`, and `Reserved` rounds up to whole
            // pages and adds a guard page.
            let bytes = len.checked_mul(size_of::<AtomicU64>())?;
            if bytes == 0 || bytes > (isize::MAX / 2) as usize {
                return None;
            }
            let memory = Some(Reserved::new(bytes).ok()?);
            Some(Words { memory, len })
        }

        pub(in crate::trace) fn none() -> Self {
            Words {
                memory: None,
                len: 0,
            }
        }
    }

    impl Deref for Words {
        type Target = [AtomicU64];

        fn deref(&self) -> &[AtomicU64] {
            match &self.memory {
                None => &[],
                // SAFETY: the memory has room for `len` words, is aligned to 64 bytes, and zero is
                // a valid word. The memory is used only as these atomics, and lives as long as
                // `self`, which the slice borrows.
                Some(memory) => unsafe {
                    std::slice::from_raw_parts(memory.base().cast().as_ptr(), self.len)
                },
            }
        }
    }
}

#[cfg(heist_model)]
mod imp {
    use crate::platform::shim::AtomicU64;

    pub(in crate::trace) type Words = ModelWords;

    #[derive(Debug)]
    pub(in crate::trace) struct ModelWords(Vec<AtomicU64>);

    impl ModelWords {
        pub(in crate::trace) fn new(len: usize) -> Option<Self> {
            Some(ModelWords((0..len).map(|_| AtomicU64::new(0)).collect()))
        }

        pub(in crate::trace) fn none() -> Self {
            ModelWords(Vec::new())
        }
    }

    impl std::ops::Deref for ModelWords {
        type Target = [AtomicU64];

        fn deref(&self) -> &[AtomicU64] {
            &self.0
        }
    }
}

pub(super) use imp::Words;
