//! Parses specifications.

use super::super::ast::{LongName, SigExp, SigExpKind, Spec, SpecKind};
use super::{Abort, Kind, Parse, Parser};

impl Parser<'_> {
    /// Parses specifications up to one of `ends`, or up to code that is not a specification.
    pub(super) fn specs(&mut self, ends: &[Kind]) -> Vec<Spec> {
        let mut stops = ends.to_vec();
        stops.push(Kind::Semicolon);
        let mut specs = Vec::new();
        while !ends.contains(&self.kind()) {
            let start = self.at;
            if self.eat(Kind::Semicolon) {
                continue;
            }
            if !self.at_declaration() {
                // The caller reports a token that cannot occur in a signature.
                return specs;
            }
            let first = self.here();
            if self.nest(|p| p.spec(&mut specs)).is_err() {
                self.skip(&stops, false);
                specs.push(Spec {
                    kind: SpecKind::Error,
                    span: self.since(first),
                });
            }
            if self.at == start {
                self.bump();
            }
        }
        specs
    }

    fn spec(&mut self, specs: &mut Vec<Spec>) -> Parse<()> {
        let first = self.here();
        let word = self.kind();
        let kind = match word {
            Kind::Val => {
                self.bump();
                SpecKind::Val(self.separated(Kind::And, |p| {
                    let name = p.bound_name("a name")?;
                    p.expect(Kind::Colon)?;
                    Ok((name, p.ty()?))
                })?)
            }
            Kind::Type | Kind::Eqtype => {
                self.bump();
                let eq = word == Kind::Eqtype;
                let binds = self.separated(Kind::And, |p| {
                    let tyvars = p.tyvars()?;
                    let name = p.name("the name of a type")?;
                    let ty = if !eq && p.eat(Kind::Equal) {
                        Some(p.ty()?)
                    } else {
                        None
                    };
                    Ok((tyvars, name, ty))
                })?;
                SpecKind::Type { eq, binds }
            }
            Kind::Datatype => {
                self.bump();
                match self.replication()? {
                    Some((name, of)) => SpecKind::Replication { name, of },
                    None => {
                        let (datas, types) = self.data_binds()?;
                        SpecKind::Datatype { datas, types }
                    }
                }
            }
            Kind::Exception => {
                self.bump();
                SpecKind::Exception(self.separated(Kind::And, |p| {
                    let name = p.name("the name of an exception")?;
                    Ok((name, p.of_ty()?))
                })?)
            }
            Kind::Structure => {
                self.bump();
                SpecKind::Structure(self.separated(Kind::And, |p| {
                    let name = p.name("the name of a structure")?;
                    p.expect(Kind::Colon)?;
                    Ok((name, p.sigexp()?))
                })?)
            }
            Kind::Include => {
                self.bump();
                return self.include_spec(specs);
            }
            Kind::Sharing => {
                self.bump();
                let types = self.eat(Kind::Type);
                let names = self.sharing_names(if types { "a type" } else { "a structure" })?;
                if types {
                    SpecKind::SharingType(names)
                } else {
                    SpecKind::Sharing(names)
                }
            }
            _ => return Err(self.unexpected("a specification")),
        };
        specs.push(Spec {
            kind,
            span: self.since(first),
        });
        Ok(())
    }

    fn include_spec(&mut self, specs: &mut Vec<Spec>) -> Parse<()> {
        let first = self.here();
        if self.at(Kind::Id) && self.kind_ahead(1) == Kind::Id {
            while self.at(Kind::Id) {
                let name = self.bump_name();
                let span = name.span;
                let kind = SpecKind::Include(SigExp {
                    kind: SigExpKind::Name(name),
                    span,
                });
                specs.push(Spec { kind, span });
            }
            return Ok(());
        }
        let sigexp = self.sigexp()?;
        specs.push(Spec {
            kind: SpecKind::Include(sigexp),
            span: self.since(first),
        });
        Ok(())
    }

    fn sharing_names(&mut self, what: &str) -> Parse<Vec<LongName>> {
        let names = self.separated(Kind::Equal, |p| p.long_name(what))?;
        if names.len() < 2 {
            self.unexpected("`=` and what is shared");
            return Err(Abort);
        }
        Ok(names)
    }
}
