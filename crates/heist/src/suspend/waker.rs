//! The wakers of suspending tasks: a pointer and a reference.

use super::Core;
use std::task::{RawWaker, RawWakerVTable, Waker};

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop);
/// The function table of wakers that count down a delay. Each waker of this kind is called once.
static COUNTING: RawWakerVTable =
    RawWakerVTable::new(clone_counting, count_down, count_by_ref, drop);

/// Returns true for a waker of this module. To clone a waker of this module, a thread counts a reference, and calls no
/// code of the user.
pub(crate) fn is_own(waker: &Waker) -> bool {
    if cfg!(heist_model) {
        // In the models all wakers are foreign. Some of them count as own, so that the models explore both kinds.
        return !waker.will_wake(Waker::noop());
    }
    std::ptr::eq(waker.vtable(), &VTABLE) || std::ptr::eq(waker.vtable(), &COUNTING)
}

/// Returns a waker of the task. The caller gives the waker one of the task's references.
///
/// # Safety
/// `core` must be live, and must point to the whole task. The caller must own one of the task's references;
/// the waker gets this reference.
pub(super) unsafe fn of(core: *const Core) -> Waker {
    // SAFETY: the functions below keep the contract of wakers. Any thread may call these functions, and the memory exists while a waker
    // refers to it.
    unsafe { Waker::from_raw(RawWaker::new(core.cast(), &VTABLE)) }
}

/// Returns a waker that counts down one of the task's delays. The caller gives the waker one of the task's
/// references.
///
/// # Safety
/// `core` must be live, and must point to the whole task. The caller must own one of the task's references;
/// the waker gets this reference.
pub(super) unsafe fn counting(core: *const Core) -> Waker {
    // SAFETY: the functions of this table keep the contract of wakers. Any thread may call these functions, and the memory exists while a
    // waker refers to it.
    unsafe { Waker::from_raw(RawWaker::new(core.cast(), &COUNTING)) }
}

unsafe fn clone_counting(core: *const ()) -> RawWaker {
    // SAFETY: the task is live, because the waker that is cloned refers to it.
    unsafe { &*core.cast::<Core>() }.add_ref();
    RawWaker::new(core, &COUNTING)
}

unsafe fn count_down(core: *const ()) {
    // SAFETY: the task is live, and this call gives up the waker's reference.
    unsafe { Core::count_down(core.cast()) };
}

unsafe fn count_by_ref(core: *const ()) {
    // SAFETY: the task is live, because the waker refers to it.
    unsafe { &*core.cast::<Core>() }.add_ref();
    // SAFETY: the call gives up the reference that was just made.
    unsafe { count_down(core) };
}

// The functions below are not inlined. They read which task this thread polls, and a fiber that calls such a function may have moved to
// another thread since its code last read thread-local words.

#[inline(never)]
unsafe fn clone(core: *const ()) -> RawWaker {
    // SAFETY: the task is live, because the waker that is cloned refers to it.
    unsafe { &*core.cast::<Core>() }.add_ref();
    RawWaker::new(core, &VTABLE)
}

#[inline(never)]
unsafe fn wake(core: *const ()) {
    // SAFETY: the task is live, and this call gives up the waker's reference.
    unsafe { Core::wake(core.cast(), true) };
}

#[inline(never)]
unsafe fn wake_by_ref(core: *const ()) {
    // SAFETY: the task is live, because the waker refers to it.
    unsafe { Core::wake(core.cast(), false) };
}

#[inline(never)]
unsafe fn drop(core: *const ()) {
    // SAFETY: the task is live, and this call gives up the waker's reference.
    unsafe { Core::drop_ref(core.cast()) };
}
