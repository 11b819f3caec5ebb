//! Tests of threads that a program starts when their pool has ended.

use rayon_core::{ThreadPoolBuilder, join, scope};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

/// Checks a thread that starts after the pool's other threads have ended. It is not a worker, because its deques no
/// longer exist.
#[test]
fn a_thread_that_comes_after_its_pool_works_elsewhere() {
    fn work() -> u64 {
        let (a, b) = join(|| 3, || 4);
        let (sum, nested) = scope(|s| {
            s.spawn(|_| {
                join(|| (), || ());
            });
            join(|| a + b, || join(|| 1, || 2).0)
        });
        sum + nested
    }
    let (sender, sums) = channel();
    let sender = Mutex::new(sender);
    let told = Arc::new(move |_| sender.lock().unwrap().send(work()).unwrap());
    let (at_start, at_exit) = (Arc::clone(&told), told);
    let mut started = None;
    let mut late = None;
    let pool = ThreadPoolBuilder::new()
        .num_threads(2)
        .start_handler(move |index| at_start(index))
        .exit_handler(move |index| at_exit(index))
        .spawn_handler(|thread| {
            if thread.index() == 0 {
                started = Some(thread::spawn(|| thread.run()));
            } else {
                late = Some(thread);
            }
            Ok(())
        })
        .build()
        .unwrap();
    assert_eq!(pool.install(work), 8);
    drop(pool);
    started.unwrap().join().unwrap();
    let late = late.unwrap();
    let goes_on = move || {
        late.run();
        work()
    };
    assert_eq!(thread::spawn(goes_on).join().unwrap(), 8);
    assert!(sums.iter().eq([8; 4]));
}
