//! Lays out declarations.

use super::super::ast::{
    Clause, DataBind, Dec, DecKind, ExnBindKind, Fixity, FunBind, Pat, PatKind, Ty, TypeBind,
};
use super::{Doc, Formatter, word};
use crate::source::Span;

impl Formatter<'_> {
    /// Lays out a whole file.
    pub(super) fn top(&mut self, decs: &[Dec], end: u32) -> Doc {
        self.dec_list(decs, 0, end, false)
    }

    /// Lays out the declarations between two places.
    pub(super) fn dec_list(&mut self, decs: &[Dec], start: u32, end: u32, flat: bool) -> Doc {
        self.block(
            decs,
            start,
            end,
            flat,
            |dec| dec.span,
            |f, dec, next| {
                let doc = f.dec(dec);
                // An expression at top level needs a `;` between it and the declarations around it.
                let is_exp = |dec: &Dec| matches!(dec.kind, DecKind::Exp(_));
                if is_exp(dec) || next.is_some_and(is_exp) {
                    Doc::seq(vec![doc, word(";")])
                } else {
                    doc
                }
            },
        )
    }

    /// Lays out declarations or specifications, each on a separate line (or all on one line if `flat` is true). Keeps the comments between
    /// the declarations. Where the source has blank lines, keeps one blank line.
    pub(super) fn block<T>(
        &mut self,
        items: &[T],
        start: u32,
        end: u32,
        flat: bool,
        span_of: impl Fn(&T) -> Span,
        mut print: impl FnMut(&mut Self, &T, Option<&T>) -> Doc,
    ) -> Doc {
        let mut docs = Vec::new();
        let mut last = start;
        for at in 0..=items.len() {
            let limit = items.get(at).map_or(end, |item| span_of(item).start);
            // Lays out comments that stand alone.
            while let Some(place) = self.comments.take(limit) {
                self.separate(&mut docs, last, place.0, flat);
                docs.push(self.comments.doc(place));
                last = place.1;
                if self.same_line(place.1, limit) && at < items.len() {
                    docs.push(word(" "));
                    last = u32::MAX;
                }
            }
            let Some(item) = items.get(at) else {
                break;
            };
            if last != u32::MAX {
                self.separate(&mut docs, last, limit, flat);
            }
            let next = items.get(at + 1);
            docs.push(print(self, item, next));
            let limit = next.map_or(end, |next| span_of(next).start);
            let item_end = span_of(item).end;
            let behind = self.comments.last_taken().max(item_end);
            docs.push(self.comments.behind(item_end, limit));
            last = behind.max(self.comments.last_taken());
        }
        Doc::seq(docs)
    }

    fn same_line(&self, start: u32, end: u32) -> bool {
        start <= end && !self.text[start as usize..end as usize].contains(&b'\n')
    }

    fn separate(&self, docs: &mut Vec<Doc>, last: u32, next: u32, flat: bool) {
        if docs.is_empty() {
            return;
        }
        docs.push(if flat { Doc::line() } else { Doc::newline() });
        if self.comments.has_blank_line(last, next) {
            docs.push(Doc::newline());
        }
    }

    /// Lays out the parts of a declaration, each on a separate line, with `and` between them.
    pub(super) fn ands<T>(
        &mut self,
        head: &str,
        parts: &[T],
        mut print: impl FnMut(&mut Self, &T) -> Doc,
    ) -> Doc {
        let mut docs = vec![word(head)];
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                docs.push(Doc::newline());
                docs.push(word("and "));
            }
            docs.push(print(self, part));
        }
        Doc::seq(docs)
    }

    fn dec(&mut self, dec: &Dec) -> Doc {
        match &dec.kind {
            DecKind::Val { tyvars, binds } => {
                let mut recursive = false;
                let head = Doc::seq(vec![word("val "), self.tyvars(tyvars)]);
                let binds = self.ands("", binds, |f, bind| {
                    let rec = bind.rec && !recursive;
                    recursive |= bind.rec;
                    let pat = f.pat(&bind.pat);
                    let exp = f.exp(&bind.exp);
                    let head = word(if rec { "rec " } else { "" });
                    f.set(Doc::seq(vec![head, pat, word(" =")]), exp, 2)
                });
                Doc::seq(vec![head, binds])
            }
            DecKind::Pval(pat, exp) => {
                let pat = self.pat(pat);
                let exp = self.exp(exp);
                self.set(Doc::seq(vec![word("pval "), pat, word(" =")]), exp, 2)
            }
            DecKind::Fun { tyvars, binds } => {
                let tyvars = self.tyvars(tyvars);
                let binds = self.ands("", binds, Formatter::fun_bind);
                Doc::seq(vec![word("fun "), tyvars, binds])
            }
            DecKind::Cont(binds) => {
                let mut docs = Vec::new();
                for bind in binds {
                    if !docs.is_empty() {
                        docs.push(Doc::newline());
                    }
                    docs.push(word("cont "));
                    docs.push(self.fun_bind(bind));
                }
                Doc::seq(docs)
            }
            DecKind::Type(binds) => self.ands("type ", binds, Formatter::type_bind),
            DecKind::Datatype { datas, types } => self.datatype("datatype ", datas, types),
            DecKind::Replication { name, of } => {
                let name = self.name(*name);
                let of = self.long(of);
                Doc::seq(vec![word("datatype "), name, word(" = datatype "), of])
            }
            DecKind::Abstype { datas, types, decs } => {
                let head = self.datatype("abstype ", datas, types);
                let end = dec.span.end.saturating_sub(3);
                let start = decs.first().map_or(end, |dec| dec.span.start);
                let start = self.word_before(b"with", start);
                let decs = self.dec_list(decs, start, end, false);
                let decs = Doc::seq(vec![Doc::newline(), decs]).nest(2);
                let with = vec![head, Doc::newline(), word("with"), decs, Doc::newline()];
                Doc::seq(vec![Doc::seq(with), word("end")])
            }
            DecKind::Exception(binds) => self.ands("exception ", binds, |f, bind| {
                let op = word(if bind.op { "op " } else { "" });
                let mut docs = vec![op, f.name(bind.name)];
                match &bind.kind {
                    ExnBindKind::New(ty) => docs.push(f.of(ty.as_ref())),
                    ExnBindKind::Alias(name) => {
                        docs.push(word(" = "));
                        docs.push(f.long(name));
                    }
                    ExnBindKind::Builtin(name, ty) => {
                        docs.push(word(" = _exn "));
                        docs.push(f.source(name.span));
                        docs.push(f.of(ty.as_ref()));
                    }
                }
                Doc::seq(docs)
            }),
            DecKind::Local(hidden, shown) => self.local(hidden, shown, dec.span),
            DecKind::Open(names) => {
                let mut docs = vec![word("open")];
                for name in names {
                    let name = self.long(name);
                    docs.push(Doc::seq(vec![Doc::line(), name]).group());
                }
                Doc::seq(docs).nest(2)
            }
            DecKind::Fixity { fixity, names } => {
                let head = match fixity {
                    Fixity::Left(0) => "infix".to_owned(),
                    Fixity::Left(level) => format!("infix {level}"),
                    Fixity::Right(0) => "infixr".to_owned(),
                    Fixity::Right(level) => format!("infixr {level}"),
                    Fixity::Nonfix => "nonfix".to_owned(),
                };
                let mut docs = vec![word(&head)];
                for name in names {
                    docs.push(word(" "));
                    docs.push(self.name(*name));
                }
                Doc::seq(docs)
            }
            DecKind::Exp(exp) => self.exp(exp),
            DecKind::Do(exp) => {
                let exp = self.exp(exp);
                Doc::seq(vec![word("do "), exp.nest(3)])
            }
            DecKind::Overload { name, ty, by } => {
                let mut docs = vec![word("_overload "), self.name(*name)];
                if let Some(ty) = ty {
                    docs.extend([word(" : "), self.ty(ty)]);
                }
                for (at, name) in by.iter().enumerate() {
                    docs.push(word(if at == 0 { " as " } else { " and " }));
                    docs.push(self.long(name));
                }
                Doc::seq(docs)
            }
            DecKind::Structure(_) | DecKind::Signature(_) | DecKind::Functor(_) => self.module(dec),
            DecKind::Error => self.source(dec.span),
        }
    }

    fn local(&mut self, hidden: &[Dec], shown: &[Dec], span: Span) -> Doc {
        let end = span.end.saturating_sub(3);
        let shown_start = shown.first().map_or(end, |dec| dec.span.start);
        let hidden_end = self.word_before(b"in", shown_start);
        let hidden = self.dec_list(hidden, span.start + 5, hidden_end, false);
        let shown = self.dec_list(shown, hidden_end + 2, end, false);
        Doc::seq(vec![
            word("local"),
            Doc::seq(vec![Doc::newline(), hidden]).nest(2),
            Doc::newline(),
            word("in"),
            Doc::seq(vec![Doc::newline(), shown]).nest(2),
            Doc::newline(),
            word("end"),
        ])
    }

    fn fun_bind(&mut self, bind: &FunBind) -> Doc {
        let mut docs = Vec::new();
        for (at, clause) in bind.clauses.iter().enumerate() {
            if at > 0 {
                docs.push(Doc::newline());
                docs.push(word("  | "));
            }
            docs.push(self.clause(clause, if at > 0 { 6 } else { 2 }));
            if let Some(next) = bind.clauses.get(at + 1) {
                docs.push(self.comments.behind(clause.span.end, next.span.start));
            }
        }
        Doc::seq(docs)
    }

    fn clause(&mut self, clause: &Clause, indent: usize) -> Doc {
        let mut docs = vec![self.comments.before(clause.span.start)];
        let mut pats = clause.pats.iter();
        let operands = match clause.pats.first().map(|pat| &pat.kind) {
            Some(PatKind::Tuple(parts)) if clause.infix => Some(parts),
            _ => None,
        };
        if let Some([left, right]) = operands.map(Vec::as_slice) {
            pats.next();
            let atomic = |pat: &Pat| {
                !matches!(
                    pat.kind,
                    PatKind::Apply { .. } | PatKind::Typed(..) | PatKind::As { .. }
                )
            };
            let parenthesised = clause.pats.len() > 1 || !atomic(left) || !atomic(right);
            docs.push(word(if parenthesised { "(" } else { "" }));
            docs.push(self.pat(left));
            docs.push(word(" "));
            docs.push(self.name(clause.name));
            docs.push(word(" "));
            docs.push(self.pat(right));
            docs.push(word(if parenthesised { ")" } else { "" }));
        } else {
            docs.push(word(if clause.op { "op " } else { "" }));
            docs.push(self.name(clause.name));
        }
        let mut arguments = Vec::new();
        for pat in pats {
            let pat = self.pat(pat);
            arguments.push(Doc::seq(vec![Doc::line(), pat]).group());
        }
        docs.push(Doc::seq(arguments).nest(indent + 2));
        if let Some(ty) = &clause.ty {
            docs.push(word(" : "));
            docs.push(self.ty(ty));
        }
        docs.push(word(" ="));
        let exp = self.exp(&clause.exp);
        self.set(Doc::seq(docs), exp, indent)
    }

    fn type_bind(&mut self, bind: &TypeBind) -> Doc {
        let tyvars = self.tyvars(&bind.tyvars);
        let name = self.name(bind.name);
        let ty = self.ty(&bind.ty);
        self.set(Doc::seq(vec![tyvars, name, word(" =")]), ty, 2)
    }

    /// Lays out ` of ty`, or nothing if there is no type.
    pub(super) fn of(&mut self, ty: Option<&Ty>) -> Doc {
        match ty {
            Some(ty) => Doc::seq(vec![word(" of "), self.ty(ty)]),
            None => Doc::nil(),
        }
    }

    pub(super) fn datatype(&mut self, head: &str, datas: &[DataBind], types: &[TypeBind]) -> Doc {
        let mut docs = vec![self.ands(head, datas, Formatter::data_bind)];
        if !types.is_empty() {
            docs.push(Doc::newline());
            docs.push(self.ands("withtype ", types, Formatter::type_bind));
        }
        Doc::seq(docs)
    }

    fn data_bind(&mut self, bind: &DataBind) -> Doc {
        let tyvars = self.tyvars(&bind.tyvars);
        let name = self.name(bind.name);
        let first = bind
            .cons
            .first()
            .map_or(bind.name.span, |con| con.name.span);
        let last = bind.cons.last().map_or(first, |con| match &con.ty {
            Some(ty) => ty.span,
            None => con.name.span,
        });
        let flat = self.one_line(bind.name.span.to(last));
        let mut docs = vec![tyvars, name, word(" =")];
        for (at, con) in bind.cons.iter().enumerate() {
            docs.push(if flat { Doc::line() } else { Doc::newline() });
            docs.push(word(match (at, flat) {
                (0, true) => "",
                (0, false) => "    ",
                (_, true) => "| ",
                (_, false) => "  | ",
            }));
            docs.push(word(if con.op { "op " } else { "" }));
            docs.push(self.name(con.name));
            docs.push(self.of(con.ty.as_ref()));
            let end = con.ty.as_ref().map_or(con.name.span.end, |ty| ty.span.end);
            if let Some(next) = bind.cons.get(at + 1) {
                docs.push(self.comments.behind(end, next.name.span.start));
            }
        }
        Doc::seq(docs).nest(if flat { 2 } else { 0 }).group()
    }
}
