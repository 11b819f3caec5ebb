//! Decides which calls need a poll before them.

use super::Body;
use crate::anf::{Atom, Callee, Rep};

impl Body<'_, '_, '_> {
    /// Returns true if code must poll before a call, because the call may lead back to this function without a poll on the way.
    pub(in super::super) fn must_poll(
        &self,
        callee: Callee,
        args: &[Atom],
        results: &[Rep],
    ) -> bool {
        // While a fork is under way, code polls at the end of the fork, and not before a call.
        let Some(index) = self.index else {
            return false;
        };
        if self.state.polled || !self.state.forks.is_empty() {
            return false;
        }
        match callee {
            Callee::Known(fun) => {
                let (_, callee) = self.unit.funs[&fun];
                self.unit.polls.is_cycle(index, callee)
            }
            Callee::Closure(_) => {
                let args = args.iter().map(|arg| self.unit.program.rep(*arg)).collect();
                let results = results.to_vec();
                self.unit.polls.may_return_to(index, args, results)
            }
        }
    }

    /// Returns true if the callee always polls before it returns.
    pub(in super::super) fn has_polled(&self, callee: Callee) -> bool {
        match callee {
            Callee::Known(fun) => self.unit.polls.is_certain(self.unit.funs[&fun].1),
            Callee::Closure(_) => false,
        }
    }
}
