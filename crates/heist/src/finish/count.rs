//! Count of the unfinished tasks of a scope.

use super::orders;
use crate::platform::shim::{AtomicI64, Ordering};
use std::cell::Cell;

/// A number larger than any possible number of tasks.
const HELD: i64 = 1 << 60;

/// Count of the unfinished tasks of a scope.
///
/// The count has two parts. `local` belongs to the home thread, and needs no atomics: `local` is the number of tasks that the home thread
/// has spawned, minus the number of tasks that it has finished. `remote` is the same difference for all other threads. Until the home
/// thread has added its part, `remote` includes 2^60, and so cannot be 0. After the home thread has added its part, the thread that changes
/// `remote` to 0 wakes the home thread.
#[derive(Debug)]
#[repr(C)]
pub struct Count {
    _before: Gap,
    local: Cell<i64>,
    _between: Gap,
    remote: AtomicI64,
    _after: Gap,
}

/// A gap that keeps the fields on its two sides on different cache lines, at any alignment. (An alignment
/// attribute would have the same effect, but would also align the stack frames that contain most counts.)
type Gap = [u64; 7];

impl Default for Count {
    fn default() -> Self {
        Count::new()
    }
}

impl Count {
    /// Creates an empty count whose home thread is the current thread.
    #[must_use]
    pub fn new() -> Self {
        Count {
            _before: [0; 7],
            local: Cell::new(0),
            _between: [0; 7],
            remote: AtomicI64::new(HELD),
            _after: [0; 7],
        }
    }

    /// Adds `by`, 1 or -1, to the home thread's part. Only the home thread may call this function, before it [settles](Self::settle).
    #[inline]
    pub fn change_at_home(&self, by: i64) {
        self.local.set(self.local.get() + by);
    }

    /// Counts `count` more tasks. Threads other than home call this function, inside a task of the scope.
    #[inline]
    pub fn add(&self, count: i64) {
        // Relaxed: the spawner's own count keeps the sum above 0, and the publication of the task orders this addition before the task's
        // end.
        self.remote.fetch_add(count, Ordering::Relaxed);
    }

    /// Reports that the calling thread, which is not home, has finished `count` tasks. Returns true if
    /// no task is left; then the scope may be gone.
    #[inline]
    #[must_use]
    pub fn finish(&self, count: i64) -> bool {
        self.remote.fetch_sub(count, orders::FINISH) == count
    }

    /// Returns true if there is no task left to wait for. Only the home thread may call this function, before it settles.
    #[inline]
    #[must_use]
    pub fn is_done_at_home(&self) -> bool {
        self.local.get() == 0 && self.remote.load(orders::SETTLED) == HELD
    }

    /// Adds the home thread's part to `remote`. The home thread must call this function once, when it has no task left to spawn or run.
    /// Returns true if there is no task left to wait for.
    #[must_use]
    pub fn settle(&self) -> bool {
        if self.is_done_at_home() {
            return true;
        }
        let delta = self.local.get() - HELD;
        self.remote.fetch_add(delta, orders::SETTLE) + delta == 0
    }

    /// Replaces [`settle`](Self::settle) in a scope that counts only in `remote`. The thread that ends the body must call this function
    /// once; after that, [`done`](Self::done) tells whether all tasks are finished. Returns true if all tasks are finished already; then
    /// the scope may be gone.
    #[must_use]
    pub fn close(&self) -> bool {
        if self.remote.load(orders::SETTLED) == HELD {
            // The scope has counted out all its tasks, and no other thread changes the count any more. Release
            // publishes the body's writes to the thread that waits.
            self.remote.store(0, orders::FINISH);
            return true;
        }
        // Release publishes the body's writes to the thread that waits.
        self.remote.fetch_sub(HELD, orders::FINISH) == HELD
    }

    /// Returns a function that checks whether all tasks are finished. The result of the function is valid once the count is settled or
    /// closed. Any thread may call the function.
    pub fn done(&self) -> impl Fn() -> bool + Sync + '_ {
        let remote = &self.remote;
        || remote.load(orders::IS_DONE) == 0
    }
}

#[cfg(all(test, heist_model))]
mod models {
    use super::Count;
    use crate::platform::shim::{AtomicBool, AtomicU32, Ordering};
    use loom::cell::UnsafeCell;
    use loom::thread;
    use std::sync::Arc;

    struct World {
        count: Count,
        results: [UnsafeCell<bool>; 2],
    }

    // SAFETY: only the home thread accesses the home part of the count. Only the task that writes a result accesses this result until the
    // count says that all tasks are done. The model checks this.
    unsafe impl Sync for World {}
    // SAFETY: threads share the fields as described for `Sync`.
    unsafe impl Send for World {}

    fn world() -> Arc<World> {
        Arc::new(World {
            count: Count::new(),
            results: [UnsafeCell::new(false), UnsafeCell::new(false)],
        })
    }

    /// Runs a chain of tasks, in which each task spawns the next, and counts out all of them with one report. Threads other than home call
    /// this function.
    fn run(world: &World, home: &thread::Thread, tasks: &[usize]) {
        for _ in &tasks[1..] {
            world.count.add(1);
        }
        for &task in tasks {
            // SAFETY: the home thread reads the result only when the count is 0.
            world.results[task].with_mut(|result| unsafe { *result = true });
        }
        if world.count.finish(tasks.len() as i64) {
            home.unpark();
        }
    }

    /// Calls [`run`] on a new thread, for tasks of the current thread's scope.
    fn thief(world: &Arc<World>, tasks: &'static [usize]) -> thread::JoinHandle<()> {
        let (world, home) = (Arc::clone(world), thread::current());
        thread::spawn(move || run(&world, &home, tasks))
    }

    fn wait(world: &World) {
        if !world.count.settle() {
            while !world.count.done()() {
                thread::park();
            }
        }
        read(world);
    }

    fn read(world: &World) {
        for result in &world.results {
            // SAFETY: all tasks are finished, and their threads do not access the results any more.
            assert!(result.with(|result| unsafe { *result }));
        }
    }

    #[test]
    fn two_thieves_finish_while_home_settles() {
        loom::model(|| {
            let world = world();
            world.count.change_at_home(2);
            let thieves = [thief(&world, &[0]), thief(&world, &[1])];
            wait(&world);
            for thief in thieves {
                thief.join().unwrap();
            }
        });
    }

    #[test]
    fn a_stolen_task_spawns_while_home_settles() {
        loom::model(|| {
            let world = world();
            world.count.change_at_home(1);
            let thief = thief(&world, &[0, 1]);
            wait(&world);
            thief.join().unwrap();
        });
    }

    #[test]
    fn home_only_looks() {
        loom::model(|| {
            let world = world();
            world.count.change_at_home(1);
            let thief = thief(&world, &[0, 1]);
            if !world.count.settle() {
                while !world.count.done()() {
                    thread::yield_now();
                }
            }
            read(&world);
            thief.join().unwrap();
        });
    }

    /// Checks a task that the other side of a join spawns into the scope. The task runs on a third
    /// thread.
    #[test]
    fn spawned_and_finished_elsewhere() {
        loom::model(|| {
            let world = world();
            let joined = Arc::new(AtomicBool::new(false));
            let thief = {
                let (world, home) = (Arc::clone(&world), thread::current());
                let joined = Arc::clone(&joined);
                thread::spawn(move || {
                    world.count.add(1);
                    joined.store(true, Ordering::Release);
                    run(&world, &home, &[0, 1]);
                })
            };
            while !joined.load(Ordering::Acquire) {
                thread::yield_now();
            }
            wait(&world);
            thief.join().unwrap();
        });
    }

    /// A scope that is afloat: its count, and a stand-in for its waker. Threads that finish tasks copy the waker.
    struct Afloat {
        world: World,
        /// True while the waker exists. Each thread that copies the waker reads this field. The fiber clears the field when the scope is
        /// over; by then, no other thread may read it.
        memory: UnsafeCell<bool>,
        /// Number of times that the waker was used up.
        used: AtomicU32,
    }

    // SAFETY: a thread writes the memory only when no thread reads it any more; the model checks that.
    unsafe impl Sync for Afloat {}
    // SAFETY: no thread writes the memory while another reads it.
    unsafe impl Send for Afloat {}

    /// Checks a scope that is afloat: all threads count in `remote`. Only the thread that counts out the last task uses
    /// the waker, from its own copy.
    fn afloat(thefts: &'static [&'static [usize]]) {
        loom::model(move || {
            let scope = Arc::new(Afloat {
                world: World {
                    count: Count::new(),
                    results: [UnsafeCell::new(false), UnsafeCell::new(false)],
                },
                memory: UnsafeCell::new(true),
                used: AtomicU32::new(0),
            });
            let thieves: Vec<_> = thefts
                .iter()
                .map(|&tasks| {
                    scope.world.count.add(1);
                    let scope = Arc::clone(&scope);
                    thread::spawn(move || {
                        for _ in &tasks[1..] {
                            scope.world.count.add(1);
                        }
                        for &task in tasks {
                            // SAFETY: the fiber reads the result only when the count is 0.
                            scope.world.results[task].with_mut(|result| unsafe { *result = true });
                        }
                        // SAFETY: the tasks are not counted out yet, so the scope waits, and its
                        // waker exists.
                        let copy = scope.memory.with(|memory| unsafe { *memory });
                        if scope.world.count.finish(tasks.len() as i64) {
                            assert!(copy);
                            scope.used.fetch_add(1, Ordering::Relaxed);
                        }
                    })
                })
                .collect();
            if scope.world.count.settle() {
                scope.used.fetch_add(1, Ordering::Relaxed);
            } else {
                while !scope.world.count.done()() {
                    // The fiber yields instead of parking, because the end of a park would order the fiber after all writes of the thief.
                    thread::yield_now();
                }
            }
            read(&scope.world);
            // SAFETY: the scope is over.
            scope.memory.with_mut(|memory| unsafe { *memory = false });
            for thief in thieves {
                thief.join().unwrap();
            }
            assert_eq!(scope.used.load(Ordering::Relaxed), 1);
        });
    }

    #[test]
    fn two_thieves_finish_while_a_fiber_settles() {
        afloat(&[&[0], &[1]]);
    }

    #[test]
    fn a_stolen_task_spawns_while_a_fiber_settles() {
        afloat(&[&[0, 1]]);
    }

    /// Checks a body that ends on another thread and may have spawned a task. The home thread only waits.
    #[test]
    fn a_body_ends_elsewhere() {
        for tasks in 0..=1 {
            loom::model(move || {
                let world = world();
                let body = {
                    let (world, home) = (Arc::clone(&world), thread::current());
                    thread::spawn(move || {
                        let task = (tasks == 1).then(|| {
                            world.count.add(1);
                            let (world, home) = (Arc::clone(&world), home.clone());
                            thread::spawn(move || run(&world, &home, &[0]))
                        });
                        let own: &[usize] = if tasks == 1 { &[1] } else { &[0, 1] };
                        for &result in own {
                            // SAFETY: home reads the result only when the count is 0.
                            world.results[result].with_mut(|result| unsafe { *result = true });
                        }
                        if world.count.close() {
                            home.unpark();
                        }
                        if let Some(task) = task {
                            task.join().unwrap();
                        }
                    })
                };
                while !world.count.done()() {
                    thread::yield_now();
                }
                read(&world);
                body.join().unwrap();
            });
        }
    }

    #[test]
    fn home_and_a_thief_share() {
        loom::model(|| {
            let world = world();
            world.count.change_at_home(2);
            let thief = thief(&world, &[0]);
            // SAFETY: this is the home thread's own task, so no other thread accesses its result.
            world.results[1].with_mut(|result| unsafe { *result = true });
            world.count.change_at_home(-1);
            wait(&world);
            thief.join().unwrap();
        });
    }
}
