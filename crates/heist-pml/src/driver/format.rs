//! Implements `heist fmt`.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use super::compile::{on_large_stack, report, say};
use super::files::{self, Unusable};
use super::{ACCEPTED, Dialect, IMPOSSIBLE, REFUSED, Settings};
use crate::diag::Diagnostics;
use crate::source::Sources;
use crate::syntax::{self, FixityEnv, Options};

/// Rewrites files in the uniform layout. If `check` is true, only prints the names of files that are not in this layout. The name `-`
/// stands for standard input. The formatted text of standard input goes to standard output. Returns the exit code.
///
/// In each file, the infix names of the Basis and of the file itself are in scope. The files of a list (`.mlb`) are one program, so each
/// file also sees the infix names of earlier files.
#[must_use]
pub fn format(given: &[PathBuf], check: bool, settings: &Settings) -> i32 {
    on_large_stack(|| {
        let basis = fixity(settings.dialect);
        let mut worst = ACCEPTED;
        for path in given {
            let files = match files::expand(std::slice::from_ref(path), &settings.path_variables) {
                Ok(files) => files,
                Err(Unusable(why)) => {
                    say(&format!("heist: {why}\n"));
                    worst = IMPOSSIBLE;
                    continue;
                }
            };
            let mut fixity = basis.clone();
            for file in files {
                worst = worst.max(one(&file, check, &mut fixity, settings));
            }
        }
        worst
    })
}

/// Returns the infix names of the Basis.
fn fixity(dialect: Dialect) -> FixityEnv {
    let mut fixity = FixityEnv::new();
    let mut sources = Sources::default();
    for file in dialect.basis() {
        let id = sources.add(file.name, file.text, true);
        let options = Options::default();
        let _ = syntax::parse(
            &sources,
            id,
            &mut fixity,
            options,
            &mut Diagnostics::default(),
        );
    }
    fixity
}

/// Formats one file. Adds the infix names of the file to `fixity`, for the files that follow.
fn one(path: &Path, check: bool, fixity: &mut FixityEnv, settings: &Settings) -> i32 {
    let stdin = path.as_os_str() == "-";
    let text = if stdin {
        let mut text = Vec::new();
        match std::io::stdin().lock().read_to_end(&mut text) {
            Ok(_) => Ok(text),
            Err(error) => Err(Unusable(format!("cannot read the standard input: {error}"))),
        }
    } else {
        files::read(path)
    };
    let text = match text {
        Ok(text) => text,
        Err(Unusable(why)) => {
            say(&format!("heist: {why}\n"));
            return IMPOSSIBLE;
        }
    };
    let formatted = match layout(path, text.clone(), fixity, settings) {
        Ok(formatted) => formatted,
        Err(code) => return code,
    };
    if check {
        if formatted == text {
            return ACCEPTED;
        }
        return written(
            output(format!("{}\n", path.display()).as_bytes()),
            Path::new("the standard output"),
        )
        .max(REFUSED);
    }
    if stdin {
        return written(output(&formatted), Path::new("the standard output"));
    }
    if formatted == text {
        return ACCEPTED;
    }
    written(std::fs::write(path, &formatted), path)
}

/// Returns the formatted text. Prints the messages.
///
/// # Errors
///
/// Returns the exit code if the text has errors.
fn layout(
    path: &Path,
    text: Vec<u8>,
    fixity: &mut FixityEnv,
    settings: &Settings,
) -> Result<Vec<u8>, i32> {
    let mut sources = Sources::default();
    let mut diagnostics = Diagnostics::default();
    let id = sources.add(path, text, false);
    let options = settings.dialect.options(path);
    let before = fixity.clone();
    // A text with errors is not formatted, but the files after it get the infix names of the part that could be parsed.
    let _ = syntax::parse(&sources, id, fixity, options, &mut Diagnostics::default());
    let formatted = syntax::format(&sources, id, &before, options, &mut diagnostics);
    report(&sources, &mut diagnostics, settings)?;
    formatted.ok_or(REFUSED)
}

/// Writes to standard output without Rust's stream `Stdout`, which does not report a closed output.
fn output(bytes: &[u8]) -> std::io::Result<()> {
    let stream = std::io::stdout().lock();
    let mut file = File::from(stream.as_fd().try_clone_to_owned()?);
    file.write_all(bytes)
}

/// Returns the exit code for the result of a write. Prints a message if the write has failed.
fn written(result: std::io::Result<()>, to: &Path) -> i32 {
    match result {
        Ok(()) => ACCEPTED,
        // The process that reads the output has closed it.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ACCEPTED,
        Err(error) => {
            say(&format!(
                "heist: cannot write to {}: {error}\n",
                to.display()
            ));
            IMPOSSIBLE
        }
    }
}
