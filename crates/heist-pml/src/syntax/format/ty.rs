//! Lays out types.

use super::super::ast::{Name, Ty, TyKind};
use super::{Doc, Formatter, word};

/// The place of a type, for example in an argument. The place determines which forms of types need parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Arrow,
    Tuple,
    Applied,
}

impl Formatter<'_> {
    pub(super) fn ty(&mut self, ty: &Ty) -> Doc {
        self.ty_at(ty, Level::Arrow)
    }

    fn ty_at(&mut self, ty: &Ty, level: Level) -> Doc {
        let comments = self.comments.before(ty.span.start);
        let (own, doc) = match &ty.kind {
            TyKind::Var(name) => (Level::Applied, word(name.as_str())),
            TyKind::Con(arguments, name) => {
                let doc = match arguments.as_slice() {
                    [] => self.long(name),
                    [argument] => {
                        let argument = self.ty_at(argument, Level::Applied);
                        Doc::seq(vec![argument, word(" "), self.long(name)])
                    }
                    _ => {
                        let end = name.span().start;
                        let arguments = self.bracketed(
                            ("(", ")"),
                            ",",
                            arguments,
                            end,
                            |ty| ty.span,
                            Formatter::ty,
                        );
                        Doc::seq(vec![arguments, word(" "), self.long(name)])
                    }
                };
                (Level::Applied, doc)
            }
            TyKind::Record(fields) => {
                let doc = self.bracketed(
                    ("{", "}"),
                    ",",
                    fields,
                    ty.span.end.saturating_sub(1),
                    |(label, ty)| label.span.to(ty.span),
                    |f, (label, ty)| {
                        let label = f.name(*label);
                        Doc::seq(vec![label, word(" : "), f.ty(ty)])
                    },
                );
                (Level::Applied, doc)
            }
            TyKind::Tuple(parts) => {
                let mut docs = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    if at > 0 {
                        docs.push(Doc::line());
                        docs.push(word("* "));
                    }
                    docs.push(self.ty_at(part, Level::Applied));
                }
                (Level::Tuple, Doc::seq(docs).nest(2).group())
            }
            TyKind::Arrow(from, to) => {
                let from = self.ty_at(from, Level::Tuple);
                let to = self.ty_at(to, Level::Arrow);
                let docs = vec![from, word(" ->"), Doc::line(), to];
                (Level::Arrow, Doc::seq(docs).group())
            }
        };
        if own < level {
            return Doc::seq(vec![comments, word("("), doc.nest(1), word(")")]);
        }
        Doc::seq(vec![comments, doc])
    }

    /// Lays out the type variables before a name, and a space after them.
    pub(super) fn tyvars(&mut self, tyvars: &[Name]) -> Doc {
        match tyvars {
            [] => Doc::nil(),
            [tyvar] => Doc::seq(vec![self.name(*tyvar), word(" ")]),
            _ => {
                let mut docs = vec![word("(")];
                for (at, tyvar) in tyvars.iter().enumerate() {
                    if at > 0 {
                        docs.push(word(", "));
                    }
                    docs.push(self.name(*tyvar));
                }
                docs.push(word(") "));
                Doc::seq(docs)
            }
        }
    }
}
