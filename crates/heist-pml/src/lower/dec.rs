//! Lowers declarations and functions.

use super::exp::Dest;
use super::matching::Fallback;
use super::value::{UNIT, Value};
use super::{Binding, Lower};
use crate::anf::{Atom, Fun, Rep, Stmt, Var};
use crate::diag::Code;
use crate::prim::BuiltinExn;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{self, Dec, Exp, ExpKind, FunBind, PatKind, Rule, Ty, TyKind};

impl Lower {
    /// Lowers a declaration: adds its code to the current block.
    pub fn dec(&mut self, dec: &Dec) {
        match dec {
            Dec::Val { pat, exp, .. } => match (&pat.kind, &exp.kind) {
                (PatKind::Var(var), ExpKind::Fn(rules)) => {
                    let name = self.fresh(Rep::Ptr, self.name(*var));
                    self.known.insert(name);
                    let fun = self.fun(name, rules, exp.ty, exp.span);
                    self.stmt(Stmt::Funs(vec![fun]));
                    self.bind(*var, Value::Atom(Atom::Var(name)), exp.span);
                }
                (PatKind::Wild, _) => self.effect(exp),
                _ => {
                    let value = self.scrutinee(exp, &[&pat.kind]);
                    self.bind_pattern(value, pat, Fallback::Raise(BuiltinExn::Bind));
                }
            },
            Dec::Fun { binds, .. } => self.funs(binds),
            Dec::Exception { var, name, arg, id } => {
                self.exception(*var, *name, *arg, id.as_ref());
            }
        }
    }

    /// Binds a variable of the typed program to a value.
    pub fn bind(&mut self, var: typed::Var, value: Value, span: Span) {
        self.settle(value, span);
        // A word without a name gets the name of the first variable that is bound to it, for readers of dumps.
        if let Value::Atom(Atom::Var(word)) = value {
            let name = self.name(var);
            let info = &mut self.vars[word.0 as usize];
            if info.name.as_str().starts_with('_') {
                info.name = name;
            }
        }
        self.env[var.index()] = Binding::Value(value);
    }

    fn funs(&mut self, binds: &[FunBind]) {
        let names: Vec<Var> = binds
            .iter()
            .map(|bind| {
                let name = self.fresh(Rep::Ptr, self.name(bind.var));
                self.known.insert(name);
                self.env[bind.var.index()] = Binding::Value(Value::Atom(Atom::Var(name)));
                name
            })
            .collect();
        let mut funs = Vec::with_capacity(binds.len());
        for (bind, name) in binds.iter().zip(names) {
            match &bind.exp.kind {
                ExpKind::Fn(rules) => {
                    funs.push(self.fun(name, rules, bind.exp.ty, bind.exp.span));
                }
                _ => self.error(
                    Code::Unsupported,
                    bind.exp.span,
                    "not supported yet: a recursive value that is not written as a function",
                ),
            }
        }
        self.stmt(Stmt::Funs(funs));
    }

    /// Lowers an anonymous function to a value.
    pub fn lambda(&mut self, rules: &[Rule], exp: &Exp) -> Value {
        let name = self.fresh(Rep::Ptr, self.names.function);
        self.known.insert(name);
        let fun = self.fun(name, rules, exp.ty, exp.span);
        self.stmt(Stmt::Funs(vec![fun]));
        Value::Atom(Atom::Var(name))
    }

    fn fun(&mut self, name: Var, rules: &[Rule], ty: Ty, span: Span) -> Fun {
        let known = self.vars[name.0 as usize].name;
        if known != self.names.function {
            self.functions.push((span, known));
        }
        let arg_name = match rules {
            [rule] => match &rule.pat.kind {
                PatKind::Var(var) => self.name(*var),
                _ => self.names.arg,
            },
            _ => self.names.arg,
        };
        self.function(name, ty, arg_name, span, |lower, arg, from, to| {
            let dest = Dest::Return { ty: to, tail: true };
            lower.rules(
                arg,
                from,
                rules,
                Fallback::Raise(BuiltinExn::Match),
                dest,
                span,
            )
        })
    }

    /// Makes a function of the type `ty`. The closure `body` makes the function's body; it receives the argument, the argument's type, and
    /// the type of the result.
    fn function(
        &mut self,
        name: Var,
        ty: Ty,
        arg_name: Symbol,
        span: Span,
        body: impl FnOnce(&mut Self, Value, Ty, Ty) -> crate::anf::End,
    ) -> Fun {
        let &TyKind::Arrow(from, to) = self.layouts.types.kind(ty) else {
            unreachable!("a function has the type of one");
        };
        let shape = self.layouts.argument_shape(from);
        let (params, arg) = self.params(from, shape, arg_name);
        let shape = self.layouts.result_shape(to);
        let results = self.layouts.words(to, shape);
        self.level += 1;
        let pending = std::mem::take(&mut self.pending);
        let body = self.block(|lower| body(lower, arg, from, to));
        self.pending = pending;
        self.level -= 1;
        Fun {
            name,
            params,
            results,
            body,
            span,
            inside: Span::NONE,
            forked: false,
        }
    }

    /// Makes a function for a constructor or primitive that the program uses as a value.
    pub fn eta(
        &mut self,
        ty: Ty,
        name: Symbol,
        span: Span,
        apply: impl FnOnce(&mut Self, Value, Ty, Ty) -> Value,
    ) -> Value {
        let fun = self.fresh(Rep::Ptr, name);
        self.known.insert(fun);
        let arg = self.names.arg;
        let made = self.function(fun, ty, arg, span, |lower, arg, from, to| {
            let value = apply(lower, arg, from, to);
            lower.give(value, Dest::Return { ty: to, tail: true }, span)
        });
        self.stmt(Stmt::Funs(vec![made]));
        Value::Atom(Atom::Var(fun))
    }

    /// Returns the value of a variable.
    pub fn lookup(&self, var: typed::Var) -> Value {
        match self.env[var.index()] {
            Binding::Value(value) => value,
            Binding::Exn { id, .. } => Value::Atom(id),
            Binding::Unbound => {
                debug_assert!(false, "{} is not bound", self.name(var));
                UNIT
            }
        }
    }
}
