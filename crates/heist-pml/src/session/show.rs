//! Values as text, by their types.

use std::collections::HashMap;

use num_bigint::{BigInt, Sign};

use crate::lower::layout::{ConRep, Data, Fields, Layouts};
use crate::mono;
use crate::runtime::object::Value;
use crate::runtime::raise;
use crate::symbol::Symbol;
use crate::typed::{Con, PrimTy, Program, Ty, TyConKind, TyKind, TyVar};

/// Values are shown so deep.
const DEPTH: usize = 12;
/// So many elements of a list or array are.
const ELEMENTS: usize = 200;
/// A string is cut after so many bytes.
const STRING: usize = 2_000;
/// An integer without bounds is not shown if it has more bytes.
const INTEGER: usize = 1_000;
/// No more is written after so many bytes.
const TEXT: usize = 20_000;

/// The abstract type whose values are shown all the same: the parallel arrays, by the vectors that they are.
const PARALLEL_ARRAY: &str = "PArray.parray";

/// Shows values.
pub struct Show<'a> {
    tables: &'a Program,
    layouts: Layouts,
    revealed: HashMap<Ty, Ty>,
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Anywhere,
    /// Behind a constructor: needs parentheses if it is one applied.
    Argument,
}

impl<'a> Show<'a> {
    /// For values of types of `tables`.
    pub fn new(tables: &'a Program) -> Show<'a> {
        let mut open = mono::instance(tables, tables.types.clone(), &[]);
        Show {
            tables,
            layouts: Layouts::new(&mut open),
            revealed: HashMap::new(),
        }
    }

    /// A value.
    ///
    /// # Safety
    /// The word is a value of this type as compiled code holds it, and nothing moves it meanwhile.
    pub unsafe fn value(&mut self, word: usize, ty: Ty) -> String {
        let mut text = String::new();
        // SAFETY: the caller's promise.
        unsafe { self.write(word, ty, DEPTH, Place::Anywhere, &mut text) };
        text
    }

    /// A type without abstract types, which tells how values are held.
    fn reveal(&mut self, ty: Ty) -> Ty {
        if let Some(&known) = self.revealed.get(&ty) {
            return known;
        }
        let new = match self.layouts.types.kind(ty).clone() {
            TyKind::Var(_) => ty,
            TyKind::Con(tycon, args) => {
                let info = &self.tables.tycons[tycon.index()];
                match info.kind {
                    TyConKind::Abstract(inside) => {
                        let by: HashMap<TyVar, Ty> =
                            info.params.iter().copied().zip(args).collect();
                        let inside = self.layouts.types.substitute(inside, &by);
                        self.reveal(inside)
                    }
                    _ => {
                        let args = args.into_iter().map(|arg| self.reveal(arg)).collect();
                        self.layouts.types.make(TyKind::Con(tycon, args))
                    }
                }
            }
            TyKind::Record(fields) => {
                let fields = fields
                    .into_iter()
                    .map(|(label, ty)| (label, self.reveal(ty)))
                    .collect();
                self.layouts.types.make(TyKind::Record(fields))
            }
            TyKind::Arrow(from, to) => {
                let (from, to) = (self.reveal(from), self.reveal(to));
                self.layouts.types.make(TyKind::Arrow(from, to))
            }
        };
        self.revealed.insert(ty, new);
        new
    }

    /// # Safety
    /// As for [`Show::value`].
    unsafe fn write(&mut self, word: usize, ty: Ty, depth: usize, place: Place, text: &mut String) {
        if depth == 0 || text.len() > TEXT {
            text.push_str("...");
            return;
        }
        // SAFETY: for all of this, the caller's promise, and that the layouts are those by which the value was made.
        unsafe {
            match self.layouts.types.kind(ty).clone() {
                TyKind::Var(_) => text.push('-'),
                TyKind::Arrow(..) => text.push_str("fn"),
                TyKind::Record(fields) => {
                    let revealed = self.reveal(ty);
                    match self.layouts.record(revealed) {
                        Some(laid) => self.fields(Value(word), &laid, &fields, depth, text),
                        None => text.push_str("()"),
                    }
                }
                TyKind::Con(tycon, args) => {
                    let info = &self.tables.tycons[tycon.index()];
                    match &info.kind {
                        TyConKind::Prim(prim) => {
                            let arg = args.first().copied();
                            self.primitive(word, *prim, arg, depth, place, text);
                        }
                        TyConKind::Data(_) if Some(tycon) == self.tables.list_tycon => {
                            self.list(word, ty, args[0], depth, text);
                        }
                        TyConKind::Data(cons) => {
                            self.data(word, ty, cons, &args, depth, place, text);
                        }
                        TyConKind::Abstract(_) if info.name.as_str() == PARALLEL_ARRAY => {
                            self.elements(Value(word), args[0], depth, ("[|", "|]"), text);
                        }
                        TyConKind::Abstract(_) => text.push('-'),
                    }
                }
            }
        }
    }

    /// # Safety
    /// As for [`Show::value`]: an object with these fields.
    unsafe fn fields(
        &mut self,
        object: Value,
        laid: &Fields,
        fields: &[(Symbol, Ty)],
        depth: usize,
        text: &mut String,
    ) {
        let tuple = fields.len() > 1
            && fields
                .iter()
                .enumerate()
                .all(|(at, field)| field.0.as_str() == (at + 1).to_string());
        text.push(if tuple { '(' } else { '{' });
        for (at, (label, ty)) in fields.iter().enumerate() {
            if at > 0 {
                text.push_str(", ");
            }
            if !tuple {
                text.push_str(label.as_str());
                text.push_str(" = ");
            }
            let index = laid.fields[at].index as usize;
            // SAFETY: the caller's promise.
            unsafe { self.write(object.word(index), *ty, depth - 1, Place::Anywhere, text) };
        }
        text.push(if tuple { ')' } else { '}' });
    }

    /// # Safety
    /// As for [`Show::value`]: a list.
    unsafe fn list(&mut self, word: usize, ty: Ty, element: Ty, depth: usize, text: &mut String) {
        let revealed = self.reveal(ty);
        let data = self.layouts.data(revealed);
        let cell = match &*data {
            Data::Mixed { cons, .. } => cons.iter().find_map(|con| match con {
                ConRep::Object { fields, .. } => Some(fields.clone()),
                ConRep::Imm(_) => None,
            }),
            _ => None,
        };
        let Some(cell) = cell else {
            text.push('-');
            return;
        };
        let (head, tail) = (cell.fields[0].index as usize, cell.fields[1].index as usize);
        text.push('[');
        let (mut at, mut count) = (Value(word), 0);
        while !at.is_immediate() {
            if count > 0 {
                text.push_str(", ");
            }
            if count == ELEMENTS || text.len() > TEXT {
                text.push_str("...");
                break;
            }
            // SAFETY: the caller's promise.
            unsafe {
                self.write(at.word(head), element, depth - 1, Place::Anywhere, text);
                at = at.field(tail);
            }
            count += 1;
        }
        text.push(']');
    }

    /// # Safety
    /// As for [`Show::value`]: an array or vector.
    unsafe fn elements(
        &mut self,
        array: Value,
        element: Ty,
        depth: usize,
        brackets: (&str, &str),
        text: &mut String,
    ) {
        text.push_str(brackets.0);
        // SAFETY: the caller's promise.
        unsafe {
            for at in 0..array.length() {
                if at > 0 {
                    text.push_str(", ");
                }
                if at == ELEMENTS || text.len() > TEXT {
                    text.push_str("...");
                    break;
                }
                self.write(array.word(at), element, depth - 1, Place::Anywhere, text);
            }
        }
        text.push_str(brackets.1);
    }

    /// # Safety
    /// As for [`Show::value`]: a value of this datatype.
    #[allow(clippy::too_many_arguments)]
    unsafe fn data(
        &mut self,
        word: usize,
        ty: Ty,
        cons: &[Con],
        args: &[Ty],
        depth: usize,
        place: Place,
        text: &mut String,
    ) {
        let revealed = self.reveal(ty);
        let data = self.layouts.data(revealed);
        // The constructor, and the object that its argument is spread in, or the argument's word.
        let (at, spread, word) = match &*data {
            Data::Enum => (Some(word), None, None),
            Data::Wrapper(_) => (Some(0), None, Some(word)),
            Data::Mixed { cons, .. } => {
                let value = Value(word);
                if value.is_immediate() {
                    let wanted = value.number();
                    let at = cons
                        .iter()
                        .position(|con| matches!(con, ConRep::Imm(n) if *n == wanted));
                    (at, None, None)
                } else {
                    // SAFETY: what is not an immediate is an object.
                    let tag = unsafe { value.header() }.tag();
                    let found = cons.iter().enumerate().find_map(|(at, con)| match con {
                        ConRep::Object { fields, spread, .. } if fields.layout.tag == tag => {
                            Some((at, fields.clone(), *spread))
                        }
                        _ => None,
                    });
                    match found {
                        Some((at, fields, true)) => (Some(at), Some((value, fields)), None),
                        Some((at, fields, false)) => {
                            let index = fields.fields[0].index as usize;
                            // SAFETY: the object of this constructor.
                            (Some(at), None, Some(unsafe { value.word(index) }))
                        }
                        None => (None, None, None),
                    }
                }
            }
        };
        let Some(con) = at.and_then(|at| cons.get(at)) else {
            text.push('-');
            return;
        };
        let info = &self.tables.cons[con.index()];
        let Some(declared) = info.arg else {
            text.push_str(info.name.as_str());
            return;
        };
        let params = &self.tables.tycons[info.tycon.index()].params;
        let by: HashMap<TyVar, Ty> = params.iter().copied().zip(args.iter().copied()).collect();
        let arg = self.layouts.types.substitute(declared, &by);
        if place == Place::Argument {
            text.push('(');
        }
        text.push_str(info.name.as_str());
        text.push(' ');
        // SAFETY: the caller's promise.
        unsafe {
            match (spread, word) {
                (Some((object, laid)), _) => {
                    let TyKind::Record(fields) = self.layouts.types.kind(arg).clone() else {
                        unreachable!("only records are spread");
                    };
                    if depth == 1 {
                        text.push_str("...");
                    } else {
                        self.fields(object, &laid, &fields, depth - 1, text);
                    }
                }
                (None, Some(word)) => self.write(word, arg, depth - 1, Place::Argument, text),
                (None, None) => text.push('-'),
            }
        }
        if place == Place::Argument {
            text.push(')');
        }
    }

    /// # Safety
    /// As for [`Show::value`]: a value of this type.
    unsafe fn primitive(
        &mut self,
        word: usize,
        prim: PrimTy,
        arg: Option<Ty>,
        depth: usize,
        place: Place,
        text: &mut String,
    ) {
        let value = Value(word);
        // SAFETY: the caller's promise.
        unsafe {
            match (prim, arg) {
                (PrimTy::Int | PrimTy::IntN(_) | PrimTy::Wrap32 | PrimTy::Wrap64, _) => {
                    text.push_str(&minus((word as i64).to_string()));
                }
                (PrimTy::Word | PrimTy::WordN(_), _) => text.push_str(&format!("0wx{word:X}")),
                (PrimTy::Char, _) => {
                    text.push_str(&format!("#\"{}\"", raise::escape(&[word as u8])));
                }
                (PrimTy::Real, _) => text.push_str(&real(&f64::from_bits(word as u64))),
                (PrimTy::Float, _) => text.push_str(&real(&(f64::from_bits(word as u64) as f32))),
                (PrimTy::IntInf, _) => {
                    if !value.is_immediate() && value.length() > INTEGER {
                        // Its decimal digits would take long.
                        text.push_str("...");
                        return;
                    }
                    let number = if value.is_immediate() {
                        BigInt::from(value.number())
                    } else {
                        let sign = if value.header().tag() == 1 {
                            Sign::Minus
                        } else {
                            Sign::Plus
                        };
                        BigInt::from_bytes_le(sign, value.bytes())
                    };
                    text.push_str(&minus(number.to_string()));
                }
                (PrimTy::String, _) => {
                    let bytes = value.bytes();
                    let shown = &bytes[..bytes.len().min(STRING)];
                    let dots = if shown.len() < bytes.len() { "..." } else { "" };
                    text.push_str(&format!("\"{}{dots}\"", raise::escape(shown)));
                }
                (PrimTy::Array | PrimTy::Vector, Some(element)) => {
                    self.elements(value, element, depth, ("fromList [", "]"), text);
                }
                (PrimTy::Ref, Some(element)) => {
                    if place == Place::Argument {
                        text.push('(');
                    }
                    text.push_str("ref ");
                    self.write(value.word(0), element, depth - 1, Place::Argument, text);
                    if place == Place::Argument {
                        text.push(')');
                    }
                }
                (PrimTy::Exn, _) => {
                    let said = raise::describe(value);
                    let said = String::from_utf8_lossy(&said).replacen(": ", " ", 1);
                    let brackets = place == Place::Argument && said.contains(' ');
                    text.push_str(&if brackets { format!("({said})") } else { said });
                }
                (PrimTy::Bytes | PrimTy::Array | PrimTy::Vector | PrimTy::Ref, _) => {
                    text.push('-');
                }
            }
        }
    }
}

fn minus(text: String) -> String {
    text.replace('-', "~")
}

/// A real by the fewest digits that tell it from others.
fn real<F: std::fmt::LowerExp>(number: &F) -> String {
    let text = format!("{number:e}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return match text.as_str() {
            "NaN" => "nan".into(),
            other => minus(other.to_lowercase()),
        };
    };
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("~", digits),
        None => ("", digits),
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let plain: String = digits.chars().filter(char::is_ascii_digit).collect();
    if !(-5..=15).contains(&exponent) {
        return format!("{sign}{digits}E{}", minus(exponent.to_string()));
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
    use super::real;

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
}
