//! Translates the parallel forms to calls of functions of the Basis.

mod pcase;

use super::Elaborator;
use super::env::What;
use super::exp::error;
use super::name::{node, of, plain_val, raw};
use super::pat::Bind;
use super::report::About;
use super::types::{Node, T};
use crate::diag::Code;
use crate::prim::Prim;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Dec, Exp, ExpKind, Otherwise, Pat, PatKind, Rule, Var};

impl Elaborator {
    /// Returns a call of a function in a structure of the Basis.
    pub(super) fn call_member(&mut self, structure: &str, name: &str, arg: Exp, span: Span) -> Exp {
        match self.builtin_member(structure, name, span) {
            Some(function) => self.call(function, arg, None, span),
            None => error(span),
        }
    }

    /// Elaborates `[| e1, ..., en |]`.
    pub(super) fn par_array(&mut self, parts: &[ast::Exp], span: Span) -> Exp {
        let list = self.list(parts, "array", span);
        self.call_member("PArray", "fromList", list, span)
    }

    /// Elaborates `spawn e`: a new thread evaluates `e` for its effect.
    pub(super) fn spawn(&mut self, inner: &ast::Exp, span: Span) -> Exp {
        let inner = self.exp(inner);
        let unit = node(ExpKind::Record(Vec::new()), T::UNIT, span);
        let body = node(ExpKind::Sequence(vec![inner, unit]), T::UNIT, span);
        let function = self.suspended(body);
        self.call_member("CML", "spawn", function, span)
    }

    /// Elaborates `[| a to b by c |]`.
    pub(super) fn par_range(
        &mut self,
        from: &ast::Exp,
        to: &ast::Exp,
        by: Option<&ast::Exp>,
        span: Span,
    ) -> Exp {
        let mut parts = vec![self.exp(from), self.exp(to)];
        match by {
            Some(by) => parts.push(self.exp(by)),
            None => {
                let one = ast::Literal::Int(1.into());
                let (constant, ty) = self.literal(&one);
                parts.push(node(ExpKind::Const(constant), ty, span));
            }
        }
        let Some(range_by) = self.builtin_member("PArray", "rangeBy", span) else {
            return error(span);
        };
        if let Node::Arrow(from, _) = self.store.look(of(range_by.ty)).1
            && let Node::Record(bounds) = self.store.look(from).1
        {
            let number = self.store.fields(bounds)[0].1;
            let mut fit = true;
            for part in &parts {
                let at = part.span;
                fit &= self.agree(of(part.ty), number, |_| {
                    let message = "the bounds and the step of a range are integers";
                    About::new(Code::ArgumentMismatch, at, message)
                        .label(at, "this has the type `{found}`")
                });
            }
            if !fit {
                return error(span);
            }
        }
        let arg = self.tuple(parts, span);
        self.call(range_by, arg, None, span)
    }

    /// Elaborates `[| e | p1 in a1, ..., pn in an where c |]`.
    pub(super) fn comprehension(
        &mut self,
        body: &ast::Exp,
        binders: &[(ast::Pat, ast::Exp)],
        filter: Option<&ast::Exp>,
        span: Span,
    ) -> Exp {
        let mut arrays: Vec<Exp> = binders.iter().map(|binder| self.exp(&binder.1)).collect();
        let mut elements = Vec::with_capacity(arrays.len());
        for array in &mut arrays {
            let element = self.element(array);
            if element == T::ERROR {
                array.ty = raw(T::ERROR);
            }
            elements.push(element);
        }
        let mut all: Option<Exp> = None;
        for array in arrays.into_iter().rev() {
            let one = self.call_member("Comprehension", "over", array, span);
            all = Some(match all {
                None => one,
                Some(rest) => {
                    let pair = self.tuple(vec![one, rest], span);
                    self.call_member("Comprehension", "both", pair, span)
                }
            });
        }
        let Some(all) = all else {
            return error(span);
        };
        let map = match filter {
            Some(filter) => {
                let keep = self.binder_fn(binders, &elements, filter, span, true);
                let partial = self.call_member("Comprehension", "filter", keep, span);
                let function = self.binder_fn(binders, &elements, body, span, false);
                self.call(partial, function, None, span)
            }
            None => {
                let function = self.binder_fn(binders, &elements, body, span, false);
                self.call_member("Comprehension", "map", function, span)
            }
        };
        self.call(map, all, None, span)
    }

    /// Returns the element type of an expression. Reports an error if the expression is not a parallel array.
    fn element(&mut self, array: &Exp) -> T {
        let at = array.span;
        let Some(sub) = self.builtin_member("PArray", "sub", at) else {
            return T::ERROR;
        };
        let Node::Arrow(from, element) = self.store.look(of(sub.ty)).1 else {
            return T::ERROR;
        };
        let Node::Record(slice) = self.store.look(from).1 else {
            return T::ERROR;
        };
        let expected = self.store.fields(slice)[0].1;
        let fits = self.agree(of(array.ty), expected, |_| {
            About::new(
                Code::ArgumentMismatch,
                at,
                "a comprehension runs over parallel arrays",
            )
            .label(at, "this has the type `{found}`")
        });
        if fits { element } else { T::ERROR }
    }

    /// Returns a function of nested pairs of elements. The function matches the elements against the patterns of a comprehension's binders,
    /// and then evaluates `body`.
    fn binder_fn(
        &mut self,
        binders: &[(ast::Pat, ast::Exp)],
        elements: &[T],
        body: &ast::Exp,
        span: Span,
        is_filter: bool,
    ) -> Exp {
        let mut binds: Vec<Bind> = Vec::new();
        let pats: Vec<Pat> = binders
            .iter()
            .map(|binder| self.pat(&binder.0, &mut binds))
            .collect();
        let mut fits = true;
        for ((pat, &element), binder) in pats.iter().zip(elements).zip(binders) {
            let (at, array) = (pat.span, binder.1.span);
            fits &= self.agree(of(pat.ty), element, |_| {
                About::new(
                    Code::PatternMismatch,
                    at,
                    "this pattern cannot match the elements of the array",
                )
                .label(at, "this matches `{found}`")
                .label(array, "the elements have the type `{expected}`")
            });
        }
        let mut whole: Option<Pat> = None;
        for pat in pats.into_iter().rev() {
            whole = Some(match whole {
                None => pat,
                Some(rest) => self.tuple_pat(vec![pat, rest], span),
            });
        }
        let pat = whole.expect("a comprehension has a binder");
        let mark = self.scopes.mark();
        self.bind_pat(&binds);
        let exp = self.exp(body);
        self.scopes.undo(mark);
        if is_filter {
            let bool_ty = self.bool_ty();
            let at = exp.span;
            self.agree(of(exp.ty), bool_ty, |_| {
                About::new(
                    Code::ConditionNotBool,
                    at,
                    "what stands after `where` must be a `bool`",
                )
                .label(at, "this has the type `{found}`")
            });
        }
        if !fits {
            return error(span);
        }
        let result = if is_filter {
            self.bool_ty()
        } else {
            of(exp.ty)
        };
        let ty = self.store.arrow(of(pat.ty), result);
        node(ExpKind::Fn(vec![Rule { pat, exp }]), ty, span)
    }

    /// Elaborates `a ! i`, an element of an array. If `a` is a function, the form has its meaning in Standard ML: a call of `a` with the
    /// function `!` and the following operands as arguments.
    pub(super) fn par_index(&mut self, array: &ast::Exp, index: &ast::Exp, span: Span) -> Exp {
        let array = self.exp(array);
        if let Node::Arrow(..) = self.store.look(of(array.ty)).1
            && let Some(deref) = self.scopes.val(Symbol::new("!")).cloned()
        {
            let at = array.span;
            let deref = self.name_exp(&deref, at, Span::NONE);
            let function = self.call(array, deref, None, span);
            return self.spread(function, index, span);
        }
        let index = self.exp(index);
        let arg = self.tuple(vec![array, index], span);
        self.call_member("PArray", "sub", arg, span)
    }

    /// Applies `function` to the operands of an application that the parser has read as the right operand of `!`.
    fn spread(&mut self, function: Exp, rest: &ast::Exp, span: Span) -> Exp {
        match &rest.kind {
            ast::ExpKind::Apply(first, arg) => {
                let function = self.spread(function, first, span);
                let arg = self.exp(arg);
                self.call(function, arg, None, span)
            }
            ast::ExpKind::Infix(left, operator, right) => {
                let left = self.spread(function, left, span);
                let Some(val) = self.find_val(operator) else {
                    return error(span);
                };
                let overloaded = matches!(val.what, What::Overload(_));
                let name = self.name_exp(&val, operator.span(), operator.name.span);
                let right = self.exp(right);
                let arg = self.tuple(vec![left, right], span);
                self.call(name, arg, overloaded.then_some(operator.name.symbol), span)
            }
            _ => {
                let arg = self.exp(rest);
                self.call(function, arg, None, span)
            }
        }
    }

    /// Elaborates `pval p = e`: `e` becomes a lazy value, and each use of a variable of the pattern forces this lazy value.
    pub(super) fn pval(&mut self, pat: &ast::Pat, exp: &ast::Exp, out: &mut Vec<Dec>) {
        let span = exp.span;
        self.store.level += 1;
        let exp = self.exp(exp);
        let mut binds = Vec::new();
        let pat = self.pat(pat, &mut binds);
        let (at, pat_at) = (exp.span, pat.span);
        self.agree(of(exp.ty), of(pat.ty), |_| {
            About::new(
                Code::PatternMismatch,
                at,
                "this cannot be matched by the pattern that it is bound to",
            )
            .label(at, "this has the type `{found}`")
            .label(pat_at, "this matches `{expected}`")
        });
        self.store.level -= 1;
        let vars = |elaborator: &mut Elaborator, bind: &Bind| {
            elaborator.keep(bind.ty, bind.span);
            let kind = ExpKind::Var {
                var: bind.var,
                inst: Vec::new(),
            };
            node(kind, bind.ty, bind.span)
        };
        let mut parts: Vec<Exp> = Vec::with_capacity(binds.len());
        for bind in &binds {
            parts.push(vars(self, bind));
        }
        let result = match parts.len() {
            1 => parts.remove(0),
            _ => self.tuple(parts, span),
        };
        let result_ty = of(result.ty);
        let kind = ExpKind::Case {
            scrutinee: Box::new(exp),
            rules: vec![Rule { pat, exp: result }],
            otherwise: Otherwise::Bind,
        };
        let body = node(kind, result_ty, span);
        let function = self.suspended(body);
        let delayed = self.call_member("LazyCell", "delay", function, span);
        let var = self.var(Symbol::new("_pval"), span);
        let delayed_ty = of(delayed.ty);
        self.lazies.insert(var, (delayed_ty, result_ty));
        out.push(Dec::Val {
            tyvars: Vec::new(),
            pat: Pat {
                kind: PatKind::Var(var),
                ty: raw(delayed_ty),
                span,
            },
            exp: delayed,
        });
        let kind = ExpKind::Var {
            var,
            inst: Vec::new(),
        };
        let cell = node(kind, delayed_ty, span);
        let begin = self.call_member("LazyCell", "begin", cell, span);
        out.push(self.parallel_form(Prim::ParSpeculate, begin));
        let alone = binds.len() == 1;
        for (at, bind) in binds.iter().enumerate() {
            let label = (!alone).then(|| self.store.label(at + 1));
            let val = plain_val(What::Lazy(var, label), bind.ty, bind.span);
            self.scopes.bind_val(bind.name, val);
        }
    }

    /// Returns the expression for a use of a variable that `pval` binds.
    pub(super) fn force(&mut self, var: Var, label: Option<Symbol>, ty: T, span: Span) -> Exp {
        let Some(&(delayed_ty, _)) = self.lazies.get(&var) else {
            return error(span);
        };
        let kind = ExpKind::Var {
            var,
            inst: Vec::new(),
        };
        let delayed = node(kind, delayed_ty, span);
        let value = self.call_member("LazyCell", "force", delayed, span);
        match label {
            None => value,
            Some(label) => node(ExpKind::Select(label, Box::new(value)), ty, span),
        }
    }

    /// Returns a declaration that applies a primitive of parallel forms. The primitive begins or drops forks.
    fn parallel_form(&mut self, prim: Prim, exp: Exp) -> Dec {
        let span = exp.span;
        let arg = match prim {
            Prim::ParDrop => exp,
            _ => self.suspended(exp),
        };
        let ty = self.store.arrow(of(arg.ty), T::UNIT);
        let form = node(ExpKind::Prim { prim, ty: raw(ty) }, ty, span);
        let kind = ExpKind::Apply(Box::new(form), Box::new(arg));
        Dec::Val {
            tyvars: Vec::new(),
            pat: Pat {
                kind: PatKind::Wild,
                ty: raw(T::UNIT),
                span,
            },
            exp: node(kind, T::UNIT, span),
        }
    }

    /// Returns the function `fn () => e`.
    fn suspended(&mut self, exp: Exp) -> Exp {
        let span = exp.span;
        let pat = Pat {
            kind: PatKind::Wild,
            ty: raw(T::UNIT),
            span,
        };
        let ty = self.store.arrow(T::UNIT, of(exp.ty));
        node(ExpKind::Fn(vec![Rule { pat, exp }]), ty, span)
    }
}
