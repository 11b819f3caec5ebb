//! Translates calls of functions of the runtime.

use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, condcodes::IntCC, types::I64};
use cranelift_codegen::isa::CallConv;

use super::super::Error;
use super::super::body::{Body, FLAGS};
use super::super::call::Callable;
use super::super::live::Point;
use super::super::safepoint::is_leaf;
use super::super::thunk::{load_function, place};
use super::super::unit::{Thunk, signature};
use super::field;
use crate::anf::{Atom, Rep, Var};
use crate::runtime::entry::table::{FUNCTIONS, STRING_EQ};
use crate::runtime::value::object::WORD;

impl Body<'_, '_, '_> {
    pub(super) fn runtime(
        &mut self,
        number: u16,
        args: &[Atom],
        vars: &[Var],
        point: Point,
    ) -> Result<Vec<Value>, Error> {
        let function = &FUNCTIONS[usize::from(number)];
        let values = self.atoms(args);
        if values.len() != function.args.len() {
            return Err(Error(format!(
                "{} is given {} arguments",
                function.name,
                values.len()
            )));
        }
        let mut results = if number == STRING_EQ {
            vec![self.equal_strings(values[0], values[1])]
        } else if is_leaf(number) {
            self.leaf_call(number, &values)
        } else {
            let thunk = self.thunk(Thunk::Function(number))?;
            self.call(Callable::Known(thunk), &values, point)
        };
        if results.is_empty() && !vars.is_empty() {
            results.push(self.b.ins().iconst(I64, 0));
        }
        results.truncate(vars.len());
        Ok(results)
    }

    /// Calls a function of the runtime that neither allocates nor raises.
    fn leaf_call(&mut self, number: u16, values: &[Value]) -> Vec<Value> {
        let function = &FUNCTIONS[usize::from(number)];
        let mut reps = vec![Rep::Int];
        reps.extend(function.args);
        let signature = signature(CallConv::SystemV, &reps, function.result.as_slice());
        let signature = self.b.import_signature(signature);
        let worker = self.b.ins().get_pinned_reg(I64);
        let code = load_function(&mut self.b, place(number));
        let mut args = vec![worker];
        args.extend(values);
        let call = self.b.ins().call_indirect(signature, code, &args);
        self.b.inst_results(call).to_vec()
    }

    /// Compares two strings. The code calls the runtime only if the strings are different objects of the same length, their first words are
    /// equal, and they have more than one word.
    fn equal_strings(&mut self, a: Value, b: Value) -> Value {
        let done = self.new_block();
        let result = self.b.append_block_param(done, I64);
        let (no, yes) = (self.b.ins().iconst(I64, 0), self.b.ins().iconst(I64, 1));
        let same = self.b.ins().icmp(IntCC::Equal, a, b);
        self.unless(same, done, yes);
        let header = self.b.ins().load(I64, FLAGS, a, 0);
        let other = self.b.ins().load(I64, FLAGS, b, 0);
        let differ = self.b.ins().icmp(IntCC::NotEqual, header, other);
        self.unless(differ, done, no);
        // The length is in the header's upper half. An empty string has no words.
        let shorter = |body: &mut Self, length: i64| {
            let limit = body.b.ins().iconst(I64, length << 32);
            body.b.ins().icmp(IntCC::UnsignedLessThan, header, limit)
        };
        let empty = shorter(self, 1);
        self.unless(empty, done, yes);
        let first = self.b.ins().load(I64, FLAGS, a, field(0));
        let other = self.b.ins().load(I64, FLAGS, b, field(0));
        let differ = self.b.ins().icmp(IntCC::NotEqual, first, other);
        self.unless(differ, done, no);
        // The unused bytes of the last word are 0, so the comparison of two strings of one word is complete.
        let short = shorter(self, WORD as i64 + 1);
        self.unless(short, done, yes);
        let equal = self.leaf_call(STRING_EQ, &[a, b])[0];
        self.jump(done, &[equal]);
        self.enter(done);
        result
    }

    /// Jumps to a block, with `value` as the block's argument, if the condition holds. Otherwise the code that follows runs.
    fn unless(&mut self, condition: Value, block: Block, value: Value) {
        let on = self.new_block();
        self.b
            .ins()
            .brif(condition, block, &[BlockArg::Value(value)], on, &[]);
        self.enter(on);
    }
}
