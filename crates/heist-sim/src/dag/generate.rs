//! Generators of programs.

use super::{Builder, Dag};
use crate::Time;
use crate::random::Random;

/// Returns the program of a builder. The program must be complete.
fn built(builder: Builder) -> Dag {
    match builder.build() {
        Ok(dag) => dag,
        Err(error) => unreachable!("a generated program is whole: {error}"),
    }
}

/// Returns a balanced binary tree of `2^depth` leaves. Each leaf is a strand of the duration `leaf`, and a strand of the duration `node`
/// comes before each fork.
///
/// # Panics
///
/// Panics if `depth` is more than 30: such a program would have too many words.
pub fn balanced(depth: u32, leaf: Time, node: Time) -> Dag {
    fn go(builder: &mut Builder, depth: u32, leaf: Time, node: Time) {
        if depth == 0 {
            builder.strand(leaf);
            return;
        }
        builder.strand(node);
        builder.fork();
        go(builder, depth - 1, leaf, node);
        builder.next();
        go(builder, depth - 1, leaf, node);
        builder.join();
    }
    assert!(depth <= 30, "a tree of 2^{depth} leaves does not fit");
    let mut builder = Builder::new();
    go(&mut builder, depth, leaf, node);
    built(builder)
}

/// Returns the program that computes the `n`-th Fibonacci number by double recursion. Each call that does not fork is a strand of the
/// duration `leaf`, and a strand of the duration `node` comes before each fork.
///
/// # Panics
///
/// Panics if `n` is more than 40: such a program would have too many words.
pub fn fib(n: u32, leaf: Time, node: Time) -> Dag {
    fn go(builder: &mut Builder, n: u32, leaf: Time, node: Time) {
        if n < 2 {
            builder.strand(leaf);
            return;
        }
        builder.strand(node);
        builder.fork();
        go(builder, n - 1, leaf, node);
        builder.next();
        go(builder, n - 2, leaf, node);
        builder.join();
    }
    assert!(n <= 40, "the calls for number {n} do not fit");
    let mut builder = Builder::new();
    go(&mut builder, n, leaf, node);
    built(builder)
}

/// Returns a program of `rounds` scopes, one after the other. Each scope has `tasks` tasks of the duration `task`. The body itself runs the
/// last task, and has a strand of the duration `spawn` before each spawn.
pub fn rounds(rounds: usize, tasks: usize, task: Time, spawn: Time) -> Dag {
    let mut builder = Builder::new();
    for _ in 0..rounds {
        builder.open();
        for _ in 1..tasks {
            builder.strand(spawn);
            builder.spawn();
            builder.strand(task);
            builder.done();
        }
        builder.strand(task);
        builder.close();
    }
    built(builder)
}

/// Returns a random program of about `forks` forks: unbalanced trees, chains of branches, and some scopes. `longest` is the maximum
/// duration of a strand. Most strands take far less time.
pub fn random(seed: u64, forks: usize, longest: Time) -> Dag {
    fn strand(builder: &mut Builder, random: &mut Random, longest: Time) {
        // All orders of magnitude are equally likely.
        let power = random.unit() * (longest.max(1) as f64).ln();
        builder.strand(power.exp() as Time);
    }
    /// A part of the program that has not been added to the builder yet.
    enum Todo {
        Block(usize),
        Next,
        Join,
        Spawn,
        Done,
        Close,
    }
    let mut random = Random::new(seed);
    let mut builder = Builder::new();
    let mut todo = vec![Todo::Block(forks)];
    // A list replaces recursion, because chains may be as deep as the program is long.
    while let Some(next) = todo.pop() {
        strand(&mut builder, &mut random, longest);
        match next {
            Todo::Block(0) => {}
            Todo::Block(left) => {
                let rest = left - 1;
                match random.below(10) {
                    // Write one block after another.
                    0 | 1 => {
                        let first = random.below(rest as u64 + 1) as usize;
                        todo.extend([Todo::Block(rest - first), Todo::Block(first)]);
                    }
                    2 => {
                        builder.open();
                        todo.push(Todo::Close);
                        let mut rest = rest;
                        for _ in 0..random.below(6) {
                            let one = random.below(rest as u64 + 1) as usize;
                            rest -= one;
                            todo.extend([Todo::Done, Todo::Block(one), Todo::Spawn]);
                        }
                    }
                    _ => {
                        builder.fork();
                        let left = random.below(rest as u64 + 1) as usize;
                        todo.extend([
                            Todo::Join,
                            Todo::Block(rest - left),
                            Todo::Next,
                            Todo::Block(left),
                        ]);
                    }
                }
            }
            Todo::Next => builder.next(),
            Todo::Join => builder.join(),
            Todo::Spawn => builder.spawn(),
            Todo::Done => builder.done(),
            Todo::Close => builder.close(),
        }
    }
    built(builder)
}
