//! The command line of the commands that only describe: `heist list`, `heist info`.

use std::path::PathBuf;

use clap::Args;

/// Options of the commands that only describe.
#[derive(Debug, Args)]
pub(crate) struct Listing {
    /// Write everything to FILE as JSON, in place of the text; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}
