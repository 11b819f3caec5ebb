//! Translates conditions, and ends that choose a block by a condition or a number.

use cranelift_codegen::ir::{
    self, InstBuilder, TrapCode, Value,
    condcodes::{FloatCC, IntCC},
};
use cranelift_frontend::Switch;

use super::super::Error;
use super::super::numbers::Inside;
use super::Body;
use crate::anf::{Atom, Block, Cmp, Cond, End};

/// The maximum number of cases of a switch that code tests one by one.
const FEW: usize = 4;

impl Body<'_, '_, '_> {
    /// Makes a block for a branch. If the branch ends with a raise outside of handled regions, puts the block after the function's other
    /// code.
    pub(super) fn branch(&mut self, block: &Block) -> ir::Block {
        let target = self.new_block();
        if matches!(block.end, End::Raise(..)) && self.regions.is_empty() {
            self.b.set_cold_block(target);
        }
        target
    }

    /// Returns true if a condition tests the result of the last `Par.asked`. Such a condition holds only if the worker has a request.
    pub(super) fn is_request(&self, cond: Cond) -> bool {
        matches!(cond, Cond::Int(Cmp::Ne, Atom::Var(var), Atom::Int(0)) if self.asked == Some(var))
    }

    pub(super) fn switch(
        &mut self,
        on: Atom,
        cases: &[(i64, Block)],
        default: Option<&Block>,
        mut inner: Inside,
    ) -> Result<(), Error> {
        let value = self.atom(on);
        let state = self.state.clone();
        // If there is no default, the last case needs no test.
        let (cases, default) = match (default, cases) {
            (Some(default), cases) => (cases, default),
            (None, [cases @ .., (_, last)]) => (cases, last),
            (None, []) => {
                self.b.ins().trap(TrapCode::unwrap_user(2));
                return Ok(());
            }
        };
        let targets: Vec<_> = cases.iter().map(|(_, block)| self.branch(block)).collect();
        let otherwise = self.branch(default);
        let numbered = cases
            .iter()
            .map(|(number, _)| *number)
            .zip(targets.iter().copied());
        if cases.len() <= FEW {
            self.chain(value, numbered, otherwise);
        } else {
            let mut switch = Switch::new();
            for (number, target) in numbered {
                switch.set_entry(u128::from(number as u64), target);
            }
            switch.emit(&mut self.b, value, otherwise);
        }
        let blocks = targets
            .into_iter()
            .zip(cases.iter().map(|(_, block)| block));
        let blocks = blocks.chain([(otherwise, default)]);
        for (target, block) in blocks {
            self.state = state.clone();
            self.enter(target);
            self.block(block, inner.take())?;
        }
        Ok(())
    }

    /// Tests the numbers one after the other. For at most [`FEW`] numbers, these tests take less time than a jump through a table, which is
    /// hard to predict.
    fn chain(
        &mut self,
        value: Value,
        cases: impl ExactSizeIterator<Item = (i64, ir::Block)>,
        otherwise: ir::Block,
    ) {
        let last = cases.len().saturating_sub(1);
        if cases.len() == 0 {
            self.jump(otherwise, &[]);
        }
        for (at, (number, target)) in cases.enumerate() {
            let is = self.b.ins().icmp_imm_s(IntCC::Equal, value, number);
            let next = if at == last {
                otherwise
            } else {
                self.new_block()
            };
            self.b.ins().brif(is, target, &[], next, &[]);
            if at != last {
                self.enter(next);
            }
        }
    }

    pub(super) fn condition(&mut self, cond: Cond) -> Value {
        match cond {
            Cond::Int(cmp, a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                self.b.ins().icmp(signed(cmp), a, b)
            }
            Cond::Word(cmp, a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                self.b.ins().icmp(signed(cmp).unsigned(), a, b)
            }
            Cond::Real(cmp, a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                let code = match cmp {
                    Cmp::Eq => FloatCC::Equal,
                    Cmp::Ne => FloatCC::NotEqual,
                    Cmp::Lt => FloatCC::LessThan,
                    Cmp::Le => FloatCC::LessThanOrEqual,
                    Cmp::Gt => FloatCC::GreaterThan,
                    Cmp::Ge => FloatCC::GreaterThanOrEqual,
                };
                self.b.ins().fcmp(code, a, b)
            }
            Cond::Same(a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                self.b.ins().icmp(IntCC::Equal, a, b)
            }
            Cond::IsImm(atom) => {
                let value = self.atom(atom);
                self.b.ins().band_imm_u(value, 1)
            }
        }
    }
}

fn signed(cmp: Cmp) -> IntCC {
    match cmp {
        Cmp::Eq => IntCC::Equal,
        Cmp::Ne => IntCC::NotEqual,
        Cmp::Lt => IntCC::SignedLessThan,
        Cmp::Le => IntCC::SignedLessThanOrEqual,
        Cmp::Gt => IntCC::SignedGreaterThan,
        Cmp::Ge => IntCC::SignedGreaterThanOrEqual,
    }
}
