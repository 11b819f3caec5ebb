//! Builds blocks.
//!
//! If an expression in the middle of a block branches, the code after the branches becomes the body of a join point. The builder then
//! continues in this body. At the end of the block, it puts the parts of the block together.

use std::collections::HashMap;

use super::Lower;
use super::layout::Field;
use super::value::Memo;
use crate::anf::{Atom, Block, Callee, Cond, End, Label, Layout, Rep, Rhs, Stmt, Var, VarInfo};
use crate::source::Span;
use crate::symbol::Symbol;

/// A block that is being built.
#[derive(Default)]
pub struct Builder {
    stmts: Vec<Stmt>,
    frames: Vec<Frame>,
    /// Whether the block contains statements that make [`Optional`] objects.
    optional: bool,
}

/// The part of a block before a join point. The builder keeps this part while it is in the body of the join point.
struct Frame {
    stmts: Vec<Stmt>,
    label: Label,
    params: Vec<Var>,
    rest: Block,
}

/// Objects that are made only if later code uses them.
#[derive(Default)]
pub struct Optional(HashMap<Var, (bool, Vec<Var>)>);

impl Optional {
    /// Adds a new object with these fields. No code needs the object yet.
    fn add(&mut self, var: Var, atoms: &[Atom]) {
        let parts = atoms
            .iter()
            .filter_map(|atom| match atom {
                Atom::Var(part) if self.0.contains_key(part) => Some(*part),
                _ => None,
            })
            .collect();
        self.0.insert(var, (false, parts));
    }

    /// Records that code needs an object, and therefore also the objects in its fields.
    pub fn need(&mut self, var: Var) {
        if let Some((needed @ false, parts)) = self.0.get_mut(&var) {
            *needed = true;
            for part in std::mem::take(parts) {
                self.need(part);
            }
        }
    }

    /// Returns true if code needs an object.
    pub fn needed(&self, var: Var) -> bool {
        self.0.get(&var).is_none_or(|state| state.0)
    }
}

impl Lower {
    /// Makes a new variable.
    pub fn fresh(&mut self, rep: Rep, name: Symbol) -> Var {
        self.vars.push(VarInfo { rep, name });
        Var(self.vars.len() as u32 - 1)
    }

    /// Makes a new label.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Adds a statement.
    pub fn stmt(&mut self, stmt: Stmt) {
        self.builder.stmts.push(stmt);
    }

    /// Adds a computation with one result of one word. Returns the result.
    pub fn compute(&mut self, rep: Rep, name: Symbol, rhs: Rhs, span: Span) -> Atom {
        let var = self.fresh(rep, name);
        self.stmt(Stmt::Let(vec![var], rhs, span));
        Atom::Var(var)
    }

    /// Adds a load of a field of an object. Other objects of the same type may have another layout.
    pub fn load(&mut self, object: Atom, index: u32, rep: Rep, name: Symbol, span: Span) -> Atom {
        let layout = None;
        let rhs = Rhs::Load {
            object,
            index,
            layout,
        };
        self.compute(rep, name, rhs, span)
    }

    /// Adds a load of a field of an object. `layout` is the layout of all objects of this type, if they have the same layout.
    pub fn load_from(
        &mut self,
        object: Atom,
        layout: Option<Layout>,
        field: &Field,
        name: Symbol,
        span: Span,
    ) -> Atom {
        let rhs = Rhs::Load {
            object,
            index: field.index,
            layout,
        };
        self.compute(field.rep, name, rhs, span)
    }

    /// Adds a call that is not a tail call.
    pub fn call(
        &mut self,
        callee: Callee,
        args: Vec<Atom>,
        results: &[Rep],
        name: Symbol,
        span: Span,
    ) -> Vec<Atom> {
        let vars: Vec<Var> = results.iter().map(|&rep| self.fresh(rep, name)).collect();
        let atoms = vars.iter().map(|&var| Atom::Var(var)).collect();
        self.stmt(Stmt::Let(vars, Rhs::Call(callee, args), span));
        atoms
    }

    /// Adds a new object. If no code uses the object, the finished block does not make the object.
    pub fn optional(&mut self, layout: Layout, atoms: Vec<Atom>, name: Symbol, span: Span) -> Var {
        let var = self.fresh(Rep::Ptr, name);
        self.optional.add(var, &atoms);
        self.builder.optional = true;
        self.stmt(Stmt::Let(vec![var], Rhs::Alloc(layout, atoms), span));
        var
    }

    /// Builds a separate block with the function `make`. Afterwards, restores the state that lowering has changed in this block (see
    /// [`Memo`]).
    pub fn block(&mut self, make: impl FnOnce(&mut Self) -> End) -> Block {
        let outer = std::mem::take(&mut self.builder);
        let mark = self.trail.len();
        let pending = self.pending.clone();
        let end = make(self);
        self.undo(mark);
        self.pending = pending;
        let built = std::mem::replace(&mut self.builder, outer);
        self.finish(built, end)
    }

    /// Returns the finished block: puts its parts together, and omits objects that no code needs.
    pub fn finish(&mut self, built: Builder, end: End) -> Block {
        let Builder {
            stmts,
            frames,
            optional,
        } = built;
        let mut block = Block { stmts, end };
        self.sweep(&mut block.stmts, optional);
        for frame in frames.into_iter().rev() {
            let Frame {
                mut stmts,
                label,
                params,
                rest,
            } = frame;
            self.sweep(&mut stmts, optional);
            stmts.push(Stmt::Join {
                label,
                params,
                body: block,
                recursive: false,
            });
            stmts.extend(rest.stmts);
            block = Block {
                stmts,
                end: rest.end,
            };
        }
        block
    }

    fn sweep(&self, stmts: &mut Vec<Stmt>, optional: bool) {
        if optional {
            stmts.retain(|stmt| match stmt {
                Stmt::Let(vars, Rhs::Alloc(..), _) => self.optional.needed(vars[0]),
                _ => true,
            });
        }
    }

    /// Ends the current part of the block with the block `rest`, which jumps to `label`. The builder then continues in the body of the join
    /// point `label`.
    pub fn cut(&mut self, rest: Block, label: Label, params: Vec<Var>) {
        let stmts = std::mem::take(&mut self.builder.stmts);
        self.builder.frames.push(Frame {
            stmts,
            label,
            params,
            rest,
        });
    }

    /// Adds statements to the current block.
    pub fn splice(&mut self, stmts: Vec<Stmt>) {
        self.builder.stmts.extend(stmts);
    }

    /// Returns an end that chooses one of two blocks.
    pub fn choose(
        &mut self,
        cond: Cond,
        yes: impl FnOnce(&mut Self) -> End,
        no: impl FnOnce(&mut Self) -> End,
    ) -> End {
        let yes = self.block(yes);
        let no = self.block(no);
        End::If(cond, Box::new(yes), Box::new(no))
    }

    /// Restores the state that lowering has changed since a mark, from the values in the trail.
    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Memo::Boxed(record, boxed)) => self.records[record.0].boxed = boxed,
                Some(Memo::Home(record, home)) => self.records[record.0].home = home,
                Some(Memo::Seen(seen, value)) => self.occurrences[seen.0].value = value,
                None => break,
            }
        }
    }
}
