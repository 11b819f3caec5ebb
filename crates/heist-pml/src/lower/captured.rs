//! Decides whether a closure may contain the lazy value of a `pval` when a tail call at the end of the `pval`'s scope begins.

use crate::prim::Prim;
use crate::typed::{Dec, Exp, ExpKind, PatKind, Var};

/// Returns true if a function in a scope mentions the lazy value `cell`. A function that computes the lazy value of another `pval` counts
/// only if some function also mentions that other lazy value.
pub fn is_captured(cell: Var, decs: &[Dec], body: &Exp) -> bool {
    let mut walk = Walk {
        cell,
        through: Vec::new(),
        found: false,
    };
    let (mut cells, mut at) = (vec![cell], 0);
    while at < cells.len() && !walk.found {
        walk.cell = cells[at];
        walk.scope(decs, body, false);
        for cell in walk.through.drain(..) {
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        at += 1;
    }
    walk.found
}

struct Walk {
    cell: Var,
    /// The lazy values of other `pval`s whose functions mention `cell`.
    through: Vec<Var>,
    found: bool,
}

/// Returns the lazy value of a declaration's fork, if the declaration is a `pval`.
fn speculated(dec: &Dec) -> Option<Var> {
    let Dec::Val { exp, .. } = dec else {
        return None;
    };
    let ExpKind::Apply(form, function) = &exp.kind else {
        return None;
    };
    let ExpKind::Prim { prim, .. } = form.kind else {
        return None;
    };
    if prim != Prim::ParSpeculate {
        return None;
    }
    super::speculate::cell_of(super::speculate::body_of(function))
}

impl Walk {
    fn scope(&mut self, decs: &[Dec], body: &Exp, inside: bool) {
        let cells: Vec<Var> = decs.iter().filter_map(speculated).collect();
        for dec in decs {
            match dec {
                Dec::Val { pat, exp, .. } => match (&pat.kind, &exp.kind) {
                    (PatKind::Var(var), ExpKind::Apply(_, function)) if cells.contains(var) => {
                        let found = std::mem::replace(&mut self.found, false);
                        self.exp(function, false);
                        if self.found {
                            self.through.push(*var);
                        }
                        self.found = found;
                    }
                    _ => self.exp(exp, inside),
                },
                Dec::Fun { binds, .. } => {
                    for bind in binds {
                        self.exp(&bind.exp, inside);
                    }
                }
                Dec::Exception { .. } => {}
            }
        }
        self.exp(body, inside);
    }

    fn exp(&mut self, exp: &Exp, inside: bool) {
        if self.found {
            return;
        }
        match &exp.kind {
            ExpKind::Var { var, .. } => self.found |= inside && *var == self.cell,
            ExpKind::Const(_) | ExpKind::Con { .. } | ExpKind::Exn(_) | ExpKind::Prim { .. } => {}
            ExpKind::Record(fields) => fields.iter().for_each(|field| self.exp(&field.1, inside)),
            ExpKind::Select(_, exp) | ExpKind::Raise(exp) => self.exp(exp, inside),
            // The code drops the fork before the call, and the drop cancels a thief that runs the function.
            ExpKind::Apply(form, function) if is_form(form) => {
                self.exp(super::speculate::body_of(function), inside);
            }
            ExpKind::Apply(a, b) | ExpKind::While(a, b) => {
                self.exp(a, inside);
                self.exp(b, inside);
            }
            ExpKind::Fn(rules) => rules.iter().for_each(|rule| self.exp(&rule.exp, true)),
            ExpKind::Case {
                scrutinee, rules, ..
            } => {
                self.exp(scrutinee, inside);
                rules.iter().for_each(|rule| self.exp(&rule.exp, inside));
            }
            ExpKind::If(a, b, c) => [a, b, c].into_iter().for_each(|exp| self.exp(exp, inside)),
            ExpKind::Sequence(exps) | ExpKind::ParTuple(exps) => {
                exps.iter().for_each(|exp| self.exp(exp, inside));
            }
            ExpKind::Let(decs, body) => self.scope(decs, body, inside),
            ExpKind::Handle(body, rules) => {
                self.exp(body, inside);
                rules.iter().for_each(|rule| self.exp(&rule.exp, inside));
            }
        }
    }
}

fn is_form(exp: &Exp) -> bool {
    matches!(exp.kind, ExpKind::Prim { prim, .. } if super::speculate::is_form(prim))
}
