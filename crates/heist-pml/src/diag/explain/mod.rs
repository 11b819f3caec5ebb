//! Texts of `heist explain CODE`.

mod core;
mod modules;
mod syntax;

use super::Code;

/// The long text about a kind of error or warning.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The reason why the compiler refuses a program with this error, and a way to correct the program.
    pub text: &'static str,
    /// A program with the error. This text is empty if the error does not depend only on the text of the program.
    pub wrong: &'static str,
    /// The corrected program.
    pub right: &'static str,
}

const fn new(text: &'static str, wrong: &'static str, right: &'static str) -> Explanation {
    Explanation { text, wrong, right }
}

/// Returns the long text about a kind of error or warning.
#[must_use]
pub fn explain(code: Code) -> Explanation {
    syntax::text(code)
        .or_else(|| core::text(code))
        .or_else(|| modules::text(code))
        .unwrap_or(new(code.title(), "", ""))
}

#[cfg(test)]
mod tests {
    use super::super::{Diagnostics, Severity, Style, render};
    use super::{Code, explain};
    use crate::driver::{Checker, Dialect, on_large_stack};
    use crate::source::Sources;
    use crate::syntax::{FixityEnv, Options, parse};

    fn parsed(text: &str) -> (Vec<Code>, String) {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::default();
        let options = Options {
            parallel_forms: true,
            ..Options::default()
        };
        let mut fixity = FixityEnv::new();
        let prelude = "infix 7 * div infix 6 + - ^ infixr 5 :: @ infix 4 = < > infix 3 :=";
        let prelude = sources.add("prelude.sml", prelude, true);
        let _ = parse(&sources, prelude, &mut fixity, options, &mut diagnostics);
        let id = sources.add("example.pml", text, false);
        let _ = parse(&sources, id, &mut fixity, options, &mut diagnostics);
        let codes = diagnostics.items().iter().map(|item| item.code).collect();
        let messages = render(&sources, diagnostics.items(), Style::default());
        (codes, messages)
    }

    #[test]
    fn every_code_is_explained() {
        for &code in Code::ALL {
            let explanation = explain(code);
            assert_ne!(explanation.text, code.title(), "{code}");
            assert_eq!(
                explanation.wrong.is_empty(),
                explanation.right.is_empty(),
                "{code}"
            );
        }
    }

    #[test]
    fn examples_of_the_grammar_have_their_errors() {
        for &code in Code::ALL {
            let explanation = explain(code);
            let (codes, messages) = parsed(explanation.right);
            assert!(codes.is_empty(), "{code}: {messages}");
            let (codes, messages) = parsed(explanation.wrong);
            let syntax = code.number().starts_with("E01") || code.number().starts_with("E02");
            if syntax && !explanation.wrong.is_empty() {
                assert!(codes.contains(&code), "{code}: {messages}");
            } else {
                assert!(codes.is_empty(), "{code}: {messages}");
            }
        }
    }

    /// Checks the two programs of each code: the compiler must report this code for the wrong program, and nothing for the right program.
    #[test]
    fn examples_are_refused_for_their_codes_and_accepted_when_put_right() {
        let failures = on_large_stack(|| {
            let checker = Checker::new(Dialect::Pml);
            let mut failures = Vec::new();
            for &code in Code::ALL {
                let explanation = explain(code);
                if explanation.wrong.is_empty() {
                    continue;
                }
                let wrong = checker.check(explanation.wrong.as_bytes());
                if wrong.codes.first() != Some(&code.number()) {
                    failures.push(format!("{code}, wrong: {}", wrong.messages));
                }
                if wrong.accepted != (code.severity() == Severity::Warning) {
                    failures.push(format!("{code}, wrong, accepted: {}", wrong.accepted));
                }
                let right = checker.check(explanation.right.as_bytes());
                if !right.codes.is_empty() {
                    failures.push(format!("{code}, right: {}", right.messages));
                }
            }
            failures
        });
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    #[test]
    fn numbers_are_unique_and_ordered() {
        for pair in Code::ALL.windows(2) {
            assert!(
                pair[0].number() < pair[1].number(),
                "{} {}",
                pair[0],
                pair[1]
            );
        }
        assert_eq!(Code::Redundant.severity(), Severity::Warning);
    }
}
