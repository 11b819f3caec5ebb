//! Memory of the heap: one reserved range of addresses, which is divided into granules. At any time, each granule has one use.
//!
//! The old generation is a list of chunks of several granules, filled from the front. An object that is larger than [`LARGE`] has granules
//! of its own, and does not move.

use std::sync::Arc;

use crate::memory::uses::{GRANULE, Use, Uses};
use crate::value::object::{Header, Value, WORD};

/// Number of granules of a chunk of the old generation.
const CHUNK: usize = 4;
/// Maximum number of bytes of an object that is not large.
pub const LARGE: usize = 1 << 15;
/// Number of bytes of the address range that is reserved for a worker's young generation, however much of this range is in use.
pub const YOUNG_SPAN: usize = 1 << 22;
/// Number of bytes of the address range that is reserved for the young generations of all workers. Compiled code compares with `ZONE_SPAN`
/// to find out whether an address belongs to a young object.
pub const ZONE_SPAN: usize = 64 * YOUNG_SPAN;

/// A chunk of the old generation.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// The first object.
    pub start: usize,
    /// The end of the last object, according to the last call of [`Heap::note`].
    pub top: usize,
}

/// The chunk of the old generation that one worker fills.
#[derive(Clone, Copy, Debug, Default)]
pub struct Region {
    /// The index of the chunk among the heap's chunks, if there is a chunk.
    chunk: usize,
    /// Address of the next object.
    pub next: usize,
    /// The end of the chunk; 0 if there is no chunk.
    end: usize,
    /// Whether some pages of the chunk have no memory from the system yet.
    fresh: bool,
}

impl Region {
    /// Offsets of the fields that compiled code uses.
    pub(crate) const NEXT: usize = std::mem::offset_of!(Region, next);
    pub(crate) const END: usize = std::mem::offset_of!(Region, end);

    /// Takes memory from the chunk, if the chunk has enough free memory.
    #[inline]
    pub fn take(&mut self, bytes: usize) -> Option<usize> {
        let address = self.next;
        if self.end - address < bytes {
            return None;
        }
        self.next += bytes;
        Some(address)
    }

    /// Requests the chunk's memory from the system if the chunk is new and has no memory. This single call takes half the time of the page
    /// faults that it avoids.
    pub fn populate(&mut self) {
        if std::mem::take(&mut self.fresh) {
            // SAFETY: the range from `next` to `end` belongs to this region. The call does not change its contents. If the call fails, the
            // memory comes by page faults, as before.
            unsafe {
                libc::madvise(
                    self.next as *mut _,
                    self.end - self.next,
                    libc::MADV_POPULATE_WRITE,
                );
            }
        }
    }

    /// Returns the end of the chunk.
    #[must_use]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Returns the most recently taken memory to the chunk.
    #[inline]
    pub fn take_back(&mut self, bytes: usize) {
        self.next -= bytes;
    }
}

/// The memory of a world's old and large objects.
pub struct Heap {
    uses: Arc<Uses>,
    /// The maximum number of granules in use while no collection runs. If there is a reserve, this maximum is less than `limit`.
    usual: usize,
    /// The number of granules that may be in use at present: `usual`, or all granules while a collection uses the reserve.
    most: usize,
    /// The number of collections that run at present.
    collections: usize,
    /// For each granule, whether the system has given it memory. A free granule may keep the memory that the system has given it.
    resident: Vec<bool>,
    used: usize,
    /// The index after the last granule that was ever used.
    high: usize,
    limit: usize,
    search: usize,
    /// Chunks of the old generation.
    chunks: Vec<Chunk>,
    /// All large objects.
    pub large: Vec<Value>,
    /// The largest number of granules that were in use at the same time.
    pub peak: usize,
}

/// The error of a heap that has reached its limit.
#[derive(Clone, Copy, Debug)]
pub struct Full;

impl Heap {
    /// Makes a heap that takes at most `limit` bytes.
    ///
    /// # Errors
    /// Returns an error if the system has no range of addresses for the heap.
    pub fn new(limit: usize) -> std::io::Result<Heap> {
        let limit = limit.div_ceil(GRANULE).max(2 * YOUNG_SPAN / GRANULE);
        // The heap reserves twice as many addresses as it may use, because large objects leave holes.
        let mut granules = 2 * limit;
        let base = loop {
            match reserve((granules + 1) * GRANULE) {
                Ok(base) => break base,
                Err(_) if granules > limit => granules = limit,
                Err(error) => return Err(error),
            }
        };
        Ok(Heap {
            uses: Arc::new(Uses::new(base.next_multiple_of(GRANULE), granules)),
            usual: limit,
            most: limit,
            collections: 0,
            resident: vec![false; granules],
            used: 0,
            high: 0,
            limit,
            search: 0,
            chunks: Vec::new(),
            large: Vec::new(),
            peak: 0,
        })
    }

    /// Keeps half of the memory for collections. A collection copies at most all old and all young objects. The copies of the old objects
    /// fit into that half. To copy the young objects, a collection may exceed the limit.
    pub fn keep_reserve(&mut self) {
        self.usual = self.limit / 2;
        self.most = self.usual;
    }

    /// Notes that a collection begins. The collection may use the reserve.
    pub fn open_reserve(&mut self) {
        self.collections += 1;
        if self.usual < self.limit {
            self.most = self.uses.len();
        }
    }

    /// Notes that a collection has ended.
    pub fn close_reserve(&mut self) {
        self.collections -= 1;
        if self.collections == 0 {
            self.most = self.usual;
        }
    }

    /// Returns true if more granules are in use than the maximum while no collection runs.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.used > self.usual
    }

    /// Returns the table of the granules' uses, which can be read without a lock.
    #[must_use]
    pub fn uses(&self) -> Arc<Uses> {
        self.uses.clone()
    }

    /// Takes consecutive granules.
    ///
    /// # Errors
    /// Returns an error at the limit.
    pub fn take(&mut self, count: usize, as_what: Use) -> Result<usize, Full> {
        let (address, _) = self.take_granules(count, as_what)?;
        Ok(address)
    }

    /// Like [`take`](Self::take), but also returns whether some of the granules have no memory from the system yet.
    fn take_granules(&mut self, count: usize, as_what: Use) -> Result<(usize, bool), Full> {
        if self.used + count > self.most {
            return Err(Full);
        }
        let at = self
            .find(self.search, count)
            .or_else(|| self.find(0, count))
            .ok_or(Full)?;
        self.search = at + count;
        self.used += count;
        self.peak = self.peak.max(self.used);
        self.uses.fill(at, count, as_what);
        self.high = self.high.max(at + count);
        let resident = &mut self.resident[at..at + count];
        let fresh = resident.contains(&false);
        resident.fill(true);
        Ok((self.uses.base() + at * GRANULE, fresh))
    }

    fn find(&self, from: usize, count: usize) -> Option<usize> {
        let mut start = from;
        while start + count <= self.uses.len() {
            let run = (0..count).rposition(|at| self.uses.get(start + at) != Use::Free);
            match run {
                None => return Some(start),
                Some(taken) => start += taken + 1,
            }
        }
        None
    }

    /// Frees granules.
    pub fn give(&mut self, address: usize, count: usize) {
        let at = self.uses.index(address);
        self.uses.fill(at, count, Use::Free);
        self.used -= count;
        self.search = self.search.min(at);
    }

    /// Counts memory outside of the heap as used granules, until a call of [`repay`](Self::repay).
    ///
    /// # Errors
    /// Returns an error at the limit.
    pub fn lend(&mut self, count: usize) -> Result<(), Full> {
        if count > self.most.saturating_sub(self.used) {
            return Err(Full);
        }
        self.used += count;
        self.peak = self.peak.max(self.used);
        Ok(())
    }

    /// Ends the count that [`lend`](Self::lend) began.
    pub fn repay(&mut self, count: usize) {
        self.used -= count;
    }

    /// Takes memory for a large object.
    ///
    /// # Errors
    /// Returns an error at the limit.
    pub fn take_large(&mut self, bytes: usize) -> Result<Value, Full> {
        let count = bytes.div_ceil(GRANULE);
        let address = self.take(count, Use::LargeRest)?;
        self.uses.fill(self.uses.index(address), 1, Use::Large);
        self.large.push(Value(address));
        Ok(Value(address))
    }

    /// Gives a region a new, empty chunk.
    ///
    /// # Errors
    /// Returns an error at the limit.
    pub fn refill(&mut self, region: &mut Region) -> Result<(), Full> {
        let (start, fresh) = self.take_granules(CHUNK, Use::Old)?;
        self.note(region);
        *region = Region {
            chunk: self.chunks.len(),
            next: start,
            end: start + CHUNK * GRANULE,
            fresh,
        };
        self.chunks.push(Chunk { start, top: start });
        Ok(())
    }

    /// Records in the heap's list of chunks how far a region has filled its chunk.
    pub fn note(&mut self, region: &Region) {
        if region.end != 0 {
            self.chunks[region.chunk].top = region.next;
        }
    }

    /// Begins a major collection, which moves all objects out of the present chunks. Returns these chunks for [`Heap::leave`]. No caller
    /// may use a region that was filled before this call.
    pub fn flip(&mut self) -> Vec<Chunk> {
        let from = std::mem::take(&mut self.chunks);
        for chunk in &from {
            let at = self.uses.index(chunk.start);
            self.uses.fill(at, CHUNK, Use::From);
        }
        from
    }

    /// Ends a major collection: frees the chunks that the collection has evacuated, and the large objects that it has not found.
    pub fn leave(&mut self, from: &[Chunk]) {
        for chunk in from {
            self.give(chunk.start, CHUNK);
        }
        for object in std::mem::take(&mut self.large) {
            let at = self.uses.index(object.0);
            if self.uses.get(at) == Use::LargeFound {
                self.uses.fill(at, 1, Use::Large);
                self.large.push(object);
            } else {
                let rest = (at + 1..self.uses.len())
                    .take_while(|at| self.uses.get(*at) == Use::LargeRest)
                    .count();
                self.give(object.0, rest + 1);
            }
        }
        self.search = 0;
    }

    /// Gives free memory back to the system, except for `keep` bytes.
    pub fn release(&mut self, keep: usize) {
        let mut keep = keep / GRANULE;
        let mut at = 0;
        while at < self.high {
            if self.uses.get(at) != Use::Free || !self.resident[at] {
                at += 1;
            } else if keep > 0 {
                keep -= 1;
                at += 1;
            } else {
                let start = at;
                while at < self.high && self.uses.get(at) == Use::Free && self.resident[at] {
                    self.resident[at] = false;
                    at += 1;
                }
                // SAFETY: these granules belong to the heap and are free, so nothing reads their contents.
                unsafe {
                    libc::madvise(
                        (self.uses.base() + start * GRANULE) as *mut _,
                        (at - start) * GRANULE,
                        libc::MADV_DONTNEED,
                    );
                }
            }
        }
    }

    /// Returns the number of bytes that old and large objects use, in whole granules.
    #[must_use]
    pub fn old_bytes(&self) -> usize {
        self.used * GRANULE
    }

    /// Returns the limit in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit * GRANULE
    }

    /// Passes all old and large objects to `look`. The filled parts of regions must have been [noted](Self::note).
    pub fn each_old(&self, mut look: impl FnMut(Value)) {
        for chunk in &self.chunks {
            let mut at = chunk.start;
            while at < chunk.top {
                // SAFETY: chunks are filled with objects without gaps.
                let header = unsafe { Value(at).header() };
                look(Value(at));
                at += header.shape().bytes();
            }
        }
        for large in &self.large {
            look(*large);
        }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // The reservation began at most one granule below the heap. The addresses in between stay reserved, but use no memory. SAFETY:
        // `reserve` mapped the range, and no pointer into it is left.
        unsafe {
            libc::munmap(self.uses.base() as *mut _, self.uses.len() * GRANULE);
        }
    }
}

/// Reserves a range of addresses, and returns its start. The system supplies the memory at an address at the first access to the address.
pub fn reserve(bytes: usize) -> std::io::Result<usize> {
    // SAFETY: the call makes a new mapping, and changes no other memory.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error());
    }
    Ok(address as usize)
}

/// Writes a header.
///
/// # Safety
/// `address` must be a multiple of a word's size. The memory for the object must begin at `address`, and no other thread may use this
/// memory.
pub unsafe fn set_header(address: usize, header: Header) {
    debug_assert_eq!(address % WORD, 0);
    // SAFETY: the caller has memory for the object at this address, and no other thread uses this memory yet. The address is a multiple of
    // a word's size.
    unsafe { *(address as *mut u64) = header.0 }
}
