use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use super::*;

/// A graph in which task `t` needs tasks `t / 2` and `t - 1 - t % 7`. Each task checks that the cells of the tasks that it needs are set,
/// and then sets its own cell.
struct Web {
    set: Vec<OnceLock<usize>>,
    panics: Option<usize>,
}

impl Web {
    fn new(tasks: usize, panics: Option<usize>) -> Web {
        Web {
            set: (0..tasks).map(|_| OnceLock::new()).collect(),
            panics,
        }
    }
}

impl Dag for Web {
    fn tasks(&self) -> usize {
        self.set.len()
    }

    fn inputs(&self, task: usize) -> impl Iterator<Item = usize> {
        let half = (task > 0).then_some(task / 2);
        half.into_iter().chain(task.checked_sub(1 + task % 7))
    }

    fn run(&self, task: usize) {
        assert_ne!(self.panics, Some(task), "as planned");
        let inputs = self.inputs(task);
        let sum = inputs
            .map(|input| self.set[input].get().expect("it has run") + 1)
            .sum();
        self.set[task].set(sum).expect("only once");
    }
}

#[test]
fn each_once_and_after_its_inputs() {
    for workers in [1, 2, 5] {
        let pools = Pools::new(workers).unwrap();
        for tasks in [0, 1, 2, 300] {
            let sums = |who: Entrant| {
                let flow = Flow::new(Web::new(tasks, None));
                flow.run(who, &pools).unwrap();
                let sums = flow.dag().set.iter().map(|sum| *sum.get().unwrap());
                sums.collect::<Vec<usize>>()
            };
            let must = sums(Entrant::Serial);
            for &who in Entrant::ALL {
                assert_eq!(sums(who), must, "{who}");
            }
        }
    }
}

#[test]
fn a_panic_leaves_nobody_waiting() {
    let pools = Pools::new(2).unwrap();
    for panics in [0, 1, 50, 99] {
        for &who in Entrant::ALL {
            let flow = Flow::new(Web::new(100, Some(panics)));
            let run = catch_unwind(AssertUnwindSafe(|| flow.run(who, &pools)));
            assert!(run.is_err(), "{who}");
            assert_eq!(flow.dag().set[panics].get(), None);
        }
    }
}

#[test]
fn levels_are_the_longest_ways() {
    let flow = Flow::new(Web::new(6, None));
    assert_eq!(flow.levels, [vec![0], vec![1], vec![2, 3], vec![4, 5]]);
}

struct Backwards;

impl Dag for Backwards {
    fn tasks(&self) -> usize {
        2
    }

    fn inputs(&self, task: usize) -> impl Iterator<Item = usize> {
        (task == 0).then_some(1).into_iter()
    }

    fn run(&self, _: usize) {}
}

#[test]
#[should_panic(expected = "task 0 needs task 1")]
fn inputs_come_first() {
    Flow::new(Backwards);
}

#[test]
fn too_many_threads_are_refused() {
    let flow = Flow::new(Web::new(8193, None));
    let error = flow.run(Entrant::Threads, &Pools::new(1).unwrap());
    assert!(error.unwrap_err().starts_with("threads: 8193 tasks"));
}
