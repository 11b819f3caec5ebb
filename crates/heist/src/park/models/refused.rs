//! Checks threads that cannot be started at first.

use super::{World, model};
use crate::platform::shim::Ordering;
use loom::thread;

/// Checks a waiter that gives its slot away while a job comes from outside. The first `times` attempts to start a thread for the job fail.
/// Either the waiter or the thread that adds the job makes these attempts.
fn refused(times: u32) {
    let world = World::new(1, 2);
    world.refusals.store(times, Ordering::Relaxed);
    let spare = world.spawn(|world| {
        world.enrol(1);
        world.park_until_woken(1);
        assert!(world.look());
        world.idle.stop_searching(world);
        world.over.store(true, Ordering::SeqCst);
        world.unpark(0);
    });
    // The waiter needs a separate thread, because another thread may unpark it once too often, and then loom's `join` on the same thread
    // would fail.
    let waiter = world.spawn(|world| {
        world.enrol(0);
        world.idle.stop_searching(world);
        world.idle.vacate(world, 0);
        while !world.over.load(Ordering::SeqCst) {
            if world.idle.has_refused() {
                world.idle.retry(world);
            } else {
                thread::park();
            }
        }
        world.idle.resume(0);
    });
    world.inject();
    waiter.join().unwrap();
    spare.join().unwrap();
    assert!(world.idle.has_surplus());
    assert!(!world.idle.has_refused());
}

#[test]
fn a_refused_start_is_tried_again() {
    model(None, || refused(1));
}

#[test]
fn a_start_that_is_refused_twice_is_tried_again() {
    model(Some(3), || refused(2));
}

/// Checks a waiter that comes back to its slot while the start of a thread for the slot is refused. The slot then belongs to the
/// waiter, and no slot is refused.
#[test]
fn a_waiter_comes_back_to_a_refused_slot() {
    model(None, || {
        let world = World::new(1, 2);
        world.refusals.store(1, Ordering::Relaxed);
        let outsider = world.spawn(World::inject);
        world.idle.stop_searching(&*world);
        world.idle.vacate(&*world, 0);
        world.idle.resume(0);
        outsider.join().unwrap();
        assert!(!world.idle.has_refused() && !world.idle.has_surplus());
        let counts = world.idle.counts();
        assert_eq!((counts.searching, counts.idle), (0, 0));
    });
}
