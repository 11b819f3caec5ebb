//! A slab: one mapping that is divided into stacks of equal size, each with an inaccessible page
//! below it.

use super::extents::Extent;
use super::memory::NO_RESERVE;
use std::io;
use std::ptr::{self, NonNull};
use std::sync::OnceLock;

/// A way to make a page inaccessible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Guard {
    /// A marker in the page table (Linux 6.13 and later): the slab remains one mapping of the kernel.
    Marker,
    /// A protection (`PROT_NONE`), which splits the kernel's mapping.
    Protection,
}

impl Guard {
    /// Returns the marker if the kernel supports it, and otherwise the protection. The first call
    /// tries the marker.
    pub(super) fn best() -> Self {
        static BEST: OnceLock<Guard> = OnceLock::new();
        *BEST.get_or_init(probe)
    }
}

/// Number of different offsets at which stacks begin. Neighbouring offsets are one cache line apart.
const COLOURS: usize = 16;
const LINE: usize = 64;

/// Returns the start of the stack whose last page ends at `top`. The start is a few cache lines below `top`. In the first-level cache, the
/// start is in a different set from the starts of the neighbouring stacks. If all stacks began at the same offset in their pages, the cache
/// would hold the first frames of only a dozen fibers.
pub(super) fn beginning(top: NonNull<u8>, page: usize) -> NonNull<u8> {
    let colour = top.addr().get() / page % COLOURS;
    // SAFETY: a stack is larger than the largest offset, so the address is within the stack.
    unsafe { top.sub(colour * LINE) }
}

/// Layout of a slab, from its lowest address: guard page, stack, guard page, stack, ...
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// The size of a stack in bytes, without its guard. This size is an even number of pages. So the distance between stacks is an odd
    /// number of pages, and neighbouring stacks have different offsets in [`beginning`].
    pub(super) stack: usize,
    pub(super) page: usize,
}

impl Shape {
    /// Returns the shape for stacks of at least `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        let page = page_size();
        Shape {
            stack: bytes.max(1).next_multiple_of(2 * page),
            page,
        }
    }

    /// Returns the distance from one stack to the next.
    pub(super) fn stride(self) -> usize {
        self.page + self.stack
    }

    /// Makes the page below the stack inaccessible until its slab is unmapped.
    ///
    /// # Safety
    /// `top` must be the top of a stack in a slab of this shape, and no code may use its guard page.
    pub(super) unsafe fn guard(self, top: NonNull<u8>, how: Guard) -> io::Result<()> {
        // SAFETY: the guard page lies below the stack, in the same mapping.
        let page = unsafe { top.as_ptr().sub(self.stride()) };
        // SAFETY: by this function's contract, no code uses the page.
        unsafe { protect(page, self.page, how) }
    }

    /// Returns the stack's memory to the operating system, except `keep` pages at its top. The
    /// guard stays in place.
    ///
    /// # Safety
    /// `top` must be the top of a stack in a slab of this shape, and no code may rely on the contents of
    /// the returned memory.
    pub(super) unsafe fn trim(self, top: NonNull<u8>, keep: usize) {
        let bytes = self.stack - keep * self.page;
        // SAFETY: the range lies in the mapping, and no code needs its content. If the kernel
        // refuses, the memory stays, which does no harm.
        unsafe {
            let low = top.as_ptr().sub(self.stack);
            libc::madvise(low.cast(), bytes, RELEASE);
        }
    }
}

/// A mapping that is divided into stacks: see the module.
#[derive(Debug)]
pub(super) struct Slab {
    base: NonNull<u8>,
    pub(super) stacks: usize,
    shape: Shape,
    /// The slab's entry among all extents, for the signal handler.
    extent: &'static Extent,
}

// SAFETY: a slab is plain memory and not bound to a thread. The owner of the slab must show which thread may use which stack.
unsafe impl Send for Slab {}

impl Slab {
    /// Reserves address space for a slab. The call takes no memory, and does not make the guards yet.
    ///
    /// # Errors
    /// Returns the operating system's error if there is no address space.
    pub(super) fn map(shape: Shape, stacks: usize) -> io::Result<Self> {
        let bytes = shape
            .stride()
            .checked_mul(stacks)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let base = map(bytes)?;
        Ok(Slab {
            base,
            stacks,
            shape,
            extent: Extent::enter(base, bytes, shape.stride(), shape.page),
        })
    }

    /// Returns the end of a stack's last page.
    pub(super) fn top(&self, index: usize) -> NonNull<u8> {
        assert!(index < self.stacks);
        // SAFETY: the address is at most the end of the mapping.
        unsafe { self.base.add((index + 1) * self.shape.stride()) }
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        self.extent.leave();
        // SAFETY: this is the mapping that `map` made; the owner drops it when no stack is in use.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.shape.stride() * self.stacks) };
    }
}

/// Returns the size of a page.
pub(crate) fn page_size() -> usize {
    // SAFETY: the call takes no pointers.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096).max(4096)
}

/// The advice (`madvise`) by which Heist returns a stack's memory to the system. After `MADV_FREE`, the system takes the memory when it
/// needs memory. After `MADV_DONTNEED`, Linux takes the memory immediately.
#[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
const RELEASE: libc::c_int = libc::MADV_FREE;
#[cfg(not(any(target_vendor = "apple", target_os = "freebsd")))]
const RELEASE: libc::c_int = libc::MADV_DONTNEED;

/// The flag that marks a mapping as a stack. On platforms other than Linux, Android and OpenBSD, the flag does not exist, or marks a
/// mapping that the system grows automatically.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "openbsd"))]
const STACK: libc::c_int = libc::MAP_STACK;
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "openbsd")))]
const STACK: libc::c_int = 0;

fn map(bytes: usize) -> io::Result<NonNull<u8>> {
    // SAFETY: this makes a new anonymous mapping at an address of the kernel's choice, so it
    // affects no existing memory.
    let base = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | NO_RESERVE | STACK,
            -1,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // The first access must take one page of memory, and not a huge page. `MAP_STACK` has this
    // effect since Linux 6.7 only. A kernel without huge pages refuses the advice, which does no
    // harm.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: this is the mapping that was just made, and the advice does not change its contents.
    unsafe {
        libc::madvise(base, bytes, libc::MADV_NOHUGEPAGE);
    }
    Ok(NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?)
}

/// # Safety
/// The page must be mapped and unused.
unsafe fn protect(page: *mut u8, bytes: usize, how: Guard) -> io::Result<()> {
    // SAFETY: by this function's contract, the page is mapped and unused.
    let done = unsafe {
        match how {
            Guard::Protection => libc::mprotect(page.cast(), bytes, libc::PROT_NONE),
            // From linux/mman.h: MADV_GUARD_INSTALL.
            Guard::Marker => libc::madvise(page.cast(), bytes, 102),
        }
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Tries the marker on a new page. An emulator may accept advice that it does not know, so this function also checks that the page cannot
/// be read.
fn probe() -> Guard {
    let page = page_size();
    if !cfg!(any(target_os = "linux", target_os = "android")) {
        return Guard::Protection;
    }
    let Ok(probe) = map(page) else {
        return Guard::Protection;
    };
    // SAFETY: this is the mapping that was just made; nothing else refers to it.
    unsafe {
        let works =
            protect(probe.as_ptr(), page, Guard::Marker).is_ok() && !is_readable(probe.as_ptr());
        libc::munmap(probe.as_ptr().cast(), page);
        if works {
            Guard::Marker
        } else {
            Guard::Protection
        }
    }
}

/// Returns true if the kernel can read the byte. Causes no fault if the byte cannot be read.
pub(super) fn is_readable(byte: *const u8) -> bool {
    // SAFETY: the kernel reads a path from the address, and reports `EFAULT` if it cannot.
    let found = unsafe { libc::access(byte.cast(), libc::F_OK) };
    found == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}
