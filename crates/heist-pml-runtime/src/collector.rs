//! The collector: copying, generational, precise.
//!
//! Each worker has a young generation of its own, and all share the old one. A *minor* collection copies what lives of one
//! worker's young generation to the old one. Its roots are the frames of the strand that the worker runs, its handles, globals, and
//! old slots that were remembered when a young object was written to them. It needs no other worker: once there is a second one that
//! runs, no old object and no other worker's frame refers to a young object (`promote.rs`). When the old generation has grown to a
//! threshold, a *major* collection stops all workers, and copies what lives of all generations to new chunks. Large objects stay
//! where they are. Copies are scanned without recursion.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::copy::Copy;
use super::heap::{Region, YOUNG_SPAN, ZONE_SPAN};
use super::promote::Copies;
use super::strand::Strand;
use super::verify::verify;
use super::worker::{Stats, Worker};
use super::world::World;

/// The old generation is not collected before it has so many bytes.
pub const FIRST_THRESHOLD: usize = 32 << 20;

/// Collects the worker's young generation, and everything if `all` or if there has come much since.
///
/// # Safety
/// The worker is the caller's, and runs.
pub unsafe fn collect(worker: *mut Worker, all: bool) {
    // SAFETY: the caller's promise. Others write to this worker only while it is stopped, in here.
    unsafe {
        let world = (*worker).shared_world();
        let stress = world.options.stress;
        // A major collection leaves young generations too.
        if !all {
            minor(worker, (*worker).strand, &mut []);
        }
        let often = stress && (*worker).stats.minor % 7 == 6;
        if all || often || world.is_due() {
            everything(worker, &world);
        }
        if stress && world.stop() {
            verify(&world);
            world.resume();
        }
    }
}

/// Stops all workers and collects everything. If another worker does so first, that may have been enough: the caller looks.
unsafe fn everything(worker: *mut Worker, world: &World) {
    if !world.stop() {
        return;
    }
    let begin = Instant::now();
    // SAFETY: all other workers are stopped, and this one is the caller's.
    unsafe {
        let full = major(world, &mut (*worker).stats);
        world.each_worker(|each| empty(each, each == worker));
        if full {
            (*worker).out_of_memory();
        }
        note_time(&mut (*worker).stats, begin);
    }
    world.resume();
}

fn note_time(stats: &mut Stats, begin: Instant) {
    let time = begin.elapsed();
    stats.total += time;
    stats.longest = stats.longest.max(time);
}

/// A worker's young generation was left.
unsafe fn empty(worker: *mut Worker, own: bool) {
    // SAFETY: the worker is the caller's, or is stopped.
    unsafe {
        let (nursery, alloc) = ((*worker).nursery, (*worker).alloc);
        (*worker).stats.allocated += (alloc - nursery) as u64;
        if (*worker).options().stress {
            // A stale reference then finds no header.
            std::ptr::write_bytes(nursery as *mut u8, 0x5f, alloc - nursery);
        }
        (*worker).alloc = nursery;
        (*worker).copies = Copies::default();
        // The others reset it when they look up.
        if own {
            (*worker).reset_limit();
            // A ring in between would be seen by polls only.
            if (*worker).poll.load(Ordering::SeqCst) != 0 {
                (*worker).limit.store(0, Ordering::Relaxed);
            }
        }
    }
}

/// Moves what lives of the worker's young generation to the old one. `roots` are slots besides those that are known.
///
/// # Safety
/// The worker is the caller's; the strand is the one whose frames may refer to young objects, or none; nobody else writes to the
/// roots.
pub unsafe fn minor(worker: *mut Worker, strand: *mut Strand, roots: &mut [&mut usize]) {
    let begin = Instant::now();
    // SAFETY: the caller's promise.
    unsafe {
        let world = (*worker).shared_world();
        let region = std::mem::take(&mut (*worker).region);
        let mut copy = Copy::<false>::new(&world, ((*worker).nursery, YOUNG_SPAN), region);
        copy.worker(worker);
        // While a program shares nothing, nobody else runs. Its globals are written by its own strand only.
        let shares = world.is_shared();
        if !shares {
            copy.cells();
        }
        if !shares || !strand.is_null() && (*strand).job.is_none() {
            copy.globals();
        }
        for root in roots {
            copy.slot(&raw mut **root);
        }
        if !strand.is_null() {
            copy.strand(&mut *strand, &world.inner().frames);
        }
        copy.scan_all();
        (*worker).region = copy.region;
        let (copied, frames, full) = (copy.copied, copy.frames, copy.full);
        let stats = &mut (*worker).stats;
        stats.minor += 1;
        stats.copied += copied;
        stats.frames += frames;
        note_time(stats, begin);
        if full {
            (*worker).out_of_memory();
        }
        empty(worker, true);
    }
}

/// Collects everything. Returns whether the heap was too small for it.
unsafe fn major(world: &World, stats: &mut Stats) -> bool {
    let from = world.heap().flip();
    let full;
    // SAFETY: all other workers are stopped, so all that follows are slots that hold values and that nobody else uses.
    unsafe {
        let mut copy = Copy::<true>::new(world, (world.zone, ZONE_SPAN), Region::default());
        world.each_worker(|worker| {
            (*worker).region = Region::default();
            copy.worker(worker);
        });
        copy.globals();
        copy.cells();
        world.each_strand(|strand| {
            let strand = &mut *strand;
            for entry in &strand.entries {
                copy.job(&entry.job, &world.inner().forks);
            }
            copy.strand(strand, &world.inner().frames);
        });
        copy.scan_all();
        stats.copied += copy.copied;
        stats.frames += copy.frames;
        full = copy.full;
        let region = copy.region;
        drop(copy);
        world.heap().note(&region);
    }
    let mut heap = world.heap();
    heap.leave(&from);
    let live = heap.old_bytes();
    let threshold = (2 * live).max(FIRST_THRESHOLD);
    // SAFETY: all other workers are stopped.
    unsafe { world.inner_mut().threshold = threshold };
    // What will be needed until the next collection of this kind stays at hand, and what that will copy to.
    heap.release(threshold);
    world.each_strand(|strand| {
        // SAFETY: all other workers are stopped.
        unsafe { (*strand).stack.release((*strand).newest_frame()) };
    });
    stats.major += 1;
}

fn run<const MAJOR: bool>(world: &World, count: &mut Count) {
    let mut heap = world.heap();
    let mut copy = Copy::<MAJOR> {
        young: world.zone,
        scan_chunk: heap.chunks.len().saturating_sub(1),
        scan: heap.next,
        heap: &mut heap,
        found: Vec::new(),
        copied: 0,
        full: false,
    };
    // SAFETY: all other workers are stopped, so all that follows are slots that hold values and that nobody else uses.
    unsafe {
        world.each_worker(|worker| {
            let worker = &mut *worker;
            let mut remembered = std::mem::take(&mut worker.remembered_slots);
            let count = (worker.remembered as usize - remembered.as_ptr() as usize) / WORD;
            let objects = std::mem::take(&mut worker.remembered_objects);
            if !MAJOR {
                for slot in &remembered[..count] {
                    copy.slot(*slot as *mut usize);
                }
                for object in objects {
                    copy.scan_object(object);
                }
            }
            for handle in &mut worker.handles {
                copy.slot(&raw mut handle.0);
            }
            copy.slot(&raw mut worker.pending.0);
            remembered.truncate(1 << 16);
            let range = remembered.as_mut_ptr_range();
            (worker.remembered, worker.remembered_end) = (range.start, range.end);
            worker.remembered_slots = remembered;
        });
        for global in &world.inner().globals {
            copy.slot(*global);
        }
        copy.slot(&raw mut world.inner_mut().cells.0);
        copy.slot(world.at_exit.as_ptr());
        world.each_strand(|strand| {
            let strand = &mut *strand;
            for entry in &strand.entries {
                copy.job(&entry.job, &world.inner().forks);
            }
            count.frames += copy.strand(strand, &world.inner().frames);
        });
        copy.scan_all();
    }
    count.copied += copy.copied;
    count.full |= copy.full;
}

struct Copy<'a, const MAJOR: bool> {
    young: usize,
    heap: &'a mut Heap,
    /// The chunk and the address of the first copy that was not scanned.
    scan_chunk: usize,
    scan: usize,
    /// Large objects that were not scanned.
    found: Vec<Value>,
    copied: u64,
    full: bool,
}

impl<const MAJOR: bool> Copy<'_, MAJOR> {
    /// Sees to it that what a slot refers to stays.
    ///
    /// # Safety
    /// The slot holds a value.
    #[inline]
    unsafe fn slot(&mut self, slot: *mut usize) {
        // SAFETY: the caller's promise.
        let value = Value(unsafe { *slot });
        if value.is_immediate() {
            return;
        }
        let leaves = value.0.wrapping_sub(self.young) < ZONE_SPAN
            || MAJOR
                && match self.heap.use_of(value.0) {
                    Some(Use::From) => true,
                    Some(Use::Large) => {
                        if self.heap.find_large(value) {
                            self.found.push(value);
                        }
                        false
                    }
                    _ => false,
                };
        if leaves {
            // SAFETY: an object that is left.
            unsafe { *slot = self.moved(value) };
        }
    }

    #[inline]
    unsafe fn moved(&mut self, object: Value) -> usize {
        // SAFETY: the caller found it to be an object.
        let header = unsafe { object.header() };
        if header.is_moved() {
            return header.0 as usize;
        }
        let bytes = header.shape().bytes();
        let to = if bytes > LARGE {
            self.new_large(bytes)
        } else {
            self.heap.take_old(bytes).ok()
        };
        let Some(to) = to else {
            self.full = true;
            return object.0;
        };
        self.copied += bytes as u64;
        // SAFETY: `to` is new memory of this size; the old place is only read for its new address from now on.
        unsafe {
            std::ptr::copy_nonoverlapping(object.0 as *const usize, to as *mut usize, bytes / WORD);
            *(object.0 as *mut usize) = to;
        }
        to
    }

    #[cold]
    fn new_large(&mut self, bytes: usize) -> Option<usize> {
        let object = self.heap.take_large(bytes).ok()?;
        if MAJOR {
            self.heap.find_large(object);
        }
        self.found.push(object);
        Some(object.0)
    }

    /// # Safety
    /// It is an object.
    unsafe fn scan_object(&mut self, object: Value) -> Header {
        // SAFETY: the caller's promise; these slots hold values.
        unsafe {
            let header = object.header();
            let shape = header.shape();
            for index in shape.first..shape.end {
                self.slot(object.slot(index));
            }
            header
        }
    }

    /// The words of a published fork.
    ///
    /// # Safety
    /// All workers are stopped.
    unsafe fn job(&mut self, job: &Job, forks: &Forks) {
        let fork = forks.fork(job.fork);
        // SAFETY: nobody runs; the table says which words are pointers.
        unsafe {
            match job.state() {
                State::Published => {
                    for (word, (_, pointer)) in job.args().iter_mut().zip(&fork.args) {
                        if *pointer {
                            self.slot(word);
                        }
                    }
                }
                State::Done if job.raised() => self.slot(&raw mut job.results()[0]),
                State::Done => {
                    for (word, pointer) in job.results().iter_mut().zip(&fork.results) {
                        if *pointer {
                            self.slot(word);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The frames of a strand. Returns how many were looked at.
    ///
    /// # Safety
    /// All workers are stopped.
    unsafe fn strand(&mut self, strand: &mut Strand, table: &Frames) -> u64 {
        strand.settle(strand.marks_used());
        let (mut marks, mut frames) = (Vec::new(), 0_u64);
        // SAFETY: nobody runs.
        unsafe {
            let mut walk = Walk::new(strand.newest_frame(), strand.marks());
            let mut passed = false;
            while let Some(frame) = walk.next() {
                if frame.marked && !MAJOR && walk.marks_left() < strand.scanned {
                    break;
                }
                let Some(site) = table.site(frame.address) else {
                    super::fatal("internal error: a frame that is not known")
                };
                for below in table.slots(site) {
                    self.slot((frame.pointer - *below as usize) as *mut usize);
                }
                frames += 1;
                // Marks are added at the new end only.
                if frames % MARK_EVERY == 0 && !frame.marked && !passed {
                    marks.push(frame.address);
                    *frame.slot = super::frames::mark();
                }
                passed |= frame.marked;
            }
        }
        strand.add_marks(&marks);
        strand.scanned = strand.marks_used();
        frames
    }

    unsafe fn scan_all(&mut self) {
        loop {
            while let Some(Chunk { start, .. }) = self.heap.chunks.get(self.scan_chunk).copied() {
                if self.scan == 0 {
                    self.scan = start;
                }
                if self.scan < self.heap.top(self.scan_chunk) {
                    // SAFETY: a copy.
                    let header = unsafe { self.scan_object(Value(self.scan)) };
                    self.scan += header.shape().bytes();
                } else if self.scan_chunk + 1 < self.heap.chunks.len() {
                    self.scan_chunk += 1;
                    self.scan = self.heap.chunks[self.scan_chunk].start;
                } else {
                    break;
                }
            }
            let Some(object) = self.found.pop() else {
                return;
            };
            // SAFETY: a large object.
            unsafe { self.scan_object(object) };
        }
    }
}

/// Looks at all old objects: what they refer to is there.
fn verify(world: &World) {
    let heap = world.heap();
    let good = |value: Value| {
        if value.is_immediate() {
            return true;
        }
        let place = match heap.use_of(value.0) {
            // Static objects are outside.
            None => value.0.is_multiple_of(WORD) && value.0 != 0 && !world.is_young(value),
            Some(found) => matches!(found, Use::Old | Use::Large) && value.0.is_multiple_of(WORD),
        };
        // SAFETY: it is the address of an object, or the test fails loudly.
        place && unsafe { value.header() }.kind().is_some() && !unsafe { value.header() }.is_moved()
    };
    heap.each_old(|object| {
        // SAFETY: an object.
        unsafe {
            let shape = object.header().shape();
            for index in shape.first..shape.end {
                assert!(
                    good(object.field(index)),
                    "a bad pointer in {:x?}",
                    object.header()
                );
            }
        }
    });
    world.each_worker(|worker| {
        // SAFETY: all other workers are stopped.
        for value in unsafe { &(*worker).handles } {
            assert!(good(*value) || value.0 == 0, "a bad handle");
        }
    });
    for global in &world.inner().globals {
        // SAFETY: globals are there as long as the program.
        let value = Value(unsafe { **global });
        assert!(good(value) || value.0 == 0, "a bad global");
    }
    world.each_strand(|strand| {
        // SAFETY: all other workers are stopped.
        let strand = unsafe { &*strand };
        for entry in &strand.entries {
            let fork = world.inner().forks.fork(entry.job.fork);
            if entry.job.state() == State::Published {
                // SAFETY: all other workers are stopped.
                let args = unsafe { entry.job.args() };
                for (word, (_, pointer)) in args.iter().zip(&fork.args) {
                    assert!(!pointer || good(Value(*word)), "a bad argument of a fork");
                }
            }
        }
        // SAFETY: the frames of a strand that does not run.
        for frame in unsafe { Walk::new(strand.newest_frame(), strand.marks()) } {
            let frames = &world.inner().frames;
            let site = frames.site(frame.address).expect("a known frame");
            for below in frames.slots(site) {
                // SAFETY: a slot of this frame.
                let value = Value(unsafe { *((frame.pointer - *below as usize) as *const usize) });
                assert!(good(value), "a bad slot in a frame: {value:x?}");
            }
        }
    });
}
