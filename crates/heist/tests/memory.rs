//! Checks that the memory of a program in a steady state is constant. Stubs of tasks that have already run leave the queues, even
//! if no worker ever pops from these queues.
#![cfg(target_os = "linux")]

use heist::{Pool, finish, finish_fifo};
use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of steps that each program runs.
const STEPS: u64 = if cfg!(debug_assertions) {
    60_000
} else {
    3_000_000
};
/// The maximum growth of the process in a run, in KiB. A leak of 8 bytes for each step would exceed this limit.
const MOST: u64 = if cfg!(debug_assertions) { 450 } else { 2048 };

/// A lock that makes the tests run one at a time, because they measure the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// Returns the resident memory of this process, in KiB.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4
}

/// Runs steps of a program on all workers of pools of 1, 2 and 8 workers, and checks that the memory does not grow. `step` must
/// return 1.
fn stays_constant(name: &str, step: impl Fn(u64) -> u64 + Sync) {
    let _alone = ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    for threads in [1, 2, 8] {
        let pool = Pool::new(threads).unwrap();
        let steps = STEPS / threads as u64;
        let run = |steps: u64| {
            let sums = pool.broadcast(|_| (0..steps).map(&step).sum::<u64>());
            assert_eq!(
                sums.into_iter().sum::<u64>(),
                steps * threads as u64,
                "{name}"
            );
        };
        // This first run allocates all memory that stays allocated permanently.
        run(steps / 20);
        assert_least_growth(&format!("{name}, {threads} workers"), || run(steps));
    }
}

/// Runs `run` several times, and checks that the memory grows little in at least one of these runs. In some runs, many workers wait for a
/// processor, and queues grow. In contrast, a leak makes every run grow.
fn assert_least_growth(name: &str, mut run: impl FnMut()) {
    let mut grown = Vec::new();
    for _ in 0..5 {
        let before = resident();
        run();
        grown.push(resident().saturating_sub(before));
        if grown.last() < Some(&MOST) {
            return;
        }
    }
    panic!("{name}: grown by {grown:?} KiB in runs one after another");
}

#[test]
fn of_tasks_that_are_joined_in_place() {
    stays_constant("spawn and join", |i| {
        heist::spawn(move || black_box(i)).join().unwrap();
        1
    });
}

#[test]
fn of_tasks_that_are_joined_in_another_order_than_spawned() {
    stays_constant("eight spawned, then joined", |i| {
        if i % 8 != 0 {
            return 1;
        }
        let tasks: Vec<_> = (0..8_u64)
            .map(|k| heist::spawn(move || black_box(k)))
            .collect();
        assert_eq!(
            tasks
                .into_iter()
                .map(|task| task.join().unwrap())
                .sum::<u64>(),
            28
        );
        1
    });
}

#[test]
fn of_tasks_for_an_outer_scope() {
    stays_constant("an outer scope's tasks", |_| {
        let ran = AtomicU64::new(0);
        finish(|outer| {
            finish(|_inner| {
                outer.spawn(|_| {
                    ran.fetch_add(1, Ordering::Relaxed);
                });
            });
        });
        ran.into_inner()
    });
}

/// Inside an inner scope, the worker spawns async tasks into the outer scope. The entries of these tasks are in the worker's own deque. The
/// worker never pops these entries, because it is in the middle of a task.
#[test]
fn of_async_tasks_for_an_outer_scope() {
    const TASKS: u64 = 400;
    stays_constant("an outer scope's async tasks", |i| {
        if i % 100 != 0 {
            return 1;
        }
        let ran = AtomicU64::new(0);
        let ran = &ran;
        finish(|outer| {
            finish(|_inner| {
                for _ in 0..TASKS {
                    outer.spawn_async(async move {
                        ran.fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
        });
        ran.load(Ordering::Relaxed) / TASKS
    });
}

/// The outer scope lasts as long as the program. The body spawns each task of this scope inside an inner scope, so the task goes to the
/// injector, and another worker runs it.
#[test]
fn of_a_lasting_scope_whose_tasks_go_to_the_queue() {
    let _alone = ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let pool = Pool::new(2).unwrap();
    let ran = AtomicU64::new(0);
    let steps = STEPS / 4;
    let mut spawned = 0;
    pool.finish(|outer| {
        assert_least_growth("a lasting scope's tasks", || {
            for _ in 0..steps {
                finish(|_inner| {
                    outer.spawn(|_| {
                        ran.fetch_add(1, Ordering::Relaxed);
                    });
                });
                spawned += 1;
                // The loop waits until the other worker has run nearly all tasks.
                while spawned > ran.load(Ordering::Relaxed) + 100 {
                    std::thread::yield_now();
                }
            }
        });
    });
    assert_eq!(ran.into_inner(), spawned);
}

#[test]
fn of_tasks_for_an_outer_scope_in_order() {
    stays_constant("an outer fifo scope's tasks", |_| {
        let ran = AtomicU64::new(0);
        finish_fifo(|outer| {
            finish(|_inner| {
                outer.spawn(|_| {
                    ran.fetch_add(1, Ordering::Relaxed);
                });
            });
        });
        ran.into_inner()
    });
}

#[test]
fn of_futures_that_are_run_where_they_are_asked_for() {
    stays_constant("future and get", |i| {
        black_box(heist::sync::future(move || black_box(i)).get());
        1
    });
}

/// A worker runs the tasks of futures in place, while their entries are not at the top of the worker's deque.
#[test]
fn of_futures_that_are_asked_for_in_another_order() {
    use std::cell::RefCell;
    use std::collections::VecDeque;
    thread_local! {
        static WINDOW: RefCell<VecDeque<heist::sync::Future<u64>>> = const { RefCell::new(VecDeque::new()) };
    }
    for order in ["oldest first", "any", "with some that nobody asks for yet"] {
        stays_constant(order, |i| {
            let next = heist::sync::future(move || black_box(i));
            let task = WINDOW.with_borrow_mut(|window| {
                window.push_back(next);
                if window.len() <= 100 {
                    return None;
                }
                match order {
                    "oldest first" => window.pop_front(),
                    "any" => window.swap_remove_back((i * 7919 % 100) as usize),
                    _ => window.remove(50 + (i * 7919 % 50) as usize),
                }
            });
            if let Some(task) = task {
                black_box(*task.get());
            }
            1
        });
    }
}

/// A thread outside of the pool spawns tasks, whose entries are in the injector. The only worker runs these tasks in place, and never takes
/// an entry from the injector.
#[test]
fn of_futures_from_outside() {
    let _alone = ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let pool = Pool::new(1).unwrap();
    let (send, receive) = std::sync::mpsc::sync_channel::<heist::sync::Future<u64>>(16);
    let worker = pool.spawn(move || receive.iter().map(|task| *task.get()).sum::<u64>());
    let mut fed = 0;
    let mut feed = |steps| {
        for i in 0..steps {
            send.send(pool.future(move || i % 2)).unwrap();
        }
        fed += steps;
    };
    feed(STEPS / 20);
    assert_least_growth("futures from outside", || feed(STEPS));
    drop(send);
    assert_eq!(worker.join().unwrap(), fed / 2);
}
