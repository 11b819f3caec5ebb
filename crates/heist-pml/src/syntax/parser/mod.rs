//! The parser, which makes the syntax tree from tokens by recursive descent.
//!
//! After an error, the parser continues. The parser reports the error where it finds the error, and an [`Abort`] propagates to the nearest
//! construct that can continue (a bracket, a `let`, a binding, a declaration). In this construct, the parser skips the tokens that it
//! cannot parse.
//!
//! Names that begin parallel forms (`spawn`, `pval`, `pcase`, and `!` between operands) are ordinary names in Standard ML. With
//! [`Options::parallel_forms`], each of these words is reserved at first. A word becomes an ordinary name when the program binds it in a
//! pattern, a `fun`, a specification or a fixity directive. `to` and `by` are reserved only in parallel ranges. `&`, `?` and `otherwise`
//! are reserved only in `pcase`.

mod bindings;
mod dec;
mod exp;
mod fun;
mod infix;
mod module;
mod parallel;
mod pat;
mod recovery;
mod spec;
mod ty;

use super::ast::{Dec, LongName, Name};
use super::fixity::FixityEnv;
use super::lexer::lex;
use super::token::{Kind, Lexed, Token};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Sources, Span};
use crate::symbol::Symbol;

/// Options of the parser.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether `a ! i`, `spawn`, `pval` and `pcase` are forms of the language.
    pub parallel_forms: bool,
    /// Whether to parse as Manticore's compiler did. Manticore had no loops, so `do` is a name in files without `while`. In addition,
    /// `x::~1` has two operators.
    pub manticore: bool,
    /// Whether `(*)` begins a comment up to the end of the line.
    pub line_comments: bool,
    /// Whether a `;` may follow the last expression of a sequence.
    pub last_semicolon: bool,
}

/// The maximum depth of syntax trees. The limit protects the stack, because later passes are recursive.
pub(super) const MAX_DEPTH: u32 = 10_000;

/// Parses the top-level declarations of a file. The parser adds fixity directives at top level to `fixity`, for the next file.
#[must_use]
pub fn parse(
    sources: &Sources,
    id: FileId,
    fixity: &mut FixityEnv,
    options: Options,
    diagnostics: &mut Diagnostics,
) -> Vec<Dec> {
    let Some(file) = sources.file(id) else {
        return Vec::new();
    };
    let mut lexed = lex(file, id, options, diagnostics);
    if options.manticore {
        lexed.free_do();
    }
    parse_lexed(&file.text, lexed, id, fixity, options, diagnostics)
}

/// Parses the top-level declarations of a file. `lexed` has the tokens of the file.
pub(super) fn parse_lexed(
    text: &[u8],
    lexed: Lexed,
    file: FileId,
    fixity: &mut FixityEnv,
    options: Options,
    diagnostics: &mut Diagnostics,
) -> Vec<Dec> {
    let mut parser = Parser {
        text,
        lexed,
        file,
        at: 0,
        fixity,
        options,
        diagnostics,
        contexts: Vec::new(),
        depth: 0,
        height: 0,
        links: 0,
        stops: Stops::default(),
        reported: None,
        skipping: false,
        words: Words::new(),
    };
    parser.program()
}

/// The error value of the parser's functions, which means that the parser has reported an error and cannot continue the current construct.
#[derive(Debug)]
struct Abort;

type Parse<T> = Result<T, Abort>;

/// The names that end the current expression or pattern.
#[derive(Clone, Copy, Default)]
struct Stops {
    /// Whether `to` and `by` end the current expression.
    range: bool,
    /// Whether `&` ends the current expression.
    ampersand: bool,
}

/// The symbols of the names that have a special meaning in parallel forms and types.
struct Words {
    bang: Symbol,
    spawn: Symbol,
    pval: Symbol,
    pcase: Symbol,
    cont: Symbol,
    otherwise: Symbol,
    to: Symbol,
    by: Symbol,
    ampersand: Symbol,
    question: Symbol,
    star: Symbol,
}

impl Words {
    fn new() -> Words {
        Words {
            bang: Symbol::new("!"),
            spawn: Symbol::new("spawn"),
            pval: Symbol::new("pval"),
            pcase: Symbol::new("pcase"),
            cont: Symbol::new("cont"),
            otherwise: Symbol::new("otherwise"),
            to: Symbol::new("to"),
            by: Symbol::new("by"),
            ampersand: Symbol::new("&"),
            question: Symbol::new("?"),
            star: Symbol::new("*"),
        }
    }
}

struct Parser<'a> {
    text: &'a [u8],
    lexed: Lexed,
    file: FileId,
    at: usize,
    fixity: &'a mut FixityEnv,
    options: Options,
    diagnostics: &'a mut Diagnostics,
    /// The name and the beginning of each open construct, for messages.
    contexts: Vec<(&'static str, Span)>,
    /// The number of open constructs.
    depth: u32,
    /// The height of the highest complete tree in the innermost open construct.
    height: u32,
    /// The number of nodes above the parts of the innermost open construct: one node for each operator or argument of a chain.
    links: u32,
    stops: Stops,
    /// The index of the token at which the parser has reported the last error.
    reported: Option<usize>,
    /// Whether the parser has to skip the rest of the current declaration, because a part of it is broken.
    skipping: bool,
    words: Words,
}

impl Parser<'_> {
    // Tokens.

    fn token(&self) -> Token {
        self.lexed.tokens[self.at]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn kind_ahead(&self, ahead: usize) -> Kind {
        let last = self.lexed.tokens.len() - 1;
        self.lexed.tokens[(self.at + ahead).min(last)].kind
    }

    fn at(&self, kind: Kind) -> bool {
        self.kind() == kind
    }

    /// Returns true if the current token is this name.
    fn at_name(&self, name: Symbol) -> bool {
        let token = self.token();
        token.kind == Kind::Id && token.symbol == name
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::Eof {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn here(&self) -> Span {
        self.span_of(self.token())
    }

    fn span_of(&self, token: Token) -> Span {
        Span {
            file: self.file,
            start: token.start,
            end: token.end,
        }
    }

    /// Returns the span from the start of `first` to the end of the token before this one.
    fn since(&self, first: Span) -> Span {
        let end = match self.at.checked_sub(1) {
            Some(before) => self.lexed.tokens[before].end,
            None => first.end,
        };
        Span {
            end: end.max(first.start),
            ..first
        }
    }

    fn text_of(&self, token: Token) -> String {
        let bytes = &self.text[token.start as usize..token.end as usize];
        let text: String = String::from_utf8_lossy(bytes).into_owned();
        if text.chars().count() > 30 {
            text.chars().take(27).chain("...".chars()).collect()
        } else {
            text
        }
    }

    // Errors.

    fn report(&mut self, diagnostic: Diagnostic) {
        // An error at the token of the last error is a consequence of the last error. The same is true for an error at the next token, if
        // the parser has taken the token of the last error for the beginning of a declaration.
        let follows = |reported: usize| {
            reported == self.at
                || reported + 1 == self.at && self.lexed.tokens[reported].kind.begins_declaration()
        };
        if !self.reported.is_some_and(follows) {
            self.reported = Some(self.at);
            self.diagnostics.push(diagnostic);
        }
    }

    fn found(&self) -> String {
        let token = self.token();
        match token.kind {
            Kind::Eof => token.kind.describe().to_owned(),
            _ => format!("`{}`", self.text_of(token)),
        }
    }

    /// Reports that the current token is not what the parser expects.
    fn unexpected(&mut self, expected: &str) -> Abort {
        self.unexpected_with(expected, None)
    }

    fn unexpected_with(&mut self, expected: &str, note: Option<&str>) -> Abort {
        if let Some(message) = self.underscored_word() {
            self.report(Diagnostic::new(Code::BuiltinOnly, self.here(), message));
            return Abort;
        }
        let message = format!("expected {expected}, found {}", self.found());
        let mut diagnostic = Diagnostic::new(Code::UnexpectedToken, self.here(), message);
        if let Some(&(what, span)) = self.contexts.last() {
            diagnostic = diagnostic.label(span, format!("in {what} that starts here"));
        }
        if let Some(note) = note {
            diagnostic = diagnostic.note(note);
        }
        let token = self.token();
        let text = self.text_of(token);
        if let Some(inside) = text
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
            && token.kind == Kind::TyVar
            && !inside.is_empty()
        {
            diagnostic = diagnostic.note(if inside.len() == 1 {
                format!("a character is written `#\"{inside}\"`, `'{inside}'` is the name of a type variable")
            } else {
                format!("a string is written `\"{inside}\"`")
            });
        }
        self.report(diagnostic);
        Abort
    }

    fn expect(&mut self, kind: Kind) -> Parse<Token> {
        if self.at(kind) {
            Ok(self.bump())
        } else {
            Err(self.unexpected(kind.describe()))
        }
    }

    /// Reads the token `kind`, which closes the construct that was opened at `open`. If there is another token, reports an error. `or` is
    /// the part of the message that names other valid tokens.
    fn close(&mut self, kind: Kind, open: Span, or: &str) -> Parse<()> {
        if self.eat(kind) {
            return Ok(());
        }
        let found = self.kind();
        if found == Kind::Eof || found.is_closer() || found.ends_bracket() || self.at_declaration()
        {
            let what = kind.describe();
            let message = format!("expected {what}, found {}", self.found());
            let diagnostic = Diagnostic::new(Code::Unclosed, self.here(), message)
                .label(open, format!("no {what} closes this"));
            self.report(diagnostic);
            return Err(Abort);
        }
        Err(self.unexpected(&format!("{or}{}", kind.describe())))
    }

    // Nesting.

    /// Parses a construct that may contain other constructs of the same kind. Reports an error if the tree is too deep.
    fn nest<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let height = std::mem::take(&mut self.height);
        let links = std::mem::take(&mut self.links);
        let result = parse(self);
        let own = self.height + self.links + 1;
        self.depth -= 1;
        self.height = height.max(own);
        self.links = links;
        if own > MAX_DEPTH && result.is_ok() {
            return Err(self.too_deep());
        }
        result
    }

    /// Counts one more node above the parts of the innermost open construct. Reports an error if the tree is too deep.
    fn link(&mut self) -> Parse<()> {
        self.links += 1;
        if self.links > MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(())
    }

    fn too_deep(&mut self) -> Abort {
        let message = format!("this is nested more than {MAX_DEPTH} deep");
        let last = self.lexed.tokens.len() - 1;
        // At the end of the file, an error was reported already, and another message would not help.
        if self.at < last {
            self.report(Diagnostic::new(Code::TooDeep, self.here(), message));
        }
        // This ends parsing. Otherwise the parser would search for the end of each open construct.
        self.at = last;
        self.reported = Some(last);
        Abort
    }

    /// Parses a part of a construct. `what` is the name of the construct in messages about errors in the part.
    fn inside<T>(
        &mut self,
        what: &'static str,
        open: Span,
        parse: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<T> {
        self.contexts.push((what, open));
        let result = parse(self);
        self.contexts.pop();
        result
    }

    /// Parses a part that has its own closing bracket or word. In this part, only the names `stops` end an expression or pattern.
    fn bracketed<T>(
        &mut self,
        stops: Stops,
        parse: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<T> {
        let outer = std::mem::replace(&mut self.stops, stops);
        let result = parse(self);
        self.stops = outer;
        result
    }

    // Names.

    /// Parses a name, which may be infix or `=`.
    fn name(&mut self, expected: &str) -> Parse<Name> {
        let token = self.token();
        match token.kind {
            Kind::Id => Ok(self.bump_name()),
            Kind::LongId => {
                let message = format!(
                    "expected {expected}, found the qualified name {}",
                    self.found()
                );
                self.report(Diagnostic::new(Code::UnexpectedToken, self.here(), message));
                Err(Abort)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn bump_name(&mut self) -> Name {
        let token = self.bump();
        Name {
            symbol: token.symbol,
            span: self.span_of(token),
        }
    }

    fn long_name(&mut self, expected: &str) -> Parse<LongName> {
        match self.kind() {
            Kind::LongId => Ok(self.bump_long()),
            _ => Ok(LongName {
                path: Vec::new(),
                name: self.name(expected)?,
            }),
        }
    }

    fn bump_long(&mut self) -> LongName {
        let token = self.bump();
        self.lexed.longs[token.index as usize].clone()
    }

    /// Records that the program binds a name. After this call, the name does not begin a parallel form.
    fn bind(&mut self, name: Symbol) {
        let words = &self.words;
        if self.options.parallel_forms
            && [words.bang, words.spawn, words.pval, words.pcase, words.cont].contains(&name)
        {
            self.fixity.take(name);
        }
    }

    /// Returns true if the current token is this word and begins a parallel form. In the Basis, only `pval` begins a parallel form.
    fn at_word(&self, word: Symbol) -> bool {
        let known = self.options.parallel_forms || self.lexed.builtin && word == self.words.pval;
        known && self.at_name(word) && !self.fixity.is_taken(word)
    }

    /// Parses a record label.
    fn label(&mut self) -> Parse<Name> {
        let token = self.token();
        let label = Name {
            symbol: token.symbol,
            span: self.here(),
        };
        match token.kind {
            Kind::Id => {}
            Kind::Int => {
                let digits = label.symbol.as_str();
                if digits.is_empty() || digits.starts_with('0') {
                    let message = "a number as a label is written in decimal digits, from 1 on";
                    self.report(Diagnostic::new(Code::BadLabel, label.span, message));
                }
            }
            _ => return Err(self.unexpected("a record label")),
        }
        self.bump();
        Ok(label)
    }

    /// Parses one or more parts with `separator` between them.
    fn separated<T>(
        &mut self,
        separator: Kind,
        mut part: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut parts = vec![part(self)?];
        while self.eat(separator) {
            parts.push(part(self)?);
        }
        Ok(parts)
    }
}
