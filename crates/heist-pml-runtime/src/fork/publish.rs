//! Publishes and joins forks: the work of a worker at a poll, and at the end of the left side of a fork.
//!
//! A fork leaves no record other than its frame. When another worker has no work, a running worker walks over the frames of its strand,
//! from the newest frame to the frame of the newest published fork. The worker publishes the older half of the forks that it finds, the
//! oldest first. The worker replaces the return address into the frame of the newest published fork by a *return barrier*, the address of
//! code of the runtime. A return over the barrier sets the worker's poll, so the join in that frame calls the runtime. *Invariant*: while a
//! strand has published forks, a return barrier is at the frame of the newest published fork (`armed`), or the poll of the strand's worker
//! is set.
//!
//! If a fork can be published only during the last call of its left side, the fork's join contains no check. A worker that publishes such a
//! fork diverts the return of this call to the call's *landing*, the slow path of the join (`Strand::divert`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::code::forks::Fork;
use crate::collect::promote;
use crate::collect::verify::verify_globals;
use crate::exception::raise::unwind;
use crate::fork::tasks;
use crate::measure::trace;
use crate::process::ends::fatal;
use crate::protocol::job::{Found, Job, State};
use crate::state::strand::{Cancelled, Entry, Landing, Strand};
use crate::state::switch::{POLLED, WAITS};
use crate::state::walk::Walk;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::state::{pool, thread_object};
use crate::thread;
use crate::value::object::Value;
use crate::wait::{give, lazy, parts};

/// The result of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Joined {
    /// No thief has taken the fork, so the owner must compute the right side.
    Here = 0,
    /// The right side has returned. The results of the right side are in the worker.
    Done = 1,
    /// The right side has raised. The exception of the right side is in the worker.
    Raised = 2,
    /// A thief computes the right side, so the strand waits.
    Wait = 3,
}

/// The number of frames for which a walk sets one mark if it finds no fork to publish.
const MARK_EVERY: u32 = 64;

/// Maximum number of published forks of a strand. Each published fork takes a few hundred bytes until its join. Without this limit, an
/// endless recursion would fill the memory before its stack is full.
const MANY: usize = 1 << 20;

/// A fork that a walk has found.
struct Candidate {
    frame: usize,
    place: usize,
    fork: u32,
    /// Slot of the address to which the frame's callee returns.
    slot: *mut usize,
    address: usize,
    /// The landing of the frame's call, or 0 if the fork's join itself checks whether the fork was published.
    landing: usize,
    /// Number of marks that are older than this frame.
    older: usize,
    marked: bool,
}

/// Answers a request for work: publishes the older half of the strand's unpublished forks. Returns true if it has published a fork.
///
/// # Safety
/// The worker must be the calling thread's own, and run a strand that has noted its newest frame.
pub unsafe fn publish(worker: *mut Worker) -> bool {
    // SAFETY: `worker` is this thread's own, so only this thread writes to its strand, which has noted its newest frame: walks and
    // collections see all frames. No reference to the strand is kept across a call that makes another.
    unsafe {
        if (*worker).has_clones() {
            return tasks::publish(worker);
        }
        let world = (*worker).shared_world();
        let Some(pool) = world.started() else {
            return false;
        };
        if (*(*worker).strand).entries.len() >= MANY {
            return false;
        }
        let mut found = search(worker);
        if found.is_empty() {
            return false;
        }
        if !world.is_shared() {
            promote::begin_to_share(worker, &world);
            found = search(worker);
        }
        let mut all = arguments(&found, &world);
        if !share(worker, &found, &mut all, &world) {
            // A collection changes the arguments, and the marks that the walk has found.
            promote::promote_all(worker, (*worker).strand, &mut []);
            found = search(worker);
            all = arguments(&found, &world);
        }
        let strand = &mut *(*worker).strand;
        if world.options.stress && strand.is_program() {
            verify_globals(&world);
        }
        if strand.armed {
            disarm(worker, strand);
        }
        trace::note(&trace::PUBLISHED, found.len() as u64);
        for (candidate, args) in found.iter().rev().zip(all) {
            let mask = strand.mask(candidate.frame);
            let job = Job::new(candidate.fork, args, strand.around(candidate.frame)).below(mask);
            let depth = strand.depth(|masked, _| masked.frame > candidate.frame);
            let job = Arc::new(job.of_program(strand.program).in_transactions(depth));
            let queued = pool.push(job);
            let races = world.inner().forks.fork(candidate.fork).lazy;
            let race = if races {
                strand.entries.len() + 1
            } else {
                strand.entries.last().map_or(0, |entry| entry.race)
            };
            strand.entries.push(Entry {
                frame: candidate.frame,
                place: candidate.place,
                races,
                race,
                queued,
            });
            world.note_published();
            (*worker).stats.published += 1;
        }
        divert(strand, &mut found);
        let newest = &found[0];
        // If no compiled function is above that frame, its callee is the thunk that has called the runtime. The thunk returns over the
        // barrier immediately.
        strand.put_barrier(newest.slot, newest.address, newest.older, newest.marked);
        pool.told();
    }
    true
}

/// Sets a mark that leads to the landing, for each frame whose newest fork is among these forks and has a landing. `published` has the
/// newest fork first. After the call, the entries of `published` describe the marks that exist then.
///
/// # Safety
/// The candidates must come from [`search`] of this strand, and the strand must not have run since then.
unsafe fn divert(strand: &mut Strand, published: &mut [Candidate]) {
    let mut added = 0;
    let mut landings = Vec::new();
    for candidate in published.iter_mut().rev() {
        let older = candidate.older;
        candidate.older += added;
        if candidate.landing == 0 {
            continue;
        }
        landings.push(Landing {
            older,
            marked: candidate.marked,
            address: candidate.landing,
        });
        if !candidate.marked {
            // SAFETY: the strand has not run since the search, so the slot still is the return address of a callee. The strand does not run
            // before its marks include the landing.
            unsafe { *candidate.slot = crate::state::walk::mark() };
            added += 1;
        }
        (candidate.marked, candidate.address) = (true, candidate.landing);
    }
    strand.divert(&landings);
}

/// Returns the forks to publish, the newest first: the older half of the forks that the strand has not published. If the strand would then
/// have more than [`MANY`] published forks, returns fewer forks.
///
/// # Safety
/// The worker must be the calling thread's own, and run a strand that has noted its newest frame. No reference to the strand may be in use.
unsafe fn search(worker: *mut Worker) -> Vec<Candidate> {
    // SAFETY: `worker` is this thread's own and runs the strand, so no other thread writes to it, and the caller holds no reference to it.
    let (strand, world) = unsafe { (&mut *(*worker).strand, (*worker).world()) };
    let inner = world.inner();
    strand.settle(strand.marks_used());
    let newest = strand.entries.last().map(|entry| entry.frame);
    let mut found: Vec<Candidate> = Vec::new();
    // The number of newer forks that `found` no longer has.
    let mut newer = 0;
    let (mut passed, mut frames, mut fresh) = (false, 0_u32, Vec::new());
    // SAFETY: the worker has noted the frame, and nothing else runs on this stack.
    let mut walk = unsafe { Walk::new((*worker).frame, strand.marks()) };
    while let Some(frame) = walk.next() {
        if frame.marked && walk.marks_left() < strand.searched {
            break;
        }
        let Some(site) = inner.frames.site(frame.address) else {
            fatal("internal error: a frame that is not known")
        };
        // If this walk finds no fork to publish, the next walk need not visit this frame again.
        frames += 1;
        passed |= frame.marked;
        if frames % MARK_EVERY == 0 && !passed {
            fresh.push((frame.slot, frame.address));
        }
        let reached = newest == Some(frame.pointer);
        if site.chain != 0 {
            let forks = &inner.forks.chain(site.chain).forks;
            // The forks that are older than the newest published fork are published, or were left out because a strand computes their lazy
            // values.
            let published = if reached {
                strand.entries.last().map_or(0, |entry| entry.place + 1)
            } else {
                0
            };
            for (place, fork) in forks.iter().enumerate().skip(published).rev() {
                // SAFETY: the site says that this fork is under way in the frame, which has not returned.
                if unsafe { is_idle(inner.forks.fork(*fork), frame.pointer) } {
                    continue;
                }
                found.push(Candidate {
                    frame: frame.pointer,
                    place,
                    fork: *fork,
                    slot: frame.slot,
                    address: frame.address,
                    landing: if place + 1 == forks.len() {
                        site.landing
                    } else {
                        0
                    },
                    older: walk.marks_left(),
                    marked: frame.marked,
                });
            }
            if found.len() >= 2 * MANY {
                // Only the oldest forks are published.
                newer += found.drain(..MANY).len();
            }
        }
        if reached {
            break;
        }
    }
    if found.is_empty() {
        for (slot, _) in &fresh {
            // SAFETY: the slot holds the return address of a frame of this strand, which does not run before its marks include that
            // address.
            unsafe { **slot = crate::state::walk::mark() };
        }
        let addresses: Vec<usize> = fresh.iter().map(|mark| mark.1).collect();
        strand.add_marks(&addresses);
        strand.searched = strand.marks_used();
    }
    let half = (newer + found.len()).div_ceil(2);
    let count = half.min(found.len()).min(MANY - strand.entries.len());
    found.drain(..found.len() - count);
    found
}

/// Returns true if a fork would compute a lazy value that some strand has already begun to compute.
///
/// # Safety
/// The left side of the fork must be running in the frame.
unsafe fn is_idle(fork: &Fork, frame: usize) -> bool {
    match &fork.args[..] {
        // SAFETY: the table says that the frame has the value there while the fork is under way.
        [(below, true)] if fork.lazy => unsafe {
            !lazy::is_delayed(Value(*((frame - below) as *const usize)))
        },
        _ => false,
    }
}

/// Returns the arguments of these forks, the oldest first.
///
/// # Safety
/// The candidates must come from [`search`]. Since then, the strand must not have run, and no collection may have happened.
unsafe fn arguments(found: &[Candidate], world: &World) -> Vec<Vec<usize>> {
    let oldest = found.iter().rev();
    oldest
        .map(|candidate| {
            let fork = world.inner().forks.fork(candidate.fork);
            let args = fork.args.iter();
            // SAFETY: the table says that the frame has a word there while the fork is under way.
            args.map(|(below, _)| unsafe { *((candidate.frame - below) as *const usize) })
                .collect()
        })
        .collect()
}

/// Promotes the arguments of forks by copying, so that other workers may see them. Returns false if some arguments cannot be copied.
///
/// # Safety
/// The worker must be the calling thread's own. `all` must hold the arguments of the candidates, as values. No object may
/// have moved since the caller read these arguments.
unsafe fn share(
    worker: *mut Worker,
    found: &[Candidate],
    all: &mut [Vec<usize>],
    world: &World,
) -> bool {
    let oldest = found.iter().rev();
    oldest.zip(all).all(|(candidate, args)| {
        let fork = world.inner().forks.fork(candidate.fork);
        let pointers = args
            .iter_mut()
            .zip(&fork.args)
            .filter(|(_, (_, pointer))| *pointer);
        // SAFETY: `worker` is this thread's own, and the table says which words of this thread's vectors are values.
        unsafe { promote::promote_by_copy(worker, pointers.map(|(word, _)| word)) }
    })
}

/// The return address with which a frame's callee returns to the frame: its slot, its value, and its mark.
struct Place {
    slot: *mut usize,
    address: usize,
    older: usize,
    marked: bool,
}

/// Returns the return address with which the callee of a frame returns to the frame.
///
/// # Safety
/// The worker must be the calling thread's own, and run the strand, which must have noted its newest frame. `pointer` must be the frame
/// pointer of a frame of that strand, and this frame must have a callee.
unsafe fn callee_of(worker: *mut Worker, strand: &Strand, pointer: usize) -> Place {
    // SAFETY: the worker has noted the frame of the thunk that called, and nothing else runs on this stack during the walk.
    let mut walk = unsafe { Walk::new((*worker).frame, strand.marks()) };
    while let Some(frame) = walk.next() {
        if frame.pointer == pointer {
            return Place {
                slot: frame.slot,
                address: frame.address,
                older: walk.marks_left(),
                marked: frame.marked,
            };
        }
    }
    fatal("internal error: a published fork without its frame")
}

/// Replaces the return barrier at the frame of the newest published fork by a plain mark.
///
/// # Safety
/// The worker must be the calling thread's own, and run the strand, which must have noted its newest frame.
unsafe fn disarm(worker: *mut Worker, strand: &mut Strand) {
    if let Some(entry) = strand.entries.last() {
        // SAFETY: this thread's worker runs `strand`. The frame of the newest published fork has not returned, because its join would have
        // removed the entry.
        let place = unsafe { callee_of(worker, strand, entry.frame) };
        if place.marked {
            // SAFETY: the slot holds a return address of this strand. The mark that replaces it leads to the same address.
            unsafe { *place.slot = crate::state::walk::mark() };
        }
    }
    strand.armed = false;
}

/// Puts a return barrier at the frame of the newest published fork, unless the frame already has one.
///
/// # Safety
/// The worker must be the calling thread's own, and run the strand, which must have noted its newest frame.
pub unsafe fn rearm(worker: *mut Worker, strand: &mut Strand) {
    let Some(entry) = strand.entries.last() else {
        strand.armed = false;
        // SAFETY: `worker` is this thread's own, and only it and the code that it runs write this word.
        unsafe { (*worker).passed = 0 };
        return;
    };
    // SAFETY: `worker` is this thread's own, and only it and the code that it runs write this word.
    if unsafe { std::mem::replace(&mut (*worker).passed, 0) } != 0 {
        strand.armed = false;
    }
    if !strand.armed {
        // If no compiled function is above that frame, its callee is the thunk that has called the runtime. The thunk returns over the
        // barrier immediately, and the barrier sets the worker's poll.
        // SAFETY: this thread's worker runs `strand`. The frame of the newest published fork has not returned, because its join would have
        // removed the entry.
        let place = unsafe { callee_of(worker, strand, entry.frame) };
        strand.put_barrier(place.slot, place.address, place.older, place.marked);
    }
}

/// Joins the fork at `place` in the calling frame. The fork's left side must be done. This function stores the result in the worker, where
/// the thunk reads it.
///
/// # Safety
/// Only the thunk for this function may call the function, on the strand that the worker runs.
pub unsafe fn join(worker: *mut Worker, place: usize) -> Joined {
    // SAFETY: the thunk passes the worker that this thread runs on, and it runs a strand.
    if unsafe { (*worker).has_clones() } {
        // SAFETY: the thunk of a join called, on the strand that the worker runs.
        return unsafe { tasks::join(worker) };
    }
    // SAFETY: the worker runs this strand, so no other thread writes to it. `finish` makes its own reference, after the last use of
    // `strand`.
    let strand = unsafe { &mut *(*worker).strand };
    // SAFETY: the thunk has noted its frame, which holds its caller's frame pointer.
    let frame = unsafe { *((*worker).frame as *const usize) };
    let own = |entry: &Entry| entry.frame == frame && entry.place == place;
    if !strand.entries.last().is_some_and(own) {
        // SAFETY: the thunk has noted its frame, so the poll may collect. If the strand waits for its turn in the poll, its fork is
        // unchanged afterwards.
        return match unsafe { thread::poll(worker) } {
            WAITS => Joined::Wait,
            _ => Joined::Here,
        };
    }
    let Some(entry) = strand.entries.last() else {
        return Joined::Here;
    };
    let found = entry.job().retract();
    // SAFETY: the worker runs the strand, whose newest entry is this fork, and the call came from the thunk of a join.
    unsafe { finish(worker, found) }
}

/// Ends a join of the newest published fork of the worker's strand.
///
/// # Safety
/// Only [`join`] or the thunk of a join may call this function, on the strand that the worker runs. The newest entry of the strand must be
/// the fork whose state is `found`.
pub(crate) unsafe fn finish(worker: *mut Worker, found: Found) -> Joined {
    // SAFETY: the worker runs this strand, so no other thread writes to it, and the callers do not use their references any more.
    let strand = unsafe { &mut *(*worker).strand };
    match found {
        Found::Here => {
            if let Some(entry) = strand.entries.pop() {
                pool::forget(&entry.queued);
            }
            strand.armed = false;
            // SAFETY: the thunk has noted its frame, so the poll may collect. `strand` is not used after this.
            unsafe { attend(worker) };
            Joined::Here
        }
        Found::Done { raised } => {
            let entry = strand.entries.pop();
            strand.armed = false;
            // The ring sets the worker's poll, and the answer to this poll puts a return barrier at the frame of the next older published
            // fork.
            // SAFETY: the state DONE gives the results to the owner, this strand. Nothing is collected before the strand's code has taken
            // the results from the worker.
            unsafe {
                Worker::ring(worker);
                if let Some(entry) = entry {
                    receive(worker, entry.job());
                }
            }
            if raised { Joined::Raised } else { Joined::Done }
        }
        // SAFETY: no frame between the thunk and this function has anything to drop. A frame of a scope or race of this strand has a call
        // with a handler.
        Found::Left => unsafe {
            match strand.cancelled_above() {
                Some(frame) => unwind(worker, frame),
                None => (*worker).abandon(),
            }
        },
        Found::Taken => Joined::Wait,
    }
}

/// Drops the fork at `place` in the calling frame, and then polls like [`thread::poll`]. The fork's left side must be done, and its right
/// side must not be needed. If a thief computes the right side, the thief stops at its next poll.
///
/// # Safety
/// Only the thunk for this function may call the function, on the strand that the worker runs.
pub unsafe fn drop_fork(worker: *mut Worker, place: usize) -> u64 {
    // SAFETY: the worker runs this strand, so no other thread writes to it. The thunk has noted its frame, whose first word is the frame
    // pointer of its caller. No reference is used after the poll, which may collect.
    unsafe {
        if (*worker).has_clones() {
            tasks::drop_fork(worker);
            return POLLED;
        }
        let strand = &mut *(*worker).strand;
        let frame = *((*worker).frame as *const usize);
        let own = |entry: &mut Entry| entry.frame == frame && entry.place == place;
        if let Some(entry) = strand.entries.pop_if(own) {
            strand.armed = false;
            match entry.job().cancel() {
                State::Published => pool::forget(&entry.queued),
                State::Taken => tell_cancelled((*worker).world()),
                _ => {}
            }
        }
        thread::poll(worker)
    }
}

/// Puts the results of a job into the worker.
///
/// # Safety
/// The job must be done, and the worker must be the calling thread's own.
pub unsafe fn receive(worker: *mut Worker, job: &Job) {
    // SAFETY: `worker` is this thread's own. The owner has seen that the job is done, so the thief does not use the results any more.
    unsafe {
        for (at, word) in job.results().iter().enumerate() {
            (&mut (*worker).results)[at] = *word;
        }
        (*worker).raised = job.origin();
    }
}

/// Answers a poll: stops the worker if a stop is wanted, ends a cancelled strand, and publishes forks if an idle worker requests work.
///
/// # Safety
/// Only a thunk may call this function, on the strand that the worker runs.
pub unsafe fn attend(worker: *mut Worker) {
    // SAFETY: `worker` is this thread's own, and the thunk has noted its frame, so live values are in slots of frames. No value and no
    // reference to the strand is used across the calls, and nothing has to be dropped if the strand is left.
    unsafe {
        (*worker).asked_no_more();
        if (*worker).ready.has_had_its_time() || (*worker).world().threads.urgent.has_any() {
            // An allocation by the runtime may have called this function. The strand cannot yield then, so the poll stays set, and the
            // strand yields at its next poll. Relaxed, but a read-modify-write, so that the next `answer` also pairs with a ring that came
            // since the last answer.
            (*worker).bell.poll.swap(1, Ordering::Relaxed);
        }
        Worker::safepoint(worker);
        let strand = (*worker).strand;
        if crate::state::interrupt::asked() && (strand.is_null() || (*strand).may_end()) {
            (*worker).abandon();
        }
        if strand.is_null() {
            return;
        }
        leave_cancelled(worker);
        if (*worker).remembered_is_full() || (*worker).world().is_due() {
            crate::collect::collector::collect(worker, false);
        }
        // If there is no fork to publish and no strand to give away, `wanted` stays set, so that a loop that reads `wanted` divides itself.
        if (*worker).bell.wanted.load(Ordering::Relaxed) != 0
            && (publish(worker) | give::give(worker))
            && !(*worker).options().publish
        {
            (*worker).bell.wanted.store(0, Ordering::Relaxed);
        }
        // Two cases need a new barrier: the strand has returned over the barrier, or the poll was set in place of a barrier, and this
        // function has answered that poll.
        if !(*worker).has_clones() {
            rearm(worker, &mut *strand);
        }
    }
}

/// Abandons the cancelled parts of the strand that the worker runs.
///
/// # Safety
/// A thunk must have called this function, on the strand that the worker runs. No frame between the thunk and this function may have
/// anything to drop.
pub unsafe fn leave_cancelled(worker: *mut Worker) {
    // SAFETY: the worker runs this strand, and frames up to the thunk have nothing to drop. `Above` names the frame of a scope or race,
    // whose call has a handler, and which no mask protects.
    unsafe {
        match (*(*worker).strand).cancelled() {
            Cancelled::No => {}
            Cancelled::Whole => (*worker).abandon(),
            // A preempted fiber leaves the part only when it continues, because its vproc now belongs to another fiber.
            Cancelled::Above(_) if thread_object::is_preempted((*worker).strand) => {}
            // The frame is about to call the part. The handler covers that call but not the poll before it, so the ring makes the first
            // poll of the part end the part.
            Cancelled::Above(frame) if !calls_part(worker, frame) => Worker::ring(worker),
            Cancelled::Above(frame) => unwind(worker, frame),
        }
    }
}

/// Returns true if the frame of a scope or race has called its part. In that case, a frame of the part is above this frame.
///
/// A handler for the frame's newest call does not prove that the frame has called its part: an enclosing handler of the frame also covers
/// the polls before that call.
///
/// # Safety
/// A thunk must have called this function, on the strand that the worker runs. The frame must belong to that strand.
unsafe fn calls_part(worker: *const Worker, frame: usize) -> bool {
    // SAFETY: the worker runs the strand, so no other thread changes its frames and marks, and the thunk has noted its newest frame.
    unsafe {
        let newest = Walk::new((*worker).frame, (*(*worker).strand).marks()).next();
        newest.is_none_or(|newest| newest.pointer != frame)
    }
}

/// Cancels and forgets the published forks of `frame` with an index of at least `place`, because an exception leaves the code of these
/// forks. A thief's results for the cancelled forks are not needed any more.
pub fn cancel(world: &World, strand: &mut Strand, frame: usize, place: usize) {
    let mut runs = false;
    while let Some(entry) = strand.entries.last()
        && entry.frame == frame
        && entry.place >= place
    {
        if let Some(entry) = strand.entries.pop() {
            let before = entry.job().cancel();
            runs |= matches!(before, State::Taken | State::Waiting);
        }
        strand.armed = false;
    }
    if runs {
        tell_cancelled(world);
    }
}

/// Makes thieves check at their next polls whether their results are needed, and wakes cancelled strands that wait.
pub(crate) fn tell_cancelled(world: &World) {
    tell(world, None);
}

/// Does the work of [`tell_cancelled`] after these scopes were cancelled.
pub(crate) fn tell_scopes_cancelled(world: &World, scopes: &[Arc<Job>]) {
    tell(world, Some(scopes));
}

fn tell(world: &World, scopes: Option<&[Arc<Job>]>) {
    world.ring_all();
    // SAFETY: the caller is a running worker, or is the end of a program, which has stopped all workers.
    unsafe {
        lazy::wake_cancelled(world);
        if world.threads.are_used() {
            parts::wake_cancelled(world, scopes);
        }
    }
}
