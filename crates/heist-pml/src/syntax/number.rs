//! Reads literals of numbers, such as `12`, `~0xff`, `0w7` and `1.5e~3`. Literals may have groups of digits, as in `1_000` and
//! `0b1010_0101`.

use num_bigint::{BigInt, BigUint, Sign};

use super::ast::Literal;
use super::lexer::Lexer;
use super::token::Kind;
use crate::diag::Code;

/// Returns the radix for the letter after `0` or `0w`: 16 for `x`, 2 for `b`, and otherwise 10.
fn radix(letter: u8) -> u32 {
    match letter {
        b'x' => 16,
        b'b' => 2,
        _ => 10,
    }
}

fn is_digit(byte: u8, radix: u32) -> bool {
    (byte as char).is_digit(radix)
}

impl Lexer<'_> {
    pub(super) fn number(&mut self) {
        let start = self.at;
        let negative = self.peek(0) == b'~';
        if negative {
            self.at += 1;
        }
        if self.peek(0) == b'0' && !negative && self.peek(1) == b'w' {
            let radix = radix(self.peek(2));
            let from = if radix == 10 { 2 } else { 3 };
            if is_digit(self.peek(from), radix) {
                self.at += from;
                let value = Literal::Word(self.digits(radix));
                return self.push_literal(Kind::Word, start, value);
            }
        }
        if self.peek(0) == b'0' {
            let radix = radix(self.peek(1));
            if radix != 10 && is_digit(self.peek(2), radix) {
                self.at += 2;
                let value = self.digits(radix);
                return self.push_integer(start, negative, value);
            }
        }
        let from = self.at;
        self.skip_digits(10);
        let mut real = false;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            real = true;
            self.at += 1;
            self.skip_digits(10);
        } else if self.peek(0) == b'.' && !self.text[self.at..].starts_with(b"...") {
            self.at += 1;
            self.error(
                Code::BadNumber,
                start,
                self.at,
                "a real number needs digits after its point",
            );
            real = true;
        }
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(self.peek(1) == b'~');
            if self.peek(1 + sign).is_ascii_digit() {
                real = true;
                self.at += 1 + sign;
                self.skip_digits(10);
            }
        }
        if real {
            let text = self.str(start, self.at).replace('~', "-").replace('_', "");
            return self.push_literal(Kind::Real, start, Literal::Real(text));
        }
        let value = self.value(from, 10);
        self.push_integer(start, negative, value);
    }

    /// Skips digits, and the `_` between digits.
    fn skip_digits(&mut self, radix: u32) {
        loop {
            self.skip_while(|byte| is_digit(byte, radix));
            let gap = self.text[self.at..]
                .iter()
                .take_while(|&&byte| byte == b'_');
            let gap = gap.count();
            if gap == 0 || !is_digit(self.peek(gap), radix) {
                break;
            }
            self.at += gap;
        }
    }

    /// Reads the digits at the current place, and returns their value.
    fn digits(&mut self, radix: u32) -> BigUint {
        let from = self.at;
        self.skip_digits(radix);
        self.value(from, radix)
    }

    /// Returns the value of the digits from `from` up to the current place. `parse_bytes` ignores `_`.
    fn value(&self, from: usize, radix: u32) -> BigUint {
        BigUint::parse_bytes(&self.text[from..self.at], radix).unwrap_or_default()
    }

    fn push_integer(&mut self, start: usize, negative: bool, value: BigUint) {
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        let value = BigInt::from_biguint(sign, value);
        self.push_literal(Kind::Int, start, Literal::Int(value));
    }
}
