//! A replacement for the module `fiber` for platforms that cannot switch stacks: it has the same interface, but never
//! provides a stack.

mod label;

pub(crate) use label::FiberLabel;

/// The error of every request for a stack, because this platform has no fibers.
#[derive(Debug)]
pub(crate) struct StackError;

impl std::fmt::Display for StackError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("fibers need a Unix system on x86-64, AArch64, RISC-V or LoongArch; use async tasks here")
    }
}

impl std::error::Error for StackError {}

/// Always returns the error.
pub(crate) fn stacks(_bytes: usize) -> Result<Stacks, StackError> {
    Err(StackError)
}

/// A type without values. Types that contain `Never` have no values either. The type is private, because otherwise the compiler would warn
/// of unreachable code wherever code uses those types.
#[derive(Clone, Copy, Debug)]
enum Never {}

/// A supply of stacks. This type has no values on this platform.
#[derive(Clone, Debug)]
pub(crate) struct Stacks(Never);

impl Stacks {
    pub(crate) fn take(&self) -> Result<Stack, StackError> {
        match self.0 {}
    }
}

/// A stack. This type has no values on this platform.
#[derive(Debug)]
pub(crate) struct Stack(Never);

/// A cache of stacks. This type has no values on this platform.
#[derive(Debug)]
pub(crate) struct StackCache(Stacks);

impl StackCache {
    pub(crate) fn new(stacks: Stacks) -> Self {
        match stacks.0 {}
    }

    pub(crate) fn take(&mut self) -> Result<Stack, StackError> {
        self.0.take()
    }

    pub(crate) fn give(&mut self, stack: Stack) {
        match stack.0 {}
    }
}

/// Result of a [`Coroutine::resume`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Resumed {
    /// Never constructed, because no coroutine runs on this platform.
    #[allow(dead_code)]
    Suspended,
    Finished,
}

/// A coroutine. This type has no values on this platform.
#[derive(Debug)]
pub(crate) struct Coroutine(Never);

impl Coroutine {
    /// # Safety
    /// On this platform no code can call this function, because there are no stacks.
    pub(crate) unsafe fn new<F>(stack: Stack, _label: FiberLabel, _body: F) -> Self
    where
        F: FnOnce(&Suspender, *mut ()),
    {
        match stack.0 {}
    }

    pub(crate) fn resume(&mut self, _input: *mut ()) -> Resumed {
        match self.0 {}
    }

    pub(crate) fn into_stack(self) -> Stack {
        match self.0 {}
    }
}

/// A coroutine's means to suspend itself. This type has no values on this platform.
#[derive(Debug)]
pub(crate) struct Suspender(Never);

impl Suspender {
    /// # Safety
    /// On this platform no code can call this function, because there are no coroutines.
    pub(crate) unsafe fn suspend(&self) -> *mut () {
        match self.0 {}
    }
}

/// A signal stack for a thread; on this platform no code needs one.
#[derive(Debug)]
pub(crate) struct SignalStack;

/// Does nothing.
pub(crate) fn ensure_signal_stack() -> std::io::Result<SignalStack> {
    Ok(SignalStack)
}
