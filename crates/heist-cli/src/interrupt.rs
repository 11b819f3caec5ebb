//! Ctrl-C: the program ends at once, and leaves the results so far and no empty file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

/// The exit code that shells give to a program that SIGINT has ended.
const EXIT_CODE: i32 = 130;

type Last = Box<dyn FnOnce() + Send>;

/// The function to run before the program ends.
static LAST: Mutex<Option<Last>> = Mutex::new(None);
/// Files that have been created and are still empty.
static EMPTY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Makes Ctrl-C run `last`, instead of its previous action, and end the program.
pub(crate) fn before_the_end(last: impl FnOnce() + Send + 'static) {
    watch();
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(last));
}

/// From now on, the end needs no action.
pub(crate) fn forget() {
    drop(LAST.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// A file was created, and must be deleted if nothing is written to it.
pub(crate) fn made(path: &Path) {
    watch();
    let mut empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
    empty.push(path.to_owned());
}

/// The file has its content, or has been deleted.
pub(crate) fn settled(path: &Path) {
    let mut empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
    empty.retain(|other| other != path);
}

fn watch() {
    static WATCH: Once = Once::new();
    // Where it cannot be done, Ctrl-C ends the program as it would by itself.
    WATCH.call_once(|| drop(ctrlc::set_handler(end)));
}

/// Runs on a thread of its own.
fn end() {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
    // Standard error may be closed.
    let _ = writeln!(io::stderr(), "\nheist: interrupted");
    if let Some(last) = last {
        last();
    }
    for path in &*EMPTY.lock().unwrap_or_else(PoisonError::into_inner) {
        // It may have got its content a moment ago. If it cannot be removed there is nothing better to do.
        if fs::metadata(path).is_ok_and(|file| file.len() == 0) {
            let _ = fs::remove_file(path);
        }
    }
    std::process::exit(EXIT_CODE);
}
