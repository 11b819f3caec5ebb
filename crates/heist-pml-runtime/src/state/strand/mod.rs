//! A strand is a running or waiting computation of compiled code, with its own stack. A worker runs one strand at a time. A waiting strand
//! belongs to no worker.

mod marks;
mod packing;
mod parts;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use smallvec::SmallVec;

use crate::memory::stack::Stack;
use crate::protocol::job::Job;
use crate::protocol::mask::Mask;
use crate::state::queued::Queued;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::Value;
pub(crate) use marks::Landing;

/// Number of frames that are recorded when a thread is made, for reports. The newest of these frames belong to the Basis.
const PLACES: usize = 3;

/// Reason for which a strand does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The strand has not begun, or waits at a join.
    Join,
    /// The strand waits for a lazy value.
    Lazy,
    /// The strand waits for its permit.
    Permit,
    /// The strand lets other strands run, and waits for its turn.
    Turn,
}

/// The part of a strand that was cancelled and must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cancelled {
    /// No part, because no part is cancelled or a mask still protects the cancelled part.
    No,
    /// The whole strand.
    Whole,
    /// The frames above the frame with this pointer: see `cancel`.
    Above(usize),
}

/// A part of a strand that may be cancelled.
pub(crate) struct Scope {
    /// The frame pointer of the frame that continues after the part.
    pub frame: usize,
    /// The job that contains the forks of the part.
    pub job: Arc<Job>,
}

/// The bit of `Strand::program` that marks the program's own strand and the strands that compute its forks, but not threads and their
/// forks. For a strand with this bit, [`Strand::is_left_behind`] is false, because the end of the program cancels these forks.
pub(crate) const ITSELF: u32 = 1 << 31;

/// A running or waiting computation of compiled code.
pub struct Strand {
    /// The strand's stack. The field is `None` before the strand begins, and while the strand waits with its frames in `packed`.
    pub stack: Option<Stack>,
    /// The frames while the strand has no stack. While the strand has a stack, the vector is empty, and keeps memory for the next wait.
    packed: Vec<usize>,
    /// The strand's number: 0 for the strand of a program, unless the world has several programs.
    pub number: u32,
    /// The addresses at which execution continues after returns to marks and return barriers,
    /// the oldest first. Only the first `marks_used` addresses are in use.
    pub(crate) marks: Vec<usize>,
    marks_used: usize,
    /// Number of marks, from the oldest on, whose frames have not run since the collector last scanned them.
    pub(crate) scanned: usize,
    /// Number of marks, from the oldest on, whose frames have no fork left to publish. Frames that are older than these marks also have no
    /// fork left to publish.
    pub(crate) searched: usize,
    /// Forks that were published and not joined yet, the oldest first.
    pub(crate) entries: Vec<Entry>,
    /// Whether a return barrier is at the frame of the newest fork in `entries`. If no return barrier is there, the poll of the strand's
    /// worker is set.
    pub(crate) armed: bool,
    /// The worker that runs the strand; null if no worker runs it.
    pub(crate) worker: *mut Worker,
    /// The frame at which walks begin while no worker runs the strand; 0 before the strand has begun.
    pub(crate) frame: usize,
    /// The stack pointer while the strand waits.
    pub(crate) sp: usize,
    /// The fork that this strand computes for another strand; `None` for a program's own strand and for a thread.
    pub(crate) job: Option<Arc<Job>>,
    /// Scopes that have begun and have not ended, the oldest first.
    pub(crate) scopes: Vec<Scope>,
    /// True if a cancellation has made the strand leave the frames of a part, and the caller of this part has not yet asked why the part
    /// has ended.
    pub(crate) unwound: bool,
    /// The number of all cancellations at the time when the strand last checked whether it is cancelled.
    cancellations: usize,
    /// The numbers of the alarms that the strand has set. Some of these alarms may already have rung.
    pub(crate) alarms: Vec<u64>,
    /// The lazy values that the strand computes, with their previous contents and the frames that have claimed them, the newest last: see
    /// `lazy`.
    pub(crate) computes: Vec<(Value, Value, usize)>,
    /// The lazy value for which the strand waits; 0 if there is none.
    pub(crate) awaits: Value,
    /// The reason for which the strand does not run.
    pub(crate) wait: Wait,
    /// Whether the strand is a thread of the program: see `thread`.
    pub(crate) thread: bool,
    /// For a report: the return addresses of the newest frames at the place where the thread was made.
    pub(crate) made: [usize; PLACES],
    /// The name of the channel or other object for which the strand waits: see `thread::waits_for`.
    pub(crate) waits_for: i64,
    /// The world of the strand, if it is a thread or computes a fork; otherwise null.
    pub(crate) world: *const World,
    /// For a thread, and for a strand that computes a fork of a thread: the number of its program (see `Threads::program`). For the
    /// program's own strand, and for a strand that computes a fork of the program's own strand: [`ITSELF`] and the number of the program's
    /// run. The number is 0 before the strand has begun, and in a world without a pool.
    pub(crate) program: u32,
    /// The closure that a thread calls; 0 after the thread has begun.
    pub(crate) start: Value,
    /// The object that represents the strand; 0 if there is none.
    pub(crate) object: Value,
    /// 1 plus the number of the strand's home, the worker to whose young objects the strand refers; 0 if any worker may run the strand: see
    /// `state::ready`.
    pub(crate) home: AtomicUsize,
    /// The strand's index in the list of its home worker.
    pub(crate) young_at: usize,
    /// The strand's masks, the newest last. A cancellation does not end a part of the strand that encloses a mask. The polls of a masked
    /// strand let other strands run only if all its masks belong to transactions.
    pub(crate) masks: SmallVec<[Masked; 1]>,
    /// The error number of the strand's last call that returned a string; 0 if the call succeeded. The strand keeps this number, because
    /// another worker may run the strand before the program asks for the number.
    pub(crate) last_error: i32,
    /// Whether the strand is or was on a vproc of the program's scheduler, so that its object has the flags of `thread::fibers`.
    pub(crate) is_fiber: bool,
    /// Whether the strand was preempted, and has taken permits while it waited.
    pub(crate) has_waited: bool,
    /// Whether `wake::wake_outside` has woken the strand, and the strand has not run since. Workers run an urgent strand before published
    /// forks.
    pub(crate) urgent: bool,
    /// Whether the strand is in a queue of the pool.
    pub(crate) queued: bool,
    /// The job under which the strand is in the list of strands that a cancellation must find; null if the strand is not in this list.
    pub(crate) listed: *const Job,
    /// During a major collection, whether the strand is a parked thread. The collection drops a parked thread if it does not reach the
    /// thread's object.
    pub(crate) weak: bool,
    /// Whether the major collection has reached the strand's object.
    pub(crate) reached: AtomicBool,
}

/// The purpose of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The code must run to its end. Only an interruption of the program ends the code earlier.
    Whole,
    /// The code holds a lock of the Basis for a few instructions. Even an interruption of the program does not end code with this mask.
    Lock,
    /// The code waits for a value, and must not lose the value after it has received it. A cancellation ends the wait.
    Wait,
    /// The code is a transaction: it must run to its end, but lets other strands run before its end. Only an interruption of the program
    /// ends the transaction earlier.
    Transaction {
        /// The number of forks that had begun but not ended when the transaction began.
        forks: usize,
    },
}

/// A mask: it protects running code from the cancellation of an enclosing part.
pub(crate) struct Masked {
    /// The frame that has masked the strand.
    pub frame: usize,
    /// The purpose of the mask.
    pub purpose: Purpose,
    /// The mask to which the forks that the code has published refer; `None` before the first such fork.
    pub mask: Option<Arc<Mask>>,
}

/// A published fork.
pub(crate) struct Entry {
    /// The frame pointer of the frame that forked.
    pub frame: usize,
    /// The fork's index among the forks of that frame that have begun but not ended.
    pub place: usize,
    /// Whether the right side of the fork computes a lazy value, and may still win a race against the left side.
    pub races: bool,
    /// 1 plus the index of the newest race among this entry and all older entries; 0 if none of these entries is a race.
    pub race: usize,
    /// The fork's entry in a deque.
    pub queued: Queued,
}

impl Entry {
    /// Returns the fork's job, as thieves see it.
    pub(crate) fn job(&self) -> &Arc<Job> {
        self.queued.job()
    }
}

impl Strand {
    /// Makes a strand that has not begun.
    #[must_use]
    pub fn new(stack: Option<Stack>, number: u32) -> Strand {
        Strand {
            stack,
            packed: Vec::new(),
            number,
            marks: Vec::new(),
            marks_used: 0,
            scanned: 0,
            searched: 0,
            entries: Vec::new(),
            armed: false,
            worker: std::ptr::null_mut(),
            frame: 0,
            sp: 0,
            job: None,
            scopes: Vec::new(),
            unwound: false,
            cancellations: 0,
            alarms: Vec::new(),
            computes: Vec::new(),
            awaits: Value(0),
            wait: Wait::Join,
            thread: false,
            made: [0; PLACES],
            waits_for: 0,
            world: std::ptr::null(),
            program: 0,
            start: Value(0),
            object: Value(0),
            home: AtomicUsize::new(0),
            young_at: 0,
            masks: SmallVec::new(),
            last_error: 0,
            is_fiber: false,
            has_waited: false,
            urgent: false,
            queued: false,
            listed: std::ptr::null(),
            weak: false,
            reached: AtomicBool::new(false),
        }
    }

    /// Returns true if this is the program's own strand. Only this strand writes globals.
    pub(crate) fn is_program(&self) -> bool {
        self.job.is_none() && !self.thread
    }

    /// Returns the address at which the strand's stack begins.
    pub(crate) fn top(&self) -> usize {
        self.stack.as_ref().expect("it is to run").top()
    }

    /// Returns the frame at which walks over the strand begin.
    pub(crate) fn newest_frame(&self) -> usize {
        if self.worker.is_null() {
            return self.frame;
        }
        // SAFETY: a strand is mounted on a worker that exists, and the caller is that worker's thread, or has stopped it, so nothing writes
        // the field.
        unsafe { (*self.worker).frame }
    }

    /// Resets the strand to its state before its first run.
    pub(crate) fn reset(&mut self) {
        debug_assert!(self.worker.is_null(), "nobody runs it");
        self.entries.clear();
        self.alarms.clear();
        self.computes.clear();
        self.awaits = Value(0);
        (self.marks_used, self.scanned, self.searched) = (0, 0, 0);
        (self.frame, self.sp, self.armed) = (0, 0, false);
        (self.cancellations, self.unwound) = (0, false);
        debug_assert!(self.scopes.is_empty(), "they were left");
        (self.wait, self.thread) = (Wait::Join, false);
        (self.made, self.waits_for) = ([0; PLACES], 0);
        self.masks.clear();
        (self.queued, self.urgent) = (false, false);
        (self.is_fiber, self.has_waited) = (false, false);
        self.program = 0;
        (self.start, self.object) = (Value(0), Value(0));
        self.packed.clear();
        debug_assert_eq!(self.home.load(Ordering::Relaxed), 0, "in no list");
        if let Some(stack) = &self.stack {
            stack.close();
        }
    }

    /// Returns true if the strand neither runs nor waits, so that none of its frames are needed.
    pub(crate) fn is_idle(&self) -> bool {
        self.frame == 0 && self.start.0 == 0
    }

    /// Returns the number of the strand's program if the strand is a thread, or computes a fork of a thread; otherwise 0.
    pub(crate) fn program_of_thread(&self) -> u32 {
        if self.program & ITSELF == 0 {
            self.program
        } else {
            0
        }
    }

    /// Returns true if the strand must end because its program has ended. Only threads of the program, and strands that compute forks of
    /// threads, must end for this reason. A strand that computes a fork of masked code need not end while masks protect the fork.
    #[inline(always)]
    pub(crate) fn is_left_behind(&self) -> bool {
        // SAFETY: `world` is null or the world of the strand, which owns the pool that made the strand and so outlives it.
        let Some(world) = (unsafe { self.world.as_ref() }) else {
            return false;
        };
        // Each message between threads calls this function, so one comparison decides the usual case, a thread of the running program.
        match self.program_of_thread() {
            0 => self.is_void(),
            program => world.threads.program() != program && self.is_left_unmasked(),
        }
    }

    /// Returns true unless masks protect the strand. [`Strand::is_left_behind`] calls this cold function for a program that has ended.
    #[cold]
    #[inline(never)]
    fn is_left_unmasked(&self) -> bool {
        !self.is_in_masked_job()
    }

    /// Returns true if the strand's program ended so long ago that only a lock of the Basis prevents the strand's end.
    #[inline]
    fn is_void(&self) -> bool {
        // SAFETY: `world` is null or the world of the strand, which owns the pool that made the strand and so outlives it.
        let world = unsafe { self.world.as_ref() };
        world.is_some_and(|world| world.threads.is_void(self.program, world.began))
            && !self.holds_lock()
    }

    /// Frees the memory that the strand keeps for its next use. The strand must be unused.
    pub(crate) fn free_memory(&mut self) {
        (self.packed, self.marks, self.masks) = (Vec::new(), Vec::new(), SmallVec::new());
    }

    /// Notes that a worker runs the strand from now on, with a new time slice.
    pub(crate) fn mount(&mut self, worker: *mut Worker) {
        let used = self.marks_used;
        self.worker = worker;
        // SAFETY: the worker is the calling thread's own and runs no strand. `used` is at most the number of marks, so the end is within
        // the buffer.
        unsafe {
            (*worker).ready.begin_time();
            (*worker).strand = self;
            (*worker).marks_end = self.marks.as_mut_ptr().add(used);
            (*worker).frame = self.frame;
        }
    }

    /// Notes that no worker runs the strand any more.
    pub(crate) fn dismount(&mut self) {
        self.marks_used = self.marks_used();
        let worker = std::mem::replace(&mut self.worker, std::ptr::null_mut());
        // SAFETY: the strand was mounted on this worker, the calling thread's own, which stays until its thread has ended.
        unsafe {
            self.frame = (*worker).frame;
            // A cancelled strand leaves its tasks in the worker.
            (*worker).tasks.clear();
            (*worker).strand = std::ptr::null_mut();
            (*worker).frame = 0;
        }
    }
}
