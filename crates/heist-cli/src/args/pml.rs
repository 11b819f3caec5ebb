//! The commands for Parallel ML.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const RUN_EXAMPLES: &str = "\
Examples:
  heist run examples/quicksort.pml 100000       compile, and run with an argument
  heist run lib.sml main.sml                    several files, in order
  heist run project.mlb                         a list of files
  heist run --dialect manticore old.pml         a program written for Manticore
  heist run --stats --heap 512M life.sml        what was allocated and collected, in half a gigabyte
  heist run --dump anf fib.sml                  what a pass of the compiler made of it

Exit codes: the program's own; 1 if it is refused or an exception is not handled, 2 if the request cannot be carried
out, or stack or memory run out.";

/// Which language the files are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// By the files' names: parallel forms in `.pml`, plain Standard ML in all others
    Auto,
    /// Standard ML '97, with parallel tuples and arrays
    Sml,
    /// Parallel ML with the semantics of Standard ML
    Pml,
    /// Parallel ML as Manticore had it: integers of 32 bits that wrap round, and its names
    Manticore,
}

/// What a pass made of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DumpName {
    /// After type inference
    Typed,
    /// One copy of each function for each type
    Mono,
    /// A-normal form, optimised
    Anf,
    /// Cranelift's intermediate language
    Clif,
    /// Machine code
    Asm,
}

/// What all commands that compile take.
#[derive(Debug, Args)]
pub(crate) struct Compile {
    /// Which language the files are in
    #[arg(long, value_name = "DIALECT", value_enum, default_value = "auto")]
    pub(crate) dialect: DialectName,

    /// Print what a pass made of the program, on standard error
    #[arg(long, value_name = "PASS", value_enum)]
    pub(crate) dump: Vec<DumpName>,
}

/// Compile a program and run it.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) compile: Compile,

    /// Print what was allocated and collected, and the pauses, when the program ends
    #[arg(long)]
    pub(crate) stats: bool,

    /// Most memory for the heap, with K, M or G [default: four fifths of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) heap: Option<u64>,

    /// Stack of the program, with K, M or G [default: 4G, which takes no memory until it is used]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) stack: Option<u64>,

    /// The program: a file, or files up to the first argument that does not end in .sml, .pml, .sig, .fun or .mlb
    #[arg(required = true, value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// More files, then arguments for the program
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "FILE or ARGUMENT"
    )]
    pub(crate) rest: Vec<String>,
}

/// Check a program without running it.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) compile: Compile,

    /// The files, in order; `.mlb` files list others
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// Explain an error code.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The code, as an error message shows it: E0301; none lists all of them
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

/// A number of bytes: `4096`, `64K`, `512M`, `2G`.
fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let size = digits
        .parse::<u64>()
        .ok()
        .and_then(|size| size.checked_mul(1 << unit));
    size.filter(|size| *size >= 1 << 20)
        .ok_or_else(|| format!("`{text}` is not a size of a mebibyte or more, such as 512M"))
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("2G"), Ok(2 << 30));
        assert_eq!(bytes("1048576"), Ok(1 << 20));
        assert!(bytes("7").is_err());
        assert!(bytes("99999999999G").is_err());
        assert!(bytes("").is_err());
    }
}
