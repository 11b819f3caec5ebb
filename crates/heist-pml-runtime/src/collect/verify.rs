//! The verifier checks that all references of objects, frames and published forks are valid. The verifier also checks that no worker refers
//! to another worker's young objects, and that the samples of a heap profile are objects.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use crate::memory::heap::YOUNG_SPAN;
use crate::memory::uses::Use;
use crate::protocol::job::State;
use crate::state::walk::Walk;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::{Value, WORD};

/// Checks the globals when a fork is published, because workers that run the fork may read them.
///
/// # Safety
/// The caller must run the program's own strand, which alone writes globals.
pub unsafe fn verify_globals(world: &World) {
    for global in &world.inner().globals {
        // SAFETY: globals exist as long as the program, and only the program's own strand writes them.
        let value = Value(unsafe { **global });
        assert!(!world.is_young(value), "a young global");
    }
}

/// Checks all objects, frames and published forks.
///
/// # Safety
/// The caller must have stopped all other workers.
pub unsafe fn verify(world: &World) {
    world.each_worker(|worker| {
        // SAFETY: all other workers are stopped.
        world.heap().note(&unsafe { (*worker).filled() });
    });
    let heap = world.heap();
    // `own` is the worker to whose young objects the value may refer.
    let good = |value: Value, own: *mut Worker| {
        if value.is_immediate() {
            return true;
        }
        let place = match world.uses.at(value.0) {
            None if world.is_young(value) => {
                // SAFETY: all other workers are stopped.
                !own.is_null() && value.0 - unsafe { (*own).nursery } < YOUNG_SPAN
            }
            // Static objects are outside of the heap.
            None => value.0.is_multiple_of(WORD) && value.0 != 0,
            Some(found) => matches!(found, Use::Old | Use::Large) && value.0.is_multiple_of(WORD),
        };
        // SAFETY: if `place` is true, the address is within a heap or belongs to a static object, and is a multiple of a word, so a header
        // can be read there. In a faulty heap, either the check fails or the process crashes.
        place && unsafe { value.header() }.kind().is_some() && !unsafe { value.header() }.is_moved()
    };
    let nobody = std::ptr::null_mut();
    // The elements of arrays that are being filled. Each element is listed with the worker to whose young objects it may refer.
    let mut filled: HashMap<usize, *mut Worker> = HashMap::new();
    world.each_worker(|worker| {
        // SAFETY: all other workers are stopped.
        let slots = unsafe { (*worker).remembered() };
        filled.extend(slots.iter().map(|slot| (*slot, worker)));
    });
    if let Some(profile) = &world.heap_profile {
        let mut objects = Vec::new();
        heap.each_old(|object| objects.push(object.0));
        objects.sort_unstable();
        profile.verify(&objects);
    }
    heap.each_old(|object| {
        // SAFETY: `each_old` passes whole objects, and all other workers are stopped.
        unsafe {
            let shape = object.header().shape();
            for index in shape.first..shape.end {
                let slot = object.slot(index) as usize;
                let own = filled.get(&slot).copied().unwrap_or(nobody);
                assert!(
                    good(object.field(index), own),
                    "a bad pointer in {:x?}",
                    object.header()
                );
            }
        }
    });
    world.each_worker(|worker| {
        // SAFETY: all other workers are stopped.
        for value in unsafe { &(*worker).handles } {
            assert!(good(*value, worker) || value.0 == 0, "a bad handle");
        }
        // SAFETY: all other workers are stopped.
        let (tasks, runs) = unsafe { ((*worker).tasks.all(), !(*worker).strand.is_null()) };
        assert!(runs || tasks.is_empty(), "tasks of no strand");
        for task in tasks {
            assert!(good(Value(*task), worker), "a bad task");
        }
    });
    for global in &world.inner().globals {
        // SAFETY: globals exist as long as the program.
        let value = Value(unsafe { **global });
        assert!(good(value, nobody) || value.0 == 0, "a bad global");
    }
    world.each_strand(|strand| {
        // SAFETY: all other workers are stopped.
        let strand = unsafe { &*strand };
        for entry in &strand.entries {
            let fork = world.inner().forks.fork(entry.job().fork);
            if entry.job().state() == State::Published {
                // SAFETY: all other workers are stopped.
                let args = unsafe { entry.job().args() };
                for (word, (_, pointer)) in args.iter().zip(&fork.args) {
                    assert!(
                        !pointer || good(Value(*word), nobody),
                        "a bad argument of a fork"
                    );
                }
            }
        }
        // Relaxed: all other workers are stopped.
        let home = match strand.home.load(Ordering::Relaxed) {
            0 => strand.worker,
            home => world.worker(home - 1),
        };
        // SAFETY: all other workers are stopped, so the strand does not run, and its frames and marks stay as they are.
        for frame in unsafe { Walk::new(strand.newest_frame(), strand.marks()) } {
            let frames = &world.inner().frames;
            let site = frames.site(frame.address).expect("a known frame");
            for below in frames.slots(site) {
                // SAFETY: the table says that the frame has a slot there.
                let value = Value(unsafe { *((frame.pointer - *below as usize) as *const usize) });
                assert!(good(value, home), "a bad slot in a frame: {value:x?}");
            }
        }
    });
}
