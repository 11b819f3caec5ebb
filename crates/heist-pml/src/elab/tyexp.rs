//! Elaborates type expressions.

use super::Elaborator;
use super::types::T;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::{TyVar, Types};

impl Elaborator {
    /// Elaborates a type expression. Returns the type.
    pub(super) fn ty(&mut self, ty: &ast::Ty) -> T {
        match &ty.kind {
            ast::TyKind::Var(name) => {
                let known = self.tyvars.iter().rev().find(|other| other.0 == *name);
                if let Some(&(_, var)) = known {
                    return self.store.rigid(var);
                }
                self.error(
                    Code::UnboundTypeVariable,
                    ty.span,
                    format!("the type variable `{name}` is not bound here"),
                );
                T::ERROR
            }
            ast::TyKind::Con(args, name) => {
                let args: Vec<T> = args.iter().map(|arg| self.ty(arg)).collect();
                let Some(entry) = self.find_ty(name) else {
                    return T::ERROR;
                };
                let arity = self.store.function_arity(&entry.function);
                if arity != args.len() {
                    let label = crate::diag::Diagnostic::new(
                        Code::TypeArity,
                        ty.span,
                        format!(
                            "`{}` takes {}, and {} given",
                            name.name.symbol,
                            count(arity, "type argument"),
                            match args.len() {
                                0 => "none is".into(),
                                1 => "one is".into(),
                                some => format!("{some} are"),
                            }
                        ),
                    );
                    let label = if entry.span == Span::NONE {
                        label
                    } else {
                        label.label(entry.span, "declared here")
                    };
                    self.report(label);
                    return T::ERROR;
                }
                self.store.apply(&entry.function, &args)
            }
            ast::TyKind::Record(fields) => {
                let mut parts: Vec<(Symbol, T)> = Vec::with_capacity(fields.len());
                let mut labels = Vec::with_capacity(fields.len());
                for (label, ty) in fields {
                    let ty = self.ty(ty);
                    labels.push(*label);
                    parts.push((label.symbol, ty));
                }
                self.no_duplicate_labels(&labels);
                parts.sort_by(|a, b| Types::compare_labels(a.0, b.0));
                parts.dedup_by_key(|part| part.0);
                self.store.record(&parts)
            }
            ast::TyKind::Tuple(parts) => {
                let parts: Vec<T> = parts.iter().map(|part| self.ty(part)).collect();
                self.store.tuple(&parts)
            }
            ast::TyKind::Arrow(from, to) => {
                let from = self.ty(from);
                let to = self.ty(to);
                self.store.arrow(from, to)
            }
        }
    }

    /// Reports an error for each label that occurs more than once.
    pub(super) fn no_duplicate_labels(&mut self, labels: &[ast::Name]) {
        self.no_duplicates(labels, Code::DuplicateLabel, "the label");
    }

    /// Reports an error for each name that occurs more than once.
    pub(super) fn no_duplicates(&mut self, names: &[ast::Name], code: Code, what: &str) {
        let mut seen: rustc_hash::FxHashMap<Symbol, Span> = rustc_hash::FxHashMap::default();
        for name in names {
            if let Some(&first) = seen.get(&name.symbol) {
                self.report(
                    Diagnostic::new(
                        code,
                        name.span,
                        format!("{what} `{}` is given twice", name.symbol),
                    )
                    .label(name.span, "here again")
                    .label(first, "given here"),
                );
            } else {
                seen.insert(name.symbol, name.span);
            }
        }
    }

    /// Makes the parameters of a type, and brings their names into scope.
    pub(super) fn type_params(&mut self, names: &[ast::Name]) -> Vec<TyVar> {
        self.no_duplicates(names, Code::DuplicateTypeVariable, "the type variable");
        names
            .iter()
            .map(|name| {
                let var = self.tyvar(name.symbol, name.symbol.as_str().starts_with("''"));
                self.tyvars.push((name.symbol, var));
                var
            })
            .collect()
    }
}

/// Returns a number followed by a noun: `no x`, `one x`, `2 xs`.
pub(super) fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}"),
        1 => format!("one {what}"),
        _ => format!("{number} {what}s"),
    }
}
