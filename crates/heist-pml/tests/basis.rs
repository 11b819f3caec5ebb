//! Runs the programs of `tests/basis`, each in a separate process, and compares their output with the expected output.
//!
//! `cargo test --test basis -- NAME...` runs some of the programs. With `HEIST_BUILD=target/release/heist`, the test
//! builds an executable of each program with this `heist`, and runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use heist_pml::driver::{self, Dialect, Settings};

/// The argument that makes this program run one file instead of the tests.
const RUN: &str = "--run-file";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, file] = &arguments[..]
        && first == RUN
    {
        let settings = Settings {
            dialect: if is_manticore(Path::new(file)) {
                Dialect::Manticore
            } else {
                Dialect::Auto
            },
            ..Settings::default()
        };
        let code = driver::run(&[PathBuf::from(file)], &settings);
        std::process::exit(code);
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/basis");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of the tests")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|end| end == "sml" || end == "pml")
        })
        .filter(|path| path.with_extension("out").exists())
        .collect();
    programs.sort();
    let mut failed = 0;
    for program in &programs {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        if !wanted.is_empty() && !wanted.iter().any(|wanted| **wanted == name) {
            continue;
        }
        match run(program) {
            Ok(()) => println!("{name}: ok"),
            Err(why) => {
                failed += 1;
                println!("{name}: FAILED\n{why}");
            }
        }
    }
    assert!(!programs.is_empty(), "no programs in {}", folder.display());
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        println!("{failed} of {} programs failed", programs.len());
        ExitCode::FAILURE
    }
}

/// Returns true if a program is in the dialect of Manticore.
fn is_manticore(program: &Path) -> bool {
    program
        .file_stem()
        .is_some_and(|name| name.to_string_lossy().starts_with("manticore"))
}

/// Returns the command that runs a program: this executable, or an executable that `heist build` makes.
fn command(program: &Path) -> Result<Command, String> {
    let text = |error: std::io::Error| error.to_string();
    let Some(heist) = std::env::var_os("HEIST_BUILD") else {
        let mut command = Command::new(std::env::current_exe().map_err(text)?);
        command.arg(RUN).arg(program);
        return Ok(command);
    };
    let name = program.file_stem().unwrap_or_default();
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let dialect = if is_manticore(program) {
        "manticore"
    } else {
        "auto"
    };
    let built = Command::new(heist)
        .args(["build", "--dialect", dialect, "-o"])
        .args([made.as_path(), program])
        .output()
        .map_err(text)?;
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr).into_owned();
        return Err(format!("not built: {said}"));
    }
    Ok(Command::new(made))
}

/// Runs a program, and compares its output with the expected output.
fn run(program: &Path) -> Result<(), String> {
    let output = command(program)?
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let expected =
        std::fs::read(program.with_extension("out")).map_err(|error| error.to_string())?;
    if output.status.success() && output.stdout == expected {
        return Ok(());
    }
    let mut why = format!("{}\n", output.status);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (got, expected) = (text(&output.stdout), text(&expected));
    let (mut got, mut expected) = (got.lines(), expected.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (got.next(), expected.next()) {
            (None, None) => break,
            (got, expected) if got == expected => {}
            (got, expected) => {
                why.push_str(&format!(
                    "line {line}: expected {expected:?}, got {got:?}\n"
                ));
                break;
            }
        }
    }
    why.push_str(
        text(&output.stderr)
            .lines()
            .take(20)
            .collect::<Vec<_>>()
            .join("\n")
            .as_str(),
    );
    Err(why)
}
