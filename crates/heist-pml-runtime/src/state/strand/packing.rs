//! Packs the frames of a waiting strand, so that another strand can use the waiting strand's stack.

use crate::memory::growth::Growth;
use crate::memory::stack::Stack;
use crate::state::strand::Strand;
use crate::value::object::WORD;

/// The frames of a waiting strand are moved off its stack only if they have at most this number of words.
const MOST_PACKED: usize = 2048;
/// The distance in words from a waiting strand's stack pointer to its saved frame pointer: see `entry/waits.rs`.
const SAVED_FRAME: usize = 4;

impl Strand {
    /// Returns the number of bytes of the strand's packed frames, or 0 if the strand has a stack.
    pub(crate) fn packed_bytes(&self) -> usize {
        if self.packed.is_empty() {
            return 0;
        }
        size_of::<Strand>() + size_of_val(&self.packed[..])
    }

    /// Moves the frames of a waiting strand, if they are few, into a block of memory of their size, and returns the strand's stack.
    /// `growth` is the memory that the worker's thread has prepared.
    pub(crate) fn pack(&mut self, growth: &mut Growth) -> Option<Stack> {
        let words = (self.top() - self.sp) / WORD;
        if words > MOST_PACKED {
            return None;
        }
        // SAFETY: the strand waits, so these words are all that is in use of its stack.
        let frames = unsafe { std::slice::from_raw_parts(self.sp as *const usize, words) };
        debug_assert!(self.packed.is_empty(), "its frames are on its stack");
        if self.packed.capacity() < words || self.packed.capacity() > 2 * words {
            self.packed = Vec::new();
            growth.prepare(size_of_val(frames));
            self.packed.reserve_exact(words);
        }
        self.packed.extend_from_slice(frames);
        let to = self.packed.as_mut_ptr() as usize;
        // SAFETY: no worker runs the strand, and `to` is the copy of all its frames that was made above.
        unsafe { self.move_frames(to) };
        self.stack.take()
    }

    /// Moves the strand's frames to a stack.
    pub(crate) fn unpack(&mut self, stack: Stack) {
        let words = &self.packed[..];
        let to = stack.top() - size_of_val(words);
        self.stack = Some(stack);
        if words.is_empty() {
            return;
        }
        // SAFETY: no worker runs the strand or code on the stack, which is far larger than the few packed words. The frames are moved after
        // they were copied.
        unsafe {
            std::ptr::copy_nonoverlapping(words.as_ptr(), to as *mut usize, words.len());
            self.move_frames(to);
        }
        self.packed.clear();
    }

    /// Adapts the strand to frames that were copied to another address. `to` is the new stack pointer.
    ///
    /// # Safety
    /// No worker may run the strand. The caller must have copied the strand's frames to `to`, beginning at the strand's stack pointer.
    unsafe fn move_frames(&mut self, to: usize) {
        let by = to.wrapping_sub(self.sp);
        // The slot of the frame pointer that the switch has saved.
        let mut slot = (to + SAVED_FRAME * WORD) as *mut usize;
        // SAFETY: each slot has the address of the next older frame, and the slot of the oldest frame has 0. Frames hold no other address
        // of their stack: see `addresses.rs` of the compiler.
        unsafe {
            while *slot != 0 {
                *slot = (*slot).wrapping_add(by);
                slot = *slot as *mut usize;
            }
        }
        let entries = self.entries.iter_mut().map(|entry| &mut entry.frame);
        let scopes = self.scopes.iter_mut().map(|scope| &mut scope.frame);
        let computes = self.computes.iter_mut().map(|lazy| &mut lazy.2);
        let masks = self.masks.iter_mut().map(|masked| &mut masked.frame);
        for frame in entries.chain(scopes).chain(computes).chain(masks) {
            *frame = frame.wrapping_add(by);
        }
        self.frame = self.frame.wrapping_add(by);
        self.sp = to;
    }
}
