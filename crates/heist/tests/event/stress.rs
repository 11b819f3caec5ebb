//! Checks many choosers at the same time, with more workers than processors. No message is lost or received twice.

use super::Random;
use heist::sync::event::{BoxEvent, Event, after, choose, from_future, never, with_nack};
use heist::sync::{Rendezvous, Semaphore, channel};
use heist::{Fibers, Pool};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The number of steps of each task.
const STEPS: u64 = if cfg!(debug_assertions) { 1000 } else { 20_000 };
const WORKERS: usize = 8;

fn pool() -> Pool {
    // SAFETY: the fibers of these tests keep no value that belongs to a thread across their waits.
    let builder = unsafe { Pool::builder().threads(WORKERS).fibers(Fibers::new()) };
    builder.build().unwrap()
}

/// Every task offers to send and to receive at every channel, until all tasks have met a partner `STEPS` times. In this symmetric
/// case, each chooser finds other choosers while those choosers decide.
#[test]
fn symmetric_choosers() {
    let pool = pool();
    let channels: Arc<Vec<Rendezvous<u64>>> = Arc::new((0..3).map(|_| Rendezvous::new()).collect());
    let (sent, received) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let left = Arc::new(AtomicUsize::new(6 * STEPS as usize));
    let end = Arc::new(Semaphore::new(0));
    let work = |task: u64| {
        let (channels, sent, received) = (
            Arc::clone(&channels),
            Arc::clone(&sent),
            Arc::clone(&received),
        );
        let (left, end) = (Arc::clone(&left), Arc::clone(&end));
        move || {
            let mut random = Random(task + 1);
            loop {
                let message = random.next() >> 32;
                let mut events: Vec<BoxEvent<'_, Option<i64>>> = vec![
                    end.acquire_event(1)
                        .wrap(|end| {
                            end.keep();
                            None
                        })
                        .boxed(),
                ];
                let first = random.below(3);
                for channel in (0..3).map(|i| &channels[(first + i) % 3]) {
                    events.push(channel.send_event(message).wrap(|()| Some(-1)).boxed());
                    events.push(channel.recv_event().wrap(|got| Some(got as i64)).boxed());
                }
                match choose(events).sync() {
                    None => return,
                    Some(-1) => drop(sent.fetch_add(message, Ordering::Relaxed)),
                    Some(got) => drop(received.fetch_add(got as u64, Ordering::Relaxed)),
                }
                if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                    end.release(6);
                    // From this point on, messages of the other tasks are not counted, but none of them may be lost.
                    left.store(usize::MAX, Ordering::Relaxed);
                }
            }
        }
    };
    let closures: Vec<_> = (0..2).map(|task| pool.spawn(work(task))).collect();
    let fibers: Vec<_> = (2..4).map(|task| pool.spawn_fiber(work(task))).collect();
    let threads: Vec<_> = (4..6).map(|task| std::thread::spawn(work(task))).collect();
    closures.into_iter().for_each(|task| task.join().unwrap());
    fibers.iter().for_each(|task| *task.get());
    threads.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(
        sent.load(Ordering::Relaxed),
        received.load(Ordering::Relaxed)
    );
}

/// Producers and consumers make choices of all kinds, and give up many of these choices. Each message whose send has ended is
/// received once.
#[test]
fn messages_are_conserved() {
    let pool = pool();
    let meeting = Rendezvous::<u64>::new();
    let (send, recv) = channel::<u64>(3);
    let sent = Arc::new(Mutex::new(HashSet::new()));
    let received = Arc::new(Mutex::new(Vec::new()));
    let end = Arc::new(Semaphore::new(0));
    let producers: Vec<_> = (0..4_u64)
        .map(|producer| {
            let (meeting, send, sent) = (meeting.clone(), send.clone(), Arc::clone(&sent));
            pool.spawn_async(async move {
                let mut random = Random(producer + 100);
                for message in (0..STEPS).map(|i| (producer << 32) | i) {
                    let both = meeting
                        .send_event(message)
                        .wrap(|()| true)
                        .or((send.send_event(message)).wrap(|sent| sent.is_ok()));
                    let done = match random.below(4) {
                        0 => heist::timeout(Duration::from_micros(random.next() % 20), both)
                            .await
                            .ok(),
                        1 => Some(
                            both.or(after(Duration::from_micros(30)).wrap(|()| false))
                                .await,
                        ),
                        2 => Some(
                            both.or(from_future(heist::sleep(Duration::from_micros(20)))
                                .wrap(|()| false))
                                .await,
                        ),
                        _ => Some(both.await),
                    };
                    match done {
                        Some(true) => assert!(sent.lock().unwrap().insert(message)),
                        Some(false) => {}
                        // The send was given up, perhaps a moment after it had been decided.
                        None => drop(sent.lock().unwrap().insert(message | 1 << 63)),
                    }
                }
            })
        })
        .collect();
    let consumers: Vec<_> = (0..4_u64)
        .map(|consumer| {
            let (meeting, recv, received) = (meeting.clone(), recv.clone(), Arc::clone(&received));
            let end = Arc::clone(&end);
            pool.spawn_async(async move {
                let mut random = Random(consumer + 200);
                loop {
                    let one = meeting
                        .recv_event()
                        .wrap(Some)
                        .or(recv.recv_event().wrap(Result::ok));
                    let one = one.or(end.acquire_event(1).wrap(|permit| {
                        permit.keep();
                        None
                    }));
                    let got = match random.below(4) {
                        // The wait is given up. If it has received a message, the message is passed on.
                        0 => heist::timeout(Duration::from_micros(random.next() % 20), one)
                            .await
                            .unwrap_or(Some(u64::MAX)),
                        1 => {
                            one.or(after(Duration::from_micros(30)).wrap(|()| Some(u64::MAX)))
                                .await
                        }
                        2 => one.or(with_nack(|_| never())).await,
                        _ => one.await,
                    };
                    match got {
                        Some(u64::MAX) => {}
                        Some(message) => received.lock().unwrap().push(message),
                        None => return,
                    }
                }
            })
        })
        .collect();
    producers.iter().for_each(|task| *task.get());
    // Receives the messages that are still in the channels.
    let rest = || {
        let last = meeting
            .recv_event()
            .wrap(Some)
            .or(recv.recv_event().wrap(Result::ok));
        last.or(after(Duration::from_millis(20)).wrap(|()| None))
            .sync()
    };
    let mut all: Vec<_> = std::iter::from_fn(rest).collect();
    end.release(4);
    consumers.iter().for_each(|task| *task.get());
    all.extend(std::iter::from_fn(rest));
    all.append(&mut received.lock().unwrap());
    let sent = sent.lock().unwrap();
    let distinct: HashSet<_> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len(), "a message came out twice");
    for message in &distinct {
        assert!(
            sent.contains(message) || sent.contains(&(message | 1 << 63)),
            "{message:#x} was not sent"
        );
    }
    let lost: Vec<_> = sent
        .iter()
        .filter(|&message| message >> 63 == 0 && !distinct.contains(message))
        .collect();
    assert!(lost.is_empty(), "{} lost", lost.len());
}
