//! The rivals' contexts.

use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::ctx::{Ctx, Finish, each};
use crate::runner::{FinishKernel, Kernel};

/// A context with rayon's `join` and `scope`, for use inside of one of rayon's pools.
#[derive(Clone, Copy, Debug)]
pub struct Rayon;

impl Ctx for Rayon {
    #[inline(always)]
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        rayon::join(|| a(Rayon), || b(Rayon))
    }
}

impl Finish for Rayon {
    #[inline(always)]
    fn finish<F>(self, tasks: usize, task: &F)
    where
        F: Fn(usize) + Sync,
    {
        rayon::scope(|scope| {
            for i in 1..tasks {
                scope.spawn(move |_| task(i));
            }
            task(0);
        });
    }
}

/// A context with chili's `Scope::join` and chili's default setting: chili checks for a heartbeat at every 64th fork, and at each
/// fork while the queue is short.
///
/// Chili's `join` runs its second closure first, and leaves its first closure to thieves. So this context swaps the branches, and all
/// contenders process the data in the order of the serial program.
///
/// Chili passes a scope by `&mut`. A context is `Copy`, so it holds a raw pointer to the scope instead of a reference. The lifetime `'s`
/// belongs to one call of [`Chili::enter`], so the context cannot outlive that call.
#[derive(Clone, Copy, Debug)]
pub struct Chili<'s> {
    scope: NonNull<chili::Scope<'s>>,
    /// Makes `'s` invariant. Each call of `enter` has its own lifetime, so the compiler rejects a context from another call.
    brand: PhantomData<fn(&'s ()) -> &'s ()>,
}

impl Chili<'_> {
    /// Runs the kernel with a context made of `scope`.
    pub fn enter<K: Kernel>(scope: &mut chili::Scope<'_>, kernel: K) -> K::Out {
        kernel.call(Chili {
            scope: NonNull::from(scope).cast(),
            brand: PhantomData,
        })
    }

    /// Runs a kernel that needs [`Finish`], with a context made of `scope`.
    pub(crate) fn enter_finish<K: FinishKernel>(scope: &mut chili::Scope<'_>, kernel: K) {
        kernel.call(Chili {
            scope: NonNull::from(scope).cast(),
            brand: PhantomData,
        });
    }
}

impl<'s> Ctx for Chili<'s> {
    #[inline(always)]
    fn join<A, B, RA, RB>(mut self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let below = |scope: &mut chili::Scope<'_>| Chili {
            scope: NonNull::from(scope).cast(),
            brand: PhantomData,
        };
        // SAFETY: the pointer comes from a `&mut Scope` whose borrow outlives this call: either the borrow of `enter`, which lasts until
        // the kernel returns, or the borrow that chili passed to the branch that runs now. A context cannot leave its branch: it is not
        // `Send`, so no branch captures or returns a context, and in code generic over `Ctx` it is not `'static`, so no thread-local value
        // keeps it. So only one thread uses the pointer, and only during that borrow. No other reference to the scope is in use during this
        // call: contexts contain only pointers, and the reference made in this function lives until `join` returns. At that time the
        // contexts derived from this reference no longer exist. The scope's lifetime parameter, which the cast changed, bounds only borrows
        // that are longer than this call.
        let scope = unsafe { self.scope.as_mut() };
        let (rb, ra) = scope.join(|s| b(below(s)), |s| a(below(s)));
        (ra, rb)
    }
}

impl Finish for Chili<'_> {
    /// Runs the tasks as a binary tree of joins, because chili has no scope that spawns tasks.
    #[inline(always)]
    fn finish<F>(self, tasks: usize, task: &F)
    where
        F: Fn(usize) + Sync,
    {
        each(self, 0..tasks, &|_, i| task(i));
    }
}
