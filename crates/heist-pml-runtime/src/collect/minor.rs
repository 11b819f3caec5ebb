//! Minor collections, each of which collects the young generation of one worker.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::collect::copy::Copy;
use crate::measure::trace;
use crate::memory::heap::{Region, YOUNG_SPAN};
use crate::state::ready;
use crate::state::strand::Strand;
use crate::state::worker::Worker;
use crate::state::worker::copies::Copies;

/// Moves the live objects of the worker's young generation to the old generation. `roots` are additional slots from which the collection
/// begins.
///
/// # Safety
/// The worker must be the calling thread's own. `strand` must be the strand whose frames may refer to the worker's young objects, or null.
/// If a worker runs that strand, the strand must have noted its newest frame. No other thread may write to the roots.
pub unsafe fn minor(worker: *mut Worker, strand: *mut Strand, roots: &mut [&mut usize]) {
    let begin = Instant::now();
    // SAFETY: `worker` is this thread's own, so it alone has the young generation, handles and remembered slots. `strand` and the strands
    // in `young` run nowhere else. No other thread writes to `roots`, nor to globals or cells that may refer to young objects of this
    // worker.
    unsafe {
        if (*worker).is_flat() {
            return;
        }
        let world = (*worker).shared_world();
        world.heap().open_reserve();
        trace::begins(&trace::MINOR, 0);
        if let Some(profile) = &world.heap_profile {
            profile.before_minor(worker);
        }
        (*worker).forwards.leave((*worker).nursery);
        let region = std::mem::take(&mut (*worker).region);
        let mut copy = Copy::<false>::new(&world, ((*worker).nursery, YOUNG_SPAN), region, None);
        copy.worker(worker);
        // While a program shares nothing, no other strand runs. Only its own strand writes its globals.
        let shares = world.is_shared();
        if !shares {
            copy.cells();
        }
        let is_program = |strand: *mut Strand| !strand.is_null() && (*strand).is_program();
        let young = (*worker).ready.young();
        if !shares || is_program(strand) || young.iter().any(|it| is_program(*it)) {
            copy.globals();
        }
        for strand in (*worker).ready.young() {
            copy.strand(&mut **strand, &world.inner().frames);
        }
        for root in roots {
            copy.slot(&raw mut **root);
        }
        if !strand.is_null() {
            copy.strand(&mut *strand, &world.inner().frames);
        }
        copy.scan_all();
        world.heap().close_reserve();
        let (region, counts) = copy.end();
        (*worker).region = region;
        let stats = &mut (*worker).stats;
        stats.minor += 1;
        stats.minor_bytes += counts.copied;
        stats.minor_objects += counts.objects;
        stats.frames += counts.frames;
        stats.minor(begin);
        trace::ends(counts.copied);
        if counts.full {
            (*worker).out_of_memory();
        }
        if let Some(profile) = &world.heap_profile {
            profile.after_minor(worker, world.heap().old_bytes());
        }
        empty(worker, true);
        ready::settle(worker);
    }
}

/// Resets the evacuated young generation of a worker, or the worker's chunk of a flat heap.
///
/// # Safety
/// The worker must be the calling thread's own, or be stopped. Nothing may refer to its young objects any more.
pub(crate) unsafe fn empty(worker: *mut Worker, own: bool) {
    // SAFETY: the worker is this thread's own, or stopped while this thread collects. Nothing refers to its young generation any more, and
    // the bytes from `nursery` to `alloc` are within it.
    unsafe {
        let (nursery, alloc) = ((*worker).nursery, (*worker).alloc);
        (*worker).stats.allocated += (alloc - (*worker).filled_from) as u64;
        if (*worker).is_flat() {
            (*worker).region = Region::default();
            (*worker).sampler.jump(alloc, 0);
            ((*worker).alloc, (*worker).filled_from, (*worker).young_end) = (0, 0, 0);
            (*worker).fit_soft_end();
            // The next allocation must take the slow path to get a chunk, even if the worker has taken a ring back before it was stopped.
            (*worker).bell.limit.store(0, Ordering::Relaxed);
            return;
        }
        if (*worker).options().stress {
            // A stale reference then finds no header.
            std::ptr::write_bytes(nursery as *mut u8, 0x5f, alloc - nursery);
        }
        (*worker).sampler.jump(alloc, nursery);
        (*worker).alloc = nursery;
        (*worker).copies = Copies::default();
        (*worker).forwards.forget(nursery);
        // Other workers call `fit_young` when they begin their next job.
        if own {
            (*worker).fit_young();
        } else if (*worker).sampler.is_on() {
            (*worker).fit_soft_end();
            (*worker).reset_limit();
        }
    }
}
