//! Builds the sources with loom's atomics.

fn main() {
    println!("cargo::rerun-if-changed=../build.rs");
    let package = std::env::var("CARGO_PKG_NAME").expect("Cargo sets it");
    let cfg = match package.as_str() {
        "heist-models" | "heist-pml-runtime-models" => "heist_model",
        _ => "loom",
    };
    println!("cargo::rustc-cfg={cfg}");
}
