//! Running what was compiled.

use std::io::Write;
use std::path::PathBuf;

use super::compile::say;
use super::{ACCEPTED, IMPOSSIBLE, REFUSED, Settings};
use crate::codegen::{Loaded, Outcome};
use crate::runtime::basis::{io, system};
use crate::runtime::worker::{Options, Worker};

/// Runs a program to its end. Returns the exit code.
pub fn execute(loaded: &mut Loaded, files: &[PathBuf], settings: &Settings) -> i32 {
    let name = files.first().cloned().unwrap_or_default();
    system::set_command_line(name.into(), settings.arguments.iter().map(Into::into));
    let mut options = Options::default();
    if let Some(heap) = settings.heap {
        options.heap = usize::try_from(heap).unwrap_or(usize::MAX);
    }
    if let Some(stack) = settings.stack {
        options.stack = usize::try_from(stack).unwrap_or(usize::MAX);
    }
    let mut worker = match Worker::new(options) {
        Ok(worker) => worker,
        Err(error) => {
            say(&format!(
                "heist: no memory for the heap and the stack of the program: {error}; ask for less with --heap or --stack\n"
            ));
            return IMPOSSIBLE;
        }
    };
    let outcome = loaded.run(&mut worker);
    io::flush_all();
    if settings.stats {
        say(&worker.report());
    }
    match outcome {
        Outcome::Done => ACCEPTED,
        Outcome::Uncaught(what) => {
            let mut text = b"uncaught exception ".to_vec();
            text.extend(what);
            text.push(b'\n');
            let _ = std::io::stderr().write_all(&text);
            REFUSED
        }
    }
}
