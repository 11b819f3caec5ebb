//! Tells which statements are a few instructions in place.

use crate::anf::{Rep, Rhs, Stmt};
use crate::prim::{Effect, Prim};

/// Returns true if a statement is a few instructions in place, with no call and no poll. Allocations are none of these: they poll.
/// Functions are defined by no instruction.
pub fn is_light(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Let(_, Rhs::Atom(_) | Rhs::Load { .. } | Rhs::Tag(_), _) => true,
        Stmt::Let(_, Rhs::Prim { prim, elem, .. }, _) => match prim {
            Prim::Runtime(_) => false,
            // These may promote a pointer.
            Prim::RefSet | Prim::ArraySet => *elem != Some(Rep::Ptr),
            _ => !matches!(prim.effect(), Effect::Alloc | Effect::Any),
        },
        Stmt::Let(..) => false,
        Stmt::Join { recursive, .. } => !recursive,
        Stmt::Funs(funs) => funs.iter().all(|fun| fun.forked),
    }
}
