//! Programs whose tasks need the results of other tasks.
//!
//! A program ([`Dag`]) defines the work of each task, and says which tasks' results the task needs. An entrant spawns all tasks in the
//! order of their numbers, without waiting. Each task waits for its inputs and then runs ([`Flow::run`]). Rayon instead runs a parallel
//! loop for each level, over the tasks whose inputs are in earlier levels, so no task waits.

mod on_heist;
mod on_threads;
mod on_tokio;

use std::sync::Arc;

use rayon::prelude::*;

use super::entrant::Entrant;
use super::pools::{Form, Pools};

/// Numbered tasks, each with the tasks for which it waits.
///
/// The executor calls [`run`](Dag::run) once for each task, after the tasks that this task needs have returned. The writes of the tasks
/// that this task needs happen before the call.
pub trait Dag: Send + Sync + 'static {
    /// Returns the number of tasks.
    fn tasks(&self) -> usize;

    /// Returns the tasks whose results `task` needs. The numbers of the returned tasks are below `task`.
    fn inputs(&self, task: usize) -> impl Iterator<Item = usize> + Send;

    /// Runs the task. The task never waits.
    fn run(&self, task: usize);

    /// Runs all tasks, one after the other. If the natural serial form of a program has no tasks, the program overrides this
    /// function with plain loops.
    fn run_all(&self) {
        (0..self.tasks()).for_each(|task| self.run(task));
    }
}

/// A [`Dag`] with the levels of its tasks.
#[derive(Debug)]
pub struct Flow<D> {
    dag: Arc<D>,
    /// The tasks of each level. The level of a task is the number of tasks before this task on the longest path to it.
    levels: Vec<Vec<usize>>,
}

impl<D: Dag> Flow<D> {
    /// Makes a flow from the tasks, and finds their levels.
    ///
    /// # Panics
    /// Panics if a task needs itself or a task with a higher number.
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

    /// Returns the tasks.
    pub fn dag(&self) -> &D {
        &self.dag
    }

    /// Returns the shared pointer to the tasks.
    pub(super) fn shared(&self) -> &Arc<D> {
        &self.dag
    }

    /// Runs all tasks.
    ///
    /// # Errors
    /// Returns a one-line error if the entrant cannot run this number of tasks.
    ///
    /// # Panics
    /// Panics if a task panics. If a task panics, no other task waits forever.
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
