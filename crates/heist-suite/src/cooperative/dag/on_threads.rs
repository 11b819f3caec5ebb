//! Runs each task of the graph on a system thread of its own.

use std::sync::OnceLock;

use super::super::pools::on_threads;
use super::Dag;

/// The outcome of a task. The outcome is empty until the task ends; then it is true if the task returned, and false if the task panicked.
type Outcome = OnceLock<bool>;

pub(super) fn run(dag: &impl Dag) -> Result<(), String> {
    let outcomes: Vec<Outcome> = (0..dag.tasks()).map(|_| Outcome::new()).collect();
    on_threads((0..dag.tasks()).map(|task| {
        let outcomes = &outcomes;
        // Tasks that need this task have higher numbers. So if the system starts no thread for this task, no thread starts that would wait
        // for this task.
        move || {
            let _ended = Ended(&outcomes[task]);
            if dag.inputs(task).all(|input| *outcomes[input].wait()) {
                dag.run(task);
                // The outcome cannot be set yet, because only this task sets it.
                let _ = outcomes[task].set(true);
            }
        }
    }))
}

/// A guard. If the guard's task ends without a result, the guard informs the tasks that wait for the result.
struct Ended<'a>(&'a Outcome);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        // If `set` returns an error, the task has returned, and has set its outcome already.
        let _ = self.0.set(false);
    }
}
