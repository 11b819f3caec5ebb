//! Finds the places of possible collections, and the allocations that share a check.

use crate::anf::Rep;
use crate::anf::{Atom, Block, End, Layout, Program, Rhs, Stmt, Var};
use crate::prim::{Effect, Prim};
use crate::runtime::entry::table::FUNCTIONS;
use crate::runtime::value::object::WORD;

/// The maximum number of bytes of allocations that share a check.
const GROUP: usize = 1 << 12;

/// Allocations of a block that share one check, because no collection can happen between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The statement that allocates first.
    pub first: usize,
    /// The total size of the allocations in bytes.
    pub bytes: usize,
}

/// Returns true if a function of the runtime neither allocates nor raises, according to `runtime::entry::table`. Code calls such a function
/// directly.
pub fn is_leaf(number: u16) -> bool {
    let function = &FUNCTIONS[usize::from(number)];
    !function.raises
        && matches!(function.effect, Effect::Pure | Effect::Read | Effect::Write)
        && function.result != Some(Rep::Ptr)
}

/// Returns true if a computation ends a masked part of a strand, in which polls ignore cancellations. Code polls after the end of a masked
/// part. Without this poll, a loop whose other polls are all masked could not be cancelled.
pub fn unmasks(rhs: &Rhs) -> bool {
    let Rhs::Prim {
        prim: Prim::Runtime(number),
        args,
        ..
    } = rhs
    else {
        return false;
    };
    matches!(args[..], [Atom::Int(change)] if change < 0)
        && FUNCTIONS[usize::from(*number)].name == "rt.Thread.mask"
}

/// Returns true if the collector may run during the computation, for example during a call. Returns false for an allocation, because the
/// collector runs only at the check before the allocation.
pub fn may_collect(rhs: &Rhs) -> bool {
    match rhs {
        Rhs::Call(..) => true,
        Rhs::Prim { prim, elem, .. } => match prim {
            Prim::Runtime(number) => !is_leaf(*number) || unmasks(rhs),
            Prim::ArraySettle => *elem == Some(Rep::Ptr),
            Prim::RefSwap | Prim::ArraySwap => *elem == Some(Rep::Ptr),
            Prim::ArrayNew | Prim::ArrayBlank | Prim::BytesNew | Prim::ParAttend => true,
            _ => false,
        },
        _ => false,
    }
}

/// Returns true if the computation stores a pointer that other workers may read. The collector may run before such a
/// store.
pub fn may_promote(rhs: &Rhs) -> bool {
    matches!(
        rhs,
        Rhs::Prim {
            prim: Prim::RefSet | Prim::ArraySet,
            elem: Some(Rep::Ptr),
            args,
        } if matches!(args.last(), Some(Atom::Var(_)))
    )
}

/// Returns the number of bytes that a computation allocates without a call, or `None` if it allocates nothing or allocates by a call.
pub fn bytes_of(rhs: &Rhs) -> Option<usize> {
    let words = match rhs {
        Rhs::Alloc(Layout { ptrs, raws, .. }, _) => (ptrs + raws) as usize,
        Rhs::Closure(_, captured) => 1 + captured.len(),
        Rhs::NewExn(..) => 2,
        Rhs::Prim {
            prim: Prim::RefNew, ..
        } => 1,
        _ => return None,
    };
    Some((1 + words) * WORD)
}

/// Returns the size in bytes of the task that a fork makes in a program with clones: a header, the address of the thief's function, and the
/// arguments.
pub fn task_bytes(args: &[Atom]) -> usize {
    (2 + args.len()) * WORD
}

/// Returns true if no call, collection or poll is between a fork and its end. In this case, no other worker can see the
/// fork. `left` are the statements after the fork.
pub fn is_quiet(left: &[Stmt], end: &End) -> bool {
    matches!(end, End::Resume { .. } | End::Drop { .. }) && left.iter().all(publishes_nothing)
}

/// Returns true if a statement is a computation during which no worker can publish a fork.
pub fn publishes_nothing(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Let(_, rhs, _) => {
            !matches!(rhs, Rhs::Call(..) | Rhs::Fork { .. })
                && !may_collect(rhs)
                && !may_promote(rhs)
                && bytes_of(rhs).is_none()
        }
        _ => false,
    }
}

/// Returns the groups of allocations of a block, in order. `any_global` returns true if at least one of its variables is a global pointer.
pub fn groups(block: &Block, program: &Program, any_global: impl Fn(&[Var]) -> bool) -> Vec<Group> {
    let (eager, stmts) = (program.eager, &block.stmts);
    let bytes_at = |at: usize, rhs: &Rhs| match rhs {
        Rhs::Fork { args, .. } if program.clones && !is_quiet(&stmts[at + 1..], &block.end) => {
            Some(task_bytes(args))
        }
        rhs => bytes_of(rhs),
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut open = false;
    for (at, stmt) in stmts.iter().enumerate() {
        let Stmt::Let(vars, rhs, _) = stmt else {
            continue;
        };
        if may_collect(rhs) || may_promote(rhs) || eager && matches!(rhs, Rhs::Fork { .. }) {
            open = false;
        } else if let Some(bytes) = bytes_at(at, rhs) {
            match groups.last_mut() {
                Some(group) if open && group.bytes + bytes <= GROUP => group.bytes += bytes,
                _ => groups.push(Group { first: at, bytes }),
            }
            open = true;
        }
        if any_global(vars) {
            open = false;
        }
    }
    groups
}
