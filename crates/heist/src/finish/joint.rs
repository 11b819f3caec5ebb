//! Counts the tasks that run on a thread other than their spawner's.

use super::orders;
use crate::platform::shim::{AtomicI64, Ordering};
use std::cell::Cell;

/// A number larger than any possible number of tasks.
const HELD: i64 = 1 << 60;

/// The number of tasks for which a spawner in a work-first scope waits after its end. The spawner waits for the tasks from which it has
/// *parted*: a thief took the spawner out of the deque while such a task ran. All other tasks ended before the spawner continued.
///
/// `parted` moves with the spawner from thread to thread, through the deques. `left` is [`HELD`] minus the number of
/// parted tasks that have ended; at its own end the spawner adds `parted - HELD`. The thread that changes `left` to 0 is the last thread,
/// and gets the spawner.
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

    /// Resets the counts for a spawner that begins now, and from which no task has parted yet. Only the spawner's holder may call this
    /// function.
    #[inline]
    pub(super) fn begin(&self) {
        self.parted.set(0);
        // Relaxed: other threads get the spawner through a deque, which orders this store.
        self.left.store(HELD, Ordering::Relaxed);
    }

    /// Counts a task that parts from the spawner. The thread that has taken the spawner must call this function before it continues the
    /// spawner.
    pub(super) fn part(&self) {
        self.parted.set(self.parted.get() + 1);
    }

    /// Returns true if the spawner has parted from no task. Only the spawner's holder may call this function.
    pub(super) fn is_whole(&self) -> bool {
        self.parted.get() == 0
    }

    /// Counts the end of a task from which the spawner has parted. Returns true if the spawner had ended
    /// and waited only for this task; then the spawner belongs to the caller.
    pub(super) fn done(&self) -> bool {
        self.left.fetch_sub(1, orders::JOINT_DONE) == 1
    }

    /// Counts the end of the spawner. The spawner's holder must call this function once. Returns true if no task is left for which the
    /// spawner waits. If this function returns false, the spawner does not belong to the caller any more.
    #[inline]
    pub(super) fn close(&self) -> bool {
        if self.is_whole() {
            // No task has parted from the spawner, so no task calls `done`.
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

    /// A spawner, the results of the spawner and its tasks, and the memory that the last thread takes.
    struct Spawner {
        joint: Joint,
        results: [UnsafeCell<u32>; 3],
        lasts: AtomicU32,
    }

    // SAFETY: the thread that runs the spawner accesses `parted` and the spawner's own result; each task accesses
    // its own result; the last thread reads all results. The model checks this.
    unsafe impl Sync for Spawner {}
    // SAFETY: threads share the fields as described for `Sync`.
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
            // SAFETY: each task writes only its own result, and reads none before the end.
            self.results[of].with_mut(|result| unsafe { *result = 1 });
        }

        /// Reads all results and reuses the memory. Only the last thread calls this function.
        fn take(&self) {
            for result in &self.results {
                // SAFETY: only the last thread calls this function, after all other threads have written their results.
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

    /// Checks a spawner that parts from two tasks and ends: exactly one of the three threads finds that it is the last.
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

    /// Checks a spawner that moves from thread to thread: each thread parts from the previous thread's
    /// task, and passes the spawner on as a deque does.
    #[test]
    fn it_is_handed_on() {
        loom::model(|| {
            let spawner = spawner();
            let handed = Arc::new(AtomicBool::new(false));
            let second = {
                let (spawner, handed) = (Arc::clone(&spawner), Arc::clone(&handed));
                thread::spawn(move || {
                    // This thread took the spawner from the main thread.
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
    fn a_spawner_that_no_thread_left_ends_at_once() {
        loom::model(|| {
            let spawner = spawner();
            spawner.write(0);
            spawner.write(1);
            spawner.end();
            check(&spawner);
        });
    }
}
