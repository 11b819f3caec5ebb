//! Elaborates signatures.

mod copy;
mod sharing;
mod spec;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Elaborator;
use super::env::{Binding, Env, Sig, TyEntry};
use super::facts::Fact;
use super::name::long_text;
use super::probe::Place;
use super::types::{Eq, T, TyFn};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::TyCon;
use spec::Builder;

/// A map from the type constructors of a signature to the type constructors that replace them in a copy of the signature.
pub(super) type Renaming = FxHashMap<TyCon, TyCon>;

impl Elaborator {
    /// Elaborates `signature S = sigexp and ...`.
    pub(super) fn signature_dec(&mut self, binds: &[ast::SigBind]) {
        let names: Vec<ast::Name> = binds.iter().map(|bind| bind.name).collect();
        self.no_duplicates(&names, Code::DuplicateModule, "the signature");
        let path = std::mem::take(&mut self.path);
        let sigs: Vec<Sig> = binds.iter().map(|bind| self.sigexp(&bind.sigexp)).collect();
        self.path = path;
        for (bind, mut sig) in binds.iter().zip(sigs) {
            sig.span = bind.name.span;
            self.note(|| Fact::signature(sig.span, sig.span, &sig.env));
            self.scopes
                .bind(Binding::Sig(bind.name.symbol, Rc::new(sig)));
        }
    }

    /// Elaborates a signature expression. The result has new type constructors, which no other signature shares.
    pub(super) fn sigexp(&mut self, sigexp: &ast::SigExp) -> Sig {
        match &sigexp.kind {
            ast::SigExpKind::Sig(specs) => {
                let mark = self.scopes.mark();
                let outer = std::mem::take(&mut self.tyvars);
                self.in_signature += 1;
                let mut builder = Builder::default();
                for spec in specs {
                    self.spec(spec, &mut builder);
                }
                self.in_signature -= 1;
                self.tyvars = outer;
                self.scopes.undo(mark);
                self.close_sig(builder.flexible, Rc::new(builder.env))
            }
            ast::SigExpKind::Name(name) => match self.scopes.sig(name.symbol).cloned() {
                Some(sig) => {
                    self.note(|| Fact::signature(name.span, sig.span, &sig.env));
                    self.copy_sig(&sig).0
                }
                None => {
                    self.look_around(&[], *name, Place::Signature);
                    let hint = self.suggest(name.symbol, self.scopes.sig_names());
                    let mut diagnostic = Diagnostic::new(
                        Code::UnboundSignature,
                        name.span,
                        format!("unknown signature `{}`", name.symbol),
                    );
                    diagnostic.notes.extend(hint);
                    self.report(diagnostic);
                    Sig {
                        flexible: Vec::new(),
                        env: super::module::error_env(),
                        span: Span::NONE,
                    }
                }
            },
            ast::SigExpKind::Where {
                sigexp: inner,
                tyvars,
                tycon,
                ty,
            } => {
                let sig = self.sigexp(inner);
                let function = self.type_function(tyvars, ty);
                self.where_type(&sig, tycon, &function, sigexp.span);
                self.close_sig(sig.flexible, sig.env)
            }
            ast::SigExpKind::Error => Sig {
                flexible: Vec::new(),
                env: super::module::error_env(),
                span: Span::NONE,
            },
        }
    }

    /// Returns a signature. Its flexible type constructors are the type constructors of `flexible` that are not bound to other types.
    fn close_sig(&self, mut flexible: Vec<TyCon>, env: Rc<Env>) -> Sig {
        flexible.retain(|con| self.store.tycons[con.index()].real.is_none());
        Sig {
            flexible,
            env,
            span: Span::NONE,
        }
    }

    fn where_type(&mut self, sig: &Sig, name: &ast::LongName, function: &TyFn, span: Span) {
        if sig.env.error {
            return;
        }
        self.note_path(&sig.env, &name.path);
        let Some(entry) = find_ty(&sig.env, name) else {
            self.error(
                Code::UnboundType,
                name.span(),
                format!("the signature has no type `{}`", long_text(name)),
            );
            return;
        };
        let entry = entry.clone();
        self.note(|| Fact::ty(name.name.span, &entry));
        let (wanted, given) = (
            self.store.function_arity(&entry.function),
            self.store.function_arity(function),
        );
        if wanted != given {
            self.error(
                Code::TypeArity,
                span,
                format!(
                    "`{}` takes {}, and what it is to be takes {given}",
                    long_text(name),
                    super::tyexp::count(wanted, "type argument"),
                ),
            );
            return;
        }
        let con = self.store.function_con(&entry.function);
        match con {
            Some(con) if sig.flexible.contains(&con) => {
                if self.store.tycons[con.index()].eq != Eq::Never
                    && !self.store.function_admits_eq(function)
                {
                    self.error(
                        Code::WhereType,
                        span,
                        format!(
                            "`{}` must admit equality, and what it is to be does not",
                            long_text(name)
                        ),
                    );
                    return;
                }
                if !entry.cons.is_empty() && self.store.function_con(function).is_none() {
                    self.error(
                        Code::WhereType,
                        span,
                        format!(
                            "`{}` is a datatype: it can only be another datatype",
                            long_text(name)
                        ),
                    );
                    return;
                }
                if self.store.function_con(function) != Some(con) {
                    self.store.tycons[con.index()].real = Some(function.clone());
                }
            }
            _ => {
                self.report(Diagnostic::new(
                    Code::WhereType,
                    span,
                    format!("the signature says already what `{}` is", long_text(name)),
                ));
            }
        }
    }

    /// Records facts about the structures that a path in a signature names.
    fn note_path(&mut self, env: &Env, path: &[ast::Name]) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        if let Some(structure) = env.strs.get(first.symbol) {
            self.note(|| Fact::structure(first.span, structure));
            self.note_path(&structure.env, rest);
        }
    }

    /// Returns true if two type functions are equal.
    pub(super) fn same_function(&mut self, first: &TyFn, second: &TyFn) -> bool {
        let arity = self.store.function_arity(first);
        if arity != self.store.function_arity(second) {
            return false;
        }
        let args: Vec<T> = (0..arity)
            .map(|_| {
                let var = self.tyvar(Symbol::new("'a"), true);
                self.store.rigid(var)
            })
            .collect();
        let first = self.store.apply(first, &args);
        let second = self.store.apply(second, &args);
        self.store.unify(first, second).is_ok()
    }
}

/// Returns the contents of the structure that a path such as `A.B` names in an environment.
fn find_env(env: &Env, path: &[ast::Name]) -> Option<Rc<Env>> {
    let (first, rest) = path.split_first()?;
    let mut found = env.strs.get(first.symbol)?.env.clone();
    for name in rest {
        let inner = found.strs.get(name.symbol)?.env.clone();
        found = inner;
    }
    Some(found)
}

/// Returns the type that a name means in an environment.
fn find_ty(env: &Env, name: &ast::LongName) -> Option<TyEntry> {
    if name.path.is_empty() {
        return env.tys.get(name.name.symbol).cloned();
    }
    let inner = find_env(env, &name.path)?;
    inner.tys.get(name.name.symbol).cloned()
}
