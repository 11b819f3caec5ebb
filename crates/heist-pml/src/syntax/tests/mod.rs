//! Tests the lexer and the parser, with dumps of the tree and rendered messages.

mod core;
mod errors;
mod format;
mod literals;
mod modules;
mod mutants;
mod parallel;

use super::{FixityEnv, Options, dump, parse};
use crate::diag::{Code, Diagnostics, Style, render};
use crate::source::{FileId, Sources};

/// The fixity directives of the Basis.
const INFIXES: &str = "infix 7 * / div mod infix 6 + - ^ infixr 5 :: @ infix 4 = <> > >= < <=
    infix 3 := o infix 0 before";

/// All results of a parse: the sources, the dump of the tree, and the messages.
struct Parsed {
    sources: Sources,
    dump: String,
    diagnostics: Diagnostics,
}

impl Parsed {
    fn of(text: &[u8], parallel_forms: bool, builtin: bool) -> Parsed {
        let mut sources = Sources::default();
        let mut fixity = FixityEnv::new();
        let mut diagnostics = Diagnostics::default();
        let options = Options {
            parallel_forms,
            ..Options::default()
        };
        let prelude = sources.add("prelude.sml", INFIXES, true);
        let _ = parse(&sources, prelude, &mut fixity, options, &mut diagnostics);
        assert!(diagnostics.is_empty(), "the prelude is well-formed");
        let id = sources.add("test.pml", text, builtin);
        let decs = parse(&sources, id, &mut fixity, options, &mut diagnostics);
        // For any text, the places in messages must be in the file, and no place may end before it begins.
        for item in diagnostics.items() {
            let labels = item.labels.iter().map(|label| label.0);
            for span in labels.chain([item.span]) {
                assert_eq!(span.file, FileId(1));
                assert!(span.start <= span.end && span.end as usize <= text.len());
            }
        }
        Parsed {
            dump: dump(&decs),
            sources,
            diagnostics,
        }
    }

    fn codes(&self) -> Vec<Code> {
        self.diagnostics
            .items()
            .iter()
            .map(|item| item.code)
            .collect()
    }

    fn messages(&self) -> String {
        render(&self.sources, self.diagnostics.items(), Style::default())
    }
}

/// Checks the dump of a program without errors.
#[track_caller]
fn check(text: &str, expected: &str) {
    check_with(text, expected, true);
}

/// Checks the dump of a program without errors, in Standard ML without parallel forms.
#[track_caller]
fn check_sml(text: &str, expected: &str) {
    check_with(text, expected, false);
}

#[track_caller]
fn check_with(text: &str, expected: &str, parallel_forms: bool) {
    let parsed = Parsed::of(text.as_bytes(), parallel_forms, false);
    assert!(parsed.diagnostics.is_empty(), "{}", parsed.messages());
    let found: Vec<&str> = parsed.dump.lines().map(str::trim).collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(found, expected, "of {text}");
}

/// Checks the codes of a program's errors, in order.
#[track_caller]
fn check_codes(text: &str, expected: &[Code]) -> Parsed {
    let parsed = Parsed::of(text.as_bytes(), true, false);
    assert_eq!(parsed.codes(), expected, "of {text}\n{}", parsed.messages());
    parsed
}

/// Runs a closure on a thread with the compiler's stack size.
fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(1 << 30);
        let thread = builder
            .spawn_scoped(scope, run)
            .expect("memory is mapped lazily");
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
