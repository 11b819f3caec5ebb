//! The command line of the commands that only print descriptions: `heist list`, `heist info`.

use std::path::PathBuf;

use clap::Args;

/// The options of the commands that only print descriptions.
#[derive(Debug, Args)]
pub(crate) struct Listing {
    /// Write everything to FILE as JSON, in place of the text; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}
