//! Lays out modules.

use super::super::ast::{
    Dec, DecKind, FunctorParam, SigExp, SigExpKind, Spec, SpecKind, StrExp, StrExpKind,
};
use super::{Doc, Formatter, word};

impl Formatter<'_> {
    pub(super) fn module(&mut self, dec: &Dec) -> Doc {
        match &dec.kind {
            DecKind::Structure(binds) => self.ands("structure ", binds, |f, bind| {
                let name = f.name(bind.name);
                let sig = f.ascription(bind.sig.as_ref());
                let strexp = f.strexp(&bind.strexp);
                Doc::seq(vec![name, sig, word(" = "), strexp])
            }),
            DecKind::Signature(binds) => self.ands("signature ", binds, |f, bind| {
                let name = f.name(bind.name);
                let sigexp = f.sigexp(&bind.sigexp);
                Doc::seq(vec![name, word(" = "), sigexp])
            }),
            DecKind::Functor(binds) => self.ands("functor ", binds, |f, bind| {
                let mut docs = vec![f.name(bind.name), word(" (")];
                match &bind.param {
                    FunctorParam::Structure(name, sig) => {
                        docs.push(f.name(*name));
                        docs.push(word(" : "));
                        docs.push(f.sigexp(sig));
                    }
                    FunctorParam::Spec(sig) => {
                        let flat = f.one_line(sig.span);
                        let SigExpKind::Sig(specs) = &sig.kind else {
                            return f.source(dec.span);
                        };
                        let specs = f.specs(specs, sig.span.start, sig.span.end, flat);
                        let empty = if flat { Doc::empty() } else { Doc::newline() };
                        docs.push(Doc::seq(vec![empty, specs]).nest(4).group());
                    }
                }
                docs.push(word(")"));
                docs.push(f.ascription(bind.sig.as_ref()));
                docs.push(word(" = "));
                docs.push(f.strexp(&bind.body));
                Doc::seq(docs)
            }),
            _ => self.source(dec.span),
        }
    }

    fn ascription(&mut self, sig: Option<&(SigExp, bool)>) -> Doc {
        match sig {
            None => Doc::nil(),
            Some((sig, opaque)) => {
                let sig = self.sigexp(sig);
                Doc::seq(vec![word(if *opaque { " :> " } else { " : " }), sig])
            }
        }
    }

    fn strexp(&mut self, strexp: &StrExp) -> Doc {
        let span = strexp.span;
        let comments = self.comments.before(span.start);
        let doc = match &strexp.kind {
            StrExpKind::Struct(decs) => {
                let end = span.end.saturating_sub(3);
                let inner = self.dec_list(decs, span.start + 6, end, false);
                self.body("struct", decs.is_empty() && !inner.is_hard(), inner)
            }
            StrExpKind::Name(name) => self.long(name),
            StrExpKind::Ascribe {
                strexp,
                sigexp,
                opaque,
            } => {
                let strexp = self.strexp(strexp);
                let sigexp = self.sigexp(sigexp);
                let colon = word(if *opaque { " :> " } else { " : " });
                Doc::seq(vec![strexp, colon, sigexp])
            }
            StrExpKind::Apply { functor, arg } => {
                let functor = self.name(*functor);
                let declared = matches!(arg.kind, StrExpKind::Struct(_))
                    && !self.text[arg.span.start as usize..].starts_with(b"struct");
                let arg = match &arg.kind {
                    StrExpKind::Struct(decs) if declared => {
                        let flat = self.one_line(arg.span);
                        let empty = if flat { Doc::empty() } else { Doc::newline() };
                        let end = span.end.saturating_sub(1);
                        let decs = self.dec_list(decs, arg.span.start, end, flat);
                        Doc::seq(vec![empty, decs]).nest(2).group()
                    }
                    _ => {
                        let arg = self.strexp(arg);
                        let rest = self.comments.closing(span.end.saturating_sub(1));
                        Doc::seq(vec![arg, rest])
                    }
                };
                Doc::seq(vec![functor, word(" ("), arg, word(")")])
            }
            StrExpKind::Let(decs, strexp) => {
                let decs_end = self.word_before(b"in", strexp.span.start);
                let decs = self.dec_list(decs, span.start + 3, decs_end, false);
                let strexp = self.strexp(strexp);
                let rest = self.comments.closing(span.end.saturating_sub(3));
                Doc::seq(vec![
                    word("let"),
                    Doc::seq(vec![Doc::newline(), decs]).nest(2),
                    Doc::newline(),
                    word("in"),
                    Doc::seq(vec![Doc::newline(), strexp, rest]).nest(2),
                    Doc::newline(),
                    word("end"),
                ])
            }
            StrExpKind::Error => self.source(span),
        };
        Doc::seq(vec![comments, doc])
    }

    /// Lays out a form that begins with a word, such as `struct`, and ends with `end`.
    fn body(&self, head: &str, empty: bool, inner: Doc) -> Doc {
        if empty {
            return Doc::seq(vec![word(head), word(" "), inner, word(" end")]);
        }
        Doc::seq(vec![
            word(head),
            Doc::seq(vec![Doc::newline(), inner]).nest(2),
            Doc::newline(),
            word("end"),
        ])
    }

    fn sigexp(&mut self, sigexp: &SigExp) -> Doc {
        let span = sigexp.span;
        let comments = self.comments.before(span.start);
        let doc = match &sigexp.kind {
            SigExpKind::Sig(specs) => {
                let end = span.end.saturating_sub(3);
                let inner = self.specs(specs, span.start + 3, end, false);
                self.body("sig", specs.is_empty() && !inner.is_hard(), inner)
            }
            SigExpKind::Name(name) => self.name(*name),
            SigExpKind::Where {
                sigexp,
                tyvars,
                tycon,
                ty,
            } => {
                let sigexp = self.sigexp(sigexp);
                let tyvars = self.tyvars(tyvars);
                let tycon = self.long(tycon);
                let ty = self.ty(ty);
                let head = Doc::seq(vec![word("where type "), tyvars, tycon, word(" = ")]);
                let line = Doc::seq(vec![Doc::line(), head, ty]).nest(2);
                Doc::seq(vec![sigexp, line.group()])
            }
            SigExpKind::Error => self.source(span),
        };
        Doc::seq(vec![comments, doc])
    }

    fn specs(&mut self, specs: &[Spec], start: u32, end: u32, flat: bool) -> Doc {
        self.block(
            specs,
            start,
            end,
            flat,
            |spec| spec.span,
            |f, spec, _| f.spec(spec),
        )
    }

    fn spec(&mut self, spec: &Spec) -> Doc {
        match &spec.kind {
            SpecKind::Val(items) => self.ands("val ", items, |f, (name, ty)| {
                let name = f.name(*name);
                let ty = f.ty(ty);
                f.set(Doc::seq(vec![name, word(" :")]), ty, 2)
            }),
            SpecKind::Type { eq, binds } => {
                let head = if *eq { "eqtype " } else { "type " };
                self.ands(head, binds, |f, (tyvars, name, ty)| {
                    let mut docs = vec![f.tyvars(tyvars), f.name(*name)];
                    if let Some(ty) = ty {
                        docs.push(word(" = "));
                        docs.push(f.ty(ty));
                    }
                    Doc::seq(docs)
                })
            }
            SpecKind::Datatype { datas, types } => self.datatype("datatype ", datas, types),
            SpecKind::Replication { name, of } => {
                let name = self.name(*name);
                let of = self.long(of);
                Doc::seq(vec![word("datatype "), name, word(" = datatype "), of])
            }
            SpecKind::Exception(items) => self.ands("exception ", items, |f, (name, ty)| {
                let name = f.name(*name);
                Doc::seq(vec![name, f.of(ty.as_ref())])
            }),
            SpecKind::Structure(items) => self.ands("structure ", items, |f, (name, sig)| {
                let name = f.name(*name);
                Doc::seq(vec![name, word(" : "), f.sigexp(sig)])
            }),
            SpecKind::Include(sig) => Doc::seq(vec![word("include "), self.sigexp(sig)]),
            SpecKind::SharingType(names) => self.sharing("sharing type ", names),
            SpecKind::Sharing(names) => self.sharing("sharing ", names),
            SpecKind::Error => self.source(spec.span),
        }
    }

    fn sharing(&mut self, head: &str, names: &[super::LongName]) -> Doc {
        let mut docs = vec![word(head)];
        for (at, name) in names.iter().enumerate() {
            if at > 0 {
                docs.push(word(" = "));
            }
            docs.push(self.long(name));
        }
        Doc::seq(docs)
    }
}
