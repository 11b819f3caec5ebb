//! Clone compilation (Rainey, section 3.3.2): a second way to translate a fork, for comparison.
//!
//! A fork allocates a *task*, an object with the code and the arguments of its right side, and pushes this task on the worker's private
//! deque. The fast clone consists of the code of the left side, a pop, and the code of the right side in place. If the deque is empty at
//! the pop, the task was published. The slow clone consists of the function that a thief calls, and of the join's thunk.
//!
//! The check before the allocation of a task is a poll, so the pop checks the deque and does not
//! poll.

use cranelift_codegen::ir::{self, BlockArg, InstBuilder, condcodes::IntCC, types::I64};

use super::Error;
use super::body::{Body, FLAGS};
use super::safepoint::task_bytes;
use super::unit::Thunk;
use crate::anf::{Atom, Label, Rep, Var};
use crate::runtime::state::worker::offsets::Offsets;
use crate::runtime::value::object::{Header, MAX_FIELDS, WORD};

impl Body<'_, '_, '_> {
    /// Begins a fork: pushes its task. An earlier check has reserved the memory of the task.
    pub(super) fn push_task(
        &mut self,
        fork: Label,
        thief: Var,
        args: &[Atom],
        lazy: bool,
    ) -> Result<(), Error> {
        if args.len() >= MAX_FIELDS {
            return Err(Error("a fork of so many words".into()));
        }
        let (id, values) = (self.unit.thunk(Thunk::Steal(thief))?, self.atoms(args));
        let stub = self.unit.import(id, self.b.func);
        let reps: Vec<Rep> = args.iter().map(|arg| self.unit.program.rep(*arg)).collect();
        let ptrs = reps.iter().filter(|rep| **rep == Rep::Ptr).count();
        // The pointers come first, then the code.
        let mut fields = vec![self.b.ins().func_addr(I64, stub); 1 + args.len()];
        let (mut pointer, mut raw) = (0, ptrs + 1);
        let mut places = Vec::with_capacity(args.len());
        for (rep, value) in reps.into_iter().zip(values) {
            let next = if rep == Rep::Ptr {
                &mut pointer
            } else {
                &mut raw
            };
            fields[*next] = value;
            places.push((((1 + *next) * WORD) as i32, rep));
            *next += 1;
        }
        let header = Header::record(0, ptrs, fields.len() - ptrs);
        let task = self.place(task_bytes(args), header, &fields);
        self.push(task)?;
        self.begin(fork);
        self.unit.fork(fork, thief, (places, None), lazy)
    }

    fn push(&mut self, task: ir::Value) -> Result<(), Error> {
        let (full, room) = (self.new_block(), self.new_block());
        self.b.set_cold_block(full);
        let top = self.b.append_block_param(room, I64);
        let worker = self.b.ins().get_pinned_reg(I64);
        let newest = self.b.ins().load(I64, FLAGS, worker, Offsets::TASKS_TOP);
        let end = self.b.ins().load(I64, FLAGS, worker, Offsets::TASKS_END);
        let is_full = self.b.ins().icmp(IntCC::Equal, newest, end);
        let same = [BlockArg::Value(newest)];
        self.b.ins().brif(is_full, full, &[], room, &same);
        self.enter(full);
        let grow = self.thunk(Thunk::Grow)?;
        self.b.ins().call(grow, &[]);
        let newest = self.b.ins().load(I64, FLAGS, worker, Offsets::TASKS_TOP);
        self.jump(room, &[newest]);
        self.enter(room);
        self.b.ins().store(FLAGS, task, top, 0);
        let next = self.b.ins().iadd_imm_s(top, WORD as i64);
        self.b.ins().store(FLAGS, next, worker, Offsets::TASKS_TOP);
        Ok(())
    }

    /// Ends a left side: pops the task and continues at `fine`, or continues at `slow` if the task was published.
    pub(super) fn pop_task(&mut self, slow: ir::Block, fine: ir::Block) {
        let there = self.new_block();
        let worker = self.b.ins().get_pinned_reg(I64);
        let top = self.b.ins().load(I64, FLAGS, worker, Offsets::TASKS_TOP);
        let bottom = self.b.ins().load(I64, FLAGS, worker, Offsets::TASKS_BOTTOM);
        let none = self.b.ins().icmp(IntCC::Equal, top, bottom);
        self.b.ins().brif(none, slow, &[], there, &[]);
        self.enter(there);
        let top = self.b.ins().iadd_imm_s(top, -(WORD as i64));
        self.b.ins().store(FLAGS, top, worker, Offsets::TASKS_TOP);
        self.jump(fine, &[]);
    }

    /// Pops the task of a fork, if the fork has pushed a task. The caller must ensure that the task is not published, because this code
    /// does not check the deque.
    pub(super) fn pop_unseen_task(&mut self, fork: Label) {
        if !self.has_task(fork) {
            return;
        }
        let worker = self.b.ins().get_pinned_reg(I64);
        let top = self.b.ins().load(I64, FLAGS, worker, Offsets::TASKS_TOP);
        let top = self.b.ins().iadd_imm_s(top, -(WORD as i64));
        self.b.ins().store(FLAGS, top, worker, Offsets::TASKS_TOP);
    }

    fn has_task(&self, fork: Label) -> bool {
        self.unit.program.clones && self.unit.fork_numbers.contains_key(&fork)
    }

    /// Returns the number of the chain of forks at this place if an exception that is raised here leaves a fork of this function with a
    /// task. Otherwise returns 0.
    pub(super) fn leaving_tasks(&mut self) -> u32 {
        let kept = self.regions.last().map_or(0, |region| region.forks);
        let mut inside = self.state.forks.iter().skip(kept);
        if inside.any(|begun| self.has_task(begun.fork)) {
            self.fork_chain().unwrap_or(0)
        } else {
            0
        }
    }
}
