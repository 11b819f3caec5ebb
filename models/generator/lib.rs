//! Replaces the crate `generator`, on which loom depends.
//!
//! In each execution of a model, loom makes a generator for each thread. The published crate maps a new stack for each
//! generator, and ends the generator by a panic that it catches. Mapping the stack and catching the panic together take more than half of
//! the time of a model. This crate reuses stacks, and its generators end by a return. This crate has only the functions that loom 0.7
//! calls, for generators that yield `()`.
//!
//! A generator that is dropped before its end leaks the values on its stack. Loom drops a generator early only when a model has
//! failed.

mod stack;

use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::thread;

use corosensei::{Coroutine, CoroutineResult, Yielder};

use stack::Mapped;

/// The value that [`yield_`] returns, of any type.
type Parameter = Option<Box<dyn Any>>;

/// A coroutine: the function together with its stack. A panic becomes a value, because it must not unwind through the switch of stacks.
type Body = Coroutine<Parameter, (), thread::Result<()>, Mapped>;

thread_local! {
    /// The yielder of the generator that runs on this thread, or null if no generator runs.
    static CURRENT: Cell<*const Yielder<Parameter, ()>> = const { Cell::new(ptr::null()) };
}

/// A function that runs on a stack of its own, and stops at each yield.
pub struct Generator<'a, A, T> {
    /// `None` after the function has ended.
    body: Option<ManuallyDrop<Body>>,
    parameter: Option<A>,
    types: PhantomData<(&'a (), T)>,
}

/// Makes generators that take parameters of type `A`.
pub struct Gn<A>(PhantomData<A>);

impl<A: Any> Gn<A> {
    /// Returns a generator that runs `function`. The function does not start before the first [`Generator::resume`].
    #[allow(clippy::new_ret_no_self)]
    pub fn new<F: FnOnce() + 'static>(function: F) -> Generator<'static, A, ()> {
        Self::new_opt(0, function)
    }

    /// Like [`new`](Self::new), but with a stack of at least `words` words.
    pub fn new_opt<F: FnOnce() + 'static>(words: usize, function: F) -> Generator<'static, A, ()> {
        let body = Coroutine::with_stack(Mapped::of_words(words), |yielder, _| {
            CURRENT.set(yielder);
            catch_unwind(AssertUnwindSafe(function))
        });
        Generator {
            body: Some(ManuallyDrop::new(body)),
            parameter: None,
            types: PhantomData,
        }
    }
}

impl<A: Any> Generator<'_, A, ()> {
    /// Runs the function up to its next yield or its end. Returns `Some(())` at a yield, and `None` at the end. If the function
    /// panics, this call panics.
    pub fn resume(&mut self) -> Option<()> {
        let body = self.body.as_mut()?;
        let parameter = self
            .parameter
            .take()
            .map(|parameter| Box::new(parameter) as Box<dyn Any>);
        let outer = CURRENT.get();
        let result = body.resume(parameter);
        CURRENT.set(outer);
        match result {
            CoroutineResult::Yield(()) => Some(()),
            CoroutineResult::Return(end) => {
                let body = self.body.take().map(ManuallyDrop::into_inner);
                body.expect("it was there before")
                    .into_stack()
                    .serve_again();
                end.unwrap_or_else(|panic| resume_unwind(panic));
                None
            }
        }
    }

    /// Sets the value that the next [`yield_`] returns.
    pub fn set_para(&mut self, parameter: A) {
        self.parameter = Some(parameter);
    }

    /// Returns true if the function has returned or panicked.
    pub fn is_done(&self) -> bool {
        self.body.is_none()
    }
}

/// Suspends the running generator. After the next resume, returns the parameter that [`Generator::set_para`] set in the meantime,
/// if any.
pub fn yield_<A: Any>(_: ()) -> Option<A> {
    suspend().map(|parameter| {
        *parameter
            .downcast()
            .expect("the generator has parameters of this type")
    })
}

/// Suspends the running generator.
pub fn yield_with(_: ()) {
    suspend();
}

fn suspend() -> Parameter {
    let current = CURRENT.get();
    // SAFETY: `current` is not null only on the stack of a generator: from the generator's start (`new_opt`), or from the end of a
    // suspension (below), to the next suspension. Then it points to the yielder of that generator. The yielder lives at the bottom of this
    // stack until the generator's function has ended.
    let yielder = unsafe { current.as_ref() }.expect("only a generator yields");
    let parameter = yielder.suspend(());
    CURRENT.set(current);
    parameter
}

/// Ends the running generator by a return from its function.
#[macro_export]
macro_rules! done {
    () => {
        return
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn stops_at_each_yield_and_ends() {
        let seen = Rc::new(Cell::new(0));
        let mut generator = Gn::<i32>::new({
            let seen = Rc::clone(&seen);
            move || {
                while let Some(number) = yield_::<i32>(()) {
                    seen.set(number);
                    yield_with(());
                }
                done!();
            }
        });
        assert_eq!(generator.resume(), Some(()));
        for number in 1..4 {
            generator.set_para(number);
            assert_eq!(generator.resume(), Some(()));
            assert_eq!(seen.get(), number);
            assert_eq!(generator.resume(), Some(()));
            assert!(!generator.is_done());
        }
        assert_eq!(generator.resume(), None);
        assert!(generator.is_done());
        assert_eq!(Rc::strong_count(&seen), 1);
    }

    #[test]
    fn generators_stop_inside_of_each_other() {
        let mut outer = Gn::<()>::new(|| {
            let mut inner = Gn::<()>::new(|| yield_with(()));
            assert_eq!(inner.resume(), Some(()));
            yield_with(());
            assert_eq!(inner.resume(), None);
        });
        assert_eq!(outer.resume(), Some(()));
        assert_eq!(outer.resume(), None);
    }

    #[test]
    fn panics_come_out_where_it_was_resumed() {
        let mut generator = Gn::<()>::new(|| {
            yield_with(());
            panic!("planted");
        });
        generator.resume();
        let panic = catch_unwind(AssertUnwindSafe(|| generator.resume())).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"planted"));
        assert!(generator.is_done());
    }

    #[test]
    fn a_stack_serves_again() {
        let place = || {
            let place = Rc::new(Cell::new(0));
            let mut generator = Gn::<()>::new({
                let place = Rc::clone(&place);
                move || place.set(ptr::from_ref(&0u8.to_string()).addr())
            });
            generator.resume();
            place.get()
        };
        assert_eq!(place(), place());
    }
}
