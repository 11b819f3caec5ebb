//! Finds bounds of integers. With these bounds, sums that cannot overflow need no check, divisions of nonnegative
//! numbers become unsigned divisions, and some comparisons become constants.
//!
//! Bounds of a variable come from conditions on the path and from the operation that computes the variable. Bounds of a join point's
//! parameter come from the values that jumps pass. For a loop, the pass guesses the bounds of the parameters from the jumps into the loop.
//! The pass widens this guess until the guess contains the values of the jumps back to the loop.

mod interval;

use rustc_hash::FxHashMap;

use self::interval::{ALL, LONGEST, Range, below, clamp, swap, without};
use super::fold;
use crate::anf::{Atom, Block, Cmp, Cond, End, Label, Program, Rep, Rhs, Stmt, Var};
use crate::prim::Prim;

/// The maximum depth of nested loops for which the pass guesses bounds. In deeper loops, the pass makes no guesses, because a guess takes
/// several walks through the loop.
const DEEPEST: u32 = 2;
/// Removes the checks of a program that the bounds of integers make unnecessary.
pub fn range(program: &mut Program) {
    let mut main = std::mem::take(&mut program.main);
    let mut walk = Walk {
        program,
        known: FxHashMap::default(),
        undo: Vec::new(),
        jumps: FxHashMap::default(),
        depth: 0,
        guessing: false,
    };
    walk.block(&mut main);
    program.main = main;
}

struct Walk<'a> {
    program: &'a Program,
    known: FxHashMap<Var, Range>,
    /// Earlier ranges of variables, which the walk restores at the end of a branch.
    undo: Vec<(Var, Option<Range>)>,
    /// For each join point, the ranges of the values that jumps have passed. Parameters that are not integers have the full range.
    jumps: FxHashMap<Label, Vec<Range>>,
    depth: u32,
    /// Whether the walk only tests a guess. Such a walk must not change the code.
    guessing: bool,
}

impl Walk<'_> {
    fn of(&self, atom: Atom) -> Range {
        match atom {
            Atom::Int(value) => Range::new(value, value),
            Atom::Var(var) => self.known.get(&var).copied().unwrap_or(ALL),
            _ => ALL,
        }
    }

    fn set(&mut self, var: Var, range: Range) {
        let before = self.known.insert(var, range);
        self.undo.push((var, before));
    }

    fn forget(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop() {
                Some((var, Some(range))) => drop(self.known.insert(var, range)),
                Some((var, None)) => drop(self.known.remove(&var)),
                None => {}
            }
        }
    }

    fn block(&mut self, block: &mut Block) {
        let mark = self.undo.len();
        self.from(&mut block.stmts, &mut block.end);
        self.forget(mark);
    }

    /// Walks over the statements and the end of a block, and simplifies them.
    fn from(&mut self, stmts: &mut [Stmt], end: &mut End) {
        for at in 0..stmts.len() {
            let (before, after) = stmts.split_at_mut(at + 1);
            match &mut before[at] {
                Stmt::Let(vars, rhs, _) => {
                    if let (Rhs::Prim { prim, args, .. }, &[var]) = (&mut *rhs, &vars[..]) {
                        let (range, better) = self.prim(*prim, args);
                        if let Some(range) = range {
                            self.set(var, range);
                        }
                        if let (Some(better), false) = (better, self.guessing) {
                            *rhs = better;
                        }
                    }
                }
                // The body of a function does not affect the bounds of the enclosing loop. If each guess walked through such a body, the
                // time would be exponential in the depth of nested functions.
                Stmt::Funs(_) if self.guessing => {}
                Stmt::Funs(funs) => {
                    let depth = std::mem::take(&mut self.depth);
                    funs.iter_mut().for_each(|fun| self.block(&mut fun.body));
                    self.depth = depth;
                }
                Stmt::Join {
                    label,
                    params,
                    body,
                    recursive,
                } => {
                    // The walk visits the code that jumps to the join point first, because the jumps determine the
                    // ranges of the parameters.
                    let mark = self.undo.len();
                    self.jumps.remove(label);
                    self.from(after, end);
                    self.forget(mark);
                    self.join(*label, params, body, *recursive);
                    return;
                }
            }
        }
        self.end(end);
    }

    fn join(&mut self, label: Label, params: &[Var], body: &mut Block, recursive: bool) {
        let integer = |var: &Var| self.program.vars[var.0 as usize].rep == Rep::Int;
        let integers: Vec<bool> = params.iter().map(integer).collect();
        let unknown = vec![ALL; params.len()];
        let mut guess = self.jumps.remove(&label).unwrap_or_else(|| unknown.clone());
        if recursive {
            if self.depth >= DEEPEST || !integers.contains(&true) {
                guess = unknown;
            } else {
                let outside = std::mem::replace(&mut self.guessing, true);
                self.depth += 1;
                for _ in 0..6 {
                    self.enter(params, &integers, &guess, body);
                    let Some(back) = self.jumps.remove(&label) else {
                        break;
                    };
                    let wider: Vec<Range> = guess
                        .iter()
                        .zip(back)
                        .map(|(range, to)| range.widened(to))
                        .collect();
                    if wider == guess {
                        break;
                    }
                    guess = wider;
                }
                self.depth -= 1;
                self.guessing = outside;
                // The last round drops the bounds that still do not contain the values of all jumps.
                let outside = std::mem::replace(&mut self.guessing, true);
                self.depth += 1;
                self.enter(params, &integers, &guess, body);
                self.depth -= 1;
                self.guessing = outside;
                if let Some(back) = self.jumps.remove(&label) {
                    let kept = guess
                        .iter()
                        .zip(&back)
                        .all(|(range, to)| range.union(*to) == *range);
                    if !kept {
                        guess = unknown;
                    }
                }
            }
        }
        self.depth += u32::from(recursive);
        self.enter(params, &integers, &guess, body);
        self.depth -= u32::from(recursive);
        self.jumps.remove(&label);
    }

    fn enter(&mut self, params: &[Var], integers: &[bool], guess: &[Range], body: &mut Block) {
        let mark = self.undo.len();
        for ((param, integer), range) in params.iter().zip(integers).zip(guess) {
            if *integer {
                self.set(*param, *range);
            }
        }
        self.block(body);
        self.forget(mark);
    }

    fn end(&mut self, end: &mut End) {
        if let End::If(cond, ..) = end
            && !self.guessing
            && let Some(holds) = self.decided(*cond)
        {
            // The next walk of `simplify` folds the constant condition.
            *cond = Cond::Int(Cmp::Eq, Atom::Int(0), Atom::Int(i64::from(!holds)));
        }
        match end {
            End::If(cond, yes, no) => {
                let mark = self.undo.len();
                self.learn(*cond);
                self.block(yes);
                self.forget(mark);
                if let Some(negation) = fold::negation(*cond) {
                    self.learn(negation);
                }
                self.block(no);
                self.forget(mark);
            }
            End::Switch { on, cases, default } => {
                for (value, block) in &mut *cases {
                    let mark = self.undo.len();
                    self.learn(Cond::Int(Cmp::Eq, *on, Atom::Int(*value)));
                    self.block(block);
                    self.forget(mark);
                }
                if let Some(block) = default {
                    let mark = self.undo.len();
                    for (value, _) in cases {
                        self.learn(Cond::Int(Cmp::Ne, *on, Atom::Int(*value)));
                    }
                    self.block(block);
                    self.forget(mark);
                }
            }
            End::Jump(label, args) => {
                let ranges: Vec<Range> = args.iter().map(|arg| self.of(*arg)).collect();
                match self.jumps.get_mut(label) {
                    Some(known) => known
                        .iter_mut()
                        .zip(ranges)
                        .for_each(|(range, more)| *range = range.union(more)),
                    None => drop(self.jumps.insert(*label, ranges)),
                }
            }
            other => other
                .blocks_mut()
                .into_iter()
                .for_each(|block| self.block(block)),
        }
    }

    /// Narrows the ranges of variables by a condition that holds.
    fn learn(&mut self, cond: Cond) {
        match cond {
            Cond::Int(cmp, a, b) => {
                let (x, y) = (self.of(a), self.of(b));
                let (x, y) = match cmp {
                    Cmp::Eq => {
                        let both = Range::new(x.low.max(y.low), x.high.min(y.high));
                        (both, both)
                    }
                    Cmp::Ne => (without(x, y), without(y, x)),
                    Cmp::Lt => below(x, y, 1),
                    Cmp::Le => below(x, y, 0),
                    Cmp::Gt => swap(below(y, x, 1)),
                    Cmp::Ge => swap(below(y, x, 0)),
                };
                self.narrow(a, x);
                self.narrow(b, y);
            }
            // If an index, as an unsigned word, is less than a length, then the index is not negative.
            Cond::Word(Cmp::Lt, a, b) if self.of(b).low >= 0 => {
                self.narrow(a, below(Range::new(0, i64::MAX), self.of(b), 1).0)
            }
            Cond::Word(Cmp::Le, a, b) if self.of(b).low >= 0 => {
                self.narrow(a, below(Range::new(0, i64::MAX), self.of(b), 0).0)
            }
            Cond::Word(Cmp::Gt, a, b) if self.of(a).low >= 0 => {
                self.narrow(b, below(Range::new(0, i64::MAX), self.of(a), 1).0)
            }
            Cond::Word(Cmp::Ge, a, b) if self.of(a).low >= 0 => {
                self.narrow(b, below(Range::new(0, i64::MAX), self.of(a), 0).0)
            }
            _ => {}
        }
    }

    fn narrow(&mut self, atom: Atom, range: Range) {
        if let Atom::Var(var) = atom {
            let known = self.of(atom);
            let range = Range::new(known.low.max(range.low), known.high.min(range.high));
            // If the range is empty, this code never runs, so any range is correct.
            if range.low <= range.high && range != known {
                self.set(var, range);
            }
        }
    }

    fn decided(&self, cond: Cond) -> Option<bool> {
        let (cmp, a, b) = match cond {
            Cond::Int(cmp, a, b) => (cmp, self.of(a), self.of(b)),
            Cond::Word(cmp, a, b) if self.of(a).low >= 0 && self.of(b).low >= 0 => {
                (cmp, self.of(a), self.of(b))
            }
            _ => return None,
        };
        let less = |a: Range, b: Range| {
            if a.high < b.low {
                Some(true)
            } else if a.low >= b.high {
                Some(false)
            } else {
                None
            }
        };
        match cmp {
            Cmp::Lt => less(a, b),
            Cmp::Gt => less(b, a),
            Cmp::Ge => less(a, b).map(|less| !less),
            Cmp::Le => less(b, a).map(|less| !less),
            Cmp::Eq | Cmp::Ne if a.high < b.low || b.high < a.low => Some(cmp == Cmp::Ne),
            Cmp::Eq | Cmp::Ne => None,
        }
    }

    /// Returns the range of a primitive's result and, if there is one, a cheaper computation of the result.
    fn prim(&self, prim: Prim, args: &[Atom]) -> (Option<Range>, Option<Rhs>) {
        let cheaper = |prim: Prim| {
            Some(Rhs::Prim {
                prim,
                elem: None,
                args: args.to_vec(),
            })
        };
        let ranges: Vec<Range> = args.iter().map(|arg| self.of(*arg)).collect();
        match (prim, &ranges[..]) {
            (Prim::IntAdd | Prim::WordAdd, [a, b]) => {
                let sum = Range::wide(
                    i128::from(a.low) + i128::from(b.low),
                    i128::from(a.high) + i128::from(b.high),
                );
                settle(
                    prim,
                    sum,
                    clamp(
                        i128::from(a.low) + i128::from(b.low),
                        i128::from(a.high) + i128::from(b.high),
                    ),
                    cheaper(Prim::WordAdd),
                )
            }
            (Prim::IntSub | Prim::WordSub, [a, b]) => {
                let (low, high) = (
                    i128::from(a.low) - i128::from(b.high),
                    i128::from(a.high) - i128::from(b.low),
                );
                settle(
                    prim,
                    Range::wide(low, high),
                    clamp(low, high),
                    cheaper(Prim::WordSub),
                )
            }
            (Prim::IntMul | Prim::WordMul, [a, b]) => {
                let products = [
                    (a.low, b.low),
                    (a.low, b.high),
                    (a.high, b.low),
                    (a.high, b.high),
                ];
                let products = products.map(|(x, y)| i128::from(x) * i128::from(y));
                let (low, high) = (
                    products.into_iter().min().unwrap_or(0),
                    products.into_iter().max().unwrap_or(0),
                );
                settle(
                    prim,
                    Range::wide(low, high),
                    clamp(low, high),
                    cheaper(Prim::WordMul),
                )
            }
            (Prim::IntDiv | Prim::IntQuot, [a, b]) if a.low >= 0 && b.low > 0 => (
                Some(Range::new(a.low / b.high, a.high / b.low)),
                cheaper(Prim::WordDiv),
            ),
            (Prim::IntMod | Prim::IntRem, [a, b]) if a.low >= 0 && b.low > 0 => (
                Some(Range::new(0, a.high.min(b.high - 1))),
                cheaper(Prim::WordMod),
            ),
            (Prim::IntMod, [_, b]) if b.low > 0 => (Some(Range::new(0, b.high - 1)), None),
            (Prim::WordDiv, [a, b]) if a.low >= 0 && b.low > 0 => {
                (Some(Range::new(a.low / b.high, a.high / b.low)), None)
            }
            (Prim::WordMod, [a, b]) if a.low >= 0 && b.low > 0 => {
                (Some(Range::new(0, a.high.min(b.high - 1))), None)
            }
            (Prim::WordAnd, [a, b]) if a.low >= 0 || b.low >= 0 => {
                let high = if a.low >= 0 && b.low >= 0 {
                    a.high.min(b.high)
                } else if a.low >= 0 {
                    a.high
                } else {
                    b.high
                };
                (Some(Range::new(0, high)), None)
            }
            (Prim::WordShr, [a, n])
                if a.low >= 0 && n.low == n.high && (0..64).contains(&n.low) =>
            {
                (Some(Range::new(a.low >> n.low, a.high >> n.low)), None)
            }
            (Prim::WordShr, [_, n]) if n.low > 0 && n.high < 64 => {
                (Some(Range::new(0, i64::MAX >> (n.low - 1))), None)
            }
            (Prim::ArrayLength | Prim::VectorLength | Prim::StringSize, _) => {
                (Some(Range::new(0, LONGEST)), None)
            }
            (Prim::StringGet | Prim::BytesGet, _) => (Some(Range::new(0, 255)), None),
            (Prim::BytesGet16, _) => (Some(Range::new(0, 0xFFFF)), None),
            (Prim::BytesGet32, _) => (Some(Range::new(0, 0xFFFF_FFFF)), None),
            (Prim::WordLow(bits), [a]) => {
                within(*a, Range::new(0, i64::MAX >> (63 - bits)), args[0])
            }
            (Prim::WordSign(bits) | Prim::IntCheck(bits), [a]) => {
                let limit = 1 << (bits - 1);
                within(*a, Range::new(-limit, limit - 1), args[0])
            }
            _ => match fold::comparison(prim, args) {
                Some(cond) => {
                    let truth = self.decided(cond);
                    (
                        Some(Range::new(0, 1)),
                        truth.map(|truth| Rhs::Atom(Atom::Int(i64::from(truth)))),
                    )
                }
                None => (None, None),
            },
        }
    }
}

/// Returns the range of the result of a check or conversion whose result is always in `range`. If the operand is always in `range`, also
/// returns the operand itself as a replacement for the computation.
fn within(found: Range, range: Range, atom: Atom) -> (Option<Range>, Option<Rhs>) {
    if range.low <= found.low && found.high <= range.high {
        (Some(found), Some(Rhs::Atom(atom)))
    } else {
        (Some(range), None)
    }
}

/// Returns the range of a sum, difference or product. If the exact result always fits in 64 bits, also returns a replacement: the primitive
/// without an overflow check.
fn settle(
    prim: Prim,
    exact: Option<Range>,
    clamped: Range,
    cheaper: Option<Rhs>,
) -> (Option<Range>, Option<Rhs>) {
    let checked = matches!(prim, Prim::IntAdd | Prim::IntSub | Prim::IntMul);
    match exact {
        Some(range) => (Some(range), cheaper.filter(|_| checked)),
        None => (checked.then_some(clamped), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strict_bound_leaves_room_for_one_more() {
        let (a, _) = below(ALL, ALL, 1);
        assert_eq!(a.high, i64::MAX - 1);
    }

    #[test]
    fn a_loop_that_counts_down_to_zero_stays_not_negative() {
        let start = Range::new(10, 10);
        let next = without(Range::new(0, 10), Range::new(0, 0));
        assert_eq!(
            start.widened(Range::new(next.low - 1, next.high - 1)),
            Range::new(0, 10)
        );
    }

    #[test]
    fn sums_that_do_not_fit_keep_their_check() {
        let (range, better) = settle(Prim::IntAdd, None, ALL, Some(Rhs::Atom(Atom::Int(0))));
        assert_eq!(range, Some(ALL));
        assert!(better.is_none());
    }
}
