//! Interruption of a program that runs: by Ctrl-C, or because it has used up its stack or its memory.
//!
//! The function `ask` has each worker's next poll leave compiled code. Nothing is raised in the program: each of its strands ends
//! where it is, unless it holds a lock of the Basis, and so do strands that wait for another one; the workers can run other programs.
//! Functions of the runtime are not interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use super::worker::Worker;
use super::world::World;

/// The reason for which a program was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// Ctrl-C.
    Signal = 1,
    /// Its calls are nested too deeply.
    Stack,
    /// The heap has reached its limit.
    Memory,
}

/// The world whose program is watched.
static WORLD: AtomicPtr<World> = AtomicPtr::new(std::ptr::null_mut());
/// Number of calls of [`ask`] that are under way.
static ASKING: AtomicUsize = AtomicUsize::new(0);
/// A [`Cause`]; 0 while the program is not to end.
static CAUSE: AtomicU8 = AtomicU8::new(0);

extern "C" fn on_interrupt(_: i32) {
    ask(Cause::Signal);
}

/// Makes the watched program end at its next polls. Returns false if there is none. The first cause counts. May be
/// called in a signal handler.
pub(super) fn ask(cause: Cause) -> bool {
    // SeqCst, here and in the load: in the one order of these and of the two in `Watch::drop`, either that sees this call and waits for
    // its end, or this sees no world.
    ASKING.fetch_add(1, Ordering::SeqCst);
    // It also acquires: pairs with the release in `Watch::new`, so the world is whole.
    let world = WORLD.load(Ordering::SeqCst);
    if !world.is_null() {
        // Relaxed: a worker that finds its poll rung below acquires what was written before.
        let _ = CAUSE.compare_exchange(0, cause as u8, Ordering::Relaxed, Ordering::Relaxed);
        // SAFETY: `Watch` keeps the world until this call has ended.
        unsafe { (*world).ring_in_handler() };
    }
    // Release: pairs with the load in `Watch::drop`, so the cause and the rings come before it goes on.
    ASKING.fetch_sub(1, Ordering::Release);
    !world.is_null()
}

/// Returns true if the program must end.
#[must_use]
pub fn asked() -> bool {
    // Relaxed: see `ask`.
    CAUSE.load(Ordering::Relaxed) != 0
}

/// The reason for which the watched program was interrupted.
#[must_use]
pub(super) fn cause() -> Cause {
    // Relaxed: the program has ended.
    match CAUSE.load(Ordering::Relaxed) {
        2 => Cause::Stack,
        3 => Cause::Memory,
        _ => Cause::Signal,
    }
}

/// While it lives, Ctrl-C interrupts the work of a world's workers instead of ending the process, and so does a full stack or heap.
/// There is at most one at a time.
pub struct Watch {
    before: libc::sigaction,
    _world: Arc<World>,
}

impl Watch {
    /// Watches the work in the world of a worker.
    #[must_use]
    pub fn new(worker: &Worker) -> Watch {
        let world = worker.shared_world();
        // Relaxed: nothing runs.
        CAUSE.store(0, Ordering::Relaxed);
        // Release: pairs with the acquire in `ask`.
        WORLD.store(Arc::as_ptr(&world).cast_mut(), Ordering::Release);
        // SAFETY: plain system calls with whole arguments; the handler calls nothing that takes a lock or allocates.
        let before = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_interrupt as *const () as usize;
            // On whichever stack there is: compiled code has room below its stack pointer.
            action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGINT, &raw const action, &raw mut before);
            before
        };
        Watch {
            before,
            _world: world,
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SeqCst, here and in the load: as in `ask`.
        WORLD.store(std::ptr::null_mut(), Ordering::SeqCst);
        // SAFETY: what was set before this.
        unsafe { libc::sigaction(libc::SIGINT, &raw const self.before, std::ptr::null_mut()) };
        // A handler on another thread may still ring the workers. One on this thread has ended.
        while ASKING.load(Ordering::SeqCst) != 0 {
            std::thread::yield_now();
        }
        // Relaxed: nothing runs.
        CAUSE.store(0, Ordering::Relaxed);
    }
}
