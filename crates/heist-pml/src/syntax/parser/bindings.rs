//! Parses declarations of values, types and exceptions.

use super::super::ast::{
    ConBind, DataBind, DecKind, ExnBind, ExnBindKind, Exp, ExpKind, LongName, Pat, PatKind,
    TypeBind, ValBind,
};
use super::dec::Place;
use super::{Abort, Kind, Parse, Parser};
use crate::diag::{Code, Diagnostic};

/// Returns true if an expression is a `fn`, possibly in parentheses or with a type annotation.
fn is_fn(exp: &Exp) -> bool {
    match &exp.kind {
        ExpKind::Fn(_) | ExpKind::Error => true,
        ExpKind::Paren(exp) | ExpKind::Typed(exp, _) => is_fn(exp),
        _ => false,
    }
}

impl Parser<'_> {
    pub(super) fn val_dec(&mut self) -> Parse<DecKind> {
        let open = self.here();
        self.bump();
        let tyvars = self.tyvars()?;
        let mut binds = Vec::new();
        let mut rec = None;
        loop {
            while self.at(Kind::Rec) {
                let here = self.here();
                rec.get_or_insert(here);
                self.bump();
            }
            let bind = self.inside("the `val`", open, |p| Ok(p.val_bind(rec.is_some())))?;
            if let Some(rec) = rec
                && !is_fn(&bind.exp)
            {
                let message = "a `val rec` can only bind a `fn`";
                self.diagnostics.push(
                    Diagnostic::new(Code::RecNeedsFn, bind.exp.span, message)
                        .label(rec, "because of this `rec`"),
                );
            }
            binds.push(bind);
            if !self.next_binding() {
                return Ok(DecKind::Val { tyvars, binds });
            }
        }
    }

    fn val_bind(&mut self, rec: bool) -> ValBind {
        let pat = self.keep_pat();
        let exp = if self.skipping {
            Err(Abort)
        } else {
            self.expect(Kind::Equal).and_then(|_| self.exp())
        };
        let exp = self.keep_exp(exp);
        ValBind { rec, pat, exp }
    }

    fn keep_pat(&mut self) -> Pat {
        self.pat().unwrap_or_else(|Abort| {
            self.skipping = true;
            Pat {
                kind: PatKind::Error,
                span: self.here().before(),
            }
        })
    }

    pub(super) fn pval_dec(&mut self) -> Parse<DecKind> {
        let open = self.here();
        self.bump();
        let bind = self.inside("the `pval`", open, |p| Ok(p.val_bind(false)))?;
        Ok(DecKind::Pval(bind.pat, bind.exp))
    }

    /// Parses the bindings `tyvars t = ty and ...` of types.
    pub(super) fn type_binds(&mut self) -> Parse<Vec<TypeBind>> {
        self.separated(Kind::And, |p| {
            let tyvars = p.tyvars()?;
            let name = p.name("the name of a type")?;
            p.expect(Kind::Equal)?;
            let ty = p.ty()?;
            Ok(TypeBind { tyvars, name, ty })
        })
    }

    /// Parses `t = datatype longtycon` after `datatype`, if the tokens have this form.
    pub(super) fn replication(&mut self) -> Parse<Option<(super::Name, LongName)>> {
        let replicates = self.at(Kind::Id)
            && self.kind_ahead(1) == Kind::Equal
            && self.kind_ahead(2) == Kind::Datatype;
        if !replicates {
            return Ok(None);
        }
        let name = self.bump_name();
        self.bump();
        self.bump();
        Ok(Some((name, self.long_name("a datatype")?)))
    }

    pub(super) fn datatype_dec(&mut self) -> Parse<DecKind> {
        let open = self.here();
        self.bump();
        self.inside("the `datatype`", open, |p| {
            if let Some((name, of)) = p.replication()? {
                return Ok(DecKind::Replication { name, of });
            }
            let (datas, types) = p.data_binds()?;
            Ok(DecKind::Datatype { datas, types })
        })
    }

    /// Parses datatypes, and the part after `withtype`.
    pub(super) fn data_binds(&mut self) -> Parse<(Vec<DataBind>, Vec<TypeBind>)> {
        let datas = self.separated(Kind::And, |p| {
            let tyvars = p.tyvars()?;
            let name = p.name("the name of a datatype")?;
            p.expect(Kind::Equal)?;
            p.eat(Kind::Bar);
            let cons = p.separated(Kind::Bar, Parser::con_bind)?;
            Ok(DataBind { tyvars, name, cons })
        })?;
        let types = if self.eat(Kind::Withtype) {
            self.type_binds()?
        } else {
            Vec::new()
        };
        Ok((datas, types))
    }

    fn con_bind(&mut self) -> Parse<ConBind> {
        let op = self.eat(Kind::Op);
        let name = self.name("a constructor")?;
        let ty = self.of_ty()?;
        Ok(ConBind { name, op, ty })
    }

    /// Parses `of ty` if the current token is `of`.
    pub(super) fn of_ty(&mut self) -> Parse<Option<super::super::ast::Ty>> {
        if self.eat(Kind::Of) {
            self.ty().map(Some)
        } else {
            Ok(None)
        }
    }

    pub(super) fn abstype_dec(&mut self, place: Place) -> Parse<DecKind> {
        self.block(
            "the `abstype`",
            |p, open| {
                p.bump();
                let (datas, types) = p.data_binds()?;
                p.expect(Kind::With)?;
                let place = if place == Place::Top {
                    Place::Struct
                } else {
                    place
                };
                let decs = p.decs(place, &[Kind::End]);
                p.close(Kind::End, open, "a declaration or ")?;
                Ok(DecKind::Abstype { datas, types, decs })
            },
            DecKind::Error,
        )
    }

    pub(super) fn exception_dec(&mut self) -> Parse<DecKind> {
        self.bump();
        let binds = self.separated(Kind::And, |p| {
            let op = p.eat(Kind::Op);
            let name = p.name("the name of an exception")?;
            let kind = if p.eat(Kind::Equal) {
                if p.eat(Kind::ExnWord) {
                    let builtin = p.string_name()?;
                    ExnBindKind::Builtin(builtin, p.of_ty()?)
                } else if p.at(Kind::Op) {
                    ExnBindKind::Alias(p.op_name()?)
                } else {
                    ExnBindKind::Alias(p.long_name("an exception")?)
                }
            } else {
                ExnBindKind::New(p.of_ty()?)
            };
            Ok(ExnBind { name, op, kind })
        })?;
        Ok(DecKind::Exception(binds))
    }
}
