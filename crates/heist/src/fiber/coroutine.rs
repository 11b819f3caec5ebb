//! A closure with its own stack. The closure can pause anywhere and continue later.

use super::label::FiberLabel;
use crate::platform::Stack;
use corosensei::stack::StackPointer;
use corosensei::{CoroutineResult, Yielder};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// The data at the top of a stack, above the coroutine's first frame. The signal handler reads this data.
#[repr(C, align(16))]
pub(super) struct Head {
    /// True if a coroutine has the stack. The field is false in a page that was never written.
    taken: bool,
    /// The label of the coroutine that has the stack, if there is one.
    label: ManuallyDrop<FiberLabel>,
}

impl Head {
    /// # Safety
    /// `top` must be the top of a mapped stack.
    unsafe fn below(top: NonNull<u8>) -> NonNull<Head> {
        // SAFETY: a stack is larger than a head, so the result is inside the stack.
        unsafe { top.cast::<Head>().sub(1) }
    }

    /// Returns the label of the coroutine on the stack that begins at `top`, if there is one.
    ///
    /// # Safety
    /// The calling thread must run on that stack. The thread may use the label only while it runs
    /// on that stack.
    pub(super) unsafe fn label<'a>(top: NonNull<u8>) -> Option<&'a FiberLabel> {
        // SAFETY: the stack is mapped, because the thread runs on it, and no thread writes the head
        // while a coroutine runs.
        unsafe {
            let head = Head::below(top).as_ptr();
            (&raw const (*head).taken).read().then(|| &*(*head).label)
        }
    }
}

/// The stack in the form that corosensei requires. corosensei calls `base` at each switch.
struct Ground {
    stack: Stack,
    head: NonNull<Head>,
}

impl Ground {
    fn new(stack: Stack) -> Self {
        // SAFETY: the stack belongs to this value, so it is mapped.
        let head = unsafe { Head::below(stack.top()) };
        Ground { stack, head }
    }
}

// SAFETY: the range below the head is usable down to the guard page at its low end, has at least 16
// KiB less the head, and belongs to this value alone until it is dropped. The head keeps the
// alignment.
unsafe impl corosensei::stack::Stack for Ground {
    #[inline]
    fn base(&self) -> StackPointer {
        self.head.addr()
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        self.stack.limit().addr()
    }
}

/// Result of a [`Coroutine::resume`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Resumed {
    /// The body has stopped in [`Suspender::suspend`].
    Suspended,
    /// The body has returned. The coroutine cannot be resumed any more.
    Finished,
}

/// A coroutine (see the module). Dropping a coroutine returns its stack to the supply.
pub(crate) struct Coroutine {
    inner: ManuallyDrop<corosensei::Coroutine<*mut (), (), (), Ground>>,
    /// The head of the stack. The field `inner` gives no access to the head.
    head: NonNull<Head>,
}

// SAFETY: the caller of `new` promises that the body may run on any thread.
unsafe impl Send for Coroutine {}

/// The means by which the body suspends itself.
#[repr(transparent)]
pub(crate) struct Suspender(Yielder<*mut (), ()>);

/// Maximum size of a closure that is not boxed. Larger closures would take too much space of the stack's top page, which should contain the
/// first frames.
const INLINE: usize = 512;

impl Coroutine {
    /// Returns a coroutine that will run `body` on `stack` when it is first resumed, with the input of that `resume`. `body` must not
    /// unwind: if it unwinds, the process aborts with a message.
    ///
    /// # Safety
    /// - The values that `body` borrows must live until the coroutine has finished or is dropped.
    /// - If the coroutine is resumed on another thread, no value that is live in `body` at a
    ///   suspension may depend on the thread (see the README of this folder).
    pub(crate) unsafe fn new<F>(stack: Stack, label: FiberLabel, body: F) -> Self
    where
        F: FnOnce(&Suspender, *mut ()),
    {
        if size_of::<F>() > INLINE {
            let body = Box::new(body);
            // SAFETY: the caller keeps the contract of this function, and `inline` has the same
            // contract.
            unsafe { Self::inline(stack, label, move |suspender, input| body(suspender, input)) }
        } else {
            // SAFETY: the caller keeps the contract of this function, and `inline` has the same
            // contract.
            unsafe { Self::inline(stack, label, body) }
        }
    }

    /// # Safety
    /// The caller must keep the contract of `new`.
    unsafe fn inline<F>(stack: Stack, label: FiberLabel, body: F) -> Self
    where
        F: FnOnce(&Suspender, *mut ()),
    {
        let ground = Ground::new(stack);
        let head = ground.head;
        // SAFETY: only this function uses `stack`, whose top is aligned to a cache line.
        unsafe {
            head.write(Head {
                taken: true,
                label: ManuallyDrop::new(label),
            });
        }
        // SAFETY: the values that `body` borrows live long enough by this function's contract, and
        // a suspended coroutine is never forgotten, because its drop aborts.
        let inner = unsafe {
            corosensei::Coroutine::with_stack_unchecked(
                ground,
                move |yielder: &Yielder<*mut (), ()>, input| {
                    let bomb = Bomb(head);
                    // SAFETY: `Suspender` is a transparent wrapper of the yielder's type, so the
                    // references have the same layout.
                    body(&*std::ptr::from_ref(yielder).cast::<Suspender>(), input);
                    std::mem::forget(bomb);
                },
            )
        };
        Coroutine {
            inner: ManuallyDrop::new(inner),
            head,
        }
    }

    /// Runs the body until it suspends or returns. At the first call, `input` is the body's argument. Later, `input` is the value that
    /// [`Suspender::suspend`] returns in the body.
    ///
    /// # Panics
    /// Panics if the body has returned before.
    #[inline]
    pub(crate) fn resume(&mut self, input: *mut ()) -> Resumed {
        match self.inner.resume(input) {
            CoroutineResult::Yield(()) => Resumed::Suspended,
            CoroutineResult::Return(()) => Resumed::Finished,
        }
    }

    /// Returns the name and place of the fiber.
    pub(crate) fn label(&self) -> &FiberLabel {
        // SAFETY: `inline` has written the label, `drop` drops the label, and no code writes it in between.
        unsafe { &(*self.head.as_ptr()).label }
    }
}

impl Suspender {
    /// Suspends this coroutine, so that its resumer continues. Returns the input of the next
    /// `resume`, possibly on another thread.
    ///
    /// # Safety
    /// The caller must run on this coroutine's own stack, not on the stack of another coroutine
    /// that it has resumed.
    #[inline(always)]
    pub(crate) unsafe fn suspend(&self) -> *mut () {
        self.0.suspend(())
    }
}

impl Coroutine {
    /// Returns the stack of a finished coroutine, for reuse.
    ///
    /// # Panics
    /// Panics if the coroutine has not finished.
    pub(crate) fn into_stack(self) -> Stack {
        assert!(self.inner.done(), "heist: the {} goes on", self.label());
        let mut this = ManuallyDrop::new(self);
        // SAFETY: the coroutine has finished, so no frame is on the stack, and neither head nor
        // coroutine is used again.
        unsafe {
            this.clear_head();
            ManuallyDrop::take(&mut this.inner).into_stack().stack
        }
    }

    /// # Safety
    /// The caller must not use the head of the stack again.
    unsafe fn clear_head(&mut self) {
        // SAFETY: `inline` has written the head, and by this function's contract it is cleared
        // once.
        unsafe {
            let head = self.head.as_ptr();
            (*head).taken = false;
            ManuallyDrop::drop(&mut (*head).label);
        }
    }
}

impl Drop for Coroutine {
    fn drop(&mut self) {
        if self.inner.started() && !self.inner.done() {
            // Other code may refer to the body's frames, and wait for locks that the body holds. So
            // the process cannot continue.
            crate::platform::say(format_args!(
                "heist: the {} was dropped while it waits; it can neither go on nor end",
                self.label()
            ));
            std::process::abort();
        }
        // SAFETY: no frame is on the stack. The head is cleared first, because the drop of the coroutine returns the stack. No code uses
        // the head or the coroutine again.
        unsafe {
            self.clear_head();
            ManuallyDrop::drop(&mut self.inner);
        }
    }
}

impl std::fmt::Debug for Coroutine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Coroutine")
            .field("label", self.label())
            .field("started", &self.inner.started())
            .field("finished", &self.inner.done())
            .finish()
    }
}

/// A guard that aborts the process when it is dropped. So a panic cannot unwind the frames below, which do not belong to this crate and
/// must not unwind.
struct Bomb(NonNull<Head>);

impl Drop for Bomb {
    fn drop(&mut self) {
        // SAFETY: the pointer is to the head of the stack on which this code runs, so the head
        // exists.
        let label: &FiberLabel = unsafe { &(*self.0.as_ptr()).label };
        crate::platform::say(format_args!("heist: a panic left the body of the {label}"));
        std::process::abort();
    }
}
