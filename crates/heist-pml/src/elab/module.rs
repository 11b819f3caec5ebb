//! Structures.

use super::Elaborator;
use crate::diag::Code;
use crate::syntax::ast;
use crate::typed::Dec;

impl Elaborator {
    /// A declaration at top level.
    pub(super) fn module_dec(&mut self, dec: &ast::Dec) {
        let mut out = std::mem::take(&mut self.out);
        self.dec(dec, &mut out);
        self.out = out;
    }

    pub(super) fn structure_dec(&mut self, binds: &[ast::StrBind], out: &mut Vec<Dec>) {
        let _ = out;
        for bind in binds {
            self.error(
                Code::Unsupported,
                bind.name.span,
                "not supported yet: structures",
            );
        }
    }

    pub(super) fn signature_dec(&mut self, binds: &[ast::SigBind]) {
        for bind in binds {
            self.error(
                Code::Unsupported,
                bind.name.span,
                "not supported yet: signatures",
            );
        }
    }

    pub(super) fn functor_dec(&mut self, binds: &[ast::FunctorBind]) {
        for bind in binds {
            self.error(
                Code::Unsupported,
                bind.name.span,
                "not supported yet: functors",
            );
        }
    }
}
