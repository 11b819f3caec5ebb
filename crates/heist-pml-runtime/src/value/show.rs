//! Values as text, by their shapes.

use num_bigint::{BigInt, Sign};

use crate::value::object::Value;
use crate::value::shape::{Con, Field, Held, Id, Node, Shape};

/// Maximum depth to which values are shown.
pub const DEPTH: usize = 12;
/// Maximum number of elements of a list or array that are shown.
const ELEMENTS: usize = 200;
/// Maximum number of bytes of a string that are shown.
const STRING: usize = 2_000;
/// Maximum number of bytes of an integer of any size that is shown.
const INTEGER: usize = 1_000;
/// Maximum number of bytes of text. The text of a value ends when it has this length.
const TEXT: usize = 20_000;

/// The place of a value in the text, which determines whether the value needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Anywhere,
    /// A value as the argument of a constructor, where an applied constructor needs parentheses.
    Argument,
}

/// Returns a value as text, in the syntax of the language. Values that cannot be shown are `-`, and parts that are too large or too deep
/// are `...`.
///
/// # Safety
/// The word must be a value of this shape as compiled code holds it, and nothing may move the value during the call.
#[must_use]
pub unsafe fn show(word: usize, shape: &Shape) -> String {
    let mut text = String::new();
    let mut show = Show {
        shape,
        text: &mut text,
    };
    // SAFETY: `word` is a value of this shape, whose first node is that of the whole type, and nothing moves it meanwhile.
    unsafe { show.write(word, 0, DEPTH, Place::Anywhere) };
    text
}

/// Returns the name of an exception, and the text of its payload if the payload can be shown.
///
/// # Safety
/// `exn` must be an exception.
pub(crate) unsafe fn exception(exn: Value) -> (Vec<u8>, Option<String>) {
    // SAFETY: `exn` is an exception, and nothing moves it meanwhile.
    unsafe { parts(exn, DEPTH, Place::Anywhere) }
}

/// Returns the name of an exception, and the text of its payload if the payload can be shown to this depth.
///
/// # Safety
/// `exn` must be an exception, and nothing may move it during the call.
unsafe fn parts(exn: Value, depth: usize, place: Place) -> (Vec<u8>, Option<String>) {
    // SAFETY: the first field of an exception is its identity. The first field of the identity is its name, and the second field is the
    // shape of the payload (a string that does not move), or 0 if there is none.
    unsafe {
        let identity = exn.field(0);
        let name = identity.field(0).bytes().to_vec();
        let shape = Value(identity.word(1));
        if shape.0 == 0 {
            return (name, None);
        }
        let payload = Shape::decode(shape.bytes()).map(|shape| {
            let mut text = String::new();
            // A payload of type unit has no word.
            let word = if *shape.node(0) == Node::Unit {
                0
            } else {
                exn.word(1)
            };
            let mut show = Show {
                shape: &shape,
                text: &mut text,
            };
            show.write(word, 0, depth, place);
            text
        });
        (name, payload.filter(|text| text != "-"))
    }
}

struct Show<'a> {
    shape: &'a Shape,
    text: &'a mut String,
}

/// Each unsafe function requires that its word or value belongs to the given node, and that nothing moves the value during the call.
impl Show<'_> {
    /// Writes a value as the shape's node `node` describes it.
    ///
    /// # Safety
    /// The word must be a value of this node, and nothing may move it during the call.
    unsafe fn write(&mut self, word: usize, node: Id, depth: usize, place: Place) {
        if depth == 0 || self.text.len() > TEXT {
            self.text.push_str("...");
            return;
        }
        let value = Value(word);
        let shape = self.shape;
        // SAFETY: `word` is a value of this node, so it has the representation that each arm reads: an object of that kind, or a plain
        // word. Nothing moves it meanwhile.
        unsafe {
            match shape.node(node) {
                Node::Opaque => self.text.push('-'),
                Node::Function => self.text.push_str("fn"),
                Node::Unit => self.text.push_str("()"),
                Node::Int => self.text.push_str(&minus(&(word as i64).to_string())),
                Node::Word => self.text.push_str(&format!("0wx{word:X}")),
                Node::Char => {
                    let char = escape(&[word as u8]);
                    self.text.push_str(&format!("#\"{char}\""));
                }
                Node::Real => self.text.push_str(&real(&f64::from_bits(word as u64))),
                Node::Float => {
                    let float = f64::from_bits(word as u64) as f32;
                    self.text.push_str(&real(&float));
                }
                Node::IntInf => self.integer(value),
                Node::String => {
                    let bytes = value.bytes();
                    let shown = &bytes[..bytes.len().min(STRING)];
                    let dots = if shown.len() < bytes.len() { "..." } else { "" };
                    self.text.push_str(&format!("\"{}{dots}\"", escape(shown)));
                }
                Node::Exn => {
                    let (name, payload) = parts(value, depth - 1, Place::Argument);
                    let name = String::from_utf8_lossy(&name).into_owned();
                    self.applied(place, payload.is_some(), |show| {
                        show.text.push_str(&name);
                        if let Some(payload) = payload {
                            show.text.push(' ');
                            show.text.push_str(&payload);
                        }
                    });
                }
                Node::Ref(inner) => self.applied(place, true, |show| {
                    show.text.push_str("ref ");
                    show.write(value.word(0), *inner, depth - 1, Place::Argument);
                }),
                Node::Array(element) => self.elements(value, *element, depth, "fromList [", "]"),
                Node::ParallelArray(element) => self.elements(value, *element, depth, "[|", "|]"),
                Node::Record(_) | Node::Tuple(_) => self.fields(value, node, depth),
                Node::List {
                    element,
                    head,
                    tail,
                } => self.list(value, *element, (*head, *tail), depth),
                Node::Data(cons) => self.data(word, cons, depth, place),
            }
        }
    }

    /// Writes `inside`, in parentheses if it is an applied constructor in the place of an argument.
    fn applied(&mut self, place: Place, applied: bool, inside: impl FnOnce(&mut Self)) {
        let brackets = applied && place == Place::Argument;
        if brackets {
            self.text.push('(');
        }
        inside(self);
        if brackets {
            self.text.push(')');
        }
    }

    /// Writes an integer of any size.
    ///
    /// # Safety
    /// The value must be an integer of any size, and nothing may move it during the call.
    unsafe fn integer(&mut self, value: Value) {
        if value.is_immediate() {
            self.text.push_str(&minus(&value.number().to_string()));
            return;
        }
        // SAFETY: an integer that is not an immediate is an object with a tag and bytes, and nothing moves it meanwhile.
        let (tag, bytes) = unsafe { (value.header().tag(), value.bytes()) };
        if bytes.len() > INTEGER {
            // The decimal digits would take long to compute.
            self.text.push_str("...");
            return;
        }
        let sign = if tag == 1 { Sign::Minus } else { Sign::Plus };
        let number = BigInt::from_bytes_le(sign, bytes);
        self.text.push_str(&minus(&number.to_string()));
    }

    /// Writes the fields of a record or tuple.
    ///
    /// # Safety
    /// The value must be an object with the fields of this node, and nothing may move it during the call.
    unsafe fn fields(&mut self, object: Value, record: Id, depth: usize) {
        let (tuple, fields): (bool, &[Field]) = match self.shape.node(record) {
            Node::Tuple(fields) => (true, fields),
            Node::Record(fields) => (false, fields),
            _ => return self.text.push('-'),
        };
        self.text.push(if tuple { '(' } else { '{' });
        for (at, field) in fields.iter().enumerate() {
            if at > 0 {
                self.text.push_str(", ");
            }
            if !tuple {
                self.text.push_str(&field.label);
                self.text.push_str(" = ");
            }
            // SAFETY: the object has a word at the index of each field of its node, and the word is a value of the field's node. Nothing
            // moves it meanwhile.
            unsafe {
                let word = object.word(field.index as usize);
                self.write(word, field.node, depth - 1, Place::Anywhere);
            }
        }
        self.text.push(if tuple { ')' } else { '}' });
    }

    /// Writes a list.
    ///
    /// # Safety
    /// The value must be a list of these elements, and nothing may move it during the call.
    unsafe fn list(&mut self, mut at: Value, element: Id, (head, tail): (u32, u32), depth: usize) {
        self.text.push('[');
        let mut count = 0;
        while !at.is_immediate() {
            if !self.separated(count) {
                break;
            }
            // SAFETY: a value in a list that is not an immediate is a cell, with an element and the next cell at these indices. Nothing
            // moves it meanwhile.
            unsafe {
                self.write(at.word(head as usize), element, depth - 1, Place::Anywhere);
                at = at.field(tail as usize);
            }
            count += 1;
        }
        self.text.push(']');
    }

    /// Writes the elements of an array or vector, between `open` and `close`.
    ///
    /// # Safety
    /// The value must be an array or vector of these elements, and nothing may move it during the call.
    unsafe fn elements(
        &mut self,
        array: Value,
        element: Id,
        depth: usize,
        open: &str,
        close: &str,
    ) {
        self.text.push_str(open);
        // SAFETY: the array has as many words as its length says, each of which is a value of the node `element`. Nothing moves it
        // meanwhile.
        unsafe {
            for at in 0..array.length() {
                if !self.separated(at) {
                    break;
                }
                self.write(array.word(at), element, depth - 1, Place::Anywhere);
            }
        }
        self.text.push_str(close);
    }

    /// Writes the separator before the element of this number. Returns false if there are too many elements.
    fn separated(&mut self, at: usize) -> bool {
        if at > 0 {
            self.text.push_str(", ");
        }
        let fits = at < ELEMENTS && self.text.len() <= TEXT;
        if !fits {
            self.text.push_str("...");
        }
        fits
    }

    /// Writes a value of a datatype.
    ///
    /// # Safety
    /// The word must be a value that one of these constructors made, and nothing may move it during the call.
    unsafe fn data(&mut self, word: usize, cons: &[Con], depth: usize, place: Place) {
        let value = Value(word);
        let made_by = |(at, con): &(usize, &Con)| match con.held {
            Held::Place => word == *at,
            Held::Immediate(number) => value.is_immediate() && value.number() == i64::from(number),
            Held::Argument(_) => true,
            Held::Object { tag, .. } | Held::Spread { tag, .. } => {
                // SAFETY: if some constructor makes objects, a value that is not an immediate is an object.
                !value.is_immediate() && unsafe { value.header() }.tag() == tag
            }
        };
        let Some((_, con)) = cons.iter().enumerate().find(made_by) else {
            self.text.push('-');
            return;
        };
        let alone = matches!(con.held, Held::Place | Held::Immediate(_));
        self.applied(place, !alone, |show| {
            show.text.push_str(&con.name);
            if !alone {
                show.text.push(' ');
            }
            // SAFETY: `con` is the constructor that made the value, so the argument has the place and the node that `con` gives it. Nothing
            // moves it meanwhile.
            unsafe {
                match con.held {
                    Held::Place | Held::Immediate(_) => {}
                    Held::Argument(node) => show.write(word, node, depth - 1, Place::Argument),
                    Held::Object { index, node, .. } => {
                        let word = value.word(index as usize);
                        show.write(word, node, depth - 1, Place::Argument);
                    }
                    Held::Spread { .. } if depth == 1 => show.text.push_str("..."),
                    Held::Spread { node, .. } => show.fields(value, node, depth - 1),
                }
            }
        });
    }
}

/// Escapes bytes as SML writes characters in strings.
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            7..=13 => {
                text.push('\\');
                text.push(char::from(b"abtnvfr"[usize::from(byte - 7)]));
            }
            0..32 => {
                text.push_str("\\^");
                text.push(char::from(byte + 64));
            }
            32..127 => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\{byte:03}")),
        }
    }
    text
}

fn minus(text: &str) -> String {
    text.replace('-', "~")
}

/// Returns the text of a real, with the fewest digits that distinguish it from all other reals.
fn real<F: std::fmt::LowerExp>(number: &F) -> String {
    let text = format!("{number:e}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return match text.as_str() {
            "NaN" => "nan".into(),
            other => minus(&other.to_lowercase()),
        };
    };
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("~", digits),
        None => ("", digits),
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let plain: String = digits.chars().filter(char::is_ascii_digit).collect();
    if !(-5..=15).contains(&exponent) {
        return format!("{sign}{digits}E{}", minus(&exponent.to_string()));
    }
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{plain}");
    }
    let whole = exponent as usize + 1;
    if plain.len() <= whole {
        return format!("{sign}{plain}{}.0", "0".repeat(whole - plain.len()));
    }
    format!("{sign}{}.{}", &plain[..whole], &plain[whole..])
}

#[cfg(test)]
mod tests {
    use super::{escape, real};

    #[test]
    fn reals_are_written_as_sml_reads_them() {
        for (number, text) in [
            (0.0, "0.0"),
            (-1.5, "~1.5"),
            (100.0, "100.0"),
            (0.1, "0.1"),
            (0.001_25, "0.00125"),
            (1e100, "1E100"),
            (-2.5e-10, "~2.5E~10"),
            (123_456.789, "123456.789"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "~inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(real(&number), text);
        }
        assert_eq!(real(&0.1_f32), "0.1");
    }

    #[test]
    fn strings_are_escaped_as_sml_writes_them() {
        assert_eq!(escape(b"a\"\\\n\x01\xff\x7f"), "a\\\"\\\\\\n\\^A\\255\\127");
    }
}
