//! Links programs with the machine's C compiler, because the C compiler knows the paths of the C library and of the startup code.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{SystemTime, UNIX_EPOCH};

use super::build::folder;

/// Libraries of the system that the runtime needs.
const LIBRARIES: [&str; 3] = ["-lm", "-lpthread", "-ldl"];

/// A file or folder. Dropping the value deletes the file or folder.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // If the file cannot be removed, nothing else can be done.
        let _ = if self.0.is_dir() {
            fs::remove_dir_all(&self.0)
        } else {
            fs::remove_file(&self.0)
        };
    }
}

/// Makes an executable of an object file and the runtime.
///
/// # Errors
///
/// Returns the reason why the executable could not be made.
pub fn executable(object: &[u8], runtime: &[u8], out: &Path, debug: bool) -> Result<(), String> {
    let cannot = |what: &Path, error| format!("cannot write `{}`: {error}", what.display());
    let stamp = stamp();
    let parts = Temporary(std::env::temp_dir().join(format!("heist-build-{stamp}")));
    DirBuilder::new()
        .mode(0o700)
        .create(&parts.0)
        .map_err(|error| cannot(&parts.0, error) + "; TMPDIR names the folder for such files")?;
    let part = |name: &str, bytes: &[u8]| {
        let file = parts.0.join(name);
        match fs::write(&file, bytes) {
            Ok(()) => Ok(file),
            Err(error) => Err(cannot(&file, error)),
        }
    };
    let object = part("program.o", object)?;
    let runtime = part("libheist_pml_runtime.a", runtime)?;
    // The linker writes a temporary file in the same folder, and the complete file then replaces the old file. The linker must not write to
    // the old file, which may be running, and it may fail after it has written a part.
    let mut name = OsString::from(".");
    name.push(out.file_name().unwrap_or(OsStr::new("program")));
    name.push(format!("-{stamp}"));
    let whole = Temporary(folder(out).join(name));
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&whole.0)
        .and_then(|_| fs::remove_file(&whole.0))
        .map_err(|error| cannot(out, error))?;
    link(&object, &runtime, &whole.0, debug)?;
    fs::rename(&whole.0, out).map_err(|error| cannot(out, error))
}

/// Returns a part of a file name that no other run of the compiler uses.
fn stamp() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.subsec_nanos());
    format!("{}-{now:x}", std::process::id())
}

fn link(object: &Path, runtime: &Path, out: &Path, debug: bool) -> Result<(), String> {
    let output = run(object, runtime, out, debug)?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "the C compiler cannot link the program ({}):\n{}",
        output.status,
        said.trim_end()
    ))
}

/// Runs the linker: the command in the variable `CC`, which may have arguments, or `cc`.
fn run(object: &Path, runtime: &Path, out: &Path, debug: bool) -> Result<Output, String> {
    let chosen = std::env::var("CC").unwrap_or_default();
    let mut words = chosen.split_whitespace();
    let compiler = words.next().unwrap_or("cc");
    Command::new(compiler)
        .args(words)
        .arg("-o")
        .arg(out)
        .args([object, runtime])
        // The first option links only the needed parts of the runtime. The runtime's debug information would be most of the file, so the
        // executable has this information only if `debug` is true.
        .arg("-Wl,--gc-sections")
        .args((!debug).then_some("-Wl,--strip-debug"))
        .args(LIBRARIES)
        .output()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound if chosen.trim().is_empty() => {
                "executables are linked by a C compiler, and there is no `cc`: install one (Debian, Ubuntu: \
                 `apt install gcc`; Fedora: `dnf install gcc`; Arch: `pacman -S gcc`), or name one by the variable CC"
                    .to_owned()
            }
            ErrorKind::NotFound => {
                format!("executables are linked by a C compiler, and there is no `{compiler}`, which the variable CC names")
            }
            _ => format!("cannot run the C compiler `{compiler}`: {error}"),
        })
}
