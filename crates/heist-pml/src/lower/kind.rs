//! Names the types of objects for heap profiles. Lowering gives the variable of an object the name of the object's type, and all later
//! passes keep this name.

use std::collections::HashMap;

use super::Lower;
use super::layout::Layouts;
use crate::anf::TYPE_MARK;
use crate::symbol::Symbol;
use crate::typed::{Con, ExnTag, Ty, TyKind, Types};

/// The length in bytes at which the name of a type ends: no further parts of the type are added to a name of at least this length.
const LONG: usize = 60;

/// The names that exist so far for the types of objects.
#[derive(Default)]
pub struct Kinds(HashMap<(Ty, Option<Con>), Symbol>);

impl Lower {
    /// Returns the name for the variable of an object of a type. `con` is the object's constructor if the type is a datatype. If the
    /// program is not compiled for a heap profile, returns `other`.
    pub fn kind(&mut self, ty: Ty, con: Option<Con>, other: Symbol) -> Symbol {
        let (Some(kinds), layouts) = (&mut self.kinds, &self.layouts) else {
            return other;
        };
        *kinds.0.entry((ty, con)).or_insert_with(|| {
            let mut text = TYPE_MARK.to_string();
            show(layouts, ty, 0, &mut text);
            let is_list = matches!(layouts.types.kind(ty), TyKind::Con(tycon, _) if Some(*tycon) == layouts.list);
            if let Some(con) = con
                && !is_list
            {
                text += &format!(" ({})", layouts.con(con).name);
            }
            Symbol::new(&text)
        })
    }

    /// Returns the name for the variable of an exception.
    pub fn exn_kind(&mut self, tag: ExnTag) -> Symbol {
        if self.kinds.is_none() {
            return self.names.exn;
        }
        let name = match tag {
            ExnTag::Builtin(exn) => exn.name(),
            ExnTag::Var(var) => self.name(var).as_str(),
        };
        Symbol::new(&format!("{TYPE_MARK}exn ({name})"))
    }
}

/// Writes a type. `place` determines whether the type needs parentheses: 1 stands for the left side of an arrow, 2 for a part of a tuple, 3
/// for an argument of a type constructor, and 0 for any other place.
fn show(layouts: &Layouts, ty: Ty, place: u8, out: &mut String) {
    if out.len() > LONG {
        out.push_str("..");
        return;
    }
    let parts = |parts: &mut dyn Iterator<Item = Ty>, between: &str, place, out: &mut String| {
        for (at, part) in parts.enumerate() {
            out.push_str(if at > 0 { between } else { "" });
            show(layouts, part, place, out);
            if out.len() > LONG {
                break;
            }
        }
    };
    match layouts.types.kind(ty) {
        TyKind::Var(_) => out.push('_'),
        TyKind::Con(tycon, args) => {
            match args[..] {
                [] => {}
                [arg] => {
                    show(layouts, arg, 3, out);
                    out.push(' ');
                }
                _ => {
                    out.push('(');
                    parts(&mut args.iter().copied(), ", ", 0, out);
                    out.push_str(") ");
                }
            }
            out.push_str(match layouts.tycon(*tycon).name.as_str() {
                // Code allocates strings as bytes.
                "Prim.bytes" => "string or bytes",
                "Prim.intinf" => "IntInf.int",
                // The structure `Prim` declares the types of the runtime.
                name => name.strip_prefix("Prim.").unwrap_or(name),
            });
        }
        TyKind::Record(fields) if fields.is_empty() => out.push_str("unit"),
        TyKind::Record(fields) if Types::is_tuple(fields) => {
            out.push_str(if place > 1 { "(" } else { "" });
            parts(&mut fields.iter().map(|field| field.1), " * ", 2, out);
            out.push_str(if place > 1 { ")" } else { "" });
        }
        TyKind::Record(fields) => {
            out.push('{');
            for (at, (label, ty)) in fields.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                out.push_str(label.as_str());
                out.push_str(" : ");
                show(layouts, *ty, 0, out);
                if out.len() > LONG {
                    break;
                }
            }
            out.push('}');
        }
        TyKind::Arrow(from, to) => {
            out.push_str(if place > 0 { "(" } else { "" });
            show(layouts, *from, 1, out);
            out.push_str(" -> ");
            show(layouts, *to, 0, out);
            out.push_str(if place > 0 { ")" } else { "" });
        }
    }
}
