//! Copying the objects to which the roots of a collection refer.

use crate::code::forks::Forks;
use crate::code::frames::Frames;
use crate::collect::copy::Copy;
use crate::collect::team::Root;
use crate::memory::heap::Region;
use crate::process::ends::fatal;
use crate::protocol::job::{Job, State};
use crate::state::strand::Strand;
use crate::state::walk::{Walk, mark};
use crate::state::worker::Worker;

/// Number of frames between two marks that a walk sets (see `state/walk.rs`).
const MARK_EVERY: u64 = 64;

impl<const MAJOR: bool> Copy<'_, MAJOR> {
    /// Copies the objects to which a root refers.
    ///
    /// # Safety
    /// All workers must be stopped, and only this member may copy the root.
    pub unsafe fn root(&mut self, root: Root) {
        // SAFETY: all workers are stopped, and only this member has claimed the root, so no other member uses the object that the root
        // names.
        unsafe {
            match root {
                Root::Worker(worker) => {
                    (*worker).region = Region::default();
                    self.worker(worker);
                    if !(*worker).strand.is_null() {
                        self.root(Root::Strand((*worker).strand));
                    }
                }
                Root::Strand(strand) => {
                    let strand = &mut *strand;
                    for entry in &strand.entries {
                        self.job(entry.job(), &self.world.inner().forks);
                    }
                    self.strand(strand, &self.world.inner().frames);
                }
                Root::World => {
                    self.globals();
                    self.cells();
                    let threads = &self.world.threads;
                    threads.each_sleeper(|thread| self.slot(&raw mut thread.0));
                }
            }
        }
    }

    /// Copies the objects to which a worker refers, and clears its list of remembered slots.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, or be stopped.
    pub unsafe fn worker(&mut self, worker: *mut Worker) {
        // SAFETY: no other thread uses the worker. Slots that it remembers have not moved: a major collection forgets them all.
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
            self.tasks(worker);
            self.slot(&raw mut worker.pending.0);
            remembered.truncate(1 << 16);
            let range = remembered.as_mut_ptr_range();
            (worker.remembered, worker.remembered_end) = (range.start, range.end);
            worker.remembered_slots = remembered;
        }
    }

    /// Copies the tasks of a worker, newest first, down to the first old task. No task below that task is young.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, or must be stopped and be a root that only this member copies.
    unsafe fn tasks(&mut self, worker: &mut Worker) {
        for task in worker.tasks.all_mut().iter_mut().rev() {
            if !MAJOR && task.wrapping_sub(self.young) >= self.span {
                break;
            }
            // SAFETY: `task` is a place of this worker's deque, which no other thread uses meanwhile, and it holds the object of a task.
            unsafe { self.slot(task) };
        }
        worker.tasks.shrink();
    }

    /// Copies the objects to which the globals of all programs refer.
    ///
    /// # Safety
    /// No other thread may run a program's own strand.
    pub unsafe fn globals(&mut self) {
        for global in &self.world.inner().globals {
            // SAFETY: globals stay as long as their programs, each holds a value, and no other thread runs the strand that writes them.
            unsafe { self.slot(*global) };
        }
    }

    /// Copies the values that a prompt keeps, and the closures that run at an exit and when a fiber is preempted.
    ///
    /// # Safety
    /// All other workers must be stopped, or run nothing.
    pub unsafe fn cells(&mut self) {
        // SAFETY: no other worker runs code of a program, so none writes to these words, each of which holds a value.
        unsafe {
            self.slot(self.world.cells());
            self.slot(self.world.at_exit.as_ptr());
            self.slot(self.world.on_preempt.as_ptr());
        }
    }

    /// Copies the objects to which a published fork refers.
    ///
    /// # Safety
    /// All other workers must be stopped.
    pub unsafe fn job(&mut self, job: &Job, forks: &Forks) {
        let fork = forks.fork(job.fork);
        // SAFETY: all other workers are stopped; the table says which words are pointers.
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

    /// Copies the objects to which the frames of a strand refer.
    ///
    /// # Safety
    /// The strand must belong to the caller, or its worker must be stopped. No code may run on the strand during the call.
    pub unsafe fn strand(&mut self, strand: &mut Strand, table: &Frames) {
        strand.settle(strand.marks_used());
        // SAFETY: the strand belongs to the caller, or is a stopped strand that only this member copies. So no other thread writes to these
        // values.
        unsafe {
            for (lazy, before, _) in &mut strand.computes {
                self.slot(&raw mut lazy.0);
                self.slot(&raw mut before.0);
            }
            self.slot(&raw mut strand.awaits.0);
            self.slot(&raw mut strand.start.0);
            self.slot(&raw mut strand.object.0);
        }
        let (mut marks, mut frames) = (Vec::new(), 0_u64);
        // SAFETY: nothing runs on the stack, the table names the slots that hold values, and a mark leads to the address that it replaces.
        unsafe {
            let mut walk = Walk::new(strand.newest_frame(), strand.marks());
            let mut passed = false;
            while let Some(frame) = walk.next() {
                if frame.marked && !MAJOR && walk.marks_left() < strand.scanned {
                    break;
                }
                let Some(site) = table.site(frame.address) else {
                    fatal("internal error: a frame that is not known")
                };
                for below in table.slots(site) {
                    self.slot((frame.pointer - *below as usize) as *mut usize);
                }
                frames += 1;
                // Marks can be added only at the newest end of the list.
                if frames % MARK_EVERY == 0 && !frame.marked && !passed {
                    marks.push(frame.address);
                    *frame.slot = mark();
                }
                passed |= frame.marked;
            }
        }
        strand.add_marks(&marks);
        strand.scanned = strand.marks_used();
        self.counts.frames += frames;
    }
}
