//! Decides whether a statement takes only a few instructions.

use crate::anf::{Rep, Rhs, Stmt};
use crate::prim::{Effect, Prim};

/// Returns true if a statement takes only a few instructions, and neither calls nor polls. An allocation is not light, because its check is
/// a poll. A definition of functions is light, because the compiler generates no instruction for it.
pub fn is_light(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Let(_, Rhs::Atom(_) | Rhs::Load { .. } | Rhs::Tag(_), _) => true,
        Stmt::Let(_, Rhs::Prim { prim, elem, .. }, _) => match prim {
            Prim::Runtime(_) => false,
            // A store of a pointer may call the runtime to promote the pointer's object.
            Prim::RefSet | Prim::ArraySet => *elem != Some(Rep::Ptr),
            _ => !matches!(prim.effect(), Effect::Alloc | Effect::Any),
        },
        Stmt::Let(..) => false,
        Stmt::Join { recursive, .. } => !recursive,
        Stmt::Funs(funs) => funs.iter().all(|fun| fun.forked),
    }
}
