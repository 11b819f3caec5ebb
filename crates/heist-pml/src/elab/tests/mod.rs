//! Programs that elaborate, to what types; and programs that do not, with what error.

mod core;

use super::{Elaborator, Options};
use crate::diag::Diagnostics;
use crate::source::Sources;
use crate::symbol::Symbol;
use crate::syntax::{self, FixityEnv};
use crate::typed::Program;

const PRELUDE: &str = include_str!("prelude.sml");

/// The elaborator after the prelude and a program, and what it found.
fn elaborate(text: &str) -> (Elaborator, Diagnostics) {
    let mut sources = Sources::default();
    let mut fixity = FixityEnv::default();
    let mut diagnostics = Diagnostics::default();
    let mut elaborator = Elaborator::new(Options { record: true });
    for (text, builtin) in [(PRELUDE, true), (text, false)] {
        let id = sources.add("test.sml", text, builtin);
        let options = syntax::Options {
            parallel_forms: true,
        };
        let decs = syntax::parse(&sources, id, &mut fixity, options, &mut diagnostics);
        assert!(
            !diagnostics.has_errors(),
            "does not parse: {text}\n{diagnostics:#?}"
        );
        elaborator.declare(&decs, builtin, &mut diagnostics);
        assert!(
            !builtin || diagnostics.is_empty(),
            "the prelude: {diagnostics:#?}"
        );
    }
    (elaborator, diagnostics)
}

/// Asserts that programs are accepted, and well typed after elaboration.
fn accept(programs: &[&str]) -> Program {
    let mut last = None;
    for text in programs {
        let (elaborator, diagnostics) = elaborate(text);
        assert!(!diagnostics.has_errors(), "{text}\n{diagnostics:#?}");
        let mut program = elaborator.finish();
        crate::typed::check::assert_well_typed(&mut program);
        last = Some(program);
    }
    last.unwrap_or_default()
}

/// Asserts that programs are refused, each with these codes in this order.
fn refuse(programs: &[(&str, &str)]) {
    for (text, codes) in programs {
        let (_, diagnostics) = elaborate(text);
        let found: Vec<&str> = diagnostics
            .items()
            .iter()
            .map(|item| item.code.number())
            .collect();
        assert_eq!(found.join(" "), *codes, "{text}\n{diagnostics:#?}");
    }
}

/// Asserts that variables have types at the end of a program.
fn types(programs: &[(&str, &str, &str)]) {
    for (text, name, ty) in programs {
        let (mut elaborator, diagnostics) = elaborate(text);
        assert!(!diagnostics.has_errors(), "{text}\n{diagnostics:#?}");
        let val = elaborator
            .scopes
            .val(Symbol::new(name))
            .unwrap_or_else(|| panic!("{name} is not bound: {text}"))
            .clone();
        let found = elaborator.show(val.ty);
        assert_eq!(found, *ty, "{text}");
        let mut program = elaborator.finish();
        crate::typed::check::assert_well_typed(&mut program);
    }
}
