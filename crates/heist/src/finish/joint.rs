//! Counts the tasks of a spawner that run apart from it.

use super::orders;
use crate::platform::shim::{AtomicI64, Ordering};
use std::cell::Cell;

/// A number larger than that of all possible tasks.
const HELD: i64 = 1 << 60;

/// The number of tasks for which a spawner in a work-first scope waits after its end: those from which it has *parted*, because a
/// thief took the spawner out of the deque while the task ran. All other tasks ended before the spawner continued.
///
/// `parted` moves with the spawner from thread to thread, through the deques. `left` is [`HELD`] less the parted tasks
/// that have ended; at its own end the spawner adds `parted - HELD`. The thread that brings `left` to 0 is the last of
/// them.
#[derive(Debug)]
pub(super) struct Joint {
    parted: Cell<i64>,
    left: AtomicI64,
}

impl Joint {
    pub(super) fn new() -> Self {
        Joint {
            parted: Cell::new(0),
            left: AtomicI64::new(HELD),
        }
    }

    /// No task has parted from a spawner that begins now. Called by its holder.
    #[inline]
    pub(super) fn begin(&self) {
        self.parted.set(0);
        // Relaxed: others learn of the spawner through a deque.
        self.left.store(HELD, Ordering::Relaxed);
    }

    /// The thread that has taken the spawner calls this before it continues the spawner.
    pub(super) fn part(&self) {
        self.parted.set(self.parted.get() + 1);
    }

    /// Whether the spawner has parted from no task. Called by the spawner's holder.
    pub(super) fn is_whole(&self) -> bool {
        self.parted.get() == 0
    }

    /// A task from which the spawner has parted has ended. True if it was the last, after the spawner's end:
    /// the spawner is the caller's then.
    pub(super) fn done(&self) -> bool {
        self.left.fetch_sub(1, orders::JOINT_DONE) == 1
    }

    /// Called by the spawner's holder, once, when it has ended. True if no task is left to wait for. If not, the spawner is not
    /// the caller's any more.
    #[inline]
    pub(super) fn close(&self) -> bool {
        if self.is_whole() {
            // No task has come or will come to `done`.
            return true;
        }
        let delta = self.parted.get() - HELD;
        self.left.fetch_add(delta, orders::JOINT_CLOSE) + delta == 0
    }
}

#[cfg(all(test, heist_model))]
mod models {
    use super::Joint;
    use crate::platform::shim::{AtomicBool, AtomicU32, Ordering};
    use loom::cell::UnsafeCell;
    use loom::thread;
    use std::sync::Arc;

    /// A spawner, the data that its work and tasks leave, and the memory that the last of them takes.
    struct Spawner {
        joint: Joint,
        results: [UnsafeCell<u32>; 3],
        lasts: AtomicU32,
    }

    // SAFETY: `parted` and the spawner's own result are its runner's; each task has a result of its own; all are read by
    // the last one, which is what the model checks.
    unsafe impl Sync for Spawner {}
    // SAFETY: as above.
    unsafe impl Send for Spawner {}

    fn spawner() -> Arc<Spawner> {
        let joint = Joint::new();
        joint.begin();
        Arc::new(Spawner {
            joint,
            results: [const { () }; 3].map(|()| UnsafeCell::new(0)),
            lasts: AtomicU32::new(0),
        })
    }

    impl Spawner {
        fn write(&self, of: usize) {
            // SAFETY: each has one result, and reads none before the end.
            self.results[of].with_mut(|result| unsafe { *result = 1 });
        }

        /// The last step, only for the last thread: reads all of it, and reuses the memory.
        fn take(&self) {
            for result in &self.results {
                // SAFETY: the last one has it all.
                result.with_mut(|result| unsafe {
                    assert_eq!(*result, 1);
                    *result = 2;
                });
            }
            self.lasts.fetch_add(1, Ordering::Relaxed);
        }

        fn end_task(&self, of: usize) {
            self.write(of);
            if self.joint.done() {
                self.take();
            }
        }

        fn end(&self) {
            self.write(2);
            if self.joint.close() {
                self.take();
            }
        }
    }

    fn check(spawner: &Spawner) {
        assert_eq!(spawner.lasts.load(Ordering::Relaxed), 1);
    }

    /// Two tasks, and the spawner, which parts from both and ends.
    #[test]
    fn one_is_the_last() {
        loom::model(|| {
            let spawner = spawner();
            let tasks = [0, 1].map(|task| {
                let spawner = Arc::clone(&spawner);
                thread::spawn(move || spawner.end_task(task))
            });
            spawner.joint.part();
            spawner.joint.part();
            spawner.end();
            for task in tasks {
                task.join().unwrap();
            }
            check(&spawner);
        });
    }

    /// The spawner moves from thread to thread: each parts from the previous thread's task, and passes the
    /// spawner on as a deque does.
    #[test]
    fn it_is_handed_on() {
        loom::model(|| {
            let spawner = spawner();
            let handed = Arc::new(AtomicBool::new(false));
            let second = {
                let (spawner, handed) = (Arc::clone(&spawner), Arc::clone(&handed));
                thread::spawn(move || {
                    // Took it from the main thread.
                    spawner.joint.part();
                    handed.store(true, Ordering::Release);
                    spawner.end_task(1);
                })
            };
            let third = {
                let (spawner, handed) = (Arc::clone(&spawner), Arc::clone(&handed));
                thread::spawn(move || {
                    while !handed.load(Ordering::Acquire) {
                        thread::yield_now();
                    }
                    spawner.joint.part();
                    spawner.end();
                })
            };
            spawner.end_task(0);
            second.join().unwrap();
            third.join().unwrap();
            check(&spawner);
        });
    }

    #[test]
    fn whom_nobody_left_is_over_at_once() {
        loom::model(|| {
            let spawner = spawner();
            spawner.write(0);
            spawner.write(1);
            spawner.end();
            check(&spawner);
        });
    }
}
