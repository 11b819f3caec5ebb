//! Parses types.

use super::super::ast::{Name, Ty, TyKind};
use super::{Kind, Parse, Parser, Stops};

impl Parser<'_> {
    /// Parses a type (`ty` in the grammar).
    pub(super) fn ty(&mut self) -> Parse<Ty> {
        self.nest(|p| {
            let first = p.here();
            let from = p.tuple_ty()?;
            if !p.eat(Kind::Arrow) {
                return Ok(from);
            }
            let to = p.ty()?;
            Ok(Ty {
                kind: TyKind::Arrow(Box::new(from), Box::new(to)),
                span: p.since(first),
            })
        })
    }

    fn tuple_ty(&mut self) -> Parse<Ty> {
        let first = self.here();
        let part = self.applied_ty()?;
        if !self.at_name(self.words.star) {
            return Ok(part);
        }
        let mut parts = vec![part];
        while self.at_name(self.words.star) {
            self.bump();
            parts.push(self.applied_ty()?);
        }
        Ok(Ty {
            kind: TyKind::Tuple(parts),
            span: self.since(first),
        })
    }

    fn applied_ty(&mut self) -> Parse<Ty> {
        let first = self.here();
        let mut ty = self.atomic_ty()?;
        while self.at_tycon() {
            self.link()?;
            let tycon = self.long_name("a type")?;
            ty = Ty {
                kind: TyKind::Con(vec![ty], tycon),
                span: self.since(first),
            };
        }
        Ok(ty)
    }

    fn at_tycon(&self) -> bool {
        match self.kind() {
            Kind::LongId => true,
            Kind::Id => {
                let name = self.token().symbol;
                // An infix symbol is probably a mistake and not a type. A message from the parser is clearer than one
                // from elaboration.
                let operator = self.infix_here().is_some()
                    && !name
                        .as_str()
                        .starts_with(|first: char| first.is_ascii_alphabetic());
                name != self.words.star && !self.at_stop() && !operator
            }
            _ => false,
        }
    }

    fn atomic_ty(&mut self) -> Parse<Ty> {
        let first = self.here();
        let kind = match self.kind() {
            Kind::TyVar => TyKind::Var(self.bump().symbol),
            Kind::Id | Kind::LongId if !self.at_name(self.words.star) => {
                TyKind::Con(Vec::new(), self.long_name("a type")?)
            }
            Kind::LBrace => {
                self.bump();
                let mut fields = Vec::new();
                if !self.at(Kind::RBrace) {
                    fields = self.bracketed(Stops::default(), |p| {
                        p.separated(Kind::Comma, |p| {
                            let label = p.label()?;
                            p.expect(Kind::Colon)?;
                            Ok((label, p.ty()?))
                        })
                    })?;
                }
                self.close(Kind::RBrace, first, "`,` or ")?;
                TyKind::Record(fields)
            }
            Kind::LParen => {
                self.bump();
                let mut parts =
                    self.bracketed(Stops::default(), |p| p.separated(Kind::Comma, Parser::ty))?;
                self.close(Kind::RParen, first, "`,` or ")?;
                if parts.len() > 1 {
                    let tycon = self.long_name("a type that takes these arguments")?;
                    TyKind::Con(parts, tycon)
                } else {
                    return Ok(parts.remove(0));
                }
            }
            _ => return Err(self.unexpected("a type")),
        };
        Ok(Ty {
            kind,
            span: self.since(first),
        })
    }

    /// Parses type variables, such as `'a` or `('a, 'b)`, if there are any.
    pub(super) fn tyvars(&mut self) -> Parse<Vec<Name>> {
        if self.at(Kind::TyVar) {
            return Ok(vec![self.bump_name()]);
        }
        if !(self.at(Kind::LParen) && self.kind_ahead(1) == Kind::TyVar) {
            return Ok(Vec::new());
        }
        let open = self.here();
        self.bump();
        let names = self.separated(Kind::Comma, |p| {
            if p.at(Kind::TyVar) {
                Ok(p.bump_name())
            } else {
                Err(p.unexpected("a type variable"))
            }
        })?;
        self.close(Kind::RParen, open, "`,` or ")?;
        Ok(names)
    }
}
