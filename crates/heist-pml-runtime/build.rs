//! Tells the build script of `heist-cli` where these sources are: next to it in the repository, or in Cargo's registry once installed.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it");
    println!("cargo::metadata=sources={here}");
}
