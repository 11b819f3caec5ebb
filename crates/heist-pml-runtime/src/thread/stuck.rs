//! Detects a program in which no strand can continue, because all strands wait for each other.
//!
//! An idle worker checks whether any strand can continue. *Why the check is correct*: work comes from a running worker, a queued entry, an
//! alarm, a watch, or a system call. The idle worker checks that none of these sources exists. The idle worker first reads the number of
//! times that a worker has begun to run. Then the idle worker checks that no worker runs, waits at a safepoint or is in a system call, that
//! there is no alarm and no watch, and that no entry is queued. At the end the idle worker reads the number again. A worker counts as
//! running before it takes an entry out of the count of queued entries. A worker that makes a system call, an alarm, a watch or an entry
//! counts it before the worker stops running. So if the two reads give the same number, there was a time between the reads at which no work
//! existed.

use std::sync::atomic::Ordering;

use crate::exception::spots::Waits;
use crate::state::interrupt;
use crate::state::strand::Strand;
use crate::state::thread_object::{give_permit, is_parked};
use crate::state::world::World;
use crate::value::made::Made;
use crate::value::object::Value;
use crate::wait::wake;

/// Maximum number of strands that the report names.
const MOST: usize = 10;

/// Checks whether any strand can continue. If no strand can continue, or if the program is interrupted, makes one strand run again and
/// receive the report. This strand is the program's own strand, or a strand that computes a fork of the program's own strand. Must be
/// called on an idle worker.
pub fn look(world: &World) {
    let threads = &world.threads;
    // SeqCst: the argument in the documentation of this module relies on the order of these reads.
    let begun = threads.begun.load(Ordering::SeqCst);
    let rests = world.rests()
        && threads.blocked.load(Ordering::SeqCst) == 0
        && (threads.clock.count() + threads.watches.count() == 0 || interrupt::asked())
        && threads.queued.load(Ordering::SeqCst) == 0
        && threads.begun.load(Ordering::SeqCst) == begun
        && threads.has_parked();
    if !rests {
        return;
    }
    // `begin` adds 1 to `begun`. If two workers reach this line at the same time, at most one of them finds that `begun` is exactly 1
    // higher than before.
    world.begin();
    if threads.begun.load(Ordering::SeqCst) == begun + 1 {
        tell(world);
    }
    world.end();
}

fn tell(world: &World) {
    let (mut told, mut parts) = (None, Vec::new());
    let (mut others, mut objects) = (Vec::new(), Vec::new());
    world.each_strand(|strand| {
        // SAFETY: nothing runs, so strands change only here.
        unsafe {
            if !is_parked(strand) {
                return;
            }
            others.push(strand);
            if (*strand).is_program() {
                told = Some(strand);
            } else if (*strand).job.is_some() || !(*strand).computes.is_empty() {
                parts.push(strand);
            }
            objects.push((*strand).object);
        }
    });
    if interrupt::asked() {
        for object in objects {
            // SAFETY: `object` is the object of a parked thread that was found above. This thread counts as running, so nothing was
            // collected since then, although strands that were woken here may already run.
            unsafe { wake(world, object) };
        }
        return;
    }
    let Some(told) = told.or_else(|| parts.first().copied()) else {
        return;
    };
    world.threads.stuck.tell(told, report(world, told, others));
    // SAFETY: `told` is parked and was not woken yet, so its object does not change. This thread counts as running, so nothing is
    // collected.
    unsafe { wake(world, (*told).object) };
}

/// Makes a parked strand run again.
///
/// # Safety
/// `thread` must be the object of a thread, and no collection may happen during the call.
unsafe fn wake(world: &World, thread: Value) {
    // SAFETY: `thread` is the object of a thread and is not moved meanwhile. A strand that `give_permit` returns was parked, and is this
    // caller's alone until it is queued.
    unsafe {
        if let Some(strand) = give_permit(world, thread) {
            wake::wake_outside(world, strand);
        }
    }
}

/// Returns the text of the report. The strand that receives the report has a trail of its own, so the report names only the places of the
/// other strands.
fn report(world: &World, told: *mut Strand, mut others: Vec<*mut Strand>) -> String {
    // SAFETY: the strands are parked, and none was woken yet; the number of a strand never changes while the strand is in use.
    let number = |strand: &*mut Strand| unsafe { (**strand).number };
    others.retain(|strand| *strand != told);
    others.sort_unstable_by_key(number);
    let more = others.len().saturating_sub(MOST);
    others.truncate(MOST);
    let mut waits = Waits::new(world);
    // SAFETY: the strand is parked and was not woken yet, so nothing runs it.
    let it = match unsafe { awaited(&mut waits, told) } {
        Some(awaited) => format!("it waits {awaited}"),
        None => "it waits".into(),
    };
    // SAFETY: the strands are parked, and none was woken yet, so nothing runs them.
    let named = others
        .iter()
        .map(|strand| unsafe { named(&mut waits, *strand) });
    let named: Vec<String> = named.collect();
    match (&named[..], more) {
        ([], _) => format!("{it}, and no other thread is left"),
        ([one], 0) => format!("{it}, and so does thread {one}"),
        (_, 0) => format!("{it}, and so do threads {}", named.join(", ")),
        _ => format!(
            "{it}, and so do threads {} and {more} more",
            named.join(", ")
        ),
    }
}

/// Returns the known facts about a thread: its number, the place at which it waits, the object for which it waits, and the place at which
/// it was made.
///
/// # Safety
/// The strand must be parked, and nothing may run it during the call.
unsafe fn named(waits: &mut Waits<'_>, strand: *mut Strand) -> String {
    // SAFETY: the strand is parked, and nothing runs it.
    unsafe {
        let at = waits.at(strand).map(|place| format!("at {place}"));
        let made = waits.outside(&(*strand).made);
        let made = made.map(|place| format!("spawned at {place}"));
        let fork = (*strand).job.as_ref().map(|_| "a part of a fork".into());
        let known: Vec<String> = [fork, at, awaited(waits, strand), made]
            .into_iter()
            .flatten()
            .collect();
        match &known[..] {
            [] => (*strand).number.to_string(),
            known => format!("{} ({})", (*strand).number, known.join(", ")),
        }
    }
}

/// Returns the name of the object for which a thread waits, if the name is known.
///
/// # Safety
/// The strand must be parked, and nothing may run it during the call.
unsafe fn awaited(waits: &mut Waits<'_>, strand: *mut Strand) -> Option<String> {
    // SAFETY: the strand is parked, and nothing runs it.
    let made = Made::noted(unsafe { (*strand).waits_for });
    let place = waits.made_at(made)?;
    let others = if made.is_first_of_several() {
        " or another event"
    } else {
        ""
    };
    Some(format!("for the {} made at {place}{others}", made.kind()))
}
