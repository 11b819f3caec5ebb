//! Masks. While a strand has a mask, the cancellation of an enclosing part does not end the code below the mask.

use crate::state::interrupt;
use crate::state::strand::{Masked, Purpose, Strand};
use crate::state::worker::Worker;

/// `rt.Thread.mask`: adds, changes or removes a mask of the running strand.
///
/// A positive `change` adds a mask of the calling frame: 2 for a lock (`Purpose::Lock`), 3 for a wait (`Purpose::Wait`), any other number
/// for `Purpose::Whole`. While the strand is masked, cancellations do not end parts that enclose the frame, and polls let other threads run
/// only in a transaction. The `change` 0 turns the newest mask into the mask of a transaction of the calling frame
/// (`Purpose::Transaction`), and -1 removes the newest mask.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, without a thunk.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn mask(worker: *mut Worker, change: i64) {
    std::arch::naked_asm!(
        // The frame pointer still belongs to the compiled code.
        "mov rdx, rbp",
        "jmp {mask}",
        mask = sym mask_in,
    )
}

/// Does the work of [`mask`] for the code of a frame.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, by [`mask`]; `frame` must be the frame pointer of the frame that has
/// called [`mask`].
unsafe extern "C" fn mask_in(worker: *mut Worker, change: i64, frame: usize) {
    // SAFETY: `worker` runs the strand that calls, so this thread alone writes to it; nothing in this function uses another reference to
    // the strand.
    unsafe {
        let strand = &mut *(*worker).strand;
        match change {
            ..0 if strand.unmask_last() => {
                // While the strand was masked, it did not poll, or its polls ignored cancellations and interruptions.
                if strand.may_be_cancelled() || strand.is_left_behind() || interrupt::asked() {
                    Worker::ring(worker);
                }
            }
            ..0 => unmask_slow(worker),
            0 => {
                let forks = strand.entries.len() + (*worker).tasks.len();
                if let Some(masked) = strand.masks.last_mut() {
                    masked.frame = frame;
                    masked.purpose = Purpose::Transaction { forks };
                }
            }
            // The slow case is a function of its own, so that the usual case saves no registers: each message between threads adds two
            // masks.
            _ if strand.masks.len() == strand.masks.capacity() => mask_slow(strand, change, frame),
            _ => push_mask(strand, change, frame),
        }
    }
}

/// Adds a mask that the frame `frame` has requested.
#[inline(always)]
fn push_mask(strand: &mut Strand, change: i64, frame: usize) {
    let purpose = match change {
        2 => Purpose::Lock,
        3 => Purpose::Wait,
        _ => Purpose::Whole,
    };
    strand.masks.push(Masked {
        frame,
        purpose,
        mask: None,
    });
}

/// Adds a mask when the list of masks has to grow.
#[cold]
#[inline(never)]
fn mask_slow(strand: &mut Strand, change: i64, frame: usize) {
    push_mask(strand, change, frame);
}

/// Removes the newest mask, to which forks of the masked code refer.
///
/// # Safety
/// The worker must be the calling thread's own, and run a strand.
#[cold]
#[inline(never)]
unsafe fn unmask_slow(worker: *mut Worker) {
    // SAFETY: `worker` runs the strand, so this thread alone writes to it; nothing in this function uses another reference to the strand.
    unsafe {
        (*(*worker).strand).unmask((*worker).world(), false);
        // While the strand was masked, it did not poll, or its polls ignored cancellations and interruptions.
        Worker::ring(worker);
    }
}
