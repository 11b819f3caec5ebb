//! The explicitly typed program: the result of elaborating the syntax tree, and, without type variables, the
//! result of monomorphising that.
//!
//! - Names are gone: a variable, constructor or type constructor is a number, and structures, signatures and functors are
//!   resolved. A functor is elaborated anew wherever it is applied.
//! - Every use of a polymorphic variable gives its types (`inst`, one for each of the binding's `tyvars`, in order).
//! - Derived forms are expanded, except those that later passes exploit.
//! - After `mono` every `tyvars` and every `inst` of a variable is empty, no [`TyKind::Var`] occurs, and each instance is a
//!   variable of its own. Constructors and primitives keep their `inst`.

pub mod check;
mod dump;
mod types;

pub use dump::{dump, show};
pub use types::{Ty, TyKind, Types};

use crate::prim::{BuiltinExn, Prim};
use crate::source::Span;
use crate::symbol::Symbol;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// The index in the table of its kind.
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
    /// The name as written; `_` and a word for variables that the compiler makes.
    pub name: Symbol,
    /// Place where it is bound.
    pub span: Span,
}

/// Facts about a type constructor.
#[derive(Clone, Debug)]
pub struct TyConInfo {
    /// The name as written, with the structures that contain its declaration.
    pub name: Symbol,
    /// Its parameters.
    pub params: Vec<TyVar>,
    /// Its kind.
    pub kind: TyConKind,
}

/// Kinds of type constructors.
#[derive(Clone, Debug)]
pub enum TyConKind {
    /// A type that the runtime knows.
    Prim(PrimTy),
    /// A datatype, with its constructors in the order of declaration.
    Data(Vec<Con>),
    /// Made abstract by an opaque signature; the field is its implementation, over `params`. Monomorphisation looks through it.
    Abstract(Ty),
}

/// Types that the runtime knows. `anf` defines the representation of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrimTy {
    /// 64 bits, two's complement; operations raise Overflow.
    Int,
    /// Like `Int`, with this many bits (8, 16, 32): operations on them check the range.
    IntN(u8),
    /// 32 bits that wrap round (`int` of the Manticore dialect); held sign-extended.
    Wrap32,
    /// 64 bits that wrap round (`long` of the Manticore dialect).
    Wrap64,
    /// Integers without bounds.
    IntInf,
    /// 64 bits, without sign.
    Word,
    /// Like `Word`, with this many bits (8, 16, 32); held zero-extended.
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

/// Facts about a constructor.
#[derive(Clone, Debug)]
pub struct ConInfo {
    /// The name as written.
    pub name: Symbol,
    /// Its datatype.
    pub tycon: TyCon,
    /// Its index among the datatype's constructors, from 0.
    pub index: u32,
    /// Its argument's type, over the parameters of the datatype.
    pub arg: Option<Ty>,
    /// Its argument's type as declared: abstract types are not looked through later.
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
    /// `bool`, whose constructors are `false` and `true`, in this order.
    pub bool_tycon: Option<TyCon>,
    /// `list`, whose constructors are `nil` and `::`, in this order.
    pub list_tycon: Option<TyCon>,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// An integer of any type but IntInf, in the range of its type.
    Int(i64),
    /// A word of any type, in the range of its type.
    Word(u64),
    /// An IntInf.
    IntInf(num_bigint::BigInt),
    /// A Real or Float.
    Real(f64),
    /// A character.
    Char(u8),
    /// A string.
    String(Vec<u8>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Exp {
    /// Its kind.
    pub kind: ExpKind,
    /// Its type.
    pub ty: Ty,
    /// Its place in the source.
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

/// Action if no rule of a match matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// Raises Match.
    Match,
    /// Raises Match, and an earlier match has taken some of the values: these need not be covered.
    Rest,
    /// Raises Bind.
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
        /// The arguments of its datatype.
        inst: Vec<Ty>,
    },
    /// An exception constructor, with the same rules.
    Exn(ExnTag),
    /// A primitive, with the same rules; one that takes a tuple is applied to that tuple.
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
        /// If none matches.
        otherwise: Otherwise,
    },
    /// `if`; also `andalso`, `orelse`.
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// `while`
    While(Box<Exp>, Box<Exp>),
    /// `(e1; ...; en)`
    Sequence(Vec<Exp>),
    /// `let`
    Let(Vec<Dec>, Box<Exp>),
    /// `handle`; raises again if no rule matches.
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
    /// Expression that is computed if it matches.
    pub exp: Exp,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// Its kind.
    pub kind: PatKind,
    /// The type of the values that it matches.
    pub ty: Ty,
    /// Its place in the source.
    pub span: Span,
}

impl Pat {
    /// Whether it contains alternatives.
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
    /// Anything.
    Wild,
    /// Anything, under a name.
    Var(Var),
    /// One value; never a real.
    Const(Const),
    /// A constructor.
    Con {
        /// The constructor.
        con: Con,
        /// The arguments of its datatype.
        inst: Vec<Ty>,
        /// Matches its argument.
        arg: Option<Box<Pat>>,
    },
    /// An exception.
    Exn {
        /// The exception.
        tag: ExnTag,
        /// Matches its argument.
        arg: Option<Box<Pat>>,
    },
    /// Some fields of a record or tuple.
    Record(Vec<(Symbol, Pat)>),
    /// Both.
    As(Var, Box<Pat>),
    /// The contents of a reference: `ref p`.
    Ref(Box<Pat>),
    /// The first that matches. All of them bind the same variables.
    Or(Vec<Pat>),
    /// A vector of so many elements.
    Vector(Vec<Pat>),
}

/// A declaration.
#[derive(Clone, Debug)]
pub enum Dec {
    /// `val p = e`. With `tyvars`, `e` is a value in the sense of the value restriction; if `pat` does not match it, `Bind` is
    /// raised here, even if no variable of `pat` is used.
    Val {
        /// Type variables in which it is polymorphic.
        tyvars: Vec<TyVar>,
        /// The pattern.
        pat: Pat,
        /// Its value.
        exp: Exp,
    },
    /// Functions that call each other.
    Fun {
        /// Type variables in which all of them are polymorphic; inside, they are used at these very variables.
        tyvars: Vec<TyVar>,
        /// One at least.
        binds: Vec<FunBind>,
    },
    /// A new exception. The type of `arg` may mention type variables of a function around.
    Exception {
        /// Bound to its identity.
        var: Var,
        /// Its name, as printed.
        name: Symbol,
        /// Its argument's type.
        arg: Option<Ty>,
        /// Its identity, if that already exists: for an exception that an earlier program has declared.
        id: Option<Exp>,
    },
}

/// One function of a group.
#[derive(Clone, Debug)]
pub struct FunBind {
    /// The function.
    pub var: Var,
    /// An [`ExpKind::Fn`]; `fun f p q = e` is `fn p => fn q => e`. With several clauses and several arguments, a `fn` for each
    /// argument and a case on the tuple of them.
    pub exp: Exp,
}
