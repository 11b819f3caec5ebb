//! Large zeroed regions that take no memory until the program accesses them.

use std::io;
use std::ptr::NonNull;

/// A zeroed region whose pages appear on first use. If the platform supports it, an inaccessible
/// page follows the region, so that an access beyond the region's end faults instead of corrupting memory.
#[derive(Debug)]
pub(crate) struct Reserved {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the region is plain memory and not bound to a thread; the code that uses `base` must show which thread may access the region at
// which time.
unsafe impl Send for Reserved {}
// SAFETY: the type itself offers no access to the region; the code that uses `base` must show which thread may access the region at which
// time.
unsafe impl Sync for Reserved {}

impl Reserved {
    /// Reserves `bytes` (rounded up to whole pages) of zeros.
    ///
    /// # Errors
    /// Returns the operating system's error if address space or memory is not available.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        imp::reserve(bytes)
    }

    /// Returns the address of the first byte, which is aligned to at least 64 bytes.
    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }
}

/// The flag that keeps the kernel from reserving swap space for pages that are never accessed. FreeBSD and DragonFly
/// lack the flag, because they reserve no swap space.
#[cfg(all(
    unix,
    not(miri),
    not(any(target_os = "freebsd", target_os = "dragonfly"))
))]
pub(super) const NO_RESERVE: libc::c_int = libc::MAP_NORESERVE;
#[cfg(all(unix, not(miri), any(target_os = "freebsd", target_os = "dragonfly")))]
pub(super) const NO_RESERVE: libc::c_int = 0;

#[cfg(all(unix, not(miri)))]
mod imp {
    use super::{NO_RESERVE, NonNull, Reserved, io};

    fn page() -> usize {
        // SAFETY: the call takes no pointers.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(size).unwrap_or(4096).max(4096)
    }

    pub(super) fn reserve(bytes: usize) -> io::Result<Reserved> {
        let page = page();
        let bytes = bytes.next_multiple_of(page).max(page);
        // SAFETY: this makes a new anonymous mapping at an address of the kernel's choice, so it
        // affects no existing memory.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes + page,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | NO_RESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: this is the last page of the mapping that was just made; nothing refers to it.
        let guarded = unsafe { libc::mprotect(base.add(bytes), page, libc::PROT_NONE) };
        if guarded != 0 {
            let error = io::Error::last_os_error();
            // SAFETY: this is the mapping that was just made; nothing refers to it.
            unsafe { libc::munmap(base, bytes + page) };
            return Err(error);
        }
        Ok(Reserved {
            base: NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?,
            bytes,
        })
    }

    impl Drop for Reserved {
        fn drop(&mut self) {
            // SAFETY: this is the whole mapping that `reserve` made, with the guard page; the owner
            // of the region drops it when nothing refers to the region any more.
            unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes + page()) };
        }
    }
}

#[cfg(not(all(unix, not(miri))))]
mod imp {
    use super::{NonNull, Reserved, io};
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    fn layout(bytes: usize) -> io::Result<Layout> {
        Layout::from_size_align(bytes.max(64), 64).map_err(|_| io::ErrorKind::OutOfMemory.into())
    }

    pub(super) fn reserve(bytes: usize) -> io::Result<Reserved> {
        // SAFETY: the layout is not empty.
        let base = unsafe { alloc_zeroed(layout(bytes)?) };
        Ok(Reserved {
            base: NonNull::new(base).ok_or(io::ErrorKind::OutOfMemory)?,
            bytes,
        })
    }

    impl Drop for Reserved {
        fn drop(&mut self) {
            if let Ok(layout) = layout(self.bytes) {
                // SAFETY: `reserve` allocated the region with the same layout.
                unsafe { dealloc(self.base.as_ptr(), layout) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reserved;

    #[test]
    fn is_zeroed_and_writable() {
        let region = Reserved::new(1 << 20).unwrap();
        let base = region.base().as_ptr();
        // SAFETY: the address is within the region, which only this test uses.
        unsafe {
            assert_eq!(base.read(), 0);
            assert_eq!(base.add((1 << 20) - 1).read(), 0);
            base.add((1 << 20) - 1).write(7);
            assert_eq!(base.add((1 << 20) - 1).read(), 7);
        }
    }

    #[cfg(not(miri))]
    #[test]
    fn refuses_more_memory_than_any_machine_has() {
        assert!(Reserved::new(1 << 60).is_err());
    }
}
