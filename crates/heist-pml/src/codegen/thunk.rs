//! Thunks: compiled functions through which compiled code calls the runtime. A thunk stores its frame pointer in the worker, so walks of
//! the stack begin at this frame. The thunk then calls the runtime's function through the worker's list of functions. If the function sets
//! a pending exception, the thunk raises this exception.
//!
//! Thunks on slow paths preserve all registers. So code on the fast path does not save registers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, InstBuilder, MemFlagsData, Signature, TrapCode, Value, types::I64,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use cranelift_module::FuncId;

use super::Error;
use super::unit::{Thunk, Tools, Unit, signature, type_of};
use crate::anf::{Rep, Var};
use crate::prim::BuiltinExn;
use crate::runtime::entry::internal::{AGAIN, GROW, INTERNALS, Internal, JOINED};
use crate::runtime::entry::table::FUNCTIONS;
use crate::runtime::state::worker::offsets::Offsets;
use crate::runtime::value::object::WORD;

/// Returns the signature of a thunk.
pub fn signature_of(thunk: &Thunk) -> Signature {
    use Rep::{Int, Ptr};
    let tail = CallConv::Tail;
    match thunk {
        Thunk::Function(number) => {
            let function = &FUNCTIONS[usize::from(*number)];
            signature(tail, function.args, function.result.as_slice())
        }
        Thunk::Raise | Thunk::Joined => signature(tail, &[Ptr], &[]),
        Thunk::Again => signature(tail, &[Ptr, Int], &[]),
        Thunk::Builtin(_) => signature(tail, &[], &[]),
        Thunk::Join | Thunk::Drop => signature(CallConv::PreserveAll, &[Int], &[]),
        Thunk::Steal(_) => signature(tail, &[], &[]),
        Thunk::Allocate => signature(CallConv::PreserveAll, &[Int], &[]),
        Thunk::Copy | Thunk::Promote | Thunk::Settle => {
            signature(CallConv::PreserveAll, &[Ptr], &[])
        }
        Thunk::Poll | Thunk::Remember | Thunk::Grow | Thunk::Globals | Thunk::Environment => {
            signature(CallConv::PreserveAll, &[], &[])
        }
        Thunk::Array => signature(tail, &[Int, Int, Int], &[Ptr]),
        Thunk::Blank | Thunk::Bytes => signature(tail, &[Int], &[Ptr]),
    }
}

/// Emits a load of the address of a runtime function from the worker's list of functions.
pub fn load_function(b: &mut FunctionBuilder, number: usize) -> Value {
    let flags = MemFlagsData::trusted();
    let worker = b.ins().get_pinned_reg(I64);
    let table = b.ins().load(I64, flags, worker, Offsets::FUNCTIONS);
    b.ins().load(I64, flags, table, (number * WORD) as i32)
}

/// Emits a load of the packet (the exception's object) of an exception of the runtime.
pub fn load_packet(b: &mut FunctionBuilder, worker: Value, exn: BuiltinExn) -> Value {
    let flags = MemFlagsData::trusted();
    let packets = b.ins().load(I64, flags, worker, Offsets::PACKETS);
    let offset = exn as i32 * WORD as i32;
    b.ins().load(I64, flags, packets, offset)
}

/// Translates the number of a function in `runtime::entry::table` to its index in the worker's list of functions.
pub fn place(number: u16) -> usize {
    INTERNALS + usize::from(number)
}

/// Defines the thunk with which a thief runs the right side of a fork. The thunk takes the arguments from the worker's environment and
/// stores the results in the worker.
fn define_steal(unit: &mut Unit, tools: &mut Tools, thief: Var, id: FuncId) -> Result<(), Error> {
    let program = unit.program;
    let (function, index) = unit.funs[&thief];
    let fun = &program.funs[index];
    tools.context.func.signature = signature(CallConv::Tail, &[], &[]);
    let mut b = FunctionBuilder::new(&mut tools.context.func, &mut tools.builder);
    let entry = b.create_block();
    b.switch_to_block(entry);
    let flags = MemFlagsData::trusted();
    let worker = b.ins().get_pinned_reg(I64);
    let environment = b.ins().load(I64, flags, worker, Offsets::ENV);
    let args: Vec<_> = unit
        .reps(&fun.params)
        .into_iter()
        .enumerate()
        .map(|(at, rep)| {
            let offset = (at * WORD) as i32;
            b.ins().load(type_of(rep), flags, environment, offset)
        })
        .collect();
    let function = unit.import(function, b.func);
    let call = b.ins().call(function, &args);
    let results = b.inst_results(call).to_vec();
    // The strand may have continued on another worker.
    let worker = b.ins().get_pinned_reg(I64);
    for (at, result) in results.into_iter().enumerate() {
        let offset = Offsets::RESULTS + (at * WORD) as i32;
        b.ins().store(flags, result, worker, offset);
    }
    b.ins().return_(&[]);
    b.seal_all_blocks();
    b.finalize(unit.module.target_config());
    unit.define(id, &mut tools.context, "steal", None)
}

/// Defines a thunk.
pub fn define(unit: &mut Unit, tools: &mut Tools, thunk: &Thunk, id: FuncId) -> Result<(), Error> {
    if let Thunk::Steal(thief) = thunk {
        return define_steal(unit, tools, *thief, id);
    }
    if *thunk == Thunk::Copy {
        return super::copy::define(unit, tools, id);
    }
    tools.context.func.signature = signature_of(thunk);
    let mut b = FunctionBuilder::new(&mut tools.context.func, &mut tools.builder);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let params = b.block_params(entry).to_vec();
    let flags = MemFlagsData::trusted();
    let (number, raises, what) = match thunk {
        Thunk::Function(number) => {
            let function = &FUNCTIONS[usize::from(*number)];
            (place(*number), function.raises, function.name)
        }
        Thunk::Raise => (Internal::Raise as usize, false, "raise"),
        Thunk::Again => (AGAIN, false, "raise again"),
        Thunk::Joined => (JOINED, false, "raise joined"),
        Thunk::Builtin(exn) => (Internal::Raise as usize, false, exn.name()),
        Thunk::Join => (Internal::Join as usize, false, "join"),
        Thunk::Drop => (Internal::Drop as usize, false, "drop"),
        Thunk::Grow => (GROW, false, "grow"),
        Thunk::Steal(_) | Thunk::Copy => unreachable!("defined apart"),
        Thunk::Allocate => (Internal::Allocate as usize, false, "allocate"),
        Thunk::Poll => (Internal::Poll as usize, false, "poll"),
        Thunk::Remember => (Internal::Remember as usize, false, "remember"),
        Thunk::Promote => (Internal::Promote as usize, false, "promote"),
        Thunk::Settle => (Internal::Settle as usize, false, "settle"),
        Thunk::Globals => (Internal::Globals as usize, false, "globals"),
        Thunk::Environment => (Internal::Environment as usize, false, "environment"),
        Thunk::Array => (Internal::Array as usize, false, "array"),
        Thunk::Blank => (Internal::Blank as usize, false, "blank"),
        Thunk::Bytes => (Internal::Bytes as usize, false, "bytes"),
    };
    let mut callee = match thunk {
        Thunk::Builtin(_) => signature_of(&Thunk::Raise),
        thunk => signature_of(thunk),
    };
    callee.call_conv = CallConv::SystemV;
    callee.params.insert(0, AbiParam::new(type_of(Rep::Int)));
    let callee = b.import_signature(callee);
    let worker = b.ins().get_pinned_reg(I64);
    let frame = b.ins().get_frame_pointer(I64);
    b.ins().store(flags, frame, worker, Offsets::FRAME);
    let function = load_function(&mut b, number);
    let mut args = vec![worker];
    args.extend(&params);
    if let Thunk::Builtin(exn) = thunk {
        args.push(load_packet(&mut b, worker, *exn));
    }
    let call = b.ins().call_indirect(callee, function, &args);
    let results = b.inst_results(call).to_vec();
    if matches!(
        thunk,
        Thunk::Raise | Thunk::Again | Thunk::Joined | Thunk::Builtin(_)
    ) {
        b.ins().trap(TrapCode::unwrap_user(1));
    } else {
        if raises {
            let pending = b.ins().load(I64, flags, worker, Offsets::PENDING);
            let (failed, fine) = (b.create_block(), b.create_block());
            b.set_cold_block(failed);
            let some = b.ins().icmp_imm_u(IntCC::NotEqual, pending, 0);
            b.ins().brif(some, failed, &[], fine, &[]);
            b.switch_to_block(failed);
            let raise = signature(CallConv::SystemV, &[Rep::Int, Rep::Ptr], &[]);
            let raise = b.import_signature(raise);
            let function = load_function(&mut b, Internal::Raise as usize);
            b.ins().call_indirect(raise, function, &[worker, pending]);
            b.ins().trap(TrapCode::unwrap_user(1));
            b.switch_to_block(fine);
        }
        b.ins().return_(&results);
    }
    b.seal_all_blocks();
    b.finalize(unit.module.target_config());
    unit.define(id, &mut tools.context, what, None)
}
