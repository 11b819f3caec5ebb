//! An empty build script. The manifest has `links`, which requires a build script and makes Cargo refuse two
//! packages of this name in one program.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
