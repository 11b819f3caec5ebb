//! Programs of tasks that need the results of others: futures, or data-driven tasks.
//!
//! A program says what each task does and whose results it needs ([`Dag`]); an entrant spawns a task for each,
//! all at once and in the order of their numbers, which waits for its inputs and runs ([`Flow::run`]). Rayon runs
//! level by level instead, each a parallel loop over the tasks whose inputs lie in earlier levels: no task waits.

mod on_heist;
mod on_threads;
mod on_tokio;

use std::sync::Arc;

use rayon::prelude::*;

use super::entrant::Entrant;
use super::pools::{Form, Pools};

/// Tasks, and what they wait for.
///
/// The executor calls [`run`](Dag::run) once for each task, after the tasks that it needs have returned;
/// their writes are visible to it.
pub trait Dag: Send + Sync + 'static {
    /// Number of tasks.
    fn tasks(&self) -> usize;

    /// The tasks whose results `task` needs; their numbers are below its own.
    fn inputs(&self, task: usize) -> impl Iterator<Item = usize> + Send;

    /// Runs the task. It never waits.
    fn run(&self, task: usize);

    /// All tasks, one after the other. A program that would not have tasks if it were serial has its plain loops here.
    fn run_all(&self) {
        (0..self.tasks()).for_each(|task| self.run(task));
    }
}

/// Tasks with what is known about their order.
#[derive(Debug)]
pub struct Flow<D> {
    dag: Arc<D>,
    /// Tasks by the longest way to them.
    levels: Vec<Vec<usize>>,
}

impl<D: Dag> Flow<D> {
    /// Looks over all inputs.
    ///
    /// # Panics
    /// Panics if a task needs itself or one with a higher number.
    pub fn new(dag: D) -> Flow<D> {
        let mut level_of: Vec<usize> = Vec::with_capacity(dag.tasks());
        let mut levels: Vec<Vec<usize>> = Vec::new();
        for task in 0..dag.tasks() {
            let below = |input: usize| {
                assert!(input < task, "task {task} needs task {input}");
                level_of[input] + 1
            };
            let level = dag.inputs(task).map(below).max().unwrap_or(0);
            level_of.push(level);
            if level == levels.len() {
                levels.push(Vec::new());
            }
            levels[level].push(task);
        }
        Flow {
            dag: Arc::new(dag),
            levels,
        }
    }

    /// The tasks.
    pub fn dag(&self) -> &D {
        &self.dag
    }

    /// The tasks, to be kept by others.
    pub(super) fn shared(&self) -> &Arc<D> {
        &self.dag
    }

    /// Runs all tasks.
    ///
    /// # Errors
    /// Returns one line if the entrant cannot run that many.
    ///
    /// # Panics
    /// Panics if a task does. No task is left waiting then.
    pub fn run(&self, who: Entrant, pools: &Pools) -> Result<(), String> {
        match who {
            Entrant::Serial => self.dag.run_all(),
            Entrant::HeistAsync => return on_heist::run(Form::Async, pools, &self.dag),
            Entrant::HeistFiber => return on_heist::run(Form::Fiber, pools, &self.dag),
            Entrant::HeistBlocking => return on_heist::run(Form::Blocking, pools, &self.dag),
            Entrant::Threads => return on_threads::run(&*self.dag),
            Entrant::Tokio => on_tokio::run(pools, &self.dag),
            Entrant::Rayon => pools.on_rayon(|| {
                for level in &self.levels {
                    level.par_iter().for_each(|&task| self.dag.run(task));
                }
            }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
