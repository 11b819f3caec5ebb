//! Copying what lives: the work list of one collection, and the memory that it fills.

use std::sync::MutexGuard;

use super::forks::Forks;
use super::frames::{Frames, Walk};
use super::heap::{Heap, LARGE, Region, Use};
use super::job::{Job, State};
use super::object::{Header, Value, WORD};
use super::strand::Strand;
use super::worker::Worker;
use super::world::World;

/// So many frames get one mark.
const MARK_EVERY: u64 = 64;

/// A collection under way. `MAJOR` leaves all old chunks besides the young generation.
pub struct Copy<'a, const MAJOR: bool> {
    world: &'a World,
    /// A major collection has the heap to itself.
    heap: Option<MutexGuard<'a, Heap>>,
    /// The young generation that is left: where it starts, and how many addresses it spans.
    young: usize,
    span: usize,
    /// The chunk that is filled.
    pub region: Region,
    /// The first copy in that chunk that was not scanned.
    scan: usize,
    /// Parts of chunks that were filled before, with copies that were not scanned.
    filled: Vec<(usize, usize)>,
    /// Large objects that were not scanned.
    found: Vec<Value>,
    /// Bytes that were copied.
    pub copied: u64,
    /// Frames that were looked at.
    pub frames: u64,
    /// The heap has reached its limit: some objects stay where they are.
    pub full: bool,
}

impl<'a, const MAJOR: bool> Copy<'a, MAJOR> {
    /// Leaves the young generation at these addresses; the copies go to the region.
    pub fn new(world: &'a World, (young, span): (usize, usize), region: Region) -> Self {
        Copy {
            world,
            heap: MAJOR.then(|| world.heap()),
            young,
            span,
            scan: region.next,
            region,
            filled: Vec::new(),
            found: Vec::new(),
            copied: 0,
            frames: 0,
            full: false,
        }
    }

    /// Sees to it that the value that a slot refers to stays.
    ///
    /// # Safety
    /// The slot holds a value, and nobody else writes to it.
    #[inline]
    pub unsafe fn slot(&mut self, slot: *mut usize) {
        // SAFETY: the caller's promise.
        let value = Value(unsafe { *slot });
        if value.is_immediate() {
            return;
        }
        if value.0.wrapping_sub(self.young) < self.span || MAJOR && self.is_left(value) {
            // SAFETY: an object that is left.
            unsafe { *slot = self.moved(value) };
        }
    }

    /// Whether an object that is not young is left. A large one stays where it is, and is to be scanned.
    #[inline]
    fn is_left(&mut self, value: Value) -> bool {
        let Some(heap) = &mut self.heap else {
            return false;
        };
        match heap.use_of(value.0) {
            Some(Use::From) => true,
            Some(Use::Large) => {
                if heap.find_large(value) {
                    self.found.push(value);
                }
                false
            }
            _ => false,
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
            self.region.take(bytes).or_else(|| self.refill(bytes))
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
    fn refill(&mut self, bytes: usize) -> Option<usize> {
        if self.scan < self.region.next {
            self.filled.push((self.scan, self.region.next));
        }
        let refilled = match &mut self.heap {
            Some(heap) => heap.refill(&mut self.region),
            None => self.world.heap().refill(&mut self.region),
        };
        // If there is no other chunk, what was copied to this one is still scanned.
        self.scan = self.region.next;
        refilled.ok()?;
        self.region.take(bytes)
    }

    #[cold]
    fn new_large(&mut self, bytes: usize) -> Option<usize> {
        let object = match &mut self.heap {
            Some(heap) => {
                let object = heap.take_large(bytes).ok()?;
                heap.find_large(object);
                object
            }
            None => self.world.heap().take_large(bytes).ok()?,
        };
        self.found.push(object);
        Some(object.0)
    }

    /// # Safety
    /// It is an object whose slots nobody else writes to.
    unsafe fn object(&mut self, object: Value, header: Header) {
        let shape = header.shape();
        for index in shape.first..shape.end {
            // SAFETY: the caller's promise; these slots hold values.
            unsafe { self.slot(object.slot(index)) };
        }
    }

    /// Copies the objects that a worker refers to. Forgets the slots that it remembered.
    ///
    /// # Safety
    /// The worker is the caller's, or is stopped.
    pub unsafe fn worker(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's promise. Remembered slots are those of objects that have not moved since.
        unsafe {
            let worker = &mut *worker;
            let count = worker.remembered_count();
            let mut remembered = std::mem::take(&mut worker.remembered_slots);
            let objects = std::mem::take(&mut worker.remembered_objects);
            if !MAJOR {
                for slot in &remembered[..count] {
                    self.slot(*slot as *mut usize);
                }
                for object in objects {
                    self.object(object, object.header());
                }
            }
            for handle in &mut worker.handles {
                self.slot(&raw mut handle.0);
            }
            self.slot(&raw mut worker.pending.0);
            remembered.truncate(1 << 16);
            let range = remembered.as_mut_ptr_range();
            (worker.remembered, worker.remembered_end) = (range.start, range.end);
            worker.remembered_slots = remembered;
        }
    }

    /// The globals of all programs.
    ///
    /// # Safety
    /// Nobody else runs a program's own strand.
    pub unsafe fn globals(&mut self) {
        for global in &self.world.inner().globals {
            // SAFETY: they are there as long as the programs.
            unsafe { self.slot(*global) };
        }
    }

    /// The values that a prompt keeps, and the closure that runs at an exit.
    ///
    /// # Safety
    /// All other workers are stopped, or run nothing.
    pub unsafe fn cells(&mut self) {
        // SAFETY: the caller's promise.
        unsafe {
            self.slot(&raw mut self.world.inner_mut().cells.0);
            self.slot(self.world.at_exit.as_ptr());
        }
    }

    /// The words of a published fork.
    ///
    /// # Safety
    /// All other workers are stopped.
    pub unsafe fn job(&mut self, job: &Job, forks: &Forks) {
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

    /// The frames of a strand.
    ///
    /// # Safety
    /// The strand is the caller's, or its worker is stopped; nothing runs on it meanwhile.
    pub unsafe fn strand(&mut self, strand: &mut Strand, table: &Frames) {
        strand.settle(strand.marks_used());
        // SAFETY: the caller's promise.
        unsafe {
            for (lazy, before) in &mut strand.computes {
                self.slot(&raw mut lazy.0);
                self.slot(&raw mut before.0);
            }
            self.slot(&raw mut strand.awaits.0);
        }
        let (mut marks, mut frames) = (Vec::new(), 0_u64);
        // SAFETY: the caller's promise.
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
        self.frames += frames;
    }

    /// Scans copies until none is left that was not.
    ///
    /// # Safety
    /// The copies are the caller's alone.
    pub unsafe fn scan_all(&mut self) {
        // SAFETY: these are copies, and large objects, one behind the other; the caller's promise.
        unsafe {
            loop {
                if self.scan < self.region.next {
                    let object = Value(self.scan);
                    let header = object.header();
                    // Before, as scanning may go on to another chunk.
                    self.scan += header.shape().bytes();
                    self.object(object, header);
                } else if let Some((mut at, top)) = self.filled.pop() {
                    while at < top {
                        let header = Value(at).header();
                        self.object(Value(at), header);
                        at += header.shape().bytes();
                    }
                } else if let Some(object) = self.found.pop() {
                    self.object(object, object.header());
                } else {
                    return;
                }
            }
        }
    }
}
