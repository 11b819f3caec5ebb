//! Elaborates patterns.

mod alternatives;

use super::Elaborator;
use super::env::{Status, Val, What};
use super::literal::LiteralKind;
use super::name::{of, raw};
use super::probe::Place;
use super::report::About;
use super::types::{Node, T};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{Const, Pat, PatKind, Types, Var};

/// A variable that a pattern binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bind {
    pub name: Symbol,
    pub span: Span,
    pub var: Var,
    pub ty: T,
}

fn pat_node(kind: PatKind, ty: T, span: Span) -> Pat {
    Pat {
        kind,
        ty: raw(ty),
        span,
    }
}

impl Elaborator {
    /// Elaborates a pattern. Adds the variables of the pattern to `binds`, but does not bring them into scope.
    pub(super) fn pat(&mut self, pat: &ast::Pat, binds: &mut Vec<Bind>) -> Pat {
        let span = pat.span;
        match &pat.kind {
            ast::PatKind::Wild => {
                let ty = self.store.fresh();
                pat_node(PatKind::Wild, ty, span)
            }
            ast::PatKind::Error => pat_node(PatKind::Wild, T::ERROR, span),
            ast::PatKind::Paren(inner) => self.pat(inner, binds),
            ast::PatKind::Literal(literal) => self.literal_pat(literal, span),
            ast::PatKind::Name { name, .. } => self.name_pat(name, span, binds),
            ast::PatKind::Apply { con, arg, .. } => self.apply_pat(con, arg, span, binds),
            ast::PatKind::Record { fields, flexible } => {
                let mut parts: Vec<(Symbol, Pat)> = Vec::with_capacity(fields.len());
                let labels: Vec<ast::Name> = fields.iter().map(|field| field.0).collect();
                self.no_duplicate_labels(&labels);
                let marked = fields.iter().find(|it| self.is_marked(it.0.symbol));
                let marked = marked.map(|it| (it.0, self.store.fresh()));
                if let Some((label, record)) = marked {
                    self.look_at_record(label, record);
                }
                for (label, pat) in fields {
                    self.note_pun(*label, pat.span);
                    let pat = self.pat(pat, binds);
                    parts.push((label.symbol, pat));
                }
                let mut types: Vec<(Symbol, T)> =
                    parts.iter().map(|part| (part.0, of(part.1.ty))).collect();
                let ty = if let Some((label, record)) = marked {
                    types.retain(|field| field.0 != label.symbol);
                    if !types.is_empty() {
                        let known = self.flexible(types, span);
                        let _ = self.store.unify(record, known);
                    }
                    record
                } else if *flexible {
                    self.flexible(types, span)
                } else {
                    types.sort_by(|a, b| Types::compare_labels(a.0, b.0));
                    types.dedup_by_key(|field| field.0);
                    self.store.record(&types)
                };
                pat_node(PatKind::Record(parts), ty, span)
            }
            ast::PatKind::Tuple(pats) => {
                let pats: Vec<Pat> = pats.iter().map(|pat| self.pat(pat, binds)).collect();
                self.tuple_pat(pats, span)
            }
            ast::PatKind::List(pats) => self.list_pat(pats, span, binds),
            ast::PatKind::Vector(pats) => {
                let element = self.store.fresh();
                let con = self.prims["vector"];
                let ty = self.store.con(con, &[element]);
                let parts = self.element_pats(pats, element, "a vector", binds);
                pat_node(PatKind::Vector(parts), ty, span)
            }
            ast::PatKind::Or(pats) => self.or_pat(pats, span, binds),
            ast::PatKind::Typed(inner, ty) => {
                let inner = self.pat(inner, binds);
                let annotated = self.ty(ty);
                let (at, found) = (inner.span, of(inner.ty));
                self.agree(found, annotated, |_| {
                    About::new(
                        Code::AnnotationMismatch,
                        at,
                        "this pattern has not the type that is written",
                    )
                    .label(at, "this matches `{found}`")
                    .label(ty.span, "this says `{expected}`")
                });
                pat_node(inner.kind, annotated, span)
            }
            ast::PatKind::As { name, ty, pat, .. } => {
                let inner = self.pat(pat, binds);
                if let Some(ty) = ty {
                    let annotated = self.ty(ty);
                    let found = of(inner.ty);
                    let at = inner.span;
                    self.agree(found, annotated, |_| {
                        About::new(
                            Code::AnnotationMismatch,
                            at,
                            "this pattern has not the type that is written",
                        )
                        .label(at, "this matches `{found}`")
                        .label(ty.span, "this says `{expected}`")
                    });
                }
                let known = self.scopes.val(name.symbol).map(|val| val.status);
                if let Some(Status::Con | Status::Exn) = known {
                    self.error(
                        Code::AsNeedsVariable,
                        name.span,
                        format!(
                            "`{}` is a constructor: it cannot be bound by `as`",
                            name.symbol
                        ),
                    );
                    return inner;
                }
                let (ty, kind) = (of(inner.ty), Box::new(inner));
                let var = self.bind_var(*name, ty, binds);
                pat_node(PatKind::As(var, kind), ty, span)
            }
        }
    }

    /// Elaborates a tuple of patterns.
    pub(super) fn tuple_pat(&mut self, pats: Vec<Pat>, span: Span) -> Pat {
        let types: Vec<T> = pats.iter().map(|pat| of(pat.ty)).collect();
        let ty = self.store.tuple(&types);
        let fields = pats
            .into_iter()
            .enumerate()
            .map(|(at, pat)| (self.store.label(at + 1), pat))
            .collect();
        pat_node(PatKind::Record(fields), ty, span)
    }

    fn bind_var(&mut self, name: ast::Name, ty: T, binds: &mut Vec<Bind>) -> Var {
        self.check_bindable(name);
        if let Some(first) = binds.iter().find(|bind| bind.name == name.symbol) {
            let first = first.span;
            self.report(
                Diagnostic::new(
                    Code::DuplicatePattern,
                    name.span,
                    format!("`{}` is bound twice in one pattern", name.symbol),
                )
                .label(name.span, "bound again here")
                .label(first, "bound here"),
            );
        }
        let var = self.var(name.symbol, name.span);
        // An expression at top level binds `it`, which the text does not contain.
        if name.span.end - name.span.start == name.symbol.as_str().len() as u32 {
            self.fact(name.span, Status::Value, ty, name.span);
        }
        binds.push(Bind {
            name: name.symbol,
            span: name.span,
            var,
            ty,
        });
        var
    }

    /// Reports an error if the Definition reserves a name.
    pub(super) fn check_bindable(&mut self, name: ast::Name) {
        if self.builtin {
            return;
        }
        if let "true" | "false" | "nil" | "::" | "ref" | "=" = name.symbol.as_str() {
            self.error(
                Code::ReservedBinding,
                name.span,
                format!("`{}` cannot be bound anew", name.symbol),
            );
        }
    }

    fn name_pat(&mut self, name: &ast::LongName, span: Span, binds: &mut Vec<Bind>) -> Pat {
        self.look_around(&name.path, name.name, Place::Pattern);
        let known = match self.look_up_val(name) {
            Ok(known) => known,
            Err(()) => return pat_node(PatKind::Wild, T::ERROR, span),
        };
        match known {
            Some(val) if val.status != Status::Value => {
                let (ty, inst) = self.instantiate(&val);
                if let Node::Arrow(..) = self.store.look(ty).1 {
                    if !self.builtin && matches!(name.name.symbol.as_str(), "::" | "ref") {
                        self.check_bindable(name.name);
                        return pat_node(PatKind::Wild, T::ERROR, span);
                    }
                    let label = Diagnostic::new(
                        Code::ConstructorArity,
                        span,
                        format!(
                            "the constructor `{}` needs an argument here",
                            name.name.symbol
                        ),
                    );
                    let text = self.show(ty);
                    self.report(label.label(span, format!("its type is `{text}`")));
                    return pat_node(PatKind::Wild, T::ERROR, span);
                }
                self.fact(name.name.span, val.status, ty, val.span);
                self.con_pat(&val, inst, None, ty, span)
            }
            _ if name.path.is_empty() => {
                let ty = self.store.fresh();
                let var = self.bind_var(name.name, ty, binds);
                pat_node(PatKind::Var(var), ty, span)
            }
            known => {
                let hint = self.suggest_val(name);
                if known.is_some() {
                    self.error(
                        Code::NotAConstructor,
                        span,
                        format!("`{}` is not a constructor", super::name::long_text(name)),
                    );
                } else {
                    self.unbound_long(Code::UnboundConstructor, "constructor", name, hint);
                }
                pat_node(PatKind::Wild, T::ERROR, span)
            }
        }
    }

    fn apply_pat(
        &mut self,
        name: &ast::LongName,
        arg: &ast::Pat,
        span: Span,
        binds: &mut Vec<Bind>,
    ) -> Pat {
        let arg_pat = self.pat(arg, binds);
        let wrong = pat_node(PatKind::Wild, T::ERROR, span);
        self.look_around(&name.path, name.name, Place::Pattern);
        let val = match self.look_up_val(name) {
            Err(()) => return wrong,
            Ok(Some(val)) if val.status != Status::Value => val,
            Ok(Some(_)) => {
                self.error(
                    Code::NotAConstructor,
                    name.span(),
                    format!(
                        "`{}` is not a constructor, and cannot be applied in a pattern",
                        super::name::long_text(name)
                    ),
                );
                return wrong;
            }
            Ok(None) => {
                let hint = self.suggest_val(name);
                self.unbound_long(Code::UnboundConstructor, "constructor", name, hint);
                return wrong;
            }
        };
        let (ty, inst) = self.instantiate(&val);
        self.fact(name.name.span, val.status, ty, val.span);
        let Node::Arrow(from, to) = self.store.look(ty).1 else {
            if ty != T::ERROR {
                self.error(
                    Code::ConstructorArity,
                    span,
                    format!("the constructor `{}` takes no argument", name.name.symbol),
                );
            }
            return wrong;
        };
        let found = of(arg_pat.ty);
        let at = arg_pat.span;
        self.agree(found, from, |_| {
            About::new(
                Code::PatternMismatch,
                at,
                format!(
                    "the argument of `{}` is matched by a pattern of another type",
                    name.name.symbol
                ),
            )
            .label(at, "this matches `{found}`")
            .label(name.span(), "its argument has the type `{expected}`")
        });
        self.con_pat(&val, inst, Some(Box::new(arg_pat)), to, span)
    }

    fn con_pat(
        &mut self,
        val: &Val,
        inst: Vec<T>,
        arg: Option<Box<Pat>>,
        ty: T,
        span: Span,
    ) -> Pat {
        let kind = match val.what {
            What::Con(con) => PatKind::Con {
                con,
                inst: inst.into_iter().map(raw).collect(),
                arg,
            },
            What::Exn(tag) => PatKind::Exn { tag, arg },
            What::Ref => match arg {
                Some(arg) => PatKind::Ref(arg),
                None => PatKind::Wild,
            },
            // This case occurs only in code that never runs.
            _ => PatKind::Wild,
        };
        pat_node(kind, ty, span)
    }

    fn list_pat(&mut self, pats: &[ast::Pat], span: Span, binds: &mut Vec<Bind>) -> Pat {
        let element = self.store.fresh();
        let list = self.list_ty(element);
        let parts = self.element_pats(pats, element, "a list", binds);
        let Some((nil, cons)) = self.list_cons() else {
            return pat_node(PatKind::Wild, T::ERROR, span);
        };
        let inst = || vec![raw(element)];
        let end = PatKind::Con {
            con: nil,
            inst: inst(),
            arg: None,
        };
        let mut whole = pat_node(end, list, span);
        for part in parts.into_iter().rev() {
            let at = part.span;
            let pair = self.tuple_pat(vec![part, whole], at);
            let kind = PatKind::Con {
                con: cons,
                inst: inst(),
                arg: Some(Box::new(pair)),
            };
            whole = pat_node(kind, list, span);
        }
        whole
    }

    /// Elaborates the patterns of elements, which all have the same type.
    fn element_pats(
        &mut self,
        pats: &[ast::Pat],
        element: T,
        of_what: &str,
        binds: &mut Vec<Bind>,
    ) -> Vec<Pat> {
        let mut parts = Vec::with_capacity(pats.len());
        for pat in pats {
            let part = self.pat(pat, binds);
            let (at, found) = (part.span, of(part.ty));
            self.agree(found, element, |_| {
                About::new(
                    Code::PatternMismatch,
                    at,
                    format!("elements of {of_what} are matched by patterns of different types"),
                )
                .label(at, "this matches `{found}`, those before `{expected}`")
            });
            parts.push(part);
        }
        parts
    }

    fn literal_pat(&mut self, literal: &ast::Literal, span: Span) -> Pat {
        if let ast::Literal::Real(_) = literal
            && !self.options.manticore
        {
            self.report(
                Diagnostic::new(Code::RealPattern, span, "a real number cannot be a pattern")
                    .note("compare with `Real.==`, or within bounds"),
            );
            return pat_node(PatKind::Wild, T::ERROR, span);
        }
        let (constant, ty) = self.literal(literal);
        pat_node(PatKind::Const(constant), ty, span)
    }

    /// Returns the constant and the type of a literal. An integer or word is an `IntInf` constant until the type of the literal is known.
    pub(super) fn literal(&mut self, literal: &ast::Literal) -> (Const, T) {
        match literal {
            ast::Literal::Int(number) => (
                Const::IntInf(number.clone()),
                self.literal_ty(LiteralKind::Int),
            ),
            ast::Literal::Word(number) => (
                Const::IntInf(number.clone().into()),
                self.literal_ty(LiteralKind::Word),
            ),
            ast::Literal::Real(text) => {
                let number: f64 = text.parse().unwrap_or(f64::NAN);
                (Const::Real(number), self.literal_ty(LiteralKind::Real))
            }
            ast::Literal::Char(byte) => (Const::Char(*byte), self.prim_ty("char")),
            ast::Literal::String(bytes) => (Const::String(bytes.clone()), self.prim_ty("string")),
        }
    }
}
