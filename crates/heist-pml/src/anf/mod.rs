//! The intermediate language of the optimiser: A-normal form with join points.
//!
//! Values are words: types are gone except for [`Rep`]. Every variable is bound once in the whole program. Every
//! intermediate result has a name, so the order of evaluation is the order of statements. A block is a list of statements
//! and an end; only branches, bodies of functions and of join points, and handled regions nest.
//!
//! Lowering (`lower`) makes programs in this language, optimisation (`opt`) rewrites them, closure conversion (`close`)
//! takes nested functions out, and code generation (`codegen`) translates them.
//!
//! # Conventions that lowering sets
//!
//! - **Arguments and results of functions are flattened by type**: `unit` takes no word; a record or tuple of at most
//!   [`FLAT_ARGS`] (arguments) or [`FLAT_RESULTS`] (results) fields takes one word for each field, in the order of labels; any
//!   other value takes one word. This holds for known and unknown functions, because types are concrete.
//! - A curried function is a function that returns a closure; `opt` makes calls with all arguments direct.
//! - **Datatypes**: if no constructor has an argument, a value is the number of its constructor ([`Rep::Int`]; `bool` is 0 and
//!   1). Otherwise a value is a pointer ([`Rep::Ptr`]): [`Atom::Imm`] for the n-th constructor without argument, an object for
//!   any other constructor. The object's tag is the constructor's number among those with arguments. An argument *declared* as
//!   a tuple or record is stored in the object itself. A datatype with one constructor, whose single argument is not a tuple,
//!   is represented by that argument.
//! - **Records** are objects of tag 0; `unit` inside an object is `Int` 0.
//! - **Fields** of an object are ordered: pointers first, then the others, each group in the order of labels.

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
pub use crate::runtime::rep::Rep;
use crate::source::Span;

/// The first character of the names of variables that hold objects, if the rest names the type of the object.
pub const TYPE_MARK: char = ':';
/// The maximum number of fields of a record that is passed as single words.
pub const FLAT_ARGS: usize = 8;
/// The maximum number of fields of a record that is returned as single words.
pub const FLAT_RESULTS: usize = 4;

/// A variable: bound once in the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// A join point: bound once in the whole program.
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
    /// A number of type `IntInf` that is too large for an odd word.
    IntInf(num_bigint::BigInt),
    /// A record or constructor whose parts are constants.
    Object(Layout, Vec<Atom>),
    /// The closure of a function without free variables. `close` makes it.
    Closure(Var),
    /// The identity of an exception that the runtime also raises.
    Exn(BuiltinExn),
}

/// A static object of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StaticId(pub u32);

/// An operand: a variable or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A variable. If a [`Stmt::Funs`] binds the variable, the atom is the function's closure.
    Var(Var),
    /// An integer ([`Rep::Int`]).
    Int(i64),
    /// A double, by its bits ([`Rep::Real`]).
    Real(u64),
    /// An immediate: the odd word `2 n + 1` ([`Rep::Ptr`]).
    Imm(i64),
    /// A static object ([`Rep::Ptr`]).
    Static(StaticId),
}

/// The layout of an object: a tag, and fields, pointers first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The constructor's number among those with arguments; 0 for records, closures and all other objects.
    pub tag: u16,
    /// The number of fields with [`Rep::Ptr`].
    pub ptrs: u32,
    /// The number of fields with other representations, which follow the pointers.
    pub raws: u32,
    /// Whether the fields may be assigned, as those of references.
    pub mutable: bool,
}

/// The representation of the elements of an array or vector. Each element takes a word.
pub type Elem = Rep;

/// The function that a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function bound by a [`Stmt::Funs`] in scope, or (after `close`) of the program.
    Known(Var),
    /// The closure that a variable holds.
    Closure(Atom),
}

/// The computation of a statement.
#[derive(Clone, Debug)]
pub enum Rhs {
    /// An existing value (removed by `opt`).
    Atom(Atom),
    /// A primitive with one result, which may raise. `elem` is the element of arrays, vectors and
    /// references.
    Prim {
        /// The primitive.
        prim: Prim,
        /// The representation of the elements, if the primitive has any.
        elem: Option<Elem>,
        /// The arguments of the primitive. A tuple is passed as its parts.
        args: Vec<Atom>,
    },
    /// A new object.
    Alloc(Layout, Vec<Atom>),
    /// A new closure (made by `close`): its entry, a function that takes the closure and the arguments, and its captured
    /// values, pointers first. Word 0 of the object is the address of the entry's code, captures follow from word 1.
    Closure(Var, Vec<Atom>),
    /// Field `index` of an object (in words after the header). The object's fields never change; `Prim::RefGet` reads
    /// references.
    Load {
        /// The object; not an immediate.
        object: Atom,
        /// Index of the field.
        index: u32,
    },
    /// The tag of an object that is not an immediate.
    Tag(Atom),
    /// A call that returns, with any number of results.
    Call(Callee, Vec<Atom>),
    /// The beginning of a fork; it binds nothing. From here until the [`End::Resume`] or [`End::Drop`] of the same label, an idle
    /// worker may run `thief` with these arguments: a known function that computes the same result as the resumed code in place.
    Fork {
        /// The label that names the fork.
        fork: Label,
        /// The function that computes the right side on another worker.
        thief: Var,
        /// The arguments of `thief`: none before `close`.
        args: Vec<Atom>,
        /// Whether the right side begins to compute a lazy value. Such a right side is useless once
        /// a strand has begun to compute the value.
        lazy: bool,
    },
    /// A new identity of an exception: its name, and the [shape](crate::runtime::shape) of its payload, if it has one.
    NewExn(StaticId, Option<StaticId>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Computes, and binds the results: one result, or any number for a call.
    Let(Vec<Var>, Rhs, Span),
    /// Functions that may call each other, visible in the rest of the block too. The functions may have free variables, but
    /// no free labels.
    Funs(Vec<Fun>),
    /// A join point, visible in the rest of the block, and in its own body if it is recursive (a loop).
    Join {
        /// The name of the join point.
        label: Label,
        /// The parameters of the join point.
        params: Vec<Var>,
        /// The function's body.
        body: Block,
        /// Whether the body may jump to the join point.
        recursive: bool,
    },
}

/// A function.
#[derive(Clone, Debug)]
pub struct Fun {
    /// The function's name. As a callee it means the function, as an atom the closure.
    pub name: Var,
    /// Its parameters.
    pub params: Vec<Var>,
    /// Representations of its results.
    pub results: Vec<Rep>,
    /// The function's body.
    pub body: Block,
    /// The function's place in the source.
    pub span: Span,
    /// Whether the function is the right side of a fork. Such a function takes no parameters before `close`, and is
    /// kept although it has only one call.
    pub forked: bool,
}

/// Statements, then an end.
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
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    /// Signed integers.
    Int(Cmp, Atom, Atom),
    /// Unsigned words (and bounds).
    Word(Cmp, Atom, Atom),
    /// Compares doubles by the rules of IEEE 754. `Ne` is the negation of `Eq`, so it is true for
    /// NaN.
    Real(Cmp, Atom, Atom),
    /// Whether both are the same pointer or immediate.
    Same(Atom, Atom),
    /// Whether the word is an immediate, not an object.
    IsImm(Atom),
}

/// End of a block.
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
    /// Continues with one of several blocks, chosen by an integer. Without `default`, one of the
    /// cases always applies.
    Switch {
        /// The integer.
        on: Atom,
        /// The values and their blocks.
        cases: Vec<(i64, Block)>,
        /// The block for all other values.
        default: Option<Box<Block>>,
    },
    /// Raises an exception (an exn object).
    Raise(Atom, Span),
    /// Runs `body`. If an exception is raised in it before `body` jumps to a label from outside or returns, binds the
    /// exception to `exn` and runs `handler`, which is outside the region.
    Handle {
        /// The handled region.
        body: Box<Block>,
        /// The exception.
        exn: Var,
        /// The handler.
        handler: Box<Block>,
    },
    /// The left side of a fork is done, and the right side is needed. Every path from its [`Rhs::Fork`] that continues leads to one
    /// of these, or to an [`End::Drop`].
    Resume {
        /// Label of the fork.
        fork: Label,
        /// The block that computes the right side here, if no thief took it.
        right: Box<Block>,
        /// Variables for the results of the worker that took the right side.
        taken: Vec<Var>,
        /// The block that continues with these results.
        stolen: Box<Block>,
    },
    /// The left side of a fork is done, and the right side is not needed: a worker that computes it is cancelled.
    Drop {
        /// Label of the fork.
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
    /// The variables, by [`Var`].
    pub vars: Vec<VarInfo>,
    /// The number of labels.
    pub labels: u32,
    /// The static objects, by [`StaticId`].
    pub statics: Vec<Static>,
    /// All functions after `close`; empty before.
    pub funs: Vec<Fun>,
    /// The variables of `main` that functions use, which are cells after `close`; empty before.
    pub globals: Vec<Var>,
    /// Whether the arguments of each fork are promoted where the fork begins; used for comparisons.
    pub eager: bool,
    /// Whether each fork makes a task (`codegen/clones.rs`); used for comparisons.
    pub clones: bool,
    /// Whether heap profiles can name the objects that the code allocates.
    pub profiled: bool,
    /// The source texts, for backtraces and debuggers.
    pub places: Places,
    /// The declarations in order. This block returns no values.
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
