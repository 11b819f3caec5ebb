//! Tells the build script of `heist-cli` where the sources of this crate are: next to `heist-cli` in the repository, or in Cargo's registry
//! if `heist-cli` is installed from there.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it");
    println!("cargo::metadata=sources={here}");
}
