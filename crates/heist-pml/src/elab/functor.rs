//! Elaborates functors. The body of a functor is elaborated once with the signature of the parameter, to find errors, and again for each
//! application.

use std::rc::Rc;

use super::Elaborator;
use super::env::{Binding, Env, Sig, Structure};
use super::facts::Fact;
use super::probe::Place;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast;
use crate::typed::Dec;

/// A functor.
#[derive(Debug)]
pub(super) struct Functor {
    /// The functor's binding, as the program writes it.
    bind: ast::FunctorBind,
    /// The signature of the parameter.
    param: Sig,
    /// The number of the last binding that the functor's body sees.
    stamp: u32,
    /// Whether the functor has errors. Applications of the functor do not report these errors
    /// again.
    failed: bool,
}

impl Functor {
    /// The place where the functor is bound.
    pub(super) fn span(&self) -> Span {
        self.bind.name.span
    }
}

impl Elaborator {
    /// Elaborates `functor F (X : SIG) : SIG' = strexp and ...`.
    pub(super) fn functor_dec(&mut self, binds: &[ast::FunctorBind]) {
        let names: Vec<ast::Name> = binds.iter().map(|bind| bind.name).collect();
        self.no_duplicates(&names, Code::DuplicateModule, "the functor");
        let stamp = self.scopes.now();
        let mut made = Vec::with_capacity(binds.len());
        for bind in binds {
            let name = bind.name.span;
            self.note(|| Fact::functor(name, name));
            let before = self.reported;
            let param = match &bind.param {
                ast::FunctorParam::Structure(_, sigexp) | ast::FunctorParam::Spec(sigexp) => {
                    self.sigexp(sigexp)
                }
            };
            // This elaboration of the body serves only to find errors.
            let formal = self.copy_sig(&param).0;
            if let ast::FunctorParam::Structure(name, _) = &bind.param {
                for con in &formal.flexible {
                    let info = &mut self.program.tycons[con.index()];
                    info.name = Symbol::new(&format!("{}.{}", name.symbol, info.name));
                }
            }
            let restricted = self.restricted.len();
            let rows = self.rows.made.len();
            let mark = self.scopes.mark();
            self.bind_param(bind, formal.env);
            let mut out = Vec::new();
            self.path.push(bind.name.symbol);
            self.constrained(&bind.body, bind.sig.as_ref(), &mut out);
            self.path.pop();
            self.scopes.undo(mark);
            self.settle_rows(rows);
            self.restricted.truncate(restricted);
            made.push(Functor {
                bind: bind.clone(),
                param,
                stamp,
                failed: self.reported != before,
            });
        }
        for functor in made {
            let name = functor.bind.name.symbol;
            self.scopes.bind(Binding::Fct(name, Rc::new(functor)));
        }
    }

    fn bind_param(&mut self, bind: &ast::FunctorBind, env: Rc<Env>) {
        match &bind.param {
            ast::FunctorParam::Structure(name, _) => {
                let structure = Structure {
                    env,
                    span: name.span,
                };
                self.note(|| Fact::structure(name.span, &structure));
                self.scopes.bind(Binding::Str(name.symbol, structure));
            }
            ast::FunctorParam::Spec(_) => self.scopes.open(&env),
        }
    }

    /// Elaborates `F (strexp)`.
    pub(super) fn apply_functor(
        &mut self,
        name: ast::Name,
        arg: &ast::StrExp,
        out: &mut Vec<Dec>,
    ) -> Rc<Env> {
        let actual = self.strexp(arg, out);
        let Some(functor) = self.scopes.functor(name.symbol).cloned() else {
            self.look_around(&[], name, Place::Functor);
            let hint = self.suggest(name.symbol, self.scopes.functor_names());
            let mut diagnostic = Diagnostic::new(
                Code::UnboundFunctor,
                name.span,
                format!("unknown functor `{}`", name.symbol),
            );
            diagnostic.notes.extend(hint);
            self.report(diagnostic);
            return super::module::error_env();
        };
        self.note(|| Fact::functor(name.span, functor.span()));
        let sig = self.copy_sig(&functor.param).0;
        let sig_at = match &functor.bind.param {
            ast::FunctorParam::Structure(_, sigexp) | ast::FunctorParam::Spec(sigexp) => {
                sigexp.span
            }
        };
        let before = self.reported;
        let arg_env = self.ascribe(&actual, sig, false, arg.span, sig_at);
        // An argument that does not fit may cause errors in the body, so errors of the body are not reported in this
        // case.
        let muted = u32::from(functor.failed || self.reported != before);
        self.muted += muted;
        let mark = self.scopes.mark();
        let view = self.scopes.enter(functor.stamp);
        self.bind_param(&functor.bind, arg_env);
        let env = self.constrained(&functor.bind.body, functor.bind.sig.as_ref(), out);
        self.scopes.undo(mark);
        self.scopes.leave(view);
        self.muted -= muted;
        env
    }
}
