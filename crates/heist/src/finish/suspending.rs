//! Tasks of a scope that can be suspended.

use super::Finish;
use super::label::Label;
use super::scope::Scope;
use crate::fiber::FiberLabel;
use crate::suspend::{Fiber, Handle, Receiver, Scoped};
use crate::task::Payload;
use crate::worker::{Context, local};
use std::future::Future;
use std::panic::Location;

/// The receiver of a task's result, which reports the task's end to its scope.
struct End {
    scope: *const Scope,
    /// The label of the task's panic, by which the scope finds the leftmost of several panics.
    label: Label,
}

// SAFETY: any worker may report to the scope, which lives until the report.
unsafe impl Send for End {}
// SAFETY: any worker may report to the scope, which lives until the report.
unsafe impl Sync for End {}

impl Receiver<()> for End {
    fn receive(&self, result: Result<(), Payload>) {
        // SAFETY: the scope waits for this task, which is counted out below.
        let scope = unsafe { &*self.scope };
        if let Err(payload) = result {
            scope.keep_panic(self.label, payload);
        }
        let local = local();
        let Some(worker) = local.worker() else {
            unreachable!("tasks end on workers");
        };
        let (other, _) = worker.finished.get();
        if !std::ptr::eq(other, self.scope.cast()) {
            worker.flush();
        }
        scope.count_done(local, worker);
    }
}

impl Scoped for End {
    fn context(&self) -> Context {
        // SAFETY: this function is called before the task has ended, and the scope waits for the task.
        Context::scope(unsafe { &*self.scope })
    }
}

impl<'scope> Finish<'scope> {
    /// Spawns an async task; the scope does not end before the task. The task may borrow everything that outlives the
    /// scope.
    ///
    /// ```
    /// use heist::sync::channel;
    ///
    /// let words = ["to", "steal", "or", "not"];
    /// let longest = std::sync::Mutex::new("");
    /// heist::finish(|f| {
    ///     let (sender, receiver) = channel(1);
    ///     f.spawn_async(async move {
    ///         for word in words {
    ///             sender.send_async(word).await.unwrap();
    ///         }
    ///     });
    ///     f.spawn_async(async {
    ///         let receiver = receiver;
    ///         while let Ok(word) = receiver.recv_async().await {
    ///             let mut longest = longest.lock().unwrap();
    ///             if word.len() > longest.len() {
    ///                 *longest = word;
    ///             }
    ///         }
    ///     });
    /// });
    /// assert_eq!(longest.into_inner().unwrap(), "steal");
    /// ```
    #[track_caller]
    pub fn spawn_async<F>(&self, task: F)
    where
        F: Future<Output = ()> + Send + 'scope,
    {
        let (scope, spawned) = (self.scope(), Location::caller());
        // SAFETY: the scope does not end before the task has, and everything that the task may borrow outlives the scope.
        drop(unsafe { Handle::spawn(scope.pool(), task, self.count_in(), spawned) });
    }

    /// Spawns a [fiber](crate::spawn_fiber); the scope does not end before the fiber.
    ///
    /// # Panics
    /// Panics on a pool without fibers.
    #[track_caller]
    pub fn spawn_fiber<F>(&self, work: F)
    where
        F: FnOnce() + Send + 'scope,
    {
        let label = FiberLabel::here(None);
        self.scope().pool().assert_has_fibers(&label);
        let fiber = Fiber::new(label, work);
        // SAFETY: the scope does not end before the fiber has, and everything that the fiber may borrow outlives the scope.
        drop(unsafe { Handle::spawn_fiber(self.scope().pool(), fiber, self.count_in()) });
    }

    /// Counts in a task, and returns the value that reports the task's end.
    fn count_in(&self) -> End {
        let scope = self.scope();
        scope.count_in();
        End {
            scope,
            label: self.next_place().end(),
        }
    }
}
