//! The return barrier at the frame of the newest published fork: see `fork/publish.rs`.

use crate::process::ends::fatal;
use crate::state::strand::Strand;
use crate::state::walk::{Walk, mark};
use crate::state::worker::Worker;

/// The return address with which a frame's callee returns to the frame: its slot, its original value, the number of older marks, and
/// whether a mark or barrier has overwritten it.
struct Place {
    slot: *mut usize,
    address: usize,
    older: usize,
    marked: bool,
}

/// Finds the return address with which the callee of a frame returns to the frame.
///
/// # Safety
/// The worker must be the calling thread's own, and run the strand, which must have noted its newest frame. `pointer` must be the frame
/// pointer of a frame of that strand, and this frame must have a callee.
unsafe fn callee_of(worker: *mut Worker, strand: &Strand, pointer: usize) -> Place {
    // SAFETY: the worker has noted the frame of the thunk that called, and nothing else runs on this stack during the walk.
    let mut walk = unsafe { Walk::new((*worker).frame, strand.marks()) };
    while let Some(frame) = walk.next() {
        if frame.pointer == pointer {
            return Place {
                slot: frame.slot,
                address: frame.address,
                older: walk.marks_left(),
                marked: frame.marked,
            };
        }
    }
    fatal("internal error: a published fork without its frame")
}

/// Replaces the return barrier at the frame of the newest published fork by a plain mark.
///
/// # Safety
/// The worker must be the calling thread's own, and run the strand, which must have noted its newest frame.
pub(crate) unsafe fn disarm(worker: *mut Worker, strand: &mut Strand) {
    if let Some(entry) = strand.entries.last() {
        // SAFETY: this thread's worker runs `strand`. The frame of the newest published fork has not returned, because its join would have
        // removed the entry.
        let place = unsafe { callee_of(worker, strand, entry.frame) };
        if place.marked {
            // SAFETY: the slot holds a return address of this strand. The mark that replaces it leads to the same address.
            unsafe { *place.slot = mark() };
        }
    }
    strand.armed = false;
}

/// Puts a return barrier at the frame of the newest published fork, unless the frame already has one.
///
/// # Safety
/// The worker must be the calling thread's own, and run the strand, which must have noted its newest frame.
pub unsafe fn rearm(worker: *mut Worker, strand: &mut Strand) {
    let Some(entry) = strand.entries.last() else {
        strand.armed = false;
        // SAFETY: `worker` is this thread's own, and only it and the code that it runs write this word.
        unsafe { (*worker).passed = 0 };
        return;
    };
    // SAFETY: `worker` is this thread's own, and only it and the code that it runs write this word.
    if unsafe { std::mem::replace(&mut (*worker).passed, 0) } != 0 {
        strand.armed = false;
    }
    if !strand.armed {
        // If no compiled function is above that frame, its callee is the thunk that has called the runtime. The thunk returns over the
        // barrier immediately, and the barrier sets the worker's poll.
        // SAFETY: this thread's worker runs `strand`. The frame of the newest published fork has not returned, because its join would have
        // removed the entry.
        let place = unsafe { callee_of(worker, strand, entry.frame) };
        strand.put_barrier(place.slot, place.address, place.older, place.marked);
    }
}
