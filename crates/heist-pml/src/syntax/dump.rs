//! Prints the syntax tree as nested lists, such as `(+ 1 (f x))`. Omits places, and information that only the formatter needs.
//!
//! If two programs have the same dump, they have the same meaning.

mod module;

use std::fmt::Write;

use super::ast::*;
use crate::symbol::Symbol;

/// Prints declarations, one on each line.
#[must_use]
pub fn dump(decs: &[Dec]) -> String {
    let mut out = Dump(String::new());
    for dec in decs {
        out.dec(dec);
        out.0.push('\n');
    }
    out.0
}

struct Dump(String);

impl Dump {
    /// Prints `(head part part ...)`.
    fn list(&mut self, head: &str, parts: impl FnOnce(&mut Self)) {
        self.0.push('(');
        self.0.push_str(head);
        parts(self);
        self.0.push(')');
    }

    fn space(&mut self) {
        if !self.0.ends_with(['(', ' ']) {
            self.0.push(' ');
        }
    }

    fn word(&mut self, word: impl std::fmt::Display) {
        self.space();
        // Writing to a string does not fail.
        let _ = write!(self.0, "{word}");
    }

    fn each<T>(&mut self, parts: &[T], mut part: impl FnMut(&mut Self, &T)) {
        for item in parts {
            part(self, item);
        }
    }

    fn long(&mut self, name: &LongName) {
        self.space();
        for part in &name.path {
            let _ = write!(self.0, "{}.", part.symbol);
        }
        let _ = write!(self.0, "{}", name.name.symbol);
    }

    fn names(&mut self, names: &[Name]) {
        for name in names {
            self.word(name.symbol);
        }
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Int(value) => self.word(value),
            Literal::Word(value) => self.word(format_args!("0w{value}")),
            Literal::Real(text) => self.word(format_args!("{text}r")),
            Literal::Char(byte) => self.word(format_args!("#{}", byte.escape_ascii())),
            Literal::String(bytes) => self.word(format_args!("\"{}\"", bytes.escape_ascii())),
        }
    }

    fn ty(&mut self, ty: &Ty) {
        self.space();
        match &ty.kind {
            TyKind::Var(name) => self.word(name),
            TyKind::Con(arguments, name) if arguments.is_empty() => self.long(name),
            TyKind::Con(arguments, name) => self.list("", |d| {
                d.long(name);
                d.each(arguments, Dump::ty);
            }),
            TyKind::Record(fields) => self.list("record", |d| {
                d.each(fields, |d, (label, ty)| d.field(label.symbol, |d| d.ty(ty)));
            }),
            TyKind::Tuple(parts) => self.list("*", |d| d.each(parts, Dump::ty)),
            TyKind::Arrow(from, to) => self.list("->", |d| {
                d.ty(from);
                d.ty(to);
            }),
        }
    }

    fn some_ty(&mut self, ty: Option<&Ty>) {
        if let Some(ty) = ty {
            self.word(":");
            self.ty(ty);
        }
    }

    fn field(&mut self, label: Symbol, part: impl FnOnce(&mut Self)) {
        self.word(label);
        self.0.push('=');
        // Removes the space between the label and its value.
        let start = self.0.len();
        part(self);
        if self.0.as_bytes().get(start) == Some(&b' ') {
            self.0.remove(start);
        }
    }

    fn pat(&mut self, pat: &Pat) {
        self.space();
        match &pat.kind {
            PatKind::Wild => self.word("_"),
            PatKind::Literal(literal) => self.literal(literal),
            PatKind::Name { name, .. } => self.long(name),
            PatKind::Apply { con, arg, .. } => self.list("", |d| {
                d.long(con);
                d.pat(arg);
            }),
            PatKind::Record { fields, flexible } => self.list("record", |d| {
                d.each(fields, |d, (label, pat)| {
                    d.field(label.symbol, |d| d.pat(pat));
                });
                if *flexible {
                    d.word("...");
                }
            }),
            PatKind::Tuple(parts) => self.list("tuple", |d| d.each(parts, Dump::pat)),
            PatKind::List(parts) => self.list("list", |d| d.each(parts, Dump::pat)),
            PatKind::Vector(parts) => self.list("vector", |d| d.each(parts, Dump::pat)),
            PatKind::Or(parts) => self.list("or", |d| d.each(parts, Dump::pat)),
            PatKind::Typed(pat, ty) => self.list(":", |d| {
                d.pat(pat);
                d.ty(ty);
            }),
            PatKind::As { name, ty, pat, .. } => self.list("as", |d| {
                d.word(name.symbol);
                d.some_ty(ty.as_ref());
                d.pat(pat);
            }),
            PatKind::Paren(pat) => self.pat(pat),
            PatKind::Error => self.word("<error>"),
        }
    }

    fn rules(&mut self, rules: &[Rule]) {
        for rule in rules {
            self.space();
            self.list("", |d| {
                d.pat(&rule.pat);
                d.word("=>");
                d.exp(&rule.exp);
            });
        }
    }

    fn exps(&mut self, head: &str, exps: &[Exp]) {
        self.list(head, |d| d.each(exps, Dump::exp));
    }

    fn exp(&mut self, exp: &Exp) {
        self.space();
        match &exp.kind {
            ExpKind::Literal(literal) => self.literal(literal),
            ExpKind::Name { name, .. } => self.long(name),
            ExpKind::Record(fields) => self.list("record", |d| {
                d.each(fields, |d, (label, exp)| {
                    d.field(label.symbol, |d| d.exp(exp));
                });
            }),
            ExpKind::Selector(label) => self.word(format_args!("#{}", label.symbol)),
            ExpKind::Tuple(parts) => self.exps("tuple", parts),
            ExpKind::List(parts) => self.exps("list", parts),
            ExpKind::Vector(parts) => self.exps("vector", parts),
            ExpKind::Sequence(parts) => self.exps(";", parts),
            ExpKind::Let(decs, exps) => self.list("let", |d| {
                d.decs(decs);
                d.each(exps, Dump::exp);
            }),
            ExpKind::Paren(exp) => self.exp(exp),
            ExpKind::Apply(function, argument) => self.list("", |d| {
                d.exp(function);
                d.exp(argument);
            }),
            ExpKind::Infix(left, name, right) => self.list("", |d| {
                d.long(name);
                d.exp(left);
                d.exp(right);
            }),
            ExpKind::Typed(exp, ty) => self.list(":", |d| {
                d.exp(exp);
                d.ty(ty);
            }),
            ExpKind::Andalso(left, right) => self.list("andalso", |d| {
                d.exp(left);
                d.exp(right);
            }),
            ExpKind::Orelse(left, right) => self.list("orelse", |d| {
                d.exp(left);
                d.exp(right);
            }),
            ExpKind::Handle(exp, rules) => self.list("handle", |d| {
                d.exp(exp);
                d.rules(rules);
            }),
            ExpKind::Raise(exp) => self.list("raise", |d| d.exp(exp)),
            ExpKind::If(condition, then, otherwise) => self.list("if", |d| {
                d.exp(condition);
                d.exp(then);
                d.exp(otherwise);
            }),
            ExpKind::While(condition, body) => self.list("while", |d| {
                d.exp(condition);
                d.exp(body);
            }),
            ExpKind::Case(exp, rules) => self.list("case", |d| {
                d.exp(exp);
                d.rules(rules);
            }),
            ExpKind::Fn(rules) => self.list("fn", |d| d.rules(rules)),
            ExpKind::Spawn(exp) => self.list("spawn", |d| d.exp(exp)),
            ExpKind::Member(structure, name) => self.word(format!("{structure}.{name}")),
            ExpKind::Prim(name, ty) => self.list("_prim", |d| {
                d.word(name.symbol);
                d.ty(ty);
            }),
            ExpKind::Error => self.word("<error>"),
            _ => self.parallel(exp),
        }
    }

    fn parallel(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::ParTuple(parts) => self.exps("par", parts),
            ExpKind::ParArray(parts) => self.exps("parray", parts),
            ExpKind::ParRange { from, to, by } => self.list("range", |d| {
                d.exp(from);
                d.exp(to);
                if let Some(by) = by {
                    d.exp(by);
                }
            }),
            ExpKind::ParComprehension {
                body,
                binders,
                filter,
            } => self.list("comprehension", |d| {
                d.exp(body);
                d.each(binders, |d, (pat, exp)| {
                    d.space();
                    d.list("in", |d| {
                        d.pat(pat);
                        d.exp(exp);
                    });
                });
                if let Some(filter) = filter {
                    d.word("where");
                    d.exp(filter);
                }
            }),
            ExpKind::ParIndex(array, index) => self.list("!", |d| {
                d.exp(array);
                d.exp(index);
            }),
            ExpKind::ParCase(exps, rules) => self.list("pcase", |d| {
                d.each(exps, Dump::exp);
                d.each(rules, |d, rule| {
                    d.space();
                    d.list("", |d| {
                        match &rule.pats {
                            ParPats::Pats(pats) => d.each(pats, |d, pat| match pat {
                                Some(pat) => d.pat(pat),
                                None => d.word("?"),
                            }),
                            ParPats::Otherwise => d.word("otherwise"),
                        }
                        d.word("=>");
                        d.exp(&rule.exp);
                    });
                });
            }),
            _ => unreachable!("all other kinds are dealt with by `exp`"),
        }
    }

    fn decs(&mut self, decs: &[Dec]) {
        self.space();
        self.list("", |d| d.each(decs, Dump::dec));
    }

    fn tyvars(&mut self, tyvars: &[Name]) {
        if !tyvars.is_empty() {
            self.space();
            self.list("", |d| d.names(tyvars));
        }
    }

    fn dec(&mut self, dec: &Dec) {
        if self.0.ends_with(')') {
            self.0.push(' ');
        }
        match &dec.kind {
            DecKind::Val { tyvars, binds } => self.list("val", |d| {
                d.tyvars(tyvars);
                d.each(binds, |d, bind| {
                    if bind.rec {
                        d.word("rec");
                    }
                    d.pat(&bind.pat);
                    d.exp(&bind.exp);
                });
            }),
            DecKind::Pval(pat, exp) => self.list("pval", |d| {
                d.pat(pat);
                d.exp(exp);
            }),
            DecKind::Fun { tyvars, binds } => self.list("fun", |d| {
                d.tyvars(tyvars);
                d.each(binds, Dump::fun_bind);
            }),
            DecKind::Cont(binds) => self.list("cont", |d| d.each(binds, Dump::fun_bind)),
            DecKind::Type(binds) => self.list("type", |d| d.each(binds, Dump::type_bind)),
            DecKind::Datatype { datas, types } => self.list("datatype", |d| {
                d.each(datas, Dump::data_bind);
                d.withtype(types);
            }),
            DecKind::Replication { name, of } => self.list("datatype", |d| {
                d.word(name.symbol);
                d.word("datatype");
                d.long(of);
            }),
            DecKind::Abstype { datas, types, decs } => self.list("abstype", |d| {
                d.each(datas, Dump::data_bind);
                d.withtype(types);
                d.decs(decs);
            }),
            DecKind::Exception(binds) => self.list("exception", |d| {
                d.each(binds, |d, bind| {
                    d.word(bind.name.symbol);
                    match &bind.kind {
                        ExnBindKind::New(ty) => d.some_ty(ty.as_ref()),
                        ExnBindKind::Alias(name) => {
                            d.word("=");
                            d.long(name);
                        }
                        ExnBindKind::Builtin(name, ty) => {
                            d.word("_exn");
                            d.word(name.symbol);
                            d.some_ty(ty.as_ref());
                        }
                    }
                });
            }),
            DecKind::Local(hidden, shown) => self.list("local", |d| {
                d.decs(hidden);
                d.decs(shown);
            }),
            DecKind::Open(names) => self.list("open", |d| d.each(names, Dump::long)),
            DecKind::Fixity { fixity, names } => {
                let head = match fixity {
                    Fixity::Left(level) => format!("infix {level}"),
                    Fixity::Right(level) => format!("infixr {level}"),
                    Fixity::Nonfix => "nonfix".to_owned(),
                };
                self.list(&head, |d| d.names(names));
            }
            DecKind::Structure(binds) => self.list("structure", |d| {
                d.each(binds, |d, bind| {
                    d.word(bind.name.symbol);
                    d.ascription(bind.sig.as_ref());
                    d.strexp(&bind.strexp);
                });
            }),
            DecKind::Signature(binds) => self.list("signature", |d| {
                d.each(binds, |d, bind| {
                    d.word(bind.name.symbol);
                    d.sigexp(&bind.sigexp);
                });
            }),
            DecKind::Functor(binds) => self.list("functor", |d| {
                d.each(binds, |d, bind| {
                    d.word(bind.name.symbol);
                    match &bind.param {
                        FunctorParam::Structure(name, sig) => {
                            d.space();
                            d.list("", |d| {
                                d.word(name.symbol);
                                d.sigexp(sig);
                            });
                        }
                        FunctorParam::Spec(sig) => d.sigexp(sig),
                    }
                    d.ascription(bind.sig.as_ref());
                    d.strexp(&bind.body);
                });
            }),
            DecKind::Exp(exp) => self.list("do", |d| d.exp(exp)),
            DecKind::Do(exp) => self.list("do", |d| d.exp(exp)),
            DecKind::Overload { name, ty, by } => self.list("_overload", |d| {
                d.word(name.symbol);
                if let Some(ty) = ty {
                    d.ty(ty);
                }
                d.each(by, Dump::long);
            }),
            DecKind::Error => self.word("<error>"),
        }
    }

    fn fun_bind(&mut self, bind: &FunBind) {
        for clause in &bind.clauses {
            self.space();
            self.list("", |d| {
                d.word(clause.name.symbol);
                d.each(&clause.pats, Dump::pat);
                d.some_ty(clause.ty.as_ref());
                d.word("=");
                d.exp(&clause.exp);
            });
        }
    }

    fn type_bind(&mut self, bind: &TypeBind) {
        self.tyvars(&bind.tyvars);
        self.word(bind.name.symbol);
        self.ty(&bind.ty);
    }

    fn withtype(&mut self, types: &[TypeBind]) {
        if !types.is_empty() {
            self.word("withtype");
            self.each(types, Dump::type_bind);
        }
    }

    fn data_bind(&mut self, bind: &DataBind) {
        self.tyvars(&bind.tyvars);
        self.word(bind.name.symbol);
        for con in &bind.cons {
            self.space();
            self.list("", |d| {
                d.word(con.name.symbol);
                d.each(con.ty.as_slice(), Dump::ty);
            });
        }
    }
}
