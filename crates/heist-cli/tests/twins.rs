//! Tests that the checksums of the twins in `heist-suite` and in `crates/heist-pml/bench/twins`
//! agree.

use std::path::{Path, PathBuf};

mod common;

use common::heist;
use heist_suite::Runner;
use heist_suite::twins::{On, twins};

/// Returns the files of a program, in order.
fn files(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../heist-pml/bench/twins");
    let program = format!("{name}.pml");
    let files = ["twin.sml", "prose.sml", "network.sml", &program];
    files.map(|file| folder.join(file)).to_vec()
}

#[test]
fn both_languages_find_the_same() {
    let runner = Runner::new(3).unwrap();
    for twin in twins() {
        let size = twin.size / 50 + 8;
        let mut running = (twin.prepare)(size);
        running.run(On::Serial, &runner);
        let serial = running.checksum();
        for on in [On::Heist, On::Rayon] {
            running.run(on, &runner);
            assert_eq!(running.checksum(), serial, "{}, {on:?}", twin.name);
        }
        for workers in ["1", "3"] {
            let files = files(twin.name);
            let mut arguments = vec!["run", "--workers", workers];
            arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
            let size = size.to_string();
            arguments.extend([size.as_str(), "2"]);
            let output = heist(&arguments);
            let said = String::from_utf8_lossy(&output.stderr);
            let found = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(found, format!("{serial:X}\n"), "{}: {said}", twin.name);
            assert_eq!(said.matches("kernel ").count(), 2, "{}: {said}", twin.name);
        }
    }
}

/// Each program in Parallel ML has a twin in Rust, and the reverse.
#[test]
fn no_program_is_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../heist-pml/bench/twins");
    let mut programs: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "pml"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    programs.sort();
    let mut names: Vec<&str> = twins().iter().map(|twin| twin.name).collect();
    names.sort_unstable();
    assert_eq!(programs, names);
}
