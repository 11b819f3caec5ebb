//! With the feature `pml`: makes the runtime of Parallel ML a static library, which `heist` carries in itself. `heist build` links
//! programs with it.
//!
//! A nested Cargo makes it, in a folder of its own, with the profile `runtime` of the workspace: whatever `heist` itself is built
//! for, by a profile, an instrumenting flag or a lint, does not concern the programs that it makes.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "heist-pml-runtime";
const PROFILE: &str = "runtime";

/// Variables by which the outer Cargo, or its caller, describes the build of `heist`.
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
    // Cargo sets this where the feature `pml` is on.
    if env::var_os("CARGO_FEATURE_PML").is_none() {
        println!("cargo::rerun-if-changed=build.rs");
        return;
    }
    let here = variable("CARGO_MANIFEST_DIR");
    let package = here.join("..").join(PACKAGE);
    let workspace = here.join("../..");
    for file in [
        package.join("src"),
        package.join("Cargo.toml"),
        workspace.join("Cargo.toml"),
        workspace.join("Cargo.lock"),
        here.join("build.rs"),
    ] {
        // A file that does not exist would count as changed each time.
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
    // A copy of its own: other builds may share the folder, and replace what is in it.
    let copy = variable("OUT_DIR").join("runtime.a");
    if let Err(error) = std::fs::copy(&archive, &copy) {
        panic!("cannot copy {}: {error}", archive.display());
    }
    println!(
        "cargo::rustc-env=HEIST_PML_RUNTIME={}",
        copy.to_str().expect("a path that is UTF-8")
    );
}

fn variable(name: &str) -> PathBuf {
    env::var_os(name)
        .unwrap_or_else(|| panic!("Cargo sets {name}"))
        .into()
}

/// The target directory of the nested Cargo: one for all profiles where the outer one's can be found.
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
        .args(["--profile", PROFILE, "--target", target])
        .arg("--manifest-path")
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(folder)
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
