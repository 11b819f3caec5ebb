//! Detection of other programs that disturb a measurement.

use std::fs;
use std::thread;
use std::time::Duration;

/// The number of times that `others` reads the number of runnable threads.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// The least time that a thread runs before the system's scheduler gives its CPU to another thread.
const SLICE: Duration = Duration::from_millis(3);

/// Returns the mean number of runnable threads of other programs, or `None` if the system does not report it. The
/// caller must ensure that all other threads of this process sleep. The call takes 20 ms.
pub(crate) fn others() -> Option<f64> {
    let mut sum = 0;
    for _ in 0..LOOKS {
        thread::sleep(BETWEEN_LOOKS);
        sum += running(&fs::read_to_string("/proc/loadavg").ok()?)?;
    }
    Some(f64::from(sum) / f64::from(LOOKS))
}

/// Returns the number of runnable threads, not counting the calling thread. `/proc/loadavg` has the number of runnable threads in its
/// fourth field, before the slash.
fn running(loadavg: &str) -> Option<u32> {
    let (running, _) = loadavg.split_whitespace().nth(3)?.split_once('/')?;
    Some(running.parse::<u32>().ok()?.saturating_sub(1))
}

/// Returns the number of times that the system has preempted a runnable thread of this process.
pub(crate) fn preemptions() -> u64 {
    heist_suite::preemptions().unwrap_or(0)
}

/// Returns true if `preemptions` in a run of duration `time` mean that other programs took CPU time. A single preemption does not count,
/// because threads of a contender may preempt each other.
pub(crate) fn is_many(preemptions: u64, time: Duration) -> bool {
    let slices = time.as_secs_f64() / SLICE.as_secs_f64();
    preemptions as f64 > 1.0 + slices / 10.0
}

/// Returns true if `others` threads of other programs disturb a measurement.
pub(crate) fn is_busy(others: Option<f64>) -> bool {
    others.is_some_and(|others| others >= 0.5)
}

/// Returns the notes for a table: a warning if other programs used the CPUs, and an explanation of the mark if some rows are marked.
pub(crate) fn note(others: Option<f64>, marked: bool) -> String {
    let mut text = String::new();
    if let Some(others) = others.filter(|_| is_busy(others)) {
        text.push_str(&format!(
            "This machine was busy when the measurement began: {others:.1} threads of other programs wanted to run.\n"
        ));
    }
    if marked {
        text.push_str(
            "! marks rows of which other programs preempted more than a quarter of the rounds: do not trust them.\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_run_are_counted_without_this_one() {
        assert_eq!(running("0.20 0.18 0.12 3/80 11206\n"), Some(2));
        assert_eq!(running("0.20 0.18 0.12 0/80 11206\n"), Some(0));
        assert_eq!(running("0.20 0.18"), None);
    }

    #[test]
    fn many_preemptions_depend_on_the_time() {
        assert!(!is_many(1, Duration::from_micros(10)));
        assert!(is_many(2, Duration::from_micros(10)));
        // If another program runs on one CPU, it takes every second slice.
        assert!(is_many(50, Duration::from_millis(300)));
        assert!(!is_many(5, Duration::from_millis(300)));
    }

    #[test]
    fn a_quiet_machine_needs_no_note() {
        assert_eq!(note(Some(0.1), false), "");
        assert_eq!(note(None, false), "");
        assert!(note(Some(2.0), false).contains("2.0 threads"));
        assert!(note(None, true).starts_with("! marks"));
    }
}
