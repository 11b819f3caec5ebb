//! Computations of statements: objects and primitives.

use cranelift_codegen::ir::{
    AtomicRmwOp, Block, BlockArg, InstBuilder, Value,
    condcodes::{FloatCC, IntCC},
    types::{F32, F64, I8, I16, I32, I64},
};
use cranelift_codegen::isa::CallConv;

use super::Error;
use super::body::{Body, FLAGS};
use super::call::Callable;
use super::safepoint::{bytes_of, is_leaf};
use super::thunk::{load_function, place};
use super::unit::{Thunk, signature};
use crate::anf::{Atom, Elem, Rep, Rhs, Var};
use crate::prim::{BuiltinExn, Prim};
use crate::runtime::heap::ZONE_SPAN;
use crate::runtime::object::{Header, IDENTITY, LENGTH_OFFSET, MAX_FIELDS, TAG_OFFSET, WORD};
use crate::runtime::table::{FUNCTIONS, STRING_EQ};
use crate::runtime::worker::Offsets;

/// The workers that may read an element once it is stored.
#[derive(Clone, Copy)]
enum Seen {
    /// All, at once.
    ByAll,
    /// No other worker until the array is settled.
    ByNone,
}

impl Body<'_, '_, '_> {
    /// The results of anything but a call.
    pub(super) fn rhs(
        &mut self,
        rhs: &Rhs,
        vars: &[Var],
        point: usize,
    ) -> Result<Vec<Value>, Error> {
        let value = match rhs {
            Rhs::Atom(atom) => self.atom(*atom),
            Rhs::Prim { prim, elem, args } => {
                return self.prim(*prim, *elem, args, vars, rhs, point);
            }
            Rhs::Alloc(layout, fields) => {
                let (ptrs, raws) = (layout.ptrs as usize, layout.raws as usize);
                if ptrs.max(raws) > MAX_FIELDS {
                    return Err(Error(
                        "not supported yet: a record of so many fields".into(),
                    ));
                }
                let header = Header::record(layout.tag, ptrs, raws);
                let fields = self.atoms(fields);
                self.object(rhs, header, &fields)
            }
            Rhs::Closure(fun, captured) => {
                let ptrs = captured
                    .iter()
                    .filter(|atom| self.unit.program.rep(**atom) == Rep::Ptr)
                    .count();
                if captured.len() > MAX_FIELDS {
                    return Err(Error("not supported yet: so many free variables".into()));
                }
                let header = Header::closure(ptrs, captured.len() - ptrs);
                let (id, _) = self.unit.funs[fun];
                let function = self.unit.import(id, self.b.func);
                let code = self.b.ins().func_addr(I64, function);
                let mut fields = vec![code];
                fields.extend(self.atoms(captured));
                self.object(rhs, header, &fields)
            }
            Rhs::NewExn(name, payload) => {
                let name = self.atom(Atom::Static(*name));
                let payload = match payload {
                    Some(shape) => self.atom(Atom::Static(*shape)),
                    None => self.b.ins().iconst(I64, 0),
                };
                self.object(rhs, IDENTITY, &[name, payload])
            }
            Rhs::Load { object, index } => {
                let object = self.atom(*object);
                let rep = vars
                    .first()
                    .map_or(Rep::Int, |var| self.unit.program.vars[var.0 as usize].rep);
                self.load(rep, object, field(*index as usize))
            }
            Rhs::Tag(object) => {
                let object = self.atom(*object);
                self.b.ins().uload16(I64, FLAGS, object, TAG_OFFSET)
            }
            Rhs::Call(..) | Rhs::Fork { .. } => unreachable!("translated by the block"),
        };
        Ok(vec![value])
    }

    /// A new object in the memory that was taken.
    fn object(&mut self, rhs: &Rhs, header: Header, fields: &[Value]) -> Value {
        let bytes = bytes_of(rhs).expect("allocates");
        self.place(bytes, header, fields)
    }

    /// A new object of this number of bytes in the reserved memory.
    pub(super) fn place(&mut self, bytes: usize, header: Header, fields: &[Value]) -> Value {
        let taken = self.taken.as_mut().expect("taken before");
        let (base, at) = (taken.base, taken.used);
        taken.used += bytes;
        let object = if at == 0 {
            base
        } else {
            self.b.ins().iadd_imm_s(base, at as i64)
        };
        let header = self.b.ins().iconst(I64, header.0 as i64);
        self.b.ins().store(FLAGS, header, object, 0);
        for (index, value) in fields.iter().enumerate() {
            self.b.ins().store(FLAGS, *value, object, field(index));
        }
        object
    }

    /// The value to store into `slot` of `object` instead of `value`: `value` itself, unless it is young, the object is not, and
    /// other workers may read the slot; in that case, the promoted copy. If no other worker may, notes that the slot refers to a
    /// young object.
    fn barrier(
        &mut self,
        object: Value,
        slot: (Value, i32),
        value: Value,
        seen: Seen,
        point: usize,
    ) -> Result<Value, Error> {
        let (look, old, note, full, done) = (
            self.new_block(),
            self.new_block(),
            self.new_block(),
            self.new_block(),
            self.new_block(),
        );
        for block in [look, old, note, full] {
            self.b.set_cold_block(block);
        }
        let result = self.b.append_block_param(done, I64);
        let same = BlockArg::Value(value);
        let worker = self.b.ins().get_pinned_reg(I64);
        let young = self.b.ins().load(I64, FLAGS, worker, Offsets::YOUNG);
        let from = self.b.ins().isub(value, young);
        let span = ZONE_SPAN as i64;
        let is_young = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, from, span);
        self.b.ins().brif(is_young, look, &[], done, &[same]);
        self.enter(look);
        let from = self.b.ins().isub(object, young);
        let is_young = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, from, span);
        self.b.ins().brif(is_young, done, &[same], old, &[]);
        self.enter(old);
        match seen {
            Seen::ByAll => {
                let share = self.new_block();
                self.b.set_cold_block(share);
                let shared = self.b.ins().load(I64, FLAGS, worker, Offsets::SHARED);
                self.b.ins().brif(shared, share, &[], note, &[]);
                self.enter(share);
                self.promote(value, point, done)?;
            }
            Seen::ByNone => self.jump(note, &[]),
        }
        self.enter(note);
        let slot = self.b.ins().iadd_imm_s(slot.0, i64::from(slot.1));
        let next = self.b.ins().load(I64, FLAGS, worker, Offsets::REMEMBERED);
        self.b.ins().store(FLAGS, slot, next, 0);
        let next = self.b.ins().iadd_imm_s(next, WORD as i64);
        self.b.ins().store(FLAGS, next, worker, Offsets::REMEMBERED);
        let end = self
            .b
            .ins()
            .load(I64, FLAGS, worker, Offsets::REMEMBERED_END);
        let is_full = self.b.ins().icmp(IntCC::Equal, next, end);
        self.b.ins().brif(is_full, full, &[], done, &[same]);
        self.enter(full);
        let remember = self.thunk(Thunk::Remember)?;
        self.b.ins().call(remember, &[]);
        self.jump(done, &[value]);
        self.enter(done);
        Ok(result)
    }

    /// The address of an element, less the header.
    fn element(&mut self, array: Value, index: Atom) -> (Value, i32) {
        match index {
            Atom::Int(n) if (0..1 << 20).contains(&n) => (array, field(n as usize)),
            _ => {
                let index = self.atom(index);
                let offset = self.b.ins().ishl_imm_u(index, 3);
                (self.b.ins().iadd(array, offset), field(0))
            }
        }
    }

    fn write(
        &mut self,
        object: Value,
        (address, offset): (Value, i32),
        value: Atom,
        elem: Option<Elem>,
        seen: Seen,
        point: usize,
    ) -> Result<(), Error> {
        let mut word = self.atom(value);
        if elem == Some(Rep::Ptr) && matches!(value, Atom::Var(_)) {
            word = self.barrier(object, (address, offset), word, seen, point)?;
        }
        self.b.ins().store(FLAGS, word, address, offset);
        Ok(())
    }

    fn runtime(
        &mut self,
        number: u16,
        args: &[Atom],
        vars: &[Var],
        point: usize,
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

    /// A call of a function of the runtime that neither allocates nor raises.
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

    /// Whether two strings are equal: decided here if they are identical, differ in length or in their first words, or have
    /// no more words.
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
        // The rest of the last word is zeros.
        let short = shorter(self, WORD as i64 + 1);
        self.unless(short, done, yes);
        let equal = self.leaf_call(STRING_EQ, &[a, b])[0];
        self.jump(done, &[equal]);
        self.enter(done);
        result
    }

    /// Goes on here unless the condition holds, which leads to a block with a value.
    fn unless(&mut self, condition: Value, block: Block, value: Value) {
        let on = self.new_block();
        self.b
            .ins()
            .brif(condition, block, &[BlockArg::Value(value)], on, &[]);
        self.enter(on);
    }

    fn prim(
        &mut self,
        prim: Prim,
        elem: Option<Elem>,
        args: &[Atom],
        vars: &[Var],
        rhs: &Rhs,
        point: usize,
    ) -> Result<Vec<Value>, Error> {
        use Prim::*;
        let elem_rep = elem.unwrap_or(Rep::Int);
        let value = match prim {
            Runtime(number) => return self.runtime(number, args, vars, point),
            PolyEq | PolyNe => {
                return Err(Error("equality of a type that is not known".into()));
            }
            RefNew => {
                let header = Header::reference(elem_rep == Rep::Ptr);
                let value = self.atom(args[0]);
                self.object(rhs, header, &[value])
            }
            RefGet => {
                let object = self.atom(args[0]);
                self.load(elem_rep, object, field(0))
            }
            RefSet => {
                let object = self.atom(args[0]);
                self.write(
                    object,
                    (object, field(0)),
                    args[1],
                    elem,
                    Seen::ByAll,
                    point,
                )?;
                return Ok(self.unit_value(vars));
            }
            ArrayNew => {
                let length = self.atom(args[0]);
                let mut word = self.atom(args[1]);
                if elem_rep == Rep::Real {
                    word =
                        self.b
                            .ins()
                            .bitcast(I64, cranelift_codegen::ir::MemFlagsData::new(), word);
                }
                let pointers = self.b.ins().iconst(I64, i64::from(elem_rep == Rep::Ptr));
                let thunk = self.thunk(Thunk::Array)?;
                return Ok(self.call(Callable::Known(thunk), &[length, word, pointers], point));
            }
            ArrayBlank => {
                let length = self.atom(args[0]);
                if elem_rep != Rep::Ptr {
                    let thunk = self.thunk(Thunk::Blank)?;
                    return Ok(self.call(Callable::Known(thunk), &[length], point));
                }
                // Collections look at the elements: immediates until they are written.
                let word = self.b.ins().iconst(I64, 1);
                let thunk = self.thunk(Thunk::Array)?;
                return Ok(self.call(Callable::Known(thunk), &[length, word, word], point));
            }
            ParAsked => {
                let worker = self.b.ins().get_pinned_reg(I64);
                // The poll, and the request for work beside it.
                let words = self.b.ins().load(I64, FLAGS, worker, Offsets::POLL);
                let asked = self.b.ins().icmp_imm_u(IntCC::NotEqual, words, 0);
                // The Basis calls `Par.attend`, which polls, before it goes on.
                self.state.polled = true;
                self.asked = vars.first().copied();
                self.b.ins().uextend(I64, asked)
            }
            ParAttend => {
                let fine = self.new_block();
                self.attend(point, fine)?;
                self.enter(fine);
                let worker = self.b.ins().get_pinned_reg(I64);
                let wanted = self.b.ins().uload32(FLAGS, worker, Offsets::WANTED);
                let is_set = self.b.ins().icmp_imm_u(IntCC::NotEqual, wanted, 0);
                self.b.ins().uextend(I64, is_set)
            }
            LazyRecorded => {
                let worker = self.b.ins().get_pinned_reg(I64);
                let recorded = self.b.ins().load(I64, FLAGS, worker, Offsets::RECORDED);
                let is_set = self.b.ins().icmp_imm_u(IntCC::NotEqual, recorded, 0);
                self.b.ins().uextend(I64, is_set)
            }
            BytesNew => {
                let length = self.atom(args[0]);
                let thunk = self.thunk(Thunk::Bytes)?;
                return Ok(self.call(Callable::Known(thunk), &[length], point));
            }
            ArrayLength | VectorLength | StringSize => {
                let object = self.atom(args[0]);
                self.b.ins().uload32(FLAGS, object, LENGTH_OFFSET)
            }
            ArrayGet | VectorGet => {
                let array = self.atom(args[0]);
                let (address, offset) = self.element(array, args[1]);
                self.load(elem_rep, address, offset)
            }
            ArraySet | ArrayFill => {
                let array = self.atom(args[0]);
                let place = self.element(array, args[1]);
                let seen = if prim == ArraySet {
                    Seen::ByAll
                } else {
                    Seen::ByNone
                };
                self.write(array, place, args[2], elem, seen, point)?;
                return Ok(self.unit_value(vars));
            }
            RefSwap => {
                let object = self.atom(args[0]);
                let index = self.b.ins().iconst(I64, 0);
                return self.swap(object, index, &args[1..], elem_rep, point);
            }
            ArraySwap => {
                let array = self.atom(args[0]);
                let index = self.atom(args[1]);
                return self.swap(array, index, &args[2..], elem_rep, point);
            }
            RefFetchAdd | ArrayFetchAdd => {
                let object = self.atom(args[0]);
                let (address, offset) = match prim {
                    RefFetchAdd => (object, field(0)),
                    _ => self.element(object, args[1]),
                };
                let place = self.b.ins().iadd_imm_s(address, i64::from(offset));
                let more = self.atom(args[args.len() - 1]);
                self.b
                    .ins()
                    .atomic_rmw(I64, FLAGS, AtomicRmwOp::Add, place, more)
            }
            ArraySettle => {
                if elem == Some(Rep::Ptr) {
                    let array = self.atom(args[0]);
                    self.settle(array, point)?;
                }
                return Ok(self.unit_value(vars));
            }
            StringGet | BytesGet => {
                let address = self.byte(args);
                self.b.ins().uload8(I64, FLAGS, address, field(0))
            }
            BytesSet => {
                let address = self.byte(args);
                let byte = self.atom(args[2]);
                self.b.ins().istore8(FLAGS, byte, address, field(0));
                return Ok(self.unit_value(vars));
            }
            VectorOfArray | StringOfBytes | Cast => self.atom(args[0]),
            ExnName => {
                let exn = self.atom(args[0]);
                let identity = self.load(Rep::Ptr, exn, field(0));
                self.load(Rep::Ptr, identity, field(0))
            }
            _ => {
                let values = self.atoms(args);
                self.arithmetic(prim, args, &values)?
            }
        };
        Ok(vec![value])
    }

    /// Compare-and-swap of a field: `words` are the expected and the new value. For pointers the runtime does it, because it
    /// promotes.
    fn swap(
        &mut self,
        object: Value,
        index: Value,
        words: &[Atom],
        elem: Rep,
        point: usize,
    ) -> Result<Vec<Value>, Error> {
        let (mut expected, mut new) = (self.atom(words[0]), self.atom(words[1]));
        if elem == Rep::Ptr {
            let number = crate::runtime::table::by_name("rt.Atomic.swap").expect("is in the table");
            let thunk = self.thunk(Thunk::Function(number))?;
            let args = [object, index, expected, new];
            return Ok(self.call(Callable::Known(thunk), &args, point));
        }
        let no_flags = cranelift_codegen::ir::MemFlagsData::new();
        if elem == Rep::Real {
            expected = self.b.ins().bitcast(I64, no_flags, expected);
            new = self.b.ins().bitcast(I64, no_flags, new);
        }
        let offset = self.b.ins().ishl_imm_u(index, 3);
        let place = self.b.ins().iadd(object, offset);
        let place = self.b.ins().iadd_imm_s(place, i64::from(field(0)));
        let before = self.b.ins().atomic_cas(FLAGS, place, expected, new);
        Ok(vec![match elem {
            Rep::Real => self.b.ins().bitcast(F64, no_flags, before),
            _ => before,
        }])
    }

    /// The result of a primitive of type `unit`, if it is used.
    fn unit_value(&mut self, vars: &[Var]) -> Vec<Value> {
        vars.iter().map(|_| self.b.ins().iconst(I64, 0)).collect()
    }

    fn byte(&mut self, args: &[Atom]) -> Value {
        let bytes = self.atom(args[0]);
        let index = self.atom(args[1]);
        self.b.ins().iadd(bytes, index)
    }

    fn bool(&mut self, value: Value) -> Value {
        self.b.ins().uextend(I64, value)
    }

    fn compare(&mut self, code: IntCC, values: &[Value]) -> Value {
        let value = self.b.ins().icmp(code, values[0], values[1]);
        self.bool(value)
    }

    fn compare_reals(&mut self, code: FloatCC, values: &[Value]) -> Value {
        let value = self.b.ins().fcmp(code, values[0], values[1]);
        self.bool(value)
    }

    fn shift(&mut self, prim: Prim, args: &[Atom], v: &[Value]) -> Value {
        let counted = matches!(args[1], Atom::Int(n) if (0..64).contains(&n));
        let shifted = match prim {
            Prim::WordShl => self.b.ins().ishl(v[0], v[1]),
            Prim::WordShr => self.b.ins().ushr(v[0], v[1]),
            _ => {
                let last = self.b.ins().iconst(I64, 63);
                let count = if counted {
                    v[1]
                } else {
                    self.b.ins().umin(v[1], last)
                };
                return self.b.ins().sshr(v[0], count);
            }
        };
        if counted {
            return shifted;
        }
        let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, v[1], 64);
        let zero = self.b.ins().iconst(I64, 0);
        self.b.ins().select(fits, shifted, zero)
    }

    /// `a + b` or `a - b` for a constant `b`: wraps exactly if the result moves in the wrong direction.
    fn add_constant(&mut self, a: Value, b: i64, sum: Value) {
        let code = if b >= 0 {
            IntCC::SignedLessThan
        } else {
            IntCC::SignedGreaterThan
        };
        let wrong = self.b.ins().icmp(code, sum, a);
        self.raise_if(wrong, BuiltinExn::Overflow);
    }

    /// Raises Div for a divisor of 0 and, if `overflow`, Overflow for the smallest number by -1.
    fn check_divisor(&mut self, args: &[Atom], v: &[Value], overflow: bool) {
        match args[1] {
            Atom::Int(n) if n != 0 && n != -1 => return,
            Atom::Int(-1) => {}
            _ => {
                let zero = self.b.ins().icmp_imm_u(IntCC::Equal, v[1], 0);
                self.raise_if(zero, BuiltinExn::Div);
            }
        }
        if overflow {
            let one = self.b.ins().icmp_imm_s(IntCC::Equal, v[1], -1);
            let least = self.b.ins().icmp_imm_s(IntCC::Equal, v[0], i64::MIN);
            let both = self.b.ins().band(one, least);
            self.raise_if(both, BuiltinExn::Overflow);
        }
    }

    /// The divisor, but 1 for divisors that would make the machine trap; then the remainder is 0.
    fn tame_divisor(&mut self, args: &[Atom], v: &[Value], zero: bool) -> Value {
        if matches!(args[1], Atom::Int(n) if n != 0 && n != -1) {
            return v[1];
        }
        let one = self.b.ins().iconst(I64, 1);
        let tame = if zero {
            let next = self.b.ins().iadd_imm_s(v[1], 1);
            self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, 2)
        } else {
            self.b.ins().icmp_imm_s(IntCC::Equal, v[1], -1)
        };
        self.b.ins().select(tame, one, v[1])
    }

    /// Whether the remainder must be corrected to round down: it is not 0, and its sign differs from the divisor's.
    fn rounds_up(&mut self, remainder: Value, divisor: Value) -> Value {
        let signs = self.b.ins().bxor(remainder, divisor);
        let differ = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let some = self.b.ins().icmp_imm_u(IntCC::NotEqual, remainder, 0);
        self.b.ins().band(differ, some)
    }

    fn power(atom: Atom) -> Option<u32> {
        match atom {
            Atom::Int(n) if n > 0 && n & (n - 1) == 0 => Some(n.trailing_zeros()),
            _ => None,
        }
    }

    fn check_range(&mut self, value: Value, narrow: cranelift_codegen::ir::Type) -> Value {
        let low = self.b.ins().ireduce(narrow, value);
        let same = self.b.ins().sextend(I64, low);
        let wrong = self.b.ins().icmp(IntCC::NotEqual, same, value);
        self.raise_if(wrong, BuiltinExn::Overflow);
        value
    }

    fn low(&mut self, value: Value, narrow: cranelift_codegen::ir::Type, sign: bool) -> Value {
        let low = self.b.ins().ireduce(narrow, value);
        if sign {
            self.b.ins().sextend(I64, low)
        } else {
            self.b.ins().uextend(I64, low)
        }
    }

    #[allow(clippy::too_many_lines)]
    fn arithmetic(&mut self, prim: Prim, args: &[Atom], v: &[Value]) -> Result<Value, Error> {
        use Prim::*;
        Ok(match prim {
            IntAdd => match (args[0], args[1]) {
                (a, Atom::Int(n)) | (Atom::Int(n), a) => {
                    let a = if matches!(args[1], Atom::Int(_)) {
                        v[0]
                    } else {
                        self.atom(a)
                    };
                    let sum = self.b.ins().iadd_imm_s(a, n);
                    self.add_constant(a, n, sum);
                    sum
                }
                _ => {
                    let (sum, over) = self.b.ins().sadd_overflow(v[0], v[1]);
                    self.raise_if(over, BuiltinExn::Overflow);
                    sum
                }
            },
            IntSub => match args[1] {
                Atom::Int(n) if n != i64::MIN => {
                    let sum = self.b.ins().iadd_imm_s(v[0], -n);
                    self.add_constant(v[0], -n, sum);
                    sum
                }
                _ => {
                    let (sum, over) = self.b.ins().ssub_overflow(v[0], v[1]);
                    self.raise_if(over, BuiltinExn::Overflow);
                    sum
                }
            },
            IntMul => {
                let (product, over) = self.b.ins().smul_overflow(v[0], v[1]);
                self.raise_if(over, BuiltinExn::Overflow);
                product
            }
            IntNeg => {
                let least = self.b.ins().icmp_imm_s(IntCC::Equal, v[0], i64::MIN);
                self.raise_if(least, BuiltinExn::Overflow);
                self.b.ins().ineg(v[0])
            }
            IntDiv => match Self::power(args[1]) {
                Some(shift) => self.b.ins().sshr_imm_u(v[0], i64::from(shift)),
                None => {
                    self.check_divisor(args, v, true);
                    let quotient = self.b.ins().sdiv(v[0], v[1]);
                    let product = self.b.ins().imul(quotient, v[1]);
                    let remainder = self.b.ins().isub(v[0], product);
                    let up = self.rounds_up(remainder, v[1]);
                    let up = self.b.ins().uextend(I64, up);
                    self.b.ins().isub(quotient, up)
                }
            },
            IntMod => match Self::power(args[1]) {
                Some(shift) => self.b.ins().band_imm_s(v[0], (1 << shift) - 1),
                None => {
                    self.check_divisor(args, v, false);
                    let divisor = self.tame_divisor(args, v, false);
                    let remainder = self.b.ins().srem(v[0], divisor);
                    let up = self.rounds_up(remainder, divisor);
                    let more = self.b.ins().iadd(remainder, v[1]);
                    self.b.ins().select(up, more, remainder)
                }
            },
            IntQuot => {
                self.check_divisor(args, v, true);
                self.b.ins().sdiv(v[0], v[1])
            }
            IntRem => {
                self.check_divisor(args, v, false);
                let divisor = self.tame_divisor(args, v, false);
                self.b.ins().srem(v[0], divisor)
            }
            WrapQuot => {
                self.check_divisor(args, v, false);
                let divisor = self.tame_divisor(args, v, false);
                let quotient = self.b.ins().sdiv(v[0], divisor);
                let minus = self.b.ins().ineg(v[0]);
                let one = self.b.ins().icmp_imm_s(IntCC::Equal, v[1], -1);
                self.b.ins().select(one, minus, quotient)
            }
            WrapRem => {
                let divisor = self.tame_divisor(args, v, true);
                self.b.ins().srem(v[0], divisor)
            }
            IntCheck8 => self.check_range(v[0], I8),
            IntCheck16 => self.check_range(v[0], I16),
            IntCheck32 => self.check_range(v[0], I32),
            IntLt => self.compare(IntCC::SignedLessThan, v),
            IntLe => self.compare(IntCC::SignedLessThanOrEqual, v),
            IntGt => self.compare(IntCC::SignedGreaterThan, v),
            IntGe => self.compare(IntCC::SignedGreaterThanOrEqual, v),
            IntEq | Same => self.compare(IntCC::Equal, v),
            IntNe => self.compare(IntCC::NotEqual, v),
            WordLt => self.compare(IntCC::UnsignedLessThan, v),
            WordLe => self.compare(IntCC::UnsignedLessThanOrEqual, v),
            WordGt => self.compare(IntCC::UnsignedGreaterThan, v),
            WordGe => self.compare(IntCC::UnsignedGreaterThanOrEqual, v),
            WordAdd => self.b.ins().iadd(v[0], v[1]),
            WordSub => self.b.ins().isub(v[0], v[1]),
            WordMul => self.b.ins().imul(v[0], v[1]),
            WordDiv | WordMod => {
                if !matches!(args[1], Atom::Int(n) if n != 0) {
                    let zero = self.b.ins().icmp_imm_u(IntCC::Equal, v[1], 0);
                    self.raise_if(zero, BuiltinExn::Div);
                }
                if prim == WordDiv {
                    self.b.ins().udiv(v[0], v[1])
                } else {
                    self.b.ins().urem(v[0], v[1])
                }
            }
            WordAnd => self.b.ins().band(v[0], v[1]),
            WordOr => self.b.ins().bor(v[0], v[1]),
            WordXor => self.b.ins().bxor(v[0], v[1]),
            WordNot => self.b.ins().bnot(v[0]),
            WordShl | WordShr | WordSar => self.shift(prim, args, v),
            WordLow8 => self.low(v[0], I8, false),
            WordLow16 => self.low(v[0], I16, false),
            WordLow32 => self.low(v[0], I32, false),
            WordSign8 => self.low(v[0], I8, true),
            WordSign16 => self.low(v[0], I16, true),
            WordSign32 => self.low(v[0], I32, true),
            RealAdd => self.b.ins().fadd(v[0], v[1]),
            RealSub => self.b.ins().fsub(v[0], v[1]),
            RealMul => self.b.ins().fmul(v[0], v[1]),
            RealDiv => self.b.ins().fdiv(v[0], v[1]),
            RealNeg => self.b.ins().fneg(v[0]),
            RealAbs => self.b.ins().fabs(v[0]),
            RealSqrt => self.b.ins().sqrt(v[0]),
            RealFloor => self.b.ins().floor(v[0]),
            RealCeil => self.b.ins().ceil(v[0]),
            RealTrunc => self.b.ins().trunc(v[0]),
            RealNearest => self.b.ins().nearest(v[0]),
            RealMin | RealMax => {
                let code = if prim == RealMin {
                    FloatCC::LessThan
                } else {
                    FloatCC::GreaterThan
                };
                let first = self.b.ins().fcmp(code, v[0], v[1]);
                let no_second = self.b.ins().fcmp(FloatCC::Unordered, v[1], v[1]);
                let other = self.b.ins().select(no_second, v[0], v[1]);
                self.b.ins().select(first, v[0], other)
            }
            RealLt => self.compare_reals(FloatCC::LessThan, v),
            RealLe => self.compare_reals(FloatCC::LessThanOrEqual, v),
            RealGt => self.compare_reals(FloatCC::GreaterThan, v),
            RealGe => self.compare_reals(FloatCC::GreaterThanOrEqual, v),
            RealEq => self.compare_reals(FloatCC::Equal, v),
            RealNe => self.compare_reals(FloatCC::NotEqual, v),
            RealFromInt => self.b.ins().fcvt_from_sint(F64, v[0]),
            RealToInt => self.b.ins().fcvt_to_sint_sat(I64, v[0]),
            RealToSingle => {
                let single = self.b.ins().fdemote(F32, v[0]);
                self.b.ins().fpromote(F64, single)
            }
            RealBits => {
                let flags = cranelift_codegen::ir::MemFlagsData::new();
                self.b.ins().bitcast(I64, flags, v[0])
            }
            RealOfBits => {
                let flags = cranelift_codegen::ir::MemFlagsData::new();
                self.b.ins().bitcast(F64, flags, v[0])
            }
            other => return Err(Error(format!("not supported yet: {}", other.name()))),
        })
    }
}

/// The offset of the `index`th word after the header.
fn field(index: usize) -> i32 {
    ((1 + index) * WORD) as i32
}
