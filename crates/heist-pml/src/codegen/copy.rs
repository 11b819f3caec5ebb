//! The thunk that copies a small young object for other workers, before code stores the object into an old one (`collect/promote.rs` of the
//! runtime). Programs that fill shared arrays with tuples call this thunk for each tuple. A call of the runtime would save all registers.
//! If earlier stores of the program still wait for memory, these additional stores fill the processor's store buffer, and the processor
//! then stops. For the same reason, the thunk copies single words: a wider load of words that the program has just stored would wait until
//! these stores are in the cache.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, BlockArg, InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::FunctionBuilder;
use cranelift_module::FuncId;

use super::Error;
use super::thunk::signature_of;
use super::unit::{Thunk, Tools, Unit};
use crate::runtime::state::worker::copies::Copies;
use crate::runtime::state::worker::offsets::Offsets;
use crate::runtime::value::object::{Header, WORD};

const FLAGS: MemFlagsData = MemFlagsData::trusted();

/// The maximum number of fields of an object that the thunk copies.
const MOST_FIELDS: i64 = 8;

/// Defines the thunk. Its argument is a value in the young generations of all workers. The thunk sets `Worker::taken` to the copy, or to 0
/// if only the runtime can promote the value: if the value is no small immutable record, if it refers to another young object, or if the
/// worker's chunk of the old generation is full.
pub fn define(unit: &mut Unit, tools: &mut Tools, id: FuncId) -> Result<(), Error> {
    tools.context.func.signature = signature_of(&Thunk::Copy);
    let mut b = FunctionBuilder::new(&mut tools.context.func, &mut tools.builder);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let object = b.block_params(entry)[0];
    let worker = b.ins().get_pinned_reg(I64);
    let end = b.create_block();
    let taken = b.append_block_param(end, I64);
    let none = b.ins().iconst(I64, 0);
    let none = [BlockArg::Value(none)];

    // The value is an object of the worker's own young generation. If the table of recent copies has the object, its copy is the result.
    let nursery = b.ins().load(I64, FLAGS, worker, Offsets::NURSERY);
    let span = b.ins().load(I64, FLAGS, worker, Offsets::COPYABLE);
    let young = Young { nursery, span };
    let is_own = young.test(&mut b, object);
    let own = b.create_block();
    b.ins().brif(is_own, own, &[], end, &none);
    b.switch_to_block(own);
    let place = b.ins().ushr_imm_u(object, i64::from(WORD.trailing_zeros()));
    let place = b.ins().band_imm_u(place, Copies::ENTRIES as i64 - 1);
    let place = b.ins().imul_imm_u(place, Copies::ENTRY as i64);
    let place = b.ins().iadd(worker, place);
    let (known, to) = (Offsets::COPIES, Offsets::COPIES + Copies::COPY as i32);
    let last = b.ins().load(I64, FLAGS, place, known);
    let is_known = b.ins().icmp(IntCC::Equal, last, object);
    let (again, first) = (b.create_block(), b.create_block());
    b.ins().brif(is_known, again, &[], first, &[]);
    b.switch_to_block(again);
    let copy = b.ins().load(I64, FLAGS, place, to);
    b.ins().jump(end, &[BlockArg::Value(copy)]);

    // The object is a small record without identity.
    b.switch_to_block(first);
    let header = b.ins().load(I64, FLAGS, object, 0);
    let bits = b.ins().band_imm_u(header, Header::COPYABLE_MASK as i64);
    let is_record = b
        .ins()
        .icmp_imm_u(IntCC::Equal, bits, Header::COPYABLE_RECORD as i64);
    let record = b.create_block();
    b.ins().brif(is_record, record, &[], end, &none);
    b.switch_to_block(record);
    let pointers = b.ins().ushr_imm_u(header, 32);
    let pointers = b.ins().band_imm_u(pointers, 0xffff);
    let others = b.ins().ushr_imm_u(header, 48);
    let fields = b.ins().iadd(pointers, others);
    let is_small = b
        .ins()
        .icmp_imm_u(IntCC::UnsignedLessThanOrEqual, fields, MOST_FIELDS);
    let small = b.create_block();
    b.ins().brif(is_small, small, &[], end, &none);

    // No field refers to a young object.
    b.switch_to_block(small);
    let closed = each_word(&mut b, pointers, |b, at, next| {
        let slot = b.ins().iadd(object, at);
        let field = b.ins().load(I64, FLAGS, slot, WORD as i32);
        let is_own = young.test(b, field);
        b.ins().brif(is_own, end, &none, next, &[]);
    });

    // The worker's chunk of the old generation has room for the copy.
    b.switch_to_block(closed);
    let words = b.ins().iadd_imm_s(fields, 1);
    let bytes = b.ins().ishl_imm_u(words, i64::from(WORD.trailing_zeros()));
    let copy = b.ins().load(I64, FLAGS, worker, Offsets::REGION_NEXT);
    let region_end = b.ins().load(I64, FLAGS, worker, Offsets::REGION_END);
    let free = b.ins().isub(region_end, copy);
    let fits = b.ins().icmp(IntCC::UnsignedLessThanOrEqual, bytes, free);
    let room = b.create_block();
    b.ins().brif(fits, room, &[], end, &none);
    b.switch_to_block(room);
    let after = b.ins().iadd(copy, bytes);
    b.ins().store(FLAGS, after, worker, Offsets::REGION_NEXT);

    let copied = each_word(&mut b, words, |b, at, next| {
        let (from, to) = (b.ins().iadd(object, at), b.ins().iadd(copy, at));
        let word = b.ins().load(I64, FLAGS, from, 0);
        b.ins().store(FLAGS, word, to, 0);
        b.ins().jump(next, &[]);
    });
    b.switch_to_block(copied);
    b.ins().store(FLAGS, object, place, known);
    b.ins().store(FLAGS, copy, place, to);
    let one = b.ins().iconst(I64, 1);
    for (offset, more) in [
        (Offsets::PROMOTED, bytes),
        (Offsets::PROMOTED_BY_COPY, bytes),
        (Offsets::PROMOTED_OBJECTS, one),
    ] {
        let sum = b.ins().load(I64, FLAGS, worker, offset);
        let sum = b.ins().iadd(sum, more);
        b.ins().store(FLAGS, sum, worker, offset);
    }
    b.ins().jump(end, &[BlockArg::Value(copy)]);

    b.switch_to_block(end);
    b.ins().store(FLAGS, taken, worker, Offsets::TAKEN);
    b.ins().return_(&[]);
    b.seal_all_blocks();
    b.finalize(unit.module.target_config());
    unit.define(id, &mut tools.context, "copy", None)
}

/// The part of the worker's young generation whose objects the thunk may copy.
struct Young {
    nursery: Value,
    span: Value,
}

impl Young {
    /// Returns a value other than 0 if `value` is an object in this part. A large integer may be an immediate with the bits of such an
    /// address, except that immediates are odd.
    fn test(&self, b: &mut FunctionBuilder, value: Value) -> Value {
        let from = b.ins().isub(value, self.nursery);
        let is_near = b.ins().icmp(IntCC::UnsignedLessThan, from, self.span);
        let low = b.ins().band_imm_u(value, 1);
        let is_object = b.ins().icmp_imm_u(IntCC::Equal, low, 0);
        b.ins().band(is_near, is_object)
    }
}

/// Emits a loop over the offsets of `count` words, from 0. `turn` emits the code for one offset, and ends it with a jump to the given block
/// or out of the loop. Returns the block after the loop.
fn each_word(
    b: &mut FunctionBuilder,
    count: Value,
    turn: impl FnOnce(&mut FunctionBuilder, Value, ir::Block),
) -> ir::Block {
    let (head, body, next, done) = (
        b.create_block(),
        b.create_block(),
        b.create_block(),
        b.create_block(),
    );
    let at = b.append_block_param(head, I64);
    let end = b.ins().ishl_imm_u(count, i64::from(WORD.trailing_zeros()));
    let zero = b.ins().iconst(I64, 0);
    b.ins().jump(head, &[BlockArg::Value(zero)]);
    b.switch_to_block(head);
    let more = b.ins().icmp(IntCC::NotEqual, at, end);
    b.ins().brif(more, body, &[], done, &[]);
    b.switch_to_block(body);
    turn(b, at, next);
    b.switch_to_block(next);
    let after = b.ins().iadd_imm_s(at, WORD as i64);
    b.ins().jump(head, &[BlockArg::Value(after)]);
    done
}
