//! The program `heist`. All of the program's code is in the library `heist_cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    heist_cli::main()
}
