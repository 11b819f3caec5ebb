//! A world: the state that all workers of a program share. This state includes the heap, the tables of the code, the globals, and the
//! protocol by which one worker stops all other workers.
//!
//! # Stopping
//!
//! A worker *runs* while its compiled code, or a function of the runtime that this code has called, may touch the heap. Between
//! [`World::stop`] and [`World::resume`] no other thread touches the heap, a frame, or a worker's memory: see `protocol/stop.rs`. A worker
//! does not count as running while it makes a system call that may block ([`World::outside`]).
//!
//! A program that ends may leave strands behind: a raise has cancelled these strands, but they have not noticed the cancellation yet.
//! [`World::hold`] keeps these strands stopped from the program's end until the next program begins. During the hold, only the caller uses
//! the heap, and the caller may free code.

use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use crate::code::forks::Forks;
use crate::code::frames::Frames;
use crate::code::known::Known;
use crate::measure::heap_profile::HeapProfile;
use crate::measure::trace;
use crate::memory::heap::{Heap, YOUNG_SPAN, ZONE_SPAN, reserve};
use crate::memory::uses::Uses;
use crate::protocol::stop::{Shared, Stop};
use crate::state::options::Options;
use crate::state::pool::Pool;
use crate::state::strand::Strand;
use crate::state::threads::Threads;
use crate::state::trails::Trails;
use crate::state::waiting::Waiting;
use crate::state::worker::Worker;
use crate::value::object::Value;

/// Maximum number of workers of a world.
pub const MOST_WORKERS: usize = ZONE_SPAN / YOUNG_SPAN;

/// Number of bytes up to which an old generation is never collected.
pub const FIRST_THRESHOLD: usize = 32 << 20;

/// The state that all workers of a program share.
pub struct World {
    /// The options of the world.
    pub options: Options,
    /// The addresses of the functions that compiled code calls, in the order of their numbers.
    pub(crate) functions: Box<[usize]>,
    /// The time at which the world was made.
    pub(crate) began: Instant,
    /// Start of the addresses of all young objects.
    pub zone: usize,
    /// Old and large objects.
    heap: Mutex<Heap>,
    /// The uses of the heap's granules.
    pub(crate) uses: Arc<Uses>,
    inner: UnsafeCell<Inner>,
    stop: Stop<dyn Shared>,
    workers: Mutex<Vec<*mut Worker>>,
    /// The addresses of all workers. Signal handlers read the addresses without a lock.
    rung: [AtomicPtr<Worker>; MOST_WORKERS],
    /// The number of the next strand.
    next_strand: AtomicU32,
    strands: Mutex<Vec<*mut Strand>>,
    pool: OnceLock<Option<Pool>>,
    /// Whether more than one worker runs the programs: see `promote`.
    pub(crate) shared: AtomicBool,
    /// Number of times that forks were published.
    pub published: AtomicUsize,
    /// Number of times that a waiting strand was made ready to run again.
    pub(crate) woken: AtomicUsize,
    /// Strands that wait for lazy values.
    pub(crate) waiting: Waiting,
    /// The state of the program's threads.
    pub threads: Threads,
    /// The closure that runs if an unhandled exception ends the program: the last argument of `rt.System.atExit`, or an immediate. The
    /// collector updates this address.
    pub(crate) at_exit: AtomicUsize,
    /// The closure that a new thread calls when a fiber is preempted; an immediate if the program has set no closure. The collector updates
    /// this address.
    pub(crate) on_preempt: AtomicUsize,
    /// The trails of the newest exceptions that have left their strands.
    pub(crate) trails: Trails,
    /// The heap profile, if one was requested.
    pub(crate) heap_profile: Option<Arc<HeapProfile>>,
}

/// The part of a world that changes only while no compiled code runs, or while a worker has stopped all other workers.
pub struct Inner {
    /// The sites of the calls of all programs.
    pub frames: Frames,
    /// The forks of all programs.
    pub forks: Forks,
    /// The cells of the globals of all programs.
    pub globals: Vec<*mut usize>,
    /// Values that programs of a prompt keep for later programs.
    pub cells: Value,
    /// Number of old bytes at which a major collection is due.
    pub threshold: usize,
    /// The time at which the last major collection ended, or at which the world was made if there was no major collection.
    pub collected: Instant,
    /// The identities of the runtime's exceptions, followed by the packets of these exceptions.
    pub identities: *const Value,
    /// The spots of each program.
    pub known: Vec<Known>,
}

// SAFETY: running workers read `inner`, and a thread writes `inner` only while no other worker runs. Threads read the raw pointers under
// their locks. A thread that follows a pointer to another worker's data uses only atomics, or has stopped all workers.
unsafe impl Send for World {}
// SAFETY: all shared fields except `inner` are atomics or behind locks. While a thread writes `inner`, all other workers are stopped or run
// nothing.
unsafe impl Sync for World {}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    /// Makes a world without workers. `functions` are the addresses of the functions that compiled code calls.
    ///
    /// # Errors
    /// Returns an error if the system has no memory for its heap.
    pub(crate) fn new(options: Options, functions: Box<[usize]>) -> std::io::Result<World> {
        let zone = reserve(ZONE_SPAN)?;
        let mut heap = Heap::new(options.heap)?;
        if options.reserve {
            heap.keep_reserve();
        }
        let heap_profile = options.heap_profile.as_ref().map(HeapProfile::start);
        Ok(World {
            functions,
            began: Instant::now(),
            options,
            zone,
            uses: heap.uses(),
            heap: Mutex::new(heap),
            inner: UnsafeCell::new(Inner {
                frames: Frames::default(),
                forks: Forks::default(),
                globals: Vec::new(),
                cells: Value::immediate(0),
                threshold: FIRST_THRESHOLD,
                collected: Instant::now(),
                identities: std::ptr::null(),
                known: Vec::new(),
            }),
            stop: Stop::new(),
            workers: Mutex::new(Vec::new()),
            rung: [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST_WORKERS],
            // The first worker's own strand is number 0.
            next_strand: AtomicU32::new(1),
            strands: Mutex::new(Vec::new()),
            pool: OnceLock::new(),
            shared: AtomicBool::new(false),
            published: AtomicUsize::new(0),
            woken: AtomicUsize::new(0),
            waiting: Waiting::default(),
            threads: Threads::default(),
            at_exit: AtomicUsize::new(Value::immediate(0).0),
            on_preempt: AtomicUsize::new(Value::immediate(0).0),
            trails: Trails::default(),
            heap_profile,
        })
    }

    /// Returns the closure that runs if an unhandled exception ends the program; `None` if no closure is registered.
    #[must_use]
    pub fn at_exit(&self) -> Option<Value> {
        // Relaxed: either the running program has set the closure itself, or the caller has waited for the program's end.
        let closure = Value(self.at_exit.load(Ordering::Relaxed));
        (!closure.is_immediate()).then_some(closure)
    }

    /// Sets the closure that runs if an unhandled exception ends the program.
    ///
    /// # Safety
    /// `closure` must be a closure of type `unit -> unit`, of a program that stays attached. The caller must run on a worker, so that no
    /// collection is under way.
    pub unsafe fn set_at_exit(&self, closure: Value) {
        // Relaxed: only the running program reads the closure, or a thread that has waited for its end. The collector stops all workers
        // before it reads.
        self.at_exit.store(closure.0, Ordering::Relaxed);
    }

    /// Returns the part of the world that is written only while no worker runs.
    #[must_use]
    pub fn inner(&self) -> &Inner {
        // SAFETY: `Inner` is written only by a worker that has stopped all others, or while no program runs, so it does not change while a
        // running worker has this reference.
        unsafe { &*self.inner.get() }
    }

    /// Returns a mutable reference to the part of the world that is written only while no worker runs.
    ///
    /// # Safety
    /// No other worker may run, and no reference that [`World::inner`] has returned may be in use.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn inner_mut(&self) -> &mut Inner {
        // SAFETY: no other worker runs, and no reference that `inner` has returned is in use, so the new reference is the only one.
        unsafe { &mut *self.inner.get() }
    }

    /// Returns the slot of [`Inner::cells`]. A caller can write the slot without a reference to all of [`Inner`].
    pub(crate) fn cells(&self) -> *mut usize {
        // SAFETY: this expression computes the address of a field and makes no reference, so it conflicts with no reference that is in use.
        unsafe { &raw mut (*self.inner.get()).cells.0 }
    }

    /// Returns the heap, which has the old and large objects.
    pub fn heap(&self) -> MutexGuard<'_, Heap> {
        lock(&self.heap)
    }

    /// Returns true if the old generation is so large that a major collection is due, or if a heap profile requests one.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let heap = self.heap();
        heap.old_bytes() > self.inner().threshold || heap.is_over() || self.is_profile_due()
    }

    /// Returns true if a heap profile requests a major collection.
    pub(crate) fn is_profile_due(&self) -> bool {
        let profile = self.heap_profile.as_ref();
        profile.is_some_and(|profile| profile.is_due())
    }

    /// Returns true if several workers run these programs.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        // Relaxed: the only running worker writes this before it publishes the first fork.
        self.shared.load(Ordering::Relaxed)
    }

    /// Notes that several workers run from now on.
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
        self.each_worker(|worker| {
            // SAFETY: workers stay until they are removed; the fields are atomics.
            unsafe {
                (*worker).shared.store(1, Ordering::Relaxed);
                (*worker).recorded.store(1, Ordering::Relaxed);
            }
        });
    }

    /// Returns true if a value is a young object.
    #[inline]
    #[must_use]
    pub fn is_young(&self, value: Value) -> bool {
        value.0.wrapping_sub(self.zone) < ZONE_SPAN && !value.is_immediate()
    }

    // --- Workers and strands ---

    /// Adds a worker. The caller must not move the worker until it is removed. Returns false if there are too many workers.
    pub(crate) fn add_worker(&self, worker: *mut Worker) -> bool {
        let mut workers = lock(&self.workers);
        let free = workers.iter().position(|it| it.is_null());
        let number = free.unwrap_or(workers.len());
        if number == MOST_WORKERS {
            return false;
        }
        // SAFETY: the worker is the caller's and in no list yet, so no other thread has its address.
        unsafe { (*worker).settle_in(number) };
        let count = workers.len().max(number + 1);
        workers.resize(count, std::ptr::null_mut());
        workers[number] = worker;
        // Release: pairs with the acquire in `ring_in_handler`.
        self.rung[number].store(worker, Ordering::Release);
        true
    }

    pub(crate) fn remove_worker(&self, worker: *mut Worker) {
        for (number, place) in lock(&self.workers).iter_mut().enumerate() {
            if *place == worker {
                *place = std::ptr::null_mut();
                // Relaxed: no handler reads this entry any more, see `ring_in_handler`.
                self.rung[number].store(std::ptr::null_mut(), Ordering::Relaxed);
            }
        }
    }

    /// Passes all workers to `look`.
    pub(crate) fn each_worker(&self, mut look: impl FnMut(*mut Worker)) {
        for worker in lock(&self.workers).iter().filter(|it| !it.is_null()) {
            look(*worker);
        }
    }

    /// Returns a number for a new strand.
    pub(crate) fn strand_number(&self) -> u32 {
        // Relaxed: the number only distinguishes strands.
        self.next_strand.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn add_strands(&self, strands: impl Iterator<Item = *mut Strand>) {
        lock(&self.strands).extend(strands);
    }

    pub(crate) fn remove_strand(&self, strand: *mut Strand) {
        lock(&self.strands).retain(|it| *it != strand);
    }

    /// Passes all strands to `look`.
    pub(crate) fn each_strand(&self, mut look: impl FnMut(*mut Strand)) {
        for strand in lock(&self.strands).iter() {
            look(*strand);
        }
    }

    /// Returns the pool, and starts it if it does not exist yet. Returns `None` if programs run on one worker.
    pub(crate) fn pool(&self, start: impl FnOnce() -> Option<Pool>) -> Option<&Pool> {
        self.pool.get_or_init(start).as_ref()
    }

    /// Returns the pool, if it was started.
    pub(crate) fn started(&self) -> Option<&Pool> {
        self.pool.get().and_then(Option::as_ref)
    }

    /// Ends the trace, if there is one, and passes it to the function that was registered for it.
    pub(crate) fn end_trace(&self) {
        if let (Some(pool), Some(tracing)) = (self.started(), &self.options.trace)
            && let Some(trace) = pool.end_trace()
        {
            (tracing.done)(trace);
        }
    }

    // --- Stopping ---

    /// Notes that a worker is about to run. Waits while a stop is wanted.
    pub fn begin(&self) {
        self.stop.begin();
        // SeqCst: see `thread/stuck.rs`.
        self.threads.begun.fetch_add(1, Ordering::SeqCst);
    }

    /// Notes that a worker does not run any more.
    pub fn end(&self) {
        self.stop.end();
    }

    /// Makes the calling thread take part in the collection, if one is running. The thread's worker must run nothing.
    pub fn assist(&self) {
        self.stop.assist();
    }

    /// Runs a collection in which all stopped and idle workers take part.
    ///
    /// # Safety
    /// The caller must have stopped all other workers, and the collection must have begun.
    pub(crate) unsafe fn work_together(&self, team: &(dyn Shared + 'static)) {
        // SAFETY: the caller has stopped all other workers and begun the collection, and waits here until the last member has left the
        // team.
        unsafe {
            self.stop.share(team, || {
                if let Some(pool) = self.started() {
                    pool.told();
                }
            });
        }
    }

    /// Stops the calling worker, which must count as running, if a stop is wanted. Returns the time at which the worker was stopped, or
    /// `None` if it was not stopped.
    pub fn safepoint(&self) -> Option<Instant> {
        let mut begin = None;
        self.stop.safepoint(|| {
            begin = Some(Instant::now());
            trace::begins(&trace::STOPPED, 0);
        });
        if begin.is_some() {
            trace::ends(0);
        }
        begin
    }

    /// Waits until no worker runs, and no worker waits at a safepoint. During the wait, strands that a program has left behind end at their
    /// next poll. The calling thread must not count as running.
    pub fn settle(&self) {
        self.stop.settle();
    }

    /// Stops all workers until [`World::release`]. The calling thread must not count as running. Until the release, the caller may use the
    /// heap like a worker that has stopped all other workers. Returns false if some workers are stopped in the middle of their work.
    pub fn hold(&self) -> bool {
        self.stop.hold(|| self.ring_all())
    }

    /// Lets workers run again after [`World::hold`]. Does nothing if there is no hold.
    pub fn release(&self) {
        self.stop.release();
    }

    /// Stops all other workers. Returns false if another worker has stopped this worker first and has resumed it. The other worker may have
    /// done the work for which the caller wanted the stop.
    pub fn stop(&self) -> bool {
        // Whether the trace shows that this worker stops other workers, or that another worker stops this worker.
        let part = Cell::new(false);
        let begins = |name| {
            part.set(true);
            trace::begins(name, 0);
        };
        let alone = self.stop.stop(
            || {
                begins(&trace::STOPPING);
                self.ring_all();
            },
            || begins(&trace::STOPPED),
        );
        if part.get() {
            trace::ends(0);
        }
        alone
    }

    /// Makes all stopped workers continue.
    pub fn resume(&self) {
        self.stop.resume();
    }

    /// Rings the doorbell of every worker, because another worker has no work or because the program must end.
    pub fn ring_all(&self) {
        self.each_worker(|worker| {
            // SAFETY: `each_worker` holds the lock under which `remove_worker` takes a worker off the list, so the worker exists; the ring
            // writes atomics only.
            unsafe { Worker::ring(worker) };
        });
    }

    /// Returns the worker with this number, or null if it has ended.
    pub(crate) fn worker(&self, number: usize) -> *mut Worker {
        // Acquire: pairs with the release in `add_worker`, so this thread sees the initialised worker.
        self.rung[number].load(Ordering::Acquire)
    }

    /// Rings the doorbell of the worker with this number.
    pub(crate) fn ring(&self, number: usize) {
        let worker = self.worker(number);
        if !worker.is_null() {
            // SAFETY: a worker stays until its thread has ended, after all programs. The ring writes atomics only.
            unsafe { Worker::ring(worker) };
        }
    }

    /// Ends the time slices of the running strands. At its next poll, each running strand yields to other ready strands.
    pub(crate) fn end_times(&self) {
        self.each_worker(|worker| {
            // SAFETY: workers stay until they are removed; the fields are atomics.
            unsafe {
                (*worker).ready.end_time();
                Worker::ring(worker);
            }
        });
    }

    /// Rings the doorbells of all workers from a signal handler, without a lock. No thread may see the end of the running program before
    /// this call returns.
    pub(crate) fn ring_in_handler(&self) {
        for worker in &self.rung {
            // Acquire: pairs with the release in `add_worker`, so this thread sees the initialised worker.
            let worker = worker.load(Ordering::Acquire);
            if !worker.is_null() {
                // SAFETY: the first worker outlives the programs that it runs, and the threads of a pool end after all programs.
                unsafe { Worker::ring(worker) };
            }
        }
    }

    /// Returns true if no worker runs and no worker waits at a safepoint. The result may be out of date.
    pub(crate) fn rests(&self) -> bool {
        self.stop.rests()
    }

    /// Counts one publication of forks.
    pub(crate) fn note_published(&self) {
        self.published.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `reserve`; no worker is left that could use it.
        unsafe { libc::munmap(self.zone as *mut _, ZONE_SPAN) };
    }
}
