//! Translates the bytes of a file to tokens.

use super::Options;
use super::ast::{Literal, LongName, Name};
use super::token::{Kind, Lexed, Token};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{File, FileId, Span};
use crate::symbol::Symbol;

/// Returns all tokens of a file. Words that begin with an underscore are reserved words only in files of the Basis.
///
/// If `options.manticore` is true, a prefix operator after another operator is a separate token, as in Manticore's
/// compiler (`x::~1`, `n =!r`).
pub(super) fn lex(
    file: &File,
    id: FileId,
    options: Options,
    diagnostics: &mut Diagnostics,
) -> Lexed {
    let mut lexer = Lexer {
        text: &file.text,
        file: id,
        at: 0,
        builtin: file.builtin,
        manticore: options.manticore && !file.builtin,
        line_comments: options.line_comments,
        out: Lexed::default(),
        diagnostics,
    };
    // Places in a file are numbers of 32 bits.
    if file.text.len() > (u32::MAX / 2) as usize {
        lexer.text = &[];
        lexer.error(Code::Limit, 0, 0, "this file is larger than 2 GiB");
    }
    lexer.out.tokens.reserve(lexer.text.len() / 4 + 1);
    lexer.run();
    lexer.out.builtin = file.builtin;
    lexer.out
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a [u8],
    file: FileId,
    pub(super) at: usize,
    builtin: bool,
    manticore: bool,
    line_comments: bool,
    out: Lexed,
    diagnostics: &'a mut Diagnostics,
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\''
}

/// Returns true if symbolic names, such as `<=`, may contain this character.
pub(super) fn is_symbolic(byte: u8) -> bool {
    matches!(
        byte,
        b'!' | b'%'
            | b'&'
            | b'$'
            | b'#'
            | b'+'
            | b'-'
            | b'/'
            | b':'
            | b'<'
            | b'='
            | b'>'
            | b'?'
            | b'@'
            | b'\\'
            | b'~'
            | b'`'
            | b'^'
            | b'|'
            | b'*'
    )
}

/// The symbols of Manticore. A prefix operator directly after such a symbol is a separate token.
const MANTICORE_SYMBOLS: &[&[u8]] = &[
    b"+", b"-", b"*", b"/", b"^", b"@", b"~", b"!", b"&", b"=", b"<>", b"<", b"<=", b">", b">=",
    b"::", b":=", b":", b"|", b"=>", b"->",
];

/// Returns the length of the Manticore symbol at the beginning of `run`, if only prefix operators follow this symbol in `run`. `run`
/// consists of symbolic characters.
fn before_prefix(run: &[u8]) -> Option<usize> {
    let prefixes = run.iter().rev();
    let prefixes = prefixes.take_while(|byte| matches!(byte, b'~' | b'!' | b'#'));
    let first = run.len() - prefixes.count();
    (first.max(1)..run.len())
        .rev()
        .find(|&length| MANTICORE_SYMBOLS.contains(&&run[..length]))
}

impl Lexer<'_> {
    pub(super) fn peek(&self, ahead: usize) -> u8 {
        // A zero byte starts no token, so it also marks the end of the text.
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(super) fn error(&mut self, code: Code, start: usize, end: usize, message: &str) {
        let span = self.span(start, end);
        self.diagnostics.push(Diagnostic::new(code, span, message));
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span {
            file: self.file,
            start: start as u32,
            end: end as u32,
        }
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.push_name(kind, start, Symbol::EMPTY);
    }

    fn push_name(&mut self, kind: Kind, start: usize, symbol: Symbol) {
        self.out.tokens.push(Token {
            kind,
            start: start as u32,
            end: self.at as u32,
            symbol,
            index: 0,
        });
    }

    pub(super) fn push_literal(&mut self, kind: Kind, start: usize, literal: Literal) {
        // An integer without a sign may be a label or a precedence.
        let symbol = if kind == Kind::Int && self.text[start].is_ascii_digit() {
            Symbol::new(self.str(start, self.at))
        } else {
            Symbol::EMPTY
        };
        self.push_name(kind, start, symbol);
        let index = self.out.literals.len() as u32;
        self.out.literals.push(literal);
        self.out.tokens.last_mut().expect("pushed above").index = index;
    }

    /// Returns a part of the text. The part must be ASCII.
    pub(super) fn str(&self, start: usize, end: usize) -> &str {
        std::str::from_utf8(&self.text[start..end]).unwrap_or_default()
    }

    fn run(&mut self) {
        if self.text.starts_with(b"\xEF\xBB\xBF") {
            self.at = 3;
        }
        // The first line of a script may name the program that runs the script.
        if self.text[self.at..].starts_with(b"#!") {
            self.skip_while(|byte| byte != b'\n');
        }
        while self.at < self.text.len() {
            self.token();
        }
        self.push(Kind::Eof, self.at);
    }

    pub(super) fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.at < self.text.len() && wanted(self.text[self.at]) {
            self.at += 1;
        }
    }

    fn token(&mut self) {
        let start = self.at;
        let byte = self.text[start];
        let single = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0C | 0x0B => {
                self.at += 1;
                return;
            }
            b'a'..=b'z' | b'A'..=b'Z' => return self.name(),
            b'0'..=b'9' => return self.number(),
            b'~' if self.peek(1).is_ascii_digit() => return self.number(),
            b'"' => {
                let string = self.string();
                return self.push_literal(Kind::String, start, Literal::String(string));
            }
            b'#' if self.peek(1) == b'"' => return self.char(),
            b'\'' => return self.type_variable(),
            b'(' if self.line_comments && self.text[start..].starts_with(b"(*)") => {
                self.skip_while(|byte| byte != b'\n');
                self.out.comments.push((start as u32, self.at as u32));
                return;
            }
            b'(' if self.peek(1) == b'*' => return self.comment(),
            b'(' if self.parallel_bracket() => {
                self.at += 2;
                return self.push(Kind::LParenBar, start);
            }
            b'[' if self.text[start..].starts_with(b"[||]") => {
                self.at += 2;
                self.push(Kind::LBracketBar, start);
                self.at += 2;
                return self.push(Kind::BarRBracket, start + 2);
            }
            b'[' if self.parallel_bracket() => {
                self.at += 2;
                return self.push(Kind::LBracketBar, start);
            }
            b'|' if matches!(self.peek(1), b')' | b']') => {
                let kind = if self.peek(1) == b')' {
                    Kind::BarRParen
                } else {
                    Kind::BarRBracket
                };
                self.at += 2;
                return self.push(kind, start);
            }
            b'.' if self.text[start..].starts_with(b"...") => {
                self.at += 3;
                return self.push(Kind::Ellipsis, start);
            }
            b'_' => return self.underscore(),
            b'(' => Kind::LParen,
            b')' => Kind::RParen,
            b'[' => Kind::LBracket,
            b']' => Kind::RBracket,
            b'{' => Kind::LBrace,
            b'}' => Kind::RBrace,
            b',' => Kind::Comma,
            b';' => Kind::Semicolon,
            _ if is_symbolic(byte) => return self.symbolic(),
            _ => return self.bad(),
        };
        self.at += 1;
        self.push(single, start);
    }

    /// Returns true if the bracket at the current place and the `|` after it are one token. The bracket and the `|` are two tokens if the
    /// `|` begins a longer symbolic name. But `~`, `!` or `#` directly after the `|` begins an expression, because programs rarely have
    /// names that begin with `|~`, `|!` or `|#`.
    fn parallel_bracket(&self) -> bool {
        self.peek(1) == b'|'
            && (!is_symbolic(self.peek(2)) || matches!(self.peek(2), b'~' | b'!' | b'#'))
    }

    fn name(&mut self) {
        let start = self.at;
        self.skip_while(is_alphanumeric);
        if self.peek(0) == b'.' && !self.text[self.at..].starts_with(b"...") {
            return self.long_name(start);
        }
        let text = self.str(start, self.at);
        match Kind::word(text) {
            Some(kind) => self.push(kind, start),
            None => {
                let symbol = Symbol::new(text);
                self.push_name(Kind::Id, start, symbol);
            }
        }
    }

    /// Reads a qualified name from its first dot on.
    fn long_name(&mut self, start: usize) {
        let mut path = Vec::new();
        let mut part = start;
        loop {
            let word = Kind::word(self.str(part, self.at)).is_some();
            if word {
                self.error(
                    Code::BadLongName,
                    part,
                    self.at,
                    "a reserved word cannot be part of a qualified name",
                );
            }
            let name = Name {
                symbol: Symbol::new(self.str(part, self.at)),
                span: self.span(part, self.at),
            };
            let next = self.peek(1);
            let dot = self.peek(0) == b'.' && !self.text[self.at..].starts_with(b"...");
            if !dot || !is_letter(self.text[part]) {
                return self.push_long(start, path, name);
            }
            if is_letter(next) {
                path.push(name);
                self.at += 1;
                part = self.at;
                self.skip_while(is_alphanumeric);
            } else if is_symbolic(next) {
                path.push(name);
                self.at += 1;
                part = self.at;
                self.skip_while(is_symbolic);
                if matches!(
                    &self.text[part..self.at],
                    b":" | b"|" | b"=>" | b"->" | b"#" | b":>"
                ) {
                    self.error(
                        Code::BadLongName,
                        start,
                        self.at,
                        "a reserved symbol cannot be part of a qualified name",
                    );
                }
            } else {
                self.error(
                    Code::BadLongName,
                    start,
                    self.at + 1,
                    "a name must follow the dot of a qualified name, without a space",
                );
                self.push_long(start, path, name);
                self.at += 1;
                return;
            }
        }
    }

    fn push_long(&mut self, start: usize, path: Vec<Name>, name: Name) {
        if path.is_empty() {
            return self.push_name(Kind::Id, start, name.symbol);
        }
        self.push(Kind::LongId, start);
        let index = self.out.longs.len() as u32;
        self.out.longs.push(LongName { path, name });
        self.out.tokens.last_mut().expect("pushed above").index = index;
    }

    fn symbolic(&mut self) {
        let start = self.at;
        self.skip_while(is_symbolic);
        if self.manticore
            && let Some(length) = before_prefix(&self.text[start..self.at])
        {
            self.at = start + length;
        }
        let kind = match &self.text[start..self.at] {
            b":" => Kind::Colon,
            b":>" => Kind::Seal,
            b"|" => Kind::Bar,
            b"=" => Kind::Equal,
            b"=>" => Kind::DoubleArrow,
            b"->" => Kind::Arrow,
            b"#" => Kind::Hash,
            _ => Kind::Id,
        };
        // `=` is a reserved word, but in some places it is also a name.
        let symbol = Symbol::new(self.str(start, self.at));
        self.push_name(kind, start, symbol);
    }

    fn type_variable(&mut self) {
        let start = self.at;
        self.skip_while(is_alphanumeric);
        let symbol = Symbol::new(self.str(start, self.at));
        self.push_name(Kind::TyVar, start, symbol);
    }

    fn underscore(&mut self) {
        let start = self.at;
        // These words advise MPL's compiler and do not change the meaning of a program.
        for advice in [&b"__inline_always__"[..], b"__inline_never__"] {
            let next = self.text.get(start + advice.len());
            if self.text[start..].starts_with(advice) && !next.is_some_and(|&b| is_alphanumeric(b))
            {
                self.at += advice.len();
                return;
            }
        }
        if self.builtin {
            let end = self.text[start..]
                .iter()
                .position(|&byte| !is_alphanumeric(byte))
                .map_or(self.text.len(), |length| start + length);
            let kind = match &self.text[start..end] {
                b"_prim" => Some(Kind::Prim),
                b"_exn" => Some(Kind::ExnWord),
                b"_overload" => Some(Kind::Overload),
                _ => None,
            };
            if let Some(kind) = kind {
                self.at = end;
                return self.push(kind, start);
            }
        }
        self.at += 1;
        self.push(Kind::Underscore, start);
    }

    fn comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'(', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b')') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                _ if self.at >= self.text.len() => {
                    self.at = self.text.len();
                    self.error(
                        Code::UnclosedComment,
                        start,
                        start + 2,
                        "the comment that starts here does not end",
                    );
                    break;
                }
                _ => self.at += 1,
            }
        }
        self.out.comments.push((start as u32, self.at as u32));
    }

    fn char(&mut self) {
        let start = self.at;
        self.at += 1;
        let errors = self.diagnostics.errors();
        let string = self.string();
        if string.len() != 1 && self.diagnostics.errors() == errors {
            let message = if string.is_empty() {
                "a character literal cannot be empty"
            } else if std::str::from_utf8(&string).is_ok_and(|text| text.chars().count() == 1) {
                "this character is more than one byte: write it as a string"
            } else {
                "a character literal must be one character long"
            };
            self.error(Code::BadCharLiteral, start, self.at, message);
        }
        let byte = string.first().copied().unwrap_or(b'?');
        self.push_literal(Kind::Char, start, Literal::Char(byte));
    }

    fn bad(&mut self) {
        let start = self.at;
        // A sequence of characters that no token may contain is one error.
        let foreign =
            |byte: u8| !byte.is_ascii() || byte.is_ascii_control() && !byte.is_ascii_whitespace();
        self.at += 1;
        if foreign(self.text[start]) {
            self.skip_while(foreign);
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        let message = match text.as_str() {
            "\u{201C}" | "\u{201D}" => "this quotation mark is not the `\"` of strings".to_owned(),
            _ if text.chars().count() == 1 => {
                format!("the character `{}` cannot stand here", text.escape_debug())
            }
            _ => "these characters cannot stand here".to_owned(),
        };
        self.error(Code::BadCharacter, start, self.at, &message);
    }
}
