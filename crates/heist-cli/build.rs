//! Records the build's data for `heist --version`.
//!
//! With the feature `pml`, this script also compiles the runtime of Parallel ML to a static library. The program `heist` contains that
//! library, and `heist build` links programs with it.
//!
//! A nested Cargo compiles the library, in a separate folder and with the profile `runtime`. So the profile, the instrumenting flags and
//! the lints of the build of `heist` have no effect on programs that `heist` makes.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "heist-pml-runtime";
const PROFILE: &str = "runtime";

/// The settings of the profile `runtime`. A panic aborts, because no Rust code above the runtime could catch it. The script passes the
/// settings on the command line, because a package from the registry has no profiles.
const SETTINGS: [&str; 10] = [
    "profile.runtime.inherits = 'release'",
    "profile.runtime.opt-level = 3",
    "profile.runtime.codegen-units = 1",
    "profile.runtime.lto = 'fat'",
    "profile.runtime.panic = 'abort'",
    "profile.runtime.debug = false",
    "profile.runtime.debug-assertions = false",
    "profile.runtime.overflow-checks = false",
    "profile.runtime.incremental = false",
    "profile.runtime.strip = 'debuginfo'",
];

/// Environment variables by which the outer Cargo, or its caller, configures the build of `heist`.
const OUTER: [&str; 9] = [
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_BUILD_DIR",
    "CARGO_TARGET_DIR",
    "CARGO_INCREMENTAL",
    "__CARGO_DEFAULT_LIB_METADATA",
];

fn main() {
    tell_version();
    // Cargo sets this variable if the feature `pml` is on.
    if env::var_os("CARGO_FEATURE_PML").is_none() {
        return;
    }
    // The build script of `heist-pml-runtime` sets this variable.
    let package = variable("DEP_HEIST_PML_RUNTIME_SOURCES");
    let workspace = package.join("../..");
    for file in [
        package.join("src"),
        package.join("Cargo.toml"),
        workspace.join("Cargo.toml"),
        workspace.join("Cargo.lock"),
    ] {
        // Cargo would consider a file that does not exist as changed in each build.
        if file.exists() {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    let target = env::var("TARGET").expect("Cargo says what it builds for");
    let folder = folder(&variable("OUT_DIR"));
    make(&package, &target, &folder);
    let archive = folder
        .join(&target)
        .join(PROFILE)
        .join(format!("lib{}.a", PACKAGE.replace('-', "_")));
    // Make a copy, because other builds may share the folder and replace the library in it.
    let copy = variable("OUT_DIR").join("runtime.a");
    if let Err(error) = std::fs::copy(&archive, &copy) {
        panic!("cannot copy {}: {error}", archive.display());
    }
    println!(
        "cargo::rustc-env=HEIST_PML_RUNTIME={}",
        copy.to_str().expect("a path that is UTF-8")
    );
}

/// Passes the text of `heist --version` to the crate: the version, the commit, the compiler and the profile.
fn tell_version() {
    let mut about = Vec::new();
    about.extend(commit());
    let compiler = output(Command::new(variable("RUSTC")).arg("--version"));
    // `rustc 1.95.0 (hash date)`
    let compiler = compiler.as_deref().and_then(|line| line.split(" (").next());
    about.extend(compiler.map(str::to_owned));
    let out = variable("OUT_DIR");
    let profile = out
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == "build"))
        .and_then(|build| build.parent()?.file_name()?.to_str());
    about.extend(profile.map(|profile| format!("profile {profile}")));
    println!(
        "cargo::rustc-env=HEIST_VERSION={} ({})",
        env::var("CARGO_PKG_VERSION").expect("Cargo sets it"),
        about.join(", ")
    );
}

/// Returns the hash of the commit that is built. The hash comes from the repository, or from the file
/// that `cargo package` writes.
fn commit() -> Option<String> {
    let here = variable("CARGO_MANIFEST_DIR");
    println!("cargo::rerun-if-changed=build.rs");
    let noted = here.join(".cargo_vcs_info.json");
    if let Ok(text) = std::fs::read_to_string(&noted) {
        let hash = text.split("\"sha1\": \"").nth(1)?.split('"').next()?;
        return Some(format!("commit {}", hash.get(..10)?));
    }
    let git = |words: &[&str]| output(Command::new("git").arg("-C").arg(&here).args(words));
    // Fail if the surrounding repository does not contain this package.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    for file in ["HEAD", "logs/HEAD"] {
        let file = here.join(git(&["rev-parse", "--git-path", file])?);
        if file.exists() {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    Some(format!(
        "commit {}",
        git(&["rev-parse", "--short=10", "HEAD"])?
    ))
}

/// Returns the standard output of a command without the final newline, or `None` if the command fails.
fn output(command: &mut Command) -> Option<String> {
    let output = command
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn variable(name: &str) -> PathBuf {
    env::var_os(name)
        .unwrap_or_else(|| panic!("Cargo sets {name}"))
        .into()
}

/// Returns the target directory of the nested Cargo. If this function finds the outer target directory, the result is the same for all
/// profiles.
fn folder(out: &Path) -> PathBuf {
    // `target/[triple/]profile/build/package-hash/out`
    let builds = out
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == "build"));
    match builds.and_then(Path::parent).and_then(Path::parent) {
        Some(target) => target.join(PACKAGE),
        None => out.join(PACKAGE),
    }
}

fn make(package: &Path, target: &str, folder: &Path) {
    let mut cargo = Command::new(variable("CARGO"));
    for name in OUTER {
        cargo.env_remove(name);
    }
    let output = cargo
        .env("CARGO_ENCODED_RUSTFLAGS", "-Cforce-frame-pointers=yes")
        .args(["rustc", "--lib", "--crate-type", "staticlib"])
        .args(SETTINGS.iter().flat_map(|setting| ["--config", setting]))
        .args(["--profile", PROFILE, "--target", target])
        .arg("--manifest-path")
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(folder)
        // This flag says that the library contains all Rust code of the executables that link it.
        .args(["--", "--cfg", "heist_executable"])
        .output();
    match output {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!(
            "cannot make the runtime of Parallel ML ({}):\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => panic!("cannot run Cargo for the runtime of Parallel ML: {error}"),
    }
}
