//! Forks of boxes, for the unit tests of this crate.
//!
//! They run some thousand operations under three policies each. With closures in boxes all of these share one copy of
//! [`join`](crate::join), which took most of the time to compile them. Each closure and each result is dropped by that `join`, as
//! without boxes.

/// A result in a box, of a type that only its two functions know.
pub(super) trait Hidden: Send {}

impl<R: Send> Hidden for R {}

/// A closure in a box, with a result in a box.
pub(super) type Boxed<'a> = Box<dyn FnOnce() -> Box<dyn Hidden + 'a> + Send + 'a>;

/// Puts a closure into a box.
pub(super) fn hide<'a, R: Send + 'a>(closure: impl FnOnce() -> R + Send + 'a) -> Boxed<'a> {
    Box::new(|| Box::new(closure()))
}

/// Takes a result out of its box.
///
/// # Safety
///
/// The closure that has returned it was hidden as one that returns `R`.
pub(super) unsafe fn show<R>(result: Box<dyn Hidden + '_>) -> R {
    let result = Box::into_raw(result).cast::<R>();
    // SAFETY: `hide` has made this box of an `R`, as the caller promises.
    *unsafe { Box::from_raw(result) }
}

/// [`join`](crate::join), of boxes.
pub(super) fn join<'a, RA, RB>(
    left: impl FnOnce() -> RA + Send + 'a,
    right: impl FnOnce() -> RB + Send + 'a,
) -> (RA, RB)
where
    RA: Send + 'a,
    RB: Send + 'a,
{
    let (left, right) = crate::join(hide(left), hide(right));
    // SAFETY: the left closure returns `RA`, the right one `RB`, and `join` returns their results in this order.
    unsafe { (show(left), show(right)) }
}
