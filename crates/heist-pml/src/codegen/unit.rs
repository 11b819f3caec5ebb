//! What the functions of a program share while they are translated.

use cranelift_codegen::ir::{
    self, AbiParam, ExternalName, FuncRef, GlobalValueData, Inst, Signature, StackSlot, Type,
    UserExternalName, UserStackMapEntry,
    types::{F64, I64},
};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::{Context, FinalizedMachExceptionHandler};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{DataId, FuncId, Linkage, Module};
use rustc_hash::FxHashMap;

use super::{Dump, Error};
use crate::anf::{Program, Rep, Var};

/// A place that a program does not have.
pub const NOWHERE: u32 = u32::MAX;

/// What compiled code calls to get at the runtime. See `thunk`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Thunk {
    /// A function of the table.
    Function(u16),
    /// Raises an exception.
    Raise,
    /// Young memory is used up.
    Allocate,
    /// Somebody asks for attention.
    Poll,
    /// No room for remembered slots.
    Remember,
    /// A new array.
    Array,
    /// New bytes.
    Bytes,
}

/// The translation of a program.
pub struct Unit<'a> {
    /// Where code and data go.
    pub module: &'a mut dyn Module,
    /// What is translated.
    pub program: &'a Program,
    /// Offsets of globals by variable, or `NOWHERE`.
    pub globals: Vec<u32>,
    /// Their cells.
    pub globals_data: DataId,
    /// Where static objects are.
    pub statics: Vec<(DataId, u32)>,
    /// Those objects.
    pub statics_data: DataId,
    /// The exceptions of the runtime.
    pub exns_data: DataId,
    /// Those are not this program's own, and may be far away.
    pub exns_given: bool,
    /// Functions by variable.
    pub funs: FxHashMap<Var, (FuncId, usize)>,
    /// The cycle of calls to which a function belongs, by its number.
    pub cycles: Vec<Option<u32>>,
    /// Thunks that are declared, in order; those from `thunks_done` on are not defined.
    pub thunks: Vec<(Thunk, FuncId)>,
    thunk_ids: FxHashMap<Thunk, FuncId>,
    /// Functions in the order in which they were defined.
    pub functions: Vec<FuncId>,
    /// What `Frames::read` reads.
    pub table: Vec<u32>,
    /// What is to be printed.
    pub dump: Option<Dump>,
    /// What was.
    pub text: String,
}

/// Says which slots (of a word each) hold pointers during a call.
pub fn hold(b: &mut FunctionBuilder, call: Inst, slot: StackSlot, held: impl Iterator<Item = u32>) {
    let entries = held.map(|number| UserStackMapEntry {
        ty: I64,
        slot,
        offset: number * 8,
    });
    b.func.dfg.append_user_stack_map_entries(call, entries);
}

/// The type of a representation.
pub fn type_of(rep: Rep) -> Type {
    match rep {
        Rep::Int | Rep::Ptr => I64,
        Rep::Real => F64,
    }
}

/// The signature of functions with these arguments and results.
pub fn signature(conv: CallConv, args: &[Rep], results: &[Rep]) -> Signature {
    let mut signature = Signature::new(conv);
    signature.params = args
        .iter()
        .map(|rep| AbiParam::new(type_of(*rep)))
        .collect();
    signature.returns = results
        .iter()
        .map(|rep| AbiParam::new(type_of(*rep)))
        .collect();
    signature
}

impl Unit<'_> {
    /// How variables are held.
    pub fn reps(&self, vars: &[Var]) -> Vec<Rep> {
        vars.iter()
            .map(|var| self.program.vars[var.0 as usize].rep)
            .collect()
    }

    /// The thunk of this kind, to be defined later.
    pub fn thunk(&mut self, thunk: Thunk) -> Result<FuncId, Error> {
        if let Some(id) = self.thunk_ids.get(&thunk) {
            return Ok(*id);
        }
        let name = format!("pml_thunk_{}", self.thunks.len());
        let signature = super::thunk::signature_of(&thunk);
        let id = self
            .module
            .declare_function(&name, Linkage::Local, &signature)?;
        self.thunk_ids.insert(thunk.clone(), id);
        self.thunks.push((thunk, id));
        Ok(id)
    }

    /// A function as it is named in another.
    pub fn import(&mut self, id: FuncId, function: &mut ir::Function) -> FuncRef {
        self.module.declare_func_in_func(id, function)
    }

    /// The address of a place in a data object.
    pub fn address(&self, data: DataId, offset: u32, b: &mut FunctionBuilder) -> ir::Value {
        use cranelift_codegen::ir::InstBuilder;
        // The module's own way of naming data, with the offset in the name.
        let name = b.func.declare_imported_user_function(UserExternalName {
            namespace: 1,
            index: data.as_u32(),
        });
        let global = b.create_global_value(GlobalValueData::Symbol {
            name: ExternalName::user(name),
            offset: i64::from(offset).into(),
            colocated: data != self.exns_data || !self.exns_given,
            tls: false,
        });
        b.ins().symbol_value(I64, global)
    }

    /// Compiles what is in the context, and writes down what its calls are.
    pub fn define(&mut self, id: FuncId, context: &mut Context, name: &str) -> Result<(), Error> {
        if self.dump == Some(Dump::Clif) {
            self.text
                .push_str(&format!("; {name}\n{}\n", context.func.display()));
        }
        context.set_disasm(self.dump == Some(Dump::Asm));
        self.module
            .define_function(id, context)
            .map_err(|error| Error(format!("{name}: {error:?}")))?;
        let code = context.compiled_code().expect("just compiled");
        if let (Some(Dump::Asm), Some(text)) = (self.dump, &code.vcode) {
            self.text.push_str(&format!("{name}:\n{text}\n"));
        }
        let frame_size = code
            .buffer
            .frame_layout()
            .expect("there is a frame")
            .frame_to_fp_offset;
        let mut maps = code.buffer.user_stack_maps().iter().peekable();
        self.functions.push(id);
        let count = self.table.len();
        self.table.push(0);
        // Both lists are in the order of addresses. Calls without a map hold no pointers.
        for call in code.buffer.call_sites() {
            let handler = call.exception_handlers.iter().find_map(|it| match it {
                FinalizedMachExceptionHandler::Default(at) => Some(*at),
                _ => None,
            });
            self.table[count] += 1;
            self.table
                .extend([call.ret_addr, handler.unwrap_or(0), frame_size, 0]);
            let length = self.table.len() - 1;
            if let Some((_, _, map)) = maps.next_if(|map| map.0 == call.ret_addr) {
                for (_, offset) in map.entries() {
                    self.table[length] += 1;
                    self.table.push(frame_size - offset);
                }
            }
        }
        assert!(maps.next().is_none(), "a map without a call");
        self.module.clear_context(context);
        Ok(())
    }

    /// A translation that has nothing yet.
    pub fn new<'a>(
        module: &'a mut dyn Module,
        program: &'a Program,
        exns_given: bool,
        dump: Option<Dump>,
    ) -> Result<Unit<'a>, Error> {
        let globals_data = module.declare_data("pml_globals", Linkage::Local, true, false)?;
        let statics_data = module.declare_data("pml_statics", Linkage::Local, true, false)?;
        let linkage = if exns_given {
            Linkage::Import
        } else {
            Linkage::Local
        };
        let exns_data = module.declare_data(super::EXNS, linkage, true, false)?;
        Ok(Unit {
            module,
            program,
            globals: vec![NOWHERE; program.vars.len()],
            globals_data,
            statics: Vec::new(),
            statics_data,
            exns_data,
            exns_given,
            funs: FxHashMap::default(),
            cycles: Vec::new(),
            thunks: Vec::new(),
            thunk_ids: FxHashMap::default(),
            functions: Vec::new(),
            table: Vec::new(),
            dump,
            text: String::new(),
        })
    }
}

/// What Cranelift needs to build functions, kept between them.
pub struct Tools {
    /// The function being built.
    pub context: Context,
    /// Its builder's memory.
    pub builder: FunctionBuilderContext,
}
