//! Lowers programs from text to A-normal form, and runs them in the interpreter.

mod basis;
mod layout;
mod programs;

use crate::anf::{self, interp};
use crate::diag::Diagnostics;
use crate::elab::{Elaborator, Options};
use crate::source::Sources;
use crate::syntax::{self, FixityEnv};
use crate::typed;

const PRELUDE: &str = include_str!("prelude.sml");

/// Returns the typed program of a text, with the prelude before it.
pub(crate) fn elaborate(text: &str) -> typed::Program {
    let mut sources = Sources::default();
    let mut fixity = FixityEnv::default();
    let mut diagnostics = Diagnostics::default();
    let mut elaborator = Elaborator::new(Options::default());
    for (text, builtin) in [(PRELUDE, true), (text, false)] {
        let id = sources.add("test.sml", text, builtin);
        let options = syntax::Options {
            parallel_forms: true,
            ..syntax::Options::default()
        };
        let decs = syntax::parse(&sources, id, &mut fixity, options, &mut diagnostics);
        elaborator.declare(&decs, builtin, &mut diagnostics);
        assert!(!diagnostics.has_errors(), "{text}\n{diagnostics:#?}");
    }
    elaborator.finish()
}

/// Lowers and checks the program of a text. Returns the program and the messages.
pub(crate) fn lower_text(text: &str) -> (anf::Program, Diagnostics) {
    let mut mono = crate::mono::mono(elaborate(text));
    typed::check::assert_well_typed(&mut mono);
    let mut diagnostics = Diagnostics::default();
    let program = super::lower(mono, super::Forms::Parallel, &mut diagnostics);
    if !diagnostics.has_errors()
        && let Err(error) = anf::check(&program)
    {
        panic!("{text}\n{}\n{error}", anf::dump(&program));
    }
    (program, diagnostics)
}

/// Lowers and runs the program of a text, and returns the outcome. Asserts that optimisation and closure conversion do
/// not change the outcome.
pub(crate) fn run(text: &str) -> interp::Outcome {
    let (mut program, diagnostics) = lower_text(text);
    assert!(!diagnostics.has_errors(), "{text}\n{diagnostics:#?}");
    let outcome = interp::run(&program);
    crate::opt::optimise(&mut program);
    if let Err(error) = anf::check(&program) {
        panic!("optimised: {text}\n{}\n{error}", anf::dump(&program));
    }
    assert_eq!(interp::run(&program), outcome, "optimised: {text}");
    assert_eq!(
        interp::run_with(&program, true),
        outcome,
        "optimised, stolen: {text}"
    );
    crate::close::close(&mut program);
    if let Err(error) = anf::check(&program) {
        panic!("closed: {text}\n{}\n{error}", anf::dump(&program));
    }
    assert_eq!(interp::run(&program), outcome, "closed: {text}");
    assert_eq!(
        interp::run_with(&program, true),
        outcome,
        "closed, stolen: {text}"
    );
    outcome
}

/// Asserts the output of the program of a text, and that the program handles all exceptions.
pub(crate) fn prints(text: &str, output: &str) {
    let outcome = run(text);
    assert_eq!(outcome.output, output, "{text}");
    assert_eq!(outcome.exn, None, "{text}");
}
