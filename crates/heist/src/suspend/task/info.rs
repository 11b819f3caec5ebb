//! The report of a suspended task.

use super::{Core, Delayed, Nature, Scoped, Task, context_of, free};
use crate::fiber::FiberLabel;
use crate::waiting::Reason;
use std::panic::Location;
use std::sync::Arc;

/// A kind of suspending task.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TaskKind {
    Async,
    DataDriven,
    Fiber,
}

/// The description of a suspended task in reports.
#[derive(Debug)]
pub(crate) struct TaskInfo {
    pub(crate) kind: TaskKind,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) spawned: &'static Location<'static>,
    pub(crate) reason: Reason,
}

/// A description of tasks that are futures of type `F`.
pub(super) trait Describe<F> {
    const KIND: TaskKind;
    /// The function that runs the tasks that delay the future; `None` if the future is not delayed.
    const HELP: Option<fn(&F)> = None;

    /// Returns the future's name, and the reason of its wait.
    fn look(_: &F, last: Reason) -> (Option<Arc<str>>, Reason) {
        (None, last)
    }
}

pub(super) struct OfAsync;

impl<F> Describe<F> for OfAsync {
    const KIND: TaskKind = TaskKind::Async;
}

pub(super) struct OfDelayed;

impl<F: Delayed> Describe<F> for OfDelayed {
    const KIND: TaskKind = TaskKind::DataDriven;
    const HELP: Option<fn(&F)> = Some(F::help);

    fn look(future: &F, _: Reason) -> (Option<Arc<str>>, Reason) {
        (None, future.lacks().into())
    }
}

pub(super) struct OfFiber;

impl<F: Labelled> Describe<F> for OfFiber {
    const KIND: TaskKind = TaskKind::Fiber;

    fn look(future: &F, last: Reason) -> (Option<Arc<str>>, Reason) {
        (future.label().name.clone(), last)
    }
}

/// A fiber, which has a label.
pub(crate) trait Labelled {
    fn label(&self) -> &FiberLabel;
}

/// # Safety
/// `core` must begin a `Task<F, D>` that is suspended, and no thread may wake it during the call.
unsafe fn info<F, D, P: Describe<F>>(core: *const Core) -> TaskInfo {
    // SAFETY: by contract; the future exists, because the task is not done.
    let (core, future) = unsafe { (&*core, &*(*core.cast::<Task<F, D>>()).future.get()) };
    let (name, reason) = P::look(future, core.waits.get());
    TaskInfo {
        kind: P::KIND,
        name,
        spawned: core.origin,
        reason,
    }
}

/// # Safety
/// `core` must begin a `Task<F, D>` that the caller owns, and that has not ended.
unsafe fn help<F, D, P: Describe<F>>(core: *const Core) {
    // SAFETY: the caller owns the task by contract, so no other thread accesses the future during
    // the call, and the future exists because the task has not ended.
    let future: &F = unsafe { &*(*core.cast::<Task<F, D>>()).future.get() };
    if let Some(help) = P::HELP {
        help(future);
    }
}

/// The [`Nature`] of tasks with these types, as a constant.
pub(super) struct NatureOf<F, D, P>(std::marker::PhantomData<(F, D, P)>);

impl<F, D: Scoped, P: Describe<F>> NatureOf<F, D, P> {
    pub(super) const VALUE: &'static Nature = &Nature {
        free: free::<F, D>,
        info: info::<F, D, P>,
        context: context_of::<D>,
        // A waiting fiber may not be dropped, because its stack can only be unwound from within.
        fiber: matches!(P::KIND, TaskKind::Fiber),
        help: match P::HELP {
            Some(_) => Some(help::<F, D, P>),
            None => None,
        },
    };
}
