//! Structures, signatures and functors.

use super::{DataBind, Dec, LongName, Name, Ty, TypeBind};
use crate::source::Span;

/// A structure expression.
#[derive(Clone, Debug)]
pub struct StrExp {
    /// Its kind.
    pub kind: StrExpKind,
    /// Its place.
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
    /// `F (strexp)`, `F (dec)` (its argument is a `Struct` then)
    Apply { functor: Name, arg: Box<StrExp> },
    /// `let dec in strexp end`
    Let(Vec<Dec>, Box<StrExp>),
    /// Could not be parsed; an error was given.
    Error,
}

/// `S : SIG = strexp`
#[derive(Clone, Debug)]
pub struct StrBind {
    /// The structure.
    pub name: Name,
    /// Its signature, and whether it is opaque.
    pub sig: Option<(SigExp, bool)>,
    /// The structure.
    pub strexp: StrExp,
}

/// `S = sigexp`
#[derive(Clone, Debug)]
pub struct SigBind {
    /// The signature.
    pub name: Name,
    /// The signature.
    pub sigexp: SigExp,
}

/// `F (X : SIG) : SIG' = strexp`
#[derive(Clone, Debug)]
pub struct FunctorBind {
    /// The functor.
    pub name: Name,
    /// Its parameter.
    pub param: FunctorParam,
    /// The result's signature, and whether it is opaque.
    pub sig: Option<(SigExp, bool)>,
    /// The body.
    pub body: StrExp,
}

/// Parameter of a functor.
#[derive(Clone, Debug)]
pub enum FunctorParam {
    /// `(X : SIG)`
    Structure(Name, SigExp),
    /// `(spec)`: its contents are opened in the body.
    Spec(SigExp),
}

/// A signature expression.
#[derive(Clone, Debug)]
pub struct SigExp {
    /// Its kind.
    pub kind: SigExpKind,
    /// Its place.
    pub span: Span,
}

/// Kinds of signature expressions.
#[derive(Clone, Debug)]
pub enum SigExpKind {
    /// `sig spec end`
    Sig(Vec<Spec>),
    /// `S`
    Name(Name),
    /// `sigexp where type tyvars longtycon = ty` (each `and type` nests once more)
    Where {
        sigexp: Box<SigExp>,
        tyvars: Vec<Name>,
        tycon: LongName,
        ty: Ty,
    },
    /// Could not be parsed; an error was given.
    Error,
}

/// A specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its kind.
    pub kind: SpecKind,
    /// Its place.
    pub span: Span,
}

/// Kinds of specifications.
#[derive(Clone, Debug)]
pub enum SpecKind {
    /// `val x : t and ...`
    Val(Vec<(Name, Ty)>),
    /// `type 'a t and ...`, `eqtype`; with a definition: `type t = ty`.
    Type {
        eq: bool,
        binds: Vec<(Vec<Name>, Name, Option<Ty>)>,
    },
    /// `datatype ...` (a `withtype` is allowed, as all compilers do)
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
    /// `include SIG` (several: several specs)
    Include(SigExp),
    /// `sharing type t = u = ...`
    SharingType(Vec<LongName>),
    /// `sharing A = B = ...`
    Sharing(Vec<LongName>),
    /// Could not be parsed; an error was given.
    Error,
}
