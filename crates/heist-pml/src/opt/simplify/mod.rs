//! A walk over the program that performs many kinds of small rewritings together. One walk performs all of them, because each rewriting
//! makes other rewritings possible. The walk propagates copies and constants, decides known conditions, and reuses fields of known objects
//! and earlier results. The walk also omits unused code, and inlines functions and join points that are small or used only once.
//!
//! The walk visits code in the order of evaluation. The walk's facts about the binding of a variable hold everywhere, because each variable
//! is bound once. At the end of a block, the walk forgets the conditions that hold in this block and the results that are available in this
//! block.
//!
//! Counts of uses come from a census before the walk. Some rewritings become possible only after another census, so `opt` makes several
//! walks.

mod branch;
mod functions;
mod inline;
mod joins;

pub use joins::mentioned;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::census::Census;
use super::fold;
use crate::anf::{
    Atom, Block, Callee, Cond, Elem, End, Fun, Label, Layout, Program, Rhs, Static, StaticId, Stmt,
    Var,
};
use crate::prim::{Effect, Prim};
use crate::source::Span;

/// The known computation of a variable's value.
#[derive(Clone, Debug)]
enum Def {
    Alloc(Layout, Vec<Atom>),
    Prim(Prim, Vec<Atom>),
    /// The field with this index of an object of this layout.
    Field(Atom, Layout, u32),
}

/// A computation without effects. The walk uses such keys to find results that are already available in a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Load(Atom, u32),
    Tag(Atom),
    Prim(Prim, Option<Elem>, Vec<Atom>),
    Alloc(Layout, Vec<Atom>),
}

/// A change of the walk's state that the walk undoes at the end of a block.
enum Undo {
    Available(Key),
    Holds(Cond),
    Value(Var),
}

/// A function that the walk may inline at each of its calls.
struct Candidate {
    fun: Rc<Fun>,
    size: usize,
    /// For each parameter, whether the body calls the parameter as a function.
    called: Vec<bool>,
}

/// The body of a join point that the walk copies to the join point's jumps.
struct Copied {
    params: Vec<Var>,
    body: Rc<Block>,
}

/// The current place of the walk in a block.
struct Point<'b> {
    out: &'b mut Vec<Stmt>,
    /// The statements that the walk has not visited yet, in reverse order.
    pending: &'b mut Vec<Stmt>,
    end: &'b mut End,
}

/// The state of the walk.
pub struct Simplifier<'a> {
    program: &'a mut Program,
    census: Census,
    replaced: FxHashMap<Var, Atom>,
    defs: FxHashMap<Var, Def>,
    functions: FxHashSet<Var>,
    candidates: FxHashMap<Var, Candidate>,
    /// Functions whose only use is one call that the walk has not reached yet. The body of such a function moves to the call and is not
    /// copied, so all facts about its variables stay true.
    once: FxHashMap<Var, Fun>,
    /// The functions that take all arguments of a curried function. If the walk inlines a call of the curried function, code may call one
    /// of these functions directly.
    whole: FxHashSet<Var>,
    copied: FxHashMap<Label, Copied>,
    /// Join points with only one jump, which the walk has not reached yet.
    moved: FxHashMap<Label, (Vec<Var>, Block)>,
    /// For each join point that this walk has made, the number of jumps to it, and whether at least one of these jumps leaves a handled
    /// region.
    made: FxHashMap<Label, (u32, bool)>,
    available: FxHashMap<Key, Atom>,
    holds: FxHashMap<Cond, bool>,
    values: FxHashMap<Var, i64>,
    undo: Vec<Undo>,
    statics: FxHashMap<(Layout, Vec<Atom>), StaticId>,
    /// Whether the walk is inside a handled region of the function.
    handled: bool,
    /// The size of the code that the walk may still add by large copies.
    budget: usize,
    /// Whether no other walk follows.
    is_last: bool,
}

/// Walks over a program once. The walk may always copy small code. All other copies together may add at most `budget` to the size of the
/// program. `is_last` says that no other walk follows.
pub fn simplify(program: &mut Program, census: Census, budget: usize, is_last: bool) {
    let main = std::mem::take(&mut program.main);
    let mut simplifier = Simplifier {
        program,
        census,
        replaced: FxHashMap::default(),
        defs: FxHashMap::default(),
        functions: FxHashSet::default(),
        candidates: FxHashMap::default(),
        once: FxHashMap::default(),
        whole: FxHashSet::default(),
        copied: FxHashMap::default(),
        moved: FxHashMap::default(),
        made: FxHashMap::default(),
        available: FxHashMap::default(),
        holds: FxHashMap::default(),
        values: FxHashMap::default(),
        undo: Vec::new(),
        statics: FxHashMap::default(),
        handled: false,
        budget,
        is_last,
    };
    let main = simplifier.block(main);
    simplifier.program.main = main;
}

impl Simplifier<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mark = self.undo.len();
        let mut out = Vec::with_capacity(block.stmts.len());
        let mut pending = block.stmts;
        pending.reverse();
        let mut end = block.end;
        let end = loop {
            while let Some(stmt) = pending.pop() {
                self.stmt(
                    stmt,
                    Point {
                        out: &mut out,
                        pending: &mut pending,
                        end: &mut end,
                    },
                );
            }
            let last = std::mem::replace(&mut end, End::Unreachable);
            if let Some(done) = self.end(
                last,
                Point {
                    out: &mut out,
                    pending: &mut pending,
                    end: &mut end,
                },
            ) {
                break done;
            }
        };
        self.forget(mark);
        Block { stmts: out, end }
    }

    fn stmt(&mut self, stmt: Stmt, point: Point<'_>) {
        match stmt {
            Stmt::Let(vars, rhs, span) => self.bind(vars, rhs, span, point),
            Stmt::Funs(funs) => self.funs(funs, point.out),
            Stmt::Join {
                label,
                params,
                body,
                recursive,
            } => self.join(label, params, body, recursive, point.out),
        }
    }

    /// Simplifies a statement that binds the results of a computation.
    fn bind(&mut self, vars: Vec<Var>, mut rhs: Rhs, span: Span, point: Point<'_>) {
        rhs.map(&mut |atom| *atom = self.resolve(*atom));
        if let Rhs::Call(callee, args) = rhs {
            let callee = self.callee(callee);
            return self.call(vars, callee, args, span, point);
        }
        if let Rhs::Fork { thief, .. } = &mut rhs {
            if let Atom::Var(by) = self.resolve(Atom::Var(*thief)) {
                *thief = by;
            }
            point.out.push(Stmt::Let(vars, rhs, span));
            return;
        }
        let var = vars[0];
        let unused = self.census.uses(var).value == 0;
        match &mut rhs {
            Rhs::Atom(atom) => {
                self.replaced.insert(var, *atom);
                return;
            }
            Rhs::Load {
                object,
                index,
                layout,
            } => {
                if let Some(field) = self.field(*object, *index) {
                    self.replaced.insert(var, field);
                    return;
                }
                if let Some(layout) = layout {
                    self.defs.insert(var, Def::Field(*object, *layout, *index));
                }
            }
            Rhs::Tag(object) => {
                if let Some(layout) = self.layout(*object) {
                    self.replaced.insert(var, Atom::Int(i64::from(layout.tag)));
                    return;
                }
            }
            Rhs::Prim { prim, args, .. } => {
                if let Some(atom) = self.known_prim(*prim, args) {
                    self.replaced.insert(var, atom);
                    return;
                }
                self.reassociate(prim, args);
                if unused && matches!(prim.effect(), Effect::Pure | Effect::Alloc | Effect::Read) {
                    return;
                }
                if prim.effect() == Effect::Pure {
                    self.defs.insert(var, Def::Prim(*prim, args.clone()));
                }
            }
            Rhs::Alloc(layout, fields) => {
                let known = self.constant(*layout, fields);
                if let Some(atom) = known.or_else(|| self.original(*layout, fields)) {
                    self.replaced.insert(var, atom);
                    return;
                }
                if !layout.mutable {
                    self.defs.insert(var, Def::Alloc(*layout, fields.clone()));
                }
            }
            Rhs::NewExn(..) | Rhs::Closure(..) | Rhs::Call(..) | Rhs::Fork { .. } => {}
        }
        if unused && !matches!(rhs, Rhs::Prim { .. } | Rhs::NewExn(..)) {
            return;
        }
        if let Some(key) = key(&rhs) {
            if let Some(&atom) = self.available.get(&key) {
                self.replaced.insert(var, atom);
                return;
            }
            self.available.insert(key.clone(), Atom::Var(var));
            self.undo.push(Undo::Available(key));
        }
        point.out.push(Stmt::Let(vars, rhs, span));
    }

    /// Returns the atom that replaces an atom, or the atom itself if nothing replaces it.
    fn resolve(&self, atom: Atom) -> Atom {
        let mut atom = atom;
        while let Atom::Var(var) = atom {
            match self.replaced.get(&var) {
                Some(&by) => atom = by,
                None => break,
            }
        }
        atom
    }

    /// Returns the callee of a call. If the callee is a closure of a known function, returns this function.
    fn callee(&self, callee: Callee) -> Callee {
        let atom = match callee {
            Callee::Known(var) => self.resolve(Atom::Var(var)),
            Callee::Closure(atom) => self.resolve(atom),
        };
        match atom {
            Atom::Var(var) if self.functions.contains(&var) => Callee::Known(var),
            other => Callee::Closure(other),
        }
    }

    /// Returns the value of a field of a known object.
    fn field(&self, object: Atom, index: u32) -> Option<Atom> {
        match object {
            Atom::Var(var) => match self.defs.get(&var)? {
                Def::Alloc(_, fields) => fields.get(index as usize).copied(),
                _ => None,
            },
            Atom::Static(id) => match &self.program.statics[id.0 as usize] {
                Static::Object(_, fields) => fields.get(index as usize).copied(),
                _ => None,
            },
            _ => None,
        }
    }

    fn layout(&self, object: Atom) -> Option<Layout> {
        match object {
            Atom::Var(var) => match self.defs.get(&var)? {
                Def::Alloc(layout, _) => Some(*layout),
                _ => None,
            },
            Atom::Static(id) => match &self.program.statics[id.0 as usize] {
                Static::Object(layout, _) => Some(*layout),
                _ => None,
            },
            _ => None,
        }
    }

    fn known_prim(&self, prim: Prim, args: &[Atom]) -> Option<Atom> {
        if let Some(atom) = fold::prim(prim, args) {
            return Some(atom);
        }
        match (prim, args) {
            (Prim::StringSize, [Atom::Static(id)]) => match &self.program.statics[id.0 as usize] {
                Static::String(bytes) => Some(Atom::Int(bytes.len() as i64)),
                _ => None,
            },
            (Prim::StringGet, [Atom::Static(id), Atom::Int(at)]) => {
                match &self.program.statics[id.0 as usize] {
                    Static::String(bytes) => bytes
                        .get(*at as usize)
                        .map(|byte| Atom::Int(i64::from(*byte))),
                    _ => None,
                }
            }
            _ => fold::comparison(prim, args)
                .and_then(|cond| self.decided(cond))
                .map(|truth| Atom::Int(i64::from(truth))),
        }
    }

    /// Turns `(x + 1) + 1` into `x + 2`, for sums that wrap round.
    fn reassociate(&self, prim: &mut Prim, args: &mut Vec<Atom>) {
        if *prim == Prim::WordSub
            && let Atom::Int(b) = args[1]
        {
            *prim = Prim::WordAdd;
            args[1] = Atom::Int(b.wrapping_neg());
        }
        if matches!(
            prim,
            Prim::WordAdd | Prim::WordMul | Prim::IntAdd | Prim::IntMul
        ) && matches!(args[0], Atom::Int(_))
        {
            args.swap(0, 1);
        }
        if let (Prim::WordAdd, &[Atom::Var(inner), Atom::Int(b)]) = (*prim, &args[..])
            && let Some(Def::Prim(Prim::WordAdd, terms)) = self.defs.get(&inner)
            && let [x, Atom::Int(a)] = terms[..]
        {
            *args = vec![x, Atom::Int(a.wrapping_add(b))];
        }
    }

    /// Returns a static object that can replace a new object, if the fields of the new object are all constants.
    fn constant(&mut self, layout: Layout, fields: &[Atom]) -> Option<Atom> {
        if layout.mutable || fields.iter().any(|field| matches!(field, Atom::Var(_))) {
            return None;
        }
        let program = &mut self.program;
        let id = *self
            .statics
            .entry((layout, fields.to_vec()))
            .or_insert_with(|| {
                program
                    .statics
                    .push(Static::Object(layout, fields.to_vec()));
                StaticId(program.statics.len() as u32 - 1)
            });
        Some(Atom::Static(id))
    }

    /// Returns the existing object that can replace a new object: the fields of the new object are loaded from it, and both have the same
    /// layout. Only the last walk looks for such objects. In earlier walks, the new object must stay, because `unbox` may later replace it
    /// by its fields. `unbox` cannot replace an object that other code has made.
    fn original(&self, layout: Layout, fields: &[Atom]) -> Option<Atom> {
        if !self.is_last || layout.mutable {
            return None;
        }
        let from = |at: usize| match fields.get(at)? {
            Atom::Var(var) => match self.defs.get(var)? {
                Def::Field(object, of, index) => {
                    (*of == layout && *index as usize == at).then_some(*object)
                }
                _ => None,
            },
            _ => None,
        };
        let object = from(0)?;
        (1..fields.len())
            .all(|at| from(at) == Some(object))
            .then_some(object)
    }

    /// Undoes all changes of the walk's state since a mark.
    fn forget(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop() {
                Some(Undo::Available(key)) => drop(self.available.remove(&key)),
                Some(Undo::Holds(cond)) => drop(self.holds.remove(&cond)),
                Some(Undo::Value(var)) => drop(self.values.remove(&var)),
                None => {}
            }
        }
    }
}

fn key(rhs: &Rhs) -> Option<Key> {
    match rhs {
        Rhs::Load { object, index, .. } => Some(Key::Load(*object, *index)),
        Rhs::Tag(object) => Some(Key::Tag(*object)),
        // A primitive that has already returned a result does not raise for the same operands.
        Rhs::Prim { prim, elem, args } if matches!(prim.effect(), Effect::Pure | Effect::Raise) => {
            Some(Key::Prim(*prim, *elem, args.clone()))
        }
        Rhs::Alloc(layout, fields) if !layout.mutable => Some(Key::Alloc(*layout, fields.clone())),
        _ => None,
    }
}
