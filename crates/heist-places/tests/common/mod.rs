//! Functions and constants that several tests share.
#![allow(dead_code, reason = "each test takes a part")]

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The numbers of places with which tests run.
pub(crate) const PLACES: [usize; 5] = [1, 2, 3, 4, 7];

/// Repeats a test `times` times, multiplied by `HEIST_PLACES_STRESS`.
pub(crate) fn repeat(times: usize, test: impl Fn()) {
    let factor = std::env::var("HEIST_PLACES_STRESS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    for _ in 0..times * factor {
        test();
    }
}

/// The time limit of a test. The limit is far longer than a test usually takes, because the machine may be busy.
const LIMIT: Duration = Duration::from_secs(40);

/// Runs a test on another thread, and fails if it hangs.
pub(crate) fn ends<R: Send + 'static>(test: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = mpsc::channel();
    let tested = thread::spawn(move || drop(sender.send(test())));
    match receiver.recv_timeout(LIMIT) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(tested.join().unwrap_err())
        }
    }
}
