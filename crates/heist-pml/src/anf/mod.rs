//! The intermediate language of the optimiser: A-normal form with join points.
//!
//! Values are words: types are gone except for [`Rep`]. Every variable is bound once in the whole program. Every
//! intermediate result has a name, so the order of evaluation is the order of statements. A block is a list of statements
//! and an end; only branches, bodies of functions and of join points, and handled regions nest.
//!
//! Lowering makes it (`lower`), optimisation rewrites it (`opt`), closure conversion takes nested functions away (`close`),
//! code generation translates it (`codegen`).
//!
//! # Conventions that lowering sets
//!
//! - **Arguments and results of functions are flattened by type**: `unit` takes no word; a record or tuple of at most
//!   [`FLAT_ARGS`] (arguments) or [`FLAT_RESULTS`] (results) fields takes one word for each field, in the order of labels; any
//!   other value takes one word. This holds for known and unknown functions, because types are concrete.
//! - A curried function is a function that returns a closure; `opt` makes calls with all arguments direct.
//! - **Datatypes**: without arguments anywhere, the number of the constructor ([`Rep::Int`]; `bool` is 0 and 1). Otherwise
//!   [`Rep::Ptr`]: [`Atom::Imm`] for the n-th constructor without argument, an object for the others, whose tag is the
//!   constructor's number among those. An argument *declared* as a tuple or record is stored in the object itself. A
//!   datatype with one constructor, whose single argument is not a tuple, is represented by that argument.
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

/// Most fields of a record that are passed as single words.
pub const FLAT_ARGS: usize = 8;
/// Most fields of a record that are returned as single words.
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
    /// Its representation.
    pub rep: Rep,
    /// For readers of dumps, profiles and backtraces.
    pub name: crate::symbol::Symbol,
}

/// An object that exists before the program starts and never moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Static {
    /// A string.
    String(Vec<u8>),
    /// An IntInf that is too large for an odd number.
    IntInf(num_bigint::BigInt),
    /// A record or constructor whose parts are constants.
    Object(Layout, Vec<Atom>),
    /// The closure of a function without free variables (made by `close`).
    Closure(Var),
    /// The identity of an exception that the runtime raises too.
    Exn(BuiltinExn),
}

/// A static object of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StaticId(pub u32);

/// A value that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A variable; if a [`Stmt::Funs`] binds it, it means the closure.
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
    /// Fields with [`Rep::Ptr`].
    pub ptrs: u32,
    /// Fields with other representations, after those.
    pub raws: u32,
    /// Its fields may be assigned (references).
    pub mutable: bool,
}

/// Representation of the elements of an array or vector: as a [`Rep`], a word each.
pub type Elem = Rep;

/// The function that a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function bound by a [`Stmt::Funs`] in scope, or (after `close`) of the program.
    Known(Var),
    /// The closure that a variable holds.
    Closure(Atom),
}

/// Computation of a statement.
#[derive(Clone, Debug)]
pub enum Rhs {
    /// An existing value (removed by `opt`).
    Atom(Atom),
    /// A primitive of one result, which may raise. `elem` is the element of arrays, vectors and references.
    Prim {
        /// The primitive.
        prim: Prim,
        /// Elements it deals with.
        elem: Option<Elem>,
        /// Its arguments, a tuple of them flattened.
        args: Vec<Atom>,
    },
    /// A new object.
    Alloc(Layout, Vec<Atom>),
    /// A new closure (made by `close`): its entry, a function that takes the closure and the arguments, and its captured
    /// values, pointers first. Word 0 of the object is the address of the entry's code, captures follow from word 1.
    Closure(Var, Vec<Atom>),
    /// Field `index` of an object (in words after the header). Never of an object whose fields may change: see `Prim::RefGet`.
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
    /// Binds nothing. From here until the [`End::Resume`] or [`End::Drop`] of the same label, an idle worker may run `thief` with
    /// these arguments: a known function that computes the same result as the resumed code in place.
    Fork {
        /// Names the fork, among the labels.
        fork: Label,
        /// Runs the right side elsewhere.
        thief: Var,
        /// Its arguments: none before `close`.
        args: Vec<Atom>,
        /// The right side begins to compute a lazy value. It is useless once a strand has begun.
        lazy: bool,
    },
    /// A new identity of an exception: its name, and the [shape](crate::runtime::shape) of its payload, if it has one.
    NewExn(StaticId, Option<StaticId>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Computes, and binds the results: one, except for calls.
    Let(Vec<Var>, Rhs, Span),
    /// Functions that may call each other, visible in the rest of the block too. Free variables are allowed; free labels not.
    Funs(Vec<Fun>),
    /// A join point, visible in the rest of the block, and in its own body if it is recursive (a loop).
    Join {
        /// Its name.
        label: Label,
        /// Its parameters.
        params: Vec<Var>,
        /// The function's body.
        body: Block,
        /// Whether its body may jump to it.
        recursive: bool,
    },
}

/// A function.
#[derive(Clone, Debug)]
pub struct Fun {
    /// Its name: as a callee, or as an atom, which is its closure.
    pub name: Var,
    /// Its parameters.
    pub params: Vec<Var>,
    /// Representations of its results.
    pub results: Vec<Rep>,
    /// The function's body.
    pub body: Block,
    /// Its place in the source.
    pub span: Span,
    /// It is the right side of a fork: it takes no parameters before `close`, and is never dropped for its only call.
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
    /// Words (and bounds).
    Word(Cmp, Atom, Atom),
    /// Compares doubles by the rules of IEEE 754. `Ne` is not `Eq`, so true for NaN.
    Real(Cmp, Atom, Atom),
    /// Whether both are the same pointer or immediate.
    Same(Atom, Atom),
    /// An immediate, not an object.
    IsImm(Atom),
}

/// End of a block.
#[derive(Clone, Debug)]
pub enum End {
    /// Returns from the function.
    Return(Vec<Atom>),
    /// Goes to a join point.
    Jump(Label, Vec<Atom>),
    /// A call in tail position. Never inside a handled region.
    TailCall(Callee, Vec<Atom>, Span),
    /// One of two.
    If(Cond, Box<Block>, Box<Block>),
    /// One of several, by an integer. Without `default` the cases are all there are.
    Switch {
        /// The integer.
        on: Atom,
        /// Values and blocks.
        cases: Vec<(i64, Block)>,
        /// Otherwise.
        default: Option<Box<Block>>,
    },
    /// Raises an exception (an exn object).
    Raise(Atom, Span),
    /// Runs `body`; an exception raised in it, before it jumps to a label from outside or returns, is bound to `exn`, and
    /// `handler` runs, which is outside the region.
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
        /// Computes the right side here: no thief took it.
        right: Box<Block>,
        /// The results of the worker that took it.
        taken: Vec<Var>,
        /// Continues with those.
        stolen: Box<Block>,
    },
    /// The left side of a fork is done, and the right side is not needed: a worker that computes it is told to end.
    Drop {
        /// Label of the fork.
        fork: Label,
        /// Goes on.
        rest: Box<Block>,
    },
    /// Never reached.
    Unreachable,
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The variables, by [`Var`].
    pub vars: Vec<VarInfo>,
    /// Number of labels.
    pub labels: u32,
    /// The static objects, by [`StaticId`].
    pub statics: Vec<Static>,
    /// All functions after `close`; none before.
    pub funs: Vec<Fun>,
    /// Variables of `main` that functions use: cells, after `close`; none before.
    pub globals: Vec<Var>,
    /// Whether the arguments of each fork are promoted where it begins, for comparison.
    pub eager: bool,
    /// Whether each fork makes a task (`codegen/clones.rs`), for comparison.
    pub clones: bool,
    /// The source texts, for backtraces and debuggers.
    pub places: Places,
    /// The declarations in order; returns nothing.
    pub main: Block,
}

impl Program {
    /// A new variable.
    pub fn fresh(&mut self, rep: Rep, name: &str) -> Var {
        self.vars.push(VarInfo {
            rep,
            name: crate::symbol::Symbol::new(name),
        });
        Var(self.vars.len() as u32 - 1)
    }

    /// A new label.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Representation of an atom.
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
