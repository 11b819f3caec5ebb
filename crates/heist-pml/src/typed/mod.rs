//! The explicitly typed program: the result of elaboration and, without type variables, the result of monomorphisation.
//!
//! - The program has numbers in place of names: each variable, constructor and type constructor is a number. The program has no structures,
//!   signatures or functors. Each application of a functor becomes a copy of the functor's body.
//! - Every use of a polymorphic variable has type arguments (`inst`), one for each of the binding's `tyvars`, in order.
//! - The elaborator has expanded derived forms, except forms from which later passes make better code.
//! - After `mono`, every `tyvars` and every `inst` of a variable is empty, and no [`TyKind::Var`] occurs. Each instance of a polymorphic
//!   variable is a separate variable. Constructors and primitives keep their `inst`.

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
            /// Returns the index of the entity in the table of its kind.
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
    /// The name of the variable in the program. The name of a variable that the compiler makes begins with `_`.
    pub name: Symbol,
    /// The place where the variable is bound.
    pub span: Span,
}

/// Facts about a type constructor.
#[derive(Clone, Debug)]
pub struct TyConInfo {
    /// The name of the type constructor in the program, with the names of the structures that contain its declaration.
    pub name: Symbol,
    /// The parameters of the type constructor.
    pub params: Vec<TyVar>,
    /// The kind of the type constructor.
    pub kind: TyConKind,
}

/// Kinds of type constructors.
#[derive(Clone, Debug)]
pub enum TyConKind {
    /// A primitive type, which the runtime defines.
    Prim(PrimTy),
    /// A datatype, with its constructors in the order of declaration.
    Data(Vec<Con>),
    /// A type that an opaque signature makes abstract. The field is the type that implements the abstract type; the `params` may occur in
    /// it. Monomorphisation replaces the abstract type by its implementation.
    Abstract(Ty),
}

/// Primitive types. `anf` defines the representation of each primitive type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrimTy {
    /// Integers of 64 bits, in two's complement. Operations raise Overflow.
    Int,
    /// Integers with the given number of bits (1 to 63). Operations on them raise Overflow.
    IntN(u8),
    /// Integers of 32 bits that wrap round (`int` of the Manticore dialect). The representation is sign-extended.
    Wrap32,
    /// Integers of 64 bits that wrap round (`long` of the Manticore dialect).
    Wrap64,
    /// Integers of any size.
    IntInf,
    /// Unsigned words of 64 bits.
    Word,
    /// Words with the given number of bits (1 to 63). The representation is zero-extended.
    WordN(u8),
    /// A byte.
    Char,
    /// Double-precision numbers of IEEE 754.
    Real,
    /// Single-precision numbers of IEEE 754 (`float` of the Manticore dialect). The representation is the double of the same value.
    Float,
    /// Immutable bytes.
    String,
    /// Mutable bytes. The Basis implements the arrays of `CharArray` and `Word8Array` by this type.
    Bytes,
    /// The type constructor `array`.
    Array,
    /// The type constructor `vector`.
    Vector,
    /// The type constructor `ref`.
    Ref,
    /// The type `exn`.
    Exn,
}

impl PrimTy {
    /// Returns the range of the values of a type of integers, words or characters. Returns `None` for types without bounds and for other
    /// types.
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
    /// The name of the constructor in the program.
    pub name: Symbol,
    /// The datatype of the constructor.
    pub tycon: TyCon,
    /// The index of the constructor among the constructors of the datatype, from 0.
    pub index: u32,
    /// The type of the constructor's argument, if it has one. The parameters of the datatype may occur in this type.
    pub arg: Option<Ty>,
    /// The declared type of the constructor's argument. Monomorphisation does not replace the abstract types in this declared type.
    pub declared: Option<Ty>,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All types.
    pub types: Types,
    /// The variables, indexed by [`Var`].
    pub vars: Vec<VarInfo>,
    /// The names of type variables, indexed by [`TyVar`].
    pub tyvars: Vec<Symbol>,
    /// The type constructors, indexed by [`TyCon`].
    pub tycons: Vec<TyConInfo>,
    /// The constructors, indexed by [`Con`].
    pub cons: Vec<ConInfo>,
    /// The declarations of all structures and of the top level, in the order of evaluation.
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

/// The identity of an exception constructor. The program makes a new identity whenever it evaluates the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExnTag {
    /// The variable that a [`Dec::Exception`] binds.
    Var(Var),
    /// An exception that the runtime also raises.
    Builtin(BuiltinExn),
}

/// The behaviour of a match if none of its rules matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// Raises `Match`.
    Match,
    /// Raises `Match`. An earlier match handles some values, so the compiler does not warn if this match has no rules for these values.
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
        /// The type arguments of this use of the variable.
        inst: Vec<Ty>,
    },
    /// A constructor. If the constructor takes an argument that the program does not directly apply it to, the expression is a function.
    /// Otherwise the expression is a value of the datatype.
    Con {
        /// The constructor.
        con: Con,
        /// The type arguments of the constructor's datatype.
        inst: Vec<Ty>,
    },
    /// An exception constructor. As for a constructor, the expression is a function if the program does not directly apply the exception
    /// constructor to its argument.
    Exn(ExnTag),
    /// A primitive: a function or a value. A primitive with several operands is applied to a tuple of its operands.
    Prim {
        /// The primitive.
        prim: Prim,
        /// The complete type that the primitive has in this use.
        ty: Ty,
    },
    /// A record or tuple. The fields are in the order in which the program evaluates them. `()` has no fields.
    Record(Vec<(Symbol, Exp)>),
    /// A field of a record.
    Select(Symbol, Box<Exp>),
    /// A call.
    Apply(Box<Exp>, Box<Exp>),
    /// A function. Usually a function has a single rule, and the pattern of this rule matches all values.
    Fn(Vec<Rule>),
    /// A match.
    Case {
        /// The matched value.
        scrutinee: Box<Exp>,
        /// The rules.
        rules: Vec<Rule>,
        /// The behaviour if no rule matches.
        otherwise: Otherwise,
    },
    /// The expressions `if`, `andalso` and `orelse`.
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// The expression `while e do e`.
    While(Box<Exp>, Box<Exp>),
    /// The expression `(e1; ...; en)`.
    Sequence(Vec<Exp>),
    /// The expression `let`.
    Let(Vec<Dec>, Box<Exp>),
    /// The expression `e handle match`. If no rule matches, the expression raises the exception again.
    Handle(Box<Exp>, Vec<Rule>),
    /// The expression `raise e`.
    Raise(Box<Exp>),
    /// A parallel tuple. Different workers may evaluate its parts.
    ParTuple(Vec<Exp>),
}

/// A rule `p => e`.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The pattern.
    pub pat: Pat,
    /// The expression that the program evaluates if the pattern matches.
    pub exp: Exp,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// The kind of the pattern.
    pub kind: PatKind,
    /// The type of the values that the pattern matches.
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
    /// Matches every value, and binds the value to a variable.
    Var(Var),
    /// Matches one constant, which is never a real.
    Const(Const),
    /// A constructor.
    Con {
        /// The constructor.
        con: Con,
        /// The type arguments of the constructor's datatype.
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
    /// A record or tuple. The list has the patterns of some or all fields.
    Record(Vec<(Symbol, Pat)>),
    /// Matches a value that the inner pattern matches, and binds the value to the variable.
    As(Var, Box<Pat>),
    /// The pattern `ref p`: matches a reference if `p` matches the contents.
    Ref(Box<Pat>),
    /// Tries the patterns in order, and matches if one of the patterns matches. All of these patterns bind the same variables.
    Or(Vec<Pat>),
    /// A vector with exactly these elements.
    Vector(Vec<Pat>),
}

/// A declaration.
#[derive(Clone, Debug)]
pub enum Dec {
    /// The declaration `val p = e`. If `tyvars` is not empty, `e` is a value in the sense of the value restriction. If `pat` does not match
    /// the value, the declaration raises `Bind`, even if no variable of `pat` is used.
    Val {
        /// The type variables in which the value is polymorphic.
        tyvars: Vec<TyVar>,
        /// The pattern.
        pat: Pat,
        /// The expression that gives the value.
        exp: Exp,
    },
    /// Functions that may call each other.
    Fun {
        /// The type variables in which all these functions are polymorphic. Inside of the functions, each use of a
        /// function of the group has these variables as its type arguments.
        tyvars: Vec<TyVar>,
        /// The functions, at least one.
        binds: Vec<FunBind>,
    },
    /// A new exception. Type variables of an enclosing function may occur in `arg`.
    Exception {
        /// The variable that holds the exception's identity.
        var: Var,
        /// The name by which programs and messages print the exception.
        name: Symbol,
        /// The type of the exception's argument, if it has one.
        arg: Option<Ty>,
        /// The expression for the existing identity of the exception, if an earlier program of the session has declared the exception.
        id: Option<Exp>,
    },
}

/// One function of a group.
#[derive(Clone, Debug)]
pub struct FunBind {
    /// The variable that holds the function.
    pub var: Var,
    /// The function as an [`ExpKind::Fn`]. `fun f p q = e` is `fn p => fn q => e`. A function with several clauses and
    /// several arguments becomes nested `fn`s, one for each argument, around a `case` of the tuple of all arguments.
    pub exp: Exp,
}
