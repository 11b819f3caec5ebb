//! A task of Heist's for each task, whose future the others need.

use std::sync::{Arc, OnceLock};

use heist::sync::{Future, future, spawn_when};

use super::super::pools::{Form, Pools};
use super::Dag;

pub(super) fn run<D: Dag>(form: Form, pools: &Pools, dag: &Arc<D>) -> Result<(), String> {
    // On a worker that has something on its stack, so that tasks which are ready begin in the order of their numbers.
    pools.heist(form)?.install(|| match form {
        Form::Async => driven(dag),
        Form::Fiber | Form::Blocking => waiting(form, dag),
    });
    Ok(())
}

/// Tasks that begin when their inputs are there.
fn driven<D: Dag>(dag: &Arc<D>) {
    let mut ends: Vec<Future<()>> = Vec::with_capacity(dag.tasks());
    let mut inputs = Vec::new();
    for task in 0..dag.tasks() {
        inputs.clear();
        inputs.extend(dag.inputs(task));
        let end = |input: usize| &ends[input];
        let dag = Arc::clone(dag);
        ends.push(match inputs[..] {
            [] => future(move || dag.run(task)),
            [a] => spawn_when(end(a), move |_| dag.run(task)),
            [a, b] => spawn_when((end(a), end(b)), move |_| dag.run(task)),
            [a, b, c] => spawn_when((end(a), end(b), end(c)), move |_| dag.run(task)),
            [a, b, c, d] => spawn_when((end(a), end(b), end(c), end(d)), move |_| dag.run(task)),
            // A data-driven task names its inputs one by one. This one begins at once, and waits for many.
            ref many => {
                let inputs: Vec<Future<()>> = many.iter().map(|&input| end(input).clone()).collect();
                heist::spawn_async(async move {
                    for input in &inputs {
                        input.await;
                    }
                    dag.run(task);
                })
            }
        });
    }
    ends.iter().rev().for_each(wait);
}

/// Tasks that begin at once, and get their inputs one after another.
fn waiting<D: Dag>(form: Form, dag: &Arc<D>) {
    let tasks = Arc::new(Tasks {
        ends: (0..dag.tasks()).map(|_| OnceLock::new()).collect(),
        dag: Arc::clone(dag),
    });
    for task in 0..dag.tasks() {
        let one = {
            let tasks = Arc::clone(&tasks);
            move || tasks.run(task)
        };
        tasks.ends[task].get_or_init(|| match form {
            Form::Fiber => heist::spawn_fiber(one),
            Form::Async | Form::Blocking => future(one),
        });
    }
    (0..dag.tasks()).rev().for_each(|task| wait(tasks.end(task)));
}

/// Tasks, each with its future once it has been spawned.
struct Tasks<D> {
    dag: Arc<D>,
    ends: Vec<OnceLock<Future<()>>>,
}

impl<D: Dag> Tasks<D> {
    fn end(&self, task: usize) -> &Future<()> {
        self.ends[task].get().expect("all before have been spawned")
    }

    fn run(&self, task: usize) {
        for input in self.dag.inputs(task) {
            self.end(input).get();
        }
        work(&*self.dag, task);
    }
}

/// Not inlined into what may be a fiber: a task may use what is its thread's own.
#[inline(never)]
fn work(dag: &impl Dag, task: usize) {
    dag.run(task);
}

/// Waits for a task. The last comes first: with it most of the others have ended, and are not waited for.
fn wait(end: &Future<()>) {
    end.get();
}
