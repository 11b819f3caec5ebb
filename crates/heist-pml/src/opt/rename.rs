//! Copies code with fresh variables and labels, so that each variable and label is still bound only once.

use rustc_hash::FxHashMap;

use crate::anf::{Atom, Block, Callee, End, Fun, Label, Program, Rhs, Stmt, Var};
use crate::source::Span;

/// A maker of copies of code. A copy has fresh variables and labels in place of those that the code binds. All other variables and labels
/// stay the same.
pub struct Renamer<'a> {
    program: &'a mut Program,
    vars: FxHashMap<Var, Atom>,
    labels: FxHashMap<Label, Label>,
    /// Whether a copy binds the same variables as the original code, because the original is no longer used.
    moves: bool,
    /// The place of the call, if the copy replaces a call.
    call: Option<Span>,
}

impl<'a> Renamer<'a> {
    /// Makes a renamer that copies code of this program.
    pub fn new(program: &'a mut Program) -> Renamer<'a> {
        Renamer {
            program,
            vars: FxHashMap::default(),
            labels: FxHashMap::default(),
            moves: false,
            call: None,
        }
    }

    /// Makes a renamer for code that moves to another place. The moved code keeps the variables that it binds.
    pub fn moving(program: &'a mut Program) -> Renamer<'a> {
        Renamer {
            moves: true,
            ..Renamer::new(program)
        }
    }

    /// Makes a renamer for a copy of a function's body. The copy replaces the call at the place `call`.
    pub fn inlining(program: &'a mut Program, call: Span) -> Renamer<'a> {
        Renamer {
            call: Some(call),
            ..Renamer::new(program)
        }
    }

    /// Returns the span of the copy of code at the span `span`.
    fn span(&mut self, span: Span) -> Span {
        match self.call {
            Some(call) => self.program.places.inline(span, call),
            None => span,
        }
    }

    /// Sets the atom that replaces a variable in all later copies.
    pub fn replace(&mut self, var: Var, by: Atom) {
        self.vars.insert(var, by);
    }

    /// Makes later copies contain jumps to `to` in place of jumps to `label`. The copied code must not bind `label`.
    pub fn redirect(&mut self, label: Label, to: Label) {
        self.labels.insert(label, to);
    }

    fn bind(&mut self, var: Var) -> Var {
        if self.moves { var } else { self.fresh(var) }
    }

    /// Makes a fresh variable that replaces a given variable in later copies.
    pub fn fresh(&mut self, var: Var) -> Var {
        let info = self.program.vars[var.0 as usize].clone();
        self.program.vars.push(info);
        let fresh = Var(self.program.vars.len() as u32 - 1);
        self.vars.insert(var, Atom::Var(fresh));
        fresh
    }

    fn label(&mut self, label: Label) -> Label {
        if self.moves {
            return label;
        }
        let fresh = self.program.label();
        self.labels.insert(label, fresh);
        fresh
    }

    fn atom(&self, atom: &mut Atom) {
        if let Atom::Var(var) = atom
            && let Some(by) = self.vars.get(var)
        {
            *atom = *by;
        }
    }

    fn callee(&self, callee: &mut Callee) {
        match callee {
            Callee::Known(var) => match self.vars.get(var) {
                Some(Atom::Var(by)) => *var = *by,
                Some(other) => *callee = Callee::Closure(*other),
                None => {}
            },
            Callee::Closure(atom) => self.atom(atom),
        }
    }

    fn rhs(&mut self, rhs: &mut Rhs) {
        if let Rhs::Call(callee, args) = rhs {
            self.callee(callee);
            args.iter_mut().for_each(|arg| self.atom(arg));
        } else if let Rhs::Fork {
            fork, thief, args, ..
        } = rhs
        {
            // A copy of a fork is another fork, so it has a label of its own.
            *fork = self.label(*fork);
            if let Some(Atom::Var(by)) = self.vars.get(thief) {
                *thief = *by;
            }
            args.iter_mut().for_each(|arg| self.atom(arg));
        } else {
            rhs.map(&mut |atom| self.atom(atom));
        }
    }

    /// Returns a copy of a block.
    pub fn block(&mut self, block: &Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in &block.stmts {
            stmts.push(match stmt {
                Stmt::Let(vars, rhs, span) => {
                    let mut rhs = rhs.clone();
                    self.rhs(&mut rhs);
                    let vars = vars.iter().map(|var| self.bind(*var)).collect();
                    Stmt::Let(vars, rhs, self.span(*span))
                }
                Stmt::Funs(funs) => {
                    let names: Vec<Var> = funs.iter().map(|fun| self.bind(fun.name)).collect();
                    Stmt::Funs(
                        funs.iter()
                            .zip(names)
                            .map(|(fun, name)| self.fun(fun, name))
                            .collect(),
                    )
                }
                Stmt::Join {
                    label,
                    params,
                    body,
                    recursive,
                } => {
                    let fresh = self.label(*label);
                    let params = params.iter().map(|param| self.bind(*param)).collect();
                    Stmt::Join {
                        label: fresh,
                        params,
                        body: self.block(body),
                        recursive: *recursive,
                    }
                }
            });
        }
        Block {
            stmts,
            end: self.end(&block.end),
        }
    }

    /// Returns a copy of a function. The name of the copy is `name`.
    pub fn fun(&mut self, fun: &Fun, name: Var) -> Fun {
        let params = fun.params.iter().map(|param| self.bind(*param)).collect();
        // The function has a frame of its own, so its code does not replace the call.
        let call = self.call.take();
        let body = self.block(&fun.body);
        self.call = call;
        let inside = match call {
            Some(call) => self.program.places.inline(fun.inside, call),
            None => fun.inside,
        };
        Fun {
            name,
            params,
            results: fun.results.clone(),
            body,
            span: fun.span,
            inside,
            forked: fun.forked,
        }
    }

    fn end(&mut self, end: &End) -> End {
        match end {
            End::If(cond, a, b) => {
                let mut cond = *cond;
                cond.map(&mut |atom| self.atom(atom));
                End::If(cond, Box::new(self.block(a)), Box::new(self.block(b)))
            }
            End::Switch { on, cases, default } => {
                let mut on = *on;
                self.atom(&mut on);
                let cases = cases
                    .iter()
                    .map(|(value, block)| (*value, self.block(block)))
                    .collect();
                End::Switch {
                    on,
                    cases,
                    default: default.as_ref().map(|block| Box::new(self.block(block))),
                }
            }
            End::Handle { body, exn, handler } => {
                let body = Box::new(self.block(body));
                let exn = self.bind(*exn);
                End::Handle {
                    body,
                    exn,
                    handler: Box::new(self.block(handler)),
                }
            }
            End::Jump(label, args) => {
                let mut args = args.clone();
                args.iter_mut().for_each(|arg| self.atom(arg));
                End::Jump(self.labels.get(label).copied().unwrap_or(*label), args)
            }
            End::TailCall(callee, args, span) => {
                let (mut callee, mut args) = (*callee, args.clone());
                self.callee(&mut callee);
                args.iter_mut().for_each(|arg| self.atom(arg));
                End::TailCall(callee, args, self.span(*span))
            }
            End::Resume {
                fork,
                right,
                taken,
                stolen,
            } => {
                let right = Box::new(self.block(right));
                let taken = taken.iter().map(|var| self.bind(*var)).collect();
                End::Resume {
                    fork: self.labels.get(fork).copied().unwrap_or(*fork),
                    right,
                    taken,
                    stolen: Box::new(self.block(stolen)),
                }
            }
            End::Drop { fork, rest } => End::Drop {
                fork: self.labels.get(fork).copied().unwrap_or(*fork),
                rest: Box::new(self.block(rest)),
            },
            End::Raise(atom, span) => {
                let mut atom = *atom;
                self.atom(&mut atom);
                End::Raise(atom, self.span(*span))
            }
            End::Return(_) | End::Unreachable => {
                let mut end = end.clone();
                end.map(&mut |atom| self.atom(atom));
                end
            }
        }
    }
}
