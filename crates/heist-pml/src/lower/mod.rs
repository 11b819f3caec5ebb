//! Lowers the monomorphic program to A-normal form.
//!
//! The lowering of an expression adds statements to a block ([`build`]). The lowering of an expression then either returns a value
//! ([`value`]), or ends the block with a return, a jump or a choice of two labels ([`exp::Dest`]). A record is a list of separate fields
//! until a use needs an object.

mod build;
mod captured;
mod cond;
mod constant;
mod dec;
mod equal;
mod exn;
mod exp;
mod filler;
mod growth;
mod kind;
pub mod layout;
mod matching;
mod parallel;
mod prim;
mod same;
pub mod shape;
mod speculate;
#[cfg(test)]
pub(crate) mod tests;
mod value;

use std::collections::{HashMap, HashSet};

use build::{Builder, Optional};
use constant::Statics;
use equal::Equalities;
use kind::Kinds;
use layout::Layouts;
use matching::Occurrence;
pub use parallel::Forms;
use speculate::Pending;
use value::{Memo, Record, Value};

use crate::anf;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{self, Program};

/// Lowers a program without type variables. Reports an error for each construct that the compiler cannot lower.
pub fn lower(program: Program, forms: Forms, diagnostics: &mut Diagnostics) -> anf::Program {
    lower_for(program, forms, false, diagnostics)
}

/// Lowers a program as [`lower`] does. If `profiled` is true, heap profiles can name the types of the
/// program's objects.
pub fn lower_for(
    mut program: Program,
    forms: Forms,
    profiled: bool,
    diagnostics: &mut Diagnostics,
) -> anf::Program {
    let decs = std::mem::take(&mut program.decs);
    let typed_vars = std::mem::take(&mut program.vars);
    let layouts = Layouts::new(&mut program);
    let mut lower = Lower {
        layouts,
        env: vec![Binding::Unbound; typed_vars.len()],
        typed_vars,
        vars: Vec::new(),
        labels: 0,
        statics: Statics::default(),
        fillers: HashMap::new(),
        builder: Builder::default(),
        optional: Optional::default(),
        trail: Vec::new(),
        records: Vec::new(),
        occurrences: Vec::new(),
        level: 0,
        known: HashSet::new(),
        equalities: Equalities::default(),
        runtime: HashMap::new(),
        names: Names::new(),
        kinds: profiled.then(Kinds::default),
        forms,
        pending: Vec::new(),
        functions: Vec::new(),
        errors: Vec::new(),
    };
    let mut main = lower.block(|lower| {
        for dec in &decs {
            lower.dec(dec);
        }
        lower.close(0);
        anf::End::Return(Vec::new())
    });
    let equalities = lower.equality_functions();
    if !equalities.is_empty() {
        main.stmts.insert(0, anf::Stmt::Funs(equalities));
    }
    for error in std::mem::take(&mut lower.errors) {
        diagnostics.push(error);
    }
    anf::Program {
        vars: lower.vars,
        labels: lower.labels,
        statics: lower.statics.objects,
        funs: Vec::new(),
        globals: Vec::new(),
        eager: forms == Forms::Eager,
        clones: forms == Forms::Clones,
        profiled,
        places: anf::Places::of(lower.functions),
        main,
    }
}

/// The meaning of a variable of the typed program.
#[derive(Clone, Copy, Debug)]
enum Binding {
    /// The compiler has not yet lowered the binding of the variable.
    Unbound,
    /// A value.
    Value(Value),
    /// The identity of an exception, and the exception itself if it has no argument.
    Exn {
        /// The identity of the exception.
        id: anf::Atom,
        /// The object of the exception.
        object: Option<anf::Atom>,
    },
}

struct Lower {
    layouts: Layouts,
    typed_vars: Vec<typed::VarInfo>,
    /// The bindings of the typed program's variables, indexed by variable.
    env: Vec<Binding>,
    vars: Vec<anf::VarInfo>,
    labels: u32,
    statics: Statics,
    /// For each type, the value of array elements that the program has not written.
    fillers: HashMap<typed::Ty, anf::Atom>,
    builder: Builder,
    optional: Optional,
    /// Earlier values of state that blocks have changed; the builder restores these values at the ends of the blocks.
    trail: Vec<Memo>,
    records: Vec<Record>,
    occurrences: Vec<Occurrence>,
    /// The number of functions and loops that enclose the current code.
    level: u32,
    /// The variables that name functions.
    known: HashSet<anf::Var>,
    equalities: Equalities,
    /// The functions of the runtime that the program uses, keyed by name.
    runtime: HashMap<&'static str, crate::prim::Prim>,
    names: Names,
    /// The names of types of objects, if the program is compiled for a heap profile.
    kinds: Option<Kinds>,
    forms: Forms,
    /// The forks of `pval` and `pcase` around the current place in the current function. The place is in the left side of these forks, and
    /// the innermost fork is last.
    pending: Vec<Pending>,
    /// The place and the name of each function that has a name.
    functions: Vec<(Span, Symbol)>,
    errors: Vec<Diagnostic>,
}

impl Lower {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::new(code, span, message));
    }

    fn name(&self, var: typed::Var) -> Symbol {
        self.typed_vars[var.index()].name
    }
}

/// The names of the variables that the compiler adds.
#[derive(Clone, Copy)]
struct Names {
    record: Symbol,
    field: Symbol,
    con: Symbol,
    exn: Symbol,
    result: Symbol,
    join: Symbol,
    function: Symbol,
    arg: Symbol,
    tag: Symbol,
    unit: Symbol,
    equal: Symbol,
}

impl Names {
    fn new() -> Names {
        Names {
            record: Symbol::new("_record"),
            field: Symbol::new("_field"),
            con: Symbol::new("_con"),
            exn: Symbol::new("_exn"),
            result: Symbol::new("_result"),
            join: Symbol::new("_join"),
            function: Symbol::new("_fn"),
            arg: Symbol::new("_arg"),
            tag: Symbol::new("_tag"),
            unit: Symbol::new("_unit"),
            equal: Symbol::new("_eq"),
        }
    }
}
