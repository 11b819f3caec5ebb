//! The syntax tree that the parser makes. The tree represents the program as it is written: it keeps derived forms. But infix operators are
//! resolved.

mod module;

pub use module::{
    FunctorBind, FunctorParam, SigBind, SigExp, SigExpKind, Spec, SpecKind, StrBind, StrExp,
    StrExpKind,
};

use crate::source::Span;
use crate::symbol::Symbol;

/// A name and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name. The name of a type variable includes its quotes (`'a`, `''a`).
    pub symbol: Symbol,
    /// The place of the name.
    pub span: Span,
}

/// A name with a path, such as `A.B.x`: the path has the structures before the name. The path is empty for `x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongName {
    /// The structures of the path, outermost first.
    pub path: Vec<Name>,
    /// The last name.
    pub name: Name,
}

impl LongName {
    /// Returns the place of the whole name.
    #[must_use]
    pub fn span(&self) -> Span {
        self.path
            .first()
            .map_or(self.name.span, |first| first.span.to(self.name.span))
    }
}

/// A literal as written. Literals are overloaded, so only inference finds the type of a literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `12`, `~12`, `0x1F`.
    Int(num_bigint::BigInt),
    /// `0w12`, `0wx1F`.
    Word(num_bigint::BigUint),
    /// `1.5e~3`. The field is the text of the literal in Rust's notation.
    Real(String),
    /// `#"a"`.
    Char(u8),
    /// `"..."`. The field is the value of the literal, with resolved escapes.
    String(Vec<u8>),
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct Ty {
    /// The kind of the type.
    pub kind: TyKind,
    /// The place of the type.
    pub span: Span,
}

/// Kinds of types.
#[derive(Clone, Debug)]
pub enum TyKind {
    /// `'a`
    Var(Symbol),
    /// `(t1, ..., tn) longtycon`
    Con(Vec<Ty>, LongName),
    /// `{l : t, ...}`
    Record(Vec<(Name, Ty)>),
    /// `t1 * ... * tn`
    Tuple(Vec<Ty>),
    /// `t -> t'`
    Arrow(Box<Ty>, Box<Ty>),
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// The kind of the pattern.
    pub kind: PatKind,
    /// The place of the pattern.
    pub span: Span,
}

/// Kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// `_`
    Wild,
    /// A literal.
    Literal(Literal),
    /// A variable or a constructor without argument. The elaborator decides whether the name is a variable or a constructor. `op` is true
    /// if the program writes `op` before the name.
    Name { name: LongName, op: bool },
    /// A constructor and its argument. The constructor may be infix.
    Apply {
        con: LongName,
        op: bool,
        arg: Box<Pat>,
    },
    /// `{l = p, x, x as p, ...}`. `flexible` is true if the pattern ends with `...`.
    Record {
        fields: Vec<(Name, Pat)>,
        flexible: bool,
    },
    /// `(p1, ..., pn)`, or `()` if `n` is 0. `n` is never 1.
    Tuple(Vec<Pat>),
    /// `[p1, ..., pn]`
    List(Vec<Pat>),
    /// `#[p1, ..., pn]`
    Vector(Vec<Pat>),
    /// `(p1 | ... | pn)`, with at least two patterns.
    Or(Vec<Pat>),
    /// `p : t`
    Typed(Box<Pat>, Ty),
    /// `x as p`, `x : t as p`. `op` is true if the program writes `op` before the name.
    As {
        name: Name,
        op: bool,
        ty: Option<Ty>,
        pat: Box<Pat>,
    },
    /// `(p)`: the tree keeps parentheses for the formatter.
    Paren(Box<Pat>),
    /// The node in place of a pattern that the parser cannot read. An error was reported.
    Error,
}

/// `p => e`
#[derive(Clone, Debug)]
pub struct Rule {
    /// The pattern.
    pub pat: Pat,
    /// The expression that the program evaluates if the pattern matches.
    pub exp: Exp,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Exp {
    /// The kind of the expression.
    pub kind: ExpKind,
    /// The place of the expression.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExpKind {
    /// A literal.
    Literal(Literal),
    /// A variable or constructor. `op` is true if the program writes `op` before the name.
    Name { name: LongName, op: bool },
    /// `{l = e, ...}`
    Record(Vec<(Name, Exp)>),
    /// `#l`
    Selector(Name),
    /// `(e1, ..., en)`, or `()` if `n` is 0. `n` is never 1.
    Tuple(Vec<Exp>),
    /// `[e1, ..., en]`
    List(Vec<Exp>),
    /// `#[e1, e2]`
    Vector(Vec<Exp>),
    /// `(e1; ...; en)`, with at least two expressions.
    Sequence(Vec<Exp>),
    /// `let dec in e1; ...; en end`
    Let(Vec<Dec>, Vec<Exp>),
    /// `(e)`: the tree keeps parentheses for the formatter.
    Paren(Box<Exp>),
    /// `f e`
    Apply(Box<Exp>, Box<Exp>),
    /// `e1 op e2` with an infix operator.
    Infix(Box<Exp>, LongName, Box<Exp>),
    /// `e : t`
    Typed(Box<Exp>, Ty),
    /// `e andalso e`
    Andalso(Box<Exp>, Box<Exp>),
    /// `e orelse e`
    Orelse(Box<Exp>, Box<Exp>),
    /// `e handle match`
    Handle(Box<Exp>, Vec<Rule>),
    /// `raise e`
    Raise(Box<Exp>),
    /// `if e then e else e`
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// `while e do e`
    While(Box<Exp>, Box<Exp>),
    /// `case e of match`
    Case(Box<Exp>, Vec<Rule>),
    /// `fn match`
    Fn(Vec<Rule>),
    /// `(| e1, ..., en |)`
    ParTuple(Vec<Exp>),
    /// `[| e1, ..., en |]`
    ParArray(Vec<Exp>),
    /// `[| a to b by c |]`
    ParRange {
        from: Box<Exp>,
        to: Box<Exp>,
        by: Option<Box<Exp>>,
    },
    /// `[| e | p1 in a1, ..., pn in an where c |]`
    ParComprehension {
        body: Box<Exp>,
        binders: Vec<(Pat, Exp)>,
        filter: Option<Box<Exp>>,
    },
    /// `a ! i`
    ParIndex(Box<Exp>, Box<Exp>),
    /// `pcase e1 & ... & en of match`
    ParCase(Vec<Exp>, Vec<ParRule>),
    /// `spawn e`
    Spawn(Box<Exp>),
    /// `_prim "name" : t`: in the Basis only.
    Prim(Name, Ty),
    /// A member of a structure of the Basis, even if the program hides the structure's name. Only elaboration makes
    /// this form.
    Member(&'static str, &'static str),
    /// An expression that could not be parsed. An error was reported.
    Error,
}

/// A rule of a `pcase`.
#[derive(Clone, Debug)]
pub struct ParRule {
    /// The patterns that must match.
    pub pats: ParPats,
    /// The expression that is computed if the patterns match.
    pub exp: Exp,
    /// The place of the rule.
    pub span: Span,
}

/// `p1 & ? & p3`, or `otherwise`.
#[derive(Clone, Debug)]
pub enum ParPats {
    /// A pattern for each expression; `None` for `?`.
    Pats(Vec<Option<Pat>>),
    /// `otherwise`
    Otherwise,
}

/// A declaration. The parser allows declarations of modules only at top level and in structures.
#[derive(Clone, Debug)]
pub struct Dec {
    /// The kind of the declaration.
    pub kind: DecKind,
    /// The place of the declaration.
    pub span: Span,
    /// Whether the declaration is at top level with a `;` after it. Elaboration settles the overloaded names of the declaration at this
    /// `;`.
    pub ended: bool,
}

/// Kinds of declarations.
#[derive(Clone, Debug)]
pub enum DecKind {
    /// `val tyvars p = e and ...`. A binding may begin with `rec`, which also applies to all later bindings.
    Val {
        tyvars: Vec<Name>,
        binds: Vec<ValBind>,
    },
    /// `pval p = e`
    Pval(Pat, Exp),
    /// `fun tyvars f p1 ... pn : t = e | ... and ...`
    Fun {
        tyvars: Vec<Name>,
        binds: Vec<FunBind>,
    },
    /// Consecutive declarations `cont k p = e | ...`, whose continuations may use each other. Each clause has one
    /// pattern.
    Cont(Vec<FunBind>),
    /// `type 'a t = ty and ...`
    Type(Vec<TypeBind>),
    /// `datatype ... withtype ...`
    Datatype {
        datas: Vec<DataBind>,
        types: Vec<TypeBind>,
    },
    /// `datatype t = datatype longtycon`
    Replication { name: Name, of: LongName },
    /// `abstype datbind withtype ... with dec end`
    Abstype {
        datas: Vec<DataBind>,
        types: Vec<TypeBind>,
        decs: Vec<Dec>,
    },
    /// `exception E of t and F = G ...`
    Exception(Vec<ExnBind>),
    /// `local dec in dec end`
    Local(Vec<Dec>, Vec<Dec>),
    /// `open A B.C`
    Open(Vec<LongName>),
    /// `infix 6 + -`, `infixr`, `nonfix`. The parser obeys the directive, and keeps it for the formatter.
    Fixity { fixity: Fixity, names: Vec<Name> },
    /// `structure S : SIG = strexp and ...`
    Structure(Vec<StrBind>),
    /// `signature S = sigexp and ...`
    Signature(Vec<SigBind>),
    /// `functor F (...) : SIG = strexp and ...`
    Functor(Vec<FunctorBind>),
    /// An expression at top level, `e;`, which means `val it = e`.
    Exp(Exp),
    /// `do e`, which means `val () = e`.
    Do(Exp),
    /// `_overload + : 'a * 'a -> 'a as Int.+ and Real.+`, which only the Basis may use. The first implementation is the
    /// default. A declaration without a type adds implementations to an overloaded name.
    Overload {
        name: Name,
        ty: Option<Ty>,
        by: Vec<LongName>,
    },
    /// A declaration that could not be parsed. An error was reported.
    Error,
}

/// The contents of an `infix` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixity {
    /// `infix d`
    Left(u8),
    /// `infixr d`
    Right(u8),
    /// `nonfix`
    Nonfix,
}

/// `p = e`
#[derive(Clone, Debug)]
pub struct ValBind {
    /// Whether `rec` is before this binding or before an earlier binding of the declaration.
    pub rec: bool,
    /// The pattern.
    pub pat: Pat,
    /// The expression whose value is bound.
    pub exp: Exp,
}

/// All clauses of one function.
#[derive(Clone, Debug)]
pub struct FunBind {
    /// The clauses, at least one. The parser has checked that all of them have the same name and number of patterns.
    pub clauses: Vec<Clause>,
}

/// `f p1 ... pn : t = e`
#[derive(Clone, Debug)]
pub struct Clause {
    /// The function.
    pub name: Name,
    /// Whether the clause is written infix (`x ++ y`, or `(x ++ y) z`). In an infix clause, `pats[0]` is the pair of
    /// operands. The formatter keeps the notation.
    pub infix: bool,
    /// Whether `op` is written before the function's name.
    pub op: bool,
    /// The patterns, at least one.
    pub pats: Vec<Pat>,
    /// The type of the result, if the program gives it.
    pub ty: Option<Ty>,
    /// The body.
    pub exp: Exp,
    /// The place of the clause.
    pub span: Span,
}

/// `tyvars t = ty`
#[derive(Clone, Debug)]
pub struct TypeBind {
    /// The type parameters.
    pub tyvars: Vec<Name>,
    /// The name.
    pub name: Name,
    /// The type that the name abbreviates.
    pub ty: Ty,
}

/// `tyvars t = C of ty | ...`
#[derive(Clone, Debug)]
pub struct DataBind {
    /// The type parameters.
    pub tyvars: Vec<Name>,
    /// The name.
    pub name: Name,
    /// The constructors, at least one.
    pub cons: Vec<ConBind>,
}

/// `C of ty`
#[derive(Clone, Debug)]
pub struct ConBind {
    /// The constructor.
    pub name: Name,
    /// Whether `op` is written before the constructor.
    pub op: bool,
    /// The type of the constructor's argument, if it has one.
    pub ty: Option<Ty>,
}

/// A binding of `exception`.
#[derive(Clone, Debug)]
pub struct ExnBind {
    /// The name.
    pub name: Name,
    /// Whether `op` is written before the name.
    pub op: bool,
    /// Whether the binding makes a new exception, or gives another name to an existing exception.
    pub kind: ExnBindKind,
}

/// Kinds of bindings of `exception`.
#[derive(Clone, Debug)]
pub enum ExnBindKind {
    /// `E`, `E of t`
    New(Option<Ty>),
    /// `E = F`
    Alias(LongName),
    /// `E = _exn "name"`, `E = _exn "name" of t`: an exception that the runtime also raises. Only the Basis may use
    /// this form.
    Builtin(Name, Option<Ty>),
}
