//! Runs a job: a task, or a frame that was claimed.

use crate::cancel;
use crate::task::{Header, Stolen};
use crate::trace::EventKind;
use crate::worker::local::local;
use crate::worker::queue::job::Job;
use crate::worker::thread::{Context, WorkerThread};

/// A guard that ends the process if a panic unwinds into the scheduler, because other threads rely
/// on this thread. All code of the user runs under `catch_unwind`, so such a panic is a bug of
/// Heist.
pub(super) struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        crate::platform::say(format_args!(
            "heist: a panic reached the scheduler; please report this"
        ));
        std::process::abort();
    }
}

impl WorkerThread {
    /// Runs a job. The argument `base` is true if this thread's stack is empty.
    pub(super) fn run(&self, job: Job, base: bool) {
        self.run_inline(job, base);
    }

    /// Runs a job like [`run`](Self::run). This function is inlined into the loop over a worker's own jobs.
    #[inline(always)]
    pub(super) fn run_inline(&self, job: Job, base: bool) {
        let local = local();
        let bomb = AbortOnUnwind;
        let outer = local.context.replace(if base {
            Context::BASE
        } else {
            Context::ELSEWHERE
        });
        // While the job runs, the fiber that waits below is not the innermost code on this stack.
        let fiber = local.fiber.replace(std::ptr::null());
        if self.as_thief.stole_one.replace(false) || matches!(job, Job::Claimed { .. }) {
            // The thief got only one job, so its victim probably has few jobs to steal. This worker
            // offers its next fork to other thieves.
            self.offer(local);
        }
        'job: {
            match job {
                Job::Run(header) => {
                    // A task that belongs to a cancel scope enters the scope by itself.
                    let entered = self.enter_none();
                    // SAFETY: a job is the sole right to run the header to which it points.
                    unsafe { Header::execute(header) };
                    self.leave(entered);
                }
                Job::Claimed {
                    victim,
                    index,
                    frame,
                } => {
                    // SAFETY: the victim waits for this frame, and workers live as long as the pool.
                    let victim = unsafe { &*victim };
                    let record = victim.record(index);
                    // This is step T2 of cancellation, after the claim and before the record is complete. SAFETY: the scope of the fork
                    // does not end before the fork's record is complete, and the record is completed after `leave`.
                    let entered = unsafe { self.enter(victim.extents.find(index)) };
                    if cancel::is_cancelled() {
                        // This is step T3: this worker does not run the frame. The forker drops the frame, or runs it if the forker unwinds
                        // already.
                        self.leave(entered);
                        victim.get_back(index);
                        break 'job;
                    }
                    self.trace(EventKind::FrameBegins { victim: victim.id });
                    let serial = self.thefts.get().wrapping_add(1);
                    self.thefts.set(serial);
                    record.begin(Stolen {
                        thief: self.id,
                        base: Some(self.forks.height()),
                        serial,
                    });
                    // SAFETY: this worker claimed the frame, so no other worker runs the frame. The victim keeps the frame alive until the
                    // record is complete.
                    unsafe { Header::execute(frame) };
                    self.leave(entered);
                    self.trace(EventKind::FrameEnds);
                    if record.complete() {
                        victim.thread.unpark();
                    }
                }
            }
        }
        if local.worker().is_none() {
            // In the child, the scheduler below has no other threads. The scheduler also has no caller to which it could report an error.
            crate::platform::say(format_args!(
                "heist: a task that called fork() came back to its pool in the child process; it must end or replace the process instead"
            ));
            std::process::abort();
        }
        local.fiber.set(fiber);
        local.context.set(outer);
        std::mem::forget(bomb);
    }
}
