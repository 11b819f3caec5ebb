//! There is nothing to build: `links` in the manifest, which wants a build script, makes Cargo refuse two packages of
//! this name in one program.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
