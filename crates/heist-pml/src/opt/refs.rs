//! Turns references that only one function uses into variables.
//!
//! The pass replaces a reference if code only reads and writes the reference, and only in the function that makes it. The reads and writes
//! must not be in a handled region or a handler, because the handler would need the contents at the time of the exception. Between two
//! writes, a variable holds the contents. If the contents may differ between the jumps to a join point, the contents become a parameter of
//! the join point. In this way, `while` loops over local references become loops over registers.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::anf::{Atom, Block, End, Label, Program, Rep, Rhs, Stmt, Var};
use crate::prim::Prim;

/// Replaces references of a program by variables.
pub fn refs(program: &mut Program) {
    let mut survey = Survey {
        homes: FxHashMap::default(),
        home: 0,
        next: 1,
        region: 0,
    };
    survey.block(&program.main);
    let mut chosen: FxHashMap<Var, Rep> = FxHashMap::default();
    for (var, info) in survey.homes {
        if let Some(rep) = info.rep
            && !info.escapes
        {
            chosen.insert(var, rep);
        }
    }
    if chosen.is_empty() {
        return;
    }
    let mut main = std::mem::take(&mut program.main);
    let mut promotion = Promotion {
        program,
        chosen,
        values: FxHashMap::default(),
        extra: FxHashMap::default(),
    };
    promotion.block(&mut main);
    program.main = main;
}

struct Info {
    home: u32,
    region: u32,
    rep: Option<Rep>,
    escapes: bool,
}

struct Survey {
    homes: FxHashMap<Var, Info>,
    /// The number of the function that the walk visits.
    home: u32,
    next: u32,
    /// The number of the handled region or handler that contains the visited code.
    region: u32,
}

impl Survey {
    fn escape(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom
            && let Some(info) = self.homes.get_mut(&var)
        {
            info.escapes = true;
        }
    }

    fn used(&mut self, atom: Atom) {
        let (home, region) = (self.home, self.region);
        if let Atom::Var(var) = atom
            && let Some(info) = self.homes.get_mut(&var)
        {
            info.escapes |= info.home != home || info.region != region;
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(
                    vars,
                    Rhs::Prim {
                        prim: Prim::RefNew,
                        elem,
                        args,
                    },
                    _,
                ) => {
                    args.iter().for_each(|arg| self.escape(*arg));
                    self.homes.insert(
                        vars[0],
                        Info {
                            home: self.home,
                            region: self.region,
                            rep: *elem,
                            escapes: false,
                        },
                    );
                }
                Stmt::Let(
                    _,
                    Rhs::Prim {
                        prim: Prim::RefGet,
                        args,
                        ..
                    },
                    _,
                ) => self.used(args[0]),
                Stmt::Let(
                    _,
                    Rhs::Prim {
                        prim: Prim::RefSet,
                        args,
                        ..
                    },
                    _,
                ) => {
                    self.used(args[0]);
                    self.escape(args[1]);
                }
                Stmt::Let(_, rhs, _) => rhs.each(|atom| self.escape(atom)),
                Stmt::Funs(funs) => {
                    for fun in funs {
                        let (home, region) = (self.home, self.region);
                        self.home = self.next;
                        self.next += 1;
                        self.block(&fun.body);
                        (self.home, self.region) = (home, region);
                    }
                }
                Stmt::Join { body, .. } => self.block(body),
            }
        }
        block.end.each(|atom| self.escape(atom));
        if let End::Handle { body, handler, .. } = &block.end {
            let outside = self.region;
            for part in [body, handler] {
                self.region = self.next;
                self.next += 1;
                self.block(part);
            }
            self.region = outside;
        } else {
            block
                .end
                .blocks()
                .into_iter()
                .for_each(|block| self.block(block));
        }
    }
}

struct Promotion<'a> {
    program: &'a mut Program,
    chosen: FxHashMap<Var, Rep>,
    /// The contents of each reference at the current place.
    values: FxHashMap<Var, Atom>,
    /// For each join point, the references whose contents are additional parameters.
    extra: FxHashMap<Label, Vec<Var>>,
}

impl Promotion<'_> {
    fn value(&self, atom: Atom) -> Option<Var> {
        match atom {
            Atom::Var(var) if self.chosen.contains_key(&var) => Some(var),
            _ => None,
        }
    }

    /// Rewrites a block. Afterwards, restores the contents of references that were recorded before the block.
    fn block(&mut self, block: &mut Block) {
        let before = self.values.clone();
        let mut at = 0;
        while at < block.stmts.len() {
            let (head, tail) = block.stmts.split_at_mut(at + 1);
            match &mut head[at] {
                Stmt::Let(
                    vars,
                    rhs @ Rhs::Prim {
                        prim: Prim::RefNew, ..
                    },
                    _,
                ) if self.chosen.contains_key(&vars[0]) => {
                    let Rhs::Prim { args, .. } = rhs else {
                        continue;
                    };
                    self.values.insert(vars[0], args[0]);
                    block.stmts.remove(at);
                    continue;
                }
                Stmt::Let(
                    _,
                    rhs @ Rhs::Prim {
                        prim: Prim::RefGet | Prim::RefSet,
                        ..
                    },
                    _,
                ) => {
                    let Rhs::Prim { prim, args, .. } = &*rhs else {
                        continue;
                    };
                    if let Some(var) = self.value(args[0]) {
                        if *prim == Prim::RefSet {
                            self.values.insert(var, args[1]);
                            *rhs = Rhs::Atom(Atom::Int(0));
                        } else if let Some(&value) = self.values.get(&var) {
                            *rhs = Rhs::Atom(value);
                        }
                    }
                }
                Stmt::Let(..) => {}
                Stmt::Funs(funs) => funs.iter_mut().for_each(|fun| self.block(&mut fun.body)),
                Stmt::Join {
                    label,
                    params,
                    body,
                    ..
                } => {
                    let mut written = FxHashSet::default();
                    writes(tail.iter(), Some(&block.end), &mut written);
                    writes_of(body, &mut written);
                    let mut changing: Vec<Var> = written
                        .into_iter()
                        .filter(|var| self.values.contains_key(var))
                        .collect();
                    changing.sort_unstable();
                    let outside = self.values.clone();
                    for var in &changing {
                        let name = self.program.vars[var.0 as usize].name;
                        let param = self.program.fresh(self.chosen[var], name.as_str());
                        params.push(param);
                        self.values.insert(*var, Atom::Var(param));
                    }
                    self.extra.insert(*label, changing);
                    self.block(body);
                    self.values = outside;
                }
            }
            at += 1;
        }
        if let End::Jump(label, args) = &mut block.end
            && let Some(extra) = self.extra.get(label)
        {
            args.extend(extra.iter().filter_map(|var| self.values.get(var).copied()));
        }
        block
            .end
            .blocks_mut()
            .into_iter()
            .for_each(|inner| self.block(inner));
        self.values = before;
    }
}

/// Collects the references that statements and an end write to.
fn writes<'a>(
    stmts: impl Iterator<Item = &'a Stmt>,
    end: Option<&End>,
    written: &mut FxHashSet<Var>,
) {
    for stmt in stmts {
        match stmt {
            Stmt::Let(
                _,
                Rhs::Prim {
                    prim: Prim::RefSet,
                    args,
                    ..
                },
                _,
            ) => {
                if let Atom::Var(var) = args[0] {
                    written.insert(var);
                }
            }
            Stmt::Join { body, .. } => writes_of(body, written),
            Stmt::Let(..) | Stmt::Funs(_) => {}
        }
    }
    if let Some(end) = end {
        end.blocks()
            .into_iter()
            .for_each(|block| writes_of(block, written));
    }
}

fn writes_of(block: &Block, written: &mut FxHashSet<Var>) {
    writes(block.stmts.iter(), Some(&block.end), written);
}
