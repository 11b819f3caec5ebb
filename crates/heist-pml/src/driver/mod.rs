//! Implements the commands of `heist` that compile programs.

mod annotations;
mod build;
mod checker;
mod compile;
mod execute;
mod files;
mod format;
mod link;
mod lsp;
mod mlb;
mod program;
mod repl;
mod settings;
mod times;

use std::path::PathBuf;

pub use crate::lower::Forms;
pub use build::Build;
pub use checker::{Checker, Found};
pub use compile::on_large_stack;
pub use format::format;
pub use lsp::serve;
pub use repl::{Line, Reader, repl};
pub use settings::{Dialect, Dump, Settings};
use times::Times;

use crate::diag;
pub use crate::runtime::measure::heap_profile::{INTERVAL, Profiling, SHARE};
pub use crate::runtime::measure::trace::Tracing;
pub use crate::runtime::memory::sharing::Memory;
pub use crate::runtime::process::size::size;

/// The exit code if the command has succeeded.
pub const ACCEPTED: i32 = 0;
/// The exit code if the compiler refuses the program, or if an unhandled exception ends the program.
pub const REFUSED: i32 = 1;
/// The exit code if the command cannot do its work, for example because a file does not exist.
pub const IMPOSSIBLE: i32 = 2;

/// Checks a program and prints its errors and warnings. Returns the exit code.
///
/// If the settings request dumps, compiles the program only as far as the dumps need.
#[must_use]
pub fn check(files: &[PathBuf], settings: &Settings) -> i32 {
    let mut times = Times::new();
    compile::on_large_stack(|| match compile::checked(files, settings, &mut times) {
        Ok(()) => {
            times.print(settings);
            ACCEPTED
        }
        Err(code) => code,
    })
}

/// Compiles a program and runs it. Returns the exit code, unless the program calls `OS.Process.exit`, which ends the
/// process.
#[must_use]
pub fn run(files: &[PathBuf], settings: &Settings) -> i32 {
    let mut times = Times::new();
    compile::on_large_stack(|| match compile::loaded(files, settings, &mut times) {
        Ok(mut loaded) => {
            times.print(settings);
            execute::execute(&mut loaded, files, settings)
        }
        Err(code) => code,
    })
}

/// Compiles a program, and calls `body` with a function that runs the program once with given settings. Returns the exit code.
///
/// `body` may create child processes by `fork` and run the program in each child. One compilation then serves all children. When this
/// function calls `body`, no pool has started a thread. A child process has only the thread that runs `body`. In a child process, `body`
/// must end the process itself.
#[doc(hidden)]
#[must_use]
pub fn compile_then(
    files: &[PathBuf],
    settings: &Settings,
    body: impl FnOnce(&mut dyn FnMut(&Settings) -> i32) -> i32 + Send,
) -> i32 {
    let mut times = Times::new();
    compile::on_large_stack(|| match compile::loaded(files, settings, &mut times) {
        Ok(mut loaded) => body(&mut |settings| execute::execute(&mut loaded, files, settings)),
        Err(code) => code,
    })
}

/// Compiles a program into an executable or an object file. Returns the exit code.
#[must_use]
pub fn build(files: &[PathBuf], build: &Build, settings: &Settings) -> i32 {
    compile::on_large_stack(|| match build::build(files, build, settings) {
        Ok(()) => ACCEPTED,
        Err(code) => code,
    })
}

/// Returns the long text about an error code, for a terminal, or `None` if the code does not exist.
#[must_use]
pub fn explain(code: &str) -> Option<String> {
    let code = diag::Code::ALL
        .iter()
        .find(|known| known.number().eq_ignore_ascii_case(code))?;
    let mut text = format!("{}: {}\n", code.number(), code.title());
    let more = diag::explain(*code);
    for part in [more.text, "Refused:", more.wrong, "Accepted:", more.right] {
        text.push('\n');
        text.push_str(part);
        text.push('\n');
    }
    Some(text)
}

/// Returns all codes with their titles, one on each line.
#[must_use]
pub fn codes() -> String {
    diag::Code::ALL
        .iter()
        .map(|code| format!("{}  {}\n", code.number(), code.title()))
        .collect()
}
