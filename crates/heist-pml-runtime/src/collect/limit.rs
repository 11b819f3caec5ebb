//! The end of the process when the heap has reached its limit.

use crate::memory::heap::{Full, Heap};
use crate::process::ends::fatal;
use crate::process::executable;
use crate::state::worker::Worker;

impl Worker {
    /// Ends the process, because there is no memory.
    pub fn out_of_memory(&self) -> ! {
        fatal(&self.exhaustion())
    }

    /// Returns the message for a heap that is used up.
    pub(crate) fn exhaustion(&self) -> String {
        format!(
            "out of memory: the heap has reached its limit of {} MiB (see {})",
            self.world().heap().limit() >> 20,
            executable::heap_setting()
        )
    }

    /// Takes memory of the reserve for a strand that holds a lock, after [`Worker::exhausted`] has returned. Ends the process if the
    /// reserve is also used up.
    pub(crate) fn take_reserved<T>(&self, take: impl FnOnce(&mut Heap) -> Result<T, Full>) -> T {
        let mut heap = self.world().heap();
        heap.open_reserve();
        let taken = take(&mut heap);
        heap.close_reserve();
        drop(heap);
        taken.unwrap_or_else(|Full| self.out_of_memory())
    }
}
