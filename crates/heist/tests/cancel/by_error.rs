//! Checks forks in a scope whose cancellation returns an error.

use crate::{Census, until};
use heist::policy::{Delivery, Protocol};
use heist::{CancelToken, Cancelled, Pool, cancellable, try_join};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// A value whose drop records whether the thread unwinds.
struct Unwound<'a>(&'a AtomicBool);

impl Drop for Unwound<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs a tree of forks that never ends unless it is cancelled.
fn endless(census: &Census, unwound: &AtomicBool, depth: u32) -> Result<(), Cancelled> {
    let _value = census.counted();
    let _unwound = Unwound(unwound);
    if depth == 0 {
        return Ok(());
    }
    loop {
        let (value, other) = (census.counted(), census.counted());
        try_join(
            || {
                let _value = value;
                endless(census, unwound, depth - 1)
            },
            || {
                let _other = other;
                endless(census, unwound, depth - 1)
            },
        )?;
        if depth < 12 {
            return Ok(());
        }
    }
}

#[test]
fn values_and_errors() {
    for workers in [1, 2] {
        let pool = Pool::new(workers).unwrap();
        pool.install(|| {
            assert_eq!(try_join(|| Ok(1), || Ok("b")), Ok((1, "b")));
            assert_eq!(
                try_join(|| Err::<(), _>(Cancelled), || Ok(2)),
                Err(Cancelled)
            );
            assert_eq!(
                try_join(|| Ok(1), || Err::<(), _>(Cancelled)),
                Err(Cancelled)
            );
        });
    }
    assert_eq!(try_join(|| Ok(1), || Ok(2)), Ok((1, 2)), "not a worker");
}

#[test]
fn a_left_side_that_fails_keeps_the_right_one_from_beginning() {
    let pool = Pool::new(1).unwrap();
    let census = Census::default();
    let begun = AtomicBool::new(false);
    let value = census.counted();
    let joined = pool.install(|| {
        try_join(
            || Err::<(), _>(Cancelled),
            || {
                begun.store(true, Ordering::Relaxed);
                drop(value);
                Ok(())
            },
        )
    });
    assert_eq!((joined, census.alive()), (Err(Cancelled), 0));
    assert!(!begun.into_inner());
}

#[test]
fn a_cancelled_tree_returns_and_does_not_unwind() {
    for workers in [1, 2, 4] {
        let pool = Pool::new(workers).unwrap();
        let (census, unwound) = (Census::default(), AtomicBool::new(false));
        for round in 0..100 {
            let token = CancelToken::new();
            thread::scope(|scope| {
                let ended = scope.spawn(|| {
                    pool.install(|| token.run(|| endless(&census, &unwound, 12 + round % 3)))
                });
                until("a tree", || census.alive() > 0);
                thread::yield_now();
                assert!(token.cancel_and_wait());
                assert_eq!(census.alive(), 0);
                assert_eq!(ended.join().unwrap(), Ok(Err(Cancelled)));
            });
        }
        assert!(!unwound.into_inner(), "{workers} workers");
    }
}

#[test]
fn a_fork_of_a_cancelled_scope_begins_no_side() {
    let pool = Pool::new(2).unwrap();
    let census = Census::default();
    let (a, b) = (census.counted(), census.counted());
    let begun = AtomicU64::new(0);
    let side = |value| {
        let begun = &begun;
        move || {
            drop(value);
            begun.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    };
    let (a, b) = (side(a), side(b));
    let scope = pool.cancellable(|token| {
        token.cancel();
        try_join(a, b)
    });
    assert_eq!(scope, Ok(Err(Cancelled)));
    assert_eq!((begun.into_inner(), census.alive()), (0, 0));
}

#[test]
fn a_right_side_that_is_taken_back_after_the_cancellation_does_not_begin() {
    let pool = Pool::new(1).unwrap();
    let begun = AtomicBool::new(false);
    let scope = pool.cancellable(|token| {
        try_join(
            || {
                token.cancel();
                Ok(1)
            },
            || {
                begun.store(true, Ordering::Relaxed);
                Ok(2)
            },
        )
    });
    assert_eq!(scope, Ok(Err(Cancelled)));
    assert!(!begun.into_inner());
}

#[test]
fn panics_are_those_of_a_join() {
    for workers in [1, 2] {
        let pool = Pool::new(workers).unwrap();
        let census = Census::default();
        let text = |work: &(dyn Fn() -> Result<((), ()), Cancelled> + Sync)| {
            let payload = catch_unwind(AssertUnwindSafe(|| pool.install(work))).unwrap_err();
            *payload.downcast_ref::<&str>().unwrap()
        };
        let fall = |text: &'static str| -> Result<(), Cancelled> { resume_unwind(Box::new(text)) };
        let counted = || {
            let value = census.counted();
            move || {
                drop(value);
                Ok(())
            }
        };
        assert_eq!(text(&|| try_join(|| fall("left"), counted())), "left");
        assert_eq!(text(&|| try_join(counted(), || fall("right"))), "right");
        assert_eq!(
            text(&|| try_join(|| fall("left"), || fall("right"))),
            "left"
        );
        // The scope panics and is cancelled at the same time.
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            pool.cancellable(|token| {
                try_join(
                    || {
                        token.cancel();
                        fall("left")
                    },
                    counted(),
                )
            })
        }));
        assert_eq!(*panicked.unwrap_err().downcast::<&str>().unwrap(), "left");
        assert_eq!(census.alive(), 0);
    }
}

#[test]
fn a_join_inside_still_unwinds_to_the_scope() {
    let pool = Pool::new(2).unwrap();
    let census = Census::default();
    for _ in 0..200 {
        let scope = pool.cancellable(|token| {
            try_join(
                || {
                    let _value = census.counted();
                    loop {
                        heist::join(|| (), || ());
                    }
                },
                || {
                    token.cancel();
                    Ok(())
                },
            )
            .map(|((), ())| ())
        });
        // On one worker the right side never begins. On several workers another worker takes it.
        assert_eq!((scope, census.alive()), (Err(Cancelled), 0));
    }
}

#[test]
fn a_destructor_forks_to_its_end_while_cancelled_code_unwinds() {
    struct Forks<'a>(&'a AtomicU64);
    impl Drop for Forks<'_> {
        fn drop(&mut self) {
            let count = || {
                self.0.fetch_add(1, Ordering::Relaxed);
                Ok(())
            };
            if try_join(count, count).is_ok() {
                self.0.fetch_add(10, Ordering::Relaxed);
            }
        }
    }
    let pool = Pool::new(2).unwrap();
    for _ in 0..100 {
        let counted = AtomicU64::new(0);
        let scope = pool.cancellable(|token| {
            let _forks = Forks(&counted);
            token.cancel();
            heist::check_cancelled();
        });
        assert_eq!((scope, counted.into_inner()), (Err(Cancelled), 12));
    }
}

#[test]
fn pools_of_each_protocol() {
    let protocols = [
        Protocol::ReturnBarrier(Delivery::Fence),
        #[cfg(feature = "policies")]
        Protocol::StopVictim,
        #[cfg(feature = "policies")]
        Protocol::Polled(Delivery::Polling),
        #[cfg(feature = "policies")]
        Protocol::The,
        #[cfg(feature = "policies")]
        Protocol::ChaseLev,
    ];
    for protocol in protocols {
        let builder = Pool::builder().threads(2).protocol(protocol);
        let pool = builder.build().unwrap();
        let (census, unwound) = (Census::default(), AtomicBool::new(false));
        for _ in 0..50 {
            let token = CancelToken::new();
            thread::scope(|scope| {
                let ended =
                    scope.spawn(|| pool.install(|| token.run(|| endless(&census, &unwound, 12))));
                until("a tree", || census.alive() > 0);
                token.cancel_and_wait();
                assert_eq!(ended.join().unwrap(), Ok(Err(Cancelled)));
            });
        }
        assert_eq!(census.alive(), 0);
        assert!(!unwound.into_inner(), "{protocol:?}");
    }
}

#[test]
fn a_scope_opened_in_a_cancelled_one_does_not_begin() {
    let scope = cancellable(|token| {
        token.cancel();
        let inner = catch_unwind(AssertUnwindSafe(|| {
            cancellable(|_| unreachable!("it has begun"))
        }));
        // The call unwinds, because the scope around it was cancelled.
        let payload = inner.map(|_: Result<(), _>| ()).unwrap_err();
        resume_unwind(payload)
    });
    assert_eq!(scope, Err::<(), _>(Cancelled));
}
