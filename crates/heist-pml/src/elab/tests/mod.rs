//! Tests the types of correct programs, and the errors of wrong programs.

mod core;
mod declarations;
mod forms;
mod fuzz;
mod index;
mod messages;
mod modules;

use super::{Elaborator, Options};
use crate::diag::Diagnostics;
use crate::source::Sources;
use crate::symbol::Symbol;
use crate::syntax::{self, FixityEnv};

const PRELUDE: &str = include_str!("prelude.sml");

/// Elaborates the prelude and a program. Returns the elaborator and the messages about the program.
fn elaborate(text: &str) -> (Elaborator, Diagnostics) {
    let mut session = Session::new();
    let diagnostics = session.declare(text, false, true);
    (session.elaborator, diagnostics)
}

/// An elaborator for tests, which takes the texts of programs.
struct Session {
    sources: Sources,
    fixity: FixityEnv,
    elaborator: Elaborator,
}

impl Session {
    /// Makes an elaborator that has elaborated the prelude.
    fn new() -> Session {
        let mut session = Session {
            sources: Sources::default(),
            fixity: FixityEnv::default(),
            elaborator: Elaborator::new(Options {
                record: true,
                ..Options::default()
            }),
        };
        let diagnostics = session.declare(PRELUDE, true, true);
        assert!(
            diagnostics.is_empty(),
            "the prelude:\n{}",
            brief(&diagnostics)
        );
        session
    }

    fn declare(&mut self, text: &str, builtin: bool, must_parse: bool) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        let id = self.sources.add("test.sml", text, builtin);
        let options = syntax::Options {
            parallel_forms: !builtin,
            ..syntax::Options::default()
        };
        let decs = syntax::parse(
            &self.sources,
            id,
            &mut self.fixity,
            options,
            &mut diagnostics,
        );
        assert!(
            !must_parse || !diagnostics.has_errors(),
            "does not parse: {text}\n{}",
            brief(&diagnostics)
        );
        self.elaborator.declare(&decs, builtin, &mut diagnostics);
        diagnostics
    }
}

fn brief(diagnostics: &Diagnostics) -> String {
    let mut text = String::new();
    for item in diagnostics.items() {
        text.push_str(&format!("    {} {}\n", item.code, item.message));
        for label in &item.labels {
            text.push_str(&format!("        {:?}: {}\n", label.0, label.1));
        }
        for note in &item.notes {
            text.push_str(&format!("        {note}\n"));
        }
    }
    text
}

fn check(failures: &[String]) {
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Asserts that programs are accepted, and that they are well typed after elaboration.
fn accept(programs: &[&str]) {
    let mut failures = Vec::new();
    for text in programs {
        let (elaborator, diagnostics) = elaborate(text);
        if diagnostics.has_errors() {
            failures.push(format!("{text}\n{}", brief(&diagnostics)));
            continue;
        }
        let mut program = elaborator.finish();
        crate::typed::check::assert_well_typed(&mut program);
    }
    check(&failures);
}

/// Asserts that the elaborator refuses programs. The messages about each program must have these codes, in this order.
fn refuse(programs: &[(&str, &str)]) {
    let mut failures = Vec::new();
    for (text, codes) in programs {
        let (_, diagnostics) = elaborate(text);
        let found: Vec<&str> = diagnostics
            .items()
            .iter()
            .map(|item| item.code.number())
            .collect();
        if found.join(" ") != *codes {
            failures.push(format!("{text}\n  {codes}\n{}", brief(&diagnostics)));
        }
    }
    check(&failures);
}

/// Asserts that names have the given types at the end of a program.
fn types(programs: &[(&str, &str, &str)]) {
    let mut failures = Vec::new();
    for (text, name, ty) in programs {
        let (mut elaborator, diagnostics) = elaborate(text);
        let val = elaborator.scopes.val(Symbol::new(name)).cloned();
        let found = val.map_or("nothing".into(), |val| elaborator.show(val.ty));
        if diagnostics.has_errors() || found != *ty {
            failures.push(format!(
                "{text}\n  {found}, not {ty}\n{}",
                brief(&diagnostics)
            ));
            continue;
        }
        let mut program = elaborator.finish();
        crate::typed::check::assert_well_typed(&mut program);
    }
    check(&failures);
}
