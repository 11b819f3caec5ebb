//! The commands for Parallel ML, which pass the request to the compiler.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ValueEnum;
use heist_pml::driver::{self, Dialect, Forms, Memory, Settings};

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::heap_profile;
use crate::outfile::Outfile;
use crate::prompt;
use crate::say;
use crate::version::VERSION;
use args::{
    Build, Check, Compile, DialectName, Explain, Fmt, ForksName, Lsp, MemoryName, Repl, Run,
};

pub(crate) mod args;

/// The runtime of Parallel ML as a static library, which the build script makes.
static RUNTIME: &[u8] = include_bytes!(env!("HEIST_PML_RUNTIME"));

/// Runs `heist run`.
pub(crate) fn run(args: &Run) -> Result<(), Failure> {
    let sources = args.rest.iter().take_while(|word| is_source(word)).count();
    let files: Vec<PathBuf> = std::iter::once(args.file.clone())
        .chain(args.rest[..sources].iter().map(PathBuf::from))
        .collect();
    let plain = settings(&args.compile)?;
    let (memory, eager) = match args.memory {
        MemoryName::Lazy => (Memory::Split, false),
        MemoryName::LazyCopying => (Memory::Copying, false),
        MemoryName::Eager => (Memory::Split, true),
        MemoryName::EagerCopying => (Memory::Copying, true),
        MemoryName::Flat => (Memory::Flat, false),
    };
    if eager && plain.forms == Forms::Clones {
        return Err(Failure::Request(
            "--forks clones promotes nothing before a steal: it goes with --memory lazy, lazy-copying and flat"
                .to_owned(),
        ));
    }
    let heap_profile = args.heap_profile.as_deref().map(heap_profile::file);
    let settings = Settings {
        heap_types: args.heap_profile.is_some(),
        heap_profile: heap_profile.transpose()?,
        stats: args.stats,
        stats_json: args.stats_json.clone(),
        perf_map: args.perf_map,
        memory,
        forms: if eager && plain.forms == Forms::Parallel {
            Forms::Eager
        } else {
            plain.forms
        },
        heap: args.heap,
        stack: args.stack,
        workers: args.workers.map(usize::from),
        arguments: args.rest[sources..].to_vec(),
        ..plain
    };
    let code = driver::run(&files, &settings);
    // Drop the settings, which deletes a file for results that was not written. The end of the process would not drop the settings.
    drop(settings);
    leave(code)
}

/// Runs `heist build`.
pub(crate) fn build(args: &Build) -> Result<(), Failure> {
    let build = driver::Build {
        out: args.out.clone(),
        object: args.object,
        native: args.native,
        debug: args.debug,
        runtime: RUNTIME,
    };
    let settings = Settings {
        heap_types: args.heap_profile,
        ..settings(&args.compile)?
    };
    leave(driver::build(&args.files, &build, &settings))
}

/// Runs `heist check`.
pub(crate) fn check(args: &Check) -> Result<(), Failure> {
    let Some(path) = &args.json else {
        return leave(driver::check(&args.files, &settings(&args.compile)?));
    };
    let mut file = Outfile::open("--json", path)?;
    // The driver prints its messages. So to get the messages, this command starts `heist` again as a user would, and reads the output.
    let itself = std::env::current_exe()
        .map_err(|error| Failure::Request(format!("cannot find this program: {error}")))?;
    let dialect = args.compile.dialect.to_possible_value();
    let mut asked = Command::new(itself);
    asked.arg("check").stdin(Stdio::inherit());
    if let Some(dialect) = &dialect {
        asked.args(["--dialect", dialect.get_name()]);
    }
    let output = asked
        .arg("--")
        .args(&args.files)
        .output()
        .map_err(|error| Failure::Request(format!("cannot run this program: {error}")))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code().unwrap_or(driver::IMPOSSIBLE);
    if code == driver::IMPOSSIBLE {
        let line = messages.trim();
        let line = line.strip_prefix("heist: ").unwrap_or(line);
        return Err(Failure::Request(line.to_owned()));
    }
    let report = json!({
        "format": 1,
        "heist": VERSION,
        "accepted": code == driver::ACCEPTED,
        "messages": found(&messages),
    });
    file.fill(&format!("{report:#}\n"))?;
    // Drop the file, because the end of the process would not drop it.
    drop(file);
    leave(code)
}

/// Returns the messages in the output of `heist check`. Each message is a line `error[E0302]: text`, followed by a
/// line with the place.
fn found(printed: &str) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    for line in printed.lines() {
        if let Some((severity, code, text)) = heading(line) {
            messages.push(json!({"severity": severity, "code": code, "message": text}));
        } else if let Some((file, line, column)) = place(line)
            && let Some(Value::Object(message)) = messages.last_mut()
            && !message.contains_key("file")
        {
            message.insert("file".to_owned(), file.into());
            message.insert("line".to_owned(), line.into());
            message.insert("column".to_owned(), column.into());
        }
    }
    messages
}

fn heading(line: &str) -> Option<(&str, &str, &str)> {
    let (head, text) = line.split_once("]: ")?;
    let (severity, code) = head.split_once('[')?;
    ["error", "warning"]
        .contains(&severity)
        .then_some((severity, code, text))
}

/// Returns the parts of a line ` ┌─ lib/a.sml:3:5`.
fn place(line: &str) -> Option<(&str, u64, u64)> {
    let rest = line.trim_start().strip_prefix("┌─ ")?;
    let (rest, column) = rest.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?, column.parse().ok()?))
}

/// Runs `heist explain`.
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

/// Runs `heist fmt`.
pub(crate) fn fmt(args: &Fmt) -> Result<(), Failure> {
    let settings = Settings {
        dialect: dialect(args.dialect),
        ..plain()
    };
    let files = if let [one] = args.files.as_slice() {
        vec![one.clone()]
    } else {
        // If the user gives several files, for example by `examples/*`, the command formats only the programs among them.
        let programs = args.files.iter().filter(|file| is_program(file));
        programs.cloned().collect()
    };
    if files.is_empty() {
        return Err(Failure::Request(
            "none of the files is a program; name files that end in .sml, .pml, .sig, .fun or .mlb"
                .to_owned(),
        ));
    }
    leave(driver::format(&files, args.check, &settings))
}

/// Runs `heist repl`.
pub(crate) fn repl(args: &Repl) -> Result<(), Failure> {
    let settings = Settings {
        dialect: dialect(args.dialect),
        heap: args.heap,
        stack: args.stack,
        workers: args.workers.map(usize::from),
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

/// Runs `heist lsp`.
pub(crate) fn lsp(args: &Lsp) -> Result<(), Failure> {
    // The pattern names all options of the command, so that the compiler reports a forgotten option.
    let Lsp {
        dialect: name,
        mlb_path_var,
        stdio: _,
    } = args;
    let settings = Settings {
        dialect: dialect(*name),
        path_variables: mlb_path_var.clone(),
        ..plain()
    };
    leave(driver::serve(&settings))
}

/// Returns settings from the environment.
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

/// Returns settings from the options and the environment.
fn settings(compile: &Compile) -> Result<Settings, Failure> {
    // The last given size of `int` applies.
    let mut ints = compile.default_type.iter().rev();
    let int32 = ints
        .find(|it| it.starts_with("int"))
        .is_some_and(|it| it == "int32");
    if int32 && matches!(compile.dialect, DialectName::Manticore) {
        return Err(Failure::Request(
            "`--default-type int32` is for the dialects sml and pml: `int` has 64 bits in manticore".to_owned(),
        ));
    }
    Ok(Settings {
        dialect: dialect(compile.dialect),
        dumps: compile.dump.clone(),
        time_passes: compile.time_passes,
        path_variables: compile.mlb_path_var.clone(),
        int32,
        forms: match compile.forks {
            _ if compile.sequential => Forms::Sequential,
            ForksName::Free => Forms::Parallel,
            ForksName::Clones => Forms::Clones,
        },
        ..plain()
    })
}

/// Returns true if a file may be formatted: it is standard input, or has the name of a source file. A missing file is
/// reported later.
fn is_program(file: &Path) -> bool {
    file == Path::new("-") || !file.exists() || (file.is_file() && is_source(file.as_os_str()))
}

/// Returns true if a word names a source file, and so is not an argument of the program.
fn is_source(word: &OsStr) -> bool {
    let extension = Path::new(word)
        .extension()
        .and_then(|extension| extension.to_str());
    matches!(extension, Some("sml" | "pml" | "sig" | "fun" | "mlb"))
}

/// Ends the process with the compiler's exit code. The caller must have printed all messages.
fn leave(code: i32) -> Result<(), Failure> {
    if code == driver::ACCEPTED {
        Ok(())
    } else {
        std::process::exit(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_apart() {
        let printed = "\
error[E0302]: these types differ
  ┌─ lib/a: b.sml:3:14
  │
3 │ val x = 1 + true
  │             ^^^^ this is a bool

warning[W0001]: this case is never reached
   ┌─ c.sml:10:1
   ┌─ other.sml:1:1
heist: 1 error
";
        assert_eq!(
            found(printed),
            [
                json!({"severity": "error", "code": "E0302", "message": "these types differ",
                    "file": "lib/a: b.sml", "line": 3, "column": 14}),
                json!({"severity": "warning", "code": "W0001", "message": "this case is never reached",
                    "file": "c.sml", "line": 10, "column": 1}),
            ]
        );
        assert!(found("").is_empty());
    }

    #[test]
    fn programs_are_told_from_other_files() {
        assert!(is_program(Path::new("a/b.sml")) && is_program(Path::new("-")));
        assert!(is_program(Path::new("no-such-file")));
        assert!(!is_program(Path::new("Cargo.toml")) && !is_program(Path::new("src")));
    }
}
