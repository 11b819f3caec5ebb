//! Lays out patterns.

use super::super::ast::{LongName, Pat, PatKind};
use super::{Doc, Formatter, word};

/// Returns `p1`, the constructor and `p2` of a pattern that the program writes as `p1 con p2`, and `None` for other patterns.
pub(super) fn infix(pat: &Pat) -> Option<(&Pat, &LongName, &Pat)> {
    let PatKind::Apply {
        con,
        op: false,
        arg,
    } = &pat.kind
    else {
        return None;
    };
    match &arg.kind {
        PatKind::Tuple(parts) if con.span().start > arg.span.start => match parts.as_slice() {
            [left, right] => Some((left, con, right)),
            _ => None,
        },
        _ => None,
    }
}

impl Formatter<'_> {
    pub(super) fn pat(&mut self, pat: &Pat) -> Doc {
        let comments = self.comments.before(pat.span.start);
        let end = pat.span.end.saturating_sub(1);
        let doc = match &pat.kind {
            PatKind::Wild => word("_"),
            PatKind::Literal(_) | PatKind::Error => self.source(pat.span),
            PatKind::Name { name, op } => self.op_name(name, *op),
            PatKind::Apply { con, op, arg } => match infix(pat) {
                Some((left, con, right)) => {
                    let left = self.pat(left);
                    let con = self.long(con);
                    let right = self.pat(right);
                    Doc::seq(vec![left, word(" "), con, Doc::line(), right]).group()
                }
                None => {
                    let con = self.op_name(con, *op);
                    Doc::seq(vec![con, word(" "), self.pat(arg)])
                }
            },
            PatKind::Record { fields, flexible } => {
                if *flexible && fields.is_empty() {
                    let inner = self.comments.before(end);
                    Doc::seq(vec![word("{"), inner, word("...}")])
                } else {
                    let close = if *flexible { ", ...}" } else { "}" };
                    self.bracketed(
                        ("{", close),
                        ",",
                        fields,
                        end,
                        |(label, pat)| label.span.to(pat.span),
                        |f, (label, pat)| {
                            if label.span.start == pat.span.start {
                                return f.pat(pat);
                            }
                            let label = f.name(*label);
                            Doc::seq(vec![label, word(" = "), f.pat(pat)])
                        },
                    )
                }
            }
            PatKind::Tuple(parts) => {
                self.bracketed(("(", ")"), ",", parts, end, |pat| pat.span, Formatter::pat)
            }
            PatKind::List(parts) => {
                self.bracketed(("[", "]"), ",", parts, end, |pat| pat.span, Formatter::pat)
            }
            PatKind::Vector(parts) => {
                self.bracketed(("#[", "]"), ",", parts, end, |pat| pat.span, Formatter::pat)
            }
            PatKind::Or(parts) => {
                self.bracketed(("(", ")"), " |", parts, end, |pat| pat.span, Formatter::pat)
            }
            PatKind::Typed(pat, ty) => {
                let pat = self.pat(pat);
                Doc::seq(vec![pat, word(" : "), self.ty(ty)])
            }
            PatKind::As { name, op, ty, pat } => {
                let mut docs = vec![word(if *op { "op " } else { "" }), self.name(*name)];
                if let Some(ty) = ty {
                    docs.push(word(" : "));
                    docs.push(self.ty(ty));
                }
                docs.push(word(" as "));
                docs.push(self.pat(pat));
                Doc::seq(docs)
            }
            PatKind::Paren(pat) => {
                let pat = self.pat(pat);
                let rest = self.comments.closing(end);
                Doc::seq(vec![
                    word("("),
                    Doc::seq(vec![pat, rest]).nest(1),
                    word(")"),
                ])
                .group()
            }
        };
        Doc::seq(vec![comments, doc])
    }

    pub(super) fn op_name(&mut self, name: &LongName, op: bool) -> Doc {
        let long = self.long(name);
        if op {
            Doc::seq(vec![word("op "), long])
        } else {
            long
        }
    }
}
