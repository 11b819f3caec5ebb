//! Fork-join contexts. To fork, a kernel calls a method of its context.

#[cfg(all(feature = "study", not(test)))]
use heist::policy::ForkPath;
#[cfg(all(feature = "study", not(test)))]
use std::marker::PhantomData;
use std::panic::Location;

/// A fork-join context. Kernels pass their context by value, so a context of size zero costs nothing.
///
/// Each branch gets a context as its argument, and captures no context. So a contender may pass each branch a different context, as Chili
/// does.
pub trait Ctx: Copy {
    /// Runs `a` and `b`, possibly at the same time. If the run is recorded, the recording contains the source location of the call of
    /// `join`.
    #[track_caller]
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send;

    /// Returns a context whose forks a recording attributes to `place`. Helper functions use this method. Otherwise a recording would name
    /// the helper function instead of its caller.
    #[inline(always)]
    #[must_use]
    fn on_behalf_of(self, _place: &'static Location<'static>) -> Self {
        self
    }

    /// Returns a context whose forks a recording attributes to the source location of the call of `join`.
    #[inline(always)]
    #[must_use]
    fn on_its_own(self) -> Self {
        self
    }
}

/// A context that also has the iterative form of fork and join.
pub trait Finish: Ctx {
    /// Runs `finish { for i in 1..tasks { async task(i) } task(0) }`.
    #[track_caller]
    fn finish<F>(self, tasks: usize, task: &F)
    where
        F: Fn(usize) + Sync;
}

/// The serial elision.
#[derive(Clone, Copy, Debug)]
pub struct Serial;

impl Ctx for Serial {
    #[inline(always)]
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let ra = a(self);
        (ra, b(self))
    }
}

impl Finish for Serial {
    #[inline(always)]
    fn finish<F>(self, tasks: usize, task: &F)
    where
        F: Fn(usize) + Sync,
    {
        for i in 1..tasks {
            task(i);
        }
        task(0);
    }
}

/// A context with Heist's [`heist::join`], for use inside of one of Heist's pools.
#[derive(Clone, Copy, Debug)]
pub struct Heist;

impl Ctx for Heist {
    #[inline(always)]
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        heist::join(|| a(Heist), || b(Heist))
    }
}

impl Finish for Heist {
    #[inline(always)]
    fn finish<F>(self, tasks: usize, task: &F)
    where
        F: Fn(usize) + Sync,
    {
        heist::finish(|scope| {
            for i in 1..tasks {
                scope.spawn(move |_| task(i));
            }
            task(0);
        });
    }
}

#[cfg(all(feature = "study", not(test)))]
/// A context with Heist's joins on the fork path `P`, for use inside of a pool with the path's protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct By<P>(PhantomData<P>);

#[cfg(all(feature = "study", not(test)))]
impl<P> By<P> {
    /// Makes the context.
    pub(crate) fn new() -> Self {
        By(PhantomData)
    }
}

#[cfg(all(feature = "study", not(test)))]
impl<P: ForkPath + Copy> Ctx for By<P> {
    #[inline(always)]
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        P::join(|| a(By::new()), || b(By::new()))
    }
}

/// A context with Heist's scopes under a policy, for use inside of one of Heist's pools. The pool must have fibers if the policy
/// needs them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeistPolicy(pub(crate) heist::policy::SpawnPolicy);

impl Ctx for HeistPolicy {
    #[inline(always)]
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        heist::join(|| a(self), || b(self))
    }
}

impl Finish for HeistPolicy {
    #[inline(always)]
    fn finish<F>(self, tasks: usize, task: &F)
    where
        F: Fn(usize) + Sync,
    {
        heist::finish_with(self.0, |scope| {
            for i in 1..tasks {
                scope.spawn(move |_| task(i));
            }
            task(0);
        });
    }
}

/// A context that starts a system thread for each task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads;

impl Ctx for Threads {
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        std::thread::scope(|scope| {
            let b = scope.spawn(|| b(self));
            let ra = a(self);
            (
                ra,
                b.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        })
    }
}

impl Finish for Threads {
    fn finish<F>(self, tasks: usize, task: &F)
    where
        F: Fn(usize) + Sync,
    {
        std::thread::scope(|scope| {
            for i in 1..tasks {
                scope.spawn(move || task(i));
            }
            task(0);
        });
    }
}

/// A context with Heist's [`heist::join_hint`], for use inside of one of Heist's pools.
#[derive(Clone, Copy, Debug)]
pub struct HeistHint;

impl Ctx for HeistHint {
    #[inline(always)]
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        heist::join_hint(|| a(HeistHint), || b(HeistHint))
    }
}

/// A range of indices and the closures for them. Branches borrow this struct, so branches are small. If branches captured the fields
/// separately, each fork would copy all of the fields several times.
struct Part<'a, F, M> {
    start: usize,
    middle: usize,
    end: usize,
    leaf: &'a F,
    merge: &'a M,
}

/// Runs `leaf` once for each index of `range`, as a binary tree of forks with one index in each leaf.
#[inline]
#[track_caller]
pub(crate) fn each<C, F>(ctx: C, range: std::ops::Range<usize>, leaf: &F)
where
    C: Ctx,
    F: Fn(C, usize) + Sync,
{
    if !range.is_empty() {
        fold(ctx, range, leaf, &|(), ()| ());
    }
}

/// Merges the results of `leaf` for all indices of a range, as a binary tree of forks. The range must not be empty.
#[inline]
#[track_caller]
pub(crate) fn fold<C, R, F, M>(ctx: C, range: std::ops::Range<usize>, leaf: &F, merge: &M) -> R
where
    C: Ctx,
    R: Send,
    F: Fn(C, usize) -> R + Sync,
    M: Fn(R, R) -> R + Sync,
{
    fold_part(ctx.on_behalf_of(Location::caller()), range, leaf, merge)
}

#[inline]
fn fold_part<C, R, F, M>(ctx: C, range: std::ops::Range<usize>, leaf: &F, merge: &M) -> R
where
    C: Ctx,
    R: Send,
    F: Fn(C, usize) -> R + Sync,
    M: Fn(R, R) -> R + Sync,
{
    if range.len() == 1 {
        return leaf(ctx.on_its_own(), range.start);
    }
    let part = &Part {
        start: range.start,
        middle: range.start + range.len() / 2,
        end: range.end,
        leaf,
        merge,
    };
    let (a, b) = ctx.join(
        |c| fold_part(c, part.start..part.middle, part.leaf, part.merge),
        |c| fold_part(c, part.middle..part.end, part.leaf, part.merge),
    );
    merge(a, b)
}
