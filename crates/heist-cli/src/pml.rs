//! The commands for Parallel ML: what was asked for, told to the compiler.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use heist_pml::driver::{self, Dialect, Dump, Forms, Settings};

use crate::args::pml::{
    Build, Check, Compile, DialectName, DumpName, Explain, Fmt, Lsp, Repl, Run,
};
use crate::failure::Failure;
use crate::prompt;
use crate::say;

/// The runtime of Parallel ML as a static library: the build script makes it.
static RUNTIME: &[u8] = include_bytes!(env!("HEIST_PML_RUNTIME"));

/// `heist run`
pub(crate) fn run(args: &Run) -> Result<(), Failure> {
    let sources = args.rest.iter().take_while(|word| is_source(word)).count();
    let files: Vec<PathBuf> = std::iter::once(args.file.clone())
        .chain(args.rest[..sources].iter().map(PathBuf::from))
        .collect();
    let settings = Settings {
        stats: args.stats,
        heap: args.heap,
        stack: args.stack,
        workers: args.workers.map(usize::from),
        arguments: args.rest[sources..].to_vec(),
        ..settings(&args.compile)
    };
    leave(driver::run(&files, &settings))
}

/// `heist build`
pub(crate) fn build(args: &Build) -> Result<(), Failure> {
    let build = driver::Build {
        out: args.out.clone(),
        object: args.object,
        native: args.native,
        runtime: RUNTIME,
    };
    leave(driver::build(&args.files, &build, &settings(&args.compile)))
}

/// `heist check`
pub(crate) fn check(args: &Check) -> Result<(), Failure> {
    leave(driver::check(&args.files, &settings(&args.compile)))
}

/// `heist explain`
pub(crate) fn explain(args: &Explain) -> Result<(), Failure> {
    match &args.code {
        None => say::out(&driver::codes()),
        Some(code) => match driver::explain(code) {
            Some(text) => say::out(&text),
            None => Err(Failure::Request(format!(
                "there is no error code `{code}`; `heist explain` lists them"
            ))),
        },
    }
}

/// `heist fmt`
pub(crate) fn fmt(args: &Fmt) -> Result<(), Failure> {
    let settings = Settings {
        dialect: dialect(args.dialect),
        ..plain()
    };
    leave(driver::format(&args.files, args.check, &settings))
}

/// `heist repl`
pub(crate) fn repl(args: &Repl) -> Result<(), Failure> {
    let settings = Settings {
        dialect: dialect(args.dialect),
        heap: args.heap,
        stack: args.stack,
        workers: Some(1),
        ..plain()
    };
    let terminal = std::io::stdin().is_terminal();
    let reader = move || {
        if terminal {
            prompt::terminal()
        } else {
            prompt::plain()
        }
    };
    leave(driver::repl(reader, &args.files, !terminal, &settings))
}

/// `heist lsp`
pub(crate) fn lsp(args: &Lsp) -> Result<(), Failure> {
    // It is all that there is.
    let Lsp {
        dialect: name,
        stdio: _,
    } = args;
    let settings = Settings {
        dialect: dialect(*name),
        ..plain()
    };
    leave(driver::serve(&settings))
}

/// Settings from the surroundings.
fn plain() -> Settings {
    Settings {
        colour: std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        ..Settings::default()
    }
}

fn dialect(name: DialectName) -> Dialect {
    match name {
        DialectName::Auto => Dialect::Auto,
        DialectName::Sml => Dialect::Sml,
        DialectName::Pml => Dialect::Pml,
        DialectName::Manticore => Dialect::Manticore,
    }
}

fn settings(compile: &Compile) -> Settings {
    let dump = |name: &DumpName| match name {
        DumpName::Typed => Dump::Typed,
        DumpName::Mono => Dump::Mono,
        DumpName::Anf => Dump::Anf,
        DumpName::Clif => Dump::Clif,
        DumpName::Asm => Dump::Asm,
    };
    Settings {
        dialect: dialect(compile.dialect),
        dumps: compile.dump.iter().map(dump).collect(),
        forms: if compile.sequential {
            Forms::Sequential
        } else {
            Forms::Parallel
        },
        ..plain()
    }
}

/// A word that names a source file, not an argument of the program.
fn is_source(word: &str) -> bool {
    let extension = Path::new(word)
        .extension()
        .and_then(|extension| extension.to_str());
    matches!(extension, Some("sml" | "pml" | "sig" | "fun" | "mlb"))
}

/// Ends with the compiler's exit code, having said all there is to say.
fn leave(code: i32) -> Result<(), Failure> {
    if code == driver::ACCEPTED {
        Ok(())
    } else {
        std::process::exit(code)
    }
}
