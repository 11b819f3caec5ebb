//! Annotations in lists of files, such as `ann "nonexhaustiveMatch ignore" in ... end`.
//!
//! In MLton, an annotation controls how the compiler treats the source files inside of the annotation. Heist obeys annotations that change
//! messages. An annotation that allows a form of Successor ML has no effect if Heist always allows this form. Annotations that change
//! neither messages nor the meaning of programs also have no effect in Heist.

use std::collections::HashMap;

use crate::diag::{Code, Diagnostics};
use crate::source::FileId;
use crate::syntax::Options;

/// The compiler's reaction to a fault that is a warning by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// The compiler prints nothing.
    Ignore,
    /// The compiler prints a warning.
    #[default]
    Warn,
    /// The compiler prints an error.
    Error,
}

/// The effect of the annotations around a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    matches: Verdict,
    bindings: Verdict,
    redundant: Verdict,
    line_comments: bool,
    last_semicolon: bool,
}

/// A warning about an annotation.
#[derive(Debug, PartialEq, Eq)]
pub struct Said(pub String);

/// The names of the annotations that have no effect in Heist.
const WITHOUT_EFFECT: &[&str] = &[
    "allowConstant",
    "allowDoDecls",
    "allowExport",
    "allowExtendedConsts",
    "allowExtendedNumConsts",
    "allowExtendedTextConsts",
    "allowFFI",
    "allowImport",
    "allowOptBar",
    "allowOrPats",
    "allowOverload",
    "allowPrim",
    "allowRebindEquals",
    "allowRecordPunExps",
    "allowSigWithtype",
    "allowSymbol",
    "allowVectorExps",
    "allowVectorExpsAndPats",
    "allowVectorPats",
    "deadCode",
    "discard",
    "ffiStr",
    "forceUsed",
    "milletDiagnosticsIgnore",
    "nonexhaustiveExnBind",
    "nonexhaustiveExnMatch",
    "nonexhaustiveExnRaise",
    "nonexhaustiveRaise",
    "redundantBind",
    "redundantRaise",
    "resolveScope",
    "sequenceNonUnit",
    "valrecConstr",
    "warnUnused",
];

impl Annotations {
    /// Adds an annotation, given as text. Returns a warning if Heist does not know the annotation.
    pub fn add(&mut self, text: &str) -> Option<Said> {
        let mut words = text.split_whitespace();
        let name = words.next()?;
        let value = words.next().unwrap_or_default();
        let verdict = match value {
            "ignore" | "false" => Some(Verdict::Ignore),
            "warn" | "true" => Some(Verdict::Warn),
            "error" => Some(Verdict::Error),
            _ => None,
        };
        let targets: &mut [&mut Verdict] = match name {
            "nonexhaustiveMatch" => &mut [&mut self.matches],
            "nonexhaustiveBind" => &mut [&mut self.bindings],
            "redundantMatch" => &mut [&mut self.redundant],
            "warnMatch" => &mut [&mut self.matches, &mut self.bindings, &mut self.redundant],
            "allowLineComments" => {
                self.line_comments = value != "false";
                return None;
            }
            "allowOptSemicolon" => {
                self.last_semicolon = value != "false";
                return None;
            }
            // This annotation allows all forms of Successor ML.
            "allowSuccessorML" => {
                self.line_comments = value != "false";
                self.last_semicolon = value != "false";
                return None;
            }
            _ if WITHOUT_EFFECT.contains(&name) => return None,
            _ => {
                return Some(Said(format!(
                    "the annotation `{name}` is not known, and does nothing"
                )));
            }
        };
        let Some(verdict) = verdict else {
            return Some(Said(format!(
                "the annotation `{name}` takes `ignore`, `warn` or `error`, not `{value}`"
            )));
        };
        for target in targets {
            **target = verdict;
        }
        None
    }

    /// Returns the parser's options for a file. The options include the forms that the annotations allow.
    #[must_use]
    pub fn options(self, options: Options) -> Options {
        Options {
            line_comments: self.line_comments,
            last_semicolon: self.last_semicolon,
            ..options
        }
    }

    /// Returns the compiler's reaction to a fault of this kind.
    fn verdict(self, code: Code) -> Verdict {
        match code {
            Code::NonExhaustive => self.matches,
            Code::NonExhaustiveBinding => self.bindings,
            Code::Redundant => self.redundant,
            _ => Verdict::Warn,
        }
    }
}

/// Adds faults that are warnings by default to `into`. The annotations around the file of each fault decide whether this fault is ignored,
/// a warning or an error.
pub fn judge(
    annotations: &HashMap<FileId, Annotations>,
    found: &Diagnostics,
    into: &mut Diagnostics,
) {
    for mut item in found.items().iter().cloned() {
        let asked = annotations
            .get(&item.span.file)
            .copied()
            .unwrap_or_default();
        match asked.verdict(item.code) {
            Verdict::Ignore => continue,
            Verdict::Warn => {}
            Verdict::Error => item.refused = true,
        }
        into.push(item);
    }
}
