//! A body of code with a stack of its own, which can pause anywhere and continue later.

use super::label::FiberLabel;
use crate::platform::Stack;
use corosensei::stack::StackPointer;
use corosensei::{CoroutineResult, Yielder};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// Contents of the top of a stack, above the coroutine's first frame. The signal handler reads it.
#[repr(C, align(16))]
pub(super) struct Head {
    /// Whether a coroutine has the stack. False in a page that was never written.
    taken: bool,
    /// Has a value if a coroutine has the stack.
    label: ManuallyDrop<FiberLabel>,
}

impl Head {
    /// # Safety
    /// `top` is that of a mapped stack.
    unsafe fn below(top: NonNull<u8>) -> NonNull<Head> {
        // SAFETY: a stack is larger than a head.
        unsafe { top.cast::<Head>().sub(1) }
    }

    /// The label of the coroutine on the stack that begins at `top`, if there is one.
    ///
    /// # Safety
    /// The calling thread runs on that stack, and uses the label only as long as it does.
    pub(super) unsafe fn label<'a>(top: NonNull<u8>) -> Option<&'a FiberLabel> {
        // SAFETY: the stack is mapped, as the thread runs on it, and no thread writes the head
        // meanwhile.
        unsafe {
            let head = Head::below(top).as_ptr();
            (&raw const (*head).taken).read().then(|| &*(*head).label)
        }
    }
}

/// The stack in the form that the switching code requires, which asks for the base at each switch.
struct Ground {
    stack: Stack,
    head: NonNull<Head>,
}

impl Ground {
    fn new(stack: Stack) -> Self {
        // SAFETY: the stack is ours.
        let head = unsafe { Head::below(stack.top()) };
        Ground { stack, head }
    }
}

// SAFETY: the range below the head is usable down to the guard page at its low end, has at least
// 16 KiB less the head, and is this value's alone until it is dropped. The head keeps the alignment.
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

/// See the module. Dropping it returns its stack to the supply.
pub(crate) struct Coroutine {
    inner: ManuallyDrop<corosensei::Coroutine<*mut (), (), (), Ground>>,
    /// Head of the stack, which the coroutine does not show.
    head: NonNull<Head>,
}

// SAFETY: the caller of `new` promises that the body may run on any thread.
unsafe impl Send for Coroutine {}

/// The body's way to stop.
#[repr(transparent)]
pub(crate) struct Suspender(Yielder<*mut (), ()>);

/// Closures above this size are boxed: the top page is for the first frames.
const INLINE: usize = 512;

impl Coroutine {
    /// A coroutine that will run `body` on `stack` when first resumed, with the input of that.
    /// `body` must not unwind; if it does, the process aborts with a message.
    ///
    /// # Safety
    /// - The borrows of `body` live until the coroutine has finished or is dropped.
    /// - If the coroutine is resumed on another thread, no value that is live in `body` where it
    ///   suspends may depend on the thread (see the README of this folder).
    pub(crate) unsafe fn new<F>(stack: Stack, label: FiberLabel, body: F) -> Self
    where
        F: FnOnce(&Suspender, *mut ()),
    {
        if size_of::<F>() > INLINE {
            let body = Box::new(body);
            // SAFETY: as for this function.
            unsafe { Self::inline(stack, label, move |suspender, input| body(suspender, input)) }
        } else {
            // SAFETY: as for this function.
            unsafe { Self::inline(stack, label, body) }
        }
    }

    /// # Safety
    /// As for `new`.
    unsafe fn inline<F>(stack: Stack, label: FiberLabel, body: F) -> Self
    where
        F: FnOnce(&Suspender, *mut ()),
    {
        let ground = Ground::new(stack);
        let head = ground.head;
        // SAFETY: the top of a stack that is ours alone, aligned to a cache line.
        unsafe {
            head.write(Head {
                taken: true,
                label: ManuallyDrop::new(label),
            });
        }
        // SAFETY: what `body` borrows lives long enough by this function's contract, and the
        // coroutine is never forgotten while it is suspended: its drop aborts then.
        let inner = unsafe {
            corosensei::Coroutine::with_stack_unchecked(
                ground,
                move |yielder: &Yielder<*mut (), ()>, input| {
                    let bomb = Bomb(head);
                    // SAFETY: `Suspender` is a transparent wrapper.
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

    /// Runs the body until it suspends or returns. `input` is the value that [`Suspender::suspend`]
    /// returns in the body, or the body's argument the first time.
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

    /// Name and place of the fiber.
    pub(crate) fn label(&self) -> &FiberLabel {
        // SAFETY: written in `inline` and dropped in `drop`; no code writes it in between.
        unsafe { &(*self.head.as_ptr()).label }
    }
}

impl Suspender {
    /// Goes back to the resumer of this coroutine. Returns when it is resumed again, maybe on another
    /// thread, with the input of that.
    ///
    /// # Safety
    /// The caller runs on this coroutine's own stack: not on that of another coroutine which it
    /// resumed.
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
        // SAFETY: no frame is on the stack, and neither head nor coroutine is used again.
        unsafe {
            this.clear_head();
            ManuallyDrop::take(&mut this.inner).into_stack().stack
        }
    }

    /// # Safety
    /// The head is not used again.
    unsafe fn clear_head(&mut self) {
        // SAFETY: written in `inline`, and cleared once by this function's contract.
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
            // Others may refer to its frames, and wait for what it holds. There is no way on.
            crate::platform::say(format_args!(
                "heist: the {} was dropped while it waits; it can neither go on nor end",
                self.label()
            ));
            std::process::abort();
        }
        // SAFETY: no frame is on the stack. The head goes first, as dropping the coroutine gives
        // the stack away; neither is used again.
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

/// Aborts when it is dropped: the frames below are not ours to unwind.
struct Bomb(NonNull<Head>);

impl Drop for Bomb {
    fn drop(&mut self) {
        // SAFETY: the head of the stack on which this runs.
        let label: &FiberLabel = unsafe { &(*self.0.as_ptr()).label };
        crate::platform::say(format_args!("heist: a panic left the body of the {label}"));
        std::process::abort();
    }
}
