//! Tests the libraries of parallel programs, on several workers and in many modes (`modes/mod.rs`).

mod modes;

use std::process::ExitCode;

/// The test programs, each with its name. Each program prints one line.
const PROGRAMS: &[(&str, &str)] = &[
    ("sequences", include_str!("library/seq.pml")),
    ("delayed sequences", include_str!("library/delayed.pml")),
    (
        "texts, tables, graphs, points",
        include_str!("library/shared.pml"),
    ),
];

fn main() -> ExitCode {
    let programs: Vec<(&str, String)> = PROGRAMS
        .iter()
        .map(|(name, text)| (*name, (*text).to_owned()))
        .collect();
    modes::main(&programs, None)
}
