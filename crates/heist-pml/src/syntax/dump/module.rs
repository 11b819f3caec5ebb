//! Prints structures, signatures and specifications.

use super::super::ast::*;
use super::Dump;

impl Dump {
    pub(super) fn ascription(&mut self, sig: Option<&(SigExp, bool)>) {
        if let Some((sig, opaque)) = sig {
            self.word(if *opaque { ":>" } else { ":" });
            self.sigexp(sig);
        }
    }

    pub(super) fn strexp(&mut self, strexp: &StrExp) {
        self.space();
        match &strexp.kind {
            StrExpKind::Struct(decs) => self.list("struct", |d| d.each(decs, Dump::dec_part)),
            StrExpKind::Name(name) => self.long(name),
            StrExpKind::Ascribe {
                strexp,
                sigexp,
                opaque,
            } => self.list(if *opaque { ":>" } else { ":" }, |d| {
                d.strexp(strexp);
                d.sigexp(sigexp);
            }),
            StrExpKind::Apply { functor, arg } => self.list("", |d| {
                d.word(functor.symbol);
                d.strexp(arg);
            }),
            StrExpKind::Let(decs, strexp) => self.list("let", |d| {
                d.decs(decs);
                d.strexp(strexp);
            }),
            StrExpKind::Error => self.word("<error>"),
        }
    }

    fn dec_part(&mut self, dec: &Dec) {
        self.space();
        self.dec(dec);
    }

    pub(super) fn sigexp(&mut self, sigexp: &SigExp) {
        self.space();
        match &sigexp.kind {
            SigExpKind::Sig(specs) => self.list("sig", |d| d.each(specs, Dump::spec)),
            SigExpKind::Name(name) => self.word(name.symbol),
            SigExpKind::Where {
                sigexp,
                tyvars,
                tycon,
                ty,
            } => self.list("where", |d| {
                d.sigexp(sigexp);
                d.tyvars(tyvars);
                d.long(tycon);
                d.ty(ty);
            }),
            SigExpKind::Error => self.word("<error>"),
        }
    }

    pub(super) fn spec(&mut self, spec: &Spec) {
        self.space();
        match &spec.kind {
            SpecKind::Val(items) => self.list("val", |d| {
                d.each(items, |d, (name, ty)| {
                    d.word(name.symbol);
                    d.ty(ty);
                });
            }),
            SpecKind::Type { eq, binds } => {
                self.list(if *eq { "eqtype" } else { "type" }, |d| {
                    d.each(binds, |d, (tyvars, name, ty)| {
                        d.tyvars(tyvars);
                        d.word(name.symbol);
                        d.each(ty.as_slice(), Dump::ty);
                    });
                });
            }
            SpecKind::Datatype { datas, types } => self.list("datatype", |d| {
                d.each(datas, Dump::data_bind);
                d.withtype(types);
            }),
            SpecKind::Replication { name, of } => self.list("datatype", |d| {
                d.word(name.symbol);
                d.word("datatype");
                d.long(of);
            }),
            SpecKind::Exception(items) => self.list("exception", |d| {
                d.each(items, |d, (name, ty)| {
                    d.word(name.symbol);
                    d.some_ty(ty.as_ref());
                });
            }),
            SpecKind::Structure(items) => self.list("structure", |d| {
                d.each(items, |d, (name, sig)| {
                    d.word(name.symbol);
                    d.sigexp(sig);
                });
            }),
            SpecKind::Include(sig) => self.list("include", |d| d.sigexp(sig)),
            SpecKind::SharingType(names) => {
                self.list("sharing type", |d| d.each(names, Dump::long));
            }
            SpecKind::Sharing(names) => self.list("sharing", |d| d.each(names, Dump::long)),
            SpecKind::Error => self.word("<error>"),
        }
    }
}
