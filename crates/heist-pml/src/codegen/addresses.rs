//! Keeps addresses of the stack out of frames.
//!
//! The runtime may move the frames of a waiting strand to another stack (`Strand::pack`). It adapts the chain of frame pointers, and
//! nothing else in the frames may be an address of the old stack: the strand would read and write the stack of another strand there.
//!
//! Code reads and writes the slots of its frame by instructions relative to the stack pointer. But the optimiser of Cranelift merges all
//! `stack_addr` of one slot into one value. If an x86-64 instruction has a load as its operand, then the instruction selection puts that
//! value into a register, which may live across calls. So, after the optimiser, each load and store of a slot gets its own `stack_addr`
//! immediately before it. A load becomes an operand only of an instruction of its own block before the next call, so no call is in
//! between.

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::{
    DataFlowGraph, Function, InstBuilder, InstructionData, Opcode, StackSlot, Value, types::I64,
};
use cranelift_codegen::{CodegenError, CompiledCode, Context};
use cranelift_module::{FuncId, Module, ModuleReloc};

use super::Error;

/// The number of integer results that the convention of compiled code returns in registers. A function with more results would keep the
/// address at which its caller expects them.
const RESULTS: usize = 8;

/// Compiles the function in the context, and puts it into the module.
///
/// # Errors
/// Returns an error if the code generator does not support the function.
pub fn define(
    module: &mut dyn Module,
    id: FuncId,
    context: &mut Context,
) -> Result<CompiledCode, Error> {
    let code = compile(module, context).map_err(|error| Error(format!("{error:?}")))?;
    let relocations: Vec<_> = code
        .buffer
        .relocs()
        .iter()
        .map(|reloc| ModuleReloc::from_mach_reloc(reloc, &context.func, id))
        .collect();
    let alignment = u64::from(code.buffer.alignment);
    module.define_function_bytes(id, alignment, code.code_buffer(), &relocations)?;
    Ok(code)
}

fn compile(module: &dyn Module, context: &mut Context) -> Result<CompiledCode, CodegenError> {
    let signatures = context.func.dfg.signatures.values();
    let own = &context.func.signature;
    if signatures
        .chain([own])
        .any(|signature| signature.returns.len() > RESULTS)
    {
        return Err(CodegenError::Unsupported("results in memory".into()));
    }
    let isa = module.isa();
    context.optimize(isa, &mut Default::default())?;
    address_beside_use(&mut context.func)?;
    context.verify_if(isa)?;
    let code = isa.compile_function(
        &context.func,
        &context.domtree,
        &mut Default::default(),
        context.want_disasm || cfg!(debug_assertions),
        &mut Default::default(),
    )?;
    if cfg!(debug_assertions) {
        let text = code.vcode.as_deref().unwrap_or_default();
        if let Some(line) = kept(text) {
            let what = format!("an address of the stack is kept across a call: {line}");
            return Err(CodegenError::Unsupported(what));
        }
    }
    Ok(code.apply_params(&context.func.params))
}

/// Gives each load and store of a slot its own address.
fn address_beside_use(func: &mut Function) -> Result<(), CodegenError> {
    let mut cursor = FuncCursor::new(func);
    while cursor.next_block().is_some() {
        while let Some(inst) = cursor.next_inst() {
            let dfg = &cursor.func.dfg;
            let mut used = dfg
                .inst_values(inst)
                .enumerate()
                .filter_map(|(at, value)| Some((at, slot(dfg, value)?)));
            let Some((at, (slot, offset))) = used.next() else {
                continue;
            };
            let is_address = match dfg.insts[inst].opcode() {
                Opcode::Load => at == 0,
                // The first argument is the word that is stored.
                Opcode::Store => at == 1,
                _ => false,
            };
            if !is_address || used.next().is_some() {
                let what = "an address of the stack as a value";
                return Err(CodegenError::Unsupported(what.into()));
            }
            drop(used);
            let own = cursor.ins().stack_addr(I64, slot, offset);
            cursor.func.dfg.inst_args_mut(inst)[at] = own;
        }
    }
    Ok(())
}

/// Returns the slot and the offset whose address a value is, if it is such an address.
fn slot(dfg: &DataFlowGraph, value: Value) -> Option<(StackSlot, Offset32)> {
    match dfg.insts[dfg.value_def(value).inst()?] {
        InstructionData::StackAddr {
            stack_slot, offset, ..
        } => Some((stack_slot, offset)),
        _ => None,
    }
}

/// Returns the first instruction in the text of a function that puts an address of the stack into a register, unless the next use of that
/// register is as an address, in the same block and before the next call.
fn kept(text: &str) -> Option<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let leas = lines.iter().enumerate();
    let mut kept = leas.filter_map(|(at, line)| {
        let (address, register) = line.strip_prefix("leaq ")?.rsplit_once(", ")?;
        address.ends_with("(%rsp)").then_some(())?;
        let rest = lines[at + 1..].iter();
        let mut rest =
            rest.take_while(|line| !line.starts_with("block") && !line.starts_with("call"));
        let first = rest.find(|line| line.contains(register));
        let is_address = first.is_some_and(|first| first.contains(&format!("({register})")));
        (!is_address).then_some(*line)
    });
    kept.next()
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn addresses_of_the_stack_do_not_live_across_calls() {
        let lea = "  leaq <offset:1>+8(%rsp), %rbx\n";
        let kept_in = |rest: &str| kept(&format!("block0:\n{lea}{rest}")).is_some();
        assert!(!kept_in("  movq $1, %rdi\n  addq (%rbx), %rdi\n  call f\n"));
        assert!(kept_in("  call f\n  addq (%rbx), %rdi\n"));
        assert!(kept_in("  jmp label1\nblock1:\n  addq (%rbx), %rdi\n"));
        assert!(kept_in("  movq %rbx, 0x10(%rsp)\n  addq (%rbx), %rdi\n"));
        assert!(kept_in("  movq %rbx, %rdi\n"));
        assert!(kept("  leaq 8(%rax), %rbx\n  call f\n").is_none());
    }
}
