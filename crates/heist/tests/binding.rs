//! Checks that threads that take over a worker's slot run on that worker's CPUs.
#![cfg(all(target_os = "linux", not(miri)))]

use heist::{Pool, allowed_cpus, current_worker_index};
use std::collections::BTreeSet;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

/// Binds the calling thread to a CPU.
fn bind(cpu: usize) {
    // SAFETY: an all-zero set is a valid empty set, the set lives during the call, and the system has named the CPU.
    let result = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set)
    };
    assert_eq!(result, 0);
}

/// Runs tasks that wait, so that spare threads take over slots. Returns the pairs that the tasks have seen: a worker's index, and
/// the CPUs of that worker's thread.
fn seen(pool: &Pool) -> BTreeSet<(usize, Vec<usize>)> {
    let seen = Mutex::new(BTreeSet::new());
    let note = || {
        let index = current_worker_index().unwrap();
        seen.lock().unwrap().insert((index, allowed_cpus()));
    };
    for round in 0..20 {
        let barrier = Barrier::new(8);
        let waits = heist::sync::Barrier::new(8);
        pool.finish(|f| {
            for _ in 0..8 {
                f.spawn(|_| {
                    note();
                    if round % 2 == 0 {
                        waits.wait();
                    } else {
                        heist::blocking(|| barrier.wait());
                    }
                });
            }
        });
        // After the sleep, all running threads have a slot again.
        thread::sleep(Duration::from_millis(2));
        pool.finish(|f| {
            for _ in 0..8 {
                f.spawn(|_| {
                    note();
                    thread::sleep(Duration::from_micros(200));
                });
            }
        });
    }
    seen.into_inner().unwrap()
}

/// Returns the CPU for each worker. The first entry is the last allowed CPU, which the pool would not choose first.
fn plan() -> Vec<usize> {
    let cpus = allowed_cpus();
    (0..2)
        .map(|i| cpus[cpus.len() - 1 - i % cpus.len()])
        .collect()
}

fn expected(plan: &[usize]) -> BTreeSet<(usize, Vec<usize>)> {
    plan.iter()
        .enumerate()
        .map(|(i, &cpu)| (i, vec![cpu]))
        .collect()
}

#[test]
fn as_a_start_handler_has_bound_the_workers() {
    let plan = Arc::new(plan());
    let cpus = Arc::clone(&plan);
    // The handler works like those of programs: it binds even a spare thread to a CPU that depends on the thread's number.
    let handler = move |number: usize| match number {
        0 | 1 => bind(cpus[number]),
        _ => bind(cpus[number / 2 % 2]),
    };
    let pool = Pool::builder()
        .threads(2)
        .start_handler(handler)
        .build()
        .unwrap();
    assert_eq!(seen(&pool), expected(&plan));
}

#[test]
fn as_a_spawn_handler_has_bound_the_workers() {
    let plan = Arc::new(plan());
    let cpus = Arc::clone(&plan);
    let pool = Pool::builder()
        .threads(2)
        .spawn_handler(move |start| {
            let cpus = Arc::clone(&cpus);
            thread::Builder::new().spawn(move || {
                if let Some(&cpu) = cpus.get(start.index()) {
                    bind(cpu);
                }
                start.run();
            })?;
            Ok(())
        })
        .build()
        .unwrap();
    assert_eq!(seen(&pool), expected(&plan));
}

/// One worker is bound to a CPU, and the other worker is not. A thread that moves to the slot of the second worker is no longer
/// bound.
#[test]
fn only_the_slots_that_were_bound_are() {
    let all = allowed_cpus();
    let bound = all[0];
    let pool = Pool::builder()
        .threads(2)
        .start_handler(move |number| {
            if number == 0 {
                bind(bound);
            }
        })
        .build()
        .unwrap();
    assert_eq!(seen(&pool), BTreeSet::from([(0, vec![bound]), (1, all)]));
}

#[test]
fn as_the_pool_binds_them() {
    let pool = Pool::builder().threads(2).pin(true).build().unwrap();
    let cpus = allowed_cpus();
    let expected = (0..2).map(|i| (i, vec![cpus[i % cpus.len()]])).collect();
    assert_eq!(seen(&pool), expected);
}
