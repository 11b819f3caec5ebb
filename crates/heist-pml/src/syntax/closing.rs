//! Completes the beginning of a program text: adds the words that close open constructs.

use std::path::PathBuf;

use super::Options;
use super::lexer::lex;
use super::token::Kind;
use crate::diag::Diagnostics;
use crate::source::{File, FileId};

/// A construct that is open at the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// A bracket, and the sign that closes it.
    Bracket(&'static str),
    /// A block that begins with `struct`, `in` or `with`.
    Block,
    /// A signature that begins with `sig`.
    Sig,
    /// A `let`, before its `in`.
    Let,
    /// A `local`, before its `in`.
    Local,
    /// An `if`, before its `then`.
    If,
    /// An `if`, after its `then`.
    Then,
    /// A `case`, before its `of`.
    Case,
    /// A `while`, before its `do`.
    While,
    /// The pattern of a rule. The text does not contain the rule's expression.
    Rule,
    /// Rules of a match. The text contains the expression of the last rule.
    Rules,
    /// A binding without its expression. The field is true for `fun`, and false for `val`.
    Bind(bool),
    /// A binding with its expression. The field is true for `fun`, and false for `val`.
    Bound(bool),
}

impl Open {
    fn end(self) -> &'static str {
        match self {
            Open::Bracket(closer) => closer,
            Open::Block | Open::Sig => " end",
            Open::Let => " in () end",
            Open::Local => " in end",
            Open::If => " then () else ()",
            Open::Then => " else ()",
            Open::Case => " of _ => ()",
            Open::While => " do ()",
            Open::Rule => " => ()",
            Open::Bind(_) => " = ()",
            Open::Rules | Open::Bound(_) => "",
        }
    }

    /// Returns true if the construct is a *border*. The end of a border also ends all expressions and declarations inside of it.
    fn is_border(self) -> bool {
        matches!(
            self,
            Open::Bracket(_) | Open::Block | Open::Sig | Open::Let | Open::Local
        )
    }
}

/// The constructs that are open at a place, the innermost last.
#[derive(Default)]
struct Stack(Vec<Open>);

impl Stack {
    /// Returns the index of the innermost construct for which `wanted` is true, in the innermost block or bracket.
    fn find(&self, wanted: impl Fn(Open) -> bool) -> Option<usize> {
        for (at, &open) in self.0.iter().enumerate().rev() {
            if wanted(open) {
                return Some(at);
            }
            if open.is_border() {
                return None;
            }
        }
        None
    }

    /// Ends the innermost construct for which `wanted` is true, and all constructs inside of it. If `by` is given, replaces these
    /// constructs by the construct `by`.
    fn replace(&mut self, wanted: impl Fn(Open) -> bool, by: Option<Open>) {
        if let Some(at) = self.find(wanted) {
            self.0.truncate(at);
            self.0.extend(by);
        }
    }

    /// Begins a declaration. The declaration ends all constructs inside of the innermost border.
    fn declaration(&mut self) {
        while self.0.last().is_some_and(|open| !open.is_border()) {
            self.0.pop();
        }
    }

    fn bind(&mut self, fun: bool) {
        self.declaration();
        if self.0.last() != Some(&Open::Sig) {
            self.0.push(Open::Bind(fun));
        }
    }

    /// Ends the innermost construct for which `wanted` is true, and all constructs inside of it.
    fn close(&mut self, wanted: impl Fn(Open) -> bool) {
        if let Some(at) = self.0.iter().rposition(|&open| wanted(open)) {
            self.0.truncate(at);
        }
    }

    fn bar(&mut self) {
        let alternatives =
            |open| matches!(open, Open::Rules | Open::Bound(true) | Open::Bind(true));
        if let Some(at) = self.find(alternatives) {
            let rules = self.0[at] == Open::Rules;
            self.0.truncate(at + usize::from(rules));
            self.0
                .push(if rules { Open::Rule } else { Open::Bind(true) });
        }
    }

    fn take(&mut self, kind: Kind) {
        match kind {
            Kind::LParen => self.0.push(Open::Bracket(")")),
            Kind::LBracket => self.0.push(Open::Bracket("]")),
            Kind::LBrace => self.0.push(Open::Bracket("}")),
            Kind::LParenBar => self.0.push(Open::Bracket(" |)")),
            Kind::LBracketBar => self.0.push(Open::Bracket(" |]")),
            Kind::RParen | Kind::RBracket | Kind::RBrace | Kind::BarRParen | Kind::BarRBracket => {
                self.close(|open| matches!(open, Open::Bracket(_)))
            }
            Kind::Struct | Kind::With => self.0.push(Open::Block),
            Kind::Sig => self.0.push(Open::Sig),
            Kind::Let => self.0.push(Open::Let),
            Kind::Local => {
                self.declaration();
                self.0.push(Open::Local);
            }
            Kind::In => {
                // In a comprehension, `in` belongs to the bracket.
                self.replace(
                    |open| matches!(open, Open::Let | Open::Local),
                    Some(Open::Block),
                );
            }
            Kind::End => {
                self.close(|open| open.is_border() && !matches!(open, Open::Bracket(_)));
            }
            Kind::If => self.0.push(Open::If),
            Kind::Then => self.replace(|open| open == Open::If, Some(Open::Then)),
            Kind::Else => self.replace(|open| open == Open::Then, None),
            Kind::While => self.0.push(Open::While),
            Kind::Do => self.replace(|open| open == Open::While, None),
            Kind::Case => self.0.push(Open::Case),
            Kind::Of => self.replace(|open| open == Open::Case, Some(Open::Rule)),
            Kind::Fn | Kind::Handle => self.0.push(Open::Rule),
            Kind::DoubleArrow => self.replace(|open| open == Open::Rule, Some(Open::Rules)),
            Kind::Bar => self.bar(),
            Kind::Val => self.bind(false),
            Kind::Fun => self.bind(true),
            Kind::And => {
                let bound = |open| matches!(open, Open::Bound(_) | Open::Bind(_));
                if let Some(Open::Bound(fun) | Open::Bind(fun)) =
                    self.find(bound).map(|at| self.0[at])
                {
                    self.bind(fun);
                }
            }
            Kind::Equal => {
                if let Some(&Open::Bind(fun)) = self.0.last() {
                    self.0.pop();
                    self.0.push(Open::Bound(fun));
                }
            }
            _ if kind.begins_declaration() => self.declaration(),
            _ => {}
        }
    }
}

/// Returns the shortest text that completes a program text: the result closes the constructs that are open at the end of the program text.
/// The program text must end after a name.
#[must_use]
pub fn closing(text: &[u8]) -> String {
    let file = File {
        path: PathBuf::new(),
        text: text.to_vec(),
        builtin: false,
    };
    let lexed = lex(
        &file,
        FileId(0),
        Options::default(),
        &mut Diagnostics::default(),
    );
    let mut stack = Stack::default();
    lexed.tokens.iter().for_each(|token| stack.take(token.kind));
    stack.0.iter().rev().map(|open| open.end()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;
    use crate::syntax::{FixityEnv, Options, parse};

    #[test]
    fn texts_that_are_cut_get_an_end() {
        for (text, end) in [
            ("val x = M", ""),
            ("val x = (1, [M", "])"),
            ("fun f x = let val y = M", " in () end"),
            ("fun f x = let val y = 1 in (y; M", ") end"),
            ("fun f x = let val y = 1 in y end val z = M", ""),
            ("val x = if M", " then () else ()"),
            ("val x = if a then M", " else ()"),
            ("val x = if a then b else M", ""),
            ("val x = case M", " of _ => ()"),
            ("val x = case y of M", " => ()"),
            ("val x = case y of 0 => M", ""),
            ("val x = case y of 0 => 1 | M", " => ()"),
            ("val x = (fn (a, M", ") => ())"),
            ("val x = f y handle M", " => ()"),
            ("fun f 0 = 1 | f M", " = ()"),
            ("fun f 0 = case x of 1 => 2 | M", " => ()"),
            ("fun f x = x and g M", " = ()"),
            ("val M", " = ()"),
            ("val x : M", " = ()"),
            ("infix 4 = val x = a = M", ""),
            ("val x = while M", " do ()"),
            ("structure A = struct val x = M", " end"),
            ("signature S = sig val x : M", " end"),
            ("local val x = M", " in end"),
            ("datatype t = A | B of M", ""),
            ("val x = [| a | a in M", " |]"),
            ("val x = (case y of A => 1 | B => 2, M", ")"),
            ("abstype t = A with val x = M", " end"),
            ("fun f x = (let in x", " end)"),
        ] {
            assert_eq!(closing(text.as_bytes()), end, "{text}");
            let whole = format!("{text}{end}");
            let mut sources = Sources::default();
            let id = sources.add("x.sml", whole.as_str(), false);
            let diagnostics = &mut Diagnostics::default();
            let fixity = &mut FixityEnv::new();
            let _ = parse(&sources, id, fixity, Options::default(), diagnostics);
            assert!(
                !diagnostics.has_errors(),
                "{whole}: {:?}",
                diagnostics.items()
            );
        }
    }
}
