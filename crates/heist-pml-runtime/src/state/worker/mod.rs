//! A worker: the data of a thread that runs compiled code. Compiled code has the worker's address in a register.

pub mod copies;
pub mod handles;
mod nursery;
pub mod offsets;
mod remembered;
pub mod tasks;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::code::frames::Frames;
use crate::code::known::Known;
use crate::measure::heap_profile::Sampler;
use crate::measure::stats::Stats;
use crate::memory::heap::Region;
use crate::protocol::doorbell::Doorbell;
use crate::state::options::Options;
use crate::state::ready::Ready;
use crate::state::spare::Cache;
use crate::state::strand::Strand;
use crate::state::worker::copies::{Copies, Forwards};
use crate::state::worker::tasks::Tasks;
use crate::state::world::World;
use crate::value::object::{BUILTINS, Value};

/// The data of a thread that runs compiled code. Compiled code reads and writes the fields that have an entry in
/// [`Offsets`](offsets::Offsets).
#[repr(C)]
pub struct Worker {
    /// Address of the next young object.
    pub alloc: usize,
    /// The words that other threads set to make the worker's compiled code call the runtime.
    pub bell: Doorbell,
    /// Start of the young generations of all workers, which together span `ZONE_SPAN`.
    pub young: usize,
    /// The frame pointer of the thunk that called the runtime.
    pub frame: usize,
    /// The exception that is raised when the runtime returns; 0 if there is none.
    pub pending: Value,
    /// Addresses of functions of the runtime.
    pub functions: *const usize,
    /// Address of the next free entry in the list of old slots that may refer to young objects.
    pub remembered: *mut usize,
    /// The end of the memory for the list of old slots.
    pub remembered_end: *mut usize,
    /// Exceptions of the runtime without payload, by number.
    pub packets: *const Value,
    /// The stack pointer that the runtime saved when it entered compiled code.
    pub entered: usize,
    /// The result of an allocation on the slow path. The call preserves all registers, so no register can hold this result.
    pub taken: usize,
    /// The end of the return addresses that marks and return barriers of the strand have overwritten.
    pub marks_end: *mut usize,
    /// Result of a join: 0 if the owner must compute the right side, 1 if the right side has returned and `results` has its results, 2 if
    /// the right side has raised.
    pub joined: usize,
    /// The arguments of the code that a thief runs.
    pub env: usize,
    /// The results of a thief, or the exception that the thief raised.
    pub results: [usize; 8],
    /// The first real result of the latest callee that has returned through a mark or a return barrier.
    pub landed: f64,
    /// A value other than 0 if a callee has returned through a return barrier.
    pub passed: usize,
    /// The stack pointer of a strand that has begun to wait.
    pub suspended: usize,

    /// A value other than 0 if other workers may read old objects into which this worker stores: see `promote`.
    pub shared: AtomicUsize,
    /// A value other than 0 if the strand must record the lazy values that it computes. The strand must record these values if other
    /// strands may wait for them, or if the strand may end before it has computed them.
    pub recorded: AtomicUsize,
    /// In programs of clones, the worker's private deque.
    pub tasks: Tasks,
    /// The origin of the newest exception (see `exception/trail.rs`).
    pub raised: usize,
    /// The strand that the worker runs.
    pub(crate) strand: *mut Strand,
    /// Start and end of the worker's young generation.
    pub(crate) nursery: usize,
    pub(crate) young_end: usize,
    /// Number of bytes from `nursery` in which compiled code may copy objects for other workers without a call of the runtime:
    /// `YOUNG_SPAN`, or 0 if the runtime has to sample or time each copy, or to copy whole graphs.
    pub(crate) copyable: usize,
    /// The address up to which allocations need no slow path: `young_end`, or the next sample of a heap profile.
    pub(crate) soft_end: usize,
    /// The samples of a heap profile.
    pub(crate) sampler: Sampler,
    /// The chunk of the old generation that the worker fills.
    pub(crate) region: Region,
    /// Start of the memory through which `alloc` advances: the young generation, or the chunk if the heap is flat.
    pub(crate) filled_from: usize,
    pub(crate) copies: Copies,
    pub(crate) forwards: Forwards,
    pub(crate) remembered_slots: Vec<usize>,
    pub(crate) remembered_objects: Vec<Value>,
    pub(crate) handles: Vec<Value>,
    /// Strands that are ready to run on this worker.
    pub(crate) ready: Ready,
    /// Strands and stacks that are not in use.
    pub(crate) cache: Cache,
    /// The worker's statistics.
    pub stats: Stats,
    pub(crate) world: Arc<World>,
    /// The strand on which the programs of this worker begin.
    pub(crate) own: Option<Box<Strand>>,
}

impl Worker {
    /// Makes another worker of a world.
    ///
    /// # Errors
    /// Returns an error if the world has too many workers.
    pub fn join(world: &Arc<World>) -> std::io::Result<Box<Worker>> {
        let mut remembered_slots = vec![0; 1 << 10];
        let range = remembered_slots.as_mut_ptr_range();
        let identities = world.inner().identities;
        let mut worker = Box::new(Worker {
            alloc: 0,
            bell: Doorbell::new(world.options.stress, world.options.publish),
            young: world.zone,
            frame: 0,
            pending: Value(0),
            functions: world.functions.as_ptr(),
            remembered: range.start,
            remembered_end: range.end,
            packets: std::ptr::null(),
            entered: 0,
            taken: 0,
            marks_end: std::ptr::null_mut(),
            joined: 0,
            env: 0,
            results: [0; 8],
            landed: 0.0,
            passed: 0,
            suspended: 0,
            shared: AtomicUsize::new(0),
            recorded: AtomicUsize::new(usize::from(world.options.reserve)),
            tasks: Tasks::default(),
            raised: 0,
            strand: std::ptr::null_mut(),
            nursery: 0,
            copyable: 0,
            young_end: 0,
            soft_end: 0,
            sampler: Sampler::new(world.heap_profile.as_deref()),
            region: Region::default(),
            filled_from: 0,
            copies: Copies::default(),
            forwards: Forwards::default(),
            remembered_slots,
            remembered_objects: Vec::new(),
            handles: Vec::new(),
            ready: Ready::default(),
            cache: Cache::default(),
            stats: Stats::default(),
            world: world.clone(),
            own: None,
        });
        if !identities.is_null() {
            worker.know(identities);
        }
        if !world.add_worker(&raw mut *worker) {
            return Err(std::io::Error::other("too many workers"));
        }
        // `World::share` sets these words only for the workers that are in the list, and may have done so just before this worker was
        // added.
        if world.is_shared() {
            // Relaxed: the worker has run nothing yet.
            worker.shared.store(1, Ordering::Relaxed);
            worker.recorded.store(1, Ordering::Relaxed);
        }
        if world.threads.are_used() {
            worker.recorded.store(1, Ordering::Relaxed);
        }
        Ok(worker)
    }

    /// Returns the worker's world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns an `Arc` of the worker's world, which the caller may keep.
    #[must_use]
    pub fn shared_world(&self) -> Arc<World> {
        self.world.clone()
    }

    /// Returns the options of the world.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.world.options
    }

    /// Returns the strand on which the programs of this worker begin.
    pub(crate) fn own_strand(&mut self) -> *mut Strand {
        let own = self.own.as_mut().expect("the first worker of a world");
        &raw mut **own
    }

    fn know(&mut self, identities: *const Value) {
        // SAFETY: code generation puts the packets after the `BUILTINS` identities, in one table that stays as long as the program.
        self.packets = unsafe { identities.add(BUILTINS) };
    }

    /// Makes a worker check for requests at its next poll or allocation. May be called on any thread.
    ///
    /// # Safety
    /// The worker must exist.
    pub unsafe fn ring(worker: *mut Worker) {
        // SAFETY: the worker exists, and stays until its thread has ended. The call uses only the worker's doorbell, all of whose fields
        // are atomics.
        unsafe { (*worker).bell.ring() };
    }

    /// Stops the worker if a stop is wanted, and counts the time as a pause.
    ///
    /// # Safety
    /// `worker` must be the calling thread's own, and count as running. No reference to the worker may be in use: other threads write to
    /// the worker while it is stopped.
    pub(crate) unsafe fn safepoint(worker: *mut Worker) {
        // SAFETY: `worker` is this thread's own. No reference to it is kept across the stop, in which
        // members of a collection write to it.
        unsafe {
            // The world lives as long as its workers.
            let world = Arc::as_ptr(&(*worker).world);
            if let Some(begin) = (*world).safepoint() {
                (*worker).stats.global(begin);
            }
        }
    }

    /// Takes back the ring of the worker's doorbell. After this call, the caller must check for all kinds of requests.
    pub(crate) fn asked_no_more(&self) {
        let again = self.options().stress || self.options().publish;
        self.bell.answer(self.limit(), again);
    }

    /// Adds the data of a program (see `program`) to the world.
    ///
    /// # Safety
    /// The table of frames (in the format of `Frames::extend`) and the globals must belong to the code that will run. `identities` must be
    /// the same for all programs, and one packet for each identity must follow the identities in memory. The table, the globals and the
    /// identities must stay in place for as long as the worker is used.
    pub unsafe fn attach(
        &mut self,
        frames: (&[usize], &[u32]),
        forks: &[u32],
        globals: impl Iterator<Item = *mut usize>,
        identities: *const Value,
        known: Known,
    ) {
        // SAFETY: no program runs while one is attached, so no other reference to `Inner` is in use.
        let inner = unsafe { self.world.inner_mut() };
        let (_, chains) = inner.forks.extend(frames.0, forks);
        let before = inner.known.last();
        let before = before.map_or(0, |last| last.before + last.count as u32);
        inner.frames.extend(frames.0, frames.1, chains, before);
        inner.known.push(Known { before, ..known });
        if inner.forks.has_threads() {
            self.world.threads.use_them();
            self.world.each_worker(|worker| {
                // SAFETY: no program runs while one is attached, and `each_worker` gives workers that exist. The field is an atomic.
                unsafe { (*worker).recorded.store(1, Ordering::Relaxed) };
            });
        }
        inner.globals.extend(globals);
        inner.identities = identities;
        self.world.each_worker(|worker| {
            // SAFETY: no program runs while one is attached, so no thread uses the worker, and `each_worker` gives workers that exist.
            unsafe { (*worker).know(identities) };
        });
    }

    /// Returns true if forks of the worker's programs make tasks.
    pub(crate) fn has_clones(&self) -> bool {
        self.world.inner().forks.are_clones()
    }

    /// Returns the table of frames.
    #[must_use]
    pub fn frames(&self) -> &Frames {
        &self.world.inner().frames
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let world = self.world.clone();
        world.remove_worker(self);
        if let Some(own) = &mut self.own {
            world.remove_strand(&raw mut **own);
        }
    }
}
