//! Stacks of one size, reserved in slabs and reused.
//!
//! A free stack is in one of three states. The next stack comes from the first of these states that has a
//! stack:
//!
//! - *warm*: the stack's memory is unchanged since its last user. The supply hands out the newest warm stack first, because it is in the
//!   cache. All warm stacks together take at most [`WARM_BYTES`], however deeply their users recursed.
//! - *shallow*: only the stack's top page is kept. When there are too many warm stacks, the oldest warm stack becomes shallow. Most fibers
//!   use only the top page. At most [`SHALLOW`] stacks are shallow.
//! - *cold*: all memory of the stack was returned.
//!
//! So idle stacks keep a bounded amount of memory, and no thread has to know how deeply a fiber recursed.

mod cache;
mod error;

use super::slab::{Guard, Shape, Slab, beginning};
use std::collections::VecDeque;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use cache::StackCache;
pub(crate) use error::StackError;

/// The minimum size of a stack in bytes.
pub(crate) const LEAST: usize = 16 << 10;
/// The maximum size of a stack in bytes.
pub(crate) const MOST: usize = 1 << 30;
/// The maximum total memory of the warm stacks, even if each of them was used to its end.
const WARM_BYTES: usize = 16 << 20;
/// The maximum number of shallow stacks, which keep only their top page.
const SHALLOW: usize = 8192;
/// Number of stacks in the first slab. Each later slab has twice as many stacks as the slab before, up to [`LARGEST`]
/// stacks or [`SLAB_BYTES`].
const FIRST: usize = 64;
const LARGEST: usize = 4096;
/// The maximum address space of a slab.
const SLAB_BYTES: usize = 1 << 30;

/// A supply of stacks. A clone refers to the same supply, and is cheap. The supply's memory is unmapped when the last
/// clone and the last stack are gone.
#[derive(Clone, Debug)]
pub(crate) struct Stacks(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    shape: Shape,
    guard: Guard,
    /// The maximum number of warm stacks.
    warm: usize,
    state: Mutex<State>,
}

/// The end of a stack's last page. Only the owner of a `Top` may use the stack.
#[derive(Debug)]
struct Top(NonNull<u8>);

// SAFETY: a `Top` represents memory that only its owner uses.
unsafe impl Send for Top {}

#[derive(Debug, Default)]
struct State {
    slabs: Vec<Slab>,
    /// Number of stacks that the newest slab has handed out at least once.
    begun: usize,
    warm: VecDeque<Top>,
    shallow: Vec<Top>,
    cold: Vec<Top>,
    /// Stacks without a guard, because the kernel refused the guard.
    bare: Vec<Top>,
}

impl State {
    fn stacks(&self) -> usize {
        let full: usize = self
            .slabs
            .iter()
            .rev()
            .skip(1)
            .map(|slab| slab.stacks)
            .sum();
        full + self.begun - self.bare.len()
    }
}

impl Stacks {
    /// Creates a supply of stacks of `bytes` bytes, or of [`LEAST`] bytes if `bytes` is smaller. The size is rounded up to an even number
    /// of pages. In each stack, up to a kilobyte stays unused.
    ///
    /// # Errors
    /// Returns [`StackError::TooLarge`] if `bytes` is above [`MOST`].
    pub(crate) fn new(bytes: usize) -> Result<Self, StackError> {
        Self::with_guard(bytes, Guard::best())
    }

    fn with_guard(bytes: usize, guard: Guard) -> Result<Self, StackError> {
        if bytes > MOST {
            return Err(StackError::TooLarge { asked: bytes });
        }
        let shape = Shape::new(bytes.max(LEAST));
        Ok(Stacks(Arc::new(Shared {
            shape,
            guard,
            warm: (WARM_BYTES / shape.stack).max(1),
            state: Mutex::default(),
        })))
    }

    /// Returns the size of each stack in bytes, without its guard.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.0.shape.stack
    }

    /// Takes a free stack, if possible the stack that was returned last; otherwise takes a new
    /// stack. Taking a warm stack costs a lock and no system call. Taking any other stack may cost
    /// one or two system calls. [`StackCache`] avoids the lock.
    ///
    /// # Errors
    /// Returns [`StackError::Map`] or [`StackError::Guard`] if the system refuses another stack.
    pub(crate) fn take(&self) -> Result<Stack, StackError> {
        let shared = &self.0;
        let mut state = shared.state();
        let State {
            warm,
            shallow,
            cold,
            ..
        } = &mut *state;
        let found = warm
            .pop_back()
            .or_else(|| shallow.pop())
            .or_else(|| cold.pop());
        let top = match found {
            Some(top) => top,
            None => shared.fresh(state)?,
        };
        Ok(Stack {
            top,
            stacks: self.clone(),
        })
    }
}

impl Stacks {
    /// Moves up to `most` warm stacks into `into`, the newest last.
    fn take_warm(&self, most: usize, into: &mut Vec<Stack>) {
        let mut state = self.0.state();
        let rest = state.warm.len().saturating_sub(most);
        into.extend(state.warm.drain(rest..).map(|top| Stack {
            top,
            stacks: self.clone(),
        }));
    }

    /// Takes back stacks, the oldest first. Takes the lock once if no stack must be trimmed.
    fn give(&self, stacks: impl Iterator<Item = Stack>) {
        self.0.give(stacks.map(|stack| {
            let stack = ManuallyDrop::new(stack);
            // SAFETY: the stack is not used again, so its reference to the supply is dropped once.
            // The supply stays, because `self` is another reference to it.
            unsafe { drop(ptr::read(&raw const stack.stacks)) };
            Top(stack.top.0)
        }));
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a stack that was never used.
    fn fresh(&self, mut state: MutexGuard<'_, State>) -> Result<Top, StackError> {
        let top = match state.bare.pop() {
            Some(top) => top,
            None => {
                if state
                    .slabs
                    .last()
                    .is_none_or(|slab| slab.stacks == state.begun)
                {
                    let slab = self.slab(&state)?;
                    state.slabs.push(slab);
                    state.begun = 0;
                }
                let index = state.begun;
                state.begun += 1;
                Top(state.slabs[state.slabs.len() - 1].top(index))
            }
        };
        // This thread releases the lock first, so that several threads can make guards at the same time, each for its own stack.
        drop(state);
        // SAFETY: this is a stack of this supply, and this thread has taken it out of the lists, so
        // no other code uses it.
        match unsafe { self.shape.guard(top.0, self.guard) } {
            Ok(()) => Ok(top),
            Err(source) => {
                let mut state = self.state();
                state.bare.push(top);
                Err(StackError::Guard {
                    stacks: state.stacks(),
                    limit: max_map_count(),
                    source,
                })
            }
        }
    }

    /// Maps the next slab, with the planned size, or with a smaller size if the system has no room.
    fn slab(&self, state: &State) -> Result<Slab, StackError> {
        let most = (SLAB_BYTES / self.shape.stride()).clamp(1, LARGEST);
        let mut stacks = state
            .slabs
            .last()
            .map_or(FIRST, |slab| 2 * slab.stacks)
            .min(most);
        loop {
            match Slab::map(self.shape, stacks) {
                Ok(slab) => return Ok(slab),
                Err(_) if stacks > 1 => stacks /= 2,
                Err(source) => {
                    return Err(StackError::Map {
                        stacks: state.stacks(),
                        bytes: self.shape.stack,
                        source,
                    });
                }
            }
        }
    }

    /// Takes back stacks, and trims the oldest warm stacks if there are too many.
    fn give(&self, tops: impl Iterator<Item = Top>) {
        let mut state = self.state();
        state.warm.extend(tops);
        while state.warm.len() > self.warm {
            let Some(oldest) = state.warm.pop_front() else {
                return;
            };
            let keep = state.shallow.len() < SHALLOW;
            drop(state);
            // SAFETY: the stack was free and is in no list now, so only this thread uses it.
            unsafe { self.shape.trim(oldest.0, usize::from(keep)) };
            state = self.state();
            if keep {
                state.shallow.push(oldest);
            } else {
                state.cold.push(oldest);
            }
        }
    }
}

/// A stack, which returns to its supply when dropped.
#[derive(Debug)]
pub(crate) struct Stack {
    top: Top,
    stacks: Stacks,
}

impl Stack {
    /// Returns the high end of the stack, from which the stack grows down. The address is aligned to a cache line.
    pub(crate) fn top(&self) -> NonNull<u8> {
        beginning(self.top.0, self.stacks.0.shape.page)
    }

    /// Returns the lowest address of the stack's guard.
    pub(crate) fn limit(&self) -> NonNull<u8> {
        // SAFETY: guard and stack lie below the top, in the same mapping.
        unsafe { self.top.0.sub(self.stacks.0.shape.stride()) }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.stacks.0.give(std::iter::once(Top(self.top.0)));
    }
}

/// Returns the number of mappings that a process may have.
fn max_map_count() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests;
