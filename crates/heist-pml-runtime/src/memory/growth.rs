//! Prepares memory of the system's allocator for many small requests.

/// Number of bytes that are prepared at a time. An allocator has two thresholds. If a freed block is larger than the first threshold, the
/// allocator returns it to the system immediately. If a request is larger than the second threshold, the allocator maps a separate block
/// for it. `PREPARED` is less than both thresholds, which are 128 KiB in glibc.
const PREPARED: usize = 96 << 10;

/// The memory that a thread has prepared.
///
/// glibc extends the heap of a thread only by the pages that a request needs. Each extension is a system call, which delays other threads
/// that touch new memory. A million strands that begin to wait would make several hundred thousand of these system calls. So the thread
/// makes a large request and frees the memory immediately: glibc makes one system call, and then serves small requests from this memory.
/// With other allocators, preparing memory costs two calls of the allocator for several hundred small requests.
#[derive(Debug, Default)]
pub struct Growth {
    /// Number of prepared bytes that are left. The count assumes that the allocator has served all requests from prepared memory.
    left: usize,
}

impl Growth {
    /// Prepares memory for a request of `bytes` bytes.
    #[inline]
    pub fn prepare(&mut self, bytes: usize) {
        if self.left < bytes {
            self.left = PREPARED;
            // Without `black_box`, an optimiser may leave out both calls.
            drop(std::hint::black_box(Vec::<u8>::with_capacity(PREPARED)));
        }
        self.left = self.left.saturating_sub(bytes);
    }
}
