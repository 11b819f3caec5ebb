//! Checks that a program is well formed. With debug assertions, the compiler runs this check after each pass.

use std::collections::HashMap;

use super::{
    Atom, Block, Callee, Cond, End, Fun, Label, Layout, Program, Rep, Rhs, Static, StaticId, Stmt,
    Var, forks::under_way,
};

/// Checks a program. Every variable and label must be bound once, and must be in scope where it is used. Arguments
/// must agree with parameters in number and in representation. No call may be in tail position inside a handled
/// region. Forks must be nested.
///
/// # Errors
/// Returns a description of the first defect of the program.
pub fn check(program: &Program) -> Result<(), String> {
    let mut checker = Checker {
        program,
        scope: vec![State::Unbound; program.vars.len()],
        labels: vec![LabelState::Unbound; program.labels as usize],
        funs: HashMap::new(),
        function: 0,
        functions: 0,
        results: Vec::new(),
        handled: 0,
        forks: HashMap::new(),
    };
    for (at, object) in program.statics.iter().enumerate() {
        checker
            .object(at, object)
            .map_err(|error| format!("static S{at}: {error}"))?;
    }
    for &global in &program.globals {
        // All functions may use globals, which `main` binds. `bind` marks each of them when `main` is checked.
        if global.0 as usize >= program.vars.len() {
            return Err(format!("global {} is no variable", global.0));
        }
    }
    for fun in &program.funs {
        checker.bind(fun.name)?;
        checker.signature(fun);
    }
    let closed = !program.funs.is_empty() || !program.globals.is_empty();
    checker.block(&program.main)?;
    under_way(&program.main)?;
    if closed {
        // Functions may use only those variables of `main` that are globals.
        for (at, state) in checker.scope.iter_mut().enumerate() {
            let var = Var(at as u32);
            if *state != State::Unbound
                && !program.globals.contains(&var)
                && !checker.funs.contains_key(&var)
            {
                *state = State::Gone;
            } else if program.globals.contains(&var) {
                *state = State::InScope;
            }
        }
        for fun in &program.funs {
            checker
                .body(fun)
                .map_err(|error| format!("in {}: {error}", checker.name(fun.name)))?;
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Unbound,
    InScope,
    Gone,
}

#[derive(Clone, PartialEq)]
enum LabelState {
    Unbound,
    /// A label in scope: the number of the function that binds it, and the representations of its parameters.
    InScope(u32, Vec<Rep>),
    Gone,
}

struct Checker<'a> {
    program: &'a Program,
    scope: Vec<State>,
    labels: Vec<LabelState>,
    funs: HashMap<Var, (Vec<Rep>, Vec<Rep>)>,
    function: u32,
    functions: u32,
    results: Vec<Rep>,
    handled: u32,
    /// For each fork, the representations of the results of the function that a thief calls.
    forks: HashMap<Label, Vec<Rep>>,
}

type Checked = Result<(), String>;

impl Checker<'_> {
    fn name(&self, var: Var) -> String {
        self.program.vars.get(var.0 as usize).map_or_else(
            || format!("?.{}", var.0),
            |info| format!("{}.{}", info.name, var.0),
        )
    }

    fn object(&self, at: usize, object: &Static) -> Checked {
        match object {
            Static::Object(layout, atoms) => {
                self.layout(*layout, atoms)?;
                self.constants(at, atoms)
            }
            _ => Ok(()),
        }
    }

    fn constants(&self, at: usize, atoms: &[Atom]) -> Checked {
        for atom in atoms {
            match atom {
                Atom::Var(_) => return Err("a variable in a static object".into()),
                // A static object may refer only to earlier static objects, so no cycle is possible.
                Atom::Static(id) if id.0 as usize >= at => {
                    return Err(format!("mentions S{}, which comes later", id.0));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn bind(&mut self, var: Var) -> Checked {
        match self.scope.get(var.0 as usize) {
            None => Err(format!("variable {} is not in the table", var.0)),
            Some(State::Unbound) => {
                self.scope[var.0 as usize] = State::InScope;
                Ok(())
            }
            Some(_) => Err(format!("{} is bound twice", self.name(var))),
        }
    }

    fn bind_all(&mut self, vars: &[Var]) -> Checked {
        vars.iter().try_for_each(|&var| self.bind(var))
    }

    fn leave(&mut self, vars: &[Var]) {
        for &var in vars {
            self.scope[var.0 as usize] = State::Gone;
        }
    }

    fn atom(&self, atom: Atom) -> Result<Rep, String> {
        match atom {
            Atom::Var(var) => match self.scope.get(var.0 as usize) {
                Some(State::InScope) => {}
                _ => return Err(format!("{} is not in scope", self.name(var))),
            },
            Atom::Static(id) if id.0 as usize >= self.program.statics.len() => {
                return Err(format!("there is no S{}", id.0));
            }
            _ => {}
        }
        Ok(self.program.rep(atom))
    }

    fn expect(&self, atom: Atom, rep: Rep) -> Checked {
        let found = self.atom(atom)?;
        if found == rep {
            Ok(())
        } else {
            Err(format!("{atom:?} is {found:?}, not {rep:?}"))
        }
    }

    fn all(&self, atoms: &[Atom], reps: &[Rep]) -> Checked {
        if atoms.len() != reps.len() {
            return Err(format!(
                "{} values where {} are expected",
                atoms.len(),
                reps.len()
            ));
        }
        atoms
            .iter()
            .zip(reps)
            .try_for_each(|(&atom, &rep)| self.expect(atom, rep))
    }

    fn layout(&self, layout: Layout, atoms: &[Atom]) -> Checked {
        if atoms.len() != (layout.ptrs + layout.raws) as usize {
            return Err(format!("{layout:?} with {} fields", atoms.len()));
        }
        for (at, &atom) in atoms.iter().enumerate() {
            let rep = self.atom(atom)?;
            if (rep == Rep::Ptr) != (at < layout.ptrs as usize) {
                return Err(format!("field {at} of {layout:?} is {rep:?}"));
            }
        }
        Ok(())
    }

    fn signature(&mut self, fun: &Fun) {
        let params = self.reps(&fun.params);
        self.funs.insert(fun.name, (params, fun.results.clone()));
    }

    fn reps(&self, vars: &[Var]) -> Vec<Rep> {
        vars.iter()
            .map(|&var| self.program.rep(Atom::Var(var)))
            .collect()
    }

    /// Checks a call's arguments. Returns the representations of the results, if the function is known.
    fn call(&self, callee: Callee, args: &[Atom]) -> Result<Option<Vec<Rep>>, String> {
        match callee {
            Callee::Known(var) => {
                self.atom(Atom::Var(var))?;
                let Some((params, results)) = self.funs.get(&var) else {
                    return Err(format!("{} is no known function", self.name(var)));
                };
                self.all(args, params)
                    .map_err(|error| format!("call of {}: {error}", self.name(var)))?;
                Ok(Some(results.clone()))
            }
            Callee::Closure(atom) => {
                self.expect(atom, Rep::Ptr)?;
                for &arg in args {
                    self.atom(arg)?;
                }
                Ok(None)
            }
        }
    }

    fn rhs(&self, vars: &[Var], rhs: &Rhs) -> Checked {
        let one = |rep: Rep| match vars {
            [var] if self.program.rep(Atom::Var(*var)) == rep => Ok(()),
            [var] => Err(format!("{} should be {rep:?}", self.name(*var))),
            _ => Err(format!("{} variables for one result", vars.len())),
        };
        match rhs {
            Rhs::Atom(atom) => one(self.atom(*atom)?),
            Rhs::Prim { args, .. } => {
                for &arg in args {
                    self.atom(arg)?;
                }
                match vars {
                    [_] => Ok(()),
                    _ => Err(format!("{} variables for a primitive", vars.len())),
                }
            }
            Rhs::Alloc(layout, atoms) => {
                self.layout(*layout, atoms)?;
                one(Rep::Ptr)
            }
            Rhs::Closure(entry, atoms) => {
                if !self.funs.contains_key(entry) {
                    return Err(format!(
                        "a closure of {}, which is no function",
                        self.name(*entry)
                    ));
                }
                let reps: Vec<Rep> = atoms.iter().map(|atom| self.program.rep(*atom)).collect();
                if !reps.is_sorted_by_key(|rep| *rep != Rep::Ptr) {
                    return Err("a closure whose pointers are not first".into());
                }
                self.all(atoms, &reps)?;
                one(Rep::Ptr)
            }
            Rhs::Load { object, .. } => {
                self.expect(*object, Rep::Ptr)?;
                match vars {
                    [_] => Ok(()),
                    _ => Err(format!("{} variables for a load", vars.len())),
                }
            }
            Rhs::Tag(object) => {
                self.expect(*object, Rep::Ptr)?;
                one(Rep::Int)
            }
            Rhs::Fork { thief, args, .. } => {
                if !vars.is_empty() {
                    return Err("a fork binds nothing".into());
                }
                self.call(Callee::Known(*thief), args).map(|_| ())
            }
            Rhs::Call(callee, args) => match self.call(*callee, args)? {
                Some(results) if results != self.reps(vars) => Err(format!(
                    "a call gives {results:?}, bound to {:?}",
                    self.reps(vars)
                )),
                _ => Ok(()),
            },
            Rhs::NewExn(name, payload) => {
                let is_string = |id: &StaticId| {
                    let object = self.program.statics.get(id.0 as usize);
                    matches!(object, Some(Static::String(_)))
                };
                if !is_string(name) || !payload.iter().all(is_string) {
                    return Err("an exception's name or shape is no string".into());
                }
                one(Rep::Ptr)
            }
        }
    }

    fn body(&mut self, fun: &Fun) -> Checked {
        let function = std::mem::replace(&mut self.function, self.functions + 1);
        self.functions += 1;
        let results = std::mem::replace(&mut self.results, fun.results.clone());
        let handled = std::mem::take(&mut self.handled);
        self.bind_all(&fun.params)?;
        self.block(&fun.body)?;
        under_way(&fun.body)?;
        self.leave(&fun.params);
        self.function = function;
        self.results = results;
        self.handled = handled;
        Ok(())
    }

    fn label(&self, label: Label) -> Result<&[Rep], String> {
        match self.labels.get(label.0 as usize) {
            Some(LabelState::InScope(function, params)) if *function == self.function => Ok(params),
            Some(LabelState::InScope(..)) => {
                Err(format!("L{} belongs to another function", label.0))
            }
            _ => Err(format!("L{} is not in scope", label.0)),
        }
    }

    fn block(&mut self, block: &Block) -> Checked {
        let mut bound: Vec<Var> = Vec::new();
        let mut labels: Vec<Label> = Vec::new();
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(vars, rhs, _) => {
                    self.rhs(vars, rhs)
                        .map_err(|error| format!("{rhs:?}: {error}"))?;
                    self.bind_all(vars)?;
                    bound.extend(vars);
                    if let Rhs::Fork { fork, thief, .. } = rhs {
                        let results = self.funs[thief].1.clone();
                        if self.forks.insert(*fork, results).is_some() {
                            return Err(format!("fork L{} begins twice", fork.0));
                        }
                    }
                }
                Stmt::Funs(funs) => {
                    for fun in funs {
                        self.bind(fun.name)?;
                        if self.program.rep(Atom::Var(fun.name)) != Rep::Ptr {
                            return Err(format!("{} is no pointer", self.name(fun.name)));
                        }
                        bound.push(fun.name);
                        self.signature(fun);
                    }
                    for fun in funs {
                        self.body(fun)
                            .map_err(|error| format!("in {}: {error}", self.name(fun.name)))?;
                    }
                }
                Stmt::Join {
                    label,
                    params,
                    body,
                    recursive,
                } => {
                    let at = label.0 as usize;
                    if self.labels.get(at) != Some(&LabelState::Unbound) {
                        return Err(format!("L{at} is bound twice"));
                    }
                    let state = LabelState::InScope(self.function, self.reps(params));
                    self.labels[at] = LabelState::Gone;
                    if *recursive {
                        self.labels[at] = state.clone();
                    }
                    self.bind_all(params)?;
                    self.block(body)
                        .map_err(|error| format!("in L{at}: {error}"))?;
                    self.leave(params);
                    self.labels[at] = state;
                    labels.push(*label);
                }
            }
        }
        self.end(&block.end)?;
        self.leave(&bound);
        for label in labels {
            self.labels[label.0 as usize] = LabelState::Gone;
        }
        Ok(())
    }

    fn end(&mut self, end: &End) -> Checked {
        match end {
            End::Return(atoms) => self
                .all(atoms, &self.results)
                .map_err(|error| format!("return: {error}")),
            End::Jump(label, atoms) => {
                let params = self.label(*label)?;
                self.all(atoms, params)
                    .map_err(|error| format!("jump to L{}: {error}", label.0))
            }
            End::TailCall(callee, args, _) => {
                if self.handled > 0 {
                    return Err("a tail call in a handled region".into());
                }
                match self.call(*callee, args)? {
                    Some(results) if results != self.results => Err(format!(
                        "a tail call gives {results:?} instead of {:?}",
                        self.results
                    )),
                    _ => Ok(()),
                }
            }
            End::If(cond, yes, no) => {
                self.cond(*cond)?;
                self.block(yes)?;
                self.block(no)
            }
            End::Switch { on, cases, default } => {
                self.expect(*on, Rep::Int)?;
                let mut values: Vec<i64> = cases.iter().map(|case| case.0).collect();
                values.sort_unstable();
                if values.windows(2).any(|pair| pair[0] == pair[1]) {
                    return Err("a switch with a value twice".into());
                }
                if cases.is_empty() && default.is_none() {
                    return Err("a switch without cases".into());
                }
                for (_, block) in cases {
                    self.block(block)?;
                }
                default.as_ref().map_or(Ok(()), |block| self.block(block))
            }
            End::Raise(atom, _) => self.expect(*atom, Rep::Ptr),
            End::Handle { body, exn, handler } => {
                self.handled += 1;
                self.block(body)?;
                self.handled -= 1;
                if self.program.rep(Atom::Var(*exn)) != Rep::Ptr {
                    return Err(format!("exception {} is no pointer", self.name(*exn)));
                }
                self.bind(*exn)?;
                self.block(handler)?;
                self.leave(&[*exn]);
                Ok(())
            }
            End::Resume {
                fork,
                right,
                taken,
                stolen,
            } => {
                let Some(results) = self.forks.get(fork) else {
                    return Err(format!("L{} is no fork", fork.0));
                };
                if *results != self.reps(taken) {
                    return Err(format!(
                        "fork L{} gives {results:?}, bound to {:?}",
                        fork.0,
                        self.reps(taken)
                    ));
                }
                self.block(right)?;
                self.bind_all(taken)?;
                self.block(stolen)?;
                self.leave(taken);
                Ok(())
            }
            End::Drop { fork, rest } => {
                if !self.forks.contains_key(fork) {
                    return Err(format!("L{} is no fork", fork.0));
                }
                self.block(rest)
            }
            End::Unreachable => Ok(()),
        }
    }

    fn cond(&self, cond: Cond) -> Checked {
        let (a, b, rep) = match cond {
            Cond::Int(_, a, b) | Cond::Word(_, a, b) => (a, b, Rep::Int),
            Cond::Real(_, a, b) => (a, b, Rep::Real),
            Cond::Same(a, b) => (a, b, Rep::Ptr),
            Cond::IsImm(a) => (a, a, Rep::Ptr),
        };
        self.expect(a, rep)?;
        self.expect(b, rep)
    }
}
