//! Model tests of the word of a suspending task. Loom runs the word's real transitions under every interleaving.
//!
//! If a wake-up is lost, the task is never done, and the models fail. If a task is freed too early or twice, the models report a race.

use super::state::{Delays, Holders, State, Wake};
use crate::platform::shim::{AtomicBool, Ordering};
use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::thread;
use std::sync::Arc;

/// A task that is done when it has seen the data that all its wakers wrote. The thread that takes the task polls it.
struct World {
    state: State,
    /// For each waker: whether its thread has called it, and the value that the thread wrote before.
    news: Vec<(AtomicBool, UnsafeCell<u32>)>,
    /// The contents of the future, which polls write.
    contents: UnsafeCell<u32>,
    /// True while the task has memory. Each thread with a reference to the task reads this field, and the thread that frees the task writes
    /// it.
    memory: UnsafeCell<bool>,
    done: AtomicBool,
}

// SAFETY: only the thread that the state admits accesses the cells. The models check this rule.
unsafe impl Sync for World {}
// SAFETY: no cell depends on the thread.
unsafe impl Send for World {}

impl World {
    fn new(state: State, wakers: usize) -> Arc<World> {
        Arc::new(World {
            state,
            news: (0..wakers)
                .map(|_| (AtomicBool::new(false), UnsafeCell::new(0)))
                .collect(),
            contents: UnsafeCell::new(0),
            memory: UnsafeCell::new(true),
            done: AtomicBool::new(false),
        })
    }

    fn touch(&self) {
        // SAFETY: the caller holds a reference to the task.
        assert!(self.memory.with(|memory| unsafe { *memory }));
    }

    fn free(&self) {
        // SAFETY: the caller has given up the last reference.
        self.memory.with_mut(|memory| unsafe {
            assert!(*memory, "freed twice");
            *memory = false;
        });
    }

    /// Runs the task. The caller must have taken the task.
    fn run(&self) {
        loop {
            self.state.begin();
            self.touch();
            // SAFETY: the caller owns the task.
            self.contents.with_mut(|contents| unsafe { *contents += 1 });
            let all = self.news.iter().all(|(told, news)| {
                // Acquire: this thread sees the news. The order of accesses to the task's word must rule
                // out an old value of the flag.
                let told = told.load(Ordering::Acquire);
                // SAFETY: the thread that set the flag wrote the news before, and does not write
                // them again.
                told && news.with(|news| unsafe { *news }) == 1
            });
            if all {
                self.done.store(true, Ordering::Relaxed);
                if self.state.complete(0) {
                    self.free();
                }
                return;
            }
            if self.state.suspend(0) {
                return;
            }
        }
    }

    /// Writes a waker's data, and wakes the task. The wake-up gives up the waker's reference.
    fn tell(&self, which: usize) {
        let (told, news) = &self.news[which];
        // SAFETY: only this waker writes its news, before it sets the flag.
        news.with_mut(|news| unsafe { *news = 1 });
        told.store(true, Ordering::Release);
        self.touch();
        match self.state.wake(true) {
            Wake::Queue => self.run(),
            Wake::Free => self.free(),
            Wake::Nothing => {}
        }
    }

    fn assert_over(&self) {
        assert!(self.done.load(Ordering::Relaxed), "a wake-up was lost");
        // SAFETY: all other threads have ended.
        let memory = self.memory.with(|memory| unsafe { *memory });
        assert!(!memory, "never freed");
    }
}

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// Checks a task that a worker polls for the first time while another thread wakes it.
#[test]
fn woken_while_it_runs() {
    check(|| {
        let world = World::new(State::queued(1), 1);
        let waker = Arc::clone(&world);
        let waker = thread::spawn(move || waker.tell(0));
        world.run();
        waker.join().unwrap();
        world.assert_over();
    });
}

/// Checks a task that a getter claims out of turn. At the same time, a worker takes the task's entry from the queue,
/// and another thread wakes the task.
#[test]
fn claimed_while_it_is_taken() {
    check(|| {
        // These are the references of the waker and of the getter.
        let world = World::new(State::unbegun(2), 1);
        let getter = Arc::clone(&world);
        let getter = thread::spawn(move || {
            getter.touch();
            if getter.state.claim() {
                getter.run();
            }
            if getter.state.drop_ref() {
                getter.free();
            }
        });
        let waker = Arc::clone(&world);
        let waker = thread::spawn(move || waker.tell(0));
        world.touch();
        if world.state.begin_first() {
            world.run();
        } else if world.state.drop_ref() {
            world.free();
        }
        getter.join().unwrap();
        waker.join().unwrap();
        world.assert_over();
    });
}

/// Checks a task that two threads wake. After each wake-up, one of these threads polls the task.
#[test]
fn woken_while_it_waits() {
    check(|| {
        let world = World::new(State::suspended(2), 2);
        let other = Arc::clone(&world);
        let waker = thread::spawn(move || other.tell(1));
        world.tell(0);
        waker.join().unwrap();
        world.assert_over();
    });
}

/// Checks a task with two handles. A thread that does not wake the task gives up one handle, and the poll itself gives up the other handle.
#[test]
fn references_are_counted() {
    check(|| {
        // These are the reference of the waker and the references of two handles. The poll gives up the reference of one of the handles.
        let world = World::new(State::suspended(3), 1);
        let holder = Arc::clone(&world);
        let holder = thread::spawn(move || {
            holder.state.add_ref();
            for _ in 0..2 {
                holder.touch();
                if holder.state.drop_ref() {
                    holder.free();
                }
            }
        });
        let (told, news) = &world.news[0];
        // SAFETY: only this thread writes the news, before it sets the flag.
        news.with_mut(|news| unsafe { *news = 1 });
        told.store(true, Ordering::Relaxed);
        assert_eq!(world.state.wake(true), Wake::Queue);
        world.state.begin();
        world.touch();
        world.done.store(true, Ordering::Relaxed);
        if world.state.complete(-1) {
            world.free();
        }
        holder.join().unwrap();
        world.assert_over();
    });
}

/// A task's data and its memory. Two handles and a waker give up their references to the data and to the memory.
struct Held {
    state: State,
    holders: Holders,
    /// True while the data exists: the holders use it, and the last holder drops it.
    data: UnsafeCell<bool>,
    /// True while the memory exists. All threads use the memory.
    memory: UnsafeCell<bool>,
}

// SAFETY: only the threads that the counts admit access the cells. The model checks this rule.
unsafe impl Sync for Held {}
// SAFETY: no cell depends on the thread.
unsafe impl Send for Held {}

impl Held {
    fn release(&self) {
        // SAFETY: the caller is a holder.
        assert!(self.data.with(|data| unsafe { *data }));
        if !self.holders.release() {
            return;
        }
        // SAFETY: the caller was the last holder.
        self.data.with_mut(|data| unsafe {
            assert!(*data, "dropped twice");
            *data = false;
        });
        self.drop_ref();
    }

    fn drop_ref(&self) {
        // SAFETY: the caller holds a reference.
        assert!(self.memory.with(|memory| unsafe { *memory }));
        if self.state.drop_ref() {
            // SAFETY: no reference to the memory is left, so no other thread accesses it.
            self.memory.with_mut(|memory| unsafe {
                assert!(*memory, "freed twice");
                *memory = false;
            });
        }
    }
}

/// Checks two handles and a waker of a task that is done: the last handle drops the data, and the last of these three holders frees the
/// memory.
#[test]
fn the_last_holder_drops_the_data() {
    check(|| {
        let held = Arc::new(Held {
            state: State::done(2),
            holders: Holders::new(2),
            data: UnsafeCell::new(true),
            memory: UnsafeCell::new(true),
        });
        let others: Vec<_> = [Held::release as fn(&Held), Held::drop_ref]
            .into_iter()
            .map(|give_up| {
                let held = Arc::clone(&held);
                thread::spawn(move || give_up(&held))
            })
            .collect();
        held.release();
        for other in others {
            other.join().unwrap();
        }
        // SAFETY: all other threads have ended.
        let left = held.data.with(|data| unsafe { *data });
        // SAFETY: all other threads have ended.
        let memory = held.memory.with(|memory| unsafe { *memory });
        assert!(!left && !memory);
    });
}

/// Events that delay a task, and their data.
struct Delayed {
    delays: Delays,
    news: [UnsafeCell<u32>; 2],
}

// SAFETY: only the threads that the count of delays admits access the cells. The model checks this rule.
unsafe impl Sync for Delayed {}
// SAFETY: no cell depends on the thread.
unsafe impl Send for Delayed {}

impl Delayed {
    /// Subtracts one delay from the count. Returns the number of tasks that this call queues. After the last delay, the number is 1, and
    /// the thread must see all data.
    fn count_down(&self) -> u32 {
        if !self.delays.count_down(1) {
            return 0;
        }
        for news in &self.news {
            // SAFETY: all events have occurred.
            assert_eq!(news.with(|news| unsafe { *news }), 1);
        }
        1
    }
}

#[test]
fn the_last_delay_sees_all() {
    check(|| {
        let delayed = Arc::new(Delayed {
            delays: Delays::new(3),
            news: [UnsafeCell::new(0), UnsafeCell::new(0)],
        });
        let others: Vec<_> = (0..2)
            .map(|which| {
                let delayed = Arc::clone(&delayed);
                thread::spawn(move || {
                    // SAFETY: only this thread writes these news, before it counts down.
                    delayed.news[which].with_mut(|news| unsafe { *news = 1 });
                    delayed.count_down()
                })
            })
            .collect();
        let mut queued = delayed.count_down();
        for other in others {
            queued += other.join().unwrap();
        }
        assert_eq!(queued, 1);
    });
}
