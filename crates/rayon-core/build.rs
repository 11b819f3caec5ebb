//! An empty build script. The manifest has the key `links`, so that Cargo refuses two packages of this name
//! in one program. This key requires a build script.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
