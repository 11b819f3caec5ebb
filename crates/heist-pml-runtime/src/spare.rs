//! Strands and stacks that are not in use.
//!
//! A waiting strand keeps its stack as long as there are few stacks. Then its frames are packed (`Strand::pack`), and another strand gets
//! the stack. So a waiting strand takes only the memory of its frames.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::stack::Stack;
use super::strand::Strand;
use super::world::World;

/// While fewer stacks exist, waiting strands keep theirs. The second number is for tests under stress.
const STACKS: [usize; 2] = [256, 4];
/// If this number of stacks is free, a waiting strand keeps its own again. The second number is for tests under stress.
const SPARE: [usize; 2] = [16, 2];

/// Strands and stacks that are not in use.
#[derive(Default)]
pub struct Spare {
    strands: Mutex<Strands>,
    stacks: Mutex<Stacks>,
    /// Number of stacks that were made.
    made: AtomicUsize,
}

#[derive(Default)]
struct Strands(Vec<*mut Strand>);

// SAFETY: these strands have no owner: the thread that takes one out under the lock has it alone.
unsafe impl Send for Strands {}

/// Stacks that belong to no strand.
#[derive(Default)]
struct Stacks(Vec<Stack>);

impl Spare {
    fn strands(&self) -> MutexGuard<'_, Strands> {
        self.strands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stacks(&self) -> MutexGuard<'_, Stacks> {
        self.stacks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a strand of the world that has not begun, and has no stack.
    pub fn strand(&self, world: &World) -> *mut Strand {
        let free = self.strands().0.pop();
        free.unwrap_or_else(|| {
            let strand = Strand::new(None, world.strand_number());
            let strand = Box::into_raw(Box::new(strand));
            world.add_strand(strand);
            strand
        })
    }

    /// Gives a strand a stack. If the strand has begun, its frames are put on the stack.
    ///
    /// # Safety
    /// The strand must belong to the caller, and no worker may run it.
    pub unsafe fn give_stack(&self, world: &World, strand: *mut Strand) {
        let free = self.stacks().0.pop();
        let stack = free.unwrap_or_else(|| {
            // Relaxed: a count, and no more.
            self.made.fetch_add(1, Ordering::Relaxed);
            let options = &world.options;
            Stack::new(options.stack, 0, options.reserve).unwrap_or_else(|error| {
                super::fatal(&format!("no memory for another stack: {error}"))
            })
        });
        // SAFETY: the strand is the caller's and runs nowhere, so no other thread uses it. The stack is new or was free, so nothing runs on
        // it.
        unsafe {
            stack.belongs((*strand).number);
            (*strand).unpack(stack);
        }
    }

    /// Takes the stack of a strand that is about to wait, if there are many stacks.
    ///
    /// # Safety
    /// The strand must belong to the caller, and no worker may run it.
    pub unsafe fn keep_stack(&self, world: &World, strand: *mut Strand) {
        let stress = usize::from(world.options.stress);
        // Relaxed: a count, and no more. Before the lock, because each message asks this.
        if self.made.load(Ordering::Relaxed) < STACKS[stress] {
            return;
        }
        let mut stacks = self.stacks();
        let few = stacks.0.len() >= SPARE[stress];
        // SAFETY: the strand is the caller's and runs nowhere, so its frames are all between its stack pointer and the top of its stack.
        // The program's own strand keeps its stack, which belongs to the first worker.
        unsafe {
            if !few
                && !(*strand).is_program()
                && let Some(stack) = (*strand).pack()
            {
                stacks.0.push(stack);
            }
        }
    }

    /// Takes back a strand that is not in use any more.
    ///
    /// # Safety
    /// No worker may run the strand, and none of its frames may be needed.
    pub unsafe fn recycle(&self, strand: *mut Strand) {
        // SAFETY: no worker runs the strand and nothing needs its frames, so the caller has it alone until it is pushed.
        unsafe {
            (*strand).reset();
            self.stacks().0.extend((*strand).stack.take());
        }
        self.strands().0.push(strand);
    }
}
