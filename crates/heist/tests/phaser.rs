//! Tests of phasers and clocks, in every mode and in rare cases.

use heist::sync::{Clock, Mode, Phaser, Registration};
use heist::{Pool, block_on};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

/// The numbers of workers of the pools.
const WORKERS: &[usize] = if cfg!(miri) { &[2] } else { &[1, 2, 3, 8] };
/// Divisor of the amount of work, for builds in which each step takes long.
const LESS: usize = if cfg!(miri) { 10 } else { 1 };

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn refused(work: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().unwrap()).to_owned(),
    }
}

fn two(phaser: &Phaser, mode: Mode) -> [Registration; 2] {
    [phaser.register(mode), phaser.register(mode)]
}

/// Begins the party's next step, and drops the step's future. Returns true if the step would wait.
fn waits(party: &mut Registration) -> bool {
    poll(pin!(party.next_async())).is_pending()
}

#[test]
fn one_party_never_waits() {
    for mode in [Mode::Signal, Mode::SignalWait, Mode::Single] {
        let phaser = Phaser::new();
        let mut party = phaser.register(mode);
        for phase in 1..=5 {
            assert_eq!(party.next(), phase);
            assert_eq!(phaser.phase(), phase);
        }
    }
}

#[test]
fn signal_wait_parties_go_in_step() {
    let phaser = Phaser::new();
    let [mut a, mut b] = two(&phaser, Mode::SignalWait);
    let mut step = Box::pin(a.next_async());
    assert!(poll(step.as_mut()).is_pending());
    assert_eq!(b.next(), 1);
    assert_eq!(poll(step.as_mut()), Poll::Ready(1));
    drop(step);
    assert!(waits(&mut b));
    assert_eq!(a.next(), 2);
    // The dropped wait had signalled, so its phase has ended by now.
    assert_eq!(b.next(), 2);
}

#[test]
fn a_producer_runs_ahead_of_consumers() {
    let phaser = Phaser::new();
    let mut consumer = phaser.register(Mode::Wait);
    let mut early = Box::pin(consumer.next_async());
    assert!(poll(early.as_mut()).is_pending(), "no signaller yet");
    let mut producer = phaser.register(Mode::Signal);
    for phase in 1..=3 {
        assert_eq!(producer.next(), phase);
    }
    assert_eq!(phaser.phase(), 3);
    assert_eq!(poll(early.as_mut()), Poll::Ready(1));
    drop(early);
    assert_eq!(consumer.next(), 2);
    assert_eq!(consumer.wait(), 3);
    assert!(waits(&mut consumer));
}

#[test]
fn the_slowest_of_several_producers_counts() {
    let phaser = Phaser::new();
    let mut consumer = phaser.register(Mode::Wait);
    let [mut fast, mut slow] = two(&phaser, Mode::Signal);
    for _ in 0..4 {
        fast.signal();
    }
    assert_eq!(phaser.phase(), 0);
    slow.signal();
    slow.signal();
    assert_eq!(phaser.phase(), 2);
    assert_eq!((consumer.next(), consumer.next()), (1, 2));
    assert!(waits(&mut consumer));
    // When the slow party leaves, the phases that the fast one has signalled end.
    drop(slow);
    assert_eq!(phaser.phase(), 4);
    // When the fast party leaves, the signals that it has given ahead are taken back.
    fast.signal();
    drop(fast);
    assert_eq!(consumer.next(), 3);
}

#[test]
fn a_producer_that_leaves_takes_its_signals_back() {
    let phaser = Phaser::new();
    let mut ahead = phaser.register(Mode::Signal);
    let mut other = phaser.register(Mode::SignalWait);
    ahead.signal();
    ahead.signal();
    drop(ahead);
    assert_eq!(phaser.phase(), 0, "the other has not signalled");
    assert_eq!(other.next(), 1);
    let mut third = phaser.register(Mode::SignalWait);
    assert!(waits(&mut other), "no signal of the one that left counts");
    assert_eq!(third.next(), 2);
}

#[test]
fn consumers_do_not_hold_anybody() {
    let phaser = Phaser::new();
    let mut party = phaser.register(Mode::SignalWait);
    let idle = phaser.register(Mode::Wait);
    assert_eq!((party.next(), party.next()), (1, 2));
    drop(idle);
    assert_eq!(party.next(), 3);
}

#[test]
fn split_phase() {
    let phaser = Phaser::new();
    let [mut a, mut b] = two(&phaser, Mode::SignalWait);
    a.signal();
    a.signal(); // without effect
    assert_eq!(phaser.phase(), 0);
    b.signal();
    assert_eq!(phaser.phase(), 1);
    a.signal(); // still without effect: it has not waited
    assert_eq!(a.wait(), 1);
    assert_eq!(b.next(), 1);
    assert!(waits(&mut a));
}

#[test]
fn misuse_is_refused() {
    let phaser = Phaser::new();
    let mut producer = phaser.register(Mode::Signal);
    let mut consumer = phaser.register(Mode::Wait);
    let mut both = phaser.register(Mode::SignalWait);
    assert!(refused(|| consumer.signal()).contains("cannot signal"));
    assert!(
        refused(|| {
            producer.wait();
        })
        .contains("cannot wait")
    );
    assert!(
        refused(|| {
            both.wait();
        })
        .contains("waits for itself")
    );
    assert!(
        refused(|| {
            both.next_single(|| ());
        })
        .contains("mode single")
    );
    let modes = [Mode::Signal, Mode::Wait, Mode::SignalWait, Mode::Single];
    let rights = [
        (Mode::Signal, [true, false, false, false]),
        (Mode::Wait, [false, true, false, false]),
        (Mode::SignalWait, [true, true, true, false]),
        (Mode::Single, [true, true, true, true]),
    ];
    for (mode, may) in rights {
        let party = phaser.register(mode);
        for (child, may) in modes.into_iter().zip(may) {
            assert_eq!(mode.may_register(child), may, "{mode} {child}");
            if may {
                drop(party.register(child));
            } else {
                let text = refused(|| drop(party.register(child)));
                assert!(text.contains("cannot register"), "{text}");
            }
        }
    }
}

#[test]
fn late_registration() {
    let phaser = Phaser::new();
    let mut a = phaser.register(Mode::SignalWait);
    assert_eq!(a.next(), 1);
    // A party that has not signalled registers a child. The current phase waits for the child.
    let mut child = a.register(Mode::SignalWait);
    assert!(waits(&mut a));
    assert_eq!(child.next(), 2);
    assert_eq!(a.next(), 2);
    // A party that has signalled registers a child. The child begins with the next phase.
    a.signal();
    let mut late = a.register(Mode::SignalWait);
    assert_eq!(phaser.phase(), 2);
    assert_eq!(child.next(), 3);
    assert_eq!(a.wait(), 3);
    a.signal();
    child.signal();
    assert_eq!(phaser.phase(), 3, "the late one takes part now");
    assert_eq!(late.next(), 4);
}

#[test]
fn dropping_while_others_wait() {
    let phaser = Phaser::new();
    let [mut a, b] = two(&phaser, Mode::SignalWait);
    let mut consumer = phaser.register(Mode::Wait);
    let mut step = Box::pin(a.next_async());
    let mut wait = Box::pin(consumer.next_async());
    assert!(poll(step.as_mut()).is_pending() && poll(wait.as_mut()).is_pending());
    drop(b);
    assert_eq!(poll(step.as_mut()), Poll::Ready(1));
    assert_eq!(poll(wait.as_mut()), Poll::Ready(1));
}

#[test]
fn dropping_while_waiting_itself() {
    let phaser = Phaser::new();
    let [mut a, mut b] = two(&phaser, Mode::SignalWait);
    {
        let mut step = Box::pin(a.next_async());
        assert!(poll(step.as_mut()).is_pending());
    }
    drop(a);
    assert_eq!(b.next(), 1);
    assert_eq!(b.next(), 2);
}

#[test]
fn the_last_signaller_leaves() {
    let phaser = Phaser::new();
    let mut consumer = phaser.register(Mode::Wait);
    let producer = phaser.register(Mode::Signal);
    let mut wait = Box::pin(consumer.next_async());
    assert!(poll(wait.as_mut()).is_pending());
    drop(producer);
    assert_eq!(poll(wait.as_mut()), Poll::Ready(1));
    drop(wait);
    // No party needs to wait any more, and these calls end no phase ...
    assert_eq!((consumer.next(), consumer.next()), (1, 1));
    // ... until the phaser has a signaller again.
    let mut again = phaser.register(Mode::Signal);
    let mut fresh = phaser.register(Mode::Wait);
    assert!(waits(&mut fresh));
    again.signal();
    fresh.next();
}

#[test]
fn a_panic_takes_its_party_out() {
    let pool = Pool::new(2).unwrap();
    let phaser = Phaser::new();
    let first = phaser.register(Mode::SignalWait);
    let rounds = AtomicU32::new(0);
    let result = catch_unwind(AssertUnwindSafe(|| {
        pool.finish(|f| {
            for i in 0..20 {
                let mut party = first.register(Mode::SignalWait);
                let rounds = &rounds;
                f.spawn(move |_| {
                    for round in 0..10 {
                        assert!(i != 7 || round != 3, "planted");
                        party.next();
                        rounds.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            drop(first);
        });
    }));
    assert!(result.is_err());
    assert_eq!(rounds.load(Ordering::Relaxed), 19 * 10 + 3);
    assert_eq!(phaser.signallers(), 0);
}

#[test]
fn a_single_statement_runs_once_between_phases() {
    const PARTIES: u64 = (40 / LESS) as u64;
    for &threads in WORKERS {
        let pool = Pool::new(threads).unwrap();
        let phaser = Phaser::new();
        let first = phaser.register(Mode::Single);
        let (before, runs) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let tasks: Vec<_> = (0..PARTIES)
            .map(|_| {
                let mut party = first.register(Mode::Single);
                let (before, runs) = (Arc::clone(&before), Arc::clone(&runs));
                pool.spawn_async(async move {
                    for phase in 1..=20 / LESS as u64 {
                        before.fetch_add(1, Ordering::Relaxed);
                        let (all, runs) = (&before, &runs);
                        party
                            .next_single_async(move || {
                                assert_eq!(all.load(Ordering::Relaxed), PARTIES * phase);
                                runs.fetch_add(1, Ordering::Relaxed);
                            })
                            .await;
                        assert_eq!(runs.load(Ordering::Relaxed), phase);
                    }
                })
            })
            .collect();
        drop(first);
        tasks.iter().for_each(|task| {
            task.get();
        });
    }
}

#[test]
fn a_waiting_party_runs_the_statement_when_another_ends_the_phase() {
    let phaser = Phaser::new();
    let mut single = phaser.register(Mode::Single);
    let mut consumer = phaser.register(Mode::Wait);
    let mut other = phaser.register(Mode::Signal);
    let ran = AtomicU32::new(0);
    let count = || {
        ran.fetch_add(1, Ordering::Relaxed);
    };
    for leaves in [false, true] {
        let mut step = Box::pin(single.next_single_async(count));
        assert!(poll(step.as_mut()).is_pending());
        let mut wait = Box::pin(consumer.next_async());
        assert!(poll(wait.as_mut()).is_pending());
        let before = ran.load(Ordering::Relaxed);
        if leaves {
            drop(std::mem::replace(
                &mut other,
                Phaser::new().register(Mode::Signal),
            ));
        } else {
            other.signal();
        }
        assert!(
            poll(wait.as_mut()).is_pending(),
            "the statement comes first"
        );
        assert!(poll(step.as_mut()).is_ready());
        assert_eq!(ran.load(Ordering::Relaxed), before + 1);
        assert!(poll(wait.as_mut()).is_ready());
    }
}

#[test]
fn a_chosen_party_may_leave() {
    let phaser = Phaser::new();
    let [mut a, mut b] = two(&phaser, Mode::Single);
    let mut other = phaser.register(Mode::Signal);
    let ran = AtomicU32::new(0);
    let mut first = Box::pin(a.next_single_async(|| panic!("it has left")));
    let mut second = Box::pin(b.next_single_async(|| {
        ran.fetch_add(1, Ordering::Relaxed);
    }));
    assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
    other.signal();
    drop(first); // it was chosen
    assert_eq!(phaser.phase(), 0);
    assert!(poll(second.as_mut()).is_ready());
    assert_eq!((ran.load(Ordering::Relaxed), phaser.phase()), (1, 1));
    drop(second);
    assert_eq!(a.next(), 1);

    // No party that could run the single statement is left, so the phase ends without it.
    let mut first = Box::pin(a.next_single_async(|| panic!("it has left")));
    assert!(poll(first.as_mut()).is_pending());
    drop(b);
    other.signal();
    drop(first);
    assert_eq!(phaser.phase(), 2);
}

#[test]
fn a_panic_in_a_single_statement_lets_the_others_go() {
    let phaser = Phaser::new();
    let [mut a, mut b] = two(&phaser, Mode::Single);
    let mut step = Box::pin(a.next_single_async(|| ()));
    assert!(poll(step.as_mut()).is_pending());
    let text = refused(|| {
        b.next_single(|| panic!("planted"));
    });
    assert_eq!(text, "planted");
    assert!(poll(step.as_mut()).is_ready());
}

#[test]
fn registering_while_a_single_statement_runs() {
    let phaser = Phaser::new();
    let mut a = phaser.register(Mode::Single);
    let mut late = None;
    a.next_single(|| late = Some(phaser.register(Mode::Single)));
    assert_eq!(phaser.phase(), 1);
    let mut late = late.unwrap();
    assert!(waits(&mut a));
    assert_eq!(late.next(), 2);
    assert_eq!(a.next(), 2);
}

#[test]
fn neighbours_synchronise_point_to_point() {
    const N: usize = 16;
    const ROUNDS: u64 = (30 / LESS) as u64;
    for &threads in WORKERS {
        let pool = Pool::new(threads).unwrap();
        let phasers: Vec<_> = (0..N).map(|_| Phaser::new()).collect();
        let done: Arc<Vec<_>> = Arc::new((0..N).map(|_| AtomicU64::new(0)).collect());
        let tasks: Vec<_> = {
            let parties: Vec<_> = (0..N)
                .map(|i| {
                    let own = phasers[i].register(Mode::Signal);
                    let near = [i.wrapping_sub(1), i + 1].into_iter().filter(|&j| j < N);
                    let near: Vec<_> = near.map(|j| (j, phasers[j].register(Mode::Wait))).collect();
                    (own, near)
                })
                .collect();
            parties
                .into_iter()
                .enumerate()
                .map(|(i, (mut own, mut near))| {
                    let done = Arc::clone(&done);
                    pool.spawn_async(async move {
                        for round in 1..=ROUNDS {
                            done[i].store(round, Ordering::Relaxed);
                            own.signal();
                            for (j, neighbour) in &mut near {
                                neighbour.next_async().await;
                                assert!(done[*j].load(Ordering::Relaxed) >= round);
                            }
                        }
                    })
                })
                .collect()
        };
        tasks.iter().for_each(|task| {
            task.get();
        });
    }
}

#[test]
fn accumulators_sum_each_phase() {
    for &threads in WORKERS {
        let pool = Pool::new(threads).unwrap();
        let phaser = Phaser::new();
        let sum = Arc::new(phaser.accumulator(|a: u64, b| a + b));
        let first = phaser.register(Mode::SignalWait);
        let tasks: Vec<_> = (1..=20)
            .map(|i| {
                let mut party = first.register(Mode::SignalWait);
                let sum = Arc::clone(&sum);
                pool.spawn_async(async move {
                    assert_eq!(sum.get(&party), None);
                    for phase in 1..=10 {
                        sum.put(&party, i * phase);
                        party.next_async().await;
                        assert_eq!(sum.get(&party), Some(210 * phase));
                    }
                })
            })
            .collect();
        drop(first);
        tasks.iter().for_each(|task| {
            task.get();
        });
    }
    let (phaser, other) = (Phaser::new(), Phaser::new());
    let sum = phaser.accumulator(|a: u64, b| a + b);
    assert!(refused(|| sum.put(&other.register(Mode::Signal), 1)).contains("own phaser"));
    assert!(refused(|| sum.put(&phaser.register(Mode::Wait), 1)).contains("does not signal"));
}

#[test]
fn clocks_advance_together() {
    let pool = Pool::new(2).unwrap();
    let (a, b) = (Clock::new(), Clock::new());
    let meetings = AtomicU32::new(0);
    pool.finish(|f| {
        for i in 0..10 {
            let (mut a, mut b) = (a.register(), b.register());
            let meetings = &meetings;
            f.spawn(move |_| {
                for round in 1..=5 {
                    meetings.fetch_add(1, Ordering::Relaxed);
                    // The parties advance the clocks in different orders.
                    if i % 2 == 0 {
                        Clock::advance_all([&mut a, &mut b]);
                    } else {
                        block_on(Clock::advance_all_async([&mut b, &mut a]));
                    }
                    assert!(meetings.load(Ordering::Relaxed) >= round * 10);
                }
                assert_eq!((a.phase(), b.phase()), (5, 5));
            });
        }
        drop((a, b));
    });
}

#[test]
fn a_child_of_the_next_phase_does_not_stand_in_the_way() {
    let phaser = Phaser::new();
    let [mut p, mut q] = two(&phaser, Mode::SignalWait);
    p.signal();
    let mut child = p.register(Mode::SignalWait);
    let mut later = Box::pin(child.next_async());
    assert!(poll(later.as_mut()).is_pending());
    let mut now = Box::pin(p.wait_async());
    assert!(poll(now.as_mut()).is_pending());
    q.signal();
    assert_eq!(phaser.phase(), 1);
    assert_eq!(poll(now.as_mut()), Poll::Ready(1));
    assert!(poll(later.as_mut()).is_pending());
    drop(now);
    p.signal();
    q.wait();
    q.signal();
    assert_eq!(poll(later.as_mut()), Poll::Ready(2));
}

#[test]
fn a_child_of_the_next_phase_does_not_run_this_ones_statement() {
    let phaser = Phaser::new();
    let mut p = phaser.register(Mode::Single);
    let mut q = phaser.register(Mode::SignalWait);
    p.signal();
    let mut child = p.register(Mode::Single);
    let ran = AtomicU32::new(0);
    let mut step = Box::pin(child.next_single_async(|| {
        ran.fetch_add(1, Ordering::Relaxed);
    }));
    assert!(poll(step.as_mut()).is_pending());
    q.signal();
    assert_eq!(phaser.phase(), 1);
    assert!(poll(step.as_mut()).is_pending());
    assert_eq!(ran.load(Ordering::Relaxed), 0);
    // In its own first phase, the child does run the single statement.
    p.wait();
    p.signal();
    q.wait();
    q.signal();
    assert!(poll(step.as_mut()).is_ready());
    assert_eq!((ran.load(Ordering::Relaxed), phaser.phase()), (1, 2));
}

#[test]
fn a_consumer_counts_phases_that_have_ended() {
    let phaser = Phaser::new();
    let mut consumer = phaser.register(Mode::Wait);
    drop(phaser.register(Mode::Signal));
    for _ in 0..5 {
        assert_eq!(consumer.next(), 1);
    }
    let mut producer = phaser.register(Mode::Signal);
    producer.next();
    assert_eq!(consumer.next(), 2);
}

/// Checks a phaser with 20 parties that are threads, and one party that is a closure on the only worker. The closure occupies the worker
/// until all threads have continued.
#[test]
fn a_busy_worker_lets_threads_go() {
    let pool = Pool::new(1).unwrap();
    let phaser = Phaser::new();
    let mut own = phaser.register(Mode::SignalWait);
    let threads: Vec<_> = (0..20)
        .map(|_| {
            let mut party = phaser.register(Mode::SignalWait);
            std::thread::spawn(move || party.next())
        })
        .collect();
    pool.install(|| {
        own.next();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}
