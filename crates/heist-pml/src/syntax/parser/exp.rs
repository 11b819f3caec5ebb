//! Parses expressions.

use super::super::ast::{Exp, ExpKind, Literal, LongName, Name, Rule};
use super::dec::Place;
use super::infix::{Chain, Operator};
use super::{Kind, Parse, Parser, Stops};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// Returns the expression `e1 op e2`.
fn join(left: Exp, operator: Operator, right: Exp) -> Exp {
    let span = left.span.to(right.span);
    let (left, right) = (Box::new(left), Box::new(right));
    let kind = if operator.index {
        ExpKind::ParIndex(left, right)
    } else {
        let name = LongName {
            path: Vec::new(),
            name: operator.name,
        };
        ExpKind::Infix(left, name, right)
    };
    Exp { kind, span }
}

impl Parser<'_> {
    /// Parses an expression (`exp` in the grammar).
    pub(super) fn exp(&mut self) -> Parse<Exp> {
        self.nest(Parser::handle_exp)
    }

    fn exp_since(&self, first: Span, kind: ExpKind) -> Exp {
        let span = self.since(first);
        Exp { kind, span }
    }

    fn handle_exp(&mut self) -> Parse<Exp> {
        let first = self.here();
        let mut left = self.orelse_exp()?;
        while self.at(Kind::Handle) {
            self.link()?;
            let open = self.here();
            self.bump();
            let rules = self.inside("the `handle`", open, Parser::rules)?;
            left = self.exp_since(first, ExpKind::Handle(Box::new(left), rules));
        }
        Ok(left)
    }

    fn orelse_exp(&mut self) -> Parse<Exp> {
        let first = self.here();
        let mut left = self.andalso_exp()?;
        while self.eat(Kind::Orelse) {
            self.link()?;
            let right = self.andalso_exp()?;
            left = self.exp_since(first, ExpKind::Orelse(Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    fn andalso_exp(&mut self) -> Parse<Exp> {
        let first = self.here();
        let mut left = self.typed_exp()?;
        while self.eat(Kind::Andalso) {
            self.link()?;
            let right = self.typed_exp()?;
            left = self.exp_since(first, ExpKind::Andalso(Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    fn typed_exp(&mut self) -> Parse<Exp> {
        let first = self.here();
        let mut exp = if self.at_prefix_form() {
            self.prefix_form()?
        } else {
            self.infix_exp()?
        };
        while self.eat(Kind::Colon) {
            self.link()?;
            let ty = self.ty()?;
            exp = self.exp_since(first, ExpKind::Typed(Box::new(exp), ty));
        }
        Ok(exp)
    }

    /// Returns true if the current token begins a form, such as `if` or `fn`, that extends as far to the right as possible.
    fn at_prefix_form(&self) -> bool {
        match self.kind() {
            Kind::Raise | Kind::If | Kind::While | Kind::Case | Kind::Fn => true,
            Kind::Id => self.at_word(self.words.spawn) || self.at_word(self.words.pcase),
            _ => false,
        }
    }

    fn prefix_form(&mut self) -> Parse<Exp> {
        let open = self.here();
        let word = self.bump().kind;
        let kind = match word {
            Kind::Raise => ExpKind::Raise(Box::new(self.exp()?)),
            Kind::If => self.inside("the `if`", open, |p| {
                let condition = p.exp()?;
                p.expect(Kind::Then)?;
                let then = p.exp()?;
                if !p.at(Kind::Else) {
                    let note = "in Standard ML an `if` always has an `else`";
                    return Err(p.unexpected_with("`else`", Some(note)));
                }
                p.bump();
                let otherwise = p.exp()?;
                let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
                Ok(ExpKind::If(condition, then, otherwise))
            })?,
            Kind::While => self.inside("the `while`", open, |p| {
                let condition = p.exp()?;
                p.expect(Kind::Do)?;
                Ok(ExpKind::While(Box::new(condition), Box::new(p.exp()?)))
            })?,
            Kind::Case => self.inside("the `case`", open, |p| {
                let scrutinee = p.exp()?;
                p.expect(Kind::Of)?;
                Ok(ExpKind::Case(Box::new(scrutinee), p.rules()?))
            })?,
            Kind::Fn => self.inside("the `fn`", open, |p| Ok(ExpKind::Fn(p.rules()?)))?,
            // The remaining branches parse words of parallel forms.
            _ if self.lexed.tokens[self.at - 1].symbol == self.words.spawn => {
                ExpKind::Spawn(Box::new(self.exp()?))
            }
            _ => self.inside("the `pcase`", open, Parser::pcase)?,
        };
        Ok(self.exp_since(open, kind))
    }

    /// Parses `p => e | ...`. A `|` before the first rule is allowed.
    pub(super) fn rules(&mut self) -> Parse<Vec<Rule>> {
        self.eat(Kind::Bar);
        let mut rules = vec![self.rule()?];
        while self.at(Kind::Bar) && !(self.stops.range && self.binder_follows()) {
            self.bump();
            rules.push(self.rule()?);
        }
        Ok(rules)
    }

    fn rule(&mut self) -> Parse<Rule> {
        let pat = self.pat()?;
        if self.at(Kind::Equal) || self.at(Kind::Arrow) {
            let note = "the rules of a match are written `pattern => expression`";
            return Err(self.unexpected_with("`=>`", Some(note)));
        }
        self.expect(Kind::DoubleArrow)?;
        let exp = self.exp()?;
        Ok(Rule { pat, exp })
    }

    fn infix_exp(&mut self) -> Parse<Exp> {
        let first = self.application()?;
        let Some(mut operator) = self.infix_here().or_else(|| self.index_here()) else {
            return Ok(first);
        };
        if self.at_stop() {
            return Ok(first);
        }
        let mut chain = Chain::new(first, join);
        loop {
            self.operator(&mut chain, operator)?;
            self.bump();
            let right = if self.at_prefix_form() {
                self.unparenthesised()?
            } else if self.begins_atom(self.at) {
                self.application()?
            } else {
                self.no_right_operand(operator, "an expression");
                return Err(super::Abort);
            };
            chain.operand(right);
            if self.at_stop() {
                break;
            }
            match self.infix_here().or_else(|| self.index_here()) {
                Some(next) => operator = next,
                None => break,
            }
        }
        Ok(chain.finish())
    }

    /// Parses a form such as `if` or `fn` in a place where this form needs parentheses. Reports the missing parentheses.
    fn unparenthesised(&mut self) -> Parse<Exp> {
        let token = self.token();
        let message = format!("`{}` needs parentheses around it here", self.text_of(token));
        let before = self.lexed.tokens[self.at - 1].end as usize;
        let mut diagnostic = Diagnostic::new(Code::NeedsParentheses, self.here(), message);
        if self.text[before..token.start as usize].contains(&b'\n') {
            diagnostic = diagnostic.note("or a `;` or `,` is missing before it");
        }
        self.report(diagnostic);
        self.nest(Parser::prefix_form)
    }

    /// Returns true if an atomic expression other than an infix name begins at a token.
    pub(super) fn begins_atom(&self, at: usize) -> bool {
        let Some(token) = self.lexed.tokens.get(at) else {
            return false;
        };
        match token.kind {
            Kind::LongId
            | Kind::Int
            | Kind::Word
            | Kind::Real
            | Kind::Char
            | Kind::String
            | Kind::LParen
            | Kind::LBracket
            | Kind::LBrace
            | Kind::LParenBar
            | Kind::LBracketBar
            | Kind::Let
            | Kind::Hash
            | Kind::Op
            | Kind::Prim => true,
            Kind::Id => self.fixity.get(token.symbol).is_none(),
            _ => false,
        }
    }

    fn application(&mut self) -> Parse<Exp> {
        let first = self.here();
        let mut exp = self.atom()?;
        loop {
            if self.at_stop() {
                return Ok(exp);
            }
            let argument = if self.at_prefix_form() {
                self.link()?;
                self.unparenthesised()?
            } else if self.begins_atom(self.at)
                && self.index_here().is_none()
                && !self.at_named_dec()
            {
                self.link()?;
                self.atom()?
            } else {
                return Ok(exp);
            };
            exp = self.exp_since(first, ExpKind::Apply(Box::new(exp), Box::new(argument)));
        }
    }

    /// Parses an atomic expression (`atexp` in the grammar).
    fn atom(&mut self) -> Parse<Exp> {
        let first = self.here();
        let kind = match self.kind() {
            Kind::Int | Kind::Word | Kind::Real | Kind::Char | Kind::String => {
                ExpKind::Literal(self.literal())
            }
            Kind::Id => {
                let infix = self.infix_here().is_some();
                if infix {
                    let token = self.token();
                    let operator = Name {
                        symbol: token.symbol,
                        span: first,
                    };
                    self.infix_alone(operator);
                }
                let name = self.long_name("a name")?;
                ExpKind::Name { name, op: infix }
            }
            Kind::LongId => ExpKind::Name {
                name: self.bump_long(),
                op: false,
            },
            Kind::Op => ExpKind::Name {
                name: self.op_name()?,
                op: true,
            },
            Kind::Hash => {
                self.bump();
                if self.at(Kind::LBracket) {
                    return self.recovering(Kind::RBracket, |p| {
                        let items = p.items(Kind::RBracket, "the vector")?;
                        Ok(p.exp_since(first, ExpKind::Vector(items)))
                    });
                }
                ExpKind::Selector(self.label()?)
            }
            Kind::LParen => return self.recovering(Kind::RParen, Parser::paren),
            Kind::LBracket => {
                return self.recovering(Kind::RBracket, |p| {
                    let items = p.items(Kind::RBracket, "the list")?;
                    Ok(p.exp_since(first, ExpKind::List(items)))
                });
            }
            Kind::LParenBar => {
                return self.recovering(Kind::BarRParen, |p| {
                    let items = p.items(Kind::BarRParen, "the parallel tuple")?;
                    Ok(p.exp_since(first, ExpKind::ParTuple(items)))
                });
            }
            Kind::LBracketBar => return self.recovering(Kind::BarRBracket, Parser::par_array),
            Kind::LBrace => return self.recovering(Kind::RBrace, Parser::record),
            Kind::Let => return self.let_exp(),
            Kind::Prim => {
                self.bump();
                let name = self.string_name()?;
                self.expect(Kind::Colon)?;
                ExpKind::Prim(name, self.ty()?)
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(self.exp_since(first, kind))
    }

    /// Reads the current token, a literal, and returns its value. This function moves the value out of the list of literals, so the parser
    /// must call it only once for each literal.
    pub(super) fn literal(&mut self) -> Literal {
        let token = self.bump();
        let literal = &mut self.lexed.literals[token.index as usize];
        std::mem::replace(literal, Literal::Char(0))
    }

    /// Parses `op` and a name, which may be infix.
    pub(super) fn op_name(&mut self) -> Parse<LongName> {
        self.expect(Kind::Op)?;
        if self.at(Kind::Equal) {
            let name = self.bump_name();
            return Ok(LongName {
                path: Vec::new(),
                name,
            });
        }
        self.long_name("a name after `op`")
    }

    /// Parses a construct that ends with `closer`. If `parse` fails, skips the rest of the construct and `closer`.
    pub(super) fn recovering(
        &mut self,
        closer: Kind,
        parse: impl FnOnce(&mut Self) -> Parse<Exp>,
    ) -> Parse<Exp> {
        let first = self.here();
        let start = self.at;
        let result = self.nest(parse);
        if result.is_ok() {
            return result;
        }
        debug_assert!(
            self.at > start || self.at(Kind::Eof),
            "the opening bracket was read"
        );
        self.skip(&[closer, Kind::And, Kind::In], true);
        if self.eat(closer) {
            return Ok(self.exp_since(first, ExpKind::Error));
        }
        Err(super::Abort)
    }

    /// Parses the expressions between two brackets: the current token and `closer`.
    fn items(&mut self, closer: Kind, what: &'static str) -> Parse<Vec<Exp>> {
        let open = self.here();
        self.bump();
        if self.eat(closer) {
            return Ok(Vec::new());
        }
        self.inside(what, open, |p| {
            let items = p.bracketed(Stops::default(), |p| p.separated(Kind::Comma, Parser::exp))?;
            p.close(closer, open, "`,` or ")?;
            Ok(items)
        })
    }

    fn paren(&mut self) -> Parse<Exp> {
        let open = self.here();
        self.bump();
        if self.eat(Kind::RParen) {
            return Ok(self.exp_since(open, ExpKind::Tuple(Vec::new())));
        }
        self.bracketed(Stops::default(), |p| {
            let exp = p.exp()?;
            let kind = match p.kind() {
                Kind::Comma | Kind::Semicolon => {
                    let separator = p.bump().kind;
                    let mut items = vec![exp];
                    if separator == Kind::Comma {
                        items.extend(p.separated(separator, Parser::exp)?);
                    } else {
                        p.more_in_sequence(&mut items, Kind::RParen)?;
                    }
                    let or = if separator == Kind::Comma {
                        "`,` or "
                    } else {
                        "`;` or "
                    };
                    p.close(Kind::RParen, open, or)?;
                    if separator == Kind::Comma {
                        ExpKind::Tuple(items)
                    } else {
                        ExpKind::Sequence(items)
                    }
                }
                _ => {
                    p.close(Kind::RParen, open, "`,`, `;` or ")?;
                    ExpKind::Paren(Box::new(exp))
                }
            };
            Ok(p.exp_since(open, kind))
        })
    }

    /// Parses the expressions after the first `;` of a sequence. The caller must read `closer`, which ends the sequence.
    fn more_in_sequence(&mut self, exps: &mut Vec<Exp>, closer: Kind) -> Parse<()> {
        loop {
            if self.options.last_semicolon && self.at(closer) {
                return Ok(());
            }
            exps.push(if closer == Kind::End {
                self.exp_of_let()?
            } else {
                self.exp()?
            });
            if !self.eat(Kind::Semicolon) {
                return Ok(());
            }
        }
    }

    fn exp_of_let(&mut self) -> Parse<Exp> {
        if self.at(Kind::End) {
            let note = "the expressions of a `let` are separated, not ended, by `;`";
            return Err(self.unexpected_with("an expression", Some(note)));
        }
        self.exp()
    }

    fn record(&mut self) -> Parse<Exp> {
        let open = self.here();
        self.bump();
        let mut fields = Vec::new();
        if !self.at(Kind::RBrace) {
            fields = self.inside("the record", open, |p| {
                p.bracketed(Stops::default(), |p| {
                    p.separated(Kind::Comma, Parser::field)
                })
            })?;
        }
        self.close(Kind::RBrace, open, "`,` or ")?;
        Ok(self.exp_since(open, ExpKind::Record(fields)))
    }

    /// Parses `label = e`, or a name that is both the label and the value.
    fn field(&mut self) -> Parse<(Name, Exp)> {
        let name = self.at(Kind::Id).then(|| self.here());
        let label = self.label()?;
        if let Some(span) = name
            && matches!(self.kind(), Kind::Comma | Kind::RBrace)
        {
            let name = LongName {
                path: Vec::new(),
                name: label,
            };
            let kind = ExpKind::Name { name, op: false };
            return Ok((label, Exp { kind, span }));
        }
        self.expect(Kind::Equal)?;
        Ok((label, self.exp()?))
    }

    fn let_exp(&mut self) -> Parse<Exp> {
        let open = self.here();
        let mark = self.fixity.mark();
        let stops = std::mem::take(&mut self.stops);
        let result = self.nest(|p| {
            p.bump();
            let decs = p.inside("the `let`", open, |p| {
                Ok(p.decs(Place::Let, &[Kind::In, Kind::End]))
            })?;
            p.inside("the `let`", open, |p| {
                p.expect(Kind::In)?;
                let mut exps = vec![p.exp_of_let()?];
                if p.eat(Kind::Semicolon) {
                    p.more_in_sequence(&mut exps, Kind::End)?;
                }
                p.close(Kind::End, open, "`;` or ")?;
                Ok(p.exp_since(open, ExpKind::Let(decs, exps)))
            })
        });
        self.stops = stops;
        self.fixity.undo(mark);
        if result.is_ok() {
            return result;
        }
        // If the declarations are broken, this call skips the whole `let`, provided that its `end` exists.
        self.skip(&[Kind::End], false);
        if self.eat(Kind::End) {
            return Ok(self.exp_since(open, ExpKind::Error));
        }
        Err(super::Abort)
    }
}
