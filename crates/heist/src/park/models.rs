//! Model tests: they run the real transitions in a model of a pool, under every interleaving (loom).
//!
//! Each test ends with work that a worker must take. If a wake-up is lost, the worker that should take the work stays parked
//! forever, and loom reports a deadlock.

mod called;
mod refused;
mod world;

use crate::platform::shim::Ordering;
use loom::thread;
use world::{PUBLIC, TAKEN, World, model};

#[test]
fn a_push_finds_the_last_searcher() {
    model(None, || {
        let world = World::new(2, 2);
        let thief = world.spawn(|world| world.worker(1));
        world.idle.stop_searching(&*world);
        world.push();
        thief.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

#[test]
fn a_push_finds_one_of_two_searchers() {
    model(Some(3), || {
        let world = World::new(3, 3);
        let thieves = [1, 2].map(|id| world.spawn(move |world| world.worker(id)));
        world.idle.stop_searching(&*world);
        world.push();
        for thief in thieves {
            thief.join().unwrap();
        }
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

#[test]
fn a_push_finds_the_sleeper_when_a_searcher_leaves() {
    model(Some(3), || {
        let world = World::new(3, 3);
        let stays = world.spawn(|world| world.worker(1));
        // This searcher leaves after one look, as a surplus worker does.
        let leaves = world.spawn(|world| {
            let found = world.look();
            world.idle.stop_searching(world);
            if found {
                world.finish();
            }
        });
        world.idle.stop_searching(&*world);
        world.push();
        stays.join().unwrap();
        leaves.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

#[test]
fn an_injected_job_finds_a_sleeper() {
    model(None, || {
        let world = World::new(1, 1);
        let worker = world.spawn(|world| world.worker(0));
        world.inject();
        worker.join().unwrap();
    });
}

#[test]
fn an_injected_job_finds_one_of_two() {
    model(Some(3), || {
        let world = World::new(2, 2);
        // In this case the job may wake both workers.
        world.idle.expect_forks(true);
        let workers = [0, 1].map(|id| world.spawn(move |world| world.worker(id)));
        world.inject();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

#[test]
fn a_broadcast_finds_the_holder_of_the_slot() {
    model(Some(3), || {
        let world = World::new(2, 2);
        let workers = [0, 1].map(|id| world.spawn(move |world| world.worker(id)));
        world.send_to_slot_1();
        for worker in workers {
            worker.join().unwrap();
        }
        assert!(!world.inbox.load(Ordering::SeqCst));
    });
}

/// Checks a waiter that leaves its frame public and gives its slot away. A spare must come for the frame, and for a job that is
/// injected at the same time.
fn waiter_and_spare(inject: bool) {
    let world = World::new(1, 2);
    let spare = world.spawn(|world| {
        world.enrol(1);
        // Another thread may have woken the spare before it could unpark the spare's thread.
        world.park_until_woken(1);
        assert!(world.look());
        world.idle.stop_searching(world);
        world.over.store(true, Ordering::SeqCst);
        if let Some(waiter) = &*world.threads[0].lock().unwrap() {
            waiter.unpark();
        }
    });
    let outsider = inject.then(|| world.spawn(World::inject));
    world.enrol(0);
    world.idle.stop_searching(&*world);
    if !inject {
        world.frame.store(PUBLIC, Ordering::Release);
    }
    world.idle.vacate(&*world, 0);
    while !world.over.load(Ordering::SeqCst) {
        thread::park();
    }
    world.idle.resume(0);
    // The spare has taken over the slot, so now one worker too many runs.
    assert!(world.idle.has_surplus());
    assert!(world.idle.step_aside(&*world, 0, 0));
    assert!(!world.idle.has_surplus());
    spare.join().unwrap();
    if let Some(outsider) = outsider {
        outsider.join().unwrap();
    }
}

#[test]
fn a_frame_left_by_a_waiter_finds_a_spare() {
    model(None, || waiter_and_spare(false));
}

#[test]
fn a_job_injected_while_a_slot_is_vacated_finds_a_spare() {
    model(None, || waiter_and_spare(true));
}

/// Checks that the pool does not rely on a worker whose thread could not be started. The pool has two slots, and the thread of worker 1 is
/// lost. If worker 0 gives its slot away to wait, a spare must come for the injected job.
#[test]
fn a_lost_worker_is_not_counted_on() {
    model(None, || {
        let world = World::new(2, 3);
        let spare = world.spawn(|world| {
            world.enrol(2);
            world.park_until_woken(2);
            assert!(world.look());
        });
        let builder = world.spawn(|world| world.idle.lose(world, 1, 1));
        world.idle.stop_searching(&*world);
        world.inject();
        world.idle.vacate(&*world, 0);
        builder.join().unwrap();
        spare.join().unwrap();
    });
}

/// Checks a waiter that comes back while its slot is being taken over. Either the waiter gets its slot again, or the pool has a
/// surplus, but not both.
#[test]
fn resume_against_wake() {
    model(None, || {
        let world = World::new(1, 2);
        let outsider = world.spawn(World::inject);
        world.idle.stop_searching(&*world);
        world.idle.vacate(&*world, 0);
        world.idle.resume(0);
        outsider.join().unwrap();
        let woken = world.woken[1].load(Ordering::Acquire);
        assert_eq!(world.idle.has_surplus(), woken);
        let counts = world.idle.counts();
        assert_eq!((counts.searching, counts.idle), (u32::from(woken), 0));
    });
}

/// The pool has one slot, and the workers A and B both run, because A came back when B had the slot. Now B waits while A comes to a task
/// boundary. There are two correct results: either A leaves first, and the next job wakes A, or A must stay and look for work.
#[test]
fn a_surplus_worker_is_not_let_go_when_another_waits() {
    model(None, || {
        let world = World::new(1, 2);
        world.idle.stop_searching(&*world);
        world.idle.resume(0);
        assert!(world.idle.has_surplus());
        let b = world.spawn(|world| {
            world.idle.vacate(world, 0);
            world.inject();
        });
        let left = world.idle.step_aside(&*world, 0, 0);
        b.join().unwrap();
        assert!(!world.idle.has_surplus());
        assert_eq!(world.woken[0].load(Ordering::Acquire), left);
        let counts = world.idle.counts();
        assert_eq!((counts.searching, counts.idle), (u32::from(left), 0));
    });
}

/// Checks a sentinel that retires while a frame appears. A thief must take the frame although the owner relied on the sentinel.
#[test]
fn a_push_while_the_sentinel_retires() {
    model(Some(3), || {
        let world = World::new(2, 2);
        let watcher = world.spawn(|world| {
            world.enrol(1);
            assert!(world.idle.claim_sentinel());
            let mut asleep = world.idle.lie_down(world, 1, 1, true);
            // The sentinel's timer has run out often enough.
            world.idle.drop_sentinel();
            if asleep && world.idle.must_wake(world, 1) && world.idle.rise(1) {
                asleep = false;
            }
            if asleep {
                world.park_until_woken(1);
            }
            world.search(1, 1);
        });
        world.idle.stop_searching(&*world);
        world.push();
        watcher.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

/// Checks a platform without the asymmetric fence. Without the fence a push can miss a request, so the pool always needs a sentinel. Two
/// workers search. If one of them is the sentinel, and leaves to run the injected job, the other worker must find the pushed frame.
#[test]
fn a_sentinel_that_leaves_has_a_successor() {
    model(Some(2), || {
        let world = World::on_platform(false, 3, 3);
        let workers = [1, 2].map(|id| world.spawn(move |world| world.search_unfenced(id)));
        world.idle.stop_searching(&*world);
        world.inject();
        world.push();
        for worker in workers {
            worker.join().unwrap();
        }
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

/// Checks a fence that becomes ready while a worker sleeps as the sentinel, or is about to do so. When the fence is ready, the sentinel
/// need not watch any more, but a worker must still find the frame.
#[test]
fn a_push_while_the_fence_comes() {
    model(Some(3), || {
        let world = World::on_platform(false, 2, 2);
        let thief = world.spawn(|world| world.search_gaining(1));
        world.idle.stop_searching(&*world);
        world.fenced.store(true, Ordering::Release);
        world.push();
        thief.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

/// Checks a last searcher that leaves without the fence, and wakes a sleeper. The sleeper finds the fence ready when it lies down
/// again. The sleeper must not treat the searcher's hint as an announcement, because an announcement would have required a fence.
#[test]
fn a_hint_is_no_announcement() {
    model(Some(3), || {
        let world = World::on_platform(false, 2, 2);
        let thief = world.spawn(|world| {
            world.enrol(1);
            // This worker need not watch the pool: either the owner still searches, or the owner wakes this worker when it stops searching.
            if world.idle.lie_down(world, 1, 1, false) {
                world.park_until_woken(1);
            }
            world.search_gaining(1);
        });
        world.idle.stop_searching(&*world);
        world.fenced.store(true, Ordering::Release);
        world.push();
        thief.join().unwrap();
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}

/// Checks two sleepers. One sleeper knows of the fence earlier than the other sleeper.
#[test]
fn the_fence_comes_to_two_sleepers() {
    model(Some(2), || {
        let world = World::on_platform(false, 3, 3);
        let workers = [1, 2].map(|id| world.spawn(move |world| world.search_gaining(id)));
        world.idle.stop_searching(&*world);
        world.fenced.store(true, Ordering::Release);
        world.inject();
        world.push();
        for worker in workers {
            worker.join().unwrap();
        }
        assert_eq!(world.frame.load(Ordering::Relaxed), TAKEN);
    });
}
