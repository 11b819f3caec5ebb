//! One Tokio task for each task of the graph.

use std::panic::resume_unwind;
use std::sync::Arc;

use tokio::sync::SetOnce;
use tokio::task::JoinHandle;

use super::super::pools::Pools;
use super::Dag;

/// For each task: empty until it ends; then true if it has returned, and false if it has panicked.
type Outcomes = Arc<[SetOnce<bool>]>;

pub(super) fn run<D: Dag>(pools: &Pools, dag: &Arc<D>) {
    let dag = Arc::clone(dag);
    pools.on_tokio(async move {
        let outcomes: Outcomes = (0..dag.tasks()).map(|_| SetOnce::new()).collect();
        let tasks: Vec<JoinHandle<()>> = (0..dag.tasks())
            .map(|task| tokio::spawn(one(Arc::clone(&dag), task, Arc::clone(&outcomes))))
            .collect();
        // The last first: with it most of the others have ended, and need not be waited for.
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
    // Cannot be set yet: only this task does it.
    let _ = outcomes[task].set(true);
}

/// Tells the waiters if a task ends without a result.
struct Ended<'a>(&'a SetOnce<bool>);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        // An error means that it has returned.
        let _ = self.0.set(false);
    }
}
