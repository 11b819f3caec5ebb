//! Keeps pointers in slots of the frame at possible collections, where the collector reads and writes them.
//!
//! Code stores a pointer in its slot before the first call during which the pointer is live. After a call, code loads the pointer again at
//! its next use. Between the call and that use, only the copy in the slot is up to date. For an allocation or a poll, the stores and loads
//! are on the slow path, because the collector runs only there.
//!
//! Where a handled region begins, code stores the pointers that the handler needs. So these pointers are in their slots on every path to
//! the handler.

use cranelift_codegen::ir::{
    self, BlockArg, Inst, InstBuilder, Value,
    condcodes::IntCC,
    types::{I32, I64},
};
use cranelift_frontend::Variable;

use super::Error;
use super::bits::Bits;
use super::body::{Body, FLAGS, Place};
use super::live::Point;
use super::unit::{Thunk, hold, type_of};
use crate::anf::{Atom, Label, Rep, Var};
use crate::runtime::memory::heap::ZONE_SPAN;
use crate::runtime::state::worker::offsets::Offsets;
use crate::runtime::value::object::WORD;

/// Facts that hold at a place in a function, whatever path leads to this place.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Pointers whose slots are up to date.
    pub stored: Bits,
    /// The pointers in `stored` that are up to date only in their slots.
    pub stale: Bits,
    /// Whether this activation of the function has polled.
    pub polled: bool,
    /// The forks whose left side is under way, the innermost last.
    pub forks: Vec<Begun>,
}

/// A fork whose left side is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The label of the fork.
    pub fork: Label,
    /// Whether a call or a poll may have published the fork.
    pub exposed: bool,
}

impl State {
    /// Merges the facts of two paths to a place: removes from `all` the facts that do not hold in `one`.
    pub fn meet(all: &mut Option<State>, one: &State) {
        match all {
            Some(all) => {
                all.stored.intersect(&one.stored);
                all.polled &= one.polled;
                debug_assert_eq!(all.forks.len(), one.forks.len(), "forks are nested");
                for (all, one) in all.forks.iter_mut().zip(&one.forks) {
                    debug_assert_eq!(all.fork, one.fork, "forks are nested");
                    all.exposed |= one.exposed;
                }
            }
            None => *all = Some(one.clone()),
        }
    }
}

/// The memory that the check before a group of allocations has reserved.
pub struct Taken {
    /// The start of the memory.
    pub base: Value,
    /// The number of bytes that objects of the group use already.
    pub used: usize,
}

impl Body<'_, '_, '_> {
    pub(super) fn slot_offset(&self, number: u32) -> i32 {
        let slot = self.live.slot(number).expect("live somewhere");
        slot as i32 * WORD as i32
    }

    fn variable(&self, number: u32) -> Variable {
        match self.places[self.live.vars[number as usize].0 as usize] {
            Place::Variable(variable) => variable,
            other => unreachable!("live, but {other:?}"),
        }
    }

    pub(super) fn rep_of(&self, number: u32) -> Rep {
        let var = self.live.vars[number as usize];
        self.unit.program.vars[var.0 as usize].rep
    }

    pub(super) fn load_slot(&mut self, number: u32) {
        let offset = self.slot_offset(number);
        let slots = self.slots.expect("something is live");
        let ty = type_of(self.rep_of(number));
        let value = self.b.ins().stack_load(I64, ty, slots, offset);
        let variable = self.variable(number);
        self.b.def_var(variable, value);
    }

    /// Returns the value of a pointer that may move. Loads it from its slot if it is stale.
    pub(super) fn moving(&mut self, var: Var, variable: Variable) -> Value {
        if let Some(number) = self.analysis.number(var)
            && self.state.stale.contains(number)
        {
            self.load_slot(number);
            self.state.stale.remove(number);
        }
        self.b.use_var(variable)
    }

    /// Stores pointers in their slots, except pointers whose slots are up to date.
    pub(super) fn store(&mut self, live: &[u32]) {
        for number in live {
            if self.state.stored.insert(*number) {
                let variable = self.variable(*number);
                let value = self.b.use_var(variable);
                let offset = self.slot_offset(*number);
                let slots = self.slots.expect("something is live");
                self.b.ins().stack_store(I64, value, slots, offset);
            }
        }
    }

    /// Stores the pointers that are live at a place in their slots, and returns their numbers.
    pub(super) fn save(&mut self, point: Point) -> Vec<u32> {
        let live = self.live.at(point).to_vec();
        self.store(&live);
        live
    }

    /// Records that after this place, these pointers are up to date only in their slots.
    pub(super) fn leave_to_slots(&mut self, live: &[u32]) {
        for number in live {
            self.state.stale.insert(*number);
        }
    }

    /// Loads the stale pointers in `live` that are not in `except`.
    pub(super) fn load_stale(&mut self, live: &Bits, except: &Bits) {
        let numbers: Vec<u32> = live
            .iter()
            .filter(|number| self.state.stale.contains(*number) && !except.contains(*number))
            .collect();
        for number in numbers {
            self.load_slot(number);
            self.state.stale.remove(number);
        }
    }

    /// Records which slots of the frame have live pointers during a call, and the chain of forks at the call.
    pub(super) fn mark(&mut self, call: Inst, live: &[u32]) {
        if let Some(slots) = self.slots {
            let held: Vec<u32> = live
                .iter()
                .filter(|number| self.rep_of(**number) == Rep::Ptr)
                .map(|number| self.live.slot(*number).expect("live somewhere"))
                .collect();
            hold(&mut self.b, call, slots, held.into_iter());
        }
        if let Some(chain) = self.fork_chain() {
            self.b
                .func
                .debug_tags
                .set(call, [ir::DebugTag::User(chain)]);
        }
        self.expose();
    }

    /// Returns the number of the chain of forks for a call at this place, or `None` if no fork is under way.
    pub(super) fn fork_chain(&mut self) -> Option<u32> {
        if let Some(chain) = self.raising {
            return (chain != 0).then_some(chain);
        }
        let known = &self.unit.fork_numbers;
        let forks: Vec<Label> = self
            .state
            .forks
            .iter()
            .map(|begun| begun.fork)
            .filter(|fork| known.contains_key(fork))
            .collect();
        let kept = self.regions.last().map_or(0, |region| region.forks);
        self.unit.chain(&forks, kept)
    }

    /// Records that code at this place (a call or a poll) may publish the forks that are under way.
    pub(super) fn expose(&mut self) {
        for begun in &mut self.state.forks {
            begun.exposed = true;
        }
    }

    /// Makes a call on a slow path, in the current block, and ends the block with a jump to `fine`.
    pub(super) fn slow_call(
        &mut self,
        thunk: Thunk,
        args: &[Value],
        point: Point,
        fine: ir::Block,
    ) -> Result<(), Error> {
        let state = self.state.clone();
        let function = self.thunk(thunk.clone())?;
        let live = self.save(point);
        let call = self.b.ins().call(function, args);
        self.mark(call, &live);
        for number in live {
            // A pointer that was stale before the call stays stale, and code loads it at its next use.
            if !state.stale.contains(number) {
                self.load_slot(number);
            }
        }
        let mut results = Vec::new();
        if matches!(thunk, Thunk::Allocate | Thunk::Promote) {
            let worker = self.b.ins().get_pinned_reg(I64);
            results.push(self.b.ins().load(I64, FLAGS, worker, Offsets::TAKEN));
        }
        self.jump(fine, &results);
        self.state = state;
        self.expose();
        Ok(())
    }

    /// Polls on the slow path of a loop that has found a request, and jumps to `fine`. The thunk changes no register, so the loop keeps its
    /// variables in registers.
    pub(super) fn attend(&mut self, point: Point, fine: ir::Block) -> Result<(), Error> {
        self.slow_call(Thunk::Poll, &[], point, fine)
    }

    /// Replaces a young object by an equal object that is not young, and jumps to `fine`. Other workers may see the equal object.
    pub(super) fn promote(
        &mut self,
        value: Value,
        point: Point,
        fine: ir::Block,
    ) -> Result<(), Error> {
        let slow = self.new_block();
        self.b.set_cold_block(slow);
        // This thunk never collects, so no pointer changes.
        let copy = self.thunk(Thunk::Copy)?;
        self.b.ins().call(copy, &[value]);
        let worker = self.b.ins().get_pinned_reg(I64);
        let taken = self.b.ins().load(I64, FLAGS, worker, Offsets::TAKEN);
        self.b
            .ins()
            .brif(taken, fine, &[BlockArg::Value(taken)], slow, &[]);
        self.enter(slow);
        self.slow_call(Thunk::Promote, &[value], point, fine)
    }

    /// Prepares a new array for reads by other workers. If other workers run, the code calls the runtime, which promotes young elements.
    pub(super) fn settle(&mut self, array: Value, point: Point) -> Result<(), Error> {
        let (slow, fine) = (self.new_block(), self.new_block());
        self.b.set_cold_block(slow);
        let worker = self.b.ins().get_pinned_reg(I64);
        let shared = self.b.ins().load(I64, FLAGS, worker, Offsets::SHARED);
        self.b.ins().brif(shared, slow, &[], fine, &[]);
        self.enter(slow);
        self.slow_call(Thunk::Settle, &[array], point, fine)?;
        self.enter(fine);
        Ok(())
    }

    /// Promotes the values of globals that earlier code has bound, if the values are young and other workers may see them.
    pub(super) fn share_globals(&mut self, vars: &[Var], point: Point) -> Result<(), Error> {
        if !self.analysis.any_global(vars) {
            return Ok(());
        }
        self.taken = None;
        let (look, slow, fine) = (self.new_block(), self.new_block(), self.new_block());
        self.b.set_cold_block(look);
        self.b.set_cold_block(slow);
        let worker = self.b.ins().get_pinned_reg(I64);
        let young = self.b.ins().load(I64, FLAGS, worker, Offsets::YOUNG);
        for var in vars {
            if self.analysis.any_global(&[*var]) {
                let value = self.atom(Atom::Var(*var));
                let from = self.b.ins().isub(value, young);
                let span = ZONE_SPAN as i64;
                let is_young = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, from, span);
                let next = self.new_block();
                self.b.ins().brif(is_young, look, &[], next, &[]);
                self.enter(next);
            }
        }
        self.jump(fine, &[]);
        self.enter(look);
        let shared = self.b.ins().load(I64, FLAGS, worker, Offsets::SHARED);
        self.b.ins().brif(shared, slow, &[], fine, &[]);
        self.enter(slow);
        self.slow_call(Thunk::Globals, &[], point, fine)?;
        self.enter(fine);
        Ok(())
    }

    /// Emits a poll: the code calls the runtime if the worker's poll is set.
    pub(super) fn poll(&mut self, point: Point) -> Result<(), Error> {
        let (slow, fine) = (self.new_block(), self.new_block());
        self.b.set_cold_block(slow);
        let worker = self.b.ins().get_pinned_reg(I64);
        let word = self.b.ins().load(I32, FLAGS, worker, Offsets::POLL);
        self.b.ins().brif(word, slow, &[], fine, &[]);
        self.enter(slow);
        self.slow_call(Thunk::Poll, &[], point, fine)?;
        self.enter(fine);
        self.state.polled = true;
        Ok(())
    }

    /// Emits the check for memory before a group of allocations. This check is also a poll.
    pub(super) fn take(&mut self, bytes: usize, point: Point) -> Result<(), Error> {
        let (slow, fast, fine) = (self.new_block(), self.new_block(), self.new_block());
        self.b.set_cold_block(slow);
        let base = self.b.append_block_param(fine, I64);
        let worker = self.b.ins().get_pinned_reg(I64);
        let next = self.b.ins().load(I64, FLAGS, worker, Offsets::ALLOC);
        let end = self.b.ins().iadd_imm_s(next, bytes as i64);
        let limit = self.b.ins().load(I64, FLAGS, worker, Offsets::LIMIT);
        let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, end, limit);
        self.b.ins().brif(full, slow, &[], fast, &[]);
        self.enter(fast);
        self.b.ins().store(FLAGS, end, worker, Offsets::ALLOC);
        self.jump(fine, &[next]);
        self.enter(slow);
        let size = self.b.ins().iconst(I64, bytes as i64);
        self.slow_call(Thunk::Allocate, &[size], point, fine)?;
        self.enter(fine);
        self.taken = Some(Taken { base, used: 0 });
        self.state.polled = true;
        Ok(())
    }
}
