//! The collector: copying, generational, precise.
//!
//! A minor collection copies what lives of the young generation to the old one. Its roots are the slots of frames, globals,
//! handles, and old slots that were remembered when a young object was written to them. When the old generation has grown to
//! a threshold, a major collection copies what lives of both to new chunks. Large objects stay where they are. Copies are
//! scanned in the order in which they were made, without recursion.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::frames::Walk;
use super::heap::{Chunk, Heap, LARGE, Use, YOUNG_SPAN};
use super::object::{Header, Value, WORD};
use super::worker::Worker;

/// The old generation is not collected before it has so many bytes.
pub const FIRST_THRESHOLD: usize = 32 << 20;

/// So many frames get one mark.
const MARK_EVERY: u64 = 64;

/// Collects the young generation, and everything if `all` or if there has come much since.
pub fn collect(worker: &mut Worker, all: bool) {
    let begin = Instant::now();
    worker.stats.allocated += (worker.alloc - worker.young) as u64;
    let stress = worker.options.stress && worker.stats.minor % 7 == 6;
    if all || stress {
        major(worker);
    } else {
        run::<false>(worker);
        worker.stats.minor += 1;
        if worker.heap.old_bytes() > worker.threshold {
            major(worker);
        }
    }
    if worker.options.stress {
        // Whoever still refers to it finds no header.
        // SAFETY: the young generation is empty.
        unsafe {
            std::ptr::write_bytes(worker.young as *mut u8, 0x5f, worker.alloc - worker.young)
        };
    }
    worker.alloc = worker.young;
    let limit = if worker.options.stress {
        0
    } else {
        worker.young_end
    };
    worker.limit.store(limit, Ordering::Relaxed);
    if worker.options.stress {
        verify(worker);
    }
    let time = begin.elapsed();
    worker.stats.total += time;
    worker.stats.longest = worker.stats.longest.max(time);
}

fn major(worker: &mut Worker) {
    let from = worker.heap.flip();
    run::<true>(worker);
    worker.heap.leave(&from);
    let live = worker.heap.old_bytes();
    worker.threshold = (2 * live).max(FIRST_THRESHOLD);
    // What will be needed until the next collection of this kind stays at hand, and what that will copy to.
    worker.heap.release(worker.threshold);
    worker.stack.release(worker.frame);
    worker.stats.major += 1;
}

fn run<const MAJOR: bool>(worker: &mut Worker) {
    let mut remembered = std::mem::take(&mut worker.remembered_slots);
    let count = (worker.remembered as usize - remembered.as_ptr() as usize) / WORD;
    let objects = std::mem::take(&mut worker.remembered_objects);
    let (mut marks, mut frames) = (Vec::new(), 0_u64);
    let mut copy = Copy::<MAJOR> {
        young: worker.young,
        scan_chunk: worker.heap.chunks.len().saturating_sub(1),
        scan: worker.heap.next,
        heap: &mut worker.heap,
        found: Vec::new(),
        copied: 0,
        full: false,
    };
    // SAFETY: all of these are slots that hold values, and nobody else uses them while the worker is here.
    unsafe {
        if !MAJOR {
            for slot in &remembered[..count] {
                copy.slot(*slot as *mut usize);
            }
            for object in objects {
                copy.scan_object(object);
            }
        }
        for global in &worker.globals {
            copy.slot(*global);
        }
        for handle in &mut worker.handles {
            copy.slot(&raw mut handle.0);
        }
        copy.slot(&raw mut worker.pending.0);
        copy.slot(&raw mut worker.cells.0);
        let count = (worker.marks_end as usize - worker.marks.as_ptr() as usize) / WORD;
        let walk = Walk::new(worker.frame, &worker.marks[..count]);
        let mut passed = false;
        for frame in walk {
            if frame.marked && !MAJOR {
                break;
            }
            let Some(site) = worker.frames.site(frame.address) else {
                super::fatal("internal error: a frame that is not known")
            };
            for below in worker.frames.slots(site) {
                copy.slot((frame.pointer - *below as usize) as *mut usize);
            }
            frames += 1;
            // Marks are added at the new end only.
            if frames % MARK_EVERY == 0 && !frame.marked && !passed {
                marks.push(frame.address);
                *frame.slot = super::frames::mark();
            }
            passed |= frame.marked;
        }
        copy.scan_all();
    }
    let full = copy.full;
    worker.stats.frames += frames;
    worker.stats.copied += copy.copied;
    remembered.truncate(1 << 16);
    let range = remembered.as_mut_ptr_range();
    (worker.remembered, worker.remembered_end) = (range.start, range.end);
    worker.remembered_slots = remembered;
    worker.add_marks(&marks);
    if full {
        worker.out_of_memory();
    }
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
        let leaves = value.0.wrapping_sub(self.young) < YOUNG_SPAN
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
fn verify(worker: &Worker) {
    let heap = &worker.heap;
    let good = |value: Value| {
        if value.is_immediate() {
            return true;
        }
        let place = match heap.use_of(value.0) {
            // Static objects are outside.
            None => value.0.is_multiple_of(WORD) && value.0 != 0,
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
    for value in &worker.handles {
        assert!(good(*value) || value.0 == 0, "a bad handle");
    }
    for global in &worker.globals {
        // SAFETY: globals are there as long as the program.
        let value = Value(unsafe { **global });
        assert!(good(value) || value.0 == 0, "a bad global");
    }
    // SAFETY: the frames of the program that runs.
    for frame in unsafe { Walk::new(worker.frame, worker.marks()) } {
        let site = worker.frames.site(frame.address).expect("a known frame");
        for below in worker.frames.slots(site) {
            // SAFETY: a slot of this frame.
            let value = Value(unsafe { *((frame.pointer - *below as usize) as *const usize) });
            assert!(good(value), "a bad slot in a frame: {value:x?}");
        }
    }
}
