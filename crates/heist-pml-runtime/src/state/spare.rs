//! Strands and stacks that are not in use.
//!
//! A strand that waits for another strand keeps its stack while there are at most [`WAITING`] stacks. A strand that only waits for its turn
//! keeps its stack while there are at most [`READY`] stacks. Above this limit, the worker packs the frames of the strand that begins to
//! wait (`Strand::pack`), and another strand gets the stack. A waiting strand without a stack takes only the memory of its packed frames.
//!
//! Each worker has a *cache* of free strands and stacks, which needs no lock. All workers share one more cache. A worker whose cache is
//! empty takes many strands or stacks from the shared cache at once. A worker whose cache is full puts many strands or stacks into the
//! shared cache at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::memory::growth::Growth;
use crate::memory::stack::Stack;
use crate::process::ends::fatal;
use crate::state::strand::Strand;
use crate::state::worker::Worker;
use crate::state::world::World;

/// Strands that wait for other strands keep their stacks while there are at most this number of stacks.
pub const WAITING: usize = 256;
/// Strands that only wait for their turn keep their stacks while there are at most this number of stacks. The number is large because these
/// waits are short, and limited because each stack takes up to 4 GiB of addresses.
pub const READY: usize = 4096;
/// The number that replaces [`WAITING`] and [`READY`] in tests under stress.
const STRESSED: usize = 1;
/// Number of stacks that are moved between caches at a time.
const SPARE: usize = 16;
/// Number of strands that are made, or moved between caches, at a time.
const STRANDS: usize = 128;

/// Strands and stacks that are not in use and belong to no worker.
#[derive(Default)]
pub struct Spare {
    shared: Mutex<Cache>,
    /// Number of stacks that belong to strands or are in the caches of workers.
    used: AtomicUsize,
}

/// Strands and stacks that are not in use.
#[derive(Default)]
pub struct Cache {
    /// Strands that have not begun, without stacks.
    strands: Vec<*mut Strand>,
    stacks: Vec<Stack>,
    /// The memory that the worker's thread has prepared for the frames of waiting strands.
    growth: Growth,
}

// SAFETY: no thread uses a strand in a cache. A thread that takes a strand out of a cache has this strand alone.
unsafe impl Send for Cache {}

impl Spare {
    fn shared(&self) -> MutexGuard<'_, Cache> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a strand of `world` that has not begun and has no stack.
    pub fn strand(&self, world: &World, cache: &mut Cache) -> *mut Strand {
        if let Some(strand) = cache.strands.pop() {
            return strand;
        }
        let mut shared = self.shared();
        let rest = shared.strands.len().saturating_sub(STRANDS);
        cache.strands.extend(shared.strands.drain(rest..));
        drop(shared);
        cache.strands.pop().unwrap_or_else(|| {
            // Strands are never freed, because other workers may look at a strand that has ended.
            let made: &'static mut [Strand] = (0..STRANDS)
                .map(|_| Strand::new(None, world.strand_number()))
                .collect::<Vec<_>>()
                .leak();
            // The order is reversed, so that the strand with the lowest number is taken first.
            let before = cache.strands.len();
            let made = made.iter_mut().rev().map(|strand| &raw mut *strand);
            cache.strands.extend(made);
            world.add_strands(cache.strands[before..].iter().copied());
            cache.strands.pop().expect("some were made")
        })
    }

    /// Gives a strand a stack. If the strand has begun, moves the strand's frames to the stack.
    ///
    /// # Safety
    /// No other thread may have the strand, and no worker may run it.
    pub unsafe fn give_stack(&self, world: &World, cache: &mut Cache, strand: *mut Strand) {
        let free = cache.stacks.pop().or_else(|| {
            // Relaxed, as for all accesses to `used`: no other data depends on the count.
            self.used.fetch_add(1, Ordering::Relaxed);
            self.shared().stacks.pop()
        });
        let stack = free.unwrap_or_else(|| {
            let options = &world.options;
            Stack::new(options.stack, 0, options.reserve).unwrap_or_else(|error| {
                fatal(&format!(
                    "no addresses for another stack ({error}); a smaller {} leaves room for more",
                    crate::process::executable::stack_setting()
                ))
            })
        });
        // SAFETY: the strand is the caller's and runs nowhere, so no other thread uses it. The stack is new or was free, so nothing runs on
        // it.
        unsafe {
            stack.belongs((*strand).number);
            (*strand).unpack(stack);
        }
    }

    /// Takes the stack of a strand that is about to wait, if there are more than `most` stacks.
    ///
    /// # Safety
    /// No other thread may have the strand, and no worker may run it.
    pub unsafe fn keep_stack(
        &self,
        world: &World,
        cache: &mut Cache,
        strand: *mut Strand,
        most: usize,
    ) {
        // Each message between threads calls this function, so one comparison decides the usual case, in which there are few stacks.
        let used = self.used.load(Ordering::Relaxed);
        let options = &world.options;
        let few = if options.stress {
            STRESSED + cache.stacks.len()
        } else {
            // Each worker may have some stacks that no strand has.
            most + 2 * SPARE * options.workers
        };
        if used < few {
            return;
        }
        // SAFETY: the strand is the caller's and runs nowhere, so its frames are all between its stack pointer and the top of its stack.
        // The program's own strand keeps its stack, which belongs to the first worker.
        unsafe {
            if !(*strand).is_program()
                && let Some(stack) = (*strand).pack(&mut cache.growth)
            {
                cache.stacks.push(stack);
            }
        }
        self.share_stacks(cache);
    }

    /// Puts some of a worker's free stacks into the shared cache, if the worker has many free stacks.
    fn share_stacks(&self, cache: &mut Cache) {
        if cache.stacks.len() >= 2 * SPARE {
            let moved = cache.stacks.drain(..SPARE);
            self.used.fetch_sub(SPARE, Ordering::Relaxed);
            self.shared().stacks.extend(moved);
        }
    }

    /// Puts a strand that is not in use any more into the worker's cache.
    ///
    /// # Safety
    /// No worker may run the strand, and none of its frames may be needed.
    pub unsafe fn recycle(&self, cache: &mut Cache, strand: *mut Strand) {
        // SAFETY: no worker runs the strand and nothing needs its frames, so the caller has it alone.
        unsafe {
            (*strand).reset();
            cache.stacks.extend((*strand).stack.take());
        }
        cache.strands.push(strand);
        if cache.strands.len() >= 2 * STRANDS {
            let moved = cache.strands.drain(..STRANDS);
            for strand in moved.as_slice() {
                // SAFETY: the strands of a cache belong to the worker that has it.
                unsafe { (**strand).free_memory() };
            }
            self.shared().strands.extend(moved);
        }
        self.share_stacks(cache);
    }

    /// Puts a strand that was dropped while all workers are stopped into the shared cache.
    ///
    /// # Safety
    /// No worker may run the strand, and none of its frames may be needed.
    pub unsafe fn recycle_shared(&self, strand: *mut Strand) {
        // SAFETY: no worker runs the strand and nothing needs its frames, so the caller has it alone until it is pushed.
        unsafe {
            (*strand).reset();
            let mut shared = self.shared();
            (*strand).free_memory();
            if let Some(stack) = (*strand).stack.take() {
                self.used.fetch_sub(1, Ordering::Relaxed);
                shared.stacks.push(stack);
            }
            shared.strands.push(strand);
        }
    }
}

/// Returns the cache of a worker.
///
/// # Safety
/// The worker must be the calling thread's own, and no other reference to its cache may be in use.
pub unsafe fn cache<'a>(worker: *mut Worker) -> &'a mut Cache {
    // SAFETY: `worker` is the calling thread's own, and no other thread uses its cache.
    unsafe { &mut (*worker).cache }
}
