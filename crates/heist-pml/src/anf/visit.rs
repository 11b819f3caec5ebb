//! Methods that visit the parts of statements and ends, so that passes need not list every form.

use super::{Atom, Block, Callee, Cond, End, Rhs, Stmt};

impl Callee {
    /// Calls the function `by` with the atom of a callee, which `by` may change. A callee that is a known function has no atom, so `by` is
    /// not called.
    pub fn map(&mut self, by: &mut impl FnMut(&mut Atom)) {
        if let Callee::Closure(atom) = self {
            by(atom);
        }
    }
}

impl Cond {
    /// Returns the operands of the condition.
    #[must_use]
    pub fn atoms(self) -> [Option<Atom>; 2] {
        match self {
            Cond::Int(_, a, b) | Cond::Word(_, a, b) | Cond::Real(_, a, b) | Cond::Same(a, b) => {
                [Some(a), Some(b)]
            }
            Cond::IsImm(a) => [Some(a), None],
        }
    }

    /// Calls the function `by` with each operand, which `by` may change.
    pub fn map(&mut self, by: &mut impl FnMut(&mut Atom)) {
        match self {
            Cond::Int(_, a, b) | Cond::Word(_, a, b) | Cond::Real(_, a, b) | Cond::Same(a, b) => {
                by(a);
                by(b);
            }
            Cond::IsImm(a) => by(a),
        }
    }
}

impl Rhs {
    /// Changes each atom.
    pub fn map(&mut self, by: &mut impl FnMut(&mut Atom)) {
        match self {
            Rhs::Atom(atom) | Rhs::Tag(atom) | Rhs::Load { object: atom, .. } => by(atom),
            Rhs::Prim { args, .. }
            | Rhs::Alloc(_, args)
            | Rhs::Closure(_, args)
            | Rhs::Fork { args, .. } => args.iter_mut().for_each(by),
            Rhs::Call(callee, args) => {
                callee.map(by);
                args.iter_mut().for_each(by);
            }
            Rhs::NewExn(..) => {}
        }
    }

    /// Calls a function with each atom.
    pub fn each(&self, mut look: impl FnMut(Atom)) {
        match self {
            Rhs::Atom(atom) | Rhs::Tag(atom) | Rhs::Load { object: atom, .. } => look(*atom),
            Rhs::Prim { args, .. }
            | Rhs::Alloc(_, args)
            | Rhs::Closure(_, args)
            | Rhs::Fork { args, .. } => args.iter().copied().for_each(look),
            Rhs::Call(callee, args) => {
                if let Callee::Closure(atom) = callee {
                    look(*atom);
                }
                args.iter().copied().for_each(look);
            }
            Rhs::NewExn(..) => {}
        }
    }
}

impl End {
    /// Calls the function `by` with each atom of this end, which `by` may change. Does not visit the blocks of the end.
    pub fn map(&mut self, by: &mut impl FnMut(&mut Atom)) {
        match self {
            End::Return(atoms) | End::Jump(_, atoms) => atoms.iter_mut().for_each(by),
            End::TailCall(callee, args, _) => {
                callee.map(by);
                args.iter_mut().for_each(by);
            }
            End::If(cond, ..) => cond.map(by),
            End::Switch { on, .. } => by(on),
            End::Raise(atom, _) => by(atom),
            End::Handle { .. } | End::Resume { .. } | End::Drop { .. } | End::Unreachable => {}
        }
    }

    /// Calls a function with each atom of this end. Does not visit the blocks of the end.
    pub fn each(&self, mut look: impl FnMut(Atom)) {
        match self {
            End::Return(atoms) | End::Jump(_, atoms) => atoms.iter().copied().for_each(look),
            End::TailCall(callee, args, _) => {
                if let Callee::Closure(atom) = callee {
                    look(*atom);
                }
                args.iter().copied().for_each(look);
            }
            End::If(cond, ..) => cond.atoms().into_iter().flatten().for_each(look),
            End::Switch { on, .. } => look(*on),
            End::Raise(atom, _) => look(*atom),
            End::Handle { .. } | End::Resume { .. } | End::Drop { .. } | End::Unreachable => {}
        }
    }

    /// Returns the blocks inside the end, in order.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            End::If(_, a, b) => vec![a, b],
            End::Switch { cases, default, .. } => cases
                .iter()
                .map(|case| &case.1)
                .chain(default.as_deref())
                .collect(),
            End::Handle { body, handler, .. } => vec![body, handler],
            End::Resume { right, stolen, .. } => vec![right, stolen],
            End::Drop { rest, .. } => vec![rest],
            _ => Vec::new(),
        }
    }

    /// Returns the blocks inside the end.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            End::If(_, a, b) => vec![a, b],
            End::Switch { cases, default, .. } => cases
                .iter_mut()
                .map(|case| &mut case.1)
                .chain(default.as_deref_mut())
                .collect(),
            End::Handle { body, handler, .. } => vec![body, handler],
            End::Resume { right, stolen, .. } => vec![right, stolen],
            End::Drop { rest, .. } => vec![rest],
            _ => Vec::new(),
        }
    }
}

impl Block {
    /// Returns an estimate of the size of the block's generated code. Stops counting soon after the estimate exceeds `limit`.
    #[must_use]
    pub fn size(&self, limit: usize) -> usize {
        let mut size = 0;
        for stmt in &self.stmts {
            if size >= limit {
                return size;
            }
            size += match stmt {
                Stmt::Let(_, rhs, _) => rhs.size(),
                // The owner does not run the function of a fork, so the size of this function must not prevent inlining.
                Stmt::Funs(funs) => funs
                    .iter()
                    .filter(|fun| !fun.forked)
                    .map(|fun| 3 + fun.body.size(limit))
                    .sum(),
                Stmt::Join { body, .. } => 1 + body.size(limit),
            };
        }
        size += match &self.end {
            End::Return(_) | End::Jump(..) | End::Unreachable => 0,
            End::TailCall(_, args, _) => 2 + args.len(),
            End::If(..) => 1,
            End::Raise(..) => 2,
            End::Switch { .. } => 2,
            End::Handle { .. } => 5,
            End::Resume { .. } | End::Drop { .. } => 1,
        };
        for block in self.end.blocks() {
            if size >= limit {
                return size;
            }
            size += block.size(limit);
        }
        size
    }
}

impl Rhs {
    /// Returns what this computation adds to [`Block::size`].
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Rhs::Atom(_) | Rhs::Fork { .. } => 0,
            Rhs::Load { .. } | Rhs::Tag(_) => 1,
            Rhs::Prim {
                prim: crate::prim::Prim::Runtime(_),
                args,
                ..
            } => 2 + args.len(),
            Rhs::Prim { .. } => 1,
            Rhs::Alloc(_, fields) | Rhs::Closure(_, fields) => 2 + fields.len(),
            Rhs::Call(_, args) => 2 + args.len(),
            Rhs::NewExn(..) => 4,
        }
    }
}
