//! An OS thread of a pool, with its deques.

use crate::cancel::Extents;
use crate::fiber::{Stack, StackCache, StackError};
use crate::finish::Tracks;
use crate::platform::{Reserved, current_stack, ticks};
use crate::policy::{Protocol, StealAmount};
use crate::task::{FreeLists, Header, JoinRecord, Roll};
use crate::trace::{EventKind, Tracer};
use crate::waiting::Seat;
use crate::worker::fixed::ancestry::Ancestry;
use crate::worker::fixed::serve::Nesting;
use crate::worker::fixed::wait_policy::WaitPolicy;
use crate::worker::local::{SharedLocal, WorkerLocal};
use crate::worker::pool::activity::Activity;
use crate::worker::pool::counters::OwnCounters;
use crate::worker::pool::inner::PoolInner;
use crate::worker::pool::latency::OwnLatencies;
use crate::worker::queue::class::Class;
use crate::worker::queue::pinned::PinnedQueue;
use crate::worker::queue::turns::Turns;
#[cfg(feature = "policies")]
use crate::worker::steal::direct_request::DirectRequest;
use crate::worker::steal::signal;
use crate::worker::steal::thief::ThiefState;
use crate::worker::steal::victim::VictimState;
use heist_deque::split::{Slot, SplitDeque};
use std::cell::{Cell, UnsafeCell};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::thread::Thread;

/// The minimum number of bytes that a nested join takes on the stack: the frame's header, and the return addresses of the closure and the
/// join. This constant determines the maximum number of forks that fit on a stack.
const STACK_PER_FORK: usize = 16;
/// Minimum number of nested forks for which a worker's deque has room. This minimum also applies to a thread with a small stack, because
/// forks can also nest on other stacks: the stacks of fibers, and the stacks of programs that switch stacks. The room takes address space,
/// not memory.
const LEAST_FORKS: usize = if cfg!(miri) {
    1 << 10
} else if cfg!(all(unix, target_pointer_width = "64")) {
    1 << 22
} else {
    1 << 17
};
const MOST_FORKS: usize = if cfg!(miri) { 1 << 10 } else { 1 << 30 };
/// Number of additional deque cells, because a platform may make the stack larger than requested.
const SLACK: usize = 4096;
/// Number of tasks that one worker queues before spawns go to the injector. With 64-bit addresses, the deque cells take address space, not
/// memory.
const TASK_SLOTS: usize = if cfg!(miri) {
    1 << 8
} else if cfg!(target_pointer_width = "64") {
    1 << 22
} else {
    1 << 16
};

/// Determines which spawns may go to the current worker's own task deque. If no code waits on the stack, every spawn may go to this deque.
/// Otherwise only work that the waiting code may run goes to this deque. The context is one word, so a spawn needs only one comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Context(*const ());

impl Context {
    /// The context in which no code waits on the stack. Every job that is spawned in this context will
    /// run on an empty stack.
    pub(crate) const BASE: Context = Context(std::ptr::null());
    /// The context of a frame that was taken back during a wait, and of a thread that is not a worker. In this context, spawns go to the
    /// injector.
    pub(crate) const ELSEWHERE: Context = Context(std::ptr::without_provenance(1));
    /// The context of a task that belongs to no scope. No worker has this context.
    pub(crate) const NONE: Context = Context(std::ptr::without_provenance(2));

    /// Returns the context in which the innermost waiting code on the stack waits for `scope`, a scope of the current worker's pool.
    pub(crate) fn scope<S>(scope: &S) -> Self {
        Context(std::ptr::from_ref(scope).cast())
    }
}

/// A field without size. A field of this type aligns the next field to 128 bytes, which are two cache lines, because the processor fetches
/// cache lines in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Lines;

/// One OS thread of a pool: its deques, its records, and its state as thief and as victim.
// The fields that other threads read, the fields that other threads change, and the fields that only this thread uses
// are on different cache lines.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct WorkerThread {
    /// The worker's index among the pool's workers.
    pub(crate) id: u16,
    /// The slot that the worker holds, or the last slot that it held.
    pub(crate) slot: AtomicU32,
    /// The worker's thread. Other threads unpark it.
    pub(crate) thread: Thread,
    /// The system's identifier of the worker's thread, to which thieves send signals.
    pub(super) thread_id: signal::Thread,
    /// True after another thread has woken this worker from its sleep. The thread that wakes the worker sets this flag.
    pub(crate) woken: AtomicBool,
    /// Records whether the worker has work on its stack or looks for work. A closing pool ends only when no worker is active.
    pub(super) activity: Activity,
    /// The worker's current wait, if there is one.
    pub(crate) seat: Seat,
    /// True if the worker's thread is a thread of the program: see [`adopted`](crate::worker::fixed::adopted).
    pub(super) adopted: bool,
    /// The [class](Class) of the job that the worker runs. The jobs in its deques descend from this job. Thieves read this
    /// field.
    class: AtomicU8,
    /// True if the worker runs queued jobs although it waits: see [`WorkerThread::serve_in_handler`].
    pub(super) serves: AtomicBool,
    /// The suspending tasks that have not ended, and whose first suspension was on this worker.
    pub(crate) suspended: Roll,
    /// The worker's thread-local words. The words are valid until the pool's exit barrier. In a pool with an adopted thread, they are valid
    /// while `has_words` is set, and until the end of all looks that found this flag set.
    pub(crate) shared: *const SharedLocal,
    /// True while other threads may look at the worker's thread-local words: see [`Lookers`](crate::worker::fixed::adopted::Lookers).
    pub(super) has_words: AtomicBool,
    /// The word is 0 if no fiber or stranger runs on top of waiting code. Otherwise the word is 1 plus the height of the fork deque at
    /// which the innermost such job began. Frames at or above that height do not descend from the frames below it.
    pub(super) apart: AtomicU32,
    /// The word for thieves' requests to this worker, under protocols in which thieves ask one victim.
    #[cfg(feature = "policies")]
    pub(super) direct_request: DirectRequest,
    /// Some settings of the pool, copied for quick access: the protocol, the amount of a steal, whether workers measure times, and the
    /// policy of waits.
    pub(super) protocol: Protocol,
    pub(super) amount: StealAmount,
    pub(super) timed: bool,
    pub(super) wait_policy: WaitPolicy,
    pub(super) ancestry: Ancestry,
    /// The cancel scopes of the worker's forks.
    pub(super) extents: Extents,
    /// The records of stolen frames, one for each cell of the fork deque.
    records: *const JoinRecord,
    /// The pool of the worker.
    pub(crate) pool: *const PoolInner,
    // Thieves change the fields below.
    _changed: Lines,
    /// The frames of the worker's forks.
    pub(crate) forks: SplitDeque<Header>,
    /// The tasks that were spawned on the worker, newest first.
    pub(crate) tasks: SplitDeque<Header>,
    /// The tasks that the worker runs when `tasks` is empty, oldest first (see
    /// [`WorkerThread::refill`]).
    pub(crate) ready: SplitDeque<Header>,
    /// The fibers that are bound to the worker's thread, and are ready to continue.
    pub(super) pinned: PinnedQueue,
    // Other threads do not change the fields below.
    _own: Lines,
    pub(crate) counters: OwnCounters,
    pub(super) latencies: OwnLatencies,
    // The fields below belong to the worker's own thread.
    /// True while the worker is in its start handler, or in the spawn handler.
    pub(super) in_handler: Cell<bool>,
    /// True while the worker runs a blocking region without a slot.
    pub(super) slotless: Cell<bool>,
    pub(crate) random: Cell<u64>,
    pub(crate) thefts: Cell<u32>,
    pub(super) as_thief: ThiefState,
    pub(super) as_victim: VictimState,
    pub(super) nesting: Nesting,
    pub(super) turns: Turns,
    /// The last scope of which the worker has finished tasks, and the number of these tasks that it has not yet reported to the scope.
    pub(crate) finished: Cell<(*const (), i64)>,
    free: UnsafeCell<FreeLists>,
    /// The tracks of work-first scopes.
    pub(crate) tracks: Tracks,
    /// A cache of stacks for fibers, if the pool has fibers.
    stacks: UnsafeCell<Option<StackCache>>,
    /// The addresses of the thread's stack, if the platform provides them.
    pub(super) stack: Option<Range<usize>>,
    tracer: Tracer,
    // This is the last field, so that it is dropped after the fields that point into it.
    _memory: Reserved,
}

// SAFETY: other threads use the atomics, the deques' thief sides and the records. Only the worker's own thread accesses the `Cell`s and
// `free`: a thread calls the methods that use these fields only on the worker that it got from `local`.
unsafe impl Sync for WorkerThread {}
// SAFETY: other threads use only the parts that the comment on `Sync` names, and the pool drops the worker after the worker's thread has
// ended.
unsafe impl Send for WorkerThread {}

impl WorkerThread {
    /// Creates a worker for the current thread, and attaches the thread's thread-local words to the
    /// worker.
    ///
    /// # Errors
    /// Returns an error if no address space is left for the worker's deques.
    pub(crate) fn for_current_thread(
        pool: &std::sync::Arc<PoolInner>,
        id: u16,
        slot: u32,
        local: &'static WorkerLocal,
    ) -> io::Result<Self> {
        let own_stack = current_stack();
        let stack = match &own_stack {
            Some(own) => own.len().max(pool.settings.stack_size),
            // The spawn handler may have given the thread a larger stack, with room for more forks.
            None if pool.settings.spawn.is_some() && !cfg!(miri) => {
                return Err(io::Error::new(
                    io::ErrorKind::Unsupported,
                    "spawn handlers need a platform that tells the size of a thread's stack",
                ));
            }
            None => pool.settings.stack_size,
        };
        let by_stack = (stack / STACK_PER_FORK + SLACK).min(MOST_FORKS);
        // The deques and the records share one mapping, because a pool may have thousands of workers, and the kernel limits the number of
        // mappings. The cells of the fork deque come last, before the guard page.
        const SLOT: usize = size_of::<Slot<Header>>();
        const RECORD: usize = size_of::<JoinRecord>();
        // The records begin behind the cells of the task deque, and end at an address at which a cell may begin.
        const {
            assert!(align_of::<JoinRecord>() <= 64 && 2 * TASK_SLOTS * SLOT % RECORD == 0);
            assert!(RECORD % align_of::<Slot<Header>>() == 0);
        }
        let reserve = |forks| {
            let memory = Reserved::new(2 * TASK_SLOTS * SLOT + forks * (RECORD + SLOT))?;
            io::Result::Ok((memory, forks))
        };
        // If address space is scarce, the deque has room only for the forks that fit on the thread's own stack.
        let (memory, forks) = reserve(by_stack.max(LEAST_FORKS)).or_else(|_| reserve(by_stack))?;
        crate::worker::depth::report_overflows();
        let protocol = pool.settings.protocol;
        let sharing = protocol.sharing();
        let shared: *const SharedLocal = &raw const local.shared;
        let slots = memory.base().cast::<Slot<Header>>().as_ptr();
        // SAFETY: the four parts lie in the region, each behind the previous part. Zeroed memory is
        // an array of null slots, and of fresh records; the worker owns the memory, and drops it
        // after the deques. The words live until the pool's exit barrier, after which no thief
        // runs.
        let (task_deque, ready_deque, records, fork_deque) = unsafe {
            let records = slots.add(2 * TASK_SLOTS).cast::<JoinRecord>();
            let deque = |words, base, capacity: usize| {
                SplitDeque::new(words, base, capacity as u32, sharing)
            };
            (
                deque(&raw const (*shared).tasks, slots, TASK_SLOTS),
                deque(
                    &raw const (*shared).ready,
                    slots.add(TASK_SLOTS),
                    TASK_SLOTS,
                ),
                records,
                deque(
                    &raw const (*shared).forks,
                    records.add(forks).cast::<Slot<Header>>(),
                    forks,
                ),
            )
        };
        local.shared.answer();
        Ok(WorkerThread {
            id,
            _changed: Lines,
            _own: Lines,
            slot: AtomicU32::new(slot),
            thread: std::thread::current(),
            thread_id: signal::this_thread(),
            woken: AtomicBool::new(false),
            activity: Activity::started(),
            seat: Seat::default(),
            has_words: AtomicBool::new(true),
            adopted: false,
            class: AtomicU8::new(Class::Normal as u8),
            serves: AtomicBool::new(false),
            in_handler: Cell::new(false),
            slotless: Cell::new(false),
            suspended: Roll::new(),
            shared,
            forks: fork_deque,
            tasks: task_deque,
            ready: ready_deque,
            pinned: PinnedQueue::new(),
            apart: AtomicU32::new(0),
            #[cfg(feature = "policies")]
            direct_request: DirectRequest::new(),
            protocol,
            amount: pool.settings.amount,
            timed: pool.settings.timed,
            wait_policy: pool.settings.wait_policy,
            ancestry: Ancestry::new(),
            extents: Extents::new(),
            records,
            pool: std::sync::Arc::as_ptr(pool),
            counters: OwnCounters::default(),
            latencies: OwnLatencies::new(pool.settings.timed),
            random: Cell::new(
                u64::from(id)
                    .wrapping_add(1)
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15),
            ),
            thefts: Cell::new(0),
            as_thief: ThiefState::new(id),
            as_victim: VictimState::new(),
            nesting: Nesting::default(),
            turns: Turns::default(),
            finished: Cell::new((std::ptr::null(), 0)),
            free: UnsafeCell::new(FreeLists::new(&pool.depot)),
            tracks: Tracks::default(),
            stacks: UnsafeCell::new(pool.settings.fibers.clone().map(StackCache::new)),
            stack: own_stack,
            tracer: Tracer::default(),
            _memory: memory,
        })
    }

    /// Returns the worker's pool.
    pub(crate) fn pool(&self) -> &PoolInner {
        // SAFETY: the pool owns its workers, and each worker's thread holds an `Arc` of the pool
        // until it ends.
        unsafe { &*self.pool }
    }

    /// Returns an owning reference to the pool, with which the caller starts another thread of the pool.
    pub(crate) fn pool_arc(&self) -> Option<std::sync::Arc<PoolInner>> {
        self.pool().this.upgrade()
    }

    /// Returns the worker's thread-local words.
    pub(crate) fn shared(&self) -> &SharedLocal {
        // SAFETY: the words are valid until the exit barrier. The pool's own threads call this function before they pass the barrier. An
        // adopted thread calls it during a look, for a worker that `PoolInner::victim` returned. The thread that looks for deadlocks calls
        // it under the gate's lock, and no thread passes the barrier without this lock.
        unsafe { &*self.shared }
    }

    /// Returns the record of the cell `index` of the fork deque.
    pub(crate) fn record(&self, index: u32) -> &JoinRecord {
        assert!(index < self.forks.capacity());
        // SAFETY: the worker's memory has a zeroed word for each cell. A record is an atomic word, for which zero is a valid value.
        unsafe { &*self.records.add(index as usize) }
    }

    /// Returns the free blocks for nodes.
    ///
    /// # Safety
    /// The caller must be the worker's own thread. The reference must not live across another call.
    #[allow(clippy::mut_from_ref, reason = "the contract makes it exclusive")]
    pub(crate) unsafe fn free_lists(&self) -> &mut FreeLists {
        // SAFETY: by contract, only the worker's own thread calls this, and no other reference to
        // the lists is alive.
        unsafe { &mut *self.free.get() }
    }

    /// Takes a stack for a fiber, if the pool has fibers.
    ///
    /// # Safety
    /// Only the worker's own thread may call this function.
    pub(crate) unsafe fn take_stack(&self) -> Option<Result<Stack, StackError>> {
        // SAFETY: by contract, this is the worker's own thread, and the reference ends with this
        // call.
        let stacks = unsafe { &mut *self.stacks.get() };
        stacks.as_mut().map(StackCache::take)
    }

    /// Takes back the stack of a fiber.
    ///
    /// # Safety
    /// Only the worker's own thread may call this function.
    pub(crate) unsafe fn give_stack(&self, stack: Stack) {
        // SAFETY: by contract, this is the worker's own thread, and the reference ends with this
        // call.
        if let Some(stacks) = unsafe { &mut *self.stacks.get() } {
            stacks.give(stack);
        }
    }

    /// Returns all the worker's deques, in the order in which thieves look at them.
    pub(super) fn deques(&self) -> [&SplitDeque<Header>; 3] {
        [&self.forks, &self.tasks, &self.ready]
    }

    /// Returns true if the pool is traced.
    pub(crate) fn is_traced(&self) -> bool {
        self.pool().trace.is_on()
    }

    /// Records an event if the pool is traced. Call this function on the worker's own thread, and only on slow paths: even if the pool is
    /// not traced, the call costs a load and a branch.
    #[inline(always)]
    pub(crate) fn trace(&self, event: EventKind) {
        let switch = &self.pool().trace;
        if switch.is_on() {
            self.tracer.note(switch, self.id, event);
        }
    }

    /// Records that the worker has run the stolen jobs, and all jobs that these jobs have forked.
    pub(super) fn trace_drained(&self) {
        if self.pool().trace.is_on() && self.tracer.has_batch() {
            self.trace(EventKind::Drained);
        }
    }

    /// Returns true if this worker's deques have an entry, public or private. The answer may be outdated.
    pub(crate) fn has_work(&self) -> bool {
        self.deques()
            .into_iter()
            .any(|deque| deque.has_public() || deque.has_private())
    }

    /// Returns true if this worker's deques have private entries, which a thief could get by a request. The answer may be outdated.
    pub(super) fn has_private(&self) -> bool {
        self.deques().into_iter().any(SplitDeque::has_private)
    }

    /// Returns the current time, if this pool measures times.
    pub(super) fn time(&self) -> Option<u64> {
        self.timed.then(ticks)
    }

    /// Returns a pseudo-random number (xorshift), for the worker's own thread.
    pub(crate) fn next_random(&self) -> u64 {
        let mut x = self.random.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.random.set(x);
        x
    }

    /// Returns the slot that the worker holds, or the last slot that it held.
    pub(super) fn slot(&self) -> u32 {
        // Relaxed: either the worker's own thread sets the slot, or a thread that wakes the worker sets it, and then the wake-up orders the
        // store.
        self.slot.load(Ordering::Relaxed)
    }

    /// Returns the class of the job that the worker runs. On other threads, the answer may be outdated. The jobs in the worker's deques
    /// descend from this job.
    pub(in crate::worker) fn class(&self) -> Class {
        // Relaxed: thieves choose victims by this value, and may read an old value.
        Class::from_byte(self.class.load(Ordering::Relaxed))
    }

    /// Records the class of the next job. Only the worker's own thread may call this function.
    pub(in crate::worker) fn set_class(&self, class: Class) {
        // Relaxed: a thief may read an old class.
        self.class.store(class as u8, Ordering::Relaxed);
    }

    /// Moves the worker to another slot. Only the worker's own thread may call this function.
    pub(super) fn take_slot(&self, slot: u32) {
        self.slot.store(slot, Ordering::Relaxed);
        self.trace(EventKind::MovedTo { slot });
        self.pin();
    }

    /// Returns the worker's index for programs: the index of its slot.
    pub(crate) fn worker_index(&self) -> usize {
        self.slot() as usize
    }
}
