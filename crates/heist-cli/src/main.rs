//! The program `heist`. All of its code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    heist_cli::main()
}
