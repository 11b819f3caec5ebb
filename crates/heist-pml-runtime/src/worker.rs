//! A worker: all that a thread that runs compiled code has. Compiled code holds its address in a register.

use std::mem::offset_of;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::collector;
use super::defaults;
use super::frames::Frames;
use super::graph::Forwards;
use super::heap::{GRANULE, LARGE, Region, YOUNG_SPAN, set_header};
use super::memory::Memory;
use super::object::{BUILTINS, Header, MAX_LENGTH, Value, WORD};
use super::promote::{self, Copies};
use super::protocol::doorbell::Doorbell;
use super::stack::Stack;
use super::stats::Stats;
use super::strand::Strand;
use super::tasks::Tasks;
use super::thread::ready::Ready;
use super::trace::Tracing;
use super::trail::Known;
use super::world::World;
use crate::exn::BuiltinExn;

/// The fields that have an entry in [`Offsets`] are read and written by compiled code.
#[repr(C)]
pub struct Worker {
    /// Address of the next young object.
    pub alloc: usize,
    /// The words by which other threads have compiled code call the runtime.
    pub bell: Doorbell,
    /// Start of the young generations of all workers: they span `ZONE_SPAN`.
    pub young: usize,
    /// The frame pointer of the thunk that called the runtime.
    pub frame: usize,
    /// The exception that is raised when the runtime returns; 0 if there is none.
    pub pending: Value,
    /// Addresses of functions of the runtime.
    pub functions: *const usize,
    /// Address of the next entry for a slot that is old and may refer to a young object.
    pub remembered: *mut usize,
    /// One past the last place for handles.
    pub remembered_end: *mut usize,
    /// Exceptions of the runtime without payload, by number.
    pub packets: *const Value,
    /// Stack pointer when compiled code was entered.
    pub entered: usize,
    /// The result of a slow allocation: the call preserves all registers, so none can hold a result.
    pub taken: usize,
    /// One past the newest of the return addresses that marks and barriers of the strand replace.
    pub marks_end: *mut usize,
    /// Result of a join: 0 if the right side must be computed here, 1 if its results are here, 2 if it raised.
    pub joined: usize,
    /// The arguments of the code that a thief runs.
    pub env: usize,
    /// The results of a thief, or the exception that it raised.
    pub results: [usize; 8],
    /// Not 0 if a barrier was passed.
    pub passed: usize,
    /// The stack pointer of a strand that has begun to wait.
    pub suspended: usize,

    /// Not 0 if other workers may see stores into old objects: see `promote`.
    pub shared: AtomicUsize,
    /// Not 0 if the strand must record the lazy values that it computes: others may wait for them, or it may end before it has
    /// them.
    pub recorded: AtomicUsize,
    /// The private deque, in programs of clones.
    pub tasks: Tasks,
    /// The origin of the newest exception (see `trail`).
    pub raised: usize,
    /// The strand that it runs.
    pub(super) strand: *mut Strand,
    /// Start and end of its own young generation.
    pub(super) nursery: usize,
    pub(super) young_end: usize,
    /// The chunk of the old generation that it fills.
    pub(super) region: Region,
    /// Start of the memory that `alloc` traverses: the young generation, or the chunk if the heap is flat.
    pub(super) filled_from: usize,
    pub(super) copies: Copies,
    pub(super) forwards: Forwards,
    pub(super) remembered_slots: Vec<usize>,
    pub(super) remembered_objects: Vec<Value>,
    pub(super) handles: Vec<Value>,
    /// Strands that are ready to run here.
    pub(super) ready: Ready,
    /// Counts.
    pub stats: Stats,
    world: Arc<World>,
    /// The strand of programs that run here from their beginning.
    own: Option<Box<Strand>>,
    _functions: Box<[usize]>,
}

/// The minimum share of a divided young generation, if one worker would have more.
const SMALLEST_YOUNG: usize = 1 << 20;

/// Offsets of the fields that compiled code uses.
pub struct Offsets;

// The poll and the request for work are the halves of one aligned word.
const _: () = {
    assert!(offset_of!(Worker, bell.poll) % 8 == 0);
    assert!(offset_of!(Worker, bell.wanted) == offset_of!(Worker, bell.poll) + 4);
};

#[allow(missing_docs)]
impl Offsets {
    pub const ALLOC: i32 = offset_of!(Worker, alloc) as i32;
    pub const LIMIT: i32 = offset_of!(Worker, bell.limit) as i32;
    pub const POLL: i32 = offset_of!(Worker, bell.poll) as i32;
    pub const WANTED: i32 = offset_of!(Worker, bell.wanted) as i32;
    pub const YOUNG: i32 = offset_of!(Worker, young) as i32;
    pub const FRAME: i32 = offset_of!(Worker, frame) as i32;
    pub const PENDING: i32 = offset_of!(Worker, pending) as i32;
    pub const FUNCTIONS: i32 = offset_of!(Worker, functions) as i32;
    pub const REMEMBERED: i32 = offset_of!(Worker, remembered) as i32;
    pub const REMEMBERED_END: i32 = offset_of!(Worker, remembered_end) as i32;
    pub const PACKETS: i32 = offset_of!(Worker, packets) as i32;
    pub const TAKEN: i32 = offset_of!(Worker, taken) as i32;
    pub const JOINED: i32 = offset_of!(Worker, joined) as i32;
    pub const ENV: i32 = offset_of!(Worker, env) as i32;
    pub const RECORDED: i32 = offset_of!(Worker, recorded) as i32;
    pub const SHARED: i32 = offset_of!(Worker, shared) as i32;
    pub const RESULTS: i32 = offset_of!(Worker, results) as i32;
    pub const TASKS_TOP: i32 = offset_of!(Worker, tasks.top) as i32;
    pub const TASKS_BOTTOM: i32 = offset_of!(Worker, tasks.bottom) as i32;
    pub const TASKS_END: i32 = offset_of!(Worker, tasks.end) as i32;
    pub const RAISED: i32 = offset_of!(Worker, raised) as i32;
}

/// Options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most bytes of the heap.
    pub heap: usize,
    /// Bytes of the young generation. Workers that run at the same time divide them.
    pub young: usize,
    /// Bytes of the stack of compiled code.
    pub stack: usize,
    /// Collect at every allocation that asks, and verify the heap: for tests.
    pub stress: bool,
    /// Print allocations and collections at the end.
    pub stats: bool,
    /// The file for the same data as JSON.
    pub stats_json: Option<PathBuf>,
    /// Number of workers that run programs that fork.
    pub workers: usize,
    /// Every poll publishes all it can: for tests.
    pub publish: bool,
    /// Keep half of the heap for collections, so that other programs can run after one that has used up the other half.
    pub reserve: bool,
    /// Ways in which workers share the heap.
    pub memory: Memory,
    /// The trace to make: then even programs that fork nothing run on threads of a pool.
    pub trace: Option<Tracing>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            heap: defaults::memory() / 5 * 4,
            young: YOUNG_SPAN,
            stack: 4 << 30,
            stress: false,
            stats: false,
            stats_json: None,
            workers: 1,
            publish: false,
            reserve: false,
            memory: Memory::Split,
            trace: None,
        }
    }
}

/// A place where a function of the runtime keeps a value that moves.
#[derive(Clone, Copy, Debug)]
pub struct Handle(usize);

impl Worker {
    /// The first worker of a new world, with a strand of its own.
    ///
    /// # Errors
    /// Returns an error if the system has no memory for the heap and the stack.
    pub fn new(options: Options) -> std::io::Result<Box<Worker>> {
        let stack = Stack::new(options.stack, 0, options.reserve)?;
        let strand = Box::new(Strand::new(Some(stack), 0));
        let world = Arc::new(World::new(options)?);
        let mut worker = Worker::join(&world)?;
        let own: *mut Strand = &raw mut **worker.own.insert(strand);
        world.add_strand(own);
        Ok(worker)
    }

    /// Another worker of a world.
    ///
    /// # Errors
    /// Returns an error if it has too many.
    pub fn join(world: &Arc<World>) -> std::io::Result<Box<Worker>> {
        let table = super::table::FUNCTIONS
            .iter()
            .map(|function| (function.address)() as usize);
        let functions: Box<[usize]> = super::entry::internals()
            .into_iter()
            .chain(table)
            .chain(super::entry::lasts())
            .collect();
        let mut remembered_slots = vec![0; 1 << 10];
        let range = remembered_slots.as_mut_ptr_range();
        let identities = world.inner().identities;
        let mut worker = Box::new(Worker {
            alloc: 0,
            bell: Doorbell::new(world.options.stress, world.options.publish),
            young: world.zone,
            frame: 0,
            pending: Value(0),
            functions: functions.as_ptr(),
            remembered: range.start,
            remembered_end: range.end,
            packets: std::ptr::null(),
            entered: 0,
            taken: 0,
            marks_end: std::ptr::null_mut(),
            joined: 0,
            env: 0,
            results: [0; 8],
            passed: 0,
            suspended: 0,
            shared: AtomicUsize::new(0),
            recorded: AtomicUsize::new(usize::from(world.options.reserve)),
            tasks: Tasks::default(),
            raised: 0,
            strand: std::ptr::null_mut(),
            nursery: 0,
            young_end: 0,
            region: Region::default(),
            filled_from: 0,
            copies: Copies::default(),
            forwards: Forwards::default(),
            remembered_slots,
            remembered_objects: Vec::new(),
            handles: Vec::new(),
            ready: Ready::default(),
            stats: Stats::default(),
            world: world.clone(),
            own: None,
            _functions: functions,
        });
        if !identities.is_null() {
            worker.know(identities);
        }
        if !world.add_worker(&raw mut *worker) {
            return Err(std::io::Error::other("too many workers"));
        }
        // `World::share` tells the workers in the list, and this one may have come into it a moment later.
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

    /// Gives a new worker its young generation. Called before others can see the worker, because a collection of theirs may empty it
    /// at once.
    pub(super) fn settle_in(&mut self, number: usize) {
        let nursery = self.world.zone + number * YOUNG_SPAN;
        self.nursery = nursery;
        self.ready.number = number;
        if !self.is_flat() {
            (self.alloc, self.filled_from) = (nursery, nursery);
        }
        self.fit_young();
    }

    /// Sets the size of the young generation, which is empty: workers that run at the same time divide the size of one.
    pub(super) fn fit_young(&mut self) {
        if !self.is_flat() {
            debug_assert_eq!(self.alloc, self.nursery, "it is empty");
            let (young, workers) = (self.options().young, self.options().workers.max(1));
            let size = if self.world.is_shared() {
                young.min(SMALLEST_YOUNG.max(young / workers))
            } else {
                young
            };
            self.young_end = self.nursery + size.clamp(4 * LARGE, YOUNG_SPAN) / WORD * WORD;
        }
        self.reset_limit();
    }

    /// The world it belongs to.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The same, to keep.
    #[must_use]
    pub fn shared_world(&self) -> Arc<World> {
        self.world.clone()
    }

    /// The options of the world.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.world.options
    }

    /// The strand of programs that run here from their beginning.
    pub(super) fn own_strand(&mut self) -> *mut Strand {
        let own = self.own.as_mut().expect("the first worker of a world");
        &raw mut **own
    }

    fn know(&mut self, identities: *const Value) {
        // SAFETY: code generation puts the packets after the `BUILTINS` identities, in one table that stays as long as the program.
        self.packets = unsafe { identities.add(BUILTINS) };
    }

    /// Makes a worker check for requests at its next poll or allocation. On any thread.
    ///
    /// # Safety
    /// The worker is there.
    pub unsafe fn ring(worker: *mut Worker) {
        // SAFETY: the worker exists, and stays until its thread has ended. This reaches only its doorbell, all of whose fields are atomics.
        unsafe { (*worker).bell.ring() };
    }

    /// The limit at which allocations stop, if no request is pending.
    fn limit(&self) -> usize {
        if self.options().stress {
            0
        } else {
            self.young_end
        }
    }

    /// Sets that limit. A request stays.
    pub(super) fn reset_limit(&self) {
        self.bell.set_limit(self.limit());
    }

    // --- What functions of the runtime use ---

    /// Keeps a value alive across possible collections. Give all back by [`Worker::release`].
    pub fn hold(&mut self, value: Value) -> Handle {
        self.handles.push(value);
        Handle(self.handles.len() - 1)
    }

    /// The value of a handle, where it is now.
    #[must_use]
    pub fn held(&self, handle: Handle) -> Value {
        self.handles[handle.0]
    }

    /// Another value for a handle.
    pub fn set_held(&mut self, handle: Handle, value: Value) {
        self.handles[handle.0] = value;
    }

    /// Gives back a handle and all that were made after it.
    pub fn release(&mut self, handle: Handle) {
        self.handles.truncate(handle.0);
    }

    /// A new string (or `bytes`) of these bytes. May collect.
    pub fn string(&mut self, bytes: &[u8]) -> Value {
        let string = self.new_bytes(bytes.len());
        // SAFETY: `string` is new, of this length and not moved since; no other thread can see it yet.
        unsafe { string.bytes_mut() }.copy_from_slice(bytes);
        string
    }

    /// New bytes, all 0. May collect. At most `MAX_LENGTH`.
    pub fn new_bytes(&mut self, length: usize) -> Value {
        self.tagged_bytes(0, length)
    }

    fn tagged_bytes(&mut self, tag: u16, length: usize) -> Value {
        // SAFETY: the next line fills all words of the object, before anything allocates.
        let object = unsafe { self.allocate(Header::bytes(tag, length)) };
        // SAFETY: `object` was allocated above, with so many words, and nothing was collected since. The header gives it room for the
        // length, rounded up to words.
        unsafe { std::ptr::write_bytes(object.slot(0), 0, length.div_ceil(WORD)) };
        object
    }

    /// A new IntInf. May collect.
    pub fn intinf(&mut self, number: &num_bigint::BigInt) -> Value {
        match super::object::intinf(number) {
            Ok(small) => Value::immediate(small),
            Err((tag, bytes)) => {
                let object = self.tagged_bytes(tag, bytes.len());
                // SAFETY: `object` is new, of this length and not moved since; no other thread can see it yet.
                unsafe { object.bytes_mut() }.copy_from_slice(&bytes);
                object
            }
        }
    }

    /// A new record: pointers, then other words. May collect, and then `ptrs` are old addresses: give handles instead.
    pub fn record(&mut self, tag: u16, ptrs: &[Handle], raws: &[usize]) -> Value {
        // SAFETY: the loops below write all words of the object, and nothing allocates before they have.
        let object = unsafe { self.allocate(Header::record(tag, ptrs.len(), raws.len())) };
        for (index, handle) in ptrs.iter().enumerate() {
            // SAFETY: `object` was allocated above with `ptrs.len()` pointers, and nothing was collected since; no other worker can see it
            // yet.
            unsafe { object.init(index, self.held(*handle).0) };
        }
        for (index, raw) in raws.iter().enumerate() {
            // SAFETY: the `raws.len()` other words follow the pointers in the same new object.
            unsafe { object.init(ptrs.len() + index, *raw) };
        }
        object
    }

    /// A new array or vector whose elements are all `word`. May collect. At most `MAX_LENGTH` elements.
    pub fn array(&mut self, pointers: bool, length: usize, word: usize) -> Value {
        let shared = self.world.is_shared();
        let word = if pointers && shared && (length + 1) * WORD > LARGE {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and what is live is
            // in slots and handles.
            unsafe { promote::promote(self, Value(word)).0 }
        } else {
            word
        };
        let handle = self.hold(if pointers { Value(word) } else { Value(1) });
        // SAFETY: all elements are filled below, before anything allocates.
        let object = unsafe { self.allocate(Header::array(pointers, length)) };
        let word = if pointers { self.held(handle).0 } else { word };
        self.release(handle);
        // SAFETY: `object` was allocated above, with so many words, and nothing was collected since. No other thread can see it yet.
        unsafe { std::slice::from_raw_parts_mut(object.slot(0), length) }.fill(word);
        if pointers && !self.is_young(object) && self.is_young(Value(word)) {
            debug_assert!(!shared, "promoted above");
            self.remembered_objects.push(object);
        }
        object
    }

    /// A new array or vector of words that are no pointers, and that the program writes before it reads them. May collect. At most
    /// `MAX_LENGTH` elements.
    pub fn blank(&mut self, length: usize) -> Value {
        // SAFETY: the header says that the elements are no pointers, so a collection before the program has written them copies them
        // unseen.
        unsafe { self.allocate(Header::array(false, length)) }
    }

    /// Makes compiled code raise an exception of the runtime when the function returns.
    pub fn raise(&mut self, exn: BuiltinExn) {
        assert!(
            !self.packets.is_null(),
            "only a program that runs can raise"
        );
        // SAFETY: the program that was attached has a table of all of them, for as long as it runs.
        self.pending = unsafe { *self.packets.add(exn as usize) };
    }

    /// The same with a payload (in the layout of the exception's declaration in the Basis): one pointer.
    pub fn raise_with(&mut self, exn: BuiltinExn, payload: Value) {
        assert!(
            !self.packets.is_null(),
            "only a program that runs can raise"
        );
        let payload = self.hold(payload);
        // SAFETY: `identities` is not null, as `packets` is not; the table has an entry for each `BuiltinExn`, and stays as long as the
        // attached programs.
        let identity = unsafe { *self.world.inner().identities.add(exn as usize) };
        let identity = self.hold(identity);
        self.pending = self.record(0, &[identity, payload], &[]);
        self.release(payload);
    }

    /// Writes a pointer into an object that is there, between two programs.
    ///
    /// # Safety
    /// `object` must be an object with a pointer at `index`, which the collector keeps up to date, and no strand may run.
    unsafe fn write(&mut self, object: Value, index: usize, value: Value) {
        // SAFETY: `object` has a pointer at `index`, and no other thread can see it: no strand runs between two programs.
        unsafe { object.init(index, value.0) };
        if self.is_young(value) && !self.is_young(object) {
            // SAFETY: the slot is within `object`, which is not young: only a major collection moves it, and that forgets all remembered
            // slots.
            unsafe { self.remember(object.slot(index)) };
        }
    }

    // --- Allocation ---

    /// Memory for an object, its header written, its words not. May collect.
    ///
    /// # Safety
    /// The words must be filled before any other allocation, because a collection reads them.
    unsafe fn allocate(&mut self, header: Header) -> Value {
        debug_assert!(header.shape().words <= MAX_LENGTH);
        let bytes = header.shape().bytes();
        if bytes > LARGE {
            return self.allocate_large(header);
        }
        let address = if self.alloc + bytes <= self.young_end && !self.options().stress {
            let address = self.alloc;
            self.alloc += bytes;
            address
        } else {
            self.allocate_slowly(bytes)
        };
        // SAFETY: the memory was allocated above for an object of this size, and no other thread uses it.
        unsafe { set_header(address, header) };
        Value(address)
    }

    #[cold]
    fn allocate_large(&mut self, header: Header) -> Value {
        let bytes = header.shape().bytes();
        let many = |worker: &Worker| {
            let threshold = worker.world.inner().threshold;
            worker.world.heap().old_bytes() + bytes > threshold
        };
        if many(self) || self.options().stress {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and what is live is
            // in slots and handles.
            unsafe { collector::collect(self, true) };
        }
        self.stats.allocated += bytes as u64;
        let taken = self.world.heap().take_large(bytes);
        let object = match taken {
            Ok(object) => object,
            Err(_) => {
                // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and what is
                // live is in slots and handles.
                unsafe { collector::collect(self, true) };
                let taken = self.world.heap().take_large(bytes);
                taken.unwrap_or_else(|_| {
                    self.exhausted();
                    self.take_reserved(|heap| heap.take_large(bytes))
                })
            }
        };
        // SAFETY: the memory was allocated above for an object of this size, and no other thread uses it.
        unsafe { set_header(object.0, header) };
        object
    }

    /// Memory for the object of a thread in a flat heap, where all objects are old. May collect.
    pub(super) fn thread_in_chunk(&mut self, header: Header) -> Value {
        // SAFETY: the only caller, `thread::object_of`, fills all words before anything allocates.
        unsafe { self.allocate(header) }
    }

    /// Slow path of an allocation, for compiled code that has used up its young memory.
    #[cold]
    pub fn allocate_slowly(&mut self, bytes: usize) -> usize {
        if self.is_flat() {
            return self.allocate_in_chunk(bytes);
        }
        while self.alloc + bytes > self.young_end || self.options().stress {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and what is live is
            // in slots and handles.
            unsafe { collector::collect(self, false) };
            if self.alloc + bytes > self.young_end && self.alloc == self.nursery {
                self.exhausted();
                self.out_of_memory();
            }
            if self.options().stress {
                break;
            }
        }
        let address = self.alloc;
        self.alloc += bytes;
        address
    }

    /// The same in a flat heap.
    fn allocate_in_chunk(&mut self, bytes: usize) -> usize {
        if self.options().stress || self.world.is_due() {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and what is live is
            // in slots and handles.
            unsafe { collector::collect(self, true) };
        }
        if self.alloc + bytes > self.young_end && !self.next_chunk() {
            // SAFETY: this worker is the calling thread's own; a strand that it runs has noted its newest frame, and its live values are in
            // slots and handles.
            unsafe { collector::collect(self, true) };
            if !self.next_chunk() {
                self.exhausted();
                self.world.heap().open_reserve();
                let has_room = self.next_chunk();
                self.world.heap().close_reserve();
                if !has_room {
                    self.out_of_memory();
                }
            }
        }
        let address = self.alloc;
        self.alloc += bytes;
        address
    }

    /// Goes on with a new chunk of a flat heap. False if there is no memory for it.
    fn next_chunk(&mut self) -> bool {
        self.region = self.filled();
        let world = self.shared_world();
        if world.heap().refill(&mut self.region).is_err() {
            return false;
        }
        self.stats.allocated += (self.alloc - self.filled_from) as u64;
        (self.filled_from, self.alloc) = (self.region.next, self.region.next);
        self.young_end = self.region.end();
        self.reset_limit();
        true
    }

    /// Whether it allocates in chunks of the old generation.
    pub(super) fn is_flat(&self) -> bool {
        self.world.options.memory == Memory::Flat
    }

    /// The chunk of the old generation that it fills, up to the filled part.
    pub(super) fn filled(&self) -> Region {
        let mut region = self.region;
        if self.is_flat() && self.young_end != 0 {
            region.next = self.alloc;
        }
        region
    }

    /// Lets the worker be stopped. The time is a pause.
    ///
    /// # Safety
    /// `worker` must be the calling thread's own, and count as running. No reference to it may be in use: others write to it while it is
    /// stopped.
    pub(super) unsafe fn safepoint(worker: *mut Worker) {
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

    /// Takes the request for attention back; the caller looks at all requests after this.
    pub(super) fn asked_no_more(&self) {
        let again = self.options().stress || self.options().publish;
        self.bell.answer(self.limit(), again);
    }

    /// Leaves the program where it is: an interruption.
    ///
    /// # Safety
    /// Compiled code called this by a thunk, and no frame in between has anything to drop.
    pub unsafe fn abandon(&mut self) -> ! {
        self.asked_no_more();
        self.handles.clear();
        if !self.strand.is_null() {
            // SAFETY: the worker is the calling thread's own and runs this strand, so no other thread uses it.
            unsafe {
                super::lazy::abandon(self, self.strand);
                (*self.strand).keep_marks(0);
            }
        }
        self.pending = Value(0);
        // SAFETY: the call came from compiled code by a thunk, so `enter` or `go_on` has noted where to return, and the Rust frames in
        // between have nothing to drop.
        unsafe { super::stack::leave(self) }
    }

    /// Ensures that there is this number of cells: places that keep the values of one program for later ones. New ones hold
    /// an immediate.
    pub fn reserve_cells(&mut self, count: usize) {
        let old = if self.cells().is_immediate() {
            0
        } else {
            // SAFETY: cells that are no immediate are an array that this function has made, and nothing is collected before its length is
            // read.
            unsafe { self.cells().length() }
        };
        if count <= old {
            return;
        }
        let new = self.array(
            true,
            count.next_power_of_two().max(64),
            Value::immediate(0).0,
        );
        // SAFETY: between two programs nothing runs, so no other reference to `Inner` is in use; this one ends with the statement.
        let before = unsafe { std::mem::replace(&mut self.world.inner_mut().cells, new) };
        for index in 0..old {
            // SAFETY: both arrays have more than `index` elements, as `index < old < count`, and no program runs.
            unsafe { self.write(new, index, before.field(index)) };
        }
    }

    /// The array of all cells.
    #[must_use]
    pub fn cells(&self) -> Value {
        self.world.inner().cells
    }

    /// Returns true if a value is a young object.
    #[inline]
    #[must_use]
    pub fn is_young(&self, value: Value) -> bool {
        self.world.is_young(value)
    }

    /// Whether a value is an object of its own young generation.
    #[inline]
    pub(super) fn is_own(&self, value: Value) -> bool {
        value.0.wrapping_sub(self.nursery) < YOUNG_SPAN && !value.is_immediate()
    }

    /// The promoted copy of a value, if it is an own object that has been copied since the last collection.
    pub(super) fn copy_of(&self, value: Value) -> Option<Value> {
        self.is_own(value).then(|| self.copies.get(value))?
    }

    /// Notes that an old slot refers to a young object.
    ///
    /// # Safety
    /// It is a slot of an object that is not young.
    pub(super) unsafe fn remember(&mut self, slot: *mut usize) {
        // SAFETY: there is room for one more, always: compiled code writes before it looks, too.
        unsafe {
            *self.remembered = slot as usize;
            self.remembered = self.remembered.add(1);
        }
        if self.remembered == self.remembered_end {
            self.grow_remembered();
        }
    }

    /// Makes room for more remembered slots. Many of them ask for a collection.
    pub fn grow_remembered(&mut self) {
        let used = self.remembered_count();
        if used >= 1 << 16 {
            // SAFETY: this worker exists as long as the reference to it.
            unsafe { Worker::ring(self) };
        }
        self.remembered_slots
            .resize(2 * self.remembered_slots.len(), 0);
        let range = self.remembered_slots.as_mut_ptr_range();
        // SAFETY: the buffer is twice as large as before, so `used` is within it.
        self.remembered = unsafe { range.start.add(used) };
        self.remembered_end = range.end;
    }

    pub(super) fn remembered_count(&self) -> usize {
        (self.remembered as usize - self.remembered_slots.as_ptr() as usize) / WORD
    }

    /// Whether old objects may refer to its young ones.
    pub(super) fn remembers(&self) -> bool {
        self.remembered_count() > 0 || !self.remembered_objects.is_empty()
    }

    /// The old slots that may refer to its young objects.
    pub(super) fn remembered(&self) -> &[usize] {
        &self.remembered_slots[..self.remembered_count()]
    }

    /// Whether so many slots were remembered that a collection is due.
    pub(super) fn remembered_is_full(&self) -> bool {
        self.remembered_count() >= 1 << 16
    }

    /// Bytes that the heap had at most.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.world.heap().peak * GRANULE + YOUNG_SPAN
    }

    /// Adds the data of a program. See `program`.
    ///
    /// # Safety
    /// The frames (as `Frames::extend` takes them) and globals must be those of the code that will run. `identities` must be
    /// followed by the same number of packets, and be the same for all programs. All of it must stay in place for as long as the
    /// worker is used.
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

    /// Whether forks of its programs make tasks.
    pub(super) fn has_clones(&self) -> bool {
        self.world.inner().forks.are_clones()
    }

    /// The table of frames.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn worker(stress: bool, memory: Memory) -> Box<Worker> {
        Worker::new(Options {
            heap: 64 << 20,
            stack: 1 << 20,
            stress,
            memory,
            ..Options::default()
        })
        .unwrap()
    }

    #[test]
    fn held_values_survive_and_others_are_freed() {
        let heaps = [Memory::Split, Memory::Copying, Memory::Flat];
        for (stress, memory) in [false, true]
            .into_iter()
            .flat_map(|it| heaps.map(|of| (it, of)))
        {
            let mut worker = worker(stress, memory);
            let text = worker.string(b"kept");
            let kept = worker.hold(text);
            let array = worker.array(true, 10_000, text.0);
            let array = worker.hold(array);
            for round in 0..100 {
                let text = worker.string(format!("{round}").as_bytes());
                let array = worker.held(array);
                // SAFETY: an array of so many.
                unsafe { worker.write(array, round, text) };
                for _ in 0..if stress { 2 } else { 2000 } {
                    worker.new_bytes(1000);
                }
            }
            // SAFETY: these are what was made above.
            unsafe {
                assert_eq!(worker.held(kept).bytes(), b"kept");
                let array = worker.held(array);
                for round in 0..100 {
                    assert_eq!(array.field(round).bytes(), format!("{round}").as_bytes());
                }
                assert_eq!(array.field(9_999).bytes(), b"kept");
            }
            assert!(worker.stats.minor > 5 || memory == Memory::Flat && worker.stats.major > 1);
            // SAFETY: nothing runs.
            unsafe { collector::collect(&raw mut *worker, true) };
            assert!(worker.world().heap().old_bytes() < 1 << 20);
        }
    }

    #[test]
    fn large_objects_come_and_go() {
        let mut worker = worker(false, Memory::Split);
        for round in 0..1000_usize {
            let array = worker.array(false, 100_000, round);
            // SAFETY: an array of so many.
            assert_eq!(unsafe { array.word(99_999) }, round);
        }
        assert!(worker.stats.major > 3);
    }
}
