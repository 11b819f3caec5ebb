//! Allocation of objects in the worker's young generation, in the worker's chunk of a flat heap, or as large objects.

use crate::collect::promote;
use crate::memory::heap::{LARGE, set_header};
use crate::poll::collection;
use crate::state::worker::Worker;
use crate::value::object::{Header, MAX_LENGTH, Value};

impl Worker {
    /// Returns memory for an object, and writes the object's header but not its other words. This call may collect.
    ///
    /// # Safety
    /// The caller must fill the words before any other allocation, because a collection reads them.
    #[inline]
    pub(crate) unsafe fn allocate(&mut self, header: Header) -> Value {
        debug_assert!(header.shape().words <= MAX_LENGTH);
        let bytes = header.shape().bytes();
        if bytes > LARGE {
            return self.allocate_large(header);
        }
        let address = if self.alloc + bytes <= self.soft_end && !self.options().stress {
            let address = self.alloc;
            self.alloc += bytes;
            address
        } else {
            self.allocate_slowly(bytes)
        };
        // SAFETY: the memory was allocated above for an object of this size, and no other thread uses it.
        unsafe { set_header(address, header) };
        Value(address)
    }

    #[cold]
    fn allocate_large(&mut self, header: Header) -> Value {
        let bytes = header.shape().bytes();
        let many = |worker: &Worker| {
            let threshold = worker.world.inner().threshold;
            worker.world.heap().old_bytes() + bytes > threshold
        };
        if many(self) || self.options().stress || self.world.is_profile_due() {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and live values are
            // in slots and handles.
            unsafe { collection::collect(self, true) };
        }
        self.stats.allocated += bytes as u64;
        let taken = self.world.heap().take_large(bytes);
        let object = match taken {
            Ok(object) => object,
            Err(_) => {
                // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and live values
                // are in slots and handles.
                unsafe { collection::collect(self, true) };
                let taken = self.world.heap().take_large(bytes);
                taken.unwrap_or_else(|_| {
                    self.exhausted();
                    self.take_reserved(|heap| heap.take_large(bytes))
                })
            }
        };
        // SAFETY: the memory was allocated above for an object of this size, and no other thread uses it.
        unsafe { set_header(object.0, header) };
        if self.sampler.is_on() {
            self.sample_large(object, header);
        }
        object
    }

    /// Returns memory for the object of a thread in a flat heap, in which all objects are old. This call may collect.
    pub(crate) fn thread_in_chunk(&mut self, header: Header) -> Value {
        // SAFETY: the only caller, `thread::object_of`, fills all words before anything allocates.
        unsafe { self.allocate(header) }
    }

    /// Allocates on the slow path, for compiled code that has used up its young memory.
    #[cold]
    pub fn allocate_slowly(&mut self, bytes: usize) -> usize {
        if self.alloc + bytes > self.soft_end && self.world.is_profile_due() {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and live values are
            // in slots and handles.
            unsafe { collection::collect(self, true) };
        }
        let address = if self.is_flat() {
            self.allocate_in_chunk(bytes)
        } else {
            self.allocate_young(bytes)
        };
        if self.alloc > self.soft_end {
            self.sample(address);
        }
        address
    }

    /// Allocates in the young generation, on the slow path.
    fn allocate_young(&mut self, bytes: usize) -> usize {
        while self.alloc + bytes > self.young_end || self.options().stress {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and live values are
            // in slots and handles.
            unsafe { collection::collect(self, false) };
            if self.alloc + bytes > self.young_end && self.alloc == self.nursery {
                self.exhausted();
                self.out_of_memory();
            }
            if self.options().stress {
                break;
            }
        }
        let address = self.alloc;
        self.alloc += bytes;
        address
    }

    /// Allocates in a flat heap, on the slow path.
    fn allocate_in_chunk(&mut self, bytes: usize) -> usize {
        if self.options().stress || self.world.is_due() {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and live values are
            // in slots and handles.
            unsafe { collection::collect(self, true) };
        }
        if self.alloc + bytes > self.young_end && !self.next_chunk() {
            // SAFETY: this worker is the calling thread's own; a strand that it runs has noted its newest frame, and its live values are in
            // slots and handles.
            unsafe { collection::collect(self, true) };
            if !self.next_chunk() {
                self.exhausted();
                self.world.heap().open_reserve();
                let has_room = self.next_chunk();
                self.world.heap().close_reserve();
                if !has_room {
                    self.out_of_memory();
                }
            }
        }
        let address = self.alloc;
        self.alloc += bytes;
        address
    }

    /// Continues with a new chunk of a flat heap. Returns false if there is no memory for a chunk.
    fn next_chunk(&mut self) -> bool {
        self.region = self.filled();
        let world = self.shared_world();
        if world.heap().refill(&mut self.region).is_err() {
            return false;
        }
        self.stats.allocated += (self.alloc - self.filled_from) as u64;
        self.sampler.jump(self.alloc, self.region.next);
        (self.filled_from, self.alloc) = (self.region.next, self.region.next);
        self.young_end = self.region.end();
        self.fit_soft_end();
        self.reset_limit();
        true
    }
}

/// Takes memory of the old generation, after a collection if necessary. If there is no memory, ends the program or the process, as
/// [`Worker::exhausted`] does.
///
/// # Safety
/// The worker must be the calling thread's own, and count as running. If the worker runs a strand, the strand must have noted its newest
/// frame, and all live values must be in slots of frames or in handles.
pub(crate) unsafe fn take_or_end(worker: *mut Worker, bytes: usize) -> usize {
    // SAFETY: `worker` is this thread's own and running, and its strand has noted its newest frame, as a collection needs. The collection
    // replaces the chunk, which is read again after it.
    unsafe {
        if let Some(at) = promote::take(worker, bytes) {
            return at;
        }
        collection::collect(worker, true);
        if let Some(at) = promote::take(worker, bytes) {
            return at;
        }
        (*worker).exhausted();
        let region = &raw mut (*worker).region;
        (*worker).take_reserved(|heap| heap.refill(&mut *region));
        let Some(at) = (*region).take(bytes) else {
            (*worker).out_of_memory()
        };
        at
    }
}
