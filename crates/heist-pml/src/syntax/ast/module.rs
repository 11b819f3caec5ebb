//! The syntax tree of structures, signatures and functors.

use super::{DataBind, Dec, LongName, Name, Ty, TypeBind};
use crate::source::Span;

/// A structure expression.
#[derive(Clone, Debug)]
pub struct StrExp {
    /// The kind of the structure expression.
    pub kind: StrExpKind,
    /// The place of the structure expression.
    pub span: Span,
}

/// Kinds of structure expressions.
#[derive(Clone, Debug)]
pub enum StrExpKind {
    /// `struct dec end`
    Struct(Vec<Dec>),
    /// `A.B`
    Name(LongName),
    /// `strexp : SIG`, `strexp :> SIG`
    Ascribe {
        strexp: Box<StrExp>,
        sigexp: Box<SigExp>,
        opaque: bool,
    },
    /// `F (strexp)`, or `F (dec)`, whose argument is a `Struct`
    Apply { functor: Name, arg: Box<StrExp> },
    /// `let dec in strexp end`
    Let(Vec<Dec>, Box<StrExp>),
    /// A structure expression that could not be parsed. An error was reported.
    Error,
}

/// `S : SIG = strexp`
#[derive(Clone, Debug)]
pub struct StrBind {
    /// The name of the structure.
    pub name: Name,
    /// The signature, if the program gives it, and whether the ascription is opaque.
    pub sig: Option<(SigExp, bool)>,
    /// The structure.
    pub strexp: StrExp,
}

/// `S = sigexp`
#[derive(Clone, Debug)]
pub struct SigBind {
    /// The name of the signature.
    pub name: Name,
    /// The signature.
    pub sigexp: SigExp,
}

/// `F (X : SIG) : SIG' = strexp`
#[derive(Clone, Debug)]
pub struct FunctorBind {
    /// The functor.
    pub name: Name,
    /// The parameter.
    pub param: FunctorParam,
    /// The signature of the result, if the program gives it, and whether the ascription is opaque.
    pub sig: Option<(SigExp, bool)>,
    /// The body.
    pub body: StrExp,
}

/// The parameter of a functor.
#[derive(Clone, Debug)]
pub enum FunctorParam {
    /// `(X : SIG)`
    Structure(Name, SigExp),
    /// `(spec)`, whose contents the body sees without a path
    Spec(SigExp),
}

/// A signature expression.
#[derive(Clone, Debug)]
pub struct SigExp {
    /// The kind of the signature expression.
    pub kind: SigExpKind,
    /// The place of the signature expression.
    pub span: Span,
}

/// Kinds of signature expressions.
#[derive(Clone, Debug)]
pub enum SigExpKind {
    /// `sig spec end`
    Sig(Vec<Spec>),
    /// `S`
    Name(Name),
    /// `sigexp where type tyvars longtycon = ty`. Each `and type` becomes another `Where` around this signature expression.
    Where {
        sigexp: Box<SigExp>,
        tyvars: Vec<Name>,
        tycon: LongName,
        ty: Ty,
    },
    /// A signature expression that could not be parsed. An error was reported.
    Error,
}

/// A specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The kind of the specification.
    pub kind: SpecKind,
    /// The place of the specification.
    pub span: Span,
}

/// Kinds of specifications.
#[derive(Clone, Debug)]
pub enum SpecKind {
    /// `val x : t and ...`
    Val(Vec<(Name, Ty)>),
    /// `type 'a t and ...`, `eqtype 'a t and ...`, or with a definition `type t = ty`
    Type {
        eq: bool,
        binds: Vec<(Vec<Name>, Name, Option<Ty>)>,
    },
    /// `datatype ...`, which may have a `withtype`, as in other compilers
    Datatype {
        datas: Vec<DataBind>,
        types: Vec<TypeBind>,
    },
    /// `datatype t = datatype longtycon`
    Replication { name: Name, of: LongName },
    /// `exception E of t and ...`
    Exception(Vec<(Name, Option<Ty>)>),
    /// `structure S : SIG and ...`
    Structure(Vec<(Name, SigExp)>),
    /// `include SIG`; an `include` of several signatures becomes several specifications
    Include(SigExp),
    /// `sharing type t = u = ...`
    SharingType(Vec<LongName>),
    /// `sharing A = B = ...`
    Sharing(Vec<LongName>),
    /// A specification that could not be parsed. An error was reported.
    Error,
}
