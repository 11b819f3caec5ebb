//! Workers of a world as threads of a pool of Heist: they run published forks, and continue strands whose joins are over.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use heist::embed;

use super::cancel;
use super::collector;
use super::hunger::Hunger;
use super::lazy;
use super::object::Value;
use super::promote;
use super::protocol::job::{Ending, Job, State};
use super::publish;
use super::queued::Queued;
use super::spare::Spare;
use super::stack;
use super::strand::{Strand, Wait};
use super::thread::ready::Inbox;
use super::thread::{self, Threads, ready};
use super::trace;
use super::worker::Worker;
use super::world::World;

thread_local! {
    /// The worker of this thread of a pool.
    static WORKER: Cell<*mut Worker> = const { Cell::new(std::ptr::null_mut()) };
}

/// The threads that run a world.
pub struct Pool {
    core: embed::Core,
    world: Arc<World>,
    hunger: Arc<Hunger>,
    spare: Spare,
    /// The running program; null if there is none.
    program: AtomicPtr<Running>,
}

/// A program that runs.
struct Running {
    /// Its result: 0 or 1, as `stack::enter` returns it; `usize::MAX` before its end.
    outcome: AtomicUsize,
    /// The worker that gets the exception that it raises.
    first: *mut Worker,
    /// The thread that waits for its end.
    thread: std::thread::Thread,
}

// SAFETY: `program` points to data that `Pool::run` keeps until the program has ended.
unsafe impl Send for Pool {}
// SAFETY: shared use adds nothing to the argument above: `program` is an atomic, and only `end_program`, which runs before `run` returns,
// follows it.
unsafe impl Sync for Pool {}

impl Pool {
    /// A pool of this number of threads, each of which is a worker of the world. `None` if there are no threads.
    pub fn start(world: &Arc<World>, threads: usize) -> Option<Pool> {
        let hunger = Arc::new(Hunger::default());
        let (of_start, of_hunger, asks) = (world.clone(), world.clone(), hunger.clone());
        let plan = embed::Plan {
            threads,
            stack_size: 8 << 20,
            adopts: false,
            start: Some(Box::new(move |_| {
                let worker = Worker::join(&of_start).unwrap_or_else(|error| {
                    super::fatal(&format!("no memory for a worker: {error}"))
                });
                WORKER.set(Box::into_raw(worker));
                std::mem::forget(stack::watch());
            })),
            exit: Some(Box::new(|_| {
                let worker = WORKER.replace(std::ptr::null_mut());
                if !worker.is_null() {
                    // SAFETY: made by the start handler, and this thread runs nothing any more.
                    drop(unsafe { Box::from_raw(worker) });
                }
            })),
            panic: Box::new(|_| std::process::abort()),
            hidden: Some(Box::new(move || asks.ask(&of_hunger))),
        };
        let (core, starts) = embed::Core::start(plan).ok()?;
        for (at, start) in starts.into_iter().enumerate() {
            let thread = std::thread::Builder::new()
                .name(format!("heist-pml-{at}"))
                .stack_size(8 << 20);
            // A start that is dropped leaves the pool with a thread less.
            let _ = thread.spawn(move || start.run());
        }
        core.wait_ready().ok()?;
        if let Some(tracing) = &world.options.trace {
            core.start_trace(tracing.events);
        }
        Some(Pool {
            core,
            world: world.clone(),
            hunger,
            spare: Spare::default(),
            program: AtomicPtr::new(std::ptr::null_mut()),
        })
    }

    /// Puts a job where idle workers find it. Called on a thread of the pool.
    pub fn push(&self, job: Arc<Job>) -> Queued {
        let queued = Queued::new(job, run_entry);
        // SAFETY: the entry has a count of its own on its memory, which stays until it has run, once. The caller is a thread of the pool
        // within a job.
        unsafe { self.put(queued.for_deque()) };
        queued
    }

    /// Makes a strand that waited for a lazy value continue, on some thread. Called on a thread of the pool.
    ///
    /// # Safety
    /// The strand is the caller's alone: it runs nowhere, is in no queue, and what it waited for has happened.
    pub unsafe fn wake(&self, strand: *mut Strand) {
        // SAFETY: no other thread has the strand: it waits no more, and the caller takes it off the list in which it waited.
        let header = unsafe { self.entry(strand) };
        // SAFETY: `entry` has just made the job on the heap, where it stays until it has run; `put` queues it once.
        unsafe { self.put(header) };
        self.world.woken.fetch_add(1, Ordering::Relaxed);
        self.told();
    }

    /// Makes a strand continue, on some worker, before published forks, of which there may always be some. On any thread.
    ///
    /// # Safety
    /// The strand is the caller's alone: it runs nowhere and is in no list or queue. It has no home, and what it waited for has happened.
    pub unsafe fn inject_urgent(&self, strand: *mut Strand) {
        // SAFETY: the strand is the caller's alone and has no home, so that any worker may run it; from here on the inbox owns it.
        unsafe { self.put_in(strand, |threads| &threads.urgent) };
        // A worker that runs something takes it at its next poll.
        self.world.ring_all();
    }

    /// Makes a strand continue that another worker has given away: it waits for its turn among the published forks.
    ///
    /// # Safety
    /// As for [`Pool::inject_urgent`]: the strand is the caller's alone, has no home, and waits no more.
    pub unsafe fn inject_turn(&self, strand: *mut Strand) {
        // SAFETY: the strand is the caller's alone and has no home, so that any worker may run it; from here on the inbox owns it.
        unsafe { self.put_in(strand, |threads| &threads.turns) };
    }

    /// Puts a strand into an inbox that any worker may open, and an entry into the pool for workers without other work.
    ///
    /// # Safety
    /// The strand is the caller's alone: it runs nowhere and is in no other list. It has no home, so any worker may run it, and waits no
    /// more.
    unsafe fn put_in(&self, strand: *mut Strand, inbox: fn(&Threads) -> &Inbox) {
        inbox(&self.world.threads).push(strand);
        let world = Arc::as_ptr(&self.world) as usize;
        let entry = embed::job(move || {
            // SAFETY: the pool owns an `Arc` of the world, and runs its jobs before it is gone. A job runs on an idle thread of the pool,
            // as `run_from` needs.
            unsafe {
                if let Some(pool) = (*(world as *const World)).started() {
                    pool.run_from(inbox);
                }
            }
        });
        // SeqCst: see `thread/stuck.rs`.
        self.world.threads.queued.fetch_add(1, Ordering::SeqCst);
        // SAFETY: `embed::job` has put the job on the heap, where it stays until it has run; it is queued once.
        unsafe { self.core.inject(entry) };
        self.world.woken.fetch_add(1, Ordering::Relaxed);
        self.told();
    }

    /// Goes on with a strand of an inbox, if no other worker has.
    ///
    /// # Safety
    /// This must be an idle thread of the pool.
    unsafe fn run_from(&self, inbox: fn(&Threads) -> &Inbox) {
        let worker = idle_worker();
        self.world.begin();
        // SeqCst: see `thread/stuck.rs`.
        self.world.threads.queued.fetch_sub(1, Ordering::SeqCst);
        let Some(strand) = inbox(&self.world.threads).take() else {
            self.world.end();
            return;
        };
        // SAFETY: `worker` is this idle thread's own. `take` has removed the strand from the inbox under its lock, so no other thread has
        // it, and a strand in an inbox that any worker may open has no home.
        unsafe {
            let code = self.resume(worker, strand);
            self.drive(worker, strand, code);
        }
    }

    /// An entry that continues a strand.
    ///
    /// # Safety
    /// The strand is the caller's alone, and waits no more. The job must run once.
    unsafe fn entry(&self, strand: *mut Strand) -> *mut embed::Job {
        // SAFETY: no other thread has the strand before the job is queued, so this write races with nothing.
        unsafe { (*strand).queued = true };
        let (world, strand) = (Arc::as_ptr(&self.world) as usize, strand as usize);
        embed::job(move || {
            // SAFETY: the pool owns an `Arc` of the world, and runs its jobs before it is gone. The strand waits no more, is in no list,
            // and only this job, which runs once, has its address.
            unsafe {
                let world = &*(world as *const World);
                if let Some(pool) = world.started() {
                    pool.go_on(strand as *mut Strand);
                }
            }
        })
    }

    /// Puts an entry on top of the thread's deque.
    ///
    /// # Safety
    /// The entry stays in place until it has run, once; this is a thread of the pool in the midst of a job.
    unsafe fn put(&self, entry: *mut embed::Job) {
        // SeqCst: see `thread/stuck.rs`.
        self.world.threads.queued.fetch_add(1, Ordering::SeqCst);
        // SAFETY: `entry` stays in place until it has run, and is queued once, in one of the two branches. The worker of `current` is used
        // at once, within the job that this thread runs.
        unsafe {
            if let Some(worker) = embed::Worker::current() {
                worker.publish(entry);
            } else {
                self.core.inject(entry);
            }
        }
    }

    /// Ends the trace, if one was on, and returns it.
    pub fn end_trace(&self) -> Option<heist::trace::Trace> {
        self.core.stop_trace("of Parallel ML")
    }

    /// Tells napping workers that a fork was published.
    pub fn told(&self) {
        self.hunger.tell();
    }

    /// Runs the code of a program on its strand, on some thread, and waits for its end: 0 if it has returned, 1 if it has raised
    /// the exception that is then pending on `first`, or was left. From the end on, all workers are held.
    ///
    /// # Safety
    /// `code` is a function of the program that was attached. `strand` has not begun, and no worker has it. `first` is an idle worker of
    /// the world and the caller's own until this returns; all others are held, or have run nothing yet.
    pub unsafe fn run(&self, first: *mut Worker, strand: *mut Strand, code: usize) -> u64 {
        // SAFETY: `first` is the caller's own and idle, and no other worker runs, so no reference to `Inner` is in use and no thread writes
        // to its cells. No other worker has young objects to which a global or a cell refers.
        unsafe {
            let cells = &raw mut self.world.inner_mut().cells.0;
            // As long as nothing is shared, cells are among the roots.
            let mut roots: Vec<&mut usize> = Vec::new();
            if self.world.is_shared() {
                roots.push(&mut *cells);
            }
            collector::minor(first, std::ptr::null_mut(), &mut roots);
        }
        // An alarm may have the program go on at another worker before one has asked for work.
        if self.world.threads.are_used()
            && self.world.options.workers > 1
            && !self.world.is_shared()
        {
            self.world.share();
        }
        let running = Running {
            outcome: AtomicUsize::new(usize::MAX),
            first,
            thread: std::thread::current(),
        };
        // Release: pairs with the acquire in `end_program`.
        self.program
            .store((&raw const running).cast_mut(), Ordering::Release);
        // SAFETY: `first` is the caller's own idle worker until this function returns.
        self.hunger.begin(unsafe { (*first).has_clones() });
        if self.world.threads.are_used() {
            self.world.threads.clock.start(&self.world);
            self.world.threads.clock.runs(true);
        }
        self.world.threads.begin_program();
        self.world.release();
        let (world, strand) = (Arc::as_ptr(&self.world) as usize, strand as usize);
        let program = embed::job(move || {
            // SAFETY: the pool owns an `Arc` of the world, and runs its jobs before it is gone.
            let world = unsafe { &*(world as *const World) };
            let (worker, strand) = (idle_worker(), strand as *mut Strand);
            world.begin();
            // SAFETY: `worker` is this thread's own and idle. Only this job has the strand, which has not begun, so its stack is
            // free; `code` belongs to the attached program, and `run` waits for its end.
            unsafe {
                (*strand).program = world.threads.this_run();
                (*strand).mount(worker);
                trace::begins(&trace::STRAND, (*strand).number.into());
                let code = stack::enter(worker, code, (*strand).top());
                if let Some(pool) = world.started() {
                    pool.drive(worker, strand, code);
                }
            }
        });
        // SAFETY: `embed::job` puts these on the heap, where they stay until they have run; each is queued once.
        unsafe {
            self.core.inject(program);
            // All others wake up, and ask.
            self.core.broadcast(|_| embed::job(|| {}));
        }
        // Acquire: pairs with the release in `end_program`, so what is pending is seen.
        while running.outcome.load(Ordering::Acquire) == usize::MAX {
            std::thread::park();
        }
        self.program.store(std::ptr::null_mut(), Ordering::Relaxed);
        self.hunger.end();
        if self.world.threads.are_used() {
            self.world.ring_all();
        }
        // What was cancelled goes, and what it has held with it; but for what is in a system call, which is held. The caller may then
        // describe the exception, add code, and take code away.
        loop {
            self.world.settle();
            if self.world.hold() && !self.is_any_kept() {
                break;
            }
            // A thread that came back from the system in between was stopped. It may have made strands ready, and ends first. A strand
            // that is kept and lets others run is in a queue that a worker is about to empty.
            self.world.release();
            std::thread::yield_now();
        }
        if self.world.threads.are_used() {
            // Until here its rings had strands ask whether their masks keep them still.
            self.world.threads.clock.runs(false);
        }
        // SAFETY: `hold` has stopped all workers of the pool, and `first`, on which nothing runs, is the caller's own until this function
        // returns.
        unsafe { self.drop_threads(first) };
        running.outcome.into_inner() as u64
    }

    /// Runs a published fork, unless another thread has taken it.
    fn run_job(&self, job: Arc<Job>) {
        // An owner that takes its fork back runs the entry in its deque to free it, and counts as running already: it must not begin
        // once more, as a stopper would wait for it.
        let queued = &self.world.threads.queued;
        // SeqCst, here and below: see `thread/stuck.rs`.
        if job.state() != State::Published {
            queued.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        let worker = idle_worker();
        // Strands that were given away stand behind all forks in this worker's deque, which may never be empty.
        // SAFETY: `worker` is this thread's own and idle. `take` has removed the strand from the inbox under its lock, so no other thread
        // has it, and strands in that inbox have no home.
        unsafe {
            if (*worker).ready.is_others_turn() && self.world.threads.turns.has_any() {
                // Before a strand is taken, which is in no list then: the end of the program waits for what runs, and drops strands.
                self.world.begin();
                if let Some(strand) = self.world.threads.turns.take() {
                    // Back into the deque, where others find it: this strand may run for long, or wait for the system. Its owner knows
                    // the entry that has just left the deque, and the new one finds that the owner has taken the fork back.
                    drop(self.push(job));
                    queued.fetch_sub(1, Ordering::SeqCst);
                    self.told();
                    let code = self.resume(worker, strand);
                    self.drive(worker, strand, code);
                    return;
                }
                self.world.end();
            }
        }
        self.world.begin();
        queued.fetch_sub(1, Ordering::SeqCst);
        // While this worker runs, nothing is collected until it reaches a poll: the arguments stay right until the strand has
        // taken them.
        // The scope of a job that is still there to be taken has its owner in it.
        if !job.enter() {
            self.world.end();
            return;
        }
        if !job.take() {
            cancel::leave(&self.world, &job);
            self.world.end();
            return;
        }
        // What is a part of something cancelled does not begin. If the cancellation comes a moment later, it rings this worker.
        if job.is_cancelled() {
            // SAFETY: this thread's `take` succeeded, so it alone finishes the job, and does so here, once. `finish` returns a strand only
            // if that waits for this job, and gives it to this thread alone; the worker is this thread's own and idle.
            unsafe {
                let owner = job.finish(&[], Ending::Left);
                cancel::leave(&self.world, &job);
                match owner {
                    Some(strand) => {
                        let code = self.resume(worker, strand);
                        self.drive(worker, strand, code);
                    }
                    None => self.world.end(),
                }
            }
            return;
        }
        let strand = self.new_strand();
        // SAFETY: the strand is new: no other thread knows it, it runs nowhere, and it has no stack yet.
        unsafe { self.spare.give_stack(&self.world, strand) };
        let stub = self.world.inner().forks.fork(job.fork).stub;
        // SAFETY: no other thread knows the new strand, whose stack is empty. `worker` is this thread's own and idle. This thread's `take`
        // succeeded, so it may read the arguments; the strand keeps the job that holds them. The stub is code of the program.
        unsafe {
            if (*worker).alloc == (*worker).nursery {
                (*worker).fit_young();
            }
            (*worker).env = job.args().as_ptr() as usize;
            // If it is the rest of a loop, half of that is for the next thief that asks: see `basis/parallel.sml`.
            (*worker).bell.wanted.store(1, Ordering::Relaxed);
            (*strand).program = job.program;
            (*strand).world = Arc::as_ptr(&self.world);
            (*strand).job = Some(job);
            (*worker).stats.stolen += 1;
            (*strand).mount(worker);
            trace::begins(&trace::STRAND, (*strand).number.into());
            let code = stack::enter(worker, stub, (*strand).top());
            self.drive(worker, strand, code);
        }
    }

    /// Goes on with a strand that any worker may run.
    ///
    /// # Safety
    /// The strand is the caller's alone and has no home. This must be an idle thread of the pool.
    unsafe fn go_on(&self, strand: *mut Strand) {
        let worker = idle_worker();
        self.world.begin();
        // SeqCst: see `thread/stuck.rs`.
        self.world.threads.queued.fetch_sub(1, Ordering::SeqCst);
        // SAFETY: `worker` is this thread's own and idle. Only the job that calls this has the strand, which waits no more and has no home.
        unsafe {
            (*strand).queued = false;
            let code = self.resume(worker, strand);
            self.drive(worker, strand, code);
        }
    }

    /// Continues after a strand has ended or waits, for as long as that lets others continue here.
    ///
    /// # Safety
    /// The worker must be the calling thread's own. The strand must be the caller's: it was mounted on this worker and has come back from
    /// [`stack::enter`] or [`stack::go_on`] with `code`, or was not begun because it has ended.
    unsafe fn drive(&self, worker: *mut Worker, mut strand: *mut Strand, mut code: u64) {
        // SAFETY: `worker` is this thread's own. `strand` is this thread's until a step below hands it on, after which the loop replaces it
        // by one that the step has given to this thread, and does not look at it again.
        unsafe {
            loop {
                let waits = code == stack::WAITS;
                debug_assert!(
                    !waits || (*worker).tasks.is_empty(),
                    "all forks but the newest were published"
                );
                if !(*strand).worker.is_null() {
                    (*strand).dismount();
                    if waits {
                        // The strand's own, not the next one's.
                        if std::mem::replace(&mut (*worker).passed, 0) != 0 {
                            (*strand).armed = false;
                        }
                        (*worker).stats.suspended += 1;
                        trace::note(&trace::SUSPENDED, (*strand).number.into());
                    }
                    trace::ends(0);
                }
                if code == ENDED && (*worker).pending.0 == 0 {
                    lazy::abandon(worker, strand);
                }
                self.leave_nursery(worker, strand, code);
                debug_assert!(
                    !(*worker).remembers() || self.world.threads.are_used(),
                    "other strands may read what this one has filled"
                );
                let next = if waits {
                    (*strand).sp = (*worker).suspended;
                    self.suspend(worker, strand)
                } else {
                    let pending = std::mem::replace(&mut (*worker).pending.0, 0);
                    self.end_strand(worker, strand, code, pending)
                };
                let Some(next) = next.or_else(|| self.next_ready(worker)) else {
                    break;
                };
                strand = next;
                code = self.resume(worker, strand);
            }
        }
        self.world.end();
    }

    /// Makes a saved strand wait. Returns it if it need not wait.
    ///
    /// # Safety
    /// No worker runs the strand, and the worker is the caller's.
    unsafe fn suspend(&self, worker: *mut Worker, strand: *mut Strand) -> Option<*mut Strand> {
        // SAFETY: no worker runs the strand, and `worker` is this thread's own. Each branch reads what it needs of the strand before the
        // call that shows it to other threads; if that call returns true another thread may run the strand, and only its address is used.
        unsafe {
            let waits = match (*strand).wait {
                Wait::Turn => {
                    (*worker).ready.add(strand);
                    true
                }
                wait => {
                    let job = (*strand).entries.last().map(|entry| entry.job().clone());
                    self.spare.keep_stack(&self.world, strand);
                    match wait {
                        Wait::Lazy => lazy::suspend(&self.world, strand),
                        Wait::Permit => thread::suspend(&self.world, strand),
                        _ => job.expect("it waits for its newest").wait(strand),
                    }
                }
            };
            (!waits).then_some(strand)
        }
    }

    /// The next strand that is ready on this worker. Before that moment, all remaining strands may run anywhere.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, and run no strand.
    unsafe fn next_ready(&self, worker: *mut Worker) -> Option<*mut Strand> {
        if !self.world.threads.are_used() {
            return None;
        }
        // SAFETY: `worker` is this thread's own, and runs no strand. A strand in its queue is in no other list.
        unsafe {
            loop {
                ready::open_inbox(worker);
                if let Some(strand) = (*worker).ready.take() {
                    return Some(strand);
                }
                (*worker).ready.turn();
                if (*worker).ready.is_empty() {
                    ready::clear_young(worker);
                    if (*worker).ready.is_empty() {
                        return None;
                    }
                } else if self.world.threads.queued.load(Ordering::Relaxed) > 0 {
                    ready::give_all(worker);
                    return None;
                }
            }
        }
    }

    /// A strand has ended: it has returned (0), or (1) raised the pending exception, or was left if there is none. Returns the strand
    /// that waits for it.
    ///
    /// # Safety
    /// No worker runs the strand; its results are in the worker, which is the caller's, and may be seen by others.
    unsafe fn end_strand(
        &self,
        worker: *mut Worker,
        strand: *mut Strand,
        code: u64,
        pending: usize,
    ) -> Option<*mut Strand> {
        // SAFETY: `worker` is this thread's own. The strand has ended and no worker runs it, so this thread has it alone until `recycle`.
        // This thread took the job that the strand computes, and finishes it here, once. `leave_nursery` has moved its results out of the
        // young generation.
        unsafe {
            // An exception has cancelled what it has passed.
            self.cancel_all(&mut *strand);
            cancel::leave_above(&self.world, &mut *strand, usize::MAX);
            thread::fibers::end_fork(worker, strand);
            thread::forget(&self.world, strand);
            let Some(job) = (*strand).job.take() else {
                if (*strand).thread {
                    self.spare.recycle(strand);
                } else {
                    // The program's own. Its frames are no roots any more.
                    (*strand).reset();
                    self.end_program(code, pending, (*worker).raised);
                }
                return None;
            };
            let count = self.world.inner().forks.fork(job.fork).results.len();
            let next = match (code, pending) {
                (0, _) => job.finish(&(&(*worker).results)[..count], Ending::Returned),
                (_, 0) => job.finish(&[], Ending::Left),
                _ => {
                    job.raised_at((*worker).raised);
                    job.finish(&[pending], Ending::Raised)
                }
            };
            cancel::leave(&self.world, &job);
            self.spare.recycle(strand);
            next
        }
    }

    /// Moves the objects of a strand that ends, or that may continue at another worker, out of the worker's young generation, as far
    /// as other workers may see them.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, and run no strand. The strand must be the caller's, and have left the worker with
    /// `code`.
    unsafe fn leave_nursery(&self, worker: *mut Worker, strand: *mut Strand, code: u64) {
        // SAFETY: `worker` is this thread's own and runs no strand; `strand` is this thread's, as no step has handed it on yet. The pending
        // exception is among the worker's roots. `words` is a copy on this stack to which no other thread writes.
        unsafe {
            if code == stack::WAITS {
                if matches!((*strand).wait, Wait::Permit | Wait::Turn) {
                    ready::keep_young(worker, strand);
                } else {
                    promote::promote_all(worker, strand, &mut []);
                }
                return;
            }
            if (*strand).thread {
                // It has no result, and handles its exceptions.
                (*worker).pending = Value(0);
                return;
            }
            let Some(job) = &(*strand).job else {
                // The program has come to its end; the next one may run elsewhere.
                collector::minor(worker, std::ptr::null_mut(), &mut []);
                return;
            };
            let results = if code == 0 {
                &self.world.inner().forks.fork(job.fork).results[..]
            } else {
                &[]
            };
            let mut words = (*worker).results;
            let mut roots: Vec<_> = words
                .iter_mut()
                .zip(results)
                .filter_map(|(word, pointer)| pointer.then_some(word))
                .collect();
            promote::promote_results(worker, &mut roots);
            (*worker).results = words;
        }
    }

    fn end_program(&self, code: u64, pending: usize, origin: usize) {
        // Acquire: pairs with the release in `run`.
        let running = self.program.load(Ordering::Acquire);
        // Only a prompt has later programs, which see what masks protect.
        let grace = if self.world.options.reserve {
            GRACE
        } else {
            Duration::ZERO
        };
        self.world.threads.end_program(self.world.began, grace);
        self.world.threads.clock.clear();
        // SAFETY: `run` keeps `Running` on its stack until it sees the outcome, which the last line but one stores. Until then
        // the thread of `run` only reads that outcome, so `first` and `thread` are this thread's to use. The clone of the handle outlives
        // it.
        unsafe {
            let thread = (*running).thread.clone();
            // There it is a root: what was cancelled may still run, and have everything collected.
            (*(*running).first).pending = Value(pending);
            (*(*running).first).raised = origin;
            // Release: pairs with the acquire in `run`.
            (*running).outcome.store(code as usize, Ordering::Release);
            thread.unpark();
        }
    }

    /// Forgets all published forks of a strand that has ended.
    fn cancel_all(&self, strand: &mut Strand) {
        while let Some(entry) = strand.entries.last() {
            let frame = entry.frame;
            publish::cancel(&self.world, strand, frame, 0);
        }
    }

    /// A strand that has not begun, without a stack.
    pub fn new_strand(&self) -> *mut Strand {
        self.spare.strand(&self.world)
    }

    /// Drops a parked strand.
    ///
    /// # Safety
    /// All workers are stopped, nothing gives the strand its permit, it has no home, and neither forks nor computes for others.
    pub unsafe fn drop_parked(&self, strand: *mut Strand) {
        // SAFETY: all workers are stopped, and the collector found that nothing refers to the strand's object: no permit can wake it. It
        // has no home and no entries, so nothing else refers to it when it is recycled.
        unsafe {
            thread::drop_parked(&self.world, strand);
            self.spare.recycle(strand);
        }
    }

    /// Returns true if a strand that only lets others run must come to the end of its masks, or of those around its fork, because a later
    /// program may use the data that they protect: a lock of the Basis, or data that a transaction has changed in part. All workers must be
    /// held.
    fn is_any_kept(&self) -> bool {
        let mut kept = false;
        self.world.each_strand(|strand| {
            // SAFETY: all workers are held, so no thread changes a strand.
            let it = unsafe { &*strand };
            kept |=
                it.wait == Wait::Turn && !it.is_idle() && (!it.may_end() || it.is_in_masked_job());
        });
        kept
    }

    /// Drops the strands that a program has left waiting, except those in a queue, which end when their turn comes.
    ///
    /// # Safety
    /// All workers are held, and the worker is the caller's.
    unsafe fn drop_threads(&self, worker: *mut Worker) {
        if !self.world.threads.are_used() {
            return;
        }
        let mut left = Vec::new();
        self.world.each_strand(|strand| {
            // SAFETY: all workers are held, so no thread changes a strand. One that is mounted on no worker and is in no queue belongs to
            // the program that has ended. A worker that has gone idle has left no home behind.
            unsafe {
                let it = &*strand;
                if it.worker.is_null() && !it.is_idle() && !it.is_program() && !it.queued {
                    left.push(strand);
                }
            }
        });
        self.world.waiting.clear();
        while self.world.threads.urgent.take().is_some() {}
        while self.world.threads.turns.take().is_some() {}
        // First none of them can be woken; then what they have promised to others goes.
        for strand in &left {
            // SAFETY: all workers are held, the inboxes are empty, and the list of waiting strands is: nothing but this thread has a strand
            // of `left`.
            unsafe { thread::take_waiting(&self.world, *strand) };
        }
        for strand in left {
            // SAFETY: all workers are held. No permit or list leads to a strand of `left` any more, and none of them waits for what another
            // one computes. `worker` is the caller's own.
            unsafe {
                self.cancel_all(&mut *strand);
                lazy::abandon(worker, strand);
                cancel::leave_above(&self.world, &mut *strand, usize::MAX);
                if let Some(job) = (*strand).job.take() {
                    cancel::leave(&self.world, &job);
                }
                self.spare.recycle(strand);
            }
        }
    }

    /// Continues a strand whose wait is over, unless it has nothing to continue. Returns as [`stack::enter`] does.
    ///
    /// # Safety
    /// The strand and the worker must belong to the caller; the worker must be idle and be allowed to run the strand.
    unsafe fn resume(&self, worker: *mut Worker, strand: *mut Strand) -> u64 {
        // SAFETY: both are this thread's alone: `worker` is its own and idle, and the strand's wait is over, so it is in no list. The
        // strand has no home, or this worker is it. If it waited at a join, the thief is done with the job and its results.
        unsafe {
            ready::leave_young(worker, strand);
            (*strand).urgent = false;
            match std::mem::replace(&mut (*strand).wait, Wait::Join) {
                Wait::Join if (*strand).start.0 != 0 => return self.begin(worker, strand),
                Wait::Join => {
                    // Its join is over: the thunk returns with the results in the worker.
                    let entry = (*strand).entries.pop().expect("it waited for its newest");
                    (*strand).armed = false;
                    if entry.job().ending() == Ending::Left {
                        if (*strand).cancelled_above().is_none() {
                            return ENDED;
                        }
                        // It raises, and `raise` leaves what was cancelled.
                        (&mut (*worker).results)[0] = Value::immediate(0).0;
                        (*worker).joined = 2;
                    } else {
                        publish::receive(worker, entry.job());
                        (*worker).joined = if entry.job().raised() { 2 } else { 1 };
                    }
                    if (*strand).may_end() && is_over(strand) {
                        return ENDED;
                    }
                }
                Wait::Lazy => {
                    (*strand).awaits = Value(0);
                    // What it waited for may have been cancelled along with it. A masked strand goes on with the value.
                    if (*strand).may_end() && (is_over(strand) || (*strand).is_left_behind()) {
                        return ENDED;
                    }
                }
                // If that was at a join, its right side is to be computed here. What it has offered is void once it has ended: see `thread::forget`.
                Wait::Permit | Wait::Turn => {
                    if (*strand).may_end() && (is_over(strand) || (*strand).is_left_behind()) {
                        return ENDED;
                    }
                    (*worker).joined = publish::Joined::Here as usize;
                }
            }
            if (*strand).stack.is_none() {
                self.spare.give_stack(&self.world, strand);
            }
            (*strand).mount(worker);
            Worker::ring(worker);
            trace::begins(&trace::STRAND, (*strand).number.into());
            stack::go_on(worker, (*strand).sp)
        }
    }

    /// Begins with a thread.
    ///
    /// # Safety
    /// As for [`Pool::resume`]: the strand and the idle worker are the caller's alone, and the strand has no home other than this worker.
    /// The strand is a thread that has not begun.
    unsafe fn begin(&self, worker: *mut Worker, strand: *mut Strand) -> u64 {
        // SAFETY: `worker` is this thread's own and idle, and no other thread has the strand, whose stack is empty. `start` holds a closure
        // of the program; nothing is collected between the copy to `env` and its call.
        unsafe {
            let start = std::mem::replace(&mut (*strand).start, Value(0));
            if super::interrupt::asked() || (*strand).is_left_behind() {
                return ENDED;
            }
            self.spare.give_stack(&self.world, strand);
            (*worker).env = start.0;
            (*strand).mount(worker);
            trace::begins(&trace::STRAND, (*strand).number.into());
            stack::enter(
                worker,
                stack::begin_thread as *const () as usize,
                (*strand).top(),
            )
        }
    }
}

/// The time for which a transaction may go on at a prompt after the input whose thread has begun it.
const GRACE: Duration = Duration::from_secs(1);

/// The value that [`stack::enter`] returns if a strand has left compiled code where it was. No exception is pending then if it was cancelled.
const ENDED: u64 = 1;

/// Returns true if a waiting strand need not continue, because its results are not needed.
///
/// # Safety
/// The strand is the caller's alone: it runs nowhere, and no other thread writes to it.
unsafe fn is_over(strand: *mut Strand) -> bool {
    // SAFETY: the strand is the caller's alone, so nothing changes its `job` while this looks at it.
    let job = unsafe { &(*strand).job };
    job.as_ref().is_some_and(|job| job.is_cancelled()) || super::interrupt::asked()
}

/// The idle worker of this thread: a strand on top of another one would share its worker's state.
fn idle_worker() -> *mut Worker {
    let worker = WORKER.get();
    // SAFETY: this is called by jobs of the pool only, so on a thread that has made its worker at its start and drops it at its end.
    if !unsafe { (*worker).strand }.is_null() {
        super::fatal("internal error: a strand on top of another");
    }
    worker
}

/// Runs the entry of a published fork.
///
/// # Safety
/// A [`Queued`] has given the entry for a deque of this thread's pool, and it runs once.
unsafe fn run_entry(entry: *mut embed::Job) {
    // SAFETY: `entry` comes from `Queued::for_deque`, and the deque runs it once: its count is this call's to give back.
    let job = unsafe { Queued::taken(entry) };
    // SAFETY: on a thread of a pool the worker is there. It is not borrowed from here on: what runs changes it.
    let world = unsafe { (*WORKER.get()).shared_world() };
    if let Some(pool) = world.started() {
        pool.run_job(job);
    }
}

/// The worker of this thread gives all its ready strands to others, if it is a pool's worker that runs a strand.
pub fn give_all() {
    let worker = WORKER.get();
    if !worker.is_null() {
        // SAFETY: the worker is this thread's, and a function of the runtime that was called by a thunk is about to wait for the system.
        unsafe { ready::give_all(worker) };
    }
}

/// Takes a published fork that its owner has taken back out of its deque, if it is there.
pub fn forget(queued: &Queued) {
    // SAFETY: the worker of the pool is used at once, within the job that this thread runs.
    if let Some(worker) = unsafe { embed::Worker::current() } {
        // It is retracted, so to run it only gives back the deque's count.
        worker.take_back(queued.address());
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.core.close();
    }
}
