//! Memory of the system's allocator, prepared for many small requests.

/// Bytes that are prepared at a time: fewer than an allocator returns to the system at once, or takes from it apart (128 KiB for both in
/// glibc).
const PREPARED: usize = 96 << 10;

/// The memory that a thread has prepared.
///
/// glibc extends the heap of a thread by as many pages as a request needs. Each extension is a system call that holds up other threads
/// which touch new memory, so a million strands that begin to wait would make some hundred thousand calls. A large request that is freed at
/// once makes one, and leaves the memory to small requests. With other allocators this is two calls in a hundred.
#[derive(Debug, Default)]
pub struct Growth {
    /// Bytes that are left of what was prepared, if no request was served from elsewhere.
    left: usize,
}

impl Growth {
    /// Prepares for a request of so many bytes.
    #[inline]
    pub fn prepare(&mut self, bytes: usize) {
        if self.left < bytes {
            self.left = PREPARED;
            // Otherwise an optimiser may leave out both calls.
            drop(std::hint::black_box(Vec::<u8>::with_capacity(PREPARED)));
        }
        self.left = self.left.saturating_sub(bytes);
    }
}
