//! A task of Heist's for each task, and a future that the others wait for.

use std::sync::{Arc, OnceLock};

use heist::Pool;
use heist::sync::{Future, Promise, future, promise, spawn_when};

use super::super::pools::{Form, Pools};
use super::Dag;

pub(super) fn run<D: Dag>(form: Form, pools: &Pools, dag: &Arc<D>) -> Result<(), String> {
    let pool = pools.heist(form)?;
    match form {
        Form::Async => pool.install(|| data_driven(dag)),
        Form::Fiber => pool.install(|| fibers(dag)),
        Form::Blocking => blocking(pool, &**dag),
    }
    Ok(())
}

/// Tasks that begin when their inputs are there.
fn data_driven<D: Dag>(dag: &Arc<D>) {
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
            // A data-driven task names its inputs one by one. With many of them it begins at once, and awaits each.
            ref many => {
                let inputs: Vec<Future<()>> =
                    many.iter().map(|&input| end(input).clone()).collect();
                heist::spawn_async(async move {
                    for input in &inputs {
                        input.await;
                    }
                    dag.run(task);
                })
            }
        });
    }
    // The last first: with it most of the others have ended, and need not be waited for.
    ends.iter().rev().for_each(|end| *end.get());
}

/// Tasks that begin at once and get their inputs, suspended for each that is not there.
fn fibers<D: Dag>(dag: &Arc<D>) {
    let fibers = Arc::new(Fibers {
        dag: Arc::clone(dag),
        ends: (0..dag.tasks()).map(|_| OnceLock::new()).collect(),
    });
    for task in 0..dag.tasks() {
        let this = Arc::clone(&fibers);
        fibers.ends[task].get_or_init(|| heist::spawn_fiber(move || this.run(task)));
    }
    // As above.
    (0..dag.tasks()).rev().for_each(|task| fibers.wait(task));
}

/// Fibers, each with its future once it has been spawned.
struct Fibers<D> {
    dag: Arc<D>,
    ends: Vec<OnceLock<Future<()>>>,
}

impl<D: Dag> Fibers<D> {
    fn run(&self, task: usize) {
        self.dag.inputs(task).for_each(|input| self.wait(input));
        run_one(&*self.dag, task);
    }

    fn wait(&self, task: usize) {
        *self.ends[task].get().expect("spawned in order").get()
    }
}

/// Not inlined into a fiber: a task may use what is its thread's own.
#[inline(never)]
fn run_one(dag: &impl Dag, task: usize) {
    dag.run(task);
}

/// Tasks that begin in the order of their numbers and get their inputs, holding a thread for each that is not there.
///
/// The order matters. Newest first, as tasks begin elsewhere, nearly every one would wait for others that have not
/// begun, and hold a thread. In order the least that waits does so for one that runs: some thread always goes on.
fn blocking(pool: &Pool, dag: &impl Dag) {
    let (promises, ends): (Vec<Promise<()>>, Vec<Future<()>>) =
        (0..dag.tasks()).map(|_| promise()).unzip();
    let ends = &ends[..];
    pool.finish_fifo(|scope| {
        for (task, promise) in promises.into_iter().enumerate() {
            scope.spawn(move |_| {
                dag.inputs(task).for_each(|input| *ends[input].get());
                dag.run(task);
                promise.set(());
            });
        }
    });
}
