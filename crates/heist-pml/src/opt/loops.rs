//! Unrolls small loops. An iteration of the new loop consists of [`TURNS`] iterations of the old loop.
//!
//! Every iteration of a loop ends with a jump and begins with a poll (`codegen::polls`). Instead of the poll, a loop of the Basis has a
//! check whether an idle worker requests work (`Par.asked`). In a loop of a few instructions, the jump and the poll would take a large part
//! of the time. So this pass makes copies of the loop's body. Each copy continues with the next copy, and the last copy continues with the
//! loop. Each copy has its own test that ends the loop, so the compiler need not know the number of iterations. This method is the
//! unrolling of *while* loops (Huang and Leng, "Generalized loop-unrolling", 1999). Only the first of the [`TURNS`] iterations polls or
//! checks for requests, so a request waits for at most three more short iterations.
//!
//! The code that runs after a loop is often inside of the loop, in a branch of its test. The pass moves this code into a join point before
//! the loop, so that it is not copied with the loop.

use rustc_hash::FxHashSet;

use super::light::is_light;
use super::rename::Renamer;
use super::simplify::mentioned;
use super::turns::turn;
use crate::anf::{Atom, Block, Callee, Cmp, Cond, End, Fun, Label, Program, Rhs, Stmt, Var};
use crate::prim::Prim;

/// The number of iterations of the old loop in one iteration of the unrolled loop.
const TURNS: usize = 4;
/// The maximum size of a loop that is unrolled, without the code that runs after the loop.
const LARGEST: usize = 14;
/// The maximum size of code after a loop that the pass copies with the loop instead of moving it into a join point.
const EXIT: usize = 3;
/// The maximum number of statements and branches that the pass examines in a loop and in the code after the loop.
const EXAMINED: usize = 2_000;

/// Unrolls all small loops of a program.
pub fn loops(program: &mut Program) {
    let mut main = std::mem::take(&mut program.main);
    block(program, &mut main);
    program.main = main;
}

fn block(program: &mut Program, of: &mut Block) {
    for mut stmt in std::mem::take(&mut of.stmts) {
        match &mut stmt {
            Stmt::Let(..) => {}
            Stmt::Join {
                label,
                params,
                body,
                recursive,
            } => {
                if *recursive && is_small(body, Back::Jump(*label)) && is_separable(body, *label) {
                    let mut behind = Vec::new();
                    unroll(program, *label, params, body, &mut behind);
                    for stmt in &mut behind {
                        if let Stmt::Join { body, .. } = stmt {
                            block(program, body);
                        }
                    }
                    of.stmts.append(&mut behind);
                } else {
                    block(program, body);
                }
            }
            Stmt::Funs(funs) => funs.iter_mut().for_each(|fun| function(program, fun)),
        }
        of.stmts.push(stmt);
    }
    of.end
        .blocks_mut()
        .into_iter()
        .for_each(|inner| block(program, inner));
}

/// Turns a small function that calls itself in tail position into a loop.
fn function(program: &mut Program, fun: &mut Fun) {
    if is_small(&fun.body, Back::Call(fun.name)) {
        turn(program, fun);
    }
    block(program, &mut fun.body);
}

/// The way in which an iteration continues with the next iteration: a jump to the loop, or a tail call of the function.
#[derive(Clone, Copy)]
enum Back {
    Jump(Label),
    Call(Var),
}

impl Back {
    fn is(self, end: &End) -> bool {
        match (self, end) {
            (Back::Jump(label), End::Jump(to, _)) => label == *to,
            (Back::Call(name), End::TailCall(Callee::Known(callee), ..)) => name == *callee,
            _ => false,
        }
    }

    /// Returns true if some path through a block continues with the next iteration.
    fn follows(self, of: &Block) -> bool {
        let joins = |stmt: &Stmt| matches!(stmt, Stmt::Join { body, .. } if self.follows(body));
        self.is(&of.end)
            || of.stmts.iter().any(joins)
            || of.end.blocks().into_iter().any(|inner| self.follows(inner))
    }
}

/// Returns the index of the statement `Par.asked`, and the block that runs if no idle worker requests work. Returns `None` if the block
/// does not end with a check for requests.
fn unasked(of: &Block) -> Option<(usize, &Block)> {
    let End::If(Cond::Int(Cmp::Ne, Atom::Var(asked), Atom::Int(0)), _, no) = &of.end else {
        return None;
    };
    let at = of.stmts.iter().position(|stmt| match stmt {
        Stmt::Let(vars, Rhs::Prim { prim, .. }, _) => {
            *prim == Prim::ParAsked && vars[..] == [*asked]
        }
        _ => false,
    })?;
    Some((at, no))
}

/// Returns the blocks of a block's end, without the block that runs if an idle worker requests work.
fn ahead(of: &Block) -> Vec<&Block> {
    match unasked(of) {
        Some((_, on)) => vec![on],
        None => of.end.blocks(),
    }
}

fn ahead_mut(of: &mut Block) -> Vec<&mut Block> {
    let asks = usize::from(unasked(of).is_some());
    // The first block runs if an idle worker requests work.
    of.end.blocks_mut().into_iter().skip(asks).collect()
}

/// Returns true if a loop is small, and all paths to its next iteration consist of light statements.
fn is_small(body: &Block, back: Back) -> bool {
    let mut survey = Survey {
        back,
        left: EXAMINED,
        size: 0,
    };
    survey.block(body) == Some(true)
}

struct Survey {
    back: Back,
    /// The number of statements and branches that the survey may still examine.
    left: usize,
    /// The total size of the visited paths to the next iteration.
    size: usize,
}

impl Survey {
    /// Returns whether some path through a block continues with the next iteration, or `None` if the loop must not be unrolled.
    fn block(&mut self, of: &Block) -> Option<bool> {
        self.left = self.left.checked_sub(1 + of.stmts.len())?;
        let mut leads = self.back.is(&of.end);
        for stmt in &of.stmts {
            if let Stmt::Join { body, .. } = stmt {
                leads |= self.block(body)?;
            }
        }
        for inner in ahead(of) {
            leads |= self.block(inner)?;
        }
        if !leads {
            return Some(false);
        }
        let way = unasked(of);
        let plain = way.is_some()
            || matches!(of.end, End::If(..) | End::Switch { .. })
            || of.end.blocks().is_empty();
        self.size += usize::from(way.is_none());
        for (at, stmt) in of.stmts.iter().enumerate() {
            if way.is_some_and(|(without, _)| without == at) {
                continue;
            }
            if !is_light(stmt) {
                return None;
            }
            if let Stmt::Let(_, rhs, _) = stmt {
                self.size += rhs.size();
            }
        }
        (plain && self.size <= LARGEST).then_some(true)
    }
}

/// Returns true if the code after a loop can move out of the loop, because it uses no join point and no function of the
/// loop. Code that defines functions must not move. Such code may be the whole rest of the program, and a move would copy its functions.
fn is_separable(body: &Block, label: Label) -> bool {
    let mut inside = Inside {
        back: Back::Jump(label),
        labels: Vec::new(),
        funs: Vec::new(),
    };
    inside.allows(body)
}

/// The join points and functions that a loop defines.
struct Inside {
    back: Back,
    labels: Vec<Label>,
    funs: Vec<Var>,
}

impl Inside {
    fn allows(&mut self, of: &Block) -> bool {
        if !self.back.follows(of) {
            let jumps = |to: &Label| Back::Jump(*to).follows(of);
            let mut used = FxHashSet::default();
            mentioned(of, &mut used);
            return of.size(EXIT + 1) <= EXIT
                || !self.labels.iter().any(jumps)
                    && !self.funs.iter().any(|fun| used.contains(fun))
                    && !defines(of);
        }
        for stmt in &of.stmts {
            match stmt {
                Stmt::Let(..) => {}
                Stmt::Join { label, body, .. } => {
                    self.labels.push(*label);
                    if !self.allows(body) {
                        return false;
                    }
                }
                Stmt::Funs(funs) => self.funs.extend(funs.iter().map(|fun| fun.name)),
            }
        }
        ahead(of).into_iter().all(|inner| self.allows(inner))
    }
}

/// Returns true if a block defines functions other than the functions of forks.
fn defines(of: &Block) -> bool {
    of.stmts.iter().any(|stmt| match stmt {
        Stmt::Let(..) => false,
        Stmt::Join { body, .. } => defines(body),
        Stmt::Funs(funs) => !funs.iter().all(|fun| fun.forked),
    }) || of.end.blocks().into_iter().any(defines)
}

/// Adds copies of a loop's body as join points. The body continues with the first copy, each copy continues with the next copy, and the
/// last copy continues with the loop. Moves the code after the loop into join points, and adds them to `behind`.
fn unroll(
    program: &mut Program,
    label: Label,
    params: &[Var],
    body: &mut Block,
    behind: &mut Vec<Stmt>,
) {
    let mut separation = Separation {
        program,
        back: Back::Jump(label),
        bound: params.to_vec(),
        behind,
    };
    separation.block(body);
    let turn = short(body);
    let mut next = label;
    let mut copies = Vec::with_capacity(TURNS - 1);
    for _ in 1..TURNS {
        let copy = program.label();
        let mut renamer = Renamer::new(program);
        let params = params.iter().map(|param| renamer.fresh(*param)).collect();
        renamer.redirect(label, next);
        copies.push(Stmt::Join {
            label: copy,
            params,
            body: renamer.block(&turn),
            recursive: false,
        });
        next = copy;
    }
    redirect(body, label, next);
    copies.append(&mut body.stmts);
    body.stmts = copies;
}

/// The state of a move of the code after a loop into join points.
struct Separation<'a> {
    program: &'a mut Program,
    back: Back,
    /// The variables that the visited part of the loop has bound.
    bound: Vec<Var>,
    behind: &'a mut Vec<Stmt>,
}

impl Separation<'_> {
    fn block(&mut self, of: &mut Block) {
        if !self.back.follows(of) {
            if of.size(EXIT + 1) > EXIT {
                self.separate(of);
            }
            return;
        }
        for stmt in &mut of.stmts {
            match stmt {
                Stmt::Let(vars, ..) => self.bound.extend(&*vars),
                Stmt::Join { params, body, .. } => {
                    self.bound.extend(&*params);
                    self.block(body);
                }
                Stmt::Funs(_) => {}
            }
        }
        for inner in ahead_mut(of) {
            self.block(inner);
        }
    }

    /// Moves the code of a block into a new join point. The block then consists of a jump to the join point.
    fn separate(&mut self, of: &mut Block) {
        let mut used = FxHashSet::default();
        mentioned(of, &mut used);
        let passed: Vec<Var> = (self.bound.iter().copied())
            .filter(|var| used.contains(var))
            .collect();
        let label = self.program.label();
        let end = End::Jump(label, passed.iter().map(|var| Atom::Var(*var)).collect());
        let moved = std::mem::replace(
            of,
            Block {
                stmts: Vec::new(),
                end,
            },
        );
        let mut renamer = Renamer::moving(self.program);
        let params = passed.iter().map(|var| renamer.fresh(*var)).collect();
        self.behind.push(Stmt::Join {
            label,
            params,
            body: renamer.block(&moved),
            recursive: false,
        });
    }
}

/// Returns a copy of an iteration without its check for requests. The copy contains only the code that runs if no idle worker requests
/// work.
fn short(of: &Block) -> Block {
    let mut turn = match unasked(of) {
        Some((asks, on)) => {
            let mut turn = short(on);
            let mut before = of.stmts.clone();
            if let Stmt::Let(_, rhs, _) = &mut before[asks] {
                *rhs = Rhs::Atom(Atom::Int(0));
            }
            turn.stmts.splice(..0, before);
            turn
        }
        None => {
            let mut turn = of.clone();
            for inner in turn.end.blocks_mut() {
                *inner = short(inner);
            }
            turn
        }
    };
    for stmt in &mut turn.stmts {
        if let Stmt::Join { body, .. } = stmt {
            *body = short(body);
        }
    }
    turn
}

/// Replaces jumps to `from` by jumps to `to`, the first copy, in code that runs if no idle worker requests work. Other
/// code still jumps to the loop, which checks for requests again.
fn redirect(of: &mut Block, from: Label, to: Label) {
    for stmt in &mut of.stmts {
        if let Stmt::Join { body, .. } = stmt {
            redirect(body, from, to);
        }
    }
    if let End::Jump(label, _) = &mut of.end
        && *label == from
    {
        *label = to;
    }
    for inner in ahead_mut(of) {
        redirect(inner, from, to);
    }
}
