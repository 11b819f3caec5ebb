//! Rewrites a program so that no function is nested in another function.

use rustc_hash::{FxHashMap, FxHashSet};

use super::captures::Captures;
use super::survey::{Owner, Survey, within_group};
use crate::anf::{Atom, Block, Callee, End, Fun, Program, Rep, Rhs, Static, StaticId, Stmt, Var};
use crate::source::Span;

/// Rewrites the program.
pub fn rewrite(program: &mut Program, survey: &Survey, captures: &Captures) {
    let mut main = std::mem::take(&mut program.main);
    let mut rewriter = Rewriter {
        program,
        survey,
        captures,
        entries: FxHashMap::default(),
        statics: FxHashMap::default(),
        globals: FxHashSet::default(),
        done: Vec::new(),
        owner: None,
        names: FxHashMap::default(),
    };
    rewriter.block(&mut main);
    let mut globals: Vec<Var> = rewriter.globals.into_iter().collect();
    globals.sort_unstable();
    let funs = rewriter.done;
    program.main = main;
    program.funs = funs;
    program.globals = globals;
}

struct Rewriter<'a> {
    program: &'a mut Program,
    survey: &'a Survey,
    captures: &'a Captures,
    /// The entries of functions that are used as values, keyed by the number of the function.
    entries: FxHashMap<usize, Var>,
    statics: FxHashMap<usize, StaticId>,
    globals: FxHashSet<Var>,
    done: Vec<Fun>,
    owner: Owner,
    /// For each captured variable, the current function's variable with the same value.
    names: FxHashMap<Var, Atom>,
}

impl Rewriter<'_> {
    /// Returns the atom that stands for a variable in the current function.
    fn var(&mut self, var: Var) -> Atom {
        if let Some(&atom) = self.names.get(&var) {
            return atom;
        }
        if self.owner.is_some() && self.is_global(var) {
            self.globals.insert(var);
        }
        Atom::Var(var)
    }

    /// Returns true if `main` binds the variable exactly once.
    fn is_global(&self, var: Var) -> bool {
        let closure = self.captures.function.get(&var);
        closure.map_or_else(
            || self.survey.once.contains_key(&var),
            |number| self.survey.functions[*number].once,
        )
    }

    fn atom(&mut self, atom: Atom, before: &mut Vec<Stmt>, span: Span) -> Atom {
        let Atom::Var(var) = atom else { return atom };
        match self.survey.numbers.get(&var) {
            Some(&number) => self.value(number, before, span),
            None => self.var(var),
        }
    }

    /// Returns the closure of a function. Adds a statement to `before` if code must make the closure.
    fn value(&mut self, number: usize, before: &mut Vec<Stmt>, span: Span) -> Atom {
        if self.captures.of[number].is_empty() {
            return Atom::Static(self.static_closure(number));
        }
        if !within_group(self.survey, self.owner, number)
            && let Some(&closure) = self.captures.closures.get(&number)
        {
            return self.closure_var(number, closure);
        }
        let name = self.survey.functions[number].name;
        let name = self.program.vars[name.0 as usize].name;
        let fresh = self.program.fresh(Rep::Ptr, name.as_str());
        let made = self.make(number);
        before.push(Stmt::Let(vec![fresh], made, span));
        Atom::Var(fresh)
    }

    fn closure_var(&mut self, number: usize, closure: Var) -> Atom {
        if let Some(&atom) = self.names.get(&closure) {
            return atom;
        }
        if self.owner.is_some() && self.survey.functions[number].once {
            self.globals.insert(closure);
        }
        Atom::Var(closure)
    }

    /// Returns the computation that makes a function's closure from the variables of the current function.
    fn make(&mut self, number: usize) -> Rhs {
        let needs = self.captures.of[number].clone();
        let parts = needs.into_iter().map(|var| self.var(var)).collect();
        Rhs::Closure(self.entry(number), parts)
    }

    fn static_closure(&mut self, number: usize) -> StaticId {
        if let Some(&id) = self.statics.get(&number) {
            return id;
        }
        let entry = self.entry(number);
        self.program.statics.push(Static::Closure(entry));
        let id = StaticId(self.program.statics.len() as u32 - 1);
        self.statics.insert(number, id);
        id
    }

    fn entry(&mut self, number: usize) -> Var {
        if let Some(&entry) = self.entries.get(&number) {
            return entry;
        }
        let name = self.survey.functions[number].name;
        let name = self.program.vars[name.0 as usize].name;
        let entry = self.program.fresh(Rep::Ptr, name.as_str());
        self.entries.insert(number, entry);
        entry
    }

    fn args(
        &mut self,
        callee: Callee,
        args: &mut Vec<Atom>,
        before: &mut Vec<Stmt>,
        span: Span,
    ) -> Callee {
        for arg in args.iter_mut() {
            *arg = self.atom(*arg, before, span);
        }
        match callee {
            Callee::Closure(atom) => Callee::Closure(self.atom(atom, before, span)),
            Callee::Known(name) => {
                let number = self.survey.numbers[&name];
                for var in self.captures.of[number].clone() {
                    args.push(self.var(var));
                }
                Callee::Known(name)
            }
        }
    }

    fn block(&mut self, block: &mut Block) {
        let stmts = std::mem::take(&mut block.stmts);
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            match stmt {
                Stmt::Let(vars, mut rhs, span) => {
                    if let Rhs::Call(callee, args) = &mut rhs {
                        *callee = self.args(*callee, args, &mut out, span);
                    } else if let Rhs::Fork { thief, args, .. } = &mut rhs {
                        self.args(Callee::Known(*thief), args, &mut out, span);
                    } else {
                        rhs.map(&mut |atom| *atom = self.atom(*atom, &mut out, span));
                    }
                    out.push(Stmt::Let(vars, rhs, span));
                }
                Stmt::Join {
                    label,
                    params,
                    mut body,
                    recursive,
                } => {
                    self.block(&mut body);
                    out.push(Stmt::Join {
                        label,
                        params,
                        body,
                        recursive,
                    });
                }
                Stmt::Funs(funs) => self.funs(funs, &mut out),
            }
        }
        match &mut block.end {
            End::TailCall(callee, args, span) => {
                *callee = self.args(*callee, args, &mut out, *span)
            }
            end => end.map(&mut |atom| *atom = self.atom(*atom, &mut out, Span::NONE)),
        }
        block.stmts = out;
        block
            .end
            .blocks_mut()
            .into_iter()
            .for_each(|inner| self.block(inner));
    }

    /// Rewrites a definition of functions: adds the closures that code needs, and moves the functions to the top level.
    fn funs(&mut self, funs: Vec<Fun>, out: &mut Vec<Stmt>) {
        for fun in &funs {
            let number = self.survey.numbers[&fun.name];
            let function = &self.survey.functions[number];
            if function.escapes
                && !self.captures.of[number].is_empty()
                && let Some(&closure) = self.captures.closures.get(&number)
            {
                let made = self.make(number);
                out.push(Stmt::Let(vec![closure], made, fun.span));
            }
        }
        for fun in funs {
            self.fun(fun);
        }
    }

    fn fun(&mut self, mut fun: Fun) {
        let number = self.survey.numbers[&fun.name];
        let function = &self.survey.functions[number];
        let needs = self.captures.of[number].clone();
        let (owner, names) = (self.owner.replace(number), std::mem::take(&mut self.names));
        let own: Vec<Var> = needs.iter().map(|var| self.copy(*var)).collect();
        self.names = needs
            .iter()
            .copied()
            .zip(own.iter().map(|var| Atom::Var(*var)))
            .collect();
        self.block(&mut fun.body);
        self.names = names;
        self.owner = owner;
        let wanted = function.escapes || function.escapes_inside;
        if !function.called && wanted {
            // Code calls the function only through its closure, so the entry itself has the body.
            let entry = self.entry(number);
            let closure = self.program.fresh(Rep::Ptr, "closure");
            let loads = loads(closure, &own, fun.span);
            fun.body.stmts.splice(0..0, loads);
            fun.params.insert(0, closure);
            self.done.push(Fun { name: entry, ..fun });
            return;
        }
        if wanted {
            let entry = self.entry(number);
            let closure = self.program.fresh(Rep::Ptr, "closure");
            let params: Vec<Var> = fun.params.iter().map(|param| self.copy(*param)).collect();
            let fields: Vec<Var> = own.iter().map(|var| self.copy(*var)).collect();
            let args = params
                .iter()
                .chain(&fields)
                .map(|var| Atom::Var(*var))
                .collect();
            self.done.push(Fun {
                name: entry,
                params: std::iter::once(closure).chain(params).collect(),
                results: fun.results.clone(),
                body: Block {
                    stmts: loads(closure, &fields, fun.span),
                    end: End::TailCall(Callee::Known(fun.name), args, Span::NONE),
                },
                span: fun.span,
                inside: Span::NONE,
                forked: false,
            });
        }
        fun.params.extend(own);
        self.done.push(fun);
    }

    fn copy(&mut self, var: Var) -> Var {
        let info = self.program.vars[var.0 as usize].clone();
        self.program.fresh(info.rep, info.name.as_str())
    }
}

/// Returns statements that load a function's captured values from its closure. Word 0 of the closure is the address of
/// the code.
fn loads(closure: Var, fields: &[Var], span: Span) -> Vec<Stmt> {
    let load = |(at, field): (usize, &Var)| {
        Stmt::Let(
            vec![*field],
            Rhs::Load {
                object: Atom::Var(closure),
                index: at as u32 + 1,
                layout: None,
            },
            span,
        )
    };
    fields.iter().enumerate().map(load).collect()
}
