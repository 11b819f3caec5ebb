//! Lowers `pval` and `pcase` to forks. The program may not need the right side of such a fork.
//!
//! A `pval` becomes a lazy value and a fork. The right side begins to compute the value. The left side is the rest of the scope, and each
//! path out of the scope drops the fork. A use of a variable forces the lazy value, which any strand may compute. As a rule, the drop comes
//! before a tail call at the end of the scope. But the call may need the value, because it forces the value or because a closure may
//! contain the value. In that case, the tail call becomes a plain call, and the drop comes after the call.
//!
//! All expressions of a `pcase` except the first become forks. Before the code tries a rule that needs a value, it joins the fork of the
//! value, as for a part of a parallel tuple. When the code chooses a rule, it drops the forks of values that the rule does not need.

use std::rc::Rc;

use super::captured::is_captured;
use super::parallel::{Begun, right_side};
use super::value::{UNIT, Value};
use super::{Forms, Lower};
use crate::anf::{Block, End, Label, Rep};
use crate::prim::Prim;
use crate::source::Span;
use crate::typed::{self, Const, Dec, Exp, ExpKind};

/// A pending fork of a `pval` or `pcase`: the compiler is lowering its left side.
#[derive(Clone)]
pub enum Pending {
    /// The fork of a `pval`.
    Speculation {
        /// The label of the fork.
        fork: Label,
        /// The lazy value.
        cell: Option<typed::Var>,
        /// Whether a closure may contain the lazy value.
        captured: bool,
    },
    /// The fork of an expression of a `pcase`.
    Offer(Rc<Begun>),
    /// An expression of a `pcase` in code without forks. The code evaluates this expression where it
    /// needs the value.
    Later(Rc<Exp>),
}

impl Pending {
    fn fork(&self) -> Option<Label> {
        match self {
            Pending::Speculation { fork, .. } => Some(*fork),
            Pending::Offer(begun) => Some(begun.fork),
            Pending::Later(_) => None,
        }
    }
}

/// Returns true if a primitive is a part of a parallel form.
pub fn is_form(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::ParSpeculate | Prim::ParOffer | Prim::ParTake | Prim::ParDrop
    )
}

/// Returns the variable of the lazy value that `begin`, the body of the fork's function, computes.
pub fn cell_of(begin: &Exp) -> Option<typed::Var> {
    let ExpKind::Apply(_, cell) = &begin.kind else {
        return None;
    };
    match cell.kind {
        ExpKind::Var { var, .. } => Some(var),
        _ => None,
    }
}

/// Returns the body of the first rule of a `fn` expression, or any other expression unchanged.
pub fn body_of(function: &Exp) -> &Exp {
    match &function.kind {
        ExpKind::Fn(rules) => &rules[0].exp,
        _ => function,
    }
}

impl Lower {
    /// Lowers a part of a parallel form.
    pub fn form(&mut self, prim: Prim, arg: &Exp, span: Span) -> Value {
        match prim {
            Prim::ParSpeculate if self.forms != Forms::Sequential => {
                self.speculate(body_of(arg), span);
                UNIT
            }
            Prim::ParOffer => {
                let exp = body_of(arg);
                let pending = match self.forms {
                    Forms::Parallel | Forms::Eager | Forms::Clones => {
                        Pending::Offer(Rc::new(self.begin_fork(std::slice::from_ref(exp))))
                    }
                    Forms::Sequential => Pending::Later(Rc::new(exp.clone())),
                };
                self.pending.push(pending);
                UNIT
            }
            Prim::ParTake => match self.pending.pop() {
                Some(Pending::Offer(begun)) => self.end_fork(&begun)[0],
                Some(Pending::Later(exp)) => self.exp(&exp),
                _ => unreachable!("elaboration takes what it has offered"),
            },
            Prim::ParDrop => {
                let count = match &arg.kind {
                    ExpKind::Const(Const::Int(count)) => usize::try_from(*count).unwrap_or(0),
                    _ => 0,
                };
                for _ in 0..count {
                    self.drop_newest();
                }
                UNIT
            }
            _ => UNIT,
        }
    }

    /// Begins a fork whose right side begins to compute a lazy value.
    fn speculate(&mut self, begin: &Exp, span: Span) {
        let cell = cell_of(begin);
        let thief = self.fresh(Rep::Ptr, self.names.function);
        self.known.insert(thief);
        let body = self.thief_body(|lower| {
            lower.effect(begin);
            Vec::new()
        });
        let fork = self.fork(right_side(thief, Vec::new(), body, span), true);
        self.pending.push(Pending::Speculation {
            fork,
            cell,
            captured: true,
        });
    }

    /// Lowers the declarations of a scope. At the end of the scope, the caller must pass the result to [`Lower::close`].
    pub fn open(&mut self, decs: &[Dec], body: &Exp) -> usize {
        let mark = self.pending.len();
        for dec in decs {
            self.dec(dec);
        }
        for at in mark..self.pending.len() {
            if let Pending::Speculation {
                cell: Some(cell),
                captured,
                ..
            } = &mut self.pending[at]
            {
                *captured = is_captured(*cell, decs, body);
            }
        }
        mark
    }

    /// Returns true if the scope that began at `mark` has a fork of a `pval`.
    pub fn speculates(&self, mark: usize) -> bool {
        // Forks of `pcase`s do not count. Code of the scope may have joined a fork of an outer scope, so `mark` may be greater than the
        // number of pending forks.
        let mut newer = self.pending.iter().skip(mark);
        newer.any(|pending| matches!(pending, Pending::Speculation { .. }))
    }

    /// Ends a scope, and continues the block after it: drops the forks of the scope's `pval`s. Every path must already have joined or
    /// dropped the forks of the scope's `pcase`s.
    pub fn close(&mut self, mark: usize) {
        while self.pending.len() > mark {
            match self.pending.last() {
                Some(Pending::Speculation { .. }) => self.drop_newest(),
                _ => {
                    self.pending.pop();
                }
            }
        }
    }

    fn drop_newest(&mut self) {
        let pending = self.pending.pop();
        let Some(fork) = pending.as_ref().and_then(Pending::fork) else {
            return;
        };
        let after = self.label();
        let jump = Block {
            stmts: Vec::new(),
            end: End::Jump(after, Vec::new()),
        };
        let rest = Block {
            stmts: Vec::new(),
            end: End::Drop {
                fork,
                rest: Box::new(jump),
            },
        };
        self.cut(rest, after, Vec::new());
    }

    /// Returns an end for the current block that drops all pending forks and then leaves the function with `end`.
    pub fn leaving(&mut self, mut end: End) -> End {
        for fork in self.pending.iter().filter_map(Pending::fork) {
            let rest = Block {
                stmts: Vec::new(),
                end,
            };
            end = End::Drop {
                fork,
                rest: Box::new(rest),
            };
        }
        end
    }

    /// Returns true if a closure may contain the lazy value of a pending fork. A call may then need this value.
    pub fn outlives_calls(&self) -> bool {
        let mut pending = self.pending.iter();
        pending.any(|pending| matches!(pending, Pending::Speculation { captured: true, .. }))
    }

    /// Returns true if the argument of a call is the lazy value of a pending fork. Such a call forces the value.
    pub fn is_pending(&self, arg: &Exp) -> bool {
        let ExpKind::Var { var, .. } = arg.kind else {
            return false;
        };
        self.pending.iter().any(
            |pending| matches!(pending, Pending::Speculation { cell: Some(cell), .. } if *cell == var),
        )
    }
}
