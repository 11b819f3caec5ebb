//! Translates forks and joins: the beginning of a left side, and its end.

use cranelift_codegen::ir::{
    self, BlockArg, InstBuilder, Value,
    condcodes::IntCC,
    types::{F64, I32, I64},
};

use super::Error;
use super::body::{Body, FLAGS};
use super::call::Callable;
use super::live::Point;
use super::numbers::{BlockId, Number};
use super::slots::Begun;
use super::unit::{Thunk, type_of};
use crate::anf::{Atom, Block, Callee, Label, Rep, Var};
use crate::runtime::memory::heap::ZONE_SPAN;
use crate::runtime::state::worker::offsets::Offsets;
use crate::runtime::value::object::WORD;
use crate::source::Span;

impl Body<'_, '_, '_> {
    /// Records that a fork is under way in the code that follows.
    pub(super) fn begin(&mut self, fork: Label) {
        self.state.forks.push(Begun {
            fork,
            exposed: false,
        });
    }

    /// Begins the left side of a fork: stores in slots the values that a thief needs.
    pub(super) fn fork(
        &mut self,
        fork: Label,
        thief: Var,
        args: &[Atom],
        lazy: bool,
    ) -> Result<(), Error> {
        let mut numbers = Vec::with_capacity(args.len());
        for arg in args {
            let number = match arg {
                Atom::Var(var) => self.analysis.number(*var),
                _ => None,
            };
            numbers.push(number.ok_or_else(|| Error("a fork passes what has no slot".into()))?);
        }
        self.begin(fork);
        // An argument has a slot if the runtime may read the frame while the fork is under way. So if the arguments have no slots, no
        // worker can see the fork.
        if numbers
            .iter()
            .any(|number| self.live.slot(*number).is_none())
        {
            return Ok(());
        }
        self.store(&numbers);
        let args = numbers
            .iter()
            .map(|number| (self.slot_offset(*number), self.rep_of(*number)))
            .collect();
        self.unit.fork(fork, thief, (args, self.slots), lazy)
    }

    /// Promotes the arguments of a fork whose left side has begun, before any other worker takes the fork.
    pub(super) fn promote_environment(&mut self, args: &[Atom], point: Point) -> Result<(), Error> {
        self.taken = None;
        let (slow, fine) = (self.new_block(), self.new_block());
        self.b.set_cold_block(slow);
        let worker = self.b.ins().get_pinned_reg(I64);
        let young = self.b.ins().load(I64, FLAGS, worker, Offsets::YOUNG);
        for arg in args {
            if self.unit.program.rep(*arg) == Rep::Ptr {
                let value = self.atom(*arg);
                let from = self.b.ins().isub(value, young);
                let span = ZONE_SPAN as i64;
                let is_young = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, from, span);
                let next = self.new_block();
                self.b.ins().brif(is_young, slow, &[], next, &[]);
                self.enter(next);
            }
        }
        self.jump(fine, &[]);
        self.enter(slow);
        self.slow_call(Thunk::Environment, &[], point, fine)?;
        self.enter(fine);
        Ok(())
    }

    /// Ends the left side of a fork: checks whether a thief has taken the right side. This check counts as a poll. If the left side ends
    /// with `last_call`, makes this call in place of a check: the call returns to the slow path if the fork was published. If a thief has
    /// computed the right side, the code binds the results to `taken` and runs the block `stolen`. If no thief has taken the right side,
    /// this worker must compute it, in the code that the caller translates next.
    pub(super) fn resume(
        &mut self,
        end: Number,
        fork: Label,
        taken: &[Var],
        (stolen, id): (&Block, BlockId),
    ) -> Result<(), Error> {
        let last = self.last_call.take();
        let exposed = self.state.forks.last().is_some_and(|begun| begun.exposed);
        self.taken = None;
        if last.is_none() && !exposed {
            self.state.forks.pop();
            self.pop_unseen_task(fork);
            return Ok(());
        }
        let (slow, other, fine) = (self.new_block(), self.new_block(), self.new_block());
        let (raised, done) = (self.new_block(), self.new_block());
        for block in [slow, other, raised, done] {
            self.b.set_cold_block(block);
        }
        if let Some((number, callee, args, vars)) = &last {
            self.end_by_call(*number, (*callee, args, vars), fine, slow)?;
        }
        let begun = self.state.forks.pop().expect("a fork is under way");
        debug_assert_eq!(begun.fork, fork, "forks are nested");
        let around = self.fork_spans.get(&fork).copied();
        self.at(around.unwrap_or(Span::NONE));
        if last.is_none() {
            self.look_at_join(slow, fine);
        }
        self.enter(slow);
        if let Some((.., vars)) = &last {
            let results = self.unit.reps(vars);
            let values = self.landed(slow, &results);
            self.bind_all(vars, &values);
        }
        let before = self.state.clone();
        // The fork's index among the forks of the frame.
        let place = self.state.forks.len();
        let number = self.b.ins().iconst(I64, place as i64);
        let function = self.thunk(Thunk::Join)?;
        let live = self.save(Point::Before(end));
        let call = self.b.ins().call(function, &[number]);
        self.mark(call, &live);
        for number in &live {
            if !before.stale.contains(*number) {
                self.load_slot(*number);
            }
        }
        let worker = self.b.ins().get_pinned_reg(I64);
        let outcome = self.b.ins().load(I64, FLAGS, worker, Offsets::JOINED);
        let results: Vec<BlockArg> = match &last {
            Some((.., vars)) => vars
                .iter()
                .map(|var| BlockArg::Value(self.atom(Atom::Var(*var))))
                .collect(),
            None => Vec::new(),
        };
        self.b.ins().brif(outcome, other, &[], fine, &results);
        self.enter(other);
        let first = self.b.ins().load(I64, FLAGS, worker, Offsets::RESULTS);
        let is_done = self.b.ins().icmp_imm_u(IntCC::Equal, outcome, 1);
        self.b.ins().brif(is_done, done, &[], raised, &[]);
        self.enter(raised);
        self.raise_of_thief(first)?;
        self.enter(done);
        let mut values = Vec::with_capacity(taken.len());
        for (at, var) in taken.iter().enumerate() {
            let ty = type_of(self.unit.program.vars[var.0 as usize].rep);
            let offset = Offsets::RESULTS + (at * WORD) as i32;
            values.push(self.b.ins().load(ty, FLAGS, worker, offset));
        }
        self.state.polled = true;
        self.bind_all(taken, &values);
        self.share_globals(taken, Point::Bound(end))?;
        self.block(stolen, id)?;
        self.state = before;
        self.expose();
        self.enter(fine);
        match &last {
            Some((_, callee, _, vars)) => {
                let values = self.b.block_params(fine).to_vec();
                self.bind_all(vars, &values);
                self.state.polled |= self.has_polled(*callee);
            }
            None => self.state.polled = true,
        }
        Ok(())
    }

    /// Emits the call that ends the left side of a fork whose join needs no check.
    fn end_by_call(
        &mut self,
        number: Number,
        (callee, args, vars): (Callee, &[Atom], &[Var]),
        fine: ir::Block,
        landing: ir::Block,
    ) -> Result<(), Error> {
        let results = self.unit.reps(vars);
        for rep in &results {
            self.b.append_block_param(fine, type_of(*rep));
            if *rep != Rep::Real {
                self.b.append_block_param(landing, type_of(*rep));
            }
        }
        let (target, args) = match callee {
            Callee::Known(fun) => (Callable::Known(self.known(fun).0), self.atoms(args)),
            Callee::Closure(closure) => {
                let (signature, code, args) = self.code_of(closure, args, &results);
                (Callable::Code(signature, code), args)
            }
        };
        self.call_before_join(target, &args, (fine, landing), Point::At(number));
        Ok(())
    }

    /// Returns the results of the call that returns to a landing. The caller translates the beginning of this landing.
    fn landed(&mut self, landing: ir::Block, results: &[Rep]) -> Vec<Value> {
        if results == [Rep::Real] {
            let worker = self.b.ins().get_pinned_reg(I64);
            return vec![self.b.ins().load(F64, FLAGS, worker, Offsets::LANDED)];
        }
        self.b.block_params(landing).to_vec()
    }

    /// Emits the check at the end of the left side of a fork. The check tests the worker's poll or, in a program with clones, the worker's
    /// deque. If the fork may have been published, the code continues at `slow`, and otherwise at `fine`.
    fn look_at_join(&mut self, slow: ir::Block, fine: ir::Block) {
        if self.unit.program.clones {
            self.pop_task(slow, fine);
            return;
        }
        let worker = self.b.ins().get_pinned_reg(I64);
        let word = self.b.ins().load(I32, FLAGS, worker, Offsets::POLL);
        self.b.ins().brif(word, slow, &[], fine, &[]);
    }

    /// Drops a fork after its left side, because its right side is not needed. The code checks whether the fork was published, and this
    /// check counts as a poll.
    pub(super) fn forget(&mut self, end: Number, fork: Label) -> Result<(), Error> {
        let begun = self.state.forks.pop().expect("a fork is under way");
        debug_assert_eq!(begun.fork, fork, "forks are nested");
        self.taken = None;
        if !begun.exposed {
            self.pop_unseen_task(fork);
            return Ok(());
        }
        let (slow, fine) = (self.new_block(), self.new_block());
        self.b.set_cold_block(slow);
        self.look_at_join(slow, fine);
        self.enter(slow);
        // The fork's index among the forks of the frame.
        let place = self.b.ins().iconst(I64, self.state.forks.len() as i64);
        self.slow_call(Thunk::Drop, &[place], Point::Before(end), fine)?;
        self.enter(fine);
        self.state.polled = true;
        Ok(())
    }
}
