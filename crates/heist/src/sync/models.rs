//! Model tests of the constructs. The tests run the real code under every interleaving (loom).
//!
//! If a wait never ends, loom reports a deadlock. If a construct does not order two accesses to data, loom reports a race.

use super::{Mode, Phaser, Semaphore, channel, i_structure, promise};
use crate::platform::shim::{AtomicBool, Ordering};
use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::thread::{self, Thread};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

struct Alarm {
    rung: AtomicBool,
    thread: Thread,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Waits for a future, like `block_on` outside of pools.
pub(super) fn wait<F: IntoFuture>(future: F) -> F::Output {
    let mut future = pin!(future.into_future());
    let alarm = Arc::new(Alarm {
        rung: AtomicBool::new(false),
        thread: thread::current(),
    });
    let waker = Waker::from(Arc::clone(&alarm));
    loop {
        alarm.rung.swap(false, Ordering::Acquire);
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        while !alarm.rung.load(Ordering::Acquire) {
            thread::park();
        }
    }
}

pub(super) fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

pub(super) fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(model);
}

/// Data whose accesses a construct must order.
pub(super) struct Data(UnsafeCell<u64>);

// SAFETY: loom checks that no two threads access the data at a time, and fails the model otherwise.
unsafe impl Sync for Data {}
// SAFETY: loom checks that no two threads access the data at a time, and fails the model otherwise.
unsafe impl Send for Data {}

impl Data {
    pub(super) fn new() -> Arc<Data> {
        Arc::new(Data(UnsafeCell::new(0)))
    }

    pub(super) fn add(&self) {
        // SAFETY: the construct under test must order this access after all earlier accesses. Otherwise loom fails the model.
        self.0.with_mut(|value| unsafe { *value += 1 });
    }

    pub(super) fn get(&self) -> u64 {
        // SAFETY: the construct under test must order this access after all earlier writes. Otherwise loom fails the model.
        self.0.with(|value| unsafe { *value })
    }
}

#[test]
fn a_promise_reaches_all() {
    check(|| {
        let (promise, future) = promise();
        let data = Data::new();
        let getters: Vec<_> = (0..2)
            .map(|_| {
                let (future, data) = (future.clone(), Arc::clone(&data));
                thread::spawn(move || {
                    assert_eq!(*wait(&future), 7);
                    assert_eq!(data.get(), 1);
                })
            })
            .collect();
        data.add();
        promise.set(7);
        for getter in getters {
            getter.join().unwrap();
        }
    });
}

/// Polls a future repeatedly, whether or not a thread has woken it.
fn look<F: IntoFuture>(future: F) -> F::Output {
    let mut future = pin!(future.into_future());
    loop {
        if let Poll::Ready(output) = poll(future.as_mut()) {
            return output;
        }
        thread::yield_now();
    }
}

#[test]
fn a_thread_that_only_polls_sees_a_value() {
    check(|| {
        let (promise, future) = promise();
        let data = Data::new();
        let told = Arc::clone(&data);
        let keeper = thread::spawn(move || {
            told.add();
            promise.set(7);
        });
        while future.try_get().is_none() {
            thread::yield_now();
        }
        assert_eq!(data.get(), 1);
        keeper.join().unwrap();
    });
}

#[test]
fn a_waiter_that_only_polls_is_served() {
    check(|| {
        let gate = Arc::new(Semaphore::new(0));
        let data = Data::new();
        let (opens, told) = (Arc::clone(&gate), Arc::clone(&data));
        let opener = thread::spawn(move || {
            told.add();
            opens.release(1);
        });
        look(gate.acquire_async(1)).keep();
        assert_eq!(data.get(), 1);
        opener.join().unwrap();
    });
}

#[test]
fn one_permit_excludes() {
    check(|| {
        let gate = Arc::new(Semaphore::new(1));
        let data = Data::new();
        let others: Vec<_> = (0..2)
            .map(|_| {
                let (gate, data) = (Arc::clone(&gate), Arc::clone(&data));
                thread::spawn(move || {
                    let permit = wait(gate.acquire_async(1));
                    data.add();
                    drop(permit);
                })
            })
            .collect();
        let permit = wait(gate.acquire_async(1));
        data.add();
        drop(permit);
        for other in others {
            other.join().unwrap();
        }
        assert_eq!((data.get(), gate.available()), (3, 1));
    });
}

/// A waiter gives up before, while or after it is served. In each case, the permit goes to the other waiter or back to the semaphore.
#[test]
fn a_permit_is_not_lost_with_a_waiter_that_gives_up() {
    check(|| {
        let gate = Arc::new(Semaphore::new(0));
        let quitter = Arc::clone(&gate);
        let quitter = thread::spawn(move || {
            let mut wait = Box::pin(quitter.acquire_async(1));
            let got = poll(wait.as_mut());
            drop((got, wait));
        });
        let waiter = Arc::clone(&gate);
        let waiter = thread::spawn(move || drop(wait(waiter.acquire_async(1))));
        gate.release(1);
        quitter.join().unwrap();
        waiter.join().unwrap();
        assert_eq!(gate.available(), 1);
    });
}

#[test]
fn values_pass_a_channel() {
    check(|| {
        let (sender, receiver) = channel(1);
        let data = Data::new();
        let told = Arc::clone(&data);
        let sending = thread::spawn(move || {
            told.add();
            wait(sender.send_async(1)).unwrap();
            wait(sender.send_async(2)).unwrap();
        });
        assert_eq!(wait(receiver.recv_async()), Ok(1));
        assert_eq!(data.get(), 1);
        assert_eq!(wait(receiver.recv_async()), Ok(2));
        assert!(wait(receiver.recv_async()).is_err());
        sending.join().unwrap();
    });
}

#[test]
fn a_channel_closes_while_somebody_sends() {
    check(|| {
        let (sender, receiver) = channel(1);
        sender.try_send(0).unwrap();
        let sending = thread::spawn(move || wait(sender.send_async(1)).is_ok());
        let _ = receiver.try_recv();
        drop(receiver);
        sending.join().unwrap();
    });
}

/// Checks that each phase orders the parties' writes in the phase before their reads in the next phase.
#[test]
fn a_phase_orders_its_parties() {
    check(|| {
        let phaser = Phaser::new();
        let data = [Data::new(), Data::new()];
        let mut parties = [
            phaser.register(Mode::SignalWait),
            phaser.register(Mode::SignalWait),
        ]
        .into_iter()
        .enumerate()
        .map(|(own, mut party)| {
            let data = data.clone();
            move || {
                data[own].add();
                assert_eq!(wait(party.next_async()), 1);
                assert_eq!(data[1 - own].get(), 1);
                assert_eq!(wait(party.next_async()), 2);
                data[own].add();
            }
        });
        let (mut first, mut second) = (parties.next().unwrap(), parties.next().unwrap());
        let other = thread::spawn(move || second());
        first();
        other.join().unwrap();
    });
}

/// A producer signals and a consumer waits, while a third party leaves the phaser.
#[test]
fn a_party_leaves_while_others_wait() {
    check(|| {
        let phaser = Phaser::new();
        let data = Data::new();
        let mut producer = phaser.register(Mode::Signal);
        let mut consumer = phaser.register(Mode::Wait);
        let leaver = phaser.register(Mode::SignalWait);
        let told = Arc::clone(&data);
        let producer = thread::spawn(move || {
            told.add();
            producer.signal();
        });
        let leaver = thread::spawn(move || drop(leaver));
        assert_eq!(wait(consumer.next_async()), 1);
        assert_eq!(data.get(), 1);
        producer.join().unwrap();
        leaver.join().unwrap();
    });
}

/// Two parties each offer a statement. One of the two statements runs, after both parties have signalled and before either party continues.
#[test]
fn a_single_statement_stands_between_two_phases() {
    check(|| {
        let phaser = Phaser::new();
        let data = Data::new();
        let mut first = phaser.register(Mode::Single);
        let mut second = phaser.register(Mode::Single);
        let seen = Arc::clone(&data);
        let other = thread::spawn(move || {
            let add = Arc::clone(&seen);
            assert_eq!(wait(second.next_single_async(move || add.add())), 1);
            assert_eq!(seen.get(), 1);
            // The data must not change before the other party has read it, too, so this party waits for one more phase.
            wait(second.next_async());
        });
        let add = Arc::clone(&data);
        assert_eq!(wait(first.next_single_async(move || add.add())), 1);
        assert_eq!(data.get(), 1);
        drop(first);
        other.join().unwrap();
    });
}

/// A signal ends a phase while the party with the statement waits. The party with the statement may give up its wait.
#[test]
fn a_chosen_party_gives_up_or_runs_it() {
    for gives_up in [false, true] {
        check(move || {
            let phaser = Phaser::new();
            let mut single = phaser.register(Mode::Single);
            let mut signal = phaser.register(Mode::Signal);
            let mut consumer = phaser.register(Mode::Wait);
            let offering = thread::spawn(move || {
                if gives_up {
                    let mut step = Box::pin(single.next_single_async(|| ()));
                    let _ = poll(step.as_mut());
                } else {
                    wait(single.next_single_async(|| ()));
                }
            });
            let signalling = thread::spawn(move || signal.signal());
            assert_eq!(wait(consumer.next_async()), 1);
            offering.join().unwrap();
            signalling.join().unwrap();
        });
    }
}

/// A cell is put while a reader requests it. An earlier put of another cell in the same block has cleared the bits that make putters look
/// for waiters.
#[test]
fn a_cell_is_put_while_somebody_asks() {
    check(|| {
        let (mut writer, cells) = i_structure(2);
        writer.put(0, 0);
        let data = Data::new();
        let told = Arc::clone(&data);
        let putter = thread::spawn(move || {
            told.add();
            writer.put(1, 7);
        });
        assert_eq!(*wait(cells.get_async(1)), 7);
        assert_eq!(data.get(), 1);
        putter.join().unwrap();
    });
}

/// Two getters request one cell. The second getter relies on the first getter's heavy fence and sweep.
#[test]
fn two_ask_for_a_cell() {
    check(|| {
        let (mut writer, cells) = i_structure(2);
        writer.put(0, 0);
        let other = cells.clone();
        let getter = thread::spawn(move || assert_eq!(*wait(other.get_async(1)), 7));
        let putter = thread::spawn(move || writer.put(1, 7));
        assert_eq!(*wait(cells.get_async(1)), 7);
        putter.join().unwrap();
        getter.join().unwrap();
    });
}

/// The first put of a block clears bits while readers request two of the block's cells.
#[test]
fn the_first_put_of_a_block() {
    check(|| {
        let (mut writer, cells) = i_structure(2);
        let other = cells.clone();
        let getter = thread::spawn(move || assert_eq!(*wait(other.get_async(1)), 1));
        let putter = thread::spawn(move || {
            writer.put(0, 0);
            writer.put(1, 1);
        });
        assert_eq!(*wait(cells.get_async(0)), 0);
        putter.join().unwrap();
        getter.join().unwrap();
    });
}

/// Two parts of a writer put cells of one block.
#[test]
fn two_put_cells_of_a_block() {
    check(|| {
        let (writer, cells) = i_structure(2);
        let putters: Vec<_> = (writer.chunks(1))
            .map(|mut one| {
                thread::spawn(move || {
                    let index = one.range().start;
                    one.put(index, index);
                })
            })
            .collect();
        for index in 0..2 {
            assert_eq!(*wait(cells.get_async(index)), index);
        }
        for putter in putters {
            putter.join().unwrap();
        }
    });
}
