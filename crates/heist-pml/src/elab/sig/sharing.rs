//! Makes types of a signature equal, for `sharing` specifications.

use super::super::Elaborator;
use super::super::env::Env;
use super::super::types::{Eq, TyFn};
use super::spec::Builder;
use crate::diag::Code;
use crate::source::Span;
use crate::typed::TyConKind;

impl Elaborator {
    /// Makes two types of a signature equal.
    pub(super) fn share(&mut self, first: &TyFn, second: &TyFn, builder: &Builder, span: Span) {
        let arities = (
            self.store.function_arity(first),
            self.store.function_arity(second),
        );
        let cons = (
            self.store.function_con(first),
            self.store.function_con(second),
        );
        let (Some(a), Some(b)) = cons else {
            self.error(
                Code::Sharing,
                span,
                "a type that is defined in the signature cannot be shared",
            );
            return;
        };
        let open = builder.flexible.contains(&a) && builder.flexible.contains(&b);
        if a == b && open {
            return;
        }
        if arities.0 != arities.1 {
            self.error(
                Code::Sharing,
                span,
                "types with different numbers of parameters cannot be the same",
            );
            return;
        }
        if !open {
            self.error(
                Code::Sharing,
                span,
                "a type that is defined outside of the signature cannot be shared",
            );
            return;
        }
        // If one of the types is a datatype, it is kept, because it has constructors.
        let is_data = matches!(self.program.tycons[b.index()].kind, TyConKind::Data(_));
        let (kept, gone) = if is_data { (b, a) } else { (a, b) };
        if self.store.tycons[gone.index()].eq != Eq::Never {
            self.store.tycons[kept.index()].eq = Eq::Args;
        }
        self.store.tycons[gone.index()].real = Some(TyFn::Con(kept));
    }

    pub(super) fn share_all(&mut self, first: &Env, second: &Env, builder: &Builder, span: Span) {
        for (name, entry) in first.tys.iter() {
            if let Some(other) = second.tys.get(*name) {
                self.share(&entry.function, &other.function, builder, span);
            }
        }
        for (name, structure) in first.strs.iter() {
            if let Some(other) = second.strs.get(*name) {
                self.share_all(&structure.env, &other.env, builder, span);
            }
        }
    }
}
