//! Checks waits that are given up: dropped futures, cancelled scopes, and deadlocks.

use super::{Calls, poll, poll_with};
use heist::sync::event::{Event, from_future, never, with_nack};
use heist::sync::{Rendezvous, Semaphore, channel};
use heist::{CancelToken, Cancelled, Pool};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// The message is not lost if a receiver gives up after it has met a sender.
#[test]
fn a_message_is_passed_on() {
    let there = Rendezvous::new();
    let mut first = Box::pin(there.recv_async());
    assert!(poll(first.as_mut()).is_pending());
    there.send(7); // has met the receiver
    drop(first);
    let mut second = pin!(there.recv_event().or(never()).sync_async());
    assert_eq!(poll(second.as_mut()), Poll::Ready(7));
}

#[test]
fn a_message_is_passed_on_to_a_receiver_that_waits() {
    let there = Rendezvous::new();
    let mut first = Box::pin(there.recv_async());
    assert!(poll(first.as_mut()).is_pending());
    let calls = Arc::new(Calls::default());
    let mut second = pin!(there.recv_async());
    assert!(poll_with(second.as_mut(), &calls).is_pending());
    there.send(7);
    assert_eq!(calls.count(), 0);
    drop(first);
    assert_eq!(calls.count(), 1);
    assert_eq!(poll(second), Poll::Ready(7));
}

#[test]
fn a_dropped_wait_gives_back_the_value_of_its_served_branch() {
    let (send, recv) = channel(1);
    let gate = Semaphore::new(0);
    let mut wait = Box::pin(
        recv.recv_event()
            .wrap(|_| ())
            .or(gate.acquire_event(1).wrap(drop))
            .sync_async(),
    );
    assert!(poll(wait.as_mut()).is_pending());
    send.send(7).unwrap();
    assert!(recv.try_recv().is_err(), "promised to the wait");
    drop(wait);
    assert_eq!(recv.recv(), Ok(7));
    let mut wait = Box::pin(
        recv.recv_event()
            .wrap(|_| ())
            .or(gate.acquire_event(1).wrap(drop))
            .sync_async(),
    );
    assert!(poll(wait.as_mut()).is_pending());
    gate.release(1);
    drop(wait);
    assert_eq!(gate.available(), 1);
}

/// A wait that is dropped leaves all queues, and takes no message and no permit.
#[test]
fn a_wait_that_is_dropped_leaves_its_queues() {
    let (send, recv) = channel(1);
    let there = Rendezvous::new();
    let mut wait = Box::pin(
        recv.recv_event()
            .wrap(|_| ())
            .or(there.recv_event())
            .or(there.send_event(()))
            .sync_async(),
    );
    assert!(poll(wait.as_mut()).is_pending());
    drop(wait);
    send.send(7).unwrap();
    assert_eq!(recv.try_recv(), Ok(7));
    let mut meets = pin!(there.send_async(()));
    assert!(poll(meets.as_mut()).is_pending());
    let mut meets = pin!(there.recv_async());
    assert!(poll(meets.as_mut()).is_ready());
}

#[test]
fn a_wait_that_is_dropped_gives_its_nack() {
    let (tell, told) = channel(1);
    let mut wait = Box::pin(
        with_nack(|nack| {
            tell.send(nack).unwrap();
            never::<()>()
        })
        .sync_async(),
    );
    assert!(poll(wait.as_mut()).is_pending());
    let nack = told.recv().unwrap();
    let calls = Arc::new(Calls::default());
    let mut given = pin!(nack.event().or(never()).sync_async());
    assert!(poll_with(given.as_mut(), &calls).is_pending());
    drop(wait);
    assert_eq!(calls.count(), 1);
    assert!(poll(given).is_ready());
}

#[test]
fn a_choice_with_a_foreign_branch_leaves_its_queues_to_poll() {
    let there = Rendezvous::new();
    let (send, recv) = tokio::sync::oneshot::channel::<u32>();
    let mut wait = Box::pin(
        there
            .recv_event()
            .or(from_future(recv).wrap(|n| n.unwrap()))
            .sync_async(),
    );
    for _ in 0..3 {
        assert!(poll(wait.as_mut()).is_pending());
    }
    there.send(1);
    send.send(2).unwrap();
    // The first branch is decided, and the second one is not polled.
    assert_eq!(poll(wait.as_mut()), Poll::Ready(1));
}

#[test]
fn a_newer_waker_is_called() {
    let there = Rendezvous::new();
    let (old, new) = (Arc::new(Calls::default()), Arc::new(Calls::default()));
    let mut wait = pin!(there.recv_event().or(never()).sync_async());
    assert!(poll_with(wait.as_mut(), &old).is_pending());
    assert!(poll_with(wait.as_mut(), &new).is_pending());
    there.send(1);
    assert_eq!((old.count(), new.count()), (0, 1));
    assert!(poll(wait).is_ready());
}

#[test]
fn a_cancellation_is_an_event() {
    let token = CancelToken::new();
    let there = Rendezvous::<()>::new();
    let calls = Arc::new(Calls::default());
    let wait = || {
        token
            .cancelled_event()
            .wrap(|()| 1)
            .or(there.recv_event().wrap(|()| 2))
            .sync_async()
    };
    let mut first = pin!(wait());
    let mut second = pin!(wait());
    assert!(poll(first.as_mut()).is_pending());
    assert!(poll_with(first.as_mut(), &calls).is_pending());
    assert!(poll(second.as_mut()).is_pending());
    there.send(());
    assert_eq!((calls.count(), poll(first)), (1, Poll::Ready(2)));
    let mut third = pin!(wait());
    assert!(poll_with(third.as_mut(), &calls).is_pending());
    token.cancel();
    // The waker of the first wait has been removed, so it is not called again.
    assert_eq!(calls.count(), 2);
    assert_eq!(
        (poll(second), poll(third)),
        (Poll::Ready(1), Poll::Ready(1))
    );
    token.cancelled_event().sync();
}

#[test]
fn a_cancelled_scope_gives_waits_up() {
    let pool = Pool::new(2).unwrap();
    let token = CancelToken::new();
    let there = Rendezvous::<u32>::new();
    let work = pool.spawn({
        let (token, there) = (token.clone(), there.clone());
        move || token.run(|| there.recv_event().or(never()).sync())
    });
    std::thread::sleep(std::time::Duration::from_millis(10));
    token.cancel();
    assert_eq!(work.join().unwrap(), Err(Cancelled));
    let mut meets = pin!(there.send_async(1));
    assert!(poll(meets.as_mut()).is_pending());
}
