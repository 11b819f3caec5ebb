//! Threads of the program: strands that the program makes, and that wait for each other.
//!
//! A thread is a strand without a job. The program refers to a thread by an object (`Header::thread`), which holds the thread's [`Permit`]
//! and the address of its strand. Every strand gets an object of this kind when it first asks for one. The program's own strand and the
//! strands of stolen forks can also have such objects. Channels and events are code of the Basis (`cml.sml`), which uses four operations of
//! the runtime: `spawn`, `self`, `park` and `unpark`. Schedulers of programs (`scheduler.sml`) also need preemption of strands at polls:
//! see `fibers.rs`.
//!
//! A waiting thread refers to young objects of the worker on which it ran, until that worker has collected them: see `ready.rs`. A major
//! collection drops a parked thread if no live object refers to the thread's object (`copy.rs`).

pub mod choices;
pub mod clock;
pub mod fibers;
pub(crate) mod made;
pub mod masks;
pub mod park;
mod parts;
pub mod ready;
mod stuck;
pub mod watches;

pub use masks::mask;
pub(super) use park::suspend;
pub use park::{give_way, park, poll, unpark};
pub(super) use parts::wake_cancelled;
use parts::{Parts, list, unlist};
pub use stuck::look;

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::cancel::Scopes;
use super::object::{Header, Value, WORD};
use super::promote;
use super::protocol::choice::Choice;
use super::protocol::permit::Permit;
use super::strand::{ITSELF, Strand};
use super::trail;
use super::worker::Worker;
use super::world::{MOST_WORKERS, World};
use choices::choice;
use clock::Clock;
use made::Made;
use ready::Inbox;
use stuck::Stuck;
use watches::Watches;

/// Number of words of a thread's object that are values: the value that another thread has given the thread, and a value that the program
/// keeps in the object.
pub const VALUES: usize = 2;
const GIVEN: usize = 0;
const KEPT: usize = 1;
/// Number of words of a thread's object that are not values: the thread's permit, strand (0 if it has ended), number, the choice in which
/// the thread waits, and the number of its program (see `Strand::program`). The upper half of the word with the thread's number has the
/// flags of a fiber (`fibers.rs`).
pub const WORDS: usize = 5;
const PERMIT: usize = VALUES;
const STRAND: usize = VALUES + 1;
const NUMBER: usize = VALUES + 2;
const CHOICE: usize = VALUES + 3;
const PROGRAM: usize = VALUES + 4;
/// The program number of threads that must not begin. No program has this number: the numbers of programs are smaller.
const ENDED: u32 = ITSELF - 1;

/// The part of a world's state that threads need.
pub struct Threads {
    /// Whether any program that this world runs or has run may make threads.
    used: AtomicBool,
    /// The number of the present program, counted from 1. A thread with another number belongs to a program that has ended. `RunCML.doit`
    /// also changes the number.
    program: AtomicU32,
    /// The number of programs that have ended.
    run: AtomicU32,
    /// The time at which masks cease to protect the strands of the ended program, in nanoseconds since the world began; 0 while a program
    /// runs.
    void_from: AtomicU64,
    /// Number of entries in the pool's deques and queues that have not begun to run.
    pub(super) queued: AtomicUsize,
    /// Number of times that a worker has begun to run.
    pub(super) begun: AtomicUsize,
    /// Number of workers in a system call that may block.
    pub(super) blocked: AtomicUsize,
    /// Number of parked strands that got their permits by a call other than `unpark`, or were dropped. `Inbox::note_parked` counts
    /// the strands that park, minus the strands that `unpark` wakes.
    unparked: AtomicIsize,
    /// Strands that have made offers, or that wait for their permits, inside of a part that may be cancelled.
    parts: Mutex<Parts>,
    /// The scopes of cancelables.
    pub(super) scopes: Scopes,
    /// The report for a program in which no strand can continue.
    stuck: Stuck,
    /// For each worker, strands that only this worker may run.
    inboxes: Box<[Inbox]>,
    /// Strands that workers have given away, which any worker may run.
    pub(super) turns: Inbox,
    /// Strands that any worker may run, and that workers run before published forks.
    pub(super) urgent: Inbox,
    /// Alarms.
    pub(super) clock: Clock,
    /// Threads that wait for descriptors.
    pub(super) watches: Watches,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads {
            used: AtomicBool::new(false),
            program: AtomicU32::new(1),
            run: AtomicU32::new(0),
            void_from: AtomicU64::new(0),
            queued: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            blocked: AtomicUsize::new(0),
            unparked: AtomicIsize::new(0),
            parts: Mutex::default(),
            scopes: Scopes::default(),
            stuck: Stuck::default(),
            turns: Inbox::default(),
            urgent: Inbox::default(),
            inboxes: (0..MOST_WORKERS).map(|_| Inbox::default()).collect(),
            clock: Clock::default(),
            watches: Watches::default(),
        }
    }
}

impl Threads {
    /// Returns true if programs may make threads. The result changes only while no program runs.
    #[must_use]
    pub fn are_used(&self) -> bool {
        // Relaxed: a worker that runs a program has synchronised with the thread that has attached it.
        self.used.load(Ordering::Relaxed)
    }

    /// Notes that an attached program may make threads.
    pub fn use_them(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    /// Calls `look` with each thread that waits for an alarm or a descriptor. The collector calls this function while all workers are
    /// stopped.
    pub fn each_sleeper(&self, mut look: impl FnMut(&mut Value)) {
        self.clock.each(&mut look);
        self.watches.each(look);
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a program begins. After this call, masks protect the strands of this program.
    pub fn begin_program(&self) {
        // Relaxed: the world is held, and no strand runs before it is released.
        self.void_from.store(0, Ordering::Relaxed);
    }

    /// Notes that the running program has ended. The program's threads end at their next polls, and threads that its forks make do not
    /// begin. Masks protect the program's strands for a further `grace`. Masks for locks protect them without a limit. `began` is the time
    /// at which the world began.
    pub fn end_program(&self, began: Instant, grace: Duration) {
        let void_from = (began.elapsed() + grace).as_nanos() as u64;
        // Relaxed for both: the release in `end_threads` publishes them.
        self.void_from.store(void_from.max(1), Ordering::Relaxed);
        self.run.fetch_add(1, Ordering::Relaxed);
        self.end_threads();
    }

    /// Makes the threads of the running program end at their next polls.
    fn end_threads(&self) {
        let next = |now: u32| Some(now % (ENDED - 1) + 1);
        // Release: pairs with the acquire in `program`, which workers call after a ring. The update cannot fail, because `next` always
        // returns a number.
        let _ = self
            .program
            .fetch_update(Ordering::Release, Ordering::Relaxed, next);
        let _ = self.stuck.take();
    }

    /// Returns true if any strand is parked. The caller must ensure that no worker runs.
    fn has_parked(&self) -> bool {
        let parked: isize = self.inboxes.iter().map(Inbox::parked).sum();
        // Relaxed: no worker runs, and a caller that has seen the workers end also sees their counts.
        parked > self.unparked.load(Ordering::Relaxed)
    }

    /// Returns the number of the running program.
    #[must_use]
    pub fn program(&self) -> u32 {
        // Acquire: pairs with `end_threads`.
        self.program.load(Ordering::Acquire)
    }

    /// Returns the value of `Strand::program` for the program's own strand, in the present run.
    pub(super) fn this_run(&self) -> u32 {
        // Relaxed: `program_of_thread_of` orders it.
        self.run.load(Ordering::Relaxed) | ITSELF
    }

    /// Returns true if a strand whose `program` is `own` belongs to a program that ended so long ago that masks do not protect the strand.
    #[inline]
    pub(super) fn is_void(&self, own: u32, began: Instant) -> bool {
        // Relaxed: no strand of an ended program runs when the next program begins. A strand that misses the end of its program asks again,
        // because the clock rings the doorbell of the strand's worker.
        let void_from = self.void_from.load(Ordering::Relaxed);
        void_from != 0 && self.is_void_since(void_from, own, began)
    }

    #[cold]
    #[inline(never)]
    fn is_void_since(&self, void_from: u64, own: u32, began: Instant) -> bool {
        self.program_of_thread_of(own) != self.program()
            && began.elapsed().as_nanos() as u64 >= void_from
    }

    /// Returns the program number of a new thread. `own` is the [`Strand::program`] of the strand that makes the thread.
    ///
    /// If a thread's program has ended, the threads that this thread makes also belong to the ended program, so they end too. The rule also
    /// holds for a fork of an ended program, which may continue while it is masked. Otherwise threads of an ended program that make threads
    /// could continue without end.
    fn program_of_thread_of(&self, own: u32) -> u32 {
        // `program` is read first: its acquire makes the number of the next run visible together with the number of the next program.
        let program = self.program();
        if own & ITSELF == 0 {
            own
        } else if own == self.this_run() {
            program
        } else {
            ENDED
        }
    }
}

/// Returns the permit of a thread.
///
/// # Safety
/// `thread` must be the object of a thread, and no collection may happen while the reference is used.
unsafe fn permit<'a>(thread: Value) -> &'a Permit {
    // SAFETY: `thread` is the object of a thread, whose word `PERMIT` is only ever used as a permit. No collection moves the object while
    // the result is in use.
    unsafe { &*thread.slot(PERMIT).cast::<Permit>() }
}

/// Returns the strand of a thread, or null if the thread has ended.
///
/// # Safety
/// `thread` must be the object of a thread, and no collection may happen during the call.
pub(super) unsafe fn strand_of(thread: Value) -> *mut Strand {
    // SAFETY: the object of a thread has a word `STRAND`. Only `forget` writes it after its creation, on the thread that has the strand.
    unsafe { thread.word(STRAND) as *mut Strand }
}

/// Returns true if a strand is parked. The caller must ensure that all workers are stopped.
///
/// # Safety
/// The strand must exist.
pub(super) unsafe fn is_parked(strand: *mut Strand) -> bool {
    // SAFETY: the strand exists and all workers are stopped, so neither it nor its object changes meanwhile.
    unsafe {
        let object = (*strand).object;
        object.0 != 0 && permit(object).is_parked()
    }
}

/// Returns true if a strand is a parked thread, which the collector drops if nothing refers to its object. The caller must ensure that all
/// workers are stopped.
///
/// # Safety
/// The strand must exist.
pub(super) unsafe fn is_dispensable(strand: *mut Strand) -> bool {
    // SAFETY: the strand exists and all workers are stopped, so no thread writes to it while `it` is in use.
    unsafe {
        let it = &*strand;
        let is_alone = it.entries.is_empty() && it.computes.is_empty() && it.scopes.is_empty();
        it.thread && is_alone && it.listed.is_null() && is_parked(strand)
    }
}

/// Returns the object of a strand, and makes it if there is none. May collect.
///
/// # Safety
/// The worker must belong to the caller, and live values must be in slots of frames or in handles.
unsafe fn object_of(worker: *mut Worker, strand: *mut Strand) -> Value {
    // SAFETY: `worker` is the caller's own, and no other thread writes to the strand. The new object has room for all of its `VALUES +
    // WORDS` words, which are written before anything allocates. It is old, so only a major collection moves it, and that updates
    // `strand.object`.
    unsafe {
        if (*strand).object.0 == 0 {
            let header = Header::thread();
            let object = if (*worker).is_flat() {
                (*worker).thread_in_chunk(header)
            } else {
                let at = promote::take_or_end(worker, header.shape().bytes());
                *(at as *mut u64) = header.0;
                Value(at)
            };
            object.init(GIVEN, Value::immediate(0).0);
            object.init(KEPT, Value::immediate(0).0);
            object.init(CHOICE, Choice::WORD);
            object.init(PERMIT, Permit::WORD);
            object.init(STRAND, strand as usize);
            object.init(NUMBER, (*strand).number as usize);
            object.init(PROGRAM, (*strand).program_of_thread() as usize);
            (*strand).object = object;
        }
        (*strand).object
    }
}

/// Notes that a strand has ended, so that no permit wakes it and no thread takes its offers.
///
/// # Safety
/// No worker may run the strand, and no collection may happen during the call.
pub(super) unsafe fn forget(world: &World, strand: *mut Strand) {
    // SAFETY: no worker runs the strand, and nothing else has it, so its fields are the caller's. Its object is in place, as no collection
    // happens meanwhile.
    unsafe {
        unlist(world, strand);
        let object = std::mem::replace(&mut (*strand).object, Value(0));
        if object.0 != 0 {
            world.threads.watches.forget(object);
            world.threads.clock.forget(&mut (*strand).alarms);
            // The strand's offers become void.
            choice(object).revoke();
            object.init(STRAND, 0);
        }
    }
}

/// Makes a thread that calls a closure, and queues it behind the worker's ready strands.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk that has noted its frame.
pub unsafe extern "C" fn spawn(worker: *mut Worker, closure: Value) -> Value {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame. The new strand is this thread's alone until it is in
    // the queue. A handle keeps the closure up to date while the object is allocated. The closure may be young: the thread has this worker
    // as its home.
    unsafe {
        let own = (*(*worker).strand).program;
        let world = (*worker).shared_world();
        let program = world.threads.program_of_thread_of(own);
        let Some(pool) = world.started() else {
            super::fatal("internal error: a thread without a pool")
        };
        let closure = (*worker).hold(closure);
        let strand = pool.new_strand(worker);
        (*strand).thread = true;
        (*strand).made = trail::newest(worker);
        (*strand).program = program;
        (*strand).world = Arc::as_ptr(&world);
        let object = object_of(worker, strand);
        (*strand).start = (*worker).held(closure);
        (*worker).release(closure);
        (*worker).stats.spawned += 1;
        ready::keep_young(worker, strand);
        (*worker).ready.add(strand);
        if (*worker).stats.spawned.is_multiple_of(ready::CROWD) && (*worker).ready.is_crowded() {
            (*worker).ready.end_time();
            Worker::ring(worker);
        }
        object
    }
}

/// Makes a thread that calls a closure and takes over the object of a strand that has ended.
///
/// # Safety
/// The worker must be the calling thread's own, and run no strand. The strand must be the caller's, and have an object. `closure` must be a
/// closure of the program, and not young.
unsafe fn succeed(worker: *mut Worker, strand: *mut Strand, closure: Value) {
    // SAFETY: `worker` is this thread's own, and nothing is collected during this call, so the object stays where it is. `unlist` takes the
    // strand off the list of parts before it loses its object. No worker runs either strand, and the new strand is this thread's alone
    // until it is in the queue.
    unsafe {
        let world = (*worker).shared_world();
        let Some(pool) = world.started() else {
            super::fatal("internal error: a thread without a pool")
        };
        unlist(&world, strand);
        let object = std::mem::replace(&mut (*strand).object, Value(0));
        // The offers of the strand that has ended are void.
        choice(object).revoke();
        world.threads.clock.forget(&mut (*strand).alarms);
        let next = pool.new_strand(worker);
        (*next).thread = true;
        (*next).made = (*strand).made;
        (*next).program = world.threads.program_of_thread_of((*strand).program);
        (*next).world = Arc::as_ptr(&world);
        (*next).start = closure;
        (*next).object = object;
        object.init(STRAND, next as usize);
        ready::keep_young(worker, next);
        (*worker).ready.add(next);
    }
}

/// Returns the running thread.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk that has noted its frame.
pub unsafe extern "C" fn current(worker: *mut Worker) -> Value {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame, so that the allocation may collect.
    unsafe { object_of(worker, (*worker).strand) }
}

/// Returns the number of a thread.
///
/// # Safety
/// `thread` must be the object of a thread.
pub unsafe extern "C" fn number(_: *mut Worker, thread: Value) -> usize {
    // SAFETY: `thread` is the object of a thread, and nothing is collected before the word is read. The number never changes.
    unsafe { thread.word(NUMBER) & u32::MAX as usize }
}

/// Returns the inbox of a worker.
///
/// # Safety
/// The worker must be the calling thread's own.
unsafe fn inbox<'a>(worker: *mut Worker) -> &'a Inbox {
    // SAFETY: `worker` is this thread's own, and keeps its world while the thread runs.
    unsafe {
        let world: *const World = (*worker).world();
        &(*world).threads.inboxes[(*worker).ready.number]
    }
}

/// Gives a thread its permit. Returns the thread's strand if it was parked. The caller must make the returned strand run again.
///
/// # Safety
/// `thread` must be the object of a thread, and no collection may happen during the call.
unsafe fn give_permit(world: &World, thread: Value) -> Option<*mut Strand> {
    // SAFETY: `thread` is the object of a thread and is not moved meanwhile. Only one `give` finds the strand parked, and this caller has
    // the strand then.
    unsafe {
        if !permit(thread).give() {
            return None;
        }
        // Relaxed: `stuck.rs` reads the count while no strand runs.
        world.threads.unparked.fetch_add(1, Ordering::Relaxed);
        Some(strand_of(thread))
    }
}

/// Withdraws the offers and waits of a strand that must not run again, so that no thread wakes the strand.
///
/// # Safety
/// All workers must be held.
pub(super) unsafe fn take_waiting(world: &World, strand: *mut Strand) {
    // SAFETY: all workers are held, so no other thread reads or writes the strand, gives it a permit or collects.
    unsafe {
        if is_parked(strand) {
            let _ = give_permit(world, (*strand).object);
        }
        forget(world, strand);
    }
}

/// Forgets a parked strand whose object is gone.
///
/// # Safety
/// All workers must be stopped, and the collector must not have reached the object.
pub(super) unsafe fn drop_parked(world: &World, strand: *mut Strand) {
    // SAFETY: all workers are stopped, and no object leads to the strand, so this thread alone writes to it.
    unsafe {
        // Relaxed: `stuck.rs` reads the count while no strand runs.
        world.threads.unparked.fetch_add(1, Ordering::Relaxed);
        (*strand).object = Value(0);
    }
}

/// `rt.Thread.isDue`: returns 1 if the running strand should poll, because its time slice is over or its worker was rung.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn is_due(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own; the words are atomics.
    unsafe {
        // Called even if the worker was rung, because the call also clears the flag: the next strand then has a whole time slice.
        let is_over = (*worker).ready.time_is_over();
        usize::from(is_over || (*worker).bell.is_rung())
    }
}

/// `rt.Thread.depth`: returns the number of transactions around the running code.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn depth(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, so no other thread writes to it.
    unsafe { (*(*worker).strand).depth(|_, _| true) as usize }
}

/// `rt.Thread.isLeft`: returns 1 if the program of the running strand has ended.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn is_left(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, so no other thread writes to it.
    unsafe {
        let threads = &(*worker).world().threads;
        let program = threads.program_of_thread_of((*(*worker).strand).program);
        usize::from(program != threads.program())
    }
}

/// Gives a thread its permit after the given number of nanoseconds. Returns the alarm's number.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function. `thread` must be the object of a thread.
pub unsafe extern "C" fn alarm(worker: *mut Worker, thread: Value, after: i64) -> u64 {
    let after = Duration::from_nanos(u64::try_from(after).unwrap_or(0));
    // SAFETY: `worker` is this thread's own and running, so no collection moves `thread` before it is in the list of alarms, which is among
    // the roots. The strand that it runs is this thread's alone.
    unsafe {
        let clock = &(*worker).world().threads.clock;
        clock.set_for(&mut *(*worker).strand, thread, after)
    }
}

/// Takes an alarm back.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn unset_alarm(worker: *mut Worker, number: u64) {
    // SAFETY: `worker` is this thread's own, and runs the strand that calls; the state of the clock is behind its lock.
    unsafe {
        (*(*worker).strand).alarms.retain(|it| *it != number);
        (*worker).world().threads.clock.unset(number);
    }
}

/// `rt.Thread.here`: returns the name of an object that the running code makes. The name consists of the number of the object's kind, and
/// the spots of the running code and of its caller. A report shows the object under this name.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk that has noted its frame.
pub unsafe extern "C" fn here(worker: *mut Worker, kind: i64) -> i64 {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame.
    let addresses: [usize; 2] = unsafe { trail::newest(worker) };
    // SAFETY: `worker` is this thread's own; nothing changes the table of frames while it runs.
    let frames = unsafe { (*worker).frames() };
    let [inner, outer] = addresses.map(|address| frames.spot(address).unwrap_or(0));
    Made::new(kind, outer, inner).number()
}

/// `rt.Thread.waitsFor`: notes that the strand will wait for the object with this name (as `here` returns it). If the number is negative,
/// the strand waits for several objects, and the number is the negated name of the first object.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn waits_for(worker: *mut Worker, made: i64) {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, so no other thread writes to it.
    unsafe { (*(*worker).strand).waits_for = made };
}

/// Returns 1 if a report for the running strand says that no strand can continue, otherwise 0.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn is_stuck(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own, and runs the strand whose address is compared. Nothing is read through that address.
    unsafe { usize::from((*worker).world().threads.stuck.is_told((*worker).strand)) }
}

/// Reports that an exception has ended the thread with this number. `origin` is the exception's origin (see `trail`).
///
/// # Safety
/// Only compiled code that `worker` runs may call this. `exn` must be an exception.
pub unsafe extern "C" fn uncaught(worker: *mut Worker, exn: Value, origin: usize, number: i64) {
    // SAFETY: `worker` is this thread's own and keeps its world. `exn` is an exception, and nothing is collected during this call.
    let (name, trail) = unsafe {
        (
            super::raise::describe(exn),
            trail::describe((*worker).world(), origin),
        )
    };
    let head = [b"uncaught exception ", &name[..]].concat();
    let line = [
        &head[..],
        format!(" in thread {number}\n{trail}").as_bytes(),
    ]
    .concat();
    // If standard error fails, no other stream can report it.
    let _ = std::io::stderr().write_all(&line);
}

/// Makes all threads of the program end at their next polls.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn end_all(worker: *mut Worker) {
    // SAFETY: `worker` is this thread's own and keeps its world; both calls write atomics and take locks only.
    unsafe {
        (*worker).world().threads.end_threads();
        (*worker).world().ring_all();
    }
}

/// Returns the report that no strand could continue, as a string, and deletes the stored report. Returns an empty string if there is no
/// report.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk that has noted its frame.
pub unsafe extern "C" fn stuck(worker: *mut Worker) -> Value {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame, so that the allocation of the string may collect.
    unsafe {
        let world = (*worker).shared_world();
        let text = world.threads.stuck.take().unwrap_or_default();
        (*worker).string(text.as_bytes())
    }
}

const _: () = assert!(size_of::<Permit>() == WORD && size_of::<Choice>() == WORD);
