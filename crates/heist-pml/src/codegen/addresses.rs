//! Keeps addresses of the stack out of frames.
//!
//! The runtime may move the frames of a waiting strand to another stack (`Strand::pack`). The runtime then adapts the chain of frame
//! pointers, but no other words of the frames. So no other word of a frame may be an address of the stack. After the move, the strand would
//! use this address to read and write the stack of another strand.
//!
//! Code reads and writes the slots of its frame by instructions relative to the stack pointer. There is one exception: on x86-64, an
//! instruction may have the load of a slot as an operand. For such an instruction, Cranelift's instruction selection first puts the address
//! of the slot into a register. The optimiser has merged all addresses of one slot into one value, so this register may live across calls.
//! So this module ensures that no load of a slot becomes an operand. After Cranelift's optimiser has run, this module inserts a
//! `sequence_point` after each load of a slot. A `sequence_point` has no code, and no load may cross it. (If the module inserted the
//! `sequence_point` earlier, the optimiser could not remove unnecessary loads.)

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::{Function, InstBuilder, Opcode, Value};
use cranelift_codegen::{CodegenError, CompiledCode, Context};
use cranelift_module::{FuncId, Module, ModuleReloc};

use super::Error;

/// The number of integer results that the convention of compiled code returns in registers. A function with more results would keep in its
/// frame the address at which its caller expects the results.
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
    keep_loads_apart(&mut context.func)?;
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
            let what = format!("a register has an address of the stack: {line}");
            return Err(CodegenError::Unsupported(what));
        }
    }
    Ok(code.apply_params(&context.func.params))
}

/// Makes every load of a slot an instruction of its own, by a `sequence_point` after the load: no load may cross a `sequence_point`.
fn keep_loads_apart(func: &mut Function) -> Result<(), CodegenError> {
    let mut cursor = FuncCursor::new(func);
    while cursor.next_block().is_some() {
        while let Some(inst) = cursor.next_inst() {
            let dfg = &cursor.func.dfg;
            let is_slot = |value: &Value| {
                let made = dfg.value_def(*value).inst();
                made.is_some_and(|made| dfg.insts[made].opcode() == Opcode::StackAddr)
            };
            let Some(at) = dfg.inst_values(inst).position(|value| is_slot(&value)) else {
                continue;
            };
            match (dfg.insts[inst].opcode(), at) {
                (Opcode::Load, 0) => {
                    cursor.goto_after_inst(inst);
                    let point = cursor.ins().sequence_point();
                    cursor.goto_inst(point);
                }
                // The first argument is the word that is stored.
                (Opcode::Store, 1) => {}
                _ => {
                    let what = "an address of the stack as a value";
                    return Err(CodegenError::Unsupported(what.into()));
                }
            }
        }
    }
    Ok(())
}

/// Returns the first instruction in the text of a function that puts an address of the stack into a register.
fn kept(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| {
        let address = line
            .strip_prefix("leaq ")
            .and_then(|it| it.rsplit_once(", "));
        address.is_some_and(|(address, _)| address.ends_with("(%rsp)"))
    })
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn no_register_has_an_address_of_the_stack() {
        let lea = "leaq <offset:1>+8(%rsp), %rbx";
        assert_eq!(
            kept(&format!("block0:\n  {lea}\n  addq (%rbx), %rdi\n")),
            Some(lea)
        );
        assert_eq!(
            kept("  leaq 8(%rax), %rbx\n  movq <offset:1>+8(%rsp), %rdi\n"),
            None
        );
    }
}
