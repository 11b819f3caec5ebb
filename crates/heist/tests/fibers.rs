//! Fibers: closures that wait without occupying a thread.
#![cfg(all(unix, not(miri)))]

// The tests are in a module, so that the module's name can exclude all of them: ThreadSanitizer does not follow switches of stacks.
mod fibers {
    mod loops;
    mod pinned;
    mod scopes;

    use heist::sync::{Barrier, Mutex, Semaphore, channel, promise};
    use heist::{Fibers, Pool, block_on};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    const KINDS: [Fibers; 2] = [Fibers::new(), Fibers::new().pinned()];

    fn pool_of(kind: &Fibers, threads: usize) -> Pool {
        // SAFETY: except for pinned ones, the fibers of these tests keep no value that belongs to a thread across their waits. No
        // fiber, not even a pinned one, enters a scope of a thread across a wait.
        unsafe { Pool::builder().threads(threads).fibers(kind.clone()) }
            .build()
            .unwrap()
    }

    /// Returns pools with each kind of fibers.
    fn pools(threads: &[usize]) -> impl Iterator<Item = Pool> {
        let threads = threads.iter();
        threads.flat_map(|&threads| KINDS.map(|kind| pool_of(&kind, threads)))
    }

    #[test]
    fn ten_thousand_wait_on_two_threads() {
        for pool in pools(&[1, 2, 8]) {
            let before = pool.counters();
            let barrier = Arc::new(Barrier::new(10_000));
            let tasks: Vec<_> = (0..10_000_u64)
                .map(|i| {
                    let barrier = Arc::clone(&barrier);
                    pool.spawn_fiber(move || {
                        for _ in 0..3 {
                            barrier.wait();
                        }
                        i
                    })
                })
                .collect();
            assert_eq!(tasks.iter().map(|t| *t.get()).sum::<u64>(), 49_995_000);
            let spent = pool.counters() - before;
            assert_eq!(spent.handovers, 0, "no thread was held");
            // Nearly all waits count. Only the wait of a fiber that is woken before it has switched away does not.
            assert!(spent.suspensions > 2 * 9_999, "{}", spent.suspensions);
        }
    }

    #[test]
    fn all_constructs_suspend() {
        for pool in pools(&[1, 2, 8]) {
            let (sender, receiver) = channel(3);
            let total = Arc::new(Mutex::new(0_u64));
            let (start, go) = promise::<u64>();
            let tasks: Vec<_> = (0..50)
                .map(|_| {
                    let (sender, receiver) = (sender.clone(), receiver.clone());
                    let (total, go) = (Arc::clone(&total), go.clone());
                    pool.spawn_fiber(move || {
                        let mut sum = 0;
                        for i in 0..100 {
                            sender.send(*go.get() + i).unwrap();
                            let got = receiver.recv().unwrap();
                            *total.lock() += got;
                            sum += block_on(async { got });
                        }
                        sum
                    })
                })
                .collect();
            start.set(1);
            let sum: u64 = tasks.iter().map(|t| *t.get()).sum();
            assert_eq!(sum, 50 * 5050);
            assert_eq!(*total.lock(), sum);
        }
    }

    #[test]
    fn fibers_run_fibers() {
        for pool in pools(&[2]) {
            let outer = pool.spawn_fiber(|| {
                let inner: Vec<_> = (0..100_u32)
                    .map(|i| {
                        heist::spawn_fiber(move || heist::spawn_async(async move { i }).get() + 1)
                    })
                    .collect();
                inner.iter().map(|f| *f.get()).sum::<u32>()
            });
            assert_eq!(*outer.get(), 5050);
        }
    }

    #[test]
    fn panics_are_carried() {
        for pool in pools(&[2]) {
            let bad = pool.spawn_named_fiber("bad", || -> u32 {
                let (p, f) = promise::<()>();
                heist::spawn_async(async move { p.set(()) });
                f.get();
                panic!("after a wait")
            });
            let payload = catch_unwind(AssertUnwindSafe(|| *bad.get())).unwrap_err();
            assert_eq!(*payload.downcast::<String>().unwrap(), "after a wait");
        }
    }

    #[test]
    fn a_pool_without_fibers_says_so() {
        let pool = Pool::new(1).unwrap();
        let payload =
            catch_unwind(AssertUnwindSafe(|| pool.spawn_named_fiber("lost", || ()))).unwrap_err();
        let text = payload.downcast::<String>().unwrap();
        assert!(
            text.contains("fiber \"lost\"") && text.contains("Builder::fibers"),
            "{text}"
        );
        // SAFETY: the test makes no fiber.
        let error = unsafe { Pool::builder().fibers(Fibers::new().stack_size(usize::MAX)) }
            .build()
            .unwrap_err();
        assert!(error.to_string().contains("cannot have fibers"), "{error}");
    }

    #[test]
    fn fibers_of_a_scope_borrow() {
        for pool in pools(&[1, 2, 8]) {
            let barrier = Barrier::new(300);
            let sum = AtomicU32::new(0);
            pool.finish(|f| {
                for i in 0..100 {
                    let (barrier, sum) = (&barrier, &sum);
                    f.spawn_fiber(move || {
                        barrier.wait();
                        sum.fetch_add(i, Ordering::Relaxed);
                    });
                    f.spawn_async(async move {
                        barrier.wait_async().await;
                        sum.fetch_add(i, Ordering::Relaxed);
                    });
                    f.spawn(move |_| {
                        barrier.wait();
                        sum.fetch_add(i, Ordering::Relaxed);
                    });
                }
            });
            assert_eq!(sum.into_inner(), 3 * 4950);
        }
    }

    /// A wait inside a poll blocks the thread, because the poll's context is on the thread's stack.
    #[test]
    fn waits_inside_polls() {
        for pool in pools(&[2]) {
            let (promise, future) = promise::<u32>();
            let gate = Arc::new(Semaphore::new(0));
            let fiber = pool.spawn_fiber({
                let gate = Arc::clone(&gate);
                move || {
                    block_on(async {
                        let value = *future.get();
                        gate.acquire_async(1).await.keep();
                        value
                    })
                }
            });
            while pool.counters().handovers == 0 {
                std::thread::yield_now();
            }
            promise.set(7);
            gate.release(1);
            assert_eq!(*fiber.get(), 7);
        }
    }

    #[test]
    fn waits_while_unwinding_hold_the_thread() {
        struct Late(Arc<Semaphore>);
        impl Drop for Late {
            fn drop(&mut self) {
                self.0.acquire(1).keep();
            }
        }
        for pool in pools(&[1]) {
            let gate = Arc::new(Semaphore::new(0));
            let late = Late(Arc::clone(&gate));
            let fiber = pool.spawn_fiber(move || {
                let _late = late;
                panic!("planted");
            });
            while pool.counters().handovers == 0 {
                std::thread::yield_now();
            }
            assert!(!*pool.spawn_async(async { std::thread::panicking() }).get());
            gate.release(1);
            assert!(catch_unwind(AssertUnwindSafe(|| fiber.get())).is_err());
        }
    }

    #[test]
    fn a_waker_that_outlives_a_fiber_does_not_keep_its_result() {
        for pool in pools(&[1]) {
            let wakers = Arc::new(std::sync::Mutex::new(Vec::new()));
            let value = Arc::new(());
            let weak = Arc::downgrade(&value);
            let fiber = pool.spawn_fiber({
                let wakers = Arc::clone(&wakers);
                move || {
                    let mut waited = false;
                    heist::block_on(std::future::poll_fn(|context| {
                        wakers.lock().unwrap().push(context.waker().clone());
                        if std::mem::replace(&mut waited, true) {
                            return std::task::Poll::Ready(());
                        }
                        context.waker().wake_by_ref();
                        std::task::Poll::Pending
                    }));
                    value
                }
            });
            fiber.get();
            drop(fiber);
            let began = std::time::Instant::now();
            while weak.strong_count() > 0 && began.elapsed() < std::time::Duration::from_secs(10) {
                std::thread::yield_now();
            }
            assert_eq!(weak.strong_count(), 0);
            assert_eq!(wakers.lock().unwrap().len(), 2);
        }
    }
}
