//! Parses parallel forms.

use super::super::ast::{Exp, ExpKind, ParPats, ParRule, Pat};
use super::{Kind, Parse, Parser, Stops};
use crate::diag::{Code, Diagnostic};

impl Parser<'_> {
    /// Parses the parallel arrays, ranges and comprehensions in `[| ... |]`.
    pub(super) fn par_array(&mut self) -> Parse<Exp> {
        let open = self.here();
        self.bump();
        let range = Stops {
            range: true,
            ampersand: false,
        };
        let kind = if self.at(Kind::BarRBracket) {
            ExpKind::ParArray(Vec::new())
        } else {
            self.inside("the parallel array", open, |p| {
                let first = p.bracketed(range, Parser::exp)?;
                if p.at_name(p.words.to) {
                    p.range(first)
                } else if p.eat(Kind::Bar) {
                    p.comprehension(first)
                } else {
                    let mut items = vec![first];
                    while p.eat(Kind::Comma) {
                        items.push(p.bracketed(Stops::default(), Parser::exp)?);
                    }
                    Ok(ExpKind::ParArray(items))
                }
            })?
        };
        self.close(Kind::BarRBracket, open, "`,` or ")?;
        Ok(Exp {
            kind,
            span: self.since(open),
        })
    }

    fn range(&mut self, from: Exp) -> Parse<ExpKind> {
        let stops = Stops {
            range: true,
            ampersand: false,
        };
        self.bump();
        let to = self.bracketed(stops, Parser::exp)?;
        let mut by = None;
        if self.at_name(self.words.by) {
            self.bump();
            by = Some(Box::new(self.bracketed(stops, Parser::exp)?));
        }
        Ok(ExpKind::ParRange {
            from: Box::new(from),
            to: Box::new(to),
            by,
        })
    }

    /// Returns true if `p in e` follows the current token, and false if a rule `p => e` follows. The current token must be a `|` directly
    /// inside of `[| |]`.
    pub(super) fn binder_follows(&self) -> bool {
        let mut open = 0_usize;
        for token in &self.lexed.tokens[self.at + 1..] {
            match token.kind {
                Kind::In if open == 0 => return true,
                Kind::DoubleArrow | Kind::Bar | Kind::Eof => return false,
                kind if kind.opens_bracket() => open += 1,
                kind if kind.is_closer() => match open.checked_sub(1) {
                    Some(less) => open = less,
                    None => return false,
                },
                _ => {}
            }
        }
        false
    }

    fn comprehension(&mut self, body: Exp) -> Parse<ExpKind> {
        self.bracketed(Stops::default(), |p| {
            let binders = p.separated(Kind::Comma, |p| {
                let pat = p.pat()?;
                p.expect(Kind::In)?;
                Ok((pat, p.exp()?))
            })?;
            let filter = if p.eat(Kind::Where) {
                Some(Box::new(p.exp()?))
            } else {
                None
            };
            Ok(ExpKind::ParComprehension {
                body: Box::new(body),
                binders,
                filter,
            })
        })
    }

    /// Parses a `pcase` after its keyword.
    pub(super) fn pcase(&mut self) -> Parse<ExpKind> {
        let stops = Stops {
            range: false,
            ampersand: true,
        };
        let scrutinees = self.bracketed(stops, |p| p.ampersands(Parser::exp))?;
        self.expect(Kind::Of)?;
        self.eat(Kind::Bar);
        let count = scrutinees.len();
        let rules = self.separated(Kind::Bar, |p| p.par_rule(count))?;
        Ok(ExpKind::ParCase(scrutinees, rules))
    }

    fn ampersands<T>(&mut self, mut part: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut parts = vec![part(self)?];
        while self.at_name(self.words.ampersand) {
            self.bump();
            parts.push(part(self)?);
        }
        Ok(parts)
    }

    fn par_rule(&mut self, count: usize) -> Parse<ParRule> {
        let first = self.here();
        let stops = Stops {
            range: false,
            ampersand: true,
        };
        let otherwise =
            self.at_name(self.words.otherwise) && self.kind_ahead(1) == Kind::DoubleArrow;
        let pats = if otherwise {
            self.bump();
            ParPats::Otherwise
        } else {
            let pats = self.bracketed(stops, |p| p.ampersands(Parser::par_pat))?;
            if pats.len() != count {
                let message = format!(
                    "this rule has {}, but the `pcase` has {}",
                    plural(pats.len(), "pattern"),
                    plural(count, "expression")
                );
                let span = self.since(first);
                self.report(Diagnostic::new(Code::PcaseArity, span, message));
            }
            ParPats::Pats(pats)
        };
        self.expect(Kind::DoubleArrow)?;
        let exp = self.exp()?;
        Ok(ParRule {
            pats,
            exp,
            span: self.since(first),
        })
    }

    fn par_pat(&mut self) -> Parse<Option<Pat>> {
        if self.at_name(self.words.question) {
            self.bump();
            return Ok(None);
        }
        self.pat().map(Some)
    }
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
