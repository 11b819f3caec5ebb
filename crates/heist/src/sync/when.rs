//! Data-driven tasks, which start when all their inputs are ready.

use super::future::Future;
use super::future::{Owned, Panic, future_of};
use super::monitor::Wait;
use crate::pool::with_current_pool;
use crate::suspend::{Delayed, Handle, still_waits};
use crate::waiting::Site;
use crate::worker::PoolInner;
use std::panic::{Location, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

mod private {
    pub trait Sealed {}
}

/// The inputs of a data-driven task: a reference to a [`Future`], a tuple of 1 to 8 such references, or a slice of futures of one
/// type.
pub trait Inputs: private::Sealed {
    /// References to the values: a tuple for a tuple of futures, a `Vec` for a slice, and a single reference for a single future.
    type Values<'v>;

    /// The waits for all inputs.
    #[doc(hidden)]
    type Waits: Waits + for<'v> Values<'v, Values = Self::Values<'v>>;

    #[doc(hidden)]
    fn waits(self, at: &'static Location<'static>) -> Self::Waits;
}

/// The waits for all inputs. Each wait is begun only once.
#[doc(hidden)]
#[allow(
    unreachable_pub,
    reason = "in a public trait, which older Rust does not see"
)]
pub trait Waits: Send + 'static {
    /// Returns the number of inputs.
    fn count(&self) -> u32;

    /// Begins each wait. Returns the number of waits that have ended immediately.
    fn begin(self: Pin<&mut Self>, context: &mut Context<'_>) -> u32;

    /// Returns the site of the first wait that has not ended.
    #[allow(
        private_interfaces,
        reason = "the trait is not to be implemented elsewhere"
    )]
    fn lacks(&self) -> Option<Site>;

    /// Runs on this thread those tasks that compute the inputs and may run in place.
    fn help(&self);
}

/// The values of the inputs.
#[doc(hidden)]
#[allow(unreachable_pub, reason = "as above")]
pub trait Values<'v> {
    type Values;

    /// Returns the values.
    ///
    /// # Errors
    /// Returns the panic of the leftmost input that has panicked.
    #[allow(
        private_interfaces,
        reason = "the trait is not to be implemented elsewhere"
    )]
    fn values(&'v self) -> Result<Self::Values, &'v Panic>;
}

/// A data-driven task as a future. The future ends at its first poll after all inputs have become ready.
struct When<W, F> {
    waits: W,
    work: Option<F>,
}

impl<W, F, R> std::future::Future for When<W, F>
where
    W: Waits + for<'v> Values<'v>,
    F: for<'v> FnOnce(<W as Values<'v>>::Values) -> R,
{
    type Output = R;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<R> {
        // SAFETY: only the waits are structurally pinned, and this function does not move them.
        let this = unsafe { self.get_unchecked_mut() };
        still_waits(|| this.waits.lacks());
        if this.waits.lacks().is_some() {
            // A getter has polled this task to compute its inputs, and some inputs are not ready yet.
            return Poll::Pending;
        }
        let Some(work) = this.work.take() else {
            unreachable!("polled again after its end");
        };
        match this.waits.values() {
            Ok(values) => Poll::Ready(work(values)),
            Err(panic) => resume_unwind(panic.again()),
        }
    }
}

impl<W, F, R> Delayed for When<W, F>
where
    W: Waits + for<'v> Values<'v>,
    F: for<'v> FnOnce(<W as Values<'v>>::Values) -> R,
{
    fn count(&self) -> u32 {
        self.waits.count()
    }

    fn begin(self: Pin<&mut Self>, context: &mut Context<'_>) -> u32 {
        // SAFETY: the waits belong to the pinned `self`, and are not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.waits) }.begin(context)
    }

    fn lacks(&self) -> Option<Site> {
        self.waits.lacks()
    }

    fn help(&self) {
        self.waits.help();
    }
}

/// Starts a *data-driven task*: a task that begins when all of `inputs` are ready. The inputs are one to eight futures, or a slice
/// of futures.
///
/// Until all inputs are ready, the task is in no queue and occupies no thread. The thread that sets the last input makes the task
/// ready. Each task is queued once, no matter how many inputs it has. The value of the task is itself a [`Future`], so data-driven
/// tasks can form a graph. If inputs have panicked, the task ends with the panic of the leftmost of these inputs.
///
/// ```
/// use heist::sync::{future, promise, spawn_when};
///
/// let (promise, six) = promise();
/// let seven = future(|| 7);
/// let product = spawn_when((&six, &seven), |(six, seven)| six * seven);
/// let text = spawn_when(&product, |product| format!("{product}"));
/// promise.set(6);
/// assert_eq!(text.get(), "42");
///
/// let squares: Vec<_> = (0..10).map(|i| future(move || i * i)).collect();
/// let sum = spawn_when(&squares[..], |squares| squares.into_iter().sum::<i32>());
/// assert_eq!(*sum.get(), 285);
/// ```
#[track_caller]
pub fn spawn_when<I, F, R>(inputs: I, work: F) -> Future<R>
where
    I: Inputs,
    F: for<'v> FnOnce(I::Values<'v>) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    let at = Location::caller();
    with_current_pool(|pool| spawn_on(pool, inputs.waits(at), work, at))
}

impl crate::Pool {
    /// Starts a data-driven task on this pool, like [`spawn_when`](crate::sync::spawn_when).
    #[track_caller]
    pub fn spawn_when<I, F, R>(&self, inputs: I, work: F) -> Future<R>
    where
        I: Inputs,
        F: for<'v> FnOnce(I::Values<'v>) -> R + Send + 'static,
        R: Send + Sync + 'static,
    {
        let at = Location::caller();
        spawn_on(self.inner(), inputs.waits(at), work, at)
    }
}

fn spawn_on<W, F, R>(
    pool: &PoolInner,
    waits: W,
    work: F,
    at: &'static Location<'static>,
) -> Future<R>
where
    W: Waits + for<'v> Values<'v>,
    F: for<'v> FnOnce(<W as Values<'v>>::Values) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    let task = When {
        waits,
        work: Some(work),
    };
    future_of(|result| {
        // SAFETY: the bounds are `'static`, so the task borrows no data that could end before it.
        unsafe { Handle::spawn_delayed(pool, task, result, at) }
    })
}

impl<T: Send + Sync + 'static> private::Sealed for &Future<T> {}

impl<T: Send + Sync + 'static> Inputs for &Future<T> {
    type Values<'v> = &'v T;
    type Waits = Single<T>;

    fn waits(self, at: &'static Location<'static>) -> Single<T> {
        Single(self.wait_owned(at))
    }
}

/// The wait for one future.
#[doc(hidden)]
#[derive(Debug)]
pub struct Single<T>(Wait<Owned<T>>);

impl<T: Send + Sync + 'static> Waits for Single<T> {
    fn count(&self) -> u32 {
        1
    }

    fn begin(self: Pin<&mut Self>, context: &mut Context<'_>) -> u32 {
        // SAFETY: the wait belongs to the pinned `self`, and is not moved.
        let wait = unsafe { self.map_unchecked_mut(|this| &mut this.0) };
        wait.poll(context).is_ready().into()
    }

    #[allow(
        private_interfaces,
        reason = "the trait is not to be implemented elsewhere"
    )]
    fn lacks(&self) -> Option<Site> {
        self.0.site()
    }

    fn help(&self) {
        if self.0.site().is_some() {
            self.0.condition().help();
        }
    }
}

impl<'v, T: 'v> Values<'v> for Single<T> {
    type Values = &'v T;

    #[allow(
        private_interfaces,
        reason = "the trait is not to be implemented elsewhere"
    )]
    fn values(&'v self) -> Result<&'v T, &'v Panic> {
        self.0.condition().outcome()
    }
}

use std::future::Future as _;

impl<T: Send + Sync + 'static> private::Sealed for &[Future<T>] {}

impl<T: Send + Sync + 'static> Inputs for &[Future<T>] {
    type Values<'v> = Vec<&'v T>;
    type Waits = Box<[Single<T>]>;

    fn waits(self, at: &'static Location<'static>) -> Self::Waits {
        let each = self.iter().map(|input| Single(input.wait_owned(at)));
        each.collect()
    }
}

impl<T: Send + Sync + 'static> Waits for Box<[Single<T>]> {
    fn count(&self) -> u32 {
        u32::try_from(self.len()).expect("heist: no task has 2^32 inputs")
    }

    fn begin(self: Pin<&mut Self>, context: &mut Context<'_>) -> u32 {
        // SAFETY: this function moves no wait, and the contents of the box stay in place until the box is dropped.
        let waits = unsafe { self.get_unchecked_mut() };
        let begun = waits.iter_mut().map(|wait| {
            // SAFETY: the wait belongs to the pinned box, whose contents do not move.
            unsafe { Pin::new_unchecked(wait) }.begin(context)
        });
        begun.sum()
    }

    #[allow(
        private_interfaces,
        reason = "the trait is not to be implemented elsewhere"
    )]
    fn lacks(&self) -> Option<Site> {
        self.iter().find_map(Single::lacks)
    }

    fn help(&self) {
        self.iter().for_each(Single::help);
    }
}

impl<'v, T: 'v> Values<'v> for Box<[Single<T>]> {
    type Values = Vec<&'v T>;

    #[allow(
        private_interfaces,
        reason = "the trait is not to be implemented elsewhere"
    )]
    fn values(&'v self) -> Result<Vec<&'v T>, &'v Panic> {
        self.iter().map(|wait| wait.values()).collect()
    }
}

macro_rules! inputs {
    ($count:literal: $($type:ident $place:tt),+) => {
        impl<$($type: Send + Sync + 'static),+> private::Sealed for ($(&Future<$type>,)+) {}

        impl<$($type: Send + Sync + 'static),+> Inputs for ($(&Future<$type>,)+) {
            type Values<'v> = ($(&'v $type,)+);
            type Waits = ($(Single<$type>,)+);

            fn waits(self, at: &'static Location<'static>) -> Self::Waits {
                ($(Single(self.$place.wait_owned(at)),)+)
            }
        }

        impl<$($type: Send + Sync + 'static),+> Waits for ($(Single<$type>,)+) {
            fn count(&self) -> u32 {
                $count
            }

            fn begin(self: Pin<&mut Self>, context: &mut Context<'_>) -> u32 {
                // SAFETY: this function moves no field.
                let this = unsafe { self.get_unchecked_mut() };
                let mut there = 0;
                $(
                    // SAFETY: each wait belongs to the pinned `self`, and is not moved.
                    there += unsafe { Pin::new_unchecked(&mut this.$place) }.begin(context);
                )+
                there
            }

            #[allow(private_interfaces, reason = "the trait is not to be implemented elsewhere")]
            fn lacks(&self) -> Option<Site> {
                None $(.or_else(|| self.$place.lacks()))+
            }

            fn help(&self) {
                $(self.$place.help();)+
            }
        }

        impl<'v, $($type: 'v),+> Values<'v> for ($(Single<$type>,)+) {
            type Values = ($(&'v $type,)+);

            #[allow(private_interfaces, reason = "the trait is not to be implemented elsewhere")]
            fn values(&'v self) -> Result<Self::Values, &'v Panic> {
                Ok(($(self.$place.values()?,)+))
            }
        }
    };
}

inputs!(1: A 0);
inputs!(2: A 0, B 1);
inputs!(3: A 0, B 1, C 2);
inputs!(4: A 0, B 1, C 2, D 3);
inputs!(5: A 0, B 1, C 2, D 3, E 4);
inputs!(6: A 0, B 1, C 2, D 3, E 4, F 5);
inputs!(7: A 0, B 1, C 2, D 3, E 4, F 5, G 6);
inputs!(8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
