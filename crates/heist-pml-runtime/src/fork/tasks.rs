//! The private deque of a worker in a program that is compiled with `--forks clones`, an alternative way to fork (Rainey, sections 3.3.1
//! and 3.3.2), which exists for comparison.
//!
//! A fork of a program of clones allocates a *task*, an object with the arguments and the code that a thief calls. Compiled code pushes the
//! task onto the worker's private deque. At the end of the fork's left side, compiled code pops the task. A worker that answers a request
//! takes the oldest task and publishes it as an ordinary job (`publish.rs`), in the deque from which thieves steal. Forks are nested, so
//! they end in the reverse of the order in which they begin. *Invariant*: each published fork of the worker's strand (an entry of the
//! strand) is older than each task in the worker's deque. So if compiled code finds the deque empty at the end of a fork's left side, the
//! fork is the newest published fork.
//!
//! A task is a young object when it is pushed, and a minor collection makes all tasks old. So no task below the newest old task is young. A
//! minor collection scans only the tasks that were pushed since the previous collection.
//!
//! *Invariant*: the deque of a worker that runs no strand is empty. A strand that waits at a join waits for its newest fork. This newest
//! fork and all older forks are published, so the deque has no tasks. A strand that waits for a lazy value, or that lets other threads run,
//! publishes all its tasks first (`poll/lazy.rs`, `thread/`).

use std::sync::Arc;

use crate::collect::promote;
use crate::measure::trace;
use crate::protocol::job::{Job, State};
use crate::state::pool::Pool;
use crate::state::strand::{Entry, Strand};
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::Value;
use crate::wait::tell;

/// Returns the number of a task's fork.
///
/// # Safety
/// `task` must be a task of the world's programs.
unsafe fn fork_of(world: &World, task: Value) -> u32 {
    // SAFETY: `task` is a task of the world's programs: the first word after its pointers is the address of the code that a thief calls,
    // which the table of forks contains.
    unsafe {
        world
            .inner()
            .forks
            .of_stub(task.word(task.header().shape().end))
    }
}

/// Returns the arguments of a task.
///
/// # Safety
/// `task` must be a task of the world's programs, and `fork` must be the number of its fork.
unsafe fn arguments(world: &World, task: Value, fork: u32) -> Vec<usize> {
    let args = world.inner().forks.fork(fork).args.iter();
    // SAFETY: the table says at which offsets a task of this fork has its arguments. Nothing is collected before they are read.
    args.map(|(offset, _)| unsafe { *((task.0 + offset) as *const usize) })
        .collect()
}

/// Answers a request for work: publishes the oldest task and returns true, or returns false if there is no task. In tests that publish
/// everything, publishes all tasks.
///
/// # Safety
/// The worker must be the calling thread's own, and run a strand that has noted its newest frame.
pub unsafe fn publish(worker: *mut Worker) -> bool {
    // SAFETY: `worker` is this thread's own, and its strand has noted its newest frame, so collections find all roots. While it runs, the
    // strand and the deque are its own, and `task` is read again in each round.
    unsafe {
        let world = (*worker).shared_world();
        let Some(pool) = world.started() else {
            return false;
        };
        if (*worker).tasks.is_empty() {
            return false;
        }
        if !world.is_shared() {
            promote::begin_to_share(worker, &world);
        }
        let mut count = 0;
        while let Some(task) = (*worker).tasks.oldest() {
            publish_task(worker, &world, pool, task);
            count += 1;
            if !world.options.publish {
                break;
            }
        }
        if world.options.stress && (*(*worker).strand).job.is_none() {
            crate::collect::verify::verify_globals(&world);
        }
        trace::note(&trace::PUBLISHED, count);
        pool.told();
    }
    true
}

/// Publishes the oldest task of the worker as a job.
///
/// # Safety
/// The worker must be the calling thread's own, and run a strand that has noted its newest frame. The task must be the oldest of its deque.
unsafe fn publish_task(worker: *mut Worker, world: &World, pool: &Pool, task: Value) {
    // SAFETY: `worker` is this thread's own, and its strand has noted its newest frame, so the promotion may collect. The task is in the
    // deque, whose places are roots. After the promotion, this function reads the task from the deque again.
    unsafe {
        let number = fork_of(world, task);
        let fork = world.inner().forks.fork(number);
        let mut args = arguments(world, task, number);
        let pointers = args.iter_mut().zip(&fork.args).filter(|it| it.1.1);
        if !promote::promote_by_copy(worker, pointers.map(|it| it.0)) {
            promote::promote_all(worker, (*worker).strand, &mut []);
            // The collection has moved the task.
            let task = (*worker).tasks.oldest().unwrap_or(task);
            args = arguments(world, task, number);
        }
        (*worker).tasks.take_oldest();
        let strand = &mut *(*worker).strand;
        let mask = strand.mask(0);
        let job = Job::new(number, args, strand.around(0)).below(mask);
        // The forks that have begun but not ended are the strand's entries, followed by the tasks.
        let depth = strand.depth(|_, forks| forks <= strand.entries.len());
        let job = Arc::new(job.of_program(strand.program).in_transactions(depth));
        let queued = pool.push(job);
        strand.entries.push(Entry {
            frame: 0,
            place: 0,
            races: false,
            race: 0,
            queued,
        });
        world.note_published();
        (*worker).stats.published += 1;
    }
}

/// Forgets the `count` newest forks, because an exception leaves their left sides.
///
/// # Safety
/// The worker must be the calling thread's own, and run the strand.
pub unsafe fn leave(worker: *mut Worker, strand: &mut Strand, count: usize) {
    // SAFETY: `worker` is this thread's own and runs the strand, so no other thread uses its deque, or the strand's entries.
    unsafe {
        let published = count - (*worker).tasks.drop_newest(count);
        let mut runs = false;
        for _ in 0..published {
            if let Some(entry) = strand.entries.pop() {
                runs |= entry.job().cancel() == State::Taken;
            }
        }
        if runs {
            // Thieves check at their next polls.
            tell::tell_cancelled((*worker).world());
        }
    }
}
