//! Handling of Ctrl-C. The program ends immediately, or it ends after the current round of a measurement and reports the complete rounds.
//! In both cases, it leaves no empty file or folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// The exit code of a program that SIGINT has ended, by the convention of shells.
const EXIT_CODE: u8 = 130;

type Last = Box<dyn FnOnce() + Send>;

/// The function that runs before Ctrl-C ends the program.
static LAST: Mutex<Option<Last>> = Mutex::new(None);
/// The files and folders that this program has created and that are still empty.
static EMPTY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// True if at least one counted round is complete, so that the command has results to show. In that case, the first Ctrl-C ends the
/// measurement but not the program.
static HAS_ROUNDS: AtomicBool = AtomicBool::new(false);
/// True if Ctrl-C has ended the measurement.
static STOPPING: AtomicBool = AtomicBool::new(false);

/// The rounds of a measurement. The first round is a warm-up, which is not counted. Before the first counted round has ended, Ctrl-C ends
/// the program immediately. After that round, Ctrl-C ends the measurement at the end of the current round.
pub(crate) struct Rounds {
    next: usize,
    count: usize,
}

/// Returns an iterator over the indices of `count` rounds.
pub(crate) fn rounds(count: usize) -> Rounds {
    watch();
    Rounds { next: 0, count }
}

impl Iterator for Rounds {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let measured = self.next.saturating_sub(1);
        if measured > 0 {
            // Relaxed, here and below: the flags guard no other data.
            HAS_ROUNDS.store(true, Ordering::Relaxed);
        }
        if self.next == self.count {
            return None;
        }
        if is_stopping() {
            // Standard error may be closed.
            let _ = writeln!(
                io::stderr(),
                "heist: {measured} of {} rounds were measured",
                self.count - 1
            );
            self.count = self.next;
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }
}

/// Returns true if Ctrl-C has ended the measurement.
pub(crate) fn is_stopping() -> bool {
    STOPPING.load(Ordering::Relaxed)
}

/// Returns the exit status of a command that has succeeded.
pub(crate) fn status() -> ExitCode {
    if is_stopping() {
        ExitCode::from(EXIT_CODE)
    } else {
        ExitCode::SUCCESS
    }
}

/// Sets the function that runs when Ctrl-C ends the program.
pub(crate) fn before_the_end(last: impl FnOnce() + Send + 'static) {
    watch();
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(last));
}

/// Removes the function that Ctrl-C runs.
pub(crate) fn forget() {
    drop(LAST.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// Records that a file or folder was created. If Ctrl-C ends the program while the file or folder is
/// empty, the program deletes it.
pub(crate) fn made(path: &Path) {
    watch();
    let mut empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
    empty.push(path.to_owned());
}

/// Records that a file is no longer empty, or has been deleted.
pub(crate) fn settled(path: &Path) {
    let mut empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
    empty.retain(|other| other != path);
}

fn watch() {
    static WATCH: Once = Once::new();
    // If no handler can be set, Ctrl-C ends the program as it would by default.
    WATCH.call_once(|| drop(ctrlc::set_handler(end)));
}

/// Handles Ctrl-C: ends the measurement if a counted round is complete, and otherwise ends the program. This function runs on a separate
/// thread.
fn end() {
    if HAS_ROUNDS.load(Ordering::Relaxed) && !STOPPING.swap(true, Ordering::Relaxed) {
        let _ = writeln!(
            io::stderr(),
            "\nheist: interrupted; the results follow when this round ends (Ctrl-C again ends at once)"
        );
        return;
    }
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
    // Standard error may be closed.
    let _ = writeln!(io::stderr(), "\nheist: interrupted");
    if let Some(last) = last {
        last();
    }
    let empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
    // The newest file comes first, so that the files in a folder are deleted before the folder.
    for path in empty.iter().rev() {
        // The file may have received its content in the meantime. An error of the removal is ignored.
        let _ = match fs::metadata(path) {
            Ok(file) if file.is_dir() => fs::remove_dir(path),
            Ok(file) if file.len() == 0 => fs::remove_file(path),
            _ => continue,
        };
    }
    std::process::exit(EXIT_CODE.into());
}
