//! Model tests of choices. The tests check choices that meet, two servers that serve one choice, and waiters that give up while a thread
//! serves them.

use super::{Event, from_future, with_nack};
use crate::sync::models::{Data, check, poll, wait};
use crate::sync::{Rendezvous, Semaphore, channel};
use loom::model::Builder;
use loom::thread;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// Each chooser has queued a waiter in the queue that the other chooser searches. No matter which chooser decides, both waits end,
/// and the two choosers have met each other.
#[test]
fn two_choosers_meet() {
    check(|| {
        let (left, right) = (Rendezvous::new(), Rendezvous::new());
        let data = Data::new();
        let other = thread::spawn({
            let (left, right, data) = (left.clone(), right.clone(), Arc::clone(&data));
            move || {
                let event = right
                    .send_event(2)
                    .wrap(|()| None)
                    .or(left.recv_event().wrap(Some));
                let got = wait(event);
                if got.is_some() {
                    assert_eq!(data.get(), 1);
                }
                got
            }
        });
        data.add();
        let event = left
            .send_event(1)
            .wrap(|()| None)
            .or(right.recv_event().wrap(Some));
        let mine = wait(event);
        let theirs = other.join().unwrap();
        assert!(
            matches!((mine, theirs), (None, Some(1)) | (Some(2), None)),
            "{mine:?} {theirs:?}"
        );
    });
}

/// At the same time, each chooser queues its own waiter and finds the other chooser's waiter. So each chooser has to claim the words of
/// both choices. The model allows four preemptions, because with fewer preemptions no schedule makes both choosers claim both words.
#[test]
fn two_choosers_decide_at_a_time() {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(4);
    builder.check(|| {
        let (left, right) = (Rendezvous::new(), Rendezvous::new());
        let other = thread::spawn({
            let (left, right) = (left.clone(), right.clone());
            move || {
                let event = right
                    .send_event(2)
                    .wrap(|()| None)
                    .or(left.recv_event().wrap(Some));
                let mut event = Box::pin(event.sync_async());
                (poll(event.as_mut()), event)
            }
        });
        let event = left
            .send_event(1)
            .wrap(|()| None)
            .or(right.recv_event().wrap(Some));
        let mut event = pin!(event.sync_async());
        let mut mine = poll(event.as_mut());
        let (mut theirs, mut other) = other.join().unwrap();
        if mine.is_pending() {
            mine = poll(event.as_mut());
        }
        if theirs.is_pending() {
            theirs = poll(other.as_mut());
        }
        assert!(
            matches!(
                (mine, theirs),
                (Poll::Ready(None), Poll::Ready(Some(1)))
                    | (Poll::Ready(Some(2)), Poll::Ready(None))
            ),
            "{mine:?} {theirs:?}"
        );
    });
}

/// Each of two choosers offers to send and to receive at the same channel. No chooser meets itself, and the two choosers meet each other.
#[test]
fn two_that_swap() {
    check(|| {
        let channel = Rendezvous::new();
        let swap = |channel: &Rendezvous<u32>, mine| {
            let event = channel.send_event(mine).wrap(|()| None);
            wait(event.or(channel.recv_event().wrap(Some)))
        };
        let other = channel.clone();
        let other = thread::spawn(move || swap(&other, 2));
        let mine = swap(&channel, 1);
        let theirs = other.join().unwrap();
        assert!(
            matches!((mine, theirs), (None, Some(1)) | (Some(2), None)),
            "{mine:?} {theirs:?}"
        );
    });
}

/// Two senders have messages for one choice. The choice gets one message, and the other message stays with its sender.
#[test]
fn two_servers_serve_one_choice() {
    check(|| {
        let (send_left, left) = channel(1);
        let (send_right, right) = channel(1);
        let data = Data::new();
        let server = thread::spawn({
            let data = Arc::clone(&data);
            move || {
                data.add();
                send_left.try_send(1).unwrap();
            }
        });
        let other = thread::spawn(move || send_right.try_send(2).unwrap());
        let got = wait(left.recv_event().or(right.recv_event())).unwrap();
        if got == 1 {
            assert_eq!(data.get(), 1);
        }
        server.join().unwrap();
        other.join().unwrap();
        let rest = left.try_recv().or(right.try_recv());
        assert_eq!(got + rest.unwrap(), 3);
    });
}

/// A receiver gives up while a sender meets it. Either the sender still waits, or its message goes to the next receiver.
#[test]
fn giving_up_against_a_sender() {
    check(|| {
        let (channel, unused) = (Rendezvous::new(), Rendezvous::new());
        let mut first = Box::pin(unused.recv_event().or(channel.recv_event()).sync_async());
        assert!(poll(first.as_mut()).is_pending());
        let sender = thread::spawn({
            let channel = channel.clone();
            move || wait(channel.send_event(7))
        });
        drop(first);
        assert_eq!(wait(channel.recv_event()), 7);
        sender.join().unwrap();
    });
}

/// A choice with a foreign future is polled again: it closes, leaves its queue and opens again. A sender that comes at this time
/// meets the choice either before or after these steps.
#[test]
fn a_choice_opens_again_against_a_sender() {
    check(|| {
        let channel = Rendezvous::new();
        let data = Data::new();
        let never = from_future(std::future::pending::<u32>());
        let mut choice = Box::pin(never.or(channel.recv_event()).sync_async());
        assert!(poll(choice.as_mut()).is_pending());
        let sender = thread::spawn({
            let (channel, data) = (channel.clone(), Arc::clone(&data));
            move || {
                data.add();
                wait(channel.send_event(7));
            }
        });
        let got = match poll(choice.as_mut()) {
            Poll::Ready(got) => got,
            Poll::Pending => wait(choice),
        };
        assert_eq!(got, 7);
        assert_eq!(data.get(), 1);
        sender.join().unwrap();
    });
}

/// The foreign future of a choice is ready at the second poll. Either the output of the foreign future is the choice's result, and
/// the sender keeps its message, or the sender has met the choice before the choice closed.
#[test]
fn a_foreign_result_against_a_sender() {
    check(|| {
        let channel = Rendezvous::new();
        let mut polls = 0;
        let second = from_future(std::future::poll_fn(move |_| {
            polls += 1;
            if polls < 2 {
                Poll::Pending
            } else {
                Poll::Ready(8)
            }
        }));
        let mut choice = Box::pin(second.or(channel.recv_event()).sync_async());
        assert!(poll(choice.as_mut()).is_pending());
        let sender = thread::spawn({
            let channel = channel.clone();
            move || wait(channel.send_event(7))
        });
        let Poll::Ready(got) = poll(choice.as_mut()) else {
            unreachable!("the future has its result");
        };
        drop(choice);
        if got == 8 {
            assert_eq!(wait(channel.recv_event()), 7);
        } else {
            assert_eq!(got, 7);
        }
        sender.join().unwrap();
    });
}

/// A receiver that has met a sender is dropped. The sender's message goes exactly once to a receiver that queues at the same time.
#[test]
fn a_message_is_passed_on_to_a_queued_receiver() {
    check(|| {
        let (channel, unused) = (Rendezvous::new(), Rendezvous::new());
        let data = Data::new();
        let mut first = Box::pin(channel.recv_event().sync_async());
        assert!(poll(first.as_mut()).is_pending());
        data.add();
        assert!(poll(pin!(channel.send_async(7))).is_ready());
        let second = thread::spawn({
            let (channel, data) = (channel.clone(), Arc::clone(&data));
            move || {
                let got = wait(unused.recv_event().or(channel.recv_event()));
                assert_eq!(data.get(), 1);
                got
            }
        });
        drop(first);
        assert_eq!(second.join().unwrap(), 7);
        assert!(poll(pin!(channel.recv_async())).is_pending());
    });
}

/// A message is passed on to a receiver that gives up at the same time. The message goes to the next receiver.
#[test]
fn a_message_is_passed_on_to_a_receiver_that_gives_up() {
    check(|| {
        let channel = Rendezvous::new();
        let mut first = Box::pin(channel.recv_event().sync_async());
        assert!(poll(first.as_mut()).is_pending());
        assert!(poll(pin!(channel.send_async(7))).is_ready());
        let mut second = Box::pin(channel.recv_event().sync_async());
        assert!(poll(second.as_mut()).is_pending());
        let other = thread::spawn(move || drop(second));
        drop(first);
        other.join().unwrap();
        assert_eq!(poll(pin!(channel.recv_async())), Poll::Ready(7));
    });
}

/// A chooser stores a newer waker while a sender serves the choice. The sender calls either the old or the new waker. No thread reads a
/// waker while another thread replaces it.
#[test]
fn a_waker_is_renewed_while_it_is_called() {
    check(|| {
        let channel = Rendezvous::new();
        let data = Data::new();
        let mut first = Box::pin(channel.recv_event().sync_async());
        assert!(poll(first.as_mut()).is_pending());
        let sender = thread::spawn({
            let (channel, data) = (channel.clone(), Arc::clone(&data));
            move || {
                data.add();
                assert!(poll(pin!(channel.send_async(7))).is_ready());
            }
        });
        // This thread renews the waker while the server may take it.
        assert_eq!(wait(first), 7);
        assert_eq!(data.get(), 1);
        sender.join().unwrap();
    });
}

/// A choice requests either two permits or one permit. The choice ends when the semaphore has one permit, no matter when that
/// permit comes.
#[test]
fn a_choice_does_not_stand_in_its_own_way() {
    check(|| {
        let seats = Arc::new(Semaphore::new(0));
        let other = thread::spawn({
            let seats = Arc::clone(&seats);
            move || seats.release(1)
        });
        let permits = wait(seats.acquire_event(2).or(seats.acquire_event(1)));
        assert_eq!(permits.count(), 1);
        permits.keep();
        other.join().unwrap();
        assert_eq!(seats.available(), 0);
    });
}

/// One branch of a choice has a nack. The nack is given if and only if the choice takes the other branch.
#[test]
fn a_nack_is_given_once() {
    check(|| {
        let (left, right) = (Rendezvous::new(), Rendezvous::new());
        let told = Rendezvous::new();
        let server = thread::spawn({
            let (right, told) = (right.clone(), told.clone());
            move || {
                let nack: super::Nack = wait(told.recv_event());
                // The future is dropped, whether or not the other thread has met the choice by then.
                if poll(pin!(right.send_async(()))).is_ready() {
                    wait(nack.event());
                }
                nack
            }
        });
        let event = with_nack(|nack| {
            wait(told.send_event(nack));
            left.recv_event().wrap(|()| "left")
        });
        let mut event = Box::pin(event.or(right.recv_event().wrap(|()| "right")).sync_async());
        let first = poll(event.as_mut());
        // This send meets the choice, unless the choice has been decided.
        let _ = poll(pin!(left.send_async(())));
        let got = match first {
            Poll::Ready(got) => got,
            Poll::Pending => match poll(event.as_mut()) {
                Poll::Ready(got) => got,
                Poll::Pending => unreachable!("one of them has met it"),
            },
        };
        // The drop of the event gives the nack, if the first poll has not given it.
        drop(event);
        let nack = server.join().unwrap();
        assert_eq!(nack.is_given(), got == "right");
    });
}
