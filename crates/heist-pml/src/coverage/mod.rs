//! Warns of matches that are not exhaustive and of redundant rules, with Maranget's usefulness algorithm.
//!
//! The check runs on the typed program before monomorphisation, so it checks a polymorphic function only once. If the check of a match
//! reaches a limit on the number of steps, it ends without a message.

mod example;
mod pattern;
#[cfg(test)]
mod tests;
mod useful;

use std::collections::HashSet;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::typed::{Dec, Exp, ExpKind, Otherwise, Pat, Program, Rule};
use pattern::{COMBINATIONS, Patterns};
use useful::Matrix;

/// Checks the matches at all places for which `wanted` returns true.
pub fn coverage(program: &Program, wanted: &dyn Fn(Span) -> bool, diagnostics: &mut Diagnostics) {
    let mut walk = Walk {
        patterns: Patterns { program },
        wanted,
        diagnostics,
        seen: HashSet::new(),
    };
    for dec in &program.decs {
        walk.dec(dec);
    }
}

struct Walk<'a> {
    patterns: Patterns<'a>,
    wanted: &'a dyn Fn(Span) -> bool,
    diagnostics: &'a mut Diagnostics,
    /// The matches that the walk has examined. The typed program has a copy of a functor's body for each application, but the walk examines
    /// each match only once.
    seen: HashSet<(Code, Span)>,
}

/// The message about values that no rule matches.
#[derive(Clone, Copy, PartialEq)]
enum Uncovered {
    Match,
    Binding,
    /// The check gives no message, because other code handles the values that no rule matches.
    Fine,
}

impl Walk<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.seen.insert((diagnostic.code, diagnostic.span)) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn dec(&mut self, dec: &Dec) {
        match dec {
            Dec::Val { pat, exp, .. } => {
                self.exp(exp);
                self.check(&[pat], pat.span, Uncovered::Binding);
            }
            Dec::Fun { binds, .. } => {
                for bind in binds {
                    self.exp(&bind.exp);
                }
            }
            Dec::Exception { .. } => {}
        }
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Const(_)
            | ExpKind::Var { .. }
            | ExpKind::Con { .. }
            | ExpKind::Exn(_)
            | ExpKind::Prim { .. } => {}
            ExpKind::Record(fields) => {
                for (_, exp) in fields {
                    self.exp(exp);
                }
            }
            ExpKind::Select(_, exp) | ExpKind::Raise(exp) => self.exp(exp),
            ExpKind::Apply(a, b) | ExpKind::While(a, b) => {
                self.exp(a);
                self.exp(b);
            }
            ExpKind::Fn(rules) => self.rules(rules, exp.span, Uncovered::Match),
            ExpKind::Case {
                scrutinee,
                rules,
                otherwise,
            } => {
                self.exp(scrutinee);
                let uncovered = match otherwise {
                    Otherwise::Match => Uncovered::Match,
                    Otherwise::Bind => Uncovered::Binding,
                    Otherwise::Rest => Uncovered::Fine,
                };
                self.rules(rules, exp.span, uncovered);
            }
            ExpKind::If(a, b, c) => {
                self.exp(a);
                self.exp(b);
                self.exp(c);
            }
            ExpKind::Sequence(exps) | ExpKind::ParTuple(exps) => {
                for exp in exps {
                    self.exp(exp);
                }
            }
            ExpKind::Let(decs, body) => {
                for dec in decs {
                    self.dec(dec);
                }
                self.exp(body);
            }
            ExpKind::Handle(body, rules) => {
                self.exp(body);
                self.rules(rules, exp.span, Uncovered::Fine);
            }
        }
    }

    fn rules(&mut self, rules: &[Rule], span: Span, uncovered: Uncovered) {
        for rule in rules {
            self.exp(&rule.exp);
        }
        let pats: Vec<&Pat> = rules.iter().map(|rule| &rule.pat).collect();
        self.check(&pats, span, uncovered);
    }

    fn check(&mut self, pats: &[&Pat], span: Span, uncovered: Uncovered) {
        if !(self.wanted)(span) {
            return;
        }
        // `rows` has the alternatives of the first pattern, then those of the second, and so on.
        let mut rows = Vec::new();
        let mut starts = vec![0];
        for pat in pats {
            let Some(alternatives) = self.patterns.simple(pat) else {
                let message = format!(
                    "the alternatives of this pattern have more than {COMBINATIONS} combinations"
                );
                self.report(Diagnostic::new(Code::TooDeep, pat.span, message));
                return;
            };
            rows.extend(alternatives);
            starts.push(rows.len());
        }
        // In the usual case, the only pattern is a variable or a tuple of variables.
        if let [row] = rows.as_slice()
            && row.matches_all()
        {
            return;
        }
        let mut matrix = Matrix::new(self.patterns.program);
        for at in 1..pats.len() {
            let above = &rows[..starts[at]];
            let alternatives = &rows[starts[at]..starts[at + 1]];
            let mut useful = false;
            for row in alternatives {
                match matrix.useful(above, row) {
                    Some(true) => {
                        useful = true;
                        break;
                    }
                    Some(false) => {}
                    None => return,
                }
            }
            if useful {
                continue;
            }
            let mut diagnostic = Diagnostic::new(
                Code::Redundant,
                pats[at].span,
                "this rule can never match: the rules before it cover all that it would",
            );
            // If a single earlier rule covers the redundant rule, the message names the earlier rule.
            let covering = (0..at).find(|&by| {
                let rule = &rows[starts[by]..starts[by + 1]];
                alternatives
                    .iter()
                    .all(|row| matrix.useful(rule, row) == Some(false))
            });
            if let Some(covering) = covering {
                diagnostic = diagnostic.label(pats[covering].span, "this one covers it already");
            }
            self.report(diagnostic);
        }
        if uncovered == Uncovered::Fine {
            return;
        }
        if let Some(Some(example)) = matrix.missing(&rows) {
            let example = self.patterns.print(&example);
            let (code, message) = if uncovered == Uncovered::Binding {
                (
                    Code::NonExhaustiveBinding,
                    format!("this pattern does not match all values: `{example}` is left out"),
                )
            } else {
                (
                    Code::NonExhaustive,
                    format!("this match does not cover all cases: `{example}` is left out"),
                )
            };
            self.report(Diagnostic::new(code, span, message));
        }
    }
}
