//! Lays out expressions.

use super::super::ast::{Exp, ExpKind, LongName, ParPats, Rule};
use super::{Doc, Formatter, word};
use crate::source::Span;

/// The layout of the rules of a match.
struct Rules {
    /// The separator before the first rule, for a layout with each rule on a separate line.
    first: Doc,
    /// The separator before each rule except the first.
    bar: &'static str,
}

/// An operator between two operands of a chain.
enum Between<'a> {
    Name(&'a LongName),
    Word(&'static str),
}

/// Returns true for the functions `!` and `~`, which programs usually write without a space before the argument.
fn is_prefix(head: &Exp) -> bool {
    match &head.kind {
        ExpKind::Name { name, op: false } => {
            name.path.is_empty() && matches!(name.name.symbol.as_str(), "!" | "~")
        }
        _ => false,
    }
}

/// Returns true if an argument that directly follows a symbolic name is still a separate token.
fn joins(argument: &Exp) -> bool {
    match &argument.kind {
        ExpKind::Name { name, op: false } => {
            let first = name.path.first().unwrap_or(&name.name).symbol.as_str();
            first.starts_with(|first: char| first.is_ascii_alphabetic())
        }
        ExpKind::Paren(_) | ExpKind::Tuple(_) => true,
        _ => false,
    }
}

impl Formatter<'_> {
    pub(super) fn exp(&mut self, exp: &Exp) -> Doc {
        let comments = self.comments.before(exp.span.start);
        let doc = self.exp_kind(exp);
        Doc::seq(vec![comments, doc])
    }

    fn exps(&mut self, brackets: (&str, &str), exps: &[Exp], span: Span) -> Doc {
        // In `brackets`, the closing brackets of parallel forms begin with a space.
        let end = span
            .end
            .saturating_sub(brackets.1.trim_start().len() as u32);
        self.bracketed(brackets, ",", exps, end, |exp| exp.span, Formatter::exp)
    }

    fn exp_kind(&mut self, exp: &Exp) -> Doc {
        let span = exp.span;
        let end = span.end.saturating_sub(1);
        match &exp.kind {
            ExpKind::Literal(_) | ExpKind::Error => self.source(span),
            ExpKind::Name { name, op } => self.op_name(name, *op),
            ExpKind::Record(fields) => self.bracketed(
                ("{", "}"),
                ",",
                fields,
                end,
                |(label, exp)| label.span.to(exp.span),
                |f, (label, exp)| {
                    let label = f.name(*label);
                    let exp = f.exp(exp);
                    f.set(Doc::seq(vec![label, word(" =")]), exp, 2)
                },
            ),
            ExpKind::Selector(label) => {
                let symbolic = !label
                    .symbol
                    .as_str()
                    .starts_with(|first: char| first.is_ascii_alphanumeric());
                let hash = word(if symbolic { "# " } else { "#" });
                let comments = self.comments.before(label.span.start);
                Doc::seq(vec![hash, comments, word(label.symbol.as_str())])
            }
            ExpKind::Tuple(parts) if parts.is_empty() => {
                let inner = self.comments.before(end);
                Doc::seq(vec![word("("), inner, word(")")])
            }
            ExpKind::Tuple(parts) => self.exps(("(", ")"), parts, span),
            ExpKind::List(parts) => self.exps(("[", "]"), parts, span),
            ExpKind::Vector(parts) => self.exps(("#[", "]"), parts, span),
            ExpKind::ParTuple(parts) if parts.is_empty() => word("(| |)"),
            ExpKind::ParTuple(parts) => self.exps(("(| ", " |)"), parts, span),
            ExpKind::ParArray(parts) if parts.is_empty() => word("[| |]"),
            ExpKind::ParArray(parts) => self.exps(("[| ", " |]"), parts, span),
            ExpKind::Sequence(parts) => {
                let doc =
                    self.bracketed(("(", ")"), ";", parts, end, |exp| exp.span, Formatter::exp);
                self.keep_lines(doc, span)
            }
            ExpKind::Paren(exp) => {
                let exp = self.exp(exp);
                let rest = self.comments.closing(end);
                Doc::seq(vec![
                    word("("),
                    Doc::seq(vec![exp, rest]).nest(1),
                    word(")"),
                ])
                .group()
            }
            ExpKind::Let(decs, exps) => self.let_exp(decs, exps, span),
            ExpKind::Apply(..) => self.application(exp),
            ExpKind::Infix(..) | ExpKind::Andalso(..) | ExpKind::Orelse(..) => self.chain(exp),
            ExpKind::Typed(exp, ty) => {
                let exp = self.exp(exp);
                Doc::seq(vec![exp, word(" : "), self.ty(ty)])
            }
            ExpKind::Handle(exp, rules) => {
                let exp = self.exp(exp);
                let rules = self.rules(rules, span, "  handle ", "       | ");
                Doc::seq(vec![exp, rules]).group()
            }
            ExpKind::Raise(exp) => Doc::seq(vec![word("raise "), self.exp(exp)]),
            ExpKind::Spawn(exp) => Doc::seq(vec![word("spawn "), self.exp(exp)]),
            ExpKind::If(..) => {
                let doc = self.if_exp(exp);
                self.keep_lines(doc, span)
            }
            ExpKind::While(condition, body) => {
                let condition = self.exp(condition);
                let body = self.exp(body);
                let head = Doc::seq(vec![word("while "), condition, word(" do")]);
                self.set(head, body, 2)
            }
            ExpKind::Case(exp, rules) => {
                let exp = self.exp(exp);
                let head = Doc::seq(vec![word("case "), exp, word(" of")]);
                let rules = self.rules(rules, span, "    ", "  | ");
                Doc::seq(vec![head, rules]).group()
            }
            ExpKind::Fn(rules) => match rules.as_slice() {
                [rule] => {
                    let pat = self.pat(&rule.pat);
                    let exp = self.exp(&rule.exp);
                    self.set(Doc::seq(vec![word("fn "), pat, word(" =>")]), exp, 2)
                }
                _ => self.fn_rules(rules, span),
            },
            ExpKind::Member(structure, name) => word(&format!("{structure}.{name}")),
            ExpKind::Prim(name, ty) => {
                let name = self.source(name.span);
                Doc::seq(vec![word("_prim "), name, word(" : "), self.ty(ty)])
            }
            _ => self.parallel(exp),
        }
    }

    /// Puts a document on one line if its source is on one line, and otherwise on several lines.
    fn keep_lines(&self, doc: Doc, span: Span) -> Doc {
        if self.one_line(span) {
            doc.group()
        } else {
            Doc::seq(vec![doc, Doc::force_break()]).group()
        }
    }

    /// Lays out `head`, which ends with a word such as `=`, and the part `body` after it. If `body` does not fit on the same line, it
    /// begins on a new line.
    pub(super) fn set(&self, head: Doc, body: Doc, by: usize) -> Doc {
        Doc::seq(vec![head, Doc::seq(vec![Doc::line(), body]).nest(by)]).group()
    }

    fn parallel(&mut self, exp: &Exp) -> Doc {
        let span = exp.span;
        match &exp.kind {
            ExpKind::ParRange { from, to, by } => {
                let mut docs = vec![word("[| "), self.exp(from), word(" to "), self.exp(to)];
                if let Some(by) = by {
                    docs.push(word(" by "));
                    docs.push(self.exp(by));
                }
                docs.push(self.comments.closing(span.end.saturating_sub(2)));
                docs.push(word(" |]"));
                Doc::seq(docs).group()
            }
            ExpKind::ParComprehension {
                body,
                binders,
                filter,
            } => {
                let mut docs = vec![word("[| "), self.exp(body), Doc::line(), word("| ")];
                for (at, (pat, exp)) in binders.iter().enumerate() {
                    if at > 0 {
                        docs.push(word(","));
                        docs.push(Doc::line());
                        docs.push(word("  "));
                    }
                    docs.push(self.pat(pat));
                    docs.push(word(" in "));
                    docs.push(self.exp(exp));
                }
                if let Some(filter) = filter {
                    docs.push(Doc::line());
                    docs.push(word("where "));
                    docs.push(self.exp(filter));
                }
                docs.push(self.comments.closing(span.end.saturating_sub(2)));
                docs.push(word(" |]"));
                Doc::seq(docs).nest(3).group()
            }
            ExpKind::ParIndex(array, index) => {
                let array = self.exp(array);
                Doc::seq(vec![array, word(" ! "), self.exp(index)])
            }
            ExpKind::ParCase(exps, rules) => {
                let mut docs = vec![word("pcase ")];
                for (at, exp) in exps.iter().enumerate() {
                    if at > 0 {
                        docs.push(word(" & "));
                    }
                    docs.push(self.exp(exp));
                }
                docs.push(word(" of"));
                for (at, rule) in rules.iter().enumerate() {
                    let mut pats = Vec::new();
                    match &rule.pats {
                        ParPats::Otherwise => pats.push(word("otherwise")),
                        ParPats::Pats(parts) => {
                            for (at, pat) in parts.iter().enumerate() {
                                if at > 0 {
                                    pats.push(word(" & "));
                                }
                                pats.push(match pat {
                                    Some(pat) => self.pat(pat),
                                    None => word("?"),
                                });
                            }
                        }
                    }
                    pats.push(word(" =>"));
                    let exp = self.exp(&rule.exp);
                    docs.push(Doc::newline());
                    docs.push(word(if at == 0 { "    " } else { "  | " }));
                    docs.push(self.set(Doc::seq(pats), exp, 6));
                    let next = rules.get(at + 1).map_or(span.end, |next| next.span.start);
                    docs.push(self.comments.behind(rule.span.end, next));
                }
                Doc::seq(docs)
            }
            _ => self.source(span),
        }
    }

    /// Lays out the rules of a match. Puts each rule on a separate line, unless the source has the whole match on one line.
    fn rules(&mut self, rules: &[Rule], span: Span, first: &str, bar: &'static str) -> Doc {
        let flat = self.one_line(span);
        let line = || if flat { Doc::line() } else { Doc::newline() };
        let before = if flat { first.trim_start() } else { first };
        let rules = self.rule_list(
            rules,
            Rules {
                first: Doc::seq(vec![line(), word(before)]),
                bar: if flat { bar.trim_start() } else { bar },
            },
            line,
        );
        if flat {
            return Doc::seq(vec![rules]).nest(2);
        }
        rules
    }

    fn fn_rules(&mut self, rules: &[Rule], span: Span) -> Doc {
        let flat = self.one_line(span);
        let line = || if flat { Doc::line() } else { Doc::newline() };
        let style = Rules {
            first: word("fn "),
            bar: if flat { "| " } else { " | " },
        };
        self.rule_list(rules, style, line).group()
    }

    fn rule_list(&mut self, rules: &[Rule], style: Rules, line: impl Fn() -> Doc) -> Doc {
        let indent = style.bar.len() + 2;
        let mut docs = vec![style.first];
        for (at, rule) in rules.iter().enumerate() {
            if at > 0 {
                docs.push(line());
                docs.push(word(style.bar));
            }
            let pat = self.pat(&rule.pat);
            let exp = self.exp(&rule.exp);
            docs.push(self.set(Doc::seq(vec![pat, word(" =>")]), exp, indent));
            if let Some(next) = rules.get(at + 1) {
                docs.push(self.comments.behind(rule.exp.span.end, next.pat.span.start));
            }
        }
        Doc::seq(docs)
    }

    fn if_exp(&mut self, exp: &Exp) -> Doc {
        let ExpKind::If(condition, then, otherwise) = &exp.kind else {
            return self.exp(exp);
        };
        let condition = self.exp(condition);
        let then = self.exp(then);
        let head = Doc::seq(vec![word("if "), condition, word(" then")]);
        let head = Doc::seq(vec![head, Doc::seq(vec![Doc::line(), then]).nest(2)]);
        let mut docs = vec![head, Doc::line(), word("else")];
        // `else if` continues at the same depth.
        if matches!(otherwise.kind, ExpKind::If(..)) {
            docs.push(word(" "));
            docs.push(self.comments.before(otherwise.span.start));
            docs.push(self.if_exp(otherwise));
        } else {
            let otherwise = self.exp(otherwise);
            docs.push(Doc::seq(vec![Doc::line(), otherwise]).nest(2));
        }
        Doc::seq(docs)
    }

    /// Lays out `f a b c`.
    fn application(&mut self, exp: &Exp) -> Doc {
        let mut arguments = Vec::new();
        let mut head = exp;
        while let ExpKind::Apply(function, argument) = &head.kind {
            arguments.push(&**argument);
            head = function;
        }
        let mut docs = vec![self.exp(head)];
        let mut prefix = is_prefix(head);
        for argument in arguments.into_iter().rev() {
            let joined = std::mem::take(&mut prefix) && joins(argument);
            let argument = self.exp(argument);
            let doc = if joined {
                argument
            } else if argument.is_hard() {
                Doc::seq(vec![word(" "), argument])
            } else {
                Doc::seq(vec![Doc::line(), argument]).group()
            };
            docs.push(doc);
        }
        Doc::seq(docs).nest(2)
    }

    /// Lays out `a + b * c :: d` or `a andalso b andalso c`, in the order of the source.
    fn chain(&mut self, exp: &Exp) -> Doc {
        let mut docs = Vec::new();
        let mut todo = vec![(None, exp)];
        while let Some((between, exp)) = todo.pop() {
            let (left, operator, right) = match &exp.kind {
                ExpKind::Infix(left, name, right) => (left, Between::Name(name), right),
                ExpKind::Andalso(left, right) => (left, Between::Word("andalso"), right),
                ExpKind::Orelse(left, right) => (left, Between::Word("orelse"), right),
                _ => {
                    let operand = |f: &mut Self| f.exp(exp);
                    let doc = match between {
                        None => operand(self),
                        Some(operator) => {
                            let operator = match operator {
                                Between::Name(name) => self.long(name),
                                Between::Word(text) => word(text),
                            };
                            let operand = operand(self);
                            Doc::seq(vec![Doc::line(), operator, word(" "), operand]).group()
                        }
                    };
                    docs.push(doc);
                    continue;
                }
            };
            todo.push((Some(operator), &**right));
            todo.push((between, &**left));
        }
        Doc::seq(docs).nest(2)
    }

    fn let_exp(&mut self, decs: &[super::Dec], exps: &[Exp], span: Span) -> Doc {
        let flat = self.one_line(span);
        let line = || if flat { Doc::line() } else { Doc::newline() };
        let body_start = exps.first().map_or(span.end, |exp| exp.span.start);
        let start = span.start + 3;
        let decs_end = self.word_before(b"in", body_start).max(start);
        let inner = self.dec_list(decs, start, decs_end, flat);
        let mut docs = vec![word("let")];
        if !decs.is_empty() || inner.is_hard() {
            docs.push(Doc::seq(vec![line(), inner]).nest(2));
        }
        docs.extend([line(), word("in")]);
        let mut body = vec![line()];
        let end = span.end.saturating_sub(3);
        for (at, exp) in exps.iter().enumerate() {
            if at > 0 {
                body.push(line());
            }
            body.push(self.exp(exp));
            let next = exps.get(at + 1).map(|next| next.span.start);
            if next.is_some() {
                body.push(word(";"));
            }
            body.push(self.comments.behind(exp.span.end, next.unwrap_or(end)));
        }
        body.push(self.comments.closing(end));
        docs.push(Doc::seq(body).nest(2));
        docs.extend([line(), word("end")]);
        Doc::seq(docs).group()
    }

    /// Finds the word `what` before the place `before`. Returns the place of the word if only white space and comments are between it and
    /// `before`. Otherwise returns `before`.
    pub(super) fn word_before(&self, what: &[u8], before: u32) -> u32 {
        let mut at = before as usize;
        let comments = self.comments.places();
        let mut next = comments.partition_point(|place| place.0 < before);
        loop {
            while at > 0 && self.text[at - 1].is_ascii_whitespace() {
                at -= 1;
            }
            match next.checked_sub(1).map(|last| comments[last]) {
                Some((start, end)) if end as usize == at => {
                    at = start as usize;
                    next -= 1;
                }
                _ => break,
            }
        }
        if self.text[..at].ends_with(what) {
            (at - what.len()) as u32
        } else {
            before
        }
    }
}
