//! Names the objects that code allocates, for heap profiles. Each check for memory, and each call of the runtime that makes an object, has
//! a spot of its own. For each spot of a check or call, a table has the spots and types of the allocated objects. These additional spots do
//! not change the instructions of the code.

use cranelift_codegen::ir::SourceLoc;

use super::Error;
use super::body::Body;
use super::live::Point;
use super::safepoint::{bytes_of, is_leaf, task_bytes};
use crate::anf::{Rep, Rhs, Stmt, TYPE_MARK, Var};
use crate::prim::Prim;
use crate::runtime::entry::table::FUNCTIONS;
use crate::source::Span;
use crate::symbol::Symbol;

/// An object that code allocates: its place, and the name of its type, if the type is known.
pub type Made = (Span, Option<Symbol>);

/// Returns true if a computation calls a function of the runtime that makes an object.
fn calls_maker(rhs: &Rhs) -> bool {
    match rhs {
        Rhs::Prim { prim, .. } => match prim {
            Prim::ArrayNew | Prim::ArrayBlank | Prim::BytesNew => true,
            Prim::Runtime(number) => {
                !is_leaf(*number) && FUNCTIONS[usize::from(*number)].result == Some(Rep::Ptr)
            }
            _ => false,
        },
        _ => false,
    }
}

impl Body<'_, '_, '_> {
    /// Takes memory for a group of allocations. The group begins with the first statement of `stmts`, at the place `point`.
    pub(super) fn take_for(
        &mut self,
        stmts: &[Stmt],
        bytes: usize,
        point: Point,
    ) -> Result<(), Error> {
        self.name_group(stmts, bytes);
        self.take(bytes, point)?;
        self.unname();
        Ok(())
    }

    /// Gives a spot of its own to the memory check of a group.
    fn name_group(&mut self, stmts: &[Stmt], bytes: usize) {
        if !self.unit.program.profiled {
            return;
        }
        let (mut objects, mut found, mut place) = (Vec::new(), 0, self.span);
        for stmt in stmts {
            let Stmt::Let(vars, rhs, span) = stmt else {
                continue;
            };
            if *span != Span::NONE {
                place = *span;
            }
            let size = match rhs {
                Rhs::Fork { args, .. } if self.unit.program.clones => Some(task_bytes(args)),
                rhs => bytes_of(rhs),
            };
            if let Some(size) = size {
                objects.push((place, self.type_of_object(vars, rhs)));
                found += size;
            }
            if found >= bytes {
                break;
            }
        }
        self.name_objects(objects);
    }

    /// Gives a spot of its own to a call of the runtime that makes an object.
    pub(super) fn name_call(&mut self, vars: &[Var], rhs: &Rhs) {
        if self.unit.program.profiled && calls_maker(rhs) {
            let object = (self.span, self.type_of_object(vars, rhs));
            self.name_objects(vec![object]);
        }
    }

    fn name_objects(&mut self, objects: Vec<Made>) {
        if !objects.is_empty() {
            let number = self.unit.spots.group(objects);
            self.b.set_srcloc(SourceLoc::new(number));
        }
    }

    /// Changes the spot back to the spot of the statement, after a check or a call with a spot of its own.
    pub(super) fn unname(&mut self) {
        if self.unit.program.profiled {
            self.at(self.span);
        }
    }

    /// Returns the name of the type of the object that a computation makes, or `None` if the type is unknown.
    fn type_of_object(&self, vars: &[Var], rhs: &Rhs) -> Option<Symbol> {
        let name = |var: &Var| self.unit.program.vars[var.0 as usize].name;
        match rhs {
            Rhs::Closure(fun, _) => {
                let function = name(fun).as_str();
                let known = !function.starts_with('_');
                let text = if known {
                    format!("fn {function}")
                } else {
                    "fn".to_owned()
                };
                Some(Symbol::new(&text))
            }
            Rhs::NewExn(..) => Some(Symbol::new("exception")),
            Rhs::Fork { .. } => Some(Symbol::new("fork")),
            _ => {
                let name = vars.first().map(name)?.as_str();
                name.strip_prefix(TYPE_MARK).map(Symbol::new)
            }
        }
    }
}
