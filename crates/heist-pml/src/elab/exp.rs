//! Elaborates expressions.

mod call;
mod rules;

pub(super) use rules::MatchOf;

use super::Elaborator;
use super::cont;
use super::env::What;
use super::name::{node, of, raw};
use super::report::About;
use super::types::{Node, T};
use crate::diag::{Code, Diagnostic};
use crate::prim::Prim;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Exp, ExpKind, Otherwise, Pat, PatKind, Rule, TyCon, Types};

impl Elaborator {
    /// Elaborates an expression.
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
            ast::ExpKind::List(parts) => self.list(parts, "list", span),
            ast::ExpKind::Vector(parts) => {
                let list = self.list(parts, "vector", span);
                self.call_member("Vector", "fromList", list, span)
            }
            ast::ExpKind::Sequence(parts) => self.sequence(parts, span),
            ast::ExpKind::Let(decs, body) if cont::is_in(decs) => {
                self.exp(&cont::captured(decs, body, span))
            }
            ast::ExpKind::Let(decs, body) => self.let_exp(decs, body, span),
            ast::ExpKind::Member(structure, name) => {
                let member = self.builtin_member(structure, name, span);
                member.unwrap_or_else(|| error(span))
            }
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

    /// Returns the first of two equal types. If the first type is the type of an expression with an error, returns the second type.
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

    /// Elaborates `andalso` and `orelse`: the result is the second operand or the constant.
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

    /// Returns the constructor with index `number` of a datatype.
    pub(super) fn con_of(&self, tycon: Option<TyCon>, number: usize) -> Option<crate::typed::Con> {
        match &self.program.tycons[tycon?.index()].kind {
            crate::typed::TyConKind::Data(cons) => cons.get(number).copied(),
            _ => None,
        }
    }

    /// Returns the constructors `nil` and `::`.
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

    /// Elaborates a tuple.
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

    /// Elaborates a list of expressions that must all have the same type. In messages, `what` names the kind of sequence.
    pub(super) fn list(&mut self, parts: &[ast::Exp], what: &str, span: Span) -> Exp {
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
                    format!("the elements of this {what} have different types"),
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

    /// Returns a type constructor with a deeper level than the current level, if a type contains such a constructor.
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
}

/// Returns the expression that replaces an expression with an error.
pub(super) fn error(span: Span) -> Exp {
    node(ExpKind::Record(Vec::new()), T::ERROR, span)
}
