//! Lowers the whole Basis.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::anf::{self, interp};
use crate::basis::{EPILOGUE, STANDARD};
use crate::diag::{Diagnostics, Style, render};
use crate::elab::{Elaborator, Options};
use crate::source::Sources;
use crate::syntax::{self, FixityEnv};
use crate::typed;

/// Elaborates the Basis and then a program, and lowers and checks this program. Returns the lowered program or the error.
fn lower(text: &[u8], parallel_forms: bool) -> Result<anf::Program, String> {
    let mut sources = Sources::default();
    let mut fixity = FixityEnv::default();
    let mut diagnostics = Diagnostics::default();
    let mut elaborator = Elaborator::new(Options::default());
    let files = STANDARD
        .iter()
        .map(|file| (file.text.as_bytes(), true))
        .chain([(text, false), (EPILOGUE.text.as_bytes(), true)]);
    for (text, builtin) in files {
        let id = sources.add("test.sml", text, builtin);
        let options = syntax::Options {
            parallel_forms: parallel_forms && !builtin,
            ..syntax::Options::default()
        };
        let decs = syntax::parse(&sources, id, &mut fixity, options, &mut diagnostics);
        elaborator.declare(&decs, builtin, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(render(&sources, diagnostics.items(), Style::default()));
        }
    }
    let mut mono = crate::mono::mono(elaborator.finish());
    typed::check::assert_well_typed(&mut mono);
    let program = super::super::lower(mono, Default::default(), &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(render(&sources, diagnostics.items(), Style::default()));
    }
    anf::check(&program).map_err(|error| format!("{error}\n{}", anf::dump(&program)))?;
    Ok(program)
}

/// Checks that a pass has left a program well formed and with the same outcome.
fn agrees(program: &anf::Program, name: &str, outcome: &interp::Outcome) {
    if let Err(error) = anf::check(program) {
        panic!("{name}: {error}");
    }
    let after = interp::run(program);
    assert_eq!(&after, outcome, "{name}");
}

#[test]
fn the_basis_is_lowered() {
    let program = lower(
        b"val () = print (Int.toString (List.foldl op+ 0 (List.tabulate (10, fn i => i * i))) ^ \"\\n\")
          val () = print (String.concatWith \",\" (map Int.toString (List.filter (fn n => n mod 2 = 0) [1, 2, 3, 4])) ^ \"\\n\")
          val () = print (Bool.toString (valOf (Int.fromString \"~12\") = ~12) ^ \"\\n\")
          val () = app print (String.tokens Char.isSpace \"a b  c\\n\")",
        false,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let outcome = interp::run(&program);
    assert_eq!(outcome.output, "285\n2,4\ntrue\nabc");
    assert_eq!(outcome.exn, None);
}

/// Runs the programs of `tests/conformance` in the interpreter. The driver's tests run the compiled programs. So if only those tests fail,
/// the fault is after lowering. With `HEIST_PML_PASSES`, this test also shows which later pass has the fault. `HEIST_PML_ONLY` selects some
/// of the programs.
#[test]
#[ignore = "slow; for those who look for a bug"]
fn conformance_by_the_interpreter() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/accept");
    let wanted = std::env::var("HEIST_PML_ONLY").unwrap_or_default();
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.with_extension("out").exists())
        .filter(|path| {
            path.extension()
                .is_some_and(|ext| ext == "sml" || ext == "pml")
        })
        .filter(|path| path.to_string_lossy().contains(&wanted))
        .collect();
    paths.sort();
    let mut verdicts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read(&path).expect("a program");
        let expected = std::fs::read_to_string(path.with_extension("out")).unwrap_or_default();
        let parallel = path.extension().is_some_and(|ext| ext == "pml");
        let verdict = match catch_unwind(AssertUnwindSafe(|| {
            lower(&text, parallel).map(|mut program| {
                let outcome = interp::run(&program);
                if std::env::var_os("HEIST_PML_PASSES").is_some() {
                    let mut lowered = program.clone();
                    crate::opt::optimise(&mut program);
                    if interp::run(&program) != outcome {
                        // The interpreter is slow, so the test runs it after each pass only if the outcome after all passes is wrong.
                        crate::opt::optimise_with(&mut lowered, |ran, program| {
                            let name = format!("{}:{}", ran.pass.name, ran.run);
                            agrees(program, &name, &outcome);
                        });
                    }
                    crate::close::close(&mut program);
                    agrees(&program, "close", &outcome);
                }
                outcome
            })
        })) {
            Ok(Ok(outcome)) if outcome.output == expected => "right".to_string(),
            Ok(Ok(outcome)) => {
                eprintln!("== {name}: wrong: {outcome:?}\nexpected {expected:?}");
                "wrong".to_string()
            }
            Ok(Err(error)) => {
                let start: String = error.chars().take(2_000).collect();
                eprintln!("== {name}: {start}");
                "refused".to_string()
            }
            Err(panic) => {
                let text = panic
                    .downcast_ref::<String>()
                    .cloned()
                    .unwrap_or_else(|| "panic".to_string());
                eprintln!("== {name}: {text}");
                "panic".to_string()
            }
        };
        verdicts.entry(verdict).or_default().push(name);
    }
    for (verdict, names) in &verdicts {
        eprintln!("{verdict}: {}", names.len());
    }
    assert!(verdicts.keys().all(|verdict| verdict == "right"));
}
