//! Elaborates `pcase`.

use super::super::Elaborator;
use super::super::exp::error;
use super::super::name::{node, of, raw};
use super::super::report::About;
use super::super::tyexp::count;
use super::super::types::T;
use crate::diag::{Code, Diagnostic};
use crate::prim::Prim;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Dec, Exp, ExpKind, Otherwise, Pat, PatKind, Rule, Var};

impl Elaborator {
    /// Elaborates `pcase e1 & ... & en of rules`. The code evaluates the first expression and offers the other expressions to thieves. The
    /// code obtains the values of the expressions from left to right. After each value, the code tries the rules that need no later value.
    /// If no rule matches after the last value, the code runs the rule `otherwise`.
    pub(in crate::elab) fn par_case(
        &mut self,
        exps: &[ast::Exp],
        rules: &[ast::ParRule],
        span: Span,
    ) -> Exp {
        let exps: Vec<Exp> = exps.iter().map(|exp| self.exp(exp)).collect();
        let types: Vec<T> = exps.iter().map(|exp| of(exp.ty)).collect();
        let mut result: Option<(T, Span)> = None;
        // The rules, grouped by the number of expressions that they need.
        let mut stages: Vec<Vec<Rule>> = (0..=exps.len()).map(|_| Vec::new()).collect();
        let mut last: Option<Exp> = None;
        for rule in rules {
            let mut binds = Vec::new();
            let mut row = Vec::new();
            if let ast::ParPats::Pats(pats) = &rule.pats {
                if pats.len() != exps.len() {
                    self.report(Diagnostic::new(
                        Code::PcaseArity,
                        rule.span,
                        format!(
                            "this rule has {}, and the `pcase` looks at {}",
                            count(pats.len(), "pattern"),
                            count(exps.len(), "expression"),
                        ),
                    ));
                    continue;
                }
                for (at, pat) in pats.iter().enumerate() {
                    row.push(match pat {
                        Some(pat) => {
                            let pat = self.pat(pat, &mut binds);
                            let (place, scrutinee) = (pat.span, exps[at].span);
                            self.agree(of(pat.ty), types[at], |_| {
                                About::new(
                                    Code::PatternMismatch,
                                    place,
                                    "this pattern cannot match what the `pcase` looks at",
                                )
                                .label(place, "this matches `{found}`")
                                .label(scrutinee, "this has the type `{expected}`")
                            });
                            Some(pat)
                        }
                        None => None,
                    });
                }
            }
            let mark = self.scopes.mark();
            self.bind_pat(&binds);
            let exp = self.exp(&rule.exp);
            self.scopes.undo(mark);
            let (found, at) = (of(exp.ty), exp.span);
            match result {
                None => result = Some((found, at)),
                Some((ty, other)) => {
                    self.agree(found, ty, |_| {
                        About::new(
                            Code::BranchMismatch,
                            at,
                            "the rules of this `pcase` have results of different types",
                        )
                        .label(at, "this has the type `{found}`")
                        .label(other, "this has the type `{expected}`")
                    });
                }
            }
            if let ast::ParPats::Otherwise = rule.pats {
                last = last.or(Some(exp));
                continue;
            }
            let needed = row.iter().rposition(Option::is_some).map_or(0, |at| at + 1);
            row.truncate(needed);
            let pats = row
                .into_iter()
                .enumerate()
                .map(|(at, pat)| {
                    pat.unwrap_or(Pat {
                        kind: PatKind::Wild,
                        ty: raw(types[at]),
                        span: rule.span,
                    })
                })
                .collect();
            let pat = self.joined(pats, rule.span);
            stages[needed].push(Rule { pat, exp });
        }
        let Some((ty, _)) = result else {
            return error(span);
        };
        self.par_stages(exps, stages, last, ty, span)
    }

    /// Returns a tuple of the patterns, or the pattern itself if there is only one pattern.
    fn joined(&mut self, mut pats: Vec<Pat>, span: Span) -> Pat {
        if pats.len() == 1 {
            pats.remove(0)
        } else {
            self.tuple_pat(pats, span)
        }
    }

    fn par_stages(
        &mut self,
        exps: Vec<Exp>,
        stages: Vec<Vec<Rule>>,
        last: Option<Exp>,
        ty: T,
        span: Span,
    ) -> Exp {
        let name = Symbol::new("_pcase");
        let vars: Vec<(Var, T)> = exps
            .iter()
            .map(|exp| (self.var(name, exp.span), of(exp.ty)))
            .collect();
        // The loop makes the code from the last stage to the first stage. `rest` is the code that runs if no rule of the stage matches.
        let mut rest = last;
        let staged = stages.iter().filter(|rules| !rules.is_empty()).count() > 1;
        let mut exps = exps.into_iter();
        let mut first = exps.next();
        let offers: Vec<Dec> = exps
            .rev()
            .map(|exp| self.parallel_form(Prim::ParOffer, exp))
            .collect();
        for (number, mut rules) in stages.into_iter().enumerate().rev() {
            let seen = &vars[..number];
            let parts: Vec<Exp> = seen
                .iter()
                .map(|&(var, ty)| {
                    let kind = ExpKind::Var {
                        var,
                        inst: Vec::new(),
                    };
                    node(kind, ty, span)
                })
                .collect();
            let is_last = number == vars.len();
            // After a rule is chosen, the values that the code has not yet obtained are not needed.
            let others = vars.len() - number.max(1);
            if others > 0 {
                for rule in &mut rules {
                    self.dropping(others, &mut rule.exp);
                }
            }
            if !rules.is_empty() || (is_last && rest.is_none()) {
                let scrutinee = match parts.len() {
                    1 => parts.into_iter().next().expect("one"),
                    _ => self.tuple(parts, span),
                };
                if let Some(exp) = rest.take() {
                    let pat = Pat {
                        kind: PatKind::Wild,
                        ty: scrutinee.ty,
                        span,
                    };
                    rules.push(Rule { pat, exp });
                }
                let kind = ExpKind::Case {
                    scrutinee: Box::new(scrutinee),
                    rules,
                    otherwise: if staged {
                        Otherwise::Rest
                    } else {
                        Otherwise::Match
                    },
                };
                rest = Some(node(kind, ty, span));
            }
            if number > 0 {
                let (var, var_ty) = vars[number - 1];
                let exp = match first.take_if(|_| number == 1) {
                    Some(exp) => exp,
                    None => self.taken(var_ty, span),
                };
                let dec = Dec::Val {
                    tyvars: Vec::new(),
                    pat: Pat {
                        kind: PatKind::Var(var),
                        ty: raw(var_ty),
                        span: exp.span,
                    },
                    exp,
                };
                let body = rest.take().expect("the last stage made one");
                rest = Some(node(ExpKind::Let(vec![dec], Box::new(body)), ty, span));
            }
        }
        let rest = rest.unwrap_or_else(|| error(span));
        if offers.is_empty() {
            return rest;
        }
        node(ExpKind::Let(offers, Box::new(rest)), ty, span)
    }

    /// Returns an expression that joins the newest fork ([`Prim::ParTake`]). `found` is the type of the fork's value.
    fn taken(&mut self, found: T, span: Span) -> Exp {
        let ty = self.store.arrow(T::UNIT, found);
        let prim = Prim::ParTake;
        let form = node(ExpKind::Prim { prim, ty: raw(ty) }, ty, span);
        let unit = node(ExpKind::Record(Vec::new()), T::UNIT, span);
        node(ExpKind::Apply(Box::new(form), Box::new(unit)), found, span)
    }

    /// Changes an expression so that it first drops the newest `count` forks ([`Prim::ParDrop`]).
    fn dropping(&mut self, count: usize, exp: &mut Exp) {
        let (literal, ty) = self.literal(&ast::Literal::Int(count.into()));
        let count = node(ExpKind::Const(literal), ty, exp.span);
        let dec = self.parallel_form(Prim::ParDrop, count);
        let (ty, span) = (of(exp.ty), exp.span);
        let body = std::mem::replace(exp, error(span));
        *exp = node(ExpKind::Let(vec![dec], Box::new(body)), ty, span);
    }
}
