//! Turns functions that always return to the same place into join points. Examples are loops, and local functions that are called at only
//! one place.
//!
//! A function becomes a join point if code never uses it as a value, all its calls of itself are tail calls, and one of two conditions
//! holds:
//! - All other calls are tail calls in the enclosing function. The function then returns where the enclosing function returns.
//! - There is only one other call, and this call is not a tail call. The function then always returns to the code after this call.
//!
//! The criterion comes from Kennedy ("Compiling with Continuations, Continued", section 5). Kennedy also applies it to groups of functions,
//! but this pass examines each function alone.

use rustc_hash::{FxHashMap, FxHashSet};

use super::divert::divert;
use crate::anf::{Atom, Block, Callee, End, Fun, Label, Program, Rep, Rhs, Stmt, Var};

/// Turns the functions of a program that always return to the same place into join points.
pub fn contify(program: &mut Program) {
    let mut survey = Survey {
        facts: FxHashMap::default(),
        around: None,
    };
    survey.block(&program.main);
    let mut tail = FxHashMap::default();
    let mut single = FxHashSet::default();
    let mut names: Vec<_> = survey.facts.iter().collect();
    names.sort_unstable_by_key(|fact| *fact.0);
    for (name, facts) in names {
        if facts.bad || facts.tails + facts.returning == 0 {
            continue;
        }
        if facts.returning == 0 {
            tail.insert(*name, program.label());
        } else if facts.returning == 1 && facts.tails == 0 {
            single.insert(*name);
        }
    }
    if tail.is_empty() && single.is_empty() {
        return;
    }
    let mut main = std::mem::take(&mut program.main);
    Contifier {
        program,
        tail,
        single,
        moved: FxHashMap::default(),
    }
    .block(&mut main);
    program.main = main;
}

/// The uses of a function.
#[derive(Default)]
struct Facts {
    /// The home of the function: the function that contains its definition, or `None` for `main`.
    home: Option<Var>,
    /// The number of tail calls of the function in its home, outside of the function itself.
    tails: u32,
    /// The number of calls of the function in its home that are not tail calls.
    returning: u32,
    bad: bool,
}

struct Survey {
    facts: FxHashMap<Var, Facts>,
    /// The function whose body the walk visits, or `None` for `main`.
    around: Option<Var>,
}

impl Survey {
    fn value(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom
            && let Some(facts) = self.facts.get_mut(&var)
        {
            facts.bad = true;
        }
    }

    fn call(&mut self, callee: Callee, tail: bool) {
        let Callee::Known(var) = callee else { return };
        let around = self.around;
        let Some(facts) = self.facts.get_mut(&var) else {
            return;
        };
        if around == Some(var) {
            facts.bad |= !tail;
        } else if around == facts.home {
            if tail {
                facts.tails += 1;
            } else {
                facts.returning += 1;
            }
        } else {
            facts.bad = true;
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(_, rhs, _) => {
                    if let Rhs::Call(callee, _) = rhs {
                        self.call(*callee, false);
                    }
                    if let Rhs::Fork { thief, .. } = rhs {
                        self.value(Atom::Var(*thief));
                    }
                    rhs.each(|atom| self.value(atom));
                }
                Stmt::Join { body, .. } => self.block(body),
                Stmt::Funs(funs) => {
                    for fun in funs {
                        let home = self.around;
                        self.facts.insert(
                            fun.name,
                            Facts {
                                home,
                                bad: funs.len() > 1,
                                ..Facts::default()
                            },
                        );
                    }
                    for fun in funs {
                        let home = self.around.replace(fun.name);
                        self.block(&fun.body);
                        self.around = home;
                    }
                }
            }
        }
        if let End::TailCall(callee, ..) = &block.end {
            self.call(*callee, true);
        }
        block.end.each(|atom| self.value(atom));
        block
            .end
            .blocks()
            .into_iter()
            .for_each(|block| self.block(block));
    }
}

struct Contifier<'a> {
    program: &'a mut Program,
    /// The functions that return where their home returns, with the labels of their join points.
    tail: FxHashMap<Var, Label>,
    /// The functions that return to the code after their only call.
    single: FxHashSet<Var>,
    /// The functions of `single` whose definitions the walk has removed, but whose calls the walk has not reached yet.
    moved: FxHashMap<Var, Fun>,
}

impl Contifier<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut stmts = std::mem::take(&mut block.stmts).into_iter();
        while let Some(stmt) = stmts.next() {
            match stmt {
                Stmt::Funs(mut funs) => {
                    if let [fun] = &funs[..] {
                        let name = fun.name;
                        if let Some(&label) = self.tail.get(&name) {
                            let Some(mut fun) = funs.pop() else { continue };
                            self.program.places.inline_block(&mut fun.body, fun.inside);
                            self.block(&mut fun.body);
                            let (params, body) = (fun.params, fun.body);
                            block.stmts.push(Stmt::Join {
                                label,
                                params,
                                body,
                                recursive: true,
                            });
                            continue;
                        }
                        if self.single.contains(&name) {
                            self.moved.extend(funs.pop().map(|fun| (name, fun)));
                            continue;
                        }
                    }
                    funs.iter_mut().for_each(|fun| self.block(&mut fun.body));
                    block.stmts.push(Stmt::Funs(funs));
                }
                Stmt::Let(vars, Rhs::Call(Callee::Known(name), args), span) => {
                    match self.moved.remove(&name) {
                        Some(mut fun) => {
                            self.program.places.inline_block(&mut fun.body, span);
                            let mut rest = Block {
                                stmts: stmts.collect(),
                                end: std::mem::replace(&mut block.end, End::Unreachable),
                            };
                            self.block(&mut rest);
                            self.place(fun, vars, args, rest, block);
                            return;
                        }
                        None => block.stmts.push(Stmt::Let(
                            vars,
                            Rhs::Call(Callee::Known(name), args),
                            span,
                        )),
                    }
                }
                Stmt::Join {
                    label,
                    params,
                    mut body,
                    recursive,
                } => {
                    self.block(&mut body);
                    block.stmts.push(Stmt::Join {
                        label,
                        params,
                        body,
                        recursive,
                    });
                }
                other => block.stmts.push(other),
            }
        }
        if let End::TailCall(Callee::Known(name), args, _) = &mut block.end
            && let Some(&label) = self.tail.get(name)
        {
            block.end = End::Jump(label, std::mem::take(args));
        }
        block
            .end
            .blocks_mut()
            .into_iter()
            .for_each(|inner| self.block(inner));
    }

    /// Turns a function into a join point at the place of its only call. The code after the call also becomes a join point.
    fn place(
        &mut self,
        mut fun: Fun,
        results: Vec<Var>,
        args: Vec<Atom>,
        rest: Block,
        block: &mut Block,
    ) {
        let (after, label) = (self.program.label(), self.program.label());
        self.tail.insert(fun.name, label);
        self.block(&mut fun.body);
        let reps: Vec<Rep> = results
            .iter()
            .map(|var| self.program.rep(Atom::Var(*var)))
            .collect();
        divert(self.program, &mut fun.body, after, &reps);
        block.stmts.push(Stmt::Join {
            label: after,
            params: results,
            body: rest,
            recursive: false,
        });
        block.stmts.push(Stmt::Join {
            label,
            params: fun.params,
            body: fun.body,
            recursive: true,
        });
        block.end = End::Jump(label, args);
    }
}
