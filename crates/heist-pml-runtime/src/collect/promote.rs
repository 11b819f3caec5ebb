//! Promotion moves or copies an object out of a worker's young generation, before other workers may see the object.
//!
//! *Invariant* after the first publication of a fork: only a worker's own young objects, its handles, and the frames of its running strand
//! refer to the objects of its young generation. The invariant holds because young objects are promoted in four cases:
//!
//! 1. a worker publishes a fork: the worker promotes the arguments of the fork's right side (`fork/publish.rs`);
//! 2. a thief has computed a fork: the thief promotes the results, or the exception (`run/drive.rs`);
//! 3. a strand waits at a join, after which it may continue on another worker: its worker promotes all objects to which the strand refers
//!    (`run/drive.rs`);
//! 4. compiled code stores a young object into an old object or a global: the code checks the ages of the two objects, and calls this
//!    module. The runtime does the same for lazy values (`wait/lazy.rs`).
//!
//! An array that is being filled (`Array.fill` of the Basis) is an exception to rule 4: elements that a worker has stored since its last
//! minor collection may be young. The worker remembers the slots of these elements, as it does for old slots before any fork is published.
//! Before another strand reads these elements, the strand that has stored them must settle the array ([`settle`]), end or wait. Each of
//! these three events empties the worker's young generation. So when a loop fills a large array, one collection promotes the array's
//! elements together.
//!
//! Promotion is lazy: objects that are never shared are never promoted. A small graph of immutable objects is copied, and the originals
//! stay, because no program can distinguish the originals from their copies. If compiled code stores a small record that refers to no other
//! young object, the code itself makes the copy (`codegen/copy.rs` of heist-pml). For any other graph, a minor collection moves the whole
//! young generation. The worker's next minor collection would have copied most of the moved objects in any case.
//!
//! *Rejected*, but available for comparison (`memory/sharing.rs`): promotion by copying every immutable graph, as Manticore does (Rainey,
//! section 3.1), in `graph.rs`; eager promotion of all arguments and results of each fork; a flat heap. *Rejected*: one old region for each
//! worker, and a transfer of chunks between workers. With such regions, stores into old objects would also need a test, and every
//! publication of an old object would transfer all chunks of the region. The only gain would be that workers need not stop for major
//! collections.
//!
//! *Rejected*, after measurements: turning the memory of the young generation into a chunk of the old generation, if most of this memory
//! was in use at the last promotion. This change would copy no objects. But afterwards the worker allocates in memory that is not in its
//! caches. Old objects would no longer be close together, and the garbage among them would stay until the next major collection. On two
//! workers, the ratio of the new time to the old time was 0.93 for quickhull, 1.04 for tree_product, 1.2 for barnes_hut and binary_trees,
//! and 1.17 for a program that alternately makes and sums trees of 65,536 nodes.

use crate::collect::{graph, minor};
use crate::measure::stats::Clock;
use crate::measure::trace;
use crate::memory::sharing::Memory;
use crate::process::ends::fatal;
use crate::state::strand::Strand;
use crate::state::walk::Walk;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::{Value, WORD};

/// The maximum number of objects of a graph that a promotion copies. `BYTES` is the maximum number of the graph's bytes.
const OBJECTS: usize = 16;
const BYTES: usize = 512;

/// Prepares for more than one worker: moves all young objects to the old generation, including references and arrays to which old objects
/// refer.
///
/// # Safety
/// The worker must run a strand that has noted its newest frame, and no other worker may have run code of these programs.
pub unsafe fn begin_to_share(worker: *mut Worker, world: &World) {
    // SAFETY: `worker` is this thread's own, and its strand has noted its newest frame, so `minor` finds all roots. No other worker has run
    // anything of these programs, so none has young objects of theirs.
    unsafe {
        minor::minor(worker, (*worker).strand, &mut []);
        world.share();
        (*worker).fit_young();
    }
}

/// Returns an object that is equal to the given value and that other workers may see.
///
/// # Safety
/// The worker must be the calling thread's own, and run a strand that has noted its newest frame. Young objects may move.
pub unsafe fn promote(worker: *mut Worker, value: Value) -> Value {
    // SAFETY: `worker` is this thread's own, and its strand has noted its newest frame, so `promote_all` finds all roots. `value` is one of
    // them, so it is up to date after the collection.
    unsafe {
        let mut value = value;
        if !(*worker).is_own(value) {
            return value;
        }
        if let Some(copy) = copy(worker, value) {
            return copy;
        }
        promote_all(worker, (*worker).strand, &mut [&mut value.0]);
        value
    }
}

/// Promotes the elements of an array that the worker's strand has filled, so that other workers may read the array.
///
/// # Safety
/// The worker must be the calling thread's own, and run a strand that has noted its newest frame. Young objects may move.
pub unsafe fn settle(worker: *mut Worker, array: Value) {
    // SAFETY: `worker` is this thread's own, and its strand has noted its newest frame. `array` is not used after the collection.
    unsafe {
        if !(*worker).is_own(array) && (*worker).remembers() {
            promote_all(worker, (*worker).strand, &mut []);
        }
    }
}

/// With eager promotion, promotes a result of a fork that no thief has taken.
///
/// # Safety
/// Only a thunk may call this function.
pub unsafe extern "C" fn promote_result(worker: *mut Worker, value: Value) -> Value {
    // SAFETY: the thunk has noted its frame, and live values are in slots of frames.
    unsafe { promote(worker, value) }
}

/// Moves all young objects to which the worker and the roots refer to the old generation.
///
/// # Safety
/// The worker must be the calling thread's own, and `strand` must be the strand whose frames may refer to the worker's young objects, or
/// null. No other thread may write to the roots.
pub unsafe fn promote_all(worker: *mut Worker, strand: *mut Strand, roots: &mut [&mut usize]) {
    // SAFETY: `worker` is this thread's own. Only `strand`, `roots` and the worker's own fields refer to the worker's young objects, and no
    // other thread writes to them.
    unsafe {
        if (*worker).is_flat() {
            return;
        }
        trace::begins(&trace::PROMOTION, 0);
        let before = (*worker).stats.clone();
        minor::minor(worker, strand, roots);
        trace::ends((*worker).stats.minor_bytes - before.minor_bytes);
        (*worker).stats.minor_was_promotion(&before);
        // A major collection may be due. That collection happens at the next poll, because the caller now has addresses in use.
        if (*worker).world().is_due() {
            Worker::ring(worker);
        }
    }
}

/// Moves the objects to which these words refer, and the pending exception, to the old generation. The worker refers to no other young
/// objects, because its strand has ended.
///
/// # Safety
/// The worker must be the calling thread's own, and must run no strand. The words must be values.
pub unsafe fn promote_results(worker: *mut Worker, words: &mut [&mut usize]) {
    // SAFETY: `worker` is this thread's own and runs no strand, so no frame refers to its young objects. `words` and the pending exception
    // are values to which no other thread writes.
    unsafe {
        // References other than the results may lead to elements that the strand has stored into arrays.
        if (*worker).options().memory == Memory::Copying && !(*worker).remembers() {
            let mut pending = (*worker).pending.0;
            let all = words.iter_mut().map(|word| &mut **word);
            let copied = promote_by_copy(worker, all.chain([&mut pending]));
            (*worker).pending.0 = pending;
            if copied {
                return;
            }
        }
        promote_all(worker, std::ptr::null_mut(), words);
    }
}

/// With eager promotion, promotes the arguments of the fork that the calling frame has just begun.
///
/// # Safety
/// Only a thunk that the frame calls may call this function.
pub unsafe fn promote_environment(worker: *mut Worker) {
    // SAFETY: the thunk has noted its frame; the table says where the frame has the arguments, which are live.
    unsafe {
        let world = (*worker).shared_world();
        let (inner, strand) = (world.inner(), (*worker).strand);
        let frame = Walk::new((*worker).frame, (*strand).marks()).next();
        let frame = frame.expect("a thunk has a caller");
        let site = inner.frames.site(frame.address);
        let chain = site.map_or(0, |site| site.chain);
        let Some(fork) = (chain != 0)
            .then(|| inner.forks.chain(chain))
            .and_then(|chain| chain.forks.last())
        else {
            fatal("internal error: a fork that is not known")
        };
        let args = inner.forks.fork(*fork).args.iter();
        let pointers = args.filter(|arg| arg.1);
        let words = pointers.map(|arg| &mut *((frame.pointer - arg.0) as *mut usize));
        if !promote_by_copy(worker, words) {
            promote_all(worker, strand, &mut []);
        }
    }
}

/// Promotes the young objects to which these words refer by copying them. Stops and returns false at the first word whose graph may not be
/// copied.
///
/// # Safety
/// The worker must be the calling thread's own, and the words must be values.
pub unsafe fn promote_by_copy<'a>(
    worker: *mut Worker,
    words: impl Iterator<Item = &'a mut usize>,
) -> bool {
    for word in words {
        // SAFETY: `worker` is this thread's own, so it alone uses the young objects of its own generation to which these values lead.
        unsafe {
            if (*worker).is_own(Value(*word)) {
                match copy(worker, Value(*word)) {
                    Some(copy) => *word = copy.0,
                    None => return false,
                }
            }
        }
    }
    true
}

/// Copies a young object and all young objects that can be reached from it, if all of them may be copied.
///
/// # Safety
/// The worker must be the calling thread's own, and the value must be an object of the worker's own young generation.
pub(crate) unsafe fn copy(worker: *mut Worker, value: Value) -> Option<Value> {
    // SAFETY: `worker` is this thread's own, and `value` is an object of its young generation, which no other thread reads. Nothing is
    // collected, so it stays where it is.
    unsafe {
        let clock = Clock::start((*worker).options().stats_json.is_some());
        let copy = if (*worker).options().memory == Memory::Copying {
            graph::copy(worker, value)
        } else {
            copy_small(worker, value)
        };
        (*worker).stats.promotion_time += clock.stop();
        copy
    }
}

/// Copies a young object and all young objects that can be reached from it, if these objects are few and immutable.
///
/// # Safety
/// The worker must be the calling thread's own, and the value must be an object of its own young generation.
unsafe fn copy_small(worker: *mut Worker, value: Value) -> Option<Value> {
    // SAFETY: `worker` is this thread's own, so no other thread uses its table of copies; each collection of its young generation clears
    // the table, so no entry is stale.
    if let Some(copy) = unsafe { (*worker).copies.get(value) } {
        return Some(copy);
    }
    let mut objects = [(Value(0), 0_usize); OBJECTS];
    let (mut count, mut done, mut bytes) = (1, 0, 0);
    objects[0].0 = value;
    // SAFETY: these are objects of the worker's own young generation, which it alone uses.
    unsafe {
        while done < count {
            let object = objects[done].0;
            let header = object.header();
            bytes += header.shape().bytes();
            if !header.may_be_copied() || bytes > BYTES {
                return None;
            }
            for index in header.shape().first..header.shape().end {
                let field = object.field(index);
                if (*worker).is_own(field) && !objects[..count].iter().any(|it| it.0 == field) {
                    if count == OBJECTS {
                        return None;
                    }
                    objects[count].0 = field;
                    count += 1;
                }
            }
            done += 1;
        }
        let mut at = take(worker, bytes)?;
        for (object, copy) in &mut objects[..count] {
            *copy = at;
            at += object.header().shape().bytes();
        }
        for (object, copy) in &objects[..count] {
            let shape = object.header().shape();
            let (from, to) = (object.0 as *const usize, *copy as *mut usize);
            // The program has just written most of these words, each with a store of its own. A load of several words would wait until
            // these stores, and all stores before them, are in the cache. The loads below are volatile, so that the compiler does not make
            // such wide loads.
            for index in 0..=shape.words {
                *to.add(index) = from.add(index).read_volatile();
            }
            for index in shape.first..shape.end {
                let field = object.field(index);
                if let Some((_, to)) = objects[..count].iter().find(|it| it.0 == field) {
                    *Value(*copy).slot(index) = *to;
                }
            }
        }
        (*worker).stats.promoted += bytes as u64;
        (*worker).stats.promoted_by_copy += bytes as u64;
        (*worker).stats.promoted_objects += count as u64;
        if (*worker).sampler.is_on() {
            (*worker).sample_copies(&objects[..count]);
        }
        let copy = Value(objects[0].1);
        (*worker).copies.put(value, copy);
        Some(copy)
    }
}

/// Takes memory of the old generation.
///
/// # Safety
/// The worker must be the calling thread's own, and count as running.
pub(crate) unsafe fn take(worker: *mut Worker, bytes: usize) -> Option<usize> {
    debug_assert_eq!(bytes % WORD, 0);
    // SAFETY: `worker` is this thread's own and running, so no collection resets its chunk meanwhile. The heap is behind its lock.
    unsafe {
        if let Some(at) = (*worker).region.take(bytes) {
            return Some(at);
        }
        let world = (*worker).shared_world();
        let mut heap = world.heap();
        heap.refill(&mut (*worker).region).ok()?;
        drop(heap);
        if world.is_due() {
            Worker::ring(worker);
        }
        (*worker).region.take(bytes)
    }
}
