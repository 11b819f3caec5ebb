//! Results of functions that may end an operation early.

use std::ops::ControlFlow;

/// The result of a function that may fail: a [`Result`], an [`Option`] or a [`ControlFlow`].
///
/// This trait is sealed.
pub trait Outcome: Send + sealed::Sealed {
    /// The value with which the operation continues: the content of `Ok`, `Some` or `Continue`.
    type Value: Send;
    /// The value that ends the operation: the error of a `Result`, `()` for the `None` of an `Option`, the content of `Break`.
    type Failure: Send;

    #[doc(hidden)]
    fn of(value: Self::Value) -> Self;

    #[doc(hidden)]
    fn failed(failure: Self::Failure) -> Self;

    #[doc(hidden)]
    fn is_failure(&self) -> bool;

    #[doc(hidden)]
    fn branch(self) -> ControlFlow<Self::Failure, Self::Value>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! outcome {
    ([$($generics:ident),*] $outcome:ty, $failure:ty, $good:ident($value:ident), $bad:pat => $why:expr, $is_bad:ident, |$failed:pat_param| $fail:expr) => {
        impl<$($generics: Send),*> sealed::Sealed for $outcome {}

        impl<$($generics: Send),*> Outcome for $outcome {
            type Value = T;
            type Failure = $failure;

            #[inline]
            fn of(value: T) -> Self {
                $good(value)
            }

            #[inline]
            fn failed($failed: $failure) -> Self {
                $fail
            }

            #[inline]
            fn is_failure(&self) -> bool {
                self.$is_bad()
            }

            #[inline]
            fn branch(self) -> ControlFlow<$failure, T> {
                match self {
                    $good($value) => ControlFlow::Continue($value),
                    $bad => ControlFlow::Break($why),
                }
            }
        }
    };
}
use ControlFlow::{Break, Continue};
outcome!([T] Option<T>, (), Some(value), None => (), is_none, |()| None);
outcome!([T, E] Result<T, E>, E, Ok(value), Err(error) => error, is_err, |error| Err(error));
outcome!([T, B] ControlFlow<B, T>, B, Continue(value), Break(why) => why, is_break, |why| Break(why));
