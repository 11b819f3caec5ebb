//! A thread of the system for each task.

use std::sync::OnceLock;

use super::super::pools::on_threads;
use super::Dag;

/// Empty until a task ends; then true if the task has returned, and false if it has panicked.
type Outcome = OnceLock<bool>;

pub(super) fn run(dag: &impl Dag) -> Result<(), String> {
    let outcomes: Vec<Outcome> = (0..dag.tasks()).map(|_| Outcome::new()).collect();
    on_threads((0..dag.tasks()).map(|task| {
        let outcomes = &outcomes;
        // Tasks that need it have higher numbers: if no thread is left for this one, none waits for it.
        move || {
            let _ended = Ended(&outcomes[task]);
            if dag.inputs(task).all(|input| *outcomes[input].wait()) {
                dag.run(task);
                // Cannot be set yet: only this task does it.
                let _ = outcomes[task].set(true);
            }
        }
    }))
}

/// Tells the waiters if a task ends without a result.
struct Ended<'a>(&'a Outcome);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        // An error means that it has returned.
        let _ = self.0.set(false);
    }
}
