//! Runs each task of the graph as a Tokio task.

use std::panic::resume_unwind;
use std::sync::Arc;

use tokio::sync::SetOnce;
use tokio::task::JoinHandle;

use super::super::pools::Pools;
use super::Dag;

/// The outcome of each task. An outcome is empty until the task ends; then it is true if the task returned, and false if the task panicked.
type Outcomes = Arc<[SetOnce<bool>]>;

pub(super) fn run<D: Dag>(pools: &Pools, dag: &Arc<D>) {
    let dag = Arc::clone(dag);
    pools.on_tokio(async move {
        let outcomes: Outcomes = (0..dag.tasks()).map(|_| SetOnce::new()).collect();
        let tasks: Vec<JoinHandle<()>> = (0..dag.tasks())
            .map(|task| tokio::spawn(one(Arc::clone(&dag), task, Arc::clone(&outcomes))))
            .collect();
        // Begin with the last task: when it has ended, most of the other tasks have ended, so this task rarely waits again.
        for task in tasks.into_iter().rev() {
            if let Err(error) = task.await {
                resume_unwind(error.into_panic());
            }
        }
    });
}

async fn one<D: Dag>(dag: Arc<D>, task: usize, outcomes: Outcomes) {
    let _ended = Ended(&outcomes[task]);
    for input in dag.inputs(task) {
        if !*outcomes[input].wait().await {
            return;
        }
    }
    dag.run(task);
    // The outcome cannot be set yet, because only this task sets it.
    let _ = outcomes[task].set(true);
}

/// A guard. If the guard's task ends without a result, the guard informs the tasks that wait for the result.
struct Ended<'a>(&'a SetOnce<bool>);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        // If `set` returns an error, the task has returned, and has set its outcome already.
        let _ = self.0.set(false);
    }
}
