//! The launch of programs in memory and of executables: settings, a worker, and the reports at the end.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::measure::heap_profile::{self, Profiling};
use crate::measure::trace::Tracing;
use crate::memory::sharing::Memory;
use crate::process::exit::IMPOSSIBLE;
use crate::process::size::size;
use crate::process::{defaults, executable};
use crate::run::finish::complain;
use crate::state::options::Options;
use crate::state::worker::Worker;
use crate::state::world::MOST_WORKERS;

/// Settings with which a program is started.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Maximum number of bytes of the heap.
    pub heap: Option<u64>,
    /// Number of bytes of each stack.
    pub stack: Option<u64>,
    /// Whether to print allocations and collections at the end.
    pub stats: bool,
    /// The file to which the statistics are written as JSON, if any.
    pub stats_json: Option<PathBuf>,
    /// Whether to collect at every allocation and every poll.
    pub stress: bool,
    /// Number of workers for programs that fork; by default one for each CPU that the process may use.
    pub workers: Option<usize>,
    /// Whether the process runs further programs after one program has used up the memory or the stack.
    pub reserve: bool,
    /// The way in which workers share the heap.
    pub memory: Memory,
    /// The trace to make of the program.
    pub trace: Option<Tracing>,
    /// The heap profile to make of the program.
    pub heap_profile: Option<Profiling>,
}

/// Opens the file of `HEIST_HEAP_PROFILE`, so that an error shows before the program runs.
fn heap_profile() -> Result<Option<Profiling>, String> {
    const NAME: &str = "HEIST_HEAP_PROFILE";
    let Some(path) = std::env::var_os(NAME).filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let path = PathBuf::from(path);
    if path.extension().is_none_or(|ending| ending != "json") {
        return Err(format!(
            "{NAME}: '{}' does not end in .json; `heist report` draws the file",
            path.display()
        ));
    }
    // The file keeps its old contents until the profile is written.
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|error| format!("{NAME}: cannot write '{}': {error}", path.display()))?;
    let file = Mutex::new(move |text: &str| {
        let cleared = match file.set_len(0) {
            // A device has no length.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => Ok(()),
            cleared => cleared,
        };
        if let Err(error) = cleared.and_then(|()| file.write_all(text.as_bytes())) {
            complain(&format!("cannot write '{}': {error}", path.display()));
        }
    });
    Ok(Some(Profiling {
        interval: heap_profile::INTERVAL,
        share: heap_profile::SHARE,
        done: Arc::new(move |text| {
            (file.lock().unwrap_or_else(PoisonError::into_inner))(text);
        }),
    }))
}

fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Launch {
    /// Reads the settings of an executable from its environment: `HEIST_HEAP` and `HEIST_STACK` are sizes, `HEIST_WORKERS` is a number, and
    /// `HEIST_HEAP_PROFILE` is the name of a file. `HEIST_STATS` requests statistics if it is neither empty nor `0`.
    ///
    /// # Errors
    /// Returns the variable whose value cannot be understood, and the reason.
    pub fn of_executable() -> Result<Launch, String> {
        executable::is_executable();
        let bytes = |name: &str| match std::env::var_os(name) {
            Some(text) if !text.is_empty() => size(&text.to_string_lossy())
                .map(Some)
                .map_err(|why| format!("{name}: {why}")),
            _ => Ok(None),
        };
        let count = |name: &str| match std::env::var_os(name) {
            Some(text) if !text.is_empty() => {
                let text = text.to_string_lossy();
                match text.parse::<usize>() {
                    Ok(count) if count >= MOST_WORKERS => Err(format!(
                        "{name}: `{text}` is more than {} workers",
                        MOST_WORKERS - 1
                    )),
                    Ok(count) if count > 0 => Ok(Some(count)),
                    _ => Err(format!("{name}: `{text}` is not a number of workers")),
                }
            }
            _ => Ok(None),
        };
        Ok(Launch {
            heap: bytes("HEIST_HEAP")?,
            stack: bytes("HEIST_STACK")?,
            stats: std::env::var_os("HEIST_STATS")
                .is_some_and(|value| !value.is_empty() && value != "0"),
            stats_json: None,
            stress: false,
            reserve: false,
            memory: Memory::Split,
            trace: None,
            heap_profile: heap_profile()?,
            workers: count("HEIST_WORKERS")?,
        })
    }

    /// Makes a worker that runs programs. If there is no memory for the worker, prints a message and returns `None`.
    pub fn worker(&self) -> Option<Box<Worker>> {
        let workers = self.workers.unwrap_or_else(cpus).min(MOST_WORKERS - 1);
        let mut options = Options {
            stack: defaults::stack(defaults::memory(), workers),
            stress: self.stress,
            stats: self.stats,
            stats_json: self.stats_json.clone(),
            workers,
            reserve: self.reserve,
            memory: self.memory,
            trace: self.trace.clone(),
            heap_profile: self.heap_profile.clone(),
            publish: std::env::var_os("HEIST_PUBLISH").is_some_and(|value| value == "1"),
            ..Options::default()
        };
        if let Some(heap) = self.heap {
            options.heap = usize::try_from(heap).unwrap_or(usize::MAX);
        }
        if let Some(stack) = self.stack {
            options.stack = usize::try_from(stack).unwrap_or(usize::MAX);
        }
        match Worker::new(options) {
            Ok(worker) => Some(worker),
            Err(error) => {
                complain(&format!(
                    "no memory for the heap and the stack of the program: {error}; ask for less with {} or {}",
                    executable::heap_setting(),
                    executable::stack_setting()
                ));
                None
            }
        }
    }

    /// Runs a program on a new worker. Returns the program's exit code, or [`IMPOSSIBLE`] if there is no memory.
    pub fn run(&self, program: impl FnOnce(&mut Worker) -> i32) -> i32 {
        match self.worker() {
            Some(mut worker) => program(&mut worker),
            None => IMPOSSIBLE,
        }
    }
}
