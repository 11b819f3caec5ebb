//! Handling of Ctrl-C: the program ends immediately, reports the complete rounds, and leaves no
//! empty file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

/// The exit code that shells give to a program that SIGINT has ended.
const EXIT_CODE: i32 = 130;

type Last = Box<dyn FnOnce() + Send>;

/// The function to run before the program ends.
static LAST: Mutex<Option<Last>> = Mutex::new(None);
/// The files that have been created and are still empty.
static EMPTY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Sets the function that runs when Ctrl-C ends the program.
pub(crate) fn before_the_end(last: impl FnOnce() + Send + 'static) {
    watch();
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(last));
}

/// Removes the function that Ctrl-C runs.
pub(crate) fn forget() {
    drop(LAST.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// Records that a file was created. If Ctrl-C ends the program while the file is empty, the file is
/// deleted.
pub(crate) fn made(path: &Path) {
    watch();
    let mut empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
    empty.push(path.to_owned());
}

/// Records that a file has its content, or has been deleted.
pub(crate) fn settled(path: &Path) {
    let mut empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
    empty.retain(|other| other != path);
}

fn watch() {
    static WATCH: Once = Once::new();
    // If no handler can be set, Ctrl-C ends the program as it would by default.
    WATCH.call_once(|| drop(ctrlc::set_handler(end)));
}

/// Ends the program. This function runs on a separate thread.
fn end() {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
    // Standard error may be closed.
    let _ = writeln!(io::stderr(), "\nheist: interrupted");
    if let Some(last) = last {
        last();
    }
    for path in &*EMPTY.lock().unwrap_or_else(PoisonError::into_inner) {
        // The file may have received its content in the meantime. An error of the removal is
        // ignored.
        if fs::metadata(path).is_ok_and(|file| file.len() == 0) {
            let _ = fs::remove_file(path);
        }
    }
    std::process::exit(EXIT_CODE);
}
