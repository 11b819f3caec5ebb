//! The samples of a heap profile: taking samples at allocations, and following the sampled objects through collections.

use crate::measure::heap_profile::sampler::Deep;
use crate::measure::heap_profile::sites::{Origin, Sites};
use crate::measure::heap_profile::{HeapProfile, Sample};
use crate::memory::uses::Use;
use crate::state::walk::{Walk, barrier, mark};
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::{Header, Value, WORD};

/// After this number of frames, a search for a frame outside of the Basis tries the frame that the previous search found.
const FEW_FRAMES: usize = 256;
/// Maximum number of frames that a search for a frame outside of the Basis visits.
const MOST_FRAMES: usize = 1 << 20;

impl HeapProfile {
    /// Finds the objects of all workers' samples, before a major collection moves them.
    ///
    /// # Safety
    /// All other workers must be stopped, and no object may have moved yet.
    pub(crate) unsafe fn before_major(&self, world: &World) {
        let mut state = self.lock();
        world.each_worker(|worker| {
            // SAFETY: all other workers are stopped, so no thread uses the samples of this worker, and no object has moved.
            unsafe {
                (*worker).sampler.find(&mut state.sites);
                // Promotion by copying graphs (`graph.rs`) takes no samples of copies. A minor collection moves the samples of the
                // originals to the copies, but a major collection moves originals and copies apart, and most originals are garbage.
                let (forwards, nursery) = (&(*worker).forwards, (*worker).nursery);
                let keep = |sample| state.keep(sample);
                (*worker)
                    .sampler
                    .take_copied(|object| forwards.copy_of(nursery, object), keep);
            }
        });
    }

    /// Updates the samples whose objects a major collection has moved, and drops the samples of objects that the collection has not
    /// reached.
    ///
    /// # Safety
    /// All other workers must be stopped. The memory that the collection has evacuated must not be freed yet.
    pub(crate) unsafe fn after_major(&self, world: &World) {
        let mut state = self.lock();
        let old = std::mem::take(&mut state.old);
        state.live.fill(0);
        let mut follow = |sample: Sample| {
            // SAFETY: the object was in memory that the collection leaves and that is not freed, or is large.
            if let Some(object) = unsafe { survivor(world, sample.object) } {
                state.keep(Sample { object, ..sample });
            }
        };
        old.into_iter().for_each(&mut follow);
        world.each_worker(|worker| {
            // SAFETY: all other workers are stopped, so no thread uses the samples of this worker.
            unsafe { (*worker).sampler.take().for_each(&mut follow) };
        });
    }

    /// Finds the objects of a worker's samples, before a collection of its young generation moves them.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, and no object of its young generation may have moved yet.
    pub(crate) unsafe fn before_minor(&self, worker: *mut Worker) {
        // SAFETY: the worker is the caller's, and no young object has moved.
        unsafe { (*worker).sampler.find(&mut self.lock().sites) };
    }

    /// Updates a worker's young samples after a collection: stores the new address of each object, and drops the samples of objects that
    /// have not survived.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, and its young generation must not be in use again yet.
    pub(crate) unsafe fn after_minor(&self, worker: *mut Worker, heap: usize) {
        let mut state = self.lock();
        // SAFETY: the worker is the caller's. The headers of its young objects are still there.
        unsafe {
            for sample in (*worker).sampler.take() {
                let header = sample.object.header();
                if header.is_moved() {
                    let object = Value(header.0 as usize);
                    state.keep(Sample { object, ..sample });
                }
            }
        }
        let now = self.now();
        state.snapshot(now, heap, false);
    }
}

/// Returns the address of a sampled object after a major collection, or `None` if the collection has not reached the object.
///
/// # Safety
/// The object must be large, or its old address must be in memory that the collection has evacuated. The caller must not have freed the
/// evacuated memory yet.
unsafe fn survivor(world: &World, object: Value) -> Option<Value> {
    let left = match world.uses.at(object.0) {
        Some(Use::From) => true,
        Some(Use::LargeFound) => return Some(object),
        None => world.is_young(object),
        Some(_) => false,
    };
    if !left {
        return None;
    }
    // SAFETY: the memory was not freed, so it still holds the object's header or new address.
    let header = unsafe { object.header() };
    header.is_moved().then_some(Value(header.0 as usize))
}

impl Worker {
    /// Takes a sample in memory in which objects are about to be made, because a sampling point lies in this memory.
    #[cold]
    pub(crate) fn sample(&mut self, first: usize) {
        let end = self.alloc;
        // SAFETY: the memory is this worker's own, and its objects are not made yet. Cleared words show which of them were never made.
        unsafe { std::ptr::write_bytes(first as *mut usize, 0, (end - first) / WORD) };
        if let Some(profile) = self.shared_world().heap_profile.clone() {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame.
            let origin = unsafe { origin(self, &mut profile.lock().sites) };
            self.sampler.add(first, end, origin);
        }
        self.fit_soft_end();
        self.reset_limit();
    }

    /// Records a large object. A profile records all large objects.
    pub(crate) fn sample_large(&mut self, object: Value, header: Header) {
        if let Some(profile) = self.shared_world().heap_profile.clone() {
            let (mut state, bytes) = (profile.lock(), header.shape().bytes() as u64);
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame.
            let origin = unsafe { origin(self, &mut state.sites) };
            let site = state.sites.of(origin, 0, header, bytes);
            state.keep(Sample {
                object,
                site,
                bytes,
            });
        }
    }

    /// Records that promotion has copied young objects, whose originals stay. `copies` are pairs of an object and its copy.
    #[cold]
    pub(crate) fn sample_copies(&mut self, copies: &[(Value, usize)]) {
        let Some(profile) = self.shared_world().heap_profile.clone() else {
            return;
        };
        if self.sampler.has_taken() {
            // SAFETY: the worker runs this function and not compiled code, so its young objects are initialised. None of them has moved.
            unsafe { self.sampler.find(&mut profile.lock().sites) };
        }
        for (original, copy) in copies {
            for sample in self.sampler.samples_of(*original) {
                let object = Value(*copy);
                profile.lock().keep(Sample { object, ..sample });
            }
        }
    }
}

/// Returns the place at which the worker's strand allocates.
///
/// # Safety
/// The worker must be the calling thread's own. If the worker runs a strand, the strand must have noted its newest frame.
unsafe fn origin(worker: *mut Worker, sites: &mut Sites) -> Origin {
    let mut origin = Origin::default();
    // SAFETY: `worker` is this thread's own, so nothing runs on its strand. The noted frame and all older frames of this strand have not
    // returned. All words of the strand's stack above the newest frame are in use.
    unsafe {
        let strand = (*worker).strand;
        if strand.is_null() {
            return origin;
        }
        let inner = (*worker).world().inner();
        let newest = (*strand).newest_frame();
        let walk = Walk::new(newest, (*strand).marks());
        for (at, frame) in walk.take(MOST_FRAMES).enumerate() {
            let spot = inner.frames.spot(frame.address).unwrap_or(0);
            if at == 0 {
                origin.spot = spot;
            }
            if sites.is_users(spot, &inner.known) {
                if at > 0 {
                    origin.caller = spot;
                }
                if at > FEW_FRAMES {
                    (*worker).sampler.deep = Deep {
                        slot: frame.slot as usize,
                        address: frame.address,
                        spot,
                    };
                }
                break;
            }
            let deep = (*worker).sampler.deep;
            if at == FEW_FRAMES && (frame.slot as usize..(*strand).top()).contains(&deep.slot) {
                let address = *(deep.slot as *const usize);
                if address == deep.address || address == mark() || address == barrier() {
                    origin.caller = deep.spot;
                    break;
                }
            }
        }
    }
    origin
}
