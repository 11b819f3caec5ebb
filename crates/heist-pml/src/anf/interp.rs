//! An interpreter for tests. The interpreter returns a program's output and the program's unhandled exception.
//!
//! The interpreter runs programs before and after `close`. The interpreter is slow, because it checks the representation of each word, the
//! tags of objects, and the bounds of indices.

mod prims;
mod survey;
mod value;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::{
    Atom, Block, Callee, Cmp, Cond, End, Fun, Label, Program, Rhs, Static, StaticId, Stmt, Var,
};
use crate::prim::BuiltinExn;
pub use value::{Closure, Object, Value};
use value::{field, int, real, same};

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The text that the program printed.
    pub output: String,
    /// The name of the unhandled exception, if there is one.
    pub exn: Option<String>,
}

type Env = HashMap<Var, Value>;

enum Step {
    Return(Vec<Value>),
    Jump(Label, Vec<Value>),
    Call(Callable, Vec<Value>),
    Raise(Value),
}

struct Callable {
    fun: Var,
    captured: Rc<Vec<(Var, Value)>>,
}

/// For each label of a join point: the enclosing handled region, the parameters and the body.
type Joins<'p> = HashMap<Label, (usize, &'p [Var], &'p Block)>;

struct Machine<'p> {
    program: &'p Program,
    statics: Vec<Value>,
    funs: HashMap<Var, &'p Fun>,
    /// The captured variables and the functions of each group of functions, keyed by the group's first function.
    groups: HashMap<Var, (Vec<Var>, Vec<Var>)>,
    joins: Joins<'p>,
    regions: HashMap<*const Block, usize>,
    globals: HashMap<Var, Value>,
    exns: HashMap<BuiltinExn, Value>,
    /// For each fork, the function that a thief calls, and its arguments.
    forks: HashMap<Label, (Var, &'p [Atom])>,
    /// Whether the interpreter computes each right side by a call of the function for thieves.
    steals: bool,
    output: Vec<u8>,
}

/// Runs a program on a thread with a large stack.
pub fn run(program: &Program) -> Outcome {
    run_with(program, false)
}

/// Runs a program on a thread with a large stack. If `steals` is true, computes each right side of a fork by a call of the function for
/// thieves.
pub fn run_with(program: &Program, steals: bool) -> Outcome {
    // Each thread interns names separately, so the new thread must not read the text of the program's names.
    struct Shared<'a>(&'a Program);
    // SAFETY: the new thread only reads the program, and the current thread does not use it until the new thread has
    // ended.
    unsafe impl Send for Shared<'_> {}
    let shared = Shared(program);
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(1 << 30)
            .spawn_scoped(scope, move || {
                let shared = shared;
                Machine::new(shared.0, steals).run()
            })
            .expect("a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program, steals: bool) -> Self {
        let mut machine = Machine {
            program,
            statics: Vec::new(),
            funs: HashMap::new(),
            groups: HashMap::new(),
            joins: HashMap::new(),
            regions: HashMap::new(),
            globals: HashMap::new(),
            exns: HashMap::new(),
            forks: HashMap::new(),
            steals,
            output: Vec::new(),
        };
        for at in 0..program.statics.len() {
            let value = machine.make_static(StaticId(at as u32));
            machine.statics.push(value);
        }
        for fun in &program.funs {
            machine.funs.insert(fun.name, fun);
            machine.survey(&fun.body, 0);
        }
        machine.survey(&program.main, 0);
        machine
    }

    fn make_static(&mut self, id: StaticId) -> Value {
        match &self.program.statics[id.0 as usize] {
            Static::String(bytes) => Value::Bytes(Rc::new(RefCell::new(bytes.clone()))),
            Static::IntInf(value) => Value::Big(Rc::new(value.clone())),
            Static::Object(layout, atoms) => Value::Object(Rc::new(Object {
                tag: layout.tag,
                fields: RefCell::new(atoms.iter().map(|&atom| self.constant(atom)).collect()),
            })),
            Static::Closure(fun) => Value::Closure(Rc::new(Closure {
                fun: *fun,
                captured: Rc::default(),
                words: Vec::new(),
            })),
            Static::Exn(exn) => self.exn_identity(*exn),
        }
    }

    fn exn_identity(&mut self, exn: BuiltinExn) -> Value {
        self.exns
            .entry(exn)
            .or_insert_with(|| Value::Exn(Rc::new(exn.name().to_string())))
            .clone()
    }

    fn constant(&self, atom: Atom) -> Value {
        match atom {
            Atom::Int(value) => Value::Int(value),
            Atom::Real(bits) => Value::Real(f64::from_bits(bits)),
            Atom::Imm(value) => Value::Imm(value),
            Atom::Static(id) => self.statics[id.0 as usize].clone(),
            Atom::Var(_) => panic!("a variable where a constant is expected"),
        }
    }

    fn run(mut self) -> Outcome {
        let mut env = Env::new();
        let program = self.program;
        let step = self.block(&program.main, &mut env, 0);
        let exn = match step {
            Step::Return(_) => None,
            Step::Raise(exn) => Some(self.exn_name(&exn)),
            Step::Jump(label, _) => panic!("jump to L{} from main", label.0),
            Step::Call(callable, args) => match self.call(callable, args) {
                Ok(_) => None,
                Err(exn) => Some(self.exn_name(&exn)),
            },
        };
        Outcome {
            output: String::from_utf8_lossy(&self.output).into_owned(),
            exn,
        }
    }

    fn exn_name(&self, exn: &Value) -> String {
        match field(exn, 0) {
            Value::Exn(name) => name.to_string(),
            other => panic!("{other:?} is no exception"),
        }
    }

    fn atom(&self, atom: Atom, env: &Env) -> Value {
        match atom {
            Atom::Var(var) => env
                .get(&var)
                .or_else(|| self.globals.get(&var))
                .unwrap_or_else(|| panic!("variable {} has no value", var.0))
                .clone(),
            constant => self.constant(constant),
        }
    }

    fn atoms(&self, atoms: &[Atom], env: &Env) -> Vec<Value> {
        atoms.iter().map(|&atom| self.atom(atom, env)).collect()
    }

    fn raise(&mut self, exn: BuiltinExn) -> Value {
        let identity = self.exn_identity(exn);
        Value::Object(Rc::new(Object {
            tag: 0,
            fields: RefCell::new(vec![identity]),
        }))
    }

    fn callable(&self, callee: Callee, env: &Env) -> (Callable, Option<Value>) {
        let value = match callee {
            Callee::Known(fun) => {
                if self.groups.contains_key(&fun) {
                    self.atom(Atom::Var(fun), env)
                } else {
                    let captured = Rc::default();
                    return (Callable { fun, captured }, None);
                }
            }
            Callee::Closure(atom) => self.atom(atom, env),
        };
        let Value::Closure(closure) = &value else {
            panic!("a call of {value:?}");
        };
        let callable = Callable {
            fun: closure.fun,
            captured: closure.captured.clone(),
        };
        // After `close`, the first parameter of a closure's entry is the closure.
        let closed = !self.groups.contains_key(&closure.fun);
        (callable, closed.then_some(value))
    }

    fn call(&mut self, mut callable: Callable, mut args: Vec<Value>) -> Result<Vec<Value>, Value> {
        loop {
            let fun = self.funs[&callable.fun];
            assert_eq!(fun.params.len(), args.len(), "a call of {:?}", fun.name);
            let mut env: Env = callable.captured.iter().cloned().collect();
            if let Some((_, names)) = self.groups.get(&fun.name) {
                for &name in names {
                    let closure = Closure {
                        fun: name,
                        captured: callable.captured.clone(),
                        words: Vec::new(),
                    };
                    env.insert(name, Value::Closure(Rc::new(closure)));
                }
            }
            env.extend(fun.params.iter().copied().zip(args));
            match self.block(&fun.body, &mut env, 0) {
                Step::Return(values) => {
                    assert_eq!(values.len(), fun.results.len(), "results of {:?}", fun.name);
                    return Ok(values);
                }
                Step::Raise(exn) => return Err(exn),
                Step::Jump(label, _) => panic!("jump to L{} out of its function", label.0),
                Step::Call(next, next_args) => {
                    callable = next;
                    args = next_args;
                }
            }
        }
    }

    /// Runs a block of a handled region until the code leaves the region.
    fn block(&mut self, block: &'p Block, env: &mut Env, region: usize) -> Step {
        let mut block = block;
        loop {
            match self.straight(block, env) {
                Ok(next) => block = next,
                Err(Step::Jump(label, args)) => {
                    let (home, params, body) = self.joins[&label];
                    if home != region {
                        return Step::Jump(label, args);
                    }
                    assert_eq!(params.len(), args.len(), "jump to L{}", label.0);
                    env.extend(params.iter().copied().zip(args));
                    block = body;
                }
                Err(step) => return step,
            }
        }
    }

    /// Runs the statements and the end of a block. Returns the next block, or the step with which the code leaves the region.
    fn straight(&mut self, block: &'p Block, env: &mut Env) -> Result<&'p Block, Step> {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(vars, rhs, _) => {
                    let values = self.rhs(rhs, env).map_err(Step::Raise)?;
                    assert_eq!(vars.len(), values.len(), "results of {rhs:?}");
                    for (&var, value) in vars.iter().zip(values) {
                        self.check_rep(var, &value);
                        if self.program.globals.contains(&var) {
                            self.globals.insert(var, value.clone());
                        }
                        env.insert(var, value);
                    }
                }
                Stmt::Funs(funs) => {
                    let free = &self.groups[&funs[0].name].0;
                    let captured: Rc<Vec<(Var, Value)>> = Rc::new(
                        free.iter()
                            .filter_map(|var| Some((*var, env.get(var)?.clone())))
                            .collect(),
                    );
                    for fun in funs {
                        let closure = Closure {
                            fun: fun.name,
                            captured: captured.clone(),
                            words: Vec::new(),
                        };
                        env.insert(fun.name, Value::Closure(Rc::new(closure)));
                    }
                }
                Stmt::Join { .. } => {}
            }
        }
        match &block.end {
            End::Return(atoms) => Err(Step::Return(self.atoms(atoms, env))),
            End::Jump(label, atoms) => Err(Step::Jump(*label, self.atoms(atoms, env))),
            End::TailCall(callee, args, _) => {
                let (callable, closure) = self.callable(*callee, env);
                let args = closure.into_iter().chain(self.atoms(args, env)).collect();
                Err(Step::Call(callable, args))
            }
            End::If(cond, yes, no) => Ok(if self.cond(*cond, env) { yes } else { no }),
            End::Switch { on, cases, default } => {
                let on = int(&self.atom(*on, env));
                cases
                    .iter()
                    .find(|case| case.0 == on)
                    .map(|case| &case.1)
                    .or(default.as_deref())
                    .map(Ok)
                    .unwrap_or_else(|| panic!("a switch has no case for {on}"))
            }
            End::Raise(atom, _) => Err(Step::Raise(self.atom(*atom, env))),
            End::Handle { body, exn, handler } => {
                let region = self.regions[&(&raw const **body)];
                match self.block(body, env, region) {
                    Step::Raise(value) => {
                        env.insert(*exn, value);
                        Ok(handler)
                    }
                    Step::Call(..) => panic!("a tail call in a handled region"),
                    step => Err(step),
                }
            }
            End::Resume {
                fork,
                right,
                taken,
                stolen,
            } => match self.forks.get(fork).filter(|_| self.steals) {
                Some((thief, args)) => {
                    let (callable, _) = self.callable(Callee::Known(*thief), env);
                    let args = self.atoms(args, env);
                    let values = self.call(callable, args).map_err(Step::Raise)?;
                    env.extend(taken.iter().copied().zip(values));
                    Ok(stolen)
                }
                None => Ok(right),
            },
            End::Drop { rest, .. } => Ok(rest),
            End::Unreachable => panic!("what is never reached was reached"),
        }
    }

    fn check_rep(&self, var: Var, value: &Value) {
        use super::Rep;
        let info = &self.program.vars[var.0 as usize];
        let fits = match value {
            Value::Int(_) => info.rep == Rep::Int,
            Value::Real(_) => info.rep == Rep::Real,
            _ => info.rep == Rep::Ptr,
        };
        assert!(fits, "variable {} is {:?}, not {value:?}", var.0, info.rep);
    }

    fn rhs(&mut self, rhs: &'p Rhs, env: &Env) -> Result<Vec<Value>, Value> {
        let value = match rhs {
            Rhs::Atom(atom) => self.atom(*atom, env),
            Rhs::Prim { prim, args, .. } => {
                let args = self.atoms(args, env);
                match self.prim(*prim, &args) {
                    Ok(value) => value,
                    Err(exn) => return Err(self.raise(exn)),
                }
            }
            Rhs::Alloc(layout, atoms) => Value::Object(Rc::new(Object {
                tag: layout.tag,
                fields: RefCell::new(self.atoms(atoms, env)),
            })),
            Rhs::Load { object, index, .. } => {
                let object = self.atom(*object, env);
                match &object {
                    Value::Closure(closure) => closure.words[*index as usize - 1].clone(),
                    object => field(object, *index as usize),
                }
            }
            Rhs::Tag(object) => match self.atom(*object, env) {
                Value::Object(object) => Value::Int(i64::from(object.tag)),
                other => panic!("tag of {other:?}"),
            },
            Rhs::Fork { .. } => return Ok(Vec::new()),
            Rhs::Call(callee, args) => {
                let (callable, closure) = self.callable(*callee, env);
                let args = closure.into_iter().chain(self.atoms(args, env)).collect();
                return self.call(callable, args);
            }
            Rhs::Closure(fun, atoms) => Value::Closure(Rc::new(Closure {
                fun: *fun,
                captured: Rc::default(),
                words: self.atoms(atoms, env),
            })),
            Rhs::NewExn(name, _) => match &self.program.statics[name.0 as usize] {
                Static::String(bytes) => {
                    Value::Exn(Rc::new(String::from_utf8_lossy(bytes).into_owned()))
                }
                other => panic!("{other:?} is no name"),
            },
        };
        Ok(vec![value])
    }

    fn cond(&self, cond: Cond, env: &Env) -> bool {
        let get = |atom| self.atom(atom, env);
        match cond {
            Cond::Int(cmp, a, b) => compare(cmp, &int(&get(a)), &int(&get(b))),
            Cond::Word(cmp, a, b) => compare(cmp, &(int(&get(a)) as u64), &(int(&get(b)) as u64)),
            Cond::Real(cmp, a, b) => compare(cmp, &real(&get(a)), &real(&get(b))),
            Cond::Same(a, b) => same(&get(a), &get(b)),
            Cond::IsImm(a) => matches!(get(a), Value::Imm(_)),
        }
    }
}

fn compare<T: PartialOrd>(cmp: Cmp, a: &T, b: &T) -> bool {
    match cmp {
        Cmp::Eq => a == b,
        Cmp::Ne => a != b,
        Cmp::Lt => a < b,
        Cmp::Le => a <= b,
        Cmp::Gt => a > b,
        Cmp::Ge => a >= b,
    }
}
