//! Runs each task of the graph as a Heist task, with a future on which the task's successors wait.
//!
//! Tasks begin in the order of their numbers, so most inputs of a task are ready, or being computed, when the task begins. Data-driven
//! tasks (`heist::sync::spawn_when`) would work in any order. But a data-driven task registers with every input. A registration costs more
//! than a check whether the input is ready.

use std::sync::{Arc, OnceLock};

use heist::Pool;
use heist::sync::{Future, Promise, promise};

use super::super::pools::{Form, Pools};
use super::Dag;

pub(super) fn run<D: Dag>(form: Form, pools: &Pools, dag: &Arc<D>) -> Result<(), String> {
    let pool = pools.heist(form)?;
    match form {
        Form::Async => suspending(pool, dag, |tasks, task| {
            heist::spawn_async(async move { tasks.run_async(task).await })
        }),
        Form::Fiber => suspending(pool, dag, |tasks, task| {
            heist::spawn_fiber(move || tasks.run(task))
        }),
        Form::Blocking => blocking(pool, &**dag),
    }
    Ok(())
}

/// Runs tasks that are suspended while they wait for an input.
fn suspending<D: Dag>(
    pool: &Pool,
    dag: &Arc<D>,
    spawn: impl Fn(Arc<Tasks<D>>, usize) -> Future<()> + Sync,
) {
    let tasks = Arc::new(Tasks {
        dag: Arc::clone(dag),
        ends: (0..dag.tasks()).map(|_| OnceLock::new()).collect(),
    });
    // Spawn the tasks in a scope, although they do not belong to the scope. Outside of a scope, a worker first runs the newest task that it
    // has spawned.
    pool.finish(|_| {
        for task in 0..dag.tasks() {
            tasks.ends[task].get_or_init(|| spawn(Arc::clone(&tasks), task));
        }
    });
    // Begin with the last task: when it has ended, most of the other tasks have ended, so this thread rarely waits again.
    for task in (0..dag.tasks()).rev() {
        tasks.end(task).get();
    }
}

/// Tasks, each with its future after it has been spawned.
struct Tasks<D> {
    dag: Arc<D>,
    ends: Vec<OnceLock<Future<()>>>,
}

impl<D: Dag> Tasks<D> {
    fn end(&self, task: usize) -> &Future<()> {
        self.ends[task].get().expect("spawned in order")
    }

    async fn run_async(&self, task: usize) {
        for input in self.dag.inputs(task) {
            self.end(input).await;
        }
        self.dag.run(task);
    }

    fn run(&self, task: usize) {
        for input in self.dag.inputs(task) {
            self.end(input).get();
        }
        run_one(&*self.dag, task);
    }
}

/// Runs a task. This function is not inlined into a fiber, because a task may use thread-local state.
#[inline(never)]
fn run_one(dag: &impl Dag, task: usize) {
    dag.run(task);
}

/// Runs tasks that hold a thread while they wait for an input.
///
/// Tasks must begin in the order of their numbers. If the newest task began first, nearly every task would wait for tasks that have not
/// begun, and would hold a thread. If tasks begin in the order of their numbers, the oldest waiting task waits for a running task. So at
/// least one task always runs.
fn blocking(pool: &Pool, dag: &impl Dag) {
    let (promises, ends): (Vec<Promise<()>>, Vec<Future<()>>) =
        (0..dag.tasks()).map(|_| promise()).unzip();
    let ends = &ends[..];
    pool.finish_fifo(|scope| {
        for (task, promise) in promises.into_iter().enumerate() {
            scope.spawn(move |_| {
                for input in dag.inputs(task) {
                    ends[input].get();
                }
                dag.run(task);
                promise.set(());
            });
        }
    });
}
