//! Elaborates structures.

use std::rc::Rc;

use super::Elaborator;
use super::env::{Binding, Env, Sig, Structure};
use super::facts::Fact;
use crate::diag::Code;
use crate::syntax::ast;
use crate::typed::Dec;

impl Elaborator {
    /// Elaborates a declaration at top level.
    pub(super) fn module_dec(&mut self, dec: &ast::Dec) {
        let mut out = std::mem::take(&mut self.out);
        self.dec(dec, &mut out);
        self.out = out;
        if dec.ended || matches!(dec.kind, ast::DecKind::Exp(_)) {
            self.end_context();
        }
    }

    /// Elaborates `structure S : SIG = strexp and ...`.
    pub(super) fn structure_dec(&mut self, binds: &[ast::StrBind], out: &mut Vec<Dec>) {
        let names: Vec<ast::Name> = binds.iter().map(|bind| bind.name).collect();
        self.no_duplicates(&names, Code::DuplicateModule, "the structure");
        let mut made = Vec::with_capacity(binds.len());
        for bind in binds {
            self.path.push(bind.name.symbol);
            let env = self.constrained(&bind.strexp, bind.sig.as_ref(), out);
            self.path.pop();
            made.push(Structure {
                env,
                span: bind.name.span,
            });
        }
        for (bind, structure) in binds.iter().zip(made) {
            self.note(|| Fact::structure(bind.name.span, &structure));
            self.scopes.bind(Binding::Str(bind.name.symbol, structure));
        }
    }

    /// Elaborates a structure expression, and matches it against its signature, if there is one.
    pub(super) fn constrained(
        &mut self,
        strexp: &ast::StrExp,
        sig: Option<&(ast::SigExp, bool)>,
        out: &mut Vec<Dec>,
    ) -> Rc<Env> {
        let env = self.strexp(strexp, out);
        match sig {
            None => env,
            Some((sigexp, opaque)) => {
                let sig = self.relative_sigexp(sigexp);
                self.ascribe(&env, sig, *opaque, strexp.span, sigexp.span)
            }
        }
    }

    /// Elaborates a signature expression. The names of its types do not get the names of the enclosing structures.
    fn relative_sigexp(&mut self, sigexp: &ast::SigExp) -> Sig {
        let path = std::mem::take(&mut self.path);
        let sig = self.sigexp(sigexp);
        self.path = path;
        sig
    }

    /// Elaborates a structure expression, and returns the contents of the structure.
    pub(super) fn strexp(&mut self, strexp: &ast::StrExp, out: &mut Vec<Dec>) -> Rc<Env> {
        match &strexp.kind {
            ast::StrExpKind::Struct(decs) => {
                let mark = self.scopes.mark();
                self.decs(decs, out);
                Rc::new(self.scopes.take_env(mark))
            }
            ast::StrExpKind::Name(name) => self.find_structure(name).env,
            ast::StrExpKind::Ascribe {
                strexp: inner,
                sigexp,
                opaque,
            } => {
                let env = self.strexp(inner, out);
                let sig = self.relative_sigexp(sigexp);
                self.ascribe(&env, sig, *opaque, inner.span, sigexp.span)
            }
            ast::StrExpKind::Apply { functor, arg } => self.apply_functor(*functor, arg, out),
            ast::StrExpKind::Let(decs, body) => {
                let mark = self.scopes.mark();
                self.decs(decs, out);
                let env = self.strexp(body, out);
                self.scopes.undo(mark);
                env
            }
            ast::StrExpKind::Error => {
                self.lenient = true;
                error_env()
            }
        }
    }
}

/// Returns the environment that replaces a structure with an error.
pub(super) fn error_env() -> Rc<Env> {
    Rc::new(Env {
        error: true,
        ..Env::default()
    })
}
