//! Numbers the statements and the ends of a function's blocks.
//!
//! Two walks visit a function in different orders. One walk finds the pointers that are live (`live`), and the other walk makes code. Both
//! walks use the id of a block to find the numbers of its statements. [`Inside`] gives the ids of the blocks inside a block, in order.

use crate::anf::{Block, Stmt};

/// The number of a statement or of the end of a block. The number is unique in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Number(u32);

/// The id of a block of a function.
#[derive(Clone, Copy, Debug)]
pub struct BlockId(u32);

impl BlockId {
    /// The body of the function.
    pub const BODY: BlockId = BlockId(0);
}

/// The blocks inside a block that a walk has not visited yet. The bodies of the block's join points come first, in their order. The blocks
/// of the block's end follow, in the order of [`End::blocks`](crate::anf::End::blocks).
#[derive(Clone, Copy, Debug)]
pub struct Inside(u32);

impl Inside {
    /// Returns the id of the next block.
    pub fn take(&mut self) -> BlockId {
        self.0 += 1;
        BlockId(self.0 - 1)
    }
}

/// The numbers of a block's statements and end, and the ids of the blocks inside the block.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    /// The number of the first statement. The other statements and the end have the next numbers.
    first: u32,
    /// The number of the end.
    end: u32,
    /// The id of the first block inside this block. The other blocks inside this block have the next ids.
    inside: u32,
}

/// The numbers of the statements and ends of a function, indexed by the ids of its blocks.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    blocks: Vec<Numbered>,
}

impl Numbers {
    /// Numbers the statements and ends of a function. The function must not contain other functions.
    #[must_use]
    pub fn of(body: &Block) -> Numbers {
        let mut blocks = Vec::new();
        let mut first = 0;
        // Blocks that have an id, in the order of their ids.
        let mut found = vec![body];
        while let Some(block) = found.get(blocks.len()).copied() {
            let end = first + block.stmts.len() as u32;
            blocks.push(Numbered {
                first,
                end,
                inside: found.len() as u32,
            });
            first = end + 1;
            found.extend(block.stmts.iter().filter_map(|stmt| match stmt {
                Stmt::Join { body, .. } => Some(body),
                Stmt::Let(..) | Stmt::Funs(_) => None,
            }));
            found.extend(block.end.blocks());
        }
        Numbers { blocks }
    }

    /// Returns the number of the statement with index `at` in a block.
    #[must_use]
    pub fn stmt(&self, block: BlockId, at: usize) -> Number {
        let numbered = &self.blocks[block.0 as usize];
        let number = numbered.first + at as u32;
        debug_assert!(number < numbered.end, "the block has no such statement");
        Number(number)
    }

    /// Returns the number of the end of a block.
    #[must_use]
    pub fn end(&self, block: BlockId) -> Number {
        Number(self.blocks[block.0 as usize].end)
    }

    /// Returns the ids of the blocks inside a block.
    #[must_use]
    pub fn inside(&self, block: BlockId) -> Inside {
        Inside(self.blocks[block.0 as usize].inside)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::anf::{Atom, Cond, End, Label, Rhs, Var};
    use crate::source::Span;

    fn block(lets: u32, joins: Vec<Block>, end: End) -> Block {
        let stmt = |var| Stmt::Let(vec![Var(var)], Rhs::Atom(Atom::Int(0)), Span::NONE);
        let mut stmts: Vec<Stmt> = (0..lets).map(stmt).collect();
        stmts.extend(joins.into_iter().map(|body| Stmt::Join {
            label: Label(0),
            params: Vec::new(),
            body,
            recursive: false,
        }));
        Block { stmts, end }
    }

    /// Collects the numbers of the statements and ends of a block and of all blocks inside it.
    fn collect(numbers: &Numbers, block: &Block, id: BlockId, all: &mut Vec<Number>) {
        let mut inner = numbers.inside(id);
        for (at, stmt) in block.stmts.iter().enumerate() {
            all.push(numbers.stmt(id, at));
            if let Stmt::Join { body, .. } = stmt {
                collect(numbers, body, inner.take(), all);
            }
        }
        all.push(numbers.end(id));
        for block in block.end.blocks() {
            collect(numbers, block, inner.take(), all);
        }
    }

    #[test]
    fn each_statement_and_end_has_a_number_of_its_own() {
        let leaf = |lets| block(lets, Vec::new(), End::Unreachable);
        let cond = Cond::IsImm(Atom::Imm(0));
        let two = |a, b| End::If(cond, Box::new(a), Box::new(b));
        // A block without statements begins with its end, and a join point begins with its body.
        let body = block(
            2,
            vec![
                leaf(0),
                block(1, vec![leaf(3)], two(leaf(0), leaf(2))),
                leaf(1),
            ],
            two(leaf(0), block(0, vec![leaf(0)], two(leaf(1), leaf(0)))),
        );
        let numbers = Numbers::of(&body);
        let mut all = Vec::new();
        collect(&numbers, &body, BlockId::BODY, &mut all);
        let different: HashSet<u32> = all.iter().map(|number| number.0).collect();
        assert_eq!(different, (0..all.len() as u32).collect());
        // 2 + 1 + 3 + 2 + 1 + 1 statements that compute, 5 join points, 12 ends.
        assert_eq!(all.len(), 27);
    }
}
