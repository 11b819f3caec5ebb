//! Makes examples of missing cases, and prints them in the syntax of patterns.

use std::fmt::Write;

use super::pattern::{Head, Patterns};
use crate::typed::{Con, Const, PrimTy, Program, TyConKind, TyKind};

/// An example of a value. Its parts may be wildcards.
#[derive(Clone, Debug)]
pub enum Example<'p> {
    /// Any value.
    Any,
    /// Values with this head and with these parts.
    Node(Head<'p>, Vec<Example<'p>>),
    /// Values of a constructor that no row of the match mentions.
    Con(Con),
    /// A constant that no row of the match mentions.
    Const(Const),
}

/// Returns an example with a head that is not in `heads`. The type must have such a head.
pub fn other<'p>(program: &Program, heads: &[(Head<'p>, usize)]) -> Example<'p> {
    match heads.first() {
        Some((Head::Con(con), _)) => {
            let tycon = program.cons[con.index()].tycon;
            let TyConKind::Data(cons) = &program.tycons[tycon.index()].kind else {
                return Example::Any;
            };
            let missing = cons
                .iter()
                .find(|con| !heads.iter().any(|head| head.0 == Head::Con(**con)));
            missing.map_or(Example::Any, |&con| Example::Con(con))
        }
        Some((Head::Const(first, ty), _)) => {
            let range = program.prim_of(*ty).and_then(PrimTy::range);
            let greatest = range.map_or(i128::MAX, |range| *range.end());
            let taken = |value: &Const| {
                heads
                    .iter()
                    .any(|head| matches!(head.0, Head::Const(known, _) if known == value))
            };
            // The loop tries more values than there are heads, so at least one of the values is not a head.
            (0..=heads.len() as u64)
                .filter_map(|at| candidate(first, at, greatest))
                .find(|value| !taken(value))
                .map_or(Example::Any, Example::Const)
        }
        _ => Example::Any,
    }
}

/// Returns value number `at` of the type of `like`, in an order that begins with simple values. `greatest` is the greatest number of the
/// type.
fn candidate(like: &Const, at: u64, greatest: i128) -> Option<Const> {
    Some(match like {
        // Negative numbers come last.
        Const::Int(_) if i128::from(at) > greatest => {
            Const::Int(i64::try_from(greatest - i128::from(at)).ok()?)
        }
        Const::Int(_) => Const::Int(at as i64),
        Const::Word(_) => Const::Word(at),
        Const::IntInf(_) => Const::IntInf(at.into()),
        // Letters come first.
        Const::Char(_) => Const::Char((at as u8).wrapping_add(b'a')),
        Const::String(_) => Const::String(vec![b'a'; at as usize]),
        Const::Real(_) => Const::Real(at as f64),
    })
}

/// The place where an example is printed, which determines whether the example needs parentheses.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// A place where no pattern needs parentheses.
    Alone,
    /// An operand of an infix constructor, where infix patterns need parentheses.
    Operand,
    /// The argument of a constructor, where every constructor with an argument needs parentheses.
    Argument,
}

impl Patterns<'_> {
    /// Returns an example as text.
    pub fn print(&self, example: &Example<'_>) -> String {
        let mut out = String::new();
        self.write(example, Place::Alone, &mut out);
        out
    }

    fn write(&self, example: &Example<'_>, place: Place, out: &mut String) {
        match example {
            Example::Any => out.push('_'),
            Example::Const(value) => write_const(value, out),
            Example::Con(con) => {
                let arg = self.program.cons[con.index()].arg;
                let pair = arg.is_some_and(|ty| {
                    matches!(self.program.types.kind(ty), TyKind::Record(fields)
                        if fields.len() == 2 && fields[0].0.as_str() == "1" && fields[1].0.as_str() == "2")
                });
                let parts = match (arg, pair) {
                    (None, _) => Vec::new(),
                    (_, true) => vec![Example::Any, Example::Any],
                    (_, false) => vec![Example::Any],
                };
                self.write_con(*con, &parts, place, out);
            }
            Example::Node(head, parts) => match head {
                Head::Con(con) => match parts.as_slice() {
                    [Example::Node(Head::Record(ty), fields)]
                        if fields.len() == 2 && self.is_tuple(*ty) =>
                    {
                        self.write_con(*con, fields, place, out);
                    }
                    [Example::Any]
                        if self.infix(*con) && self.program.cons[con.index()].arg.is_some() =>
                    {
                        self.write_con(*con, &[Example::Any, Example::Any], place, out);
                    }
                    parts => self.write_con(*con, parts, place, out),
                },
                Head::Record(ty) => self.write_record(*ty, parts, out),
                Head::Ref => {
                    self.write_applied("ref", &parts[0], place, out);
                }
                Head::Const(value, _) => write_const(value, out),
                Head::Exn(..) | Head::Vector(_) => out.push('_'),
            },
        }
    }

    fn infix(&self, con: Con) -> bool {
        !self.program.cons[con.index()]
            .name
            .as_str()
            .starts_with(|first: char| first.is_ascii_alphabetic())
    }

    fn write_applied(&self, name: &str, arg: &Example<'_>, place: Place, out: &mut String) {
        if place == Place::Argument {
            out.push('(');
        }
        out.push_str(name);
        out.push(' ');
        self.write(arg, Place::Argument, out);
        if place == Place::Argument {
            out.push(')');
        }
    }

    /// Prints a constructor and its argument. If the argument is a pair, `parts` has the two components.
    fn write_con(&self, con: Con, parts: &[Example<'_>], place: Place, out: &mut String) {
        let name = self.program.cons[con.index()].name.as_str();
        match parts {
            [] => out.push_str(name),
            [arg] => self.write_applied(name, arg, place, out),
            [left, right] if self.infix(con) => {
                if place != Place::Alone {
                    out.push('(');
                }
                self.write(left, Place::Operand, out);
                let _ = write!(out, " {name} ");
                // The right part of a list continues the list, so it needs no parentheses.
                let chain = matches!(right, Example::Node(Head::Con(inner), _) | Example::Con(inner)
                    if *inner == con);
                self.write(
                    right,
                    if chain { Place::Alone } else { Place::Operand },
                    out,
                );
                if place != Place::Alone {
                    out.push(')');
                }
            }
            parts => {
                if place == Place::Argument {
                    out.push('(');
                }
                let _ = write!(out, "{name} ");
                self.write_tuple(parts, out);
                if place == Place::Argument {
                    out.push(')');
                }
            }
        }
    }

    fn write_tuple(&self, parts: &[Example<'_>], out: &mut String) {
        if parts.iter().all(|part| matches!(part, Example::Any)) {
            out.push('_');
            return;
        }
        out.push('(');
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            self.write(part, Place::Alone, out);
        }
        out.push(')');
    }

    fn is_tuple(&self, ty: crate::typed::Ty) -> bool {
        match self.program.types.kind(ty) {
            TyKind::Record(fields) => {
                fields.len() > 1
                    && fields
                        .iter()
                        .enumerate()
                        .all(|(at, field)| field.0.as_str() == (at + 1).to_string())
            }
            _ => false,
        }
    }

    fn write_record(&self, ty: crate::typed::Ty, parts: &[Example<'_>], out: &mut String) {
        if self.is_tuple(ty) {
            if parts.iter().all(|part| matches!(part, Example::Any)) {
                out.push('_');
                return;
            }
            self.write_tuple(parts, out);
            return;
        }
        let TyKind::Record(fields) = self.program.types.kind(ty) else {
            out.push('_');
            return;
        };
        out.push('{');
        let mut first = true;
        let mut skipped = false;
        for (field, part) in fields.iter().zip(parts) {
            if matches!(part, Example::Any) {
                skipped = true;
                continue;
            }
            if !std::mem::replace(&mut first, false) {
                out.push_str(", ");
            }
            let _ = write!(out, "{} = ", field.0);
            self.write(part, Place::Alone, out);
        }
        if skipped {
            out.push_str(if first { "..." } else { ", ..." });
        }
        out.push('}');
    }
}

fn write_const(value: &Const, out: &mut String) {
    let minus = |text: String| text.replace('-', "~");
    let _ = match value {
        Const::Int(value) => write!(out, "{}", minus(value.to_string())),
        Const::IntInf(value) => write!(out, "{}", minus(value.to_string())),
        Const::Word(value) => write!(out, "0w{value}"),
        Const::Real(value) => write!(out, "{}", minus(format!("{value:?}"))),
        Const::Char(value) => write!(out, "#\"{}\"", escape(&[*value])),
        Const::String(bytes) => write!(out, "\"{}\"", escape(bytes)),
    };
}

fn escape(bytes: &[u8]) -> String {
    let mut out = String::new();
    for &byte in bytes {
        let _ = match byte {
            b'"' | b'\\' => write!(out, "\\{}", byte as char),
            b'\n' => write!(out, "\\n"),
            b'\t' => write!(out, "\\t"),
            b' '..=b'~' => write!(out, "{}", byte as char),
            _ => write!(out, "\\{byte:03}"),
        };
    }
    out
}
