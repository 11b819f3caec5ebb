//! Translates declarations of continuations, `cont k p = e`, to calls of functions of the library `Scheduler`.
//!
//! In a `let`, a throw to `k` computes `e`. The `let` then returns the value of `e`, or raises the exception that `e` raises. The generated
//! code first captures the continuation of the `let`. The argument of this continuation is a function that returns the value or raises the
//! exception:
//!
//! ```text
//! let cont k p = e in body end
//!   callcc (fn return =>
//!     let
//!       fun f p = let val k = cont f in throw return (let val v = e in fn () => v end handle x => fn () => raise x) end
//!       val k = cont f
//!       val v = body
//!     in fn () => v end) ()
//! ```
//!
//! Outside of a `let`, a throw to `k` starts a computation of `e`, and the fiber ends after this computation. In the generated code, the
//! names `return`, `f`, `v` and `x` of this example contain a space, so they differ from all names of a program.

use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::{
    Clause, Dec, DecKind, Exp, ExpKind, FunBind, LongName, Name, Pat, PatKind, Rule, ValBind,
};

/// Returns true if at least one of the declarations is a `cont` declaration.
pub(super) fn is_in(decs: &[Dec]) -> bool {
    decs.iter().any(|dec| matches!(dec.kind, DecKind::Cont(_)))
}

/// Returns the code of a `let` with declarations of continuations.
pub(super) fn captured(decs: &[Dec], body: &[Exp], span: Span) -> Exp {
    let back = name("cont return", span);
    let mut all = Vec::new();
    for dec in decs {
        match &dec.kind {
            DecKind::Cont(binds) => all.extend(expand(binds, Some(back), dec.span)),
            _ => all.push(dec.clone()),
        }
    }
    let body = exp(ExpKind::Let(all, body.to_vec()), span);
    let rule = Rule {
        pat: pat(back),
        exp: function_with(body, span),
    };
    let result = member("callcc", exp(ExpKind::Fn(vec![rule]), span), span);
    apply(result, exp(ExpKind::Tuple(Vec::new()), span), span)
}

/// Returns the expression `let val v = e in fn () => v end`.
fn function_with(value: Exp, span: Span) -> Exp {
    let v = name("cont value", span);
    let bind = dec(val(v, value), span);
    let function = function_of_unit(variable(v, span), span);
    exp(ExpKind::Let(vec![bind], vec![function]), span)
}

/// Returns the expression `fn () => e`.
fn function_of_unit(value: Exp, span: Span) -> Exp {
    let pat = Pat {
        kind: PatKind::Tuple(Vec::new()),
        span,
    };
    exp(ExpKind::Fn(vec![Rule { pat, exp: value }]), span)
}

/// Returns the code of a function that returns the value of an expression, or raises the exception that the expression has raised.
fn outcome(value: Exp, span: Span) -> Exp {
    let x = name("cont exception", span);
    let raise = exp(ExpKind::Raise(Box::new(variable(x, span))), span);
    let rule = Rule {
        pat: pat(x),
        exp: function_of_unit(raise, span),
    };
    let value = function_with(value, span);
    exp(ExpKind::Handle(Box::new(value), vec![rule]), span)
}

/// Returns the declarations that replace declarations of continuations. If `back` is given, it is the continuation to which the bodies
/// throw their results and exceptions.
pub(super) fn expand(binds: &[FunBind], back: Option<Name>, span: Span) -> Vec<Dec> {
    let names: Vec<Name> = binds
        .iter()
        .filter_map(|bind| bind.clauses.first().map(|clause| clause.name))
        .collect();
    let conts = || names.iter().map(|name| bind_cont(*name));
    let function = |clause: &Clause| {
        let at = clause.exp.span;
        let result = match back {
            Some(back) => {
                let throw = member("throw", variable(back, at), at);
                apply(throw, outcome(clause.exp.clone(), at), at)
            }
            None => clause.exp.clone(),
        };
        Clause {
            name: function_of(clause.name),
            exp: exp(ExpKind::Let(conts().collect(), vec![result]), at),
            ..clause.clone()
        }
    };
    let functions = binds
        .iter()
        .map(|bind| FunBind {
            clauses: bind.clauses.iter().map(function).collect(),
        })
        .collect();
    let functions = DecKind::Fun {
        tyvars: Vec::new(),
        binds: functions,
    };
    let mut decs = vec![dec(functions, span)];
    decs.extend(conts());
    decs
}

/// Returns the declaration `val k = Scheduler.cont f`.
fn bind_cont(k: Name) -> Dec {
    let function = variable(function_of(k), k.span);
    dec(val(k, member("cont", function, k.span)), k.span)
}

/// Returns the declaration `val x = e`.
fn val(x: Name, value: Exp) -> DecKind {
    let bind = ValBind {
        rec: false,
        pat: pat(x),
        exp: value,
    };
    DecKind::Val {
        tyvars: Vec::new(),
        binds: vec![bind],
    }
}

/// Returns the name of the function that a throw to a continuation calls.
fn function_of(k: Name) -> Name {
    name(&format!("cont of {}", k.symbol), k.span)
}

fn name(text: &str, span: Span) -> Name {
    Name {
        symbol: Symbol::new(text),
        span,
    }
}

fn long(name: Name) -> LongName {
    LongName {
        path: Vec::new(),
        name,
    }
}

fn variable(of: Name, span: Span) -> Exp {
    let kind = ExpKind::Name {
        name: long(of),
        op: false,
    };
    exp(kind, span)
}

fn pat(of: Name) -> Pat {
    let kind = PatKind::Name {
        name: long(of),
        op: false,
    };
    Pat {
        kind,
        span: of.span,
    }
}

fn exp(kind: ExpKind, span: Span) -> Exp {
    Exp { kind, span }
}

fn apply(function: Exp, argument: Exp, span: Span) -> Exp {
    exp(ExpKind::Apply(Box::new(function), Box::new(argument)), span)
}

/// Returns a call of a function of `Scheduler`.
fn member(function: &'static str, argument: Exp, span: Span) -> Exp {
    apply(
        exp(ExpKind::Member("Scheduler", function), span),
        argument,
        span,
    )
}

fn dec(kind: DecKind, span: Span) -> Dec {
    Dec {
        kind,
        span,
        ended: false,
    }
}
