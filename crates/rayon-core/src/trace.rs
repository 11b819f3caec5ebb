//! Traces of unchanged programs. If the environment variable `HEIST_TRACE` names a file, each pool is
//! traced from its start. When the process exits, the trace of the first pool is written to this file. The traces of
//! all other pools go to files with numbered names.

use heist::embed::Core;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Mutex, Once, PoisonError};

/// The environment variable that names the file.
const VARIABLE: &str = "HEIST_TRACE";
/// The number of newest events that each thread keeps. The events take 8 MiB for each thread. This memory is allocated
/// as events are recorded.
const EVENTS: usize = 1 << 18;

/// The pools that are traced.
static TRACED: Mutex<Vec<Core>> = Mutex::new(Vec::new());

/// Starts a trace of a pool, if the environment variable is set.
pub(crate) fn begin(core: &Core) {
    static EXIT: Once = Once::new();
    if env::var_os(VARIABLE).is_none_or(|path| path.is_empty()) {
        return;
    }
    core.start_trace(EVENTS);
    TRACED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(core.clone());
    EXIT.call_once(|| at_exit(write_all));
}

/// Makes the process call `run` when it exits. `run` must not unwind.
#[cfg(not(target_family = "wasm"))]
fn at_exit(run: extern "C" fn()) {
    // SAFETY: `run` has the right type, and by contract it does not unwind.
    unsafe { libc::atexit(run) };
}

/// Does nothing, because a WebAssembly module does not exit.
#[cfg(target_family = "wasm")]
fn at_exit(_: extern "C" fn()) {}

/// Returns the file name for the `nth` pool. The first pool, which is the global pool in most programs,
/// gets the given name.
fn name_of(path: OsString, nth: usize) -> PathBuf {
    let mut path = PathBuf::from(path);
    if nth > 0 {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = match path.extension() {
            Some(extension) => format!("{stem}-{}.{}", nth + 1, extension.to_string_lossy()),
            None => format!("{stem}-{}", nth + 1),
        };
        path.set_file_name(name);
    }
    path
}

extern "C" fn write_all() {
    let Some(path) = env::var_os(VARIABLE) else {
        return;
    };
    let traced = std::mem::take(&mut *TRACED.lock().unwrap_or_else(PoisonError::into_inner));
    for (nth, core) in traced.iter().enumerate() {
        let path = name_of(path.clone(), nth);
        match crate::unwind::halt(|| write(core, nth, &path)) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => eprintln!(
                "rayon-core (heist): the trace could not be written to {}, as {VARIABLE} asks for: {error}",
                path.display()
            ),
            // This process is a child of fork(): its parent writes the trace.
            Err(_) => return,
        }
    }
}

fn pool_name(nth: usize) -> String {
    match nth {
        0 => "rayon".to_owned(),
        nth => format!("rayon {}", nth + 1),
    }
}

fn write(core: &Core, nth: usize, path: &PathBuf) -> io::Result<()> {
    let Some(trace) = core.stop_trace(&pool_name(nth)) else {
        return Ok(());
    };
    let mut file = BufWriter::new(File::create(path)?);
    trace.write_chrome(&mut file)?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::name_of;
    use std::path::Path;

    #[test]
    fn each_pool_has_a_file_of_its_own() {
        let name = |nth| name_of("out/trace.json".into(), nth);
        assert_eq!(name(0), Path::new("out/trace.json"));
        assert_eq!(name(1), Path::new("out/trace-2.json"));
        assert_eq!(name_of("trace".into(), 2), Path::new("trace-3"));
    }
}
