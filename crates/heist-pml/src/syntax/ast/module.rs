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
    /// The structure expression `struct dec end`.
    Struct(Vec<Dec>),
    /// The structure expression `A.B`.
    Name(LongName),
    /// The structure expression `strexp : SIG` or `strexp :> SIG`.
    Ascribe {
        strexp: Box<StrExp>,
        sigexp: Box<SigExp>,
        opaque: bool,
    },
    /// The structure expression `F (strexp)` or `F (dec)`. In the second form, the argument is a `Struct`.
    Apply { functor: Name, arg: Box<StrExp> },
    /// The structure expression `let dec in strexp end`.
    Let(Vec<Dec>, Box<StrExp>),
    /// The node in place of a structure expression that the parser cannot read. The parser has reported an error.
    Error,
}

/// A binding `S : SIG = strexp` of a `structure` declaration.
#[derive(Clone, Debug)]
pub struct StrBind {
    /// The name of the structure.
    pub name: Name,
    /// The signature, if the program gives it, and whether the ascription is opaque.
    pub sig: Option<(SigExp, bool)>,
    /// The structure.
    pub strexp: StrExp,
}

/// A binding `S = sigexp` of a `signature` declaration.
#[derive(Clone, Debug)]
pub struct SigBind {
    /// The name of the signature.
    pub name: Name,
    /// The signature.
    pub sigexp: SigExp,
}

/// A binding `F (X : SIG) : SIG' = strexp` of a `functor` declaration.
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
    /// The parameter `(X : SIG)`.
    Structure(Name, SigExp),
    /// The parameter `(spec)`. The functor's body sees the specified names without a path.
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
    /// The signature expression `sig spec end`.
    Sig(Vec<Spec>),
    /// The signature expression `S`.
    Name(Name),
    /// The signature expression `sigexp where type tyvars longtycon = ty`. Each `and type` becomes another `Where` around this signature
    /// expression.
    Where {
        sigexp: Box<SigExp>,
        tyvars: Vec<Name>,
        tycon: LongName,
        ty: Ty,
    },
    /// The node in place of a signature expression that the parser cannot read. The parser has reported an error.
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
    /// The specification `val x : t and ...`.
    Val(Vec<(Name, Ty)>),
    /// The specification `type 'a t and ...` or `eqtype 'a t and ...`, or a specification with a definition, `type t = ty`.
    Type {
        eq: bool,
        binds: Vec<(Vec<Name>, Name, Option<Ty>)>,
    },
    /// The specification `datatype ...`, which may have a `withtype`, as in other compilers.
    Datatype {
        datas: Vec<DataBind>,
        types: Vec<TypeBind>,
    },
    /// The specification `datatype t = datatype longtycon`.
    Replication { name: Name, of: LongName },
    /// The specification `exception E of t and ...`.
    Exception(Vec<(Name, Option<Ty>)>),
    /// The specification `structure S : SIG and ...`.
    Structure(Vec<(Name, SigExp)>),
    /// The specification `include SIG`. An `include` of several signatures becomes several specifications.
    Include(SigExp),
    /// The specification `sharing type t = u = ...`.
    SharingType(Vec<LongName>),
    /// The specification `sharing A = B = ...`.
    Sharing(Vec<LongName>),
    /// The node in place of a specification that the parser cannot read. The parser has reported an error.
    Error,
}
