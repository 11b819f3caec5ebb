//! Prints programs in a uniform layout.
//!
//! The formatter prints the syntax tree, which has no comments. The formatter inserts each comment between parts of the tree, at the
//! comment's place in the source. The formatter copies literals from the source. If the source has a `let`, a `case` or a similar form on
//! one line, the form stays on one line if it fits. Between declarations, blank lines of the source become one blank line.

mod comments;
mod dec;
mod doc;
mod exp;
mod module;
mod pat;
mod ty;

use self::comments::Comments;
use self::doc::Doc;
use super::ast::{Dec, LongName, Name};
use super::dump::dump;
use super::fixity::FixityEnv;
use super::lexer::lex;
use super::parser::{Options, parse_lexed};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Sources, Span};

/// The maximum length of a line.
const WIDTH: usize = 100;

/// Returns the text of a file in the uniform layout. If the file has errors, reports them and returns `None`. `fixity` has the infix names
/// that earlier files have declared.
pub fn format(
    sources: &Sources,
    id: FileId,
    fixity: &FixityEnv,
    options: Options,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<u8>> {
    let file = sources.file(id)?;
    let mut source = Parsed::of(sources, id, fixity, options, diagnostics)?;
    let shape = source.shape();
    let mut text = source.print(&file.text);
    // In one round, a comment may move past a token to a line with other code, so the loop runs until a round does not change the text.
    for _ in 0..8 {
        let mut scratch = Sources::default();
        let again = scratch.add(&file.path, text.clone(), file.builtin);
        let mut found = Diagnostics::default();
        let parsed = Parsed::of(&scratch, again, fixity, options, &mut found);
        source = match parsed {
            Some(parsed) if parsed.shape() == shape => parsed,
            _ => {
                let message = "this file cannot be formatted without changing its meaning";
                diagnostics.push(
                    Diagnostic::new(Code::Unsupported, span_of(id, 0, 0), message)
                        .note("this is a mistake of the formatter; the file is left as it is"),
                );
                return None;
            }
        };
        let next = source.print(&text);
        if next == text {
            return Some(text);
        }
        text = next;
    }
    let message = "no stable layout of this file was found";
    diagnostics.push(
        Diagnostic::new(Code::Unsupported, span_of(id, 0, 0), message)
            .note("this is a mistake of the formatter; the file is left as it is"),
    );
    None
}

fn span_of(file: FileId, start: u32, end: u32) -> Span {
    Span { file, start, end }
}

struct Parsed {
    decs: Vec<Dec>,
    comments: Vec<(u32, u32)>,
    length: u32,
}

impl Parsed {
    fn of(
        sources: &Sources,
        id: FileId,
        fixity: &FixityEnv,
        options: Options,
        diagnostics: &mut Diagnostics,
    ) -> Option<Parsed> {
        let file = sources.file(id)?;
        let errors = diagnostics.errors();
        let mut lexed = lex(file, id, options, diagnostics);
        if options.manticore {
            lexed.free_do();
        }
        let comments = std::mem::take(&mut lexed.comments);
        let mut fixity = fixity.clone();
        let decs = parse_lexed(&file.text, lexed, id, &mut fixity, options, diagnostics);
        (diagnostics.errors() == errors).then_some(Parsed {
            decs,
            comments,
            length: file.text.len() as u32,
        })
    }

    /// Returns the dump of the syntax tree and the number of comments, which formatting must not change.
    fn shape(&self) -> (String, usize) {
        (dump(&self.decs), self.comments.len())
    }

    fn print(&self, text: &[u8]) -> Vec<u8> {
        let mut formatter = Formatter {
            text,
            comments: Comments::new(text, &self.comments),
        };
        let doc = formatter.top(&self.decs, self.length);
        let mut out = Vec::new();
        if text.starts_with(b"#!") {
            let end = text.iter().position(|&byte| byte == b'\n');
            out.extend_from_slice(&text[..end.unwrap_or(text.len())]);
            out.push(b'\n');
        }
        out.extend(doc.render(text, WIDTH));
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        out
    }
}

/// Makes documents from syntax trees.
struct Formatter<'a> {
    text: &'a [u8],
    comments: Comments<'a>,
}

fn word(text: &str) -> Doc {
    Doc::text(text)
}

impl Formatter<'_> {
    /// Returns a document that contains a part of the source without changes.
    fn source(&self, span: Span) -> Doc {
        let text = &self.text[span.start as usize..span.end as usize];
        Doc::source(span.start, span.end, text.contains(&b'\n'))
    }

    fn one_line(&self, span: Span) -> bool {
        !self.text[span.start as usize..span.end as usize].contains(&b'\n')
    }

    /// Lays out the comments before a name, and then the name.
    fn name(&mut self, name: Name) -> Doc {
        let comments = self.comments.before(name.span.start);
        Doc::seq(vec![comments, Doc::text(name.symbol.as_str())])
    }

    fn long(&mut self, name: &LongName) -> Doc {
        let comments = self.comments.before(name.span().start);
        let mut text = String::new();
        for part in &name.path {
            text += part.symbol.as_str();
            text.push('.');
        }
        text += name.name.symbol.as_str();
        Doc::seq(vec![comments, Doc::text(text)])
    }

    /// Lays out parts between brackets, with `,` or `;` after each part except the last. `end` is the place of the
    /// closing bracket.
    fn bracketed<T>(
        &mut self,
        brackets: (&str, &str),
        separator: &str,
        parts: &[T],
        end: u32,
        span_of: impl Fn(&T) -> Span,
        mut part: impl FnMut(&mut Self, &T) -> Doc,
    ) -> Doc {
        let mut docs = vec![Doc::text(brackets.0)];
        let mut inner = Vec::new();
        for (at, item) in parts.iter().enumerate() {
            if at > 0 {
                inner.push(Doc::line());
            }
            inner.push(part(self, item));
            let next = parts.get(at + 1).map(|next| span_of(next).start);
            if next.is_some() {
                inner.push(Doc::text(separator));
            }
            let limit = next.unwrap_or(end);
            inner.push(self.comments.behind(span_of(item).end, limit));
        }
        inner.push(self.comments.closing(end));
        docs.push(Doc::seq(inner).nest(brackets.0.len()));
        docs.push(Doc::text(brackets.1));
        Doc::seq(docs).group()
    }
}
