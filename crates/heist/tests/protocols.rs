//! Checks that pools compute the same results, steal, and come to rest under every steal protocol.

use heist::policy::{
    ChaseLev, Delivery, ForkPath, Polled, Protocol, ReturnBarrier, StealAmount, StopVictim, The,
    VictimChoice,
};
use heist::{Builder, Pool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const PROTOCOLS: [Protocol; 9] = [
    Protocol::ReturnBarrier(Delivery::Fence),
    Protocol::ReturnBarrier(Delivery::Signal),
    Protocol::ReturnBarrier(Delivery::Polling),
    Protocol::StopVictim,
    Protocol::Polled(Delivery::Polling),
    Protocol::Polled(Delivery::Signal),
    Protocol::Polled(Delivery::Fence),
    Protocol::ChaseLev,
    Protocol::The,
];

fn builder(protocol: Protocol, threads: usize) -> Builder {
    Pool::builder().threads(threads).protocol(protocol)
}

fn pool(protocol: Protocol, threads: usize) -> Pool {
    builder(protocol, threads).build().unwrap()
}

/// Runs a test on pools of each protocol.
fn each(threads: &[usize], test: impl Fn(Protocol, &Pool)) {
    for protocol in PROTOCOLS {
        for &threads in threads {
            test(protocol, &pool(protocol, threads));
        }
    }
}

fn fib<P: ForkPath>(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = P::join(|| fib::<P>(n - 1), || fib::<P>(n - 2));
    a + b
}

/// Runs a join that needs a thief. The left side waits until a thief has begun the right side. While it waits, the left side forks,
/// so that its worker answers requests.
fn stolen<P: ForkPath>(depth: u32) -> bool {
    let seen = AtomicBool::new(false);
    let wait = || {
        let since = Instant::now();
        while !seen.load(Ordering::Acquire) {
            P::join(|| fib::<P>(depth.into()), || ());
            if since.elapsed() > Duration::from_secs(20) {
                return false;
            }
        }
        true
    };
    P::join(wait, || seen.store(true, Ordering::Release)).0
}

fn on_every_path(pool: &Pool, n: u64) -> [u64; 6] {
    pool.install(|| {
        [
            fib::<ReturnBarrier>(n),
            fib::<StopVictim>(n),
            fib::<Polled>(n),
            fib::<ChaseLev>(n),
            fib::<The>(n),
            fib_by_hints(n),
        ]
    })
}

fn fib_by_hints(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join_hint(|| fib_by_hints(n - 1), || fib_by_hints(n - 2));
    a + b
}

#[test]
fn every_path_is_right_under_every_protocol() {
    let n = if cfg!(miri) { 8 } else { 18 };
    each(&[1, 2, 3, 8], |protocol, pool| {
        let all = on_every_path(pool, n);
        let expected = if cfg!(miri) { 21 } else { 2584 };
        assert_eq!(all, [expected; 6], "{protocol:?}");
    });
}

#[test]
fn work_is_stolen_from_a_victim_that_polls() {
    each(&[2, 3], |protocol, pool| {
        let all = pool.install(|| {
            [
                stolen::<ReturnBarrier>(3),
                stolen::<StopVictim>(3),
                stolen::<Polled>(3),
                stolen::<ChaseLev>(3),
                stolen::<The>(3),
            ]
        });
        assert_eq!(all, [true; 5], "{protocol:?}");
        assert!(pool.counters().steals >= 5);
    });
}

/// Checks a join whose left side never checks for requests. The right side is stolen under protocols whose thieves need no answer, and
/// under protocols whose thieves can force exposure.
#[test]
fn work_is_stolen_from_a_victim_that_never_polls() {
    for protocol in PROTOCOLS {
        let helpless = matches!(
            protocol,
            Protocol::StopVictim
                | Protocol::ReturnBarrier(Delivery::Polling)
                | Protocol::Polled(Delivery::Polling)
        );
        let signals = matches!(
            protocol,
            Protocol::ReturnBarrier(Delivery::Signal) | Protocol::Polled(Delivery::Signal)
        );
        if helpless || signals && cfg!(not(all(target_os = "linux", not(miri)))) {
            continue;
        }
        let pool = pool(protocol, 2);
        for _ in 0..20 {
            let seen = AtomicBool::new(false);
            let wait = || {
                let since = Instant::now();
                while !seen.load(Ordering::Acquire) && since.elapsed() < Duration::from_secs(20) {
                    std::hint::spin_loop();
                }
            };
            // The first fork meets a steal request, and is exposed immediately. The second fork is not exposed.
            pool.join(
                || heist::join(wait, || seen.store(true, Ordering::Release)),
                || (),
            );
            assert!(seen.load(Ordering::Acquire), "{protocol:?}");
        }
        let counters = pool.counters();
        assert!(counters.steals >= 20, "{protocol:?}");
        assert_eq!(counters.signals > 0, signals, "{protocol:?}");
    }
}

#[test]
fn tasks_of_scopes_run_under_every_protocol() {
    let tasks = if cfg!(miri) { 50 } else { 2000 };
    each(&[1, 2, 3], |protocol, pool| {
        for amount in [StealAmount::One, StealAmount::Half] {
            let other = builder(protocol, pool.threads())
                .steal_amount(amount)
                .build()
                .unwrap();
            let sum = AtomicU64::new(0);
            other.finish(|f| {
                for i in 0..tasks {
                    let sum = &sum;
                    f.spawn(move |f| {
                        sum.fetch_add(i, Ordering::Relaxed);
                        if i % 8 == 0 {
                            f.spawn(move |_| {
                                sum.fetch_add(heist::join(|| 1, || 2).1, Ordering::Relaxed);
                            });
                        }
                    });
                }
            });
            let expected = tasks * (tasks - 1) / 2 + 2 * tasks.div_ceil(8);
            assert_eq!(sum.into_inner(), expected, "{protocol:?} {amount:?}");
        }
    });
}

/// The tasks of a scope wait for each other, so each of them must get a worker of its own.
#[test]
fn tasks_are_shared_under_every_protocol() {
    each(&[2, 4], |protocol, pool| {
        let threads = pool.threads() as u64;
        let arrived = AtomicU64::new(0);
        let late = AtomicBool::new(false);
        pool.finish(|f| {
            for _ in 0..threads {
                f.spawn(|_| {
                    arrived.fetch_add(1, Ordering::AcqRel);
                    let since = Instant::now();
                    while arrived.load(Ordering::Acquire) < threads {
                        // This fork answers requests, for the protocols that need it.
                        heist::join(|| fib::<ReturnBarrier>(3), || ());
                        late.fetch_or(since.elapsed() > Duration::from_secs(20), Ordering::Relaxed);
                        if late.load(Ordering::Relaxed) {
                            return;
                        }
                    }
                });
            }
        });
        assert!(!late.into_inner(), "{protocol:?}");
    });
}

#[test]
fn a_lock_held_across_a_join_is_asked_for_by_nobody_else() {
    each(&[3], |protocol, pool| {
        let lock = std::sync::Mutex::new(0_u64);
        fn work(lock: &std::sync::Mutex<u64>, depth: u32) {
            if depth == 0 {
                return;
            }
            let mut held = lock.lock().unwrap();
            *held += heist::join(|| fib::<ReturnBarrier>(6), || fib::<ReturnBarrier>(6)).1;
            drop(held);
            heist::join(|| work(lock, depth - 1), || work(lock, depth - 1));
        }
        let depth = if cfg!(miri) { 3 } else { 8 };
        pool.install(|| work(&lock, depth));
        assert_eq!(
            lock.into_inner().unwrap(),
            8 * ((1 << depth) - 1),
            "{protocol:?}"
        );
    });
}

#[test]
fn a_waiter_takes_no_task_that_its_frame_has_not_forked() {
    each(&[2], |protocol, pool| {
        fn fork(depth: u32) {
            if depth > 0 {
                heist::join(|| fork(depth - 1), || fork(depth - 1));
            }
        }
        let (waits, strangers) = (AtomicBool::new(false), AtomicU32::new(0));
        let (waits, strangers) = (&waits, &strangers);
        for _ in 0..if cfg!(miri) { 1 } else { 50 } {
            let stolen = AtomicBool::new(false);
            pool.finish(|scope| {
                let waiter = thread::current().id();
                heist::join(
                    || {
                        while !stolen.load(Ordering::Relaxed) {
                            fork(1);
                        }
                        waits.store(true, Ordering::Relaxed);
                    },
                    || {
                        stolen.store(true, Ordering::Relaxed);
                        for _ in 0..20 {
                            scope.spawn(move |_| {
                                if thread::current().id() == waiter && waits.load(Ordering::Relaxed)
                                {
                                    strangers.fetch_add(1, Ordering::Relaxed);
                                }
                            });
                            fork(3);
                        }
                    },
                );
                waits.store(false, Ordering::Relaxed);
            });
        }
        assert_eq!(strangers.load(Ordering::Relaxed), 0, "{protocol:?}");
    });
}

#[test]
fn panics_go_where_they_should() {
    each(&[2, 3], |protocol, pool| {
        for round in 0..20 {
            let left = catch_unwind(AssertUnwindSafe(|| {
                pool.join(
                    || {
                        stolen::<ChaseLev>(1);
                        panic!("left {round}")
                    },
                    || fib::<ReturnBarrier>(3),
                )
            }));
            let text = *left.unwrap_err().downcast::<String>().unwrap();
            assert_eq!(text, format!("left {round}"), "{protocol:?}");
            let right = catch_unwind(AssertUnwindSafe(|| {
                pool.join(|| fib::<The>(3), || panic!("right"))
            }));
            assert!(right.is_err());
            assert_eq!(pool.install(|| fib::<Polled>(5)), 5);
        }
    });
}

#[test]
fn pools_sleep_and_wake_and_end() {
    each(&[1, 2, 4], |protocol, pool| {
        for _ in 0..if cfg!(miri) { 1 } else { 5 } {
            std::thread::sleep(Duration::from_millis(1));
            assert_eq!(pool.install(|| fib::<StopVictim>(8)), 21, "{protocol:?}");
        }
        let mut quiet = pool.counters();
        let since = Instant::now();
        // No worker searches forever, so the counters stop changing.
        loop {
            std::thread::sleep(Duration::from_millis(5));
            let now = pool.counters();
            if now == quiet {
                break;
            }
            quiet = now;
            assert!(since.elapsed() < Duration::from_secs(20), "{protocol:?}");
        }
    });
}

#[test]
fn every_choice_of_victims_steals() {
    for victims in [
        VictimChoice::Random,
        VictimChoice::RoundRobin,
        VictimChoice::Hierarchical,
        VictimChoice::LastVictim,
    ] {
        for pin in [false, true] {
            let pool = Pool::builder()
                .threads(4)
                .pin(pin)
                .victims(victims)
                .build()
                .unwrap();
            assert!(pool.install(|| stolen::<ReturnBarrier>(2)), "{victims:?}");
            assert_eq!(pool.install(|| fib::<ReturnBarrier>(12)), 144);
        }
    }
}

#[test]
fn a_timed_pool_takes_the_time_of_thefts() {
    for protocol in [Protocol::default(), Protocol::StopVictim] {
        let pool = builder(protocol, 2).timed(true).build().unwrap();
        let since = Instant::now();
        // With return barriers, a thief may find public work before it has sent a request.
        while pool.steal_latency().count() == 0 {
            assert!(pool.install(|| stolen::<StopVictim>(4)));
            assert!(since.elapsed() < Duration::from_secs(20), "{protocol:?}");
        }
        let (latency, counters) = (pool.steal_latency(), pool.counters());
        assert!(counters.lost_ticks > 0, "{protocol:?}: {counters:?}");
        assert!(latency.count() <= counters.steals);
        let median = latency.quantile(0.5).unwrap();
        assert!(median > Duration::from_nanos(20) && median < Duration::from_secs(1));
    }
    let pool = pool(Protocol::StopVictim, 2);
    assert!(pool.install(|| stolen::<StopVictim>(4)));
    assert_eq!(pool.counters().lost_ticks, 0);
    assert_eq!(pool.steal_latency().count(), 0);
}

fn rest(rounds: u32) {
    (0..rounds).for_each(|_| std::hint::spin_loop());
}

fn tree(depth: u32) {
    if depth == 0 {
        rest(5);
    } else {
        StopVictim::join(|| tree(depth - 1), || tree(depth - 1));
    }
}

/// Waiters have tasks in their deques, and thieves run the work for which the waiters wait. So a waiter and a thief may each send a
/// request to the other at the same time.
#[test]
fn two_that_ask_each_other_do_not_both_stand_still() {
    let pool = pool(Protocol::StopVictim, 2);
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(if cfg!(miri) { 1 } else { 2 }) {
        pool.install(|| {
            heist::finish(|f| {
                for _ in 0..6 {
                    f.spawn(|_| rest(20));
                }
                StopVictim::join(|| rest(200), || tree(4));
                StopVictim::join(|| tree(2), || tree(3));
            });
        });
    }
}
