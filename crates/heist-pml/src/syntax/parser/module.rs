//! Parses structures, signatures and functors.

use super::super::ast::{
    DecKind, FunctorBind, FunctorParam, LongName, SigBind, SigExp, SigExpKind, StrBind, StrExp,
    StrExpKind,
};
use super::dec::Place;
use super::{Kind, Parse, Parser};
use crate::source::Span;

impl Parser<'_> {
    pub(super) fn structure_dec(&mut self) -> Parse<DecKind> {
        let open = self.here();
        self.bump();
        self.inside("the `structure`", open, |p| {
            let binds = p.separated(Kind::And, |p| {
                let name = p.name("the name of a structure")?;
                let sig = p.ascription()?;
                p.expect(Kind::Equal)?;
                let strexp = p.strexp()?;
                Ok(StrBind { name, sig, strexp })
            })?;
            Ok(DecKind::Structure(binds))
        })
    }

    pub(super) fn signature_dec(&mut self) -> Parse<DecKind> {
        let open = self.here();
        self.bump();
        self.inside("the `signature`", open, |p| {
            let binds = p.separated(Kind::And, |p| {
                let name = p.name("the name of a signature")?;
                p.expect(Kind::Equal)?;
                let sigexp = p.sigexp()?;
                Ok(SigBind { name, sigexp })
            })?;
            Ok(DecKind::Signature(binds))
        })
    }

    pub(super) fn functor_dec(&mut self) -> Parse<DecKind> {
        let open = self.here();
        self.bump();
        self.inside("the `functor`", open, |p| {
            let binds = p.separated(Kind::And, |p| {
                let name = p.name("the name of a functor")?;
                let param = p.functor_param()?;
                let sig = p.ascription()?;
                p.expect(Kind::Equal)?;
                let body = p.strexp()?;
                Ok(FunctorBind {
                    name,
                    param,
                    sig,
                    body,
                })
            })?;
            Ok(DecKind::Functor(binds))
        })
    }

    fn functor_param(&mut self) -> Parse<FunctorParam> {
        let open = self.here();
        self.expect(Kind::LParen)?;
        let param = if self.at(Kind::Id) {
            let name = self.bump_name();
            self.expect(Kind::Colon)?;
            FunctorParam::Structure(name, self.sigexp()?)
        } else {
            let first = self.here();
            let specs = self.specs(&[Kind::RParen]);
            FunctorParam::Spec(SigExp {
                kind: SigExpKind::Sig(specs),
                span: self.since(first),
            })
        };
        self.close(Kind::RParen, open, "a specification or ")?;
        Ok(param)
    }

    /// Parses a signature constraint, `: SIG` or `:> SIG`, if there is one.
    fn ascription(&mut self) -> Parse<Option<(SigExp, bool)>> {
        let opaque = self.at(Kind::Seal);
        if !opaque && !self.at(Kind::Colon) {
            return Ok(None);
        }
        self.bump();
        Ok(Some((self.sigexp()?, opaque)))
    }

    fn str_since(&self, first: Span, kind: StrExpKind) -> StrExp {
        let span = self.since(first);
        StrExp { kind, span }
    }

    /// Parses a structure expression (`strexp` in the grammar).
    fn strexp(&mut self) -> Parse<StrExp> {
        self.nest(|p| {
            let first = p.here();
            let mut strexp = p.atomic_strexp()?;
            while let Some((sigexp, opaque)) = p.ascription()? {
                p.link()?;
                let kind = StrExpKind::Ascribe {
                    strexp: Box::new(strexp),
                    sigexp: Box::new(sigexp),
                    opaque,
                };
                strexp = p.str_since(first, kind);
            }
            Ok(strexp)
        })
    }

    fn atomic_strexp(&mut self) -> Parse<StrExp> {
        let first = self.here();
        let kind = match self.kind() {
            Kind::Struct => {
                let mark = self.fixity.mark();
                let result = self.block(
                    "the `struct`",
                    |p, open| {
                        p.bump();
                        let decs = p.decs(Place::Struct, &[Kind::End]);
                        p.close(Kind::End, open, "a declaration or ")?;
                        Ok(StrExpKind::Struct(decs))
                    },
                    StrExpKind::Error,
                );
                self.fixity.undo(mark);
                result?
            }
            Kind::Let => {
                let mark = self.fixity.mark();
                let result = self.block(
                    "the `let`",
                    |p, open| {
                        p.bump();
                        let decs = p.decs(Place::Struct, &[Kind::In, Kind::End]);
                        p.expect(Kind::In)?;
                        let strexp = p.strexp()?;
                        p.close(Kind::End, open, "")?;
                        Ok(StrExpKind::Let(decs, Box::new(strexp)))
                    },
                    StrExpKind::Error,
                );
                self.fixity.undo(mark);
                result?
            }
            Kind::Id if self.kind_ahead(1) == Kind::LParen => {
                let functor = self.bump_name();
                let arg = Box::new(self.functor_arg()?);
                StrExpKind::Apply { functor, arg }
            }
            Kind::Id | Kind::LongId => StrExpKind::Name(self.long_name("a structure")?),
            _ => {
                let expected = "a structure (`struct`, a name or a functor applied)";
                return Err(self.unexpected(expected));
            }
        };
        Ok(self.str_since(first, kind))
    }

    /// Parses the argument of a functor, `(strexp)` or `(dec)`.
    fn functor_arg(&mut self) -> Parse<StrExp> {
        let open = self.here();
        self.bump();
        let declares = self.at_declaration() || self.at(Kind::RParen) || self.at(Kind::Semicolon);
        let arg = if declares {
            let first = self.here();
            let mark = self.fixity.mark();
            let decs = self.decs(Place::Struct, &[Kind::RParen]);
            self.fixity.undo(mark);
            self.str_since(first, StrExpKind::Struct(decs))
        } else {
            self.strexp()?
        };
        self.close(Kind::RParen, open, "")?;
        Ok(arg)
    }

    fn sig_since(&self, first: Span, kind: SigExpKind) -> SigExp {
        let span = self.since(first);
        SigExp { kind, span }
    }

    /// Parses a signature expression (`sigexp` in the grammar).
    pub(super) fn sigexp(&mut self) -> Parse<SigExp> {
        self.nest(|p| {
            let first = p.here();
            let mut sigexp = p.atomic_sigexp()?;
            while p.eat(Kind::Where) {
                loop {
                    p.link()?;
                    p.expect(Kind::Type)?;
                    let tyvars = p.tyvars()?;
                    let tycon: LongName = p.long_name("a type of the signature")?;
                    p.expect(Kind::Equal)?;
                    let ty = p.ty()?;
                    let kind = SigExpKind::Where {
                        sigexp: Box::new(sigexp),
                        tyvars,
                        tycon,
                        ty,
                    };
                    sigexp = p.sig_since(first, kind);
                    if !(p.at(Kind::And) && p.kind_ahead(1) == Kind::Type) {
                        break;
                    }
                    p.bump();
                }
            }
            Ok(sigexp)
        })
    }

    fn atomic_sigexp(&mut self) -> Parse<SigExp> {
        let first = self.here();
        let kind = match self.kind() {
            Kind::Sig => self.block(
                "the `sig`",
                |p, open| {
                    p.bump();
                    let specs = p.specs(&[Kind::End]);
                    p.close(Kind::End, open, "a specification or ")?;
                    Ok(SigExpKind::Sig(specs))
                },
                SigExpKind::Error,
            )?,
            Kind::Id => SigExpKind::Name(self.bump_name()),
            _ => return Err(self.unexpected("a signature (`sig` or a name)")),
        };
        Ok(self.sig_since(first, kind))
    }
}
