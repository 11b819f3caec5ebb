//! The global pool, configured before its first use. Each order of events needs a new process, so each test starts this program
//! again and runs only itself in it.
#![cfg(not(miri))]

use heist::{BuildError, Pool};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The environment variable that is set in a child.
const CHILD: &str = "HEIST_TEST_GLOBAL_POOL";

/// Runs `body` in a separate process, as the test `name`.
fn alone(name: &str, body: fn()) {
    if std::env::var_os(CHILD).is_some() {
        body();
        println!("the child is done");
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .env("HEIST_NUM_THREADS", "2")
        .output()
        .unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success() && out.contains("the child is done"),
        "{out}\n{err}"
    );
}

fn already() -> bool {
    matches!(
        Pool::builder().threads(5).build_global(),
        Err(BuildError::GlobalPoolAlreadyInitialized)
    )
}

#[test]
fn it_is_as_it_was_configured() {
    alone("it_is_as_it_was_configured", || {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        Pool::builder()
            .threads(3)
            .name("chosen")
            .start_handler(|_| {
                STARTED.fetch_add(1, Ordering::Relaxed);
            })
            .build_global()
            .unwrap();
        assert_eq!(heist::current_threads(), 3);
        assert_eq!(heist::global().threads(), 3);
        let name = heist::spawn(|| std::thread::current().name().unwrap().to_owned());
        // This thread is not a worker, so it cannot run the task itself.
        assert!(name.join().unwrap().starts_with("chosen-"));
        assert_eq!(heist::global().broadcast(|index| index), [0, 1, 2]);
        assert!(STARTED.load(Ordering::Relaxed) >= 3);
        assert!(already());
        assert_eq!(heist::current_threads(), 3);
    });
}

#[test]
fn it_is_too_late_after_the_first_use() {
    alone("it_is_too_late_after_the_first_use", || {
        assert_eq!(heist::join(|| 1, || 2), (1, 2));
        assert!(already());
        assert_eq!(heist::current_threads(), 2);
        let error = Pool::builder().build_global().unwrap_err();
        assert!(error.to_string().contains("runs already"), "{error}");
    });
}

#[test]
fn it_can_be_tried_again_after_an_error() {
    alone("it_can_be_tried_again_after_an_error", || {
        let error = Pool::builder().threads(heist::MAX_THREADS + 1);
        assert!(matches!(
            error.build_global(),
            Err(BuildError::TooManyThreads { .. })
        ));
        let refused = Pool::builder().threads(2);
        let refused = refused.spawn_handler(|_| Err(std::io::Error::other("no threads today")));
        assert!(matches!(
            refused.build_global(),
            Err(BuildError::Spawn { .. })
        ));
        let bomb = Pool::builder()
            .threads(2)
            .spawn_handler(|_| panic!("a handler's own"));
        assert!(matches!(bomb.build_global(), Err(BuildError::Spawn { .. })));
        Pool::builder().threads(4).build_global().unwrap();
        assert_eq!(heist::current_threads(), 4);
    });
}

#[test]
fn one_of_many_threads_configures_it() {
    alone("one_of_many_threads_configures_it", || {
        static THREADS_STARTED: AtomicUsize = AtomicUsize::new(0);
        let won: usize = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let builder = Pool::builder().threads(3).spare_threads(0);
                        let builder = builder.spawn_handler(|start| {
                            THREADS_STARTED.fetch_add(1, Ordering::Relaxed);
                            std::thread::Builder::new().spawn(|| start.run())?;
                            Ok(())
                        });
                        let won = builder.build_global().is_ok();
                        // At this point the global pool runs, whether or not this thread has started it.
                        assert_eq!(heist::current_threads(), 3);
                        usize::from(won)
                    })
                })
                .collect();
            all.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(won, 1);
        // The other threads have started no workers.
        assert_eq!(THREADS_STARTED.load(Ordering::Relaxed), 3);
    });
}

#[test]
fn its_own_handler_must_not_ask_for_it() {
    alone("its_own_handler_must_not_ask_for_it", || {
        let builder = Pool::builder().threads(2).spawn_handler(|_| {
            heist::global();
            Ok(())
        });
        // The panic leads to the same error as every other panic of this handler.
        assert!(matches!(
            builder.build_global(),
            Err(BuildError::Spawn { .. })
        ));
        // The failed start does not prevent a later start.
        assert_eq!(heist::current_threads(), 2);
    });
}

#[test]
fn its_workers_may_ask_for_it_as_they_start() {
    alone("its_workers_may_ask_for_it_as_they_start", || {
        static SEEN: AtomicUsize = AtomicUsize::new(0);
        Pool::builder()
            .threads(3)
            .start_handler(|_| {
                SEEN.fetch_add(heist::global().threads(), Ordering::Relaxed);
            })
            .build_global()
            .unwrap();
        heist::global().broadcast(|_| ());
        assert!(SEEN.load(Ordering::Relaxed) >= 9);
    });
}
