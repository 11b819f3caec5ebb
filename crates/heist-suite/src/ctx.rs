//! Fork-join contexts: what a kernel forks with.

/// A fork-join context, passed down by value: a zero-sized one costs nothing.
///
/// The context is handed to each branch anew and never captured, so a contender may give each branch
/// another one (Chili does).
pub trait Ctx: Copy {
    /// Runs `a` and `b`, perhaps at the same time.
    fn join<A, B, RA, RB>(self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send;
}

/// A context with the iterative form of fork and join as well.
pub trait Finish: Ctx {
    /// `finish { for i in 1..tasks { async task(i) } task(0) }`.
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

/// Heist's [`heist::join`]; to be used inside one of its pools.
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

/// Heist's [`heist::join_hint`]; to be used inside one of its pools.
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

/// Runs `leaf` once for each index of `range`, as a binary tree of forks with one index a leaf.
#[inline]
pub(crate) fn each<C, F>(ctx: C, range: std::ops::Range<usize>, leaf: &F)
where
    C: Ctx,
    F: Fn(C, usize) + Sync,
{
    match range.len() {
        0 => {}
        1 => leaf(ctx, range.start),
        len => {
            let middle = range.start + len / 2;
            ctx.join(
                |c| each(c, range.start..middle, leaf),
                |c| each(c, middle..range.end, leaf),
            );
        }
    }
}

/// Folds `leaf` of every index of a range, which is not empty, as a binary tree of forks.
#[inline]
pub(crate) fn fold<C, R, F, M>(ctx: C, range: std::ops::Range<usize>, leaf: &F, merge: &M) -> R
where
    C: Ctx,
    R: Send,
    F: Fn(C, usize) -> R + Sync,
    M: Fn(R, R) -> R + Sync,
{
    if range.len() == 1 {
        return leaf(ctx, range.start);
    }
    let middle = range.start + range.len() / 2;
    let (a, b) = ctx.join(
        |c| fold(c, range.start..middle, leaf, merge),
        |c| fold(c, middle..range.end, leaf, merge),
    );
    merge(a, b)
}
