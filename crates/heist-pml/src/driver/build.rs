//! `heist build` makes an executable from source files.

use std::fs;
use std::path::{Path, PathBuf};

use super::compile::{self, say};
use super::files::STANDARD_INPUT;
use super::times::{Phase, Times};
use super::{IMPOSSIBLE, Settings, link};
use crate::codegen::Processor;

/// The name of the runtime library that is written next to an object file.
const RUNTIME: &str = "libheist_pml_runtime.a";

/// The options of `heist build`.
#[derive(Clone, Debug)]
pub struct Build<'a> {
    /// The file to make. By default, the file is in the current folder and has the name of the last source file without its extension.
    pub out: Option<PathBuf>,
    /// Whether to make an object file instead of an executable. The runtime library is then written to the same folder.
    pub object: bool,
    /// Whether code may use all features of this machine's processor.
    pub native: bool,
    /// Whether to write DWARF, with which debuggers and profilers show lines of the text.
    pub debug: bool,
    /// The runtime, a static library.
    pub runtime: &'a [u8],
}

/// Compiles a program and makes an executable or object file.
///
/// # Errors
///
/// Returns the exit code if the compiler rejects the program, or if the file cannot be made. In both cases, the function has printed the
/// messages.
pub fn build(files: &[PathBuf], build: &Build, settings: &Settings) -> Result<(), i32> {
    let impossible = |why: String| {
        say(&format!("heist: {why}\n"));
        IMPOSSIBLE
    };
    let out = out(files, build).map_err(impossible)?;
    let processor = if build.native {
        Processor::This
    } else {
        Processor::Any
    };
    let mut times = Times::new();
    let object = compile::object(files, processor, build.debug, settings, &mut times)?;
    let made = times.phase(Phase::Link, || {
        if build.object {
            write(&out, &object).and_then(|()| write(&out.with_file_name(RUNTIME), build.runtime))
        } else {
            link::executable(&object, build.runtime, &out, build.debug)
        }
    });
    made.map_err(impossible)?;
    times.print(settings);
    Ok(())
}

/// Returns the path of the file to write. Checks, before compilation, that the file can be written.
fn out(files: &[PathBuf], build: &Build) -> Result<PathBuf, String> {
    let last = files.last();
    let out = match (&build.out, last.and_then(|file| file.file_stem())) {
        (Some(out), _) => out.clone(),
        (None, _) if last.is_some_and(|file| file.as_os_str() == STANDARD_INPUT) => {
            return Err(
                "the program is read from the standard input: name the file to make with -o".into(),
            );
        }
        (None, Some(stem)) => {
            let stem = PathBuf::from(stem);
            if build.object {
                stem.with_extension("o")
            } else {
                stem
            }
        }
        (None, None) => return Err("there is no file to compile".into()),
    };
    let folder = folder(&out);
    if !folder.is_dir() {
        return Err(format!(
            "cannot write `{}`: there is no folder `{}`",
            out.display(),
            folder.display()
        ));
    }
    if let Ok(there) = fs::metadata(&out) {
        if !there.is_file() {
            let what = if there.is_dir() {
                "a folder"
            } else {
                "no ordinary file"
            };
            return Err(format!(
                "cannot write `{}`: it is {what}; name another file with -o",
                out.display()
            ));
        }
        let extension = out.extension().and_then(|extension| extension.to_str());
        let source = matches!(extension, Some("sml" | "pml" | "sig" | "fun" | "mlb"));
        let whole = out.canonicalize().ok();
        if source || files.iter().any(|file| file.canonicalize().ok() == whole) {
            return Err(format!(
                "`{}` is a source file and would be overwritten; name another file with -o",
                out.display()
            ));
        }
    }
    Ok(out)
}

/// Returns the folder of a file.
pub fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(file, bytes).map_err(|error| format!("cannot write `{}`: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_from_the_standard_input_needs_a_name() {
        let build = Build {
            out: None,
            object: false,
            native: false,
            debug: false,
            runtime: &[],
        };
        let files = [PathBuf::from("a.sml"), PathBuf::from("-")];
        assert_eq!(out(&files[..1], &build), Ok(PathBuf::from("a")));
        assert_eq!(
            out(&files, &build),
            Err(
                "the program is read from the standard input: name the file to make with -o"
                    .to_owned()
            )
        );
        let named = Build {
            out: Some(PathBuf::from("b")),
            ..build
        };
        assert_eq!(out(&files, &named), Ok(PathBuf::from("b")));
    }
}
