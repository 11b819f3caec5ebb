//! Prints the typed program as text.

use std::fmt::Write;

use super::{
    Const, Dec, ExnTag, Exp, ExpKind, Pat, PatKind, Program, Rule, Ty, TyKind, TyVar, Var,
};
use crate::symbol::Symbol;

/// Returns all declarations as text. The text has the number of each variable, because names need not be unique.
#[must_use]
pub fn dump(program: &Program) -> String {
    let mut dumper = Dumper {
        program,
        out: String::new(),
        depth: 0,
    };
    dumper.decs(&program.decs);
    dumper.out.push('\n');
    dumper.out
}

/// Returns a type as text.
#[must_use]
pub fn show(program: &Program, ty: Ty) -> String {
    let mut dumper = Dumper {
        program,
        out: String::new(),
        depth: 0,
    };
    dumper.ty(ty, 0);
    dumper.out
}

struct Dumper<'a> {
    program: &'a Program,
    out: String,
    depth: usize,
}

impl Dumper<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
    }

    fn var(&mut self, var: Var) {
        let name = self.program.vars[var.index()].name;
        let _ = write!(self.out, "{name}_{}", var.0);
    }

    fn tyvar(&mut self, var: TyVar) {
        let name = self.program.tyvars[var.index()];
        let _ = write!(self.out, "{name}_{}", var.0);
    }

    fn tyvars(&mut self, vars: &[TyVar]) {
        for &var in vars {
            self.put(" ");
            self.tyvar(var);
        }
    }

    /// Prints a type. `place` determines whether the type needs parentheses: 1 stands for the left side of an arrow, 2 for a part of a
    /// tuple, 3 for an argument of a type constructor, and 0 for any other place.
    fn ty(&mut self, ty: Ty, place: u8) {
        match self.program.types.kind(ty) {
            TyKind::Var(var) => self.tyvar(*var),
            TyKind::Con(con, args) => {
                match args[..] {
                    [] => {}
                    [arg] => {
                        self.ty(arg, 3);
                        self.put(" ");
                    }
                    _ => {
                        self.put("(");
                        for (at, &arg) in args.iter().enumerate() {
                            self.put(if at > 0 { ", " } else { "" });
                            self.ty(arg, 0);
                        }
                        self.put(") ");
                    }
                }
                self.put(self.program.tycons[con.index()].name.as_str());
            }
            TyKind::Record(fields) if fields.is_empty() => self.put("unit"),
            TyKind::Record(fields) if is_tuple(fields.iter().map(|field| field.0)) => {
                self.put(if place > 1 { "(" } else { "" });
                for (at, field) in fields.iter().enumerate() {
                    self.put(if at > 0 { " * " } else { "" });
                    self.ty(field.1, 2);
                }
                self.put(if place > 1 { ")" } else { "" });
            }
            TyKind::Record(fields) => {
                self.put("{");
                for (at, field) in fields.iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    self.put(field.0.as_str());
                    self.put(" : ");
                    self.ty(field.1, 0);
                }
                self.put("}");
            }
            TyKind::Arrow(from, to) => {
                self.put(if place > 0 { "(" } else { "" });
                self.ty(*from, 1);
                self.put(" -> ");
                self.ty(*to, 0);
                self.put(if place > 0 { ")" } else { "" });
            }
        }
    }

    fn inst(&mut self, inst: &[Ty]) {
        if inst.is_empty() {
            return;
        }
        self.put("[");
        for (at, &ty) in inst.iter().enumerate() {
            self.put(if at > 0 { ", " } else { "" });
            self.ty(ty, 0);
        }
        self.put("]");
    }

    fn constant(&mut self, constant: &Const) {
        let _ = match constant {
            Const::Int(number) => write!(self.out, "{number}"),
            Const::Word(number) => write!(self.out, "0w{number}"),
            Const::IntInf(number) => write!(self.out, "{number}n"),
            Const::Real(number) => write!(self.out, "{number:?}"),
            Const::Char(byte) => write!(self.out, "#\"{}\"", byte.escape_ascii()),
            Const::String(bytes) => write!(self.out, "\"{}\"", bytes.escape_ascii()),
        };
    }

    fn tag(&mut self, tag: ExnTag) {
        match tag {
            ExnTag::Var(var) => self.var(var),
            ExnTag::Builtin(exn) => {
                self.put("%");
                self.put(exn.name());
            }
        }
    }

    fn pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Wild => self.put("_"),
            PatKind::Var(var) => {
                self.put("(");
                self.var(*var);
                self.put(" : ");
                self.ty(pat.ty, 0);
                self.put(")");
            }
            PatKind::Const(constant) => self.constant(constant),
            PatKind::Con { con, inst, arg } => {
                self.put(self.program.cons[con.index()].name.as_str());
                self.inst(inst);
                self.arg(arg.as_deref());
            }
            PatKind::Exn { tag, arg } => {
                self.tag(*tag);
                self.arg(arg.as_deref());
            }
            PatKind::Record(fields) => {
                self.put("{");
                for (at, (label, pat)) in fields.iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    self.put(label.as_str());
                    self.put(" = ");
                    self.pat(pat);
                }
                self.put("}");
            }
            PatKind::As(var, inner) => {
                self.put("(");
                self.var(*var);
                self.put(" as ");
                self.pat(inner);
                self.put(")");
            }
            PatKind::Ref(inner) => {
                self.put("(ref ");
                self.pat(inner);
                self.put(")");
            }
            PatKind::Or(pats) => self.pats("(", " | ", ")", pats),
            PatKind::Vector(pats) => self.pats("#[", ", ", "]", pats),
        }
    }

    fn pats(&mut self, open: &str, between: &str, close: &str, pats: &[Pat]) {
        self.put(open);
        for (at, pat) in pats.iter().enumerate() {
            self.put(if at > 0 { between } else { "" });
            self.pat(pat);
        }
        self.put(close);
    }

    fn arg(&mut self, arg: Option<&Pat>) {
        if let Some(arg) = arg {
            self.put("(");
            self.pat(arg);
            self.put(")");
        }
    }

    fn rules(&mut self, rules: &[Rule]) {
        self.depth += 1;
        for (at, rule) in rules.iter().enumerate() {
            self.line();
            self.put(if at > 0 { "| " } else { "  " });
            self.pat(&rule.pat);
            self.put(" => ");
            self.exp(&rule.exp);
        }
        self.depth -= 1;
    }

    fn list(&mut self, open: &str, parts: &[Exp], between: &str, close: &str) {
        self.put(open);
        for (at, part) in parts.iter().enumerate() {
            self.put(if at > 0 { between } else { "" });
            self.exp(part);
        }
        self.put(close);
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Const(constant) => {
                self.constant(constant);
                self.put(":");
                self.ty(exp.ty, 3);
            }
            ExpKind::Var { var, inst } => {
                self.var(*var);
                self.inst(inst);
            }
            ExpKind::Con { con, inst } => {
                self.put(self.program.cons[con.index()].name.as_str());
                self.inst(inst);
            }
            ExpKind::Exn(tag) => self.tag(*tag),
            ExpKind::Prim { prim, ty } => {
                self.put("%");
                self.put(prim.name());
                self.put("[");
                self.ty(*ty, 0);
                self.put("]");
            }
            ExpKind::Record(fields) => {
                self.put("{");
                for (at, (label, part)) in fields.iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    self.put(label.as_str());
                    self.put(" = ");
                    self.exp(part);
                }
                self.put("}");
            }
            ExpKind::Select(label, record) => {
                self.put("#");
                self.put(label.as_str());
                self.put("(");
                self.exp(record);
                self.put(")");
            }
            ExpKind::Apply(function, arg) => {
                self.put("(");
                self.exp(function);
                self.put(" ");
                self.exp(arg);
                self.put(")");
            }
            ExpKind::Fn(rules) => {
                self.put("(fn");
                self.rules(rules);
                self.put(")");
            }
            ExpKind::Case {
                scrutinee,
                rules,
                otherwise,
            } => {
                self.put("(case ");
                self.exp(scrutinee);
                let _ = write!(self.out, " else {otherwise:?} of");
                self.rules(rules);
                self.put(")");
            }
            ExpKind::If(test, first, second) => {
                self.put("(if ");
                self.exp(test);
                self.depth += 1;
                self.line();
                self.put("then ");
                self.exp(first);
                self.line();
                self.put("else ");
                self.exp(second);
                self.depth -= 1;
                self.put(")");
            }
            ExpKind::While(test, body) => {
                self.put("(while ");
                self.exp(test);
                self.put(" do ");
                self.exp(body);
                self.put(")");
            }
            ExpKind::Sequence(parts) => self.list("(", parts, "; ", ")"),
            ExpKind::Let(decs, body) => {
                self.put("let");
                self.depth += 1;
                self.line();
                self.decs(decs);
                self.depth -= 1;
                self.line();
                self.put("in ");
                self.depth += 1;
                self.exp(body);
                self.depth -= 1;
                self.line();
                self.put("end");
            }
            ExpKind::Handle(body, rules) => {
                self.put("(");
                self.exp(body);
                self.put(" handle");
                self.rules(rules);
                self.put(")");
            }
            ExpKind::Raise(inner) => {
                self.put("(raise ");
                self.exp(inner);
                self.put(")");
            }
            ExpKind::ParTuple(parts) => self.list("(| ", parts, ", ", " |)"),
        }
    }

    fn decs(&mut self, decs: &[Dec]) {
        for (at, dec) in decs.iter().enumerate() {
            if at > 0 {
                self.line();
            }
            match dec {
                Dec::Val { tyvars, pat, exp } => {
                    self.put("val");
                    self.tyvars(tyvars);
                    self.put(" ");
                    self.pat(pat);
                    self.put(" = ");
                    self.exp(exp);
                }
                Dec::Fun { tyvars, binds } => {
                    for (at, bind) in binds.iter().enumerate() {
                        if at > 0 {
                            self.line();
                        }
                        self.put(if at > 0 { "and" } else { "fun" });
                        if at == 0 {
                            self.tyvars(tyvars);
                        }
                        self.put(" ");
                        self.var(bind.var);
                        self.put(" : ");
                        self.ty(bind.exp.ty, 0);
                        self.put(" = ");
                        self.exp(&bind.exp);
                    }
                }
                Dec::Exception { var, name, arg, .. } => {
                    self.put("exception ");
                    self.var(*var);
                    let _ = write!(self.out, " \"{name}\"");
                    if let Some(arg) = arg {
                        self.put(" of ");
                        self.ty(*arg, 0);
                    }
                }
            }
        }
    }
}

pub(super) fn is_tuple(mut labels: impl ExactSizeIterator<Item = Symbol>) -> bool {
    let count = labels.len();
    let mut number = 0;
    count >= 2
        && labels.all(|label| {
            number += 1;
            label.as_str() == number.to_string()
        })
}
