//! Copying live objects: the work list of one collection, and the memory that it fills.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::collect::team::{Counts, Part, Root, Team};
use crate::memory::heap::{LARGE, Region};
use crate::memory::uses::{Use, Uses};
use crate::state::strand::Strand;
use crate::state::thread_object;
use crate::state::world::World;
use crate::value::object::{Header, Value, WORD};

/// Maximum number of an object's slots in one part.
const SLOTS: usize = 4096;
/// Number of scanned slots after which a member of a team checks whether other members need work. The number is small because each slot may
/// lead to an object of [`LARGE`] bytes, which the member then copies.
const FEW_SLOTS: usize = 64;
/// Number of scanned objects after which a member of a team checks whether other members need work.
const LOOK_EVERY: u32 = 64;
/// Minimum number of bytes of copies that a member gives away.
const SMALL: usize = 2048;

/// The work that one member of the team does in a collection, or the whole collection if there is no team. If `MAJOR` is true, the
/// collection evacuates all old chunks and the young generation.
pub struct Copy<'a, const MAJOR: bool> {
    pub(super) world: &'a World,
    uses: Arc<Uses>,
    /// The team of this collection, if other workers take part.
    team: Option<&'a Team>,
    /// Start of the young generation that is being evacuated; `span` is its size.
    pub(super) young: usize,
    pub(super) span: usize,
    /// The chunk that this member fills.
    pub region: Region,
    /// The first copy in `region` that is neither between `at` and `top` nor in a [`Part`]. No member has scanned this copy or a later
    /// copy.
    scan: usize,
    /// Address of the next copy to scan. This member scans the copies between `at` and `top` before all other copies.
    at: usize,
    top: usize,
    /// More copies that are not scanned yet, and slots of objects with many slots.
    parts: Vec<Part>,
    /// Parked strands whose objects were reached, and whose frames are not scanned yet.
    strands: Vec<*mut Strand>,
    /// Number of objects to scan before the member checks again whether other members need work.
    look: u32,
    pub(super) counts: Counts,
}

impl<'a, const MAJOR: bool> Copy<'a, MAJOR> {
    /// Evacuates the young generation at these addresses; the copies go to `region`.
    pub fn new(
        world: &'a World,
        (young, span): (usize, usize),
        region: Region,
        team: Option<&'a Team>,
    ) -> Self {
        Copy {
            world,
            uses: world.uses.clone(),
            team,
            young,
            span,
            scan: region.next,
            region,
            at: 0,
            top: 0,
            parts: Vec::new(),
            strands: Vec::new(),
            look: LOOK_EVERY,
            counts: Counts::default(),
        }
    }

    /// Returns the chunk that the collection has begun to fill, and its counts.
    pub fn end(self) -> (Region, Counts) {
        (self.region, self.counts)
    }

    /// Keeps the object to which a slot refers. If this collection evacuates the object, moves it and updates the slot.
    ///
    /// # Safety
    /// The slot must hold a value, and no other thread may write to it.
    #[inline]
    pub unsafe fn slot(&mut self, slot: *mut usize) {
        // SAFETY: the slot holds a value, and no other thread writes to it before it is updated below.
        let value = Value(unsafe { *slot });
        if value.is_immediate() {
            return;
        }
        if value.0.wrapping_sub(self.young) < self.span || MAJOR && self.is_left(value) {
            // SAFETY: `value` is in memory that this collection evacuates, so it is the address of an object, or of an object that has
            // already moved.
            unsafe { *slot = self.moved(value) };
        }
    }

    /// Returns true if the collection evacuates an object that is not young. For a large object, returns false, but adds its slots to the
    /// work, because the object stays in place and must be scanned.
    #[inline]
    fn is_left(&mut self, value: Value) -> bool {
        match self.uses.at(value.0) {
            Some(Use::From) => true,
            Some(Use::Large) => {
                if self.uses.find_large(value) {
                    // SAFETY: a value that refers to the first granule of a large object is that object. Only the member that was the first
                    // to find the object calls `push_slots`.
                    unsafe { self.push_slots(value) };
                }
                false
            }
            _ => false,
        }
    }

    /// Returns the new address of an object that is evacuated. Several members of a team may evacuate the same object at the same time.
    ///
    /// # Safety
    /// The value must be the address of an object in memory that this collection evacuates. Another member may already have moved the
    /// object.
    #[inline]
    unsafe fn moved(&mut self, object: Value) -> usize {
        // SAFETY: the caller has found that the value is an object. Only the members of this collection write the object's header.
        let cell = unsafe { AtomicUsize::from_ptr(object.0 as *mut usize) };
        // Relaxed: until the collection is over, members use only the address of an object that another member has moved.
        let header = Header(cell.load(Ordering::Relaxed) as u64);
        if header.is_moved() {
            return header.0 as usize;
        }
        let bytes = header.shape().bytes();
        let large = bytes > LARGE;
        let to = if large {
            self.new_large(bytes)
        } else {
            self.region.take(bytes).or_else(|| self.refill(bytes))
        };
        let Some(to) = to else {
            self.counts.full = true;
            return object.0;
        };
        // SAFETY: `to` is new memory of this size. Of the original object, other members change only the header.
        unsafe {
            *(to as *mut u64) = header.0;
            let (from, to) = (object.slot(0), Value(to).slot(0));
            copy_words(from, to, bytes / WORD - 1);
        }
        if MAJOR && self.team.is_some() && !header.may_be_copied() {
            // Relaxed: as after the load above, members use only the new address before the collection is over. Only the member whose
            // exchange succeeds reads its copy, or passes the copy to another member under a lock.
            let (old, new) = (header.0 as usize, to);
            if let Err(other) =
                cell.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed)
            {
                // No reference leads to a large copy that is not used, so the end of the collection frees this copy.
                if !large {
                    self.region.take_back(bytes);
                }
                return other;
            }
        } else {
            cell.store(to, Ordering::Relaxed);
        }
        if large {
            self.uses.find_large(Value(to));
            // SAFETY: `to` is the whole copy, which only this member has.
            unsafe { self.push_slots(Value(to)) };
        }
        if MAJOR && header.is_thread() {
            // SAFETY: `to` is the whole copy of a thread's object. This member has made the copy, and no other member uses it.
            unsafe { self.thread(Value(to)) };
        }
        self.counts.copied += bytes as u64;
        self.counts.objects += 1;
        to
    }

    /// Keeps the strand of a thread whose object was reached.
    ///
    /// # Safety
    /// `object` must be the copy of a thread's object that this member has just made.
    #[cold]
    unsafe fn thread(&mut self, object: Value) {
        // SAFETY: the copy has a word for its strand. A thread's object has an identity, so only the member whose exchange has moved the
        // object calls this function.
        unsafe {
            let strand = thread_object::strand_of(object);
            if !strand.is_null() && (*strand).weak {
                // Relaxed: other threads read this flag only when the collection is over.
                (*strand).reached.store(true, Ordering::Relaxed);
                self.strands.push(strand);
            }
        }
    }

    #[cold]
    fn refill(&mut self, bytes: usize) -> Option<usize> {
        if self.scan < self.region.next {
            self.parts.push(Part::Objects(self.scan, self.region.next));
        }
        // A few long objects may have filled the chunk, so the next scanned object leads to a check for members without work.
        self.look = 1;
        let refilled = self.world.heap().refill(&mut self.region);
        // Even if there is no other chunk, the copies in the full chunk must be scanned.
        self.scan = self.region.next;
        refilled.ok()?;
        self.region.populate();
        self.region.take(bytes)
    }

    #[cold]
    fn new_large(&mut self, bytes: usize) -> Option<usize> {
        Some(self.world.heap().take_large(bytes).ok()?.0)
    }

    /// Divides the slots of an object into parts.
    ///
    /// # Safety
    /// All words of `object` must be written, and only this member may scan its slots.
    #[cold]
    unsafe fn push_slots(&mut self, object: Value) {
        // SAFETY: the object is whole, so it has a header, and no member moves it once more.
        let shape = unsafe { object.header() }.shape();
        let mut first = shape.first;
        while first < shape.end {
            let count = SLOTS.min(shape.end - first);
            self.parts.push(Part::Slots(object.slot(first), count));
            first += count;
        }
    }

    /// Copies the objects to which an object refers.
    ///
    /// # Safety
    /// `object` must be an object. No other thread may write to its slots.
    #[inline]
    pub(super) unsafe fn object(&mut self, object: Value, header: Header) {
        let shape = header.shape();
        for index in shape.first..shape.end {
            // SAFETY: `index` is among the pointers of the shape, so the slot holds a value, and no other thread writes to it.
            unsafe { self.slot(object.slot(index)) };
        }
    }

    /// Takes over the part that another member has given away. This member must have nothing left to scan.
    ///
    /// # Safety
    /// No other member may touch the part from now on.
    pub unsafe fn part(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// Scans copies until all are scanned.
    ///
    /// # Safety
    /// No other member may have the copies.
    pub unsafe fn scan_all(&mut self) {
        // SAFETY: the objects are whole copies, the slots are within objects, and only this member has them: it made them, or another
        // member gave them to it.
        unsafe {
            loop {
                while self.at < self.top {
                    let object = Value(self.at);
                    let header = object.header();
                    let shape = header.shape();
                    self.at += shape.bytes();
                    if MAJOR && shape.end - shape.first > FEW_SLOTS {
                        self.push_slots(object);
                        continue;
                    }
                    self.object(object, header);
                    if MAJOR {
                        self.look -= 1;
                        if self.look == 0 {
                            self.look_up();
                        }
                    }
                }
                if self.scan < self.region.next {
                    (self.at, self.top) = (self.scan, self.region.next);
                    self.scan = self.region.next;
                } else if let Some(part) = self.parts.pop() {
                    match part {
                        Part::Objects(at, top) => (self.at, self.top) = (at, top),
                        Part::Slots(first, count) => self.slots(first, count),
                    }
                } else if let Some(strand) = self.strands.pop() {
                    self.root(Root::Strand(strand));
                } else {
                    return;
                }
            }
        }
    }

    /// Scans slots. As soon as another member has no work, divides the remaining slots into two parts, one for this member and one for the
    /// other member.
    ///
    /// # Safety
    /// No other member may have the slots.
    unsafe fn slots(&mut self, first: *mut usize, count: usize) {
        let mut done = 0;
        while done < count {
            let next = count.min(done + FEW_SLOTS);
            while done < next {
                // SAFETY: `done` is below `count`, and the slots are this member's.
                unsafe { self.slot(first.add(done)) };
                done += 1;
            }
            if self.team.is_some_and(Team::is_hungry) {
                let half = (count - done) / 2;
                for (at, count) in [(done, half), (done + half, count - done - half)] {
                    if count > 0 {
                        // SAFETY: `at` is at most `count`.
                        self.parts
                            .push(Part::Slots(unsafe { first.add(at) }, count));
                    }
                }
                // SAFETY: no object is being scanned.
                unsafe { self.look_up() };
                return;
            }
        }
    }

    /// Gives half of the remaining work to a member without work.
    ///
    /// # Safety
    /// All words of the copies between `at` and `top` must be written, and no other member may have these copies.
    #[cold]
    unsafe fn look_up(&mut self) {
        self.look = LOOK_EVERY;
        let Some(team) = self.team.filter(|team| team.is_hungry()) else {
            return;
        };
        if !self.parts.is_empty() {
            let half = self.parts.len().div_ceil(2);
            team.give(self.parts.drain(..half));
        } else if self.region.next - self.scan >= SMALL {
            team.give([Part::Objects(self.scan, self.region.next)].into_iter());
            self.scan = self.region.next;
        } else if self.top - self.at >= 2 * SMALL {
            let mut middle = self.at;
            while middle < self.at.midpoint(self.top) {
                // SAFETY: between `at` and `top` there are whole copies, one behind the other, which only this member looks at.
                middle += unsafe { Value(middle).header() }.shape().bytes();
            }
            team.give([Part::Objects(middle, self.top)].into_iter());
            self.top = middle;
        }
    }
}

/// Copies words. Most objects have few words, so a call of `memcpy` would take longer than this loop.
///
/// # Safety
/// `from` must have `count` words to read, and `to` must have room for `count` words. No other thread may use these words during the call.
/// The two ranges must not overlap.
#[inline]
unsafe fn copy_words(from: *const usize, to: *mut usize, count: usize) {
    // SAFETY: there are `count` words at both addresses, and they do not overlap, so each `at` is within them.
    unsafe {
        if count <= 4 {
            for at in 0..count {
                to.add(at).write(from.add(at).read());
            }
        } else {
            std::ptr::copy_nonoverlapping(from, to, count);
        }
    }
}
