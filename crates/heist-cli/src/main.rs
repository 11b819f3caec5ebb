//! The program `heist`. All of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    heist_cli::main()
}
