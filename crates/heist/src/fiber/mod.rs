//! Bodies of code with stacks of their own (see this folder's `README.md`). This module does not use the
//! scheduler.

mod coroutine;
mod label;
#[cfg(test)]
mod measures;
mod overflow;
mod signal_stack;
#[cfg(test)]
mod tests;

pub(crate) use crate::platform::{Stack, StackCache, StackError, Stacks};
pub(crate) use coroutine::{Coroutine, Resumed, Suspender};
pub(crate) use label::FiberLabel;
pub(crate) use signal_stack::ensure_signal_stack;

/// Returns a supply of stacks of at least `bytes` bytes for coroutines, and installs the handler
/// that reports their overflows.
///
/// # Errors
/// Returns an error if the size is larger than the maximum, or the platform has no coroutines.
pub(crate) fn stacks(bytes: usize) -> Result<Stacks, StackError> {
    overflow::report_overflows();
    Stacks::new(bytes)
}
