//! The explicitly typed program: the result of elaborating the syntax tree, and, without type variables, the
//! result of monomorphising that.
//!
//! - Names are gone: a variable, constructor or type constructor is a number, and structures, signatures and functors are
//!   resolved. A functor is elaborated anew wherever it is applied.
//! - Every use of a polymorphic variable gives its types (`inst`, one for each of the binding's `tyvars`, in order).
//! - Derived forms are expanded, except those that later passes exploit.
//! - After `mono` every `tyvars` and every `inst` of a variable is empty, no [`TyKind::Var`] occurs, and each instance is a
//!   separate variable. Constructors and primitives keep their `inst`.

pub mod check;
mod dump;
mod types;

pub use dump::{dump, show};
pub use types::{Ty, TyKind, Types};

use std::ops::RangeInclusive;

use crate::prim::{BuiltinExn, Prim};
use crate::source::Span;
use crate::symbol::Symbol;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// Returns the index in the table of its kind.
            #[must_use]
            pub fn index(self) -> usize { self.0 as usize }
        }
    };
}
id!(/** A variable: bound once in the whole program. */ Var);
id!(/** A type variable: bound once, by a declaration's `tyvars`, or by a [`TyConInfo`]. */ TyVar);
id!(/** A type constructor. */ TyCon);
id!(/** A constructor of a datatype. */ Con);

/// Facts about a variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// The name in the program; `_` and a word for variables that the compiler makes.
    pub name: Symbol,
    /// The place where the variable is bound.
    pub span: Span,
}

/// Facts about a type constructor.
#[derive(Clone, Debug)]
pub struct TyConInfo {
    /// The name in the program, with the structures that contain its declaration.
    pub name: Symbol,
    /// The parameters of the type constructor.
    pub params: Vec<TyVar>,
    /// The kind of the type constructor.
    pub kind: TyConKind,
}

/// Kinds of type constructors.
#[derive(Clone, Debug)]
pub enum TyConKind {
    /// A type of the runtime.
    Prim(PrimTy),
    /// A datatype, with its constructors in the order of declaration.
    Data(Vec<Con>),
    /// A type that an opaque signature made abstract. The field is its implementation, over `params`. Monomorphisation replaces
    /// the type by its implementation.
    Abstract(Ty),
}

/// Types of the runtime. `anf` defines the representation of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrimTy {
    /// Integers of 64 bits, in two's complement. Operations raise Overflow.
    Int,
    /// Integers like `Int`, with this many bits (1 to 63). Operations on them check the range.
    IntN(u8),
    /// Integers of 32 bits that wrap round (`int` of the Manticore dialect), held sign-extended.
    Wrap32,
    /// Integers of 64 bits that wrap round (`long` of the Manticore dialect).
    Wrap64,
    /// Integers without bounds.
    IntInf,
    /// Words of 64 bits, without sign.
    Word,
    /// Words like `Word`, with this many bits (1 to 63), held zero-extended.
    WordN(u8),
    /// A byte.
    Char,
    /// IEEE 754 double.
    Real,
    /// IEEE 754 single (`float` of the Manticore dialect), held as the double of the same value.
    Float,
    /// Bytes that do not change.
    String,
    /// Mutable bytes: the representation of `CharArray` and `Word8Array`.
    Bytes,
    /// `'a array`
    Array,
    /// `'a vector`
    Vector,
    /// `'a ref`
    Ref,
    /// `exn`
    Exn,
}

impl PrimTy {
    /// Returns the least and the greatest number of a type of integers, words or characters with bounds.
    #[must_use]
    pub fn range(self) -> Option<RangeInclusive<i128>> {
        let signed = |bits: u8| -(1 << (bits - 1))..=(1 << (bits - 1)) - 1;
        let unsigned = |bits: u8| 0..=(1 << bits) - 1;
        Some(match self {
            PrimTy::Int | PrimTy::Wrap64 => signed(64),
            PrimTy::IntN(bits) => signed(bits),
            PrimTy::Wrap32 => signed(32),
            PrimTy::Word => unsigned(64),
            PrimTy::WordN(bits) => unsigned(bits),
            PrimTy::Char => unsigned(8),
            _ => return None,
        })
    }
}

/// Facts about a constructor.
#[derive(Clone, Debug)]
pub struct ConInfo {
    /// The name in the program.
    pub name: Symbol,
    /// The datatype of the constructor.
    pub tycon: TyCon,
    /// The index of the constructor among those of the datatype, from 0.
    pub index: u32,
    /// The type of the constructor's argument, over the parameters of the datatype.
    pub arg: Option<Ty>,
    /// The type of the constructor's argument as declared: its abstract types are not replaced later.
    pub declared: Option<Ty>,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All types.
    pub types: Types,
    /// The variables, by [`Var`].
    pub vars: Vec<VarInfo>,
    /// The names of type variables, by [`TyVar`].
    pub tyvars: Vec<Symbol>,
    /// The type constructors, by [`TyCon`].
    pub tycons: Vec<TyConInfo>,
    /// The constructors, by [`Con`].
    pub cons: Vec<ConInfo>,
    /// The declarations of all structures and of the top level in the order in which they are evaluated.
    pub decs: Vec<Dec>,
    /// The type `bool`, whose constructors are `false` and `true`, in this order.
    pub bool_tycon: Option<TyCon>,
    /// The type `list`, whose constructors are `nil` and `::`, in this order.
    pub list_tycon: Option<TyCon>,
}

impl Program {
    /// Returns the primitive type that implements a type.
    #[must_use]
    pub fn prim_of(&self, ty: Ty) -> Option<PrimTy> {
        let TyKind::Con(con, _) = self.types.kind(ty) else {
            return None;
        };
        match self.tycons[con.index()].kind {
            TyConKind::Prim(prim) => Some(prim),
            TyConKind::Abstract(ty) => self.prim_of(ty),
            TyConKind::Data(_) => None,
        }
    }
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// An integer of any type but IntInf, in the range of its type.
    Int(i64),
    /// A word of any type, in the range of its type.
    Word(u64),
    /// A number of type `IntInf`.
    IntInf(num_bigint::BigInt),
    /// A number of type `Real` or `Float`.
    Real(f64),
    /// A character.
    Char(u8),
    /// A string.
    String(Vec<u8>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Exp {
    /// The kind of the expression.
    pub kind: ExpKind,
    /// The type of the expression.
    pub ty: Ty,
    /// The place of the expression in the source.
    pub span: Span,
}

/// The identity of an exception constructor, which is made when its declaration is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExnTag {
    /// The variable that a [`Dec::Exception`] binds.
    Var(Var),
    /// An exception that the runtime also raises.
    Builtin(BuiltinExn),
}

/// The action if no rule of a match matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// Raises `Match`.
    Match,
    /// Raises `Match`. An earlier match has handled some values, which this one need not cover.
    Rest,
    /// Raises `Bind`.
    Bind,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExpKind {
    /// A constant.
    Const(Const),
    /// A variable.
    Var {
        /// The variable.
        var: Var,
        /// The types of this use.
        inst: Vec<Ty>,
    },
    /// A constructor: a value, or a function if it takes an argument and is not applied at once.
    Con {
        /// The constructor.
        con: Con,
        /// The type arguments of its datatype.
        inst: Vec<Ty>,
    },
    /// An exception constructor, used like a constructor.
    Exn(ExnTag),
    /// A primitive, used like a constructor. A primitive that takes a tuple is applied to that tuple.
    Prim {
        /// The primitive.
        prim: Prim,
        /// The whole type at which it is used.
        ty: Ty,
    },
    /// A record or tuple, its fields in the order in which they are evaluated. `()` has none.
    Record(Vec<(Symbol, Exp)>),
    /// A field of a record.
    Select(Symbol, Box<Exp>),
    /// A call.
    Apply(Box<Exp>, Box<Exp>),
    /// A function. A single rule with an irrefutable pattern is the usual case.
    Fn(Vec<Rule>),
    /// A match.
    Case {
        /// The matched value.
        scrutinee: Box<Exp>,
        /// The rules.
        rules: Vec<Rule>,
        /// The action if no rule matches.
        otherwise: Otherwise,
    },
    /// `if`, `andalso` and `orelse`
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// `while`
    While(Box<Exp>, Box<Exp>),
    /// `(e1; ...; en)`
    Sequence(Vec<Exp>),
    /// `let`
    Let(Vec<Dec>, Box<Exp>),
    /// `handle`, which raises the exception again if no rule matches
    Handle(Box<Exp>, Vec<Rule>),
    /// `raise`
    Raise(Box<Exp>),
    /// A parallel tuple: a hint that its parts may run in parallel.
    ParTuple(Vec<Exp>),
}

/// `p => e`
#[derive(Clone, Debug)]
pub struct Rule {
    /// The pattern.
    pub pat: Pat,
    /// The expression that is computed if the pattern matches.
    pub exp: Exp,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// The kind of the pattern.
    pub kind: PatKind,
    /// The type of the values that it matches.
    pub ty: Ty,
    /// The place of the pattern in the source.
    pub span: Span,
}

impl Pat {
    /// Returns true if the pattern contains alternatives.
    pub fn has_alternatives(&self) -> bool {
        match &self.kind {
            PatKind::Wild | PatKind::Var(_) | PatKind::Const(_) => false,
            PatKind::Con { arg, .. } | PatKind::Exn { arg, .. } => {
                arg.as_ref().is_some_and(|arg| arg.has_alternatives())
            }
            PatKind::Record(fields) => fields.iter().any(|field| field.1.has_alternatives()),
            PatKind::As(_, pat) | PatKind::Ref(pat) => pat.has_alternatives(),
            PatKind::Vector(pats) => pats.iter().any(Pat::has_alternatives),
            PatKind::Or(_) => true,
        }
    }
}

/// Kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// Matches all values.
    Wild,
    /// Matches all values, and binds them to a name.
    Var(Var),
    /// Matches one constant, which is never a real.
    Const(Const),
    /// A constructor.
    Con {
        /// The constructor.
        con: Con,
        /// The type arguments of its datatype.
        inst: Vec<Ty>,
        /// The pattern of the constructor's argument, if it has one.
        arg: Option<Box<Pat>>,
    },
    /// An exception.
    Exn {
        /// The exception.
        tag: ExnTag,
        /// The pattern of the exception's argument, if it has one.
        arg: Option<Box<Pat>>,
    },
    /// Some fields of a record or tuple, with their patterns.
    Record(Vec<(Symbol, Pat)>),
    /// Matches the pattern, and binds the value to the variable.
    As(Var, Box<Pat>),
    /// The contents of a reference: `ref p`.
    Ref(Box<Pat>),
    /// Takes the first pattern that matches. All of them bind the same variables.
    Or(Vec<Pat>),
    /// A vector of this many elements.
    Vector(Vec<Pat>),
}

/// A declaration.
#[derive(Clone, Debug)]
pub enum Dec {
    /// `val p = e`. With `tyvars`, `e` is a value in the sense of the value restriction; if `pat` does not match it, `Bind` is
    /// raised here, even if no variable of `pat` is used.
    Val {
        /// The type variables in which the value is polymorphic.
        tyvars: Vec<TyVar>,
        /// The pattern.
        pat: Pat,
        /// The expression whose value is bound.
        exp: Exp,
    },
    /// Functions that call each other.
    Fun {
        /// The type variables in which all these functions are polymorphic. Inside the functions, they are used at
        /// these very variables.
        tyvars: Vec<TyVar>,
        /// The functions, at least one.
        binds: Vec<FunBind>,
    },
    /// A new exception. The type of `arg` may mention type variables of a function around.
    Exception {
        /// The variable that is bound to the exception's identity.
        var: Var,
        /// The name of the exception, as printed.
        name: Symbol,
        /// The type of the exception's argument, if it has one.
        arg: Option<Ty>,
        /// The identity of the exception, if that exists already, because an earlier program has declared the
        /// exception.
        id: Option<Exp>,
    },
}

/// One function of a group.
#[derive(Clone, Debug)]
pub struct FunBind {
    /// The variable that is bound to the function.
    pub var: Var,
    /// The function as an [`ExpKind::Fn`]; `fun f p q = e` is `fn p => fn q => e`. With several clauses and several arguments,
    /// a `fn` for each argument and a case on the tuple of them.
    pub exp: Exp,
}
