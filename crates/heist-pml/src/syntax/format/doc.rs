//! Documents: texts with possible line breaks, as in Wadler's "A prettier printer".

/// A document: a text and its possible layouts.
#[derive(Clone, Debug)]
pub(super) struct Doc {
    kind: Kind,
    /// Whether the document has line breaks even if lines may be arbitrarily long.
    hard: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Text(String),
    /// A part of the source, byte for byte, including its line breaks.
    Source(u32, u32),
    /// A line break if the enclosing group is on several lines, and otherwise a space.
    Line,
    /// A line break if the enclosing group is on several lines, and otherwise nothing.
    Empty,
    /// A line break.
    Newline,
    /// An empty text that puts all enclosing groups on several lines.
    Break,
    Seq(Vec<Doc>),
    Nest(usize, Box<Doc>),
    /// A group: a part that the printer puts on one line if the part fits, and otherwise on several lines.
    Group(Box<Doc>),
}

impl Doc {
    fn new(kind: Kind, hard: bool) -> Doc {
        Doc { kind, hard }
    }

    pub(super) fn text(text: impl Into<String>) -> Doc {
        Doc::new(Kind::Text(text.into()), false)
    }

    /// Makes a document that consists of a part of the source. `breaks` is true if this part has line breaks.
    pub(super) fn source(start: u32, end: u32, breaks: bool) -> Doc {
        Doc::new(Kind::Source(start, end), breaks)
    }

    pub(super) fn nil() -> Doc {
        Doc::seq(Vec::new())
    }

    pub(super) fn line() -> Doc {
        Doc::new(Kind::Line, false)
    }

    pub(super) fn empty() -> Doc {
        Doc::new(Kind::Empty, false)
    }

    pub(super) fn newline() -> Doc {
        Doc::new(Kind::Newline, true)
    }

    pub(super) fn force_break() -> Doc {
        Doc::new(Kind::Break, true)
    }

    pub(super) fn seq(parts: Vec<Doc>) -> Doc {
        let hard = parts.iter().any(|part| part.hard);
        Doc::new(Kind::Seq(parts), hard)
    }

    pub(super) fn nest(self, by: usize) -> Doc {
        let hard = self.hard;
        Doc::new(Kind::Nest(by, Box::new(self)), hard)
    }

    pub(super) fn group(self) -> Doc {
        let hard = self.hard;
        Doc::new(Kind::Group(Box::new(self)), hard)
    }

    /// Returns true if the document has line breaks even if lines may be arbitrarily long.
    pub(super) fn is_hard(&self) -> bool {
        self.hard
    }

    /// Returns the text of the document, in lines of at most `width` characters where possible.
    pub(super) fn render(&self, source: &[u8], width: usize) -> Vec<u8> {
        let mut printer = Printer {
            source,
            width,
            out: Vec::new(),
            column: 0,
            indent: None,
        };
        let mut todo = vec![(0, true, self)];
        while let Some((indent, broken, doc)) = todo.pop() {
            match &doc.kind {
                Kind::Text(text) => printer.write(text.as_bytes()),
                Kind::Source(start, end) => {
                    printer.write(&source[*start as usize..*end as usize]);
                }
                Kind::Newline => printer.newline(indent),
                Kind::Line | Kind::Empty if broken => printer.newline(indent),
                Kind::Line => printer.write(b" "),
                Kind::Empty | Kind::Break => {}
                Kind::Seq(parts) => {
                    todo.extend(parts.iter().rev().map(|part| (indent, broken, part)));
                }
                Kind::Nest(by, doc) => todo.push((indent + by, broken, doc)),
                Kind::Group(doc) => {
                    let flat = !doc.hard && printer.fits(doc, &todo);
                    todo.push((indent, !flat, doc));
                }
            }
        }
        printer.out
    }
}

fn count(text: &[u8]) -> usize {
    // Each character is one column, so continuation bytes of UTF-8 do not count.
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

struct Printer<'a> {
    source: &'a [u8],
    width: usize,
    out: Vec<u8>,
    column: usize,
    /// The number of spaces to write before the first text of the line, or `None` after this text. An empty line gets no spaces.
    indent: Option<usize>,
}

impl Printer<'_> {
    fn newline(&mut self, indent: usize) {
        while self.out.last() == Some(&b' ') {
            self.out.pop();
        }
        self.out.push(b'\n');
        self.indent = Some(indent);
        self.column = indent;
    }

    fn write(&mut self, text: &[u8]) {
        let Some(&first) = text.first() else {
            return;
        };
        if let Some(indent) = self.indent.take() {
            if text == b" " {
                self.indent = Some(indent);
                return;
            }
            self.out.extend(std::iter::repeat_n(b' ', indent));
        } else if let Some(&last) = self.out.last() {
            // Without a space between them, these two characters would be another token.
            let opens = matches!(last, b'(' | b'[') && matches!(first, b'*' | b'|');
            let closes = last == b'|' && matches!(first, b')' | b']');
            if (opens || closes) && text != b"|)" && text != b"|]" {
                self.out.push(b' ');
                self.column += 1;
            }
        }
        self.out.extend_from_slice(text);
        match text.iter().rposition(|&byte| byte == b'\n') {
            Some(newline) => self.column = count(&text[newline + 1..]),
            None => self.column += count(text),
        }
    }

    /// Returns true if a group, together with the text up to the next possible line break after the group, fits in
    /// the current line.
    fn fits(&self, group: &Doc, rest: &[(usize, bool, &Doc)]) -> bool {
        let Some(mut left) = self.width.checked_sub(self.column) else {
            return false;
        };
        let mut todo = vec![(false, group)];
        let mut rest = rest.iter().rev();
        loop {
            let Some((broken, doc)) = todo
                .pop()
                .or_else(|| rest.next().map(|item| (item.1, item.2)))
            else {
                return true;
            };
            let length = match &doc.kind {
                Kind::Text(text) => count(text.as_bytes()),
                Kind::Source(start, end) => {
                    let text = &self.source[*start as usize..*end as usize];
                    match text.iter().position(|&byte| byte == b'\n') {
                        Some(newline) => return count(&text[..newline]) <= left,
                        None => count(text),
                    }
                }
                Kind::Newline => return true,
                Kind::Line | Kind::Empty if broken => return true,
                Kind::Line => 1,
                Kind::Empty | Kind::Break => 0,
                Kind::Seq(parts) => {
                    todo.extend(parts.iter().rev().map(|part| (broken, part)));
                    0
                }
                Kind::Nest(_, doc) => {
                    todo.push((broken, doc));
                    0
                }
                Kind::Group(doc) => {
                    // Groups after `group` may be broken.
                    todo.push((broken, doc));
                    0
                }
            };
            match left.checked_sub(length) {
                Some(less) => left = less,
                None => return false,
            }
        }
    }
}
