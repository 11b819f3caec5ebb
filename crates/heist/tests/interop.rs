//! Checks async tasks on Heist's workers. Other libraries call the wakers of these tasks, such as tokio's channels and timers.
#![cfg(not(any(miri, heist_model)))]

use heist::Pool;
use heist::sync::channel;
use std::time::{Duration, Instant};

/// Returns a runtime whose threads only drive timers. The runtime's threads run no task of the tests.
fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap()
}

#[test]
fn tokios_channels_wake_our_tasks() {
    let pool = Pool::new(2).unwrap();
    let (sender, mut receiver) = tokio::sync::mpsc::channel(2);
    let sum = pool.spawn_async(async move {
        let mut sum = 0;
        while let Some(value) = receiver.recv().await {
            sum += value;
        }
        sum
    });
    let senders: Vec<_> = (0..10_u64)
        .map(|i| {
            let sender = sender.clone();
            pool.spawn_async(async move {
                for j in 0..100 {
                    sender.send(i * 100 + j).await.unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    for sender in senders {
        sender.get();
    }
    assert_eq!(*sum.get(), (0..1000).sum::<u64>());
}

#[test]
fn tokios_timers_wake_our_tasks() {
    let tokio = tokio();
    let pool = Pool::new(2).unwrap();
    let began = Instant::now();
    let tasks: Vec<_> = (0..100)
        .map(|i| {
            let handle = tokio.handle().clone();
            pool.spawn_async(async move {
                let nap = {
                    let _entered = handle.enter();
                    tokio::time::sleep(Duration::from_millis(20 + i % 10))
                };
                nap.await;
                heist::join(|| i, || 1)
            })
        })
        .collect();
    let sum: u64 = tasks
        .iter()
        .map(|task| {
            let (a, b) = task.get();
            a + b
        })
        .sum();
    assert_eq!(sum, 4950 + 100);
    // All tasks must have slept at the same time.
    let took = began.elapsed();
    assert!(
        took >= Duration::from_millis(20) && took < Duration::from_secs(1),
        "{took:?}"
    );
}

#[test]
fn ours_wake_tokios_tasks() {
    let tokio = tokio();
    let pool = Pool::new(2).unwrap();
    let (sender, receiver) = channel(1);
    let theirs = tokio.spawn(async move {
        let mut sum = 0;
        while let Ok(value) = receiver.recv_async().await {
            sum += value;
        }
        sum
    });
    let ours = pool.spawn_async(async move {
        for i in 1..=1000_u64 {
            sender.send_async(i).await.unwrap();
        }
    });
    ours.get();
    assert_eq!(heist::block_on(theirs).unwrap(), 500_500);
}

#[test]
fn whichever_comes_first() {
    let tokio = tokio();
    let pool = Pool::new(1).unwrap();
    let gate = std::sync::Arc::new(heist::sync::Semaphore::new(0));
    let task = pool.spawn_async({
        let (gate, handle) = (gate.clone(), tokio.handle().clone());
        async move {
            let _late = {
                let _entered = handle.enter();
                Box::pin(tokio::time::timeout(
                    Duration::from_millis(10),
                    gate.acquire_async(1),
                ))
            }
            .await
            .is_err();
            // The wait that was dropped takes no permit.
            gate.release(1);
            gate.available()
        }
    });
    assert_eq!(*task.get(), 1);
}
