//! Parses chains of infix operators and operands.

use super::super::ast::{Fixity, Name};
use super::{Kind, Parse, Parser};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// An operator between operands.
#[derive(Clone, Copy)]
pub(super) struct Operator {
    pub(super) name: Name,
    /// The level: twice the precedence in the operator's directive. The level of `a ! i` is odd, because this operator's precedence is
    /// between two precedences of directives.
    level: u8,
    right: bool,
    /// Whether the operator is the `!` of `a ! i`.
    pub(super) index: bool,
}

/// A chain: operands, and the operators that wait for their right operand. Each of these operators is right-associative or has a higher
/// precedence than the operator before it.
pub(super) struct Chain<T> {
    operands: Vec<T>,
    operators: Vec<Operator>,
    join: fn(T, Operator, T) -> T,
}

impl<T> Chain<T> {
    pub(super) fn new(first: T, join: fn(T, Operator, T) -> T) -> Chain<T> {
        Chain {
            operands: vec![first],
            operators: Vec::new(),
            join,
        }
    }

    fn reduce(&mut self) {
        let operator = self.operators.pop().expect("an operator waits");
        let right = self.operands.pop().expect("its right operand");
        let left = self.operands.pop().expect("its left operand");
        self.operands.push((self.join)(left, operator, right));
    }

    /// Returns the whole chain as one expression or pattern.
    pub(super) fn finish(mut self) -> T {
        while !self.operators.is_empty() {
            self.reduce();
        }
        self.operands.pop().expect("one operand is left")
    }

    pub(super) fn operand(&mut self, operand: T) {
        self.operands.push(operand);
    }
}

impl Parser<'_> {
    /// Returns true if the current token is a name, such as `to` or `&`, that ends the current expression or pattern.
    pub(super) fn at_stop(&self) -> bool {
        self.stops.range && (self.at_name(self.words.to) || self.at_name(self.words.by))
            || self.stops.ampersand && self.at_name(self.words.ampersand)
    }

    /// Returns the current token as an operator, if it is an infix name.
    pub(super) fn infix_here(&self) -> Option<Operator> {
        let token = self.token();
        if !matches!(token.kind, Kind::Id | Kind::Equal) {
            return None;
        }
        let (level, right) = match self.fixity.get(token.symbol)? {
            Fixity::Left(level) => (level, false),
            Fixity::Right(level) => (level, true),
            Fixity::Nonfix => return None,
        };
        Some(Operator {
            name: Name {
                symbol: token.symbol,
                span: self.here(),
            },
            level: 2 * level,
            right,
            index: false,
        })
    }

    /// Returns the operator of `a ! i`, if the current token is `!` and an operand follows. This operator binds less tightly than `+` and
    /// more tightly than `::`. If no operand follows, as in `map !`, `!` is a name.
    pub(super) fn index_here(&self) -> Option<Operator> {
        if !self.at_word(self.words.bang) || !self.begins_atom(self.at + 1) {
            return None;
        }
        Some(Operator {
            name: Name {
                symbol: self.words.bang,
                span: self.here(),
            },
            level: 11,
            right: false,
            index: true,
        })
    }

    /// Appends an operator to a chain.
    pub(super) fn operator<T>(&mut self, chain: &mut Chain<T>, operator: Operator) -> Parse<()> {
        self.link()?;
        while let Some(before) = chain.operators.last().copied() {
            if before.level == operator.level && before.right != operator.right {
                self.mixed(before, operator);
            }
            if before.level < operator.level || before.level == operator.level && before.right {
                break;
            }
            chain.reduce();
        }
        chain.operators.push(operator);
        Ok(())
    }

    fn mixed(&mut self, before: Operator, operator: Operator) {
        let (left, right) = (before.name.symbol, operator.name.symbol);
        let message = format!(
            "`{left}` and `{right}` have the same precedence and associate to different sides"
        );
        self.report(
            Diagnostic::new(Code::MixedAssociativity, operator.name.span, message)
                .label(before.name.span, format!("`{left}` is here"))
                .note("parentheses have to say what belongs together"),
        );
    }

    /// Reports an infix name without a left operand.
    pub(super) fn infix_alone(&mut self, name: Name) {
        let symbol = name.symbol;
        let message = format!("the infix operator `{symbol}` has no left operand");
        let note = if symbol.as_str() == "-" && self.before_operand(self.at) {
            "a number is negated by `~`: `~5`, `~ x`".to_owned()
        } else {
            format!("as a function by itself it is written `op {symbol}`")
        };
        self.report(Diagnostic::new(Code::InfixAlone, name.span, message).note(note));
    }

    /// Returns true if a number, name or parenthesis follows the token at index `at` without a space, as after a sign.
    fn before_operand(&self, at: usize) -> bool {
        let (token, next) = (self.lexed.tokens[at], self.lexed.tokens.get(at + 1));
        next.is_some_and(|next| {
            next.start == token.end
                && matches!(
                    next.kind,
                    Kind::Int | Kind::Real | Kind::Id | Kind::LongId | Kind::LParen
                )
        })
    }

    /// Reports an operator without a right operand.
    pub(super) fn no_right_operand(&mut self, operator: Operator, what: &str) {
        let symbol = operator.name.symbol;
        let span: Span = operator.name.span;
        let message = format!("expected {what} after `{symbol}`, found {}", self.found());
        let mut diagnostic = Diagnostic::new(Code::InfixAlone, self.here(), message)
            .label(span, "this operator has no right operand");
        if self.token().symbol.as_str() == "-" && self.before_operand(self.at) {
            diagnostic = diagnostic.note("a number is negated by `~`: `~5`, `~ x`");
        }
        self.report(diagnostic);
    }
}
