//! The syntax tree that the parser makes. The tree represents the program as it is written, with its derived forms, except that the parser
//! has resolved infix operators.

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

/// A literal as the program writes it. Literals are overloaded, so only inference finds the type of a literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// An integer, such as `12`, `~12` or `0x1F`.
    Int(num_bigint::BigInt),
    /// A word, such as `0w12` or `0wx1F`.
    Word(num_bigint::BigUint),
    /// A real, such as `1.5e~3`. The field is the text of the literal in Rust's notation.
    Real(String),
    /// A character, such as `#"a"`.
    Char(u8),
    /// A string in quotes. The field is the string's value, with resolved escapes.
    String(Vec<u8>),
}

/// A type as the program writes it.
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
    /// The type `'a`.
    Var(Symbol),
    /// The type `(t1, ..., tn) longtycon`.
    Con(Vec<Ty>, LongName),
    /// The type `{l : t, ...}`.
    Record(Vec<(Name, Ty)>),
    /// The type `t1 * ... * tn`.
    Tuple(Vec<Ty>),
    /// The type `t -> t'`.
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
    /// The pattern `_`.
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
    /// The pattern `{l = p, x, x as p, ...}`. `flexible` is true if the pattern ends with `...`.
    Record {
        fields: Vec<(Name, Pat)>,
        flexible: bool,
    },
    /// The pattern `(p1, ..., pn)`, or `()` if `n` is 0. `n` is never 1.
    Tuple(Vec<Pat>),
    /// The pattern `[p1, ..., pn]`.
    List(Vec<Pat>),
    /// The pattern `#[p1, ..., pn]`.
    Vector(Vec<Pat>),
    /// The pattern `(p1 | ... | pn)`, with at least two alternatives.
    Or(Vec<Pat>),
    /// The pattern `p : t`.
    Typed(Box<Pat>, Ty),
    /// The pattern `x as p` or `x : t as p`. `op` is true if the program writes `op` before the name.
    As {
        name: Name,
        op: bool,
        ty: Option<Ty>,
        pat: Box<Pat>,
    },
    /// The pattern `(p)`. The tree keeps parentheses for the formatter.
    Paren(Box<Pat>),
    /// The node in place of a pattern that the parser cannot read. The parser has reported an error.
    Error,
}

/// A rule `p => e`.
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
    /// The expression `{l = e, ...}`.
    Record(Vec<(Name, Exp)>),
    /// The expression `#l`.
    Selector(Name),
    /// The expression `(e1, ..., en)`, or `()` if `n` is 0. `n` is never 1.
    Tuple(Vec<Exp>),
    /// The expression `[e1, ..., en]`.
    List(Vec<Exp>),
    /// The expression `#[e1, e2]`.
    Vector(Vec<Exp>),
    /// The expression `(e1; ...; en)`, with at least two parts.
    Sequence(Vec<Exp>),
    /// The expression `let dec in e1; ...; en end`.
    Let(Vec<Dec>, Vec<Exp>),
    /// The expression `(e)`. The tree keeps parentheses for the formatter.
    Paren(Box<Exp>),
    /// The expression `f e`.
    Apply(Box<Exp>, Box<Exp>),
    /// The expression `e1 op e2`, with an infix operator.
    Infix(Box<Exp>, LongName, Box<Exp>),
    /// The expression `e : t`.
    Typed(Box<Exp>, Ty),
    /// The expression `e andalso e`.
    Andalso(Box<Exp>, Box<Exp>),
    /// The expression `e orelse e`.
    Orelse(Box<Exp>, Box<Exp>),
    /// The expression `e handle match`.
    Handle(Box<Exp>, Vec<Rule>),
    /// The expression `raise e`.
    Raise(Box<Exp>),
    /// The expression `if e then e else e`.
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// The expression `while e do e`.
    While(Box<Exp>, Box<Exp>),
    /// The expression `case e of match`.
    Case(Box<Exp>, Vec<Rule>),
    /// The expression `fn match`.
    Fn(Vec<Rule>),
    /// The expression `(| e1, ..., en |)`.
    ParTuple(Vec<Exp>),
    /// The expression `[| e1, ..., en |]`.
    ParArray(Vec<Exp>),
    /// The expression `[| a to b by c |]`.
    ParRange {
        from: Box<Exp>,
        to: Box<Exp>,
        by: Option<Box<Exp>>,
    },
    /// The expression `[| e | p1 in a1, ..., pn in an where c |]`.
    ParComprehension {
        body: Box<Exp>,
        binders: Vec<(Pat, Exp)>,
        filter: Option<Box<Exp>>,
    },
    /// The expression `a ! i`.
    ParIndex(Box<Exp>, Box<Exp>),
    /// The expression `pcase e1 & ... & en of match`.
    ParCase(Vec<Exp>, Vec<ParRule>),
    /// The expression `spawn e`.
    Spawn(Box<Exp>),
    /// The expression `_prim "name" : t`, which only the Basis may use.
    Prim(Name, Ty),
    /// A member of a structure of the Basis, even if the program hides the structure's name. Only elaboration makes
    /// this form.
    Member(&'static str, &'static str),
    /// The node in place of an expression that the parser cannot read. The parser has reported an error.
    Error,
}

/// A rule of a `pcase`.
#[derive(Clone, Debug)]
pub struct ParRule {
    /// The patterns that the values must match.
    pub pats: ParPats,
    /// The expression that the program evaluates if the patterns match.
    pub exp: Exp,
    /// The place of the rule.
    pub span: Span,
}

/// The patterns of a rule of a `pcase`: `p1 & ? & p3`, or `otherwise`.
#[derive(Clone, Debug)]
pub enum ParPats {
    /// For each expression of the `pcase`, a pattern, or `None` for `?`.
    Pats(Vec<Option<Pat>>),
    /// The rule `otherwise`.
    Otherwise,
}

/// A declaration. The parser allows declarations of modules only at top level and in structures.
#[derive(Clone, Debug)]
pub struct Dec {
    /// The kind of the declaration.
    pub kind: DecKind,
    /// The place of the declaration.
    pub span: Span,
    /// Whether the declaration is at top level and a `;` follows it. At this `;`, overloaded names of the declaration get their default
    /// types.
    pub ended: bool,
}

/// Kinds of declarations.
#[derive(Clone, Debug)]
pub enum DecKind {
    /// The declaration `val tyvars p = e and ...`. A binding may begin with `rec`, which also applies to all later bindings.
    Val {
        tyvars: Vec<Name>,
        binds: Vec<ValBind>,
    },
    /// The declaration `pval p = e`.
    Pval(Pat, Exp),
    /// The declaration `fun tyvars f p1 ... pn : t = e | ... and ...`.
    Fun {
        tyvars: Vec<Name>,
        binds: Vec<FunBind>,
    },
    /// Consecutive declarations `cont k p = e | ...`. Their continuations may use each other. Each clause has one pattern.
    Cont(Vec<FunBind>),
    /// The declaration `type 'a t = ty and ...`.
    Type(Vec<TypeBind>),
    /// The declaration `datatype ... withtype ...`.
    Datatype {
        datas: Vec<DataBind>,
        types: Vec<TypeBind>,
    },
    /// The declaration `datatype t = datatype longtycon`.
    Replication { name: Name, of: LongName },
    /// The declaration `abstype datbind withtype ... with dec end`.
    Abstype {
        datas: Vec<DataBind>,
        types: Vec<TypeBind>,
        decs: Vec<Dec>,
    },
    /// The declaration `exception E of t and F = G ...`.
    Exception(Vec<ExnBind>),
    /// The declaration `local dec in dec end`.
    Local(Vec<Dec>, Vec<Dec>),
    /// The declaration `open A B.C`.
    Open(Vec<LongName>),
    /// A directive such as `infix 6 + -`. The parser obeys the directive, and keeps it for the formatter.
    Fixity { fixity: Fixity, names: Vec<Name> },
    /// The declaration `structure S : SIG = strexp and ...`.
    Structure(Vec<StrBind>),
    /// The declaration `signature S = sigexp and ...`.
    Signature(Vec<SigBind>),
    /// The declaration `functor F (...) : SIG = strexp and ...`.
    Functor(Vec<FunctorBind>),
    /// An expression `e;` at top level, which means `val it = e`.
    Exp(Exp),
    /// The declaration `do e`, which means `val () = e`.
    Do(Exp),
    /// The declaration `_overload + : 'a * 'a -> 'a as Int.+ and Real.+`. Only the Basis may use this form. The first implementation is the
    /// default. A declaration without a type adds implementations to an overloaded name.
    Overload {
        name: Name,
        ty: Option<Ty>,
        by: Vec<LongName>,
    },
    /// The node in place of a declaration that the parser cannot read. The parser has reported an error.
    Error,
}

/// The kind of a directive of infix names, with the precedence `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixity {
    /// The directive `infix d`.
    Left(u8),
    /// The directive `infixr d`.
    Right(u8),
    /// The directive `nonfix`.
    Nonfix,
}

/// A binding `p = e` of a `val` declaration.
#[derive(Clone, Debug)]
pub struct ValBind {
    /// Whether the program writes `rec` before this binding or before an earlier binding of the declaration.
    pub rec: bool,
    /// The pattern.
    pub pat: Pat,
    /// The expression that gives the value.
    pub exp: Exp,
}

/// All clauses of one function.
#[derive(Clone, Debug)]
pub struct FunBind {
    /// The clauses, at least one. The parser has checked that all clauses have the same name and the same number of patterns.
    pub clauses: Vec<Clause>,
}

/// A clause `f p1 ... pn : t = e` of a function.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The function.
    pub name: Name,
    /// Whether the clause is infix, as `x ++ y` or `(x ++ y) z`. In an infix clause, `pats[0]` is the pair of operands. The formatter keeps
    /// infix clauses.
    pub infix: bool,
    /// Whether the program writes `op` before the function's name.
    pub op: bool,
    /// The patterns, at least one.
    pub pats: Vec<Pat>,
    /// The type of the result, if the program gives it.
    pub ty: Option<Ty>,
    /// The expression after the `=`.
    pub exp: Exp,
    /// The place of the clause.
    pub span: Span,
}

/// A binding `tyvars t = ty` of a `type` declaration.
#[derive(Clone, Debug)]
pub struct TypeBind {
    /// The type parameters.
    pub tyvars: Vec<Name>,
    /// The name.
    pub name: Name,
    /// The type that the name abbreviates.
    pub ty: Ty,
}

/// A binding `tyvars t = C of ty | ...` of a `datatype` declaration.
#[derive(Clone, Debug)]
pub struct DataBind {
    /// The type parameters.
    pub tyvars: Vec<Name>,
    /// The name.
    pub name: Name,
    /// The constructors, at least one.
    pub cons: Vec<ConBind>,
}

/// A constructor `C of ty` of a datatype.
#[derive(Clone, Debug)]
pub struct ConBind {
    /// The constructor.
    pub name: Name,
    /// Whether the program writes `op` before the constructor.
    pub op: bool,
    /// The type of the constructor's argument, if it has one.
    pub ty: Option<Ty>,
}

/// A binding of `exception`.
#[derive(Clone, Debug)]
pub struct ExnBind {
    /// The name.
    pub name: Name,
    /// Whether the program writes `op` before the name.
    pub op: bool,
    /// The kind of the binding: a new exception, or another name for an existing exception.
    pub kind: ExnBindKind,
}

/// Kinds of bindings of `exception`.
#[derive(Clone, Debug)]
pub enum ExnBindKind {
    /// The binding `E` or `E of t`.
    New(Option<Ty>),
    /// The binding `E = F`.
    Alias(LongName),
    /// The binding `E = _exn "name"` or `E = _exn "name" of t` of an exception that the runtime also raises. Only the Basis may use this
    /// form.
    Builtin(Name, Option<Ty>),
}
