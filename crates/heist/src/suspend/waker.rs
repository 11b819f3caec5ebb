//! The wakers of suspending tasks: a pointer and a reference.

use super::Core;
use std::task::{RawWaker, RawWakerVTable, Waker};

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop);
/// Table of wakers that count one delay down when they are called, which is once.
static COUNTING: RawWakerVTable =
    RawWakerVTable::new(clone_counting, count_down, count_by_ref, drop);

/// Returns true for a waker of this module: cloning it counts a reference, and calls nothing of the user's.
pub(crate) fn is_own(waker: &Waker) -> bool {
    if cfg!(heist_model) {
        // The wakers of models are all foreign. Those that wake count as own, so that both kinds are explored.
        return !waker.will_wake(Waker::noop());
    }
    std::ptr::eq(waker.vtable(), &VTABLE) || std::ptr::eq(waker.vtable(), &COUNTING)
}

/// A waker of the task, to which the caller gives one of the task's references.
///
/// # Safety
/// `core` is live and points to the whole task. It gets one of its references.
pub(super) unsafe fn of(core: *const Core) -> Waker {
    // SAFETY: the functions below keep the contract of wakers: they may be called from any thread,
    // and the memory is there as long as a waker refers to it.
    unsafe { Waker::from_raw(RawWaker::new(core.cast(), &VTABLE)) }
}

/// A waker that counts one of the task's delays down, to which the caller gives one of the task's references.
///
/// # Safety
/// Like [`of`].
pub(super) unsafe fn counting(core: *const Core) -> Waker {
    // SAFETY: as in `of`.
    unsafe { Waker::from_raw(RawWaker::new(core.cast(), &COUNTING)) }
}

unsafe fn clone_counting(core: *const ()) -> RawWaker {
    // SAFETY: live, as the waker that is cloned refers to it.
    unsafe { &*core.cast::<Core>() }.add_ref();
    RawWaker::new(core, &COUNTING)
}

unsafe fn count_down(core: *const ()) {
    // SAFETY: live, and the waker's reference is given up.
    unsafe { Core::count_down(core.cast()) };
}

unsafe fn count_by_ref(core: *const ()) {
    // SAFETY: live, as the waker refers to it.
    unsafe { &*core.cast::<Core>() }.add_ref();
    // SAFETY: the reference just made is given up.
    unsafe { count_down(core) };
}

// Not inlined: they ask which task this thread polls, and a fiber that calls them may have come from
// another thread since its caller asked for its own thread-local words.

#[inline(never)]
unsafe fn clone(core: *const ()) -> RawWaker {
    // SAFETY: live, as the waker that is cloned refers to it.
    unsafe { &*core.cast::<Core>() }.add_ref();
    RawWaker::new(core, &VTABLE)
}

#[inline(never)]
unsafe fn wake(core: *const ()) {
    // SAFETY: live, and the waker's reference is given up.
    unsafe { Core::wake(core.cast(), true) };
}

#[inline(never)]
unsafe fn wake_by_ref(core: *const ()) {
    // SAFETY: live, as the waker refers to it.
    unsafe { Core::wake(core.cast(), false) };
}

#[inline(never)]
unsafe fn drop(core: *const ()) {
    // SAFETY: live, and the waker's reference is given up.
    unsafe { Core::drop_ref(core.cast()) };
}
