//! Threads of the program: strands that the program makes, and that may wait for each other.
//!
//! A thread is a strand without a job. The program refers to a thread by an object (`Header::thread`), which holds the thread's [`Permit`]
//! and the address of its strand. A strand that is not a thread, such as the program's own strand or the strand of a stolen fork, gets an
//! object of this kind when it first asks for its object. Channels and events are code of the Basis (`cml.sml`), which uses four operations
//! of the runtime: `spawn`, `self`, `park` and `unpark`. Schedulers of programs (`scheduler.sml`) also need preemption of strands at polls:
//! see `fibers.rs`.
//!
//! A waiting thread refers to young objects of the worker on which it ran, until that worker has collected them: see `state/ready.rs`. A
//! major collection drops a parked thread if no live object refers to the thread's object (`collect/copy.rs`).

pub mod choices;
pub mod clock;
pub mod fibers;
pub mod masks;
mod outside;
pub mod park;
pub mod reports;
pub mod stuck;
pub mod watches;

pub use masks::mask;
pub(crate) use park::suspend;
pub use park::{give_way, park, poll, unpark};
pub use reports::{here, is_stuck, stuck, uncaught, waits_for};
pub use stuck::look;

use std::sync::Arc;
use std::time::Duration;

use crate::allocate::space;
use crate::exception::spots;
use crate::process::ends::fatal;
use crate::protocol::choice::Choice;
use crate::protocol::permit::Permit;
use crate::state::ready::{self, Inbox};
use crate::state::strand::Strand;
use crate::state::thread_object::{
    CHOICE, GIVEN, KEPT, NUMBER, PERMIT, PROGRAM, STRAND, choice, give_permit, is_parked,
};
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::{Header, Value};
use crate::wait::parts::unlist;

/// Returns the object of a strand, and makes it if there is none. This call may collect.
///
/// # Safety
/// The worker must be the calling thread's own, and live values must be in slots of frames or in handles.
pub(crate) unsafe fn object_of(worker: *mut Worker, strand: *mut Strand) -> Value {
    // SAFETY: `worker` is the caller's own, and no other thread writes to the strand. The new object has room for all of its `VALUES +
    // WORDS` words, which are written before anything allocates. The new object is old, so only a major collection moves it, and that
    // collection updates `strand.object`.
    unsafe {
        if (*strand).object.0 == 0 {
            let header = Header::thread();
            let object = if (*worker).is_flat() {
                (*worker).thread_in_chunk(header)
            } else {
                let at = space::take_or_end(worker, header.shape().bytes());
                *(at as *mut u64) = header.0;
                Value(at)
            };
            object.init(GIVEN, Value::immediate(0).0);
            object.init(KEPT, Value::immediate(0).0);
            object.init(CHOICE, Choice::WORD);
            object.init(PERMIT, Permit::WORD);
            object.init(STRAND, strand as usize);
            object.init(NUMBER, (*strand).number as usize);
            object.init(PROGRAM, (*strand).program_of_thread() as usize);
            (*strand).object = object;
        }
        (*strand).object
    }
}

/// Notes that a strand has ended, so that no permit wakes it and no thread takes its offers.
///
/// # Safety
/// No worker may run the strand, and no collection may happen during the call.
pub(crate) unsafe fn forget(world: &World, strand: *mut Strand) {
    // SAFETY: no worker runs the strand, and nothing else has it, so its fields are the caller's. Its object is in place, as no collection
    // happens meanwhile.
    unsafe {
        unlist(world, strand);
        let object = std::mem::replace(&mut (*strand).object, Value(0));
        if object.0 != 0 {
            world.threads.watches.forget(object);
            world.threads.clock.forget(&mut (*strand).alarms);
            // The strand's offers become void.
            choice(object).revoke();
            object.init(STRAND, 0);
        }
    }
}

/// Makes a thread that calls a closure, and queues it behind the worker's ready strands.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk that has noted its frame.
pub unsafe extern "C" fn spawn(worker: *mut Worker, closure: Value) -> Value {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame. The new strand is this thread's alone until it is in
    // the queue. A handle keeps the closure up to date while the object is allocated. The closure may be young, because the new thread has
    // this worker as its home.
    unsafe {
        let own = (*(*worker).strand).program;
        let world = (*worker).shared_world();
        let program = world.threads.program_of_thread_of(own);
        let Some(pool) = world.started() else {
            fatal("internal error: a thread without a pool")
        };
        let closure = (*worker).hold(closure);
        let strand = pool.new_strand(worker);
        (*strand).thread = true;
        (*strand).made = spots::newest(worker);
        (*strand).program = program;
        (*strand).world = Arc::as_ptr(&world);
        let object = object_of(worker, strand);
        (*strand).start = (*worker).held(closure);
        (*worker).release(closure);
        (*worker).stats.spawned += 1;
        ready::keep_young(worker, strand);
        (*worker).ready.add(strand);
        if (*worker).stats.spawned.is_multiple_of(ready::CROWD) && (*worker).ready.is_crowded() {
            (*worker).ready.end_time();
            Worker::ring(worker);
        }
        object
    }
}

/// Makes a thread that calls a closure and takes over the object of a strand that has ended.
///
/// # Safety
/// The worker must be the calling thread's own, and run no strand. No other thread may have the strand, and the strand must have an object.
/// `closure` must be a closure of the program, and not young.
pub(crate) unsafe fn succeed(worker: *mut Worker, strand: *mut Strand, closure: Value) {
    // SAFETY: `worker` is this thread's own, and nothing is collected during this call, so the object stays where it is. `unlist` takes the
    // strand off the list of parts before it loses its object. No worker runs either strand, and the new strand is this thread's alone
    // until it is in the queue.
    unsafe {
        let world = (*worker).shared_world();
        let Some(pool) = world.started() else {
            fatal("internal error: a thread without a pool")
        };
        unlist(&world, strand);
        let object = std::mem::replace(&mut (*strand).object, Value(0));
        // The offers of the strand that has ended are void.
        choice(object).revoke();
        world.threads.clock.forget(&mut (*strand).alarms);
        let next = pool.new_strand(worker);
        (*next).thread = true;
        (*next).made = (*strand).made;
        (*next).program = world.threads.program_of_thread_of((*strand).program);
        (*next).world = Arc::as_ptr(&world);
        (*next).start = closure;
        (*next).object = object;
        object.init(STRAND, next as usize);
        ready::keep_young(worker, next);
        (*worker).ready.add(next);
    }
}

/// Returns the running thread.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk that has noted its frame.
pub unsafe extern "C" fn current(worker: *mut Worker) -> Value {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame, so that the allocation may collect.
    unsafe { object_of(worker, (*worker).strand) }
}

/// Returns the number of a thread.
///
/// # Safety
/// `thread` must be the object of a thread.
pub unsafe extern "C" fn number(_: *mut Worker, thread: Value) -> usize {
    // SAFETY: `thread` is the object of a thread, and nothing is collected before the word is read. The number never changes.
    unsafe { thread.word(NUMBER) & u32::MAX as usize }
}

/// Returns the inbox of a worker.
///
/// # Safety
/// The worker must be the calling thread's own.
pub(crate) unsafe fn inbox<'a>(worker: *mut Worker) -> &'a Inbox {
    // SAFETY: `worker` is this thread's own, and keeps its world while the thread runs.
    unsafe {
        let world: *const World = (*worker).world();
        &(*world).threads.inboxes[(*worker).ready.number]
    }
}

/// Revokes the offers of a strand that must not run again, and ends its wait, so that no thread wakes the strand.
///
/// # Safety
/// All workers must be held.
pub(crate) unsafe fn take_waiting(world: &World, strand: *mut Strand) {
    // SAFETY: all workers are held, so no other thread reads or writes the strand, gives it a permit or collects.
    unsafe {
        if is_parked(strand) {
            let _ = give_permit(world, (*strand).object);
        }
        forget(world, strand);
    }
}

/// `rt.Thread.isDue`: returns 1 if the running strand should poll, because its time slice is over or its worker was rung.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn is_due(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own; the words are atomics.
    unsafe {
        // This call also happens if the worker was rung, because it clears the flag that the time slice is over. So the next strand gets a
        // whole time slice.
        let is_over = (*worker).ready.time_is_over();
        usize::from(is_over || (*worker).bell.is_rung())
    }
}

/// `rt.Thread.depth`: returns the number of transactions around the running code.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn depth(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, so no other thread writes to it.
    unsafe { (*(*worker).strand).depth(|_, _| true) as usize }
}

/// `rt.Thread.isLeft`: returns 1 if the program of the running strand has ended.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn is_left(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, so no other thread writes to it.
    unsafe {
        let threads = &(*worker).world().threads;
        let program = threads.program_of_thread_of((*(*worker).strand).program);
        usize::from(program != threads.program())
    }
}

/// Gives a thread its permit after the given number of nanoseconds. Returns the alarm's number.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function. `thread` must be the object of a thread.
pub unsafe extern "C" fn alarm(worker: *mut Worker, thread: Value, after: i64) -> u64 {
    let after = Duration::from_nanos(u64::try_from(after).unwrap_or(0));
    // SAFETY: `worker` is this thread's own and running, so no collection moves `thread` before it is in the list of alarms, which is among
    // the roots. The strand that it runs is this thread's alone.
    unsafe {
        let clock = &(*worker).world().threads.clock;
        clock.set_for(&mut *(*worker).strand, thread, after)
    }
}

/// Takes an alarm back.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn unset_alarm(worker: *mut Worker, number: u64) {
    // SAFETY: `worker` is this thread's own, and runs the strand that calls; the state of the clock is behind its lock.
    unsafe {
        (*(*worker).strand).alarms.retain(|it| *it != number);
        (*worker).world().threads.clock.unset(number);
    }
}

/// Makes all threads of the program end at their next polls.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn end_all(worker: *mut Worker) {
    // SAFETY: `worker` is this thread's own and keeps its world; both calls write atomics and take locks only.
    unsafe {
        (*worker).world().threads.end_threads();
        (*worker).world().ring_all();
    }
}
