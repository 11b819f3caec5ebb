//! The intermediate language of the optimiser: A-normal form with join points.
//!
//! A value is a word, and its only type is its [`Rep`]. Every variable is bound once in the whole program. Every intermediate result has a
//! name, so the order of evaluation is the order of statements. A block is a list of statements and an end. Blocks inside of a block are
//! only branches, handled regions, and bodies of functions and of join points.
//!
//! Lowering (`lower`) makes programs in this language, optimisation (`opt`) rewrites them, closure conversion (`close`)
//! moves nested functions to the top level, and code generation (`codegen`) translates the programs.
//!
//! # Conventions that lowering sets
//!
//! - **Arguments and results of functions are flattened by type**: `unit` takes no word. A record or tuple of at most [`FLAT_ARGS`]
//!   (arguments) or [`FLAT_RESULTS`] (results) fields takes one word for each field, in the order of labels. Any other value takes one
//!   word. Known and unknown functions use this same convention, because types are concrete.
//! - A curried function is a function that returns a closure. `opt` turns calls with all arguments into direct calls.
//! - **Datatypes**: if no constructor has an argument, a value is the number of its constructor ([`Rep::Int`]; `bool`
//!   is 0 and 1). Otherwise a value is a pointer ([`Rep::Ptr`]). The n-th constructor without argument is the
//!   immediate [`Atom::Imm`] of n, and a constructor with an argument is an object. The object's tag is the
//!   constructor's index among the constructors with arguments. If the argument is *declared* as a tuple or record,
//!   its fields are fields of this object. If a datatype has only one constructor, and the constructor's argument is
//!   not declared as a tuple or record, a value is represented as the argument alone.
//! - **Records** are objects of tag 0; `unit` inside an object is `Int` 0.
//! - **Fields** of an object have an order: first the pointers in the order of labels, then the other fields in the
//!   order of labels.

mod check;
mod dump;
mod forks;
#[cfg(test)]
pub mod interp;
mod places;
mod visit;

pub use check::check;
pub use dump::dump;
pub use forks::under_way;
pub use places::Places;

use crate::prim::{BuiltinExn, Prim};
pub use crate::runtime::value::rep::Rep;
use crate::source::Span;

/// The first character of the name of a variable that holds an object of a known type, for heap profiles. The rest of the name is the
/// object's type.
pub const TYPE_MARK: char = ':';
/// The maximum number of fields of a record argument that is passed as one word for each field.
pub const FLAT_ARGS: usize = 8;
/// The maximum number of fields of a record result that is returned as one word for each field.
pub const FLAT_RESULTS: usize = 4;

/// A variable, which is bound once in the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// The label of a join point or fork, which is bound once in the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// Facts about a variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// The representation of the variable.
    pub rep: Rep,
    /// The name that dumps, profiles and backtraces show.
    pub name: crate::symbol::Symbol,
}

/// An object that exists before the program starts and never moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Static {
    /// A string.
    String(Vec<u8>),
    /// A number of type `IntInf` that is too large for an immediate.
    IntInf(num_bigint::BigInt),
    /// A record or constructor whose parts are constants.
    Object(Layout, Vec<Atom>),
    /// The closure of a function without free variables. `close` makes this closure.
    Closure(Var),
    /// The identity of an exception that the runtime also raises.
    Exn(BuiltinExn),
}

/// The index of a static object in a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StaticId(pub u32);

/// An operand: a variable or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A variable. If a [`Stmt::Funs`] binds the variable, the atom is the function's closure.
    Var(Var),
    /// An integer ([`Rep::Int`]).
    Int(i64),
    /// The double with these bits ([`Rep::Real`]).
    Real(u64),
    /// An immediate: the odd word `2 n + 1` ([`Rep::Ptr`]).
    Imm(i64),
    /// A static object ([`Rep::Ptr`]).
    Static(StaticId),
}

/// The layout of an object: its tag, the number of fields that are pointers, and the number of all other fields. The pointers come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The constructor's index among the constructors with arguments, or 0 for records, closures and all other objects.
    pub tag: u16,
    /// The number of fields with [`Rep::Ptr`].
    pub ptrs: u32,
    /// The number of fields with other representations, which follow the pointers.
    pub raws: u32,
    /// Whether code may assign to the fields, as to the field of a reference.
    pub mutable: bool,
}

/// The representation of the elements of an array or vector. Each element takes a word.
pub type Elem = Rep;

/// The callee of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// Before `close`, a function that a [`Stmt::Funs`] in scope binds. After `close`, a function of the program.
    Known(Var),
    /// The function of the closure that the atom holds.
    Closure(Atom),
}

/// The computation on the right side of a statement.
#[derive(Clone, Debug)]
pub enum Rhs {
    /// The value of an atom. `opt` removes this form.
    Atom(Atom),
    /// A primitive with one result, which may raise.
    Prim {
        /// The primitive.
        prim: Prim,
        /// The representation of the elements, if the primitive works on an array, a vector or a reference.
        elem: Option<Elem>,
        /// The arguments of the primitive. A tuple is passed as its components.
        args: Vec<Atom>,
    },
    /// A new object.
    Alloc(Layout, Vec<Atom>),
    /// A new closure, which consists of an entry and captured values, pointers first. The entry is a function that
    /// takes the closure and the arguments. Word 0 of the object is the address of the entry's code, and word 1 is the
    /// first captured value. `close` makes this form.
    Closure(Var, Vec<Atom>),
    /// A field of an object whose fields never change. `Prim::RefGet` reads references.
    Load {
        /// The object, which is not an immediate.
        object: Atom,
        /// The index of the field, in words after the header.
        index: u32,
        /// The layout of the object, if the object's type has no objects of another layout. If all fields of a new object are loaded from
        /// an object of the same layout, that object may replace the new object.
        layout: Option<Layout>,
    },
    /// The tag of an object. The atom must be an object, not an immediate.
    Tag(Atom),
    /// A call that is not a tail call, with any number of results.
    Call(Callee, Vec<Atom>),
    /// The beginning of a fork, which binds nothing. Between this statement and the [`End::Resume`] or [`End::Drop`] of the same label, an
    /// idle worker may run `thief` with the arguments `args`. `thief` is a known function with the same results as the block `right` of the
    /// `End::Resume`.
    Fork {
        /// The label that names the fork.
        fork: Label,
        /// The function that computes the right side on another worker.
        thief: Var,
        /// The arguments of `thief`. The list is empty before `close`.
        args: Vec<Atom>,
        /// Whether the right side begins to compute a lazy value. Such a right side is not needed once another strand has begun to compute
        /// the value.
        lazy: bool,
    },
    /// A new identity of an exception. The parts are the exception's name, and the [shape](crate::runtime::value::shape) of
    /// its payload, if it has one.
    NewExn(StaticId, Option<StaticId>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// A computation whose results are bound to variables. A call may have any number of results, and any other computation has at most one
    /// result.
    Let(Vec<Var>, Rhs, Span),
    /// Functions that may call each other, and that are in scope in the rest of the block. The functions may have free
    /// variables, but no free labels.
    Funs(Vec<Fun>),
    /// A join point, which is in scope in the rest of the block. If the join point is recursive (a loop), it is
    /// also in scope in its own body.
    Join {
        /// The name of the join point.
        label: Label,
        /// The parameters of the join point.
        params: Vec<Var>,
        /// The body of the join point.
        body: Block,
        /// Whether the body may jump to the join point.
        recursive: bool,
    },
}

/// A function.
#[derive(Clone, Debug)]
pub struct Fun {
    /// The function's name. As a callee, the name means the function. As an atom, the name means
    /// the closure.
    pub name: Var,
    /// The function's parameters.
    pub params: Vec<Var>,
    /// The representations of the function's results.
    pub results: Vec<Rep>,
    /// The function's body.
    pub body: Block,
    /// The function's place in the source.
    pub span: Span,
    /// The place of the inlined call whose body defines the function, or `Span::NONE`. If the function becomes a join point, its code is
    /// inlined at this call.
    pub inside: Span,
    /// Whether the function is the right side of a fork. Such a function takes no parameters before `close`. The optimiser keeps the
    /// function although code calls it at only one place.
    pub forked: bool,
}

/// A list of statements, and an end.
#[derive(Clone, Debug)]
pub struct Block {
    /// The statements, in order.
    pub stmts: Vec<Stmt>,
    /// The end of the block, after the statements.
    pub end: End,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    /// The comparison `=`.
    Eq,
    /// The comparison `<>`.
    Ne,
    /// The comparison `<`.
    Lt,
    /// The comparison `<=`.
    Le,
    /// The comparison `>`.
    Gt,
    /// The comparison `>=`.
    Ge,
}

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    /// Compares signed integers.
    Int(Cmp, Atom, Atom),
    /// Compares unsigned words. Checks of bounds use this form.
    Word(Cmp, Atom, Atom),
    /// Compares doubles by the rules of IEEE 754. `Ne` is the negation of `Eq`, so it is true for
    /// NaN.
    Real(Cmp, Atom, Atom),
    /// Tests whether two words are the same pointer or immediate.
    Same(Atom, Atom),
    /// Tests whether a word is an immediate, and not the address of an object.
    IsImm(Atom),
}

/// The end of a block.
#[derive(Clone, Debug)]
pub enum End {
    /// Returns from the function.
    Return(Vec<Atom>),
    /// Jumps to a join point.
    Jump(Label, Vec<Atom>),
    /// Calls a function in tail position, never inside a handled region.
    TailCall(Callee, Vec<Atom>, Span),
    /// Continues with one of two blocks.
    If(Cond, Box<Block>, Box<Block>),
    /// Continues with one of several blocks. An integer determines the block. If `default` is `None`, one of the cases always applies.
    Switch {
        /// The integer.
        on: Atom,
        /// The values of the integer, each with the block that runs for this value.
        cases: Vec<(i64, Block)>,
        /// The block for all other values of the integer.
        default: Option<Box<Block>>,
    },
    /// Raises an exception. The atom is the object that represents the exception.
    Raise(Atom, Span),
    /// Runs `body`, the handled region, until it returns or jumps to a label that is bound outside of the region. If code in the region
    /// raises an exception, binds the exception to `exn` and runs `handler`. The `handler` block is not a part of the handled region.
    Handle {
        /// The handled region.
        body: Box<Block>,
        /// The variable of the exception in the handler.
        exn: Var,
        /// The handler.
        handler: Box<Block>,
    },
    /// Ends the left side of a fork whose right side is needed. Every path that begins at the [`Rhs::Fork`] and does
    /// not raise leads to an end of this kind or to an [`End::Drop`].
    Resume {
        /// The label of the fork.
        fork: Label,
        /// The block that computes the right side in place, if no thief has taken it.
        right: Box<Block>,
        /// The variables that receive the results, if another worker has computed the right side.
        taken: Vec<Var>,
        /// The block that runs if another worker has computed the right side. This block uses the variables `taken`.
        stolen: Box<Block>,
    },
    /// Ends the left side of a fork whose right side is not needed. If another worker is computing the right side, this end cancels that
    /// computation.
    Drop {
        /// The label of the fork.
        fork: Label,
        /// The block that follows.
        rest: Box<Block>,
    },
    /// The end of code that is never reached.
    Unreachable,
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The variables, indexed by [`Var`].
    pub vars: Vec<VarInfo>,
    /// The number of labels.
    pub labels: u32,
    /// The static objects, indexed by [`StaticId`].
    pub statics: Vec<Static>,
    /// All functions of the program. The list is empty before `close`.
    pub funs: Vec<Fun>,
    /// The variables of `main` that functions use. Their values are in global memory. The list of these variables is empty before `close`.
    pub globals: Vec<Var>,
    /// Whether each fork promotes its arguments at the beginning of the fork. Only measurements for comparison set this flag.
    pub eager: bool,
    /// Whether each fork makes a task (`codegen/clones.rs`). Only measurements for comparison set this flag.
    pub clones: bool,
    /// Whether heap profiles can name the objects that the code allocates.
    pub profiled: bool,
    /// The source texts, for backtraces and debuggers.
    pub places: Places,
    /// The code of the program's declarations, in order. The block `main` returns no values.
    pub main: Block,
}

/// Makes an unreachable block, which takes the place of a block that is being rewritten.
impl Default for Block {
    fn default() -> Block {
        Block {
            stmts: Vec::new(),
            end: End::Unreachable,
        }
    }
}

impl Program {
    /// Makes a new variable.
    pub fn fresh(&mut self, rep: Rep, name: &str) -> Var {
        self.vars.push(VarInfo {
            rep,
            name: crate::symbol::Symbol::new(name),
        });
        Var(self.vars.len() as u32 - 1)
    }

    /// Makes a new label.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Returns the representation of an atom.
    #[must_use]
    pub fn rep(&self, atom: Atom) -> Rep {
        match atom {
            Atom::Var(var) => self.vars[var.0 as usize].rep,
            Atom::Int(_) => Rep::Int,
            Atom::Real(_) => Rep::Real,
            Atom::Imm(_) | Atom::Static(_) => Rep::Ptr,
        }
    }
}
