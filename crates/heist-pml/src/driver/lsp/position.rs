//! Translates places to the positions that editors use. A position has the number of a line, from 0 on, and a column in units of UTF-16.

use lsp_types::{Position, Range};

/// The lines of a text: the index of the first byte of each line.
#[derive(Debug)]
pub(super) struct Lines(Vec<u32>);

impl Lines {
    /// Finds the lines of a text. A line ends with `\n`, `\r\n` or `\r`, as in the protocol.
    pub(super) fn of(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, &byte) in bytes.iter().enumerate() {
            let ends = byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends {
                starts.push(at as u32 + 1);
            }
        }
        Lines(starts)
    }

    /// Returns the position of a byte. A byte inside a character counts as the start of the character. A byte past the
    /// end of the text counts as the end.
    pub(super) fn position(&self, text: &str, byte: u32) -> Position {
        let mut byte = (byte as usize).min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.0.partition_point(|&start| start as usize <= byte) - 1;
        let before = &text[self.0[line] as usize..byte];
        let character = before.chars().map(char::len_utf16).sum::<usize>();
        Position::new(line as u32, character as u32)
    }

    /// Returns the index of the byte at a position. A position past the end of a line counts as the end of the line. A
    /// position past the last line counts as the end of the text.
    pub(super) fn byte(&self, text: &str, position: Position) -> u32 {
        let Some(&start) = self.0.get(position.line as usize) else {
            return text.len() as u32;
        };
        let mut byte = start as usize;
        let mut units = 0;
        for c in text[byte..].chars() {
            units += c.len_utf16() as u32;
            if matches!(c, '\n' | '\r') || units > position.character {
                break;
            }
            byte += c.len_utf8();
        }
        byte as u32
    }

    /// Translates a range of bytes to a range of positions. If the range of bytes is empty, the result is the range of the next character
    /// of the line, if there is one.
    pub(super) fn range(&self, text: &str, start: u32, end: u32) -> Range {
        let mut end = end.max(start);
        if end == start
            && let Some(next) = text
                .get(start as usize..)
                .and_then(|rest| rest.chars().next())
            && !matches!(next, '\n' | '\r')
        {
            end += next.len_utf8() as u32;
        }
        Range::new(self.position(text, start), self.position(text, end))
    }

    /// Translates a range of bytes to a range of positions. If the range of bytes is empty, the result is empty.
    pub(super) fn range_exact(&self, text: &str, start: u32, end: u32) -> Range {
        Range::new(self.position(text, start), self.position(text, end))
    }

    /// Returns the number of lines.
    pub(super) fn count(&self) -> u32 {
        self.0.len() as u32
    }

    /// Returns the range of the whole text.
    pub(super) fn whole(&self, text: &str) -> Range {
        let end = self.position(text, text.len() as u32);
        Range::new(Position::new(0, 0), end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_utf_16_are_counted() {
        // `é` has two bytes and one unit of UTF-16. The emoji has four bytes and two units.
        let text = "aé😀b\r\nc\rd\n";
        let lines = Lines::of(text);
        for (byte, line, character) in [
            (0, 0, 0),
            (1, 0, 1),
            (3, 0, 2),
            (7, 0, 4),
            (8, 0, 5),
            (10, 1, 0),
            (11, 1, 1),
            (12, 2, 0),
            (14, 3, 0),
        ] {
            let position = Position::new(line, character);
            assert_eq!(lines.position(text, byte), position, "byte {byte}");
            assert_eq!(lines.byte(text, position), byte, "{position:?}");
        }
    }

    #[test]
    fn places_that_do_not_exist_are_near_ones() {
        let text = "é😀\nx";
        let lines = Lines::of(text);
        // These positions are inside of characters.
        assert_eq!(lines.position(text, 1), Position::new(0, 0));
        assert_eq!(lines.position(text, 4), Position::new(0, 1));
        assert_eq!(lines.byte(text, Position::new(0, 2)), 2);
        // These positions are past the ends of lines or of the text.
        assert_eq!(lines.byte(text, Position::new(0, 99)), 6);
        assert_eq!(lines.byte(text, Position::new(9, 0)), 8);
        assert_eq!(lines.position(text, 99), Position::new(1, 1));
        assert_eq!(Lines::of("").position("", 3), Position::new(0, 0));
    }

    #[test]
    fn ranges_show_something() {
        let text = "a😀\n";
        let lines = Lines::of(text);
        let range = |line, from, to| Range::new(Position::new(line, from), Position::new(line, to));
        assert_eq!(lines.range(text, 1, 1), range(0, 1, 3));
        assert_eq!(lines.range(text, 5, 5), range(0, 3, 3));
        assert_eq!(lines.range(text, 90, 90), range(1, 0, 0));
        assert_eq!(
            lines.whole(text),
            Range::new(Position::new(0, 0), Position::new(1, 0))
        );
    }
}
