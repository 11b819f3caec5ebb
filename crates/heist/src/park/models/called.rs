//! Checks workers that are called by name while they sleep.

use super::{World, model};
use crate::platform::shim::Ordering;
use loom::thread;

impl World {
    /// Leaves a message that only worker 0 can handle.
    fn call(&self, message: u32) {
        if !self.mailbox.leave(message) {
            return;
        }
        if let Some(thread) = &*self.threads[0].lock().unwrap() {
            thread.unpark();
        }
    }

    /// Lets worker 0 sleep until another thread wakes it, or until it has a message and `get_up` succeeds.
    fn rest(&self, get_up: impl Fn() -> bool) {
        while !self.woken[0].load(Ordering::Acquire) {
            if self.mailbox.are_there() && get_up() {
                break;
            }
            thread::park();
        }
    }

    fn read(&self, messages: &mut Vec<u32>) {
        if self.mailbox.are_there() {
            self.mailbox.take(messages);
        }
    }
}

/// Checks a worker that goes to sleep while one or two threads call it. If `waited` is true, the
/// worker has waited for another event before, and may have consumed its unpark token.
fn called_while_it_sleeps(callers: u32, waited: bool) {
    let world = World::new(1, 1);
    let sleeper = world.spawn(move |world| {
        world.enrol(0);
        if waited {
            thread::park();
        }
        let mut messages = Vec::new();
        while messages.len() < callers as usize {
            if world.idle.lie_down(world, 0, 0, false) {
                world.rest(|| world.idle.rise(0));
            }
            world.read(&mut messages);
        }
        messages.sort();
        assert!(messages.into_iter().eq(0..callers));
    });
    // The callers start when the worker's thread can be unparked.
    while world.threads[0].lock().unwrap().is_none() {
        thread::yield_now();
    }
    let others: Vec<_> = (1..callers)
        .map(|message| world.spawn(move |world| world.call(message)))
        .collect();
    world.call(0);
    for other in others {
        other.join().unwrap();
    }
    sleeper.join().unwrap();
    let counts = world.idle.counts();
    assert_eq!((counts.searching, counts.idle), (1, 0));
}

#[test]
fn a_sleeper_is_called() {
    model(None, || called_while_it_sleeps(1, false));
}

#[test]
fn a_sleeper_is_called_by_two() {
    model(Some(3), || called_while_it_sleeps(2, false));
}

#[test]
fn a_sleeper_is_called_that_has_waited() {
    model(Some(3), || called_while_it_sleeps(1, true));
}

/// Checks a worker that is called and woken for a job at the same time. The worker gets the message and the job, and the counts include the
/// worker once.
#[test]
fn a_sleeper_is_called_and_woken() {
    model(Some(3), || {
        let world = World::new(1, 1);
        let sleeper = world.spawn(|world| {
            world.enrol(0);
            let (mut messages, mut found) = (Vec::new(), false);
            while messages.is_empty() || !found {
                if world.idle.lie_down(world, 0, 0, false) {
                    world.rest(|| world.idle.rise(0));
                }
                world.read(&mut messages);
                found |= world.look();
            }
        });
        let other = world.spawn(World::inject);
        world.call(7);
        other.join().unwrap();
        sleeper.join().unwrap();
        let counts = world.idle.counts();
        assert_eq!((counts.searching, counts.idle), (1, 0));
    });
}

/// Checks a spare, worker 0, that is called in a pool with one slot. Worker 1 has taken over the only slot. The call comes while worker 1
/// runs or makes the slot vacant. No matter what worker 1 does, worker 0 continues, and the counts agree with the number of the slot's
/// holders.
#[test]
fn a_spare_is_called() {
    model(Some(3), || {
        let world = World::new(1, 2);
        world.enrol(0);
        world.idle.stop_searching(&*world);
        world.idle.resume(0);
        let other = world.spawn(|world| {
            world.call(7);
            world.idle.vacate(world, 0);
        });
        let mut messages = Vec::new();
        if world.idle.step_aside(&*world, 0, 0) {
            world.rest(|| world.idle.recall(0, 0));
            world.idle.stop_searching(&*world);
        }
        other.join().unwrap();
        world.read(&mut messages);
        assert_eq!(messages, [7]);
        // In each order of these events, exactly one worker runs, and has the slot.
        assert!(!world.idle.has_surplus());
        let counts = world.idle.counts();
        assert_eq!((counts.searching, counts.idle), (0, 0));
        assert!(world.idle.settle(0).is_none());
    });
}

/// Checks a spare that is called while the holder of its slot, worker 1, continues to run. The slot then has two holders.
#[test]
fn a_spare_is_called_beside_the_holder_of_its_slot() {
    model(None, || {
        let world = World::new(1, 2);
        world.enrol(0);
        world.idle.stop_searching(&*world);
        world.idle.resume(0);
        let other = world.spawn(|world| world.call(7));
        assert!(world.idle.step_aside(&*world, 0, 0));
        world.rest(|| world.idle.recall(0, 0));
        assert!(world.mailbox.are_there());
        assert!(world.idle.has_surplus());
        let counts = world.idle.counts();
        assert_eq!((counts.searching, counts.idle), (1, 0));
        other.join().unwrap();
    });
}

/// Checks a worker that waits without a slot for another event. When the worker is called, it takes a slot for the message, and then gives
/// the slot away again.
#[test]
fn a_waiter_is_called() {
    model(Some(3), || {
        let world = World::new(1, 2);
        world.enrol(0);
        world.idle.stop_searching(&*world);
        let other = world.spawn(|world| {
            world.call(7);
            world.over.store(true, Ordering::SeqCst);
            if let Some(waiter) = &*world.threads[0].lock().unwrap() {
                waiter.unpark();
            }
        });
        let mut messages = Vec::new();
        loop {
            world.read(&mut messages);
            if world.over.load(Ordering::SeqCst) {
                break;
            }
            world.idle.vacate(&*world, 0);
            while !world.over.load(Ordering::SeqCst) && !world.mailbox.are_there() {
                thread::park();
            }
            world.idle.resume(0);
        }
        world.read(&mut messages);
        other.join().unwrap();
        assert_eq!(messages, [7]);
    });
}
