//! Interrupts a running program at Ctrl-C, or when the program has used up its stack or its memory.
//!
//! The function `ask` makes the compiled code on each worker end at its next poll. The program gets no exception: each of its strands,
//! including strands that wait for another strand, ends at its current place. A strand that holds a lock of the Basis first releases the
//! lock. When the program's strands have ended, the workers can run other programs. If a strand is in a function of the runtime, the strand
//! ends only after that function has returned.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use crate::state::worker::Worker;
use crate::state::world::World;

/// The reason for which a program was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// Ctrl-C.
    Signal = 1,
    /// The program's calls are nested so deeply that its stack is full.
    Stack,
    /// The heap has reached its limit.
    Memory,
}

/// The world of the watched program.
static WORLD: AtomicPtr<World> = AtomicPtr::new(std::ptr::null_mut());
/// The number of calls of [`ask`] that have begun and not returned.
static ASKING: AtomicUsize = AtomicUsize::new(0);
/// The [`Cause`] of the interruption; 0 while the program must not end.
static CAUSE: AtomicU8 = AtomicU8::new(0);

extern "C" fn on_interrupt(_: i32) {
    ask(Cause::Signal);
}

/// Makes the watched program end at its next polls. Returns false if no program is watched. If this function is called several times, the
/// cause of the first call is reported. May be called in a signal handler.
pub(crate) fn ask(cause: Cause) -> bool {
    // SeqCst, here and in the load: these two operations and the two operations in `Watch::drop` have one order. So either `Watch::drop`
    // sees this call and waits for its end, or this call sees no world.
    ASKING.fetch_add(1, Ordering::SeqCst);
    // The load also acquires: it pairs with the release in `Watch::new`, so this thread sees the initialised world.
    let world = WORLD.load(Ordering::SeqCst);
    if !world.is_null() {
        // Relaxed: the rings below release this write, and a worker that answers its ring acquires it.
        let _ = CAUSE.compare_exchange(0, cause as u8, Ordering::Relaxed, Ordering::Relaxed);
        // SAFETY: `Watch` keeps the world until this call has ended.
        unsafe { (*world).ring_in_handler() };
    }
    // Release: pairs with the load in `Watch::drop`, so the cause and the rings come before the end of that wait.
    ASKING.fetch_sub(1, Ordering::Release);
    !world.is_null()
}

/// Returns true if the program must end.
#[must_use]
pub fn asked() -> bool {
    // Relaxed: see `ask`.
    CAUSE.load(Ordering::Relaxed) != 0
}

/// Returns the reason for which the watched program was interrupted.
#[must_use]
pub(crate) fn cause() -> Cause {
    // Relaxed: the program has ended.
    match CAUSE.load(Ordering::Relaxed) {
        2 => Cause::Stack,
        3 => Cause::Memory,
        _ => Cause::Signal,
    }
}

/// While a `Watch` lives, Ctrl-C interrupts the work of a world's workers instead of ending the process. A full stack or heap interrupts
/// the work in the same way. At most one `Watch` exists at a time.
pub struct Watch {
    before: libc::sigaction,
    _world: Arc<World>,
}

impl Watch {
    /// Watches the work in the world of a worker.
    #[must_use]
    pub fn new(worker: &Worker) -> Watch {
        let world = worker.shared_world();
        // Relaxed: no program runs.
        CAUSE.store(0, Ordering::Relaxed);
        // Release: pairs with the acquire in `ask`.
        WORLD.store(Arc::as_ptr(&world).cast_mut(), Ordering::Release);
        // SAFETY: plain system calls with valid arguments; the handler calls nothing that takes a lock or allocates.
        let before = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_interrupt as *const () as usize;
            // The handler may run on any stack: compiled code has room below its stack pointer.
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
        // SeqCst, here and in the load: see `ask`.
        WORLD.store(std::ptr::null_mut(), Ordering::SeqCst);
        // SAFETY: this is the action that was set before.
        unsafe { libc::sigaction(libc::SIGINT, &raw const self.before, std::ptr::null_mut()) };
        // A handler on another thread may still ring the workers. A handler on this thread has ended.
        while ASKING.load(Ordering::SeqCst) != 0 {
            std::thread::yield_now();
        }
        // Relaxed: no program runs.
        CAUSE.store(0, Ordering::Relaxed);
    }
}
