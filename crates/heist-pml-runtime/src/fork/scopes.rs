//! Parts of a strand that end early: the parts in scopes of a cancelled cancelable, and the left sides of races that the right sides have
//! won.
//!
//! The caller of a part is the frame of `Cancel.wrap` or of `por`, which continues when the part has ended. The caller calls the part
//! inside of a handler. The optimizer cannot see the code of the called function, so it keeps the handler of this call. At a poll, a strand
//! may find that a part is not needed. The strand then drops all frames of the part without calling their handlers
//! (`unwind` in `exception/raise.rs`), and continues at the handler around the part. This handler asks the runtime why the part has ended.
//!
//! ```text
//! program --- scope --- fork that was stolen --- left side of a race --- fork that was stolen
//!                part of                  part of                left of
//! ```
//!
//! Each published fork refers to the job around it (`Around` in `protocol::job`), so a thief abandons its strand if the thief's fork
//! belongs to a cancelled part. The count of a scope ([`Job::enter`]) includes the strands in the scope, the inner scopes, and the scope
//! itself. The scope ends when its count is 0. `cancel` of the Basis waits for the end of each scope of the cancelable.

use std::sync::Arc;

use crate::fork::publish;
use crate::protocol::job::{Job, State};
use crate::state::strand::{Scope, Strand};
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::Value;
use crate::wait::tell;

/// Begins a scope of a cancelable, in the calling frame of the strand. Returns the function to be called in the scope.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk.
pub unsafe extern "C" fn enter(worker: *mut Worker, id: i64, run: Value) -> Value {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, and the thunk has noted its frame, whose first word is the
    // frame pointer of its caller. `publish` may collect, so a handle keeps `run`, and this function makes its reference to the strand
    // after the calls of `publish`.
    unsafe {
        let handle = (*worker).hold(run);
        // A scope can refer only to published forks around it. So the worker publishes all forks here, including each race around the
        // scope.
        while publish::publish(worker) {}
        // A strand that leaves a part resets the lazy values that the part has begun but not computed. So the strand must record the lazy
        // values that it computes.
        (*worker)
            .recorded
            .store(1, std::sync::atomic::Ordering::Relaxed);
        let strand = &mut *(*worker).strand;
        let frame = *((*worker).frame as *const usize);
        let mask = strand.mask(frame);
        let job = Job::scope(id as usize, strand.around(frame)).below(mask);
        let job = job.of_program(strand.program);
        let job = Arc::new(job);
        let scopes = &(*worker).world().threads.scopes;
        scopes.lock().entry(job.id()).or_default().push(job.clone());
        strand.scopes.push(Scope { frame, job });
        let run = (*worker).held(handle);
        (*worker).release(handle);
        run
    }
}

/// Ends the newest scope of the running strand. Returns 1 if the scope has ended early, because a cancellation has made the strand leave
/// the scope's frames.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, in the frame that has called [`enter`].
pub unsafe extern "C" fn leave_newest(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own and runs the strand, so no other thread writes to its scopes. The newest scope belongs to the
    // calling frame, as scopes in frames above that frame have ended.
    unsafe {
        let (world, strand) = ((*worker).world(), &mut *(*worker).strand);
        let unwound = std::mem::take(&mut strand.unwound);
        if let Some(scope) = strand.scopes.pop() {
            Job::leave_scope(&scope.job, |scope| world.threads.scopes.remove(scope));
        }
        usize::from(unwound)
    }
}

/// Ends the scopes of all frames above `frame`, because the strand has left these frames.
pub(crate) fn leave_above(world: &World, strand: &mut Strand, frame: usize) {
    while let Some(scope) = strand.scopes.pop_if(|scope| scope.frame < frame) {
        Job::leave_scope(&scope.job, |scope| world.threads.scopes.remove(scope));
    }
}

/// Leaves the scopes around a job. The strand that computes the job must have ended, or must not have begun.
pub(crate) fn leave(world: &World, job: &Job) {
    job.leave(|scope| world.threads.scopes.remove(scope));
}

/// Cancels a cancelable: code in its scopes ends at its next poll.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn cancel(worker: *mut Worker, id: i64) {
    // SAFETY: `worker` is this thread's own, and keeps its world alive for the whole call.
    let world = unsafe { (*worker).world() };
    let mut running = Vec::new();
    if let Some(scopes) = world.threads.scopes.lock().get(&(id as usize)) {
        let newly = |scope: &&Arc<Job>| scope.cancel() == State::Taken;
        running.extend(scopes.iter().filter(newly).cloned());
    }
    if !running.is_empty() {
        tell::tell_scopes_cancelled(world, &running);
    }
}

/// Returns true if a cancelable has scopes that have not ended.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn is_live(worker: *mut Worker, id: i64) -> usize {
    // SAFETY: `worker` is this thread's own, and keeps its world alive for the whole call.
    let world = unsafe { (*worker).world() };
    usize::from(world.threads.scopes.lock().contains_key(&(id as usize)))
}

/// Returns its argument, the function that is the left side of a race. The optimizer cannot see that the function is unchanged.
///
/// # Safety
/// Only compiled code may call this function.
pub unsafe extern "C" fn begin_race(_: *mut Worker, left: Value) -> Value {
    left
}

/// Records that the right side of a race wins, if the running strand is the thief that computes this right side.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn win(worker: *mut Worker) {
    // SAFETY: `worker` is this thread's own and runs the strand, so no other thread writes to it. Nothing is collected during this call.
    unsafe {
        let (world, strand) = ((*worker).world(), &*(*worker).strand);
        // The fork's own lazy value is the first lazy value that its thief claims.
        if let Some(job) = &strand.job
            && strand.computes.len() == 1
            && world.inner().forks.fork(job.fork).lazy
            && !(*worker).has_clones()
        {
            job.win();
            tell::tell_cancelled(world);
        }
    }
}

/// Ends the left side of a race in the calling frame. After this call, the right side can no longer win the race.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, without a thunk.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn end_race(worker: *mut Worker) {
    std::arch::naked_asm!(
        // The frame pointer is still that of the compiled code.
        "mov rsi, rbp",
        "jmp {end}",
        end = sym end_in,
    )
}

/// Ends the left sides of races in the frame with the pointer `frame`.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, by [`end_race`] or [`is_lost`]; `frame` must be the frame pointer of the
/// frame that has called that function.
unsafe extern "C" fn end_in(worker: *mut Worker, frame: usize) {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, so no other thread uses its entries, which are not borrowed
    // elsewhere.
    unsafe {
        let strand = &mut *(*worker).strand;
        let entries = strand.entries.iter_mut().rev();
        for entry in entries.take_while(|entry| entry.frame <= frame) {
            if entry.frame == frame {
                entry.races = false;
            }
        }
    }
}

/// Ends the left side of a race. Returns 1 if the left side has lost and its handler was called.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk.
pub unsafe extern "C" fn is_lost(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own and runs the strand that calls. The thunk has noted its frame, whose first word is the frame
    // pointer of its caller, and nothing is collected during this call.
    unsafe {
        end_in(worker, *((*worker).frame as *const usize));
        usize::from(std::mem::take(&mut (*(*worker).strand).unwound))
    }
}
