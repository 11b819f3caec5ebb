//! Renders diagnostics as text.

use std::ops::Range;

use codespan_reporting::diagnostic::{self, Label};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::termcolor::{Ansi, NoColor};
use codespan_reporting::term::{self, Config, DisplayStyle};

use super::{Diagnostic, Severity};
use crate::source::{FileId, Sources, Span};

/// The style in which diagnostics are printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether to use colours.
    pub colours: bool,
    /// Whether to print one line for each diagnostic: `file:line:column: error[E0301]: ...`.
    pub short: bool,
}

/// The maximum number of diagnostics that the compiler prints. A generated program may have an error in each line, but no user reads all
/// these errors.
const MOST: usize = 100;

/// The maximum length in bytes of a line that an excerpt shows. A longer line does not fit on a terminal, and each excerpt from this line
/// would repeat it.
const LONGEST_LINE: usize = 2_000;

/// Returns the text of diagnostics, with excerpts of the sources. The text has at most [`MOST`] diagnostics. If there are more diagnostics,
/// the text gives the number of omitted diagnostics.
#[must_use]
pub fn render(sources: &Sources, items: &[Diagnostic], style: Style) -> String {
    let (shown, hidden) = items.split_at(items.len().min(MOST));
    let texts = Texts::of(sources, shown);
    let mut out = Vec::new();
    for item in shown {
        let config = Config {
            display_style: if style.short || texts.has_long_line(item) {
                DisplayStyle::Short
            } else {
                DisplayStyle::Rich
            },
            ..Config::default()
        };
        let item = texts.translate(item);
        let result = if style.colours {
            term::emit_to_write_style(&mut Ansi::new(&mut out), &config, &texts, &item)
        } else {
            term::emit_to_write_style(&mut NoColor::new(&mut out), &config, &texts, &item)
        };
        // An error is not expected, because writing to memory does not fail, and `Text::range` always returns a range of the text.
        if result.is_err() {
            out.extend_from_slice(item.message.as_bytes());
            out.push(b'\n');
        }
    }
    for (severity, what) in [(Severity::Error, "error"), (Severity::Warning, "warning")] {
        let count = hidden
            .iter()
            .filter(|item| item.severity() == severity)
            .count();
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            out.extend_from_slice(
                format!("{what}: {count} more {what}{plural} not shown\n").as_bytes(),
            );
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A file, translated to UTF-8.
struct Text {
    name: String,
    text: String,
    lines: Vec<usize>,
    /// For each byte of the file that is two bytes in `text`, the position of the next byte of the file. The list is empty if the file is
    /// in UTF-8.
    widened: Vec<u32>,
}

impl Text {
    fn new(name: String, bytes: &[u8]) -> Text {
        let mut widened = Vec::new();
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            // The file is in Latin-1, whose bytes are the first 256 characters of Unicode.
            Err(_) => {
                for (at, byte) in bytes.iter().enumerate() {
                    if !byte.is_ascii() {
                        widened.push(at as u32 + 1);
                    }
                }
                bytes.iter().copied().map(char::from).collect()
            }
        };
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0)
            .chain(newlines.map(|(at, _)| at + 1))
            .collect();
        Text {
            name,
            text,
            lines,
            widened,
        }
    }

    /// Translates the position of a byte in the file to a position in `text`.
    fn place(&self, byte: u32) -> usize {
        let before = self.widened.partition_point(|&at| at <= byte);
        let mut place = (byte as usize + before).min(self.text.len());
        while !self.text.is_char_boundary(place) {
            place -= 1;
        }
        place
    }

    /// Translates a span of the file to a range in `text`. If the span is empty, returns the range of the next character of the line, if
    /// there is one.
    fn range(&self, span: Span) -> Range<usize> {
        let start = self.place(span.start);
        let mut end = self.place(span.end).max(start);
        if end == start
            && let Some(next) = self.text[start..].chars().next()
            && next != '\n'
        {
            end += next.len_utf8();
        }
        start..end
    }
}

/// The files that diagnostics mention.
struct Texts(Vec<Option<Text>>);

impl Texts {
    fn of(sources: &Sources, items: &[Diagnostic]) -> Texts {
        let mut texts = Vec::new();
        for item in items {
            let labels = item.labels.iter().map(|label| label.0);
            for span in labels.chain([item.span]) {
                let Some(file) = sources.file(span.file) else {
                    continue;
                };
                let at = span.file.0 as usize;
                if texts.len() <= at {
                    texts.resize_with(at + 1, || None);
                }
                texts[at]
                    .get_or_insert_with(|| Text::new(file.path.display().to_string(), &file.text));
            }
        }
        Texts(texts)
    }

    fn get(&self, file: FileId) -> Option<&Text> {
        self.0.get(file.0 as usize)?.as_ref()
    }

    /// Returns true if a line in the excerpts of a diagnostic is longer than [`LONGEST_LINE`].
    fn has_long_line(&self, item: &Diagnostic) -> bool {
        let long = |text: &Text, place: usize| {
            let line = text.lines.partition_point(|&start| start <= place) - 1;
            let end = text.lines.get(line + 1).copied();
            end.unwrap_or(text.text.len()) - text.lines[line] > LONGEST_LINE
        };
        let spans = item.labels.iter().map(|label| label.0).chain([item.span]);
        spans
            .filter_map(|span| Some((self.get(span.file)?, span)))
            .any(|(text, span)| {
                let range = text.range(span);
                long(text, range.start) || long(text, range.end)
            })
    }

    fn translate(&self, item: &Diagnostic) -> diagnostic::Diagnostic<FileId> {
        let severity = match item.severity() {
            Severity::Error => diagnostic::Severity::Error,
            Severity::Warning => diagnostic::Severity::Warning,
        };
        let at_main = item.labels.iter().find(|label| label.0 == item.span);
        let mut labels = Vec::new();
        if let Some(text) = self.get(item.span.file) {
            let mut label = Label::primary(item.span.file, text.range(item.span));
            if let Some((_, message)) = at_main {
                label = label.with_message(shortened(message));
            }
            labels.push(label);
        }
        for (span, message) in &item.labels {
            if let Some(text) = self.get(span.file)
                && *span != item.span
            {
                let label = Label::secondary(span.file, text.range(*span));
                labels.push(label.with_message(shortened(message)));
            }
        }
        diagnostic::Diagnostic::new(severity)
            .with_code(item.code.number())
            .with_message(shortened(&item.message))
            .with_labels(labels)
            .with_notes(item.notes.iter().map(|note| shortened(note)).collect())
    }
}

/// The maximum number of characters of a word that a message shows in full. A name in the program may be longer.
const LONGEST_WORD: usize = 200;
/// A message shows this number of characters of a word that is longer than [`LONGEST_WORD`].
const WORD_SHOWN: usize = 60;
/// The maximum number of characters of a message that is shown in full. A message with a type may be longer.
const LONGEST_MESSAGE: usize = 10_000;

/// Returns a message with its long words shortened. If the message is still longer than [`LONGEST_MESSAGE`], cuts off its end.
fn shortened(message: &str) -> String {
    let mut short = String::new();
    for word in message.split_inclusive(char::is_whitespace) {
        if word.chars().count() <= LONGEST_WORD {
            short.push_str(word);
        } else {
            short.extend(word.chars().take(WORD_SHOWN));
            short.push('\u{2026}');
            // Keeps the quote or space after the word.
            let behind = word.trim_end_matches(|c: char| c == '`' || c.is_whitespace());
            short.push_str(&word[behind.len()..]);
        }
    }
    match short.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}\u{2026}", &short[..end]),
        None => short,
    }
}

impl<'a> Files<'a> for Texts {
    type FileId = FileId;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: FileId) -> Result<&'a str, Error> {
        Ok(&self.get(id).ok_or(Error::FileMissing)?.name)
    }

    fn source(&'a self, id: FileId) -> Result<&'a str, Error> {
        Ok(&self.get(id).ok_or(Error::FileMissing)?.text)
    }

    fn line_index(&'a self, id: FileId, byte: usize) -> Result<usize, Error> {
        let text = self.get(id).ok_or(Error::FileMissing)?;
        Ok(text.lines.partition_point(|&start| start <= byte) - 1)
    }

    fn line_range(&'a self, id: FileId, line: usize) -> Result<Range<usize>, Error> {
        let text = self.get(id).ok_or(Error::FileMissing)?;
        let max = text.lines.len() - 1;
        let start = *text
            .lines
            .get(line)
            .ok_or(Error::LineTooLarge { given: line, max })?;
        let end = text.lines.get(line + 1).copied().unwrap_or(text.text.len());
        Ok(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;

    #[test]
    fn very_many_and_very_long() {
        let mut sources = Sources::default();
        let file = sources.add("long.sml", "x ".repeat(100_000), false);
        let items: Vec<Diagnostic> = (0..1_000)
            .map(|at| {
                let (start, end) = (2 * at, 2 * at + 1);
                Diagnostic::new(
                    Code::UnboundVariable,
                    Span { file, start, end },
                    "unknown `x`",
                )
            })
            .collect();
        let text = render(&sources, &items, Style::default());
        assert!(
            text.starts_with("long.sml:1:1: error[E0311]: unknown `x`\n"),
            "{text}"
        );
        assert!(
            text.ends_with("error: 900 more errors not shown\n"),
            "{text}"
        );
        assert!(text.len() < 10_000, "{}", text.len());
    }

    #[test]
    fn names_and_messages_without_end() {
        assert_eq!(shortened("unknown `x`\n y"), "unknown `x`\n y");
        let long = "\u{e4}".repeat(201);
        let cut = "\u{e4}".repeat(59);
        assert_eq!(
            shortened(&format!("unknown `{long}` in `s`")),
            format!("unknown `{cut}\u{2026}` in `s`")
        );
        assert_eq!(
            shortened(&"int * ".repeat(10_000)).chars().count(),
            LONGEST_MESSAGE + 1
        );
    }
}
