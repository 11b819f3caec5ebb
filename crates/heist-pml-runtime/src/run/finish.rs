//! The end of a program: its output, and the reports of its run.

use std::io::Write;

use crate::process::files;
use crate::run::statistics;
use crate::state::worker::Worker;

/// Writes buffered output, the trace, the heap profile and the statistics at the end of a program, no matter how the program has ended.
pub fn finish(worker: &Worker) {
    files::flush_all();
    worker.world().end_trace();
    if let Some(profile) = &worker.world().heap_profile {
        profile.finish();
    }
    if worker.options().stats {
        // If standard error fails, no other stream can report it.
        let _ = std::io::stderr().write_all(statistics::report(worker).as_bytes());
    }
    if let Some(file) = &worker.options().stats_json
        && let Err(error) = std::fs::write(file, statistics::json(worker))
    {
        complain(&format!("cannot write {}: {error}", file.display()));
    }
}

/// Writes a message of the runtime to the standard error.
pub fn complain(why: &str) {
    // If standard error fails, no other stream can report it.
    let _ = std::io::stderr().write_all(format!("heist: {why}\n").as_bytes());
}
