//! Checks the meaning of each event, alone and in choices.

use super::poll;
use heist::sync::event::{Event, after, always, at, choose, from_future, guard, never, with_nack};
use heist::sync::{RecvError, Rendezvous, Semaphore, SendError, channel, future, promise};
use heist::{Fibers, Pool, block_on};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_choice_among_ready_events_is_fair() {
    let mut counts = [0; 5];
    for _ in 0..5000 {
        let chosen = heist::choose!(
            always(0),
            never(),
            always(1).or(always(2)),
            choose([always(3), always(4)]).boxed(),
        );
        counts[chosen.sync()] += 1;
    }
    // Each branch is chosen about 1000 times, with a standard deviation of 28.
    assert!(
        counts.iter().all(|count| (800..1200).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn a_busy_branch_does_not_starve_the_other() {
    let (send_left, left) = channel(1);
    let (send_right, right) = channel(1);
    let mut from_left = 0;
    for _ in 0..2000 {
        let _ = send_left.try_send(true);
        let _ = send_right.try_send(false);
        from_left += usize::from(left.recv_event().or(right.recv_event()).sync().unwrap());
    }
    assert!((800..1200).contains(&from_left), "{from_left}");
}

#[test]
fn a_choice_among_none_is_never() {
    let none = choose(Vec::<heist::sync::event::Always<u32>>::new());
    assert_eq!(none.or(never()).or(always(1)).sync(), 1);
    let mut none = pin!(choose([never::<()>(), never()]).sync_async());
    assert!(poll(none.as_mut()).is_pending());
}

#[test]
fn times_end_on_time() {
    let since = Instant::now();
    after(SOON).sync();
    assert!(since.elapsed() >= SOON);
    let at_once = at(since).wrap(|()| 1).or(never());
    assert_eq!(at_once.sync(), 1);
    let first = after(LONG)
        .wrap(|()| "late")
        .or(after(SOON).wrap(|()| "soon"));
    assert_eq!(block_on(first.sync_async()), "soon");
    // The clock cannot represent a time so far away.
    assert_eq!(
        after(Duration::MAX)
            .wrap(|()| 1)
            .or(after(SOON).wrap(|()| 2))
            .sync(),
        2
    );
}

#[test]
fn a_time_begins_with_the_synchronisation() {
    let event = after(SOON);
    std::thread::sleep(2 * SOON);
    let since = Instant::now();
    event.sync();
    assert!(since.elapsed() >= SOON);
}

#[test]
fn closed_channels_are_events_too() {
    let (send, recv) = channel::<u32>(1);
    drop(send);
    assert_eq!(recv.recv_event().sync(), Err(RecvError));
    let (send, recv) = channel(1);
    drop(recv);
    assert_eq!(send.send_event(7).sync(), Err(SendError(7)));
}

#[test]
fn the_end_of_a_channel_ends_waits() {
    let (send, recv) = channel::<u32>(1);
    let (_keep, other) = channel::<u32>(1);
    let mut wait = pin!(recv.recv_event().or(other.recv_event()).sync_async());
    assert!(poll(wait.as_mut()).is_pending());
    drop(send);
    assert_eq!(poll(wait), Poll::Ready(Err(RecvError)));
}

#[test]
fn a_choice_does_not_meet_itself() {
    let channel = Rendezvous::new();
    let swap = |n: u32| {
        channel
            .send_event(n)
            .wrap(|()| None)
            .or(channel.recv_event().wrap(Some))
    };
    let mut first = pin!(swap(1).sync_async());
    assert!(poll(first.as_mut()).is_pending());
    assert!(poll(first.as_mut()).is_pending());
    let second = pin!(swap(2).sync_async());
    // One of the two choices sends, and the other one receives.
    match (poll(second), poll(first)) {
        (Poll::Ready(None), Poll::Ready(Some(2))) | (Poll::Ready(Some(1)), Poll::Ready(None)) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn guards_run_once_and_when_synchronised() {
    let runs = Cell::new(0);
    let event = guard(|| {
        runs.set(runs.get() + 1);
        guard(never::<u32>)
    });
    let event = event.or(always(1));
    assert_eq!(runs.get(), 0);
    assert_eq!(event.sync(), 1);
    assert_eq!(runs.get(), 1);
}

#[test]
fn nacks_are_given_unless_chosen() {
    let nacks = std::cell::RefCell::new(Vec::new());
    let keep = |chosen: bool| {
        let nacks = &nacks;
        with_nack(move |nack| {
            nacks.borrow_mut().push((nack, !chosen));
            if chosen {
                always(1).boxed()
            } else {
                never().boxed()
            }
        })
    };
    assert_eq!(choose([keep(false), keep(true), keep(false)]).sync(), 1);
    for (nack, given) in nacks.borrow().iter() {
        assert_eq!(nack.is_given(), *given);
        let event = nack
            .event()
            .wrap(|()| true)
            .or(after(if *given { LONG } else { SOON }).wrap(|()| false));
        assert_eq!(event.sync(), *given);
    }
}

/// The inner nack is given, and the outer nack is not, if another branch of the outer event is chosen.
#[test]
fn nacks_nest() {
    let nacks = std::cell::RefCell::new(Vec::new());
    let outer = with_nack(|outer| {
        nacks.borrow_mut().push(outer);
        with_nack(|inner| {
            nacks.borrow_mut().push(inner);
            never()
        })
        .or(always(1))
    });
    assert_eq!(outer.sync(), 1);
    assert_eq!(
        nacks
            .borrow()
            .iter()
            .map(|n| n.is_given())
            .collect::<Vec<_>>(),
        [false, true]
    );
}

/// Checks a panic before a branch is chosen (in a guard), and a panic after that (in a function of `wrap`).
#[test]
fn panics_of_guards_and_functions_lose_nothing() {
    let (send, recv) = channel(2);
    send.send(1).unwrap();
    send.send(2).unwrap();
    let nack = std::cell::RefCell::new(None);
    let bad = recv.recv_event().or(with_nack(|given| {
        *nack.borrow_mut() = Some(given);
        panic!("in a guard");
        #[allow(unreachable_code)]
        never()
    }));
    catch_unwind(AssertUnwindSafe(|| bad.sync())).unwrap_err();
    assert!(nack.take().unwrap().is_given());
    let bad = recv
        .recv_event()
        .wrap(|got| -> u32 { panic!("got {}", got.unwrap()) });
    let with = with_nack(|given| {
        *nack.borrow_mut() = Some(given);
        never()
    });
    let payload = catch_unwind(AssertUnwindSafe(|| bad.or(with).sync())).unwrap_err();
    assert_eq!(*payload.downcast::<String>().unwrap(), "got 1");
    assert!(nack.take().unwrap().is_given());
    assert_eq!(recv.recv(), Ok(2));
    // If the function of an event panics, the event's partner has still met it.
    let there = Rendezvous::new();
    let mut meets = pin!(there.send_async(1));
    assert!(poll(meets.as_mut()).is_pending());
    let bad = there.recv_event().wrap(|_| panic!("after"));
    catch_unwind(AssertUnwindSafe(|| bad.sync())).unwrap_err();
    assert_eq!(poll(meets), Poll::Ready(()));
}

#[test]
fn values_and_panics_of_tasks_are_events() {
    let (promise, value) = promise::<u32>();
    let late = value.get_event().wrap(Some).or(after(SOON).wrap(|()| None));
    assert_eq!(late.sync(), None);
    let mut wait = pin!(value.get_event().or(never()).sync_async());
    assert!(poll(wait.as_mut()).is_pending());
    promise.set(7);
    assert_eq!(poll(wait), Poll::Ready(&7));
    assert_eq!(value.clone().into_event().sync(), 7);
    let bad = future(|| -> u32 { std::panic::resume_unwind(Box::new("bad")) });
    let got = catch_unwind(AssertUnwindSafe(|| *bad.get_event().sync()));
    assert_eq!(*got.unwrap_err().downcast::<String>().unwrap(), "bad");
}

#[test]
fn foreign_futures_are_events() {
    let (send, recv) = tokio::sync::oneshot::channel();
    let quit = Rendezvous::<()>::new();
    let other = quit.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(SOON);
        send.send(7).unwrap();
    });
    let got = from_future(recv)
        .wrap(Result::ok)
        .or(quit.recv_event().wrap(|()| None));
    assert_eq!(got.sync(), Some(7));
    thread.join().unwrap();
    // The second branch is chosen while the future waits.
    let thread = std::thread::spawn(move || other.send(()));
    let got = from_future(std::future::pending()).or(quit.recv_event().wrap(|()| 1));
    assert_eq!(got.sync(), 1);
    thread.join().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let event = after(SOON).wrap(|()| 3).or(never());
    assert_eq!(runtime.block_on(async { event.await }), 3);
}

/// The choice of a semaphore's oldest waiter has been decided for another branch. The semaphore then serves the next waiter.
#[test]
fn permits_pass_choices_that_are_over() {
    let (many, other) = (Semaphore::new(1), Semaphore::new(0));
    let mut both = pin!(
        many.acquire_event(2)
            .or(other.acquire_event(1))
            .sync_async()
    );
    assert!(poll(both.as_mut()).is_pending());
    let mut one = pin!(many.acquire_async(1));
    assert!(poll(one.as_mut()).is_pending());
    other.release(1);
    // `both` has not been polled since it was decided, so its waiter is still in the queue.
    many.release(1);
    drop(poll(both));
    assert!(poll(one).is_ready());
}

/// A choice has been decided and has not been polled since then. The choice's waiter, which is the only waiter in the queue, takes no
/// permits.
#[test]
fn free_permits_pass_choices_that_are_over() {
    let (many, other) = (Semaphore::new(1), Semaphore::new(0));
    let mut both = pin!(
        many.acquire_event(2)
            .or(other.acquire_event(1))
            .sync_async()
    );
    assert!(poll(both.as_mut()).is_pending());
    assert!(many.try_acquire(1).is_none());
    other.release(1);
    let permit = many.try_acquire(1).expect("no wait goes on there");
    let mut one = pin!(many.acquire_async(1));
    assert!(poll(one.as_mut()).is_pending());
    drop(permit);
    assert!(poll(one).is_ready());
    assert!(matches!(poll(both), Poll::Ready(permits) if permits.count() == 1));
}

/// A choice between many and few permits gets the few permits if no more permits exist. A later wait does not overtake the choice.
#[test]
fn a_choice_does_not_stand_in_its_own_way() {
    let seats = Semaphore::new(0);
    let mut either = pin!(
        seats
            .acquire_event(3)
            .or(seats.acquire_event(1))
            .sync_async()
    );
    assert!(poll(either.as_mut()).is_pending());
    let mut other = pin!(seats.acquire_async(1));
    assert!(poll(other.as_mut()).is_pending());
    seats.release(1);
    assert!(poll(other.as_mut()).is_pending());
    let Poll::Ready(permits) = poll(either) else {
        panic!("one permit is enough");
    };
    assert_eq!(permits.count(), 1);
    drop(permits);
    assert!(poll(other).is_ready());
}

/// Branches that were not chosen, and all their values, are dropped before the function of the chosen branch runs.
#[test]
fn losers_are_dropped_before_functions_run() {
    let (there, seats) = (Rendezvous::new(), Semaphore::new(0));
    let (send, recv) = channel::<u32>(1);
    let mut wait = pin!(
        from_future(seats.acquire_async(1))
            .wrap(|_| unreachable!("the other one was chosen"))
            .or(choose(
                [0, 1]
                    .map(|_| send.clone())
                    .map(|send| never::<u32>().wrap(move |_| drop(send)))
            )
            .wrap(|()| unreachable!("it never happens")))
            .or(there
                .recv_event()
                .wrap(|()| (seats.try_acquire(1).is_some(), recv.try_recv())))
            .sync_async()
    );
    assert!(poll(wait.as_mut()).is_pending());
    there.send(());
    seats.release(1);
    drop(send);
    let Poll::Ready((permit, message)) = poll(wait) else {
        panic!("it has been chosen");
    };
    assert!(permit, "the other branch stands before it");
    assert_eq!(message, Err(heist::sync::TryRecvError::Closed));
}

/// A future whose drop panics.
struct Bomb;

impl Future for Bomb {
    type Output = Result<u32, RecvError>;

    fn poll(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> Poll<Result<u32, RecvError>> {
        Poll::Pending
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("planted");
    }
}

#[test]
fn a_loser_that_panics_loses_no_message() {
    let (send, recv) = channel(1);
    for message in 0..8 {
        send.send(message).unwrap();
        // The future is on the left side, on the right side, or in a list.
        let got = match message % 3 {
            0 => from_future(Bomb).or(recv.recv_event()).sync(),
            1 => recv.recv_event().or(from_future(Bomb)).sync(),
            _ => choose([from_future(Bomb).boxed(), recv.recv_event().boxed()]).sync(),
        };
        assert_eq!(got, Ok(message));
    }
}

/// The fiber is suspended if the function of an event waits. The function's wait suspends the fiber even if the event did not happen
/// immediately. If the wait blocked the thread instead, the second fiber would run during the first fiber's wait, and would wait for the
/// first fiber forever.
#[test]
fn functions_suspend_their_fiber() {
    // SAFETY: the fibers below keep no value that belongs to a thread across their waits.
    let pool = unsafe { Pool::builder().threads(1).fibers(Fibers::new()) }
        .spare_threads(0)
        .build()
        .unwrap();
    let [begin, go_on, there, back] = [(); 4].map(|()| Rendezvous::new());
    let first = pool.spawn_fiber({
        let (begin, there, back) = (begin.clone(), there.clone(), back.clone());
        move || {
            let event = begin.recv_event().or(never());
            event.wrap(|n: u32| back.send(n + there.recv())).sync();
        }
    });
    let second = pool.spawn_fiber({
        let go_on = go_on.clone();
        move || {
            begin.send(1);
            let event = go_on.recv_event().or(never());
            let answer = event.wrap(|n: u32| {
                there.send(n);
                back.recv()
            });
            answer.sync()
        }
    });
    std::thread::sleep(SOON);
    go_on.send(2);
    assert_eq!(*second.get(), 3);
    first.get();
}

/// Async tasks, fibers, closures and threads meet at the same channels.
#[test]
fn the_forms_meet_each_other() {
    // SAFETY: the fibers below keep no value that belongs to a thread across their waits.
    let pool = unsafe { Pool::builder().threads(2).fibers(Fibers::new()) }
        .build()
        .unwrap();
    let (ping, pong) = (Rendezvous::new(), Rendezvous::new());
    let serve = |ping: Rendezvous<u32>, pong: Rendezvous<u32>| {
        move || {
            for _ in 0..30 {
                let got = ping.recv_event().or(never()).sync();
                pong.send_event(got + 1).or(never()).sync();
            }
        }
    };
    let fiber = pool.spawn_fiber(serve(ping.clone(), pong.clone()));
    let closure = pool.spawn(serve(ping.clone(), pong.clone()));
    let thread = std::thread::spawn(serve(ping.clone(), pong.clone()));
    let task = pool.spawn_async({
        let (ping, pong) = (ping.clone(), pong.clone());
        async move {
            for _ in 0..30 {
                let got = ping.recv_event().or(never()).await;
                pong.send_async(got + 1).await;
            }
        }
    });
    let mut sum = 0;
    for i in 0..120 {
        ping.send(i);
        sum += pong.recv();
    }
    assert_eq!(sum, (0..120).map(|i| i + 1).sum());
    fiber.get();
    task.get();
    closure.join().unwrap();
    thread.join().unwrap();
}

#[test]
fn functions_that_return_events_are_sent() {
    fn get(channel: &Rendezvous<u32>) -> impl Event<Output = u32> + Send + 'static {
        let channel = channel.clone();
        guard(move || channel.recv_event().wrap(|n| n + 1))
    }
    let channel = Rendezvous::new();
    let other = channel.clone();
    let task = heist::spawn_async(async move { get(&other).sync_async().await });
    channel.send(1);
    assert_eq!(*task.get(), 2);
}

/// Results are dropped once. The messages of sends that were not chosen are dropped with their events.
#[test]
fn messages_are_dropped_once() {
    let message = Arc::new(());
    let (send, recv) = channel(1);
    let there = Rendezvous::new();
    let event = there.send_event(Arc::clone(&message)).wrap(|()| 1);
    event
        .or(send.send_event(Arc::clone(&message)).wrap(|_| 2))
        .sync();
    assert_eq!(Arc::strong_count(&message), 2);
    drop((send, recv));
    assert_eq!(Arc::strong_count(&message), 1);
}
