//! Expressions.

use super::Elaborator;
use super::env::What;
use super::name::{foreign_operator, node, of, raw};
use super::report::About;
use super::types::{Node, T};
use crate::diag::{Code, Diagnostic};
use crate::prim::Prim;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Exp, ExpKind, Otherwise, Pat, PatKind, Rule, TyCon, Types};

/// Purpose of the rules of a match.
#[derive(Clone, Copy)]
pub(super) enum MatchOf {
    /// A `fn`.
    Fn,
    /// A `case` of this, at this place.
    Case(T, Span),
    /// A `handle` of an expression of this type, at this place.
    Handle(T, Span),
}

impl Elaborator {
    /// An expression.
    pub(super) fn exp(&mut self, exp: &ast::Exp) -> Exp {
        let span = exp.span;
        match &exp.kind {
            ast::ExpKind::Literal(literal) => {
                let (constant, ty) = self.literal(literal);
                node(ExpKind::Const(constant), ty, span)
            }
            ast::ExpKind::Name { name, .. } => match self.find_val(name) {
                Some(val) => self.name_exp(&val, span, name.name.span),
                None => error(span),
            },
            ast::ExpKind::Record(fields) => self.record(fields, span),
            ast::ExpKind::Selector(label) => self.selector(*label, span),
            ast::ExpKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.exp(part)).collect();
                self.tuple(parts, span)
            }
            ast::ExpKind::List(parts) => self.list(parts, span),
            ast::ExpKind::Vector(parts) => {
                let list = self.list(parts, span);
                self.call_member("Vector", "fromList", list, span)
            }
            ast::ExpKind::Sequence(parts) => self.sequence(parts, span),
            ast::ExpKind::Let(decs, body) => self.let_exp(decs, body, span),
            ast::ExpKind::Paren(inner) => self.exp(inner),
            ast::ExpKind::Apply(function, arg) => self.apply(function, arg, span),
            ast::ExpKind::Infix(left, operator, right) => {
                let Some(val) = self.find_val(operator) else {
                    self.exp(left);
                    self.exp(right);
                    return error(span);
                };
                let overloaded = matches!(val.what, What::Overload(_) | What::Prim(Prim::PolyEq));
                let function = self.name_exp(&val, operator.span(), operator.name.span);
                let parts = vec![self.exp(left), self.exp(right)];
                let arg = self.tuple(parts, left.span.to(right.span));
                let operator = overloaded.then_some(operator.name.symbol);
                self.call(function, arg, operator, span)
            }
            ast::ExpKind::Typed(inner, ty) => {
                let mut inner = self.exp(inner);
                let annotated = self.ty(ty);
                let (at, found) = (inner.span, of(inner.ty));
                self.agree(found, annotated, |_| {
                    About::new(
                        Code::AnnotationMismatch,
                        at,
                        "this has not the type that is written",
                    )
                    .label(at, "this has the type `{found}`")
                    .label(ty.span, "this says `{expected}`")
                });
                if found == T::ERROR {
                    inner.ty = raw(annotated);
                }
                inner
            }
            ast::ExpKind::Andalso(left, right) => {
                let left = self.condition(left, "an operand of `andalso`");
                let right = self.condition(right, "an operand of `andalso`");
                self.if_bool(left, right, false, span)
            }
            ast::ExpKind::Orelse(left, right) => {
                let left = self.condition(left, "an operand of `orelse`");
                let right = self.condition(right, "an operand of `orelse`");
                self.if_bool(left, right, true, span)
            }
            ast::ExpKind::Handle(body, rules) => {
                let body = self.exp(body);
                let (ty, at) = (of(body.ty), body.span);
                let (rules, _, ty) = self.rules(rules, MatchOf::Handle(ty, at));
                node(ExpKind::Handle(Box::new(body), rules), ty, span)
            }
            ast::ExpKind::Raise(inner) => {
                let inner = self.exp(inner);
                let exn = self.prim_ty("exn");
                let (found, at) = (of(inner.ty), inner.span);
                self.agree(found, exn, |_| {
                    About::new(Code::RaiseNeedsExn, at, "only exceptions can be raised")
                        .label(at, "this has the type `{found}`")
                });
                let ty = self.store.fresh();
                node(ExpKind::Raise(Box::new(inner)), ty, span)
            }
            ast::ExpKind::If(test, first, second) => {
                let test = self.condition(test, "the condition of `if`");
                let first = self.exp(first);
                let second = self.exp(second);
                let (at, other) = (second.span, first.span);
                self.agree(of(second.ty), of(first.ty), |_| {
                    About::new(
                        Code::BranchMismatch,
                        at,
                        "the branches of this `if` have different types",
                    )
                    .label(at, "this branch has the type `{found}`")
                    .label(other, "this one has the type `{expected}`")
                });
                let ty = self.known(of(first.ty), of(second.ty));
                let kind = ExpKind::If(Box::new(test), Box::new(first), Box::new(second));
                node(kind, ty, span)
            }
            ast::ExpKind::While(test, body) => {
                let test = self.condition(test, "the condition of `while`");
                let body = self.exp(body);
                node(
                    ExpKind::While(Box::new(test), Box::new(body)),
                    T::UNIT,
                    span,
                )
            }
            ast::ExpKind::Case(scrutinee, rules) => {
                let scrutinee = self.exp(scrutinee);
                let (ty, at) = (of(scrutinee.ty), scrutinee.span);
                let (rules, _, ty) = self.rules(rules, MatchOf::Case(ty, at));
                let kind = ExpKind::Case {
                    scrutinee: Box::new(scrutinee),
                    rules,
                    otherwise: Otherwise::Match,
                };
                node(kind, ty, span)
            }
            ast::ExpKind::Fn(rules) => {
                let (rules, from, to) = self.rules(rules, MatchOf::Fn);
                let ty = self.store.arrow(from, to);
                node(ExpKind::Fn(rules), ty, span)
            }
            ast::ExpKind::Prim(name, ty) => {
                let ty = self.ty(ty);
                match Prim::by_name(name.symbol.as_str()) {
                    Some(prim) => node(ExpKind::Prim { prim, ty: raw(ty) }, ty, span),
                    None => {
                        self.error(
                            Code::UnknownPrimitive,
                            name.span,
                            format!("there is no primitive `{}`", name.symbol),
                        );
                        error(span)
                    }
                }
            }
            ast::ExpKind::ParTuple(parts) => {
                let parts: Vec<Exp> = parts.iter().map(|part| self.exp(part)).collect();
                let types: Vec<T> = parts.iter().map(|part| of(part.ty)).collect();
                let ty = self.store.tuple(&types);
                node(ExpKind::ParTuple(parts), ty, span)
            }
            ast::ExpKind::ParArray(parts) => self.par_array(parts, span),
            ast::ExpKind::ParRange { from, to, by } => {
                self.par_range(from, to, by.as_deref(), span)
            }
            ast::ExpKind::ParComprehension {
                body,
                binders,
                filter,
            } => self.comprehension(body, binders, filter.as_deref(), span),
            ast::ExpKind::ParIndex(array, index) => self.par_index(array, index, span),
            ast::ExpKind::ParCase(exps, rules) => self.par_case(exps, rules, span),
            ast::ExpKind::Spawn(inner) => self.spawn(inner, span),
            ast::ExpKind::Error => error(span),
        }
    }

    /// Of two agreeing types, the one that is not an error type.
    fn known(&mut self, first: T, second: T) -> T {
        if self.store.resolve(first) == T::ERROR {
            second
        } else {
            first
        }
    }

    fn condition(&mut self, exp: &ast::Exp, what: &str) -> Exp {
        let exp = self.exp(exp);
        let bool_ty = self.bool_ty();
        let at = exp.span;
        self.agree(of(exp.ty), bool_ty, |_| {
            About::new(
                Code::ConditionNotBool,
                at,
                format!("{what} must be a `bool`"),
            )
            .label(at, "this has the type `{found}`")
        });
        exp
    }

    /// `andalso` and `orelse`: the second operand, or the constant.
    fn if_bool(&mut self, left: Exp, right: Exp, constant: bool, span: Span) -> Exp {
        let ty = self.bool_ty();
        let constant_exp = self.bool_exp(constant, span);
        let (first, second) = if constant {
            (constant_exp, right)
        } else {
            (right, constant_exp)
        };
        let kind = ExpKind::If(Box::new(left), Box::new(first), Box::new(second));
        node(kind, ty, span)
    }

    fn bool_exp(&mut self, value: bool, span: Span) -> Exp {
        let ty = self.bool_ty();
        let Some(con) = self.con_of(self.program.bool_tycon, usize::from(value)) else {
            return error(span);
        };
        let kind = ExpKind::Con {
            con,
            inst: Vec::new(),
        };
        node(kind, ty, span)
    }

    /// A constructor of a datatype, by its number.
    pub(super) fn con_of(&self, tycon: Option<TyCon>, number: usize) -> Option<crate::typed::Con> {
        match &self.program.tycons[tycon?.index()].kind {
            crate::typed::TyConKind::Data(cons) => cons.get(number).copied(),
            _ => None,
        }
    }

    /// `nil` and `::`
    pub(super) fn list_cons(&self) -> Option<(crate::typed::Con, crate::typed::Con)> {
        let list = self.program.list_tycon;
        Some((self.con_of(list, 0)?, self.con_of(list, 1)?))
    }

    fn record(&mut self, fields: &[(ast::Name, ast::Exp)], span: Span) -> Exp {
        let labels: Vec<ast::Name> = fields.iter().map(|field| field.0).collect();
        self.no_duplicate_labels(&labels);
        let parts: Vec<(Symbol, Exp)> = fields
            .iter()
            .map(|(label, exp)| {
                self.note_pun(*label, exp.span);
                (label.symbol, self.exp(exp))
            })
            .collect();
        let mut types: Vec<(Symbol, T)> =
            parts.iter().map(|part| (part.0, of(part.1.ty))).collect();
        types.sort_by(|a, b| Types::compare_labels(a.0, b.0));
        types.dedup_by_key(|field| field.0);
        let ty = self.store.record(&types);
        node(ExpKind::Record(parts), ty, span)
    }

    /// A tuple.
    pub(super) fn tuple(&mut self, parts: Vec<Exp>, span: Span) -> Exp {
        let types: Vec<T> = parts.iter().map(|part| of(part.ty)).collect();
        let ty = self.store.tuple(&types);
        let fields = parts
            .into_iter()
            .enumerate()
            .map(|(at, part)| (self.store.label(at + 1), part))
            .collect();
        node(ExpKind::Record(fields), ty, span)
    }

    fn selector(&mut self, label: ast::Name, span: Span) -> Exp {
        let field = self.store.fresh();
        let record = if self.is_marked(label.symbol) {
            let record = self.store.fresh();
            self.look_at_record(label, record);
            record
        } else {
            self.flexible(vec![(label.symbol, field)], span)
        };
        let name = Symbol::new("_record");
        let var = self.var(name, span);
        let pat = Pat {
            kind: PatKind::Var(var),
            ty: raw(record),
            span,
        };
        let kind = ExpKind::Var {
            var,
            inst: Vec::new(),
        };
        let of_var = node(kind, record, span);
        let exp = node(ExpKind::Select(label.symbol, Box::new(of_var)), field, span);
        let ty = self.store.arrow(record, field);
        node(ExpKind::Fn(vec![Rule { pat, exp }]), ty, span)
    }

    /// A list of expressions of one type.
    pub(super) fn list(&mut self, parts: &[ast::Exp], span: Span) -> Exp {
        let element = self.store.fresh();
        let list = self.list_ty(element);
        let mut first: Option<Span> = None;
        let mut elements = Vec::with_capacity(parts.len());
        for part in parts {
            let part = self.exp(part);
            let at = part.span;
            self.agree(of(part.ty), element, |_| {
                About::new(
                    Code::TypeMismatch,
                    at,
                    "the elements of this list have different types",
                )
                .label(at, "this element has the type `{found}`")
                .label(first.unwrap_or(at), "this one has the type `{expected}`")
            });
            first = first.or(Some(at));
            elements.push(part);
        }
        let Some((nil, cons)) = self.list_cons() else {
            return error(span);
        };
        let kind = ExpKind::Con {
            con: nil,
            inst: vec![raw(element)],
        };
        let mut whole = node(kind, list, span);
        for part in elements.into_iter().rev() {
            let at = part.span;
            let pair = self.tuple(vec![part, whole], at);
            let function = self.store.arrow(of(pair.ty), list);
            let kind = ExpKind::Con {
                con: cons,
                inst: vec![raw(element)],
            };
            let function = node(kind, function, at);
            whole = node(
                ExpKind::Apply(Box::new(function), Box::new(pair)),
                list,
                span,
            );
        }
        whole
    }

    fn sequence(&mut self, parts: &[ast::Exp], span: Span) -> Exp {
        let mut parts: Vec<Exp> = parts.iter().map(|part| self.exp(part)).collect();
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let ty = parts.last().map_or(T::UNIT, |part| of(part.ty));
        node(ExpKind::Sequence(parts), ty, span)
    }

    fn let_exp(&mut self, decs: &[ast::Dec], body: &[ast::Exp], span: Span) -> Exp {
        let mark = self.scopes.mark();
        let tycons = self.store.tycons.len();
        self.store.level += 1;
        let mut out = Vec::new();
        self.decs(decs, &mut out);
        let body = self.sequence(body, span);
        self.store.level -= 1;
        self.scopes.undo(mark);
        let mut ty = of(body.ty);
        if tycons != self.store.tycons.len()
            && let Some(con) = self.escaping(ty)
        {
            let name = self.show_con(con);
            self.report(
                Diagnostic::new(
                    Code::TypeEscapes,
                    body.span,
                    format!(
                        "the result of this `let` has the type `{name}`, which is known only inside"
                    ),
                )
                .note("declare the type outside of the `let`"),
            );
            ty = T::ERROR;
        }
        if out.is_empty() {
            return node(body.kind, ty, span);
        }
        node(ExpKind::Let(out, Box::new(body)), ty, span)
    }

    /// A type constructor in a type that is not known at this depth.
    fn escaping(&mut self, ty: T) -> Option<TyCon> {
        let (_, ty_node) = self.store.look(ty);
        match ty_node {
            Node::Con(con, slice) => {
                if self.store.tycons[con.index()].level > self.store.level {
                    return Some(con);
                }
                let args = self.store.args(slice).to_vec();
                args.into_iter().find_map(|arg| self.escaping(arg))
            }
            Node::Record(slice) => {
                let fields = self.store.fields(slice).to_vec();
                fields.into_iter().find_map(|field| self.escaping(field.1))
            }
            Node::Arrow(from, to) => self.escaping(from).or_else(|| self.escaping(to)),
            _ => None,
        }
    }

    fn apply(&mut self, function: &ast::Exp, arg: &ast::Exp, span: Span) -> Exp {
        let mut bare = function;
        while let ast::ExpKind::Paren(inner) = &bare.kind {
            bare = inner;
        }
        if let ast::ExpKind::Selector(label) = &bare.kind {
            return self.select(*label, bare.span, arg, span);
        }
        let operator = match &bare.kind {
            ast::ExpKind::Name { name, .. } if name.path.is_empty() => self
                .scopes
                .val(name.name.symbol)
                .filter(|val| matches!(val.what, What::Overload(_)))
                .map(|_| name.name.symbol),
            _ => None,
        };
        let whole = function;
        let function = self.exp(function);
        // `a == b` is `(a ==) b`, as there is no such operator, which is all there is to say.
        if let ast::ExpKind::Name { name, .. } = &arg.kind
            && name.path.is_empty()
            && foreign_operator(name.name.symbol.as_str()).is_some()
            && self.scopes.val(name.name.symbol).is_none()
        {
            self.find_val(name);
            return error(span);
        }
        let noted = self.enter_call(whole, arg);
        let arg = self.exp(arg);
        self.leave_call(noted);
        self.call(function, arg, operator, span)
    }

    /// `#l e`, without a function.
    fn select(&mut self, label: ast::Name, at: Span, arg: &ast::Exp, span: Span) -> Exp {
        let arg = self.exp(arg);
        let found = of(arg.ty);
        if self.is_marked(label.symbol) {
            self.look_at_record(label, found);
            return error(span);
        }
        if let Node::Record(slice) = self.store.look(found).1
            && let Some(&(_, field)) = self
                .store
                .fields(slice)
                .iter()
                .find(|field| field.0 == label.symbol)
        {
            return node(ExpKind::Select(label.symbol, Box::new(arg)), field, span);
        }
        let field = self.store.fresh();
        let record = self.flexible(vec![(label.symbol, field)], span);
        let place = arg.span;
        self.agree(found, record, |_| {
            About::new(
                Code::ArgumentMismatch,
                place,
                format!("`#{}` needs a record with that field", label.symbol),
            )
            .label(place, "this has the type `{found}`")
            .label(at, "the selector")
        });
        node(ExpKind::Select(label.symbol, Box::new(arg)), field, span)
    }

    /// A call.
    pub(super) fn call(
        &mut self,
        function: Exp,
        arg: Exp,
        operator: Option<Symbol>,
        span: Span,
    ) -> Exp {
        let function_ty = of(function.ty);
        let (function_at, arg_at) = (function.span, arg.span);
        let ty = match self.store.look(function_ty).1 {
            Node::Arrow(from, to) => {
                let arg_ty = of(arg.ty);
                let fits = self.agree(arg_ty, from, |elaborator| {
                    let uniform = elaborator.is_uniform(arg_ty);
                    let whole = elaborator.show(function_ty);
                    let message = match operator {
                        Some(operator) => {
                            format!("`{operator}` is applied to operands of wrong types")
                        }
                        None => format!(
                            "{} has another type than the function takes",
                            elaborator.argument_of(&function)
                        ),
                    };
                    let note = elaborator.tuple_note(arg_ty, from, to);
                    About::new(Code::ArgumentMismatch, arg_at, message)
                        .label(arg_at, "this has the type `{found}`")
                        .label(function_at, format!("this has the type `{whole}`"))
                        .note(note)
                        .operator(operator, uniform)
                });
                // If the arguments were to be a tuple, others follow.
                let misused = !fits && self.tuple_note(arg_ty, from, to).is_some();
                if misused || operator.is_some() && self.has_error(arg_ty) {
                    T::ERROR
                } else {
                    to
                }
            }
            Node::Error => T::ERROR,
            Node::Var { .. } => {
                let to = self.store.fresh();
                let arrow = self.store.arrow(of(arg.ty), to);
                let many = too_many(&function);
                self.agree(function_ty, arrow, |_| {
                    About::new(
                        Code::NotAFunction,
                        function_at,
                        "this is applied, but it is not a function",
                    )
                    .label(function_at, "this has the type `{found}`")
                    .label(arg_at, "it is applied to this")
                    .note(many)
                });
                to
            }
            _ => {
                let text = self.show(function_ty);
                let mut diagnostic = Diagnostic::new(
                    Code::NotAFunction,
                    function_at,
                    "this is applied, but it is not a function",
                )
                .label(function_at, format!("this has the type `{text}`"))
                .label(arg_at, "it is applied to this");
                diagnostic.notes.extend(too_many(&function));
                self.report(diagnostic);
                T::ERROR
            }
        };
        node(ExpKind::Apply(Box::new(function), Box::new(arg)), ty, span)
    }

    /// Name of the argument that comes next, and of its function.
    fn argument_of(&self, function: &Exp) -> String {
        let (mut head, mut number) = (function, 1);
        while let ExpKind::Apply(inner, _) = &head.kind {
            head = inner;
            number += 1;
        }
        let name = match head.kind {
            ExpKind::Var { var, .. } => self
                .program
                .vars
                .get(var.index())
                .map(|info| info.name.as_str())
                .filter(|name| !name.starts_with('_')),
            ExpKind::Con { con, .. } => Some(self.program.cons[con.index()].name.as_str()),
            _ => None,
        };
        let number = match number {
            1 => "",
            2 => "second ",
            3 => "third ",
            4 => "fourth ",
            _ => "next ",
        };
        match name {
            Some(name) => format!("the {number}argument of `{name}`"),
            None => format!("this {number}argument"),
        }
    }

    /// A hint if arguments are given as a tuple to a function that takes them one after the other, or vice versa; or if a record
    /// has other labels than expected.
    fn tuple_note(&mut self, found: T, expected: T, result: T) -> Option<String> {
        if let Some(note) = self.label_note(found, expected) {
            return Some(note);
        }
        let parts = |elaborator: &mut Elaborator, ty: T| match elaborator.store.look(ty).1 {
            Node::Record(slice) => elaborator.store.fields(slice).len(),
            _ => 1,
        };
        let (given, taken) = (parts(self, found), parts(self, expected));
        let more = matches!(self.store.look(result).1, Node::Arrow(..));
        match (given, taken) {
            (2.., 1) if more => {
                Some("the function takes its arguments one after the other: `f x y`".into())
            }
            (1, 2..) if !more => Some("the function takes one tuple: `f (x, y)`".into()),
            _ => None,
        }
    }

    /// A hint if two records have different labels, and are no tuples.
    fn label_note(&mut self, found: T, expected: T) -> Option<String> {
        let (Node::Record(found), Node::Record(expected)) =
            (self.store.look(found).1, self.store.look(expected).1)
        else {
            return None;
        };
        let labels = |slice| -> Vec<Symbol> {
            let fields = self.store.fields(slice).iter();
            fields.map(|field| field.0).collect()
        };
        let (found, expected) = (labels(found), labels(expected));
        let is_name = |label: &Symbol| !label.as_str().starts_with(|c: char| c.is_ascii_digit());
        if !found.iter().chain(&expected).all(is_name) {
            return None;
        }
        let missing = expected.iter().find(|label| !found.contains(label));
        let other = found.iter().find(|label| !expected.contains(label));
        match (missing, other) {
            (Some(label), _) => Some(format!("the record has no field `{label}`")),
            (None, Some(label)) => Some(format!(
                "the function takes a record without the field `{label}`"
            )),
            (None, None) => None,
        }
    }

    /// Whether an operand, or one of a pair, could not be elaborated.
    fn has_error(&mut self, ty: T) -> bool {
        match self.store.look(ty).1 {
            Node::Error => true,
            Node::Record(slice) => {
                let fields = self.store.fields(slice).to_vec();
                fields
                    .iter()
                    .any(|field| self.store.resolve(field.1) == T::ERROR)
            }
            _ => false,
        }
    }

    /// Whether an operand, or both of a pair, have one type.
    fn is_uniform(&mut self, ty: T) -> bool {
        let Node::Record(slice) = self.store.look(ty).1 else {
            return true;
        };
        let fields = self.store.fields(slice).to_vec();
        fields
            .windows(2)
            .all(|pair| self.store.unify(pair[0].1, pair[1].1).is_ok())
    }

    /// Rules: also the types of their patterns and of their results.
    pub(super) fn rules(&mut self, rules: &[ast::Rule], of_what: MatchOf) -> (Vec<Rule>, T, T) {
        let (arg, mut result) = match of_what {
            MatchOf::Fn => (self.store.fresh(), None),
            MatchOf::Case(ty, _) => (ty, None),
            MatchOf::Handle(ty, at) => (self.prim_ty("exn"), Some((ty, at))),
        };
        let mut first_pat = None;
        let mut typed = Vec::with_capacity(rules.len());
        for rule in rules {
            let mut binds = Vec::new();
            let pat = self.pat(&rule.pat, &mut binds);
            let (found, at) = (of(pat.ty), pat.span);
            self.agree(found, arg, |_| match of_what {
                MatchOf::Fn => About::new(
                    Code::PatternMismatch,
                    at,
                    "the patterns of this function match different types",
                )
                .label(at, "this matches `{found}`")
                .label(first_pat.unwrap_or(at), "this one matches `{expected}`"),
                MatchOf::Case(_, scrutinee) => About::new(
                    Code::PatternMismatch,
                    at,
                    "this pattern cannot match what the `case` looks at",
                )
                .label(at, "this matches `{found}`")
                .label(scrutinee, "this has the type `{expected}`"),
                MatchOf::Handle(..) => About::new(
                    Code::HandleNeedsExn,
                    at,
                    "the patterns of `handle` match exceptions",
                )
                .label(at, "this matches `{found}`"),
            });
            first_pat = first_pat.or(Some(at));
            let mark = self.scopes.mark();
            self.bind_pat(&binds);
            let exp = self.exp(&rule.exp);
            self.scopes.undo(mark);
            let (found, at) = (of(exp.ty), exp.span);
            match result {
                None => result = Some((found, at)),
                Some((ty, other)) => {
                    self.agree(found, ty, |_| {
                        let message = match of_what {
                            MatchOf::Handle(..) => {
                                "this rule of `handle` has another type than what it stands in for"
                            }
                            _ => "the rules of this match have results of different types",
                        };
                        About::new(Code::BranchMismatch, at, message)
                            .label(at, "this has the type `{found}`")
                            .label(other, "this has the type `{expected}`")
                    });
                    if self.store.resolve(ty) == T::ERROR {
                        result = Some((found, at));
                    }
                }
            }
            typed.push(Rule { pat, exp });
        }
        let result = result.map_or(T::ERROR, |result| result.0);
        (typed, arg, result)
    }

    /// Brings the variables of a pattern into scope, each at one type.
    pub(super) fn bind_pat(&mut self, binds: &[super::pat::Bind]) {
        for bind in binds {
            let val = super::name::plain_val(What::Var(bind.var), bind.ty, bind.span);
            self.scopes.bind_val(bind.name, val);
        }
    }
}

/// Hint for the result of a call that is applied again.
fn too_many(function: &Exp) -> Option<String> {
    matches!(function.kind, ExpKind::Apply(..))
        .then(|| "the function is applied to too many arguments, perhaps".into())
}

/// Stand-in for an expression with an error.
pub(super) fn error(span: Span) -> Exp {
    node(ExpKind::Record(Vec::new()), T::ERROR, span)
}
