//! Reads the text between the quotes of strings and characters.

use super::lexer::Lexer;
use crate::diag::Code;

impl Lexer<'_> {
    /// Reads the string that starts at the current place, and returns its value.
    pub(super) fn string(&mut self) -> Vec<u8> {
        let start = self.at;
        let mut value = Vec::new();
        self.at += 1;
        loop {
            match self.peek(0) {
                b'"' => {
                    self.at += 1;
                    return value;
                }
                b'\\' => self.escape(&mut value),
                b'\n' | b'\r' => break,
                _ if self.at >= self.text.len() => break,
                byte => {
                    if byte.is_ascii_control() && byte != b'\t' {
                        self.error(
                            Code::BadCharacter,
                            self.at,
                            self.at + 1,
                            "a control character cannot stand in a string: write it as an escape sequence",
                        );
                    }
                    value.push(byte);
                    self.at += 1;
                }
            }
        }
        self.error(
            Code::UnclosedString,
            start,
            self.at,
            "the string that starts here does not end on its line",
        );
        value
    }

    /// Reads an escape. The current character is its backslash.
    fn escape(&mut self, value: &mut Vec<u8>) {
        let start = self.at;
        self.at += 2;
        let byte = match self.text.get(start + 1).copied().unwrap_or(b'\n') {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'"' => b'"',
            b'\\' => b'\\',
            b'^' => return self.control(start, value),
            b'0'..=b'9' => return self.decimal(start, value),
            b'u' => return self.unicode(start, value),
            b' ' | b'\t' | b'\n' | b'\r' | 12 | 11 => {
                self.at -= 1;
                return self.gap(start);
            }
            _ => {
                // Continuation bytes of UTF-8 belong to the character before them.
                while self.peek(0) & 0xC0 == 0x80 {
                    self.at += 1;
                }
                return self.error(
                    Code::BadEscape,
                    start,
                    self.at,
                    "there is no such escape sequence; a backslash itself is written `\\\\`",
                );
            }
        };
        value.push(byte);
    }

    fn control(&mut self, start: usize, value: &mut Vec<u8>) {
        match self.peek(0) {
            byte @ 64..=95 => {
                self.at += 1;
                value.push(byte - 64);
            }
            _ => self.error(
                Code::BadEscape,
                start,
                self.at,
                "`\\^` must be followed by one of `@A-Z[\\]^_`",
            ),
        }
    }

    fn decimal(&mut self, start: usize, value: &mut Vec<u8>) {
        self.at = start + 1;
        let mut code = 0;
        for _ in 0..3 {
            if !self.peek(0).is_ascii_digit() {
                return self.error(
                    Code::BadEscape,
                    start,
                    self.at,
                    "a character by its number needs three digits, as in `\\065`",
                );
            }
            code = code * 10 + u32::from(self.peek(0) - b'0');
            self.at += 1;
        }
        match u8::try_from(code) {
            Ok(byte) => value.push(byte),
            Err(_) => self.error(
                Code::BadEscape,
                start,
                self.at,
                "the number of a character is 255 at most",
            ),
        }
    }

    fn unicode(&mut self, start: usize, value: &mut Vec<u8>) {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = char::from(self.peek(0)).to_digit(16) else {
                return self.error(
                    Code::BadEscape,
                    start,
                    self.at,
                    "`\\u` needs four hexadecimal digits",
                );
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        if let Ok(byte) = u8::try_from(code) {
            return value.push(byte);
        }
        match char::from_u32(code) {
            Some(char) => value.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self.error(
                Code::BadEscape,
                start,
                self.at,
                "this number is half of a pair, and no character",
            ),
        }
    }

    /// Skips white space between two backslashes. The string's value does not contain this white space.
    fn gap(&mut self, start: usize) {
        let from = self.at;
        while matches!(self.peek(0), b' ' | b'\t' | b'\n' | b'\r' | 11 | 12) {
            self.at += 1;
        }
        if self.peek(0) == b'\\' {
            self.at += 1;
            return;
        }
        // The next lines are probably not meant to be part of the string, so the error says that the string is not closed.
        let gap = &self.text[from..self.at];
        self.at = from;
        if gap.contains(&b'\n') {
            return;
        }
        self.error(
            Code::BadEscape,
            start,
            start + 1,
            "only white space can stand between this backslash and the next one",
        );
    }
}
