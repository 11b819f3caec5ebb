//! Translates the computations of statements: objects and primitives.

mod arithmetic;
mod runtime;

use cranelift_codegen::ir::{
    AtomicRmwOp, BlockArg, InstBuilder, Value,
    condcodes::IntCC,
    types::{F64, I64},
};

use super::Error;
use super::body::{Body, FLAGS};
use super::call::Callable;
use super::live::Point;
use super::safepoint::bytes_of;
use super::unit::Thunk;
use crate::anf::{Atom, Elem, Rep, Rhs, Var};
use crate::prim::Prim;
use crate::runtime::memory::heap::ZONE_SPAN;
use crate::runtime::state::worker::offsets::Offsets;
use crate::runtime::value::object::{
    Header, IDENTITY, LENGTH_OFFSET, MAX_FIELDS, TAG_OFFSET, WORD,
};

/// The workers that may read an element after its store.
#[derive(Clone, Copy)]
enum Seen {
    /// All workers, immediately.
    ByAll,
    /// Only this worker, until `Prim::ArraySettle` settles the array.
    ByNone,
}

impl Body<'_, '_, '_> {
    /// Translates any computation except a call, and returns its results.
    pub(super) fn rhs(
        &mut self,
        rhs: &Rhs,
        vars: &[Var],
        point: Point,
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
            Rhs::Load { object, index, .. } => {
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

    /// Makes a new object in the memory that the check of its group of allocations has reserved.
    fn object(&mut self, rhs: &Rhs, header: Header, fields: &[Value]) -> Value {
        let bytes = bytes_of(rhs).expect("allocates");
        self.place(bytes, header, fields)
    }

    /// Makes a new object of `bytes` bytes in the memory that the check of its group of allocations has reserved.
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

    /// Returns the value that code must store into `slot` of `object` instead of `value`. The result is `value` itself if `value` is not
    /// young or `object` is young. If `value` is young and `object` is old, there are two cases. If other workers may read the slot, the
    /// result is the promoted object. If no other worker may read the slot, the result is `value`, and the code records that the slot
    /// refers to a young object.
    fn barrier(
        &mut self,
        object: Value,
        slot: (Value, i32),
        value: Value,
        seen: Seen,
        point: Point,
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

    /// Returns a base address and an offset. Their sum is the address of an array's element.
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
        point: Point,
    ) -> Result<(), Error> {
        let mut word = self.atom(value);
        if elem == Some(Rep::Ptr) && matches!(value, Atom::Var(_)) {
            word = self.barrier(object, (address, offset), word, seen, point)?;
        }
        self.b.ins().store(FLAGS, word, address, offset);
        Ok(())
    }

    fn prim(
        &mut self,
        prim: Prim,
        elem: Option<Elem>,
        args: &[Atom],
        vars: &[Var],
        rhs: &Rhs,
        point: Point,
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
                // Collections read the elements, so each element is an immediate until the program writes it.
                let word = self.b.ins().iconst(I64, 1);
                let thunk = self.thunk(Thunk::Array)?;
                return Ok(self.call(Callable::Known(thunk), &[length, word, word], point));
            }
            ParAsked => {
                let worker = self.b.ins().get_pinned_reg(I64);
                // The word consists of the worker's poll and of its field `wanted`.
                let words = self.b.ins().load(I64, FLAGS, worker, Offsets::POLL);
                let asked = self.b.ins().icmp_imm_u(IntCC::NotEqual, words, 0);
                // If the word is not 0, the Basis calls `Par.attend`, which polls.
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
            BytesGet16 => {
                let address = self.byte(args);
                self.b.ins().uload16(I64, FLAGS, address, field(0))
            }
            BytesGet32 => {
                let address = self.byte(args);
                self.b.ins().uload32(FLAGS, address, field(0))
            }
            BytesGet64 => {
                let address = self.byte(args);
                self.b.ins().load(I64, FLAGS, address, field(0))
            }
            BytesSet | BytesSet16 | BytesSet32 | BytesSet64 => {
                let address = self.byte(args);
                let word = self.atom(args[2]);
                let b = self.b.ins();
                match prim {
                    BytesSet => b.istore8(FLAGS, word, address, field(0)),
                    BytesSet16 => b.istore16(FLAGS, word, address, field(0)),
                    BytesSet32 => b.istore32(FLAGS, word, address, field(0)),
                    _ => b.store(FLAGS, word, address, field(0)),
                };
                return Ok(self.unit_value(vars));
            }
            VectorOfArray | StringOfBytes | Cast => self.atom(args[0]),
            ExnName => {
                let exn = self.atom(args[0]);
                let identity = self.load(Rep::Ptr, exn, field(0));
                self.load(Rep::Ptr, identity, field(0))
            }
            ExnOrigin => {
                let origin = match args[0] {
                    Atom::Var(var) => self.origins.get(&var).copied(),
                    _ => None,
                };
                origin.unwrap_or_else(|| self.b.ins().iconst(I64, 0))
            }
            _ => {
                let values = self.atoms(args);
                self.arithmetic(prim, args, &values)?
            }
        };
        Ok(vec![value])
    }

    /// Emits a compare-and-swap of a field. `words` are the expected and the new value. If the field is a pointer, the code calls the
    /// runtime, because a store of a pointer may promote.
    fn swap(
        &mut self,
        object: Value,
        index: Value,
        words: &[Atom],
        elem: Rep,
        point: Point,
    ) -> Result<Vec<Value>, Error> {
        let (mut expected, mut new) = (self.atom(words[0]), self.atom(words[1]));
        if elem == Rep::Ptr {
            let number =
                crate::runtime::entry::table::by_name("rt.Atomic.swap").expect("is in the table");
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

    /// Returns the result of a primitive of result type `unit`: the word 0 if the program uses the result, and otherwise nothing.
    fn unit_value(&mut self, vars: &[Var]) -> Vec<Value> {
        vars.iter().map(|_| self.b.ins().iconst(I64, 0)).collect()
    }

    fn byte(&mut self, args: &[Atom]) -> Value {
        let bytes = self.atom(args[0]);
        let index = self.atom(args[1]);
        self.b.ins().iadd(bytes, index)
    }
}

/// Returns the offset of the `index`th word after the header.
fn field(index: usize) -> i32 {
    ((1 + index) * WORD) as i32
}
