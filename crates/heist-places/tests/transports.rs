//! Tests of transports with a maximum frame size, and of transports that fail.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use common::ends;
use heist_places::transport::{Event, Transport};
use heist_places::{PlaceError, Task, World, register, run_on};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Here;
impl Task for Here {
    type Output = usize;
    async fn run(self, world: World) -> usize {
        world.here()
    }
}

/// A task with two arguments, some bytes and a number. The task returns that number of bytes.
#[derive(Serialize, Deserialize)]
struct Long(Vec<u8>, usize);
impl Task for Long {
    type Output = Vec<u8>;
    async fn run(self, _: World) -> Vec<u8> {
        vec![0; self.1]
    }
}

register!(Here, Long);

/// A transport that carries only short frames.
struct Narrow {
    here: usize,
    inbox: Mutex<mpsc::Receiver<Event>>,
    inboxes: Vec<mpsc::Sender<Event>>,
}
const LONGEST: usize = 1_000;
impl Transport for Narrow {
    fn here(&self) -> usize {
        self.here
    }
    fn places(&self) -> usize {
        self.inboxes.len()
    }
    fn longest(&self) -> usize {
        LONGEST
    }
    fn send(&self, to: usize, bytes: Vec<u8>) {
        assert!(bytes.len() <= LONGEST, "the frame does not fit");
        let from = self.here;
        let _ = self.inboxes[to].send(Event::Frame { from, bytes });
    }
    fn next(&self, wait: bool) -> Option<Event> {
        let inbox = self.inbox.lock().unwrap();
        if wait {
            inbox.recv().ok()
        } else {
            inbox.try_recv().ok()
        }
    }
    fn close(&self) {
        let _ = self.inboxes[self.here].send(Event::Closed);
    }
}

/// Runs a body at two places over a `Narrow` transport.
fn over_narrow<R: Send + 'static>(body: fn(World) -> R) -> Vec<R> {
    ends(move || {
        let (inboxes, ends): (Vec<_>, Vec<_>) = (0..2).map(|_| mpsc::channel()).unzip();
        let places = ends.into_iter().enumerate().map(|(here, inbox)| {
            let transport = Arc::new(Narrow {
                here,
                inbox: Mutex::new(inbox),
                inboxes: inboxes.clone(),
            });
            thread::spawn(move || run_on(transport, 1, body).unwrap())
        });
        let places: Vec<_> = places.collect();
        places
            .into_iter()
            .map(|place| place.join().unwrap())
            .collect()
    })
}

fn too_long<T>(place: usize, bytes: usize) -> Result<T, PlaceError> {
    let message = format!("heist-places: a message of {bytes} bytes is too long");
    Err(PlaceError::Panicked { place, message })
}

#[test]
fn a_value_that_is_too_long_is_an_error_of_its_receiver() {
    let outcomes = over_narrow(|world| {
        let length = if world.here() == 0 { LONGEST } else { 3 };
        let values = world.all_to_all(vec![vec![1_u8; 2], vec![0; length]]);
        (values.wait(), world.barrier().wait())
    });
    assert_eq!(outcomes[0], (Ok(vec![vec![1, 1], vec![1, 1]]), Ok(())));
    assert_eq!(outcomes[1], (too_long(0, LONGEST + 2), Ok(())));
}

#[test]
fn a_message_that_is_too_long_is_a_panic_of_its_sender() {
    fn body(world: &World) -> Vec<Result<usize, PlaceError>> {
        let long = || Long(vec![0; LONGEST - 60], 0);
        let mut outcomes = Vec::new();
        if world.here() == 0 {
            outcomes.push(world.finish(|f| f.async_at(1, long())).wait().map(|()| 0));
            let called = world.finish(|f| drop(f.at(1, long())));
            outcomes.push(called.wait().map(|()| 0));
            let results = |length| world.at(1, Long(Vec::new(), length)).wait();
            outcomes.push(results(LONGEST).map(|result| result.len()));
            outcomes.push(results(LONGEST / 2).map(|result| result.len()));
        }
        let all = world.reduce(vec![0_u8; LONGEST / 2], |a, b| [a, b].concat());
        outcomes.push(all.wait().map(|all| all.len()));
        outcomes.push(world.barrier().wait().map(|()| 0));
        outcomes
    }
    let outcomes = over_narrow(|world| body(&world));
    let expected = [
        too_long(0, LONGEST - 60 + 3),
        too_long(0, LONGEST - 60 + 3),
        too_long(1, LONGEST + 2),
        Ok(LONGEST / 2),
        too_long(0, LONGEST + 2),
        Ok(0),
    ];
    assert_eq!(outcomes[0], expected);
    assert_eq!(outcomes[1], expected[4..]);
}

/// The way in which a transport fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// A call that waits panics.
    Wait,
    /// A call that does not wait panics. Workers and waiting threads make such calls, too.
    Look,
    /// A message that no place has sent arrives.
    Garbage,
}

/// A transport that fails after some frames.
struct Failing {
    frames: AtomicU64,
    failure: Failure,
}
impl Transport for Failing {
    fn here(&self) -> usize {
        0
    }
    fn places(&self) -> usize {
        2
    }
    fn send(&self, _: usize, _: Vec<u8>) {
        self.frames.fetch_add(1, Ordering::AcqRel);
    }
    fn next(&self, wait: bool) -> Option<Event> {
        while wait && self.frames.load(Ordering::Acquire) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        let failed = self.frames.load(Ordering::Acquire) > 0;
        if failed && wait && self.failure == Failure::Garbage {
            return Some(Event::Frame {
                from: 1,
                bytes: vec![0xff; 3],
            });
        }
        let fails = match self.failure {
            Failure::Wait => wait,
            Failure::Look => !wait,
            Failure::Garbage => false,
        };
        assert!(!(failed && fails), "the network is gone");
        None
    }
    fn close(&self) {}
}

/// Returns the text of the panic that ends a program over a `Failing` transport.
fn panic_over(failure: Failure) -> String {
    let payload = ends(move || {
        let seen = Mutex::new(None);
        let transport = Arc::new(Failing {
            frames: AtomicU64::new(0),
            failure,
        });
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run_on(transport, 1, |world| {
                *seen.lock().unwrap() = Some(world.at(1, Here).wait());
            })
        }));
        let error = seen.into_inner().unwrap().unwrap().unwrap_err();
        assert_eq!(error.place(), 1);
        outcome.unwrap_err()
    });
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref().cloned()).unwrap()
}

#[test]
fn a_panic_of_the_transport_ends_the_program() {
    assert_eq!(panic_over(Failure::Wait), "the network is gone");
    for _ in 0..20 {
        assert_eq!(panic_over(Failure::Look), "the network is gone");
    }
}

#[test]
fn a_frame_that_cannot_be_read_ends_the_program() {
    let text = panic_over(Failure::Garbage);
    let expected = "heist-places: place 0 cannot read a message of place 1: ";
    assert!(text.starts_with(expected), "{text}");
}
