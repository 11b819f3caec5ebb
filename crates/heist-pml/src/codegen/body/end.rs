//! Translates ends of blocks.

use cranelift_codegen::ir::{InstBuilder, TrapCode, types::I64};

use super::super::Error;
use super::super::call::Region;
use super::super::live::Point;
use super::super::numbers::{Inside, Number};
use super::super::slots::State;
use super::Body;
use crate::anf::{Atom, Block, Callee, End, Rhs, Stmt, Var};
use crate::prim::Prim;

impl Body<'_, '_, '_> {
    /// Translates the end of a block. `number` is the number of the end, and `inner` has the blocks inside the end.
    pub(super) fn end(
        &mut self,
        end: &End,
        number: Number,
        mut inner: Inside,
    ) -> Result<(), Error> {
        self.taken = None;
        match end {
            End::Return(atoms) => {
                let values = self.atoms(atoms);
                self.return_(values);
            }
            End::Jump(label, args) => {
                let args = self.atoms(args);
                let analysis = self.analysis;
                let target = &self.labels[label];
                // Loads all pointers that the join point needs, because other paths to the join point may not have stored them. Pointers
                // that the enclosing handlers need are stored on every path, so code loads these pointers only where it uses them.
                let handled = target.handled.clone();
                self.load_stale(analysis.at_label(*label), &handled);
                let target = self.labels.get_mut(label).expect("in scope");
                State::meet(&mut target.state, &self.state);
                let block = target.block;
                self.jump(block, &args);
            }
            End::TailCall(Callee::Known(fun), args, span) => {
                self.at(*span);
                if self.must_poll(Callee::Known(*fun), args, &[]) {
                    self.poll(Point::Before(number))?;
                }
                let values = self.atoms(args);
                match self.own {
                    Some((own, head)) if own == *fun => {
                        self.jump(head, &values);
                    }
                    _ => {
                        let (function, index) = self.known(*fun);
                        if self.returned && !self.unit.returned[index] {
                            self.call_and_return(function, &values);
                        } else {
                            self.b.ins().return_call(function, &values);
                        }
                    }
                }
            }
            End::TailCall(Callee::Closure(closure), args, span) => {
                self.at(*span);
                let results = self.results.clone();
                if self.must_poll(Callee::Closure(*closure), args, &results) {
                    self.poll(Point::Before(number))?;
                }
                let (signature, code, args) = self.code_of(*closure, args, &results);
                debug_assert!(!self.returned, "the closure's code returns no exception");
                self.b.ins().return_call_indirect(signature, code, &args);
            }
            End::If(cond, yes, no) => {
                let condition = self.condition(*cond);
                let (then, other) = (self.branch(yes), self.branch(no));
                self.b.ins().brif(condition, then, &[], other, &[]);
                let state = self.state.clone();
                let rare = self.rare;
                self.rare |= self.is_request(*cond);
                if self.rare {
                    self.b.set_cold_block(then);
                }
                self.enter(then);
                self.block(yes, inner.take())?;
                self.rare = rare;
                self.state = state;
                self.enter(other);
                self.block(no, inner.take())?;
            }
            End::Switch { on, cases, default } => {
                self.switch(*on, cases, default.as_deref(), inner)?
            }
            End::Raise(atom, span) => {
                self.at(*span);
                let exn = self.atom(*atom);
                let origin = match atom {
                    Atom::Var(var) => self.origins.get(var).copied(),
                    _ => None,
                };
                self.raise(exn, origin)?;
            }
            End::Handle { body, exn, handler } => {
                let needed = self.live.at_handler(number).clone();
                self.store(&needed.iter().collect::<Vec<_>>());
                let after = State {
                    stored: needed.clone(),
                    stale: needed.clone(),
                    polled: self.state.polled,
                    forks: self.state.forks.clone(),
                };
                let block = self.new_block();
                self.b.append_block_param(block, I64);
                let again = needs_origin(handler, *exn);
                if again {
                    self.b.append_block_param(block, I64);
                }
                self.b.set_cold_block(block);
                let forks = self.state.forks.len();
                self.regions.push(Region::new(block, needed, forks, again));
                let around = self.span;
                self.block(body, inner.take())?;
                let raisers = self
                    .regions
                    .last_mut()
                    .map(|region| region.raisers.drain().collect());
                self.raisers(raisers.unwrap_or_default())?;
                let region = self.regions.pop().expect("pushed above");
                if region.reached {
                    self.state = after;
                    // A call or poll before this place may have published the forks that are under way.
                    for begun in &mut self.state.forks {
                        begun.exposed = true;
                    }
                    self.enter(block);
                    self.at(around);
                    let params = self.b.block_params(block).to_vec();
                    self.bind(*exn, params[0]);
                    if let Some(origin) = params.get(1) {
                        self.origins.insert(*exn, *origin);
                    }
                    self.share_globals(&[*exn], Point::Bound(number))?;
                    self.block(handler, inner.take())?;
                }
            }
            End::Resume {
                fork,
                right,
                taken,
                stolen,
            } => {
                let right_id = inner.take();
                self.resume(number, *fork, taken, (stolen, inner.take()))?;
                self.block(right, right_id)?;
            }
            End::Drop { fork, rest } => {
                self.forget(number, *fork)?;
                self.block(rest, inner.take())?;
            }
            End::Unreachable => {
                self.b.ins().trap(TrapCode::unwrap_user(2));
            }
        }
        Ok(())
    }
}

/// Returns true if a handler raises its exception again or reports it.
fn needs_origin(block: &Block, exn: Var) -> bool {
    let inside = |stmt: &Stmt| match stmt {
        Stmt::Let(
            _,
            Rhs::Prim {
                prim: Prim::ExnOrigin,
                args,
                ..
            },
            _,
        ) => args[..] == [Atom::Var(exn)],
        Stmt::Join { body, .. } => needs_origin(body, exn),
        _ => false,
    };
    matches!(block.end, End::Raise(Atom::Var(var), _) if var == exn)
        || block.stmts.iter().any(inside)
        || block
            .end
            .blocks()
            .iter()
            .any(|block| needs_origin(block, exn))
}
